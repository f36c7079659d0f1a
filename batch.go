// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// startBatch serves POST /v2/batch/scrape.
func (h *Handler) startBatch(c *call) error {
	if err := h.queue(&c.team); err != nil {
		return err
	}
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeBatch(body, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	urls, invalid := check.urls(req)
	page := check.page(&req.Scrape)
	check.cached(&page)
	hook := check.webhook(req.Webhook, kindBatch)
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if err := noActions(&req.Scrape); err != nil {
		return err
	}
	return h.once(c, body, func() ([]byte, error) {
		return h.createBatch(c, req, urls, invalid, page, over, hook)
	})
}

// urls reads the addresses of a batch, and returns them as they were sent, since
// clients know their pages by that; invalid ones are faults only where the request
// says so.
func (c *checker) urls(req *wire.Batch) (urls, invalid []string) {
	for i, raw := range req.URLs {
		one := checker{local: c.local}
		u := one.url(raw, "urls", i)
		switch {
		case !u.IsZero():
			urls = append(urls, raw)
		case value(req.IgnoreInvalidURLs, true):
			invalid = append(invalid, raw)
		case raw == "":
			c.custom("Invalid URL", "urls", i)
		default:
			c.faults = append(c.faults, one.faults...)
		}
	}
	return urls, invalid
}

// createBatch does steps 7 to 11 of contract.md 2.1.
func (h *Handler) createBatch(c *call, req *wire.Batch, urls, invalid []string, page ScrapeOptions, over *threat.Override, told *webhook.Hook) ([]byte, error) {
	policy := &c.team.Policy
	if err := allowFormats(policy, &req.Scrape); err != nil {
		return nil, err
	}
	sp, err := h.spec(c, req.ZeroDataRetention, over, told)
	if err != nil {
		return nil, err
	}
	if len(urls) == 0 {
		return nil, errNoURLs
	}
	sp.URLs = urls
	sp.Width = clamp(value(req.MaxConcurrency, sp.Slots), sp.Slots)
	sp.Warnings = verifyTLS(policy, &req.Scrape)
	page.InsecureTLS = page.InsecureTLS && !policy.NoSkipTLS
	sp.Page = &page
	cost := page.price(sp.Retained)
	most := len(urls) * (cost + h.service.scanCost(sp.Threat))
	a, err := h.service.meter(c.ctx(), c.team.ID, sp.Threat, len(urls)*cost, most)
	if err != nil {
		return nil, err
	}
	a.follow(c.activity(h.service, "batch", sp.Retained, req.Audit, &req.Source), sp.Retained)
	sp.Audit = a.log.logged()
	answer, err := h.enqueue(c, req, a, &sp, invalid)
	if err != nil {
		return nil, errors.Join(err, a.settle(c.ctx(), a.total()))
	}
	return jsonenc.Encode(answer)
}

// enqueue asks the gate for each URL, and starts a batch with those that pass or
// appends them to one.
func (h *Handler) enqueue(c *call, req *wire.Batch, a *meter, sp *spec, invalid []string) (wire.Started, error) {
	if err := askHook(&c.team, a.gate, sp.Hook); err != nil {
		return wire.Started{}, err
	}
	var urls, scanned []string // to be asked for; refused, but not for nothing
	for _, raw := range sp.URLs {
		u := (&checker{local: h.service.LocalNames}).url(raw).WithoutFragment()
		before := a.total()
		switch err := h.ask(c.ctx(), &c.team, a, u); {
		case err == nil:
			urls = append(urls, raw)
		case errors.Is(err, errBlocked), errors.Is(err, threat.ErrBlocked):
			invalid = append(invalid, raw)
			if a.total() > before {
				scanned = append(scanned, raw)
			}
			a.log.tell(c.ctx(), "", u.String(), 0, time.Now(), err)
		default:
			return wire.Started{}, err
		}
	}
	if len(urls) == 0 {
		return wire.Started{}, errNoURLs
	}
	answer := wire.Started{Success: true, InvalidURLs: invalid}
	if req.AppendToID != nil {
		answer.ID = strings.ToLower(*req.AppendToID)
		answer.URL = c.base + pathOf(kindBatch) + answer.ID
		if err := h.appendTo(c, answer.ID, urls); err != nil {
			return answer, err
		}
		// What the scans cost is spent; the pages are the running job's.
		return answer, a.settle(c.ctx(), a.total())
	}
	sp.URLs = append(urls, scanned...) // the last fail at once: their entries say what the scans cost
	return h.start(c, kindBatch, answer, sp, a)
}

// appendTo gives a running batch more to do.
func (h *Handler) appendTo(c *call, id string, urls []string) error {
	j, _, err := h.own(c.ctx(), &c.team, kindBatch, id)
	if err != nil {
		return err
	}
	sp, err := readSpec(j)
	if err != nil {
		return err
	}
	items := make([]job.Item, len(urls))
	for i, u := range urls {
		items[i] = job.Item{Kind: job.Input, Data: []byte(u)}
	}
	// Counted first: its work may be done with them at once, and end.
	h.service.backlog.add(sp.Op, len(urls))
	err = h.service.runner().Append(c.ctx(), c.team.ID, id, items...)
	if err != nil {
		h.service.backlog.add(sp.Op, -len(urls))
	}
	if errors.Is(err, job.ErrEnded) {
		return refuse(errFinished, "Batch scrape is already completed")
	}
	return outOf(ofDisk, err)
}

// batch is the work of a batch job.
func (w *work) batch(ctx context.Context) error {
	w.prepare()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.line = pace.NewLine(w.service.turns(), w.Retained)
	defer w.line.Leave()
	q := inputs{work: w, drain: job.Draining(w.space)}
	var err error
	if q.done, err = job.Settled(ctx, w.space); err != nil {
		return err
	}
	w.begun()
	for {
		var wg sync.WaitGroup
		for range w.Width {
			wg.Go(func() { q.work.pages(ctx, &q, stop) })
		}
		wg.Wait()
		if err := q.failed(); err != nil || q.drained() || ctx.Err() != nil {
			return w.end(ctx, err)
		}
		sealed, err := job.Seal(ctx, w.space, q.next-len(w.URLs))
		if sealed || err != nil {
			return w.end(ctx, err)
		}
	}
}

// inputs hands out what a batch has to do.
type inputs struct {
	work  *work
	drain <-chan struct{}
	done  func(input int) bool // before a restart; inputs count from 1

	mu   sync.Mutex
	next int   // guarded by mu; index of the first input that nobody has
	err  error // guarded by mu; of the store: the batch cannot go on
}

// take returns the next URL and the number of its input, and false where there
// is none for now.
func (q *inputs) take(ctx context.Context) (string, int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || ctx.Err() != nil || q.drained() {
		return "", 0, false
	}
	for q.done(q.next + 1) {
		q.next++
	}
	if first := q.work.URLs; q.next < len(first) {
		q.next++
		return first[q.next-1], q.next, true
	}
	items, err := q.work.space.Items(ctx, job.Input, q.next-len(q.work.URLs), 1)
	if err == nil && len(items) > 0 {
		err = items[0].Err
	}
	if err != nil || len(items) == 0 {
		q.err = err
		return "", 0, false
	}
	q.next++
	return string(items[0].Data), q.next, true
}

func (q *inputs) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = errors.Join(q.err, err)
}

func (q *inputs) failed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// drained reports whether the job is being cancelled.
func (q *inputs) drained() bool {
	select {
	case <-q.drain:
		return true
	default:
		return false
	}
}

// pages works on inputs until there are none for now.
func (w *work) pages(ctx context.Context, q *inputs, stop context.CancelCauseFunc) {
	for {
		url, input, ok := q.take(ctx)
		if !ok {
			return
		}
		item, err := w.one(ctx, url, input)
		if errors.Is(err, account.ErrPayment) {
			stop(account.ErrPayment)
			return
		}
		if err == nil {
			item.Input = input
			err = w.space.Append(ctx, item)
		}
		if err == nil {
			w.service.backlog.add(w.Op, -1)
		}
		if err != nil && ctx.Err() == nil {
			q.fail(fmt.Errorf("keep a page: %w", err)) // logged, and a URL may hold a secret
		}
		if err != nil {
			return
		}
	}
}

// status returns the HTTP status of a document; zero of none.
func (w *work) status(payload []byte) int {
	if w.meter.log == nil {
		return 0
	}
	var doc struct {
		Metadata struct{ StatusCode int }
	}
	_ = json.Unmarshal(payload, &doc) // our own, or none
	return doc.Metadata.StatusCode
}

// one brings the page of a URL of a batch, as it was sent. Its error ends the
// batch.
func (w *work) one(ctx context.Context, raw string, input int) (job.Item, error) {
	id := job.NewID()
	began := time.Now()
	url := ""
	u, err := weburl.Input(raw, true) // whether it may have one label was asked before
	if err == nil {
		url = u.WithoutFragment().String()
	}
	var payload []byte
	var cost int
	if err == nil {
		payload, cost, err = w.scrape(ctx, id, raw, url, input)
	}
	w.meter.log.tell(ctx, id, url, w.status(payload), began, err)
	switch {
	case err == nil:
		return job.Item{Kind: job.Result, Data: payload, Cost: cost}, nil
	case errors.Is(err, account.ErrPayment):
		return job.Item{}, err
	case ctx.Err() != nil:
		return job.Item{}, context.Cause(ctx) // not the page's fault
	}
	payload, cost, err = w.failure(ctx, id, raw, err, url)
	if payload == nil {
		return job.Item{}, err
	}
	return job.Item{Kind: job.Failure, Data: payload, Cost: cost}, nil
}

// scrape brings a page within the team's slots and shows it. Raw is its URL as it
// was sent.
func (w *work) scrape(ctx context.Context, id, raw, url string, input int) (payload []byte, cost int, err error) {
	ctx, n := tallied(ctx)
	defer func() { w.meter.scans.add(url, int(n.Swap(0))) }() // of a page that fails
	defer w.service.recovered(ctx, &err)
	own := *w.page
	o := &own
	turn, err := w.service.turn(ctx, w.line, url, o)
	if err != nil {
		return nil, 0, err
	}
	defer turn.End(nil, nil)
	held, _, err := w.service.slots.sit(ctx, w.team, w.Slots)
	if err != nil {
		return nil, 0, err
	}
	defer held.drop()
	ctx, end := w.service.onPage(ctx, PageTrace{Endpoint: kindBatch, Job: w.job, Team: w.team})
	o.terms, o.turn, o.hasTurn = terms{seat: held, patient: true}, turn, true
	o.attempt = func(ctx context.Context) error {
		_, err := job.Attempt(ctx, w.space, uint64(input)) //nolint:gosec // G115: from 1; its item ends it
		return err
	}
	doc, err := w.service.Scrape(ctx, url, o)
	end(err)
	if err != nil {
		return nil, 0, err
	}
	doc.Metadata.SourceURL = raw
	w.meter.scans.add(url, int(n.Swap(0)))
	return w.finish(ctx, id, doc, url)
}
