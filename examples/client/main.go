// SPDX-License-Identifier: Apache-2.0

// Client makes each call of a server with the Go client, and prints a line for each:
//
//	go run ./examples/client -key KEY http://127.0.0.1:3988/
//
// With -engines it also makes the calls that need a model or a search provider.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/curlew/client"
)

func main() {
	base := flag.String("url", "http://127.0.0.1:3002", "`URL` of the server")
	key := flag.String("key", os.Getenv("CURLEW_API_KEY"), "API key")
	engines := flag.Bool("engines", false, "also search, ask and extract")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: client [-url URL] [-key KEY] [-engines] SITE")
		os.Exit(2)
	}
	c := &client.Client{BaseURL: *base, Key: *key}
	site := strings.TrimRight(flag.Arg(0), "/") + "/"
	err := pages(context.Background(), c, site, os.Stdout)
	if err == nil && *engines {
		err = answers(context.Background(), c, site, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// pages makes the calls that need neither a model nor a search provider.
func pages(ctx context.Context, c *client.Client, site string, out io.Writer) error {
	page, err := c.Scrape(ctx, &client.Page{URL: site})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "scrape: %s, status %d\n", page.Metadata.Title, page.Metadata.StatusCode)

	found, err := c.Map(ctx, &client.Map{URL: site, Limit: new(5)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "map: %d URLs\n", len(found.Links))

	n := 0
	for _, err := range c.Crawl(ctx, &client.Crawl{URL: site, Limit: new(20)}) {
		if err != nil {
			return err
		}
		n++
	}
	fmt.Fprintf(out, "crawl: %d pages\n", n)

	file, err := c.Parse(ctx, "birds.csv", strings.NewReader("name,size\ncurlew,55\n"), nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "parse: %s\n", strings.SplitN(file.Markdown, "\n", 2)[0])
	return jobs(ctx, c, site, out)
}

// jobs makes the calls that work with jobs by their ids.
func jobs(ctx context.Context, c *client.Client, site string, out io.Writer) error {
	batch, err := c.StartBatch(ctx, &client.Batch{URLs: []string{site, site + "about"}})
	if err != nil {
		return err
	}
	n := 0
	for _, err := range c.Watch(ctx, client.BatchJob, batch.ID, 0) {
		if err != nil {
			return err
		}
		n++
	}
	failed, err := c.Errors(ctx, client.BatchJob, batch.ID)
	if err != nil {
		return err
	}
	now, err := c.Status(ctx, client.BatchJob, batch.ID, 0, 1)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "batch: %s, %d pages, %d failed\n", now.Status, n, len(failed.Errors))

	crawl, err := c.StartCrawl(ctx, &client.Crawl{URL: site, Limit: new(20), Delay: new(5.0)})
	if err != nil {
		return err
	}
	why, err := c.Explain(ctx, crawl.ID, "https://example.com/")
	if err != nil {
		return err
	}
	if err := c.Cancel(ctx, client.CrawlJob, crawl.ID); err != nil {
		return err
	}
	if now, err = c.Status(ctx, client.CrawlJob, crawl.ID, 0, 1); err != nil {
		return err
	}
	if _, err := c.Errors(ctx, client.CrawlJob, crawl.ID); err != nil {
		return err
	}
	fmt.Fprintf(out, "explain: not crawled because of the rule %s; the crawl is %s\n", why.Decision.Rule, now.Status)

	credits, err := c.Credits(ctx)
	if err != nil {
		return err
	}
	queue, err := c.Queue(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "account: credits left: %t, at most %d pages at a time\n", credits.Remaining > 0, queue.MaxConcurrency)
	return nil
}

// answers makes the calls that need a model or a search provider.
func answers(ctx context.Context, c *client.Client, site string, out io.Writer) error {
	found, err := c.Search(ctx, &client.Search{Query: "waders", Limit: new(2)})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "search: %d hits\n", len(found.Data.Web))

	schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	asked := &client.Agent{Prompt: "What is the site called?", URLs: []string{site}, Schema: schema, StrictConstrainToURLs: new(true)}
	agent, err := c.StartAgent(ctx, asked)
	if err != nil {
		return err
	}
	answer, err := c.WaitAgent(ctx, agent.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "agent: %s %s\n", answer.Status, answer.Data)
	asked.Prompt = "Name the site, slowly." // so that it can be cancelled before it ends
	if agent, err = c.StartAgent(ctx, asked); err != nil {
		return err
	}
	if err := c.CancelAgent(ctx, agent.ID); err != nil {
		return err
	}

	started, err := c.StartExtract(ctx, &client.Extract{URLs: []string{site}, Schema: schema})
	if err != nil {
		return err
	}
	extract, err := c.Extract(ctx, started.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "extract: failed: %t\n", extract.Status == "failed")
	return nil
}
