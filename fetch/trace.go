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
	maxInterim      = 10 // 1xx answers before the one that counts
	maxInterimBytes = 256 << 10
	maxConns        = 4 // that one exchange tries
	maxStreams      = 2 // of HTTP/2 on which one exchange asks
)

// trace sees what net/http does not report by its errors, and keeps it from
// asking a server more often than an exchange may: once. net/http itself
// repeats a request, unseen, whose kept connection breaks after the request has
// gone out, though the server may have worked on it; when and how often to try
// again is for the [Fetcher]'s retries, or the frontier's. What never went out
// is still sent by another connection, and so is, once, a request that an
// HTTP/2 server says it has not looked at (RFC 9113 section 8.7).
type trace struct {
	cancel context.CancelCauseFunc // ends the exchange

	mu      sync.Mutex // guards the rest: dials have goroutines of their own
	interim int        // answers
	bytes   int        // of their headers
	tls     error
	conns   []*netguard.Conn // in the order tried
	mark    int64            // bytes that had gone out on the last of conns before it was ours
	multi   bool             // the last of conns is HTTP/2
	sent    int              // times that the request went out
	over    bool             // it may not go out again
}

// hooks returns what net/http calls.
func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: t.getConn, GotConn: t.gotConn, WroteHeaders: t.wroteHeaders,
		Got1xxResponse: t.got1xx, TLSHandshakeDone: t.handshakeDone,
	}
}

// getConn ends an exchange that would ask again. net/http is done with the
// last connection when it looks for one.
func (t *trace) getConn(string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.sent == 0, t.multi && t.sent < maxStreams:
	case !t.multi && t.conns[len(t.conns)-1].Written() == t.mark:
		t.sent-- // it was in the buffer of a connection that took nothing any more
	default:
		t.over = true
		t.cancel(errBroken)
	}
}

// gotConn takes a share of a connection. It ends an exchange that a server
// keeps refusing: net/http would dial again without end and without a pause.
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
		// Chance has it whether net/http sees the end of the exchange or the
		// connection first; a stream of HTTP/2 is never begun after that end.
		_ = info.Conn.Close()
	}
}

// isHTTP2 reports whether c has been agreed to speak HTTP/2.
func isHTTP2(c net.Conn) bool {
	secure, ok := c.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// wroteHeaders notes that a request is on its way.
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

// release gives the shares back.
func (t *trace) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		c.Release()
	}
	t.conns = nil
}

// got1xx ends an exchange that has too many interim answers.
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

// handshakeDone remembers a failed handshake.
func (t *trace) handshakeDone(_ tls.ConnectionState, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tls = err
}

// handshakeFailed reports whether the last handshake did.
func (t *trace) handshakeFailed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tls != nil
}

// handshakeError marks an error that came with a failed TLS handshake.
type handshakeError struct{ error }

func (e *handshakeError) Unwrap() error { return e.error }
