// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
)

// TestVisitBound fetches many pages at once and visits only a few, so that few
// trees are in memory.
func TestVisitBound(t *testing.T) {
	var site strings.Builder
	site.WriteString("-- http://a.test/ --\n")
	for i := range 100 {
		fmt.Fprintf(&site, "<a href=/%s>x</a>\n", word(i))
	}
	for i := range 100 {
		fmt.Fprintf(&site, "-- http://a.test/%s --\nHTTP 200\nContent-Type: text/html\nX-Latency: 100ms\n\n<p>%[1]s</p>\n", word(i))
	}
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		c := crawl.Config{URL: "http://a.test/", Concurrency: 64, Sitemap: crawl.SitemapSkip}
		c.Visit = func(context.Context, *crawl.Page) error {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			return nil
		}
		engine := crawl.Engine{Fetcher: fetchtest.New(t, []byte(site.String()))}
		pages := 0
		for page, err := range engine.Run(t.Context(), c) {
			if err != nil || page.Err != nil {
				t.Fatal(err, page.Err)
			}
			pages++
		}
		if pages != 101 {
			t.Errorf("%d pages, want 101", pages)
		}
		if bound := int64(max(8, runtime.GOMAXPROCS(0))); most.Load() > bound || most.Load() < 2 {
			t.Errorf("%d pages were visited at once, want 2 to %d", most.Load(), bound)
		}
	})
}

// TestVisitHolds lets Visit return while its work continues. Such pages count
// as being read until they are released. A large one then counts once, so that
// the crawl continues.
func TestVisitHolds(t *testing.T) {
	bound := max(8, runtime.GOMAXPROCS(0))
	var site strings.Builder
	site.WriteString("-- http://a.test/ --\n")
	for i := range 2 * bound {
		fmt.Fprintf(&site, "<a href=/%s>x</a>\n", word(i))
	}
	fmt.Fprintf(&site, "<p>%s</p>\n", strings.Repeat("large ", bound<<20/6))
	for i := range 2 * bound {
		fmt.Fprintf(&site, "-- http://a.test/%s --\nHTTP 200\nContent-Type: text/html\n\n<p>%[1]s</p>\n", word(i))
	}
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		free := make(chan struct{})
		c := crawl.Config{URL: "http://a.test/", Concurrency: 2 * bound, Sitemap: crawl.SitemapSkip}
		c.Visit = func(_ context.Context, p *crawl.Page) error {
			begun.Add(1)
			release := p.Hold()
			go func() {
				<-free
				release()
				release() // further calls have no effect
			}()
			return nil
		}
		engine := crawl.Engine{Fetcher: fetchtest.New(t, []byte(site.String()))}
		done, pages := make(chan struct{}), 0
		go func() {
			defer close(done)
			for page, err := range engine.Run(t.Context(), c) {
				if err != nil || page.Err != nil {
					t.Error(err, page.Err)
					return
				}
				pages++
			}
		}()
		time.Sleep(time.Hour)
		if n := begun.Load(); n != int64(bound) {
			t.Errorf("%d pages were begun while all go on, want %d", n, bound)
		}
		close(free)
		<-done
		if pages != 2*bound+1 {
			t.Errorf("%d pages, want %d", pages, 2*bound+1)
		}
	})
}
