// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
)

// target is a page that is to be read for some tables.
type target struct {
	url    string // canonical
	tables []*outline.Table
	glance bool // if the page is an index, its first rows may suffice
	aside  bool // the page is only looked at
}

// outcome is the outcome of a target.
type outcome struct {
	target  target
	brought chan struct{}   // closed when page is set
	before  *outcome        // the outcome before it in the line; nil for the first
	twin    *outcome        // the previous outcome of the same page; nil if there is none
	placed  chan struct{}   // closed when the page has its tickets
	page    *grounding.Page // nil if it was not fetched
	done    chan struct{}   // closed when rows is set
	rows    int
}

// wait waits until the page was read.
func (o *outcome) wait() { <-o.done }

// readAll fetches the targets in their order, as many at once as the engine allows, and
// reads each when it arrives. It stops at the end of the credits or at a limit. A page
// of the run is not fetched again, but it is read for further tables.
func (r *Run) readAll(ctx context.Context, targets []target) {
	l := r.newLine()
	for _, t := range targets {
		if !l.send(ctx, t) {
			break
		}
	}
	l.wait(ctx)
}

// line contains the pages that are being fetched and read, in their order.
type line struct {
	r     *Run
	slots chan struct{}
	wg    sync.WaitGroup

	out  []*outcome            // used by one goroutine until wait is called
	sent map[string][]*outcome // the same, by URL
}

func (r *Run) newLine() *line {
	return &line{r: r, slots: make(chan struct{}, atLeast(r.e.Fetches, 8)), sent: map[string][]*outcome{}}
}

// outcome starts tracking a target. If its URL was sent before, the new outcome
// covers only the remaining tables.
func (l *line) outcome(t target) *outcome {
	out := &outcome{target: t, brought: make(chan struct{}), placed: make(chan struct{}), done: make(chan struct{})}
	for _, o := range l.sent[t.url] {
		out.target.tables = slices.DeleteFunc(slices.Clone(out.target.tables), func(t *outline.Table) bool { return slices.Contains(o.target.tables, t) })
		out.twin = o
	}
	if n := len(l.out); n > 0 {
		out.before = l.out[n-1]
	}
	return out
}

// send fetches a target and reads it in the background. It reports whether further
// targets may follow.
func (l *line) send(ctx context.Context, t target) bool {
	r := l.r
	select {
	case l.slots <- struct{}{}:
	case <-r.halted:
	case <-ctx.Done():
	}
	if r.stopping() || ctx.Err() != nil {
		return false
	}
	out := l.outcome(t)
	if out.twin != nil { // the page may still be on its way
		<-l.slots
		l.add(out)
		l.wg.Go(func() {
			defer close(out.done)
			<-out.twin.brought
			out.page = out.twin.page
			close(out.brought)
			l.read(ctx, out, nil)
		})
		return true
	}
	n, held := r.library.number(t.url)
	if held != nil {
		<-l.slots
		l.add(out)
		out.page = held
		close(out.brought)
		l.wg.Go(func() {
			defer close(out.done)
			l.read(ctx, out, nil)
		})
		return true
	}
	if n == 0 { // no more pages are allowed
		<-l.slots
		r.halt(finding.ReasonPages)
		return false
	}
	if !r.ahead.enter(ctx) {
		<-l.slots
		r.library.forget(t.url, n)
		return false
	}
	extract := func() Credits {
		if len(t.tables) == 0 {
			return 0
		}
		return r.reader.extractBound(t.tables[0])
	}
	env, err := r.library.envelope(ctx, t.url, extract)
	if err != nil {
		<-l.slots
		r.ahead.leave()
		r.library.forget(t.url, n)
		if errors.Is(err, budget.ErrBroke) {
			r.halt(finding.ReasonCredits)
		}
		return false
	}
	l.add(out)
	l.wg.Go(func() {
		defer r.ahead.leave()
		defer close(out.done)
		p, err := r.library.bring(ctx, t.url, n, env)
		<-l.slots
		if p != nil {
			p.Glance, p.Aside = t.glance, t.aside
		}
		r.library.arrived(n, p)
		out.page = p
		close(out.brought)
		if err != nil {
			r.budget.Drop(env.extract)
			out.place(ctx, r.reader)
			if errors.Is(err, budget.ErrBroke) {
				r.halt(finding.ReasonCredits)
			}
			return
		}
		l.read(ctx, out, env.extract)
	})
	return true
}

// add records that a target was sent.
func (l *line) add(out *outcome) {
	l.out = append(l.out, out)
	l.sent[out.target.url] = append(l.sent[out.target.url], out)
}

// wait waits for all targets that were sent. What the model has overlooked on some of them
// is found when several pages of a template were read.
func (l *line) wait(ctx context.Context) []*outcome {
	l.wg.Wait()
	l.r.reader.recall(ctx)
	return l.out
}

// read reads a page for its tables.
func (l *line) read(ctx context.Context, out *outcome, h *budget.Hold) {
	r := l.r
	defer r.budget.Drop(h)
	tickets := out.place(ctx, r.reader)
	defer func() {
		for _, k := range tickets {
			if k.l != nil {
				k.l.done(k.n)
				_ = r.reader.announce(ctx, k.l) // if it failed, fail has ended the run
			}
		}
	}()
	p := out.page
	if p == nil || p.Rec.Trouble != "" {
		return
	}
	if out.twin != nil {
		out.twin.wait() // a page is read by one goroutine at a time
	}
	again := true // it was read before, and may be a seed
	for i, t := range out.target.tables {
		if r.library.readBefore(p, t) {
			tickets[i].resolve()
			continue
		}
		again = false
		rows, err := r.reader.readSafe(ctx, p, t, h, tickets[i])
		out.rows += rows
		if err != nil {
			if errors.Is(err, budget.ErrBroke) {
				r.halt(finding.ReasonCredits)
			}
			for k := i + 1; k < len(tickets); k++ {
				tickets[k].resolve()
			}
			return
		}
	}
	if len(tickets) > 0 && !again && !p.Taught.Load() && !slices.ContainsFunc(tickets, ticket.isSeed) {
		p.Texts.Store(nil) // releases most of the page's memory
	}
}

// place gives a page its tickets, after the previous page has got its own.
func (o *outcome) place(ctx context.Context, r *reader) []ticket {
	defer close(o.placed)
	if o.before != nil {
		select {
		case <-o.before.placed:
		case <-ctx.Done():
		}
	}
	tickets := make([]ticket, len(o.target.tables))
	if o.page == nil || o.page.Rec.Trouble != "" {
		return tickets
	}
	for i, t := range o.target.tables {
		if r.library.copied(o.page, t) {
			continue
		}
		if c, first := r.learner.columnsOf(o.page, t); c != nil {
			tickets[i] = ticket{columns: c, first: first}
		} else if l := r.learner.learningOf(o.page, t); l != nil {
			tickets[i] = ticket{l: l, n: l.ticket()}
		}
	}
	return tickets
}

// aheadPages is the number of pages that a run may fetch before the first of them is
// read, for each page that it fetches at once. With more, too many pages would be paid
// for in vain if the model failed.
const aheadPages = 2

// ahead limits the pages that were fetched but not read yet. If the last replies of the
// model were unusable, the next page waits until all others were read.
type ahead struct {
	payer *payer
	most  int

	mu     sync.Mutex // guards the fields below
	pages  int
	change chan struct{} // closed when a page has been read; nil if nobody waits
}

// newAhead returns the limit for a run that fetches so many pages at once.
func newAhead(p *payer, fetches int) *ahead { return &ahead{payer: p, most: aheadPages * fetches} }

// enter waits until one more page may be fetched. It returns false if the search or ctx
// has ended.
func (a *ahead) enter(ctx context.Context) bool {
	for {
		most := a.most
		if a.payer.muted() {
			most = 1
		}
		a.mu.Lock()
		if a.pages < most {
			a.pages++
			a.mu.Unlock()
			return true
		}
		if a.change == nil {
			a.change = make(chan struct{})
		}
		change := a.change
		a.mu.Unlock()
		select {
		case <-change:
		case <-a.payer.halted:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// leave records that a page was read, or will not be read.
func (a *ahead) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pages--
	if a.change != nil {
		close(a.change)
		a.change = nil
	}
}
