// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"bufio"
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// requestLine returns the request target and the Host header that net/http
// sends for u.
func requestLine(t *testing.T, u *url.URL) (target, host string) {
	t.Helper()
	r := (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}).WithContext(t.Context())
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	line, err := b.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Split(strings.TrimSuffix(line, "\r\n"), " ")
	if len(f) != 3 || f[0] != "GET" || f[2] != "HTTP/1.1" {
		t.Fatalf("request line %q", line)
	}
	head, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\n" + b.String())))
	if err != nil {
		t.Fatal(err)
	}
	return f[1], head.Host
}

func TestHTTP(t *testing.T) {
	for _, tt := range []struct{ raw, target, host, path string }{
		{"http://h.test", "/", "h.test", "/"},
		{"https://u:p@h.test:8443/a?b=c#d", "/a?b=c", "h.test:8443", "/a"},
		{"http://h.test/?", "/?", "h.test", "/"},
		{"http://[::1]:8080/a", "/a", "[::1]:8080", "/a"},
		{"http://h.test/50%off/%zz/%e4%2F?%zz%", "/50%off/%zz/%e4%2F?%zz%", "h.test", "/50%off/%zz/\xe4/"},
		{"http://h.test/%e4%b8%ad", "/%e4%b8%ad", "h.test", "/中"},
		{"http://h.test/a|b[c]'(d)*!$&+,;=:@~", "/a|b[c]'(d)*!$&+,;=:@~", "h.test", "/a|b[c]'(d)*!$&+,;=:@~"},
		{"http://h.test/a?b|c`{}^[]", "/a?b|c`{}^[]", "h.test", "/a"},
		{"http://h.test/*", "/*", "h.test", "/*"},
		// Paths with two slashes are sent in another way.
		{"http://h.test//a/b?c", "//a/b?c", "h.test", "//a/b"},
		{"http://h.test//", "//", "h.test", "//"},
		{"http://h.test///a//?", "///a//?", "h.test", "///a//"},
		{"http://h.test//evil.test/%2F%e4", "//evil.test/%2F%e4", "h.test", "//evil.test//\xe4"},
		{"http://h.test//a[b]'(c)*!$&+,;=:@~", "//a[b]'(c)*!$&+,;=:@~", "h.test", "//a[b]'(c)*!$&+,;=:@~"},
		{"http://h.test//50%off|", "//50%25off%7C", "h.test", "//50%off|"}, // the documented exception
	} {
		u := must(t, tt.raw).HTTP()
		target, host := requestLine(t, u)
		if target != tt.target || host != tt.host || u.Path != tt.path {
			t.Errorf("HTTP() of %q asks %q of %q, path %q, want %q of %q, path %q", tt.raw, target, host, u.Path, tt.target, tt.host, tt.path)
		}
		if u.User != nil {
			t.Errorf("HTTP() of %q has userinfo", tt.raw)
		}
	}
}

// TestHTTPVectors checks that every valid vector is sent byte for byte, except
// for paths with two slashes.
func TestHTTPVectors(t *testing.T) {
	for _, v := range vectors(t) {
		if strings.HasPrefix(v.want, "!") {
			continue
		}
		u := must(t, v.want)
		if u.HostKey() == "" {
			continue // never fetched
		}
		want, _, _ := strings.Cut(strings.TrimPrefix(u.String(), u.WithoutUser().Origin()), "#")
		if _, _, ok := u.User(); ok {
			want, _, _ = strings.Cut(strings.TrimPrefix(u.WithoutUser().String(), u.Origin()), "#")
		}
		if target, host := requestLine(t, u.HTTP()); target != want || host != u.HostPort() {
			t.Errorf("HTTP() of %q asks %q of %q, want %q", u, target, host, want)
		}
	}
}

func TestLogValue(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"http://h.test", "http://h.test/"},
		{"https://user:secret@h.test:8443/a%20b?key=secret&k2=#secret", "https://h.test:8443/a%20b?key=*&k2=*"},
		{"https://h.test/?secret", "https://h.test/?*"},
		{"https://h.test/?a=secret=secret&secret&&b", "https://h.test/?a=*&*&&*"},
		{"https://h.test/?", "https://h.test/?"},
		{"https://h.test/?=secret", "https://h.test/?=*"},
	} {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("fetched", "url", must(t, tt.raw))
		if strings.Contains(b.String(), "secret") {
			t.Errorf("the log of %q tells: %s", tt.raw, &b)
		}
		if got := must(t, tt.raw).LogValue().String(); got != tt.want {
			t.Errorf("LogValue of %q = %q, want %q", tt.raw, got, tt.want)
		}
	}
}
