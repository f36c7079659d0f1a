// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/pages"
	"example.com/curlew/internal/service/policy"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/parse"
)

// call is work for a Caller that is not a job: a scrape, a document, a map or a search.
type call struct {
	parts    *parts
	caller   *Caller
	meter    *meter.Meter
	id       string // in the audit log
	began    time.Time
	retained bool // zero data retention
}

// call opens the meter of a call. If the team has fewer than least credits, it returns an
// error.
func (p *parts) call(ctx context.Context, c *Caller, endpoint string, b bounds, least, want int) (*call, error) {
	m, err := p.meters.Open(ctx, c.owner(), b.rules, least, want)
	if err != nil {
		return nil, err
	}
	m.Follow(c.activity(&p.meters, endpoint, b.retained), b.retained)
	return &call{parts: p, caller: c, meter: m, id: job.NewID(), began: time.Now(), retained: b.retained}, nil
}

// end settles the credits of the call. It returns err with what went wrong then.
func (c *call) end(ctx context.Context, err error) error {
	return errors.Join(err, c.meter.Settle(ctx, c.meter.Total()))
}

// scrape fetches the page of u and charges for it.
func (c *call) scrape(ctx context.Context, id string, u weburl.URL, page *ScrapeOptions) (*format.Document, error) {
	o := page.forCaller(c.caller, c.meter, c.retained)
	doc, err := c.fetch(ctx, u, o)
	if err != nil {
		cost, err := o.missed(err)
		return nil, errors.Join(err, c.meter.Spend(ctx, cost))
	}
	cost := o.Price(c.retained) + meter.PagesPrice(&o.Format, doc)
	if err := c.meter.Spend(ctx, cost); err != nil {
		return nil, err
	}
	o.complete(doc, id, cost+c.meter.Scans.Take(u.String(), doc.Metadata.URL), c.parts.pages.Caching())
	return doc, nil
}

// fetch fetches and formats a page within a slot of the team.
func (c *call) fetch(ctx context.Context, u weburl.URL, o *ScrapeOptions) (doc *format.Document, err error) {
	if err := ask(ctx, &c.caller.Team, c.meter, u); err != nil {
		return nil, err
	}
	ctx = fetch.WithTeam(ctx, c.caller.owner())
	p, v := &c.parts.pages, o.visit(u.String())
	v.Line = pace.NewLine(p.Hosts, o.Format.NoRetain)
	defer v.Line.Leave()
	if o.Files != "" && !o.Format.NoRetain {
		v.Keep = c.parts.files.Keep(o.Files, c.caller.owner(), c.caller.Team.Policy.Retention)
	}
	if v.Turn, err = p.TakeTimelyTurn(ctx, v); err != nil {
		return nil, err
	}
	defer v.Turn.End(nil, nil)
	v.HasTurn = true
	return c.slotted(ctx, "scrape", v.Request.Timeout, func(ctx context.Context, held *slots.Seat) (*format.Document, error) {
		v.Terms.Seat = held
		return p.Scrape(ctx, v)
	})
}

// parse reads and formats a document within a slot of the team.
func (c *call) parse(ctx context.Context, src parse.Source, how *pages.Reading) (*format.Document, error) {
	size, err := src.Len()
	if err != nil {
		return nil, &parse.Error{Name: src.Name, Err: err}
	}
	if size == 0 {
		return nil, faults.ErrEmpty
	}
	return c.slotted(ctx, "parse", 0, func(ctx context.Context, held *slots.Seat) (*format.Document, error) {
		how.Terms.Seat = held
		return c.parts.pages.Parse(ctx, src, how)
	})
}

// unconnected refuses a call whose process could not reach the store.
var unconnected = &Error{Err: ErrBusy, Text: "The server has lost the connection to its database. Please try again later.", Wait: admission.BusyWhile}

// slotted calls work within a slot of the team. If the wait for the slot and work together
// exceed the timeout, it returns an error that wraps [fetch.ErrTimeout]. A timeout of zero
// means none.
func (c *call) slotted(ctx context.Context, endpoint string, timeout time.Duration, work func(context.Context, *slots.Seat) (*format.Document, error)) (*format.Document, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, fetch.ErrTimeout)
		defer cancel()
	}
	doc, waited, err := c.parts.inSlot(ctx, policy.AtOnce(&c.caller.Team.Policy), observe.Page{Endpoint: endpoint, Team: c.caller.owner()}, work)
	switch {
	case errors.Is(err, job.ErrSlotLost):
		return nil, fmt.Errorf("%w: %w", unconnected, err)
	case err != nil:
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	doc.Metadata.ConcurrencyLimited = new(waited > 0)
	if waited > 0 {
		doc.Metadata.ConcurrencyQueueDurationMs = new(int(waited.Milliseconds()))
	}
	return doc, nil
}

// inSlot calls work within a slot of the page's team, which has limit of them. It reports the
// page to the Trace, and returns how long it waited for the slot.
func (p *parts) inSlot(ctx context.Context, limit int, page observe.Page, work func(context.Context, *slots.Seat) (*format.Document, error)) (doc *format.Document, waited time.Duration, err error) {
	err = p.slots.Within(ctx, page.Team, limit, func(ctx context.Context, held *slots.Seat, wait time.Duration) (err error) {
		waited = wait
		doc, err = p.traced(ctx, page, func(ctx context.Context) (*format.Document, error) { return work(ctx, held) })
		return err
	})
	return doc, waited, err
}

// traced calls work for a page, and reports the page to the Trace.
func (p *parts) traced(ctx context.Context, page observe.Page, work func(context.Context) (*format.Document, error)) (doc *format.Document, err error) {
	ctx, end := p.service.Trace.BeginPage(ctx, page)
	err = faults.ErrPanic // unless work returns
	defer func() { end(err) }()
	doc, err = work(ctx)
	return doc, err
}

// statusOf returns the HTTP status of a document. It is zero if there is none.
func statusOf(doc *format.Document) int {
	if doc == nil {
		return 0
	}
	return doc.Metadata.StatusCode
}
