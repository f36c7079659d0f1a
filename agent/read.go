// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/internal/wrapper"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// target is a page that is to be read for some tables.
type target struct {
	url    string // canonical
	tables []*outline.Table
	glance bool // if the page is an index, its first rows may suffice
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
			p.Glance = t.glance
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

// extractBound returns the most that reading one chunk can cost.
func (r *reader) extractBound(t *outline.Table) Credits {
	const overhead = 4000 // numbers, fields, task
	return r.payer.gauge.Usual(llm.RoleExtract, r.payer.price.Bound(len(protocol.System(llm.RoleExtract))+len(r.prompt)+2*len(t.Reply())+lines.ChunkBytes+overhead, protocol.MaxExtractOutput))
}

// read reads a page for its tables.
func (l *line) read(ctx context.Context, out *outcome, h *budget.Hold) {
	r := l.r
	defer r.budget.Drop(h)
	tickets := out.place(ctx, r.reader)
	p := out.page
	if p == nil || p.Rec.Trouble != "" {
		return
	}
	if out.twin != nil {
		out.twin.wait() // a page is read by one goroutine at a time
	}
	for i, t := range out.target.tables {
		if r.library.readBefore(p, t) {
			tickets[i].resolve(t)
			continue
		}
		rows, err := r.reader.readSafe(ctx, p, t, h, tickets[i])
		out.rows += rows
		if err != nil {
			if errors.Is(err, budget.ErrBroke) {
				r.halt(finding.ReasonCredits)
			}
			for k := i + 1; k < len(tickets); k++ {
				tickets[k].resolve(out.target.tables[k])
			}
			return
		}
	}
	if len(tickets) > 0 && !slices.ContainsFunc(tickets, ticket.isSeed) {
		p.Texts.Store(nil) // releases most of the page's memory
	}
}

// ticket is the position of a page in the learning of its template. The zero ticket
// means that nothing is learned.
type ticket struct {
	l *learning
	n int

	columns *columns // for its partly named table; nil if it has none
	first   bool     // this page learns the columns
}

// isSeed reports whether the template is learned from this page.
func (k ticket) isSeed() bool {
	if k.l == nil {
		return false
	}
	k.l.mu.Lock()
	defer k.l.mu.Unlock()
	return k.n >= k.l.first && k.n < k.l.limit
}

// resolve gives up the position of a seed.
func (k ticket) resolve(t *outline.Table) {
	if k.first {
		k.columns.end(nil)
	}
	if k.l == nil {
		return
	}
	k.l.mu.Lock()
	k.l.passed = max(k.l.passed, k.n+1)
	counts := k.n >= k.l.first && k.n < k.l.limit && !k.l.over
	k.l.mu.Unlock()
	if counts {
		k.l.resolve(t, nil)
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

// readSafe is readFor with protection against panics. A panic ends only the reading of
// this page.
func (r *reader) readSafe(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold, k ticket) (rows int, err error) {
	defer func() {
		if v := recover(); v != nil {
			_ = r.panicked("page "+p.Rec.ID, v) // it is reported as an issue
			k.resolve(t)
			r.library.attempted(p, t, true)
			r.note(ctx, finding.Issue{Kind: finding.IssueUnreadable, Detail: "the page could not be read", Source: p.Rec.ID})
		}
	}()
	return r.readFor(ctx, p, t, h, k)
}

// readFor reads a page for one table. It uses structured data first, then tables, then
// what was learned, and then the model. It returns the number of rows. h is used up.
func (r *reader) readFor(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold, k ticket) (int, error) {
	defer r.budget.Drop(h)
	free, whole, method := grid.WithoutModel(p, t)
	if len(free) > 0 {
		r.see(ctx, p, t, free, method, 0)
	}
	if method == "table" {
		noteUnread(r.tables, p, t, grid.Unread(p, t, nil, nil, free))
	}
	if whole {
		k.resolve(t)
		r.payer.readFree()
		return len(free), nil
	}
	rows, err := r.readRest(ctx, p, t, h, k)
	return len(free) + rows, err
}

// readRest reads what the structured data of a page does not contain. A caller that
// waits for another page to teach a template holds no reservation.
func (r *reader) readRest(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold, k ticket) (int, error) {
	if k.columns != nil {
		if !k.first {
			r.budget.Drop(h)
		}
		rows, ok, err := r.partial(ctx, p, t, k, h)
		if err != nil {
			return 0, err
		}
		if ok {
			r.see(ctx, p, t, rows, "table", 0)
			if !k.first {
				r.payer.readFree()
			}
			return len(rows), nil
		}
	}
	if k.l == nil {
		rows, err := r.readModel(ctx, p, t, h)
		return len(rows), err
	}
	if k.l.waits(k.n) {
		r.budget.Drop(h)
	}
	w, isSeed, err := k.l.await(ctx, k.n)
	switch {
	case err != nil:
		return 0, err
	case isSeed:
		return r.readSeed(ctx, p, t, h, k)
	case w == nil:
		rows, err := r.readModel(ctx, p, t, h)
		return len(rows), err
	}
	demoted := k.l.demotions()
	row, sure := w.Read(p, t, demoted)
	for !sure {
		wait, done := w.Ask(p, t)
		if wait == nil {
			if done != nil {
				defer done()
			}
			break
		}
		r.budget.Drop(h)
		select {
		case <-wait: // the model has read a page with the same texts
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
		demoted = k.l.demotions()
		row, sure = w.Read(p, t, demoted)
	}
	check := sure && k.l.checked(k.n)
	if sure && !check && k.l.apply(k.n, p, row, w, len(demoted)) {
		r.budget.Drop(h)
		r.see(ctx, p, t, []finding.Row{row}, "wrapper", 0)
		r.payer.readFree()
		return 1, nil
	}
	got, err := r.readSaid(ctx, p, t, h)
	rows := got.rows
	if err == nil && len(rows) == 1 {
		w.Teach(t, wrapper.Seed{Page: p, Row: rows[0], Said: got.flags(t)[0]})
		r.complete(ctx, p, t, rows[0], row)
	}
	if err == nil && check {
		err = r.audit(ctx, p, t, k, w, row, rows)
	}
	return len(rows), err
}

// complete adds the cells that a wrapper has read on a page and that the model has
// overlooked.
func (r *reader) complete(ctx context.Context, p *grounding.Page, t *outline.Table, said, read finding.Row) {
	row := finding.Row{}
	for name, c := range read {
		if _, ok := said[name]; !ok {
			row[name] = c
		}
	}
	if _, ok := t.KeyOf(said); len(row) == 0 || !ok {
		return
	}
	for _, k := range t.Keys {
		row[k] = said[k]
	}
	r.see(ctx, p, t, []finding.Row{row}, "wrapper", 0)
}

// readSeed lets the model read a page from which its template is learned.
func (r *reader) readSeed(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold, k ticket) (int, error) {
	got, err := r.readSaid(ctx, p, t, h)
	rows := got.rows
	var s *wrapper.Seed
	if row := t.Only(rows); err == nil && row != nil {
		s = &wrapper.Seed{Page: p, Row: row, Said: got.flags(t)[0]}
		k.l.give(*s)
		if !s.Good(t) {
			s = nil
		}
	}
	if learned := k.l.resolve(t, s); learned != nil {
		r.learner.store(p).Put(k.l.key, learned)
		err = errors.Join(err, r.emit(ctx, journal.Event{Kind: journal.EventLearned, Key: k.l.key + " " + p.Rec.ID, Note: t.ID + " " + value.Shape(p.Rec.URL)}))
	}
	return len(rows), err
}

// audit compares wrapper and model on one page. If they disagree, the model reads the
// pages since the last agreement again.
func (r *reader) audit(ctx context.Context, p *grounding.Page, t *outline.Table, k ticket, w *wrapper.Wrapper, row finding.Row, rows []finding.Row) error {
	again, demoted := k.l.compare(k.n, t, w, row, rows)
	if len(demoted) == 0 {
		return nil
	}
	r.learner.store(p).Put(k.l.key, nil)
	err := r.emit(ctx, journal.Event{Kind: journal.EventDemoted, Key: k.l.key + " " + p.Rec.ID, Note: t.ID + " " + strings.Join(demoted, " ")})
	for _, a := range again {
		r.tables.retract(t, a.page, demoted)
		if _, bad := r.readModel(ctx, a.page, t, nil); bad != nil {
			return errors.Join(err, bad)
		}
	}
	return err
}

// readModel lets the model read a page for one table: its main content and, if required
// cells are still empty, the whole page. h is used up.
func (r *reader) readModel(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold) ([]finding.Row, error) {
	got, err := r.readSaid(ctx, p, t, h)
	return got.rows, err
}

// readSaid is readModel, and also returns what was not accepted.
func (r *reader) readSaid(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold) (extraction, error) {
	got, err := readParts(func(part *outline.Table, h *budget.Hold) (extraction, error) {
		return r.extract(ctx, p, p.Main, part, h)
	}, t, h)
	r.said(ctx, p, t, got, "model")
	if err != nil || p.Full == nil || !r.lacks(p, t, got) {
		return got, err
	}
	all, err := readParts(func(part *outline.Table, h *budget.Hold) (extraction, error) {
		return r.extract(ctx, p, p.Full, part, h)
	}, t, nil)
	r.said(ctx, p, t, all, "whole") // merging prefers the rows of "model"
	got.rows, got.lost = append(got.rows, all.rows...), append(got.lost, all.lost...)
	return got, err
}

// said adds the rows that the model found on a page.
func (r *reader) said(ctx context.Context, p *grounding.Page, t *outline.Table, got extraction, method string) {
	for _, i := range issuesOf(got.lost, p.Rec.ID) {
		r.note(ctx, i)
	}
	for _, l := range got.lost {
		switch {
		case l.Issue != finding.IssueUnsupported:
		case l.Items == 0:
			r.dropped.add(l.Field)
		default:
			r.dropped.shorten(p.Rec.ID, l.Field)
		}
	}
	if got.over > 0 {
		r.dropped.rows.Store(true)
	}
	r.library.said(p, t, got.kind, got.total)
	r.library.attempted(p, t, got.unread > 0)
	r.seeSaid(ctx, p, t, got, method)
}

// lacks reports whether required cells are still empty after reading the main content,
// and the whole page may fill them. This is so if most rows lack the field, because a
// part that the main content leaves out seldom concerns a single row.
func (r *reader) lacks(p *grounding.Page, t *outline.Table, got extraction) bool {
	if lacksColumn(t, got.rows) && p.IsIndex(t, len(got.rows)) {
		return false // the detail pages have it
	}
	if answeredElsewhere(r.tables, p, t, got.rows) {
		return false // the page about that thing has it
	}
	if len(got.rows) == 0 {
		return got.kind != "none" && got.kind != "blocked"
	}
	return slices.ContainsFunc(t.Fields, func(f *outline.Field) bool {
		n := 0
		for _, row := range got.rows {
			if _, ok := row[f.Name]; !ok {
				n++
			}
		}
		return f.Required && 2*n > len(got.rows)
	})
}

// seeSaid adds the rows of a reply to the tables, with the booleans that were dropped.
func (r *reader) seeSaid(ctx context.Context, p *grounding.Page, t *outline.Table, got extraction, method string) {
	r.tables.add(p, t, got.rows, method, got.flags(t))
	r.seen(ctx, p, t, got.rows, method, got.total)
}

// see adds rows of a page to the tables.
func (r *reader) see(ctx context.Context, p *grounding.Page, t *outline.Table, rows []finding.Row, method string, total int) {
	r.tables.add(p, t, rows, method, nil)
	r.seen(ctx, p, t, rows, method, total)
}

// seen records rows that were added to the tables.
func (r *reader) seen(ctx context.Context, p *grounding.Page, t *outline.Table, rows []finding.Row, method string, total int) {
	r.library.gave(p, len(rows))
	_ = r.emit(ctx, journal.Event{Kind: journal.EventExtracted, Key: t.ID + " " + p.Rec.ID + " " + method, Extracted: &journal.ExtractedRecord{
		Source: p.Rec.ID, Table: t.ID, Method: method, Count: len(rows), Total: total, Rows: rows,
	}}) // if it failed, fail has ended the run
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
