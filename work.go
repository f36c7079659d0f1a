// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/explain"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/recrawl"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/internal/service/stored"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/job"
	"example.com/curlew/observe"
)

// works contains the running jobs of this process.
type works struct {
	ready sync.Map // maps the Op of a job that is about to begin to its *meter.Meter
	runs  sync.Map // maps the ID of an agent job to its *agent.Run
	stops sync.Map // has the IDs of agent jobs that are to stop, also before their run has begun
	since sync.Map // maps the ID of a crawl job to the *recrawl.Memory of the crawl with which it is compared
}

// work is a running job.
type work struct {
	spec
	parts *parts
	job   string // the ID of the job
	team  string
	space job.Space
	meter *meter.Meter
	page  *ScrapeOptions  // options of the job's pages
	begun func()          // called before the first page is requested; see job.Begin
	since *recrawl.Memory // for a crawl: the earlier crawl with which it is compared, or nil
	keep  viewing.Keep    // stores what a browser has produced; nil if it is not stored
	line  *pace.Line      // for turns at hosts; the frontier of a crawl has its own for pages
}

// working returns a function for the runner that does the work of a job with a
// specification.
func (p *parts) working(do func(*work, context.Context) error) job.Work {
	return p.observed(func(ctx context.Context, j *job.Job, space job.Space) error {
		sp, err := readSpec(j)
		if err != nil {
			return err
		}
		defer p.backlog.Leave(sp.Op)
		begun, err := job.Begin(space)
		if err != nil {
			return faults.ErrCrashed
		}
		w, err := p.take(ctx, j, sp, space)
		if err != nil {
			return err
		}
		w.begun = begun
		return do(w, ctx)
	})
}

// observed returns work that also reports its begin and end to the Trace.
func (p *parts) observed(work job.Work) job.Work {
	return func(ctx context.Context, j *job.Job, space job.Space) (err error) {
		ctx = fetch.WithTeam(ctx, j.Owner)
		ctx, end := p.service.Trace.BeginJob(ctx, observe.Job{ID: j.ID, Kind: j.Kind, Team: j.Owner})
		err = faults.ErrPanic // unless work returns; the runner reports a panic
		defer func() { end(err) }()
		err = work(ctx, j, space)
		return err
	}
}

// take begins or continues a job. A job that was just started uses the meter of its
// start. After a restart, it gets a new meter with the same reservation.
func (p *parts) take(ctx context.Context, j *job.Job, sp spec, space job.Space) (*work, error) {
	w := &work{spec: sp, parts: p, job: j.ID, team: j.Owner, space: space}
	a, fresh := p.works.ready.LoadAndDelete(sp.Op)
	if fresh {
		w.meter = a.(*meter.Meter) // ready has only values of this type
	} else if err := w.retake(ctx, j.Kind); err != nil {
		return nil, err
	}
	if sp.Audit != nil && w.meter.Log == nil {
		w.meter.Follow(p.meters.Activity(*sp.Audit), sp.Retained)
	}
	w.meter.Log.OfJob(j.ID)
	if sp.Hook != nil {
		if err := p.outbox.Announce(ctx, j, sp.Hook, sp.Retained); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// prepare sets the options of the job's pages.
func (w *work) prepare() {
	w.page = w.Page.forTeam(w.team, w.Retained)
	w.page.Gate = w.meter.Gate
	if w.page.Files != "" && !w.Retained {
		w.keep = viewing.KeepIn(w.space, w.job, w.page.Files)
	}
}

// retake creates the meter of a job that continues after a restart. Its reservation is
// reduced by the spent credits. retake also sets the backlog of a batch. The backlog of a
// crawl comes from its frontier.
func (w *work) retake(ctx context.Context, kind string) error {
	stats, err := w.space.Stats(ctx)
	if err != nil {
		return err
	}
	if kind == KindBatch {
		done := stats.Items[job.Result] + stats.Items[job.Failure]
		w.parts.backlog.Set(w.team, w.Op, len(w.URLs)+stats.Items[job.Input]-done)
	}
	w.meter, err = w.parts.meters.Reopen(ctx, w.team, w.Op, w.Reserved, stats.Cost, w.Threat)
	return err
}

// fetcher returns the fetcher of the job, which takes a slot of the team for each request.
func (w *work) fetcher() fetch.Fetcher {
	return &slots.Fetcher{Fetcher: w.parts.pages.Shower(w.page.reading(), w.Shown, w.meter.Gate), Teams: &w.parts.slots, Team: w.team, Limit: w.Slots}
}

// visit makes the stored document or failure of a page of a crawl.
func (w *work) visit(ctx context.Context, p *crawl.Page, stop context.CancelCauseFunc) (failed error) {
	id := job.NewID()
	began := time.Now()
	defer func() { w.meter.Log.Tell(ctx, id, cmp.Or(p.Asked, p.URL), p.Status, began, failed) }()
	err := p.Err
	switch {
	case err != nil:
	case p.Change == crawl.Gone:
		return w.since.Gone(ctx, w.space, cmp.Or(p.Asked, p.URL))
	case p.Unmodified || p.Change == crawl.Same && w.since.Copies():
		p.Payload, p.Cost, err = w.unchanged(ctx, id, p)
		if p.Payload == nil && err == nil && p.Unmodified {
			err = errCopy
		}
	}
	if err == nil && p.Payload == nil {
		_, err = job.Attempt(ctx, w.space, p.ID) // the commit of the page ends the attempt
		if errors.Is(err, job.ErrCrashed) {
			p.Body = nil // so that the crawl does not read its links either
		}
	}
	if err == nil && p.Payload == nil {
		p.Payload, p.Cost, err = w.payload(ctx, id, p)
	}
	if err == nil {
		return nil
	}
	payload, cost, err := w.failure(ctx, id, w.source(p), err, p.Asked, p.URL)
	if errors.Is(err, account.ErrPayment) {
		stop(account.ErrPayment)
	}
	p.Payload, p.Cost = payload, cost
	return err
}

// errCopy fails a page that was not modified if its earlier document cannot be read.
var errCopy = errors.New("earlier document is lost")

// source returns the requested URL of a page. For the start page, it returns the text
// that the caller wrote.
func (w *work) source(p *crawl.Page) string {
	asked := cmp.Or(p.Asked, p.URL)
	if p.From == "" && w.Asked != "" && recrawl.Plain(asked) == recrawl.Plain(w.URL) {
		return w.Asked
	}
	return asked
}

// failure makes the stored entry of a failed page. It returns the entry, the cost of the
// page with the scans for urls, and the error for the caller. If the error is ErrPayment,
// there is no entry.
func (w *work) failure(ctx context.Context, id, source string, err error, urls ...string) (payload []byte, cost int, _ error) {
	if errors.Is(err, account.ErrPayment) {
		return nil, 0, err
	}
	cost, err = w.missed(ctx, err)
	if errors.Is(err, account.ErrPayment) {
		return nil, 0, err
	}
	cost += w.meter.Scans.Take(urls...)
	entry := pageFailure(id, source, err)
	entry.CreditsUsed = cost
	payload, encoded := jsonenc.Encode(entry)
	return payload, cost, cmp.Or(encoded, err)
}

// missed charges the cost of a failed page. It returns the cost and the error of the page.
func (w *work) missed(ctx context.Context, err error) (int, error) {
	cost, err := w.page.missed(err)
	if cost == 0 {
		return 0, err
	}
	if short := w.meter.Spend(ctx, cost); short != nil {
		return 0, short
	}
	return cost, err
}

// payload makes the document of a crawled page.
func (w *work) payload(ctx context.Context, id string, p *crawl.Page) ([]byte, int, error) {
	o := w.page.reading()
	ctx, n := meter.Tallied(ctx)
	o.Keep, o.Line = w.keep, w.line
	var doc *format.Document
	err := slots.Again(ctx, func() (err error) {
		doc, _, err = w.parts.inSlot(ctx, w.Slots, observe.Page{Endpoint: KindCrawl, Job: w.job, Team: w.team}, func(ctx context.Context, held *slots.Seat) (*format.Document, error) {
			held.OnFree(p.Hold())
			o.Terms = reading.Terms{Seat: held, Patient: true, Limit: cmp.Or(w.page.Timeout, time.Minute)}
			return w.parts.pages.Document(ctx, p, o)
		})
		return err
	})
	w.meter.Scans.Add(p.URL, int(n.Load()))
	if err != nil {
		return nil, 0, err
	}
	doc.Metadata.SourceURL = w.source(p)
	payload, cost, err := w.finish(ctx, id, doc, p.Asked, p.URL)
	if err == nil {
		payload, err = w.since.Compared(payload, p)
	}
	return payload, cost, err
}

// finish charges a document, with the scans that were made for urls, and encodes it.
func (w *work) finish(ctx context.Context, id string, doc *format.Document, urls ...string) ([]byte, int, error) {
	cost := w.page.Price(w.Retained) + meter.PagesPrice(&w.page.Format, doc)
	if err := w.meter.Spend(ctx, cost); err != nil {
		return nil, 0, err
	}
	cost += w.meter.Scans.Take(urls...)
	w.page.complete(doc, id, cost, w.parts.pages.Caching())
	payload, err := jsonenc.Encode(doc)
	return payload, cost, err
}

// end settles the credits and returns the error with which the job ends.
func (w *work) end(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), account.ErrPayment) {
		err = nil
		note := job.Item{Kind: job.Note, Data: []byte("The job ended early: the credits are used up.")}
		if err := w.space.Append(context.WithoutCancel(ctx), note); err != nil {
			return err
		}
	}
	if errors.Is(err, job.ErrShutdown) || errors.Is(context.Cause(ctx), job.ErrShutdown) {
		return err // the job continues in the next process
	}
	if failed := w.since.End(context.WithoutCancel(ctx), w.space, w.Limit, err == nil && ctx.Err() == nil); failed != nil {
		return errors.Join(err, failed)
	}
	if failed := w.listScans(context.WithoutCancel(ctx)); failed != nil {
		return errors.Join(err, failed)
	}
	stats, failed := w.space.Stats(context.WithoutCancel(ctx))
	if failed != nil {
		return errors.Join(err, failed)
	}
	if failed := w.meter.Settle(ctx, stats.Cost); failed != nil {
		return errors.Join(err, failed)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	// Only the operator may see the error of a store or frontier. The team gets a general
	// sentence.
	w.parts.pages.Logger.ErrorContext(ctx, "job failed", "team", w.team, "err", err)
	return faults.ErrJob
}

// listScans adds an entry to the errors that bills the scans that were not billed with a
// page. A scan costs credits even if its URL is not requested.
func (w *work) listScans(ctx context.Context) error {
	n := w.meter.Scans.Left()
	if n <= 0 {
		return nil
	}
	url := cmp.Or(w.Asked, w.URL)
	if len(w.URLs) > 0 {
		url = w.URLs[0]
	}
	item, err := stored.Scans(url, n)
	if err != nil {
		return err
	}
	return w.space.Append(ctx, item)
}

// crawlTrace returns the trace of a crawl job. It combines a trace that counts the
// remaining pages, the trace keep, and the program's trace.
func (w *work) crawlTrace(keep func(scope.RobotsFile)) *crawl.Trace {
	host := w.parts.service.Trace.OfCrawl(observe.Job{ID: w.job, Kind: KindCrawl, Team: w.team})
	ours := w.parts.backlog.OfCrawl(w.team, w.Op, w.Limit)
	ours.Robots = keep
	return crawl.JoinTraces(ours, host)
}

// crawl is the work of a crawl job.
func (w *work) crawl(ctx context.Context) error {
	w.prepare()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := w.config()
	c.Request = w.page.request()
	if w.meter.Gate != nil { // only then, because a judge costs memory
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error {
			err := w.meter.Judge(ctx, url, stage == crawl.Discovered)
			if errors.Is(err, account.ErrPayment) {
				stop(account.ErrPayment)
			}
			return err
		}
		c.Request.Redirect = func(hop fetch.Hop) error {
			w.meter.Scans.Moved(hop.From, hop.To)
			return nil
		}
	}
	c.Visit = func(ctx context.Context, p *crawl.Page) error { return w.visit(ctx, p, stop) }
	if w.Since != "" {
		var err error
		w.since, err = remember(ctx, w)
		if errors.Is(err, job.ErrNotFound) {
			note := job.Item{Kind: job.Note, Data: []byte("The crawl of since has expired: nothing was compared.")}
			err = w.space.Append(ctx, note)
		}
		if err != nil {
			return w.end(ctx, err)
		}
	}
	if w.since != nil {
		c.Since = w.since
		w.parts.works.since.Store(w.job, w.since)
		defer w.parts.works.since.Delete(w.job)
	}
	c.Hosts, c.Forget = w.parts.pages.Hosts, w.Retained
	if w.shares() {
		c.Share = sharing.Pages(lender{w}.share)
	}
	w.line = pace.NewLine(c.Hosts, c.Forget)
	defer w.line.Leave()
	var err error
	if c.Frontier, err = w.space.Frontier(ctx, c.FrontierOptions()); err != nil {
		return err
	}
	defer func() { _ = c.Frontier.Close() }() // releases its turns at hosts
	robots, err := explain.NewKeeper(ctx, w.space)
	if err != nil {
		return err
	}
	ctx = w.recorded(ctx)
	trace := w.crawlTrace(func(f scope.RobotsFile) { robots.Keep(ctx, f) })
	w.begun()
	engine := crawl.Engine{Fetcher: w.fetcher(), UserAgent: w.parts.service.UserAgent, Trace: trace}
	for p, err := range engine.Run(ctx, c) {
		if err == nil {
			err = lender{w}.collect(ctx, p)
		}
		if errors.Is(err, account.ErrPayment) {
			stop(err)
		}
		if err != nil {
			return w.end(ctx, err)
		}
	}
	return w.end(ctx, nil)
}
