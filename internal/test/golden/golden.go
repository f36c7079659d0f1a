// SPDX-License-Identifier: Apache-2.0

// Package golden compares what a test got with a file in testdata, and
// rewrites that file under -update:
//
//	go test ./parse -update
//
// Read the diff before committing it. It also tells where the testdata of the
// repository is, so that a package may move without its tests counting
// directories.
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

// Check reports an error where got differs from the file at path, byte for
// byte, or where that file is missing. With -update it writes the file and
// its directory instead. Path is relative to the package under test.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	check(t, path, got, *update)
}

// Testdata returns the path of a file or a pattern of files in the testdata
// directory at the root of the module. The path is relative to the package
// under test.
func Testdata(elem ...string) string { return Root(append([]string{"testdata"}, elem...)...) }

// Root returns the path of a file at the root of the module, relative to the
// package under test. Outside a module, as where a test's binary runs in a
// directory of its own, elem is taken to lie in the working directory.
func Root(elem ...string) string {
	name := filepath.Join(elem...)
	for up, depth := "", 0; depth < maxDepth; up, depth = filepath.Join(up, ".."), depth+1 {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return filepath.Join(up, name)
		}
	}
	return name
}

// maxDepth bounds the directories between the module's root and a package.
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

// write makes path hold data, and leaves a file alone that does already.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
