// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/frontier/frontiertest"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/journal"
)

// heads is a Log that fails on demand.
type heads struct {
	all    [][]byte
	fail   int // number of the write that fails, from 1; zero if none does
	writes int
}

var errDisk = errors.New("no space left")

func (h *heads) Append(head, _ []byte) (int64, error) {
	if h.writes++; h.writes == h.fail {
		return 0, errDisk
	}
	h.all = append(h.all, append([]byte(nil), head...))
	return int64(len(h.all) - 1), nil
}

func (h *heads) Head(pos int64) ([]byte, error) { return h.all[pos], nil }

func (h *heads) Replay(visit func(int64, []byte) error) error {
	for i, head := range h.all {
		if err := visit(int64(i), head); err != nil {
			return err
		}
	}
	return nil
}

var _ frontier.Log = (*journal.Log)(nil)

func TestFrontierOverLog(t *testing.T) {
	frontiertest.Check(t, func(t testing.TB, o frontier.Options) frontier.Frontier {
		f, err := frontier.OpenFrontier(&heads{}, o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}

// resume crawls g with log and reports each commit.
func (g *graph) resume(t *testing.T, c crawl.Config, log frontier.Log, committed func(frontier.Commit)) (failed error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.URL = g.start.url
		f, err := frontier.OpenFrontier(log, c.FrontierOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.Frontier = f
		e := crawl.Engine{
			Fetcher: lagging{fetchtest.New(t, g.archive), 300 * time.Millisecond},
			Trace:   &crawl.Trace{Committed: committed},
		}
		for _, err := range e.Run(t.Context(), c) {
			failed = err
		}
	})
	return failed
}

// TestResume cuts the log of a crawl after each record. The pages delivered
// before and after are together all pages, each once.
func TestResume(t *testing.T) {
	for seed := range 3 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		g := grow(r, 40, seed == 1)
		for _, c := range []crawl.Config{
			{EntireDomain: true, Subdomains: true, External: true, Concurrency: 4, Sitemap: crawl.SitemapInclude},
			{EntireDomain: true, Subdomains: true, MaxDepth: new(3), Concurrency: 4, Sitemap: crawl.SitemapInclude},
			{EntireDomain: true, Subdomains: true, Ordered: true, Limit: 9, Concurrency: 4, Sitemap: crawl.SitemapInclude},
		} {
			log := &heads{}
			var delivered []string // by record, empty if it delivered none
			err := g.resume(t, c, log, func(cm frontier.Commit) {
				for len(delivered) < len(log.all) {
					delivered = append(delivered, "")
				}
				if cm.Outcome == frontier.Delivered {
					delivered[len(delivered)-1] = cm.URL
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			whole := map[string]bool{}
			for _, url := range delivered {
				if url != "" {
					whole[url] = true
				}
			}
			if want := g.search(c); c.Limit == 0 && len(want.delivered) != len(whole) {
				t.Fatalf("seed %d, %s: %d delivered, want %d", seed, name(c), len(whole), len(want.delivered))
			}
			for cut := 1; cut < len(log.all); cut++ {
				got := map[string]bool{}
				for _, url := range delivered[:cut] {
					if url != "" {
						got[url] = true
					}
				}
				err := g.resume(t, c, &heads{all: append([][]byte(nil), log.all[:cut]...)}, func(cm frontier.Commit) {
					if cm.Outcome != frontier.Delivered {
						return
					}
					if got[cm.URL] {
						t.Errorf("seed %d, cut at %d: %s was delivered before", seed, cut, cm.URL)
					}
					got[cm.URL] = true
				})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(whole, got); d != "" && (c.Limit == 0 || c.Ordered) {
					t.Fatalf("seed %d, %s, cut at %d: delivered (-want +got):\n%s", seed, name(c), cut, d)
				}
			}
		}
	}
}

// TestLogFails lets each write fail in turn. Run returns the error, and
// delivers nothing that is not in the log.
func TestLogFails(t *testing.T) {
	g := grow(rand.New(rand.NewPCG(1, 10)), 20, false)
	c := crawl.Config{EntireDomain: true, Subdomains: true, Concurrency: 4}
	full := &heads{}
	if err := g.resume(t, c, full, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := frontier.OpenFrontier(&heads{fail: 1}, frontier.Options{URL: g.start.url}); !errors.Is(err, errDisk) {
		t.Errorf("OpenFrontier: %v, want the log's error", err)
	}
	for fail := 2; fail <= len(full.all); fail++ {
		log := &heads{fail: fail}
		n := 0
		err := g.resume(t, c, log, func(cm frontier.Commit) {
			if cm.Lease.Task == frontier.PageTask && cm.Outcome != frontier.Retry {
				n++
			}
		})
		if !errors.Is(err, errDisk) {
			t.Errorf("write %d failed: Run said %v", fail, err)
		}
		if len(log.all) != fail-1 || n > fail-2 {
			t.Errorf("write %d failed: %d records, %d commits", fail, len(log.all), n)
		}
	}
}

func TestCorruptLog(t *testing.T) {
	g := grow(rand.New(rand.NewPCG(2, 10)), 12, false)
	c := crawl.Config{URL: g.start.url, EntireDomain: true, Subdomains: true}
	log := &heads{}
	if err := g.resume(t, c, log, nil); err != nil {
		t.Fatal(err)
	}
	for i, head := range log.all {
		for n := range head {
			bad := append([][]byte(nil), log.all...)
			bad[i] = head[:n]
			f, err := frontier.OpenFrontier(&heads{all: bad}, c.FrontierOptions())
			if err == nil {
				f.Close()
			}
			if n > 0 && !errors.Is(err, frontier.ErrCorrupt) {
				t.Fatalf("record %d cut to %d of %d bytes: %v", i, n, len(head), err)
			}
		}
	}
	// Records of other users in between are ignored.
	mixed := append([][]byte{{0x20, 1}}, log.all...)
	f, err := frontier.OpenFrontier(&heads{all: mixed}, c.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Lease(t.Context(), 1); !errors.Is(err, io.EOF) {
		t.Errorf("a crawl that is over, opened again: %v, want io.EOF", err)
	}
}

// BenchmarkReplay reads a frontier with very many URLs again, as at the restart
// of a long crawl. One operation is 200,000 URLs.
func BenchmarkReplay(b *testing.B) {
	log := &heads{}
	c := crawl.Config{URL: "https://www.example.com/", Sitemap: crawl.SitemapSkip, Limit: crawl.Unlimited, Concurrency: 64}
	f, err := frontier.OpenFrontier(log, c.FrontierOptions())
	if err != nil {
		b.Fatal(err)
	}
	for found := 0; found < 200_000; {
		leases, err := f.Lease(b.Context(), 64)
		if err != nil {
			b.Fatal(err)
		}
		for _, l := range leases {
			cm := frontier.Commit{Lease: l, Outcome: frontier.Robots, Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)}}
			if l.Task == frontier.PageTask {
				cm = frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Delivered, Answer: pace.Good, Status: 200, Text: l.Seq + 1}
				for range 80 {
					found++
					k := uint64(found) * 0x9e3779b97f4a7c15
					cm.Targets = append(cm.Targets, frontier.Target{
						URL: fmt.Sprintf("https://www.example.com/section-%d/article-%07d.html", found%97, found), Key: k ^ k>>29, Depth: l.Depth + 1,
					})
				}
			}
			if err := f.Commit(b.Context(), cm); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := frontier.OpenFrontier(log, c.FrontierOptions())
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
