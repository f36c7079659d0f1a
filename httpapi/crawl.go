// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	crawlscope "example.com/curlew/crawl/scope"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// startCrawl serves POST /v2/crawl.
func startCrawl(h *Handler, c *call) error {
	if err := h.service.Admit(c.ctx(), c.caller(nil, nil)); err != nil {
		return err
	}
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeCrawl(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	check.url(req.URL, "url")
	check.patterns(req)
	r := &curlew.CrawlRequest{URL: req.URL, Page: check.page(req.Scrape, "scrapeOptions")}
	check.cached(&r.Page, "scrapeOptions")
	r.Webhook = check.webhook(req.Webhook, curlew.KindCrawl)
	if req.Scrape != nil {
		r.Threat = check.override(req.Scrape.Threat, "scrapeOptions", "threatProtection")
	}
	if err := check.err(); err != nil {
		return err
	}
	if err := check.actions(req.Scrape); err != nil {
		return err
	}
	if r.Idempotency, err = c.idempotency(body); err != nil {
		return err
	}
	return createCrawl(h, c, req, r)
}

// createCrawl starts a crawl and answers.
func createCrawl(h *Handler, c *call, req *wire.Crawl, r *curlew.CrawlRequest) error {
	if req.Scrape == nil {
		req.Scrape = new(wire.Scrape)
	}
	r.Page.Files = h.files(c)
	r.Caller = *c.caller(req.Scrape.Audit, &req.Source)
	r.Warnings = verifyTLS(&c.team.Policy, req.Scrape)
	r.ZeroRetention = value(req.ZeroDataRetention, false)
	r.CrawlOptions, r.Limit = crawlOptions(req), value(req.Limit, 0)
	r.Concurrency = value(req.MaxConcurrency, 0)
	r.Since, r.Prompt = value(req.Since, ""), value(req.Prompt, "")
	r.Keep = time.Duration(value(req.RetainHours, 0)) * time.Hour
	r.Archive = value(req.WARC, false)
	answer := wire.Started{Success: true}
	r.Merge = func(r *curlew.CrawlRequest, plan *agent.CrawlPlan) (err error) {
		final, err := planned(req, plan)
		if err != nil {
			return err
		}
		r.CrawlOptions, r.Limit = crawlOptions(final), value(final.Limit, 0)
		answer.PromptGeneratedOptions = plan.Options
		if answer.FinalCrawlerOptions, err = final.Options(); err != nil {
			return err
		}
		if err := c.keep(&r.Idempotency, answer); err != nil {
			return err
		}
		r.Memo, err = memo{}.encode(final)
		return err
	}
	if err := c.keep(&r.Idempotency, answer); err != nil {
		return err
	}
	var err error
	if r.Memo, err = (memo{}).encode(req); err != nil {
		return err
	}
	j, err := h.service.StartCrawl(c.ctx(), r)
	if err != nil {
		return err
	}
	return c.started(j, answer)
}

// planned adds the options of a plan to a request. Options in the request take
// precedence.
func planned(req *wire.Crawl, plan *agent.CrawlPlan) (*wire.Crawl, error) {
	own, err := jsonenc.Encode(req)
	if err != nil {
		return nil, err
	}
	merged, err := mergeOptions(own, plan.Options)
	if err != nil {
		return nil, err
	}
	return wire.DecodeCrawl(merged, wire.Options{Lenient: true})
}

// mergeOptions returns the members of own, and those of more that own lacks.
func mergeOptions(own, more json.RawMessage) ([]byte, error) {
	var o, m map[string]json.RawMessage
	if err := json.Unmarshal(own, &o); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(more, &m); err != nil {
		return nil, fmt.Errorf("plan is not an object: %w", err)
	}
	for name, v := range m {
		if _, ok := o[name]; !ok {
			o[name] = v
		}
	}
	return json.Marshal(o)
}

// previewCrawl serves POST /v2/crawl/params-preview, which plans a crawl and does not start it.
func previewCrawl(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodePreview(body)
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	start := check.url(req.URL, "url")
	if len(check.faults) > 0 {
		return refuse(curlew.ErrRequest, "Invalid request parameters: "+check.faults[0].Message)
	}
	plan, err := h.service.PlanCrawl(c.ctx(), c.caller(nil, nil), start.String(), req.Prompt)
	if err != nil {
		return err
	}
	url, err := jsonenc.Encode(map[string]string{"url": start.String()})
	if err != nil {
		return err
	}
	data, err := mergeOptions(url, plan.Options)
	if err != nil {
		return err
	}
	answer := wire.Previewed{Success: true, Data: data}
	if len(plan.Warnings) > 0 {
		answer.Warning = strings.Join(plan.Warnings, ". ") + "."
	}
	return c.answer(200, answer)
}

// activeCrawls serves GET /v2/crawl/active.
func activeCrawls(h *Handler, c *call) error {
	answer := wire.Active{Success: true, Crawls: []wire.ActiveCrawl{}}
	for j, err := range h.service.Jobs(c.ctx(), c.team.ID, job.Filter{Kind: curlew.KindCrawl, State: job.Running}) {
		if err != nil {
			return err
		}
		options, err := listedOptions(j)
		if err != nil { // one damaged job does not hide the others
			h.logger().WarnContext(c.ctx(), "a crawl is listed without its options", "job", j.ID(), "err", err)
			options = json.RawMessage("{}")
		}
		answer.Crawls = append(answer.Crawls, wire.ActiveCrawl{
			ID: j.ID(), TeamID: c.team.ID, URL: j.URL(), CreatedAt: jsonenc.Time(j.Created()), Options: options,
		})
	}
	return c.answer(200, answer)
}

// listedOptions returns the options of a crawl as its client wrote them.
func listedOptions(j *curlew.Job) (json.RawMessage, error) {
	m, err := readMemo(j)
	if err != nil {
		return nil, err
	}
	req, err := wire.DecodeCrawl(m.Request, wire.Options{Lenient: true})
	if err != nil {
		return nil, err
	}
	return req.Options()
}

// crawlOptions resolves the options of a request.
func crawlOptions(req *wire.Crawl) curlew.CrawlOptions {
	o := curlew.CrawlOptions{
		Include:      patterns(req.IncludePaths),
		Exclude:      patterns(req.ExcludePaths),
		FullURL:      value(req.RegexOnFullURL, false),
		MaxDepth:     req.MaxDiscoveryDepth,
		Sitemap:      sitemapMode(req.Sitemap),
		EntireDomain: value(req.CrawlEntireDomain, false),
		Subdomains:   value(req.AllowSubdomains, false),
		External:     value(req.AllowExternalLinks, false),
		IgnoreQuery:  value(req.IgnoreQueryParameters, false),
		KeepSimilar:  !value(req.DeduplicateSimilarURLs, true),
		RobotsAgent:  value(req.RobotsUserAgent, ""),
		Delay:        time.Duration(value(req.Delay, 0) * float64(time.Second)),
	}
	if value(req.IgnoreRobotsTxt, false) {
		o.Robots = crawl.RobotsIgnore
	}
	return o
}

// patterns reports patterns that wire accepts but the engine does not.
func (c *checker) patterns(req *wire.Crawl) {
	if len(c.faults) > 0 {
		return // perhaps that of the pattern
	}
	config := crawl.Config{URL: "http://any.test/", Include: patterns(req.IncludePaths), Exclude: patterns(req.ExcludePaths)}
	_, err := config.Compile()
	if e, ok := errors.AsType[*crawlscope.PatternError](err); ok {
		name := "includePaths"
		if e.Exclude {
			name = "excludePaths"
		}
		c.custom(fmt.Sprintf("%s[%d]: %v", name, e.Index, e.Err), name, e.Index)
	}
}

func sitemapMode(s *string) crawl.SitemapMode {
	switch value(s, "") {
	case "skip":
		return crawl.SitemapSkip
	case "only":
		return crawl.SitemapOnly
	}
	return crawl.SitemapInclude
}

func patterns(list []string) []string {
	var re2 []string
	for _, p := range list {
		re2 = append(re2, wire.RE2(p))
	}
	return re2
}

// explainCrawl serves GET /v2/crawl/{id}/explain.
func explainCrawl(h *Handler, c *call) error {
	j, err := h.own(c.ctx(), c, curlew.KindCrawl)
	if err != nil {
		return err
	}
	q, err := wire.DecodeExplain(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	e, err := j.Explain(c.ctx(), crawlscope.Ref{URL: q.From, Depth: q.Depth}, q.URL)
	if err != nil {
		return err
	}
	return c.answer(200, wire.Explained{Success: true, URL: e.URL, Decision: wire.Decision{
		Follow: e.Follow, Rule: e.Rule, Value: e.Value, Depth: e.Depth, From: e.From, Robots: e.Robots,
	}})
}
