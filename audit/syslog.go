// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"example.com/curlew/internal/netguard"
)

const (
	dialTime  = 10 * time.Second
	writeTime = 10 * time.Second // timeout of one batch
	maxFrames = 256 << 10        // bytes of frames that are sent at once
)

// errSlow ends a dial or a TLS handshake that takes too long.
var errSlow = fmt.Errorf("no connection within %v", dialTime)

// Syslog is a [Sink] that sends each event as an RFC 5424 message over TCP or
// TLS with octet counting (RFC 5425, RFC 6587 3.4.1). The text of the message
// is the line of the event in the Encoder's format.
//
// The first Write opens a connection, which is then kept. If it has ended,
// Write connects again and sends the batch once more before it fails. The
// protocol has no acknowledgements, so messages that were sent just before a
// connection broke can be lost. Put a [Queue] in front to store events during
// an outage.
type Syslog struct {
	Address string // required; host:port, usually port 6514 with TLS and 601 without

	// TLS configures TLS, from version 1.2 on. Its ServerName may be empty. Nil
	// means no TLS, which is suitable for a collector on the same machine or
	// network.
	TLS *tls.Config

	Encoder Encoder

	// Dial opens the connection. If it is nil, any Address may be dialed.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	turn   turn
	conn   *line // this field and the following belong to the goroutine that holds the turn; nil means not connected
	buf    []byte
	frame  []byte
	closed bool
}

// line is a connection with a goroutine that reads from it.
type line struct {
	net.Conn
	gone chan struct{} // closed when the connection has ended
}

// newLine starts to read from c. The collector sends nothing, so a read returns
// only when the connection ends. A write alone would not notice the end.
func newLine(c net.Conn) *line {
	l := &line{c, make(chan struct{})}
	go func() {
		defer close(l.gone)
		var b [64]byte
		for {
			if _, err := c.Read(b[:]); err != nil {
				return
			}
		}
	}()
	return l
}

// end closes the connection and waits for the reading goroutine.
func (l *line) end() error {
	err := l.Close()
	<-l.gone
	return err
}

// Write implements [Sink]. The error is an [*Error].
func (s *Syslog) Write(ctx context.Context, events []Event) error {
	if err := s.turn.take(ctx); err != nil {
		return &Error{"syslog", err}
	}
	defer s.turn.give()
	if s.closed {
		return &Error{"syslog", ErrClosed}
	}
	for len(events) > 0 {
		n := s.fill(events)
		if err := s.send(ctx); err != nil {
			return fault(ctx, "syslog", err)
		}
		events = events[n:]
	}
	return nil
}

// fill encodes the first events as frames, and returns their number.
func (s *Syslog) fill(events []Event) (n int) {
	s.buf = s.buf[:0]
	for n < len(events) && len(s.buf) < maxFrames {
		e := events[n].clean()
		s.frame = s.Encoder.appendSyslog(s.frame[:0], &e)
		s.buf = strconv.AppendInt(s.buf, int64(len(s.frame)), 10)
		s.buf = append(append(s.buf, ' '), s.frame...)
		n++
	}
	return n
}

// send sends the frames. If the present connection fails, it uses a new one.
func (s *Syslog) send(ctx context.Context) error {
	fresh := false
	if s.conn != nil {
		select {
		case <-s.conn.gone:
			_ = s.hangUp()
		default:
		}
	}
	for {
		if s.conn == nil {
			if err := s.connect(ctx); err != nil {
				return err
			}
			fresh = true
		}
		err := s.push(ctx)
		if err == nil {
			return nil
		}
		err = errors.Join(err, s.hangUp())
		if fresh || ctx.Err() != nil {
			return err
		}
	}
}

// push writes the frames to the connection. If ctx ends, it also closes the
// connection, because it is unknown how much of a frame was sent.
func (s *Syslog) push(ctx context.Context) error {
	conn := s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if ctx.Err() != nil { // ctx may have ended just before the deadline above was set
		return context.Cause(ctx)
	}
	_, err := conn.Write(s.buf)
	return err
}

// connect opens a connection and makes the TLS handshake.
func (s *Syslog) connect(ctx context.Context) error {
	if s.Address == "" {
		return errors.New("no Address is set")
	}
	ctx, stop := context.WithTimeoutCause(ctx, dialTime, errSlow)
	defer stop()
	dial := s.Dial
	if dial == nil {
		dial = netguard.Dial
	}
	c, err := dial(ctx, "tcp", s.Address)
	if err != nil {
		return err
	}
	if s.TLS != nil {
		config := s.TLS.Clone()
		config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
		if config.ServerName == "" {
			if config.ServerName, _, err = net.SplitHostPort(s.Address); err != nil {
				return errors.Join(err, c.Close())
			}
		}
		secure := tls.Client(c, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = c.Close()
			return fmt.Errorf("%w: %w", cmp.Or(context.Cause(ctx), errHandshake), err)
		}
		c = secure
	}
	s.conn = newLine(c)
	return nil
}

var errHandshake = errors.New("TLS handshake")

// hangUp closes the connection.
func (s *Syslog) hangUp() error {
	if s.conn == nil {
		return nil
	}
	err := s.conn.end()
	s.conn = nil
	return err
}

// Close closes the connection. Later writes fail.
func (s *Syslog) Close() error {
	s.turn.wait()
	defer s.turn.give()
	s.closed = true
	if err := s.hangUp(); err != nil {
		return &Error{"syslog", err}
	}
	return nil
}
