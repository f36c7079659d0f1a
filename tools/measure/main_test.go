// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport measures a module with one package over two aims.
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
	large.WriteString("\ntype Message struct {\n")
	for i := range 16 {
		fmt.Fprintf(&large, "\tF%d int `json:\"f%d\"`\n", i, i)
	}
	large.WriteString("}\n")
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
		"| `large` | exported names | 44 | 40 |\n", "| `large.Wide` | fields | 16 | 15 |\n", "| `large.Wide` | methods | 26 | 25 |\n",
		"2 packages with ", "over an aim: 1 packages, 1 types; 1 types with more fields are messages in JSON\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "WideOptions") || strings.Contains(b.String(), "Message") {
		t.Errorf("options or messages have a row:\n%s", b.String())
	}
}

// TestCompare measures a module whose second commit adds a package, moves a
// benchmark, and has one that fails.
func TestCompare(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		if _, err := run(dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.test"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	write("go.mod", "module m.test\n\ngo 1.26.0\n")
	write("one/one.go", "package one\n\ntype Engine struct{}\n\nfunc (Engine) Run() {}\n")
	write("one/one_test.go", "package one\n\nimport \"testing\"\n\nvar sink []byte\n\nfunc BenchmarkMake(b *testing.B) { for b.Loop() { sink = make([]byte, 1000) } }\n\nfunc BenchmarkOld(b *testing.B) { for b.Loop() {} }\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "one")
	git("tag", "base")
	write("two/two.go", "package two\n\nvar Table = [1 << 20]byte{1}\n")
	write("one/one.go", "package one\n\nimport \"m.test/two\"\n\ntype Engine struct{}\n\nfunc (Engine) Run() { print(&two.Table) }\n")
	write("in/one/one_test.go", "package one\n\nimport \"testing\"\n\nvar sink []byte\n\nfunc BenchmarkMake(b *testing.B) { for b.Loop() { sink = make([]byte, 9000) } }\n\nfunc BenchmarkBroken(b *testing.B) { b.Fatal() }\n")
	if err := os.Remove(filepath.Join(dir, "one", "one_test.go")); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "--quiet", "-m", "two")
	var b strings.Builder
	if err := compare(&b, dir, "base", true, []engine{{"one", "/one", "one.Engine.Run"}}); err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(strings.Split(b.String(), "\n")[1])
	var before, after int
	if _, err := fmt.Sscan(fields[1]+" "+fields[2], &before, &after); err != nil || after != before+1 {
		t.Errorf("packages %d and %d (%v), want one more:\n%s", before, after, err, b.String())
	}
	if change := fields[len(fields)-2]; !strings.HasPrefix(change, "+") || change == "+0.0" {
		t.Errorf("the program changed by %s %%, want it larger by the table:\n%s", change, b.String())
	}
	if line := "m.test/two  0          1049    +1049"; !strings.Contains(b.String(), line) {
		t.Errorf("no line %q in\n%s", line, b.String())
	}
	b.Reset()
	if err := benchmarks(&b, dir, "base", ".", 1, false); err == nil || err.Error() != "some benchmarks failed in in/one at HEAD" {
		t.Errorf("a benchmark that fails: %v", err)
	}
	fields = strings.Fields(strings.Split(b.String(), "\n")[1])
	if fields[0] != "one.Make" || fields[4] != "1024" || fields[5] != "9472" || fields[6] != "1" || !strings.HasSuffix(b.String(), "at base only: one.Old\n") {
		t.Errorf("benchmarks:\n%s", b.String())
	}
	if out, err := run(dir, "git", "worktree", "list"); err != nil || strings.Count(out, "\n") != 1 {
		t.Errorf("worktrees left: %s%v", out, err)
	}
}

// TestExactly checks that a pattern matches a benchmark whose name has brackets or a slash.
func TestExactly(t *testing.T) {
	for benchmark, want := range map[string]string{
		"Details/model":      "^BenchmarkDetails$/^model$",
		"Match/div:has(a)":   `^BenchmarkMatch$/^div:has\(a\)$`,
		"Match/a[href^='/']": `^BenchmarkMatch$/^a\[href\^='$/^'\]$`,
	} {
		if got := exactly(benchmark, "$"); got != want {
			t.Errorf("%s: %s, want %s", benchmark, got, want)
		}
	}
}
