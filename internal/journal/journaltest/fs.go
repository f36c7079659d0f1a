// SPDX-License-Identifier: Apache-2.0

// Package journaltest keeps files in memory that fail, and forget what was not
// synced, on command.
package journaltest

import (
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"sync"

	"example.com/curlew/internal/journal"
)

// FS is a [journal.FS] in memory. The zero FS is empty and never fails.
type FS struct {
	// Fail, if set, is asked before each write, sync, truncation, directory
	// sync and creation; what it returns is that call's error. A write that
	// fails has written half.
	Fail func(op string) error

	mu    sync.Mutex // guards what follows and all files' contents
	files map[string]*data
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
	return nil
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

// Cut is a power cut: files whose directory was not synced are gone, and of the
// writes since each file's last sync some are gone, and one is torn.
func (s *FS) Cut(r *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, d := range s.files {
		if !d.created {
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
