// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// thin reports whether a crawl of few pages may have been kept small by the
// path of its start URL.
func thin(sp *spec) bool {
	if sp.Crawl == nil || sp.Crawl.EntireDomain {
		return false
	}
	u, err := weburl.Parse(sp.URL)
	return err == nil && u.Path() != "/"
}

// crawl is the work of a crawl job.
func (w *work) crawl(ctx context.Context) error {
	w.prepare()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := w.config()
	c.Request = w.page.request()
	if w.meter.gate != nil { // a judge costs memory
		c.Judge = func(ctx context.Context, url string, stage crawl.Stage) error { return w.judge(ctx, url, stage, stop) }
		c.Request.Redirect = func(hop fetch.Hop) error {
			w.meter.scans.moved(hop.From, hop.To)
			return nil
		}
	}
	c.Visit = func(ctx context.Context, p *crawl.Page) error { return w.visit(ctx, p, stop) }
	if w.Since != "" {
		copies, err := w.copies(ctx)
		if err == nil {
			w.since, err = w.remember(ctx, copies)
		}
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
		w.service.since.Store(w.job, w.since)
		defer w.service.since.Delete(w.job)
	}
	c.Hosts, c.Forget = w.service.turns(), w.Retained
	w.line = pace.NewLine(c.Hosts, c.Forget)
	defer w.line.Leave()
	var err error
	if c.Frontier, err = w.space.Frontier(ctx, c.FrontierOptions()); err != nil {
		return err
	}
	defer func() { _ = c.Frontier.Close() }() // it gives back its turns at hosts
	robots, err := newRobotsKeeper(ctx, w.space)
	if err != nil {
		return err
	}
	trace := w.crawlTrace(func(f scope.RobotsFile) { robots.keep(ctx, f) })
	w.begun()
	engine := crawl.Engine{Fetcher: w.fetcher(), UserAgent: w.service.UserAgent, Trace: trace}
	for p, err := range engine.Run(ctx, c) {
		if err == nil {
			err = w.keepKnown(p)
		}
		if err != nil {
			return w.end(ctx, err)
		}
	}
	return w.end(ctx, nil)
}
