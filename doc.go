// SPDX-License-Identifier: Apache-2.0

// Package curlew crawls sites, scrapes pages, parses documents and asks agents, for
// a program or for the teams of a server.
//
// [Service] composes the engines. [Service.Scrape] uses threat, fetch, parse and
// format in this order. [Service.StartCrawl], [Service.StartBatch] and
// [Service.StartAgent] start jobs. A job has an ID. With a durable Store, it continues
// in the next process:
//
//	service := curlew.Service{Store: store}
//	if err := service.Resume(ctx); err != nil {
//		...
//	}
//	job, err := service.StartCrawl(ctx, &curlew.CrawlRequest{URL: "example.com"})
//	...
//	for doc, err := range job.Watch(ctx, 0) {
//		...
//	}
//
// A [Caller] says on whose behalf work is done. The policy of its team applies, and the
// credits of the team pay. Package [example.com/curlew/httpapi] serves the v2 web-data
// contract over a Service.
//
// A program that needs one engine imports only its package: [example.com/curlew/crawl]
// crawls sites, [example.com/curlew/parse] reads documents, [example.com/curlew/fetch]
// fetches pages.
//
// # Security
//
// Only public addresses are dialed, unless the Service's Fetcher allows others. A
// request cannot allow them.
package curlew
