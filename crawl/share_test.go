// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// sharedSite has redirects, an endless space, failures, cookies, links that robots.txt
// disallows, and pages that are not HTML.
func sharedSite() []byte {
	var b strings.Builder
	b.WriteString(`
-- http://a.test/robots.txt --
User-agent: *
Disallow: /private

-- http://a.test/ --
HTTP 200
Content-Type: text/html
Set-Cookie: session=one; Path=/

`)
	for i := range 40 {
		fmt.Fprintf(&b, "<a href=/p/%d>x</a>\n", i)
	}
	b.WriteString(`<a href=/moved>x</a> <a href=/out>x</a> <a href=/private/x>x</a> <a href=/gone>x</a> <a href=/broken>x</a> <a href=/text>x</a> <a href=/loop>x</a> <a href=/huge>x</a>
-- http://a.test/moved --
HTTP 302
Location: /p/100

-- http://a.test/out --
HTTP 302
Location: http://b.test/

-- http://a.test/loop --
HTTP 302
Location: /loop?again
Set-Cookie: looped=1

-- http://a.test/loop?again --
HTTP 302
Location: /loop

-- http://a.test/gone --
HTTP 404
Content-Type: text/html

<a href=/p/101>x</a>
-- http://a.test/broken --
HTTP 503

-- http://a.test/text --
HTTP 200
Content-Type: text/markdown

[x](/p/102) [y](/private/y) [z](mailto:a@b.test)
`)
	fmt.Fprintf(&b, "-- http://a.test/huge --\nHTTP 200\nContent-Type: text/html\n\n<p>%s</p><a href=/p/103>x</a>\n", strings.Repeat("large ", 500))
	for i := range 104 {
		fmt.Fprintf(&b, "-- http://a.test/p/%d --\nHTTP 200\nContent-Type: text/html\nX-Latency: 20ms\nSet-Cookie: p%[1]d=1\n\n<p>Page %[1]d</p><a href=/p/%d>x</a> <a href=/private/%[1]d>x</a> <a rel=nofollow href=/nf/%[1]d>x</a>\n", i, min(2*i+40, 103))
	}
	return []byte(b.String())
}

// sharedConfig is the crawl of the site. Its Visit keeps what it sees.
func sharedConfig() crawl.Config {
	depth := 10
	return crawl.Config{
		URL: "http://a.test/", Concurrency: 8, MaxDepth: &depth, Sitemap: crawl.SitemapSkip, PageRobots: true,
		Visit: func(_ context.Context, p *crawl.Page) error {
			if strings.HasSuffix(p.URL, "/p/13") {
				panic("thirteen")
			}
			if strings.HasSuffix(p.URL, "/p/14") {
				return errors.New("fourteen")
			}
			p.Payload, p.Cost = fmt.Appendf(nil, "%d %s %d bytes", p.Status, p.URL, len(p.Body)), 2
			return nil
		},
	}
}

// seen describes the pages of a crawl.
func seen(t *testing.T, e *crawl.Engine, c crawl.Config) (pages map[string]string, shared int) {
	t.Helper()
	pages = map[string]string{}
	for p, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s depth %d status %d cost %d links %d payload %q", p.URL, p.Depth, p.Status, p.Cost, len(p.Links), p.Payload)
		if p.Err != nil {
			text += " failed: " + p.Err.Error()
		}
		if old, double := pages[p.Asked]; double {
			t.Errorf("%s is delivered twice: %s, %s", p.Asked, old, text)
		}
		pages[p.Asked] = text
		if p.Shared {
			shared++
		}
	}
	return pages, shared
}

// TestShare compares a crawl whose pages other processes fetch and read with one that
// does everything itself. Some tasks are lost, and some are done here.
func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alone := crawl.Engine{Fetcher: fetchtest.New(t, sharedSite())}
		want, _ := seen(t, &alone, sharedConfig())

		c := sharedConfig()
		var mu sync.Mutex
		n, huge := 0, 0
		other := crawl.Engine{Fetcher: fetchtest.New(t, sharedSite())}
		helper, err := other.Assist(sharedConfig())
		if err != nil {
			t.Fatal(err)
		}
		defer helper.Close()
		c.Share = func(ctx context.Context, task *crawl.SharedTask, here func()) (*crawl.SharedResult, error) {
			large := strings.HasSuffix(task.Lease.URL, "/huge")
			mu.Lock()
			n++
			what := n % 7
			if large {
				huge++
			}
			mu.Unlock()
			switch {
			case large:
				found, err := helper.Do(ctx, task, nil)
				if err != nil {
					return nil, err
				}
				return &crawl.SharedResult{TooLarge: true, Answer: found.Answer, Took: found.Took, Wait: found.Wait}, nil
			case what == 3:
				here()
				return nil, nil
			case what == 5: // it dies after the request
				_, _ = helper.Do(ctx, task, nil)
				return nil, errors.New("lost")
			}
			return helper.Do(ctx, task, nil)
		}
		holder := crawl.Engine{Fetcher: fetchtest.New(t, sharedSite())}
		got, shared := seen(t, &holder, c)
		if shared < 20 || huge != 1 {
			t.Errorf("%d pages were shared, the page that is too large %d times", shared, huge)
		}
		for _, url := range slices.Sorted(maps.Keys(want)) {
			if got[url] != want[url] {
				t.Errorf("%s:\n%s\nwant\n%s", url, got[url], want[url])
			}
			delete(got, url)
		}
		for url, text := range got {
			t.Errorf("%s: %s, want nothing", url, text)
		}
	})
}

// TestShareCookies checks that a page is requested with the cookies of the crawl, and
// that the crawl gets those that it sets.
func TestShareCookies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(`
-- http://a.test/ --
HTTP 200
Content-Type: text/html
Set-Cookie: first=1

<a href=/two>x</a>
-- http://a.test/two --
HTTP 200
Content-Type: text/html
Set-Cookie: second=2

<a href=/three>x</a>
-- http://a.test/three --
HTTP 200
Content-Type: text/html

x
`))
		sent := &cookies{Fetcher: site, sent: map[string]string{}}
		e := crawl.Engine{Fetcher: sent}
		c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}
		helper, err := e.Assist(c)
		if err != nil {
			t.Fatal(err)
		}
		defer helper.Close()
		c.Share = func(ctx context.Context, task *crawl.SharedTask, _ func()) (*crawl.SharedResult, error) {
			return helper.Do(ctx, task, nil)
		}
		pages, shared := seen(t, &e, c)
		if len(pages) != 3 || shared != 2 || sent.sent["http://a.test/two"] != "first=1" || sent.sent["http://a.test/three"] != "first=1 second=2" {
			t.Errorf("%d pages, %d shared, cookies %v", len(pages), shared, sent.sent)
		}
	})
}

// cookies notes which cookies are sent with each request, and does what a client
// does with those of the answer.
type cookies struct {
	fetch.Fetcher
	mu   sync.Mutex
	sent map[string]string
}

func (c *cookies) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if r.Jar != nil {
		at, err := url.Parse(r.URL)
		if err != nil {
			return nil, err
		}
		var sent []string
		for _, cookie := range r.Jar.Cookies(at) {
			sent = append(sent, cookie.String())
		}
		c.mu.Lock()
		c.sent[r.URL] = strings.Join(sent, " ")
		c.mu.Unlock()
	}
	return c.Fetcher.Fetch(ctx, r)
}

// TestShareLost fails a page at which every process dies.
func TestShareLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := crawl.Engine{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<a href=/bad>x</a> <a href=/good>x</a>\n-- http://a.test/good --\nx\n-- http://a.test/bad --\nx\n"))}
		c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}
		var died atomic.Int32
		c.Share = func(_ context.Context, task *crawl.SharedTask, here func()) (*crawl.SharedResult, error) {
			if strings.HasSuffix(task.Lease.URL, "/bad") {
				died.Add(1)
				return nil, errors.New("died")
			}
			here()
			return nil, nil
		}
		failed := 0
		for p, err := range e.Run(t.Context(), c) {
			if err != nil {
				t.Fatal(err)
			}
			if p.Err != nil {
				failed++
				if !strings.HasSuffix(p.URL, "/bad") || !errors.Is(p.Err, crawl.ErrLost) {
					t.Errorf("%s: %v", p.URL, p.Err)
				}
			}
		}
		if failed != 1 || died.Load() != 5 {
			t.Errorf("%d pages failed after %d deaths, want 1 after 5", failed, died.Load())
		}
	})
}

// TestShareDamaged gives an assistant tasks, and a crawl results, that are not valid.
func TestShareDamaged(t *testing.T) {
	e := crawl.Engine{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<a href=/x>x</a>\n-- http://a.test/x --\nx\n"))}
	helper, err := e.Assist(crawl.Config{URL: "http://a.test/"})
	if err != nil {
		t.Fatal(err)
	}
	defer helper.Close()
	for _, lease := range []frontier.Lease{{}, {URL: "x"}, {URL: "http://a.test/x", Task: frontier.PageTask + 1}} {
		if got, err := helper.Do(t.Context(), &crawl.SharedTask{Lease: lease}, nil); !errors.Is(err, crawl.ErrConfig) {
			t.Errorf("task %q: %v, %v, want %v", lease.URL, got, err, crawl.ErrConfig)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		e := crawl.Engine{Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<a href=/x>x</a>\n-- http://a.test/x --\nx\n"))}
		c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip}
		n := 0
		c.Share = func(_ context.Context, _ *crawl.SharedTask, here func()) (*crawl.SharedResult, error) {
			if n++; n == 1 {
				return nil, nil
			}
			here()
			return nil, nil
		}
		pages, _ := seen(t, &e, c)
		if len(pages) != 2 || n != 2 {
			t.Errorf("pages %v after %d tries", pages, n)
		}
		c.Share = func(_ context.Context, _ *crawl.SharedTask, _ func()) (*crawl.SharedResult, error) {
			return &crawl.SharedResult{URL: "::", Status: 200, Links: []crawl.Link{{}}, Cookies: []string{"", ";"}}, nil
		}
		if pages, shared := seen(t, &e, c); len(pages) != 2 || shared != 1 {
			t.Errorf("pages %v, %d shared", pages, shared)
		}
		c.Share = func(_ context.Context, _ *crawl.SharedTask, _ func()) (*crawl.SharedResult, error) {
			return &crawl.SharedResult{Moved: "::"}, nil
		}
		if pages, _ := seen(t, &e, c); len(pages) != 2 || !strings.Contains(pages["http://a.test/x"], "failed: ") {
			t.Errorf("pages %v, want a failure of the redirect", pages)
		}
	})
}
