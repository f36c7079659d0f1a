// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
)

// collector reads frames of RFC 5425 from any number of connections.
type collector struct {
	t      *testing.T
	frames chan string

	mu       sync.Mutex
	conns    []net.Conn     // guarded by mu
	wg       sync.WaitGroup // goroutines that serve connections
	address  string
	accepted chan string // remote addresses
}

// serve reads one connection to its end.
func (c *collector) serve(conn net.Conn) {
	c.mu.Lock()
	c.conns = append(c.conns, conn)
	c.mu.Unlock()
	c.wg.Go(func() {
		defer conn.Close()
		r := bufio.NewReader(conn)
		for {
			length, err := r.ReadString(' ')
			if err != nil {
				return
			}
			n, err := strconv.Atoi(strings.TrimSuffix(length, " "))
			if err != nil || n <= 0 || n > 1<<20 {
				c.t.Errorf("frame of length %q", length)
				return
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(r, b); err != nil {
				return
			}
			if _, err := decodeSyslog(string(b)); err != nil {
				c.t.Errorf("%v in %q", err, b)
			}
			c.frames <- string(b)
		}
	})
}

// cut closes all connections.
func (c *collector) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// listen starts a collector on a real socket, with TLS if config is not nil.
func listen(t *testing.T, config *tls.Config) (c *collector, address string) {
	c = &collector{t: t, frames: make(chan string, 10_000), accepted: make(chan string, 100)}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.address = l.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			remote := conn.RemoteAddr().String()
			if config != nil {
				conn = tls.Server(conn, config)
			}
			c.serve(conn)
			c.accepted <- remote
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
		c.cut()
		c.wg.Wait()
	})
	return c, l.Addr().String()
}

// keys returns a certificate for 127.0.0.1 and example.com, and the pool with
// its issuer.
func keys(t *testing.T) (server *tls.Config, roots *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	roots = x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, roots
}

func TestSyslog(t *testing.T) {
	server, roots := keys(t)
	for name, tt := range map[string]struct{ server, client *tls.Config }{
		"tcp": {nil, nil},
		"tls": {server, &tls.Config{RootCAs: roots}},
	} {
		t.Run(name, func(t *testing.T) {
			audittest.Check(t, func(t *testing.T) (audit.Sink, func() []string) {
				c, address := listen(t, tt.server)
				s := &audit.Syslog{Address: address, TLS: tt.client}
				return s, func() []string {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					return c.all()
				}
			})
		})
	}
}

// all returns the frames of all connections so far, which the client has
// closed.
func (c *collector) all() (list []string) {
	var d net.Dialer
	last, err := d.DialContext(c.t.Context(), "tcp", c.address)
	if err != nil {
		c.t.Fatal(err)
	}
	for <-c.accepted != last.LocalAddr().String() { // earlier connections were accepted before
	}
	_ = last.Close()
	c.wg.Wait()
	for len(c.frames) > 0 {
		list = append(list, <-c.frames)
	}
	return list
}

// TestSyslogVerifies checks that nothing is sent to a collector whose
// certificate is not valid.
func TestSyslogVerifies(t *testing.T) {
	server, roots := keys(t)
	c, address := listen(t, server)
	for name, config := range map[string]*tls.Config{
		"unknown authority": {},
		"other name":        {RootCAs: roots, ServerName: "other.test"},
	} {
		s := &audit.Syslog{Address: address, TLS: config}
		err := s.Write(t.Context(), []audit.Event{audittest.Event("0")})
		if fault, ok := errors.AsType[*audit.Error](err); !ok || fault.Sink != "syslog" {
			t.Errorf("%s: %v", name, err)
		}
		_ = s.Close()
	}
	old, oldAddress := listen(t, &tls.Config{Certificates: server.Certificates, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	s := &audit.Syslog{Address: oldAddress, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}}
	if err := s.Write(t.Context(), []audit.Event{audittest.Event("0")}); err == nil || len(old.frames) > 0 {
		t.Errorf("TLS 1.1: %v, want an error", err)
	}
	_ = s.Close()
	select {
	case f := <-c.frames:
		t.Errorf("it has sent %q", f)
	default:
	}
}

// pipes connects a sink to a collector in memory. If fail is set, dials return
// it.
type pipes struct {
	c *collector

	mu   sync.Mutex
	fail error // guarded by mu
	hang bool  // guarded by mu; the collector does not read
	n    int   // guarded by mu
}

// set changes the outcome of the next dial.
func (p *pipes) set(fail error, hang bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail, p.hang = fail, hang
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.fail != nil {
		return nil, p.fail
	}
	near, far := net.Pipe()
	if p.hang {
		p.c.conns = append(p.c.conns, far)
		return near, nil
	}
	p.c.serve(far)
	return swallowing{near}, nil
}

// swallowing is a connection that accepts writes after the other end has closed
// it, as TCP does.
type swallowing struct{ net.Conn }

func (s swallowing) SetWriteDeadline(at time.Time) error {
	if err := s.Conn.SetWriteDeadline(at); !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}

func (s swallowing) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	if errors.Is(err, io.ErrClosedPipe) {
		return len(b), nil
	}
	return n, err
}

func TestSyslogReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, frames: make(chan string, 100)}
		p := &pipes{c: c}
		s := &audit.Syslog{Address: "log.test:6514", Dial: p.dial, Encoder: audit.Encoder{Format: audit.CEF, Host: "me"}}
		put(t, s, "0", "1")
		put(t, s, "2")
		synctest.Wait()
		if p.n != 1 {
			t.Errorf("%d connections, want one", p.n)
		}
		c.cut() // noticed before the next write
		synctest.Wait()
		put(t, s, "3")
		refused := errors.New("refused")
		p.set(refused, false)
		c.cut()
		synctest.Wait()
		if err := s.Write(t.Context(), []audit.Event{audittest.Event("4")}); !errors.Is(err, refused) {
			t.Errorf("nobody there: %v", err)
		}
		p.set(nil, false)
		put(t, s, "4")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Write(t.Context(), []audit.Event{audittest.Event("5")}); !errors.Is(err, audit.ErrClosed) {
			t.Errorf("after Close: %v, want ErrClosed", err)
		}
		c.wg.Wait()
		close(c.frames)
		var got strings.Builder
		for f := range c.frames {
			m, err := decodeSyslog(f)
			if err != nil || m.host != "me" || !strings.HasPrefix(m.text, "CEF:0|curlew|") {
				t.Errorf("%+v, %v", m, err)
			}
			got.WriteString(m.params["scrape_id"])
		}
		if got.String() != "01234" {
			t.Errorf("the collector got %q", got.String())
		}
	})
}

// TestSyslogStalls checks that a collector that does not read delays a write by
// at most ten seconds for each connection, or until ctx ends.
func TestSyslogStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, frames: make(chan string, 100)}
		p := &pipes{c: c, hang: true}
		s := &audit.Syslog{Address: "log.test:601", Dial: p.dial}
		start := time.Now()
		if err := s.Write(t.Context(), []audit.Event{audittest.Event("0")}); err == nil || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v, want a failure after 10 s", err, time.Since(start))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		start = time.Now()
		if err := s.Write(ctx, []audit.Event{audittest.Event("0")}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v, want ctx's end after 1 s", err, time.Since(start))
		}
		p.set(nil, false)
		put(t, s, "1")
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		c.cut()
		c.wg.Wait()
		if len(c.frames) != 1 {
			t.Errorf("%d frames, want one", len(c.frames))
		}
	})
}

// TestSyslogOutage checks that a queue in front of the sink loses nothing that
// it can hold during an outage.
func TestSyslogOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{t: t, frames: make(chan string, 1000)}
		p := &pipes{c: c, fail: errors.New("down")}
		s := &audit.Syslog{Address: "log.test:601", Dial: p.dial}
		q := &audit.Queue{Sink: s}
		for n := range 500 {
			put(t, q, fmt.Sprint(n))
		}
		time.Sleep(time.Hour)
		p.set(nil, false)
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		c.wg.Wait()
		close(c.frames)
		n := 0
		for f := range c.frames {
			if m, _ := decodeSyslog(f); m.params["scrape_id"] != fmt.Sprint(n) {
				t.Fatalf("frame %d is of %s", n, m.params["scrape_id"])
			}
			n++
		}
		if n != 500 {
			t.Errorf("%d frames, want 500", n)
		}
	})
}

func TestSyslogAddress(t *testing.T) {
	for _, address := range []string{"", "log.test", "127.0.0.1:x"} {
		for _, config := range []*tls.Config{nil, {}} {
			s := &audit.Syslog{Address: address, TLS: config}
			if err := s.Write(t.Context(), []audit.Event{audittest.Event("0")}); err == nil {
				t.Errorf("address %q is taken", address)
			}
			_ = s.Close()
		}
	}
}
