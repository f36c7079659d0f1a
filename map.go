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

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/threat"
)

// MapOptions select the URLs of a site that are listed. The zero value is the
// contract's default.
type MapOptions struct {
	Search      string // words; the URLs that contain the most of them come first
	Limit       int    // number of URLs; zero means 5,000, Unlimited no limit
	Sitemap     crawl.SitemapMode
	NoSubdomain bool // leave out other hosts of the same registrable domain
	KeepQuery   bool // URLs that differ only in their query are different pages
	External    bool // list URLs of other sites too

	Include, Exclude []string // RE2, unanchored
	FullURL          bool     // Include and Exclude match the whole URL instead of the path

	Robots      crawl.RobotsPolicy
	RobotsAgent string // name to look up in robots.txt; empty means the Service's UserAgent

	Header  http.Header
	Timeout time.Duration // for the whole call; zero means none
	Gate    *threat.Gate  // asked before each request; nil allows every URL

	// Caller says on whose behalf the site is mapped, as in [ParseOptions]. With a Caller,
	// Gate is ignored. Threat changes the threat policy of the team as far as the team may.
	Caller *Caller
	Threat *threat.Override

	// Admit is also asked before each request for a page. Nil admits all.
	Admit func(ctx context.Context, url string) error

	fetcher fetch.Fetcher // nil means that of the Service
}

// Mapping is the result of Map.
type Mapping struct {
	URLs    []string
	Warning string // what was left out; empty if nothing was

	ID      string // with a Caller: ID of this call in the audit log
	Credits int    // with a Caller: spent credits
}

// Map lists the URLs of a site from its start page and sitemaps, without requesting them.
// URLs that the lists of the gate block are left out. The URLs are in the order of their
// discovery, after those that match Search. Errors wrap those of crawl and fetch.
func (s *Service) Map(ctx context.Context, url string, o *MapOptions) (*Mapping, error) {
	if o == nil {
		o = new(MapOptions)
	}
	if o.Caller != nil {
		return s.parts().mapFor(ctx, url, o)
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errMapTimeout)
		defer cancel()
	}
	pages := &s.parts().pages
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
		Hosts:        pages.Hosts,
		Request:      fetch.Request{Header: o.Header, Timeout: o.Timeout, NoStore: true},
	}
	if o.Search != "" {
		c.Limit = 100_000 // rank all URLs before the list is cut
	}
	if o.Gate != nil {
		m := meter.Meter{Gate: o.Gate}
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error {
			return m.Judge(ctx, url, stage == crawl.Discovered)
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
	urls := []string{}
	var failed error // the error of the start page
	var kept atomic.Int64
	trace := &crawl.Trace{Blocked: func(string) { kept.Add(1) }}
	fetcher := o.fetcher
	if fetcher == nil {
		fetcher = pages.Fetcher
	}
	engine := crawl.Engine{Fetcher: fetcher, UserAgent: s.UserAgent, Trace: trace}
	for page, err := range engine.Run(ctx, c) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, mapFailed(url, err)
		}
		if page.Err == nil {
			urls = append(urls, page.URL)
		} else if page.Depth == 0 && page.From == "" && failed == nil {
			failed = page.Err
		}
	}
	if len(urls) == 0 && failed != nil && !errors.Is(failed, crawl.ErrDenied) {
		return nil, mapFailed(url, failed)
	}
	return &Mapping{URLs: ranked(urls, o.Search, limit), Warning: notices.Robots(int(kept.Load()), "map")}, nil
}

// mapFor implements Map for a Caller.
func (p *parts) mapFor(ctx context.Context, url string, o *MapOptions) (*Mapping, error) {
	team := &o.Caller.Team
	if err := o.Caller.MayUse("map"); err != nil {
		return nil, err
	}
	if err := o.Caller.mayIgnore(o.Robots, o.RobotsAgent); err != nil {
		return nil, err
	}
	rules, err := threat.Resolve(team.Policy.Threat, o.Threat)
	if err != nil {
		return nil, err
	}
	u, err := p.address(url, "url")
	if err != nil {
		return nil, err
	}
	c, err := p.call(ctx, o.Caller, "map", bounds{rules: rules}, 1, 1+p.meters.ScanCost(rules))
	if err != nil {
		return nil, err
	}
	own := *o
	own.Caller, own.Gate = nil, c.meter.Gate
	var found *Mapping
	if err = ask(ctx, team, c.meter, u); err == nil {
		// Each request takes a slot, not the whole map, because it waits for turns at hosts.
		own.fetcher = &slots.Fetcher{Fetcher: p.pages.Fetcher, Teams: &p.slots, Team: o.Caller.owner(), Limit: concurrency(&team.Policy)}
		found, err = p.service.Map(ctx, u.String(), &own)
	}
	c.meter.Log.Tell(ctx, c.id, u.String(), 0, c.began, err)
	if err == nil {
		err = c.meter.Spend(ctx, 1)
	}
	if err := c.end(ctx, err); err != nil {
		return nil, err
	}
	found.ID, found.Credits = c.id, c.meter.Total()
	return found, nil
}

// mapFailed adds the site to an error. If url is not a URL, it adds nothing, because err
// names it.
func mapFailed(url string, err error) error {
	if shown := weburl.Redacted(url); shown != "" {
		return fmt.Errorf("map %s: %w", shown, err)
	}
	return fmt.Errorf("map: %w", err)
}

// ranked returns at most limit of urls, or all if limit is [Unlimited]. The URLs that contain
// the most words of search come first.
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
