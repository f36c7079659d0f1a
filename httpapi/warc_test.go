// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
)

// TestWARC downloads the web archive of a crawl, whose pages are not taken from the cache.
// The robots.txt is known from the first crawl, and is not requested again.
func TestWARC(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `<title>T</title><main><h1>%s</h1><a href="/a">a</a> <a href="/b">b</a></main>`, r.URL.Path)
	}))
	defer site.Close()
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Cache: &fetch.MemoryCache{MaxBytes: 1 << 20}}
	defer client.CloseIdleConnections()
	service := &curlew.Service{Fetcher: client, LocalNames: true}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	defer func() {
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct {
		warc     bool
		requests int
	}{{false, 0}, {true, 3}, {true, 3}} {
		_, answer := ask(t, h, "POST", "/v2/crawl", fmt.Sprintf(`{"url":%q,"sitemap":"skip","warc":%t,"scrapeOptions":{"maxAge":3600000}}`, site.URL, tt.warc))
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil {
			t.Fatal(err)
		}
		j, err := service.Job(t.Context(), "default", started.ID)
		if err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if _, err := j.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v2/crawl/"+started.ID+"/export?format=warc", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !tt.warc {
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "was not archived") {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "WARC-Type: response\r\n"); n != tt.requests || resp.Trailer.Get("Export-Documents") != fmt.Sprint(n) || resp.Header.Get("Content-Type") != "application/warc" {
			t.Errorf("%d responses, %v %v: %s", n, resp.Header, resp.Trailer, text)
		}
	}
	_, answer := ask(t, h, "POST", "/v2/batch/scrape", fmt.Sprintf(`{"urls":[%q,%q],"warc":true,"maxAge":3600000}`, site.URL+"/a", site.URL+"/b"))
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil {
		t.Fatal(err)
	}
	j, err := service.Job(t.Context(), "default", started.ID)
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if _, err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, answer = ask(t, h, "GET", "/v2/batch/scrape/"+started.ID+"/export?format=warc", "")
	z, err := gzip.NewReader(strings.NewReader(answer))
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if text, err := io.ReadAll(z); err != nil || bytes.Count(text, []byte("WARC-Type: response\r\n")) != 2 || !bytes.Contains(text, []byte("WARC-Target-URI: "+site.URL+"/b\r\n")) {
		t.Errorf("batch: %v: %s", err, text)
	}
	for _, body := range []string{`{"urls":["%s"],"warc":true,"zeroDataRetention":true}`, `{"urls":["%s"],"warc":true,"appendToId":"` + started.ID + `"}`} {
		if _, answer := ask(t, h, "POST", "/v2/batch/scrape", fmt.Sprintf(body, site.URL)); !strings.Contains(answer, `"success":false`) || !strings.Contains(answer, "archived") && !strings.Contains(answer, "ero") {
			t.Error(answer)
		}
	}
	if _, answer := ask(t, h, "POST", "/v2/crawl", fmt.Sprintf(`{"url":%q,"warc":true,"zeroDataRetention":true}`, site.URL)); !strings.Contains(answer, `"success":false`) {
		t.Error(answer)
	}
}
