// SPDX-License-Identifier: Apache-2.0

package netguard_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/netguard"
)

// proxy is an HTTP proxy that always connects to the same web server.
type proxy struct {
	origin string // address of the web server
	answer string // response instead of a tunnel

	mu    sync.Mutex // guards the fields below
	asked []string   // first line and credentials of each request
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization")))
	p.mu.Unlock()
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if p.answer != "" {
		_, _ = io.WriteString(near, p.answer)
		_, _ = io.Copy(io.Discard, near)
		return
	}
	far, err := new(net.Dialer).DialContext(r.Context(), "tcp", p.origin)
	if err != nil {
		return
	}
	defer far.Close()
	_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.(*net.TCPConn).CloseWrite()
	})
	_, _ = io.Copy(near, far)
	_ = near.Close()
	wg.Wait()
}

// answers resolves the names in the map, and all others to a public address.
type answers map[string]string

func (a answers) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	if text, ok := a[name]; ok {
		return []netip.Addr{netip.MustParseAddr(text)}, nil
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// TestTunnel requests a plain page and one over TLS through a proxy. The proxy
// must get only addresses, and only those that the policy allows.
func TestTunnel(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page of "+r.Host) })
	for _, c := range []struct{ name, url, want string }{
		{"clear", "http://example.com/", "CONNECT 93.184.216.34:80 Basic dXM6cDp3"},
		{"TLS", "https://example.com/", "CONNECT 93.184.216.34:443 Basic dXM6cDp3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			origin := httptest.NewUnstartedServer(page)
			if c.name == "TLS" {
				origin.StartTLS()
			} else {
				origin.Start()
			}
			defer origin.Close()
			p := &proxy{origin: origin.Listener.Addr().String()}
			server := httptest.NewServer(p)
			defer server.Close()
			dial, err := netguard.Tunnel("http://us:p%3Aw@" + server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			roots := x509.NewCertPool()
			if origin.TLS != nil {
				roots.AddCert(origin.Certificate())
			}
			policy := netguard.Policy{Dial: dial, Resolver: answers{"inside.test.": "10.0.0.1"}}
			client := policy.Client(netguard.ClientOptions{Roots: roots})
			defer client.CloseIdleConnections()
			if got, err := get(t, client, c.url); err != nil || got != "200 OK page of example.com" {
				t.Errorf("got %q, %v", got, err)
			}
			for _, url := range []string{"http://inside.test/", "http://127.0.0.1/", "http://169.254.169.254/", "http://" + server.Listener.Addr().String()} {
				if _, err := get(t, client, url); !errors.Is(err, netguard.ErrDenied) {
					t.Errorf("%s: %v, want ErrDenied", url, err)
				}
			}
			if want := []string{c.want}; !slices.Equal(p.asked, want) {
				t.Errorf("the proxy was asked %q, want %q", p.asked, want)
			}
		})
	}
}

// TestTunnelFaults checks that any invalid response of a proxy is an error, and
// that the dial ends with ctx.
func TestTunnelFaults(t *testing.T) {
	for name, answer := range map[string]string{
		"refusal":  "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 9\r\n\r\n",
		"garbage":  "SSH-2.0-x\r\n\r\n",
		"too much": "HTTP/1.1 200 OK\r\n\r\nhello",
		"endless":  "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(&proxy{answer: answer})
			defer server.Close()
			dial, err := netguard.Tunnel(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			c, err := dial(t.Context(), "tcp", "93.184.216.34:80")
			op, ok := errors.AsType[*net.OpError](err)
			if c != nil || !ok || op.Op != "proxyconnect" {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		for _, scheme := range []string{"http", "https"} {
			dial, err := netguard.Tunnel(scheme + "://" + silent.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if c, err := dial(ctx, "tcp", "93.184.216.34:80"); c != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, %v", scheme, c, err)
			}
		}
	})
	t.Run("unknown authority", func(t *testing.T) {
		server := httptest.NewUnstartedServer(new(proxy))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		dial, err := netguard.Tunnel(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		c, err := dial(t.Context(), "tcp", "93.184.216.34:80")
		if _, ok := errors.AsType[*tls.CertificateVerificationError](err); c != nil || !ok {
			t.Errorf("got %v, %v", c, err)
		}
	})
	long := strings.Repeat("secret", 50)
	for _, url := range []string{
		"", "127.0.0.1:3128", "socks5h://u:secret@h.test", "socks://h.test", "socks4a://h.test", "ftp://h.test", "http://u:secret@/", "http://u:secret@x y/",
		"socks5://u:secret@/", "socks5://" + long + "@h.test", "socks5://u:" + long + "@h.test",
	} {
		_, err := netguard.Tunnel(url)
		if _, ok := errors.AsType[*netguard.ProxyError](err); !ok || strings.Contains(err.Error(), "secret") {
			t.Errorf("Tunnel(%q): %v", url, err)
		}
	}
}
