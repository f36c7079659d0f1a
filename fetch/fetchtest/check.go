// SPDX-License-Identifier: Apache-2.0

package fetchtest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/fetch"
)

// web is the site that [Check] fetches from.
const web = `-- a.test/ --
<title>A</title>
-- a.test/text.txt?q=1&r=%zz --
plain
-- a.test/gone --
HTTP 410
Content-Type: text/plain
X-Answer: yes

gone
-- a.test/empty --
HTTP 204
-- a.test/relative --
HTTP 302
Location: to/../landing?x#frag
-- a.test/landing?x --
landed
-- a.test/away --
HTTP 307
Location: //B.test/here
-- b.test/here --
over here
-- b.test/back --
HTTP 301
Location: http://a.test/
-- a.test/there-and-back --
HTTP 308
Location: http://b.test/back
-- a.test/loop --
HTTP 303
Location: /loop
-- a.test/nowhere --
HTTP 301

no Location
-- a.test/nonsense --
HTTP 301
Location: http://[

not a Location
-- a.test/unasked --
HTTP 300
Location: /

choose
-- a.test/file --
HTTP 302
Location: file:///etc/passwd
-- a.test/unknown --
HTTP 302
Location: http://unknown.test/
-- a.test/cookie --
HTTP 302
Location: /wall
Set-Cookie: seen=1; Path=/
-- a.test/wall --
walled
-- a.test/reset --
HTTP 200
X-Fault: reset
-- a.test/flaky --
HTTP 200
X-Fault: close
-- a.test/flaky --
HTTP 200
X-Fault: reset
-- a.test/flaky --
third time lucky
-- a.test/hang --
HTTP 200
X-Fault: hang
-- a.test/late --
HTTP 200
X-Latency: 50ms

late
-- a.test/truncated --
HTTP 200
X-Fault: truncate

0123456789
-- a.test/large --
HTTP 200
X-Body: 300000
Content-Type: text/html

12345678901234567890123456789012345
-- a.test/large.pdf --
HTTP 200
X-Body: 300000

12345678901234567890123456789012345
-- a.test/kb --
HTTP 200
X-Body: 64

123456789012345
`

// Check tests that a Fetcher fulfills the contract of the interface and of
// [fetch.Request]. It calls open once for each subtest. The fetcher that open
// returns must reach the hosts of site through site, which is an
// [http.Handler]. open cleans up through t.
func Check(t *testing.T, open func(t testing.TB, site *Site) fetch.Fetcher) {
	t.Helper()
	suite := []struct {
		name string
		test func(c *check)
	}{
		{"pages", (*check).pages},
		{"redirects", (*check).redirects},
		{"hops", (*check).hops},
		{"stop", (*check).stop},
		{"headers", (*check).headers},
		{"refused headers", (*check).refused},
		{"cookies", (*check).cookies},
		{"errors", (*check).errors},
		{"limits", (*check).limits},
		{"retries", (*check).retries},
		{"turns", (*check).turns},
		{"no request", (*check).unasked},
		{"truncated", (*check).truncated},
		{"context", (*check).context},
		{"ownership", (*check).ownership},
		{"concurrency", (*check).concurrency},
	}
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			site := New(t, []byte(web))
			s.test(&check{T: t, site: site, f: open(t, site)})
		})
	}
}

// check is one subtest.
type check struct {
	*testing.T
	site *Site
	f    fetch.Fetcher
}

// page fetches r, which must succeed.
func (c *check) page(r fetch.Request) *fetch.Response {
	c.Helper()
	resp, err := c.f.Fetch(c.Context(), &r)
	if err != nil {
		c.Fatalf("Fetch(%q): %v", r.URL, err)
	}
	return resp
}

// fails fetches r, which must fail with want.
func (c *check) fails(r fetch.Request, want error) {
	c.Helper()
	resp, err := c.f.Fetch(c.Context(), &r)
	if !errors.Is(err, want) {
		c.Errorf("Fetch(%q) = %+v, %v, want %v", r.URL, resp, err, want)
		return
	}
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || resp != nil {
		c.Errorf("Fetch(%q) = %v, %T, want nil and a *fetch.Error", r.URL, resp, err)
		return
	}
	if strings.Contains(err.Error(), "secret") || strings.Contains(e.URL, "user") {
		c.Errorf("Fetch(%q) tells a secret: %q, %v", r.URL, e.URL, err)
	}
}

func (c *check) pages() {
	tests := []struct {
		url, at, body, kind string
		status              int
	}{
		{"http://a.test", "http://a.test/", "<title>A</title>\n", "text/html; charset=utf-8", 200},
		{"HTTP://A.test:80/x/../#frag", "http://a.test/", "<title>A</title>\n", "text/html; charset=utf-8", 200},
		{"http://a.test/text.txt?q=1&r=%zz", "http://a.test/text.txt?q=1&r=%zz", "plain\n", "text/plain; charset=utf-8", 200},
		{"http://a.test/gone", "http://a.test/gone", "gone\n", "text/plain", 410},
		{"http://a.test/empty", "http://a.test/empty", "", "", 204},
		{"http://a.test/late", "http://a.test/late", "late\n", "text/html; charset=utf-8", 200},
	}
	for _, test := range tests {
		r := c.page(fetch.Request{URL: test.url})
		if r.URL != test.at || r.Status != test.status || string(r.Body) != test.body || r.Header.Get("Content-Type") != test.kind || r.Truncated {
			c.Errorf("Fetch(%q) = %+v, body %q", test.url, r, r.Body)
		}
	}
	if r := c.page(fetch.Request{URL: "http://a.test/gone"}); r.Header.Get("X-Answer") != "yes" {
		c.Errorf("header = %v", r.Header)
	}
	if r := c.page(fetch.Request{URL: "http://a.test/not-there"}); r.Status != http.StatusNotFound || len(r.Body) == 0 {
		c.Errorf("a missing page = %+v, want a 404 with its body", r)
	}
}

func (c *check) redirects() {
	tests := []struct {
		path, at, body string
		status         int
	}{
		{"/relative", "http://a.test/landing?x", "landed\n", 200},
		{"/away", "http://b.test/here", "over here\n", 200},
		{"/there-and-back", "http://a.test/", "<title>A</title>\n", 200},
		{"/nowhere", "http://a.test/nowhere", "no Location\n", 301},
		{"/nonsense", "http://a.test/nonsense", "not a Location\n", 301},
		{"/unasked", "http://a.test/unasked", "choose\n", 300},
	}
	for _, test := range tests {
		r := c.page(fetch.Request{URL: "http://a.test" + test.path})
		if r.URL != test.at || r.Status != test.status || string(r.Body) != test.body {
			c.Errorf("%s = %s, %d, %q, want %s, %d, %q", test.path, r.URL, r.Status, r.Body, test.at, test.status, test.body)
		}
	}
	c.fails(fetch.Request{URL: "http://a.test/file"}, fetch.ErrScheme)
	c.fails(fetch.Request{URL: "http://a.test/unknown"}, fetch.ErrDNS)
	c.site.Reset()
	c.fails(fetch.Request{URL: "http://a.test/loop"}, fetch.ErrRedirects)
	if n := len(c.site.Log()); n != 11 {
		c.Errorf("%d requests before a loop was given up, want the first and 10 hops", n)
	}
}

func (c *check) hops() {
	var hops []fetch.Hop
	c.page(fetch.Request{URL: "http://user:secret@a.test/there-and-back#frag", Redirect: func(h fetch.Hop) error {
		hops = append(hops, h)
		return nil
	}})
	want := []fetch.Hop{
		{From: "http://a.test/there-and-back", To: "http://b.test/back", Status: 308, Count: 1},
		{From: "http://b.test/back", To: "http://a.test/", Status: 301, Count: 2},
	}
	if !slices.Equal(hops, want) {
		c.Errorf("hops = %+v, want %+v", hops, want)
	}
	for _, path := range []string{"/nowhere", "/nonsense", "/unasked"} {
		c.page(fetch.Request{URL: "http://a.test" + path, Redirect: func(h fetch.Hop) error {
			c.Errorf("asked for a hop that leads nowhere: %+v", h)
			return nil
		}})
	}
	no := errors.New("not there")
	c.fails(fetch.Request{URL: "http://a.test/away", Redirect: func(fetch.Hop) error { return no }}, no)
}

func (c *check) stop() {
	r := c.page(fetch.Request{URL: "http://a.test/there-and-back", Redirect: func(h fetch.Hop) error {
		if h.Count == 2 {
			return fetch.ErrStopRedirect
		}
		return nil
	}})
	if r.URL != "http://b.test/back" || r.Status != 301 || r.Header.Get("Location") != "http://a.test/" {
		c.Errorf("stopped at %+v", r)
	}
	if n := len(c.site.Log()); n != 2 {
		c.Errorf("%d requests, want 2", n)
	}
}

func (c *check) headers() {
	c.page(fetch.Request{
		URL:    "http://user:secret@a.test/there-and-back",
		Header: http.Header{"X-Mine": {"1", "2"}, "Cookie": {"k=v"}},
	})
	log := c.site.Log()
	if len(log) != 3 {
		c.Fatalf("%d requests, want 3", len(log))
	}
	if h := log[0].Header; !slices.Equal(h["X-Mine"], []string{"1", "2"}) || h.Get("Cookie") != "k=v" || h.Get("Authorization") != "Basic dXNlcjpzZWNyZXQ=" {
		c.Errorf("first request had %v", h)
	}
	for _, hit := range log[1:] { // also on the first host again: a redirect by another host led there
		if h := hit.Header; h["X-Mine"] != nil || h["Cookie"] != nil || h["Authorization"] != nil {
			c.Errorf("%s was sent %v", hit.URL, h)
		}
	}
	c.site.Reset()
	c.page(fetch.Request{URL: "http://a.test/relative", Header: http.Header{"X-Mine": {"1"}}})
	if h := c.site.Log()[1].Header; h.Get("X-Mine") != "1" {
		c.Errorf("a hop on the same host was sent %v", h)
	}
}

func (c *check) refused() {
	big := strings.Repeat("x", 9<<10)
	many := make([]string, 65)
	for _, h := range []http.Header{
		{"Host": {"b.test"}},
		{"content-length": {"3"}},
		{"Transfer-Encoding": {"chunked"}},
		{"Connection": {"close"}},
		{"Keep-Alive": {"1"}},
		{"TE": {"trailers"}},
		{"Trailer": {"X"}},
		{"Upgrade": {"h2c"}},
		{"Proxy-Authorization": {"secret"}},
		{"proxy-x": {"1"}},
		{"Forwarded": {"for=1"}},
		{"X-Forwarded-For": {"1.1.1.1"}},
		{"X-A": {"secret\r\nX-B: 1"}},
		{"X-A": {"a\x00"}},
		{"X A": {"1"}},
		{"": {"1"}},
		{"X:": {"1"}},
		{"Xä": {"1"}},
		{"X-Big": {big}},
		{"X-Many": many},
	} {
		c.fails(fetch.Request{URL: "http://a.test/", Header: h}, fetch.ErrHeader)
	}
	if n := len(c.site.Log()); n != 0 {
		c.Errorf("%d requests were sent", n)
	}
	c.page(fetch.Request{URL: "http://a.test/", Header: http.Header{"x-tab": {"a\tb"}, "X-Utf": {"grün"}, "X-Empty": {""}}})
}

func (c *check) cookies() {
	c.page(fetch.Request{URL: "http://a.test/cookie"})
	c.page(fetch.Request{URL: "http://a.test/wall"})
	jar := fetch.NewJar()
	c.page(fetch.Request{URL: "http://a.test/cookie", Jar: jar})
	c.page(fetch.Request{URL: "http://a.test/wall", Jar: jar})
	c.page(fetch.Request{URL: "http://b.test/here", Jar: jar})
	var got []string
	for _, hit := range c.site.Log() {
		got = append(got, hit.Header.Get("Cookie"))
	}
	want := []string{"", "seen=1", "", "", "seen=1", "seen=1", ""}
	if !slices.Equal(got, want) {
		c.Errorf("cookies sent = %q, want %q", got, want)
	}
}

func (c *check) errors() {
	tests := []struct {
		url  string
		want error
	}{
		{"", fetch.ErrURL},
		{"/relative", fetch.ErrURL},
		{"http://", fetch.ErrURL},
		{"http://user:secret@a b.test/", fetch.ErrURL},
		{"ftp://user:secret@a.test/", fetch.ErrScheme},
		{"file:///etc/secret", fetch.ErrScheme},
		{"http://user:secret@unknown.test/?key=secret", fetch.ErrDNS},
		{"http://a.test/reset", fetch.ErrConnect},
	}
	for _, test := range tests {
		c.fails(fetch.Request{URL: test.url, Retries: fetch.Unlimited}, test.want)
	}
	const short = 100 * time.Millisecond
	for _, r := range []fetch.Request{
		{URL: "http://a.test/hang", Timeout: short},
		{URL: "http://a.test/hang", Timeout: short, Retries: fetch.Unlimited},
		{URL: "http://a.test/late", Timeout: short / 10},
	} {
		start := time.Now()
		c.fails(r, fetch.ErrTimeout)
		if took := time.Since(start); took > time.Minute { // generous for slow machines
			c.Errorf("%+v took %v", r, took)
		}
	}
	_, err := c.f.Fetch(c.Context(), &fetch.Request{URL: "http://user@unknown.test/x#f"})
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.URL != "http://unknown.test/x" && e.URL != "http://unknown.test/x#f" {
		c.Errorf("the error names %+v", e)
	}
}

func (c *check) limits() {
	const kb = 1024
	if r := c.page(fetch.Request{URL: "http://a.test/kb", MaxBytes: kb}); len(r.Body) != kb {
		c.Errorf("a body of the limit has %d bytes", len(r.Body))
	}
	c.fails(fetch.Request{URL: "http://a.test/kb", MaxBytes: kb - 1}, fetch.ErrTooLarge)
	c.fails(fetch.Request{URL: "http://a.test/large"}, fetch.ErrTooLarge)
	if r := c.page(fetch.Request{URL: "http://a.test/large", MaxBytes: kb, Cut: true}); len(r.Body) != kb || !r.Truncated {
		c.Errorf("a body cut at the limit has %d bytes, truncated %v", len(r.Body), r.Truncated)
	}
	if r := c.page(fetch.Request{URL: "http://a.test/kb", MaxBytes: kb, Cut: true}); len(r.Body) != kb || r.Truncated {
		c.Errorf("a body that needs no cut has %d bytes, truncated %v", len(r.Body), r.Truncated)
	}
	if r := c.page(fetch.Request{URL: "http://a.test/large", MaxBytes: fetch.Unlimited}); len(r.Body) != 36*300_000 {
		c.Errorf("an unlimited body has %d bytes", len(r.Body))
	}
	if r := c.page(fetch.Request{URL: "http://a.test/large.pdf"}); len(r.Body) != 36*300_000 {
		c.Errorf("a document has %d bytes", len(r.Body))
	}
}

func (c *check) retries() {
	for retries, want := range map[int]int{fetch.Unlimited: 1, 1: 2} {
		c.site.Reset()
		c.fails(fetch.Request{URL: "http://a.test/reset", Retries: retries}, fetch.ErrConnect)
		if n := len(c.site.Log()); n != want {
			c.Errorf("Retries %d: %d requests, want %d", retries, n, want)
		}
	}
	if r := c.page(fetch.Request{URL: "http://a.test/flaky"}); string(r.Body) != "third time lucky\n" {
		c.Errorf("after two failures: %q", r.Body)
	}
	c.site.Reset()
	c.page(fetch.Request{URL: "http://a.test/not-there"})
	if n := len(c.site.Log()); n != 1 {
		c.Errorf("a 404 was asked for %d times", n)
	}
}

// turns checks that each redirect and each retry takes a turn, and ends it
// before anything else happens.
func (c *check) turns() {
	var story []string
	r := fetch.Request{
		Redirect: func(h fetch.Hop) error {
			story = append(story, "hop")
			return nil
		},
		Turn: func(_ context.Context, url string) (func(*fetch.Response, error), error) {
			story = append(story, url)
			return func(resp *fetch.Response, err error) {
				if err != nil {
					story = append(story, "failed")
				} else {
					story = append(story, strconv.Itoa(resp.Status))
				}
			}, nil
		},
	}
	for path, want := range map[string][]string{
		"/there-and-back": {"http://a.test/there-and-back", "308", "hop", "http://b.test/back", "301", "hop", "http://a.test/", "200"},
		"/flaky":          {"http://a.test/flaky", "failed", "http://a.test/flaky", "failed", "http://a.test/flaky", "200"},
		"/gone":           {"http://a.test/gone", "410"},
	} {
		story = nil
		c.site.Reset()
		r.URL = "http://user:secret@a.test" + path + "#frag"
		c.page(r)
		if !slices.Equal(story, want) {
			c.Errorf("%s: %q, want %q", path, story, want)
		}
	}
	story = nil
	c.fails(fetch.Request{URL: "http://a.test/", Lockdown: true, Turn: r.Turn}, fetch.ErrNotCached)
	if story != nil {
		c.Errorf("a fetch that makes no request took turns: %q", story)
	}
	c.site.Reset()
	no := errors.New("no turn")
	c.fails(fetch.Request{URL: "http://a.test/", Turn: func(context.Context, string) (func(*fetch.Response, error), error) {
		return nil, errors.Join(no, fetch.ErrTimeout) // ErrTimeout alone would be retried
	}}, no)
	if n := len(c.site.Log()); n != 0 {
		c.Errorf("%d requests were sent without a turn", n)
	}
}

// unasked makes requests that accept only cached pages, without a cache.
func (c *check) unasked() {
	for _, r := range []fetch.Request{
		{Lockdown: true},
		{Lockdown: true, MaxAge: fetch.Unlimited},
		{MinAge: time.Millisecond},
		{MinAge: time.Hour, MaxAge: 2 * time.Hour, Retries: 3},
	} {
		r.URL = "http://a.test/"
		c.fails(r, fetch.ErrNotCached)
	}
	if n := len(c.site.Log()); n != 0 {
		c.Errorf("%d requests were sent", n)
	}
	if r := c.page(fetch.Request{URL: "http://a.test/", MaxAge: time.Hour}); !r.Cached.IsZero() {
		c.Errorf("the first answer is cached: %+v", r)
	}
}

func (c *check) truncated() {
	if r := c.page(fetch.Request{URL: "http://a.test/truncated"}); !r.Truncated || string(r.Body) != "01234" {
		c.Errorf("a body cut in half = %q, truncated %v", r.Body, r.Truncated)
	}
}

func (c *check) context() {
	gone := errors.New("the caller has left")
	ctx, cancel := context.WithCancelCause(c.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
	_, err := c.f.Fetch(ctx, &fetch.Request{URL: "http://a.test/hang"})
	if _, ok := errors.AsType[*fetch.Error](err); !ok || !errors.Is(err, gone) || errors.Is(err, fetch.ErrTimeout) {
		c.Errorf("cancelled: %v, want the cause", err)
	}
	if _, err := c.f.Fetch(ctx, &fetch.Request{URL: "http://a.test/"}); !errors.Is(err, gone) {
		c.Errorf("cancelled before: %v, want the cause", err)
	}
	ctx, stop := context.WithTimeout(c.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := c.f.Fetch(ctx, &fetch.Request{URL: "http://a.test/hang"}); !errors.Is(err, context.DeadlineExceeded) {
		c.Errorf("past the deadline: %v", err)
	}
}

func (c *check) ownership() {
	header := http.Header{"X-Mine": {"1"}}
	first := c.page(fetch.Request{URL: "http://a.test/gone", Header: header})
	clear(first.Body)
	first.Header.Set("X-Answer", "no")
	if second := c.page(fetch.Request{URL: "http://a.test/gone"}); string(second.Body) != "gone\n" || second.Header.Get("X-Answer") != "yes" {
		c.Errorf("what a caller did to one response shows in the next: %+v", second)
	}
	if len(header) != 1 {
		c.Errorf("the caller's header became %v", header)
	}
}

func (c *check) concurrency() {
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := range 8 {
		wg.Go(func() {
			for j := range 8 {
				url := "http://a.test/page-" + strconv.Itoa(i*8+j)
				r, err := c.f.Fetch(c.Context(), &fetch.Request{URL: url})
				if err != nil || r.URL != url || r.Status != http.StatusNotFound {
					c.Errorf("Fetch(%q) = %+v, %v", url, r, err)
				}
			}
		})
	}
}
