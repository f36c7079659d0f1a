// SPDX-License-Identifier: Apache-2.0

// Package curlew crawls sites, scrapes pages, parses documents and asks agents, for
// a program or for the teams of a server.
//
// [Service] composes the engines: fetch, threat, parse and format in a row make a
// [Service.Scrape]. [Service.StartCrawl], [Service.StartBatch] and
// [Service.StartAgent] start jobs, which run under an id and, over a durable
// Store, continue in the next process:
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
// Only public addresses are dialled unless the Service's Fetcher opens others; no
// request can.
package curlew
