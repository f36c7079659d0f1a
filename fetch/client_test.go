// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/webtest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// over connects c to h in memory until the test ends.
func over(t testing.TB, c *fetch.Client, h http.Handler) *fetch.Client {
	n := webtest.Serve(h)
	t.Cleanup(func() {
		c.CloseIdleConnections()
		n.Close()
	})
	return c.Over(n)
}

func TestCheck(t *testing.T) {
	fetchtest.Check(t, func(t testing.TB, site *fetchtest.Site) fetch.Fetcher {
		return over(t, new(fetch.Client), site)
	})
}

// TestNoRequest gets an error instead of a panic.
func TestNoRequest(t *testing.T) {
	_, err := new(fetch.Client).Fetch(t.Context(), nil)
	if e, ok := errors.AsType[*fetch.Error](err); !ok || !errors.Is(e, fetch.ErrURL) {
		t.Errorf("got %v, want an Error with ErrURL", err)
	}
}

type fetcherFunc func(context.Context, *fetch.Request) (*fetch.Response, error)

func (f fetcherFunc) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return f(ctx, r)
}

// TestTimes tests the timeouts of the client in fake time.
func TestTimes(t *testing.T) {
	const archive = `-- a.test/hang --
HTTP 200
X-Fault: hang
-- a.test/slow --
HTTP 200
X-Latency: 12s

slow
-- a.test/in-time --
HTTP 200
X-Latency: 29999ms

just
-- a.test/reset --
HTTP 200
X-Fault: reset
X-Latency: 1s
`
	const ms = time.Millisecond
	tests := []struct {
		name     string
		r        fetch.Request
		want     error
		min, max time.Duration
		requests int
	}{
		{"total", fetch.Request{URL: "http://a.test/hang", Retries: -1}, fetch.ErrTimeout, 30_000 * ms, 30_000 * ms, 1},
		{"own total", fetch.Request{URL: "http://a.test/hang", Retries: -1, Timeout: 1234 * ms}, fetch.ErrTimeout, 1234 * ms, 1234 * ms, 1},
		{"total over retries", fetch.Request{URL: "http://a.test/hang"}, fetch.ErrTimeout, 30_000 * ms, 30_000 * ms, 2},
		{"patience of 10 s, then 30 s, then none", fetch.Request{URL: "http://a.test/hang", Timeout: time.Hour}, fetch.ErrTimeout, time.Hour, time.Hour, 3},
		{"the second try waits longer", fetch.Request{URL: "http://a.test/slow"}, nil, 22_000 * ms, 23_000 * ms, 2},
		{"a single try waits as long as it may", fetch.Request{URL: "http://a.test/slow", Retries: -1}, nil, 12_000 * ms, 12_000 * ms, 1},
		{"in time", fetch.Request{URL: "http://a.test/in-time", Retries: -1}, nil, 29_999 * ms, 29_999 * ms, 1},
		{"retries pause", fetch.Request{URL: "http://a.test/reset"}, fetch.ErrConnect, 3000 * ms, 6000 * ms, 3},
	}
	for _, open := range []struct {
		name string
		f    func(*testing.T, *fetchtest.Site) fetch.Fetcher
	}{
		{"client", func(t *testing.T, s *fetchtest.Site) fetch.Fetcher { return over(t, new(fetch.Client), s) }},
		{"site", func(_ *testing.T, s *fetchtest.Site) fetch.Fetcher { return s }},
	} {
		for _, test := range tests {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.New(t, []byte(archive))
				f := open.f(t, site)
				start := time.Now()
				_, err := f.Fetch(t.Context(), &test.r)
				if took := time.Since(start); !errors.Is(err, test.want) || took < test.min || took > test.max {
					t.Errorf("%s, %s: %v after %v, want %v after %v", open.name, test.name, err, took, test.want, test.min)
				}
				if n := len(site.Log()); n != test.requests {
					t.Errorf("%s, %s: %d requests, want %d", open.name, test.name, n, test.requests)
				}
			})
		}
	}
}

// TestPart tests answers with status 206, which nobody asked for.
func TestPart(t *testing.T) {
	for contentRange, want := range map[string]bool{
		"": true, "bytes 0-4/5": false, "bytes 0-4/9": true, "bytes 1-5/6": true, "bytes 0-4/*": true, "bytes */5": true, "bytes 0-/0": true, "lines 0-4/5": true,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if contentRange != "" {
					w.Header().Set("Content-Range", contentRange)
				}
				w.WriteHeader(http.StatusPartialContent)
				_, _ = io.WriteString(w, "hello")
			}))
			r, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/"})
			if err != nil || string(r.Body) != "hello" || r.Truncated != want {
				t.Errorf("%q: %+v, %v, want truncated %v", contentRange, r, err, want)
			}
		})
	}
}

// TestTrickle tests bodies that arrive at several rates.
func TestTrickle(t *testing.T) {
	tests := []struct {
		piece int           // bytes
		every time.Duration // between pieces
		total int
		want  error
		took  time.Duration
	}{
		{1, 200 * time.Millisecond, 1 << 20, fetch.ErrTimeout, 10 * time.Second},
		{1000, time.Second, 1 << 20, fetch.ErrTimeout, 10 * time.Second},
		{1200, time.Second, 24_000, nil, 20 * time.Second},
		{20 << 10, 9 * time.Second, 60 << 10, nil, 27 * time.Second},
		{20 << 10, 11 * time.Second, 60 << 10, fetch.ErrTimeout, 10 * time.Second},
		{1, time.Second, 5, nil, 5 * time.Second}, // ends before the first measurement
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(test.total))
				w.WriteHeader(http.StatusOK)
				for sent := 0; sent < test.total; sent += test.piece {
					_ = http.NewResponseController(w).Flush()
					select {
					case <-time.After(test.every):
					case <-r.Context().Done():
						return
					}
					if _, err := w.Write(make([]byte, min(test.piece, test.total-sent))); err != nil {
						return
					}
				}
			}))
			start := time.Now()
			_, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", Timeout: time.Hour})
			if took := time.Since(start); !errors.Is(err, test.want) || took != test.took {
				t.Errorf("%d bytes every %v: %v after %v, want %v after %v", test.piece, test.every, err, took, test.want, test.took)
			}
		})
	}
}

// TestDialEnds checks that dials and handshakes on a silent network end
// together with the fetch.
func TestDialEnds(t *testing.T) {
	dial := func(ended *time.Time) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			*ended = time.Now()
			return nil, ctx.Err()
		}
	}
	handshake := func(ended *time.Time) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				_, _ = io.Copy(io.Discard, far)
				*ended = time.Now()
			}()
			return near, nil
		}
	}
	for name, silent := range map[string]func(*time.Time) func(context.Context, string, string) (net.Conn, error){
		"dial": dial, "handshake": handshake,
	} {
		synctest.Test(t, func(t *testing.T) {
			var ended time.Time
			n := webtest.Serve(http.NotFoundHandler())
			defer n.Close()
			c := new(fetch.Client).Over(n).Dialling(silent(&ended))
			start := time.Now()
			r := fetch.Request{URL: "https://a.test/", Timeout: time.Second, Retries: fetch.Unlimited}
			if _, err := c.Fetch(t.Context(), &r); !errors.Is(err, fetch.ErrTimeout) {
				t.Errorf("%s: %v", name, err)
			}
			synctest.Wait()
			if took := ended.Sub(start); took != time.Second {
				t.Errorf("%s: ended after %v, want 1s", name, took)
			}
		})
	}
}

func TestCheckHook(t *testing.T) {
	site := fetchtest.New(t, []byte("-- a.test/ --\nHTTP 302\nLocation: http://b.test/x\n-- b.test/x --\nHTTP 302\nLocation: http://c.test/#f\n-- c.test/ --\nc\n"))
	no := errors.New("unsafe")
	var asked []string
	c := over(t, &fetch.Client{Check: func(_ context.Context, url string) error {
		asked = append(asked, url)
		if strings.Contains(url, "c.test") {
			return no
		}
		return nil
	}}, site)
	_, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://user:pw@a.test/#frag"})
	if !errors.Is(err, no) {
		t.Errorf("Fetch: %v, want %v", err, no)
	}
	if want := []string{"http://a.test/", "http://b.test/x", "http://c.test/"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if n := len(site.Log()); n != 2 {
		t.Errorf("%d requests, want 2: a hop is judged before it is followed", n)
	}
}

// TestAddresses requests addresses that the network policy refuses, directly
// and by a redirect.
func TestAddresses(t *testing.T) {
	var hits atomic.Int64
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	t.Cleanup(private.Close)
	targets := []string{
		private.URL, "http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/", "http://0x7f.1/",
		"http://[::ffff:10.0.0.1]/", "http://intranet/", "http://db.internal/", "http://a.test:22/", "http://0/", "http://lan.test/",
	}
	for _, target := range targets {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusFound)
		})
		n := webtest.Serve(h)
		c := new(fetch.Client).Over(n).Resolving(lanResolver{n})
		for _, url := range []string{target, "http://a.test/"} {
			_, err := c.Fetch(t.Context(), &fetch.Request{URL: url})
			if !errors.Is(err, fetch.ErrAddress) {
				t.Errorf("%s, to %s: %v, want %v", url, target, err, fetch.ErrAddress)
			}
			if _, ok := errors.AsType[*netguard.Error](err); !ok {
				t.Errorf("%s: no reason for the audit log in %v", target, err)
			}
			if strings.Contains(err.Error(), "10.0.0.7") {
				t.Errorf("%s: the text tells an address: %v", target, err)
			}
		}
		c.CloseIdleConnections()
		n.Close()
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the private server was reached %d times", n)
	}
}

// lanResolver resolves lan.test to a private address.
type lanResolver struct{ netguard.Resolver }

func (r lanResolver) LookupNetIP(ctx context.Context, network, name string) ([]netip.Addr, error) {
	if name == "lan.test." {
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	}
	return r.Resolver.LookupNetIP(ctx, network, name)
}

// TestLoopback uses real servers: HTTP/2 over TLS, and HTTP/1.1.
func TestLoopback(t *testing.T) {
	type answer struct{ proto, agent, accept string }
	seen := make(chan answer, 16)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- answer{r.Proto, r.UserAgent(), r.Header.Get("Accept-Encoding")}
		_, _ = io.WriteString(w, r.RequestURI)
	})
	secure := httptest.NewUnstartedServer(h)
	secure.EnableHTTP2 = true
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	var conns atomic.Int64
	clear := httptest.NewUnstartedServer(h)
	clear.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	clear.Start()
	t.Cleanup(clear.Close)

	c := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, UserAgent: "test/1"}
	t.Cleanup(c.CloseIdleConnections)
	const odd = "/a//b|c?q=\"<>^`&x=%"
	r, err := c.Fetch(t.Context(), &fetch.Request{URL: secure.URL + odd, InsecureTLS: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/a//b|c?q=%22%3C%3E^`&x=%"; string(r.Body) != want || r.URL != secure.URL+want {
		t.Errorf("asked for %q as %q, want %q", r.URL, r.Body, want)
	}
	if got, want := <-seen, (answer{"HTTP/2.0", "test/1", "gzip, br, zstd"}); got != want {
		t.Errorf("server saw %+v, want %+v", got, want)
	}
	for range 5 {
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: clear.URL}); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got.proto != "HTTP/1.1" {
			t.Errorf("server saw %+v", got)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("5 requests in turn took %d connections, want 1", n)
	}
}

// TestInsecure requests pages from a server with an untrusted certificate.
func TestInsecure(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		_, _ = io.WriteString(w, "ok")
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	c := &fetch.Client{Allow: netguard.Private}
	t.Cleanup(c.CloseIdleConnections)
	full := fetch.NewJar()
	if _, err := c.Fetch(t.Context(), &fetch.Request{URL: s.URL, InsecureTLS: true, Jar: full}); err != nil {
		t.Errorf("an empty jar is no credential: %v", err)
	}
	tests := []struct {
		name string
		r    fetch.Request
		want error
	}{
		{"verified", fetch.Request{URL: s.URL}, fetch.ErrTLS},
		{"unverified", fetch.Request{URL: s.URL, InsecureTLS: true}, nil},
		{"with a header", fetch.Request{URL: s.URL, InsecureTLS: true, Header: http.Header{"X-A": {"1"}}}, fetch.ErrTLS},
		{"with userinfo", fetch.Request{URL: strings.Replace(s.URL, "://", "://u:p@", 1), InsecureTLS: true}, fetch.ErrTLS},
		{"with a cookie", fetch.Request{URL: s.URL, InsecureTLS: true, Jar: full}, fetch.ErrTLS},
	}
	for _, test := range tests {
		if _, err := c.Fetch(t.Context(), &test.r); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestOwnHeaders(t *testing.T) {
	site := fetchtest.New(t, []byte("-- a.test/ --\nx\n"))
	c := over(t, new(fetch.Client), site)
	for _, h := range []http.Header{nil, {"user-agent": {"mine"}, "Accept": {"text/plain"}, "accept-encoding": {"identity"}}} {
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: site.URL, Header: h}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := site.Log()[0].Header, site.Log()[1].Header
	if first.Get("User-Agent") != fetch.UserAgent || !strings.HasPrefix(first.Get("Accept"), "text/html,") || len(first) != 3 {
		t.Errorf("unasked, sent %v", first)
	}
	if second.Get("User-Agent") != "mine" || second.Get("Accept") != "text/plain" || second.Get("Accept-Encoding") != "identity" || len(second) != 3 {
		t.Errorf("asked, sent %v", second)
	}
}

// TestEndless reads from a server that obeys HTTP/2 flow control and never ends
// its body.
func TestEndless(t *testing.T) {
	c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return
			}
		}
	}))
	for _, url := range []string{"http://a.test/", "https://a.test/"} {
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: url, MaxBytes: 8 << 20}); !errors.Is(err, fetch.ErrTooLarge) {
			t.Errorf("%s: %v, want %v", url, err, fetch.ErrTooLarge)
		}
		r, err := c.Fetch(t.Context(), &fetch.Request{URL: url, MaxBytes: 1 << 20, Cut: true})
		if err != nil || len(r.Body) != 1<<20 || !r.Truncated {
			t.Errorf("%s cut: %v", url, err)
		}
	}
}

// TestLarge fetches many large pages at once over one connection, to test flow
// control and the count of bytes.
func TestLarge(t *testing.T) {
	const size = 3 << 20
	c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, size))
	}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 2 {
				r, err := c.Fetch(t.Context(), &fetch.Request{URL: "https://a.test/"})
				if err != nil || len(r.Body) != size {
					t.Errorf("fetch: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// TestErrorText searches errors of all layers for secrets.
func TestErrorText(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	address := strings.TrimPrefix(closed.URL, "http://")
	closed.Close()
	c := &fetch.Client{Allow: netguard.Private}
	t.Cleanup(c.CloseIdleConnections)
	_, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://user:secret@" + address + "/p?key=secret#secret", Retries: -1})
	if want := "fetch http://" + address + "/p?key=*: connection failed"; err == nil || err.Error() != want || !errors.Is(err, fetch.ErrConnect) {
		t.Errorf("refused: %v, want %s", err, want)
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok {
		t.Errorf("the cause is lost: %#v", err)
	}
	for url, want := range map[string]string{
		"nonsense secret":       "fetch: invalid URL: it has no scheme; write https:// before it",
		"secret.example/p":      "fetch: invalid URL: it has no scheme; write https:// before it",
		"localhost:8080/secret": "fetch: URL is not http(s): it has no scheme; write https:// before it",
		"ftp://u:secret@a.test": "fetch: URL is not http(s): it has another scheme",
		"http://sec ret/":       "fetch: invalid URL: its host is missing or not valid",
		"http://127.0.0.1:9/":   "fetch http://127.0.0.1:9/: connection failed",
	} {
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: url, Retries: fetch.Unlimited}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", url, err, want)
		}
	}
	if _, err := new(fetch.Client).Fetch(t.Context(), &fetch.Request{URL: "http://10.0.0.1/"}); err == nil || !strings.Contains(err.Error(), "fetch.Client.Allow") {
		t.Errorf("private address: %v", err)
	}
}

func TestAddScheme(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":          "https://example.com",
		" example.com/a?b=c:d": "https://example.com/a?b=c:d",
		"localhost:8080/x":     "https://localhost:8080/x",
		"[::1]:8080":           "https://[::1]:8080",
		"//example.com/":       "https://example.com/",
		"http://example.com":   "http://example.com",
		"HTTPS://example.com":  "HTTPS://example.com",
		"ftp://example.com":    "ftp://example.com",
		"mailto:a@example.com": "mailto:a@example.com",
		"":                     "",
	} {
		if got := fetch.AddScheme(in); got != want {
			t.Errorf("AddScheme(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestPlainOnTLS requests https from a server that speaks plain HTTP.
func TestPlainOnTLS(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	c := &fetch.Client{Allow: netguard.Private}
	t.Cleanup(c.CloseIdleConnections)
	_, err := c.Fetch(t.Context(), &fetch.Request{URL: strings.Replace(s.URL, "http", "https", 1), Retries: -1})
	if !errors.Is(err, fetch.ErrTLS) {
		t.Errorf("got %v, want %v", err, fetch.ErrTLS)
	}
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	t.Cleanup(old.Close)
	if _, err := c.Fetch(t.Context(), &fetch.Request{URL: old.URL, Retries: -1, InsecureTLS: true}); !errors.Is(err, fetch.ErrTLS) {
		t.Errorf("TLS 1.1: %v, want %v", err, fetch.ErrTLS)
	}
}
