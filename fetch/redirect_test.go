// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// TestFollow tests Follow with a fetcher that has no network.
func TestFollow(t *testing.T) {
	fetchtest.Check(t, func(_ testing.TB, site *fetchtest.Site) fetch.Fetcher {
		return fetcherFunc(func(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
			return fetch.Follow(ctx, r, nil, func(ctx context.Context, x *fetch.Exchange) (*fetch.Response, error) {
				inner := fetch.Request{URL: x.URL, MaxBytes: x.MaxBytes, Cut: x.Cut, Retries: fetch.Unlimited, Timeout: x.Patience}
				inner.Header = x.Header
				inner.Redirect = func(fetch.Hop) error { return fetch.ErrStopRedirect }
				if x.Patience == 0 {
					inner.Timeout = fetch.Unlimited
				}
				resp, err := site.Fetch(ctx, &inner)
				if e, ok := errors.AsType[*fetch.Error](err); ok {
					// Follow would report a Location with the scheme file as an
					// error; the site accepts it as a page.
					if errors.Is(err, fetch.ErrScheme) {
						return &fetch.Response{URL: x.URL, Status: 302, Header: http.Header{"Location": {"file:///"}}}, nil
					}
					return nil, e.Err
				}
				return resp, err
			})
		})
	})
}

// TestLocationBytes checks that non-ASCII bytes of a Location are requested
// byte by byte, in whatever charset the site writes its paths.
func TestLocationBytes(t *testing.T) {
	for location, want := range map[string]string{
		"/caf\xc3\xa9":               "/caf%C3%A9",
		"/caf\xe9?q=\xe9&r=\xc3\xa9": "/caf%E9?q=%E9&r=%C3%A9",
		"//b\xfccher.test/":          "/", // not a valid host: the 3xx response is the page
		"//b\xc3\xbccher.test/x":     "/x",
	} {
		asked := ""
		c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked = r.RequestURI; asked == "/" {
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusFound)
			}
		}))
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/"}); err != nil {
			t.Errorf("%q: %v", location, err)
		}
		if asked != want {
			t.Errorf("%q: asked for %s, want %s", location, asked, want)
		}
	}
}

// TestDowngrade follows redirects from https to http and back.
func TestDowngrade(t *testing.T) {
	site := fetchtest.New(t, []byte(`-- https://a.test/down --
HTTP 302
Location: http://a.test/up
-- http://a.test/up --
HTTP 302
Location: https://a.test/end
-- https://a.test/end --
end
`))
	c := over(t, new(fetch.Client), site)
	for start, want := range map[string][]string{
		"https://a.test/down": {"1", "", ""},
		"http://a.test/up":    {"1", "1"},
	} {
		site.Reset()
		if _, err := c.Fetch(t.Context(), &fetch.Request{URL: start, Header: http.Header{"X-Mine": {"1"}}}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, hit := range site.Log() {
			got = append(got, hit.Header.Get("X-Mine"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("from %s the header was sent as %q, want %q", start, got, want)
		}
	}
}

// TestRedirectBodies follows redirects with various bodies.
func TestRedirectBodies(t *testing.T) {
	c := over(t, new(fetch.Client), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			_, _ = io.WriteString(w, "end")
			return
		}
		w.Header().Set("Location", "/end")
		switch r.URL.Path {
		case "/coded":
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusFound)
			_, _ = io.WriteString(w, "\x1f\x8bnonsense")
		case "/endless":
			w.WriteHeader(http.StatusFound)
			for {
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		}
	}))
	for _, path := range []string{"/coded", "/endless"} {
		r, err := c.Fetch(t.Context(), &fetch.Request{URL: "http://a.test" + path})
		if err != nil || string(r.Body) != "end" {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
		r, err = c.Fetch(t.Context(), &fetch.Request{
			URL: "http://a.test" + path, Redirect: func(fetch.Hop) error { return fetch.ErrStopRedirect },
		})
		if err != nil || r.Status != 302 || !r.Truncated || len(r.Body) > 64<<10 {
			t.Errorf("%s, stopped: %+v, %v", path, r, err)
		}
	}
}
