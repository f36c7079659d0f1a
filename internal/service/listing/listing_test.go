// SPDX-License-Identifier: Apache-2.0

package listing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/service/listing"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestRun lists sites, some of which are refused or cannot be reached.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := fetchtest.New(t, []byte(`
-- http://a.test/ --
<p><a href="/alpha">a</a> <a href="/beta">b</a> <a href="/no/one">1</a> <a href="/no/two">2</a>
-- http://gone.test/ --
HTTP 404
Content-Type: text/html

<p><a href="/alpha">a</a>
-- http://down.test/robots.txt --
Sitemap: http://down.test/list.xml
-- http://down.test/list.xml --
<urlset><url><loc>http://down.test/listed</loc></url></urlset>
-- http://down.test/ --
HTTP 302
Location: http://down.test/
-- http://a.test/robots.txt --
HTTP 200
Content-Type: text/plain

User-agent: *
Disallow: /no/
`))
		refused := errors.New("refused")
		for _, test := range []struct {
			name, url, search string
			limit             int
			admit             func(context.Context, string) error
			want              string
			blocked           int
			err               error
			failed            string
		}{
			{name: "all", url: "http://a.test/", limit: -1, want: "/ /alpha /beta", blocked: 2},
			{name: "limit", url: "http://a.test/", limit: 2, want: "/ /alpha"},
			{name: "ranked", url: "http://a.test/", limit: 1, search: "BETA none", want: "/beta", blocked: 2},
			{name: "refused", url: "http://a.test/", limit: 9, admit: func(context.Context, string) error { return refused }, err: refused},
			{name: "no host", url: "http://none.test/", limit: 9, err: fetch.ErrDNS},
			{name: "error page", url: "http://gone.test/", limit: 9, want: "http://gone.test/ http://gone.test/alpha", failed: "HTTP status 404"},
			{name: "loop", url: "http://down.test/", limit: 9, want: "http://down.test/listed", failed: "redirects too often"},
		} {
			l := listing.List{
				Fetcher: web, Search: test.search, Admit: test.admit,
				Config: crawl.Config{URL: test.url, List: true, Limit: test.limit, EntireDomain: true, Sitemap: crawl.SitemapInclude},
			}
			found, err := l.Run(t.Context())
			got := strings.ReplaceAll(strings.Join(found.URLs, " "), "http://a.test", "")
			if got != test.want || !errors.Is(err, test.err) || test.blocked > 0 && found.Blocked != test.blocked ||
				!strings.Contains(found.Failed, test.failed) || test.failed == "" && found.Failed != "" {
				t.Errorf("%s: %q, %d blocked, failed %q, %v", test.name, got, found.Blocked, found.Failed, err)
			}
		}
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(over)
		l := listing.List{Fetcher: web, Config: crawl.Config{URL: "http://a.test/", List: true, Limit: 9}}
		if found, err := l.Run(ctx); !errors.Is(err, over) {
			t.Errorf("cancelled: %v, %v", found, err)
		}
	})
}

// TestCut checks that a ranking of more URLs than it compares says so.
func TestCut(t *testing.T) {
	for _, test := range []struct {
		name, search string
		links        int
		cut          bool
	}{
		{"few", "page", 10, false},
		{"many", "page", listing.MostRanked + 5, true},
		{"many, not ranked", "", listing.MostRanked + 5, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var page strings.Builder
			page.WriteString("-- http://a.test/ --\n")
			for i := range test.links {
				fmt.Fprintf(&page, "<a href=/%d>a</a>\n", i)
			}
			l := listing.List{
				Fetcher: fetchtest.New(t, []byte(page.String())), Search: test.search,
				Config: crawl.Config{URL: "http://a.test/", List: true, Limit: 3, EntireDomain: true, Sitemap: crawl.SitemapInclude},
			}
			found, err := l.Run(t.Context())
			if err != nil || len(found.URLs) != 3 || found.Cut != test.cut || !found.More {
				t.Errorf("%s: %d URLs, cut %v, more %v, %v", test.name, len(found.URLs), found.Cut, found.More, err)
			}
		})
	}
}

// TestMore checks that a list says whether there are more URLs than its limit.
func TestMore(t *testing.T) {
	for limit, want := range map[int]struct {
		n    int
		more bool
	}{1: {1, true}, 3: {3, true}, 4: {4, false}, 5: {4, false}, crawl.Unlimited: {4, false}} {
		for _, search := range []string{"", "b"} {
			synctest.Test(t, func(t *testing.T) {
				l := listing.List{
					Fetcher: fetchtest.New(t, []byte("-- http://a.test/ --\n<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>\n")), Search: search,
					Config: crawl.Config{URL: "http://a.test/", List: true, Limit: limit, EntireDomain: true},
				}
				found, err := l.Run(t.Context())
				if err != nil || len(found.URLs) != want.n || found.More != want.more {
					t.Errorf("limit %d, search %q: %q, more %v, %v", limit, search, found.URLs, found.More, err)
				}
			})
		}
	}
}
