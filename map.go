// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/listing"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/service/slots"
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
	plans   bool          // for the plan of a crawl: only scans cost credits, and a site that cannot be mapped is no error
}

// Mapping is the result of Map.
type Mapping struct {
	URLs    []string
	Warning string // what was left out; empty if nothing was

	// Unread is a sentence that says why the start page could not be read completely, so
	// that URLs which only its links name may be missing. It is empty if it was read. The
	// Warning contains it.
	Unread string

	ID      string // with a Caller: ID of this call in the audit log
	Credits int    // with a Caller: spent credits
}

// Map lists the URLs of a site from its start page and sitemaps, without requesting them.
// URLs that the lists of the gate block are left out. The URLs are in the order of their
// discovery, after those that match Search. Errors wrap those of crawl and fetch, and
// [job.ErrShutdown].
func (s *Service) Map(ctx context.Context, url string, o *MapOptions) (*Mapping, error) {
	if o == nil {
		o = new(MapOptions)
	}
	if o.Caller != nil {
		return s.parts().mapFor(ctx, url, o)
	}
	if err := shut(s.parts().closed); err != nil {
		return nil, err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, faults.ErrMapTimeout)
		defer cancel()
	}
	pages := &s.parts().pages
	c := crawl.Config{
		URL:          url,
		List:         true,
		Limit:        cmp.Or(o.Limit, 5000),
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
	fetcher := o.fetcher
	if fetcher == nil {
		fetcher = pages.Fetcher
	}
	l := listing.List{Fetcher: fetcher, UserAgent: s.UserAgent, Config: c, Search: o.Search, Gate: o.Gate, Admit: o.Admit}
	found, err := l.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &Mapping{URLs: found.URLs, Unread: found.Failed, Warning: notices.Join(notices.Start(found.Failed), notices.Robots(found.Blocked, "map"), notices.More(found.More, c.Limit), notices.Ranked(found.Cut, listing.MostRanked), notices.Damaged(found.Damaged), notices.RobotsCut(found.Robots))}, nil
}

// mapFor implements Map for a Caller.
func (p *parts) mapFor(ctx context.Context, url string, o *MapOptions) (*Mapping, error) {
	team := &o.Caller.Team
	endpoint, price := "map", 1
	if o.plans {
		endpoint, price = "crawl", 0
	}
	if err := o.Caller.MayUse(endpoint); err != nil {
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
	c, err := p.call(ctx, o.Caller, endpoint, bounds{rules: rules}, price, price+p.meters.ScanCost(rules))
	if err != nil {
		return nil, err
	}
	own := *o
	own.Caller, own.Gate = nil, c.meter.Gate
	var found *Mapping
	if err = ask(ctx, team, c.meter, u); err == nil {
		// Each request takes a slot, not the whole map, because it waits for turns at hosts.
		own.fetcher = &slots.Fetcher{Fetcher: p.pages.Fetcher, Teams: &p.slots, Team: o.Caller.owner(), Limit: policy.AtOnce(&team.Policy)}
		if found, err = p.service.Map(ctx, u.String(), &own); err != nil && o.plans {
			found, err = new(Mapping), nil
		}
	}
	c.meter.Log.Tell(ctx, c.id, u.String(), 0, c.began, err)
	if err == nil {
		err = c.meter.Spend(ctx, price)
	}
	if err := c.end(ctx, err); err != nil {
		return nil, err
	}
	found.ID, found.Credits = c.id, c.meter.Total()
	return found, nil
}
