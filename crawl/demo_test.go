// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/golden"
)

var demoSite = golden.Root("examples/internal/demo/site.txtar")

// demo is the demo site as a simple reference implementation reads it.
type demo struct {
	pages   map[string]demoPage // by URL
	sitemap []string
}

type demoPage struct {
	status int
	to     string // target of a redirect
	links  []string
}

var textual = regexp.MustCompile(`^text/(html|plain|markdown)`)

var inline = regexp.MustCompile(`\]\((.*?)\)`) // Markdown links

var loc = regexp.MustCompile(`<loc>\s*(.*?)\s*</loc>`)

func readDemo(site *fetchtest.Site) demo {
	d := demo{pages: map[string]demoPage{}}
	for _, p := range site.Pages() {
		base, _ := url.Parse(p.URL)
		page := demoPage{status: p.Status}
		switch {
		case p.Status/100 == 3:
			to, _ := base.Parse(p.Header.Get("Location"))
			page.to = to.String()
		case p.Status == 200 && textual.MatchString(p.Header.Get("Content-Type")):
			page.links = hrefs(base, string(p.Body))
		case base.Host == "demo.test" && strings.HasSuffix(base.Path, ".xml"):
			for _, m := range loc.FindAllStringSubmatch(string(p.Body), -1) {
				if !strings.HasSuffix(m[1], ".xml") {
					d.sitemap = append(d.sitemap, html.UnescapeString(m[1]))
				}
			}
		}
		d.pages[p.URL] = page
	}
	return d
}

// hrefs returns the targets of a page's links.
func hrefs(base *url.URL, body string) (list []string) {
	root, _ := html.Parse(strings.NewReader(body))
	var refs []string
	for n := range root.Descendants() {
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
		}
		switch n.Data {
		case "base":
			base, _ = base.Parse(attrs["href"])
		case "a", "area":
			refs = append(refs, attrs["href"])
		case "iframe":
			refs = append(refs, attrs["src"])
		case "link":
			if attrs["rel"] == "next" || attrs["rel"] == "prev" {
				refs = append(refs, attrs["href"])
			}
		case "meta":
			if _, to, ok := strings.Cut(attrs["content"], "url="); ok && strings.EqualFold(attrs["http-equiv"], "refresh") {
				refs = append(refs, to)
			}
		}
	}
	for _, m := range inline.FindAllStringSubmatch(body, -1) {
		refs = append(refs, m[1])
	}
	for _, ref := range refs {
		if u, err := base.Parse(strings.TrimSpace(ref)); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			u.Fragment, u.Host = "", strings.TrimSuffix(strings.ToLower(u.Host), ":80")
			list = append(list, u.String())
		}
	}
	return list
}

// pageKey returns a key that is equal for URLs that the contract calls similar.
func pageKey(u string) string {
	u = strings.TrimPrefix(strings.TrimPrefix(u, "http://"), "www.")
	path, query, _ := strings.Cut(u, "?")
	for _, end := range []string{"/index.html", "/index.php", "/"} {
		if p, ok := strings.CutSuffix(path, end); ok {
			path = p
			break
		}
	}
	return path + "?" + query
}

var skipped = regexp.MustCompile(`\.(png|jpg|jpeg|gif|css|js|ico|svg|zip|mp4|mp3)$`)

// follows is a short implementation of the scope.
func (d demo) follows(c crawl.Config, to string, redirect bool) bool {
	u, _ := url.Parse(to)
	switch {
	case skipped.MatchString(u.Path):
		return false
	case u.Hostname() == "partner.test":
		return c.External
	case u.Hostname() == "docs.demo.test":
		return c.Subdomains || c.External
	case u.Hostname() != "demo.test" && u.Hostname() != "www.demo.test":
		return false // a social network, or not part of this site
	}
	start, _ := url.Parse(c.URL)
	return redirect || c.EntireDomain || strings.HasPrefix(u.Path, start.Path)
}

// disallowed implements the robots.txt of the demo site.
func disallowed(u string) bool {
	p := strings.TrimPrefix(u, "http://demo.test")
	return p != u && (strings.HasPrefix(p, "/private/") && !strings.HasPrefix(p, "/private/open") || strings.HasSuffix(p, ".bak")) ||
		strings.HasPrefix(u, "http://docs.demo.test/draft")
}

// search is the reference: a breadth-first search in which redirects have no
// cost.
func (d demo) search(c crawl.Config) map[string]int {
	depths := map[string]int{}
	seen := map[string]bool{}
	var level, next []string
	enter := func(list *[]string, u string, redirect bool) {
		if !seen[pageKey(u)] && d.follows(c, u, redirect) {
			seen[pageKey(u)] = true
			*list = append(*list, u)
		}
	}
	enter(&level, c.URL, true)
	if c.Sitemap != crawl.SitemapSkip {
		for _, u := range d.sitemap {
			enter(&level, u, false)
		}
	}
	for depth := 0; len(level) > 0; depth++ {
		next = nil
		for len(level) > 0 {
			u := level[0]
			level = level[1:]
			p, ok := d.pages[u]
			off := strings.HasPrefix(u, "http://partner.test") || strings.HasPrefix(u, "http://docs.") && !c.Subdomains
			switch {
			case disallowed(u):
				continue
			case !ok:
				p.status = 404
			case p.to != "":
				if pageKey(p.to) == pageKey(u) { // a redirect to the same key is not a duplicate
					delete(seen, pageKey(u))
				}
				enter(&level, p.to, true)
				continue
			}
			depths[u] = depth
			if p.status/100 != 2 || off || c.Sitemap == crawl.SitemapOnly || c.MaxDepth != nil && depth >= *c.MaxDepth {
				continue
			}
			next = append(next, p.links...)
		}
		for _, u := range next {
			enter(&level, u, false)
		}
	}
	return depths
}

// TestDemo crawls the demo site with combinations of sitemap mode, depth and
// scope, with and without a limit, with 1, 4 or 32 workers. With -every it
// tries all combinations. Each crawl must return exactly the reachable pages,
// each once.
func TestDemo(t *testing.T) {
	all := 0
	for i, c := range configs() {
		for k, workers := range []int{1, 4, 32} {
			// Steps of five reach all modes, depths and switches.
			if !*every && (i%5 != 0 || i%3 != k) {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Open(t, demoSite)
				d := readDemo(site)
				c.URL, c.Concurrency, c.Limit = "http://demo.test/", workers, 0
				if i%2 == 1 {
					c.URL = "http://demo.test/birds/"
				}
				want := d.search(c)
				all = max(all, len(want))
				total := len(want)
				got := gather(t, lagging{site, 200 * time.Millisecond}, c)
				if c.MaxDepth == nil {
					flatten(want)
					flatten(got.delivered)
				}
				if diff := cmp.Diff(want, got.delivered); diff != "" {
					t.Errorf("%s %s: delivered (-want +got):\n%s", c.URL, name(c), diff)
				}
				asked := map[string]int{}
				for _, h := range site.Log() {
					asked[h.URL]++
					if n := asked[h.URL]; n > 1 && d.pages[h.URL].status < 300 {
						t.Errorf("%s was asked for %d times", h.URL, n)
					}
					if disallowed(h.URL) {
						t.Errorf("%s was asked for against robots.txt", h.URL)
					}
				}
				c.Limit = 1 + (i*37+workers)%(total+3)
				if n := len(gather(t, lagging{site, 200 * time.Millisecond}, c).delivered); n != min(c.Limit, total) {
					t.Errorf("%s: limit %d gave %d of %d", name(c), c.Limit, n, total)
				}
			})
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	if all < 250 {
		t.Errorf("the largest crawl has %d pages, want 250", all)
	}
}

// BenchmarkDemo measures the engine's own cost per page.
func BenchmarkDemo(b *testing.B) {
	site := fetchtest.Open(b, demoSite)
	e := crawl.Engine{Fetcher: site}
	pages := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range e.Run(b.Context(), crawl.Config{URL: "http://demo.test/", Subdomains: true, External: true, Exclude: []string{"/broken$"}}) {
			if err != nil {
				b.Fatal(err)
			}
			pages++
		}
		site.Reset()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pages), "ns/page")
}
