// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// shown is a Renderer that calls the gate for each document, and then returns a
// page or an error.
type shown struct {
	page      render.Page
	documents []string // after the first
	err       error
	got       *render.Request
}

func (s *shown) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	s.got = r
	for _, url := range append([]string{r.URL}, s.documents...) {
		if err := r.Gate(ctx, render.Document{URL: url}); err != nil {
			return nil, err
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	page := s.page
	return &page, nil
}

// web has a page that needs scripts, one that does not, and others.
const web = `-- a.test/shell --
<title>A shop</title><div id=root></div><script src=/app.js></script>
-- a.test/plain --
<title>Plain</title><p>Text.<script src=/app.js></script>
-- a.test/moved --
HTTP 302
Location: http://b.test/shell

-- b.test/shell --
<div id=app></div><script src=/app.js></script>
-- a.test/gone --
HTTP 404
Content-Type: text/html

<div id=app></div><script src=/app.js></script>
-- a.test/data.json --
{}
`

func TestFetcher(t *testing.T) {
	crash := errors.New("crash")
	for name, test := range map[string]struct {
		url      string
		renderer shown
		body     string // part of it
		final    string
		rendered bool
		err      error
	}{
		"shell":  {"http://a.test/shell", shown{page: render.Page{URL: "http://a.test/shell", Status: 200, HTML: []byte("<p>shown")}}, "<p>shown", "http://a.test/shell", true, nil},
		"plain":  {"http://a.test/plain", shown{err: crash}, "Text.", "http://a.test/plain", false, nil},
		"gone":   {"http://a.test/gone", shown{err: crash}, "app.js", "http://a.test/gone", false, nil},
		"json":   {"http://a.test/data.json", shown{err: crash}, "{}", "http://a.test/data.json", false, nil},
		"file":   {"http://a.test/shell", shown{page: render.Page{URL: "http://a.test/f.pdf", Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: []byte("%PDF")}}, "%PDF", "http://a.test/f.pdf", false, nil},
		"crash":  {"http://a.test/shell", shown{err: crash}, "", "", false, crash},
		"script": {"http://a.test/shell", shown{documents: []string{"http://a.test/next"}, page: render.Page{URL: "http://a.test/next", Status: 200, HTML: []byte("next")}}, "next", "http://a.test/next", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := &render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: &test.renderer}
			resp, err := f.Fetch(t.Context(), &fetch.Request{URL: test.url})
			if !errors.Is(err, test.err) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if err != nil {
				if _, ok := errors.AsType[*fetch.Error](err); !ok {
					t.Errorf("the error is a %T", err)
				}
				return
			}
			if !strings.Contains(string(resp.Body), test.body) || resp.URL != test.final || resp.Rendered != test.rendered {
				t.Errorf("got %s %q, rendered %v", resp.URL, resp.Body, resp.Rendered)
			}
		})
	}
}

// TestHooks checks which hooks of a request are called for the documents that a
// browser requests, and that each turn ends once.
func TestHooks(t *testing.T) {
	stop := errors.New("stop")
	var log []string
	open := 0
	request := func() *fetch.Request {
		log, open = nil, 0
		return &fetch.Request{
			URL: "http://a.test/shell", Header: http.Header{"X-Key": {"k"}},
			Turn: func(_ context.Context, url string) (func(*fetch.Response, error), error) {
				open++
				log = append(log, "turn "+url)
				return func(*fetch.Response, error) { open-- }, nil
			},
			Redirect: func(h fetch.Hop) error {
				log = append(log, "hop "+h.To)
				if strings.Contains(h.To, "evil") {
					return stop
				}
				return nil
			},
		}
	}
	s := &shown{documents: []string{"http://a.test/next"}, page: render.Page{URL: "http://a.test/next", Status: 200, HTML: []byte("next")}}
	f := &render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: s}
	if _, err := f.Fetch(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	want := "turn http://a.test/shell, turn http://a.test/shell, hop http://a.test/next, turn http://a.test/next"
	if got := strings.Join(log, ", "); got != want || open != 0 {
		t.Errorf("%d turns are open; got %s, want %s", open, got, want)
	}
	if s.got.Header.Get("X-Key") != "k" {
		t.Error("the browser did not get the headers")
	}
	s.documents = []string{"http://evil.test/"}
	if _, err := f.Fetch(t.Context(), request()); !errors.Is(err, stop) || open != 0 {
		t.Errorf("%d turns are open, %v", open, err)
	}
	s.documents = nil
	r := request()
	r.URL = "http://a.test/moved"
	if _, err := f.Fetch(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if s.got.URL != "http://b.test/shell" || s.got.Header != nil {
		t.Errorf("another host got %s with %v", s.got.URL, s.got.Header)
	}
}

// TestReload checks that a document that is requested again is not a redirect, as
// when a page sets a cookie and loads itself again, and that a page cannot do so
// without end.
func TestReload(t *testing.T) {
	for _, test := range []struct {
		name      string
		documents []string
		turns     int
		want      error
	}{
		{"once", []string{"http://a.test/shell"}, 3, nil},
		{"another fragment", []string{"http://a.test/shell#top"}, 3, nil},
		{"ten times", slices.Repeat([]string{"http://a.test/shell"}, 10), 12, nil},
		{"without end", slices.Repeat([]string{"http://a.test/shell"}, 100), 12, fetch.ErrRedirects},
	} {
		t.Run(test.name, func(t *testing.T) {
			turns, open := 0, 0
			r := &fetch.Request{
				URL: "http://a.test/shell",
				Turn: func(context.Context, string) (func(*fetch.Response, error), error) {
					turns++
					open++
					return func(*fetch.Response, error) { open-- }, nil
				},
				Redirect: func(h fetch.Hop) error {
					t.Errorf("a redirect from %s to %s", h.From, h.To)
					return fetch.ErrStopRedirect
				},
			}
			s := &shown{documents: test.documents, page: render.Page{URL: r.URL, Status: 200, HTML: []byte("full")}}
			f := &render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: s}
			page, err := f.Fetch(t.Context(), r)
			if !errors.Is(err, test.want) {
				t.Fatalf("got the error %v, want %v", err, test.want)
			}
			if err == nil && string(page.Body) != "full" {
				t.Errorf("got the page %q", page.Body)
			}
			if turns != test.turns || open != 0 {
				t.Errorf("%d turns of which %d are open, want %d and 0", turns, open, test.turns)
			}
		})
	}
}

// TestCheck runs the tests for any Fetcher.
func TestCheck(t *testing.T) {
	fetchtest.Check(t, func(_ testing.TB, site *fetchtest.Site) fetch.Fetcher {
		return &render.Fetcher{Static: site, Renderer: &shown{err: errors.New("never shown")}}
	})
}

func TestNeedsScripts(t *testing.T) {
	long := strings.Repeat("A sentence of the page. ", 20)
	for html, want := range map[string]bool{
		`<div id=root></div><script src=a.js></script>`:                                               true,
		`<div id="__next"> </div><script type=module src=a.js></script>`:                              true,
		`<app-root></app-root><script src=a.js></script>`:                                             true,
		`<p>Loading...</p><script src=a.js></script>`:                                                 true,
		`<noscript>Please enable JavaScript.</noscript><div>Shop</div><script>start()</script>`:       true,
		`<script src=a.js></script>`:                                                                  true,
		`<div id=root></div>`:                                                                         false,
		`<div id=root></div><script type="application/ld+json">{}</script>`:                           false,
		`<div id=root>` + long + `</div><script src=a.js></script>`:                                   false,
		`<div id=app></div><article>` + long + `</article><script src=a.js></script>`:                 false,
		`<p>A short page, which says little, but says it.</p><script src=a.js></script>`:              false,
		`<p>Loading docks of the harbour, and what they were used for.</p><script src=a.js></script>`: false,
		``: false,
	} {
		r := &fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(html)}
		if got := render.NeedsScripts(t.Context(), r); got != want {
			t.Errorf("%s: got %v, want %v", html, got, want)
		}
		// The reason in a document of format is the answer to the same question.
		page, err := dom.Parse(t.Context(), r.Body, "text/html")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := format.Build(t.Context(), &format.Input{Root: page.Root, URL: "https://shop.example/"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Lack == format.NeedsJavaScript; got != want {
			t.Errorf("%s: format gives the reason %q, want needs-javascript: %v", html, doc.Lack, want)
		}
	}
}

// able is a Renderer that says what it can do.
type able struct{ shown }

func (*able) Abilities() render.Abilities {
	return render.Abilities{Steps: []render.Kind{render.Click}, PDF: true}
}

// TestAbilities asks Renderers what they can do.
func TestAbilities(t *testing.T) {
	if a := render.AbilitiesOf(&shown{}); a.Can(render.Click) || a.Can(render.Wait) || a.PDF || a.Guarded {
		t.Errorf("a Renderer without the method can do %+v", a)
	}
	if a := render.AbilitiesOf(&able{}); !a.Can(render.Click) || a.Can(render.Write) || !a.PDF || a.Guarded {
		t.Errorf("got %+v", a)
	}
}

// filler is a Renderer whose pages have content, or none if their URLs contain "empty". It
// counts its calls and is busy for the first ones.
type filler struct{ calls, busy int }

func (f *filler) Render(_ context.Context, r *render.Request) (*render.Page, error) {
	if f.calls++; f.calls <= f.busy {
		return nil, render.ErrBusy
	}
	code := "<p>" + strings.Repeat("Content of a page. ", 20)
	if strings.Contains(r.URL, "empty") {
		code = "<div id=root></div><script src=/app.js></script>"
	}
	return &render.Page{URL: r.URL, Status: 200, HTML: []byte(code)}, nil
}

// TestShells checks how many pages of each template are shown, and that the others say
// why they are not.
func TestShells(t *testing.T) {
	shell := fetch.Response{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<div id=root></div><script src=/app.js></script>")}
	static := fetchFunc(func(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
		resp := shell
		resp.URL = r.URL
		return &resp, nil
	})
	for name, test := range map[string]struct {
		urls  []string // in which * is the number of the page
		most  int
		busy  int
		shown int // of 40 pages
		why   string
	}{
		"all":          {[]string{"http://a.test/full/*"}, 0, 0, 40, ""},
		"most":         {[]string{"http://a.test/full/*"}, 7, 0, 7, "used up"},
		"empty":        {[]string{"http://a.test/empty/*/x"}, 0, 0, 5, "are empty after their scripts"}, // 3, and the pages 16 and 32
		"names":        {[]string{"http://a.test/empty/n*"}, 0, 0, 5, "are empty after their scripts"},
		"two":          {[]string{"http://a.test/empty/*", "http://a.test/full/*"}, 0, 0, 24, "are empty after their scripts"}, // 3 and the page 16, and 20
		"busy":         {[]string{"http://a.test/full/*"}, 7, 5, 7, "used up"},
		"one template": {[]string{"http://a.test/p/empty*", "http://a.test/p/full*"}, 0, 0, 40, ""}, // some of its pages have content
	} {
		t.Run(name, func(t *testing.T) {
			r := &filler{busy: test.busy}
			f := &render.Fetcher{Static: static, Renderer: r, Most: test.most}
			shown, busy := 0, 0
			for i := range 40 {
				url := strings.ReplaceAll(test.urls[i%len(test.urls)], "*", strconv.Itoa(i))
				resp, err := f.Fetch(t.Context(), &fetch.Request{URL: url})
				if errors.Is(err, fetch.ErrBusy) {
					busy++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				page := resp.View.(*render.Page)
				if resp.Rendered {
					shown++
				} else if len(page.Warnings) != 1 || test.why == "" || !strings.Contains(page.Warnings[0], test.why) || len(resp.Body) == 0 {
					t.Errorf("page %d was not shown: %q", i, page.Warnings)
				}
			}
			if shown != test.shown || busy != test.busy || r.calls != shown+busy {
				t.Errorf("%d pages were shown and %d could not be, with %d calls, want %d and %d", shown, busy, r.calls, test.shown, test.busy)
			}
		})
	}
}

// fetchFunc is a function that is a Fetcher.
type fetchFunc func(context.Context, *fetch.Request) (*fetch.Response, error)

func (f fetchFunc) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	return f(ctx, r)
}

// TestBlock checks that the browser learns which requests of a page are not sent.
func TestBlock(t *testing.T) {
	s := &shown{page: render.Page{Status: 200, HTML: []byte("shown")}}
	f := &render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: s, Block: func(page string) render.Block {
		return render.Block{Ads: func(url, _ string) bool { return url == page+"ad" }}
	}}
	if _, err := f.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/shell"}); err != nil {
		t.Fatal(err)
	}
	if ads := s.got.Block.Ads; ads == nil || !ads("http://a.test/shellad", "") || ads("http://a.test/shell", "") {
		t.Error("the browser was not told what to block")
	}
}

// TestOptional checks that a page which cannot be shown is returned as it was fetched if it
// was not necessary to show it.
func TestOptional(t *testing.T) {
	for name, test := range map[string]struct {
		request fetch.Request
		err     error // of the Renderer
		body    string
		warned  bool
		fails   bool
	}{
		"shown":      {fetch.Request{URL: "http://a.test/plain"}, nil, "<p>shown", false, false},
		"crashed":    {fetch.Request{URL: "http://a.test/plain"}, render.ErrCrashed, "Text.", true, false},
		"needed":     {fetch.Request{URL: "http://a.test/shell"}, render.ErrCrashed, "", false, true},
		"refused":    {fetch.Request{URL: "http://a.test/plain"}, render.ErrRefused, "", false, true},
		"from cache": {fetch.Request{URL: "http://a.test/plain", Lockdown: true}, fetch.ErrNotCached, "", false, true}, // the cache is empty
		"raw":        {fetch.Request{URL: "http://a.test/plain", Raw: true}, nil, "Text.", false, false},
		"not a page": {fetch.Request{URL: "http://a.test/data.json"}, render.ErrCrashed, "{}", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: &shown{err: test.err, page: render.Page{HTML: []byte("<p>shown")}}, Always: &render.Request{Styles: true}, Optional: true}
			page, err := f.Fetch(t.Context(), &test.request)
			if test.fails {
				if !errors.Is(err, test.err) {
					t.Errorf("got %v, want %v", err, test.err)
				}
				return
			}
			if err != nil || !strings.Contains(string(page.Body), test.body) {
				t.Fatalf("%+v, %v", page, err)
			}
			view, _ := page.View.(*render.Page)
			if warned := view != nil && len(view.Warnings) > 0; warned != test.warned {
				t.Errorf("the view is %+v", view)
			}
		})
	}
}

// framed is a Renderer whose page has a frame.
type framed struct{}

func (framed) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	page := &render.Page{URL: r.URL, Status: 200, HTML: []byte("<p>shown")}
	if err := r.Gate(ctx, render.Document{URL: r.URL}); err != nil {
		return nil, err
	}
	if err := r.Gate(ctx, render.Document{URL: "http://frame.test/", Frame: true}); err != nil {
		page.Failed = append(page.Failed, render.Failed{URL: "http://frame.test/", Reason: err.Error()})
	}
	return page, nil
}

// TestFrame checks that the Fetcher asks its hook about frames, and about nothing else.
func TestFrame(t *testing.T) {
	for name, refuse := range map[string]error{"admitted": nil, "refused": errors.New("a threat")} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			f := render.Fetcher{Static: fetchtest.New(t, []byte(web)), Renderer: framed{}, Frame: func(_ context.Context, url string) error {
				asked = append(asked, url)
				return refuse
			}}
			page, err := f.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/shell"})
			if err != nil || !slices.Equal(asked, []string{"http://frame.test/"}) {
				t.Fatalf("asked about %q, %v", asked, err)
			}
			if view, _ := page.View.(*render.Page); view == nil || (len(view.Failed) > 0) != (refuse != nil) {
				t.Errorf("the view is %+v", page.View)
			}
		})
	}
}
