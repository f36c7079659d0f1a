// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"io"
	"strconv"
	"sync"
)

// segmentName returns the file name of a segment.
func segmentName(log string, n uint32) string {
	return log + "." + strconv.FormatUint(uint64(n), 10)
}

// tail is the end of a file that is being written. Data that is not synced is
// also kept in memory, because a full disk may drop it. It is guarded by the
// mutex of the log.
type tail struct {
	segment uint32 // zero means the file of heads
	file    File   // nil until it has been created
	end     int64  // position of the next frame
	durable int64  // position up to which everything is synced
	buf     []byte // data from durable to end
}

// fileName returns the name of t's file.
func (t *tail) fileName(log string) string {
	if t.segment == 0 {
		return log
	}
	return segmentName(log, t.segment)
}

// create creates t's file if it does not have one. An existing file is left
// from an unfinished write.
func (t *tail) create(fsys FS, log string) (err error) {
	if t.file == nil {
		t.file, err = openOrCreate(fsys, t.fileName(log))
		if err == nil {
			err = t.file.Truncate(0)
		}
	}
	return err
}

// buffers are unused buffers. The garbage collector may free them.
var buffers sync.Pool

// fill returns t's buffer for appending.
func (t *tail) fill() []byte {
	if t.buf == nil {
		if b, ok := buffers.Get().(*[]byte); ok {
			return *b
		}
	}
	return t.buf
}

// sync records that everything before end is durable.
func (t *tail) sync(end int64) {
	left := copy(t.buf, t.buf[end-t.durable:])
	t.buf, t.durable = t.buf[:left], end
	switch {
	case cap(t.buf) > 2*keptBytes && left < keptBytes: // after a very long record
		t.buf = append([]byte(nil), t.buf...)
	case left == 0 && cap(t.buf) > inlineBytes: // an idle log should not keep a buffer
		b := t.buf
		buffers.Put(&b)
		t.buf = nil
	}
}

func (t *tail) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// view reads one file of an open log.
type view struct {
	log     *Log
	segment uint32 // zero means the file of heads
}

// segment returns a reader for a segment.
func (l *Log) segment(n uint32) io.ReaderAt { return view{l, n} }

// ReadAt implements [io.ReaderAt]. Data that may not be on the disk yet is read
// from memory.
func (v view) ReadAt(p []byte, off int64) (n int, err error) {
	l := v.log
	l.mu.Lock()
	t := l.heads
	if v.segment > 0 {
		t = nil
		for _, b := range l.blobs {
			if b.segment == v.segment {
				t = b
			}
		}
	}
	if t == nil {
		l.mu.Unlock()
		return l.shelf.readAt(v.segment, p, off)
	}
	on := min(int64(len(p)), max(0, t.durable-off)) // number of bytes that are on the disk
	late := 0
	if from := off + on - t.durable; from >= 0 && from < int64(len(t.buf)) {
		late = copy(p[on:], t.buf[from:])
	}
	if on > 0 {
		// Lock files before mu is unlocked, because replacing the file requires
		// both locks.
		l.files.RLock()
		l.mu.Unlock()
		n, err = t.file.ReadAt(p[:on], off)
		l.files.RUnlock()
		if int64(n) < on {
			return n, err
		}
	} else {
		l.mu.Unlock()
	}
	if n += late; n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// shelf reads complete segments. It keeps one file open.
type shelf struct {
	fsys FS
	name string // name of the log

	mu   sync.Mutex
	n    uint32 // guarded by mu
	file File   // guarded by mu; segment n
}

func (s *shelf) readAt(n uint32, p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || s.n != n {
		f, err := s.fsys.Open(segmentName(s.name, n))
		if err != nil {
			return 0, err
		}
		if s.file != nil {
			_ = s.file.Close() // it was only read
		}
		s.file, s.n = f, n
	}
	return s.file.ReadAt(p, off)
}

// segment returns a reader for a segment.
func (s *shelf) segment(n uint32) io.ReaderAt { return shelved{s, n} }

type shelved struct {
	*shelf
	n uint32
}

// ReadAt implements [io.ReaderAt].
func (s shelved) ReadAt(p []byte, off int64) (int, error) { return s.readAt(s.n, p, off) }

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// openOrCreate opens a file and creates it if it is missing.
func openOrCreate(fsys FS, name string) (File, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, errNotExist) {
		return fsys.Create(name)
	}
	return f, err
}
