// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// bubble runs f with a site in synctest time.
func bubble(t *testing.T, archive string, f func(t *testing.T, site *fetchtest.Site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, fetchtest.New(t, []byte(archive))) })
}

// urls returns the URLs of pages, with the cause of those that failed.
func urls(pages []*crawl.Page) (list []string) {
	for _, p := range pages {
		s := strings.TrimPrefix(p.URL, "http://")
		if p.Err != nil {
			s += " failed"
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

func TestRunInvalid(t *testing.T) {
	for _, c := range []crawl.Config{
		{},
		{URL: "a.test"},
		{URL: "http://a.test/", Limit: -2},
		{URL: "http://a.test/", Concurrency: -1},
		{URL: "http://a.test/", Delay: -1},
		{URL: "http://a.test/", MaxDepth: new(-1)},
		{URL: "http://a.test/", Include: []string{"("}},
		{URL: "http://a.test/", Sitemap: 9},
	} {
		n := 0
		for p, err := range new(crawl.Engine).Run(t.Context(), c) {
			n++
			if p != nil || !errors.Is(err, crawl.ErrConfig) {
				t.Errorf("Run(%+v) gave %v, %v", c, p, err)
			}
			if e, ok := errors.AsType[*crawl.Error](err); !ok || e.URL != c.URL {
				t.Errorf("Run(%+v) gave no *Error: %v", c, err)
			}
		}
		if n != 1 {
			t.Errorf("Run(%+v) gave %d pairs", c, n)
		}
		if c.Include != nil || c.MaxDepth != nil || c.Sitemap != 0 {
			continue // no frontier uses these
		}
		if _, err := frontier.NewFrontier(c.FrontierOptions()); !errors.Is(err, crawl.ErrConfig) {
			t.Errorf("NewFrontier(%+v): %v", c, err)
		}
	}
}

const small = `
-- a.test/ --
<title>Home</title><a href="/b">b</a> <a href="/c" rel="nofollow">see</a> <link rel=canonical href="/home">
-- a.test/b --
<a href="/d">d</a>
-- a.test/c --
<a href="/">home</a>
-- a.test/d --
<title>End</title>
`

func TestPage(t *testing.T) {
	bubble(t, small, func(t *testing.T, site *fetchtest.Site) {
		pages := plain(t, site, crawl.Config{Concurrency: 1})
		home, b := pages[0], pages[1]
		if home.ID != 0 || home.Status != 200 || home.Asked != home.URL || home.From != "" || home.Header.Get("Content-Type") == "" {
			t.Errorf("home: %+v", home)
		}
		want := []crawl.Link{{URL: "http://a.test/b", Text: "b"}, {URL: "http://a.test/c", Rel: "nofollow", Text: "see"}}
		if d := cmp.Diff(want, home.Links); d != "" || home.Canonical != "http://a.test/home" {
			t.Errorf("canonical %q, links (-want +got):\n%s", home.Canonical, d)
		}
		if b.From != home.URL || b.ID == 0 || b.Depth != 1 {
			t.Errorf("b: %+v", b)
		}
		root, err := home.Tree()
		if again, _ := home.Tree(); err != nil || root == nil || again != root {
			t.Errorf("Tree gave %p, then %p, %v", root, again, err)
		}
	})
}

// TestLeave leaves the loop at each page. Nothing is requested afterwards, and
// that page is not committed.
func TestLeave(t *testing.T) {
	for i := range 4 {
		bubble(t, small, func(t *testing.T, site *fetchtest.Site) {
			f, err := frontier.NewFrontier(crawl.Config{URL: "http://a.test/"}.FrontierOptions())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			e := crawl.Engine{Fetcher: lagging{site, time.Second}}
			n := 0
			for range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Frontier: f}) {
				if n++; n == i+1 {
					break
				}
			}
			if s, _ := f.Stats(t.Context()); s.Delivered != i {
				t.Errorf("left at page %d: %d are committed", i+1, s.Delivered)
			}
		})
	}
}

// TestCancel cancels ctx at each event. Run returns the cause, and its
// goroutines end.
func TestCancel(t *testing.T) {
	cause := errors.New("enough")
	g := []byte(small)
	for i := 1; ; i++ {
		over := false
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.New(t, g)
			ctx, cancel := context.WithCancelCause(t.Context())
			var n atomic.Int64
			event := func() {
				if n.Add(1) == int64(i) {
					cancel(cause)
				}
			}
			e := crawl.Engine{Fetcher: lagging{site, time.Second}, Trace: &crawl.Trace{
				Started:   func(func() frontier.Stats) { event() },
				Leased:    func(frontier.Lease) { event() },
				Fetched:   func(crawl.Fetched) { event() },
				Found:     func(string, crawl.Link, scope.Rule) { event() },
				Committed: func(frontier.Commit) { event() },
			}}
			var last error
			for _, err := range e.Run(ctx, crawl.Config{
				URL:   "http://a.test/",
				Visit: func(context.Context, *crawl.Page) error { event(); return nil },
				Judge: func(context.Context, string, crawl.Stage) error { event(); return nil },
			}) {
				event()
				last = err
			}
			over = n.Load() < int64(i)
			if !over && last != nil && !errors.Is(last, cause) {
				t.Errorf("event %d: %v, want the cause", i, last)
			}
			cancel(nil)
		})
		if over || t.Failed() {
			return
		}
	}
}

func TestVisit(t *testing.T) {
	bubble(t, small, func(t *testing.T, site *fetchtest.Site) {
		refused := errors.New("visit refuses")
		var commits []frontier.Commit
		e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Committed: func(c frontier.Commit) {
			if c.Lease.Task == frontier.PageTask {
				commits = append(commits, c)
			}
		}}}
		var pages []*crawl.Page
		for p, err := range e.Run(t.Context(), crawl.Config{
			URL: "http://a.test/", Concurrency: 1, Sitemap: crawl.SitemapSkip,
			Visit: func(ctx context.Context, p *crawl.Page) error {
				switch p.URL {
				case "http://a.test/b":
					p.Links = append(p.Links, crawl.Link{URL: "/added"})
					if _, err := p.Tree(); err != nil {
						return err
					}
				case "http://a.test/c":
					return refused
				case "http://a.test/d":
					panic("at d")
				}
				p.Payload, p.Cost = []byte(p.URL), 3
				return nil
			},
		}) {
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, p)
		}
		want := []string{"a.test/", "a.test/added", "a.test/b", "a.test/c failed", "a.test/d failed"}
		if d := cmp.Diff(want, urls(pages)); d != "" {
			t.Errorf("pages (-want +got):\n%s", d)
		}
		for i, c := range commits {
			p := pages[i]
			if string(c.Payload) != string(p.Payload) || c.Cost != p.Cost || c.Lease.Seq != p.ID || (c.Outcome == frontier.Failed) != (p.Err != nil) {
				t.Errorf("commit %+v of page %+v", c, p)
			}
			switch p.URL {
			case "http://a.test/c":
				if !errors.Is(p.Err, refused) {
					t.Errorf("c failed with %v", p.Err)
				}
			case "http://a.test/d":
				if !errors.Is(p.Err, crawl.ErrPanic) {
					t.Errorf("d failed with %v", p.Err)
				}
			}
		}
	})
}

// TestJudge refuses at each stage. There is no request, the limit is not used,
// and one page fails.
func TestJudge(t *testing.T) {
	unsafe := errors.New("unsafe")
	archive := small + "-- a.test/e --\nHTTP 302\nLocation: /f\n\n-- a.test/f --\nf\n"
	archive = strings.Replace(archive, "<title>Home</title>", "<title>Home</title><a href='/e'>e</a><a href='/b'>again</a>", 1)
	for _, tt := range []struct {
		name  string
		url   string
		stage crawl.Stage
		want  []string
		asked bool
	}{
		{"discovered", "http://a.test/b", crawl.Discovered, []string{"a.test/", "a.test/b failed", "a.test/c", "a.test/f"}, false},
		{"requested", "http://a.test/b", crawl.Requested, []string{"a.test/", "a.test/b failed", "a.test/c", "a.test/f"}, false},
		{"hopped", "http://a.test/f", crawl.Hopped, []string{"a.test/", "a.test/b", "a.test/c", "a.test/d", "a.test/e failed"}, false},
		{"start", "http://a.test/", crawl.Discovered, []string{"a.test/ failed"}, false},
		{"start requested", "http://a.test/", crawl.Requested, []string{"a.test/ failed"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, archive, func(t *testing.T, site *fetchtest.Site) {
				pages := plain(t, site, crawl.Config{Limit: len(tt.want) + 1, Judge: func(_ context.Context, url string, s crawl.Stage) error {
					if url == tt.url && s == tt.stage {
						return unsafe
					}
					return nil
				}})
				if d := cmp.Diff(tt.want, urls(pages)); d != "" {
					t.Errorf("pages (-want +got):\n%s", d)
				}
				for _, p := range pages {
					if p.Err != nil && !errors.Is(p.Err, unsafe) {
						t.Errorf("%s failed with %v", p.URL, p.Err)
					}
				}
				for _, h := range site.Log() {
					if h.URL == tt.url {
						t.Errorf("%s was asked for", tt.url)
					}
				}
			})
		})
	}
}

func TestStart(t *testing.T) {
	for _, tt := range []struct {
		name, archive string
		config        crawl.Config
		want          []string
		blocked       int
		err           error
	}{
		{"robots", "-- a.test/robots.txt --\nUser-agent: *\nDisallow: /\n" + small, crawl.Config{}, nil, 1, nil},
		{"robots ignored", "-- a.test/robots.txt --\nUser-agent: *\nDisallow: /\n" + small, crawl.Config{Robots: crawl.RobotsIgnore, MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots of another", "-- a.test/robots.txt --\nUser-agent: other\nDisallow: /\n" + small, crawl.Config{MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots by name", "-- a.test/robots.txt --\nUser-agent: other\nDisallow: /\n" + small, crawl.Config{RobotsAgent: "Other/2"}, nil, 1, nil},
		{"robots 503", "-- a.test/robots.txt --\nHTTP 503\n\n" + small, crawl.Config{}, []string{"a.test/ failed"}, 1, crawl.ErrRobots},
		{"robots 503, lenient", "-- a.test/robots.txt --\nHTTP 503\n\n" + small, crawl.Config{Robots: crawl.RobotsLenient, MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots 503 once", "-- a.test/robots.txt --\nHTTP 503\n\n-- a.test/robots.txt --\nUser-agent: *\nDisallow: /b\n" + small, crawl.Config{}, []string{"a.test/", "a.test/c"}, 1, nil},
		{"robots by a reset", "-- a.test/robots.txt --\nHTTP 200\nX-Fault: reset\n\n" + small, crawl.Config{}, []string{"a.test/ failed"}, 0, fetch.ErrConnect},
		{"robots by a reset, lenient", "-- a.test/robots.txt --\nHTTP 200\nX-Fault: reset\n\n" + small, crawl.Config{Robots: crawl.RobotsLenient, MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots of another host by a reset", "-- b.test/robots.txt --\nHTTP 200\nX-Fault: reset\n\n-- a.test/ --\n<a href='http://b.test/x'>x</a> <a href='http://b.test/y'>y</a>\n", crawl.Config{External: true}, []string{"a.test/", "b.test/x failed", "b.test/y failed"}, 0, fetch.ErrConnect},
		{"robots 403", "-- a.test/robots.txt --\nHTTP 403\n\n" + small, crawl.Config{MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots cut off", "-- a.test/robots.txt --\nHTTP 200\nX-Fault: truncate\n\nUser-agent: *\nDisallow: /never\nDisallow: /\n\n" + small, crawl.Config{}, []string{"a.test/ failed"}, 1, crawl.ErrRobots},
		{"robots cut off, lenient", "-- a.test/robots.txt --\nHTTP 200\nX-Fault: truncate\n\nUser-agent: *\nDisallow: /never\nDisallow: /\n\n" + small, crawl.Config{Robots: crawl.RobotsLenient, MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"robots moved to a file", "-- a.test/robots.txt --\nHTTP 302\nLocation: file:///x\n\n" + small, crawl.Config{}, []string{"a.test/ failed"}, 1, crawl.ErrRobots},
		{"robots moved to no host", "-- a.test/robots.txt --\nHTTP 302\nLocation: http://nowhere.test/\n\n" + small, crawl.Config{}, []string{"a.test/ failed"}, 1, crawl.ErrRobots},
		{"robots with a redirect loop", "-- a.test/robots.txt --\nHTTP 302\nLocation: /robots.txt\n\n" + small, crawl.Config{MaxDepth: new(0)}, []string{"a.test/"}, 0, nil},
		{"excluded", small, crawl.Config{Exclude: []string{"^/$"}, MaxDepth: new(1)}, []string{"a.test/ failed", "a.test/b", "a.test/c"}, 0, crawl.ErrDenied},
		{"nothing included", small, crawl.Config{Include: []string{"never"}}, []string{"a.test/ failed"}, 0, crawl.ErrDenied},
		{"404", "-- a.test/ --\nHTTP 404\nContent-Type: text/html\n\n<a href='/b'>b</a>\n-- a.test/b --\nb\n", crawl.Config{}, []string{"a.test/", "a.test/b"}, 0, nil},
		{"no host", "-- b.test/ --\nx\n", crawl.Config{}, []string{"a.test/ failed"}, 0, fetch.ErrDNS},
		{"moved away", "-- a.test/ --\nHTTP 301\nLocation: http://b.test/x/\n\n-- b.test/x/ --\n<a href='y'>y</a><a href='/z'>z</a><a href='http://a.test/b'>b</a>\n-- b.test/x/y --\ny\n", crawl.Config{}, []string{"b.test/x/", "b.test/x/y"}, 0, nil},
		{"moved to www", "-- a.test/ --\nHTTP 301\nLocation: http://www.a.test/\n\n-- www.a.test/ --\n<a href='y'>y</a>\n-- www.a.test/y --\ny\n", crawl.Config{}, []string{"www.a.test/", "www.a.test/y"}, 0, nil},
		{"moved to robots", "-- a.test/ --\nHTTP 301\nLocation: /x\n\n-- a.test/x --\nx\n-- a.test/robots.txt --\nUser-agent: *\nDisallow: /x\n", crawl.Config{}, []string{"a.test/x failed"}, 1, crawl.ErrDenied},
		{"redirect loop", "-- a.test/ --\nHTTP 301\nLocation: /\n\n", crawl.Config{}, []string{"a.test/ failed"}, 0, crawl.ErrRedirectLoop},
		{"moved nowhere", "-- a.test/ --\nHTTP 301\nContent-Type: text/html\n\n<a href='/b'>b</a>\n-- a.test/b --\nb\n", crawl.Config{}, []string{"a.test/", "a.test/b"}, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.archive, func(t *testing.T, site *fetchtest.Site) {
				var stats func() frontier.Stats
				e := crawl.Engine{Fetcher: site, Trace: &crawl.Trace{Started: func(s func() frontier.Stats) { stats = s }}}
				c := tt.config
				c.URL, c.Sitemap = "http://a.test/", crawl.SitemapSkip
				var pages []*crawl.Page
				for p, err := range e.Run(t.Context(), c) {
					if err != nil {
						t.Fatal(err)
					}
					pages = append(pages, p)
					if p.Err != nil && !errors.Is(p.Err, tt.err) {
						t.Errorf("%s failed with %v, want %v", p.URL, p.Err, tt.err)
					}
				}
				if d := cmp.Diff(tt.want, urls(pages)); d != "" {
					t.Errorf("pages (-want +got):\n%s", d)
				}
				if n := stats().Blocked; n != tt.blocked {
					t.Errorf("%d blocked, want %d", n, tt.blocked)
				}
			})
		})
	}
}

// TestDenial checks that the errors of refused pages name the rule.
func TestDenial(t *testing.T) {
	bubble(t, `
-- a.test/s/ --
<a href="1">1</a> <a href="2">2</a> <a href="3">3</a> <a href="4">4</a>
-- a.test/s/1 --
HTTP 302
Location: http://b.test/

-- a.test/s/2 --
HTTP 302
Location: /elsewhere

-- a.test/s/3 --
HTTP 302
Location: picture.png

-- a.test/s/4 --
HTTP 302
Location: /old

-- a.test/elsewhere --
outside of the path scope, but the site moved it
-- b.test/ --
b
`, func(t *testing.T, site *fetchtest.Site) {
		pages := plain(t, site, crawl.Config{URL: "http://a.test/s/", Exclude: []string{"old"}})
		rules := map[string]string{}
		for _, p := range pages {
			if e, ok := errors.AsType[*crawl.Error](p.Err); ok && errors.Is(e, crawl.ErrDenied) {
				rules[p.Asked] = e.Rule.String()
			}
		}
		want := map[string]string{"http://a.test/s/1": "external", "http://a.test/s/3": "file-type", "http://a.test/s/4": "excluded"}
		if d := cmp.Diff(want, rules); d != "" || len(pages) != 5 {
			t.Errorf("%v\ndenied (-want +got):\n%s", urls(pages), d)
		}
	})
}

// TestPageRobots checks that the robots rules of a page are always reported and
// are obeyed if PageRobots is set.
func TestPageRobots(t *testing.T) {
	const archive = `
-- a.test/ --
<a href="/b">b</a> <a href="/c" rel="nofollow">c</a> <a href="/e">e</a>
-- a.test/b --
<meta name="robots" content="noindex"><a href="/d">d</a>
-- a.test/c --
c
-- a.test/d --
d
-- a.test/e --
HTTP 200
Content-Type: text/html
X-Robots-Tag: curlew: nofollow

<a href="/f">f</a>
-- a.test/f --
f
`
	for _, obey := range []bool{false, true} {
		bubble(t, archive, func(t *testing.T, site *fetchtest.Site) {
			pages := plain(t, site, crawl.Config{PageRobots: obey, Limit: 6})
			want := []string{"a.test/", "a.test/b", "a.test/c", "a.test/d", "a.test/e", "a.test/f"}
			if obey {
				want = []string{"a.test/", "a.test/d", "a.test/e"}
			}
			if d := cmp.Diff(want, urls(pages)); d != "" {
				t.Errorf("obey %v: pages (-want +got):\n%s", obey, d)
			}
			for _, p := range pages {
				if p.Robots.NoIndex != strings.HasSuffix(p.URL, "/b") || p.Robots.NoFollow != strings.HasSuffix(p.URL, "/e") {
					t.Errorf("%s: %+v", p.URL, p.Robots)
				}
			}
		})
	}
}

// TestHeaders checks that headers for the site are sent to no other host.
func TestHeaders(t *testing.T) {
	bubble(t, `
-- a.test/ --
<a href="http://www.a.test/x">x</a> <a href="http://api.a.test/">api</a> <a href="http://b.test/">b</a>
-- www.a.test/x --
x
-- api.a.test/ --
api
-- b.test/ --
b
`, func(t *testing.T, site *fetchtest.Site) {
		e := crawl.Engine{Fetcher: site, UserAgent: "Wader/1.0 (+http://me.test)"}
		c := crawl.Config{URL: "http://a.test/", External: true, Subdomains: true, Sitemap: crawl.SitemapSkip, RobotsAgent: "Owl"}
		c.Request.Header = http.Header{"Authorization": {"Bearer x"}, "X-Custom": {"y"}, "accept-language": {"fi"}}
		for range e.Run(t.Context(), c) {
		}
		for _, h := range site.Log() {
			robots := strings.HasSuffix(h.URL, "robots.txt")
			home := !robots && (strings.HasPrefix(h.URL, "http://a.test") || strings.HasPrefix(h.URL, "http://www.a.test"))
			if got := h.Header.Get("Authorization") != "" && h.Header.Get("X-Custom") != ""; got != home {
				t.Errorf("%s: the site's headers sent: %v", h.URL, got)
			}
			agent := "Wader/1.0 (+http://me.test)"
			if robots {
				agent = "Owl"
			}
			if h.Header.Get("Accept-Language") != "fi" || h.Header.Get("User-Agent") != agent {
				t.Errorf("%s: %v", h.URL, h.Header)
			}
		}
	})
}

// TestUserinfo checks that credentials in the URL of the crawl are sent only to
// its host and appear nowhere else.
func TestUserinfo(t *testing.T) {
	bubble(t, `
-- a.test/ --
<a href="/x">x</a> <a href="http://b.test/">b</a> <a href="http://c:d@a.test/y">y</a>
-- a.test/x --
x
-- a.test/y --
y
-- b.test/ --
b
`, func(t *testing.T, site *fetchtest.Site) {
		for _, p := range plain(t, site, crawl.Config{URL: "http://user:p%40ss@a.test/", External: true}) {
			if strings.Contains(p.URL+p.Asked+p.From, "@") {
				t.Errorf("%s of %s, from %s", p.URL, p.Asked, p.From)
			}
		}
		for _, h := range site.Log() {
			want := ""
			if strings.HasPrefix(h.URL, "http://a.test/") && !strings.HasSuffix(h.URL, "robots.txt") {
				want = "Basic dXNlcjpwQHNz"
			}
			if got := h.Header.Get("Authorization"); got != want {
				t.Errorf("%s: Authorization %q, want %q", h.URL, got, want)
			}
		}
	})
	for _, url := range []string{"http://user:p%40ss@a.test/", "http://user:p%40ss@["} {
		for _, err := range new(crawl.Engine).Run(t.Context(), crawl.Config{URL: url, Limit: -2}) {
			if e, ok := errors.AsType[*crawl.Error](err); !ok || strings.Contains(e.URL, "@") || strings.Contains(err.Error(), "p%40ss") {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestCookieWall checks that a page is delivered if it sets a cookie and
// redirects to itself.
func TestCookieWall(t *testing.T) {
	wall := fetcher(func(ctx context.Context, x *fetch.Exchange) (*fetch.Response, error) {
		resp := &fetch.Response{URL: x.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}}
		switch {
		case strings.HasSuffix(x.URL, "robots.txt"):
			resp.Status = 404
		case strings.HasSuffix(x.URL, "/set"):
			resp.Status = 302
			resp.Header.Set("Set-Cookie", "seen=1; Path=/")
			resp.Header.Set("Location", "/")
		case x.Header.Get("Cookie") == "":
			resp.Status = 302
			resp.Header.Set("Location", "/set")
		default:
			resp.Body = []byte("in")
		}
		return resp, nil
	})
	synctest.Test(t, func(t *testing.T) {
		pages := plain(t, wall, crawl.Config{})
		if len(pages) != 1 || pages[0].Err != nil || string(pages[0].Body) != "in" || pages[0].URL != "http://a.test/" {
			t.Errorf("pages: %v", urls(pages))
		}
	})
}

// TestRedirectCircle checks that one of several known pages that redirect to each other
// fails. The others are duplicates of it. If all of them were duplicates, nothing would say
// that there is no such page.
func TestRedirectCircle(t *testing.T) {
	for n := range 4 {
		for _, workers := range []int{1, 8} {
			var archive strings.Builder
			archive.WriteString("-- a.test/ --\n")
			for i := range n + 1 {
				fmt.Fprintf(&archive, "<a href='/%d'>x</a>", i)
			}
			for i := range n + 1 {
				fmt.Fprintf(&archive, "\n-- a.test/%d --\nHTTP 302\nLocation: /%d\n", i, (i+1)%(n+1))
			}
			bubble(t, archive.String(), func(t *testing.T, site *fetchtest.Site) {
				pages := plain(t, site, crawl.Config{Concurrency: workers, Sitemap: crawl.SitemapSkip})
				if len(pages) != 2 || !errors.Is(pages[1].Err, crawl.ErrRedirectLoop) {
					t.Errorf("circle of %d, %d workers: %v, want a failed page", n+1, workers, urls(pages))
				}
			})
		}
	}
}

// TestManyRuns runs several crawls with one engine at once.
func TestManyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(small))
		e := crawl.Engine{Fetcher: lagging{site, time.Second}}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				seq := e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip})
				for range 2 { // a sequence may be iterated again
					n := 0
					for range seq {
						n++
					}
					if n != 4 {
						t.Errorf("%d pages, want 4", n)
					}
				}
			})
		}
		wg.Wait()
	})
}
