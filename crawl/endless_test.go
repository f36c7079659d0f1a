// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/journal"
	"example.com/curlew/internal/journal/journaltest"
)

// web is a site as a func from path to HTML; empty is a 404.
type web func(path string) string

// number returns the number that path ends in.
func number(path string) (n int) {
	_, _ = fmt.Sscanf(path[strings.LastIndexAny(path, "/=-")+1:], "%d", &n)
	return n
}

// chance returns a random number that belongs to what.
func chance(what ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, what...)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// prose returns n words that belong to what.
func prose(n int, what ...any) string {
	r := chance(what...)
	var b strings.Builder
	for range n {
		b.WriteString(word(r.IntN(5000)) + " ")
	}
	return b.String()
}

// frame is what all pages of a site share.
var frame = "<nav><a href='/'>Home</a> " + prose(60, "frame") + "</nav>"

func link(path string, text any) string { return fmt.Sprintf(" <a href='%s'>%v</a>", path, text) }

// table is a page of rates: the words are the same on each, the numbers are not.
func table(n int) string {
	r := chance("rates", n)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<tr><td>%s<td>%.4f<td>%.4f", word(i), r.Float64(), r.Float64())
	}
	return b.String()
}

// shop has products behind lists; they differ in numbers alone.
func shop(lists, each int) web {
	return func(p string) string {
		var b strings.Builder
		switch n := number(p); {
		case p == "/":
			for i := range lists {
				b.WriteString(link(fmt.Sprintf("/list/%d", i), i))
			}
		case strings.HasPrefix(p, "/list/"):
			for i := range each {
				b.WriteString(link(fmt.Sprintf("/product/%d", n*each+i), i))
			}
		case strings.HasPrefix(p, "/product/"):
			fmt.Fprintf(&b, "Product %d, price %d, in stock %d", n, n*7%1000, n%13)
		}
		return frame + b.String()
	}
}

// gallery has pictures by next links.
func gallery(size int) web {
	return func(p string) string {
		n := number(p)
		s := frame + fmt.Sprintf("Picture %d of %d <img src='/img/%d.jpg'>", n, size, n*n)
		if n+1 < size {
			s += link(fmt.Sprintf("/picture/%d", n+1), "next")
		}
		return s
	}
}

// days has a page of rates for each day.
func days(size int) web {
	return func(p string) string {
		n := number(p)
		if n+1 >= size {
			return frame + table(n)
		}
		return frame + table(n) + link(fmt.Sprintf("/day/%d", n+1), "next day")
	}
}

// forum has threads with pages.
func forum(threads, pages int) web {
	return func(p string) string {
		var thread, page int
		if n, _ := fmt.Sscanf(p, "/thread/%d?page=%d", &thread, &page); n == 0 {
			var b strings.Builder
			for i := range threads {
				b.WriteString(link(fmt.Sprintf("/thread/%d", i), prose(4, i)))
			}
			return frame + b.String()
		}
		page = max(page, 1)
		s := frame + prose(80, thread, page)
		for i := max(page-3, 1); i <= min(page+3, pages); i++ {
			s += link(fmt.Sprintf("/thread/%d?page=%d", thread, i), i)
		}
		return s
	}
}

// manual is documentation in versions that hardly differ.
func manual(versions, pages int) web {
	return func(p string) string {
		var version int
		var name string
		_, _ = fmt.Sscanf(p, "/v%d/%s", &version, &name)
		s := frame
		for i := range versions {
			s += link(fmt.Sprintf("/v%d/%s", i+1, name), i+1)
		}
		for i := range pages {
			s += link(fmt.Sprintf("/v%d/%s", max(version, 1), word(i)), word(i))
		}
		return s + prose(200, name) + fmt.Sprint("version ", version)
	}
}

// calendar has a page for each month, for ever.
func calendar(p string) string {
	year, month := 2026, 1
	_, _ = fmt.Sscanf(p, "/calendar/%d/%d", &year, &month)
	at := year*12 + month - 1
	s := frame + fmt.Sprintf("%v %d", time.Month(month), year)
	for day := range 31 {
		s += fmt.Sprintf(" <td>%d", day+1)
	}
	return s + link(fmt.Sprintf("/calendar/%d/%d", (at-1)/12, (at-1)%12+1), "before") + link(fmt.Sprintf("/calendar/%d/%d", (at+1)/12, (at+1)%12+1), "after")
}

// growing has a query that grows by another key on each page.
func growing(p string) string {
	sep := "?"
	if strings.Contains(p, "?") {
		sep = "&amp;"
	}
	return frame + prose(30, "growing") + link(strings.ReplaceAll(p, "&", "&amp;")+sep+word(len(p))+"=1", "more")
}

// sessions gives each link a new id.
func sessions(p string) string {
	path, query, _ := strings.Cut(p, "?")
	s := frame + prose(30, path)
	for i := range 12 {
		s += link(fmt.Sprintf("/page/%s?sid=%016x", word(i), chance(query, i).Uint64()), word(i))
	}
	return s
}

// circle leads deeper into the same page, by relative links with many names.
func circle(string) string {
	s := frame + prose(30, "circle")
	for i := range 6 {
		s += link(word(i)+"/", word(i))
	}
	return s
}

// facets has filters, of which few find something.
func facets(p string) string {
	_, query, _ := strings.Cut(p, "?")
	set := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			set[key] = value
		}
	}
	s := frame
	if len(set) > 2 {
		s += "Nothing was found."
	} else {
		s += prose(30, query)
	}
	for i := range 12 {
		key := "f" + word(i)
		for _, value := range []string{"yes", "no"} {
			with := maps.Clone(set)
			with[key] = value
			var parts []string
			for _, k := range slices.Sorted(maps.Keys(with)) {
				parts = append(parts, k+"="+with[k])
			}
			s += link("/search?"+strings.Join(parts, "&amp;"), key)
		}
	}
	return s
}

// walked is what one crawl gave.
type walked struct {
	Plain    map[string]bool // pages that were no suspects
	Suspects int
	Left     bool // suspects were left out
	stats    crawl.Stats
}

// walkWeb crawls a web in fake time; each answer takes another time in each run.
func walkWeb(t *testing.T, w web, c crawl.Config) (got walked) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { got = walkNow(t, w, c) })
	return got
}

func walkNow(t *testing.T, w web, c crawl.Config) (got walked) {
	t.Helper()
	got.Plain = map[string]bool{}
	var mu sync.Mutex
	var stats func() crawl.Stats
	e := crawl.Engine{Fetcher: lagging{answer(w), 300 * time.Millisecond}, Trace: &crawl.Trace{
		Started: func(s func() crawl.Stats) { stats = s },
		Committed: func(cm crawl.Commit) {
			if cm.Outcome != crawl.Delivered {
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
	if n := got.stats.Endless; n.Taken != got.Suspects || n.Left != got.stats.Refused[crawl.RuleEndless] || (len(n.Spaces) > 0) != (n.Left > 0) {
		t.Errorf("Stats of endless spaces %+v, %d refused; %d suspects were delivered", n, got.stats.Refused[crawl.RuleEndless], got.Suspects)
	}
	return got
}

// TestEndless: sites that go on and on by next links or lists are crawled in
// full; endless ones are bounded and told of; and the pages are the same at each
// concurrency.
func TestEndless(t *testing.T) {
	for _, tt := range []struct {
		name  string
		web   web
		c     crawl.Config
		pages int // delivered, in full; zero: the site is endless
		plain int // of an endless site: pages that are no suspects, at most
	}{
		{name: "catalogue", web: shop(20, 20), pages: 421},
		{name: "gallery", web: gallery(300), pages: 300},
		{name: "tables", web: days(300), c: crawl.Config{Limit: 300}, pages: 300},
		{name: "forum", web: forum(12, 40), pages: 1 + 12 + 12*40},
		{name: "manual", web: manual(30, 12), pages: 1 + 30*12 + 30},
		{name: "calendar", web: calendar, plain: 130},
		{name: "growing query", web: growing, c: crawl.Config{Traps: crawl.Traps{URLBytes: crawl.Unlimited}}, plain: 60},
		{name: "sessions", web: sessions, plain: 2000},
		{name: "circle", web: circle, plain: 10},
		{name: "facets", web: facets, plain: 2500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first walked
			for _, n := range []int{1, 8, 64} {
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

// progressive is a random site whose pages lead on and on: by next links, from
// lists, or both, and across. Some of its stretches say nothing new. It has size
// pages; where that is zero it goes on without end, and but for lists says
// nothing new any more after some hundreds.
func progressive(seed uint64, size int, kind string) web {
	r := chance(seed, kind)
	every, reach := 15+r.IntN(12), 1+r.IntN(9) // pages a list names, and how far links lead
	dull := 20 + r.IntN(80)                    // pages of a stretch
	return func(p string) string {
		n := number(p)
		item := func(i int) string {
			if i < 0 || size > 0 && i >= size {
				return ""
			}
			return link(fmt.Sprintf("/item/%d", i), "on")
		}
		switch {
		case p == "/":
			s := frame
			if kind != "lists" {
				s += item(0)
			}
			if kind != "next" {
				s += link("/list?page=0", "list")
			}
			return s
		case strings.HasPrefix(p, "/list"):
			s := frame
			for i := range every {
				if kind == "lists" || chance(seed, "named", n*every+i).IntN(3) == 0 {
					s += item(n*every + i)
				}
			}
			if size == 0 && kind == "lists" || (n+1)*every < max(size, 300) {
				s += link(fmt.Sprintf("/list?page=%d", n+1), "next")
			}
			return s
		}
		s := frame + "Item"
		if n/dull%2 == 1 && (size > 0 || n < 200) {
			s += prose(40, seed, n)
		}
		if kind == "lists" {
			return s
		}
		s += item(n + 1)
		if kind == "random" {
			for range 3 {
				s += item(n + 1 + chance(seed, n, len(s)).IntN(reach+1))
			}
			if chance(seed, "up", n).IntN(40) == 0 {
				s += link(fmt.Sprintf("/list?page=%d", n/every+1), "up")
			}
		}
		return s
	}
}

// runs is how often a property is tried: all times with -every.
func runs(all int) int {
	if *every {
		return all
	}
	return min(all, 5)
}

// TestProgressive: which pages of a progressive site are no suspects, and how
// many suspects are delivered, does not depend on concurrency or timing. A site
// that ends is delivered in full.
func TestProgressive(t *testing.T) {
	for _, kind := range []string{"next", "lists", "mixed", "random"} {
		t.Run(kind, func(t *testing.T) {
			for seed := range uint64(runs(20)) {
				size := 0
				if seed%2 == 0 {
					size = 150 + int(seed)*17
				}
				c := crawl.Config{Traps: crawl.Traps{Suspects: 40}, Limit: 10_000}
				if size > 0 {
					c.Traps.Suspects = 0
				} else if kind == "lists" {
					c.Limit = 300 // its lists are new for ever
				}
				site := progressive(seed, size, kind)
				var first walked
				for _, n := range []int{1, 2, 8, 64} {
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

// TestEndlessResume kills a crawl of an endless site at many records of its
// journal: what it delivered before and after is what one that was not killed
// delivers.
func TestEndlessResume(t *testing.T) {
	for name, site := range map[string]web{"calendar": calendar, "sessions": sessions, "random": progressive(3, 0, "random"), "circle": circle} {
		t.Run(name, func(t *testing.T) {
			c := crawl.Config{Concurrency: 8, Traps: crawl.Traps{Suspects: 30}}
			var d journaltest.FS
			whole := walkJournal(t, site, c, &d)
			bytes := d.Bytes("log")
			step := max(1, len(whole.at)/runs(25))
			for cut := 1; cut < len(whole.at); cut += step {
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

// journalled is a crawl over a journal: where its records begin, and the page
// that is no suspect which each delivered.
type journalled struct {
	*journal.Log
	at    []int64
	plain []string
	stats crawl.Stats
}

func (j *journalled) Append(head, blob []byte) (int64, error) {
	pos, err := j.Log.Append(head, blob)
	j.at, j.plain = append(j.at, pos), append(j.plain, "")
	return pos, err
}

func walkJournal(t *testing.T, w web, c crawl.Config, d *journaltest.FS) (j *journalled) {
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
		f, err := crawl.OpenFrontier(j, c)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.Frontier = f
		e := crawl.Engine{Fetcher: lagging{answer(w), 300 * time.Millisecond}, Trace: &crawl.Trace{Committed: func(cm crawl.Commit) {
			if cm.Outcome == crawl.Delivered && !cm.Lease.Suspect {
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
