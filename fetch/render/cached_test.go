// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/fetch/render"
)

// camera is a Renderer whose pages have a script that goes to another document, and a
// screenshot. It counts its calls.
type camera struct {
	calls  int
	header http.Header
	ready  render.Ready
	status int
}

func (c *camera) Render(ctx context.Context, r *render.Request) (*render.Page, error) {
	c.calls++
	page := &render.Page{Status: c.status, Header: c.header, Ready: c.ready, HTML: []byte("<p>shown"), Warnings: []string{"a warning"}}
	for _, url := range []string{r.URL, "http://a.test/next"} {
		if err := r.Gate(ctx, render.Document{URL: url}); err != nil {
			return nil, err
		}
		page.Hops, page.URL = append(page.Hops, url), url
	}
	if r.Screenshot != nil {
		page.Screenshot = &render.Picture{Type: "image/png", Data: []byte{byte(c.calls)}}
	}
	return page, nil
}

// TestCached asks for the same page twice, and checks when the second answer is the first one.
func TestCached(t *testing.T) {
	shot := &render.Request{Screenshot: new(render.Shot)}
	day := fetch.Request{URL: "http://a.test/plain", MaxAge: 24 * time.Hour}
	with := func(change func(*fetch.Request)) fetch.Request {
		r := day
		change(&r)
		return r
	}
	for name, test := range map[string]struct {
		first, second fetch.Request
		one, two      *render.Request // Always
		camera        camera
		calls         int
		err           error
	}{
		"within its age":       {day, day, shot, shot, camera{}, 1, nil},
		"needs scripts":        {fetch.Request{URL: "http://a.test/shell"}, fetch.Request{URL: "http://a.test/shell", MaxAge: time.Hour}, nil, nil, camera{}, 1, nil},
		"no age":               {day, with(func(r *fetch.Request) { r.MaxAge = 0 }), shot, shot, camera{}, 2, nil},
		"only the cache":       {day, with(func(r *fetch.Request) { r.Lockdown = true }), shot, shot, camera{}, 1, nil},
		"not in the cache":     {with(func(r *fetch.Request) { r.NoStore = true }), with(func(r *fetch.Request) { r.Lockdown = true }), shot, shot, camera{}, 1, fetch.ErrNotCached},
		"another shot":         {day, day, shot, &render.Request{Screenshot: &render.Shot{Full: true}}, camera{}, 2, nil},
		"other only in time":   {day, day, shot, &render.Request{Screenshot: new(render.Shot), Timeout: time.Minute}, camera{}, 1, nil},
		"another header":       {day, with(func(r *fetch.Request) { r.Header = http.Header{"X-A": {"b"}} }), shot, shot, camera{}, 2, nil},
		"another team":         {with(func(r *fetch.Request) { r.Header, r.Partition = http.Header{"X-A": {"b"}}, "a" }), with(func(r *fetch.Request) { r.Header, r.Partition = http.Header{"X-A": {"b"}}, "b" }), shot, shot, camera{}, 2, nil},
		"authorization":        {with(func(r *fetch.Request) { r.Header = http.Header{"Authorization": {"b"}} }), with(func(r *fetch.Request) { r.Header = http.Header{"Authorization": {"b"}} }), shot, shot, camera{}, 2, nil},
		"user in the URL":      {with(func(r *fetch.Request) { r.URL = "http://u:p@a.test/plain" }), with(func(r *fetch.Request) { r.URL = "http://u:p@a.test/plain" }), shot, shot, camera{}, 2, nil},
		"jar":                  {day, with(func(r *fetch.Request) { r.Jar = fetch.NewJar() }), shot, shot, camera{}, 2, nil},
		"steps":                {day, day, &render.Request{Steps: []render.Step{{Kind: render.Wait}}}, &render.Request{Steps: []render.Step{{Kind: render.Wait}}}, camera{}, 2, nil},
		"cookies":              {day, day, &render.Request{Cookies: []*http.Cookie{{Name: "a"}}}, &render.Request{Cookies: []*http.Cookie{{Name: "a"}}}, camera{}, 2, nil},
		"sets a cookie":        {day, day, shot, shot, camera{header: http.Header{"Set-Cookie": {"a=b"}}}, 2, nil},
		"still busy":           {day, day, shot, shot, camera{ready: render.ReadyCap}, 2, nil},
		"failed":               {day, day, shot, shot, camera{status: http.StatusTeapot}, 2, nil},
		"without certificates": {day, with(func(r *fetch.Request) { r.InsecureTLS = true }), shot, shot, camera{}, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			site := fetchtest.New(t, []byte(web))
			site.Cache = new(fetch.MemoryCache)
			c := test.camera
			if c.status == 0 {
				c.status = http.StatusOK
			}
			var hops []string
			redirect := func(h fetch.Hop) error {
				hops = append(hops, h.To)
				return nil
			}
			test.first.Redirect, test.second.Redirect = redirect, redirect
			one, err := (&render.Fetcher{Static: site, Renderer: &c, Always: test.one}).Fetch(t.Context(), &test.first)
			if err != nil || !one.Cached.IsZero() {
				t.Fatalf("%+v, %v", one, err)
			}
			two, err := (&render.Fetcher{Static: site, Renderer: &c, Always: test.two}).Fetch(t.Context(), &test.second)
			if !errors.Is(err, test.err) || c.calls != test.calls {
				t.Fatalf("%v after %d calls, want %v after %d", err, c.calls, test.err, test.calls)
			}
			if err != nil {
				return
			}
			if !slices.Equal(hops, []string{"http://a.test/next", "http://a.test/next"}) {
				t.Errorf("the redirects were %q", hops)
			}
			a, b := one.View.(*render.Page), two.View.(*render.Page)
			if a.Screenshot != nil && (string(a.Screenshot.Data) == string(b.Screenshot.Data)) != (c.calls == 1) {
				t.Error("the screenshot is not the one of this call")
			}
			if two.Cached.IsZero() != (c.calls == 2) || two.URL != one.URL || string(two.Body) != string(one.Body) || !two.Rendered || !slices.Equal(a.Warnings, b.Warnings) {
				t.Errorf("got %+v, want %+v", two, one)
			}
		})
	}
}

// TestCachedRedirect checks that a stored page cannot lead to a document that is refused now.
func TestCachedRedirect(t *testing.T) {
	site := fetchtest.New(t, []byte(web))
	site.Cache = new(fetch.MemoryCache)
	f := &render.Fetcher{Static: site, Renderer: &camera{status: http.StatusOK}, Always: new(render.Request)}
	r := &fetch.Request{URL: "http://a.test/plain", MaxAge: time.Hour}
	if _, err := f.Fetch(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	threat := errors.New("a threat")
	r.Redirect = func(fetch.Hop) error { return threat }
	if page, err := f.Fetch(t.Context(), r); !errors.Is(err, threat) {
		t.Errorf("got %+v, %v", page, err)
	}
	r.Redirect = func(fetch.Hop) error { return fetch.ErrStopRedirect }
	page, err := f.Fetch(t.Context(), r)
	if err != nil || page.Status != http.StatusFound || page.Header.Get("Location") != "http://a.test/next" {
		t.Errorf("got %+v, %v", page, err)
	}
}
