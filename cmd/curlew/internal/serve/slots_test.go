// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// TestSlots has three processes scrape, do a batch and do a crawl of one team, also
// for each other. The site sees at most as many requests at once as the team may have pages.
func TestSlots(t *testing.T) {
	s := pgtest.Start(t, false)
	const limit, size = 3, 30
	url := s.Database(t)
	var busy, most, requests atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := busy.Add(1)
		defer busy.Add(-1)
		requests.Add(1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond) // so that requests overlap
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>x</title><p>Some text.</p>")
		for i := range size {
			fmt.Fprintf(w, `<a href="/crawl/%d">x</a>`, i)
		}
	}))
	defer site.Close()
	ctx, stop := context.WithCancel(t.Context())
	var help sync.WaitGroup
	defer help.Wait()
	defer stop()
	var all [3]*curlew.Service
	for i := range all {
		st, err := postgres.Open(ctx, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := st.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		all[i] = &curlew.Service{Store: st, Fetcher: &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}}, UserAgent: "curlew"}
		help.Go(func() {
			if err := all[i].Help(ctx, 8); err != nil {
				t.Errorf("Help: %v", err)
			}
		})
	}
	caller := curlew.Caller{Team: account.Team{ID: "us", Policy: account.Policy{MaxConcurrency: limit, MaxQueuedPages: curlew.Unlimited}}}
	var calls sync.WaitGroup
	for i, service := range all {
		for n := range 12 {
			calls.Go(func() {
				if _, err := service.Scrape(ctx, fmt.Sprintf("%s/scrape/%d/%d", site.URL, i, n), &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Caller: &caller}}); err != nil {
					t.Errorf("Scrape: %v", err)
				}
			})
		}
	}
	var urls []string
	for n := range size {
		urls = append(urls, fmt.Sprintf("%s/batch/%d", site.URL, n))
	}
	batch, err := all[0].StartBatch(ctx, &curlew.BatchRequest{Start: curlew.Start{Caller: caller}, URLs: urls})
	if err != nil {
		t.Fatal(err)
	}
	crawl, err := all[1].StartCrawl(ctx, &curlew.CrawlRequest{Start: curlew.Start{Caller: caller}, URL: site.URL + "/crawl"})
	if err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	for _, j := range []*curlew.Job{batch, crawl} {
		status, err := j.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if status.State != job.Completed || status.Delivered < size {
			t.Errorf("the %s is %s with %d pages", j.Kind(), status.State, status.Delivered)
		}
	}
	t.Logf("%d requests, at most %d at once", requests.Load(), most.Load())
	if m := most.Load(); m > limit {
		t.Errorf("the team had %d requests at once, want at most %d", m, limit)
	}
	for _, service := range all {
		if err := service.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}
}
