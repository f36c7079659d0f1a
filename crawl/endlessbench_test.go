// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/test/webtest"
)

// BenchmarkEndless compares the cost of a crawl with and without the detection
// of endless spaces. The sites are a shop, a forum whose URLs have queries, and
// a gallery, for most of whose pages a sketch is computed.
func BenchmarkEndless(b *testing.B) {
	for name, site := range map[string]webtest.Web{"shop": webtest.Catalogue(20, 20), "forum": webtest.Forum(12, 40), "gallery": webtest.Gallery(400)} {
		cached := map[string]string{}
		for mode, traps := range map[string]crawl.Traps{"on": {}, "off": {Chain: crawl.Unlimited, Void: crawl.Unlimited}} {
			b.Run(name+"/"+mode, func(b *testing.B) {
				pages := 0
				for b.Loop() {
					e := crawl.Engine{Fetcher: answer(func(path string) string {
						html, ok := cached[path]
						if !ok {
							html = site(path)
							cached[path] = html
						}
						return html
					})}
					pages = 0
					for p, err := range e.Run(b.Context(), crawl.Config{URL: "http://a.test/", Sitemap: crawl.SitemapSkip, Concurrency: 1, Traps: traps}) {
						if err != nil || p.Err != nil {
							b.Fatal(err, p.Err)
						}
						pages++
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*pages), "µs/page")
			})
		}
	}
}
