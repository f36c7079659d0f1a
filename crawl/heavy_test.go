// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/memtest"
)

var heavyPages = flag.Int("heavy", 0, "pages of 100,000 links that TestHeavyPages crawls, 64 at a time")

// heavyWeb is a site of pages with 100,000 links each. The pages have about 4
// MB and are all different.
type heavyWeb struct{}

func (heavyWeb) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, "/robots.txt") {
		return &fetch.Response{URL: r.URL, Status: http.StatusNotFound, Header: http.Header{}}, nil
	}
	name := r.URL[strings.LastIndexByte(r.URL, '/')+1:]
	b := make([]byte, 0, 5<<20)
	for i := range 100_000 {
		b = fmt.Appendf(b, "<p><a href='/p%s-%05x'>%d</a>\n", name[:min(len(name), 8)], i, i)
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: b}, nil
}

// TestHeavyPages checks that a hostile site and many workers do not exhaust the
// memory. Run it alone, because it measures the whole process:
//
//	go test ./crawl -run TestHeavyPages -heavy 400
func TestHeavyPages(t *testing.T) {
	if *heavyPages == 0 {
		return
	}
	var e crawl.Engine
	e.Fetcher = heavyWeb{}
	n := 0
	for _, err := range e.Run(t.Context(), crawl.Config{
		URL: "http://a.test/", Concurrency: 64, Limit: *heavyPages, Sitemap: crawl.SitemapSkip,
	}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	peak := memtest.Peak(t)
	t.Logf("%d pages of 100,000 links, 64 at a time: RSS at most %d MB", n, peak/1_000_000)
	if n != *heavyPages || peak > 512<<20 {
		t.Errorf("%d pages, want %d; RSS at most %d MiB, want 512", n, *heavyPages, peak>>20)
	}
}
