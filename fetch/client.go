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
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// UserAgent is what a [Client] says of itself where nothing else is set.
const UserAgent = "curlew/0 (web crawler)"

const (
	maxRedirectBody = 64 << 10
	accept          = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	acceptEncoding  = "gzip, br, zstd"
)

// Client fetches over the network. The zero value is ready and reaches public
// addresses on the ports 80, 443, 8080 and 8443 only. A Client is safe for
// concurrent use, is not changed after its first Fetch and not copied. It
// keeps connections: one Client serves all.
type Client struct {
	UserAgent string // empty: the constant UserAgent
	MaxBytes  int64  // of a body; zero means 10 MiB, for documents by their Content-Type 50 MiB; -1 none

	// Allow opens addresses that the guard refuses, on every port: a LAN, a
	// test server. Addresses of cloud metadata services open only by a prefix
	// of one address.
	Allow []netip.Prefix

	Ports []int // that are open besides the four; -1: all but those of other protocols

	// Proxy is the URL of the operator's proxy, through which all requests go:
	// http, https or socks5 (SOCKS 5, port 1080 if none is written). Its userinfo
	// is sent to the proxy. Names are looked up and addresses are checked here,
	// and the proxy is asked only to connect to an address, so an HTTP proxy has
	// to allow CONNECT to port 80 too. Empty uses no proxy: the environment is
	// never read. If the URL names no usable proxy, every Fetch fails with
	// [ErrProxy].
	Proxy string

	// Check is asked for the URL and for each hop before it is requested; its
	// error ends the fetch. Nil admits all that the guard does.
	Check func(ctx context.Context, url string) error

	// Cache keeps pages for requests with MaxAge, MinAge or Lockdown; nil keeps
	// none. Check and the guard are asked for a cached URL as for any. Clients
	// that share a cache share pages where Allow and Ports are the same. Of many
	// fetches at once that would take a cached page one asks the site, and the
	// others take its answer if it may be kept.
	Cache Cache

	// PartitionAll parts what the cache keeps, and what fetches at once share,
	// by [Request.Partition] for every request. Without it only requests with
	// Header are parted: then a caller can learn from an answer's age that
	// another one has asked for a public page.
	PartitionAll bool

	replace network // for this room's tests
	once    sync.Once
	proxy   error // why Proxy is none
	policy  netguard.Policy
	clients [2]*http.Client // verifying certificates, and not
	around  around
}

// network stands in for the real one.
type network struct {
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
	resolver netguard.Resolver
	roots    *x509.CertPool
}

// Fetch brings the page of r. The error is an [*Error] that wraps one of the
// sentinels, the error of Check or of a hook, or the cause of ctx's end.
func (c *Client) Fetch(ctx context.Context, r *Request) (*Response, error) {
	c.once.Do(c.open)
	return follow(ctx, r, &c.around, c.exchange)
}

// Caching reports whether the client has a Cache.
func (c *Client) Caching() bool { return c.Cache != nil }

// CloseIdleConnections closes the connections that no Fetch uses. Nothing of
// the client remains then but memory; it can be used again.
func (c *Client) CloseIdleConnections() {
	c.once.Do(c.open)
	for _, hc := range c.clients {
		hc.CloseIdleConnections()
	}
}

// open makes the HTTP clients.
func (c *Client) open() {
	c.policy = netguard.Policy{
		Allow: c.Allow, Ports: c.Ports,
		Dial: c.replace.dial, Resolver: c.replace.resolver,
	}
	realm := fmt.Sprint(c.Allow, c.Ports)
	if c.Proxy != "" {
		c.policy.Dial, c.proxy = netguard.Tunnel(c.Proxy)
		realm += "\n" + c.Proxy // another part of the world
	}
	c.clients[0] = c.policy.Client(netguard.ClientOptions{Roots: c.replace.roots})
	c.clients[1] = c.policy.Client(netguard.ClientOptions{InsecureTLS: true})
	c.around = around{admit: c.admit, cache: c.Cache, flights: new(flights), apart: c.PartitionAll, sent: c.header, limit: c.limit}
	// What one policy let in is not for clients of a stricter one: whether a
	// name leads to a public address is not known before it is dialled.
	c.around.realm = realm
}

// admit asks the guard and Check for a URL, before anything is looked up.
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

// exchange does one request on the wire.
func (c *Client) exchange(ctx context.Context, x *Exchange) (*Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	heard := func() bool { return true }
	if x.Patience > 0 {
		heard = time.AfterFunc(x.Patience, func() { cancel(errSilent) }).Stop
	}
	t := trace{cancel: cancel}
	defer t.release()
	resp, err := c.send(ctx, x, &t)
	heard()
	if err != nil {
		return nil, blame(ctx, err)
	}
	b := newBody(resp.Body, c.limit(x, resp.StatusCode, resp.Header), t.conn(), cancel)
	defer b.stop()
	return receive(ctx, x, resp, b)
}

// send returns the answer's header, with its body to read and close.
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
	// Not Do, which looks at Location and userinfo in its own way.
	resp, err := client.Transport.RoundTrip(r)
	if err == nil && resp.StatusCode < http.StatusOK {
		_ = resp.Body.Close()
		return nil, errStatus // such as 101: nobody has asked for an upgrade
	}
	if err != nil && t.handshakeFailed() {
		err = &handshakeError{err}
	}
	return resp, err
}

// header returns what is sent: given and our own.
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

// limit returns how many bytes the body of an answer may have.
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

// isPassing reports whether an answer sends the client elsewhere, so that its
// body hardly matters.
func isPassing(status int, h http.Header) bool {
	return isRedirect(status) && h.Get("Location") != ""
}

// receive reads an answer to its end.
func receive(ctx context.Context, x *Exchange, resp *http.Response, b *body) (*Response, error) {
	defer resp.Body.Close()
	passing := isPassing(resp.StatusCode, resp.Header)
	if resp.ContentLength > b.limit && !passing && !x.Cut {
		return nil, ErrTooLarge
	}
	err := b.read(resp.Header)
	answer := &Response{URL: x.URL, Status: resp.StatusCode, Header: resp.Header, Body: b.bytes(), Truncated: b.truncated}
	switch {
	case err == nil:
		return answer, nil
	case passing && ctx.Err() == nil:
		answer.Truncated = true // nobody reads what a redirect has to say
		return answer, nil
	case x.Cut && errors.Is(err, ErrTooLarge) && ctx.Err() == nil:
		answer.cut(b.limit)
		return answer, nil
	}
	return nil, blame(ctx, err)
}

// cut shortens the body to limit bytes.
func (r *Response) cut(limit int64) {
	if int64(len(r.Body)) > limit {
		r.Body = r.Body[:limit:limit]
	}
	r.Truncated = true
}

// Causes of ours within an exchange.
var (
	errSilent  = &fault{ErrTimeout, errors.New("no header in time")}
	errInterim = &fault{ErrProtocol, errors.New("interim answers without end")}
	errStatus  = &fault{ErrProtocol, errors.New("status below 200")}
	errRefused = &fault{ErrConnect, errors.New("one connection after the other refused")}
	errBroken  = &fault{ErrConnect, errors.New("connection broke after the request was sent")}
)

// blame returns what went wrong in an exchange as one of the sentinels, or as
// the cause of ctx's end.
func blame(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*fault](err); ok {
		return err
	}
	return &fault{kindOf(err), err}
}

// kindOf returns the sentinel for an error of net/http.
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
		return ErrTLS // an alert
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

// streamError has the shape of net/http's own, which fills it (issue 53896).
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

// isDropped reports whether a server has given the exchange up without
// breaking a rule: it reset the stream, said farewell, or closed a connection
// as it was taken up again.
func isDropped(err error) bool {
	if e, ok := errors.AsType[streamError](err); ok {
		return e.Code != 1 // the one code that net/http uses for what it finds itself
	}
	text := err.Error() // net/http has no type for these; the evil servers hold the texts
	for _, part := range []string{"GOAWAY", "server closed idle connection", "client connection lost", "client conn not usable", "client conn could not be established"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// is reports whether err's tree holds an error of type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
