// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it, and it protects nothing
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	dialTime = 30 * time.Second
	idleTime = 90 * time.Second // the server pings every 30 s
)

var (
	errRefused = errors.New("the server does not open a WebSocket")
	errFrame   = errors.New("invalid WebSocket frame")
	errClosed  = errors.New("the server closed the WebSocket")
)

// socket reads the messages of a WebSocket (RFC 6455). Of the protocol, it has what the
// contract needs: it sends only answers to pings and to the close frame.
type socket struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader
	idle *time.Timer // closes conn
	stop func() bool // ends the watch of the context
}

// dial opens a WebSocket. Its error wraps errRefused if the server, or a proxy before it, does
// not support it.
func (c *Client) dial(ctx context.Context, path string) (*socket, error) {
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // it never fails
	key := base64.StdEncoding.EncodeToString(nonce)
	opening, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel() // an open connection does not depend on the context of its request
	r, err := c.request(opening, http.MethodGet, path, http.NoBody)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key} {
		r.Header.Set(name, value)
	}
	// A Timeout of the http.Client would end the connection later, and a redirect could send
	// the key elsewhere.
	h := *cmp.Or(c.HTTP, http.DefaultClient)
	h.Timeout = 0
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := h.Do(r)
	if err != nil {
		return nil, err
	}
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || resp.StatusCode != http.StatusSwitchingProtocols || !strings.EqualFold(resp.Header.Get("Upgrade"), "websocket") || resp.Header.Get("Sec-WebSocket-Accept") != accepted(key) {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%w: status %d", errRefused, resp.StatusCode)
	}
	s := &socket{conn: conn, in: bufio.NewReader(conn)}
	s.idle = time.AfterFunc(idleTime, func() { _ = conn.Close() })
	s.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
	return s, nil
}

// accepted returns the header with which a server accepts a key.
func accepted(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (s *socket) close() {
	s.idle.Stop()
	_ = s.conn.Close()
	s.stop()
}

// Opcodes of frames.
const (
	opContinue = 0
	opText     = 1
	opClose    = 8
	opPing     = 9
	opPong     = 10
)

// next returns the next text message. Its error wraps errClosed after a close frame.
func (s *socket) next() ([]byte, error) {
	var message bytes.Buffer
	begun := false
	for {
		final, op, size, err := s.head()
		if err != nil {
			return nil, err
		}
		if op >= opClose {
			if err := s.control(op, size); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case op == opText && begun, op == opContinue && !begun, op > opText:
			return nil, errFrame // also binary messages, which the contract does not have
		case size > maxAnswer-int64(message.Len()):
			return nil, errTooLarge
		}
		begun = true
		if n, err := io.CopyN(&message, beating{s}, size); err != nil { // memory grows only with what arrives
			return nil, fmt.Errorf("after %d of %d bytes: %w", n, size, err)
		}
		if final {
			return message.Bytes(), nil
		}
	}
}

// beating reads the connection, and keeps it from being idle.
type beating struct{ *socket }

func (b beating) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if n > 0 {
		b.idle.Reset(idleTime)
	}
	return n, err
}

// head reads the head of a frame.
func (s *socket) head() (final bool, op byte, size int64, err error) {
	var b [8]byte
	if _, err := io.ReadFull(beating{s}, b[:2]); err != nil {
		return false, 0, 0, err
	}
	final, op, size = b[0]&0x80 != 0, b[0]&0x0f, int64(b[1]&0x7f)
	if b[0]&0x70 != 0 || b[1]&0x80 != 0 { // extensions were not agreed on, and only clients mask
		return false, 0, 0, errFrame
	}
	if op >= opClose && (!final || size > 125) {
		return false, 0, 0, errFrame
	}
	switch size {
	case 126:
		_, err = io.ReadFull(s.in, b[:2])
		size = int64(binary.BigEndian.Uint16(b[:2]))
	case 127:
		_, err = io.ReadFull(s.in, b[:])
		size = int64(binary.BigEndian.Uint64(b[:])) //nolint:gosec // checked below
	}
	if err == nil && size < 0 {
		err = errFrame
	}
	return final, op, size, err
}

// control reads the rest of a control frame and answers it.
func (s *socket) control(op byte, size int64) error {
	body := make([]byte, size)
	if _, err := io.ReadFull(s.in, body); err != nil {
		return err
	}
	switch op {
	case opPing:
		return s.send(opPong, body)
	case opPong:
		return nil
	case opClose:
		_ = s.send(opClose, body[:min(len(body), 2)]) // the connection ends in any case
		code := uint16(0)
		if len(body) >= 2 {
			code = binary.BigEndian.Uint16(body)
		}
		return fmt.Errorf("%w: code %d", errClosed, code)
	}
	return errFrame
}

// send sends a control frame.
func (s *socket) send(op byte, body []byte) error {
	frame := make([]byte, 6, 6+len(body))
	frame[0], frame[1] = 0x80|op, 0x80|byte(len(body)) //nolint:gosec // at most 125
	_, _ = rand.Read(frame[2:6])                       // the mask
	for i, c := range body {
		frame = append(frame, c^frame[2+i%4])
	}
	_, err := s.conn.Write(frame)
	return err
}
