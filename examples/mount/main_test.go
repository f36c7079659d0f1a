// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestMux requests the existing routes and those of curlew below their prefix.
func TestMux(t *testing.T) {
	site := fetchtest.New(t, []byte("-- http://a.test/ --\n<title>A</title><p>Hello.</p>\n"))
	service := &curlew.Service{Fetcher: site}
	h, err := newMux(service, "secret")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/", "", 200, "was here before"},
		{"GET", "/nothing", "", 404, ""},
		{"POST", "/data/v2/scrape", `{"url":"http://a.test/"}`, 200, "Hello."},
		{"POST", "/data/v2/crawl", `{"url":"http://a.test/"}`, 200, `"url":"http://127.0.0.1:8080/data/v2/crawl/`},
		{"POST", "/v2/scrape", `{}`, 404, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s %s: %d %s, want %d with %q", tt.method, tt.path, w.Code, w.Body, tt.status, tt.says)
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
