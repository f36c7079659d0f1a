// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/sorting"
)

// decode decodes the body of c as its Content-Encoding requires. Only gzip is
// supported; other codings give [errCoding]. decode reads nothing itself, and
// the reader of the body limits the decoded size.
func (h *Handler) decode(c *call) {
	codings := sorting.Without(tokens(c.r.Header, "Content-Encoding"), func(name string) bool { return strings.EqualFold(name, "identity") })
	switch {
	case len(codings) == 0:
	case len(codings) == 1 && (strings.EqualFold(codings[0], "gzip") || strings.EqualFold(codings[0], "x-gzip")): // RFC 9110 8.4.1.3
		c.r.Body = &zipped{ReadCloser: c.r.Body, most: max(h.options.MaxBody, maxFile) + zipFraming}
	default:
		c.r.Body = unreadable{c.r.Body}
	}
}

// zipFraming is more than the number of bytes that gzip adds to incompressible
// data.
const zipFraming = 1 << 20

// zipped is a body that is sent as gzip.
type zipped struct {
	io.ReadCloser
	most  int64 // limit on compressed bytes, because an endless stream may decompress to nothing
	plain *gzip.Reader
}

// Read implements [io.Reader].
func (z *zipped) Read(p []byte) (n int, err error) {
	if z.plain == nil {
		if z.plain, err = gzip.NewReader(io.LimitReader(z.ReadCloser, z.most)); err != nil {
			return 0, err
		}
	}
	return z.plain.Read(p)
}

// unreadable is a body in an unsupported coding.
type unreadable struct{ io.ReadCloser }

// Read implements [io.Reader].
func (unreadable) Read([]byte) (int, error) { return 0, errCoding }

// body reads the whole JSON body within its limits of size and time. It
// decompresses a body only after all of it has arrived, so that a stalled
// client occupies no more memory than it has sent.
func (h *Handler) body(c *call) ([]byte, error) {
	coded, zip := c.r.Body.(*zipped)
	most := h.options.MaxBody
	from := c.r.Body
	if zip {
		most, from = most+zipFraming, coded.ReadCloser
	}
	if c.paced != nil {
		c.paced.Most = bodyTime
	}
	raw, err := []byte(nil), errTooLarge
	if c.r.ContentLength <= most {
		raw, err = h.readAll(c, from, most)
	}
	if errors.Is(err, errTooLarge) && c.r.ContentLength <= maxFile {
		// Many clients read no answer before they have sent all. If the connection ended
		// before, they would see a broken connection instead of the reason.
		_, _ = io.CopyN(io.Discard, from, maxFile) // also if the client breaks off, the body is too large
	}
	if err == nil && zip {
		var plain *gzip.Reader
		if plain, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			raw, err = h.readAll(c, plain, h.options.MaxBody)
		}
	}
	switch {
	case err == nil:
		return raw, nil
	case errors.Is(err, errTooLarge), errors.Is(err, curlew.ErrBusy):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errSlow
	}
	return nil, fmt.Errorf("%w: %w", wire.ErrSyntax, err)
}

// bodyTime is the time in which a JSON body must arrive.
const bodyTime = 10 * time.Second

// readAll reads r to its end. It reserves memory as bytes arrive and ignores
// the announced length. If r has more than most bytes, it returns
// [errTooLarge].
func (h *Handler) readAll(c *call, r io.Reader, most int64) ([]byte, error) {
	b := []byte{}
	for {
		if len(b) == cap(b) {
			room := min(max(2*int64(cap(b)), 4<<10), most+1)
			if int64(cap(b)) > most {
				return nil, errTooLarge
			}
			if err := h.hold(c, room-int64(cap(b))); err != nil {
				return nil, err
			}
			b = append(make([]byte, 0, room), b...)
		}
		n, err := r.Read(b[len(b):cap(b)])
		if b = b[:len(b)+n]; int64(len(b)) > most {
			return nil, errTooLarge
		}
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// hold reserves memory for n bytes of the request's body until the request is
// answered.
func (h *Handler) hold(c *call, n int64) (err error) {
	begun := time.Now()
	c.share, err = h.service.HoldBody(c.ctx(), c.share, n, false)
	if c.paced != nil {
		c.paced.Pause(time.Since(begun))
	}
	return err
}
