// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport measures a module with one package over two limits.
func TestReport(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var large strings.Builder
	large.WriteString("package large\n\ntype Wide struct {\n")
	for i := range 16 {
		fmt.Fprintf(&large, "\tf%d int\n", i)
	}
	large.WriteString("}\n\ntype WideOptions struct{ a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q int }\n")
	for i := range 26 {
		fmt.Fprintf(&large, "\nfunc (*Wide) m%d() {}\n", i)
	}
	for i := range 41 {
		fmt.Fprintf(&large, "\nfunc F%d() {}\n", i)
	}
	write("large/large.go", large.String())
	write("small.go", "package small\n\nvar A, b int\n")
	write("small_test.go", "package small\n\nthis is not read\n")
	write("nested/go.mod", "module nested\n")
	write("nested/a.go", "this is not read either\n")
	all, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	report(&b, all)
	for _, want := range []string{
		"| `large` | exported names | 43 | 40 |\n", "| `large.Wide` | fields | 16 | 15 |\n", "| `large.Wide` | methods | 26 | 25 |\n",
		"2 packages with ", "over a bound: 1 packages, 1 types\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "WideOptions") {
		t.Errorf("options have a row:\n%s", b.String())
	}
}
