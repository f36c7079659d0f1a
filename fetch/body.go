// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"example.com/curlew/internal/netguard"
)

const (
	rateSpan  = 10 * time.Second
	rateBytes = 10 << 10 // bytes that must arrive in each rateSpan

	freeInflation = 1 << 20 // inflated bytes that may be read before the ratio is checked
	maxInflation  = 200     // inflated bytes allowed for each byte received
)

// errSlow ends a body that arrives too slowly.
var errSlow = fmt.Errorf("%w: the body arrives more slowly than 1 KiB/s", ErrTimeout)

// buffers is a pool of buffers that bodies are read into.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// body reads one response body and enforces its limits.
type body struct {
	wire      wire
	limit     int64
	data      *bytes.Buffer
	truncated bool
	excess    bool // data after the end of a coded body were left out
}

// newBody returns a body of at most limit bytes, both as received and as
// decoded. It reports progress to conn. If the body arrives too slowly, cancel
// ends the exchange. The caller must call stop.
func newBody(r io.Reader, limit int64, conn *netguard.Conn, cancel context.CancelCauseFunc) *body {
	b := &body{wire: wire{r: r, conn: conn, left: limit}, limit: limit, data: buffers.Get().(*bytes.Buffer)}
	b.wire.watch(cancel)
	return b
}

// stop ends the rate check and returns the buffer to the pool.
func (b *body) stop() {
	b.wire.stop()
	if b.data.Cap() <= 4<<20 { // larger buffers are rarely needed and would waste memory
		b.data.Reset()
		buffers.Put(b.data)
	}
	b.data = nil
}

// bytes returns a copy of what was read.
func (b *body) bytes() []byte {
	return append([]byte{}, b.data.Bytes()...) // append does not zero the new slice first, unlike make
}

// read reads and decodes the body. If it decoded something, it removes from h
// the fields that described the encoded form. A body that ends early is marked
// as truncated, which is not an error.
func (b *body) read(h http.Header) error {
	r, coded, left, err := decoder(&b.wire, h.Values("Content-Encoding"))
	defer r.close()
	if err != nil {
		return err
	}
	err = b.fill(r)
	b.excess = coded && err == nil && r.excess()
	if coded {
		h.Del("Content-Encoding")
		h.Del("Content-Length")
		if len(left) > 0 {
			h.Set("Content-Encoding", strings.Join(left, ", "))
		}
	}
	cause := err
	if b.wire.err != nil && b.wire.err != io.EOF { //nolint:errorlint // the reader's own end is io.EOF itself
		cause = b.wire.err // decoders hide the error of the reader below
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
	return &fault{ErrProtocol, cause} // the decoder's own error
}

// fill copies r into the buffer until r ends.
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
