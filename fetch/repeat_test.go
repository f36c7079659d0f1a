// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
)

// keeper is an HTTP/1.1 server that answers the first request on a connection,
// keeps the connection, and closes it at the second request.
type keeper struct {
	end      func(c net.Conn)
	requests atomic.Int64
	conns    atomic.Int64
}

// serve accepts connections on l until it is closed, and waits for them to end.
func (k *keeper) serve(l net.Listener) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		k.conns.Add(1)
		wg.Go(func() {
			defer c.Close()
			in := bufio.NewReader(c)
			for n := 0; ; n++ {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				k.requests.Add(1)
				if n > 0 && r.URL.Path != "/again" {
					k.end(c)
					return
				}
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
			}
		})
	}
}

// TestRepeats breaks kept connections after a request was sent on them. A fetch
// without retries must send one request, whatever other connections exist.
func TestRepeats(t *testing.T) {
	certificate := httptest.NewUnstartedServer(http.NotFoundHandler())
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	config := &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"http/1.1"}}
	reset := func(c net.Conn) {
		if secure, ok := c.(*tls.Conn); ok {
			c = secure.NetConn()
		}
		_ = c.(*net.TCPConn).SetLinger(0)
	}
	tests := []struct {
		name, scheme string
		end          func(net.Conn)
	}{
		{"reset", "http", reset},
		{"close", "http", func(net.Conn) {}},
		{"TLS reset", "https", reset},
		{"TLS close", "https", func(net.Conn) {}},
		{"a line without end", "http", func(c net.Conn) { _, _ = io.WriteString(c, "HTTP") }},
	}
	for _, test := range tests {
		for _, kept := range []int64{1, 3} {
			k := &keeper{end: test.end}
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			url := test.scheme + "://" + l.Addr().String()
			if test.scheme == "https" {
				l = tls.NewListener(l, config)
			}
			var wg sync.WaitGroup
			wg.Go(func() { k.serve(l) })
			c := &fetch.Client{Allow: netguard.Private}
			get := func(path string) error {
				_, err := c.Fetch(t.Context(), &fetch.Request{URL: url + path, Retries: fetch.Unlimited, InsecureTLS: true})
				return err
			}
			for k.conns.Load() < kept { // until this number of connections is kept
				var more sync.WaitGroup
				for range kept {
					more.Go(func() {
						if err := get("/again"); err != nil {
							t.Errorf("%s: %v", test.name, err)
						}
					})
				}
				more.Wait()
			}
			before, conns := k.requests.Load(), k.conns.Load()
			err = get("/")
			for err == nil && k.conns.Load() > conns { // no kept connection was free, so a new one was used
				before, conns = k.requests.Load(), k.conns.Load()
				err = get("/")
			}
			if err == nil {
				t.Errorf("%s, %d kept: a broken connection is no error", test.name, kept)
			} else if !errors.Is(err, fetch.ErrConnect) && test.name != "a line without end" {
				t.Errorf("%s, %d kept: %v, want %v", test.name, kept, err, fetch.ErrConnect)
			}
			if n := k.requests.Load() - before; n != 1 {
				t.Errorf("%s, %d kept: %d requests, want 1", test.name, kept, n)
			}
			c.CloseIdleConnections()
			_ = l.Close()
			wg.Wait()
		}
	}
}

// TestRetriesOfRepeats checks that each try of a fetch with retries sends one
// request.
func TestRetriesOfRepeats(t *testing.T) {
	k := &keeper{end: func(net.Conn) {}}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { k.serve(l) })
	defer wg.Wait()
	defer l.Close()
	c := &fetch.Client{Allow: netguard.Private}
	defer c.CloseIdleConnections()
	for _, want := range []int64{1, 3} { // the second request fails and is retried on a new connection
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://" + l.Addr().String(), Retries: 1}); err != nil {
			t.Fatal(err)
		}
		if n := k.requests.Load(); n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
}

// brittle is a connection whose writes fail once it is broken.
type brittle struct {
	net.Conn
	broken *atomic.Bool
}

func (b *brittle) Write(p []byte) (int, error) {
	if b.broken.Load() {
		return 0, syscall.EPIPE
	}
	return b.Conn.Write(p)
}

// TestUnsent uses a kept connection that turns out to be broken before anything
// was sent. The client must try the next connection at once.
func TestUnsent(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		var requests, dials atomic.Int64
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		if s.Start(); scheme == "https" {
			s.Close()
			s = httptest.NewUnstartedServer(s.Config.Handler)
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
		}
		var first atomic.Bool
		c := (&fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}).Dialling(
			func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				if dials.Add(1) > 1 {
					return conn, err
				}
				return &brittle{conn, &first}, err
			})
		for range 2 {
			if _, err := c.Fetch(t.Context(), &fetch.Request{URL: s.URL, Retries: fetch.Unlimited, InsecureTLS: true}); err != nil {
				t.Errorf("%s: %v", scheme, err)
			}
			first.Store(true)
		}
		if requests.Load() != 2 || dials.Load() != 2 {
			t.Errorf("%s: %d requests by %d connections, want 2 by 2", scheme, requests.Load(), dials.Load())
		}
		c.CloseIdleConnections()
		s.Close()
	}
}

// refuseStreams speaks HTTP/2, refuses every stream with a code, and counts the
// streams.
func refuseStreams(c net.Conn, code byte, streams *atomic.Int64) {
	defer c.Close()
	if _, err := io.CopyN(io.Discard, c, 24); err != nil { // the connection preface
		return
	}
	_, _ = c.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0}) // settings
	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, c, size); err != nil {
			return
		}
		if head[3] == 1 {
			streams.Add(1)
			_, _ = c.Write(append(append([]byte{0, 0, 4, 3, 0}, head[5:]...), 0, 0, 0, code))
		}
	}
}

// TestRefusedStreams uses an HTTP/2 server that processes nothing. A request
// that it reports as unprocessed must be sent once more, and no more often.
func TestRefusedStreams(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.StartTLS()
	t.Cleanup(secure.Close)
	config := &tls.Config{Certificates: secure.TLS.Certificates, NextProtos: []string{"h2"}}
	for code, want := range map[byte]int64{2: 1, 7: 2} { // INTERNAL_ERROR, REFUSED_STREAM
		l, err := tls.Listen("tcp4", "127.0.0.1:0", config)
		if err != nil {
			t.Fatal(err)
		}
		var streams atomic.Int64
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				wg.Go(func() {
					defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
					refuseStreams(conn, code, &streams)
				})
			}
		})
		c := &fetch.Client{Allow: netguard.Private}
		_, err = c.Fetch(t.Context(), &fetch.Request{URL: "https://" + l.Addr().String(), Retries: fetch.Unlimited, InsecureTLS: true})
		if !errors.Is(err, fetch.ErrConnect) || streams.Load() != want {
			t.Errorf("code %d: %v after %d requests, want %v after %d", code, err, streams.Load(), fetch.ErrConnect, want)
		}
		c.CloseIdleConnections()
		cancel() // the client would keep the connection until its ping is answered
		_ = l.Close()
		wg.Wait()
	}
}
