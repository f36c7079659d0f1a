// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"example.com/curlew/internal/uuid"
)

// Dir is a [Store] in a directory. Several processes, also on several machines, may
// share it if its file system makes renaming atomic, as local disks and NFS do. Files
// have mode 0600. Create one with [OpenDir].
type Dir struct{ root *os.Root }

// OpenDir opens the store in dir, and creates the directory if it is missing. The
// caller must call [Dir.Close].
func OpenDir(dir string) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the store of objects: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the store of objects: %w", err)
	}
	// Best effort, because the parent directory is not ours.
	if parent, err := os.Open(filepath.Dir(filepath.Clean(dir))); err == nil {
		_ = parent.Sync()
		_ = parent.Close()
	}
	return &Dir{root}, nil
}

// Close closes the store.
func (d *Dir) Close() error { return d.root.Close() }

// unfinished begins the names of files that are being written. They are in the folder
// of their objects and go with it, so that a crash leaves nothing behind for ever.
const unfinished = ".unfinished-"

// Put implements [Store].
func (d *Dir) Put(ctx context.Context, name string, data []byte) error {
	if err := CheckPut(name, data); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	folder := path.Dir(name)
	temporary := path.Join(folder, unfinished+uuid.New())
	if err := d.makeFolder(folder); err != nil {
		return fmt.Errorf("put object %s: %w", name, err)
	}
	err := d.write(temporary, data)
	if err == nil {
		err = d.root.Rename(temporary, name)
	}
	if err != nil {
		_ = d.root.Remove(temporary)
		return fmt.Errorf("put object %s: %w", name, err)
	}
	if err := d.sync(folder); err != nil {
		return fmt.Errorf("put object %s: %w", name, err)
	}
	return nil
}

// write writes a file whose data is on the disk when it returns.
func (d *Dir) write(name string, data []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeFolder creates a folder and those above it, durably.
func (d *Dir) makeFolder(folder string) error {
	if _, err := d.root.Stat(folder); err == nil {
		return nil
	}
	var made string
	for part := range strings.SplitSeq(folder, "/") {
		above := path.Join(".", made)
		made = path.Join(made, part)
		if err := d.root.Mkdir(made, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := d.sync(above); err != nil { // also if another process has just made it
			return err
		}
	}
	return nil
}

// sync makes the entries of a folder durable.
func (d *Dir) sync(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	// Some file systems, and Windows, cannot sync a directory.
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Read implements [Store].
func (d *Dir) Read(ctx context.Context, name string, at, n int64) ([]byte, error) {
	if err := CheckRead(name, at, n); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f, err := d.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read object %s: %w", name, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", name, err)
	}
	if info.IsDir() || info.Size() < at+n { // before the memory is allocated
		return nil, fmt.Errorf("read object %s: %w: it has %d bytes, and %d from %d are wanted", name, ErrDamaged, info.Size(), n, at)
	}
	data := make([]byte, n)
	if _, err := f.ReadAt(data, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = ErrDamaged // it became shorter
		}
		return nil, fmt.Errorf("read object %s: %w", name, err)
	}
	return data, nil
}

// listed is how many names are read at once.
const listed = 1000

// List implements [Store].
func (d *Dir) List(ctx context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		fail := func(err error) { yield("", fmt.Errorf("list folder %s: %w", folder, err)) }
		if !ValidName(folder) {
			fail(ErrName)
			return
		}
		f, err := d.root.Open(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			fail(err)
			return
		}
		defer func() { _ = f.Close() }()
		for {
			if ctx.Err() != nil {
				fail(context.Cause(ctx))
				return
			}
			entries, err := f.ReadDir(listed)
			for _, e := range entries {
				name := e.Name()
				if e.IsDir() {
					name += "/"
				}
				if !strings.HasPrefix(name, unfinished) && !yield(name, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				fail(err)
				return
			}
		}
	}
}

// Remove implements [Store].
func (d *Dir) Remove(ctx context.Context, folder string) error {
	if !ValidName(folder) {
		return fmt.Errorf("remove folder: %w: %q", ErrName, folder)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := d.root.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove folder %s: %w", folder, err)
	}
	return nil
}
