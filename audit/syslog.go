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
	writeTime = 10 * time.Second // for one batch
	maxFrames = 256 << 10        // bytes of frames before they are sent
)

// errSlow ends a dial and a handshake.
var errSlow = fmt.Errorf("no connection within %v", dialTime)

// Syslog is a [Sink] that sends each event as a message of RFC 5424 over TCP or
// TLS, framed by octet counts (RFC 5425, RFC 6587 3.4.1). The message's text is
// the event's line in the Encoder's format.
//
// It connects with the first Write and keeps the connection. Where that has
// ended, it connects anew and sends the batch again, once; then Write fails. The
// protocol has no acknowledgement: what a connection swallowed just before it
// broke is lost. What waits meanwhile does so in a [Queue].
type Syslog struct {
	Address string // required: host:port, by custom port 6514 with TLS, 601 without

	// TLS is how to speak TLS, from version 1.2 on; its ServerName may be empty.
	// Nil: in clear, which is for a collector on the same machine or network.
	TLS *tls.Config

	Encoder Encoder

	// Dial connects; nil: wherever the Address is.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	turn   turn
	conn   *line // held by whoever has the turn, like what follows; nil: none
	buf    []byte
	frame  []byte
	closed bool
}

// line is a connection, and who listens to it.
type line struct {
	net.Conn
	gone chan struct{} // closed when the other side has, or the connection broke
}

// newLine begins to listen: nothing is to come but the end, which a write alone
// would not meet.
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

// end closes the connection, and waits for the listener.
func (l *line) end() error {
	err := l.Close()
	<-l.gone
	return err
}

// Write implements [Sink]. Errors are of type [*Error].
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

// fill makes frames of the first events, and returns of how many.
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

// send sends the frames, on a new connection where the present one fails.
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

// push writes the frames to the connection. The end of ctx ends it, and the
// connection with it: how much of a frame was sent is unknown.
func (s *Syslog) push(ctx context.Context) error {
	conn := s.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if ctx.Err() != nil { // before or after the deadline above: it may have taken that back
		return context.Cause(ctx)
	}
	_, err := conn.Write(s.buf)
	return err
}

// connect connects, and shakes hands.
func (s *Syslog) connect(ctx context.Context) error {
	if s.Address == "" {
		return errors.New("no address")
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

// hangUp ends the connection.
func (s *Syslog) hangUp() error {
	if s.conn == nil {
		return nil
	}
	err := s.conn.end()
	s.conn = nil
	return err
}

// Close closes the connection. Later writes are errors.
func (s *Syslog) Close() error {
	s.turn.wait()
	defer s.turn.give()
	s.closed = true
	if err := s.hangUp(); err != nil {
		return &Error{"syslog", err}
	}
	return nil
}
