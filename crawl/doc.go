// SPDX-License-Identifier: Apache-2.0

// Package crawl walks a site: site -> pages.
//
// It yields pages as they finish, in a loop that stops the crawl when it is
// left:
//
//	var e crawl.Engine // over net/http, frontier in memory
//	for page, err := range e.Run(ctx, crawl.Config{URL: site, Limit: 500}) {
//		if err != nil {
//			return err // the walk cannot go on; always the last pair
//		}
//		if page.Err != nil {
//			continue // this page failed, the walk goes on
//		}
//		use(page)
//	}
//
// The zero Engine reaches public addresses alone; a site of your own network is
// opened by its Fetcher:
//
//	e := crawl.Engine{
//		Fetcher:   &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
//		UserAgent: "wader/1.0 (+https://example.com/wader)",
//	}
//
// The defaults are those of the contract: 10,000 pages below the start page's
// path, sitemaps included, robots.txt obeyed, 8 pages at a time. [Config.Limit]
// counts delivered pages and is exact, [Page.Depth] with a MaxDepth is the least
// number of hops, and on a site that does not change the set of pages depends
// on neither timing nor Concurrency.
//
// A crawl with a [Config.State] goes on where it was after its process has ended:
// package [example.com/curlew/crawl/disk] keeps it in a directory.
//
// [scope.Scope] decides what belongs to a crawl, as a pure function; [scope.Scope.Explain]
// says why. A [frontier.Frontier] holds all state: [frontier.NewFrontier]
// in memory, [frontier.OpenFrontier] over a log; those of
// [example.com/curlew/job.Space] belong to jobs. [Config.List] lists a site without fetching it.
//
// # Security
//
// Pages, robots.txt and sitemaps are foreign. Their size is bounded by the
// Fetcher, the bytes in flight by Concurrency; links, sitemaps, redirects,
// waits and URLs held have bounds of their own; what panics on one page fails
// that page. Which addresses may be reached is the Fetcher's to say. Headers of
// [Config.Request] go to the start page's host alone.
package crawl
