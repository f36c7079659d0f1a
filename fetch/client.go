// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// UserAgent is the User-Agent header of a [Client] that sets none.
const UserAgent = "curlew/0 (web crawler)"

const (
	maxRedirectBody = 64 << 10
	accept          = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	acceptEncoding  = "gzip, br, zstd"
)

// Client fetches pages over the network. The zero value is ready to use and
// reaches public addresses on the ports 80, 443, 8080 and 8443 only. A Client
// is safe for concurrent use. It must not be changed after its first Fetch, nor
// copied. It keeps connections open, so a program should share one Client.
type Client struct {
	UserAgent string // empty means the constant UserAgent
	// MaxBytes limits the size of a body. Zero means 10 MiB, or 50 MiB if the
	// Content-Type is that of a document. -1 means no limit.
	MaxBytes int64

	// Allow admits addresses that are refused by default, such as a LAN or a
	// test server, on every port. Addresses of cloud metadata services are
	// admitted only by a prefix that contains a single address.
	Allow []netip.Prefix

	// Ports are admitted in addition to the four defaults. -1 admits all ports
	// except those of other protocols.
	Ports []int

	// Proxy is the URL of a proxy that all requests use: http, https or socks5
	// (SOCKS 5, port 1080 if none is given). Its userinfo is sent to the proxy.
	// The Client itself resolves names and checks addresses, and asks the proxy
	// only to connect to an address, so an HTTP proxy must allow CONNECT to
	// port 80 too. If it is empty, no proxy is used, because the environment is
	// never read. If it is not a usable proxy URL, every Fetch fails with
	// [ErrProxy].
	Proxy string

	// Check is called with the URL of the request and of each redirect before
	// it is requested. If it returns an error, the fetch ends with it. Nil
	// admits every URL that the network policy admits.
	Check func(ctx context.Context, url string) error

	// Cache stores pages for requests with MaxAge, MinAge or Lockdown. If it is
	// nil, nothing is stored. Check and the network policy apply to cached URLs
	// too. Clients that share a cache share pages only if their Allow and Ports
	// are equal. If several fetches want the same page at the same time, one
	// asks the site, and the others use its response if it may be stored.
	Cache Cache

	// PartitionAll separates cached pages, and responses shared by simultaneous
	// fetches, by [Request.Partition] for every request. If it is false, only
	// requests with Header are separated. Then a caller can learn from the age
	// of a response that another caller has requested the same public page.
	PartitionAll bool

	replace network // set by the tests of this package
	once    sync.Once
	proxy   error // why Proxy cannot be used, or nil
	policy  netguard.Policy
	clients [2]*http.Client // the first verifies certificates, the second does not
	around  around
}

// network replaces the real network in tests.
type network struct {
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	resolver netguard.Resolver
	roots    *x509.CertPool
}

// Fetch fetches the page of r. The error is an [*Error] that wraps one of the
// errors of this package, the error of Check or of a hook, or the cause of ctx.
func (c *Client) Fetch(ctx context.Context, r *Request) (*Response, error) {
	c.once.Do(c.open)
	return follow(ctx, r, &c.around, c.exchange)
}

// Caching reports whether the client has a Cache.
func (c *Client) Caching() bool { return c.Cache != nil }

// Cached returns what exchange makes of the page of r, such as the document that a browser
// shows. It answers from the client's Cache if r accepts that. Otherwise it calls exchange, and
// stores the response under the rules for pages. The Header of r must name everything that the
// response depends on besides the URL. If there is no Cache, every call is an exchange.
func (c *Client) Cached(ctx context.Context, r *Request, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
	c.once.Do(c.open)
	return follow(ctx, r, &around{cache: c.Cache, realm: c.around.realm, apart: c.PartitionAll}, exchange)
}

// CloseIdleConnections closes the connections that no Fetch is using. The
// client can still be used afterwards.
func (c *Client) CloseIdleConnections() {
	c.once.Do(c.open)
	for _, hc := range c.clients {
		hc.CloseIdleConnections()
	}
}

// open creates the HTTP clients.
func (c *Client) open() {
	c.policy = netguard.Policy{
		Allow: c.Allow, Ports: c.Ports,
		Dial: c.replace.dial, Resolver: c.replace.resolver,
	}
	realm := fmt.Sprint(c.Allow, c.Ports)
	if c.Proxy != "" {
		c.policy.Dial, c.proxy = netguard.Tunnel(c.Proxy)
		realm += "\n" + c.Proxy // sites may answer differently through a proxy
	}
	c.clients[0] = c.policy.Client(netguard.ClientOptions{Roots: c.replace.roots})
	c.clients[1] = c.policy.Client(netguard.ClientOptions{InsecureTLS: true})
	c.around = around{admit: c.admit, cache: c.Cache, flights: new(flights), apart: c.PartitionAll, sent: c.header, limit: c.limit}
	// A response that one policy admitted must not reach clients with a
	// stricter policy: only dialing shows whether a name leads to a public
	// address.
	c.around.realm = realm
}

// admit applies the network policy and Check to a URL, before any DNS lookup.
func (c *Client) admit(ctx context.Context, u weburl.URL) error {
	if c.proxy != nil {
		return &fault{ErrProxy, c.proxy}
	}
	if err := c.policy.CheckURL(u); err != nil {
		return &fault{ErrAddress, err}
	}
	if c.Check == nil {
		return nil
	}
	return c.Check(ctx, u.String())
}

// exchange performs one HTTP request.
func (c *Client) exchange(ctx context.Context, x *Exchange) (*Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	heard := func() bool { return true }
	if x.Patience > 0 {
		heard = time.AfterFunc(x.Patience, func() { cancel(errSilent) }).Stop
	}
	t := trace{cancel: cancel}
	defer t.release()
	began := time.Now()
	resp, err := c.send(ctx, x, &t)
	heard()
	if err != nil {
		return nil, blame(ctx, err)
	}
	limit := c.limit(x, resp.StatusCode, resp.Header)
	record := recorded(ctx, x.URL, resp, limit, began, t.address())
	b := newBody(resp.Body, limit, t.conn(), cancel)
	defer b.stop()
	answer, err := receive(ctx, x, resp, b)
	if err = record(err); err != nil {
		return nil, err
	}
	return answer, nil
}

// send returns the response after its header has arrived. The caller reads and
// closes the body.
func (c *Client) send(ctx context.Context, x *Exchange, t *trace) (*http.Response, error) {
	r := (&http.Request{
		Method: http.MethodGet,
		URL:    x.url.HTTP(),
		Host:   x.url.HostPort(),
		Header: c.header(x.Header),
	}).WithContext(httptrace.WithClientTrace(ctx, t.hooks()))
	client := c.clients[0]
	if x.InsecureTLS {
		client = c.clients[1]
	}
	// Client.Do would interpret Location and userinfo in its own way.
	resp, err := client.Transport.RoundTrip(r)
	if err == nil && resp.StatusCode < http.StatusOK {
		_ = resp.Body.Close()
		return nil, errStatus // such as 101, although no upgrade was requested
	}
	if err != nil && t.handshakeFailed() {
		err = &handshakeError{err}
	}
	return resp, err
}

// header returns the headers to send: those given and the client's own.
func (c *Client) header(given http.Header) http.Header {
	h := make(http.Header, len(given)+3)
	agent := c.UserAgent
	if agent == "" {
		agent = UserAgent
	}
	h["User-Agent"] = []string{agent}
	h["Accept"] = []string{accept}
	h["Accept-Encoding"] = []string{acceptEncoding}
	for name, values := range given {
		h[textproto.CanonicalMIMEHeaderKey(name)] = values
	}
	return h
}

// limit returns the maximum size of a response body in bytes.
func (c *Client) limit(x *Exchange, status int, h http.Header) int64 {
	own := *x
	if own.MaxBytes == 0 {
		own.MaxBytes = c.MaxBytes
	}
	limit := own.Limit(h)
	if isPassing(status, h) {
		return min(limit, maxRedirectBody)
	}
	return limit
}

// isPassing reports whether a response redirects the client, so that its body
// is of little interest.
func isPassing(status int, h http.Header) bool {
	return isRedirect(status) && h.Get("Location") != ""
}

// isPart reports whether the body is only a part of the document, which a
// server must not send unless it was asked to (RFC 9110, 15.3.7).
func isPart(status int, h http.Header) bool {
	if status != http.StatusPartialContent {
		return false
	}
	span, size, _ := strings.Cut(strings.TrimPrefix(h.Get("Content-Range"), "bytes "), "/")
	first, last, _ := strings.Cut(span, "-")
	end, err := strconv.ParseInt(last, 10, 64)
	return err != nil || first != "0" || size != strconv.FormatInt(end+1, 10)
}

// receive reads a response to its end.
func receive(ctx context.Context, x *Exchange, resp *http.Response, b *body) (*Response, error) {
	defer resp.Body.Close()
	passing := isPassing(resp.StatusCode, resp.Header)
	if resp.ContentLength > b.limit && !passing && !x.Cut {
		return nil, ErrTooLarge
	}
	err := b.read(resp.Header)
	answer := &Response{URL: x.URL, Status: resp.StatusCode, Header: resp.Header, Body: b.bytes(), Truncated: b.truncated || isPart(resp.StatusCode, resp.Header), Excess: b.excess}
	switch {
	case err == nil:
		return answer, nil
	case passing && ctx.Err() == nil:
		answer.Truncated = true // the body of a redirect is never used, so a cut is harmless
		return answer, nil
	case x.Cut && errors.Is(err, ErrTooLarge) && ctx.Err() == nil:
		answer.cut(b.limit)
		return answer, nil
	}
	return nil, blame(ctx, err)
}

// cut truncates the body to limit bytes.
func (r *Response) cut(limit int64) {
	if int64(len(r.Body)) > limit {
		r.Body = r.Body[:limit:limit]
	}
	r.Truncated = true
}

// Causes of a failed exchange that this package detects.
var (
	errSilent  = &fault{ErrTimeout, errors.New("no response header in time")}
	errInterim = &fault{ErrProtocol, errors.New("too many interim responses")}
	errStatus  = &fault{ErrProtocol, errors.New("status below 200")}
	errRefused = &fault{ErrConnect, errors.New("several connections refused the request")}
	errBroken  = &fault{ErrConnect, errors.New("connection broke after the request was sent")}
)

// blame returns why an exchange failed: one of the exported errors, or the
// cause of ctx if ctx has ended.
func blame(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*fault](err); ok {
		return err
	}
	return &fault{kindOf(err), err}
}

// kindOf returns the exported error for an error of net/http.
func kindOf(err error) error {
	for _, kind := range []error{ErrTooLarge, ErrInflate, ErrProtocol, ErrTimeout} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	switch {
	case errors.Is(err, netguard.ErrDenied):
		return ErrAddress
	case errors.Is(err, netguard.ErrFlood):
		return ErrProtocol
	case is[*net.DNSError](err):
		return ErrDNS
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return ErrTimeout
	}
	switch op, ok := errors.AsType[*net.OpError](err); {
	case ok && (op.Op == "remote error" || op.Op == "local error"):
		return ErrTLS // a TLS alert
	case ok, is[syscall.Errno](err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.ErrClosedPipe), errors.Is(err, net.ErrClosed):
		return ErrConnect
	case is[*handshakeError](err):
		return ErrTLS
	case isDropped(err):
		return ErrConnect
	}
	return ErrProtocol
}

// streamError has the fields of net/http's unexported type, so that errors.As
// fills it (issue 53896).
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

// isDropped reports whether a server ended the exchange without violating the
// protocol: it reset the stream, sent GOAWAY, or closed a kept connection as it
// was being reused.
func isDropped(err error) bool {
	if e, ok := errors.AsType[streamError](err); ok {
		return e.Code != 1 // the only code that net/http uses for errors that it detects itself
	}
	// net/http has no types for these errors. The tests with hostile servers
	// detect a change of their texts.
	text := err.Error()
	for _, part := range []string{"GOAWAY", "server closed idle connection", "client connection lost", "client conn not usable", "client conn could not be established"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// is reports whether the tree of err contains an error of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
