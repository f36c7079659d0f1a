// SPDX-License-Identifier: Apache-2.0

package snippet

import "example.com/curlew/client"

// Statements of the programs in Go. REQUEST stands for the request.
const (
	goScrape = `page, err := c.Scrape(ctx, &REQUEST)
if err != nil {
	log.Fatal(err)
}
fmt.Println(page.Metadata.Title, page.Metadata.StatusCode)`

	goCrawl = `for page, err := range c.Crawl(ctx, &REQUEST) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Metadata.SourceURL)
}`

	goBatch = `job, err := c.StartBatch(ctx, &REQUEST)
if err != nil {
	log.Fatal(err)
}
for page, err := range c.Watch(ctx, client.BatchJob, job.ID, 0) {
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Metadata.SourceURL)
}`

	goSearch = `found, err := c.Search(ctx, &REQUEST)
if err != nil {
	log.Fatal(err)
}
for _, hit := range found.Data.Web {
	fmt.Println(hit.URL, hit.Title)
}`

	goAgent = `job, err := c.StartAgent(ctx, &REQUEST)
if err != nil {
	log.Fatal(err)
}
answer, err := c.WaitAgent(ctx, job.ID)
if err != nil {
	log.Fatal(err)
}
fmt.Println(answer.Status, string(answer.Data))`

	goExtract = `job, err := c.StartExtract(ctx, &REQUEST)
if err != nil {
	log.Fatal(err)
}
for {
	now, err := c.Extract(ctx, job.ID)
	if err != nil {
		log.Fatal(err)
	}
	if now.Status != "processing" {
		fmt.Println(now.Status, string(now.Data))
		return
	}
	time.Sleep(time.Second)
}`
)

// batchMembers are the options of a batch that are not options for its pages.
var batchMembers = []string{"webhook", "appendToId", "ignoreInvalidURLs", "maxConcurrency", "zeroDataRetention", "integration"}

// kinds describes the calls. The members that the JavaScript client sends were read in its
// version 4.42.0.
var kinds = map[Call]kind{
	Scrape: {
		path: "/v2/scrape", request: client.Page{}, golang: goScrape,
		method: "scrape", first: "url", print: "result.metadata.title, result.metadata.statusCode",
	},
	Crawl: {
		path: "/v2/crawl", request: client.Crawl{}, golang: goCrawl,
		method: "crawl", first: "url", print: "result.status, result.data.length",
		sends: []string{
			"prompt", "excludePaths", "includePaths", "maxDiscoveryDepth", "sitemap", "robotsUserAgent", "ignoreQueryParameters", "deduplicateSimilarURLs", "limit",
			"crawlEntireDomain", "allowExternalLinks", "allowSubdomains", "delay", "maxConcurrency", "regexOnFullURL", "webhook", "integration", "scrapeOptions", "zeroDataRetention",
		},
	},
	Batch: {
		path: "/v2/batch/scrape", request: client.Batch{}, golang: goBatch,
		method: "batchScrape", first: "urls", print: "result.status, result.data.length",
	},
	Search: {
		path: "/v2/search", request: client.Search{}, golang: goSearch,
		method: "search", first: "query", print: "result",
		sends: []string{
			"sources", "categories", "includeDomains", "excludeDomains", "limit", "tbs", "location", "country", "ignoreInvalidURLs", "timeout", "highlights", "integration",
			"enterprise", "threatProtection", "scrapeOptions",
		},
	},
	Agent: {
		path: "/v2/agent", request: client.Agent{}, golang: goAgent,
		method: "agent", print: "result.status, result.data",
		sends: []string{
			"urls", "prompt", "schema", "integration", "maxCredits", "strictConstrainToURLs", "model", "webhook", "threatProtection", "auditMetadata", "threadId",
		},
	},
	Extract: {
		path: "/v2/extract", request: client.Extract{}, golang: goExtract,
		method: "extract", print: "result.status, result.data",
		sends: []string{
			"urls", "prompt", "schema", "systemPrompt", "allowExternalLinks", "enableWebSearch", "showSources", "ignoreInvalidURLs", "integration", "webhook",
			"threatProtection", "scrapeOptions",
		},
	},
}
