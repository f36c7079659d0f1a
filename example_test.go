// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/job"
)

// web replaces the Internet. A Service without a Fetcher fetches real pages.
var web = fakeWeb{
	"http://site.test/":           `<title>Site</title><h1>Hello</h1><p>See the <a href="/more">rest</a>.</p>`,
	"http://site.test/more":       `<title>More</title><p>That is all.</p>`,
	"http://site.test/robots.txt": ``,
	"http://site.test/acme":       `<title>Acme</title><main><p>Name: Acme</p><p>The company has sold anvils to coyotes for many years, all of them by post.</p></main>`,
	"http://site.test/%7Eme":      ``,
}

// process runs one process of a program that embeds curlew and keeps its jobs
// in dir.
func process(dir string, work func(ctx context.Context, service *curlew.Service) error) {
	ctx := context.Background()
	store, err := job.OpenFiles(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	service := &curlew.Service{Fetcher: web, Store: store, Agent: &agent.Engine{Model: namer{}}}
	defer service.Shutdown(ctx)
	if err := service.Resume(ctx); err != nil {
		log.Fatal(err)
	}
	if err := work(ctx, service); err != nil {
		log.Fatal(err)
	}
}

// Scrape one page as Markdown.
func ExampleService_Scrape() {
	service := curlew.Service{Fetcher: web}
	doc, err := service.Scrape(context.Background(), "http://site.test/", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Metadata.Title)
	fmt.Print(*doc.Markdown)
	// Output:
	// Site
	// # Hello
	//
	// See the [rest](http://site.test/more).
}

// Find the URLs of a site by its start page and its sitemaps.
func ExampleService_Map() {
	service := curlew.Service{Fetcher: web}
	site, err := service.Map(context.Background(), "http://site.test/", &curlew.MapOptions{Robots: crawl.RobotsLenient})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(site.URLs, "\n"))
	// Output:
	// http://site.test/
	// http://site.test/more
}

// Start a crawl whose job is stored in a directory. The next process continues
// it and reads its pages.
func ExampleService_StartCrawl() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var id string
	process(dir, func(ctx context.Context, service *curlew.Service) error {
		crawl, err := service.StartCrawl(ctx, &curlew.CrawlRequest{URL: "http://site.test/", Limit: 2})
		if err == nil {
			id = crawl.ID() // the process ends here, when the crawl has just begun
		}
		return err
	})
	process(dir, func(ctx context.Context, service *curlew.Service) error {
		crawl, err := service.Job(ctx, "", id)
		if err != nil {
			return err
		}
		for doc, err := range crawl.Watch(ctx, 0) {
			if err != nil {
				return err
			}
			fmt.Println(doc.Metadata.Title)
		}
		return nil
	})
	// Output:
	// Site
	// More
}

// Start a batch of pages. A start with the same key returns the same batch,
// also in another process.
func ExampleService_StartBatch() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		process(dir, func(ctx context.Context, service *curlew.Service) error {
			batch, err := service.StartBatch(ctx, &curlew.BatchRequest{
				Start: curlew.Start{Idempotency: curlew.Idempotency{Key: "monday"}},
				URLs:  []string{"http://site.test/more", "http://site.test/none"},
			})
			if err != nil {
				return err
			}
			_, repeated := batch.Repeated()
			status, err := batch.Wait(ctx)
			fmt.Println(repeated, status.State, status.Delivered, status.Credits)
			return err
		})
	}
	// Output:
	// false completed 1 1
	// true completed 1 1
}

// Start an agent that answers a question as a job. The next process reads its
// answer.
func ExampleService_StartAgent() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var id string
	process(dir, func(ctx context.Context, service *curlew.Service) error {
		question := curlew.AgentOptions{
			Prompt: "What is the name of the company?", URLs: []string{"http://site.test/acme"},
			Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
		}
		run, err := service.StartAgent(ctx, &curlew.AgentRequest{AgentOptions: question, Credits: 100})
		if err != nil {
			return err
		}
		id = run.ID()
		_, err = run.Wait(ctx)
		return err
	})
	process(dir, func(ctx context.Context, service *curlew.Service) error {
		run, err := service.Job(ctx, "", id)
		if err != nil {
			return err
		}
		answer, err := run.Agent().Answer(ctx)
		if err == nil && answer != nil {
			fmt.Println(string(answer.Data), answer.Sources[0].URL)
		}
		return err
	})
	// Output:
	// {"name":"Acme"} http://site.test/acme
}

// Show the pages of a crawl as they arrive.
func ExampleService_Document() {
	service := curlew.Service{Fetcher: web}
	engine := crawl.Engine{Fetcher: web}
	config := crawl.Config{URL: "http://site.test/", Sitemap: crawl.SitemapSkip, Robots: crawl.RobotsLenient}
	for page, err := range engine.Run(context.Background(), config) {
		if err != nil {
			fmt.Println(err)
			return
		}
		doc, err := service.Document(context.Background(), page, &curlew.ParseOptions{Format: format.Options{Forms: []format.Form{format.Links}}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(doc.Metadata.Title, len(doc.Links))
	}
	// Output:
	// Site 1
	// More 0
}
