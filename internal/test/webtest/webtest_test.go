// SPDX-License-Identifier: Apache-2.0

package webtest_test

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/webtest"
)

func TestMain(m *testing.M) { leak.Main(m) }

const three = `A comment.
-- demo.test --
<title>Home</title>
-- demo.test/old --
HTTP 301
Location: /new
-- demo.test/feed.xml --
<rss/>
-- https://Demo.test:443/s.txt?q=1#frag --
safe
-- demo.test:8080/teapot --
HTTP/1.1 418 I'm a teapot
content-type: text/plain
Set-Cookie: a=1
Set-Cookie: b=2

short
and stout
`

func site(t *testing.T, archive string) *webtest.Site {
	t.Helper()
	s, err := webtest.Parse([]byte(archive))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// network serves h and returns a client for it. Both are closed at the end of
// the test.
func network(t *testing.T, h http.Handler) (*webtest.Net, *http.Client) {
	t.Helper()
	n := webtest.Serve(h)
	tr := &http.Transport{
		DialContext:       n.Dial,
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: n.Roots()},
	}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		n.Close()
	})
	follow := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return n, &http.Client{Transport: tr, CheckRedirect: follow}
}

// reply is a response that was read completely.
type reply struct {
	http.Response
}

func get(t *testing.T, c *http.Client, url string) (*reply, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return &reply{*resp}, string(body), err
}

func TestFiles(t *testing.T) {
	tests := []struct {
		in   string
		want []webtest.File
	}{
		{"", nil},
		{"only a comment\n", nil},
		{"-- a --", []webtest.File{{Name: "a", Data: []byte{}}}},
		{"-- a --\nx\n-- b c --\n\ny", []webtest.File{{Name: "a", Data: []byte("x\n")}, {Name: "b c", Data: []byte("\ny")}}},
		{"-- a --\r\nx\r\n--  b  --\r\n", []webtest.File{{Name: "a", Data: []byte("x\r\n")}, {Name: "b", Data: []byte{}}}},
		{"--  --\n-- a--\n--a --\n-- a -- \n", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, webtest.Files([]byte(test.in))); diff != "" {
			t.Errorf("Files(%q): (-want +got)\n%s", test.in, diff)
		}
	}
}

func TestPages(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	want := []webtest.Page{
		{URL: "http://demo.test/", Status: 200, Header: html, Body: []byte("<title>Home</title>\n")},
		{URL: "http://demo.test/old", Status: 301, Header: http.Header{"Location": {"/new"}, "Content-Type": nil}, Body: []byte{}},
		{URL: "http://demo.test/feed.xml", Status: 200, Header: http.Header{"Content-Type": {"application/xml"}}, Body: []byte("<rss/>\n")},
		{URL: "https://demo.test/s.txt?q=1", Status: 200, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte("safe\n")},
		{
			URL: "http://demo.test:8080/teapot", Status: 418, Body: []byte("short\nand stout\n"),
			Header: http.Header{"Content-Type": {"text/plain"}, "Set-Cookie": {"a=1", "b=2"}},
		},
	}
	if diff := cmp.Diff(want, site(t, three).Pages()); diff != "" {
		t.Errorf("Pages: (-want +got)\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "holds no file"},
		{"-- ftp://a.test/ --\n", `scheme "ftp"`},
		{"-- http:/// --\n", "no host"},
		{"-- a.test/x --\nHTTP \n", "no status"},
		{"-- a.test/x --\nHTTP yes\n", `bad status "yes"`},
		{"-- a.test/x --\nHTTP 100\n", `bad status "100"`},
		{"-- a.test/x --\nHTTP 200\nnonsense\n", "no colon"},
		{"-- a.test/x --\nHTTP 200\nX-Latency: soon\n", "bad X-Latency"},
		{"-- a.test/x --\nHTTP 200\nX-Latency: -1s\n", "bad X-Latency"},
		{"-- a.test/x --\nHTTP 200\nX-Fault: explode\n", "unknown X-Fault"},
		{"-- a.test/x --\nHTTP 200\nX-Body: brotli\n", "unknown X-Body"},
		{"-- a.test/x --\nHTTP 200\nX-Body: base64\n\n***\n", "illegal base64"},
		{"-- a.test/x --\nHTTP 200\nX-Body: 999999999999\n\nmuch\n", "unknown X-Body"},
	}
	for _, test := range tests {
		if _, err := webtest.Parse([]byte(test.in)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", test.in, err, test.want)
		}
	}
}

func TestContentTypes(t *testing.T) {
	tests := []struct{ url, want string }{
		{"a.test", "text/html"},
		{"a.test/dir/", "text/html"},
		{"a.test/v1.2", "text/html"},
		{"a.pdf/x", "text/html"},
		{"a.test/x?f=a.pdf", "text/html"},
		{"a.test/a.PDF?x", "application/pdf"},
		{"a.test/a.json", "application/json"},
		{"a.test/a.md", "text/markdown"},
		{"a.test/a.csv", "text/csv"},
		{"a.test/a.xml.gz", "application/gzip"},
		{"a.test/robots.txt", "text/plain"},
	}
	for _, test := range tests {
		got := site(t, "-- "+test.url+" --\nx\n").Pages()[0].Header.Get("Content-Type")
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("type of %s is %q, want %q", test.url, got, test.want)
		}
	}
}

func TestServe(t *testing.T) {
	s := site(t, three)
	_, c := network(t, s)
	tests := []struct {
		url, body, location string
		status, proto       int
	}{
		{"http://demo.test/", "<title>Home</title>\n", "", 200, 1},
		{"http://DEMO.test:80", "<title>Home</title>\n", "", 200, 1},
		{"http://demo.test/old", "", "/new", 301, 1},
		{"https://demo.test/s.txt?q=1", "safe\n", "", 200, 2},
		{"http://demo.test:8080/teapot", "short\nand stout\n", "", 418, 1},
		{"http://demo.test/nowhere", "<!doctype html><title>Not found</title><h1>Not found</h1>\n", "", 404, 1},
		{"http://demo.test/s.txt?q=1", "<!doctype html><title>Not found</title><h1>Not found</h1>\n", "", 404, 1},
		{"http://other.test/", "no such host here\n", "", 421, 1},
	}
	for _, test := range tests {
		resp, body, err := get(t, c, test.url)
		if err != nil {
			t.Errorf("GET %s: %v", test.url, err)
			continue
		}
		if resp.StatusCode != test.status || body != test.body || resp.Header.Get("Location") != test.location || resp.ProtoMajor != test.proto {
			t.Errorf("GET %s = %s %d, location %q, body %q", test.url, resp.Proto, resp.StatusCode, resp.Header.Get("Location"), body)
		}
	}
	var seen []string
	for _, h := range s.Log() {
		seen = append(seen, h.URL)
		if h.End.Before(h.Time) || h.Method != http.MethodGet || h.Header.Get("User-Agent") == "" {
			t.Errorf("incomplete hit: %+v", h)
		}
	}
	want := []string{
		"http://demo.test/", "http://demo.test/", "http://demo.test/old", "https://demo.test/s.txt?q=1",
		"http://demo.test:8080/teapot", "http://demo.test/nowhere", "http://demo.test/s.txt?q=1",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("Log: (-want +got)\n%s", diff)
	}
}

func TestSuccession(t *testing.T) {
	s := site(t, "-- a.test/x --\none\n-- a.test/y --\nother\n-- a.test/x --\nHTTP 503\n\ntwo\n")
	_, c := network(t, s)
	for round := range 2 {
		for i, want := range []string{"one\n", "two\n", "two\n"} {
			if _, body, err := get(t, c, "http://a.test/x"); err != nil || body != want {
				t.Errorf("round %d, answer %d = %q, %v, want %q", round, i, body, err, want)
			}
		}
		if n := len(s.Log()); n != 3 {
			t.Errorf("round %d: %d hits, want 3", round, n)
		}
		s.Reset()
	}
}

func TestBodies(t *testing.T) {
	s := site(t, "-- a.test/s.xml.gz --\nHTTP 200\nX-Body: gzip\n\n<urlset/>\n"+
		"-- a.test/raw --\nHTTP 200\nX-Body: base64\nContent-Type: application/octet-stream\n\nAAH/\n/g==\n"+
		"-- a.test/long --\nHTTP 200\nX-Body: 1000\n\nline\n"+
		"-- a.test/none --\nHTTP 204\n\nnot sent\n"+
		"-- a.test/untyped --\nHTTP 200\nContent-Type:\n\n<b>x\n")
	_, c := network(t, s)
	resp, body, err := get(t, c, "http://a.test/s.xml.gz")
	if err != nil || resp.Header.Get("Content-Encoding") != "" {
		t.Fatalf("gzip file: %v, %v", resp, err)
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != "<urlset/>\n" {
		t.Errorf("gzip file holds %q, %v", got, err)
	}
	if _, body, err := get(t, c, "http://a.test/raw"); err != nil || body != "\x00\x01\xff\xfe" {
		t.Errorf("base64 body = %q, %v", body, err)
	}
	if _, body, err := get(t, c, "http://a.test/long"); err != nil || body != strings.Repeat("line\n", 1000) {
		t.Errorf("long body has %d bytes, %v", len(body), err)
	}
	if resp, body, err := get(t, c, "http://a.test/none"); err != nil || body != "" || resp.StatusCode != 204 {
		t.Errorf("204 = %v, body %q, %v", resp, body, err)
	}
	if resp, _, err := get(t, c, "http://a.test/untyped"); err != nil || resp.Header["Content-Type"] != nil {
		t.Errorf("untyped = %v, %v", resp.Header, err)
	}
}

func TestHead(t *testing.T) {
	w := httptest.NewRecorder()
	site(t, three).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodHead, "http://demo.test/", nil))
	if w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD = %d with %d bytes", w.Code, w.Body.Len())
	}
}

// TestTime tests latencies and faults in fake time.
func TestTime(t *testing.T) {
	const archive = `-- a.test/slow --
HTTP 200
X-Latency: 50ms

slow
-- a.test/slow-reset --
HTTP 200
X-Latency: 1h
X-Fault: reset
-- a.test/reset --
HTTP 200
X-Fault: reset
-- a.test/close --
HTTP 200
X-Fault: close
-- a.test/hang --
HTTP 200
X-Fault: hang
-- a.test/truncate --
HTTP 200
X-Fault: truncate

0123456789
`
	tests := []struct {
		path  string
		took  time.Duration
		body  string
		fails bool
	}{
		{"/slow", 50 * time.Millisecond, "slow\n", false},
		{"/slow-reset", time.Hour, "", true},
		{"/reset", 0, "", true},
		{"/close", 0, "", true},
		{"/hang", 24 * time.Hour, "", true},
		{"/truncate", 0, "01234", true},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := site(t, archive)
			_, c := network(t, s)
			c.Timeout = 24 * time.Hour
			start := time.Now()
			_, body, err := get(t, c, "http://a.test"+test.path)
			if took := time.Since(start); took != test.took || body != test.body || (err != nil) != test.fails {
				t.Errorf("%s = %q, %v after %v", test.path, body, err, took)
			}
			synctest.Wait()
			for _, h := range s.Log() {
				if h.End.Sub(h.Time) != test.took {
					t.Errorf("%s: logged from %v to %v", test.path, h.Time, h.End)
				}
			}
		})
	}
}

// TestAnswer calls the site without HTTP.
func TestAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := site(t, "-- a.test/x --\nHTTP 200\nX-Latency: 2s\n\nx\n-- a.test/hang --\nHTTP 200\nX-Fault: hang\n")
		start := time.Now()
		p, err := s.Answer(t.Context(), "GET", "http://a.test/x#f", http.Header{"A": {"b"}})
		if err != nil || string(p.Body) != "x\n" || time.Since(start) != 2*time.Second {
			t.Errorf("Answer = %+v, %v", p, err)
		}
		if h := s.Log()[0]; h.Header.Get("A") != "b" || h.Status != 200 {
			t.Errorf("hit = %+v", h)
		}
		if _, err := s.Answer(t.Context(), "GET", "http://b.test/", nil); !errors.Is(err, webtest.ErrHost) {
			t.Errorf("unknown host: %v", err)
		}
		if _, err := s.Answer(t.Context(), "GET", "file:///x", nil); err == nil {
			t.Error("file URL answered")
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, gone)
		defer cancel()
		if _, err := s.Answer(ctx, "GET", "http://a.test/hang", nil); !errors.Is(err, gone) {
			t.Errorf("hang: %v", err)
		}
		if h := s.Log()[1]; h.End.Sub(h.Time) != time.Minute || h.Status != 0 {
			t.Errorf("hanging hit = %+v", h)
		}
	})
}

func TestLookup(t *testing.T) {
	n, _ := network(t, site(t, three))
	for _, host := range []string{"demo.test", "demo.test.", "DEMO.test"} {
		if a, err := n.LookupNetIP(t.Context(), "ip", host); err != nil || len(a) != 1 || a[0] != webtest.Addr {
			t.Errorf("LookupNetIP(%q) = %v, %v", host, a, err)
		}
	}
	var dns *net.DNSError
	if _, err := n.LookupNetIP(t.Context(), "ip", "other.test"); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("unknown host: %v", err)
	}
	plain, _ := network(t, http.NotFoundHandler())
	if _, err := plain.LookupNetIP(t.Context(), "ip", "other.test"); err != nil {
		t.Errorf("a plain handler has every host: %v", err)
	}
}

func TestDialErrors(t *testing.T) {
	n := webtest.Serve(http.NotFoundHandler())
	if _, err := n.Dial(t.Context(), "tcp", "no port"); err == nil {
		t.Error("an address without port was dialled")
	}
	n.Close()
	if _, err := n.Dial(t.Context(), "tcp", "a.test:80"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed network: %v", err)
	}
	n.Close() // a second Close is allowed
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(three))
	f.Add([]byte("-- a.test/x --\nHTTP 200\nX-Latency: 1s\nX-Fault: hang\nX-Body: 2\n\nx\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := webtest.Parse(data)
		if err != nil {
			return
		}
		for _, p := range s.Pages() {
			if _, err := webtest.Parse([]byte("-- " + p.URL + " --\n")); err != nil && !strings.ContainsAny(p.URL, " \r\n\t") {
				t.Errorf("the canonical URL %q is refused: %v", p.URL, err)
			}
		}
	})
}
