// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/schema"
)

// maxVerify is the maximum number of cells that one call checks.
const maxVerify = 20

// doubt is a cell that the model is asked about.
type doubt struct {
	m          *merge.Merged
	f          *outline.Field
	row        string
	candidates []finding.Cell
	conflict   bool
}

// verify asks about cells that contradict each other and, depending on the profile,
// about derived cells. The model chooses among the values that pages state, and never
// gives a value of its own.
func (r *Run) verify(ctx context.Context, tables map[string][]merge.Merged) {
	if r.payer.profile.Check == llm.CheckNone || r.tables.outline == nil || r.out.Load() {
		return
	}
	var doubts []doubt
	for _, t := range r.tables.outline.Tables {
		for i := range tables[t.ID] {
			m := &tables[t.ID][i]
			if m.State == filter.Unmet {
				continue
			}
			for _, f := range t.Fields {
				d := doubt{m: m, f: f, row: rowKey(t, m.Row)}
				if cells := m.Rivals[f.Name]; len(cells) > 1 && f.Required {
					d.candidates, d.conflict = cells, true
				} else if c, ok := m.Row[f.Name]; ok && c.Grade == finding.GradeDerived && c.Source != "" && r.payer.profile.Check == llm.CheckDerived {
					d.candidates = []finding.Cell{c}
				}
				if d.candidates != nil {
					doubts = append(doubts, d)
				}
			}
		}
	}
	for part := range slices.Chunk(doubts, maxVerify) {
		if !r.verifyPart(ctx, part) {
			return
		}
	}
}

// rowKey returns the name of a row in a prompt.
func rowKey(t *outline.Table, row finding.Row) string {
	var keys []string
	for _, k := range t.Keys {
		if c, ok := row[k]; ok {
			keys = append(keys, value.ScalarText(c.Value))
		}
	}
	return value.ClipRunes(strings.Join(keys, ", "), lines.MaxAnchor)
}

// verifyPart asks about at most 20 cells. If it returns false, no further cells are
// asked about.
func (r *Run) verifyPart(ctx context.Context, part []doubt) bool {
	var cells []protocol.PromptCell
	for i, d := range part {
		c := protocol.PromptCell{I: i, Field: d.f.Name, Row: d.row}
		for _, cell := range d.candidates {
			c.Candidates = append(c.Candidates, cell.Value)
			c.Lines = append(c.Lines, r.library.around(cell))
		}
		cells = append(cells, c)
	}
	var b protocol.Prompt
	b.Task(r.job.task.Prompt, r.job.earlier())
	protocol.List(&b, "cells", cells)
	reply, err := r.payer.ask(ctx, ask{role: llm.RoleVerify, user: b.String(), schema: protocol.VerifySchema, output: protocol.MaxVerifyOutput, landing: true})
	said, ok := protocol.ReadVerify(reply.JSON)
	if err != nil || !ok {
		return false
	}
	for _, c := range said.Cells {
		if c.I < 0 || c.I >= len(part) {
			continue
		}
		d := part[c.I]
		switch {
		case c.Verdict == "pick" && c.Pick >= 0 && c.Pick < len(d.candidates) && d.conflict:
			best := d.candidates[c.Pick]
			d.m.Row[d.f.Name] = best
		case c.Verdict == "none" && !d.conflict:
			delete(d.m.Row, d.f.Name)
			r.reader.dropped.add(d.f.Name)
			r.note(ctx, finding.Issue{Kind: finding.IssueUnsupported, Detail: d.f.Name + " " + value.JSONText(d.candidates[0].Value) + " is not what its lines say", Source: d.candidates[0].Source})
		}
	}
	return true
}

// doubts returns issues about what the answer takes from pages although code could not check
// it, because it does not know their words: cells of tables that it could not read, numbers
// beside different words, and conditions that depend on such words. It also returns issues about
// names of the question that the plan has no condition on. If any of this may decide wrongly
// which rows belong to the answer, certain is false.
func doubts(s *tables, prompt string, tables map[string][]merge.Merged) (all []finding.Issue, certain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	certain = true
	for _, t := range s.outline.Tables {
		rows := tables[t.ID]
		if s.learned[t.ID] != nil {
			all = append(all, unreadable(s, t, rows)...)
		}
		say := func(kind finding.IssueKind, details ...string) {
			for _, d := range details {
				all = append(all, finding.Issue{Kind: kind, Pointer: s.outline.At(t), Detail: value.Clip(d, 500)})
			}
		}
		set := s.filters[t.ID]
		for _, f := range t.Fields {
			if text, decides := ranges(s, set, f, rows); decides {
				certain = false
				say(finding.IssueUndecided, text+", and the condition on it may be met by the other")
			} else if text != "" {
				say(finding.IssueUnits, text)
			}
			if text := overlooked(t, f, set, prompt, rows); text != "" {
				certain = false
				say(finding.IssueUndecided, text)
			}
			if terms := f.Terms(); len(terms) > 0 {
				say(finding.IssueUnsupported, fmt.Sprintf("%d texts of %s state numbers only according to the model, because code cannot read them: %s", len(terms), f.Name, strings.Join(terms, ", ")))
			}
			for _, text := range []string{besides(s, f, rows), periods(s, t, f, rows)} {
				switch {
				case text == "":
				case set != nil && slices.Contains(set.Fields(), f.Name):
					certain = false
					say(finding.IssueUndecided, text+", also for the condition on them")
				default:
					say(finding.IssueUnits, text)
				}
			}
		}
		if set != nil {
			say(finding.IssueUndecided, slices.Concat(concluded(s, set, rows), worded(s, set, rows))...)
		}
	}
	return all, certain
}

// unreadable returns issues about cells of tables that neither code nor another page has read.
// The caller holds mu.
func unreadable(s *tables, t *outline.Table, rows []merge.Merged) []finding.Issue {
	lost := map[string][]grounding.LostCell{}
	for _, c := range stillUnread(s, t, rows) {
		if !c.told {
			lost[c.source] = append(lost[c.source], c.LostCell)
		}
	}
	var all []finding.Issue
	for _, source := range slices.SortedFunc(maps.Keys(lost), merge.CompareIDs) {
		all = append(all, issuesOf(lost[source], source)...)
	}
	return all
}

// stillUnread returns the cells of pages that code could not read, and that no other page has
// given to their rows. The caller holds mu.
func stillUnread(s *tables, t *outline.Table, rows []merge.Merged) (all []unread) {
	key := func(row finding.Row) string { return value.Canon(rowKey(t, row)) }
	open := map[string]map[string]bool{} // the fields that rows lack, by key
	for _, m := range rows {
		if m.State == filter.Unmet {
			continue
		}
		lacks := map[string]bool{}
		for _, f := range t.Fields {
			_, ok := m.Row[f.Name]
			lacks[f.Name] = !ok
		}
		open[key(m.Row)] = lacks
	}
	if s.learned[t.ID] == nil {
		return nil
	}
	for _, c := range s.learned[t.ID].unread {
		if open[key(c.Row)][c.Field] {
			all = append(all, c)
		}
	}
	return all
}

// illegible reports whether a row of the answer lacks a value that a page states in a text which
// code cannot read, such as a date with a month in an unknown language. A count needs no values.
func (s selection) illegible(tables map[string][]merge.Merged) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.outline.Tables, func(t *outline.Table) bool {
		rows := tables[t.ID]
		if t.Hidden && !t.Subject {
			if s.shape == protocol.ShapeCount {
				return false
			}
			rows = rows[:min(len(rows), 1)] // the record has its values
		}
		return slices.ContainsFunc(stillUnread(s.tables, t, rows), func(c unread) bool {
			f := t.Field(c.Field)
			return f != nil && !f.Hidden
		})
	})
}

// besides says with which words without a known meaning the numbers of a column stand, if they
// differ: "12 miliwn" and "800". Forms of one word do not count, and neither do pages in
// languages of which the words are known. The caller holds mu.
func besides(s *tables, f *outline.Field, rows []merge.Merged) string {
	if f.Node.Type != schema.Number && f.Node.Type != schema.Integer {
		return ""
	}
	words := map[string]int{}
	for _, m := range rows {
		c, ok := m.Row[f.Name]
		v, number := c.Value.(float64)
		if p := s.library.page(c.Source); !ok || !number || p == nil || value.Speaks(p.Rec.Lang) {
			continue
		}
		if word, ok := value.Beside(s.library.stated(c), v); ok {
			words[word]++
		}
	}
	if !differ(words) {
		return ""
	}
	var said []string
	for _, word := range slices.Sorted(maps.Keys(words)) {
		if word == "" {
			said = append(said, fmt.Sprintf("%d beside none", words[word]))
		} else if len(said) < 5 {
			said = append(said, fmt.Sprintf("%d beside %q", words[word], value.ClipRunes(word, 30)))
		}
	}
	return fmt.Sprintf("pages state numbers of %s beside words that may be factors or units and are not known (%s); they count as they are printed", f.Name, strings.Join(said, ", "))
}

// ranges says how many numbers of a column are one end of a range, such as the 120 of "£120 – £150".
// decides reports whether the other ends would change which rows belong to the answer. The caller
// holds mu.
func ranges(s *tables, set *filter.Set, f *outline.Field, rows []merge.Merged) (text string, decides bool) {
	if f.Node.Type != schema.Number && f.Node.Type != schema.Integer {
		return "", false
	}
	n, sample := 0, ""
	others := rowsOf(rows)
	for i, m := range rows {
		c, ok := m.Row[f.Name]
		v, number := c.Value.(float64)
		if !ok || !number {
			continue
		}
		stated := s.library.stated(c)
		other, ok := value.Range(stated, v)
		if !ok {
			continue
		}
		if n++; sample == "" {
			sample = stated
		}
		others[i] = maps.Clone(m.Row)
		c.Value = other
		others[i][f.Name] = c
	}
	if n == 0 {
		return "", false
	}
	if set != nil && slices.Contains(set.Fields(), f.Name) {
		decides = !slices.Equal(set.Judge(others, s.library.stated), set.Judge(rowsOf(rows), s.library.stated))
	}
	return fmt.Sprintf("%d numbers of %s are one end of a range (%q)", n, f.Name, value.ClipRunes(sample, 60)), decides
}

// periods says to which periods the prices of a column refer, such as weeks and months, if they differ and
// neither the field nor the question names one. The caller holds mu.
func periods(s *tables, t *outline.Table, f *outline.Field, rows []merge.Merged) string {
	if !f.IsMoney() || s.learnedOf(t).rate(f) != "" {
		return ""
	}
	stated := map[string]int{}
	for _, m := range rows {
		c, ok := m.Row[f.Name]
		if v, number := c.Value.(float64); ok && number {
			if per := value.RateOf(s.library.stated(c), v); per != "" {
				stated[per]++
			}
		}
	}
	if len(stated) < 2 {
		return ""
	}
	var said strings.Builder
	for _, u := range slices.Sorted(maps.Keys(stated)) {
		fmt.Fprintf(&said, ", %d per %s", stated[u], u)
	}
	return "pages state " + f.Name + " for different periods (" + said.String()[2:] + "); they count as they are printed"
}

// overlooked says that the question names a value of a column, such as a town, while the plan has no condition on
// it, and rows of the answer have other values. A question that names most of the values lists them. Names of the
// things themselves do not count.
func overlooked(t *outline.Table, f *outline.Field, set *filter.Set, prompt string, rows []merge.Merged) string {
	if f.Node.Type != schema.String || f.Node.Format != "" || f.Free || slices.Contains(t.Keys, f.Name) || set != nil && slices.Contains(set.Fields(), f.Name) {
		return ""
	}
	named, others := map[string]int{}, map[string]int{}
	n := 0
	for _, m := range rows {
		text, is := m.Row[f.Name].Value.(string)
		if !is || m.State == filter.Unmet {
			continue
		}
		says := ""
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;/|()", r) }) {
			if part = strings.TrimSpace(part); isName(part) && value.Holds(prompt, part) > 0 && (set == nil || !set.Wants(part)) {
				says = part
			}
		}
		if says == "" {
			others[text]++
			n++
		} else {
			named[says]++
		}
	}
	if len(named) == 0 || len(others) == 0 || len(named) > 1 && len(named) >= len(others) {
		return ""
	}
	name := slices.Sorted(maps.Keys(named))[0]
	return fmt.Sprintf("the question names %q, which is the %s of %d rows, the plan has no condition on it, and %d rows have another %s", value.ClipRunes(name, 60), f.Name, named[name], n, f.Name)
}

// isName reports whether a text begins with a capital letter, and is not an abbreviation of two letters.
func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) && utf8.RuneCountInString(text) > 2
}

// differ reports whether there is a word, and another one that does not begin like it, or no
// word.
func differ(words map[string]int) bool {
	const same = 3 // letters with which forms of one word begin
	stems := map[string]bool{}
	for word := range words {
		stems[value.ClipRunes(word, same)] = true
	}
	return len(stems) > 1
}

// concluded says how many rows meet a condition, or do not, because of what the model concluded
// from lines in which code knows no word for yes or no. The caller holds mu.
func concluded(s *tables, set *filter.Set, rows []merge.Merged) []string {
	var all []string
	for _, name := range set.Fields() {
		n := 0
		for _, m := range rows {
			c, ok := m.Row[name]
			if _, flag := c.Value.(bool); ok && flag && m.State != filter.Open && c.Grade == finding.GradeDerived && !grounding.Affirms(s.library.stated(c)) {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("the condition on %s is decided for %d rows by what the model concludes from their lines: code knows no words for yes or no there", name, n))
		}
	}
	return all
}

// worded says of which languages no row meets a condition on a text, while rows of pages in
// others do. Those pages may state the same in other words. The caller holds mu.
func worded(s *tables, set *filter.Set, rows []merge.Merged) []string {
	var all []string
	for _, name := range set.Worded() {
		met, unmet := map[string]int{}, map[string]int{}
		for _, m := range rows {
			c := m.Row[name]
			p := s.library.page(c.Source)
			if p == nil {
				continue
			}
			lang, _, _ := strings.Cut(p.Rec.Lang, "-")
			switch m.State {
			case filter.Met:
				met[lang]++
			case filter.Unmet:
				unmet[lang]++
			}
		}
		for _, lang := range slices.Sorted(maps.Keys(unmet)) {
			if met[lang] == 0 && len(met) > 0 && lang != "" {
				all = append(all, fmt.Sprintf("none of %d rows of pages in the language %q has a text that the condition on %s names; these pages may state it in other words", unmet[lang], value.ClipRunes(lang, 20), name))
			}
		}
	}
	return all
}
