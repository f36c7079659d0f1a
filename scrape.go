// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
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
	if o.Caller != nil {
		return s.parts().scrapeFor(ctx, url, o)
	}
	return s.parts().pages.Scrape(ctx, o.visit(url))
}

// Parse reads a document and formats it. Errors wrap those of packages parse and
// format.
func (s *Service) Parse(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	if o.Caller != nil {
		return s.parts().parseFor(ctx, src, o)
	}
	return s.parts().pages.Parse(ctx, src, o.reading())
}

// Document formats a page of a crawl. It is meant for [crawl.Config.Visit]. HTML is not
// parsed again, because the page already has the tree. Errors wrap those of packages
// parse and format.
func (s *Service) Document(ctx context.Context, page *crawl.Page, o *ParseOptions) (*format.Document, error) {
	if o == nil {
		o = new(ParseOptions)
	}
	return s.parts().pages.Document(ctx, page, o.reading())
}

// scrapeFor implements Scrape for a Caller.
func (p *parts) scrapeFor(ctx context.Context, url string, o *ScrapeOptions) (*format.Document, error) {
	c := o.Caller
	if err := c.MayUse("scrape"); err != nil {
		return nil, err
	}
	b, err := c.bounds(&o.ParseOptions, o.ZeroRetention, o.Threat)
	if err != nil {
		return nil, err
	}
	if err := p.mayBeCached(o); err != nil {
		return nil, err
	}
	u, err := p.address(url, "url")
	if err != nil {
		return nil, err
	}
	cost := o.Price(b.retained)
	m, err := p.meters.Open(ctx, c.owner(), b.rules, cost, cost+p.meters.ScanCost(b.rules))
	if err != nil {
		return nil, err
	}
	m.Follow(c.activity(&p.meters, "scrape", b.retained), b.retained)
	id, began := job.NewID(), time.Now()
	own := o.forCaller(c, m, b.retained)
	doc, err := p.scrapeOne(ctx, c, m, u, own)
	if err != nil {
		m.Log.Tell(ctx, id, u.String(), 0, began, err)
		cost, err := own.missed(err)
		return nil, errors.Join(err, m.Spend(ctx, cost), m.Settle(ctx, m.Total()))
	}
	if err := m.Spend(ctx, cost+meter.PagesPrice(&own.Format, doc)); err != nil {
		return nil, errors.Join(err, m.Settle(ctx, m.Total()))
	}
	if err := m.Settle(ctx, m.Total()); err != nil {
		return nil, err
	}
	m.Log.Tell(ctx, id, u.String(), doc.Metadata.StatusCode, began, nil)
	own.complete(doc, id, m.Total(), p.pages.Caching())
	return doc, nil
}

// mayBeCached returns an error if only the cache may answer, and there is none.
func (p *parts) mayBeCached(o *ScrapeOptions) error {
	switch {
	case p.pages.Caching():
	case o.Lockdown:
		return errLockdown
	case o.MinAge > 0:
		return errNoCache
	}
	return nil
}

// scrapeOne fetches a page within a slot of the team.
func (p *parts) scrapeOne(ctx context.Context, c *Caller, m *meter.Meter, u weburl.URL, o *ScrapeOptions) (*format.Document, error) {
	if err := ask(ctx, &c.Team, m, u); err != nil {
		return nil, err
	}
	v := o.visit(u.String())
	v.Line = pace.NewLine(p.pages.Hosts, o.Format.NoRetain)
	defer v.Line.Leave()
	turn, err := p.pages.TakeTimelyTurn(ctx, v)
	if err != nil {
		return nil, err
	}
	defer turn.End(nil, nil)
	v.Turn, v.HasTurn = turn, true
	var doc *format.Document
	wait, err := p.slotted(ctx, c, v.Request.Timeout, fetch.ErrTimeout, func(ctx context.Context, held *slots.Seat) (err error) {
		v.Terms.Seat = held
		ctx, end := p.service.Trace.BeginPage(ctx, observe.Page{Endpoint: "scrape", Team: c.owner()})
		defer func() { end(err) }()
		doc, err = p.pages.Scrape(ctx, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	limited(doc, wait)
	return doc, nil
}

// slotted calls work within a slot of the team, and returns how long it waited for the
// slot. If the wait and work together exceed the timeout, it returns the error late. A
// timeout of zero means none.
func (p *parts) slotted(ctx context.Context, c *Caller, timeout time.Duration, late error, work func(context.Context, *slots.Seat) error) (time.Duration, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, late)
		defer cancel()
	}
	held, wait, err := p.slots.Sit(ctx, c.owner(), concurrency(&c.Team.Policy))
	if err != nil {
		return 0, err
	}
	defer held.Drop()
	if err := work(ctx, held); err != nil {
		return wait, cmp.Or(context.Cause(ctx), err)
	}
	return wait, nil
}

// limited records in the metadata whether the document had to wait for a slot.
func limited(doc *format.Document, wait time.Duration) {
	doc.Metadata.ConcurrencyLimited = new(wait > 0)
	if wait > 0 {
		doc.Metadata.ConcurrencyQueueDurationMs = new(int(wait.Milliseconds()))
	}
}

// parseFor implements Parse for a Caller.
func (p *parts) parseFor(ctx context.Context, src parse.Source, o *ParseOptions) (*format.Document, error) {
	c := o.Caller
	if err := c.MayUse("parse"); err != nil {
		return nil, err
	}
	b, err := c.bounds(o, o.ZeroRetention, o.Threat)
	if err != nil {
		return nil, err
	}
	cost := meter.FormPrice(&o.Format) + meter.RetainedPrice(b.retained)
	m, err := p.meters.Open(ctx, c.owner(), threat.Policy{}, cost, cost)
	if err != nil {
		return nil, err
	}
	m.Follow(c.activity(&p.meters, "parse", b.retained), b.retained)
	id, began := job.NewID(), time.Now()
	own := *o
	own.Caller = nil
	own.Format.Changes.Owner, own.Format.NoRetain = c.owner(), b.retained
	doc, err := p.parseOne(ctx, c, src, &own)
	m.Log.Tell(ctx, id, "", 0, began, err)
	if err == nil {
		cost += meter.PagesPrice(&own.Format, doc)
		err = m.Spend(ctx, cost)
	}
	if err := errors.Join(err, m.Settle(ctx, m.Total())); err != nil {
		return nil, err
	}
	doc.Metadata.ScrapeID, doc.Metadata.CreditsUsed = id, cost
	return doc, nil
}

// parseOne reads a document within a slot of the team.
func (p *parts) parseOne(ctx context.Context, c *Caller, src parse.Source, o *ParseOptions) (*format.Document, error) {
	size, err := src.Len()
	if err != nil {
		return nil, &parse.Error{Name: src.Name, Err: err}
	}
	if size == 0 {
		return nil, errEmpty
	}
	var doc *format.Document
	wait, err := p.slotted(ctx, c, 0, nil, func(ctx context.Context, held *slots.Seat) (err error) {
		how := o.reading()
		how.Terms.Seat, how.Sheets.How.Partition = held, c.owner()
		ctx, end := p.service.Trace.BeginPage(ctx, observe.Page{Endpoint: "parse", Team: c.owner()})
		defer func() { end(err) }()
		doc, err = p.pages.Parse(ctx, src, how)
		return err
	})
	if err != nil {
		return nil, err
	}
	limited(doc, wait)
	return doc, nil
}
