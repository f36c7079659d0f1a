// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

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

// extractBound returns the most that reading one chunk can cost.
func (r *reader) extractBound(t *outline.Table) Credits {
	const overhead = 4000 // numbers, fields, task
	return r.payer.gauge.Usual(llm.RoleExtract, r.payer.price.Bound(len(protocol.System(llm.RoleExtract))+len(r.prompt)+2*len(t.Reply())+lines.ChunkBytes+overhead, protocol.MaxExtractOutput))
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
func (k ticket) resolve() {
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
		k.l.resolve(k.n, nil)
	}
	k.l.done(k.n)
}

// readSafe is readFor with protection against panics. A panic ends only the reading of
// this page.
func (r *reader) readSafe(ctx context.Context, p *grounding.Page, t *outline.Table, h *budget.Hold, k ticket) (rows int, err error) {
	defer func() {
		if v := recover(); v != nil {
			_ = r.panicked("page "+p.Rec.ID, v) // it is reported as an issue
			k.resolve()
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
	if method == "table" {
		lost := grid.Unread(p, t, nil, nil, free)
		if interpret(ctx, r, t, lost) {
			free, whole, method = grid.WithoutModel(p, t)
			lost = grid.Unread(p, t, nil, nil, free)
		}
		noteUnread(r.tables, p, t, lost, false)
	}
	if len(free) > 0 {
		r.see(ctx, p, t, free, method, 0)
	}
	if whole {
		k.resolve()
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
	k.l.resolve(k.n, s)
	return len(rows), errors.Join(err, r.announce(ctx, k.l))
}

// announce stores and records what was learned about the family of a template.
func (r *reader) announce(ctx context.Context, l *learning) (err error) {
	for _, one := range l.fresh() {
		l, p := one.l, one.page
		l.store.Put(l.key, one.wrapper)
		err = errors.Join(err, r.emit(ctx, journal.Event{Kind: journal.EventLearned, Key: l.key + " " + p.Rec.ID, Note: l.table.ID + " " + value.Shape(p.Rec.URL)}))
	}
	return err
}

// audit compares wrapper and model on one page. If they disagree, the model reads the
// pages since the last agreement again.
func (r *reader) audit(ctx context.Context, p *grounding.Page, t *outline.Table, k ticket, w *wrapper.Wrapper, row finding.Row, rows []finding.Row) error {
	again, demoted := k.l.compare(k.n, t, w, row, rows)
	if len(demoted) == 0 {
		return nil
	}
	k.l.store.Put(k.l.key, nil)
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
	if err != nil || p.Full == nil || !lacks(r.tables, p, t, got) {
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
	var illegible []grounding.LostCell
	for _, l := range got.lost {
		switch {
		case l.Issue != finding.IssueUnsupported:
			illegible = append(illegible, l)
		case l.Items == 0:
			r.dropped.add(l.Field)
		default:
			r.dropped.shorten(p.Rec.ID, l.Field)
		}
	}
	if got.over+got.odd > 0 {
		r.dropped.rows.Store(true)
	}
	noteUnread(r.tables, p, t, illegible, true)
	r.library.said(p, t, got.kind, got.total)
	r.library.attempted(p, t, got.unread > 0)
	r.seeSaid(ctx, p, t, got, method)
}

// lacks reports whether required cells are still empty after reading the main content,
// and the whole page may fill them. This is so if most rows lack the field, because a
// part that the main content leaves out seldom concerns a single row.
func lacks(ts *tables, p *grounding.Page, t *outline.Table, got extraction) bool {
	if lacksColumn(t, got.rows) && p.IsIndex(t, len(got.rows)) {
		return false // the detail pages have it
	}
	if answeredElsewhere(ts, p, t, got.rows) {
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
	rows := grid.Describe(p, t, got.rows)
	r.tables.add(p, t, rows, method, got.flags(t))
	r.seen(ctx, p, t, rows, method, got.total)
}

// see adds rows of a page to the tables.
func (r *reader) see(ctx context.Context, p *grounding.Page, t *outline.Table, rows []finding.Row, method string, total int) {
	rows = grid.Describe(p, t, rows)
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
