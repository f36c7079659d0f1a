// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/disk"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch/fetchtest"
)

// site replaces the network.
func site() *fetchtest.Site {
	return fetchtest.New(new(testing.T), []byte(`
-- wader.test/ --
<a href="/curlew">Curlew</a> <a href="/private">Members</a> <a href="http://other.test/">Elsewhere</a>
-- wader.test/robots.txt --
User-agent: *
Disallow: /private
-- wader.test/curlew --
<title>The curlew</title>
`))
}

func Example() {
	e := crawl.Engine{Fetcher: site()} // the zero Engine crawls over the network
	for page, err := range e.Run(context.Background(), crawl.Config{URL: "http://wader.test/", Limit: 500}) {
		if err != nil {
			fmt.Println(err) // the crawl cannot continue
			return
		}
		fmt.Println(page.Depth, page.Status, page.URL)
	}
	// Output:
	// 0 200 http://wader.test/
	// 1 200 http://wader.test/curlew
}

// Continue a crawl with a directory where it stopped, in this process or the
// next one.
func ExampleConfig_state() {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for run := 1; run <= 3; run++ {
		e := crawl.Engine{Fetcher: site()}
		for page, err := range e.Run(context.Background(), crawl.Config{URL: "http://wader.test/", State: disk.Dir(dir)}) {
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println("run", run, page.URL)
			if run == 1 && page.Depth == 1 {
				break // or kill -9: this page was not done
			}
		}
	}
	// Output:
	// run 1 http://wader.test/
	// run 1 http://wader.test/curlew
	// run 2 http://wader.test/curlew
}

// Decide which URLs belong to a crawl, without a crawl.
func ExampleScope_Decide() {
	site, err := crawl.Config{URL: "http://wader.test/docs/"}.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /docs/draft")).Agent("curlew")
	page := scope.Ref{URL: "http://wader.test/docs/"}
	for _, ref := range []string{"chapter-1", "/shop", "http://other.test/", "draft-2", "cover.png"} {
		d := site.Decide(page, ref, rules)
		fmt.Printf("%s %v %q\n", d.URL, d.Follow, d.Rule.String()+" "+d.Value)
	}
	// Output:
	// http://wader.test/docs/chapter-1 true " "
	// http://wader.test/shop false "backward /docs/"
	// http://other.test/ false "external other.test"
	// http://wader.test/docs/draft-2 false "robots 2: /docs/draft"
	// http://wader.test/docs/cover.png false "file-type png"
}

// Explain all steps of a decision. The robots.txt can come from anywhere.
func ExampleScope_Explain() {
	site, err := crawl.Config{URL: "http://wader.test/docs/", Exclude: []string{"draft"}}.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	body := []byte("User-agent: *\nDisallow: /docs/*.old$")
	rules := site.Rules(scope.NewRobotsFile("http://wader.test/robots.txt", 200, body), "curlew/1.0")
	for _, step := range site.Explain(scope.Ref{URL: "http://wader.test/docs/"}, "a.old", rules) {
		if step.Value != "" || !step.Follow {
			fmt.Println(step.Rule, step.Follow, step.Value)
		}
	}
	// Output:
	// file-type true old
	// external true wader.test
	// social true wader.test
	// backward true /docs/
	// robots false 2: /docs/*.old$
}

// List a site without fetching its pages.
func ExampleConfig_list() {
	e := crawl.Engine{Fetcher: site()}
	for page, err := range e.Run(context.Background(), crawl.Config{URL: "http://wader.test/", List: true, External: true}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(page.URL)
	}
	// Output:
	// http://wader.test/
	// http://wader.test/curlew
	// http://other.test/
}

// Read live counters at any time.
func ExampleTrace() {
	var stats func() frontier.Stats
	e := crawl.Engine{Fetcher: site(), Trace: &crawl.Trace{
		Started: func(s func() frontier.Stats) { stats = s },
	}}
	const limit = 10
	for range e.Run(context.Background(), crawl.Config{URL: "http://wader.test/", Limit: limit}) {
		s := stats()
		fmt.Printf("%d of %d\n", s.Delivered, s.Total(limit))
	}
	s := stats()
	fmt.Printf("%d pages, %d kept out by robots.txt\n", s.Delivered, s.Blocked)
	// Output:
	// 0 of 1
	// 1 of 2
	// 2 pages, 1 kept out by robots.txt
}
