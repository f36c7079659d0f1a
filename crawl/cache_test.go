// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

// TestCached crawls a site several times through a cache.
func TestCached(t *testing.T) {
	const web = `-- http://a.test/ --
<a href="/one">one</a> <a href="/moved">moved</a> <a href="/no">no</a>
-- http://a.test/one --
One.
-- http://a.test/no --
No.
-- http://a.test/moved --
HTTP 301
Location: /two
-- http://a.test/two --
Two.
-- http://a.test/robots.txt --
User-agent: *
Disallow: /nothing
-- http://a.test/robots.txt --
User-agent: *
Disallow: /no
`
	all := []string{"http://a.test/", "http://a.test/no", "http://a.test/one", "http://a.test/two"}
	allowed := []string{"http://a.test/", "http://a.test/one", "http://a.test/two"}
	tests := []struct {
		name   string
		r      fetch.Request
		pages  []string
		asked  []string // requests to the site
		cached bool
		err    error // of the start page
	}{
		{"nothing there", fetch.Request{Lockdown: true}, nil, nil, false, fetch.ErrNotCached},
		{"first", fetch.Request{}, all, append([]string{"http://a.test/moved", "http://a.test/robots.txt"}, all...), false, nil},
		{"pages are old, robots.txt is not", fetch.Request{MaxAge: time.Hour}, allowed, []string{"http://a.test/robots.txt"}, true, nil},
		{"locked", fetch.Request{Lockdown: true}, allowed, nil, true, nil},
		{"looking", fetch.Request{MinAge: time.Millisecond}, allowed, nil, true, nil},
		{"too old", fetch.Request{Lockdown: true, MaxAge: time.Minute}, nil, nil, false, fetch.ErrNotCached},
	}
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(web))
		site.Cache = new(fetch.MemoryCache)
		sent := 0
		for _, test := range tests {
			e := crawl.Engine{Fetcher: site} // has not read this robots.txt yet
			var pages []string
			for p, err := range e.Run(t.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Request: test.r}) {
				switch {
				case err != nil:
					t.Fatal(err)
				case test.err != nil:
					if !errors.Is(p.Err, test.err) {
						t.Errorf("%s: %s: %v, want %v", test.name, p.URL, p.Err, test.err)
					}
				case p.Err != nil || p.Cached.IsZero() == test.cached:
					t.Errorf("%s: %s of %v, %v", test.name, p.URL, p.Cached, p.Err)
				}
				if p.Err == nil {
					pages = append(pages, p.URL)
				}
			}
			slices.Sort(pages)
			if !slices.Equal(pages, test.pages) {
				t.Errorf("%s: pages %v, want %v", test.name, pages, test.pages)
			}
			var asked []string
			for _, hit := range site.Log()[sent:] {
				asked = append(asked, hit.URL)
			}
			sent += len(asked)
			slices.Sort(asked)
			slices.Sort(test.asked)
			if !slices.Equal(asked, test.asked) {
				t.Errorf("%s: asked for %v, want %v", test.name, asked, test.asked)
			}
			time.Sleep(time.Minute)
		}
	})
}
