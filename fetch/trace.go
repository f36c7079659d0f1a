// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/textproto"
	"sync"

	"example.com/curlew/internal/netguard"
)

const (
	maxInterim      = 10 // 1xx responses before the final one
	maxInterimBytes = 256 << 10
	maxConns        = 4 // connections that one exchange may try
	maxStreams      = 2 // HTTP/2 streams that one exchange may open
)

// trace observes what net/http does not report in its errors, and prevents it
// from sending the request of an exchange more than once. If a kept connection
// breaks after a request was sent, net/http repeats the request by itself,
// although the server may already have processed it. Retries are the decision
// of the [Fetcher] or of the frontier. A request that was never sent is still
// sent on another connection. So is, once, a request that an HTTP/2 server says
// it has not processed (RFC 9113 section 8.7).
type trace struct {
	cancel context.CancelCauseFunc // ends the exchange

	mu      sync.Mutex // guards the rest, because net/http dials in goroutines of its own
	interim int        // number of interim responses
	bytes   int        // size of their headers
	tls     error
	conns   []*netguard.Conn // in the order in which they were tried
	mark    int64            // bytes that the last connection had sent before this exchange got it
	multi   bool             // the last connection is HTTP/2
	sent    int              // how often the request was sent
	over    bool             // the request may not be sent again
}

// hooks returns the callbacks for net/http.
func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: t.getConn, GotConn: t.gotConn, WroteHeaders: t.wroteHeaders,
		Got1xxResponse: t.got1xx, TLSHandshakeDone: t.handshakeDone,
	}
}

// getConn ends an exchange that would send its request again. When net/http
// asks for a connection, it has given up the previous one.
func (t *trace) getConn(string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sent == 0, t.multi && t.sent < maxStreams:
	case !t.multi && t.conns[len(t.conns)-1].Written() == t.mark:
		t.sent-- // the request was only in the buffer of a connection that was already closed
	default:
		t.over = true
		t.cancel(errBroken)
	}
}

// gotConn registers a connection. It ends an exchange that a server keeps
// refusing, because net/http would dial again forever without a pause.
func (t *trace) gotConn(info httptrace.GotConnInfo) {
	c := netguard.ConnOf(info.Conn)
	c.Share()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns, t.mark, t.multi = append(t.conns, c), c.Written(), isHTTP2(info.Conn)
	if len(t.conns) > maxConns {
		t.over = true
		t.cancel(errRefused)
	}
	if t.over && !t.multi {
		// net/http may notice either the end of the exchange or the new
		// connection first. A closed connection makes sure that no HTTP/2
		// stream is opened.
		_ = info.Conn.Close()
	}
}

// isHTTP2 reports whether c has negotiated HTTP/2.
func isHTTP2(c net.Conn) bool {
	secure, ok := c.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// wroteHeaders records that a request was sent.
func (t *trace) wroteHeaders() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent++
}

// conn returns the connection in use.
func (t *trace) conn() *netguard.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.conns) == 0 {
		return nil
	}
	return t.conns[len(t.conns)-1]
}

// address returns the IP address that the connection in use leads to, or "".
func (t *trace) address() string {
	c := t.conn()
	if c == nil || c.RemoteAddr() == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return host
}

// release gives up all registered connections.
func (t *trace) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		c.Release()
	}
	t.conns = nil
}

// got1xx ends an exchange that gets too many interim responses.
func (t *trace) got1xx(_ int, h textproto.MIMEHeader) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, values := range h {
		for _, v := range values {
			t.bytes += len(name) + len(v)
		}
	}
	if t.interim++; t.interim > maxInterim || t.bytes > maxInterimBytes {
		return errInterim
	}
	return nil
}

// handshakeDone records a failed TLS handshake.
func (t *trace) handshakeDone(_ tls.ConnectionState, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tls = err
}

// handshakeFailed reports whether the last TLS handshake failed.
func (t *trace) handshakeFailed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tls != nil
}

// handshakeError marks an error that followed a failed TLS handshake.
type handshakeError struct{ error }

func (e *handshakeError) Unwrap() error { return e.error }
