// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/webtest"
)

// Over makes c use n instead of the network, and returns c.
func (c *Client) Over(n *webtest.Net) *Client {
	c.replace = network{dial: n.Dial, resolver: n, roots: n.Roots()}
	return c
}

// Resolving makes c use the resolver r, and returns c.
func (c *Client) Resolving(r netguard.Resolver) *Client {
	c.replace.resolver = r
	return c
}

// Read reads r as the body of a response with header h.
func Read(r io.Reader, h http.Header, limit int64) (data []byte, truncated bool, err error) {
	b := newBody(r, limit, nil, func(error) {})
	defer b.stop()
	err = b.read(h)
	return b.bytes(), b.truncated, err
}

// Excess reports whether the body r of a response with header h goes on after its coded end.
func Excess(r io.Reader, h http.Header) (bool, error) {
	b := newBody(r, 1<<20, nil, func(error) {})
	defer b.stop()
	err := b.read(h)
	return b.excess, err
}

// ValidateHeader exports validateHeader.
var ValidateHeader = validateHeader

// Dialling makes c use dial, and returns c.
func (c *Client) Dialling(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Client {
	c.replace.dial = dial
	return c
}

// EncodeEntry returns the cache entry of a response that arrived at the given
// time.
func EncodeEntry(r *Response, at time.Time) []byte {
	e := entry{url: r.URL, status: r.Status, at: at, header: r.Header, body: r.Body}
	return e.encode()
}

// DecodeEntry decodes the output of EncodeEntry.
func DecodeEntry(b []byte) (r *Response, err error) {
	e, err := decodeEntry(b)
	if err != nil {
		return nil, err
	}
	return &Response{URL: e.url, Status: e.status, Header: e.header, Body: e.body, Cached: e.at}, nil
}

// EncodeFile returns the contents of a cache file.
func EncodeFile(k Key, value []byte) []byte { return append(encodeFileHead(k, value), value...) }

// DecodeFile decodes the output of EncodeFile.
var DecodeFile = decodeFile

// Health is the health of a proxy of a Pool.
type Health struct{ e exit }

// NewHealth returns the health of a proxy that works.
func NewHealth() *Health { return new(Health) }

// Enter is the method of the same name.
func (h *Health) Enter(now time.Time) bool { return h.e.enter(now) }

// Leave is the method of the same name.
func (h *Health) Leave(now time.Time, failed, abandoned bool) string {
	return h.e.leave(now, failed, abandoned)
}
