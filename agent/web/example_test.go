// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/web"
	"example.com/curlew/fetch/fetchtest"
)

// An engine gets its pages from a Fetcher. This example fetches one page
// without an engine from a site in memory.
func Example() {
	network := fetchtest.New(new(testing.T), []byte(`
-- birds.test/ --
<title>Waders</title><nav>Home</nav><main><h1>Waders</h1><p>The curlew is the largest of them all. See the <a href="/list">list</a>.</p></main>
`))
	fetcher := &web.Fetcher{Client: network, UserAgent: "wader/1.0 (+https://example.com/wader)"}
	engine := agent.Engine{Fetch: fetcher} // and set a Model

	page, err := engine.Fetch.Fetch(context.Background(), &agent.Request{
		URL:  "http://birds.test/",
		Gate: func(context.Context, string) error { return nil }, // the engine's own Gate checks the scope of the task
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(page.Main)
	for _, link := range page.Links {
		fmt.Println(link.URL)
	}
	// Output:
	// # Waders
	//
	// The curlew is the largest of them all. See the [list](http://birds.test/list).
	// http://birds.test/list
}
