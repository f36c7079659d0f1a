// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
)

// decode has c's body read as its Content-Encoding says: in gzip, or not at all
// ([errCoding]). Nothing is read here, and whoever reads bounds what comes out.
func (h *Handler) decode(c *call) {
	codings := slices.DeleteFunc(tokens(c.r.Header, "Content-Encoding"), func(name string) bool { return strings.EqualFold(name, "identity") })
	switch {
	case len(codings) == 0:
	case len(codings) == 1 && (strings.EqualFold(codings[0], "gzip") || strings.EqualFold(codings[0], "x-gzip")): // RFC 9110 8.4.1.3
		c.r.Body = &zipped{ReadCloser: c.r.Body, most: max(h.options.MaxBody, maxFile) + zipFraming}
	default:
		c.r.Body = unreadable{c.r.Body}
	}
}

// zipFraming is more than gzip adds to what it cannot make smaller, in bytes.
const zipFraming = 1 << 20

// zipped is a body that comes in gzip.
type zipped struct {
	io.ReadCloser
	most  int64 // bytes that are taken of it: a stream may go on for ever and inflate to nothing
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

// unreadable is a body in a coding that nobody here reads.
type unreadable struct{ io.ReadCloser }

// Read implements [io.Reader].
func (unreadable) Read([]byte) (int, error) { return 0, errCoding }

// body reads the whole JSON body, within the bound and in time. A coded body is
// inflated once it is all there: a client that stalls holds what it has sent.
func (h *Handler) body(c *call) ([]byte, error) {
	coded, zip := c.r.Body.(*zipped)
	most := h.options.MaxBody
	from := c.r.Body
	if zip {
		most, from = most+zipFraming, coded.ReadCloser
	}
	if c.r.ContentLength > most {
		return nil, errTooLarge
	}
	if c.paced != nil {
		c.paced.most = bodyTime
	}
	raw, err := h.readAll(c, from, most)
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
	}
	return nil, fmt.Errorf("%w: %w", wire.ErrSyntax, err)
}

// bodyTime is how long a JSON body may take.
const bodyTime = 10 * time.Second

// readAll reads r to its end, into memory that is asked of the ledger as bytes
// come, whatever the request claims. More than most bytes are [errTooLarge].
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

// hold asks the ledger for n bytes of the request's body. They are held until
// the request is answered.
func (h *Handler) hold(c *call, n int64) (err error) {
	begun := time.Now()
	c.share, err = h.service.HoldBody(c.ctx(), c.share, n, false)
	if c.paced != nil && !c.paced.begun.IsZero() {
		c.paced.begun = c.paced.begun.Add(time.Since(begun)) // the client does not wait for itself
	}
	return err
}
