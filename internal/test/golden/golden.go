// SPDX-License-Identifier: Apache-2.0

// Package golden compares results of tests with files in testdata, and rewrites
// the files with -update:
//
//	go test ./parse -update
//
// Read the diff before you commit it. The package also finds the testdata
// directory of the repository, so that packages can be moved without changing
// paths in tests.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files with what the tests got")

// Check reports an error if got differs from the file at path, or if the file
// is missing. With -update it writes the file instead, and creates its
// directory. path is relative to the package under test.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	check(t, path, got, *update)
}

// Testdata returns the path of a file or pattern in the testdata directory at
// the root of the module, relative to the package under test.
func Testdata(elem ...string) string { return Root(append([]string{"testdata"}, elem...)...) }

// Root returns the path of a file at the root of the module, relative to the
// package under test. Outside a module, for example if a test binary runs in
// another directory, the path is relative to the working directory.
func Root(elem ...string) string {
	name := filepath.Join(elem...)
	for up, depth := "", 0; depth < maxDepth; up, depth = filepath.Join(up, ".."), depth+1 {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, name)
		}
	}
	return name
}

// maxDepth limits the number of directories between the root of the module and
// a package.
const maxDepth = 16

func check(t testing.TB, path string, got []byte, rewrite bool) {
	t.Helper()
	if rewrite {
		if err := write(path, got); err != nil {
			t.Errorf("golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("golden file %s is missing; -update makes it from:\n%s", path, got)
	case err != nil:
		t.Errorf("golden: %v", err)
	case string(want) != string(got):
		t.Errorf("%s differs (-file +got; -update rewrites it):\n%s", path, cmp.Diff(string(want), string(got)))
	}
}

// write writes data to path unless the file already has this content.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
