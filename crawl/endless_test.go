// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/internal/test/webtest"
)

// walked is the result of one crawl.
type walked struct {
	Plain    map[string]bool // pages outside endless spaces
	Suspects int
	Left     bool // pages of endless spaces were left out
	stats    frontier.Stats
}

// walkWeb crawls a web in synctest time. The times of answers differ between
// runs.
func walkWeb(t *testing.T, w webtest.Web, c crawl.Config) (got walked) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { got = walkNow(t, w, c) })
	return got
}

func walkNow(t *testing.T, w webtest.Web, c crawl.Config) (got walked) {
	t.Helper()
	got.Plain = map[string]bool{}
	var mu sync.Mutex
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: lagging{answer(w), 300 * time.Millisecond}, Trace: &crawl.Trace{
		Started: func(s func() frontier.Stats) { stats = s },
		Committed: func(cm frontier.Commit) {
			if cm.Outcome != frontier.Delivered {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if cm.Lease.Suspect {
				got.Suspects++
			} else {
				got.Plain[strings.TrimPrefix(cm.URL, "http://a.test")] = true
			}
		},
	}}
	c.URL, c.Sitemap = "http://a.test/", crawl.SitemapSkip
	for p, err := range e.Run(t.Context(), c) {
		if err != nil || p.Err != nil {
			t.Fatal(err, p.Err)
		}
	}
	got.stats = stats()
	got.Left = got.stats.Endless.Left > 0
	if n := got.stats.Endless; n.Taken != got.Suspects || n.Left != got.stats.Refused[scope.RuleEndless] || (len(n.Spaces) > 0) != (n.Left > 0) {
		t.Errorf("Stats of endless spaces %+v, %d refused; %d suspects were delivered", n, got.stats.Refused[scope.RuleEndless], got.Suspects)
	}
	return got
}

// TestEndless checks that long but finite sites with next links or lists are
// crawled in full, that endless sites are limited and reported, and that the
// pages do not depend on the concurrency.
func TestEndless(t *testing.T) {
	for _, tt := range []struct {
		name  string
		web   webtest.Web
		c     crawl.Config
		pages int // number delivered; zero if the site is endless
		plain int // for endless sites: maximal number of pages outside endless spaces
	}{
		{name: "catalogue", web: webtest.Catalogue(20, 20), pages: 421},
		{name: "gallery", web: webtest.Gallery(300), pages: 300},
		{name: "tables", web: webtest.Tables(300), c: crawl.Config{Limit: 300}, pages: 300},
		{name: "forum", web: webtest.Forum(12, 40), pages: 1 + 12 + 12*40},
		{name: "manual", web: webtest.Manual(30, 12), pages: 1 + 30*12 + 30},
		{name: "calendar", web: webtest.Calendar, plain: 130},
		{name: "growing query", web: webtest.GrowingQuery, c: crawl.Config{Traps: crawl.Traps{URLBytes: crawl.Unlimited}}, plain: 60},
		{name: "sessions", web: webtest.Sessions, plain: 2000},
		{name: "circle", web: webtest.Circle, plain: 10},
		{name: "facets", web: webtest.Facets, plain: 2500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first walked
			for _, n := range widths() {
				c := tt.c
				c.Concurrency = n
				if tt.pages == 0 {
					c.Traps.Suspects = 60
				}
				got := walkWeb(t, tt.web, c)
				all := len(got.Plain) + got.Suspects
				switch {
				case tt.pages > 0 && (all != tt.pages || got.Left):
					t.Errorf("%d at a time: %d pages, want %d; left out: %+v", n, all, tt.pages, got.stats.Endless)
				case tt.pages == 0 && (len(got.Plain) > tt.plain || got.Suspects != 60 || !got.Left):
					t.Errorf("%d at a time: %d pages, want at most %d; %d suspects; left out: %+v", n, len(got.Plain), tt.plain, got.Suspects, got.stats.Endless)
				}
				if first.Plain == nil {
					first = got
					t.Logf("%d pages, %d suspects, %+v", len(got.Plain), got.Suspects, got.stats.Endless)
				}
				if d := cmp.Diff(first.Plain, got.Plain); d != "" || first.Suspects != got.Suspects {
					t.Errorf("%d at a time: %d suspects, want %d; pages (-one at a time +now):\n%s", n, got.Suspects, first.Suspects, d)
				}
			}
		})
	}
}

// TestEndlessModes checks that crawls by depth and ordered crawls give the same
// result.
func TestEndlessModes(t *testing.T) {
	for name, site := range map[string]webtest.Web{
		"gallery": webtest.Gallery(120), "calendar": webtest.Calendar, "circle": webtest.Circle, "facets": webtest.Facets, "random": progressive(4, 200, "random"),
	} {
		for mode, c := range map[string]crawl.Config{"depth": {MaxDepth: new(90)}, "ordered": {Ordered: true}} {
			if name == "facets" && !*every {
				continue // its thousands of pages take half of the time, and TestEndless crawls them too
			}
			t.Run(name+"/"+mode, func(t *testing.T) {
				c.Traps.Suspects = 30
				var first walked
				for _, n := range []int{1, 64} {
					c.Concurrency = n
					got := walkWeb(t, site, c)
					if first.Plain == nil {
						first = got
						t.Logf("%d pages, %d suspects, %d left", len(got.Plain), got.Suspects, got.stats.Endless.Left)
					}
					if d := cmp.Diff(first.Plain, got.Plain); d != "" || first.Suspects != got.Suspects || got.Suspects > 30 {
						t.Errorf("%d at a time: %d suspects, want %d; pages (-one at a time +now):\n%s", n, got.Suspects, first.Suspects, d)
					}
				}
				if want := min(30, first.Suspects+first.stats.Endless.Left); first.Suspects != want || len(first.Plain) < 7 {
					t.Errorf("%d pages, %d suspects, want %d", len(first.Plain), first.Suspects, want)
				}
			})
		}
	}
}

// progressive is a random site whose pages continue by next links, by lists, or
// both, and link across. Some stretches contain nothing new. It has size pages.
// If size is zero, it is endless and, unless it uses lists, contains nothing
// new after some hundred pages.
func progressive(seed uint64, size int, kind string) webtest.Web {
	r := webtest.Chance(seed, kind)
	every, reach := 15+r.IntN(12), 1+r.IntN(9) // pages in a list, and the distance of links
	dull := 20 + r.IntN(80)                    // pages of a stretch
	return func(p string) string {
		n := webtest.Number(p)
		item := func(i int) string {
			if i < 0 || size > 0 && i >= size {
				return ""
			}
			return webtest.Link(fmt.Sprintf("/item/%d", i), "on")
		}
		switch {
		case p == "/":
			s := webtest.Frame
			if kind != "lists" {
				s += item(0)
			}
			if kind != "next" {
				s += webtest.Link("/list?page=0", "list")
			}
			return s
		case strings.HasPrefix(p, "/list"):
			var s strings.Builder
			s.WriteString(webtest.Frame)
			for i := range every {
				if kind == "lists" || webtest.Chance(seed, "named", n*every+i).IntN(3) == 0 {
					s.WriteString(item(n*every + i))
				}
			}
			if size == 0 && kind == "lists" || (n+1)*every < max(size, 300) {
				s.WriteString(webtest.Link(fmt.Sprintf("/list?page=%d", n+1), "next"))
			}
			return s.String()
		}
		s := webtest.Frame + "Item"
		if n/dull%2 == 1 && (size > 0 || n < 200) {
			s += webtest.Prose(40, seed, n)
		}
		if kind == "lists" {
			return s
		}
		s += item(n + 1)
		if kind == "random" {
			for range 3 {
				s += item(n + 1 + webtest.Chance(seed, n, len(s)).IntN(reach+1))
			}
			if webtest.Chance(seed, "up", n).IntN(40) == 0 {
				s += webtest.Link(fmt.Sprintf("/list?page=%d", n/every+1), "up")
			}
		}
		return s
	}
}

// runs returns the number of times to try a property. With -every it is all.
func runs(all int) int {
	if *every {
		return all
	}
	return min(all, 5)
}

// widths returns the numbers of pages that are fetched at once.
func widths() []int {
	if *every {
		return []int{1, 8, 64}
	}
	return []int{1, 64}
}

// TestProgressive checks that the pages outside endless spaces, and the number
// of other pages delivered, do not depend on concurrency or timing. A finite
// site is delivered in full.
func TestProgressive(t *testing.T) {
	begin := uint64(13) // the endless sites of these seeds have about 1,000 pages each, those of others up to 10,000
	if *every {
		begin = 0
	}
	for _, kind := range []string{"next", "lists", "mixed", "random"} {
		t.Run(kind, func(t *testing.T) {
			for seed := begin; seed < begin+uint64(runs(20)); seed++ {
				size := 0
				if seed%2 == 0 {
					size = 150 + int(seed)*17
				}
				c := crawl.Config{Traps: crawl.Traps{Suspects: 40}, Limit: 10_000}
				if size > 0 {
					c.Traps.Suspects = 0
				} else if kind == "lists" {
					c.Limit = 300 // its lists always contain something new
				}
				site := progressive(seed, size, kind)
				var first walked
				at := []int{1, []int{8, 64, 2, 8, 64}[seed%5]} // another number than one for each seed, unless all are tried
				if *every {
					at = []int{1, 2, 8, 64}
				}
				for _, n := range at {
					c.Concurrency = n
					got := walkWeb(t, site, c)
					if first.Plain == nil {
						first = got
					}
					if size == 0 && kind == "lists" {
						if len(got.Plain) != c.Limit {
							t.Errorf("seed %d, %d at a time: %d pages, want the limit", seed, n, len(got.Plain))
						}
						continue
					}
					if d := cmp.Diff(first.Plain, got.Plain); d != "" || first.Suspects != got.Suspects {
						t.Fatalf("seed %d, %d at a time: %d suspects, want %d; pages (-one at a time +now):\n%s", seed, n, got.Suspects, first.Suspects, d)
					}
				}
				if size > 0 && kind != "mixed" {
					if items := len(first.Plain) + first.Suspects; items < size+1 || first.Left {
						t.Errorf("seed %d: %d pages of %d items", seed, items, size)
					}
				}
			}
		})
	}
}

// TestEndlessResume interrupts a crawl of an endless site at many records of
// its journal. Both runs together deliver the same pages as an uninterrupted
// crawl.
func TestEndlessResume(t *testing.T) {
	for name, site := range map[string]webtest.Web{"calendar": webtest.Calendar, "sessions": webtest.Sessions, "random": progressive(15, 0, "random"), "circle": webtest.Circle} {
		t.Run(name, func(t *testing.T) {
			c := crawl.Config{Concurrency: 8, Traps: crawl.Traps{Suspects: 30}}
			var d journaltest.FS
			whole := walkJournal(t, site, c, &d)
			bytes := d.Bytes("log")
			cuts := runs(25)
			if len(whole.at) > 1000 && !*every {
				cuts = 1 // each of them is a long crawl
			}
			t.Logf("%d records, cut %d times", len(whole.at), cuts)
			step := max(1, len(whole.at)/cuts)
			for cut := max(1, step/2); cut < len(whole.at); cut += step {
				torn := d.Clone()
				torn.Set("log", bytes[:whole.at[cut]])
				rest := walkJournal(t, site, c, torn)
				got := map[string]bool{}
				for _, url := range slices.Concat(whole.plain[:cut], rest.plain) {
					if got[url] {
						t.Errorf("killed in record %d: %s was delivered twice", cut, url)
					}
					if url != "" {
						got[url] = true
					}
				}
				want := map[string]bool{}
				for _, url := range whole.plain {
					if url != "" {
						want[url] = true
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("killed in record %d of %d (-want +got):\n%s", cut, len(whole.at), diff)
				}
				if s := rest.stats.Endless; s.Taken != whole.stats.Endless.Taken {
					t.Errorf("killed in record %d: %d suspects, want %d", cut, s.Taken, whole.stats.Endless.Taken)
				}
			}
		})
	}
}

// journalled is a crawl with a journal: the offsets of its records, and the
// page outside endless spaces that each record delivered.
type journalled struct {
	*journal.Log
	at    []int64
	plain []string
	stats frontier.Stats
}

func (j *journalled) Append(head, blob []byte) (int64, error) {
	pos, err := j.Log.Append(head, blob)
	j.at, j.plain = append(j.at, pos), append(j.plain, "")
	return pos, err
}

func walkJournal(t *testing.T, w webtest.Web, c crawl.Config, d *journaltest.FS) (j *journalled) {
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
		j = &journalled{Log: log}
		c.URL, c.Sitemap = "http://a.test/", crawl.SitemapSkip
		f, err := frontier.OpenFrontier(j, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.Frontier = f
		e := crawl.Engine{Fetcher: lagging{answer(w), 300 * time.Millisecond}, Trace: &crawl.Trace{Committed: func(cm frontier.Commit) {
			if cm.Outcome == frontier.Delivered && !cm.Lease.Suspect {
				j.plain[len(j.plain)-1] = cm.URL
			}
		}}}
		for p, err := range e.Run(t.Context(), c) {
			if err != nil || p.Err != nil {
				t.Fatal(err, p.Err)
			}
		}
		j.stats, _ = f.Stats(t.Context())
	})
	return j
}
