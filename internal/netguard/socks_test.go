// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/netguard"
)

// socksProxy is a SOCKS proxy that always connects to the same web server.
type socksProxy struct {
	net.Listener
	origin string // address of the web server
	login  string // required name and password, separated by a colon; empty means none

	mu    sync.Mutex // guards asked
	asked []string   // requested addresses, and the login before them
}

// listen serves until the test ends.
func (p *socksProxy) listen(t *testing.T) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Listener = l
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				_ = p.serve(t.Context(), c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
}

func (p *socksProxy) serve(ctx context.Context, near net.Conn) error {
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(near, b) // zeros after its end
		return b
	}
	method := byte(0)
	if p.login != "" {
		method = 2
	}
	if methods := read(int(read(2)[1])); !slices.Contains(methods, method) {
		_, err := near.Write([]byte{5, 0xff})
		return err
	}
	_, _ = near.Write([]byte{5, method})
	said := ""
	if method == 2 {
		name := read(int(read(2)[1]))
		said = string(name) + ":" + string(read(int(read(1)[0]))) + " "
		if said != p.login+" " {
			_, err := near.Write([]byte{1, 1})
			return err
		}
		_, _ = near.Write([]byte{1, 0})
	}
	size := 4
	if read(4)[3] == 4 {
		size = 16
	}
	address, port := read(size), read(2)
	p.mu.Lock()
	p.asked = append(p.asked, said+net.JoinHostPort(net.IP(address).String(), strconv.Itoa(int(port[0])<<8|int(port[1]))))
	p.mu.Unlock()
	far, err := new(net.Dialer).DialContext(ctx, "tcp", p.origin)
	if err != nil {
		_, err := near.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return err
	}
	defer far.Close()
	_, _ = near.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 80})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.(*net.TCPConn).CloseWrite()
	})
	_, _ = io.Copy(near, far)
	_ = near.Close()
	wg.Wait()
	return nil
}

// TestSocks requests pages through a SOCKS proxy. The proxy must get only
// addresses, and only those that the policy allows.
func TestSocks(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page of "+r.Host) }))
	defer origin.Close()
	for name, c := range map[string]struct {
		user, login string // in the URL, and as the proxy requires
		want        []string
		fault       string
	}{
		"open":           {"", "", []string{"93.184.216.34:80", "[2606:2800:220:1::1]:80"}, ""},
		"open, named":    {"us:pw@", "", []string{"93.184.216.34:80", "[2606:2800:220:1::1]:80"}, ""},
		"login":          {"us:p%3Aw@", "us:p:w", []string{"us:p:w 93.184.216.34:80", "us:p:w [2606:2800:220:1::1]:80"}, ""},
		"wrong login":    {"us:pw@", "us:other", nil, "refuses name and password"},
		"login required": {"", "us:pw", nil, "none of the methods"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &socksProxy{origin: origin.Listener.Addr().String(), login: c.login}
			p.listen(t)
			dial, err := netguard.Tunnel("socks5://" + c.user + p.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			policy := netguard.Policy{Dial: dial, Resolver: answers{"inside.test.": "10.0.0.1", "six.test.": "2606:2800:220:1::1"}}
			client := policy.Client(netguard.ClientOptions{})
			defer client.CloseIdleConnections()
			for _, host := range []string{"example.com", "six.test"} {
				got, err := get(t, client, "http://"+host+"/")
				switch {
				case c.fault == "" && (err != nil || got != "200 OK page of "+host):
					t.Errorf("%s: got %q, %v", host, got, err)
				case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
					t.Errorf("%s: got %q, %v, want %q", host, got, err, c.fault)
				}
			}
			for _, url := range []string{"http://inside.test/", "http://127.0.0.1/", "http://" + p.Addr().String()} {
				if _, err := get(t, client, url); !errors.Is(err, netguard.ErrDenied) {
					t.Errorf("%s: %v, want ErrDenied", url, err)
				}
			}
			if !slices.Equal(p.asked, c.want) {
				t.Errorf("the proxy was asked %q, want %q", p.asked, c.want)
			}
		})
	}
}

// TestSocksPort checks that the default port is 1080, whatever the ports of
// HTTP are.
func TestSocksPort(t *testing.T) {
	for url, want := range map[string]string{
		"socks5://127.0.0.1":      "127.0.0.1:1080",
		"SOCKS5://127.0.0.1:80":   "127.0.0.1:80",
		"socks5://127.0.0.1:443/": "127.0.0.1:443",
		"socks5://u:p@[::1]:9050": "[::1]:9050",
		"http://127.0.0.1":        "127.0.0.1:80",
		"https://127.0.0.1":       "127.0.0.1:443",
	} {
		if got, err := netguard.TunnelAddress(url); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", url, got, err, want)
		}
	}
}

// TestSocksFaults checks that any invalid response of a proxy is an error, and
// that the dial ends with ctx.
func TestSocksFaults(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"HTTP":         {"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak SOCKS 5"},
		"no method":    {"\x05\xff", "none of the methods"},
		"refusal":      {"\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00", "connection not allowed"},
		"unknown code": {"\x05\x00\x05\x63\x00\x01\x00\x00\x00\x00\x00\x00", "code 99"},
		"version":      {"\x05\x00\x04\x00\x00\x01\x00\x00\x00\x00\x00\x00", "does not speak SOCKS 5"},
		"address type": {"\x05\x00\x05\x00\x00\x09\x00\x00\x00\x00\x00\x00", "unknown type of address"},
		"cut":          {"\x05\x00\x05\x00\x00\x03\xff\x00", "it breaks off"},
		"nothing":      {"", "it breaks off"},
	} {
		t.Run(name, func(t *testing.T) {
			address := answering(t, c.answer, true)
			dial, err := netguard.Tunnel("socks5://" + address)
			if err != nil {
				t.Fatal(err)
			}
			got, err := dial(t.Context(), "tcp", "93.184.216.34:80")
			op, ok := errors.AsType[*net.OpError](err)
			if got != nil || !ok || op.Op != "proxyconnect" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want %q", got, err, c.want)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		dial, err := netguard.Tunnel("socks5://" + answering(t, "\x05\x00", false))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if c, err := dial(ctx, "tcp", "93.184.216.34:80"); c != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", c, err)
		}
	})
	t.Run("name", func(t *testing.T) {
		dial, err := netguard.Tunnel("socks5://" + answering(t, "", false))
		if err != nil {
			t.Fatal(err)
		}
		if c, err := dial(t.Context(), "tcp", "a.test:80"); c != nil || err == nil || !strings.Contains(err.Error(), "not an address") {
			t.Errorf("got %v, %v", c, err)
		}
	})
}

// answering returns the address of a server that sends a text to each
// connection, and then closes it or continues to read.
func answering(t *testing.T, text string, end bool) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				_, _ = io.WriteString(c, text)
				if end {
					_ = c.(*net.TCPConn).CloseWrite()
				}
				_, _ = io.Copy(io.Discard, c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}
