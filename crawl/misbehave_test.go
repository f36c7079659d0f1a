// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// hollow is a fetcher that returns the same response for every page but robots.txt.
type hollow struct{ resp *fetch.Response }

func (h hollow) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, "/robots.txt") {
		return &fetch.Response{URL: r.URL, Status: 404}, nil
	}
	return h.resp, nil
}

// TestHollow checks that a fetcher that returns nothing, or no status, makes the page a failure.
func TestHollow(t *testing.T) {
	for name, resp := range map[string]*fetch.Response{"nothing": nil, "no status": {URL: "http://a.test/", Body: []byte("x")}} {
		synctest.Test(t, func(t *testing.T) {
			e := crawl.Engine{Fetcher: hollow{resp}}
			failed := 0
			for page, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}) {
				if err != nil || !errors.Is(page.Err, fetch.ErrProtocol) {
					t.Errorf("%s: %+v, %v, want a page that failed", name, page, err)
				}
				failed++
			}
			if failed != 1 {
				t.Errorf("%s: %d pages, want 1", name, failed)
			}
		})
	}
}

// TestMisbehaving checks that slow or failing hosts hardly delay a site. Its
// last page is requested while the bad hosts are still being tried.
func TestMisbehaving(t *testing.T) {
	// site returns one good host whose start page links to some of its pages
	// and to pages of bad hosts.
	site := func(named, bad int, answer, robots string) string {
		var b strings.Builder
		b.WriteString("-- a.test/ --\n")
		for h := range bad {
			for i := range 6 {
				fmt.Fprintf(&b, "<a href='http://b%d.test/%s'>x</a>", h, word(i))
			}
		}
		const pages = 90
		for i := range pages {
			if i < named {
				fmt.Fprintf(&b, "<a href='/%s'>x</a>", word(i))
			}
		}
		for i := range pages {
			fmt.Fprintf(&b, "\n-- a.test/%s --\nHTTP 200\nX-Latency: 500ms\nContent-Type: text/html\n\n%s", word(i), word(i))
			for _, n := range []int{3*i + 3, 3*i + 4, 3*i + 5} {
				if n < pages {
					fmt.Fprintf(&b, "<a href='/%s'>x</a>", word(n))
				}
			}
		}
		for h := range bad {
			fmt.Fprintf(&b, "\n-- b%d.test/robots.txt --\n%s", h, robots)
			for i := range 6 {
				fmt.Fprintf(&b, "\n-- b%d.test/%s --\n%s\n", h, word(i), answer)
			}
		}
		return b.String()
	}
	// last returns the time at which the last page of the good host was
	// requested.
	last := func(t *testing.T, archive string, workers int) (at time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			s := fetchtest.New(t, []byte(archive))
			plain(t, s, crawl.Config{External: true, Concurrency: workers})
			log := s.Log()
			for _, h := range log {
				if strings.HasPrefix(h.URL, "http://a.test/") {
					at = h.Time.Sub(log[0].Time)
				}
			}
		})
		return at
	}
	for name, c := range map[string]struct{ answer, robots string }{
		"hang":        {"HTTP 200\nX-Fault: hang\n\n", "User-agent: *\n"},
		"robots hang": {"x", "HTTP 200\nX-Fault: hang\n\n"},
		"slow":        {"HTTP 200\nX-Latency: 25s\n\n", "User-agent: *\n"},
		"reset":       {"HTTP 200\nX-Fault: reset\n\n", "User-agent: *\n"},
		"429":         {"HTTP 429\nRetry-After: 500\n\n", "User-agent: *\n"},
		"503":         {"HTTP 503\n\n", "User-agent: *\n"},
		"delay":       {"x", "User-agent: *\nCrawl-delay: 30\n"},
	} {
		for _, bad := range []int{1, 12} {
			for _, share := range []struct {
				named   int // pages of the good host in the start page
				workers int
				kept    int // workers that the good host must get
			}{
				{3, 2, 1},
				{3, 8, 4}, // the minimum, before anything is known about the host
				{30, 2, 1},
				{30, 8, 6},
			} {
				good := last(t, site(share.named, 0, "", ""), share.workers)
				got := last(t, site(share.named, bad, c.answer, c.robots), share.workers)
				if got > good*time.Duration(share.workers)/time.Duration(share.kept)+time.Second {
					t.Errorf("%s, %d bad hosts, %+v: the site took %v, alone %v", name, bad, share, got, good)
				}
			}
		}
	}
}

// TestMovedHost checks that the host to which the start page redirects counts
// as the crawl's own host, with as many requests in flight.
func TestMovedHost(t *testing.T) {
	for _, to := range []string{"www.a.test", "b.test"} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			fmt.Fprintf(&b, "-- a.test/ --\nHTTP 301\nLocation: http://%s/\n\n\n-- %s/ --\n", to, to)
			for i := range 8 {
				fmt.Fprintf(&b, "<a href='/%s'>x</a>", word(i))
			}
			for i := range 8 {
				fmt.Fprintf(&b, "\n-- %s/%s --\nHTTP 200\nX-Latency: 1s\n\nx\n", to, word(i))
			}
			site := fetchtest.New(t, []byte(b.String()))
			plain(t, site, crawl.Config{Concurrency: 8})
			at := map[string]int{}
			for _, v := range visits(site) {
				when, _, _ := strings.Cut(v, " ")
				at[when]++
			}
			if len(at) != 1 {
				t.Errorf("%s: requests by time: %v, want all at once", to, at)
			}
		})
	}
}
