// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
)

// countingCache counts changes of a cache.
type countingCache struct {
	fetch.MemoryCache
	changes atomic.Int64
}

func (c *countingCache) Put(ctx context.Context, k fetch.Key, v []byte) error {
	c.changes.Add(1)
	return c.MemoryCache.Put(ctx, k, v)
}

func (c *countingCache) Delete(ctx context.Context, k fetch.Key) error {
	c.changes.Add(1)
	return c.MemoryCache.Delete(ctx, k)
}

// TestCacheRetained checks that requests of a team with zero data retention
// never change the cache, while the same requests of another team do.
func TestCacheRetained(t *testing.T) {
	const web = `-- http://a.test/ --
<body><main><p><a href="/one">one</a></p></main>
-- http://a.test/one --
<p>One.</p>
-- http://a.test/robots.txt --
Sitemap: http://a.test/map.xml
-- http://a.test/map.xml --
<urlset><url><loc>http://a.test/two</loc></url></urlset>
-- http://a.test/two --
HTTP 302
Location: /one
`
	requests := [][2]string{
		{"/v2/scrape", `{"url":"a.test/two"}`},
		{"/v2/scrape", `{"url":"a.test","maxAge":1000,"storeInCache":true}`},
		{"/v2/crawl", `{"url":"a.test","scrapeOptions":{"maxAge":1000}}`},
		{"/v2/batch/scrape", `{"urls":["http://a.test/","http://a.test/two"],"maxAge":1}`},
		{"/v2/map", `{"url":"a.test"}`},
	}
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte(web))
		cache := new(countingCache)
		site.Cache = cache
		service := &curlew.Service{Fetcher: site}
		h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"fc-zero":  {ID: "zero", Policy: account.Policy{ZeroRetention: account.RetentionForced}},
			"fc-other": {ID: "other"},
		})})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"fc-zero", "fc-other"} {
			for _, r := range requests {
				before := cache.changes.Load()
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, r[0], strings.NewReader(r[1]))
				req.Header.Set("Authorization", "Bearer "+key)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, req)
				synctest.Wait()
				if w.Code != http.StatusOK {
					t.Errorf("%s %s %s = %d %s", key, r[0], r[1], w.Code, w.Body)
				}
				changed := cache.changes.Load() != before
				if want := key == "fc-other" && r[0] != "/v2/map"; changed != want {
					t.Errorf("%s %s %s: the cache is changed: %v, want %v", key, r[0], r[1], changed, want)
				}
				time.Sleep(time.Second)
			}
		}
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestScrapeCached uses a cache through the Go API.
func TestScrapeCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.New(t, []byte("-- http://a.test/ --\n<p>First.</p>\n-- http://a.test/ --\n<p>Second.</p>\n"))
		site.Cache = new(fetch.MemoryCache)
		s := curlew.Service{Fetcher: site}
		tests := []struct {
			o               curlew.ScrapeOptions
			markdown, state string
		}{
			{curlew.ScrapeOptions{NoStore: true}, "First.\n", ""},
			{curlew.ScrapeOptions{MaxAge: time.Hour}, "Second.\n", ""},
			{curlew.ScrapeOptions{MaxAge: time.Hour}, "Second.\n", "hit"},
			{curlew.ScrapeOptions{Lockdown: true, Partition: "a"}, "Second.\n", "hit"},
		}
		for i, test := range tests {
			doc, err := s.Scrape(t.Context(), "http://a.test/", &test.o)
			if err != nil || *doc.Markdown != test.markdown || doc.Metadata.CacheState != test.state {
				t.Errorf("scrape %d: %+v, %v, want %q and state %q", i, doc, err, test.markdown, test.state)
			}
		}
	})
}
