// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// TestList lists a site: the start page, the pages of the sitemaps in file
// order, and the links of the start page. Nothing else is requested.
func TestList(t *testing.T) {
	const archive = `
-- a.test/ --
<a href="/link">a link</a> <a href="/listed">both</a> <a href="/private">private</a> <a href="http://b.test/">b</a>
-- a.test/robots.txt --
User-agent: *
Disallow: /private
Crawl-delay: 3
Sitemap: /maps/index.xml
-- a.test/maps/index.xml --
<sitemapindex><sitemap><loc>http://a.test/maps/one.xml</loc></sitemap></sitemapindex>
-- a.test/maps/one.xml --
<urlset><url><loc>http://a.test/z</loc></url><url><loc>http://a.test/listed</loc></url><url><loc>http://a.test/a.png</loc></url></urlset>
-- a.test/link --
<a href="/deep">deep</a>
`
	for _, tt := range []struct {
		config crawl.Config
		want   []string
	}{
		{crawl.Config{}, []string{"/", "/z", "/listed", "/link"}},
		{crawl.Config{Limit: 3}, []string{"/", "/z", "/listed"}},
		{crawl.Config{Limit: 1}, []string{"/"}},
		{crawl.Config{Sitemap: crawl.SitemapSkip}, []string{"/", "/link", "/listed"}},
		{crawl.Config{Sitemap: crawl.SitemapOnly}, []string{"/", "/z", "/listed"}},
		{crawl.Config{External: true}, []string{"/", "/z", "/listed", "/link", "http://b.test/"}},
	} {
		for _, n := range []int{1, 8} {
			bubble(t, archive, func(t *testing.T, site *fetchtest.Site) {
				c := tt.config
				c.URL, c.List, c.Concurrency = "http://a.test/", true, n
				var got []string
				text := map[string]string{}
				e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Found: func(_ string, l crawl.Link, r scope.Rule) {
					if r == 0 && l.Text != "" {
						text[l.URL] = l.Text
					}
				}}}
				for p, err := range e.Run(t.Context(), c) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, strings.TrimPrefix(p.URL, "http://a.test"))
					if (p.Status != 0) != (p.URL == "http://a.test/") || p.Err != nil {
						t.Errorf("%s: status %d, %v", p.URL, p.Status, p.Err)
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("%+v: listed (-want +got):\n%s", tt.config, d)
				}
				if tt.config.Sitemap != crawl.SitemapOnly && text["http://a.test/link"] != "a link" {
					t.Errorf("texts: %v", text)
				}
				for _, h := range site.Log() {
					if strings.HasSuffix(h.URL, "/link") || strings.HasSuffix(h.URL, "/z") || strings.HasPrefix(h.URL, "http://b.test") {
						t.Errorf("%s was asked for", h.URL)
					}
				}
			})
		}
	}
}

// TestSitemapsManyNamed names far more sitemaps than a crawl may read. It
// checks how many of them are requested and how often Judge is called.
func TestSitemapsManyNamed(t *testing.T) {
	const pages, files = 1500, 49_000
	var index, urls, robots strings.Builder
	index.WriteString("<sitemapindex>")
	for i := range files {
		fmt.Fprintf(&index, "<sitemap><loc>/map-%d.xml</loc></sitemap>", i)
		fmt.Fprintf(&robots, "Sitemap:%x\n", i)
	}
	urls.WriteString("<urlset>")
	for i := range pages {
		fmt.Fprintf(&urls, "<url><loc>/page-%d</loc></url>", i)
	}
	urls.WriteString("<url><loc>/more.xml</loc></url></urlset>")
	for _, tt := range []struct {
		name, url, body     string
		asked, pages, judge int
	}{
		{"by an index", "/sitemap.xml", index.String(), 1000, 1, 1100},
		{"by robots.txt", "/robots.txt", robots.String(), 1000, 1, 1100},
		{"behind pages", "/sitemap.xml", urls.String(), 2, 1 + pages, 2 * pages},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, judged := map[string]bool{}, 0
			var mu sync.Mutex
			site := fetcher(func(_ context.Context, x *fetch.Exchange) (*fetch.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				path := strings.TrimPrefix(x.URL, "http://a.test")
				res := &fetch.Response{URL: x.URL, Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("x")}
				switch path {
				case tt.url:
					res.Body = []byte(tt.body)
				case "/robots.txt":
					res.Status = 404
				}
				if path != "/" && path != "/robots.txt" && !strings.HasPrefix(path, "/page-") {
					asked[path] = true
				}
				return res, nil
			})
			e := crawl.Engine{Fetcher: site}
			n := 0
			for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Judge: func(context.Context, string, crawl.Stage) error {
				mu.Lock()
				defer mu.Unlock()
				judged++
				return nil
			}}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if len(asked) != tt.asked || n != tt.pages {
				t.Errorf("%d files asked for and %d pages, want %d and %d", len(asked), n, tt.asked, tt.pages)
			}
			if judged > tt.judge+tt.pages {
				t.Errorf("Judge was asked %d times, want %d at most", judged, tt.judge+tt.pages)
			}
		})
	}
}

// TestSitemaps checks where sitemaps are looked for, how deeply they are
// followed, and what happens to those that cannot be read.
func TestSitemaps(t *testing.T) {
	for _, tt := range []struct {
		name, start, archive string
		config               crawl.Config
		want                 []string
		damaged              int
	}{
		{"usual places", "http://docs.a.test/x/", `
-- docs.a.test/x/ --
x
-- docs.a.test/x/sitemap.xml --
<urlset><url><loc>http://docs.a.test/x/1</loc></url></urlset>
-- docs.a.test/sitemap.xml --
http://docs.a.test/x/2
-- a.test/sitemap.xml --
<urlset><url><loc>http://docs.a.test/x/3</loc></url><url><loc>http://a.test/4</loc></url></urlset>
`, crawl.Config{}, []string{"docs.a.test/x/", "docs.a.test/x/1", "docs.a.test/x/2", "docs.a.test/x/3"}, 0},
		{"disallowed", "http://a.test/", `
-- a.test/ --
x
-- a.test/robots.txt --
User-agent: *
Disallow: /*.xml
Sitemap: /named.xml
-- a.test/sitemap.xml --
http://a.test/1
-- a.test/named.xml --
http://a.test/2
`, crawl.Config{}, []string{"a.test/", "a.test/2"}, 0},
		{"robots ignored", "http://a.test/", `
-- a.test/ --
x
-- a.test/robots.txt --
User-agent: *
Disallow: /
Sitemap: http://b.test/named.xml
-- b.test/named.xml --
http://a.test/2
`, crawl.Config{Robots: crawl.RobotsIgnore}, []string{"a.test/", "a.test/2"}, 0},
		{"the start itself", "http://a.test/map.xml", `
-- a.test/map.xml --
<urlset><url><loc>http://a.test/1</loc></url></urlset>
`, crawl.Config{MaxDepth: new(0)}, []string{"a.test/1", "a.test/map.xml"}, 0},
		{"depth 0 keeps its pages", "http://a.test/", `
-- a.test/ --
<a href="/link">x</a>
-- a.test/sitemap.xml --
http://a.test/1
`, crawl.Config{MaxDepth: new(0)}, []string{"a.test/", "a.test/1"}, 0},
		{"twice in one, and linked", "http://a.test/", `
-- a.test/ --
<a href="/1">x</a>
-- a.test/1 --
x
-- a.test/sitemap.xml --
http://a.test/1
https://www.a.test/1/
http://a.test/1
`, crawl.Config{MaxDepth: new(1)}, []string{"a.test/", "a.test/1"}, 0},
		{"moved with the site", "http://a.test/", `
-- a.test/ --
HTTP 301
Location: http://b.test/

-- b.test/ --
x
-- a.test/sitemap.xml --
http://a.test/1
-- b.test/sitemap.xml --
HTTP 302
Location: /other.xml

-- b.test/other.xml --
http://b.test/1
`, crawl.Config{}, []string{"b.test/", "b.test/1"}, 0},
		{"contains itself", "http://a.test/", `
-- a.test/ --
x
-- a.test/sitemap.xml --
<sitemapindex><sitemap><loc>http://a.test/sitemap.xml</loc></sitemap><sitemap><loc>http://a.test/1.xml</loc></sitemap></sitemapindex>
-- a.test/1.xml --
<sitemapindex><sitemap><loc>http://a.test/2.xml</loc></sitemap></sitemapindex>
-- a.test/2.xml --
<sitemapindex><sitemap><loc>http://a.test/3.xml</loc></sitemap></sitemapindex>
-- a.test/3.xml --
<sitemapindex><sitemap><loc>http://a.test/4.xml</loc></sitemap><sitemap><loc>http://a.test/deep</loc></sitemap></sitemapindex>
-- a.test/4.xml --
http://a.test/never
`, crawl.Config{}, []string{"a.test/"}, 0},
		{"named by robots.txt without a host", "http://a.test/docs/guide", `
-- a.test/docs/guide --
x
-- a.test/robots.txt --
Sitemap: map.xml
-- a.test/map.xml --
http://a.test/docs/guide/1
`, crawl.Config{}, []string{"a.test/docs/guide", "a.test/docs/guide/1"}, 0},
		{"below a path that looks like a host", "http://a.test//b.test/", `
-- a.test//b.test/ --
x
-- a.test//b.test/sitemap.xml --
http://a.test//b.test/1
-- b.test/sitemap.xml --
http://a.test//b.test/2
`, crawl.Config{}, []string{"a.test//b.test/", "a.test//b.test/1"}, 0},
		{"broken", "http://a.test/", `
-- a.test/ --
<a href="/link">x</a>
-- a.test/sitemap.xml --
HTTP 200
X-Fault: hang

x
-- a.test/robots.txt --
Sitemap: /gone.xml
Sitemap: http://nowhere.test/x.xml
`, crawl.Config{}, []string{"a.test/", "a.test/link"}, 3},
		{"parts of a guess", "http://a.test/", `
-- a.test/ --
x
-- a.test/robots.txt --
User-agent: *
Disallow: /secret.xml
-- a.test/sitemap.xml --
<sitemapindex><sitemap><loc>/gone.xml</loc></sitemap><sitemap><loc>/page.xml</loc></sitemap>
<sitemap><loc>/secret.xml</loc></sitemap><sitemap><loc>/part.xml</loc></sitemap></sitemapindex>
-- a.test/page.xml --
<!DOCTYPE html><p>Not found</p>
-- a.test/secret.xml --
http://a.test/1
-- a.test/part.xml --
http://a.test/2
`, crawl.Config{}, []string{"a.test/", "a.test/2"}, 3},
		{"a guess that may exist", "http://docs.a.test/x/", `
-- docs.a.test/x/ --
x
-- docs.a.test/x/sitemap.xml --
HTTP 500

-- docs.a.test/sitemap.xml --
HTTP 403

-- a.test/sitemap.xml --
HTTP 200
X-Fault: hang

x
`, crawl.Config{}, []string{"docs.a.test/x/"}, 1},
		{"cut", "http://a.test/", `
-- a.test/ --
x
-- a.test/robots.txt --
Sitemap: /page.xml
Sitemap: /index.xml
-- a.test/page.xml --
<!DOCTYPE html><p>Not found</p>
-- a.test/index.xml --
<sitemapindex><sitemap><loc>http://a.test/part.xml</loc></sitemap></sitemapindex>
-- a.test/part.xml --
HTTP 200
X-Fault: truncate

http://a.test/1
http://a.test/1

-- a.test/sitemap.xml --
<urlset><url><loc>http://a.test/2</loc></url><url><loc>http://a.te
`, crawl.Config{}, []string{"a.test/", "a.test/1", "a.test/2"}, 3},
		{"guess", "http://a.test/", `
-- a.test/ --
x
-- a.test/sitemap.xml --
<!DOCTYPE html><p>Not found</p>
`, crawl.Config{}, []string{"a.test/"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.archive, func(t *testing.T, site *fetchtest.Site) {
				c := tt.config
				c.URL = tt.start
				var pages []*crawl.Page
				var stats func() frontier.Stats
				e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
				for p, err := range e.Run(t.Context(), c) {
					if err != nil {
						t.Fatal(err)
					}
					pages = append(pages, p)
				}
				if d := cmp.Diff(tt.want, urls(pages)); d != "" {
					t.Errorf("pages (-want +got):\n%s", d)
				}
				if n := stats().Damaged; n != tt.damaged {
					t.Errorf("%d sitemaps are damaged, want %d", n, tt.damaged)
				}
			})
		})
	}
}
