// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"io"
	"strconv"
	"sync"
)

// segmentName returns the name of a log's segment.
func segmentName(log string, n uint32) string {
	return log + "." + strconv.FormatUint(uint64(n), 10)
}

// tail is the end of a file that is written to. What no sync has passed is in
// memory too, until one has: a disk that is full may have dropped it. The log's
// mu guards it.
type tail struct {
	segment uint32 // zero: the file of heads
	file    File   // nil while it could not be made
	end     int64  // where the next frame goes
	durable int64  // everything before it has been synced
	buf     []byte // from durable to end
}

// fileName returns the name of t's file in a log.
func (t *tail) fileName(log string) string {
	if t.segment == 0 {
		return log
	}
	return segmentName(log, t.segment)
}

// create makes t's file, if it has none. One that is there was left by a write
// that never came to its end.
func (t *tail) create(fsys FS, log string) (err error) {
	if t.file == nil {
		t.file, err = openOrCreate(fsys, t.fileName(log))
		if err == nil {
			err = t.file.Truncate(0)
		}
	}
	return err
}

// buffers are those that no tail needs now. The garbage collector empties it.
var buffers sync.Pool

// fill returns t's buffer to be appended to.
func (t *tail) fill() []byte {
	if t.buf == nil {
		if b, ok := buffers.Get().(*[]byte); ok {
			return *b
		}
	}
	return t.buf
}

// sync notes that everything before end is durable.
func (t *tail) sync(end int64) {
	left := copy(t.buf, t.buf[end-t.durable:])
	t.buf, t.durable = t.buf[:left], end
	switch {
	case cap(t.buf) > 2*keptBytes && left < keptBytes: // after a record that was very long
		t.buf = append([]byte(nil), t.buf...)
	case left == 0 && cap(t.buf) > inlineBytes: // an idle log keeps nothing
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

// view reads one file of a log that is written to.
type view struct {
	log     *Log
	segment uint32 // zero: the file of heads
}

// segment returns what reads a segment.
func (l *Log) segment(n uint32) io.ReaderAt { return view{l, n} }

// ReadAt implements [io.ReaderAt]. What may not be on the disk yet comes from
// memory.
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
	on := min(int64(len(p)), max(0, t.durable-off)) // bytes that are on the disk
	late := 0
	if from := off + on - t.durable; from >= 0 && from < int64(len(t.buf)) {
		late = copy(p[on:], t.buf[from:])
	}
	if on > 0 {
		// Taken before mu is left: whoever replaces the file holds both.
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

// shelf reads segments that are not written to. It keeps one open.
type shelf struct {
	fsys FS
	name string // of the log

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

// segment returns what reads a segment.
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

// openOrCreate opens a file, which is made if it is not there.
func openOrCreate(fsys FS, name string) (File, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, errNotExist) {
		return fsys.Create(name)
	}
	return f, err
}
