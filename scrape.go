// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"

	"example.com/curlew/crawl"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/observe"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Scrape asks the threat gate about a page, fetches, parses and formats it. The URL
// must be absolute. A page with any HTTP status gives a Document. Errors wrap those of
// packages threat, fetch, parse and format.
func (s *Service) Scrape(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	if o == nil {
		o = new(ScrapeOptions)
	}
	p := s.parts()
	if o.Caller != nil {
		return p.scrapeFor(ctx, url, o)
	}
	if err := cmp.Or(shut(p.closed), able(&p.pages.Browser, o.Browser)); err != nil {
		return nil, err
	}
	return p.traced(ctx, observe.Page{Endpoint: "scrape"}, func(ctx context.Context) (*format.Document, error) {
		return p.pages.Scrape(ctx, o.visit(url))
	})
}

// Parse reads a document and formats it. Errors wrap those of packages parse and
// format.
func (s *Service) Parse(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	p := s.parts()
	if o.Caller != nil {
		return p.parseFor(ctx, src, o)
	}
	return p.traced(ctx, observe.Page{Endpoint: "parse"}, func(ctx context.Context) (*format.Document, error) {
		return p.pages.Parse(ctx, src, o.reading())
	})
}

// Document formats a page of a crawl. It is meant for [crawl.Config.Visit]. HTML is not
// parsed again, because the page already has the tree. Errors wrap those of packages
// parse and format.
func (s *Service) Document(ctx context.Context, page *crawl.Page, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	p := s.parts()
	return p.traced(ctx, observe.Page{Endpoint: KindCrawl}, func(ctx context.Context) (*format.Document, error) {
		return p.pages.Document(ctx, page, o.reading())
	})
}

// scrapeFor implements Scrape for a Caller.
func (p *parts) scrapeFor(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	if err := o.Caller.MayUse("scrape"); err != nil {
		return nil, err
	}
	b, err := o.Caller.pageBounds(&p.pages.Browser, o, o.ZeroRetention, o.Threat)
	if err != nil {
		return nil, err
	}
	if err := o.mayBeCached(p.pages.Caching()); err != nil {
		return nil, err
	}
	u, err := p.address(url, "url")
	if err != nil {
		return nil, err
	}
	cost := o.Price(b.retained)
	c, err := p.call(ctx, o.Caller, "scrape", b, cost, cost+p.meters.ScanCost(b.rules))
	if err != nil {
		return nil, err
	}
	doc, err := c.scrape(ctx, c.id, u, o)
	c.meter.Log.Tell(ctx, c.id, u.String(), statusOf(doc), c.began, err)
	if err := c.end(ctx, err); err != nil {
		return nil, err
	}
	doc.Metadata.SourceURL, doc.Metadata.CreditsUsed = url, c.meter.Total()
	return doc, nil
}

// mayBeCached returns an error if only the cache may answer, and there is none.
func (o *ScrapeOptions) mayBeCached(caching bool) error {
	switch {
	case caching:
	case o.Lockdown:
		return faults.ErrLockdown
	case o.MinAge > 0:
		return faults.ErrNoCache
	}
	return nil
}

// parseFor implements Parse for a Caller.
func (p *parts) parseFor(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	if err := o.Caller.MayUse("parse"); err != nil {
		return nil, err
	}
	b, err := o.Caller.bounds(o, o.ZeroRetention, o.Threat)
	if err != nil {
		return nil, err
	}
	b.rules = threat.Policy{} // nothing is requested whose URL could be scanned
	cost := meter.FormPrice(&o.Format) + meter.RetainedPrice(b.retained)
	c, err := p.call(ctx, o.Caller, "parse", b, cost, cost)
	if err != nil {
		return nil, err
	}
	how := o.reading()
	how.Format.Changes.Owner, how.Format.NoRetain = o.Caller.owner(), b.retained
	how.Sheets.How.Partition = o.Caller.owner()
	doc, err := c.parse(ctx, src, how)
	c.meter.Log.Tell(ctx, c.id, "", 0, c.began, err)
	if err == nil {
		cost += meter.PagesPrice(&how.Format, doc)
		err = c.meter.Spend(ctx, cost)
	}
	if err := c.end(ctx, err); err != nil {
		return nil, err
	}
	doc.Metadata.ScrapeID, doc.Metadata.CreditsUsed = c.id, cost
	return doc, nil
}
