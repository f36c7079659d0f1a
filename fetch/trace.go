// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"net/textproto"
	"sync"

	"example.com/curlew/internal/netguard"
)

const (
	maxInterim      = 10 // 1xx answers before the one that counts
	maxInterimBytes = 256 << 10
	maxConns        = 4 // that one exchange tries
)

// trace sees what net/http does not report by its errors.
type trace struct {
	cancel context.CancelCauseFunc // ends the exchange

	mu      sync.Mutex // guards the rest: dials have goroutines of their own
	interim int        // answers
	bytes   int        // of their headers
	tls     error
	conns   []*netguard.Conn // in the order tried
}

// hooks returns what net/http calls.
func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: t.gotConn, Got1xxResponse: t.got1xx, TLSHandshakeDone: t.handshakeDone}
}

// gotConn takes a share of a connection. It ends an exchange that a server
// keeps refusing: net/http would dial again without end and without a pause.
func (t *trace) gotConn(info httptrace.GotConnInfo) {
	c := netguard.ConnOf(info.Conn)
	c.Share()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns = append(t.conns, c)
	if len(t.conns) > maxConns {
		t.cancel(errRefused)
	}
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
