// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/wire"
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

// body reads the whole JSON body, within the bound and in time.
func (h *Handler) body(c *call) ([]byte, error) {
	if c.r.ContentLength > h.options.MaxBody {
		return nil, errTooLarge
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(c.r.Body, h.options.MaxBody+1))
	switch {
	case n > h.options.MaxBody:
		return nil, errTooLarge
	case err != nil:
		return nil, fmt.Errorf("%w: %w", wire.ErrSyntax, err)
	}
	c.readUntil(time.Time{})
	return b.Bytes(), nil
}

// bodyTime is how long a body may take; that of an upload begins with it.
const bodyTime = 10 * time.Second

// readUntil sets the end of the time for the request's body. It is lifted where
// the body has been read to its end, and only there: the connection's next read
// is then the one that sees the client leave.
func (c *call) readUntil(at time.Time) {
	_ = http.NewResponseController(c.w).SetReadDeadline(at) // some servers have no deadlines
}
