// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path"

	"example.com/curlew/export"
)

// folder is the directory that pages are written to, one file for each URL.
type folder struct{ root *os.Root }

func newFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{root}, nil
}

func (f *folder) Close() error { return f.root.Close() }

// write writes the page of a URL. os.Root prevents names outside the directory.
func (f *folder) write(address string, text []byte) error {
	name := export.FileName(address)
	if err := f.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return err
	}
	return f.root.WriteFile(name, text, 0o600)
}
