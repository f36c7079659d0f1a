// SPDX-License-Identifier: Apache-2.0

package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"example.com/curlew/internal/journal"
)

// disk is the file system that [Files] needs. Errors for missing names are
// [fs.ErrNotExist]. Tests use one that fails.
type disk interface {
	journal.FS

	// MakeDir creates a directory. If it exists, it fails with [fs.ErrExist].
	MakeDir(name string) error

	// RemoveAll removes a directory with its contents. A missing directory is
	// not an error.
	RemoveAll(name string) error

	// Names returns the names in a directory in any order.
	Names(dir string) ([]string, error)
}

// folder is a disk within one directory.
type folder struct{ journal.Dir }

// MakeDir implements disk.
func (d folder) MakeDir(name string) error { return d.Mkdir(name, 0o700) }

// Names implements disk.
func (d folder) Names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(d.FS(), dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// yielding is a disk that asks the program to free space when it is full.
type yielding struct {
	disk
	room func()

	mu   sync.Mutex
	last time.Time // guarded by mu; when room was last called
}

// MakeRoom implements [journal.Roomer].
func (y *yielding) MakeRoom() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if time.Since(y.last) < time.Second {
		return
	}
	y.room()
	y.last = time.Now()
}

// writeNote writes a small file with a checksum. It is not synced, because a
// note only repeats what is stored elsewhere.
func writeNote(d disk, name string, b []byte) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(append(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)), b...), 0)
	return errors.Join(err, f.Close())
}

// maxNote is the maximum size of a note in bytes.
const maxNote = 1 << 20

// readNote returns the contents of a note. It returns false if the note is
// missing or damaged.
func readNote(d disk, name string) ([]byte, bool) {
	f, err := d.Open(name)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	size, err := f.Size()
	if err != nil || size < 5 || size > maxNote {
		return nil, false
	}
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); n < len(b) && err != nil {
		return nil, false
	}
	return b[4:], crc32.ChecksumIEEE(b[4:]) == binary.LittleEndian.Uint32(b)
}

// diskError wraps an error of the disk or the journal in the matching error of
// this package, or in [ErrStorage] if there is none.
func diskError(err error) error {
	switch {
	case err == nil:
		return nil
	case journal.IsFull(err):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case errors.Is(err, journal.ErrVersion):
		return fmt.Errorf("%w: %w", ErrVersion, err)
	case errors.Is(err, journal.ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, journal.ErrClosed):
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return fmt.Errorf("%w: %w", ErrStorage, err)
	}
	return err
}

// Dir returns the directory of the store. The free space of its disk limits
// what jobs can store.
func (f *Files) Dir() string { return f.dir }
