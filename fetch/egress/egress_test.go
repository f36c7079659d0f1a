// SPDX-License-Identifier: Apache-2.0

package egress_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/egress"
)

// loopback admits the servers of the tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// listen returns a proxy that is closed when the test ends.
func listen(t *testing.T, o *egress.Options) *egress.Proxy {
	t.Helper()
	p, err := egress.Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// browser returns a client that uses the proxy with the credentials of page.
func browser(t *testing.T, p *egress.Proxy, page *egress.Page) *http.Client {
	t.Helper()
	proxy := &url.URL{Scheme: "http", Host: p.Address(), User: url.UserPassword(page.User, page.Password)}
	transport := &http.Transport{
		Proxy:           http.ProxyURL(proxy),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// get returns the status and the body of a page, or an error.
func get(t *testing.T, c *http.Client, url string) (status int, body string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// serve returns a server, with or without TLS, that is closed when the test
// ends.
func serve(t *testing.T, secure bool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	start := httptest.NewServer
	if secure {
		start = httptest.NewTLSServer
	}
	s := start(h)
	t.Cleanup(s.Close)
	return s
}

func TestPage(t *testing.T) {
	var got http.Header
	var host string
	h := func(w http.ResponseWriter, r *http.Request) {
		got, host = r.Header, r.Host
		_, _ = io.WriteString(w, r.URL.RequestURI())
	}
	for _, secure := range []bool{false, true} {
		site := serve(t, secure, h)
		p := listen(t, &egress.Options{Allow: loopback})
		page := p.Page(t.Context(), nil)
		status, body, err := get(t, browser(t, p, page), site.URL+"/a;b?x=1;y=2")
		if err != nil || status != http.StatusOK || body != "/a;b?x=1;y=2" {
			t.Errorf("secure %v: got %d, %q, %v", secure, status, body, err)
		}
		for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "X-Forwarded-For", "Via", "Forwarded"} {
			if got.Get(name) != "" {
				t.Errorf("secure %v: the site saw %s: %s", secure, name, got.Get(name))
			}
		}
		if want := strings.SplitN(site.URL, "//", 2)[1]; host != want {
			t.Errorf("secure %v: the site saw the host %q, want %q", secure, host, want)
		}
		stats := page.Stats()
		if stats.Requests != 1 || stats.Hosts != 1 || stats.Down == 0 || stats.Failures != 0 || stats.Ended != nil {
			t.Errorf("secure %v: stats %+v", secure, stats)
		}
		page.Close()
		if status, _, err := get(t, browser(t, p, page), site.URL); err == nil && status != http.StatusProxyAuthRequired {
			t.Errorf("secure %v: a closed page got %d", secure, status)
		}
		if !errors.Is(page.Stats().Ended, egress.ErrClosed) {
			t.Errorf("ended with %v", page.Stats().Ended)
		}
	}
}

// TestBytes sends raw requests that a client of net/http would not send.
func TestBytes(t *testing.T) {
	site := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Saw", r.RequestURI)
		if r.Header.Get("Upgrade") != "" {
			w.Header().Set("X-Saw", "upgrade")
		}
	})
	at := strings.TrimPrefix(site.URL, "http://")
	p := listen(t, &egress.Options{Allow: loopback})
	page := p.Page(t.Context(), nil)
	credentials := base64.StdEncoding.EncodeToString([]byte(page.User + ":" + page.Password))
	for _, test := range []struct {
		line, header string
		status       int
		saw          string
	}{
		{"GET http://AT/50%off?x;y HTTP/1.1", "Host: AT", 400, ""}, // net/http does not read it
		{"GET http://AT/a//b/../c?x;y=%zz&z HTTP/1.1", "Host: elsewhere.test", 200, "/a//c?x;y=%zz&z"},
		{"GET http://AT/ HTTP/1.1", "Host: AT\r\nConnection: Upgrade\r\nUpgrade: websocket", 200, "/"},
		{"GET / HTTP/1.1", "Host: AT", 400, ""},
		{"GET https://AT/ HTTP/1.1", "Host: AT", 400, ""},
		{"GET ftp://AT/ HTTP/1.1", "Host: AT", 400, ""},
		{"GET file:///etc/passwd HTTP/1.1", "Host: AT", 400, ""},
		{"GET http://me:you@AT/ HTTP/1.1", "Host: AT", 400, ""},
		{"CONNECT AT HTTP/1.1", "Host: AT", 200, ""},
		{"CONNECT 127.0.0.1 HTTP/1.1", "Host: AT", 400, ""},
		{"CONNECT me@AT HTTP/1.1", "Host: AT", 400, ""},
		{"CONNECT 127.0.0.1:99999 HTTP/1.1", "Host: AT", 400, ""},
		{"CONNECT 169.254.169.254:80 HTTP/1.1", "Host: AT", 403, ""},
		{"CONNECT [::ffff:169.254.169.254]:80 HTTP/1.1", "Host: AT", 403, ""},
		{"GET http://169.254.169.254/latest/ HTTP/1.1", "Host: AT", 403, ""},
		{"GET http://[fe80::1%25lo]/ HTTP/1.1", "Host: AT", 400, ""},
	} {
		t.Run(test.line, func(t *testing.T) {
			text := strings.ReplaceAll(test.line+"\r\n"+test.header, "AT", at) + "\r\nProxy-Authorization: Basic " + credentials + "\r\n\r\n"
			status, header := exchange(t, p.Address(), text)
			if saw := header.Get("X-Saw"); status != test.status || saw != test.saw {
				t.Errorf("got %d, saw %q; want %d, %q", status, saw, test.status, test.saw)
			}
		})
	}
}

// exchange sends bytes to an address and returns the status and the header of
// the response.
func exchange(t *testing.T, address, text string) (int, http.Header) {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header
}

// TestRefused checks that addresses which the policy refuses are not reached, and
// that only the caller, and not the page, learns the reason.
func TestRefused(t *testing.T) {
	reached := false
	site := serve(t, false, func(http.ResponseWriter, *http.Request) { reached = true })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	rebound := resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	p := listen(t, (&egress.Options{Ports: []int{-1}}).Resolving(rebound))
	page := p.Page(t.Context(), nil)
	for _, target := range []string{site.URL, "http://localhost:" + port, "http://evil.test:" + port, "https://evil.test:" + port, "http://[::1]:" + port, "https://0.0.0.0:" + port} {
		status, body, err := get(t, browser(t, p, page), target+"/secret?key=1")
		if err == nil && status != http.StatusForbidden || body != "" {
			t.Errorf("%s: got %d, %q, %v", target, status, body, err)
		}
	}
	if reached {
		t.Error("the site was reached")
	}
	stats := page.Stats()
	if stats.Failures != 6 || len(stats.Failed) != 6 {
		t.Fatalf("stats %+v", stats)
	}
	for _, f := range stats.Failed {
		if !errors.Is(f.Err, egress.ErrRefused) || strings.Contains(f.URL, "key") {
			t.Errorf("failed: %+v", f)
		}
	}
}

// resolver resolves names by a function.
type resolver func(name string) []netip.Addr

func (r resolver) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	return r(name), nil
}

func TestCredentials(t *testing.T) {
	p := listen(t, &egress.Options{Allow: loopback})
	one, two := p.Page(t.Context(), nil), p.Page(t.Context(), nil)
	for name, credentials := range map[string]string{
		"none": "", "unknown": "x:y", "another page's": one.User + ":" + two.Password, "no password": one.User + ":",
	} {
		header := ""
		if credentials != "" {
			header = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(credentials)) + "\r\n"
		}
		status, answer := exchange(t, p.Address(), "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n"+header+"\r\n")
		if status != http.StatusProxyAuthRequired || answer.Get("Proxy-Authenticate") == "" {
			t.Errorf("%s: got %d, %v", name, status, answer)
		}
	}
}

// TestOwn checks that the port for requests of the browser itself refuses
// everything.
func TestOwn(t *testing.T) {
	p := listen(t, &egress.Options{Allow: loopback})
	page := p.Page(t.Context(), nil)
	credentials := "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(page.User+":"+page.Password)) + "\r\n"
	for _, line := range []string{"CONNECT update.test:443", "GET http://update.test/"} {
		if status, _ := exchange(t, p.OwnAddress(), line+" HTTP/1.1\r\nHost: x\r\n"+credentials+"\r\n"); status != http.StatusForbidden {
			t.Errorf("%s: got %d", line, status)
		}
	}
	if p.Refused() != 2 || page.Stats().Requests != 0 {
		t.Errorf("%d refused, stats %+v", p.Refused(), page.Stats())
	}
}

// TestLimits checks which limits end a page, and which only refuse requests.
func TestLimits(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(make([]byte, 1<<20))
	}
	names := resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	for name, test := range map[string]struct {
		rules egress.Rules
		do    func(t *testing.T, c *http.Client, site string) error
		ends  bool
	}{
		"requests": {egress.Rules{MaxTotal: 2}, func(t *testing.T, c *http.Client, site string) error {
			for range 2 {
				if _, _, err := get(t, c, site); err != nil {
					return err
				}
			}
			return refused(get(t, c, site))
		}, false},
		"hosts": {egress.Rules{MaxHosts: 1}, func(t *testing.T, c *http.Client, site string) error {
			if _, _, err := get(t, c, site); err != nil {
				return err
			}
			return refused(get(t, c, strings.Replace(site, "127.0.0.1", "other.test", 1)))
		}, false},
		"down": {egress.Rules{MaxDown: 1 << 19}, func(t *testing.T, c *http.Client, site string) error {
			if _, body, err := get(t, c, site); err == nil || len(body) > 1<<19 {
				return errors.New("the body was not cut")
			}
			return nil
		}, true},
		"up": {egress.Rules{MaxUp: 1 << 19}, func(t *testing.T, c *http.Client, site string) error {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site, bytes.NewReader(make([]byte, 1<<20)))
			if err != nil {
				return err
			}
			if resp, err := c.Do(r); err == nil {
				defer resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					return errors.New("the body was not cut")
				}
			}
			return nil
		}, true},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				site := serve(t, secure, h)
				p := listen(t, (&egress.Options{Allow: loopback}).Resolving(names))
				page := p.Page(t.Context(), &test.rules)
				c := browser(t, p, page)
				c.Transport.(*http.Transport).DisableKeepAlives = true
				if err := test.do(t, c, site.URL); err != nil {
					t.Error(err)
				}
				stats := page.Stats()
				if ended := errors.Is(stats.Ended, egress.ErrLimit); ended != test.ends {
					t.Errorf("ended: %v", stats.Ended)
				}
				if !test.ends && (len(stats.Failed) != 1 || !errors.Is(stats.Failed[0].Err, egress.ErrLimit)) {
					t.Errorf("failed: %+v", stats.Failed)
				}
				if stats.Down > 2<<20+1<<18 || stats.Up > 1<<19+1<<18 {
					t.Errorf("%d bytes down, %d up", stats.Down, stats.Up)
				}
			})
		}
	}
}

// refused takes the result of get, and returns an error if the request was not
// refused.
func refused(status int, _ string, err error) error {
	if err == nil && status != http.StatusForbidden {
		return errors.New("it was not refused")
	}
	return nil
}

// TestOpen holds as many tunnels open as a page may have.
func TestOpen(t *testing.T) {
	site := echo(t)
	p := listen(t, &egress.Options{Allow: loopback})
	page := p.Page(t.Context(), &egress.Rules{MaxOpen: 2})
	one, two := tunnel(t, p, page, site), tunnel(t, p, page, site)
	if c := tunnel(t, p, page, site); c != nil {
		t.Error("a third tunnel is open")
	}
	for _, c := range []net.Conn{one, two} {
		if _, err := io.WriteString(c, "hello"); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 5)
		if _, err := io.ReadFull(c, b); err != nil || string(b) != "hello" {
			t.Errorf("the echo was %q, %v", b, err)
		}
	}
	page.Close()
	for _, c := range []net.Conn{one, two} {
		if n, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("read %d bytes after the end of the page", n)
		}
	}
	if c := tunnel(t, p, page, site); c != nil {
		t.Error("a closed page has a new tunnel")
	}
}

// echo returns the address of a server that sends back what it gets.
func echo(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	return l.Addr().String()
}

// tunnel returns a tunnel to an address, or nil if it is refused.
func tunnel(t *testing.T, p *egress.Proxy, page *egress.Page, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	credentials := base64.StdEncoding.EncodeToString([]byte(page.User + ":" + page.Password))
	_, _ = io.WriteString(c, "CONNECT "+address+" HTTP/1.1\r\nHost: "+address+"\r\nProxy-Authorization: Basic "+credentials+"\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	return c
}

// TestEnd ends a page in each way while a tunnel of it is open.
func TestEnd(t *testing.T) {
	for name, test := range map[string]struct {
		rules egress.Rules
		end   func(p *egress.Proxy, cancel context.CancelCauseFunc)
		cause error
	}{
		"timeout": {egress.Rules{Timeout: time.Second}, func(*egress.Proxy, context.CancelCauseFunc) {}, context.DeadlineExceeded},
		"context": {egress.Rules{}, func(_ *egress.Proxy, cancel context.CancelCauseFunc) { cancel(io.ErrClosedPipe) }, io.ErrClosedPipe},
		"proxy":   {egress.Rules{}, func(p *egress.Proxy, _ context.CancelCauseFunc) { _ = p.Close() }, egress.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			site := echo(t)
			p := listen(t, &egress.Options{Allow: loopback})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			page := p.Page(ctx, &test.rules)
			c := tunnel(t, p, page, site)
			test.end(p, cancel)
			<-page.Done()
			if got := page.Stats().Ended; !errors.Is(got, test.cause) {
				t.Errorf("ended with %v, want %v", got, test.cause)
			}
			if c == nil { // on a slow machine, the page may end before the tunnel is open
				return
			}
			if n, err := c.Read(make([]byte, 1)); err == nil {
				t.Errorf("read %d bytes after the end of the page", n)
			}
		})
	}
}

// TestCheck checks which URLs Rules.Check gets, and what its error does.
func TestCheck(t *testing.T) {
	site, secure := serve(t, false, func(http.ResponseWriter, *http.Request) {}), serve(t, true, func(http.ResponseWriter, *http.Request) {})
	p := listen(t, &egress.Options{Allow: loopback})
	var mu sync.Mutex
	var seen []string
	no := errors.New("not this one")
	page := p.Page(t.Context(), &egress.Rules{Check: func(_ context.Context, url string) error {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, url)
		if strings.Contains(url, "/no") {
			return no
		}
		return nil
	}})
	c := browser(t, p, page)
	for _, u := range []string{site.URL + "/yes?a=b", site.URL + "/no", secure.URL + "/no"} {
		_, _, _ = get(t, c, u)
	}
	want := []string{site.URL + "/yes?a=b", site.URL + "/no", secure.URL + "/"}
	if strings.Join(seen, " ") != strings.Join(want, " ") {
		t.Errorf("the hook saw %v, want %v", seen, want)
	}
	if stats := page.Stats(); len(stats.Failed) != 1 || !errors.Is(stats.Failed[0].Err, no) || stats.Requests != 2 {
		t.Errorf("stats %+v", stats)
	}
}

// TestListen tries options that are not valid, and a proxy that is closed.
func TestListen(t *testing.T) {
	if _, err := egress.Listen(t.Context(), &egress.Options{Proxy: "gopher://a.test/"}); !errors.Is(err, fetch.ErrProxy) {
		t.Errorf("got %v, want ErrProxy", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := egress.Listen(ended, nil); err == nil {
		_ = p.Close()
		if page := p.Page(t.Context(), nil); !errors.Is(page.Stats().Ended, egress.ErrClosed) {
			t.Errorf("a page of a closed proxy: %+v", page.Stats())
		}
	}
	p := listen(t, nil)
	_, _ = p.Close(), p.Close()
	if page := p.Page(t.Context(), nil); !errors.Is(page.Stats().Ended, egress.ErrClosed) {
		t.Errorf("a page of a closed proxy: %+v", page.Stats())
	}
}
