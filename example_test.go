// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
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
