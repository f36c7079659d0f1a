// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
)

// walk ends the leases of f in turn until the crawl is over. The func links
// returns the links of each page. If it is nil, pages have none. walk stops
// when links returns false. It returns the pages that it delivered.
func walk(t *testing.T, f frontier.Frontier, links func(frontier.Lease) ([]string, bool)) (pages []string) {
	t.Helper()
	for {
		leases, err := f.Lease(t.Context(), 64)
		if errors.Is(err, io.EOF) {
			return pages
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leases {
			end := frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Delivered, Status: 200, Answer: pace.Good}
			if l.Task == frontier.RobotsTask {
				end = frontier.Commit{Lease: l, Outcome: frontier.Robots, Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)}}
			} else if links != nil {
				found, more := links(l)
				if !more {
					return pages
				}
				for _, url := range found {
					end.Targets = append(end.Targets, frontier.Target{URL: url, Key: xxhash.Sum64String(url), Depth: l.Depth + 1})
				}
			}
			if err := f.Commit(t.Context(), end); err != nil {
				t.Fatal(err)
			}
			if l.Task == frontier.PageTask {
				pages = append(pages, l.URL)
			}
		}
	}
}

// TestLongReplay reopens a frontier whose log has more and longer records than
// are decoded ahead. All URLs are delivered once, and all counters are as
// before.
func TestLongReplay(t *testing.T) {
	for _, c := range []crawl.Config{{}, {MaxDepth: new(1000)}} {
		c.URL, c.Sitemap, c.Robots, c.Limit = "http://a.test/", crawl.SitemapSkip, crawl.RobotsIgnore, crawl.Unlimited
		r := rand.New(rand.NewPCG(3, 4))
		log := &heads{}
		f, err := frontier.OpenFrontier(log, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		found := []string{c.URL}
		delivered := walk(t, f, func(frontier.Lease) (links []string, more bool) {
			n := r.IntN(4)
			if r.IntN(400) == 0 || len(found) < 100 {
				n = 6000
			}
			for range n {
				if r.IntN(10) == 0 && len(found) > 1 { // a known URL; the start page has its own key
					links = append(links, found[1+r.IntN(len(found)-1)])
					continue
				}
				url := fmt.Sprintf("http://a.test/section-%d/%d", r.IntN(50), len(found))
				found, links = append(found, url), append(links, url)
			}
			return links, len(found) < 60_000
		})
		before, _ := f.Stats(t.Context())
		f.Close()
		if len(log.all) < 2000 {
			t.Fatalf("%d records, too few for this test", len(log.all))
		}

		if f, err = frontier.OpenFrontier(log, c.FrontierOptions()); err != nil {
			t.Fatal(err)
		}
		after, _ := f.Stats(t.Context())
		if after.Seen != before.Seen || after.Pending != before.Pending+before.Leased || after.Delivered != before.Delivered || after.Level != before.Level {
			t.Errorf("opened again: %+v, before %+v", after, before)
		}
		times := map[string]int{}
		for _, url := range append(delivered, walk(t, f, nil)...) {
			times[url]++
		}
		f.Close()
		want := map[string]bool{}
		for _, url := range found {
			want[url] = true
		}
		for url, n := range times {
			if n != 1 || !want[url] {
				t.Fatalf("%s was delivered %d times", url, n)
			}
		}
		if missing := len(found) - len(times); missing > 6000 { // the links of the page that was not committed
			t.Errorf("%d URLs of %d were not delivered", missing, len(found))
		}
	}
}

// readings is a Log that records which heads are read.
type readings struct {
	*heads
	at []int64
}

func (r *readings) Head(pos int64) ([]byte, error) {
	r.at = append(r.at, pos)
	return r.heads.Head(pos)
}

// TestReplayReads reopens a crawl of many hosts again and again. A log may keep only some
// records in memory, so the pages that are done are not read again, and neighboring pages
// are read one after the other.
func TestReplayReads(t *testing.T) {
	const hosts, urls, opens, near = 200, 6000, 3, 16
	c := crawl.Config{URL: "http://h0.test/0", Sitemap: crawl.SitemapSkip, Robots: crawl.RobotsIgnore, Limit: crawl.Unlimited}
	log := &readings{heads: &heads{}}
	times := map[string]int{}
	for n := range opens {
		f, err := frontier.OpenFrontier(log, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		log.at = nil
		pages := walk(t, f, func(l frontier.Lease) (links []string, more bool) {
			var i int
			if _, err := fmt.Sscanf(l.URL[strings.LastIndexByte(l.URL, '/'):], "/%d", &i); err != nil {
				t.Fatal(err)
			}
			for k := 8*i + 1; k <= min(8*i+8, urls-1); k++ {
				links = append(links, fmt.Sprintf("http://h%d.test/%d", k%hosts, k))
			}
			times[l.URL]++
			return links, n == opens-1 || len(times) < urls/opens*(n+1)
		})
		f.Close()
		for _, url := range pages {
			times[url] += 10
		}
		far, recent := 0, []int64{}
		for _, at := range log.at {
			i := slices.Index(recent, at/near)
			if i < 0 {
				far, i = far+1, 0
				if len(recent) < 8 {
					recent = append(recent, 0)
					i = len(recent) - 1
				}
			}
			recent = append(slices.Delete(recent, i, i+1), at/near) // the one that was used last
		}
		t.Logf("opened %d times: %d records were read for %d pages, %d of them far from those before", n+1, len(log.at), len(pages), far)
		if n > 0 && (len(log.at) > len(pages) || far > len(pages)/20) {
			t.Errorf("too many records were read")
		}
	}
	for url, n := range times {
		if n/10 != 1 {
			t.Errorf("%s was delivered %d times", url, n/10)
		}
	}
	if len(times) != urls {
		t.Errorf("%d URLs were delivered, want %d", len(times), urls)
	}
}

// TestReplayFails lets the log fail, or makes one of its records invalid, while
// others are decoded ahead. The error is returned, and no goroutine is left.
func TestReplayFails(t *testing.T) {
	c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Robots: crawl.RobotsIgnore, Limit: crawl.Unlimited}
	log := &heads{}
	f, err := frontier.OpenFrontier(log, c.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	walk(t, f, func(frontier.Lease) (links []string, more bool) {
		for range 3 {
			n++
			links = append(links, fmt.Sprintf("http://a.test/%d", n))
		}
		return links, n < 15_000
	})
	f.Close()
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		at := 1 + r.IntN(len(log.all)-1)
		if f, err := frontier.OpenFrontier(failing{log, at}, c.FrontierOptions()); !errors.Is(err, errDisk) {
			t.Errorf("reading record %d failed: %v, %v", at, f, err)
		}
		for name, bad := range map[string][]byte{"another kickoff": log.all[0], "a cut record": log.all[at][:len(log.all[at])-1]} {
			all := append([][]byte(nil), log.all...)
			all[at] = bad
			if f, err := frontier.OpenFrontier(&heads{all: all}, c.FrontierOptions()); !errors.Is(err, frontier.ErrCorrupt) {
				t.Errorf("record %d is %s: %v, %v", at, name, f, err)
			}
		}
	}
}

// failing is a log with one record that cannot be read.
type failing struct {
	*heads
	at int
}

func (l failing) Replay(visit func(int64, []byte) error) error {
	return l.heads.Replay(func(pos int64, head []byte) error {
		if int(pos) == l.at {
			return errDisk
		}
		return visit(pos, head)
	})
}

// TestReplayMemory checks that a replayed host keeps its name in memory, but
// not all URLs of the page that linked to it.
func TestReplayMemory(t *testing.T) {
	const hosts, most = 2000, 2000
	c := crawl.Config{URL: "http://a.test/", External: true, Sitemap: crawl.SitemapSkip, Robots: crawl.RobotsIgnore, Limit: crawl.Unlimited}
	log := &heads{}
	func() { // lets the first frontier be collected before memory is measured
		f, err := frontier.OpenFrontier(log, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		n := 0
		walk(t, f, func(frontier.Lease) (links []string, more bool) {
			for i := range 100 {
				links = append(links, fmt.Sprintf("http://a.test/a-rather-long-path/to/some-page-of-this-site-%d-%d", n, i))
			}
			n++
			return append(links, fmt.Sprintf("http://host-%d.test/", n)), n < hosts
		})
	}()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	f, err := frontier.OpenFrontier(log, c.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	after := heap()
	stats, _ := f.Stats(t.Context())
	each := float64(after-before-12*int64(stats.Seen)) / float64(stats.Hosts)
	t.Logf("%d hosts, %.0f bytes each", stats.Hosts, each)
	if stats.Hosts < hosts/2 || each > most {
		t.Errorf("%d hosts, %.0f bytes each, want at most %d", stats.Hosts, each, most)
	}
	runtime.KeepAlive(log)
}
