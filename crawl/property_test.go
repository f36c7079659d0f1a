// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
)

// stumbling lets the first tries of some pages fail: by a reset, a 500, a 503,
// or a 429 with Retry-After. No page fails so often that it is given up.
type stumbling struct {
	fetch.Fetcher
	seed uint64

	mu    sync.Mutex
	tries map[string]int
}

func (s *stumbling) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, r.URL)
	dice := rand.New(rand.NewPCG(h.Sum64(), s.seed))
	falls, kind := dice.IntN(5), dice.IntN(8) // most pages never fail, and none more than twice
	s.mu.Lock()
	s.tries[r.URL]++
	falls -= s.tries[r.URL] + 2
	s.mu.Unlock()
	// Sitemaps have fewer tries and little time, so a failed try could make
	// them fail for good.
	if falls < 0 || strings.HasSuffix(r.URL, "robots.txt") || strings.HasSuffix(r.URL, "sitemap.xml") {
		return s.Fetcher.Fetch(ctx, r)
	}
	resp := &fetch.Response{URL: r.URL, Header: http.Header{}}
	switch kind {
	case 0:
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrTimeout}
	case 1, 2, 3:
		resp.Status = http.StatusInternalServerError
	case 4, 5:
		resp.Status = http.StatusServiceUnavailable
	default:
		resp.Status = http.StatusTooManyRequests
		resp.Header.Set("Retry-After", fmt.Sprint(dice.IntN(9)))
	}
	return resp, nil
}

// TestOrderedStumbles checks that an ordered crawl gives the same pages in the
// same order, whatever tries fail, however long answers take, and with any
// number of workers.
func TestOrderedStumbles(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 11))
		g := grow(r, 20+r.IntN(50), false)
		c := crawl.Config{URL: g.start.url, Ordered: true, EntireDomain: true, Subdomains: true, External: seed%2 == 0, Concurrency: 1}
		if seed%3 == 0 {
			c.Limit = 1 + r.IntN(25)
		}
		if seed%4 == 1 {
			c.MaxDepth = new(2)
		}
		var want []string
		for _, n := range []int{1, 1 + r.IntN(8), 9 + r.IntN(40)} {
			c.Concurrency = n
			synctest.Test(t, func(t *testing.T) {
				var f fetch.Fetcher = lagging{fetchtest.New(t, g.archive), time.Duration(1+n*137%900) * time.Millisecond}
				if want == nil { // the first run has no failures
					want = gather(t, f, c).order
					return
				}
				got := gather(t, &stumbling{Fetcher: f, seed: seed + uint64(n), tries: map[string]int{}}, c)
				if d := cmp.Diff(want, got.order); d != "" {
					t.Errorf("seed %d, %d workers (-plain +stumbling):\n%s", seed, n, d)
				}
			})
		}
	}
}

// numbered is a journal that knows which page each of its records delivered.
type numbered struct {
	*journal.Log
	at        []int64 // offset of each record
	sizes     []int64
	delivered []string // by record, empty if it delivered none
}

func (n *numbered) Append(head, blob []byte) (int64, error) {
	pos, err := n.Log.Append(head, blob)
	n.at = append(n.at, pos)
	n.sizes = append(n.sizes, int64(len(head)+len(blob)))
	n.delivered = append(n.delivered, "")
	return pos, err
}

// walk crawls g with the journal on d, which it creates if necessary.
func (g *graph) walk(t *testing.T, c crawl.Config, d *journaltest.FS) (n *numbered) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log, err := journal.Open(d, "log")
		if err != nil {
			log, err = journal.Create(d, "log", journal.Header{})
		}
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		n = &numbered{Log: log}
		c.URL = g.start.url
		f, err := frontier.OpenFrontier(n, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.Frontier = f
		e := crawl.Engine{
			Fetcher: &stumbling{
				Fetcher: lagging{fetchtest.New(t, g.archive), 300 * time.Millisecond}, seed: uint64(len(g.nodes)), tries: map[string]int{},
			},
			Trace: &crawl.Trace{Committed: func(cm frontier.Commit) {
				if cm.Outcome == frontier.Delivered {
					n.delivered[len(n.delivered)-1] = cm.URL
				}
			}},
		}
		for p, err := range e.Run(t.Context(), c) {
			if err != nil {
				t.Fatal(err)
			}
			if p.Err != nil && !errors.Is(p.Err, crawl.ErrDenied) && !errors.Is(p.Err, crawl.ErrRedirectLoop) {
				t.Error(p.Err)
			}
		}
	})
	return n
}

// TestResumeJournal interrupts crawls of random sites at each record of a real
// journal, at its end or inside it. Both runs together deliver exactly the
// pages of the site, each once (invariant I8).
func TestResumeJournal(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 12))
		g := grow(r, 15+r.IntN(25), false)
		c := crawl.Config{EntireDomain: true, Subdomains: true, External: seed > 1, Concurrency: 1 + r.IntN(12)}
		if seed == 3 {
			c.MaxDepth = new(3)
		}
		var d journaltest.FS
		n := g.walk(t, c, &d)
		whole := slices.Sorted(maps.Keys(g.search(c).delivered))
		bytes := d.Bytes("log")
		for cut := 1; cut < len(n.at); cut++ {
			// This record is lost, because the file ends before it or inside
			// it.
			at := n.at[cut]
			if cut%2 == 1 {
				at += r.Int64N(n.sizes[cut])
			}
			torn := d.Clone()
			torn.Set("log", bytes[:at])
			got := slices.DeleteFunc(slices.Clone(n.delivered[:cut]), func(url string) bool { return url == "" })
			for _, url := range g.walk(t, c, torn).delivered {
				if url != "" {
					got = append(got, url)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(whole, got); diff != "" {
				t.Fatalf("seed %d, %s, killed in record %d (-want +got):\n%s\nsite:\n%s", seed, name(c), cut, diff, g.archive)
			}
		}
	}
}

// visit is one request as a server sees it.
type visit struct {
	url          string
	began, ended time.Time
}

// slowHosts is a Fetcher whose hosts each have their own Crawl-delay. It
// records the times of requests.
type slowHosts struct {
	delays  []time.Duration
	latency time.Duration

	mu     sync.Mutex
	visits []visit
}

func (w *slowHosts) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	v := visit{url: r.URL, began: time.Now()}
	select {
	case <-time.After(rand.N(w.latency) + 1):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	v.ended = time.Now()
	w.mu.Lock()
	w.visits = append(w.visits, v)
	w.mu.Unlock()
	var n, k int
	_, _ = fmt.Sscanf(r.URL, "http://h%d.a.test/p%d", &n, &k)
	resp := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	if strings.HasSuffix(r.URL, "/robots.txt") {
		resp.Body = fmt.Appendf(nil, "User-agent: *\nCrawl-delay: %.3f\n", w.delays[n].Seconds())
		return resp, nil
	}
	resp.Body = fmt.Appendf(nil, "<title>%s %s</title>", word(n), word(k))
	for i := range 4 {
		resp.Body = fmt.Appendf(resp.Body, "<a href='http://h%d.a.test/p%d'>x</a>", (n*7+k*3+i*5)%len(w.delays), (k+i)%9)
	}
	return resp, nil
}

// TestGaps checks with random hosts, delays and numbers of workers that no
// request to a host is made earlier than its Crawl-delay after an answer, or
// while another request is in flight. With a Delay the same applies to all
// pages together.
func TestGaps(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 13))
		w := &slowHosts{latency: time.Duration(1+r.IntN(2000)) * time.Millisecond}
		for range 1 + r.IntN(12) {
			w.delays = append(w.delays, time.Duration(r.IntN(4))*time.Duration(r.IntN(2500))*time.Millisecond)
		}
		c := crawl.Config{
			URL: "http://h0.a.test/p0", Subdomains: true, EntireDomain: true, Sitemap: crawl.SitemapSkip,
			Concurrency: 1 + r.IntN(40), PerHost: r.IntN(6), Ordered: seed%4 == 3,
		}
		if seed%3 == 2 {
			c.Delay = time.Duration(1+r.IntN(5000)) * time.Millisecond
		}
		synctest.Test(t, func(t *testing.T) {
			e := crawl.Engine{Fetcher: w}
			for p, err := range e.Run(t.Context(), c) {
				if err != nil || p.Err != nil {
					t.Fatal(err, p.Err)
				}
			}
		})
		slices.SortFunc(w.visits, func(a, b visit) int { return a.began.Compare(b.began) })
		last, page := map[int]visit{}, visit{}
		for _, v := range w.visits {
			var n int
			_, _ = fmt.Sscanf(v.url, "http://h%d.", &n)
			if before, there := last[n]; there && w.delays[n] > 0 && v.began.Sub(before.ended) < w.delays[n] {
				t.Errorf("seed %d: %s came %v after the end of %s, want at least %v", seed, v.url, v.began.Sub(before.ended), before.url, w.delays[n])
			}
			last[n] = v
			if strings.HasSuffix(v.url, "/robots.txt") {
				continue
			}
			if !page.ended.IsZero() && c.Delay > 0 && v.began.Sub(page.ended) < c.Delay {
				t.Errorf("seed %d: %s came %v after the page before it, want at least %v", seed, v.url, v.began.Sub(page.ended), c.Delay)
			}
			page = v
		}
		if len(w.visits) < 2 {
			t.Errorf("seed %d: %d requests", seed, len(w.visits))
		}
	}
}

// spelling returns one of the ways to write the URL of a page, and a func that
// returns the page's key for each combination of options.
func spelling(r *rand.Rand) (url string, key func(keepSimilar, ignoreQuery bool) string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	scheme, www := pick("http://", "https://"), pick("", "www.")
	name := "/s/" + word(r.IntN(6))
	end, query := pick("", "/", "/index.html", "/index.php"), pick("", "", "?a=1", "?a=2", "?b=1&a=1")
	fragment := pick("", "#top", "#")
	url = scheme + www + "a.test" + name + end + query + fragment
	return url, func(keepSimilar, ignoreQuery bool) string {
		q := query
		if ignoreQuery {
			q = ""
		}
		if keepSimilar {
			return scheme + www + "a.test" + name + end + q
		}
		return name + q
	}
}

// TestSimilar checks all combinations of KeepSimilar and IgnoreQuery. Of
// spellings of one page, only the first one found is requested. Spellings of
// different pages are all requested.
func TestSimilar(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 14))
		var refs []string
		var keys []func(bool, bool) string
		for range 1 + r.IntN(80) {
			url, key := spelling(r)
			refs, keys = append(refs, url), append(keys, key)
		}
		counts := map[[2]bool]int{}
		for _, c := range []crawl.Config{{}, {KeepSimilar: true}, {IgnoreQuery: true}, {KeepSimilar: true, IgnoreQuery: true}} {
			want := []string{"http://a.test/s/"}
			seen := map[string]bool{}
			for i, ref := range refs {
				k := keys[i](c.KeepSimilar, c.IgnoreQuery)
				if !seen[k] {
					seen[k] = true
					page, _, _ := strings.Cut(ref, "#")
					want = append(want, page)
				}
			}
			var mu sync.Mutex
			var asked []string
			site := answer(func(p string) string {
				if p != "/s/" {
					return p
				}
				var b strings.Builder
				for _, ref := range refs {
					fmt.Fprintf(&b, "<a href=%q>x</a>", strings.ReplaceAll(ref, "&", "&amp;"))
				}
				return b.String()
			})
			c.URL, c.Sitemap, c.Traps, c.Concurrency = "http://a.test/s/", crawl.SitemapSkip, crawl.Traps{Void: crawl.Unlimited}, 1+r.IntN(9)
			e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Fetched: func(f crawl.Fetched) {
				if f.Task == frontier.PageTask {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, f.URL)
				}
			}}}
			for _, err := range e.Run(t.Context(), c) {
				if err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(asked)
			slices.Sort(want)
			if d := cmp.Diff(want, asked); d != "" {
				t.Fatalf("seed %d, KeepSimilar %t, IgnoreQuery %t: asked (-want +got):\n%s", seed, c.KeepSimilar, c.IgnoreQuery, d)
			}
			counts[[2]bool{c.KeepSimilar, c.IgnoreQuery}] = len(asked)
		}
		for _, b := range []bool{false, true} { // options that distinguish more give no fewer pages
			if counts[[2]bool{false, b}] > counts[[2]bool{true, b}] || counts[[2]bool{b, true}] > counts[[2]bool{b, false}] {
				t.Errorf("seed %d: %v", seed, counts)
			}
		}
	}
}
