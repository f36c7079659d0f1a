// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
)

// store is a site on one host. It answers each request after some time, as
// misbehave says.
type store struct {
	pages   int
	flat    bool // page 0 links to all others; otherwise each page links to 20
	latency time.Duration
	robots  string
	// misbehave returns a status other than 200 or an error for the n-th
	// request of a page, from 1. at is the time since the start. Nil: never.
	misbehave func(page, n int, at time.Duration) (status int, h http.Header, err error)
	// load is called with the number of requests in flight. It returns the time
	// that the answer takes, and its status if that is not 200. Nil: latency.
	load func(inflight int, at time.Duration) (time.Duration, int)

	mu       sync.Mutex
	began    time.Time
	asked    map[int]int
	inflight int
	most     int
	log      []visit
}

var errReset = &fetch.Error{Err: fetch.ErrConnect}

func (s *store) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
	page, err := strconv.Atoi(strings.TrimPrefix(path, "p"))
	if err != nil {
		page = -1
	}
	v := visit{url: r.URL, began: time.Now()}
	s.mu.Lock()
	if s.asked == nil {
		s.asked, s.began = map[int]int{}, v.began
	}
	s.asked[page]++
	n := s.asked[page]
	at := v.began.Sub(s.began)
	s.inflight++
	s.most = max(s.most, s.inflight)
	takes, status := s.latency, 0
	if s.load != nil {
		takes, status = s.load(s.inflight, at)
	}
	s.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	v.ended = time.Now()
	s.mu.Lock()
	s.inflight--
	s.log = append(s.log, v)
	s.mu.Unlock()
	resp := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	if status != 0 {
		resp.Status = status
		return resp, nil
	}
	if s.misbehave != nil {
		status, h, err := s.misbehave(page, n, at)
		if err != nil {
			return nil, err
		}
		if status != 0 {
			resp.Status = status
			maps.Copy(resp.Header, h)
			return resp, nil
		}
	}
	switch {
	case path == "robots.txt":
		resp.Body = []byte(s.robots)
	case page >= 0:
		resp.Body = fmt.Appendf(nil, "<title>%s</title>", word(page))
		from, to := 20*page+1, 20*page+20
		if s.flat {
			from, to = 1+page*s.pages, s.pages
		}
		for i := from; i <= min(to, s.pages-1); i++ {
			resp.Body = fmt.Appendf(resp.Body, "<a href='/p%d'>%s</a>", i, word(i))
		}
	default:
		resp.Status = http.StatusNotFound
	}
	return resp, nil
}

// walk crawls s and returns the paths of pages delivered with status 200, and
// the time it took.
func (s *store) walk(t *testing.T, c crawl.Config) (good []string, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		c.URL, c.Sitemap = "http://a.test/p0", crawl.SitemapSkip
		c.EntireDomain = true
		e := crawl.Engine{Fetcher: s}
		for p, err := range e.Run(t.Context(), c) {
			if err != nil {
				t.Fatal(err)
			}
			if p.Err == nil && p.Status == http.StatusOK {
				good = append(good, p.URL)
			}
		}
		took = time.Since(begun)
	})
	slices.Sort(good)
	return good, took
}

// asks returns the number of requests for the page with most requests.
func (s *store) asks() (most int) {
	for page, n := range s.asked {
		if page >= 0 {
			most = max(most, n)
		}
	}
	return most
}

// dead returns a func that reports which pages of a site are dead. They are n
// of pages, spread or in one stretch, and never pages 0 to 20, which link to
// the others.
func dead(pages, n int, stretch bool) func(page int) bool {
	leaf := pages / 20 // pages below it link to others
	return func(page int) bool {
		if page <= leaf {
			return false
		}
		if stretch {
			return page >= leaf+50 && page < leaf+50+n
		}
		return (page-leaf)%((pages-leaf)/n) == 1 && (page-leaf)/((pages-leaf)/n) < n
	}
}

// TestDeadPages checks that failing pages cost their own retries and do not
// delay the site. The limit is 1.5 times the time of the healthy site plus 15 s
// (reference, section 10).
func TestDeadPages(t *testing.T) {
	unavailable := func(status int) func() (int, http.Header, error) {
		return func() (int, http.Header, error) { return status, nil, nil }
	}
	reset := func() (int, http.Header, error) { return 0, nil, errReset }
	type site struct{ pages, concurrency int }
	took := map[site]time.Duration{} // by a site without dead pages
	healthy := func(t *testing.T, pages int, c crawl.Config) time.Duration {
		s := site{pages, c.Concurrency}
		if took[s] == 0 {
			_, took[s] = (&store{pages: pages, latency: 30 * time.Millisecond}).walk(t, c)
		}
		return took[s]
	}
	for _, tt := range []struct {
		name    string
		pages   int
		dead    int
		stretch bool
		fails   func() (int, http.Header, error)
		once    bool
	}{
		{"400 pages, 8 always 503", 400, 8, false, unavailable(503), false},
		{"400 pages, 8 always reset", 400, 8, false, reset, false},
		{"400 pages, 8 always reset, in a row", 400, 8, true, reset, false},
		{"2000 pages, 10 always 503", 2000, 10, false, unavailable(503), false},
		{"2000 pages, 40 always 500, in a row", 2000, 40, true, unavailable(500), false},
		{"2000 pages, 40 always reset, in a row", 2000, 40, true, reset, false},
		{"2000 pages, 40 always 502", 2000, 40, false, unavailable(502), false},
		{"2000 pages, 40 fail once, by 503", 2000, 40, false, unavailable(503), true},
		{"2000 pages, 40 fail once, by reset", 2000, 40, true, reset, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := dead(tt.pages, tt.dead, tt.stretch)
			n := 0
			for page := range tt.pages {
				if is(page) {
					n++
				}
			}
			if n != tt.dead {
				t.Fatalf("%d pages are dead, want %d", n, tt.dead)
			}
			want := tt.pages - n
			if tt.once {
				want = tt.pages
			}
			var first []string
			for _, concurrency := range widths() {
				c := crawl.Config{Concurrency: concurrency}
				healthy := healthy(t, tt.pages, c)
				s := &store{pages: tt.pages, latency: 30 * time.Millisecond, misbehave: func(page, n int, _ time.Duration) (int, http.Header, error) {
					if page >= 0 && is(page) && (n == 1 || !tt.once) {
						return tt.fails()
					}
					return 0, nil, nil
				}}
				good, took := s.walk(t, c)
				if len(good) != want {
					t.Errorf("concurrency %d: %d good pages, want %d", concurrency, len(good), want)
				}
				if most := healthy*3/2 + 15*time.Second; took > most {
					t.Errorf("concurrency %d: it took %v, healthy %v; want at most %v", concurrency, took, healthy, most)
				}
				if s.asks() > 3 {
					t.Errorf("concurrency %d: a page was asked for %d times", concurrency, s.asks())
				}
				if first == nil {
					first = good
				}
				if !slices.Equal(first, good) {
					t.Errorf("concurrency %d delivers other pages", concurrency)
				}
			}
		})
	}
}

// TestOverload checks that a host that refuses requests beyond its capacity
// gets few more than it can serve, and that its pages are delivered.
func TestOverload(t *testing.T) {
	const bears = 3
	for _, concurrency := range []int{1, 8, 64} {
		refused := 0
		s := &store{pages: 1000, flat: true, load: func(inflight int, _ time.Duration) (time.Duration, int) {
			took := 80*time.Millisecond + rand.N(40*time.Millisecond) // otherwise all requests would arrive at the same moment
			if inflight > bears {
				refused++
				return took, http.StatusServiceUnavailable
			}
			return took, 0
		}}
		good, took := s.walk(t, crawl.Config{Concurrency: concurrency})
		t.Logf("concurrency %d: %d good pages in %v, %d refused", concurrency, len(good), took, refused)
		if len(good) < 960 {
			t.Errorf("concurrency %d: %d pages, want nearly all of 1000", concurrency, len(good))
		}
		if refused > 600 {
			t.Errorf("concurrency %d: %d requests were too many for the host", concurrency, refused)
		}
	}
}

// TestSlowHost checks that a host gets fewer requests if they make it slower. A
// host that is always slow gets its usual number.
func TestSlowHost(t *testing.T) {
	t.Run("by load", func(t *testing.T) {
		s := &store{pages: 1000, load: func(inflight int, at time.Duration) (time.Duration, int) {
			if at < 5*time.Second {
				return 100 * time.Millisecond, 0
			}
			return time.Duration(inflight) * 100 * time.Millisecond, 0 // from now on it serves one request at a time
		}}
		good, _ := s.walk(t, crawl.Config{Concurrency: 16})
		if len(good) != 1000 {
			t.Errorf("%d pages", len(good))
		}
		late := s.log[len(s.log)-20].began
		inflight := 0
		for _, v := range s.log {
			if v.began.Before(late) && v.ended.After(late) {
				inflight++
			}
		}
		if inflight > 8 {
			t.Errorf("%d requests in flight at the end, want fewer than the 16 at first", inflight)
		}
	})
	t.Run("always", func(t *testing.T) {
		s := &store{pages: 2000, load: func(_ int, at time.Duration) (time.Duration, int) {
			if at < 5*time.Second {
				return 50 * time.Millisecond, 0
			}
			return time.Second, 0
		}}
		good, took := s.walk(t, crawl.Config{Concurrency: 16})
		if len(good) != 2000 || took > 150*time.Second {
			t.Errorf("%d pages in %v, want 2000 in hardly more than 110s", len(good), took)
		}
	})
}

// TestFailing checks that a failure rate that does not depend on the request
// rate does not count as overload.
func TestFailing(t *testing.T) {
	fails := func(page, _ int, _ time.Duration) (int, http.Header, error) {
		if page > 50 && page%3 == 0 {
			return http.StatusInternalServerError, nil, nil
		}
		return 0, nil, nil
	}
	for _, concurrency := range []int{1, 8} {
		s := &store{pages: 1000, latency: 50 * time.Millisecond, misbehave: fails}
		good, took := s.walk(t, crawl.Config{Concurrency: concurrency})
		want := 0
		for page := range 1000 {
			if status, _, _ := fails(page, 1, 0); status == 0 {
				want++
			}
		}
		requests := len(s.log)
		busy := time.Duration(requests) * 50 * time.Millisecond / time.Duration(concurrency)
		if len(good) != want || took > busy*2+30*time.Second { // usually 25 to 37 s at concurrency 8, by chance
			t.Errorf("concurrency %d: %d pages in %v, want %d in about %v", concurrency, len(good), took, want, busy)
		}
	}
}

// TestOutage checks that a host that is down for a minute is tested now and
// then by its robots.txt, and that all its pages are delivered afterwards.
func TestOutage(t *testing.T) {
	for _, concurrency := range []int{1, 8, 64} {
		out := func(at time.Duration) bool { return at >= 2*time.Second && at < 62*time.Second }
		s := &store{pages: 1000, latency: max(50, 8*time.Duration(concurrency)) * time.Millisecond, misbehave: func(_, _ int, at time.Duration) (int, http.Header, error) {
			if out(at) {
				return 0, nil, errReset
			}
			return 0, nil, nil
		}}
		good, took := s.walk(t, crawl.Config{Concurrency: concurrency})
		meanwhile := 0
		for _, v := range s.log {
			if out(v.began.Sub(s.began)) {
				meanwhile++
			}
		}
		if len(good) != 1000 || took > 4*time.Minute {
			t.Errorf("concurrency %d: %d pages in %v", concurrency, len(good), took)
		}
		if meanwhile > 2*concurrency+20 {
			t.Errorf("concurrency %d: %d requests while it was down", concurrency, meanwhile)
		}
		t.Logf("concurrency %d: took %v, %d requests while it was down", concurrency, took, meanwhile)
	}
}

// TestCircuit checks that a host that stops answering gets no requests for
// increasing times and is then given up.
func TestCircuit(t *testing.T) {
	s := &store{pages: 400, latency: 10 * time.Millisecond, misbehave: func(_, _ int, at time.Duration) (int, http.Header, error) {
		if at > 300*time.Millisecond {
			return 0, nil, errReset
		}
		return 0, nil, nil
	}}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		down, ok := 0, 0
		e := crawl.Engine{Fetcher: s}
		for p, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/p0", Concurrency: 4, Sitemap: crawl.SitemapSkip, EntireDomain: true}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case p.Err == nil:
				ok++
			case errors.Is(p.Err, crawl.ErrHostDown):
				down++
			default:
				t.Errorf("%s: %v", p.URL, p.Err)
			}
		}
		dead := 0
		for _, v := range s.log {
			if v.began.Sub(s.began) > 300*time.Millisecond {
				dead++
			}
		}
		took := time.Since(begun)
		if ok < 50 || down < 20 || dead > 40 || took < 220*time.Second || took > 5*time.Minute {
			t.Errorf("%d pages came, %d failed for the host, %d requests to a dead host, in %v; want the 10 s of silence and three parkings of 210 s", ok, down, dead, took)
		}
	})
}

// TestThrottled checks that a host gets no requests for as long as Retry-After
// in its 429 answers says, and that all its pages are delivered.
func TestThrottled(t *testing.T) {
	const wait = 3
	for _, concurrency := range []int{1, 8, 64} {
		storm := func(at time.Duration) bool { return at >= time.Second && at < 20*time.Second }
		s := &store{pages: 500, latency: 50 * time.Millisecond, misbehave: func(_, _ int, at time.Duration) (int, http.Header, error) {
			if storm(at) {
				return http.StatusTooManyRequests, http.Header{"Retry-After": {strconv.Itoa(wait)}}, nil
			}
			return 0, nil, nil
		}}
		good, took := s.walk(t, crawl.Config{Concurrency: concurrency})
		if len(good) != 500 || took > 2*time.Minute {
			t.Errorf("concurrency %d: %d pages in %v", concurrency, len(good), took)
		}
		slices.SortFunc(s.log, func(a, b visit) int { return a.began.Compare(b.began) })
		var until time.Time
		refused := 0
		for _, v := range s.log {
			if storm(v.began.Sub(s.began)) {
				refused++
				until = v.ended.Add(wait * time.Second)
			} else if v.began.Before(until) && v.began.After(until.Add(-wait*time.Second)) {
				t.Errorf("concurrency %d: %s was asked for %v before the host allowed", concurrency, v.url, until.Sub(v.began))
			}
		}
		if refused > 2*concurrency+10 {
			t.Errorf("concurrency %d: %d requests were refused", concurrency, refused)
		}
	}
}
