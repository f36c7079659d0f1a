// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

const demoSite = "../examples/internal/demo/site.txtar"

// demoPage is what the reference knows of one URL, by its own reading.
type demoPage struct {
	status int
	to     string // of a redirect
	links  []string
}

// read answers a URL of the site without the engine's code.
func readDemo(site *fetchtest.Site) func(u string) *demoPage {
	pages := map[string]*demoPage{}
	for _, p := range site.Pages() {
		if pages[p.URL] != nil || p.Fault != "" {
			continue
		}
		d := &demoPage{status: p.Status}
		base, _ := url.Parse(p.URL)
		if l := p.Header.Get("Location"); l != "" && p.Status/100 == 3 {
			to, _ := base.Parse(l)
			d.to = to.String()
		}
		if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
			d.links = hrefs(base, string(p.Body))
		}
		pages[p.URL] = d
	}
	return func(u string) *demoPage {
		u, _, _ = strings.Cut(u, "#")
		if p := pages[u]; p != nil {
			return p
		}
		return &demoPage{status: 404}
	}
}

func hrefs(base *url.URL, body string) (list []string) {
	root, _ := html.Parse(strings.NewReader(body))
	for n := range root.Descendants() {
		attr := map[string]string{"a": "href", "area": "href", "iframe": "src", "link": "href"}[n.Data]
		if n.Type != html.ElementNode || attr == "" {
			continue
		}
		var ref, rel string
		for _, a := range n.Attr {
			switch a.Key {
			case attr:
				ref = a.Val
			case "rel":
				rel = a.Val
			}
		}
		if n.Data == "link" && rel != "next" && rel != "prev" || ref == "" && attr == "href" && n.Data == "link" {
			continue
		}
		if u, err := base.Parse(strings.TrimSpace(ref)); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			list = append(list, u.String())
		}
	}
	return list
}

var (
	_ = fmt.Sprint
	_ = path.Ext
	_ = maps.Keys[map[string]int]
	_ = slices.Sort[[]string]
	_ = cmp.Diff
	_ = time.Second
	_ fetch.Fetcher
)

// TestDemoOnce shows what a plain crawl of the demo site gives.
func TestDemoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Open(t, demoSite)
		got := gather(t, site, crawl.Config{URL: "http://demo.test/", Subdomains: true, EntireDomain: true, External: true})
		t.Logf("%d delivered, %d failed, %d blocked %+v", len(got.delivered), len(got.failed), len(got.blocked), got.stats)
		t.Log(slices.Sorted(maps.Keys(got.failed)))
		t.Log(slices.Sorted(maps.Keys(got.blocked)))
		_ = readDemo
	})
}
