// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// node is one page of a generated site.
type node struct {
	url     string
	status  int    // zero means 200; 301 redirects to links[0]
	fault   string // for each answer
	flaky   bool   // fails once, then answers
	private bool   // disallowed by robots.txt
	links   []*node
}

// graph is a generated site with its expected results.
type graph struct {
	start    *node
	nodes    []*node
	sitemap  []*node // the sitemap of a.test
	archive  []byte
	byString map[string]*node
}

var hosts = []string{"a.test", "a.test", "a.test", "docs.a.test", "b.test"}

// word returns a word of letters only, because the trap detection treats pages
// that differ in a number as equal.
func word(n int) string {
	var b []byte
	for n += 26; n > 0; n /= 26 {
		b = append(b, byte('a'+n%26))
	}
	return string(b)
}

// grow creates a random site.
func grow(r *rand.Rand, size int, faults bool) *graph {
	g := &graph{byString: map[string]*node{}}
	for i := range size {
		n := &node{}
		dir := []string{"/s/", "/s/deep/", "/s/private/", "/other/"}[r.IntN(4)]
		n.url = "http://" + hosts[r.IntN(len(hosts))] + dir + word(i)
		if i == 0 {
			n.url = "http://a.test/s/"
		}
		n.private = strings.HasPrefix(n.url, "http://a.test/s/private/")
		switch k := r.IntN(20); {
		case i == 0:
		case k < 3:
			n.status = 301
		case k == 3:
			n.status = 404
		case k == 4 && faults:
			n.fault = "reset"
		case k == 5 && faults:
			n.flaky = true
		}
		g.nodes = append(g.nodes, n)
		g.byString[n.url] = n
	}
	g.start = g.nodes[0]
	for _, n := range g.nodes {
		count := r.IntN(5)
		if n == g.start {
			count = 6
		}
		if n.status == 301 {
			count = 1
		}
		for range count {
			n.links = append(n.links, g.nodes[r.IntN(size)])
		}
	}
	g.close(r.IntN(4))
	for range r.IntN(5) {
		g.sitemap = append(g.sitemap, g.nodes[1+r.IntN(size-1)])
	}
	g.write()
	return g
}

// close makes the first redirects of g, as many as size, a circle.
func (g *graph) close(size int) {
	var circle []*node
	for _, n := range g.nodes {
		if n.status == 301 && len(circle) < size {
			circle = append(circle, n)
		}
	}
	for i, n := range circle {
		n.links[0] = circle[(i+1)%len(circle)]
	}
}

// write creates the archive.
func (g *graph) write() {
	var b bytes.Buffer
	for i, n := range g.nodes {
		if n.flaky {
			fmt.Fprintf(&b, "-- %s --\nHTTP 200\nX-Fault: reset\n\nno\n", n.url)
		}
		fmt.Fprintf(&b, "-- %s --\n", n.url)
		switch {
		case n.status == 301:
			fmt.Fprintf(&b, "HTTP 301\nLocation: %s\n\nmoved\n", n.links[0].url)
			continue
		case n.fault != "":
			fmt.Fprintf(&b, "HTTP 200\nContent-Type: text/html\nX-Fault: %s\n\n", n.fault)
		case n.status != 0:
			fmt.Fprintf(&b, "HTTP %d\nContent-Type: text/html\n\n", n.status)
		default:
			b.WriteString("HTTP 200\nContent-Type: text/html\n\n")
		}
		fmt.Fprintf(&b, "<title>%s</title>", word(i))
		for _, to := range n.links {
			fmt.Fprintf(&b, "<a href=%q>x</a>", to.url)
		}
		b.WriteString("\n")
	}
	b.WriteString("-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /s/private/\n")
	b.WriteString("-- http://a.test/sitemap.xml --\n<urlset>")
	for _, n := range g.sitemap {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>", n.url)
	}
	b.WriteString("</urlset>\n")
	g.archive = b.Bytes()
}

// truth is the expected result of a crawl of a graph.
type truth struct {
	delivered map[string]int // URL -> least depth
	failed    map[string]bool
	blocked   map[string]bool
	circles   int
}

// search is the reference: a breadth-first search in which redirects have no
// cost.
func (g *graph) search(c crawl.Config) truth {
	w := truth{map[string]int{}, map[string]bool{}, map[string]bool{}, 0}
	seen, circles := map[*node]bool{g.start: true}, map[*node]bool{}
	level := []*node{g.start}
	if c.Sitemap != crawl.SitemapSkip {
		for _, n := range g.sitemap {
			if admitted(c, n, false) && !seen[n] {
				seen[n] = true
				level = append(level, n)
			}
		}
	}
	for depth := 0; len(level) > 0; depth++ {
		var next []*node
		for _, asked := range level {
			n := asked
			for n.status == 301 && !n.private {
				to := n.links[0]
				if !admitted(c, to, true) || external(c, n) && external(c, to) && host(n) != host(to) {
					w.failed[n.url] = true
					n = nil
					break
				}
				if to == n || seen[to] {
					if first := g.circle(c, n); first != nil && !circles[first] {
						circles[first] = true
						w.circles++ // an endless redirect, which fails once
					}
					n = nil
					break
				}
				seen[to] = true
				n = to
			}
			switch {
			case n == nil:
				continue
			case n.private:
				w.blocked[n.url] = true
				continue
			case n.fault != "":
				w.failed[n.url] = true
				continue
			}
			w.delivered[n.url] = depth
			if n.status == 404 || external(c, n) || c.Sitemap == crawl.SitemapOnly || c.MaxDepth != nil && depth >= *c.MaxDepth {
				continue
			}
			next = append(next, n.links...)
		}
		level = nil
		for _, n := range next {
			if !seen[n] && admitted(c, n, false) {
				seen[n] = true
				level = append(level, n)
			}
		}
	}
	return w
}

// circle returns a page that stands for the redirects that lead from n back to n, or nil
// if they end or a rule refuses one of them.
func (g *graph) circle(c crawl.Config, n *node) (first *node) {
	first = n
	at := n
	for range g.nodes {
		if at.status != 301 || at.private {
			return nil
		}
		to := at.links[0]
		if !admitted(c, to, true) || external(c, at) && external(c, to) && host(at) != host(to) {
			return nil
		}
		if to.url < first.url {
			first = to
		}
		if at = to; at == n {
			return first
		}
	}
	return nil
}

func host(n *node) string {
	h, _, _ := strings.Cut(strings.TrimPrefix(n.url, "http://"), "/")
	return h
}

// external reports whether n is outside the site. A subdomain that is only
// allowed by External also counts as one hop.
func external(c crawl.Config, n *node) bool {
	return host(n) == "b.test" || host(n) == "docs.a.test" && !c.Subdomains
}

func admitted(c crawl.Config, n *node, redirect bool) bool {
	if external(c, n) {
		return c.External
	}
	return host(n) != "a.test" || redirect || c.EntireDomain || strings.HasPrefix(n.url, "http://a.test/s/")
}

// lagging answers after random times, so that answers arrive out of order.
type lagging struct {
	fetch.Fetcher
	most time.Duration
}

func (l lagging) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	select {
	case <-time.After(rand.N(l.most) + 1):
	case <-ctx.Done():
	}
	return l.Fetcher.Fetch(ctx, r)
}

// outcome is the result of a crawl.
type outcome struct {
	truth
	order []string
	stats frontier.Stats
}

// run crawls the graph in synctest time.
func (g *graph) run(t *testing.T, c crawl.Config) (got outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, g.archive)
		c.URL = g.start.url
		got = gather(t, lagging{site, 300 * time.Millisecond}, c)
		asked := map[string]int{}
		for _, hit := range site.Log() {
			asked[hit.URL]++
		}
		for url, n := range asked {
			most := 1
			if node := g.byString[url]; node != nil && (node.fault != "" || node.flaky) {
				most = 3
			}
			if node := g.byString[url]; node != nil && node.status == 301 {
				most = 11
			}
			if n > most {
				t.Errorf("%s was asked for %d times", url, n)
			}
			if node := g.byString[url]; node != nil && node.private {
				t.Errorf("%s was asked for against robots.txt", url)
			}
		}
	})
	return got
}

// gather runs one crawl to its end.
func gather(t *testing.T, f fetch.Fetcher, c crawl.Config) (got outcome) {
	t.Helper()
	got.truth = truth{map[string]int{}, map[string]bool{}, map[string]bool{}, 0}
	failures := 0
	var stats func() frontier.Stats
	blocked := make(chan string, 1<<16)
	e := crawl.Engine{Fetcher: f, Trace: &crawl.Trace{
		Started: func(s func() frontier.Stats) { stats = s },
		Blocked: func(url string) { blocked <- url },
	}}
	limit := c.Limit
	if limit == 0 {
		limit = 10_000
	}
	for p, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatalf("Run: %v", err)
		}
		if s := stats(); s.Delivered+s.Leased > limit {
			t.Errorf("%d delivered and %d leased, over the limit %d", s.Delivered, s.Leased, limit)
		}
		if e, _ := errors.AsType[*crawl.Error](p.Err); p.Err != nil {
			failures++
			switch {
			case errors.Is(p.Err, crawl.ErrRedirectLoop): // its position depends on which page was first
				got.circles++
			case e.Rule == scope.RuleRobots: // redirected to a disallowed URL that no page had linked before
			case got.failed[p.URL]:
				t.Errorf("%s failed twice", p.URL)
			default:
				got.failed[p.URL] = true
			}
			continue
		}
		if _, twice := got.delivered[p.URL]; twice {
			t.Errorf("%s was delivered twice", p.URL)
		}
		got.delivered[p.URL] = p.Depth
		got.order = append(got.order, p.URL)
	}
	close(blocked)
	for url := range blocked {
		if got.blocked[url] {
			t.Errorf("%s was blocked twice", url)
		}
		got.blocked[url] = true
	}
	got.stats = stats()
	if n := len(got.delivered); got.stats.Delivered != n || got.stats.Failed != failures || got.stats.Blocked != len(got.blocked) {
		t.Errorf("Stats say %d, %d, %d delivered, failed, blocked; there were %d, %d, %d",
			got.stats.Delivered, got.stats.Failed, got.stats.Blocked, n, failures, len(got.blocked))
	}
	if got.stats.Leased != 0 {
		t.Errorf("%d pages are leased after the end", got.stats.Leased)
	}
	return got
}

// configs yields every combination of mode, depth and switches.
func configs() []crawl.Config {
	var list []crawl.Config
	for _, mode := range []crawl.SitemapMode{crawl.SitemapSkip, crawl.SitemapInclude, crawl.SitemapOnly} {
		for _, depth := range []*int{nil, new(0), new(1), new(3)} {
			for bits := range 8 {
				list = append(list, crawl.Config{
					Sitemap: mode, MaxDepth: depth,
					EntireDomain: bits&1 != 0, Subdomains: bits&2 != 0, External: bits&4 != 0,
				})
			}
		}
	}
	return list
}

func name(c crawl.Config) string {
	depth := "any"
	if c.MaxDepth != nil {
		depth = fmt.Sprint(*c.MaxDepth)
	}
	return fmt.Sprintf("sitemap=%d depth=%s domain=%v sub=%v ext=%v conc=%d limit=%d ordered=%v",
		c.Sitemap, depth, c.EntireDomain, c.Subdomains, c.External, c.Concurrency, c.Limit, c.Ordered)
}

var every = flag.Bool("every", false, "crawl the generated and the demo site in every combination, not a part of them")

// TestReference crawls random sites in every mode and compares the result with
// the search.
func TestReference(t *testing.T) {
	for seed := range 8 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		g := grow(r, 10+r.IntN(60), seed%3 == 2)
		for i, c := range configs() {
			if !*every && (i+seed)%4 != 0 {
				continue
			}
			c.Concurrency = []int{1, 4, 32}[(i+seed)%3]
			want := g.search(c)
			got := g.run(t, c)
			where := fmt.Sprintf("seed %d, %s", seed, name(c))
			if c.MaxDepth == nil {
				flatten(want.delivered)
				flatten(got.delivered)
			}
			if d := cmp.Diff(want.delivered, got.delivered); d != "" {
				t.Errorf("%s: delivered (-want +got):\n%s", where, d)
			}
			if d := cmp.Diff(want.failed, got.failed); d != "" {
				t.Errorf("%s: failed (-want +got):\n%s", where, d)
			}
			if got.circles != want.circles {
				t.Errorf("%s: %d circles, want %d", where, got.circles, want.circles)
			}
			if d := cmp.Diff(want.blocked, got.blocked); d != "" {
				t.Errorf("%s: blocked (-want +got):\n%s", where, d)
			}
			if t.Failed() {
				t.Logf("site:\n%s", g.archive)
				t.FailNow()
			}
			total := len(want.delivered)
			c.Limit = 1 + r.IntN(total+2)
			if n := len(g.run(t, c).delivered); n != min(c.Limit, total) {
				t.Fatalf("%s: limit %d gave %d of %d", where, c.Limit, n, total)
			}
		}
	}
}

func flatten(m map[string]int) {
	for k := range m {
		m[k] = 0
	}
}

// TestOrdered compares the pages and their order for several concurrencies,
// with faults.
func TestOrdered(t *testing.T) {
	for seed := range 8 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		g := grow(r, 60, seed%2 == 1)
		for _, c := range []crawl.Config{
			{EntireDomain: true, Subdomains: true},
			{EntireDomain: true, External: true, MaxDepth: new(3)},
			{EntireDomain: true, Subdomains: true, External: true, Limit: 1 + r.IntN(20)},
		} {
			c.Ordered = true
			var first []string
			for _, n := range []int{1, 4, 32} {
				c.Concurrency = n
				got := g.run(t, c)
				if n == 1 {
					first = got.order
					continue
				}
				if !slices.Equal(got.order, first) {
					t.Fatalf("seed %d, %s: order\n%s\nat one worker\n%s\nsite:\n%s", seed, name(c),
						strings.Join(got.order, "\n"), strings.Join(first, "\n"), g.archive)
				}
			}
			want := g.search(c)
			if c.Limit == 0 {
				if d := cmp.Diff(slices.Sorted(maps.Keys(want.delivered)), slices.Sorted(slices.Values(first))); d != "" {
					t.Errorf("seed %d, %s: delivered (-want +got):\n%s", seed, name(c), d)
				}
			}
		}
	}
}
