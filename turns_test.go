// SPDX-License-Identifier: Apache-2.0

package curlew_test

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

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

// strictWeb is a Fetcher whose hosts require one second between requests. It
// records each request. Pages of all hosts link to pages of the same host and
// have two style sheets, one of which is on another host. /to/HOST redirects to
// that host. /flaky breaks its first two connections. /robots.txt of moved.test
// redirects to a.test.
type strictWeb struct {
	mu    sync.Mutex
	log   map[string][]strictHit // guarded by mu; by host
	tries int                    // requests for /flaky; guarded by mu
}

// strictPages is the number of pages of each host of a strictWeb.
const strictPages = 101

type strictHit struct {
	url          string
	began, ended time.Time
}

func (s *strictWeb) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, nil, s.exchange)
}

func (s *strictWeb) exchange(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
	host, path, _ := strings.Cut(strings.TrimPrefix(x.URL, "http://"), "/")
	hit := strictHit{url: x.URL, began: time.Now()}
	time.Sleep(50 * time.Millisecond)
	hit.ended = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log[host] = append(s.log[host], hit)
	resp := &fetch.Response{URL: x.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	moved := func(to string) {
		resp.Status = http.StatusFound
		resp.Header.Set("Location", to)
	}
	switch {
	case host == "moved.test" && path == "robots.txt":
		moved("http://a.test/robots.txt")
	case path == "robots.txt":
		resp.Header.Set("Content-Type", "text/plain")
		resp.Body = []byte("User-agent: *\nCrawl-delay: 1\n")
	case strings.HasPrefix(path, "to/"):
		moved("http://" + strings.TrimPrefix(path, "to/") + "/landing")
	case path == "flaky" && s.tries < 2:
		s.tries++
		return nil, &fetch.Error{URL: x.URL, Err: fetch.ErrConnect}
	case strings.HasSuffix(path, ".css"):
		resp.Header.Set("Content-Type", "text/css")
		resp.Body = []byte("body{color:red}")
	default:
		resp.Body = []byte("<title>A page</title><link rel=stylesheet href=/own.css><link rel=stylesheet href=http://css.test/all.css><p>Some words.")
		for i := range strictPages - 1 {
			resp.Body = fmt.Appendf(resp.Body, "<a href='/%d'>x</a>", i)
		}
	}
	return resp, nil
}

// check reports requests that follow another one in less than a second, and
// robots.txt files that were requested twice.
func (s *strictWeb) check(t *testing.T, hosts ...string) {
	t.Helper()
	for _, host := range hosts {
		log := s.log[host]
		slices.SortFunc(log, func(a, b strictHit) int { return a.began.Compare(b.began) })
		robots := 0
		for i, hit := range log {
			if strings.HasSuffix(hit.url, "/robots.txt") {
				robots++
			}
			if i > 0 && hit.began.Sub(log[i-1].ended) < time.Second {
				t.Errorf("%s came %v after %s", hit.url, hit.began.Sub(log[i-1].ended), log[i-1].url)
			}
		}
		if host != "a.test" && robots != 1 {
			t.Errorf("%s: robots.txt was asked for %d times", host, robots)
		}
	}
}

// count returns the number of requests for a URL.
func (s *strictWeb) count(url string) (n int) {
	for _, log := range s.log {
		for _, hit := range log {
			if hit.url == url {
				n++
			}
		}
	}
	return n
}

// TestEverythingTakesTurns runs long crawls of three hosts with a Crawl-delay
// of one second. At the same time, all other operations of a Service use these
// hosts: single scrapes with redirects, retries and style sheets, a batch, a
// map, and the pages and robots.txt files of an agent. No request comes earlier
// than the host allows. A team with one slot gets all its pages too, because no
// holder of the slot waits for a turn whose holder waits for the slot.
func TestEverythingTakesTurns(t *testing.T) {
	for _, slots := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			web := &strictWeb{log: map[string][]strictHit{}}
			service := &curlew.Service{Fetcher: web, Agent: new(agent.Engine), UserAgent: "tester/1.0"}
			caller := curlew.Caller{Team: account.Team{ID: "us", Policy: account.Policy{MaxConcurrency: slots}}}
			branded := curlew.ScrapeOptions{Timeout: curlew.Unlimited}
			branded.Format.Forms = []format.Form{format.Markdown, format.BrandingForm}
			var jobs []*curlew.Job
			for i, host := range []string{"css.test", "a.test", "b.test", "a.test"} {
				r := &curlew.CrawlRequest{URL: "http://" + host + "/", Start: curlew.Start{Caller: caller}}
				if i == 3 { // style sheets of its pages are on other hosts
					r.Limit = 13
					r.Page.Format.Forms = branded.Format.Forms
				}
				j, err := service.StartCrawl(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, j)
			}
			time.Sleep(4 * time.Second) // until the delays are known
			batch := &curlew.BatchRequest{Start: curlew.Start{Caller: caller}, Page: branded}
			batch.URLs = []string{"http://a.test/to/b.test", "http://b.test/to/a.test", "http://a.test/to/a.test", "http://c.test/to/b.test"}
			j, err := service.StartBatch(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
			var wg sync.WaitGroup
			for _, url := range []string{"http://a.test/to/b.test", "http://b.test/flaky", "http://c.test/to/css.test"} {
				for _, caller := range []*curlew.Caller{nil, &caller} {
					wg.Go(func() {
						own := branded
						own.Caller = caller
						doc, err := service.Scrape(t.Context(), url, &own)
						if err != nil || doc.Warning != "" || doc.Branding == nil {
							t.Errorf("%s: %+v, %v", url, doc, err)
						}
					})
				}
			}
			wg.Go(func() {
				if found, err := service.Map(t.Context(), "http://b.test/", &curlew.MapOptions{Caller: &caller}); err != nil || len(found.URLs) != strictPages {
					t.Errorf("map: %+v, %v", found, err)
				}
			})
			for _, url := range []string{"http://a.test/", "http://moved.test/", "http://d.test/to/b.test", "http://b.test/to/e.test"} {
				wg.Go(func() {
					page, err := service.Agents().Fetch.Fetch(t.Context(), &agent.Request{URL: url, Gate: func(context.Context, string) error { return nil }})
					if err != nil || page.Title != "A page" {
						t.Errorf("%s: %+v, %v", url, page, err)
					}
				})
			}
			wg.Wait()
			for i, j := range jobs {
				st, err := j.Wait(t.Context())
				want := []int{strictPages, strictPages, strictPages, 13, 4}[i]
				if err != nil || st.Delivered != want {
					t.Errorf("job %d of a team with %d slots: %d pages, want %d: %v", i, slots, st.Delivered, want, err)
				}
			}
			web.check(t, "a.test", "b.test", "css.test", "moved.test", "d.test", "e.test")
			if n := web.count("http://a.test/robots.txt"); n != 2 {
				t.Errorf("the robots.txt of a.test was asked for %d times, want once, and once for moved.test", n)
			}
			// 13 pages of a crawl, 4 of the batch and 6 scrapes.
			if n := web.count("http://css.test/all.css"); n != 13+4+6 {
				t.Errorf("%d requests for the style sheet, want 23", n)
			}
			if n := web.count("http://b.test/flaky"); n != 2+2 {
				t.Errorf("%d requests for a page that fails twice and that two callers request", n)
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
