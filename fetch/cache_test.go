// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/netguard"
)

// cachedWeb is the site for the tests of the cache. If a URL has two responses,
// the second shows that the site was asked again.
const cachedWeb = `-- a.test/ --
HTTP 200

one
-- a.test/ --
two
-- a.test/tagged --
HTTP 200
ETag: "1"
Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT
Content-Type: text/plain

tagged
-- a.test/tagged --
HTTP 304
ETag: "2"
Content-Type: text/wrong
-- a.test/tagged --
HTTP 200
ETag: "3"

changed
-- a.test/dated --
HTTP 200
Last-Modified: Fri, 31 Dec 1999 00:00:00 GMT

dated
-- a.test/dated --
HTTP 304
Set-Cookie: seen=1
-- a.test/forbids-late --
HTTP 200
ETag: "1"

then
-- a.test/forbids-late --
HTTP 304
Cache-Control: no-store
-- a.test/no-store --
HTTP 200
Cache-Control: max-age=60, No-Store

one
-- a.test/no-store --
two
-- a.test/no-cache --
HTTP 200
Cache-Control: no-cache, private, max-age=0

one
-- a.test/no-cache --
two
-- a.test/cookie --
HTTP 200
Set-Cookie: seen=1

one
-- a.test/cookie --
two
-- a.test/varies --
HTTP 200
Vary: Accept-Language, User-Agent

one
-- a.test/varies --
two
-- a.test/varies-by-all --
HTTP 200
Vary: Cookie, *

one
-- a.test/varies-by-all --
two
-- a.test/error --
HTTP 500

one
-- a.test/error --
two
-- a.test/missing --
HTTP 404

one
-- a.test/missing --
two
-- a.test/truncated --
HTTP 200
X-Fault: truncate

one and more
-- a.test/truncated --
two
-- a.test/dies --
one
-- a.test/dies --
HTTP 410
-- a.test/dies --
three
-- a.test/stumbles --
one
-- a.test/stumbles --
HTTP 503
-- a.test/permanent --
HTTP 301
Location: /landing
-- a.test/permanent --
moved on
-- a.test/temporary --
HTTP 302
Location: /landing
-- a.test/temporary --
back again
-- a.test/landing --
landed
-- a.test/landing --
landed anew
-- a.test/to-error --
HTTP 302
Location: /error
-- a.test/to-error --
well again
-- a.test/wall --
HTTP 302
Location: /wall
Set-Cookie: pass=1
-- a.test/wall --
HTTP 200

within one
-- a.test/wall --
within two
-- https://a.test/secure --
HTTP 200

one
-- https://a.test/secure --
two
`

// step is one fetch of a scenario.
type step struct {
	wait time.Duration // before it
	r    fetch.Request // URL is a path of http://a.test
	body string        // of the response; if empty, want is the expected error
	want error
	hit  bool // the response comes from the cache
	n    int  // requests that the site has received since the start of the scenario
}

const hour = time.Hour

// TestPartitionAll checks that with PartitionAll, a partition cannot learn
// which public pages another one has requested.
func TestPartitionAll(t *testing.T) {
	asked := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, asked)
	}))
	defer site.Close()
	for _, apart := range []bool{true, false} {
		asked = 0
		c := &fetch.Client{Allow: netguard.Private, Cache: new(fetch.MemoryCache), PartitionAll: apart}
		for i, test := range []struct {
			partition    string
			apart, other string // the expected results with the option, and without
		}{{"a", "1", "1"}, {"b", "2", "1"}, {"a", "1", "1"}, {"", "3", "1"}, {"b", "2", "1"}} {
			want := test.other
			if apart {
				want = test.apart
			}
			resp, err := c.Fetch(t.Context(), &fetch.Request{URL: site.URL, MaxAge: hour, Partition: test.partition})
			if err != nil || string(resp.Body) != want {
				t.Errorf("PartitionAll %t, request %d: %v, %v, want page %s", apart, i, resp, err, want)
			}
		}
		c.CloseIdleConnections()
	}
}

// stories are scenarios. Each runs with a cache of its own, in fake time.
var stories = map[string][]step{
	"without MaxAge the site is asked, and the page kept": {
		{r: fetch.Request{URL: "/"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/"}, body: "two", n: 2},
		{r: fetch.Request{URL: "/", MaxAge: hour}, body: "two", hit: true, n: 2},
	},
	"young enough": {
		{r: fetch.Request{URL: "/", MaxAge: hour}, body: "one", n: 1},
		{wait: hour - 1, r: fetch.Request{URL: "/", MaxAge: hour}, body: "one", hit: true, n: 1},
		{wait: 1, r: fetch.Request{URL: "/", MaxAge: hour}, body: "two", n: 2},
		{wait: 9999 * hour, r: fetch.Request{URL: "/", MaxAge: fetch.Unlimited}, body: "two", hit: true, n: 2},
	},
	"spellings of a URL": {
		{r: fetch.Request{URL: "/x/../?#f"}, body: "", want: nil, n: 1}, // another page: /?
		{r: fetch.Request{URL: "/x/../#f"}, body: "one", n: 2},
		{r: fetch.Request{URL: "/#g", MaxAge: hour}, body: "one", hit: true, n: 2},
	},
	"NoStore": {
		{r: fetch.Request{URL: "/", MaxAge: hour, NoStore: true}, body: "one", n: 1},
		{r: fetch.Request{URL: "/", MaxAge: hour}, body: "two", n: 2},
		{r: fetch.Request{URL: "/", MaxAge: hour, NoStore: true}, body: "two", hit: true, n: 2},
	},
	"NoStore leaves what was there": {
		{r: fetch.Request{URL: "/dies"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/dies", NoStore: true}, n: 2},
		{r: fetch.Request{URL: "/dies", MaxAge: hour}, body: "one", hit: true, n: 2},
	},
	"a condition": {
		{r: fetch.Request{URL: "/tagged"}, body: "tagged", n: 1},
		{wait: 2 * hour, r: fetch.Request{URL: "/tagged", MaxAge: hour}, body: "tagged", n: 2},
		{wait: hour - 1, r: fetch.Request{URL: "/tagged", MaxAge: hour}, body: "tagged", hit: true, n: 2},
		{wait: 1, r: fetch.Request{URL: "/tagged", MaxAge: hour}, body: "changed", n: 3},
	},
	"a condition, and nothing kept": {
		{r: fetch.Request{URL: "/tagged"}, body: "tagged", n: 1},
		{wait: 2 * hour, r: fetch.Request{URL: "/tagged", MaxAge: hour, NoStore: true}, body: "tagged", n: 2},
		{r: fetch.Request{URL: "/tagged", MinAge: 2 * hour}, body: "tagged", hit: true, n: 2},
	},
	"a 304 to one visitor": {
		{r: fetch.Request{URL: "/dated"}, body: "dated", n: 1},
		{wait: 2 * hour, r: fetch.Request{URL: "/dated", MaxAge: hour}, body: "dated", n: 2},
		{r: fetch.Request{URL: "/dated", Lockdown: true}, want: fetch.ErrNotCached, n: 2},
	},
	"a 304 that forbids": {
		{r: fetch.Request{URL: "/forbids-late"}, body: "then", n: 1},
		{wait: 2 * hour, r: fetch.Request{URL: "/forbids-late", MaxAge: hour}, body: "then", n: 2},
		{r: fetch.Request{URL: "/forbids-late", Lockdown: true}, want: fetch.ErrNotCached, n: 2},
	},
	"a body over the limit": {
		{r: fetch.Request{URL: "/tagged"}, body: "tagged", n: 1},
		{r: fetch.Request{URL: "/tagged", MaxAge: hour, MaxBytes: 6}, want: fetch.ErrTooLarge, n: 1},
		{wait: hour, r: fetch.Request{URL: "/tagged", MaxAge: hour, MaxBytes: 6}, want: fetch.ErrTooLarge, n: 2},
		{r: fetch.Request{URL: "/tagged", MinAge: 1, MaxBytes: 7}, body: "tagged", hit: true, n: 2},
	},
	"MinAge": {
		{r: fetch.Request{URL: "/", MinAge: time.Millisecond}, want: fetch.ErrNotCached, n: 0},
		{r: fetch.Request{URL: "/"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/", MinAge: time.Millisecond}, body: "one", hit: true, n: 1},
		{r: fetch.Request{URL: "/", MinAge: hour}, want: fetch.ErrNotCached, n: 1},
		{wait: hour, r: fetch.Request{URL: "/", MinAge: hour}, body: "one", hit: true, n: 1},
		{r: fetch.Request{URL: "/", MinAge: hour, MaxAge: 2 * hour}, body: "one", hit: true, n: 1},
		{wait: hour, r: fetch.Request{URL: "/", MinAge: hour, MaxAge: 2 * hour}, want: fetch.ErrNotCached, n: 1},
		{wait: 99_999 * hour, r: fetch.Request{URL: "/", MinAge: 1}, body: "one", hit: true, n: 1},
	},
	"Lockdown": {
		{r: fetch.Request{URL: "/", Lockdown: true}, want: fetch.ErrNotCached, n: 0},
		{r: fetch.Request{URL: "/"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/", Lockdown: true}, body: "one", hit: true, n: 1},
		{wait: hour, r: fetch.Request{URL: "/", Lockdown: true, MaxAge: hour}, want: fetch.ErrNotCached, n: 1},
		{r: fetch.Request{URL: "/", Lockdown: true, MinAge: 2 * hour}, want: fetch.ErrNotCached, n: 1},
		{wait: 2*365*24*hour - hour - 1, r: fetch.Request{URL: "/", Lockdown: true}, body: "one", hit: true, n: 1},
		{wait: 1, r: fetch.Request{URL: "/", Lockdown: true}, want: fetch.ErrNotCached, n: 1},
		{r: fetch.Request{URL: "/", Lockdown: true, MaxAge: fetch.Unlimited}, body: "one", hit: true, n: 1},
	},
	"an answer of a status besides 200": {
		{r: fetch.Request{URL: "/error", MaxAge: hour}, body: "one", n: 1},
		{r: fetch.Request{URL: "/error", MaxAge: hour}, body: "two", n: 2},
		{r: fetch.Request{URL: "/missing", MaxAge: hour}, body: "one", n: 3},
		{r: fetch.Request{URL: "/missing", MaxAge: hour}, body: "two", n: 4},
	},
	"no-store":         {{r: fetch.Request{URL: "/no-store", MaxAge: hour}, body: "one", n: 1}, {r: fetch.Request{URL: "/no-store", MaxAge: hour}, body: "two", n: 2}},
	"no-cache is kept": {{r: fetch.Request{URL: "/no-cache", MaxAge: hour}, body: "one", n: 1}, {r: fetch.Request{URL: "/no-cache", MaxAge: hour}, body: "one", hit: true, n: 1}},
	"Set-Cookie":       {{r: fetch.Request{URL: "/cookie", MaxAge: hour}, body: "one", n: 1}, {r: fetch.Request{URL: "/cookie", MaxAge: hour}, body: "two", n: 2}},
	"Vary: *":          {{r: fetch.Request{URL: "/varies-by-all", MaxAge: hour}, body: "one", n: 1}, {r: fetch.Request{URL: "/varies-by-all", MaxAge: hour}, body: "two", n: 2}},
	"cut short":        {{r: fetch.Request{URL: "/truncated", MaxAge: hour}, body: "one an", n: 1}, {r: fetch.Request{URL: "/truncated", MaxAge: hour}, body: "two", n: 2}},
	"Vary": {
		{r: fetch.Request{URL: "/varies", MaxAge: hour}, body: "one", n: 1},
		{r: fetch.Request{URL: "/varies", MaxAge: hour, Header: http.Header{"Accept-Language": {"de"}}}, body: "two", n: 2},
		{r: fetch.Request{URL: "/varies", MaxAge: hour, Header: http.Header{"User-Agent": {"other"}}}, body: "two", n: 3},
		{r: fetch.Request{URL: "/varies", MaxAge: hour, Header: http.Header{"accept-language": {"de"}}}, body: "two", hit: true, n: 3},
		{r: fetch.Request{URL: "/varies", MaxAge: hour, Header: http.Header{"Accept-Language": {"de", "en"}}}, body: "two", n: 4},
		{r: fetch.Request{URL: "/varies", MaxAge: hour}, body: "one", hit: true, n: 4},
	},
	"partitions": {
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "a", Header: http.Header{"Cookie": {"k=v"}}}, body: "one", n: 1},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "b", Header: http.Header{"Cookie": {"k=v"}}}, body: "two", n: 2},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "a", Header: http.Header{"Cookie": {"k=v"}}}, body: "one", hit: true, n: 2},
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"Cookie": {"k=v"}}}, body: "two", n: 3},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "a"}, body: "two", n: 4},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "b"}, body: "two", hit: true, n: 4},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "a", Header: http.Header{"User-Agent": {"u"}}}, body: "two", n: 5},
		{r: fetch.Request{URL: "/", MaxAge: hour, Partition: "b", Header: http.Header{"User-Agent": {"u"}}}, body: "two", hit: true, n: 5},
	},
	"what is nobody else's": {
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"authorization": {"x"}}}, body: "one", n: 1},
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"authorization": {"x"}}}, body: "two", n: 2},
		{r: fetch.Request{URL: "/", Lockdown: true, Header: http.Header{"authorization": {"x"}}}, want: fetch.ErrNotCached, n: 2},
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"If-None-Match": {"x"}}}, body: "two", n: 3},
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"Range": {"bytes=0-1"}}}, body: "two", n: 4},
		{r: fetch.Request{URL: "/", MaxAge: hour, Header: http.Header{"Cache-Control": {"no-store"}}}, body: "two", n: 5},
		{r: fetch.Request{URL: "/", Lockdown: true}, want: fetch.ErrNotCached, n: 5},
	},
	"cookies of a redirect": {
		{r: fetch.Request{URL: "/wall", MaxAge: hour}, body: "within one", n: 2},
		{r: fetch.Request{URL: "/wall", Lockdown: true}, want: fetch.ErrNotCached, n: 2},
	},
	"a page that dies": {
		{r: fetch.Request{URL: "/dies"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/dies"}, n: 2},
		{r: fetch.Request{URL: "/dies", MaxAge: hour}, body: "three", n: 3},
	},
	"a site that stumbles": {
		{r: fetch.Request{URL: "/stumbles"}, body: "one", n: 1},
		{r: fetch.Request{URL: "/stumbles"}, n: 2},
		{r: fetch.Request{URL: "/stumbles", MaxAge: hour}, body: "one", hit: true, n: 2},
	},
	"a permanent redirect": {
		{r: fetch.Request{URL: "/permanent"}, body: "landed", n: 2},
		{r: fetch.Request{URL: "/permanent", MaxAge: hour}, body: "landed", hit: true, n: 2},
		{r: fetch.Request{URL: "/landing"}, body: "landed anew", n: 3},
		{r: fetch.Request{URL: "/permanent", Lockdown: true}, body: "landed anew", hit: true, n: 3},
		{r: fetch.Request{URL: "/permanent"}, body: "moved on", n: 4},
		{r: fetch.Request{URL: "/permanent", MaxAge: hour}, body: "moved on", hit: true, n: 4},
	},
	"a temporary redirect": {
		{r: fetch.Request{URL: "/temporary"}, body: "landed", n: 2},
		{r: fetch.Request{URL: "/temporary", MaxAge: hour}, body: "landed", hit: true, n: 2},
		{wait: hour, r: fetch.Request{URL: "/temporary", MaxAge: hour}, body: "back again", n: 3},
	},
	"a temporary redirect to a page that is there": {
		{r: fetch.Request{URL: "/landing"}, body: "landed", n: 1},
		{r: fetch.Request{URL: "/temporary", MaxAge: hour}, body: "landed", hit: true, n: 2},
		{r: fetch.Request{URL: "/temporary", MaxAge: hour}, body: "landed", hit: true, n: 2},
	},
	"a temporary redirect to an error": {
		{r: fetch.Request{URL: "/to-error", MaxAge: hour}, body: "one", n: 2},
		{r: fetch.Request{URL: "/to-error", MaxAge: hour}, body: "well again", n: 3},
	},
	"redirects that are not followed": {
		{r: fetch.Request{URL: "/permanent", MaxAge: hour, Redirect: stop}, n: 1},
		{r: fetch.Request{URL: "/permanent", MaxAge: hour, Redirect: stop}, hit: true, n: 1},
		{r: fetch.Request{URL: "/permanent", MaxAge: hour, Redirect: refuse}, want: errRefused, n: 1},
		{r: fetch.Request{URL: "/temporary", MaxAge: hour, Redirect: stop}, n: 2},
		{r: fetch.Request{URL: "/temporary", MaxAge: hour, Redirect: stop}, body: "back again", n: 3},
	},
}

var errRefused = errors.New("not there")

func stop(fetch.Hop) error   { return fetch.ErrStopRedirect }
func refuse(fetch.Hop) error { return errRefused }

func TestCache(t *testing.T) {
	for _, open := range []struct {
		name string
		f    func(*testing.T, *fetchtest.Site, fetch.Cache) fetch.Fetcher
	}{
		{"client", func(t *testing.T, s *fetchtest.Site, c fetch.Cache) fetch.Fetcher {
			return over(t, &fetch.Client{Cache: c}, s)
		}},
		{"site", func(_ *testing.T, s *fetchtest.Site, c fetch.Cache) fetch.Fetcher {
			s.Cache = c
			return s
		}},
	} {
		for name, story := range stories {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.New(t, []byte(cachedWeb))
				f := open.f(t, site, new(fetch.MemoryCache))
				for i, s := range story {
					s.tell(t, open.name+", "+name, i, f, site)
				}
			})
		}
	}
}

// tell runs one step of a scenario.
func (s *step) tell(t *testing.T, name string, i int, f fetch.Fetcher, site *fetchtest.Site) {
	t.Helper()
	time.Sleep(s.wait)
	began := time.Now()
	r := s.r
	r.URL = "http://a.test" + r.URL
	resp, err := f.Fetch(t.Context(), &r)
	if !errors.Is(err, s.want) {
		t.Errorf("%s, step %d: %v, want %v", name, i, err, s.want)
	}
	if n := len(site.Log()); n != s.n {
		t.Errorf("%s, step %d: %d requests, want %d", name, i, n, s.n)
	}
	if err != nil {
		return
	}
	if got := strings.TrimSpace(string(resp.Body)); s.body != "" && got != s.body {
		t.Errorf("%s, step %d: %q, want %q", name, i, got, s.body)
	}
	if hit := !resp.Cached.IsZero(); hit != s.hit || resp.Cached.After(began) {
		t.Errorf("%s, step %d: cached %v at %v, want %v", name, i, resp.Cached, began, s.hit)
	}
}

// TestCondition checks the conditional request, and the page after the response
// to it.
func TestCondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(cachedWeb))
		c := over(t, &fetch.Client{Cache: new(fetch.MemoryCache)}, site)
		var last *fetch.Response
		for range 3 {
			var err error
			if last, err = c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/tagged", MaxAge: time.Hour}); err != nil {
				t.Fatal(err)
			}
			if len(site.Log()) == 2 {
				break
			}
			time.Sleep(time.Hour)
		}
		sent := site.Log()[1].Header
		if sent.Get("If-None-Match") != `"1"` || sent.Get("If-Modified-Since") != "Sat, 01 Jan 2000 00:00:00 GMT" {
			t.Errorf("the second request had %v", sent)
		}
		if site.Log()[0].Header.Get("If-None-Match") != "" {
			t.Error("the first request had a condition")
		}
		if last.Status != http.StatusOK || last.Header.Get("Etag") != `"2"` || last.Header.Get("Content-Type") != "text/plain" {
			t.Errorf("after a 304 the page is %d, %v", last.Status, last.Header)
		}
		start := time.Now()
		time.Sleep(time.Minute)
		again, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/tagged", MaxAge: time.Hour})
		if err != nil || !again.Cached.Equal(start) || again.Header.Get("Etag") != `"2"` || again.Status != http.StatusOK {
			t.Errorf("after that: %+v, %v, want it of %v", again, err, start)
		}
	})
}

// TestCachePolicy checks that cached pages are refused if the policy no longer
// admits them.
func TestCachePolicy(t *testing.T) {
	blocked := errors.New("on a list")
	block := func(part string) func(context.Context, string) error {
		return func(_ context.Context, url string) error {
			if strings.Contains(url, part) {
				return blocked
			}
			return nil
		}
	}
	cache := new(fetch.MemoryCache)
	site := fetchtest.New(t, []byte(cachedWeb))
	client := func(c *fetch.Client) *fetch.Client {
		c.Cache = cache
		return over(t, c, site)
	}
	for _, path := range []string{"/", "/permanent", "/temporary"} {
		if _, err := client(new(fetch.Client)).Fetch(t.Context(), &fetch.Request{URL: "http://a.test" + path}); err != nil {
			t.Fatal(err)
		}
	}
	site.Reset()
	tests := []struct {
		name string
		c    *fetch.Client
		path string
		want error
	}{
		{"as it was", &fetch.Client{}, "/", nil},
		{"as it was, by a redirect", &fetch.Client{}, "/permanent", nil},
		{"checked", &fetch.Client{Check: block("nothing")}, "/temporary", nil},
		{"a host that is blocked now", &fetch.Client{Check: block("a.test")}, "/", blocked},
		{"a hop that is blocked now", &fetch.Client{Check: block("landing")}, "/permanent", blocked},
		{"a hop that is blocked now, temporary", &fetch.Client{Check: block("landing")}, "/temporary", blocked},
		{"another network policy", &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, "/", fetch.ErrNotCached},
		{"other ports", &fetch.Client{Ports: []int{81}}, "/", fetch.ErrNotCached},
		{"another agent", &fetch.Client{UserAgent: "other"}, "/", fetch.ErrNotCached},
	}
	for _, test := range tests {
		resp, err := client(test.c).Fetch(t.Context(), &fetch.Request{URL: "http://a.test" + test.path, Lockdown: true})
		if !errors.Is(err, test.want) || (resp == nil) != (test.want != nil) {
			t.Errorf("%s: %+v, %v, want %v", test.name, resp, err, test.want)
		}
	}
	_, err := client(new(fetch.Client)).Fetch(t.Context(), &fetch.Request{URL: "http://127.0.0.1/", Lockdown: true})
	if !errors.Is(err, fetch.ErrAddress) {
		t.Errorf("loopback under lockdown: %v, want ErrAddress", err)
	}
	if n := len(site.Log()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestCacheTLS checks pages that were fetched without certificate verification.
func TestCacheTLS(t *testing.T) {
	site := fetchtest.New(t, []byte(cachedWeb))
	c := over(t, &fetch.Client{Cache: new(fetch.MemoryCache)}, site)
	var got []string
	for _, insecure := range []bool{true, false, true, false} {
		resp, err := c.Fetch(t.Context(), &fetch.Request{URL: "https://a.test/secure", MaxAge: time.Hour, InsecureTLS: insecure})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(string(resp.Body)))
	}
	if want := []string{"one", "two", "one", "two"}; !slices.Equal(got, want) {
		t.Errorf("insecure and secure in turn = %v, want %v", got, want)
	}
}

// TestCacheJar checks that pages requested with cookies are not cached.
func TestCacheJar(t *testing.T) {
	site := fetchtest.New(t, []byte(cachedWeb))
	c := over(t, &fetch.Client{Cache: new(fetch.MemoryCache)}, site)
	jar := fetch.NewJar()
	for _, path := range []string{"/cookie", "/", "/"} {
		resp, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test" + path, Jar: jar, MaxAge: time.Hour})
		if err != nil || !resp.Cached.IsZero() {
			t.Fatalf("%s: %+v, %v", path, resp, err)
		}
	}
	if n := len(site.Log()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestCaching(t *testing.T) {
	if new(fetch.Client).Caching() || !(&fetch.Client{Cache: new(fetch.MemoryCache)}).Caching() {
		t.Error("a client does not know whether it has a cache")
	}
}
