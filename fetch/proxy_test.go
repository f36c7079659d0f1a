// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew/fetch"
)

// TestProxy fetches through a proxy. Refused addresses must never reach the
// proxy.
func TestProxy(t *testing.T) {
	asked := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("User-Agent")
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npage of "+r.Host)
		}
	}))
	defer server.Close()
	c := over(t, &fetch.Client{Proxy: server.URL}, http.NotFoundHandler())
	resp, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/"})
	if err != nil || string(resp.Body) != "page of a.test" {
		t.Errorf("got %+v, %v", resp, err)
	}
	if got, want := <-asked, "CONNECT 93.184.216.34:80 "; got != want {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
	if _, err := c.Fetch(t.Context(), &fetch.Request{URL: server.URL}); !errors.Is(err, fetch.ErrAddress) {
		t.Errorf("the proxy itself: %v, want ErrAddress", err)
	}
	if len(asked) > 0 {
		t.Errorf("the proxy was asked %q", <-asked)
	}
}

// TestNoProxy checks that a client without a usable proxy reaches nothing, and
// that the error says why.
func TestNoProxy(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer refusing.Close()
	for proxy, want := range map[string]struct {
		err  error
		text string
	}{
		"socks5h://me:secret@a.test/": {fetch.ErrProxy, "socks5h"},
		"socks4://me:secret@a.test/":  {fetch.ErrProxy, "only version 5"},
		"ftp://me:secret@a.test/":     {fetch.ErrProxy, "none of http, https and socks5"},
		"a.test:3128":                 {fetch.ErrProxy, "no scheme"},
		"http://127.0.0.1:1":          {fetch.ErrConnect, "proxy: it cannot be reached"},
		"socks5://127.0.0.1:1":        {fetch.ErrConnect, "proxy: it cannot be reached"},
		refusing.URL:                  {fetch.ErrConnect, "proxy: it answers with HTTP status 407"},
	} {
		c := over(t, &fetch.Client{Proxy: proxy}, http.NotFoundHandler())
		_, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/", Retries: fetch.Unlimited})
		if !errors.Is(err, want.err) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), want.text) {
			t.Errorf("by %q: %v, want %v with %q", proxy, err, want.err, want.text)
		}
	}
}
