// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// fetcher is a Fetcher made from a func for one exchange.
type fetcher func(context.Context, *fetch.Exchange) (*fetch.Response, error)

func (f fetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return fetch.Follow(ctx, r, nil, f)
}

// answer returns a Fetcher for a func that maps paths to HTML. An empty page is
// a 404.
func answer(html func(path string) string) fetcher {
	return func(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
		_, path, _ := strings.Cut(strings.TrimPrefix(x.URL, "http://"), "/")
		resp := &fetch.Response{URL: x.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(html("/" + path))}
		if len(resp.Body) == 0 || path == "robots.txt" {
			resp.Status = 404
		}
		return resp, nil
	}
}

func TestSameBody(t *testing.T) {
	bubble(t, "-- a.test/ --\n<a href='/b'>b</a><a href='/c'>c</a>\n-- a.test/b --\nsame\n-- a.test/c --\nsame\n", func(t *testing.T, site *fetchtest.Site) {
		pages := plain(t, site, crawl.Config{Concurrency: 1})
		if len(pages) != 3 || pages[0].SameBody != pages[0].ID || pages[1].SameBody != pages[1].ID || pages[2].SameBody != pages[1].ID {
			t.Errorf("%d pages", len(pages))
		}
	})
}

// TestBudget checks that a crawl ends if all pages fail or redirect.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless := fetcher(func(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
			resp := &fetch.Response{URL: x.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}}
			switch {
			case strings.HasSuffix(x.URL, "robots.txt"):
				resp.Status = 404
			case strings.HasSuffix(x.URL, "a.test/"):
				for i := range 5000 {
					resp.Body = fmt.Appendf(resp.Body, "<a href='/%s'>x</a>", word(i))
				}
			default:
				return nil, fetch.ErrTooLarge
			}
			return resp, nil
		})
		got := gather(t, endless, crawl.Config{URL: "http://a.test/", Limit: 2, Sitemap: crawl.SitemapSkip})
		if s := got.stats; s.Requests != 1020 || !s.Spent || s.Delivered != 1 {
			t.Errorf("Stats: %+v", s)
		}
	})
}

// TestManyLinks counts the links of a page beyond those that are read, also if another
// process has read the page.
func TestManyLinks(t *testing.T) {
	body := strings.Repeat("<a href='/'>x</a>", 100_007) + "<a href='/last'>x</a>"
	site := answer(func(p string) string {
		if p == "/list" {
			return body
		}
		return "<a href='/list'>x</a>"
	})
	config := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}
	other := crawl.Engine{Fetcher: site}
	helper, err := other.Assist(config)
	if err != nil {
		t.Fatal(err)
	}
	defer helper.Close()
	share := func(ctx context.Context, task *crawl.SharedTask, _ func()) (*crawl.SharedResult, error) {
		return helper.Do(ctx, task, nil)
	}
	for name, c := range map[string]crawl.Config{"alone": config, "shared": {URL: config.URL, Sitemap: config.Sitemap, Share: share}} {
		if s := gather(t, site, c).stats; s.Delivered != 2 || s.Refused[scope.RuleRoom] != 8 {
			t.Errorf("%s: %d pages, %d links were not read; want 2 and 8", name, s.Delivered, s.Refused[scope.RuleRoom])
		}
	}
}

// TestRoutes checks that a page equal to its parent counts as below it only if
// its path is, not because of slashes in its query or fragment.
func TestRoutes(t *testing.T) {
	site := answer(func(p string) string {
		if p == "/robots.txt" {
			return ""
		}
		return "Always the same <a href='/#/a/b'>x</a> <a href='/?from=/a/b'>y</a>"
	})
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
	for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := stats(); s.Delivered != 3 || s.Refused[scope.RuleDuplicate] != 4 || s.Refused[scope.RuleTrap] != 0 {
		t.Errorf("%d pages, %d duplicates, %d traps; want 3, 4, 0", s.Delivered, s.Refused[scope.RuleDuplicate], s.Refused[scope.RuleTrap])
	}
}

// TestWeight checks that the bodies in flight are limited while the consumer is
// idle.
func TestWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetched atomic.Int64
		big := strings.Repeat("x", 3<<20)
		heavy := answer(func(p string) string {
			if p == "/" {
				var b strings.Builder
				for i := range 200 {
					fmt.Fprintf(&b, "<a href='/%s'>x</a>", word(i))
				}
				return b.String()
			}
			fetched.Add(1)
			return p + big
		})
		e := crawl.Engine{Fetcher: heavy}
		n := 0
		for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Concurrency: 4, Sitemap: crawl.SitemapSkip, Limit: 20}) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			n++
			if ahead := int(fetched.Load()) - n; ahead > 8 {
				t.Errorf("%d pages are ahead of the consumer", ahead)
			}
		}
		if n != 20 {
			t.Errorf("%d pages, want 20", n)
		}
	})
}

// TestWeightSitemaps checks that sitemap files count as well. Once their size
// is known, only a few are in flight.
func TestWeightSitemaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const files, workers = 40, 8
		var index strings.Builder
		index.WriteString("<sitemapindex>")
		for i := range files {
			fmt.Fprintf(&index, "<sitemap><loc>/%d.xml</loc></sitemap>", i)
		}
		big := strings.Repeat("#", 16<<20)
		var flying, done, most atomic.Int64
		e := crawl.Engine{Fetcher: answer(func(p string) string {
			switch p {
			case "/":
				return "x"
			case "/sitemap.xml":
				return index.String()
			case "/robots.txt":
				return ""
			}
			if n := flying.Add(1); done.Load() >= 2*workers {
				most.Store(max(most.Load(), n))
			}
			time.Sleep(time.Second)
			flying.Add(-1)
			done.Add(1)
			return big
		})}
		for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Concurrency: workers}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := most.Load(); done.Load() != files || n > 4 {
			t.Errorf("%d files of 16 MiB were asked for, %d at once; want %d, 4", done.Load(), n, files)
		}
	})
}
