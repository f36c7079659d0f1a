// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
)

// visits returns the times at which URLs were requested, relative to the first
// request.
func visits(site *fetchtest.Site) (list []string) {
	log := site.Log()
	for _, h := range log {
		list = append(list, fmt.Sprintf("%v %s", h.Time.Sub(log[0].Time), strings.TrimPrefix(h.URL, "http://")))
	}
	return list
}

// plain crawls without sitemaps and returns its pages.
func plain(t *testing.T, site fetch.Fetcher, c crawl.Config) (pages []*crawl.Page) {
	t.Helper()
	c.Sitemap = crawl.SitemapSkip
	if c.URL == "" {
		c.URL = "http://a.test/"
	}
	e := crawl.Engine{Fetcher: site}
	for p, err := range e.Run(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	return pages
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got) // requests at the same time have no order
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const three = `
-- a.test/ --
HTTP 200
X-Latency: 1s

<a href="/b">b</a> <a href="/c">c</a>
-- a.test/b --
HTTP 200
Content-Type: text/html
X-Latency: 2s

b
-- a.test/c --
c
`

// TestDelay checks that the delay lasts from the end of a page to the start of
// the next, and that requests for robots.txt neither wait for it nor start it.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(three))
		plain(t, site, crawl.Config{Delay: 10 * time.Second, Concurrency: 8})
		same(t, visits(site), []string{"0s a.test/robots.txt", "0s a.test/", "11s a.test/b", "23s a.test/c"})
	})
}

func TestCrawlDelay(t *testing.T) {
	robots := "-- a.test/robots.txt --\nUser-agent: *\nCrawl-delay: 2.5\n"
	for _, tt := range []struct {
		name   string
		config crawl.Config
		want   []string
	}{
		{"strict", crawl.Config{}, []string{"0s a.test/robots.txt", "2.5s a.test/", "6s a.test/b", "10.5s a.test/c"}},
		{"the greater", crawl.Config{Delay: 3 * time.Second}, []string{"0s a.test/robots.txt", "2.5s a.test/", "6.5s a.test/b", "11.5s a.test/c"}},
		{"lenient", crawl.Config{Robots: crawl.RobotsLenient, Concurrency: 1}, []string{"0s a.test/robots.txt", "0s a.test/", "1s a.test/b", "3s a.test/c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.New(t, []byte(robots+three))
				plain(t, site, tt.config)
				same(t, visits(site), tt.want)
			})
		})
	}
}

// shower is a Renderer that requests the document of a page from a site.
type shower struct{ site *fetchtest.Site }

func (s shower) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // less than a turn takes
	defer cancel()
	if err := r.Gate(ctx, render.Document{URL: r.URL}); err != nil {
		return nil, err
	}
	resp, err := s.site.Fetch(ctx, &fetch.Request{URL: r.URL})
	if err != nil {
		return nil, err
	}
	return &render.Page{URL: r.URL, Status: resp.Status, HTML: resp.Body}, nil
}

// TestBrowserDelay checks that the request of a browser for a document takes a turn
// as any other request, and that the wait for it does not count towards its timeout.
func TestBrowserDelay(t *testing.T) {
	robots := "-- a.test/robots.txt --\nUser-agent: *\nCrawl-delay: 5\n"
	for _, tt := range []struct {
		name, robots string
		config       crawl.Config
		gap          time.Duration
	}{
		{"Crawl-delay", robots, crawl.Config{}, 5 * time.Second},
		{"one worker", robots, crawl.Config{Concurrency: 1}, 5 * time.Second},
		{"ordered", robots, crawl.Config{Ordered: true}, 5 * time.Second},
		{"Delay", "", crawl.Config{Delay: 10 * time.Second}, 10 * time.Second},
		{"the greater", robots, crawl.Config{Delay: 7 * time.Second}, 7 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.New(t, []byte(tt.robots+three))
				pages := plain(t, &render.Fetcher{Static: site, Renderer: shower{site}, Always: &render.Request{}}, tt.config)
				for _, p := range pages {
					if p.Err != nil || !p.Rendered {
						t.Errorf("%s: rendered %v, %v", p.URL, p.Rendered, p.Err)
					}
				}
				latency := map[string]time.Duration{"http://a.test/": time.Second, "http://a.test/b": 2 * time.Second}
				log := site.Log()[1:] // without robots.txt
				if len(log) != 6 || len(pages) != 3 {
					t.Fatalf("%d pages and %d requests, want 3 pages that are requested twice: %v", len(pages), len(log), visits(site))
				}
				for i, h := range log[1:] {
					if gap := h.Time.Sub(log[i].Time) - latency[log[i].URL]; gap < tt.gap {
						t.Errorf("the pause before request %d was %v, want at least %v: %v", i+1, gap, tt.gap, visits(site))
					}
				}
			})
		})
	}
}

// crowded is a Renderer of which only one call at a time gets a tab. The others wait a
// minute for it.
type crowded struct {
	shower
	tab  chan struct{}
	late atomic.Int32
}

func (c *crowded) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	select {
	case c.tab <- struct{}{}:
		defer func() { <-c.tab }()
	case <-time.After(time.Minute):
		c.late.Add(1)
		return nil, render.ErrBusy
	}
	time.Sleep(45 * time.Second)
	page, err := c.shower.Render(ctx, r)
	if err == nil {
		page.HTML = []byte("<p>Content that a script has made.")
	}
	return page, err
}

// TestBrowserBusy checks that a page for which no tab is free is requested later: no page
// is lost, none is shown twice, and meanwhile pages that need no browser are delivered.
func TestBrowserBusy(t *testing.T) {
	var web strings.Builder
	web.WriteString("-- a.test/ --\n")
	for i := range 12 {
		fmt.Fprintf(&web, "<a href=/shell/%d>s</a> ", i)
	}
	for i := range 12 {
		fmt.Fprintf(&web, "<a href=/text/%d>t</a> ", i)
	}
	for i := range 12 {
		fmt.Fprintf(&web, "\n-- a.test/shell/%d --\n<div id=root></div><script src=/app.js></script>\n-- a.test/text/%d --\nText %d.\n", i, i, i)
	}
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(web.String()))
		c := &crowded{shower: shower{fetchtest.New(t, []byte(web.String()))}, tab: make(chan struct{}, 1)}
		var order []string
		pages := plain(t, &render.Fetcher{Static: site, Renderer: c}, crawl.Config{Concurrency: 4, Sitemap: crawl.SitemapSkip})
		shown := 0
		for _, p := range pages {
			order = append(order, p.URL)
			if p.Err != nil {
				t.Errorf("%s: %v", p.URL, p.Err)
			}
			if p.Rendered {
				shown++
			}
		}
		requests := len(c.site.Log())
		if len(pages) != 25 || shown != 12 || requests != 12 || c.late.Load() == 0 {
			t.Errorf("%d pages, %d shown by %d requests, %d calls were too late", len(pages), shown, requests, c.late.Load())
		}
		if last := order[len(order)-1]; !strings.Contains(last, "/shell/") {
			t.Errorf("the last page is %s, want one that waited for a tab", last)
		}
	})
}

// TestHostsApart checks that a host that must wait does not delay another.
func TestHostsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(`
-- a.test/ --
<a href="http://b.test/1">1</a> <a href="http://b.test/2">2</a> <a href="/x">x</a>
-- a.test/x --
<a href="/y">y</a>
-- a.test/y --
y
-- b.test/robots.txt --
User-agent: *
Crawl-delay: 20
-- b.test/1 --
1
-- b.test/2 --
2
`))
		plain(t, site, crawl.Config{External: true, Concurrency: 4})
		same(t, visits(site), []string{
			"0s a.test/robots.txt", "0s a.test/", "0s b.test/robots.txt", "0s a.test/x", "0s a.test/y", "20s b.test/1", "40s b.test/2",
		})
	})
}

func TestPerHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		b.WriteString("-- a.test/ --\n")
		for i := range 6 {
			fmt.Fprintf(&b, "<a href='/%d'>x</a> <a href='http://b.test/%d'>x</a>", i, i)
		}
		for i := range 6 {
			for _, host := range []string{"a", "b"} {
				fmt.Fprintf(&b, "\n-- %s.test/%d --\nHTTP 200\nX-Latency: 1s\n\nx", host, i)
			}
		}
		site := fetchtest.New(t, []byte(b.String()+"\n"))
		plain(t, site, crawl.Config{External: true, Concurrency: 12})
		counts := map[string]int{}
		for _, v := range visits(site) {
			at, url, _ := strings.Cut(v, " ")
			if !strings.HasSuffix(url, "robots.txt") {
				counts[at+" "+url[:6]]++
			}
		}
		if counts["0s a.test"] != 7 || counts["0s b.test"] != 2 || counts["1s b.test"] != 2 || counts["2s b.test"] != 2 {
			t.Errorf("requests by second and host: %v", counts)
		}
	})
}

func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		tries      int
		status     int
		err        error
	}{
		{"always 500", "HTTP 500\n\nx\n", 3, 500, nil},
		{"502 once", "HTTP 502\n\nx\n-- a.test/x --\nHTTP 200\n\nx\n", 2, 200, nil},
		{"always 429", "HTTP 429\n\nx\n", 5, 429, nil},
		{"503 without Retry-After", "HTTP 503\n\nx\n", 3, 503, nil},
		{"503 with Retry-After", "HTTP 503\nRetry-After: 1\n\nx\n", 5, 503, nil},
		{"503 for a year", "HTTP 503\nRetry-After: 31536000\n\nx\n", 1, 503, nil},
		{"negative", "HTTP 503\nRetry-After: -7\n\nx\n", 5, 503, nil},
		{"408", "HTTP 408\n\nx\n", 3, 408, nil},
		{"404", "HTTP 404\n\nx\n", 1, 404, nil},
		{"501", "HTTP 501\n\nx\n", 1, 501, nil},
		{"reset", "HTTP 200\nX-Fault: reset\n\nx\n", 3, 0, fetch.ErrConnect},
		{"hang", "HTTP 200\nX-Fault: hang\n\nx\n", 3, 0, fetch.ErrTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.New(t, []byte("-- a.test/ --\n<a href='/x'>x</a>\n-- a.test/x --\n"+tt.page))
				pages := plain(t, site, crawl.Config{})
				tries := 0
				for _, h := range site.Log() {
					if h.URL == "http://a.test/x" {
						tries++
					}
				}
				if tries != tt.tries || len(pages) != 2 {
					t.Fatalf("%d tries, %d pages; want %d tries", tries, len(pages), tt.tries)
				}
				p := pages[1]
				if p.Status != tt.status || !errors.Is(p.Err, tt.err) {
					t.Errorf("status %d, error %v; want %d, %v", p.Status, p.Err, tt.status, tt.err)
				}
				if tt.err != nil && !errors.Is(p.Err, crawl.ErrTries) {
					t.Errorf("%v does not wrap ErrTries", p.Err)
				}
			})
		})
	}
}

// TestRetryAfter checks that no request to the host is made before the time in
// Retry-After, in any of its forms.
func TestRetryAfter(t *testing.T) {
	for _, value := range []string{"7", "Sat, 01 Jan 2000 00:00:07 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.New(t, []byte("-- a.test/ --\nHTTP 429\nRetry-After: "+value+"\n\nx\n-- a.test/ --\n<a href='/x'>x</a>\n-- a.test/x --\nx\n"))
			plain(t, site, crawl.Config{})
			log := site.Log()
			if len(log) != 4 {
				t.Fatalf("%d requests: %v", len(log), visits(site))
			}
			if wait := log[2].Time.Sub(log[1].Time); wait < 7*time.Second || wait > 12*time.Second {
				t.Errorf("asked again after %v, want 7s and some jitter", wait)
			}
		})
	}
}

// TestRetryAfterYear checks that a page with a Retry-After of a year blocks its
// own host for ten minutes and no other host. The counters report the wait.
func TestRetryAfterYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte("-- a.test/ --\n<a href='/busy'>x</a><a href='/later'>x</a><a href='http://b.test/'>x</a><a href='http://c.test/'>x</a>\n"+
			"-- a.test/busy --\nHTTP 503\nRetry-After: 31536000\n\nx\n-- a.test/later --\nlater\n-- b.test/ --\nb\n-- c.test/ --\nc\n"))
		began := time.Now()
		var stats func() frontier.Stats
		e := crawl.Engine{
			Fetcher: lagging{site, time.Second},
			Trace: &crawl.Trace{Started: func(live func() frontier.Stats) {
				stats = live
				go func() {
					time.Sleep(5 * time.Minute)
					s := live()
					if at := s.Resumes.Sub(began); at < 10*time.Minute || at > 11*time.Minute || s.Pending != 1 {
						t.Errorf("after five minutes %d pages wait until %v", s.Pending, at)
					}
				}()
			}},
		}
		took := map[string]time.Duration{}
		for p, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", External: true, Concurrency: 1, Sitemap: crawl.SitemapSkip}) {
			if err != nil {
				t.Fatal(err)
			}
			took[p.URL] = time.Since(began)
		}
		if b, c := took["http://b.test/"], took["http://c.test/"]; b == 0 || c == 0 || max(b, c) > time.Minute {
			t.Errorf("the other hosts took %v and %v", b, c)
		}
		if d := took["http://a.test/later"]; d < 10*time.Minute || d > 11*time.Minute {
			t.Errorf("the host's next page came after %v, want ten minutes", d)
		}
		if !stats().Resumes.IsZero() {
			t.Error("a crawl that is over waits")
		}
	})
}

// TestSlowDown checks that a host that answers 429 gets fewer requests, and
// soon as many as before when it recovers.
func TestSlowDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		b.WriteString("-- a.test/ --\n")
		for i := range 100 {
			fmt.Fprintf(&b, "<a href='/%s'>x</a>", word(i))
		}
		for i := range 100 {
			fmt.Fprintf(&b, "\n-- a.test/%s --\n", word(i))
			if i < 1 {
				b.WriteString("HTTP 429\n\nx\n-- a.test/" + word(i) + " --\n")
			}
			b.WriteString(word(i))
		}
		site := fetchtest.New(t, []byte(b.String()+"\n"))
		plain(t, site, crawl.Config{Concurrency: 1})
		log := site.Log()
		gap := func(i int) time.Duration { return log[i].Time.Sub(log[i-1].Time) }
		for i, want := range map[int]time.Duration{
			3: 50 * time.Millisecond, 12: 50 * time.Millisecond, 13: 25 * time.Millisecond, 22: 25 * time.Millisecond, 23: 0, 60: 0,
		} {
			if gap(i) != want {
				t.Errorf("gap before request %d is %v, want %v", i, gap(i), want)
			}
		}
	})
}

// TestGapBetweenHops checks that redirects are paced like other requests.
func TestGapBetweenHops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(`
-- a.test/robots.txt --
User-agent: *
Crawl-delay: 1
-- a.test/ --
HTTP 301
Location: /home

-- a.test/home --
HTTP 302
Location: /home/

-- a.test/home/ --
home
`))
		pages := plain(t, site, crawl.Config{})
		same(t, visits(site), []string{"0s a.test/robots.txt", "1s a.test/", "2s a.test/home", "3s a.test/home/"})
		if len(pages) != 1 || pages[0].URL != "http://a.test/home/" || pages[0].Asked != "http://a.test/" {
			t.Errorf("pages: %+v", pages)
		}
	})
}

// TestDay crawls for a day.
func TestDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		path := ""
		for i := range 1440 {
			fmt.Fprintf(&b, "-- a.test/%s --\n<title>%s</title><a href='/%s'>x</a>\n", path, word(i), word(i+1))
			path = word(i + 1)
		}
		site := fetchtest.New(t, []byte(b.String()))
		begun := time.Now()
		pages := plain(t, site, crawl.Config{Delay: time.Minute})
		if took := time.Since(begun); len(pages) != 1441 || took != 1440*time.Minute {
			t.Errorf("%d pages in %v", len(pages), took)
		}
	})
}

// TestRobotsExpires checks that a robots.txt is requested again after a day,
// and that its previous rules apply if it cannot be reached then.
func TestRobotsExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(`
-- a.test/robots.txt --
User-agent: *
Disallow: /c
-- a.test/robots.txt --
HTTP 503

-- a.test/ --
<a href="/b">b</a>
-- a.test/b --
<a href="/c">c</a> <a href="/d">d</a>
-- a.test/d --
d
`))
		pages := plain(t, site, crawl.Config{Delay: 25 * time.Hour})
		n := 0
		for _, h := range site.Log() {
			if strings.HasSuffix(h.URL, "robots.txt") {
				n++
			}
			if strings.HasSuffix(h.URL, "/c") {
				t.Errorf("c was asked for")
			}
		}
		// One request at first, three tries a day later, and three more,
		// because a failure is remembered for an hour.
		if n != 7 || len(pages) != 3 {
			t.Errorf("%d requests for robots.txt, %d pages", n, len(pages))
		}
	})
}

// TestRobotsLarge checks that the beginning of an endless robots.txt is used.
func TestRobotsLarge(t *testing.T) {
	site := fetchtest.New(t, []byte(`
-- a.test/robots.txt --
User-agent: *
Disallow: /b
`+strings.Repeat("Disallow: /zzzzzzzzzzzzzzz\n", 600_000)+`
-- a.test/ --
<a href="/b">b</a> <a href="/c">c</a>
-- a.test/b --
b
-- a.test/c --
c
`))
	pages := plain(t, site, crawl.Config{Sitemap: crawl.SitemapSkip})
	for _, h := range site.Log() {
		if strings.HasSuffix(h.URL, "/b") {
			t.Error("what the beginning disallows was asked for")
		}
	}
	if len(pages) != 2 {
		t.Errorf("%d pages, want 2", len(pages))
	}
}
