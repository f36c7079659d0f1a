// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestWatch checks a site three times, with one change in between, and once
// more after the last crawl was deleted.
func TestWatch(t *testing.T) {
	var mu sync.Mutex
	pages := map[string]string{
		"/": `<p>Home <a href="/a">a</a> <a href="/b">b</a></p>`, "/a": "<p>A.</p>", "/b": "<p>B.</p>",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		body := pages[r.URL.Path]
		mu.Unlock()
		tag := fmt.Sprintf(`"%x"`, body)
		switch {
		case body == "":
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == tag:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", tag)
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, body)
		}
	}))
	defer site.Close()
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	defer client.CloseIdleConnections()
	service := &curlew.Service{Fetcher: client, LocalNames: true}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: "us"}})})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	defer func() {
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}()
	state := filepath.Join(t.TempDir(), "id")
	watch := func() string {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-server", server.URL, "-state", state, "-every", "0", "-poll", "20ms", site.URL}, "k", &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := watch(); !strings.HasPrefix(got, "3 pages for 3 credits: 0 new, 0 changed, 0 unchanged, 0 deleted\n") {
		t.Errorf("first: %s", got)
	}
	if got := watch(); got != "3 pages for 2 credits: 0 new, 0 changed, 3 unchanged, 0 deleted\n" {
		t.Errorf("second: %s", got)
	}
	mu.Lock()
	pages["/a"], pages["/b"] = `<p>A. <a href="/c">c</a></p>`, ""
	pages["/c"] = "<p>C.</p>"
	mu.Unlock()
	want := "3 pages for 3 credits: 1 new, 1 changed, 1 unchanged, 1 deleted\n" +
		"changed  " + site.URL + "/a\nnew      " + site.URL + "/c\ngone     " + site.URL + "/b\n"
	if got := watch(); got != want {
		t.Errorf("third: %s, want %s", got, want)
	}
	if err := os.WriteFile(state, []byte("0199d7a4-0000-7000-8000-000000000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := watch(); !strings.HasPrefix(got, "The last crawl has expired: all pages are new.\n") {
		t.Errorf("expired: %s", got)
	}
}
