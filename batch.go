// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/inputs"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/observe"
)

// batch does the work of a batch job.
func (w *work) batch(ctx context.Context) error {
	w.prepare()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.line = pace.NewLine(w.parts.pages.Hosts, w.Retained)
	defer w.line.Leave()
	q, err := inputs.Open(ctx, w.space, w.URLs)
	if err != nil {
		return err
	}
	ctx = w.recorded(ctx)
	w.begun()
	one := w.one
	if w.shares() {
		one = lender{w}.oneElsewhere
	}
	return w.end(ctx, q.Run(ctx, w.Width, func(ctx context.Context, url string, input int) error {
		item, status, err := one(ctx, url, input)
		if errors.Is(err, account.ErrPayment) {
			stop(account.ErrPayment)
		}
		if err == nil {
			err = q.Keep(ctx, input, item, status)
		}
		if err == nil {
			w.parts.backlog.Add(w.Op, -1)
		}
		return err
	}))
}

// one makes the item for one URL of a batch, and returns the HTTP status of the page. raw
// is the URL as the caller sent it. An error ends the batch.
func (w *work) one(ctx context.Context, raw string, input int) (item job.Item, status int, err error) {
	id := job.NewID()
	began := time.Now()
	url := ""
	u, err := weburl.Input(raw, true) // whether a single label is allowed was checked at the start
	if err == nil {
		url = u.WithoutFragment().String()
	}
	item.Kind = job.Result
	if err == nil {
		item.Data, item.Cost, status, err = w.scrape(ctx, id, raw, url, input)
	}
	w.meter.Log.Tell(ctx, id, url, status, began, err)
	switch {
	case err == nil:
		return item, status, nil
	case errors.Is(err, account.ErrPayment):
		return job.Item{}, status, err
	case ctx.Err() != nil:
		return job.Item{}, status, context.Cause(ctx) // not a failure of the page
	}
	payload, cost, err := w.failure(ctx, id, raw, err, url)
	if payload == nil {
		return job.Item{}, status, err
	}
	return job.Item{Kind: job.Failure, Data: payload, Cost: cost}, status, nil
}

// scrape fetches and formats a page within a slot of the team. raw is the URL as the
// caller sent it. status is the HTTP status of the page. If the slot is lost to another
// process, the page is processed again.
func (w *work) scrape(ctx context.Context, id, raw, url string, input int) (payload []byte, cost, status int, err error) {
	err = slots.Again(ctx, func() error {
		payload, cost, status, err = w.scrapeOnce(ctx, id, raw, url, input)
		return err
	})
	return payload, cost, status, err
}

func (w *work) scrapeOnce(ctx context.Context, id, raw, url string, input int) (payload []byte, cost, status int, err error) {
	ctx, n := meter.Tallied(fetch.WithTeam(ctx, w.team))      // also in a process that helps another
	defer func() { w.meter.Scans.Add(url, int(n.Swap(0))) }() // of a page that fails
	defer reading.Recover(ctx, w.parts.pages.Logger, &err)
	v := w.page.visit(url)
	v.Line, v.Keep = w.line, w.keep
	turn, err := w.parts.pages.TakeTurn(ctx, v)
	if err != nil {
		return nil, 0, 0, err
	}
	defer turn.End(nil, nil)
	v.Fetched = func(ctx context.Context) error {
		_, err := job.Attempt(ctx, w.space, uint64(input)) //nolint:gosec // G115: from 1; its item ends it
		return err
	}
	doc, _, err := w.parts.inSlot(ctx, w.Slots, observe.Page{Endpoint: KindBatch, Job: w.job, Team: w.team}, func(ctx context.Context, held *slots.Seat) (*format.Document, error) {
		v.Terms, v.Turn, v.HasTurn = reading.Terms{Seat: held, Patient: true}, turn, true
		return w.parts.pages.Scrape(ctx, v)
	})
	if err != nil {
		return nil, 0, 0, err
	}
	doc.Metadata.SourceURL = raw
	w.meter.Scans.Add(url, int(n.Swap(0)))
	payload, cost, err = w.finish(ctx, id, doc, url)
	return payload, cost, doc.Metadata.StatusCode, err
}
