// SPDX-License-Identifier: Apache-2.0

// Package journaltest keeps files in memory that fail, and forget what was not
// synced, on command.
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
	// Fail, if set, is asked before each write, sync, truncation, directory
	// sync, creation and removal; what it returns is that call's error. A write
	// that fails has written half.
	Fail func(op string) error

	mu      sync.Mutex // guards what follows and all files' contents
	files   map[string]*data
	dirs    map[string]bool  // true: its parent has been synced since it was made
	removed map[string]*data // since the last sync of what held them
}

// data is one file: what is in it now, and what a power cut leaves.
type data struct {
	now     []byte
	synced  []byte
	writes  []write // since the last sync
	created bool    // its directory has been synced since it was made
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

// Create makes a new file.
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

// SyncDir makes the files of a directory survive a power cut.
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

// below reports whether name is in dir, or deeper.
func below(name, dir string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// MakeDir makes a new directory, whose parent is there. It fails with
// [fs.ErrExist] where there is one.
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

// RemoveAll removes a file or directory and what is below it; it may come back
// in a power cut before its directory is synced. One that fails has removed
// some files. It is no error where there is none.
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

// Names returns what is in a directory, in no order.
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

// Bytes returns what is in a file now; nil where there is none.
func (s *FS) Bytes(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.files[name]; ok {
		return slices.Clone(d.now)
	}
	return nil
}

// Set makes a file hold b, synced.
func (s *FS) Set(name string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]*data{}
	}
	s.files[name] = &data{now: slices.Clone(b), synced: slices.Clone(b), created: true}
}

// lasting reports whether all directories around name survive a power cut. The
// caller holds mu.
func (s *FS) lasting(name string) bool {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		if synced, ok := s.dirs[d]; ok && !synced {
			return false
		}
	}
	return true
}

// Cut is a power cut: what is in a directory that was not synced is gone, of
// the files that were removed and of the writes since each file's last sync
// some are gone, and some of those are torn.
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

// Clone returns what another process finds when this one is killed: all that was
// written, synced or not.
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

// Contains reports whether any file has b in it, removed ones included until a
// sync has made that last.
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

// Sync makes the file's contents durable. One that fails may have dropped
// what was to be written, as kernels do.
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
