// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"crypto/tls"
	"net/textproto"
	"sync"
)

// trace sees what net/http does not report by its errors.
type trace struct {
	mu      sync.Mutex // guards the rest: dials have goroutines of their own
	interim int
	tls     error
}

// got1xx ends an exchange that has too many interim answers.
func (t *trace) got1xx(int, textproto.MIMEHeader) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.interim++; t.interim > maxInterim {
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
