// SPDX-License-Identifier: Apache-2.0

package demo_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/examples/internal/demo"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestSize checks the numbers in the documentation.
func TestSize(t *testing.T) {
	hosts, pages := map[string]bool{}, 0
	for _, p := range fetchtest.New(t, demo.Txtar()).Pages() {
		parsed, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		hosts[parsed.Host] = true
		if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") && p.Header.Get("Location") == "" {
			pages++
		}
	}
	if want := []string{"demo.test", "docs.demo.test", "partner.test"}; !slices.Equal(slices.Sorted(maps.Keys(hosts)), want) {
		t.Errorf("hosts %v, want %v", slices.Sorted(maps.Keys(hosts)), want)
	}
	if pages != 326 {
		t.Errorf("%d pages, want the 326 of the package comment", pages)
	}
}

// TestHandler requests pages by an address and by the names of the hosts.
func TestHandler(t *testing.T) {
	h, err := demo.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, contains string }{
		{"http://127.0.0.1:1234/", "<h1>The Wader Trust</h1>"},
		{"http://127.0.0.1:1234/sitemap.xml", "<loc>http://127.0.0.1:1234/sitemap-1.xml</loc>"},
		{"http://127.0.0.1:1234/robots.txt", "Sitemap: http://127.0.0.1:1234/sitemap.xml"},
		{"http://demo.test/sitemap.xml", "<loc>http://demo.test/sitemap-1.xml</loc>"},
		{"http://docs.demo.test/", "The handbook"},
		{"http://partner.test/", "The partner"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.url, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), tt.contains) {
			t.Errorf("GET %s: %d without %q", tt.url, w.Code, tt.contains)
		}
	}
}
