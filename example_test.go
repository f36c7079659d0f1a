// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/job"
)

// web stands for the real one: a Service without a Fetcher goes out to that.
var web = fakeWeb{
	"http://site.test/":      `<title>Site</title><h1>Hello</h1><p>See the <a href="/more">rest</a>.</p>`,
	"http://site.test/more":  `<title>More</title><p>That is all.</p>`,
	"http://site.test/%7Eme": ``,
}

// One page as Markdown.
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

// The URLs of a site, found by its start page and sitemaps.
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

// A crawl that goes on in the next process, because its job is kept in a
// directory.
func ExampleService_StartCrawl() {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	process := func(work func(service *curlew.Service)) {
		store, err := job.OpenFiles(dir, nil)
		if err != nil {
			log.Fatal(err)
		}
		defer store.Close()
		service := &curlew.Service{Fetcher: web, Store: store}
		if err := service.Resume(ctx); err != nil {
			log.Fatal(err)
		}
		work(service)
		if err := service.Shutdown(ctx); err != nil {
			log.Fatal(err)
		}
	}
	var id string
	process(func(service *curlew.Service) {
		started, err := service.StartCrawl(ctx, &curlew.CrawlRequest{URL: "http://site.test/", Limit: 2})
		if err != nil {
			log.Fatal(err)
		}
		id = started.ID()
	})
	process(func(service *curlew.Service) {
		crawled, err := service.Job(ctx, "", id)
		if err != nil {
			log.Fatal(err)
		}
		for doc, err := range crawled.Watch(ctx, 0) {
			fmt.Println(doc.Metadata.Title, err)
		}
	})
	// Output:
	// Site <nil>
	// More <nil>
}

// A crawl whose pages are shown as they come.
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
