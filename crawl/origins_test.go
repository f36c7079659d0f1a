// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/fetch"
)

// manyHosts is a web of hosts h0.a.test, h1.a.test and so on. Each has a
// robots.txt that disallows /no.
type manyHosts struct {
	hosts  int
	back   int    // each host links to the host this number before it
	all    bool   // h0 links to all hosts
	robots string // additional lines of robots.txt
	most   int    // memory limit for rules; zero means the default

	mu     sync.Mutex
	ruled  map[string]int // requests for robots.txt by host
	faults []string
}

func (w *manyHosts) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *manyHosts) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	host, path, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
	page := func(kind, body string) (*fetch.Response, error) {
		return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}, nil
	}
	switch {
	case path == "robots.txt":
		w.ruled[host]++
		return page("text/plain", "User-agent: *\nDisallow: /no\n"+w.robots)
	case w.ruled[host] == 0:
		w.fault("%s before robots.txt", r.URL)
	case path == "no":
		w.fault("%s is forbidden", r.URL)
	}
	i, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimSuffix(host, ".a.test"), "h"))
	var b strings.Builder
	letters := func(digit rune) rune { return digit - '0' + 'a' } // letters, because pages that differ only in digits are taken for a trap
	fmt.Fprintf(&b, "%s <a href=/no>no</a>", strings.Map(letters, strconv.Itoa(i)))
	link := func(n int, path string) {
		if n >= 0 && n < w.hosts {
			fmt.Fprintf(&b, "<a href='http://h%d.a.test/%s'>%d</a>", n, path, n)
		}
	}
	switch {
	case path != "":
	case w.all && i == 0:
		for n := range w.hosts {
			link(n, "")
		}
	case !w.all:
		for n := 2*i + 1; n <= 2*i+2; n++ { // a tree, so that few hosts wait at a time at first
			link(n, "")
		}
		if w.back > 0 {
			link(i-w.back, "back")
		}
	}
	return page("text/html", b.String())
}

func (w *manyHosts) crawl(t *testing.T, concurrency int) (f frontier.Frontier, pages, failed int) {
	t.Helper()
	w.ruled = map[string]int{}
	c := crawl.Config{
		URL: "http://h0.a.test/", Subdomains: true, EntireDomain: true, Sitemap: crawl.SitemapSkip,
		Concurrency: concurrency, Limit: crawl.Unlimited,
	}
	f, err := frontier.NewFrontier(c.FrontierOptions())
	if err != nil {
		t.Fatal(err)
	}
	c.Frontier = f
	e := crawl.Engine{Fetcher: w}
	e.BoundRules(w.most)
	for p, err := range e.Run(t.Context(), c) {
		switch {
		case err != nil:
			t.Fatal(err)
		case p.Err != nil:
			failed++
			if !errors.Is(p.Err, crawl.ErrRobots) {
				t.Error(p.Err)
			}
		default:
			pages++
		}
	}
	for i, fault := range w.faults {
		if i < 5 {
			t.Error(fault)
		}
	}
	return f, pages, failed
}

// TestManyHosts checks that hosts are forgotten after their last page, and that
// the Engine still knows the robots.txt of a host that is met again.
func TestManyHosts(t *testing.T) {
	w := &manyHosts{hosts: 9000, back: 8900}
	f, pages, failed := w.crawl(t, 8)
	defer f.Close()
	if want := 9000 + 100; pages != want || failed != 0 {
		t.Errorf("%d pages, %d failed, want %d", pages, failed, want)
	}
	hosts, origins := f.(interface{ Remembered() (hosts, origins int) }).Remembered()
	if hosts >= 9000 || origins >= 9000 {
		t.Errorf("%d hosts and %d origins are remembered of 9000", hosts, origins)
	}
	again := 0
	for _, n := range w.ruled {
		again += n - 1
	}
	if again != 0 {
		t.Errorf("%d robots.txt were asked for again", again)
	}
}

// TestLongRobots checks that rules are obeyed even if they do not all fit into
// memory. A robots.txt that was dropped is requested again, but not for ever.
// Each page is requested in the end, however long a pause its host asks for.
func TestLongRobots(t *testing.T) {
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "Allow: /a%d\n", i)
	}
	size := robots.Parse([]byte("User-agent: *\n" + long.String())).Agent().Size()
	for name, robots := range map[string]string{"at once": long.String(), "after a delay": "Crawl-delay: 5\n" + long.String()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &manyHosts{hosts: 40, all: true, robots: robots, most: 4 * size}
				f, pages, failed := w.crawl(t, 4)
				defer f.Close()
				if pages != w.hosts || failed != 0 {
					t.Errorf("%d pages, %d failed, want %d", pages, failed, w.hosts)
				}
				files := 0
				for _, n := range w.ruled {
					files += n
				}
				if files > 20*w.hosts {
					t.Errorf("%d files were asked for by %d hosts", files, w.hosts)
				}
			})
		})
	}
}
