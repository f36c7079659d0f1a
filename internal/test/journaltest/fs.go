// SPDX-License-Identifier: Apache-2.0

// Package journaltest implements a file system in memory that can fail and can
// lose unsynced data.
package journaltest

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/internal/journal"
)

// FS is a [journal.FS] in memory, with directories. The zero FS is empty and
// never fails.
type FS struct {
	// Fail, if not nil, is called before each write, sync, truncation,
	// directory sync, creation and removal. If it returns an error, the call
	// fails with it. A failed write has written half of its data.
	Fail func(op string) error

	mu      sync.Mutex // guards the fields below and the contents of all files
	files   map[string]*data
	dirs    map[string]bool  // true if its parent has been synced since its creation
	removed map[string]*data // files removed since the last sync of their directory
}

// data is one file: its current content, and what remains after a power
// failure.
type data struct {
	now     []byte
	synced  []byte
	writes  []write // since the last sync
	created bool    // its directory has been synced since its creation
}

type write struct {
	at   int64
	data []byte
}

func (s *FS) fail(op string) error {
	if s.Fail == nil {
		return nil
	}
	return s.Fail(op)
}

// Create creates a new file.
func (s *FS) Create(name string) (journal.File, error) {
	if err := s.fail("create"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.files[name]; ok {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if s.files == nil {
		s.files = map[string]*data{}
	}
	s.files[name] = &data{}
	return &file{s, s.files[name]}, nil
}

// Open opens a file.
func (s *FS) Open(name string) (journal.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{s, d}, nil
}

// Exists returns nil if there is a file with the name.
func (s *FS) Exists(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.files[name]; !ok {
		return &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return nil
}

// SyncDir makes the entries of a directory survive a power failure.
func (s *FS) SyncDir(name string) error {
	if err := s.fail("syncdir"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for f, d := range s.files {
		if path.Dir(f) == name {
			d.created = true
		}
	}
	for d := range s.dirs {
		if path.Dir(d) == name {
			s.dirs[d] = true
		}
	}
	for f := range s.removed {
		if below(f, name) {
			delete(s.removed, f)
		}
	}
	return nil
}

// below reports whether name is in dir or in a subdirectory.
func below(name, dir string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// MakeDir creates a new directory in an existing one. If it exists, it fails
// with [fs.ErrExist].
func (s *FS) MakeDir(name string) error {
	if err := s.fail("mkdir"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.dirs[name]; ok {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	if s.dirs == nil {
		s.dirs = map[string]bool{}
	}
	s.dirs[name] = false
	return nil
}

// RemoveAll removes a file or directory with its contents. Before its directory
// is synced, a power failure may restore it. If it fails, some files have been
// removed. A missing name is not an error.
func (s *FS) RemoveAll(name string) error {
	err := s.fail("remove")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removed == nil {
		s.removed = map[string]*data{}
	}
	for f, d := range s.files {
		if f == name || below(f, name) {
			if d.created {
				s.removed[f] = d
			}
			delete(s.files, f)
			if err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	for d := range s.dirs {
		if d == name || below(d, name) {
			delete(s.dirs, d)
		}
	}
	return nil
}

// Names returns the names in a directory in any order.
func (s *FS) Names(dir string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.dirs[dir]; !ok && dir != "." {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	var names []string
	for f := range s.files {
		if path.Dir(f) == dir {
			names = append(names, path.Base(f))
		}
	}
	for d := range s.dirs {
		if path.Dir(d) == dir {
			names = append(names, path.Base(d))
		}
	}
	return names, nil
}

// Bytes returns the content of a file, or nil if it does not exist.
func (s *FS) Bytes(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.files[name]; ok {
		return slices.Clone(d.now)
	}
	return nil
}

// Set sets the content of a file and syncs it.
func (s *FS) Set(name string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]*data{}
	}
	s.files[name] = &data{now: slices.Clone(b), synced: slices.Clone(b), created: true}
}

// lasting reports whether all parent directories of name survive a power
// failure. The caller holds mu.
func (s *FS) lasting(name string) bool {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		if synced, ok := s.dirs[d]; ok && !synced {
			return false
		}
	}
	return true
}

// Cut simulates a power failure. Entries of unsynced directories are lost. Of
// removed files and of unsynced writes a random part is lost, and some writes
// are torn.
func (s *FS) Cut(r *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, d := range s.removed {
		if _, again := s.files[name]; !again && r.IntN(2) == 0 {
			s.files[name] = d
			if dir := path.Dir(name); dir != "." {
				s.dirs[dir] = true
			}
		}
	}
	s.removed = nil
	for name, d := range s.files {
		if !d.created || !s.lasting(name) {
			delete(s.files, name)
			continue
		}
		left := slices.Clone(d.synced)
		for _, w := range d.writes {
			switch r.IntN(3) {
			case 0: // lost
			case 1:
				left = put(left, w.at, w.data)
			case 2:
				left = put(left, w.at, w.data[:r.IntN(len(w.data)+1)])
			}
		}
		d.now, d.synced, d.writes = left, slices.Clone(left), nil
	}
	var lost []string
	for d, synced := range s.dirs {
		if !synced || !s.lasting(d) {
			lost = append(lost, d)
		}
	}
	for _, d := range lost {
		delete(s.dirs, d)
	}
}

// Clone returns what another process finds after this one is killed: everything
// that was written, whether synced or not.
func (s *FS) Clone() *FS {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &FS{files: map[string]*data{}, dirs: maps.Clone(s.dirs), removed: map[string]*data{}}
	for _, m := range [...]struct{ from, to map[string]*data }{{s.files, c.files}, {s.removed, c.removed}} {
		for name, d := range m.from {
			m.to[name] = &data{now: slices.Clone(d.now), synced: slices.Clone(d.synced), writes: slices.Clone(d.writes), created: d.created}
		}
	}
	return c
}

// Contains reports whether any file contains b, including removed files until
// their directory is synced.
func (s *FS) Contains(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, files := range []map[string]*data{s.files, s.removed} {
		for _, d := range files {
			if bytes.Contains(d.now, b) || bytes.Contains(d.synced, b) {
				return true
			}
		}
	}
	return false
}

func put(b []byte, at int64, p []byte) []byte {
	if need := int(at) + len(p); need > len(b) {
		b = append(b, make([]byte, need-len(b))...)
	}
	copy(b[at:], p)
	return b
}

type file struct {
	fs *FS
	d  *data
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if off >= int64(len(f.d.now)) {
		return 0, io.EOF
	}
	n := copy(p, f.d.now[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	err := f.fs.fail("write")
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err != nil {
		p = p[:len(p)/2]
	}
	f.d.now = put(f.d.now, off, p)
	f.d.writes = append(f.d.writes, write{off, slices.Clone(p)})
	return len(p), err
}

// Sync makes the content of the file durable. If it fails, it may have dropped
// the data to be written, like a kernel.
func (f *file) Sync() error {
	if err := f.fs.fail("sync"); err != nil {
		f.fs.mu.Lock()
		defer f.fs.mu.Unlock()
		f.d.writes = nil
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.d.synced, f.d.writes = slices.Clone(f.d.now), nil
	return nil
}

func (f *file) Truncate(size int64) error {
	if err := f.fs.fail("truncate"); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.d.now = f.d.now[:size]
	return nil
}

func (f *file) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.d.now)), nil
}

func (*file) Close() error { return nil }
