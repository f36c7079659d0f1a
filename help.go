// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/meter"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// taskKind is the kind of tasks that this Service shares and helps with. Only a process
// that would make the same documents may help, so it stands for what the operator has
// configured.
func taskKind(p *parts) string {
	s, f := p.service, &p.pages.Format
	return sharing.Kind(s.Renderer != nil, f.Writer != nil, s.Parser.OCR != nil, s.Parser.Render != nil, f.Ads != nil, s.LocalNames, len(s.Parser.Readers), s.UserAgent)
}

// helpGrace is how long pages in progress may take when Help ends.
const helpGrace = 5 * time.Second

// Help fetches and reads pages for crawls and batches of other processes that share the
// Store, at most most pages at once. When ctx ends, it takes no more pages, finishes
// those in progress, gives up those that take longer than five seconds, and returns nil.
// The other processes then process these pages again.
//
// The Service helps only processes with the same configuration of engines. Each process
// sends requests through its own Fetcher, so the Fetchers must have the same rules, too.
// If the Store cannot share work, the error wraps [ErrEngine].
func (s *Service) Help(ctx context.Context, most int) error {
	p := s.parts()
	store, ok := p.runner.Store.(job.Helper)
	if !ok {
		return refuse(ErrEngine, "The store of jobs is not shared with other processes.")
	}
	pool := sharing.Pool[*helper]{Open: func(j *job.Job) (*helper, error) { return newHelper(p, j) }, Close: (*helper).close}
	defer pool.End()
	return store.Help(ctx, job.Help{Kind: taskKind(p), Most: most, Grace: helpGrace, Do: func(ctx context.Context, j *job.Job, task []byte) ([]byte, error) {
		own, leave, err := pool.Take(j)
		if err != nil {
			return nil, err
		}
		defer leave()
		return own.do(ctx, task)
	}})
}

// helper does pages of one job of another process.
type helper struct {
	work  *work
	crawl *crawl.Assistant // nil for a batch
}

// do does a task of the job.
func (h *helper) do(ctx context.Context, task []byte) ([]byte, error) {
	if h.crawl != nil {
		return sharing.Do(ctx, h.crawl, task, h.work.keepKnown)
	}
	return sharing.DoInput(ctx, task, func(ctx context.Context, raw string, n int) (job.Item, int, error) {
		if u, err := weburl.Input(raw, true); err == nil {
			ctx = crawl.Lent(ctx, u.WithoutFragment().String())
		}
		return h.work.one(ctx, raw, n)
	})
}

func (h *helper) close() {
	h.work.line.Leave()
	if h.crawl != nil {
		h.crawl.Close()
	}
}

// newHelper makes the helper of a job.
func newHelper(p *parts, j *job.Job) (*helper, error) {
	sp, err := readSpec(j)
	if err != nil {
		return nil, err
	}
	if sp.Page == nil || sp.Retained {
		return nil, fmt.Errorf("%w: a task of a job of the kind %q", job.ErrInvalid, j.Kind)
	}
	w := &work{spec: sp, parts: p, job: j.ID, team: j.Owner, meter: meter.Uncharged(nil)}
	if sp.Audit != nil {
		log := (&meter.Meters{Sink: sharing.Notes{}, Logger: p.meters.Logger, Explain: auditFault}).Activity(*sp.Audit)
		log.OfJob(j.ID)
		w.meter.Log = log
	}
	w.prepare()
	w.line = pace.NewLine(p.pages.Hosts, false)
	own := &helper{work: w}
	if j.Kind != KindCrawl {
		return own, nil
	}
	c := w.config()
	c.Request, c.Hosts = w.page.request(), p.pages.Hosts
	c.Visit = func(ctx context.Context, page *crawl.Page) error {
		ctx, note := sharing.Noted(ctx)
		err := w.visit(ctx, page, func(error) {})
		page.Note = note.Encode()
		return err
	}
	own.crawl, err = (&crawl.Engine{Fetcher: w.fetcher(), UserAgent: p.service.UserAgent}).Assist(c)
	if err != nil {
		w.line.Leave()
		return nil, err
	}
	return own, nil
}

// shares reports whether other processes may fetch and read pages of the job. They
// cannot if that needs something that only this process has: the threat gate with its
// credits, the pages of an earlier crawl, the cache, or earlier versions of a page.
// Files of a browser, and the records of an archive, are stored with the job.
func (w *work) shares() bool {
	return w.space != nil && job.Shares(w.space) && !w.Retained && !w.Archive && w.meter.Gate == nil && w.Since == "" &&
		!w.page.onlyCache() && !slices.Contains(w.page.Format.Forms, format.ChangesForm) && (w.page.Files == "" || w.page.Browser == nil)
}

// lender shares the pages of a running job with other processes.
type lender struct{ work *work }

// share passes a page to another process; see [job.Share]. No more pages of the team are
// passed on at the same time than it has slots. The process that does the page takes a slot
// for it, too.
func (l lender) share(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error) {
	held, _, err := l.work.parts.lent.Sit(ctx, l.work.team, l.work.Slots)
	if err != nil {
		return nil, err
	}
	drop := sync.OnceFunc(held.Drop)
	defer drop()
	return job.Share(ctx, l.work.space, job.Task{Kind: taskKind(l.work.parts), Data: task, Gap: gap}, func() {
		drop()
		here()
	})
}

// charge charges a page that another process has read, and passes on its audit event.
func (l lender) charge(ctx context.Context, cost int, note []byte) error {
	if err := l.work.meter.Spend(ctx, cost); err != nil {
		return err
	}
	if e, ok := sharing.Event(note); ok {
		l.work.meter.Log.Pass(ctx, e)
	}
	return nil
}

// collect accepts a page of a crawl before it is committed.
func (l lender) collect(ctx context.Context, p *crawl.Page) error {
	if p.Shared {
		return l.charge(ctx, p.Cost, p.Note)
	}
	return l.work.keepKnown(p)
}

// oneElsewhere makes the item for one URL of a batch, in another process if one is free,
// and returns it with the HTTP status of the page.
func (l lender) oneElsewhere(ctx context.Context, raw string, n int) (job.Item, int, error) {
	all := sharing.Inputs{Turn: l.turn, Pass: l.share, Here: l.work.one, Charge: l.charge, Lost: func(ctx context.Context, n int, err error) {
		l.work.parts.pages.Logger.WarnContext(ctx, "a page of a batch did not come back from another process", "job", l.work.job, "input", n, "err", err)
	}}
	item, status, err := all.One(ctx, raw, n)
	if !errors.Is(err, crawl.ErrLost) {
		return item, status, err
	}
	payload, cost, err := l.work.failure(ctx, job.NewID(), raw, err, raw)
	if payload == nil {
		return item, 0, err
	}
	return job.Item{Kind: job.Failure, Data: payload, Cost: cost}, 0, nil
}

// turn takes a turn at the host of a URL of a batch. It is nil if the page is cached or
// the URL is not valid.
func (l lender) turn(ctx context.Context, raw string) *crawl.Turn {
	u, err := weburl.Input(raw, true)
	if err != nil {
		return nil
	}
	v := l.work.page.visit(u.WithoutFragment().String())
	v.Line = l.work.line
	turn, err := l.work.parts.pages.TakeTurn(ctx, v)
	if err != nil {
		return nil // the scrape will get the same error
	}
	return turn
}
