// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// MapOptions say which URLs of a site are listed. The zero value is the
// contract's default.
type MapOptions struct {
	Search      string // the URLs that hold most of its words come first
	Limit       int    // URLs; zero means 5,000, Unlimited no bound
	Sitemap     crawl.SitemapMode
	NoSubdomain bool // leave out other hosts of the same registrable domain
	KeepQuery   bool // URLs that differ in their query are different
	External    bool // other sites too

	Include, Exclude []string // RE2, unanchored
	FullURL          bool     // they match the whole URL instead of the path

	Robots      crawl.RobotsPolicy
	RobotsAgent string // empty: the Service's UserAgent

	Header  http.Header
	Timeout time.Duration // of all together; zero means none
	Gate    *threat.Gate  // asked for what is fetched; nil admits all

	// Admit is asked besides, before each request for a page; nil admits all.
	Admit func(ctx context.Context, url string) error
}

// Map lists the URLs of a site, by its start page and sitemaps, without asking
// for them. What the lists of the gate block is left out. The order is that of
// their discovery, behind Search. Errors wrap those of crawl and fetch.
func (s *Service) Map(ctx context.Context, url string, o *MapOptions) ([]string, error) {
	urls, _, err := s.listed(ctx, url, o)
	return urls, err
}

// listed is Map, and says how many URLs robots.txt alone kept out.
func (s *Service) listed(ctx context.Context, url string, o *MapOptions) (urls []string, blocked int, err error) {
	if o == nil {
		o = new(MapOptions)
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errMapTimeout)
		defer cancel()
	}
	limit := cmp.Or(o.Limit, 5000)
	c := crawl.Config{
		URL:          url,
		List:         true,
		Limit:        limit,
		EntireDomain: true,
		Sitemap:      o.Sitemap,
		Subdomains:   !o.NoSubdomain,
		External:     o.External,
		IgnoreQuery:  !o.KeepQuery,
		Include:      o.Include,
		Exclude:      o.Exclude,
		FullURL:      o.FullURL,
		Robots:       o.Robots,
		RobotsAgent:  o.RobotsAgent,
		Hosts:        s.turns(),
		Request:      fetch.Request{Header: o.Header, Timeout: o.Timeout, NoStore: true},
	}
	if o.Search != "" {
		c.Limit = 100_000 // all are ranked, then cut
	}
	if o.Gate != nil {
		w := work{meter: &meter{gate: o.Gate}}
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error {
			return w.judge(ctx, url, stage, func(error) {})
		}
	}
	if judge := c.Judge; o.Admit != nil {
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error {
			if stage != crawl.Discovered {
				if err := o.Admit(ctx, url); err != nil {
					return err
				}
			}
			if judge == nil {
				return nil
			}
			return judge(ctx, url, stage)
		}
	}
	urls = []string{}
	var failed error // of the start page
	var kept atomic.Int64
	trace := &crawl.Trace{Blocked: func(string) { kept.Add(1) }}
	engine := crawl.Engine{Fetcher: s.fetcher(), UserAgent: s.UserAgent, Trace: trace}
	for page, err := range engine.Run(ctx, c) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, 0, fmt.Errorf("map %s: %w", redacted(url), err)
		}
		if page.Err == nil {
			urls = append(urls, page.URL)
		} else if page.Depth == 0 && page.From == "" && failed == nil {
			failed = page.Err
		}
	}
	if len(urls) == 0 && failed != nil && !errors.Is(failed, crawl.ErrDenied) {
		return nil, 0, fmt.Errorf("map %s: %w", redacted(url), failed)
	}
	return ranked(urls, o.Search, limit), int(kept.Load()), nil
}

// ranked returns at most limit of urls, or all if it is [Unlimited], those first
// that hold most words of search.
func ranked(urls []string, search string, limit int) []string {
	if words := strings.Fields(strings.ToLower(search)); len(words) > 0 {
		score := make(map[string]int, len(urls))
		for _, u := range urls {
			lower := strings.ToLower(u)
			for _, w := range words {
				if strings.Contains(lower, w) {
					score[u]++
				}
			}
		}
		slices.SortStableFunc(urls, func(a, b string) int { return score[b] - score[a] })
	}
	if limit == Unlimited {
		return urls
	}
	return urls[:min(limit, len(urls))]
}

// mapSite serves POST /v2/map.
func (h *Handler) mapSite(c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeMap(body, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	u := check.url(req.URL, "url")
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	o, err := h.mapOptions(&c.team.Policy, req)
	if err != nil {
		return err
	}
	rules, err := threat.Resolve(c.team.Policy.Threat, over)
	if err != nil {
		return err
	}
	a, err := h.service.meter(c.ctx(), c.team.ID, rules, 1, 1+h.service.scanCost(rules))
	if err != nil {
		return err
	}
	a.follow(c.activity(h.service, "map", false, req.Audit, &req.Source), false)
	id, began := job.NewID(), time.Now()
	answer := wire.Mapped{Success: true, ID: id}
	answer.Links, answer.Warning, err = h.mapOne(c, a, u, o)
	a.log.tell(c.ctx(), id, u.String(), 0, began, err)
	if err == nil {
		err = a.spend(c.ctx(), 1)
	}
	if err := errors.Join(err, a.settle(c.ctx(), a.total())); err != nil {
		return err
	}
	if req.Location != nil {
		answer.Warning = join(answer.Warning, "The option location has no effect: there is no choice of places.")
	}
	return c.answer(http.StatusOK, answer)
}

// mapOptions resolves the options of a request.
func (h *Handler) mapOptions(p *account.Policy, req *wire.Map) (*MapOptions, error) {
	o := &MapOptions{
		Search:      value(req.Search, ""),
		Limit:       value(req.Limit, 0),
		Sitemap:     sitemapMode(req.Sitemap),
		NoSubdomain: !value(req.IncludeSubdomains, true),
		KeepQuery:   !value(req.IgnoreQueryParameters, true),
		External:    value(req.AllowExternalLinks, false),
		Include:     patterns(req.IncludePaths),
		Exclude:     patterns(req.ExcludePaths),
		FullURL:     value(req.RegexOnFullURL, false),
		RobotsAgent: value(req.RobotsUserAgent, ""),
		Timeout:     milliseconds(req.Timeout),
	}
	for name, v := range req.Headers {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, v)
	}
	if value(req.IgnoreRobotsTxt, false) {
		if !p.AllowIgnoreRobots {
			return nil, refuse(account.ErrForbidden, "ignoreRobotsTxt is not enabled for this team.")
		}
		o.Robots = crawl.RobotsIgnore
	}
	if req.RobotsUserAgent != nil && !p.AllowRobotsUserAgent {
		return nil, refuse(account.ErrForbidden, "robotsUserAgent is not enabled for this team.")
	}
	return o, nil
}

// mapOne maps within the team's slots. The warning says what robots.txt kept out.
func (h *Handler) mapOne(c *call, a *meter, u weburl.URL, o *MapOptions) (links []wire.Link, warning string, err error) {
	if err := h.ask(c.ctx(), &c.team, a, u); err != nil {
		return nil, "", err
	}
	o.Gate = a.gate
	links = []wire.Link{}
	_, err = h.slotted(c, o.Timeout, errMapTimeout, func(ctx context.Context, _ *seat) error {
		urls, blocked, err := h.service.listed(ctx, u.String(), o)
		for _, u := range urls {
			links = append(links, wire.Link{URL: u})
		}
		warning = robotsNotice(blocked, "map")
		return err
	})
	return links, warning, err
}
