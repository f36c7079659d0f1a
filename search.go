// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent/search"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// SearchOptions say on whose behalf a search is made, and what is done with its hits.
type SearchOptions struct {
	Caller        Caller
	Threat        *threat.Override // changes the threat policy of the team as far as the team may
	ZeroRetention bool
	Timeout       time.Duration  // for the search and all pages together; zero means 60 s
	Page          *ScrapeOptions // how the pages of hits of the web and the news are fetched and formatted; nil fetches none. Its Caller, ZeroRetention and Threat are ignored
}

// SearchResults are the hits of a search.
type SearchResults struct {
	ID      string // ID of the call in the audit log
	Credits int    // spent on the search, its threat scans and its pages
	Warning string
	Hits    map[search.Source][]SearchHit // only sources with hits
}

// SearchHit is a hit and, if pages were asked for, its page.
type SearchHit struct {
	search.Found
	Document *format.Document // nil if there is none
	Err      *PageError       // why there is none, if one was asked for
}

// Search searches the web, images or news with the Searcher. Hits that the team's blocklist
// or the threat gate refuses are left out, and the warning says how many. A page that cannot
// be fetched leaves its hit, with an error. If the Service has no Searcher, the error wraps
// [ErrEngine]. If r is not valid, it wraps [ErrRequest]. The Admit of r is ignored.
func (s *Service) Search(ctx context.Context, r *search.Request, o *SearchOptions) (*SearchResults, error) {
	if o == nil {
		o = new(SearchOptions)
	}
	if field, err := r.Check(); err != nil {
		return nil, invalid(field, err)
	}
	p, c := s.parts(), &o.Caller
	if err := c.MayUse("search"); err != nil {
		return nil, err
	}
	b, err := c.pageBounds(&p.pages.Browser, o.Page, o.ZeroRetention, o.Threat)
	if err != nil {
		return nil, err
	}
	if s.Searcher == nil {
		return nil, refuse(ErrEngine, "Searches need a search provider, and this server has none configured.")
	}
	most := max(r.N, 1) * max(1, len(r.Sources))
	want := meter.HitsPrice(most) + most*p.meters.ScanCost(b.rules)
	if o.Page != nil {
		want += most * o.Page.Price(b.retained)
	}
	call, err := p.call(ctx, c, "search", b, meter.HitsPrice(1), want)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(max(o.Timeout, 0), time.Minute), fetch.ErrTimeout)
	defer cancel()
	found, err := call.search(ctx, r, o)
	if err := call.end(ctx, err); err != nil {
		return nil, err
	}
	found.ID, found.Credits = call.id, call.meter.Total()
	return found, nil
}

// search searches, and fetches the pages of the hits.
func (c *call) search(ctx context.Context, r *search.Request, o *SearchOptions) (*SearchResults, error) {
	own := *r
	own.Admit = c.admit
	found, err := own.Run(ctx, c.parts.service.Searcher)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err == nil {
		err = c.meter.Spend(ctx, meter.HitsPrice(found.Count()))
	}
	c.meter.Log.Tell(ctx, c.id, "", 0, c.began, err)
	if err != nil {
		if err = faults.OfSearch(err); errors.Is(err, faults.ErrSearch) && !c.retained {
			c.parts.meters.Logger.ErrorContext(ctx, "search failed", "request", c.id, "err", err)
		}
		return nil, err
	}
	results := &SearchResults{Warning: strings.Join(found.Notes, " "), Hits: make(map[search.Source][]SearchHit, len(found.Hits))}
	var wg sync.WaitGroup
	defer wg.Wait()
	seats := make(chan struct{}, policy.AtOnce(&c.caller.Team.Policy))
	for source, hits := range found.Hits {
		list := make([]SearchHit, len(hits))
		results.Hits[source] = list
		for i := range hits {
			hit := &list[i]
			hit.Found = hits[i]
			if o.Page == nil || source == search.Images {
				continue
			}
			wg.Go(func() {
				seats <- struct{}{}
				defer func() { <-seats }()
				c.read(ctx, hit, o.Page)
			})
		}
	}
	return results, nil
}

// admit asks the blocklist and the threat gate about a hit.
func (c *call) admit(ctx context.Context, url string) (bool, error) {
	u, err := c.parts.address(url, "url")
	if err != nil {
		return false, nil //nolint:nilerr // a hit that cannot be requested is left out
	}
	err = ask(ctx, &c.caller.Team, c.meter, u)
	if errors.Is(err, faults.ErrBlocked) || errors.Is(err, threat.ErrBlocked) {
		c.meter.Log.Tell(ctx, c.id, url, 0, time.Now(), err)
		return false, nil
	}
	return err == nil, err
}

// read fetches the page of a hit.
func (c *call) read(ctx context.Context, hit *SearchHit, page *ScrapeOptions) {
	id, began := job.NewID(), time.Now()
	doc, err := c.scrapeHit(ctx, id, hit.URL, page)
	c.meter.Log.Tell(ctx, id, hit.URL, statusOf(doc), began, err)
	if err != nil {
		hit.Err = pageFailure(id, hit.URL, err)
		return
	}
	hit.Document = doc
}

// scrapeHit fetches the page of a URL.
func (c *call) scrapeHit(ctx context.Context, id, url string, page *ScrapeOptions) (doc *format.Document, err error) {
	defer reading.Recover(ctx, c.parts.meters.Logger, &err)
	u, err := c.parts.address(url, "url")
	if err != nil {
		return nil, err
	}
	if err := page.mayBeCached(c.parts.pages.Caching()); err != nil {
		return nil, err
	}
	return c.scrape(ctx, id, u, page)
}
