// SPDX-License-Identifier: Apache-2.0

// Package evil contains catalogues of hostile HTTP servers, pages and JSON
// Schemas.
//
// Each server sends raw bytes over TCP on the loopback address. Its case states
// how a correct client must react, and how many bytes it may read.
package evil

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Outcome is the outcome of a fetch.
type Outcome string

// Outcomes, named after what a client reports.
const (
	OK        Outcome = "ok"
	Truncated Outcome = "truncated"
	Protocol  Outcome = "protocol"
	TooLarge  Outcome = "too large"
	Inflate   Outcome = "inflate"
	Timeout   Outcome = "timeout"
	Connect   Outcome = "connect"
	TLS       Outcome = "tls"
	Redirects Outcome = "redirects"
	Address   Outcome = "address"
	Scheme    Outcome = "scheme"
)

// Limits of the client that the cases assume.
const (
	MaxBytes = 4 << 20                 // of a body
	Deadline = 1500 * time.Millisecond // of a fetch
)

// Case is one hostile server.
type Case struct {
	Name  string
	Wants []Outcome // the correct outcomes; several if the network decides
	Wire  int64     // maximum bytes that a client may read; zero means 1 MiB
	Body  string    // expected body if the outcome is OK; empty means any

	HTTPS    bool        // scheme of the URL
	TLS      *tls.Config // if nil, bytes are sent unencrypted whatever the scheme is
	Insecure bool        // the client does not verify certificates

	Serve func(c *Conn) // handles one connection, which is closed afterwards
}

// Limit returns the maximum number of bytes that a client may read.
func (c Case) Limit() int64 {
	if c.Wire == 0 {
		return 1 << 20
	}
	return c.Wire
}

// Cases returns the catalogue. Names are unique.
func Cases() []Case {
	var all []Case
	for _, part := range [][]Case{
		heads(), lengths(), chunks(), floods(), interims(), slow(), ends(), redirects(), codings(), oddities(), handshakes(), frames(),
	} {
		all = append(all, part...)
	}
	return all
}

// Server is a running case.
type Server struct {
	URL string

	c      Case
	l      net.Listener
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// Start listens on the loopback address until Close or the end of ctx.
func Start(ctx context.Context, c Case) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String() + "/", c: c, l: l}
	if c.HTTPS {
		s.URL = "https://" + l.Addr().String() + "/"
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.wg.Go(s.accept)
	return s, nil
}

// Close closes all connections and waits until all goroutines have ended.
func (s *Server) Close() {
	s.cancel()
	_ = s.l.Close()
	s.wg.Wait()
}

// accept serves each connection in its own goroutine.
func (s *Server) accept() {
	for {
		raw, err := s.l.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() {
			stop := context.AfterFunc(s.ctx, func() { _ = raw.Close() })
			defer stop()
			defer raw.Close()
			conn := &Conn{Conn: raw, Self: strings.TrimSuffix(s.URL, "/"), raw: raw.(*net.TCPConn), ctx: s.ctx}
			if s.c.TLS != nil {
				secure := tls.Server(raw, s.c.TLS)
				if secure.HandshakeContext(s.ctx) != nil {
					return
				}
				conn.Conn = secure
			}
			conn.in = bufio.NewReader(conn.Conn)
			s.c.Serve(conn)
			_ = raw.Close()
			conn.rest.Wait()
		})
	}
}

// Conn is one connection of a hostile server.
type Conn struct {
	net.Conn
	Self string // origin of the server

	in   *bufio.Reader
	raw  *net.TCPConn
	rest sync.WaitGroup  // goroutines that read in the background
	ctx  context.Context //nolint:containedctx // of the server, for the pauses of its cases
}

// Request reads an HTTP/1 request and returns its path, or "" if the client has
// closed the connection.
func (c *Conn) Request() string {
	first, err := c.in.ReadString('\n')
	for err == nil {
		var line string
		if line, err = c.in.ReadString('\n'); line == "\r\n" {
			break
		}
	}
	if fields := strings.Fields(first); err == nil && len(fields) == 3 {
		return fields[1]
	}
	return ""
}

// Say writes s and reports whether the connection is still open.
func (c *Conn) Say(s string) bool {
	_, err := io.WriteString(c, s)
	return err == nil
}

// Endless writes s repeatedly, up to a gibibyte.
func (c *Conn) Endless(s string) {
	s = strings.Repeat(s, 1+(64<<10)/max(len(s), 1))
	for sent := 0; sent < 1<<30; sent += len(s) {
		if !c.Say(s) {
			return
		}
	}
}

// Trickle writes s repeatedly, one byte at a time.
func (c *Conn) Trickle(s string, every time.Duration) {
	for {
		for i := range len(s) {
			if !c.Pause(every) || !c.Say(s[i:i+1]) {
				return
			}
		}
	}
}

// Pause waits and reports whether the server is still running.
func (c *Conn) Pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// Hold keeps the connection open without sending until the client closes it.
func (c *Conn) Hold() { _, _ = io.Copy(io.Discard, c.in) }

// Reset ends the connection with RST.
func (c *Conn) Reset() {
	_ = c.raw.SetLinger(0)
	_ = c.raw.Close()
}
