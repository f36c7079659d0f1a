// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// TestSpec stores options and reads them again. An empty list must stay
// different from nil, and a missing schema must stay missing.
func TestSpec(t *testing.T) {
	selector, err := format.ParseSelector("main > p:not(.ad)")
	if err != nil {
		t.Fatal(err)
	}
	pages := []*curlew.ScrapeOptions{
		{},
		{ParseOptions: curlew.ParseOptions{Format: format.Options{Forms: []format.Form{}}}},
		{
			ParseOptions: curlew.ParseOptions{
				Format: format.Options{
					Forms: []format.Form{format.Markdown, format.JSONForm}, WholePage: true, Clean: true,
					Include: []format.Selector{selector}, Exclude: []format.Selector{selector, {}},
					KeepAds: true, KeepDataImages: true, Markdown: markdown.Options{Links: markdown.LinksCitation, FrontMatter: map[string]string{"a": "b"}},
					Attributes: []format.Attribute{{Selector: "a", Attribute: "href"}}, Query: "q", Question: "?", Quotes: true,
					JSON:    format.Extraction{Schema: json.RawMessage(`{"type":"object"}`), Prompt: "p", Deterministic: true},
					Changes: format.Changes{GitDiff: true, JSON: true, Schema: json.RawMessage(`{}`), Tag: "t"},
					Redact:  &format.Redact{Mode: format.RedactFast, Entities: []format.Entity{format.EntityEmail}, Style: format.ReplaceMask},
					Pages:   true, Blocks: true, PageMarkers: true,
				},
				Read:   parse.Options{Kind: parse.PDF, PDF: parse.PDFOptions{Mode: parse.Fast, MaxPages: 3}},
				RawPDF: true,
			},
			Header: http.Header{"X-A": {"b"}}, Timeout: time.Second, InsecureTLS: true,
			MaxAge: time.Hour, MinAge: time.Minute, Lockdown: true, NoStore: true, Notes: []string{"n"},
		},
	}
	depth := 0
	crawls := &curlew.CrawlOptions{
		Include: []string{"a"}, Exclude: []string{"b"}, FullURL: true, MaxDepth: &depth, Sitemap: crawl.SitemapOnly, EntireDomain: true,
		Subdomains: true, External: true, IgnoreQuery: true, KeepSimilar: true, Robots: crawl.RobotsIgnore, RobotsAgent: "r", Delay: time.Second,
	}
	agents := &curlew.AgentOptions{Prompt: "p", URLs: []string{"http://a.test/"}, Strict: true, Schema: json.RawMessage(`{}`), Model: "m"}
	same := gocmp.Options{
		gocmp.Comparer(func(a, b format.Selector) bool { return a.String() == b.String() }),
		cmpopts.IgnoreUnexported(curlew.ScrapeOptions{}, curlew.ParseOptions{}),
	}
	for _, page := range pages {
		c, p, a, err := curlew.StoreSpec(crawls, page, agents)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(page, p, same); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(crawls, c); diff != "" {
			t.Errorf("crawl (-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(agents, a); diff != "" {
			t.Errorf("agent (-want +got):\n%s", diff)
		}
	}
}

// TestSpecVersion checks that a specification of an unknown version is refused.
func TestSpecVersion(t *testing.T) {
	for raw, ok := range map[string]bool{`{"Version":1}`: true, `{}`: false, `{"Version":2}`: false, `{"Request":{"url":"a.test"}}`: false, `{`: false, ``: false} {
		if err := curlew.ReadSpec(raw); (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", raw, err, ok)
		}
	}
}
