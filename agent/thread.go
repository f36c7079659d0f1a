// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// thread contains what a run takes over from the run that it continues.
type thread struct {
	earlier []string // earlier questions, the oldest first
	left    int      // number of older questions that are left out
	urls    []string // of the last question
	strict  bool
	private bool // pages may show what only the sender of a task's headers may see

	tables  []journal.PlannedTable         // of the last plan
	pages   map[string]*journal.PageRecord // by ID
	at      map[string]time.Time           // when they were read, by ID
	rows    []*journal.ExtractedRecord
	demoted map[string]bool // tables of which some rows proved wrong later
	unread  map[string]bool // IDs of pages of which the model could not read a part
}

// readThread reads the journal of the run that is continued.
func readThread(events iter.Seq2[journal.Event, error]) (*thread, error) {
	t := &thread{pages: map[string]*journal.PageRecord{}, at: map[string]time.Time{}, demoted: map[string]bool{}, unread: map[string]bool{}}
	begun := false
	for e, err := range events {
		switch {
		case err != nil:
			return nil, err
		case !begun && e.Accepted == nil:
			return nil, ErrHistory
		case e.Accepted != nil:
			begun = true
			t.ask(append(slices.Clone(e.Accepted.Earlier), e.Accepted.Prompt), e.Accepted.Left)
			t.urls, t.strict, t.private = e.Accepted.URLs, e.Accepted.Strict, e.Accepted.Private
		case e.Planned != nil:
			t.tables = e.Planned.Tables
		case e.Page != nil:
			t.pages[e.Page.ID], t.at[e.Page.ID] = e.Page, e.At
		case e.Extracted != nil:
			t.rows = append(t.rows, e.Extracted)
		case e.Issue != nil && e.Issue.Kind == finding.IssueProvider && e.Issue.Source != "":
			t.unread[e.Issue.Source] = true
		case e.Kind == journal.EventDemoted:
			table, _, _ := strings.Cut(e.Note, " ")
			t.demoted[table] = true
		}
	}
	if !begun {
		return nil, ErrHistory
	}
	return t, nil
}

// ask sets the earlier questions: the latest ones that together are no longer than one
// prompt may be.
func (t *thread) ask(questions []string, left int) {
	size, n := 0, len(questions)
	for n > 0 && size+utf8.RuneCountInString(questions[n-1]) <= maxPrompt {
		n--
		size += utf8.RuneCountInString(questions[n])
	}
	t.earlier, t.left = questions[n:], left+n
}

// before returns what a plan sees of the tables of the last answer.
func (t *thread) before() []protocol.PromptTable {
	var out []protocol.PromptTable
	for _, said := range t.tables {
		p := protocol.PromptTable{ID: said.ID, What: said.What, Keys: said.Keys, Conditions: said.Conditions}
		for _, f := range said.Fields {
			p.Fields = append(p.Fields, protocol.PromptField{Name: f.Name, Type: f.Kind})
		}
		for _, x := range t.rows {
			if x.Table == said.ID {
				p.Rows += len(x.Rows)
			}
		}
		out = append(out, p)
	}
	return out
}

// stated reports whether pages were read for all fields of a table.
func (t *thread) stated(table *outline.Table) bool {
	i := slices.IndexFunc(t.tables, func(said journal.PlannedTable) bool { return said.ID == table.ID })
	if i < 0 || t.demoted[table.ID] {
		return false
	}
	return !slices.ContainsFunc(table.Fields, func(f *outline.Field) bool {
		return f.Node.Enum != nil || !slices.Contains(t.tables[i].Fields, journal.PlannedField{Name: f.Name, Kind: outline.KindOf(f.Node)})
	})
}

// earlier returns the earlier questions, the oldest first.
func (j *job) earlier() []string {
	if j.thread == nil {
		return nil
	}
	return j.thread.earlier
}

// question returns all questions of the caller, on which conditions can be based.
func (j *job) question() string {
	return strings.Join(append(slices.Clone(j.earlier()), j.task.Prompt), "\n")
}

// know adds the pages of a thread that are in scope to the known pages of a run, so
// that they are not paid for again.
func (m *memo) know(j *job) {
	if j.thread == nil {
		return
	}
	for id, rec := range j.thread.pages {
		if m.pages[rec.URL] == nil && rec.Trouble == "" && j.scope.Allows(rec.URL) && (rec.Final == "" || j.scope.Allows(value.Canonical(rec.Final))) {
			m.pages[rec.URL], m.at[rec.URL] = rec, j.thread.at[id]
		}
	}
}

// carry takes over what answers the task, and ends the search if that is sufficient.
func (t *thread) carry(ctx, work context.Context, l *loop) error {
	if t == nil {
		return nil
	}
	if err := t.carryPages(ctx, work, l); err != nil || l.r.stopping() {
		return err
	}
	l.follow(work)
	if l.r.tables.allWhole(l.r.tables.tally()) {
		l.r.halt(finding.ReasonDone)
	}
	return nil
}

// carryPages takes over the pages that had rows in the continued run, and the rows of
// tables whose fields were all read then. For other tables the pages are read again. It
// is called before any other page is read.
func (t *thread) carryPages(ctx, work context.Context, l *loop) error {
	r := l.r
	gave := map[string]bool{}
	for _, x := range t.rows {
		gave[x.Source] = gave[x.Source] || len(x.Rows) > 0
	}
	for id := range t.unread {
		gave[id] = true // it may state rows
	}
	ids := map[string]string{} // maps the IDs of pages in the other run to those in this one
	var targets []target
	for _, id := range slices.SortedFunc(maps.Keys(gave), merge.CompareIDs) {
		rec := t.pages[id]
		if rec == nil || !gave[id] || r.payer.memo.pages[rec.URL] == nil {
			continue // outside the scope of this task
		}
		if r.library.most != Unlimited {
			r.library.most++ // it is not fetched
		}
		n, held := r.library.number(rec.URL)
		if held != nil {
			continue
		}
		own := *rec
		own.ID = merge.SourceID(n)
		if err := r.emit(ctx, journal.Event{Kind: journal.EventPage, Key: rec.URL, Page: &own}); err != nil {
			return err
		}
		p := grounding.NewPage(&own, n, t.at[id])
		p.Glance = true // it may not state the fields that were not asked for before
		r.library.arrived(n, p)
		ids[id] = own.ID
		targets = append(targets, target{url: rec.URL, tables: r.tables.outline.Readable()})
	}
	for _, table := range r.tables.outline.Readable() {
		if t.stated(table) {
			t.carryRows(ctx, r, table, ids)
		}
	}
	r.readCarried(work, targets)
	for _, at := range targets {
		p := r.library.at(at.url)
		if link, _ := l.f.Add(at.url, value.ClipRunes(p.Rec.Title, lines.MaxAnchor), 0, 0, p.Rec.Rendered); link != nil {
			l.f.Result(at.url, p.Rows)
			l.foldPage(p)
		}
	}
	return nil
}

// readCarried reads pages that were taken over. If the first of several pages that list
// the same things lacks a column, so do the others, which are left to decisions.
func (r *Run) readCarried(ctx context.Context, targets []target) {
	first := map[string]*grounding.Page{} // by the shape of the links
	var now, later []target
	for _, at := range targets {
		p := r.library.at(at.url)
		listed := p.Lists(glanceRows)
		if listed != "" && first[listed] != nil {
			later = append(later, at)
			continue
		}
		first[listed] = p
		now = append(now, at)
	}
	r.readAll(ctx, now)
	r.readAll(ctx, slices.DeleteFunc(later, func(at target) bool {
		like := first[r.library.at(at.url).Lists(glanceRows)]
		return slices.ContainsFunc(at.tables, func(t *outline.Table) bool { return r.library.readUntil(like, t) > 0 })
	}))
}

// carryRows takes over the rows of one table from the pages that ids names.
func (t *thread) carryRows(ctx context.Context, r *Run, table *outline.Table, ids map[string]string) {
	for _, x := range t.rows {
		p := r.library.page(ids[x.Source])
		if x.Table != table.ID || p == nil {
			continue
		}
		var rows []finding.Row
		for _, said := range x.Rows {
			row := finding.Row{}
			for name, c := range said {
				c.Source, c.Also = ids[c.Source], nil
				if table.Field(name) != nil && c.Source != "" {
					row[name] = c
				}
			}
			rows = append(rows, row)
		}
		if !t.unread[x.Source] { // otherwise the page is read again
			r.library.readBefore(p, table)
		}
		r.library.said(p, table, "", x.Total)
		r.reader.see(ctx, p, table, rows, x.Method, x.Total)
	}
}

// forgotten returns an issue that says how many earlier questions are too old to be
// taken into account.
func (t *thread) forgotten() []finding.Issue {
	if t == nil || t.left == 0 {
		return nil
	}
	return []finding.Issue{{
		Kind:   finding.IssueLimit,
		Detail: fmt.Sprintf("%d earlier questions are not taken into account: together the questions have more than %d characters", t.left, maxPrompt),
	}}
}
