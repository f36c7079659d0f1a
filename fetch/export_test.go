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

// Over returns c, to reach n in place of the network.
func (c *Client) Over(n *webtest.Net) *Client {
	c.replace = network{dial: n.Dial, resolver: n, roots: n.Roots()}
	return c
}

// Resolving returns c with another resolver.
func (c *Client) Resolving(r netguard.Resolver) *Client {
	c.replace.resolver = r
	return c
}

// Read reads r as the body of an answer with header h.
func Read(r io.Reader, h http.Header, limit int64) (data []byte, truncated bool, err error) {
	b := newBody(r, limit, nil, func(error) {})
	defer b.stop()
	err = b.read(h)
	return b.bytes(), b.truncated, err
}

// ValidateHeader is what Fetch asks first.
var ValidateHeader = validateHeader

// Dialling returns c with another dialer.
func (c *Client) Dialling(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Client {
	c.replace.dial = dial
	return c
}

// EncodeEntry returns what a cache keeps of an answer that came at that time.
func EncodeEntry(r *Response, at time.Time) []byte {
	e := entry{url: r.URL, status: r.Status, at: at, header: r.Header, body: r.Body}
	return e.encode()
}

// DecodeEntry reads what EncodeEntry writes.
func DecodeEntry(b []byte) (r *Response, err error) {
	e, err := decodeEntry(b)
	if err != nil {
		return nil, err
	}
	return &Response{URL: e.url, Status: e.status, Header: e.header, Body: e.body, Cached: e.at}, nil
}

// EncodeFile returns the bytes of a cache file.
func EncodeFile(k Key, value []byte) []byte { return append(encodeFileHead(k, value), value...) }

// DecodeFile reads what EncodeFile writes.
var DecodeFile = decodeFile
