// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/job"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
	"example.com/curlew/webhook"
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

// TestRequestValues checks that a value out of range is refused before the job starts, and
// that the error names its field. A job that fails later would not tell its caller why.
func TestRequestValues(t *testing.T) {
	service := &curlew.Service{Fetcher: fakeWeb{}, Agent: &agent.Engine{Model: namer{}}}
	page := func(o curlew.ScrapeOptions) *curlew.ScrapeOptions { return &o }
	forms := curlew.ParseOptions{Format: format.Options{Forms: []format.Form{"nope"}}}
	chunks := curlew.ParseOptions{Format: format.Options{Forms: []format.Form{format.ChunksForm}, Chunks: format.Chunking{Size: 1}}}
	for _, c := range []struct {
		field string
		crawl curlew.CrawlRequest
		page  *curlew.ScrapeOptions // if set, a batch must refuse it too
	}{
		{field: "Limit", crawl: curlew.CrawlRequest{Limit: curlew.Unlimited}},
		{field: "Concurrency", crawl: curlew.CrawlRequest{Concurrency: -1}},
		{field: "Keep", crawl: curlew.CrawlRequest{Keep: -1}},
		{field: "MaxDepth", crawl: curlew.CrawlRequest{CrawlOptions: curlew.CrawlOptions{MaxDepth: new(-1)}}},
		{field: "Delay", crawl: curlew.CrawlRequest{CrawlOptions: curlew.CrawlOptions{Delay: -time.Second}}},
		{field: "Sitemap", crawl: curlew.CrawlRequest{CrawlOptions: curlew.CrawlOptions{Sitemap: 77}}},
		{field: "Robots", crawl: curlew.CrawlRequest{CrawlOptions: curlew.CrawlOptions{Robots: 77}}},
		{field: "Memo", crawl: curlew.CrawlRequest{Start: curlew.Start{Memo: json.RawMessage("{")}}},
		{field: "Webhook.URL", crawl: curlew.CrawlRequest{Start: curlew.Start{Webhook: &webhook.Hook{URL: "ftp://hook.test/"}}}},
		{field: "Webhook.Events[1]", crawl: curlew.CrawlRequest{Start: curlew.Start{Webhook: &webhook.Hook{URL: "https://hook.test/", Events: []string{"page", "action"}}}}},
		{field: "Page.Timeout", page: page(curlew.ScrapeOptions{Timeout: -time.Second})},
		{field: "Page.MaxAge", page: page(curlew.ScrapeOptions{MaxAge: -1})},
		{field: "Page.MinAge", page: page(curlew.ScrapeOptions{MinAge: -1})},
		{field: "Page.Format", page: page(curlew.ScrapeOptions{ParseOptions: forms})},
		{field: "Page.Format", page: page(curlew.ScrapeOptions{ParseOptions: chunks})},
	} {
		refused := func(_ *curlew.Job, err error) {
			t.Helper()
			if e, ok := errors.AsType[*curlew.Error](err); !ok || e.Field != c.field || !errors.Is(err, curlew.ErrRequest) {
				t.Errorf("%s: %v", c.field, err)
			}
		}
		c.crawl.URL = "http://a.test/"
		if c.page != nil {
			c.crawl.Page = *c.page
			refused(service.StartBatch(t.Context(), &curlew.BatchRequest{URLs: []string{"http://a.test/"}, Page: *c.page}))
		}
		refused(service.StartCrawl(t.Context(), &c.crawl))
	}
	for field, r := range map[string]curlew.AgentRequest{
		"Credits":      {Credits: -1, AgentOptions: curlew.AgentOptions{Prompt: "Who?"}},
		"AgentOptions": {},
	} {
		_, err := service.StartAgent(t.Context(), &r)
		if e, ok := errors.AsType[*curlew.Error](err); !ok || e.Field != field || !errors.Is(err, curlew.ErrRequest) {
			t.Errorf("%s: %v", field, err)
		}
	}
	modelless := &curlew.Service{Agent: new(agent.Engine)}
	if _, err := modelless.StartAgent(t.Context(), &curlew.AgentRequest{AgentOptions: curlew.AgentOptions{Prompt: "Who?"}}); !errors.Is(err, curlew.ErrEngine) || strings.Contains(err.Error(), "\n") {
		t.Errorf("an agent without a model: %v", err)
	}
	for j, err := range service.Jobs(t.Context(), "", job.Filter{}) {
		t.Errorf("%v was started, %v", j.Kind(), err)
	}
	for _, err := range service.Jobs(t.Context(), "", job.Filter{Kind: "crawll"}) {
		if !errors.Is(err, curlew.ErrRequest) {
			t.Errorf("jobs of an unknown kind: %v", err)
		}
	}
}
