// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/curlew/bench/site"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
)

// gate is a requirement that is tested on a web of its own.
type gate struct {
	name string
	web  func(r *run)
	try  func(ctx context.Context, r run, s *score) error
}

// score is the result of a gate. All fields except runs and pages must be zero.
type score struct {
	runs, pages int
	verdict
	depths int // pages whose depth is not the minimum
	counts int // runs with a wrong number of delivered pages
	gaps   int // requests too soon after a response of the same host
	order  int // ordered runs with a different order
	traps  int // traps that did not end in time
	faults []string
}

func (s *score) bad() int {
	return s.missing + s.wrong + s.duplicates + s.forbidden + s.decoys + s.depths + s.counts + s.gaps + s.order + s.traps
}

// fault logs what went wrong, for the first few times.
func (s *score) fault(format string, args ...any) {
	if len(s.faults) < 5 {
		s.faults = append(s.faults, fmt.Sprintf(format, args...))
	}
}

var gates = []gate{
	{"whole web, 1 at a time", small, whole(1)},
	{"whole web, 8 at a time", large, whole(8)},
	{"whole web, 32 at a time", large, whole(32)},
	{"100 random limits and concurrencies", small, limits},
	{"every depth", small, depths},
	{"ordered, 1 and 16 at a time", small, ordered},
	{"Delay", small, delay},
	{"Crawl-delay, 4 hosts", func(r *run) { small(r); r.CrawlDelay = 0.1 }, crawlDelay},
	{"traps", func(r *run) { small(r); r.Traps = true }, traps},
	{"500, 503 and resets", func(r *run) { small(r); r.Faults = true }, faults},
}

func small(r *run) { r.Pages, r.Bytes = 300, 1<<10 }
func large(r *run) { r.Pages = max(r.Pages, 2000) }

// judgeGates runs all gates, prints their scores, and fails if one fails.
func judgeGates(ctx context.Context, r run) error {
	fmt.Printf("seed %d\n\n", r.Seed)
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "gate\truns\tpages\tmissing\twrong\ttwice\tforbidden\tdecoys\tdepth\tcount\tgap\torder\ttrap\ttook\t")
	missed := 0
	var notes []string
	all := slices.Concat(gates, progressiveGates())
	for _, g := range all {
		var s score
		start := time.Now()
		if err := pass(ctx, r, g, &s); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
		word := "ok"
		if s.bad() > 0 || s.runs == 0 {
			word = "MISSED"
			missed++
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%v\t%s\n", g.name, s.runs, s.pages,
			s.missing, s.wrong, s.duplicates, s.forbidden, s.decoys, s.depths, s.counts, s.gaps, s.order, s.traps,
			time.Since(start).Round(10*time.Millisecond), word)
		for _, f := range s.faults {
			notes = append(notes, g.name+": "+f)
		}
	}
	tw.Flush()
	for _, n := range notes {
		fmt.Println(n)
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d gates missed", missed, len(all))
	}
	fmt.Printf("\nall %d gates passed\n", len(all))
	return nil
}

// pass runs one gate with a server of its own.
func pass(ctx context.Context, r run, g gate, s *score) error {
	g.web(&r)
	server, stop, err := startServer(ctx, r)
	if err != nil {
		return err
	}
	defer stop()
	r.Server = server
	return g.try(ctx, r, s)
}

// delivered is a page as the crawler reports it.
type delivered struct {
	got
	depth, status int
	url           string
}

// trip is one crawl with the log of the server.
type trip struct {
	pages    []delivered
	failed   []string
	hits     []hit
	plain    map[string]bool // delivered, and not suspected to be endless
	suspects int
	stats    frontier.Stats
}

// travel crawls once.
func travel(ctx context.Context, r run, c crawl.Config) (*trip, error) {
	if _, err := control(ctx, r, "/reset"); err != nil {
		return nil, err
	}
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}}
	defer client.CloseIdleConnections()
	base := "http://" + r.Server
	if c.URL == "" {
		c.URL = base + "/"
	}
	if c.Limit == 0 {
		c.Limit = 10*r.Pages + 1000
	}
	c.EntireDomain = true
	t := trip{plain: map[string]bool{}}
	var stats func() frontier.Stats
	trace := &crawl.Trace{
		Started: func(live func() frontier.Stats) { stats = live },
		Committed: func(cm frontier.Commit) { // called by this goroutine only
			switch {
			case cm.Outcome != frontier.Delivered:
			case cm.Lease.Suspect:
				t.suspects++
			default:
				t.plain[strings.TrimPrefix(cm.URL, base)] = true
			}
		},
	}
	for p, err := range (&crawl.Engine{Fetcher: client, Trace: trace}).Run(ctx, c) {
		if err != nil {
			return nil, err
		}
		path := strings.TrimPrefix(p.URL, base)
		if p.Err != nil {
			t.failed = append(t.failed, path)
			continue
		}
		t.pages = append(t.pages, delivered{got{path, crc32.ChecksumIEEE(p.Body)}, p.Depth, p.Status, p.URL})
	}
	t.stats = stats()
	data, err := control(ctx, r, "/log")
	if err != nil {
		return nil, err
	}
	return &t, json.Unmarshal(data, &t.hits)
}

// count compares a trip with the pages that it should deliver at their depths,
// and adds the result to s. Requests for traps are counted separately.
func (s *score) count(t *trip, truth map[string]int) {
	s.runs++
	s.pages += len(t.pages)
	left := make(map[string]bool, len(truth))
	for p := range truth {
		left[p] = true
	}
	served := make(map[got]bool, len(t.hits))
	answers := make(map[string]int, len(t.hits)) // good responses
	for _, h := range t.hits {
		served[got{h.Path, h.Sum}] = true
		if !h.Fault {
			answers[h.Host+h.Path]++
		}
		switch {
		case strings.HasPrefix(h.Path, "/private/"):
			s.forbidden++
		case strings.HasPrefix(h.Path, "/never/"):
			s.decoys++
		case answers[h.Host+h.Path] > 1:
			s.duplicates++
			s.fault("%s is asked for twice", h.Path)
		}
	}
	for _, p := range t.pages {
		if strings.HasPrefix(p.Path, "/trap/") {
			continue
		}
		if !left[p.Path] || !served[p.got] {
			s.wrong++
			s.fault("%s is delivered and should not be", p.Path)
			continue
		}
		delete(left, p.Path)
		if p.depth != truth[p.Path] {
			s.depths++
			s.fault("%s is at depth %d, want %d", p.Path, p.depth, truth[p.Path])
		}
	}
	s.missing += len(left)
	for p := range left {
		s.fault("%s is missing", p)
	}
}

// whole crawls webs of three seeds completely. Depths are exact only if
// MaxDepth is set, so it is set to the greatest depth.
func whole(concurrency int) func(context.Context, run, *score) error {
	return func(ctx context.Context, r run, s *score) error {
		truth := site.New(config(r)).Truth()
		for _, sitemap := range []crawl.SitemapMode{crawl.SitemapSkip, crawl.SitemapInclude} {
			t, err := travel(ctx, r, crawl.Config{Concurrency: concurrency, Sitemap: sitemap, MaxDepth: new(r.Pages)})
			if err != nil {
				return err
			}
			s.count(withoutSitemaps(t), truth)
		}
		t, err := travel(ctx, r, crawl.Config{Concurrency: concurrency, Sitemap: crawl.SitemapSkip})
		if err != nil {
			return err
		}
		for i := range t.pages {
			t.pages[i].depth = truth[t.pages[i].Path]
		}
		s.count(t, truth)
		return nil
	}
}

// withoutSitemaps ignores requests for sitemaps, which the web does not have.
func withoutSitemaps(t *trip) *trip {
	t.hits = slices.DeleteFunc(t.hits, func(h hit) bool { return strings.HasSuffix(h.Path, "/sitemap.xml") })
	return t
}

// limits crawls with 100 random limits. Each must deliver exactly as many
// pages, and request no further page.
func limits(ctx context.Context, r run, s *score) error {
	truth := site.New(config(r)).Truth()
	rnd := rand.New(rand.NewPCG(r.Seed, 1)) // #nosec G404 -- any numbers are suitable
	for range 100 {
		c := crawl.Config{Limit: 1 + rnd.IntN(r.Pages*5/4), Concurrency: 1 + rnd.IntN(32), Sitemap: crawl.SitemapSkip}
		t, err := travel(ctx, r, c)
		if err != nil {
			return err
		}
		some := map[string]int{}
		for i, p := range t.pages {
			if _, ok := truth[p.Path]; ok {
				some[p.Path] = t.pages[i].depth
			}
		}
		s.count(t, some)
		want := min(c.Limit, len(truth))
		asked := len(t.hits) - 1 // without robots.txt
		if len(t.pages) != want || asked != want {
			s.counts++
			s.fault("limit %d at concurrency %d: %d pages, %d requests", c.Limit, c.Concurrency, len(t.pages), asked)
		}
	}
	return nil
}

// depths crawls to every depth of the web, and one more.
func depths(ctx context.Context, r run, s *score) error {
	truth := site.New(config(r)).Truth()
	deepest := 0
	for _, d := range truth {
		deepest = max(deepest, d)
	}
	for depth := range deepest + 2 {
		some := map[string]int{}
		for p, d := range truth {
			if d <= depth {
				some[p] = d
			}
		}
		for _, concurrency := range []int{1, 8, 32} {
			t, err := travel(ctx, r, crawl.Config{MaxDepth: new(depth), Concurrency: concurrency, Sitemap: crawl.SitemapSkip})
			if err != nil {
				return err
			}
			s.count(t, some)
		}
	}
	return nil
}

// ordered crawls in order, with different concurrencies and limits.
func ordered(ctx context.Context, r run, s *score) error {
	truth := site.New(config(r)).Truth()
	for _, limit := range []int{r.Pages / 3, 2 * r.Pages} {
		var first []string
		for _, concurrency := range []int{1, 16, 16} {
			t, err := travel(ctx, r, crawl.Config{Ordered: true, Limit: limit, Concurrency: concurrency, Sitemap: crawl.SitemapSkip})
			if err != nil {
				return err
			}
			some := map[string]int{}
			var order []string
			for _, p := range t.pages {
				some[p.Path] = truth[p.Path]
				order = append(order, p.Path)
			}
			if limit > r.Pages {
				some = truth
			}
			// Pages after the last delivered one may have been requested.
			t.hits = slices.DeleteFunc(t.hits, func(h hit) bool { return h.Path == "/robots.txt" })
			s.count(t, some)
			if first == nil {
				first = order
			}
			if !slices.Equal(first, order) || len(order) != min(limit, r.Pages) {
				s.order++
				s.fault("limit %d at concurrency %d: another order of %d pages", limit, concurrency, len(order))
			}
		}
	}
	return nil
}

// tooSoon counts requests that begin before gap has passed since the end of the
// previous response of the same host. The first request after a robots.txt
// counts only if polite is set.
func (s *score) tooSoon(hits []hit, gap time.Duration, polite bool) {
	last := map[string]hit{}
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b hit) int { return int(a.Begin - b.Begin) })
	for _, h := range hits {
		if h.Path == "/robots.txt" && !polite {
			continue
		}
		before, ok := last[h.Host]
		if got := time.Duration(h.Begin - before.End); ok && got < gap {
			s.gaps++
			s.fault("%s of %s comes %v after %s", h.Path, h.Host, got, before.Path)
		}
		last[h.Host] = h
	}
}

// delay crawls with a pause.
func delay(ctx context.Context, r run, s *score) error {
	const pause, pages = 40 * time.Millisecond, 40
	start := time.Now()
	t, err := travel(ctx, r, crawl.Config{Delay: pause, Limit: pages, Concurrency: 8, Sitemap: crawl.SitemapSkip})
	if err != nil {
		return err
	}
	s.runs++
	s.pages += len(t.pages)
	s.tooSoon(t.hits, pause, false)
	if len(t.pages) != pages {
		s.counts++
	}
	if took := time.Since(start); took > 2*pages*pause {
		s.fault("took %v", took) // only logged, because the machine may be busy
	}
	return nil
}

// crawlDelay crawls pages of four hosts, each of which has a Crawl-delay.
func crawlDelay(ctx context.Context, r run, s *score) error {
	gap := time.Duration(r.CrawlDelay * float64(time.Second))
	t, err := travel(ctx, r, crawl.Config{URL: "http://" + r.Server + hub, External: true, MaxDepth: new(1), Sitemap: crawl.SitemapSkip})
	if err != nil {
		return err
	}
	s.runs++
	s.pages += len(t.pages)
	s.tooSoon(t.hits, gap, true)
	hosts := map[string]int{}
	for _, h := range t.hits {
		hosts[h.Host]++
	}
	if len(hosts) < 2 {
		return errors.New("this system has no other loopback addresses")
	}
	for host, n := range hosts {
		if host != r.Server && n != 7 { // robots.txt and six pages
			s.counts++
			s.fault("%s is asked %d times", host, n)
		}
	}
	return nil
}

// traps crawls a web with endless spaces. The crawl must end and find all other
// pages.
func traps(ctx context.Context, r run, s *score) error {
	truth := site.New(config(r)).Truth()
	for _, concurrency := range []int{1, 8, 32} {
		c := crawl.Config{Concurrency: concurrency, Sitemap: crawl.SitemapSkip, Traps: crawl.Traps{Suspects: 100}}
		t, err := travel(ctx, r, c)
		if err != nil {
			return err
		}
		asked := map[string]int{}
		for _, h := range t.hits {
			for name := range site.Traps {
				if strings.HasPrefix(h.Path, name) {
					asked[name]++
				}
			}
		}
		for i := range t.pages {
			t.pages[i].depth = truth[t.pages[i].Path]
		}
		s.count(t, truth)
		for name, most := range site.Traps {
			if n := asked[name]; n == 0 || n > most {
				s.traps++
				s.fault("%s: %d pages at concurrency %d, want at most %d", name, n, concurrency, most)
			}
		}
	}
	return nil
}

// faults crawls a web in which some pages fail at first and two always.
func faults(ctx context.Context, r run, s *score) error {
	web := site.New(config(r))
	truth := web.Truth()
	for _, concurrency := range []int{1, 8} {
		t, err := travel(ctx, r, crawl.Config{Concurrency: concurrency, Sitemap: crawl.SitemapSkip})
		if err != nil {
			return err
		}
		tries := map[string]int{}
		for _, h := range t.hits {
			tries[h.Path]++
		}
		for i, p := range t.pages {
			t.pages[i].depth = truth[p.Path]
			if broken := web.Fault(p.Path) == site.Broken500; broken != (p.status == 500) {
				s.wrong++
				s.fault("%s has status %d", p.Path, p.status)
			}
		}
		s.count(t, truth)
		for p, n := range tries {
			least, most := 1, 1
			switch web.Fault(p) {
			case site.Flaky500, site.Flaky503, site.FlakyReset:
				least, most = 2, 2
			case site.Broken500:
				least, most = 3, 3
			case site.BrokenReset:
				// If a kept connection breaks before the response, net/http
				// repeats the request by itself (RFC 9110 9.2.2).
				least, most = 3, 3*(1+concurrency)
			case site.None:
			}
			if n < least || n > most {
				s.duplicates++
				s.fault("%s is asked for %d times, want %d to %d", p, n, least, most)
			}
		}
		if len(t.failed) != 1 || web.Fault(t.failed[0]) != site.BrokenReset {
			s.missing++
			s.fault("failed: %q", t.failed)
		}
	}
	return nil
}
