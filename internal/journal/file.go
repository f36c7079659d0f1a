// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the file system of logs. Names are slash-separated paths inside it.
// Errors for missing names are [fs.ErrNotExist]. [Dir] is a real one; tests use
// one that fails.
type FS interface {
	// Create creates a new file, open for reading and writing. If it exists, it
	// fails with [fs.ErrExist].
	Create(name string) (File, error)
	// Open opens a file for reading and writing.
	Open(name string) (File, error)
	// SyncDir makes the entries of a directory durable.
	SyncDir(name string) error
	// Exists returns nil if there is a file with the name. If there is none, it
	// fails with [fs.ErrNotExist].
	Exists(name string) error
}

// Roomer is an optional interface of an [FS]. A log asks it to free space
// before each attempt to write to a full disk.
type Roomer interface{ MakeRoom() }

// File is one open file of an [FS].
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Size() (int64, error)
}

// Dir is an [FS] in one directory. Names cannot refer to files outside. Files
// have mode 0600.
type Dir struct{ *os.Root }

var errNoName = errors.New("the path of the directory is empty")

// OpenDir opens the directory dir, creates it if it is missing, and locks it
// until the closer is closed. If this or another process has it open, the error
// wraps [ErrLocked].
func OpenDir(dir string) (Dir, io.Closer, error) {
	if dir == "" {
		return Dir{}, nil, errNoName
	}
	_, err := os.Stat(dir)
	if fresh := errors.Is(err, fs.ErrNotExist); fresh {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return Dir{}, nil, err
		}
		// Best effort, because the parent directory is not ours: without this
		// sync, a power failure in the next seconds could remove the new
		// directory.
		if parent, err := os.Open(filepath.Dir(filepath.Clean(dir))); err == nil {
			_ = parent.Sync()
			_ = parent.Close()
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Dir{}, nil, err
	}
	f, err := root.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = lock(f); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return Dir{}, nil, errors.Join(err, root.Close())
	}
	return Dir{root}, closers{f, root}, nil
}

// closers closes all its elements in order.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// Create makes a new file.
func (d Dir) Create(name string) (File, error) {
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Open opens a file.
func (d Dir) Open(name string) (File, error) {
	f, err := d.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Exists returns nil if there is a file with the name.
func (d Dir) Exists(name string) error {
	_, err := d.Stat(name)
	return err
}

// SyncDir makes the entries of a directory durable.
func (d Dir) SyncDir(name string) error {
	f, err := d.Root.Open(name)
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

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
