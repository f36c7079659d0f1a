// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/schema"
)

// dropped says what is missing of replies: the names of fields of which values were not
// accepted, because their lines do not state them, and rows. It is safe for concurrent use.
type dropped struct {
	names sync.Map
	items sync.Map    // IDs of pages with the names of fields of which items of a list were not accepted
	rows  atomic.Bool // rows of a page are missing, because the replies did not hold them
}

// add adds a field.
func (d *dropped) add(field string) { d.names.Store(field, true) }

// shorten adds a list of a page that lacks items.
func (d *dropped) shorten(page, field string) { d.items.Store(page+" "+field, true) }

// leaves reports whether a row of the answer has no value of one of the fields, or a list
// without all of its items. The dropped value may have been right, and only its lines wrong.
func (d *dropped) leaves(o *outline.Outline, tables map[string][]merge.Merged) bool {
	if o == nil {
		return false
	}
	for _, t := range o.Tables {
		for _, f := range t.Fields {
			_, lost := d.names.Load(f.Name)
			if slices.ContainsFunc(tables[t.ID], func(m merge.Merged) bool {
				c, filled := m.Row[f.Name]
				_, cut := d.items.Load(c.Source + " " + f.Name)
				return m.State != filter.Unmet && (lost && !filled || cut && filled && f.Node.Type == schema.List)
			}) {
				return true
			}
		}
	}
	return false
}

// repair asks again for the rows of a reply that lost values, with only the lines of
// those rows. It asks once, or twice if the profile checks all values. If a further
// question is about the thing that the page is about, it asks with all lines of the
// chunk c. The replies fill missing cells and change nothing else. The rows of the reply
// are those of out from number from on, and its lost cells are those from number lost
// on.
func (r *reader) repair(ctx context.Context, p *grounding.Page, g *grounding.Ground, t *outline.Table, c lines.Chunk, out *extraction, from, lost int) error {
	tries := 1
	if r.payer.profile.Check == llm.CheckDerived {
		tries = maxRepairs
	}
	awaited := len(out.rows) == from+1 && r.tables.awaits(p, t)
	for try := range tries {
		rows := r.holes(t, out.rows[from:], out.lost[lost:], awaited, answeredElsewhere(r.tables, p, t, out.rows[from:]))
		lines := c
		if !awaited {
			lines = linesOf(t, rows, out.rows[from:], g.Lines)
		}
		if len(rows) == 0 || len(lines) == 0 {
			return nil
		}
		var answer *protocol.ExtractReply
		_, err := r.payer.ask(ctx, ask{
			role: llm.RoleExtract, user: r.extractPrompt(p, g, t, lines, 0, len(rows)+1+try), schema: t.Reply(), landing: true, usable: answerAbout(t, &answer),
			output: min(2*outline.CellTokens*len(t.Fields)*(len(rows)+2)+protocol.ShortExtractOutput/2, protocol.MaxExtractOutput),
		})
		switch {
		case errors.Is(err, errModel), errors.Is(err, budget.ErrBroke):
			return nil // the existing rows are good enough
		case err != nil:
			return err
		case answer == nil:
			return nil // without a usable reply, nothing changes
		}
		var again extraction
		r.take(p, g, t, *answer, &again)
		for _, row := range rows {
			fillHoles(t, row, again.rows, len(rows) == 1)
		}
		out.lost = slices.DeleteFunc(out.lost, func(l grounding.LostCell) bool {
			_, ok := l.Row[l.Field]
			return ok && l.Items == 0
		})
		lost = min(lost, len(out.lost))
	}
	return nil
}

// holes returns the rows that a repair asks about: those that lost a value, those
// without a required value that the model gave for nearly all others, and those without
// a value on which a condition of the question depends, because they would be left out.
// If the profile checks all values, it also returns those without any such value, or
// without a required one that some row has. If the page is awaited, a further question
// depends on the values of its only row. If what its rows lack stands elsewhere, it only
// returns rows that lost a value.
func (r *reader) holes(t *outline.Table, rows []finding.Row, lost []grounding.LostCell, awaited, elsewhere bool) []finding.Row {
	open := func(row finding.Row, field string) bool {
		return slices.ContainsFunc(lost, func(l grounding.LostCell) bool {
			_, ok := l.Row[l.Field]
			return !ok && !l.Stated && (field == "" || field == l.Field) && grid.SameRow(l.Row, row)
		})
	}
	usual := map[string]bool{}
	decisive := r.tables.decisive(t)
	for _, f := range t.Fields {
		n := 0
		for _, row := range rows {
			if _, ok := row[f.Name]; ok || open(row, f.Name) {
				n++
			}
		}
		usual[f.Name] = n < len(rows) && 5*n >= 4*len(rows) && (f.Required || slices.Contains(decisive, f.Name))
		if r.payer.profile.Check == llm.CheckDerived {
			usual[f.Name] = f.Required && (n > 0 || len(rows) < linkrank.LeastGroup) || n < len(rows) && 5*n >= 4*len(rows)
		}
		usual[f.Name] = !elsewhere && (usual[f.Name] || awaited && f.Required)
	}
	var out []finding.Row
	for _, row := range rows {
		lacks := slices.ContainsFunc(t.Fields, func(f *outline.Field) bool {
			_, ok := row[f.Name]
			return !ok && usual[f.Name]
		})
		if (len(row) > 0 || awaited) && (lacks || open(row, "")) && len(out) < outline.RowCap {
			out = append(out, row)
		}
	}
	return out
}

// linesOf returns the lines around the cells of rows, without the lines of other rows'
// keys, and with the header of their table, because a model that sees only a few rows
// must know the columns.
func linesOf(t *outline.Table, rows, all []finding.Row, body []string) lines.Chunk {
	var keys []int
	for _, row := range all {
		if c, ok := row[grid.FirstKey(t)]; ok && c.Lines[0] > 0 {
			keys = append(keys, c.Lines[0])
		}
	}
	slices.Sort(keys)
	marked := map[int]bool{}
	for _, row := range rows {
		first, last := 0, 0
		for _, c := range row {
			if c.Lines[0] > 0 && (first == 0 || c.Lines[0] < first) {
				first = c.Lines[0]
			}
			last = max(last, c.Lines[1])
		}
		if first == 0 {
			continue
		}
		from, to := max(first-grounding.NearLines, 1), min(last+grounding.MaxSpan, len(body))
		at, _ := slices.BinarySearch(keys, first)
		if at > 0 {
			from = max(from, keys[at-1]+1)
		}
		if at, _ = slices.BinarySearch(keys, last+1); at < len(keys) {
			to = min(to, keys[at]-1)
		}
		for n := from; n <= to; n++ {
			marked[n] = true
		}
		for n := first; n > 0 && strings.HasPrefix(strings.TrimSpace(body[n-1]), "|"); n-- {
			if lines.IsRule(body[n-1]) && n > 1 {
				marked[n-1], marked[n] = true, true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(marked))
}

// fillHoles sets the missing cells of a row from the row with the same keys.
func fillHoles(t *outline.Table, row finding.Row, from []finding.Row, only bool) {
	for _, other := range from {
		same := only && len(from) == 1 && len(t.Keys) == 0 || t.Record()
		if len(t.Keys) > 0 {
			same = !slices.ContainsFunc(t.Keys, func(k string) bool {
				a, okA := row[k]
				b, okB := other[k]
				return !okA || !okB || !value.Agree(a.Value, b.Value)
			})
		}
		if !same {
			continue
		}
		for _, f := range t.Fields {
			if _, ok := row[f.Name]; ok {
				continue
			}
			if c, ok := other[f.Name]; ok {
				row[f.Name] = c
			}
		}
		return
	}
}

// noteUnread notes cells of a page that code could not read. told says that there is an issue
// about them.
func noteUnread(s *tables, p *grounding.Page, t *outline.Table, cells []grounding.LostCell, told bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.learnedOf(t)
	for _, c := range cells {
		l.unreadable(c, p.Rec.ID, told)
	}
}

// unreadable notes a cell that code could not read.
func (l *learned) unreadable(c grounding.LostCell, source string, told bool) {
	if len(l.unread) < outline.MaxRows {
		l.unread = append(l.unread, unread{c, source, told})
	}
}

// rate returns the period to which the prices of a field refer, such as month, or "" if neither the field nor
// the question names one.
func (l *learned) rate(f *outline.Field) string { return cmp.Or(f.Rate(), l.rates[f.Name]) }

// rated returns rows whose prices refer to the period that their field wants. Prices for a month and for a
// year are converted. Others, such as a weekly rent where a monthly one is wanted, are left out and noted as
// cells that could not be read.
func (l *learned) rated(b *library, p *grounding.Page, t *outline.Table, rows []finding.Row) []finding.Row {
	for _, f := range t.Fields {
		want := l.rate(f)
		if want == "" || !f.IsMoney() {
			continue
		}
		for i, row := range rows {
			c := row[f.Name]
			v, _ := c.Value.(float64)
			own := value.RateOf(statedOn(b, p, c), v)
			if own == "" || own == want {
				continue
			}
			rows, row = slices.Clone(rows), maps.Clone(row)
			rows[i] = row
			if v, ok := value.AsRate(v, own, want); ok && (f.Node.Type != schema.Integer || v == math.Trunc(v)) {
				c.Value, c.Grade = v, grounding.Worst(c.Grade, finding.GradeNormalized)
				row[f.Name] = c
				continue
			}
			delete(row, f.Name)
			l.unreadable(grounding.LostCell{Row: row, Field: f.Name, Value: value.JSONText(c.Value) + " per " + own, Issue: finding.IssueInvalid}, p.Rec.ID, false)
		}
	}
	return rows
}

// refer settles to which period the prices of a field refer if a condition says so, as "less than £1500 a month"
// does. If the field names another period, the condition is converted to it, or else refer returns false.
func (l *learned) refer(f *outline.Field, c *journal.Condition) bool {
	v, _ := strconv.ParseFloat(c.Value, 64)
	said := value.RateOf(value.Normal(c.Words), v)
	if said == "" || !f.IsMoney() {
		return true
	}
	want := l.rate(f)
	if want == "" {
		if l.rates == nil {
			l.rates = map[string]string{}
		}
		l.rates[f.Name] = said
		return true
	}
	v, ok := value.AsRate(v, said, want)
	if ok {
		c.Value = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ok
}

// interpret asks the model which numbers texts of pages state that have no figures, such as "sold out",
// and that code cannot read. It asks twice about each text of a field, and does not show the page. It
// reports whether the number of one of the texts is known now.
func interpret(ctx context.Context, r *reader, t *outline.Table, lost []grounding.LostCell) (known bool) {
	if len(lost) == 0 {
		return false
	}
	select { // one after the other, so that all wait for what one has asked
	case r.terms <- struct{}{}:
		defer func() { <-r.terms }()
	case <-ctx.Done():
		return false
	}
	var cells []protocol.PromptCell
	for i := range lost {
		l := &lost[i]
		text, _ := l.Raw.(string)
		f := t.Field(l.Field)
		if f == nil || l.Issue != finding.IssueInvalid {
			continue
		}
		text = grounding.PlainText(text)
		if _, ok := f.Term(text); ok {
			known = true
		} else if len(cells) < maxVerify && f.Ask(text) {
			cells = append(cells, protocol.PromptCell{I: len(cells), Field: f.Name, About: f.Node.Description, Text: text})
		}
	}
	for n := len(cells); n > 0 && cells[0].I < 2*n; {
		var b protocol.Prompt
		b.Task(r.prompt, r.earlier)
		protocol.List(&b, "cells", cells)
		reply, err := r.payer.ask(ctx, ask{role: llm.RoleVerify, user: b.String(), schema: protocol.VerifySchema, output: protocol.MaxVerifyOutput, landing: true})
		if err != nil {
			break
		}
		said, _ := protocol.ReadVerify(reply.JSON)
		for _, c := range said.Cells {
			i := c.I - cells[0].I
			if v, is := c.Value.(float64); is && i >= 0 && i < n && t.Field(cells[i].Field).Learn(cells[i].Text, v) {
				known = true
			}
		}
		for i := range cells {
			cells[i].I += n // a prompt of its own
		}
	}
	return known
}
