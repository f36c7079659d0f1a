// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/curlew"
	"example.com/curlew/account"
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
	urls, err := service.Map(context.Background(), "http://site.test/", &curlew.MapOptions{Robots: crawl.RobotsLenient})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(urls, "\n"))
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

// The contract over HTTP, for one team with one key.
func ExampleNewHandler() {
	handler, err := curlew.NewHandler(&curlew.Service{Fetcher: web}, curlew.Options{
		Authenticator: curlew.StaticKeys(map[string]account.Team{
			"fc-secret": {ID: "us", Policy: account.Policy{Rates: account.Rates{Scrape: 60}}},
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v2/", handler)

	r := httptest.NewRequestWithContext(context.Background(), "POST", "/v2/scrape", strings.NewReader(`{"url":"site.test/more"}`))
	r.Header.Set("Authorization", "Bearer fc-secret")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	answer, _, _ := strings.Cut(w.Body.String(), `,"metadata"`)
	fmt.Println(w.Code, answer)
	// Output:
	// 200 {"success":true,"data":{"markdown":"That is all.\n"
}

// Two teams share a server: one may spend 100 credits, the other has no bound.
func ExampleLedger() {
	ledger := &account.Ledger{Plan: map[string]int{"trial": 100}}
	service := &curlew.Service{Fetcher: web, Credits: ledger}
	handler, err := curlew.NewHandler(service, curlew.Options{
		Authenticator: curlew.StaticKeys(map[string]account.Team{"fc-a": {ID: "trial"}, "fc-b": {ID: "us"}}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"fc-a", "fc-b"} {
		r := httptest.NewRequestWithContext(context.Background(), "POST", "/v2/scrape", strings.NewReader(`{"url":"site.test"}`))
		r.Header.Set("Authorization", "Bearer "+key)
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, team := range []string{"trial", "us"} {
		balance, _ := ledger.Balance(context.Background(), team)
		fmt.Printf("%s: spent %d, left %d\n", team, balance.Spent, balance.Left)
	}
	// Output:
	// trial: spent 1, left 99
	// us: spent 1, left -1
}
