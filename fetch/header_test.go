// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// FuzzHeaders sends the headers that ValidateHeader accepts.
func FuzzHeaders(f *testing.F) {
	for _, seed := range [][2]string{
		{"X-A", "1"},
		{"Host", "b.test"},
		{"x-forwarded-for", "1"},
		{"X-A", "a\r\nX-B: 2"},
		{"X A", "1"},
		{"", ""},
		{"Transfer-Encoding", "chunked"},
		{"Cookie", "a=b"},
		{"X-A", "grün"},
		{"User-Agent", "me"},
		{"Accept", ""},
		{"X-\x80", "1"},
	} {
		f.Add(seed[0], seed[1])
	}
	site := fetchtest.New(f, []byte("-- a.test/ --\nHTTP 200\n\nx\n"))
	c := over(f, new(fetch.Client), site)
	f.Fuzz(func(t *testing.T, name, value string) {
		h := http.Header{name: {value}}
		err := fetch.ValidateHeader(h)
		if err != nil {
			if !errors.Is(err, fetch.ErrHeader) || len(value) > 4 && strings.Contains(err.Error(), value) && !strings.Contains(name, value) {
				t.Errorf("%q: %q is refused with %v", name, value, err)
			}
			return
		}
		site.Reset()
		r, err := c.Fetch(t.Context(), &fetch.Request{URL: site.URL, Header: h})
		if err != nil || r.Status != http.StatusOK {
			t.Fatalf("%q: %q was let through and failed: %+v, %v", name, value, r, err)
		}
		log := site.Log()
		if len(log) != 1 || len(log[0].Header) > 4 {
			t.Fatalf("%q: %q made it %+v", name, value, log)
		}
		if got := log[0].Header.Get(name); got != strings.Trim(value, " \t") {
			t.Errorf("%q: %q arrived as %q", name, value, got)
		}
	})
}

func TestJarBounds(t *testing.T) {
	u := &url.URL{Scheme: "https", Host: "www.a.test", Path: "/"}
	jar := fetch.NewJar()
	for i := range 20_000 {
		jar.SetCookies(u, []*http.Cookie{{Name: "c" + strconv.Itoa(i), Value: "v"}})
	}
	if n := len(jar.Cookies(u)); n != 50 {
		t.Errorf("%d cookies of one host are kept, want 50", n)
	}
	jar.SetCookies(u, []*http.Cookie{{Name: "c0", Value: "new"}})
	if got := jar.Cookies(u)[0]; got.Value != "new" {
		t.Errorf("a cookie that is there stays %v", got)
	}
	other := &url.URL{Scheme: "https", Host: "b.test", Path: "/"}
	jar.SetCookies(other, []*http.Cookie{{Name: "big", Value: strings.Repeat("x", 4<<10)}, {Name: "small", Value: "x"}})
	if got := jar.Cookies(other); len(got) != 1 || got[0].Name != "small" {
		t.Errorf("kept %v, want the small one", got)
	}
	total := 0
	jar = fetch.NewJar()
	for i := range 300 {
		u := &url.URL{Scheme: "https", Host: "h" + strconv.Itoa(i) + ".test", Path: "/"}
		for j := range 50 {
			jar.SetCookies(u, []*http.Cookie{{Name: "c" + strconv.Itoa(j), Value: "v"}})
		}
		total += len(jar.Cookies(u))
	}
	if total != 10_000 {
		t.Errorf("%d cookies in all, want 10,000", total)
	}
}

func TestJarSuffixes(t *testing.T) {
	tests := []struct {
		host, domain string
		kept         bool
	}{
		{"www.example.com", "example.com", true},
		{"www.example.com", "com", false},
		{"www.example.co.uk", "example.co.uk", true},
		{"www.example.co.uk", "co.uk", false},
		{"someone.github.io", "github.io", false},
		{"a.someone.github.io", "someone.github.io", true},
		{"example.com", "other.com", false},
	}
	for _, test := range tests {
		jar := fetch.NewJar()
		u := &url.URL{Scheme: "https", Host: test.host, Path: "/"}
		jar.SetCookies(u, []*http.Cookie{{Name: "a", Value: "b", Domain: test.domain}})
		if kept := len(jar.Cookies(u)) == 1; kept != test.kept {
			t.Errorf("%s sets a cookie for %s: kept %v, want %v", test.host, test.domain, kept, test.kept)
		}
	}
}

func FuzzSetCookie(f *testing.F) {
	f.Add("a=b; Path=/; Domain=a.test", "a.test")
	f.Add("=; Max-Age=-1", "b.test")
	f.Add("a=\x00; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "127.0.0.1")
	f.Add(strings.Repeat("x", 5000)+"=1; Domain=co.uk", "x.co.uk")
	f.Fuzz(func(t *testing.T, line, host string) {
		jar := fetch.NewJar()
		u := &url.URL{Scheme: "http", Host: host, Path: "/"}
		resp := http.Response{Header: http.Header{"Set-Cookie": {line}}}
		for range 3 {
			jar.SetCookies(u, resp.Cookies())
		}
		for _, c := range jar.Cookies(u) {
			if len(c.Name)+len(c.Value) > 4<<10 {
				t.Errorf("%q of %q is kept", line, host)
			}
		}
	})
}
