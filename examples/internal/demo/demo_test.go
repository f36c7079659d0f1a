// SPDX-License-Identifier: Apache-2.0

package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/crawl"
	"example.com/curlew/examples/internal/demo"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// web is the demo site as the reference search sees it.
type web map[string]fetchtest.Page // by URL

// search is the reference: breadth first, level by level, and a redirect costs
// nothing. It returns the least depth of each page that is delivered.
func (w web) search(c crawl.Config) map[string]int {
	got, seen := map[string]int{}, map[string]bool{}
	level := []string{c.URL}
	if c.Sitemap != crawl.SitemapSkip {
		level = append(level, w.sitemap("http://demo.test/sitemap.xml")...)
	}
	for depth := 0; len(level) > 0; depth++ {
		var next []string
		for _, u := range level {
			if u != c.URL && !admitted(c, u, false) || seen[key(u)] || disallowed(u) {
				continue
			}
			seen[key(u)] = true
			p, ok := w[u]
			for ok && p.Header.Get("Location") != "" {
				u = resolve(u, p.Header.Get("Location"))
				p, ok = w[u]
				ok = ok && !seen[key(u)] && admitted(c, u, true) && !disallowed(u)
				seen[key(u)] = seen[key(u)] || ok
			}
			if !ok && p.URL == "" && (strings.HasPrefix(u, "http://demo.test/") || strings.HasPrefix(u, "http://docs.demo.test/")) {
				got[u] = depth // a 404 is a page
			}
			if !ok {
				continue
			}
			got[u] = depth
			if p.Status == 200 && !external(c, u) && c.Sitemap != crawl.SitemapOnly && (c.MaxDepth == nil || depth < *c.MaxDepth) {
				next = append(next, links(p)...)
			}
		}
		level = next
	}
	return got
}

// sitemap returns the pages of a sitemap, which may be an index.
func (w web) sitemap(u string) (locs []string) {
	for _, part := range strings.Split(string(w[u].Body), "<loc>")[1:] {
		loc, _, _ := strings.Cut(part, "</loc>")
		if path.Ext(loc) == ".xml" {
			locs = append(locs, w.sitemap(loc)...)
		} else {
			locs = append(locs, loc)
		}
	}
	return locs
}

func external(c crawl.Config, u string) bool {
	return strings.HasPrefix(u, "http://partner.test/") || strings.HasPrefix(u, "http://docs.demo.test/") && !c.Subdomains
}

func admitted(c crawl.Config, u string, moved bool) bool {
	switch parsed, err := url.Parse(u); {
	case err != nil || parsed.Scheme != "http" || path.Ext(u) == ".zip":
		return false
	case external(c, u):
		return c.External
	case parsed.Host == "demo.test" || parsed.Host == "www.demo.test":
		scope, _ := url.Parse(c.URL)
		return moved || c.EntireDomain || strings.HasPrefix(parsed.Path, scope.Path)
	}
	return strings.HasPrefix(u, "http://docs.demo.test/")
}

func disallowed(u string) bool {
	return strings.HasPrefix(u, "http://demo.test/private/") && !strings.HasPrefix(u, "http://demo.test/private/open") ||
		strings.HasSuffix(u, ".bak") || u == "http://docs.demo.test/draft"
}

// key folds what are two spellings of one page.
func key(u string) string {
	u = strings.TrimSuffix(strings.Replace(u, "://www.", "://", 1), "/index.html")
	return strings.TrimSuffix(u, "/")
}

// resolve reads a reference as a browser does, as far as the demo site needs it.
func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u, err := b.Parse(strings.TrimSpace(ref))
	if err != nil {
		return ""
	}
	u.Fragment, u.Host = "", strings.TrimSuffix(strings.ToLower(u.Host), ":80")
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

func links(p fetchtest.Page) (found []string) {
	if strings.HasSuffix(p.URL, ".md") {
		for _, part := range strings.Split(string(p.Body), "](")[1:] {
			ref, _, _ := strings.Cut(part, ")")
			found = append(found, resolve(p.URL, ref))
		}
		return found
	}
	base, root := p.URL, must(html.Parse(bytes.NewReader(p.Body)))
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && n.Data == "base":
				base = resolve(p.URL, a.Val)
			case a.Key == "href" && n.Data == "a":
				found = append(found, resolve(base, a.Val))
			}
		}
	}
	return found
}

func must(n *html.Node, err error) *html.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// lagging answers after a random time, so that nothing comes in order.
type lagging struct{ fetch.Fetcher }

func (l lagging) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	select {
	case <-time.After(rand.N(200 * time.Millisecond)):
	case <-ctx.Done():
	}
	return l.Fetcher.Fetch(ctx, r)
}

// crawled returns what a crawl in fake time delivers, with its depths.
func crawled(t *testing.T, c crawl.Config) (got map[string]int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		got = map[string]int{}
		site := fetchtest.New(t, demo.Txtar())
		engine := crawl.Engine{Fetcher: lagging{site}}
		for page, err := range engine.Run(t.Context(), c) {
			switch {
			case err != nil:
				t.Fatal(err)
			case page.Err != nil:
				continue
			}
			if _, twice := got[page.URL]; twice {
				t.Errorf("%s is delivered twice", page.URL)
			}
			got[page.URL] = page.Depth
		}
		for _, hit := range site.Log() {
			if disallowed(hit.URL) {
				t.Errorf("%s is asked for against robots.txt", hit.URL)
			}
		}
	})
	return got
}

func theWeb(t *testing.T) web {
	t.Helper()
	w := web{}
	for _, p := range fetchtest.New(t, demo.Txtar()).Pages() {
		w[p.URL] = p
	}
	return w
}

// TestScope crawls with every combination of sitemap mode, depth and scope
// switch, from the front page and from a folder: what is delivered is what the
// reference search finds, and under a limit exactly as many pages.
func TestScope(t *testing.T) {
	w := theWeb(t)
	concurrency := []int{1, 4, 32}
	n := 0
	for _, sitemap := range []crawl.SitemapMode{crawl.SitemapInclude, crawl.SitemapSkip, crawl.SitemapOnly} {
		for _, depth := range []*int{nil, new(0), new(1), new(2), new(3)} {
			for bits := range 16 {
				c := crawl.Config{
					URL: demo.Start, Sitemap: sitemap, MaxDepth: depth,
					EntireDomain: bits&1 != 0, Subdomains: bits&2 != 0, External: bits&4 != 0,
				}
				switch {
				case bits&8 != 0:
					c.URL = "http://demo.test/birds/"
				case c.EntireDomain:
					continue // the front page's scope is the whole host already
				}
				want := w.search(c)
				name := fmt.Sprintf("%s sitemap=%d depth=%s entire=%t subdomains=%t external=%t", c.URL, sitemap, show(depth), c.EntireDomain, c.Subdomains, c.External)
				for _, c.Concurrency = range concurrency {
					got := crawled(t, c)
					if depth == nil { // then depths are those of discovery
						for u := range got {
							got[u] = want[u]
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s concurrency=%d (-want +got):\n%s", name, c.Concurrency, diff)
					}
				}
				n++
				c.Concurrency = concurrency[n%len(concurrency)]
				c.Limit = 1 + n*7%(len(want)+5)
				got := crawled(t, c)
				if len(got) != min(c.Limit, len(want)) {
					t.Errorf("%s limit=%d concurrency=%d: %d pages, want %d", name, c.Limit, c.Concurrency, len(got), min(c.Limit, len(want)))
				}
				for u := range got {
					if _, ok := want[u]; !ok {
						t.Errorf("%s limit=%d: %s is not reachable", name, c.Limit, u)
					}
				}
			}
		}
	}
}

func show(depth *int) string {
	if depth == nil {
		return "any"
	}
	return fmt.Sprint(*depth)
}

// TestSize keeps what the documentation says of the site.
func TestSize(t *testing.T) {
	hosts, pages := map[string]bool{}, 0
	for u, p := range theWeb(t) {
		parsed, err := url.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		hosts[parsed.Host] = true
		if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") && p.Header.Get("Location") == "" {
			pages++
		}
	}
	if want := []string{"demo.test", "docs.demo.test", "partner.test"}; !slices.Equal(slices.Sorted(maps.Keys(hosts)), want) {
		t.Errorf("hosts %v, want %v", slices.Sorted(maps.Keys(hosts)), want)
	}
	if pages != 326 {
		t.Errorf("%d pages, want the 326 of the package comment", pages)
	}
}

// TestHandler serves under an address of its own, and by the hosts' names.
func TestHandler(t *testing.T) {
	h, err := demo.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, contains string }{
		{"http://127.0.0.1:1234/", "<h1>The Wader Trust</h1>"},
		{"http://127.0.0.1:1234/sitemap.xml", "<loc>http://127.0.0.1:1234/sitemap-1.xml</loc>"},
		{"http://127.0.0.1:1234/robots.txt", "Sitemap: http://127.0.0.1:1234/sitemap.xml"},
		{"http://demo.test/sitemap.xml", "<loc>http://demo.test/sitemap-1.xml</loc>"},
		{"http://docs.demo.test/", "The handbook"},
		{"http://partner.test/", "The partner"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.url, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), tt.contains) {
			t.Errorf("GET %s: %d without %q", tt.url, w.Code, tt.contains)
		}
	}
}
