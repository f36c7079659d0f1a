// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/journal"
)

// TestMemory measures the memory that a frontier over a file uses for each URL,
// pending or seen. It is usually 12 bytes. If no two consecutive URLs are on
// one host, it is 16 bytes more, and by depth it is 16 to 18 bytes more.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name string
		most float64
		crawl.Config
	}{
		{"by host", 16, crawl.Config{}},
		{"by depth", 34, crawl.Config{MaxDepth: new(50)}},
		{"hosts in turn", 30, crawl.Config{Subdomains: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.URL, c.Limit, c.Sitemap = "http://a.test/", crawl.Unlimited, crawl.SitemapSkip
			seen, bytes, disk := fill(t, c.Config, 100_000)
			t.Logf("%d URLs: %.1f B of memory, %.1f B of disk each", seen, bytes, disk)
			if bytes > c.most {
				t.Errorf("%.1f bytes a URL, want at most %v", bytes, c.most)
			}
			if disk > 80 {
				t.Errorf("%.1f bytes of disk a URL, want at most 80", disk)
			}
		})
	}
}

// TestMemoryForgets checks that a crawl in memory keeps only the fingerprint of
// a page whose links have all been leased.
func TestMemoryForgets(t *testing.T) {
	const pages, most = 50_000, 24
	f, err := frontier.NewFrontier(crawl.Config{URL: "http://a.test/", Limit: crawl.Unlimited, Sitemap: crawl.SitemapSkip, Robots: crawl.RobotsIgnore}.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range pages {
		leases, err := f.Lease(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		l := leases[0]
		next := fmt.Sprintf("http://a.test/section/%d/article-%d", n%97, n)
		if err := f.Commit(t.Context(), frontier.Commit{
			Lease: l, URL: l.URL, Outcome: frontier.Delivered, Status: 200, Answer: pace.Good,
			Targets: []frontier.Target{{URL: next, Key: xxhash.Sum64String(next), Depth: l.Depth + 1}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(f)
	each := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / pages
	t.Logf("%.1f bytes a page", each)
	if each > most {
		t.Errorf("%.1f bytes a page, want at most %d", each, most)
	}
}

// fill discovers n URLs, 80 on each page, and returns the cost of each.
func fill(t *testing.T, c crawl.Config, n int) (seen int, memory, disk float64) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	log, err := journal.Create(journal.Dir{Root: root}, "log", journal.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	f, err := frontier.OpenFrontier(log, c.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var empty, full runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&empty)
	for next := 0; next < n; {
		leases, err := f.Lease(t.Context(), 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leases {
			end := frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Delivered, Status: 200, Answer: pace.Good}
			if l.Task == frontier.RobotsTask {
				end = frontier.Commit{Lease: l, Outcome: frontier.Robots, Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)}}
			}
			for range 80 * (1 - int(l.Task)) {
				next++
				host := "a.test"
				if c.Subdomains { // no two consecutive URLs are on one host
					host = fmt.Sprintf("%c.a.test", 'a'+next%8)
				}
				url := fmt.Sprintf("http://%s/section/%d/article-%d", host, next%97, next)
				end.Targets = append(end.Targets, frontier.Target{URL: url, Key: xxhash.Sum64String(url), Depth: l.Depth + 1})
			}
			if err := f.Commit(t.Context(), end); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := log.Sync(t.Context()); err != nil { // records that wait for a sync belong to the log
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC() // the second collection frees idle buffers of the log
	runtime.ReadMemStats(&full)
	s, err := f.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(f)
	return s.Seen, float64(int64(full.HeapAlloc)-int64(empty.HeapAlloc)) / float64(s.Seen), float64(info.Size()) / float64(s.Seen)
}
