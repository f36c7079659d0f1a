// SPDX-License-Identifier: Apache-2.0

package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeT records what a check reports.
type fakeT struct {
	testing.TB
	errors []string
}

func (f *fakeT) Helper() {}

func (f *fakeT) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "case.md")
	if err := os.WriteFile(file, []byte("# one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	under := filepath.Join(file, "no-directory.md")
	for _, c := range []struct {
		name, path, got string
		rewrite         bool
		want            string // part of the only error; empty means none
	}{
		{"same", file, "# one\n", false, ""},
		{"differs", file, "# two\n", false, "differs"},
		{"missing", filepath.Join(dir, "none.md"), "x", false, "missing"},
		{"unreadable", dir, "x", false, "golden: "},
		{"unwritable", under, "x", true, "golden: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeT{TB: t}
			check(f, c.path, []byte(c.got), c.rewrite)
			switch got := strings.Join(f.errors, "\n"); {
			case c.want == "" && got != "":
				t.Errorf("reported %q, want nothing", got)
			case c.want != "" && (len(f.errors) != 1 || !strings.Contains(got, c.want)):
				t.Errorf("reported %q, want one error with %q", f.errors, c.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "case.md")
	for _, text := range []string{"# one\n", "# two\n", "# two\n"} {
		check(t, file, []byte(text), true)
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("after -update the file holds %q, want %q", got, text)
		}
		check(t, file, []byte(text), false)
	}
}

func TestCheckOfThisPackage(t *testing.T) {
	Check(t, filepath.Join("testdata", "hello.txt"), []byte("hello\n"))
}

func TestTestdata(t *testing.T) {
	if _, err := os.Stat(Testdata("wire")); err != nil {
		t.Errorf("the module's testdata is not found from here: %v", err)
	}
	if got, want := Root("shared", "x"), filepath.Join("..", "..", "..", "shared", "x"); got != want {
		t.Errorf("Root is %s, want %s", got, want)
	}
	t.Chdir(t.TempDir())
	if got, want := Testdata("wire"), filepath.Join("testdata", "wire"); got != want {
		t.Errorf("outside a module Testdata is %s, want %s", got, want)
	}
}
