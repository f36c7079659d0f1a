// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
)

// TestSharedHost runs four crawls of one host with a Crawl-delay of one second.
// Together they make no more requests than one crawl, they take turns, and they
// fetch robots.txt once.
func TestSharedHost(t *testing.T) {
	for _, forget := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var hosts pace.Hosts
			s := &store{pages: 24, latency: 100 * time.Millisecond, robots: "User-agent: *\nCrawl-delay: 1\n"}
			var wg sync.WaitGroup
			var mu sync.Mutex
			done := map[int]int{}
			var all []func() frontier.Stats
			var waits []frontier.HostWait
			for n := range 4 {
				wg.Go(func() {
					// A service uses an engine for each job as well.
					e := crawl.Engine{Fetcher: s, Trace: &crawl.Trace{Started: func(live func() frontier.Stats) {
						mu.Lock()
						defer mu.Unlock()
						all = append(all, live)
					}}}
					c := crawl.Config{
						URL: "http://a.test/p0", Sitemap: crawl.SitemapSkip, EntireDomain: true, Concurrency: 8,
						Hosts: &hosts, Forget: forget, Ordered: n == 3,
					}
					for p, err := range e.Run(t.Context(), c) {
						if err != nil || p.Err != nil {
							t.Error(err, p.Err)
							return
						}
						mu.Lock()
						done[n]++
						for _, stats := range all {
							waits = append(waits, stats().Waits...)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			slices.SortFunc(s.log, func(a, b visit) int { return a.began.Compare(b.began) })
			robots := 0
			for i, v := range s.log {
				if strings.HasSuffix(v.url, "robots.txt") {
					robots++
				}
				if i > 0 && !strings.HasSuffix(v.url, "robots.txt") && v.began.Sub(s.log[i-1].ended) < time.Second {
					t.Errorf("%s came %v after %s", v.url, v.began.Sub(s.log[i-1].ended), s.log[i-1].url)
				}
			}
			want := 1
			if forget { // robots.txt files of these crawls are not kept for others
				want = 4
			}
			if robots != want {
				t.Errorf("robots.txt was asked for %d times, want %d", robots, want)
			}
			for n, pages := range done {
				if pages != 24 {
					t.Errorf("crawl %d has %d pages", n, pages)
				}
			}
			took := s.log[len(s.log)-1].ended.Sub(s.log[0].began)
			if most := 4 * 24 * 1300 * time.Millisecond; took > most {
				t.Errorf("it took %v, want at most %v", took, most)
			}
			if i := slices.IndexFunc(waits, func(w frontier.HostWait) bool {
				return w.Host == "a.test" && w.Gap == time.Second && w.Cause == pace.CrawlDelay && !w.Until.IsZero()
			}); i < 0 {
				t.Errorf("no status said why it was slow: %+v", waits[:min(len(waits), 3)])
			}
		})
	}
}

// TestSharedFair checks that crawls that share a host progress at the same
// rate, and that a healthy host gets no more concurrent requests than the crawl
// with the highest limit makes.
func TestSharedFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hosts pace.Hosts
		s := &store{pages: 300, latency: 100 * time.Millisecond}
		var wg sync.WaitGroup
		var ended []time.Duration
		var mu sync.Mutex
		begun := time.Now()
		for n := range 4 {
			wg.Go(func() {
				e := crawl.Engine{Fetcher: s}
				pages := 0
				for p, err := range e.Run(t.Context(), crawl.Config{
					URL: "http://a.test/p0", Sitemap: crawl.SitemapSkip, EntireDomain: true, Concurrency: []int{2, 8, 8, 4}[n], Hosts: &hosts,
				}) {
					if err != nil || p.Err != nil {
						t.Error(err, p.Err)
						return
					}
					pages++
				}
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, time.Since(begun))
				if pages != 300 {
					t.Errorf("crawl %d has %d pages", n, pages)
				}
			})
		}
		wg.Wait()
		if s.most > 8 {
			t.Errorf("%d requests in flight, want at most 8", s.most)
		}
		if last := slices.Max(ended); last > 25*time.Second {
			t.Errorf("it took %v; 1200 pages at 8 in 100 ms take 15 s", last)
		}
		t.Log(ended)
	})
}

// TestTurnTooLate checks that a wait ends with a timeout if the host asked for
// a longer pause than a request may take. The error says so even if the
// request's own time is over.
func TestTurnTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hosts pace.Hosts
		line := pace.NewLine(&hosts, false)
		defer line.Leave()
		const url = "http://a.test/"
		turn, err := crawl.TakeTurn(t.Context(), line, url, pace.Claim{})
		if err != nil {
			t.Fatal(err)
		}
		turn.End(&fetch.Response{Status: 429, Header: http.Header{"Retry-After": {"60"}}}, nil)
		for _, left := range []time.Duration{time.Second, 0} {
			ctx, cancel := context.WithTimeout(t.Context(), left)
			_, err := crawl.TakeTurn(ctx, line, url, pace.Claim{})
			cancel()
			if !errors.Is(err, fetch.ErrTimeout) || !errors.Is(err, pace.ErrPause) {
				t.Errorf("with %v left: error %v, want fetch.ErrTimeout and pace.ErrPause", left, err)
			}
		}
	})
}
