// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
)

// TestHandover lets two crawls share a host with a Crawl-delay of one second.
// One of them takes a minute for each page. The requests of the other do not
// wait for that, and the Crawl-delay is still kept.
func TestHandover(t *testing.T) {
	linger := func() { time.Sleep(time.Minute) }
	for _, test := range []struct {
		name        string
		visit, loop func()
		ordered     bool
	}{
		{name: "Visit", visit: linger, loop: func() {}},
		{name: "loop", visit: func() {}, loop: linger},
		{name: "ordered", visit: linger, loop: func() {}, ordered: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var hosts pace.Hosts
			s := &store{pages: 24, latency: 100 * time.Millisecond, robots: "User-agent: *\nCrawl-delay: 1\n"}
			run := func(visit, loop func(), ordered bool) {
				pages := 0
				c := crawl.Config{URL: "http://a.test/p0", Sitemap: crawl.SitemapSkip, EntireDomain: true, Concurrency: 2, Hosts: &hosts, Ordered: ordered}
				c.Visit = func(context.Context, *crawl.Page) error {
					visit()
					return nil
				}
				for p, err := range (&crawl.Engine{Fetcher: s}).Run(t.Context(), c) {
					if err != nil || p.Err != nil {
						t.Fatal(err, p.Err)
					}
					loop()
					pages++
				}
				if pages != 24 {
					t.Errorf("%s: %d pages, want 24", test.name, pages)
				}
			}
			var wg sync.WaitGroup
			wg.Go(func() { run(test.visit, test.loop, test.ordered) })
			time.Sleep(10 * time.Second) // the slow crawl has a page now
			began := time.Now()
			run(func() {}, func() {}, false)
			if took, most := time.Since(began), 24*2*1100*time.Millisecond; took > most {
				t.Errorf("%s: a crawl took %v beside one that is slow, want at most %v", test.name, took, most)
			}
			wg.Wait()
			slices.SortFunc(s.log, func(a, b visit) int { return a.began.Compare(b.began) })
			for i, v := range s.log[1:] {
				if gap := v.began.Sub(s.log[i].ended); gap < time.Second {
					t.Errorf("%s: %s came %v after %s", test.name, v.url, gap, s.log[i].url)
				}
			}
		})
	}
}

// guided is a Fetcher whose hosts have a Crawl-delay of one second. The
// robots.txt of www.a.test is on that host. Those of other hosts redirect to it
// or to each other.
type guided struct {
	mu  sync.Mutex
	log map[string][]visit // guarded by mu; by host
}

func (g *guided) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, nil, func(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
		host, path, _ := strings.Cut(strings.TrimPrefix(x.URL, "http://"), "/")
		v := visit{url: x.URL, began: time.Now()}
		time.Sleep(100 * time.Millisecond)
		v.ended = time.Now()
		g.mu.Lock()
		g.log[host] = append(g.log[host], v)
		g.mu.Unlock()
		resp := &fetch.Response{URL: x.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
		to := map[string]string{"a.test": "www.a.test", "b.test": "www.a.test", "c.test": "d.test", "d.test": "c.test"}[host]
		switch {
		case path == "robots.txt" && to != "":
			resp.Status = http.StatusMovedPermanently
			resp.Header.Set("Location", "http://"+to+"/robots.txt")
		case path == "robots.txt":
			resp.Header.Set("Content-Type", "text/plain")
			resp.Body = []byte("User-agent: *\nCrawl-delay: 1\n")
		default:
			for i := range 5 {
				resp.Body = fmt.Appendf(resp.Body, "<a href='/%c'>x</a>", 'a'+i)
			}
		}
		return resp, nil
	})
}

// TestGuided runs crawls whose robots.txt is on another host, which other
// crawls use. Each request there takes a turn. Files that redirect to each
// other end as unreachable, and do not affect other crawls.
func TestGuided(t *testing.T) {
	for _, forget := range []bool{false, true} { // one file for each crawl, or one for all
		synctest.Test(t, func(t *testing.T) {
			var hosts pace.Hosts
			web := &guided{log: map[string][]visit{}}
			var wg sync.WaitGroup
			var mu sync.Mutex
			pages := map[string]int{}
			for i, host := range []string{"www.a.test", "a.test", "b.test", "c.test", "d.test", "c.test", "d.test"} {
				wg.Go(func() {
					time.Sleep(time.Duration(min(i, 1)) * 3 * time.Second) // the first crawl learns the delay
					c := crawl.Config{URL: "http://" + host + "/", Sitemap: crawl.SitemapSkip, Concurrency: 4, Hosts: &hosts, Forget: forget}
					for p, err := range (&crawl.Engine{Fetcher: web}).Run(t.Context(), c) {
						if err != nil {
							t.Error(err)
							return
						}
						if p.Err == nil {
							mu.Lock()
							pages[host]++
							mu.Unlock()
						}
					}
				})
			}
			began := time.Now()
			wg.Wait()
			if took := time.Since(began); took > 5*time.Minute {
				t.Errorf("it took %v", took)
			}
			for _, host := range []string{"www.a.test", "a.test", "b.test"} {
				if pages[host] != 6 {
					t.Errorf("%s has %d pages, want 6", host, pages[host])
				}
			}
			log := web.log["www.a.test"]
			slices.SortFunc(log, func(a, b visit) int { return a.began.Compare(b.began) })
			robots := 0
			for i, v := range log {
				if strings.HasSuffix(v.url, "/robots.txt") {
					robots++
				}
				if i > 0 && v.began.Sub(log[i-1].ended) < time.Second {
					t.Errorf("%s came %v after %s", v.url, v.began.Sub(log[i-1].ended), log[i-1].url)
				}
			}
			if robots != 3 {
				t.Errorf("%d requests for the robots.txt of www.a.test, want 3", robots)
			}
		})
	}
}
