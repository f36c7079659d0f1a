// SPDX-License-Identifier: Apache-2.0

package cfbtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
)

// Unpack returns the contents of the gzip file at path.
func Unpack(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return data
}
