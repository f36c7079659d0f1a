// SPDX-License-Identifier: Apache-2.0

// Package crawl crawls the pages of a site.
//
// A crawl yields pages as they finish, in a loop. Leaving the loop stops the
// crawl:
//
//	var e crawl.Engine // over net/http, frontier in memory
//	for page, err := range e.Run(ctx, crawl.Config{URL: site, Limit: 500}) {
//		if err != nil {
//			return err // the crawl cannot continue; this is always the last pair
//		}
//		if page.Err != nil {
//			continue // this page failed; the crawl continues
//		}
//		use(page)
//	}
//
// The zero Engine reaches public addresses only. To crawl a site in your own
// network, allow its addresses in the Fetcher:
//
//	e := crawl.Engine{
//		Fetcher:   &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
//		UserAgent: "wader/1.0 (+https://example.com/wader)",
//	}
//
// The defaults are those of the contract: 10,000 pages below the start page's
// path, including those of sitemaps, 8 pages at a time, and robots.txt is
// obeyed. [Config.Limit] counts delivered pages and is exact. With a MaxDepth,
// [Page.Depth] is the least number of hops. If a site does not change, the set
// of pages does not depend on timing or Concurrency.
//
// A crawl with a [Config.State] continues after its process has ended. Package
// [example.com/curlew/crawl/disk] stores the state in a directory.
//
// [scope.Scope] decides which URLs belong to a crawl, without any I/O, and
// [scope.Scope.Explain] gives the reasons. A [frontier.Frontier] contains all
// state: [frontier.NewFrontier] keeps it in memory, and [frontier.OpenFrontier]
// writes it to a log. Jobs use those of [example.com/curlew/job.Space].
// [Config.List] lists a site without fetching its pages.
//
// # Security
//
// Pages, robots.txt and sitemaps are untrusted. The Fetcher limits their size,
// and Concurrency limits the bytes in flight. Links, sitemaps, redirects, waits
// and stored URLs have their own limits. A panic while a page is processed
// fails only that page. The Fetcher decides which addresses may be reached.
// Headers of [Config.Request] are sent only to the host of the start page.
package crawl
