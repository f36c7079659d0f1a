// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"example.com/curlew/internal/netguard"
)

const (
	rateSpan  = 10 * time.Second
	rateBytes = 10 << 10 // that must come in each rateSpan

	freeInflation = 1 << 20 // inflated bytes that no ratio bounds
	maxInflation  = 200     // inflated bytes for each on the wire
)

// errSlow ends a body that trickles.
var errSlow = fmt.Errorf("%w: body under 1 KiB/s", ErrTimeout)

// buffers holds those of bodies that were read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// body reads the body of one answer under its bounds.
type body struct {
	wire      wire
	limit     int64
	data      *bytes.Buffer
	truncated bool
}

// newBody returns a body of at most limit bytes, on the wire and inflated. conn
// is told what comes; cancel ends the exchange of one that trickles. The
// caller stops it.
func newBody(r io.Reader, limit int64, conn *netguard.Conn, cancel context.CancelCauseFunc) *body {
	b := &body{wire: wire{r: r, conn: conn, left: limit}, limit: limit, data: buffers.Get().(*bytes.Buffer)}
	b.wire.watch(cancel)
	return b
}

// stop ends the watch over the body's rate, and gives its buffer back.
func (b *body) stop() {
	b.wire.stop()
	if b.data.Cap() <= 4<<20 { // larger ones are rare, and would stay for long
		b.data.Reset()
		buffers.Put(b.data)
	}
	b.data = nil
}

// bytes returns a copy of what was read.
func (b *body) bytes() []byte {
	return append([]byte{}, b.data.Bytes()...) // which does not write zeros first
}

// read takes the body in and decodes it, and then takes from h what described
// the coded form. A body that ends early is cut short and no error.
func (b *body) read(h http.Header) error {
	r, coded, err := decoder(&b.wire, h.Values("Content-Encoding"))
	if err != nil {
		return err
	}
	defer r.close()
	err = b.fill(r)
	if coded {
		h.Del("Content-Encoding")
		h.Del("Content-Length")
	}
	cause := err
	if b.wire.err != nil && b.wire.err != io.EOF { //nolint:errorlint // the reader's own end is io.EOF itself
		cause = b.wire.err // decoders hide it
	}
	switch {
	case cause == nil:
		return nil
	case errors.Is(cause, io.ErrUnexpectedEOF):
		b.truncated = true
		return nil
	case errors.Is(cause, zstd.ErrWindowSizeExceeded), errors.Is(cause, zstd.ErrDecoderSizeExceeded):
		return &fault{ErrInflate, cause}
	case cause == b.wire.err, !coded, errors.Is(cause, ErrTooLarge), errors.Is(cause, ErrInflate): //nolint:errorlint // the same value
		return cause
	}
	return &fault{ErrProtocol, cause} // the decoder's
}

// fill copies r into the buffer until its end.
func (b *body) fill(r io.Reader) error {
	const step = 32 << 10
	for {
		b.data.Grow(step)
		room := b.data.AvailableBuffer()
		n, err := r.Read(room[:step])
		b.data.Write(room[:n])
		size := int64(b.data.Len())
		switch {
		case size > b.limit:
			return ErrTooLarge
		case size > freeInflation && size/maxInflation > b.wire.n.Load():
			return ErrInflate
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
