// SPDX-License-Identifier: Apache-2.0

// Package golden compares what a test got with a file in testdata, and
// rewrites that file under -update:
//
//	go test ./parse -update
//
// Read the diff before committing it.
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
