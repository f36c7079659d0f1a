// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// scrapePage serves POST /v2/scrape.
func (h *Handler) scrapePage(c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodePage(body, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	u := check.url(req.URL, "url")
	ignored := verifyTLS(&c.team.Policy, &req.Scrape)
	page := check.page(&req.Scrape)
	page.Notes = append(page.Notes, ignored...)
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := noActions(&req.Scrape); err != nil {
		return err
	}
	if err := allowFormats(&c.team.Policy, &req.Scrape); err != nil {
		return err
	}
	retained, err := h.retention(&c.team.Policy, req.ZeroDataRetention)
	if err != nil {
		return err
	}
	rules, err := threat.Resolve(c.team.Policy.Threat, over)
	if err != nil {
		return err
	}
	switch {
	case check.cache:
	case page.Lockdown:
		return errLockdown
	case page.MinAge > 0:
		return errNoCache
	}
	cost := page.price(retained)
	a, err := h.service.meter(c.ctx(), c.team.ID, rules, cost, cost+h.service.scanCost(rules))
	if err != nil {
		return err
	}
	a.follow(c.activity(h.service, "scrape", retained, req.Audit, &req.Source), retained)
	id, began := job.NewID(), time.Now()
	own := page.forTeam(c.team.ID, retained)
	own.Gate = a.gate
	doc, err := h.scrapeOne(c, a, u, own)
	if err != nil {
		a.log.tell(c.ctx(), id, u.String(), 0, began, err)
		cost, err := page.missed(err)
		return errors.Join(err, a.spend(c.ctx(), cost), a.settle(c.ctx(), a.total()))
	}
	if err := a.spend(c.ctx(), cost+page.pagesPrice(doc)); err != nil {
		return errors.Join(err, a.settle(c.ctx(), a.total()))
	}
	if err := a.settle(c.ctx(), a.total()); err != nil {
		return err
	}
	a.log.tell(c.ctx(), id, u.String(), doc.Metadata.StatusCode, began, nil)
	page.complete(doc, id, a.total(), check.cache)
	raw, err := marshal(doc)
	if err != nil {
		return err
	}
	if !retained {
		h.recent.keep(id, c.team.ID, raw, h.service.life(&c.team.Policy))
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: raw})
}

// scrapeOne brings a page within the team's slots.
func (h *Handler) scrapeOne(c *call, a *meter, u weburl.URL, o *ScrapeOptions) (*format.Document, error) {
	if err := h.ask(c.ctx(), &c.team, a, u); err != nil {
		return nil, err
	}
	line := pace.NewLine(h.service.turns(), o.Format.NoRetain)
	defer line.Leave()
	turn, err := h.turn(c, line, u.String(), o)
	if err != nil {
		return nil, err
	}
	defer turn.End(nil, nil)
	var doc *format.Document
	wait, err := h.slotted(c, o.Timeout, fetch.ErrTimeout, func(ctx context.Context, held *seat) (err error) {
		o.terms.seat, o.turn, o.hasTurn = held, turn, true
		ctx, end := h.service.onPage(ctx, PageTrace{Endpoint: "scrape", Team: c.team.ID})
		defer func() { end(err) }()
		doc, err = h.service.Scrape(ctx, u.String(), o)
		return err
	})
	if err != nil {
		return nil, err
	}
	limited(doc, wait)
	return doc, nil
}

// turn waits for a turn at the host of a scrape, at the cost of its timeout.
func (h *Handler) turn(c *call, line *pace.Line, url string, o *ScrapeOptions) (*crawl.Turn, error) {
	ctx := c.ctx()
	if o.Timeout <= 0 {
		return h.service.turn(ctx, line, url, o)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fetch.ErrTimeout)
	defer cancel()
	turn, err := h.service.turn(ctx, line, url, o)
	if end, ok := ctx.Deadline(); ok {
		o.Timeout = max(time.Until(end), time.Millisecond)
	}
	return turn, err
}

// slotted works within one of the team's slots and returns how long it waited.
// Wait and work together end after timeout, with late; zero is no bound.
func (h *Handler) slotted(c *call, timeout time.Duration, late error, work func(context.Context, *seat) error) (time.Duration, error) {
	ctx := c.ctx()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, late)
		defer cancel()
	}
	held, wait, err := h.service.slots.sit(ctx, c.team.ID, concurrency(&c.team.Policy))
	if err != nil {
		return 0, err
	}
	defer held.drop()
	if err := work(ctx, held); err != nil {
		return wait, cmp.Or(context.Cause(ctx), err)
	}
	return wait, nil
}

// limited notes on doc whether it had to wait for a slot.
func limited(doc *format.Document, wait time.Duration) {
	doc.Metadata.ConcurrencyLimited = new(wait > 0)
	if wait > 0 {
		doc.Metadata.ConcurrencyQueueDurationMs = new(int(wait.Milliseconds()))
	}
}

// document answers with doc.
func (c *call) document(doc *format.Document) error {
	raw, err := marshal(doc)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: json.RawMessage(raw)})
}
