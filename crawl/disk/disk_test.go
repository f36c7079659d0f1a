// SPDX-License-Identifier: Apache-2.0

package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/disk"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch/fetchtest"
)

// tree is a site of n pages that each link to two others.
func tree(t *testing.T, n int) *fetchtest.Site {
	var b strings.Builder
	for i := range n {
		path := fmt.Sprintf("/%d", i)
		if i == 0 {
			path = "/"
		}
		fmt.Fprintf(&b, "-- a.test%s --\n", path)
		for _, to := range []int{2*i + 1, 2*i + 2} {
			if to < n {
				fmt.Fprintf(&b, "<a href=\"/%d\">page</a>\n", to)
			}
		}
	}
	return fetchtest.New(t, []byte(b.String()))
}

// part crawls until it has got most pages and returns them. Zero means all
// pages. If it stops at most, the last page is not committed.
func part(t *testing.T, e *crawl.Engine, c crawl.Config, most int) (got []string) {
	t.Helper()
	for page, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.URL)
		if len(got) == most {
			break
		}
	}
	return got
}

// TestDir leaves a crawl repeatedly. Each run continues it, and only the page
// at which it was left is repeated.
func TestDir(t *testing.T) {
	const pages = 100
	dir := disk.Dir(filepath.Join(t.TempDir(), "deep", "state"))
	c := crawl.Config{URL: "http://a.test/", State: dir, Sitemap: crawl.SitemapSkip}
	seen := map[string]int{}
	rounds := 0
	for {
		c.Concurrency = 1 + rounds%5 // may differ between runs
		got := part(t, &crawl.Engine{Fetcher: tree(t, pages)}, c, 17)
		if len(got) == 0 {
			break
		}
		left := len(got) == 17
		for i, url := range got {
			if i == len(got)-1 && left {
				break // this page is not committed
			}
			seen[url]++
		}
		rounds++
	}
	if len(seen) != pages || rounds < pages/17 {
		t.Errorf("%d pages in %d rounds, want %d", len(seen), rounds, pages)
	}
	for url, n := range seen {
		if n != 1 {
			t.Errorf("%s was committed %d times", url, n)
		}
	}
	files, err := fs.Glob(os.DirFS(string(dir)), "*")
	if err != nil || len(files) != 2 {
		t.Errorf("files %v, %v, want the log and the lock", files, err)
	}
}

// TestDirLimit checks that the limit is exact over all runs.
func TestDirLimit(t *testing.T) {
	c := crawl.Config{URL: "http://a.test/", State: disk.Dir(t.TempDir()), Limit: 10, Sitemap: crawl.SitemapSkip}
	first := part(t, &crawl.Engine{Fetcher: tree(t, 50)}, c, 4)
	second := part(t, &crawl.Engine{Fetcher: tree(t, 50)}, c, 0)
	if len(first) != 4 || len(second) != 7 { // the fourth page is repeated
		t.Errorf("%d pages and then %d, want 4 and 7", len(first), len(second))
	}
}

// TestDirRefused checks that a directory serves one crawl with one
// configuration at a time.
func TestDirRefused(t *testing.T) {
	e := &crawl.Engine{Fetcher: tree(t, 50)}
	c := crawl.Config{URL: "http://us:old@a.test/", State: disk.Dir(t.TempDir()), Sitemap: crawl.SitemapSkip}
	fault := func(c crawl.Config) (err error) {
		for _, err = range e.Run(t.Context(), c) {
			break
		}
		return err
	}
	for page, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		if err := fault(c); !errors.Is(err, disk.ErrLocked) {
			t.Errorf("a second crawl at the same time: %v, want ErrLocked", err)
		}
		if page.Depth == 1 {
			break
		}
	}
	for name, change := range map[string]func(*crawl.Config){
		"URL":      func(c *crawl.Config) { c.URL = "http://a.test/x" },
		"limit":    func(c *crawl.Config) { c.Limit = 5 },
		"patterns": func(c *crawl.Config) { c.Exclude = []string{"x"} },
		"traps":    func(c *crawl.Config) { c.Traps.Keys = 1 },
		"frontier": func(c *crawl.Config) { c.Frontier, _ = frontier.NewFrontier(c.FrontierOptions()) },
	} {
		other := c
		change(&other)
		if err := fault(other); !errors.Is(err, crawl.ErrConfig) {
			t.Errorf("another %s: %v, want ErrConfig", name, err)
		}
		if other.Frontier != nil {
			_ = other.Frontier.Close()
		}
	}
	same := c
	same.Limit, same.URL, same.Delay = 10_000, "http://us:new@a.test/", 1 // the default limit, and a new password
	if err := fault(same); err != nil {
		t.Errorf("the same crawl: %v", err)
	}
}

// TestDirDamaged continues after an incomplete record, restarts if nothing had
// been written, and refuses a damaged log.
func TestDirDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(log []byte) []byte
		err    error
		pages  int // repeated and new pages of 50; -1 accepts any number
	}{
		"torn":    {func(b []byte) []byte { return b[:len(b)-3] }, nil, -1},
		"unborn":  {func(b []byte) []byte { return b[:10] }, nil, 50},
		"empty":   {func([]byte) []byte { return nil }, nil, 50},
		"header":  {func(b []byte) []byte { b[20] ^= 0xff; return b }, frontier.ErrCorrupt, 0},
		"foreign": {func(b []byte) []byte { return append([]byte("something else "), b...) }, frontier.ErrCorrupt, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			config := crawl.Config{URL: "http://a.test/", State: disk.Dir(dir), Sitemap: crawl.SitemapSkip}
			part(t, &crawl.Engine{Fetcher: tree(t, 50)}, config, 20)
			file := filepath.Join(dir, "crawl")
			log, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, c.damage(log), 0o600); err != nil {
				t.Fatal(err)
			}
			n := 0
			var last error
			for _, err := range (&crawl.Engine{Fetcher: tree(t, 50)}).Run(t.Context(), config) {
				if last = err; err == nil {
					n++
				}
			}
			if !errors.Is(last, c.err) || (c.pages >= 0 && n != c.pages) || (c.pages < 0 && (n < 31 || n > 40)) {
				t.Errorf("%d pages and %v, want %d and %v", n, last, c.pages, c.err)
			}
		})
	}
}

// TestRemoved removes the directory during a crawl. The crawl ends with an error, because it
// could not continue after a restart.
func TestRemoved(t *testing.T) {
	const pages = 50
	dir := t.TempDir()
	e := &crawl.Engine{Fetcher: tree(t, pages)}
	var failed error
	n := 0
	for _, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", State: disk.Dir(dir), Sitemap: crawl.SitemapSkip}) {
		if err != nil {
			failed = err
			break
		}
		if n++; n == 5 {
			if err := os.RemoveAll(dir); err != nil {
				t.Skipf("an open directory cannot be removed on this system: %v", err)
			}
		}
	}
	if !errors.Is(failed, fs.ErrNotExist) {
		t.Errorf("after %d pages: %v", n, failed)
	}
}
