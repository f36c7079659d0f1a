// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
)

// remembered is a Memory by URL.
type remembered map[string]*crawl.Known

func (m remembered) Known(_ context.Context, url string) (*crawl.Known, error) { return m[url], nil }

func (m remembered) Asked(context.Context) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for url := range m {
			if !yield(url, 1) {
				return
			}
		}
	}
}

// TestSince checks that known pages are requested conditionally, with one
// worker and with many.
func TestSince(t *testing.T) {
	for _, concurrency := range []int{1, 8} {
		bubble(t, `
-- a.test/ --
HTTP 304

-- a.test/linked --
HTTP 200
ETag: "2"
Content-Type: text/html

<a href="/fresh">f</a>
-- a.test/fresh --
fresh
-- a.test/orphan --
orphan
-- a.test/gone --
HTTP 410

-- a.test/lost --
HTTP 404

`, func(t *testing.T, site *fetchtest.Site) {
			memory := remembered{
				"http://a.test/":       {ETag: `"1"`, Modified: "Fri, 31 Dec 1999 10:00:00 GMT", Status: 200, ContentType: "text/html", Links: []string{"http://a.test/linked", "http://a.test/lost"}},
				"http://a.test/linked": {ETag: `"1"`, Status: 200}, // its links were not read, so it is requested unconditionally
				"http://a.test/orphan": {Status: 200, Sum: sha256.Sum256([]byte("orphan\n"))},
				"http://a.test/gone":   {Status: 200, ETag: `"1"`, Links: []string{}},
				"http://a.test/lost":   {Status: 404, Sum: sha256.Sum256(nil)},
				"http://b.test/x":      {Status: 200}, // out of scope
			}
			var visited []string
			c := crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Concurrency: concurrency, Since: memory}
			c.Visit = func(_ context.Context, p *crawl.Page) error {
				if p.Change == crawl.Gone {
					visited = append(visited, p.URL)
				}
				return nil
			}
			var got []string
			for p, err := range (&crawl.Engine{Fetcher: site}).Run(t.Context(), c) {
				if err != nil || p.Err != nil {
					t.Fatal(err, p)
				}
				got = append(got, fmt.Sprintf("%s %s %d %v", p.URL, p.Change, p.Status, p.Unmodified))
			}
			slices.Sort(got)
			if diff := cmp.Diff([]string{
				"http://a.test/ same 200 true", "http://a.test/fresh new 200 false", "http://a.test/linked changed 200 false",
				"http://a.test/lost same 404 false", "http://a.test/orphan same 200 false",
			}, got); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
			if !slices.Equal(visited, []string{"http://a.test/gone"}) {
				t.Errorf("gone: %v", visited)
			}
			conditions := map[string]string{}
			for _, hit := range site.Log() {
				if tag := hit.Header.Get("If-None-Match"); tag != "" {
					conditions[hit.URL] = tag + " " + hit.Header.Get("If-Modified-Since")
				}
			}
			if diff := cmp.Diff(map[string]string{"http://a.test/": `"1" Fri, 31 Dec 1999 10:00:00 GMT`, "http://a.test/gone": `"1" `}, conditions); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
