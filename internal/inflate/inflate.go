// SPDX-License-Identifier: Apache-2.0

// Package inflate decompresses DEFLATE (RFC 1951) with the decoder of klauspost/compress,
// which takes fewer instructions than that of the standard library. Containers consist of
// compressed streams, so that this is a large part of the time that reading them takes.
// After some faults it goes on where the standard library stops, so documents are read with
// it only where a checksum tells that they are damaged.
package inflate

import (
	"bufio"
	"io"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Reader decompresses a stream. What it needs is used again after [Reader.Close].
type Reader struct{ s *stream }

// stream is a decoder and the buffer of its input, which it reads without a call for
// each byte.
type stream struct {
	in  *bufio.Reader
	out io.ReadCloser
}

// streams are those that are not in use, because their tables and buffers are large.
var streams = sync.Pool{New: func() any {
	in := bufio.NewReaderSize(nil, 8<<10)
	return &stream{in, flate.NewReader(in)}
}}

// NewReader returns a reader of the decompressed bytes of src.
func NewReader(src io.Reader) *Reader {
	s := streams.Get().(*stream) //nolint:forcetypeassert // nothing else is put there
	s.reset(src)
	return &Reader{s}
}

func (s *stream) reset(src io.Reader) {
	s.in.Reset(src)
	_ = s.out.(flate.Resetter).Reset(s.in, nil) //nolint:forcetypeassert // all decoders can be; it returns no error
}

// Read implements [io.Reader]. Before it returns an error, it returns all bytes that precede
// the fault.
func (r *Reader) Read(p []byte) (int, error) {
	if r.s == nil {
		return 0, fs.ErrClosed
	}
	n, err := r.s.out.Read(p)
	if n > 0 {
		err = nil // the decoder returns it again
	}
	return n, err
}

// Close ends the reading. The source is not closed.
func (r *Reader) Close() error {
	if r.s != nil {
		r.s.reset(nil) // without the source, which may be large
		streams.Put(r.s)
		r.s = nil
	}
	return nil
}
