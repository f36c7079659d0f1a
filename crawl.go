// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// startCrawl serves POST /v2/crawl.
func (h *Handler) startCrawl(c *call) error {
	if err := h.queue(&c.team); err != nil {
		return err
	}
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeCrawl(body, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	start := check.url(req.URL, "url")
	check.patterns(req)
	page := check.page(req.Scrape, "scrapeOptions")
	check.cached(&page, "scrapeOptions")
	hook := check.webhook(req.Webhook, kindCrawl)
	var over *threat.Override
	if req.Scrape != nil {
		over = check.override(req.Scrape.Threat, "scrapeOptions", "threatProtection")
	}
	if err := check.err(); err != nil {
		return err
	}
	if err := noActions(req.Scrape); err != nil {
		return err
	}
	return h.once(c, body, func() ([]byte, error) {
		return h.createCrawl(c, req, start, page, over, hook)
	})
}

// createCrawl does steps 7 to 11 of contract.md 2.1.
func (h *Handler) createCrawl(c *call, req *wire.Crawl, start weburl.URL, page ScrapeOptions, over *threat.Override, told *webhook.Hook) ([]byte, error) {
	policy := &c.team.Policy
	if value(req.IgnoreRobotsTxt, false) && !policy.AllowIgnoreRobots {
		return nil, refuse(account.ErrForbidden, "ignoreRobotsTxt is not enabled for this team.")
	}
	if req.RobotsUserAgent != nil && !policy.AllowRobotsUserAgent {
		return nil, refuse(account.ErrForbidden, "robotsUserAgent is not enabled for this team.")
	}
	if req.Scrape == nil {
		req.Scrape = new(wire.Scrape)
	}
	if err := allowFormats(policy, req.Scrape); err != nil {
		return nil, err
	}
	sp, err := h.spec(c, req.ZeroDataRetention, over, told)
	if err != nil {
		return nil, err
	}
	if value(req.Prompt, "") != "" && h.service.planner() == nil {
		return nil, refuse(errNoPlanner, "A crawl's prompt needs a model, and this server has none configured.")
	}

	if req.Since != nil {
		sp.Since = strings.ToLower(*req.Since)
		if err := h.earlier(c, sp.Since); err != nil {
			return nil, err
		}
	}
	if req.RetainHours != nil {
		sp.Keep = time.Duration(*req.RetainHours) * time.Hour
	}
	sp.URL, sp.Asked, sp.Traps = start.String(), req.URL, h.service.Traps
	sp.Warnings = verifyTLS(policy, req.Scrape)
	page.InsecureTLS = page.InsecureTLS && !policy.NoSkipTLS
	sp.Page = &page
	asked := value(req.Limit, defaultLimit)
	sp.Limit = clamp(asked, policy.MaxPages)
	if sp.Limit < asked {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, the most for this team.", sp.Limit))
	}
	sp.Width = clamp(value(req.MaxConcurrency, sp.Slots), sp.Slots)
	if req.MaxConcurrency != nil && *req.MaxConcurrency > sp.Slots {
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("maxConcurrency was lowered to %d, the most for this team.", sp.Slots))
	}

	cost := page.price(sp.Retained) + h.service.scanCost(sp.Threat)
	a, err := h.service.meter(c.ctx(), c.team.ID, sp.Threat, cost, sp.Limit*cost)
	if err != nil {
		return nil, err
	}
	a.follow(c.activity(h.service, "crawl", sp.Retained, req.Scrape.Audit, &req.Source), sp.Retained)
	sp.Audit = a.log.logged()
	if n := a.reserved / cost; n < sp.Limit {
		sp.Limit = n
		sp.Warnings = append(sp.Warnings, fmt.Sprintf("The limit was lowered to %d, which is what the credits can pay.", n))
	}
	answer, err := h.beginCrawl(c, req, start, a, &sp)
	if err != nil {
		return nil, errors.Join(err, a.settle(c.ctx(), a.total()))
	}
	return jsonenc.Encode(answer)
}

const defaultLimit = 10_000

// beginCrawl asks the gate for the start URL, has what a prompt says planned,
// and starts a crawl.
func (h *Handler) beginCrawl(c *call, req *wire.Crawl, start weburl.URL, a *meter, sp *spec) (wire.Started, error) {
	answer := wire.Started{Success: true}
	err := errors.Join(h.ask(c.ctx(), &c.team, a, start), askHook(&c.team, a.gate, sp.Hook))
	if err != nil {
		a.log.tell(c.ctx(), "", start.String(), 0, time.Now(), err)
		return answer, err
	}
	if value(req.Prompt, "") != "" {
		if req, answer, err = h.planned(c, req, start, a, sp); err != nil {
			return answer, err
		}
	}
	sp.Crawl = crawlOptions(req)
	if sp.Memo, err = jsonenc.Encode(req); err != nil {
		return answer, err
	}
	return h.start(c, kindCrawl, answer, sp, a)
}

// activeCrawls serves GET /v2/crawl/active.
func (h *Handler) activeCrawls(c *call) error {
	jobs, err := h.service.runner().List(c.ctx(), c.team.ID, job.Filter{Kind: kindCrawl, State: job.Running})
	if err != nil {
		return err
	}
	answer := wire.Active{Success: true, Crawls: []wire.ActiveCrawl{}}
	for _, j := range jobs {
		sp, err := readSpec(j)
		if err != nil {
			return err
		}
		req, err := wire.DecodeCrawl(sp.Memo, wire.Options{Lenient: true})
		if err != nil {
			return err
		}
		options, err := req.Options()
		if err != nil {
			return err
		}
		answer.Crawls = append(answer.Crawls, wire.ActiveCrawl{
			ID: j.ID, TeamID: c.team.ID, URL: sp.URL, CreatedAt: jsonenc.Time(j.Created), Options: options,
		})
	}
	return c.answer(200, answer)
}

// thin reports whether a crawl of few pages may have been kept small by the
// path of its start URL.
func thin(sp *spec) bool {
	if sp.Crawl == nil || sp.Crawl.EntireDomain {
		return false
	}
	u, err := weburl.Parse(sp.URL)
	return err == nil && u.Path() != "/"
}

// crawl is the work of a crawl job.
func (w *work) crawl(ctx context.Context) error {
	w.prepare()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := w.config()
	c.Request = w.page.request()
	if w.meter.gate != nil { // a judge costs memory
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error { return w.judge(ctx, url, stage, stop) }
		c.Request.Redirect = func(hop fetch.Hop) error {
			w.meter.scans.moved(hop.From, hop.To)
			return nil
		}
	}
	c.Visit = func(ctx context.Context, p *crawl.Page) error { return w.visit(ctx, p, stop) }
	if w.Since != "" {
		copies, err := w.copies(ctx)
		if err == nil {
			w.since, err = w.remember(ctx, copies)
		}
		if errors.Is(err, job.ErrNotFound) {
			note := job.Item{Kind: job.Note, Data: []byte("The crawl of since has expired: nothing was compared.")}
			err = w.space.Append(ctx, note)
		}
		if err != nil {
			return w.end(ctx, err)
		}
	}
	if w.since != nil {
		c.Since = w.since
		w.service.since.Store(w.job, w.since)
		defer w.service.since.Delete(w.job)
	}
	c.Hosts, c.Forget = w.service.turns(), w.Retained
	var err error
	if c.Frontier, err = w.space.Frontier(ctx, c); err != nil {
		return err
	}
	defer func() { _ = c.Frontier.Close() }() // it gives back its turns at hosts
	robots, err := newRobotsKeeper(ctx, w.space)
	if err != nil {
		return err
	}
	trace := w.crawlTrace(func(f crawl.RobotsFile) { robots.keep(ctx, f) })
	w.begun()
	engine := crawl.Engine{Fetcher: w.fetcher(), UserAgent: w.service.UserAgent, Trace: trace}
	for p, err := range engine.Run(ctx, c) {
		if err == nil {
			err = w.keepKnown(p)
		}
		if err != nil {
			return w.end(ctx, err)
		}
	}
	return w.end(ctx, nil)
}

// crawlOptions resolves the options of a request.
func crawlOptions(req *wire.Crawl) *CrawlOptions {
	o := &CrawlOptions{
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

// patterns reports what wire takes for a pattern and the engine does not.
func (c *checker) patterns(req *wire.Crawl) {
	if len(c.faults) > 0 {
		return // the pattern's, perhaps
	}
	config := crawl.Config{URL: "http://any.test/", Include: patterns(req.IncludePaths), Exclude: patterns(req.ExcludePaths)}
	_, err := config.Compile()
	if e, ok := errors.AsType[*crawl.PatternError](err); ok {
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
