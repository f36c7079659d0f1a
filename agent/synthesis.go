// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/sorting"
)

// Limits of what a synthesis sees.
const (
	maxSynthesis = 200    // rows
	maxQuoted    = 12_000 // bytes of all lines
	maxQuote     = 300    // bytes of one line
	leastKey     = 3      // characters of a key by which a sentence names a row
)

// material is what texts about rows are written from: the rows, and the lines that state
// them if these say more than the rows. A reply cites both by their numbers.
type material struct {
	entries []entry // rows first; the number of an entry is its index plus one
	rows    int
	left    int // rows that are not shown
	cut     int // lines that are not shown

	source *claims.Source // of the texts of all entries; nil if nothing was checked yet
}

// entry is a row or a line.
type entry struct {
	shown string           // in the prompt, on one line
	text  string           // that sentences are compared with; a row's with its own lines
	key   string           // of a row, normal; may be empty
	cells []finding.Cell   // of a row
	cited finding.Citation // of a line
}

// stated is what pages state together: a row, or a text.
type stated struct {
	shown string
	key   string // normal; may be empty
	cells []finding.Cell
}

// statedRows returns the rows of all lists, and how many are left out.
func statedRows(o *outline.Outline, tables map[string][]merge.Merged) (rows []stated, left int) {
	for _, t := range o.Tables[1:] {
		if t.Subject {
			continue // they are joined to the rows
		}
		for _, row := range tables[t.ID] {
			if len(rows) == maxSynthesis {
				left++
				continue
			}
			one := stated{shown: merge.RowValues(row.Row), key: value.Normal(rowKey(t, row.Row))}
			for _, name := range slices.Sorted(maps.Keys(row.Row)) {
				one.cells = append(one.cells, row.Row[name])
			}
			rows = append(rows, one)
		}
	}
	return rows, left
}

// newMaterial returns the material of a synthesis from rows, beside so many that are left out.
func newMaterial(b *library, rows []stated, left int) *material {
	m := &material{rows: len(rows), left: left}
	for _, one := range rows {
		m.entries = append(m.entries, entry{shown: one.shown, text: one.shown, key: one.key, cells: one.cells})
	}
	seen := map[finding.Citation]bool{}
	room := maxQuoted
	for i := range rows {
		for _, c := range rows[i].cells {
			if c.Lines[0] > 0 {
				m.quote(b, i, finding.Citation{Source: c.Source, Lines: c.Lines, Full: c.Full}, seen, &room)
			}
		}
	}
	return m
}

// quote adds the cited lines of a row that say more than the row and were not seen, while there is
// room for them.
func (m *material) quote(b *library, row int, cited finding.Citation, seen map[finding.Citation]bool, room *int) {
	for i, line := range quoted(b.linesOf(cited), cited) {
		at := cited
		at.Lines = [2]int{cited.Lines[0] + i, cited.Lines[0] + i}
		line = quotable(line)
		if line == "" {
			continue
		}
		m.entries[row].text += "\n" + line
		if seen[at] || !saysMore(line, m.entries[row].shown) {
			continue
		}
		seen[at] = true
		if *room -= len(line); *room < 0 {
			m.cut++
			continue
		}
		m.entries = append(m.entries, entry{shown: line, text: line, cited: at})
	}
}

// quotable returns a line of a page as it may stand in a prompt: without links and marks, on
// one line, and short.
func quotable(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, grounding.PlainText(line))
	return value.Clip(strings.Join(strings.Fields(line), " "), maxQuote)
}

// saysMore reports whether a line has a word that the row does not have.
func saysMore(line, row string) bool {
	known := map[string]bool{}
	for _, w := range value.Words(value.Normal(row)) {
		known[w] = true
	}
	return slices.ContainsFunc(value.Words(value.Normal(line)), func(w string) bool {
		return !known[w] && strings.ContainsFunc(w, unicode.IsLetter)
	})
}

// write writes the material in two fences, with numbers that go on from the rows to the lines.
func (m *material) write(b *protocol.Prompt, seed uint64) {
	all := make([]string, len(m.entries))
	for i, e := range m.entries {
		all[i] = strconv.Itoa(i+1) + "| " + e.shown
	}
	nonce := protocol.Nonce(all, seed, "rows")
	fence := func(name string, some []string) {
		if len(some) == 0 {
			return
		}
		b.Fenced(name, nonce, func(s *strings.Builder) {
			for _, line := range some {
				s.WriteString(line + "\n")
			}
		})
	}
	fence("rows", all[:m.rows])
	fence("lines", all[m.rows:])
}

// support returns what a sentence of a reply rests on, or false if that does not support it.
// The sentence must follow from exactly the rows and lines that it cites. If it cites none,
// code looks for the rows that it names, or for a single row that states it.
func (m *material) support(s protocol.Sentence, prompt string) ([]finding.Citation, bool) {
	var cited []int
	for _, n := range s.Ln {
		if n > 0 && n <= len(m.entries) {
			cited = append(cited, n-1)
		}
	}
	slices.Sort(cited)
	cited = slices.Compact(cited)
	named := m.named(s.Text)
	if len(cited) == 0 {
		if cited = named; len(cited) == 0 {
			for i := range m.rows {
				if m.supports(s.Text, []int{i}, nil, prompt) {
					return m.citations(s.Text, []int{i}), true
				}
			}
			return nil, false
		}
	}
	if !m.supports(s.Text, cited, named, prompt) {
		return nil, false
	}
	return m.citations(s.Text, cited), true
}

// named returns the rows whose keys a sentence contains.
func (m *material) named(sentence string) (rows []int) {
	normal := value.Normal(sentence)
	for i := range m.rows {
		if key := m.entries[i].key; utf8.RuneCountInString(key) >= leastKey && value.Holds(normal, key) > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// supports reports whether a sentence follows from cited rows and lines. The key of another
// row, and a URL, must stand in them too.
func (m *material) supports(sentence string, cited, named []int, prompt string) bool {
	var texts []string
	rows := 0
	for _, i := range cited {
		texts = append(texts, m.entries[i].text)
		if i < m.rows {
			rows++
		}
	}
	all := strings.Join(texts, "\n")
	normal := value.Normal(all)
	for _, i := range named {
		if !slices.Contains(cited, i) && value.Holds(normal, m.entries[i].key) == 0 {
			return false
		}
	}
	for word := range strings.FieldsSeq(sentence) {
		if at := strings.Index(word, "://"); at >= 0 && !strings.Contains(all, strings.TrimRight(word[at:], ".,;:!?)]>\"'")) {
			return false
		}
	}
	return claims.NewSource(all+"\n"+strconv.Itoa(rows)+" rows").Answers(sentence, prompt) && !m.whole().Misplaces(sentence, prompt)
}

// whole returns what all rows and lines state together.
func (m *material) whole() *claims.Source {
	if m.source == nil {
		var all strings.Builder
		for _, e := range m.entries {
			all.WriteString(e.text + "\n")
		}
		m.source = claims.NewSource(all.String())
	}
	return m.source
}

// citations returns where the cited rows and lines stand: of a row the cells whose values
// the sentence contains, or else all its cells.
func (m *material) citations(sentence string, cited []int) []finding.Citation {
	normal := value.Normal(sentence)
	var out []finding.Citation
	for _, i := range cited {
		e := m.entries[i]
		if i >= m.rows {
			out = append(out, e.cited)
			continue
		}
		cells := slices.DeleteFunc(slices.Clone(e.cells), func(c finding.Cell) bool {
			text := value.Normal(value.ScalarText(c.Value))
			return text == "" || value.Holds(normal, text) == 0
		})
		if len(cells) == 0 {
			cells = e.cells
		}
		for _, c := range cells {
			if c.Source != "" {
				out = append(out, finding.Citation{Source: c.Source, Lines: c.Lines, Full: c.Full})
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return cmp.Or(merge.CompareIDs(a.Source, b.Source), cmp.Compare(a.Lines[0], b.Lines[0]), cmp.Compare(a.Lines[1], b.Lines[1])) < 0
	})
	return slices.Compact(out)
}

// synthesize fills the fields of the record that follow from the rows of other tables, and
// writes one text where pages gave several. It reports whether none of them is missing because the
// model did not write it.
func (r *Run) synthesize(ctx context.Context, tables map[string][]merge.Merged) bool {
	o := r.tables.outline
	if o == nil || r.out.Load() || !o.Tables[0].Record() {
		return true
	}
	t := o.Tables[0]
	whole := true
	if len(tables[t.ID]) > 0 {
		whole = combine(ctx, r, t, &tables[t.ID][0])
	}
	row := finding.Row{}
	if len(tables[t.ID]) > 0 {
		row = tables[t.ID][0].Row
	}
	var wanted []*outline.Field
	for _, f := range t.Fields {
		if _, ok := row[f.Name]; !ok && (f.Free || t.Drawn) {
			wanted = append(wanted, f)
		}
	}
	rows, left := statedRows(o, tables)
	if len(wanted) == 0 || len(rows) == 0 {
		return whole
	}
	m := newMaterial(r.library, rows, left)
	said, ok := m.compose(ctx, r, wanted)
	if !ok {
		return false
	}
	for _, f := range wanted {
		if !f.Free {
			if c, ok := among(o, tables, f, said.V[f.Name]); ok {
				row[f.Name] = c
			}
			continue
		}
		c, issue, ok := m.text(f, said.Sentences(f.Name), r.job.task.Prompt)
		if issue.Kind != "" {
			r.note(ctx, issue)
		}
		if whole = whole && ok; ok {
			row[f.Name] = c
		}
	}
	if len(row) > 0 && len(tables[t.ID]) == 0 {
		tables[t.ID] = []merge.Merged{{Row: row}}
	}
	return whole
}

// combine writes the texts of the record anew of which several pages gave their own: each may
// answer a part of the question. It reports whether none stays with what one page says.
func combine(ctx context.Context, r *Run, t *outline.Table, record *merge.Merged) bool {
	whole := true
	for _, f := range t.Fields {
		cells := record.Rivals[f.Name]
		if !f.Free || len(cells) < 2 {
			continue
		}
		var parts []stated
		for _, c := range cells[:min(len(cells), maxSynthesis)] {
			parts = append(parts, stated{shown: value.JSONText(map[string]any{f.Name: c.Value}), cells: []finding.Cell{c}})
		}
		m := newMaterial(r.library, parts, len(cells)-len(parts))
		said, ok := m.compose(ctx, r, []*outline.Field{f})
		if ok {
			var c finding.Cell
			var issue finding.Issue
			if c, issue, ok = m.text(f, said.Sentences(f.Name), r.job.task.Prompt); ok {
				record.Row[f.Name] = c
				record.Issues = slices.DeleteFunc(slices.Clone(record.Issues), func(i finding.Issue) bool { return i.Kind == finding.IssueConflict && i.Pointer == f.Name })
			}
			if issue.Kind != "" {
				r.note(ctx, issue)
			}
		}
		whole = whole && ok
	}
	return whole
}

// compose asks the model for fields that follow from the material. If it gives no usable reply, it
// notes that and returns false.
func (m *material) compose(ctx context.Context, r *Run, wanted []*outline.Field) (protocol.SynthesizeReply, bool) {
	drawn := &outline.Table{ID: outline.RecordID, Fields: wanted}
	var b protocol.Prompt
	b.Task(r.job.task.Prompt, r.job.earlier())
	protocol.List(&b, "fields", drawn.Prompt().Fields)
	m.write(&b, r.job.task.Seed)
	reply, err := r.payer.ask(ctx, ask{role: llm.RoleSynthesize, user: b.String(), schema: drawn.ValueSchema(), output: protocol.MaxSynthesizeOutput, landing: true})
	said, ok := protocol.ReadSynthesize(reply.JSON)
	if err == nil && !ok {
		err = errModel
	}
	if err != nil {
		r.note(ctx, unwritten(wanted, err))
		return said, false
	}
	if issue, ok := m.unseen(wanted); ok {
		r.note(ctx, issue)
	}
	return said, true
}

// text returns the cell of a text that a model wrote: the sentences that are supported, each
// with what it rests on. It returns false if none is left. The issue says what was dropped,
// or that nothing was written; its kind may be empty.
func (m *material) text(f *outline.Field, said []protocol.Sentence, prompt string) (c finding.Cell, issue finding.Issue, ok bool) {
	if len(said) == 0 {
		return c, unwritten([]*outline.Field{f}, errModel), false
	}
	var kept []string
	size := 0
	for _, s := range said {
		cited, ok := m.support(s, prompt)
		if size += len(s.Text) + 1; !ok || size > value.MaxCell {
			continue
		}
		kept = append(kept, s.Text)
		c.Sentences = append(c.Sentences, finding.Sentence{Text: s.Text, Cited: cited})
		for _, at := range cited {
			if !slices.Contains(c.Also, at.Source) {
				c.Also = append(c.Also, at.Source)
			}
		}
	}
	if n := len(said) - len(kept); n > 0 {
		issue = finding.Issue{Kind: finding.IssueUnsupported, Detail: fmt.Sprintf("%s: %d of %d sentences were dropped, because the rows and lines that they cite do not support them", f.Name, n, len(said))}
	}
	sorting.Stable(c.Also, merge.CompareIDs)
	c.Value, c.Grade = strings.Join(kept, " "), finding.GradeDerived
	return c, issue, len(kept) > 0
}

// unseen returns an issue about fields that were made from only some of the rows or lines, or
// false if they were made from all.
func (m *material) unseen(fields []*outline.Field) (finding.Issue, bool) {
	var parts []string
	if m.left > 0 {
		parts = append(parts, fmt.Sprintf("only %d of %d rows were taken into account", m.rows, m.rows+m.left))
	}
	if m.cut > 0 {
		parts = append(parts, fmt.Sprintf("%d lines that state the rows were too many to be shown to the model; it saw the values", m.cut))
	}
	return finding.Issue{Kind: finding.IssueLimit, Detail: namesOf(fields) + ": " + strings.Join(parts, "; ")}, len(parts) > 0
}

// unwritten returns the issue that the model did not write fields because of err.
func unwritten(fields []*outline.Field, err error) finding.Issue {
	issue := finding.Issue{Kind: finding.IssueProvider, Detail: namesOf(fields) + ": the model gave no reply that could be used"}
	switch {
	case errors.Is(err, budget.ErrBroke):
		issue = finding.Issue{Kind: finding.IssueLimit, Detail: namesOf(fields) + ": the credits do not suffice to write it"}
	case errors.Is(err, errModel):
		issue.Detail = because(issue.Detail, err)
	}
	return issue
}

func namesOf(fields []*outline.Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// among returns the cell of a row that states a value which a synthesis gave for a
// field, because the answer must be one of the rows' own values. If no row states it,
// it returns false.
func among(o *outline.Outline, tables map[string][]merge.Merged, f *outline.Field, said any) (finding.Cell, bool) {
	if said == nil || said == "" {
		return finding.Cell{}, false
	}
	for _, t := range o.Tables[1:] {
		for _, m := range tables[t.ID] {
			for _, own := range t.Fields {
				if c, ok := m.Row[own.Name]; ok && own.Node.Type == f.Node.Type && value.Agree(c.Value, said) {
					return c, true
				}
			}
		}
	}
	return finding.Cell{}, false
}
