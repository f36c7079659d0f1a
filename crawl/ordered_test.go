// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
)

// TestOrderedRefused checks a page that is refused at the last moment and then
// waits for its turn. It must release its host to the page that all others wait
// for.
func TestOrderedRefused(t *testing.T) {
	bubble(t, `
-- a.test/ --
<a href="/a">a</a> <a href="/b">b</a>
-- a.test/robots.txt --
User-agent: *
Crawl-delay: 0.01
-- a.test/a --
HTTP 500

no
-- a.test/a --
yes
`, func(t *testing.T, site *fetchtest.Site) {
		pages := plain(t, site, crawl.Config{Ordered: true, Judge: func(_ context.Context, url string, s crawl.Stage) error {
			if s == crawl.Requested && url == "http://a.test/b" {
				return crawl.ErrDenied
			}
			return nil
		}})
		var got []string
		for _, p := range pages {
			got = append(got, fmt.Sprint(p.URL, " ", p.Status))
		}
		if d := cmp.Diff([]string{"http://a.test/ 200", "http://a.test/a 200", "http://a.test/b 0"}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
