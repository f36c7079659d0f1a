// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/filter"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Limits of further questions.
const (
	maxKnown   = 20  // values of a field that a decision shows
	maxLeads   = 3   // links that are read for one value
	maxAnswers = 500 // values for which pages are looked for, for the rows of lists
)

// hops contains the fields that further questions are about, as in "who leads the
// company that makes X". For a record, the pages about the value of such a field answer
// the question itself. For a list, they fill a table of their own, whose rows are
// joined to those of the list.
type hops struct {
	library *library
	fields  map[string][]journal.Hop // by table
	shown   map[told]bool            // values that the planner has seen
	sought  map[told]bool            // values of lists for which pages were looked for
	astray  map[string]bool          // records whose pages are about things that have no connection with the question
}

func newHops(b *library) *hops {
	return &hops{library: b, fields: map[string][]journal.Hop{}, shown: map[told]bool{}, sought: map[told]bool{}, astray: map[string]bool{}}
}

// disagree reports whether two rows have different values of one field.
func disagree(seen []merge.Sighting) bool {
	values := map[string]string{}
	for _, one := range seen {
		for name, c := range one.Row {
			text := value.Canon(value.ScalarText(c.Value))
			if before, ok := values[name]; ok && before != text {
				return true
			}
			values[name] = text
		}
	}
	return false
}

// adopt adds a field that a further question is about to the first table that has it.
// If no table has it, the first table gets it as a hidden field. If there can be no
// such field, it returns false.
func (h *hops) adopt(o *outline.Outline, hop journal.Hop) bool {
	hop.Question = value.ClipRunes(hop.Question, protocol.MaxQuery)
	for _, hide := range []bool{false, true} {
		for _, t := range o.Tables {
			if t.Drawn || t.Subject {
				continue
			}
			f := t.Find(hop.Field)
			if f == nil && hide {
				if f = t.Hide(hop.Field, "string", "the task asks further about it"); f == nil {
					return false
				}
			}
			if f == nil {
				continue
			}
			hop.Field, hop.Fills = f.Name, o.Join(t, f, hop.Fills, hop.Question)
			h.fields[t.ID] = append(h.fields[t.ID], hop)
			return true
		}
	}
	return false
}

// about returns the sightings of a record that answer the question. If a further
// question is about the value of a field, these are the rows of pages that have the
// field, and of pages about that value, because pages about other things state other
// values. If no page says which value it is, and the pages contradict each other, there
// are none. The caller holds the lock of the tables.
func (h *hops) about(t *outline.Table, seen, all []merge.Sighting) []merge.Sighting {
	own := h.fields[t.ID]
	if len(own) == 0 || !t.Record() {
		return seen
	}
	subjects := h.subjects(t, all)
	if len(subjects) == 0 {
		if h.astray[t.ID] = disagree(seen); h.astray[t.ID] {
			return nil
		}
		return seen
	}
	h.astray[t.ID] = false
	return slices.DeleteFunc(slices.Clone(seen), func(one merge.Sighting) bool {
		for _, hop := range own {
			if c, ok := one.Row[hop.Field]; ok {
				return !slices.Contains(subjects, value.Canon(value.ScalarText(c.Value)))
			}
		}
		p := h.library.page(merge.SourceID(one.Page))
		return p == nil || !slices.ContainsFunc(subjects, func(name string) bool { return isSubject(p, name) })
	})
}

// subjects returns the values that further questions about a table are about, in the
// form in which keys are compared, in the order in which they were found. The page about such a value
// names that value too, which says nothing about the thing of the question. So it counts only if no
// other page names a value, and if there is only one such page.
func (h *hops) subjects(t *outline.Table, seen []merge.Sighting) []string {
	var out, own []string
	for _, hop := range h.fields[t.ID] {
		for _, one := range seen {
			c, ok := one.Row[hop.Field]
			if !ok {
				continue
			}
			name := value.Canon(value.ScalarText(c.Value))
			if name == "" {
				continue
			}
			list := &out
			if p := h.library.page(merge.SourceID(one.Page)); p != nil && isSubject(p, name) {
				list = &own
			}
			if !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		}
	}
	if len(out) == 0 && len(own) == 1 {
		return own
	}
	return out
}

// awaits reports whether a further question is about the thing that a page is about. Its
// answer, or that for many rows, then depends on this one page.
func (s *tables) awaits(p *grounding.Page, t *outline.Table) bool {
	if s == nil || !t.Subject && !t.Record() {
		return false
	}
	if t.Subject {
		return true // only such pages are read for it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.hops.subjects(t, s.seen[t.ID]), func(name string) bool { return isSubject(p, name) })
}

// answeredElsewhere reports whether what the rows of a page lack probably stands on another
// page. A further question about a record is then about a thing that the rows name, and
// the page is not about that thing. Or the page has no rows and lists many things.
func answeredElsewhere(s *tables, p *grounding.Page, t *outline.Table, rows []finding.Row) bool {
	if s == nil || !t.Record() || len(s.hops.fields[t.ID]) == 0 {
		return false
	}
	if len(rows) == 0 {
		return p.Lists(glanceRows) != ""
	}
	own := s.hops.fields[t.ID]
	return !slices.ContainsFunc(own, func(hop journal.Hop) bool {
		return !slices.ContainsFunc(rows, func(row finding.Row) bool {
			c, ok := row[hop.Field]
			return ok && !isSubject(p, value.Canon(value.ScalarText(c.Value)))
		})
	})
}

// isSubject reports whether a page is about a thing: the name is in its title or in its
// first heading.
func isSubject(p *grounding.Page, name string) bool {
	if value.Holds(value.Canon(p.Rec.Title), name) > 0 {
		return true
	}
	for _, line := range p.Rec.Main[:min(len(p.Rec.Main), 20)] {
		if strings.HasPrefix(line, "#") {
			return value.Holds(value.Canon(line), name) > 0
		}
	}
	return false
}

// known returns the values that further questions are about. Unless all is set, it
// leaves out values that only rendered pages contain. Values about which no page was
// read come first, and among them those that the planner has not seen.
func (h *hops) known(o *outline.Outline, tables map[string][]merge.Merged, all bool) []protocol.PromptKnown {
	var out []protocol.PromptKnown
	for _, t := range o.Tables {
		for _, hop := range h.fields[t.ID] {
			if len(hop.Fills) > 0 {
				continue // code looks for their pages
			}
			var fresh, open, read []string
			seen := map[string]bool{}
			for _, m := range tables[t.ID] {
				c, ok := m.Row[hop.Field]
				text := value.ClipRunes(value.ScalarText(c.Value), lines.MaxAnchor)
				if !ok || m.State == filter.Unmet || text == "" || seen[text] || !all && h.library.rendered(c.Source) {
					continue
				}
				seen[text] = true
				switch {
				case h.library.about(value.Canon(text)):
					read = append(read, text)
				case h.shown[told{t.ID, hop.Field, text}]:
					open = append(open, text)
				default:
					fresh = append(fresh, text)
				}
			}
			if len(seen) > 0 {
				out = append(out, protocol.PromptKnown{Table: t.ID, Field: hop.Field, Question: hop.Question, Values: slices.Concat(fresh, open, read)})
			}
		}
	}
	return out
}

// told identifies a value of a field that a further question is about.
type told struct{ table, field, value string }

// show returns the values that fit into a prompt, and records that the planner has seen
// them.
func (h *hops) show(all []protocol.PromptKnown) []protocol.PromptKnown {
	for i := range all {
		k := &all[i]
		if n := len(k.Values) - maxKnown; n > 0 {
			k.Values, k.More = k.Values[:maxKnown], n
		}
		for _, v := range k.Values {
			h.shown[told{k.Table, k.Field, v}] = true
		}
	}
	return all
}

// unasked returns an issue that says how many values of further questions were not
// looked up: the planner has not seen them, and no page was read about them.
func (h *hops) unasked(o *outline.Outline, tables map[string][]merge.Merged) (all []finding.Issue) {
	for _, k := range h.known(o, tables, true) {
		n := 0
		for _, v := range k.Values {
			if !h.shown[told{k.Table, k.Field, v}] && !h.library.about(value.Canon(v)) {
				n++
			}
		}
		if n > 0 {
			all = append(all, finding.Issue{
				Kind:   finding.IssueLimit,
				Detail: fmt.Sprintf("%d of %d values of %s were not looked up: a decision is shown at most %d of them", n, len(k.Values), k.Field, maxKnown),
			})
		}
	}
	return all
}

// join adds the values of the rows about the values of a list's fields to the rows of
// the list.
func (h *hops) join(o *outline.Outline, t *outline.Table, tables map[string][]merge.Merged) {
	for _, hop := range h.fields[t.ID] {
		of := o.Joined(t, hop.Field)
		if of == nil {
			continue
		}
		for i, m := range tables[t.ID] {
			c, ok := m.Row[hop.Field]
			if !ok {
				continue
			}
			said := answering(tables[of.ID], of.Keys[0], value.Canon(value.ScalarText(c.Value)))
			if said == nil {
				continue
			}
			row := maps.Clone(m.Row)
			for _, f := range of.Fields[1:] {
				if cell, ok := said[f.Name]; ok {
					row[f.Name] = cell
				}
			}
			tables[t.ID][i].Row = row
		}
	}
}

// answering returns the row about a thing: the one with that name, or else the only one
// whose name contains it or is a part of it. If there is none, it returns nil.
func answering(rows []merge.Merged, key, name string) finding.Row {
	var like []finding.Row
	for _, m := range rows {
		own := value.Canon(value.ScalarText(m.Row[key].Value))
		switch {
		case own == "" || name == "":
		case own == name:
			return m.Row
		case value.Holds(own, name) > 0 || value.Holds(name, own) > 0:
			like = append(like, m.Row)
		}
	}
	if len(like) == 1 {
		return like[0]
	}
	return nil
}

// lead is a value in rows of a list whose own page answers a further question.
type lead struct {
	told
	question string
	table    *outline.Table // table for which the page is read
	public   bool           // it may be part of a query
}

// open returns the values about which no row was found, and for which nothing was
// looked for. Values of rows that certainly belong to the answer come first, and those of
// rows that do not belong to it are left out.
func (h *hops) open(o *outline.Outline, tables map[string][]merge.Merged) []lead {
	var out []lead
	for _, t := range o.Tables {
		for _, hop := range h.fields[t.ID] {
			of := o.Joined(t, hop.Field)
			if of == nil {
				continue
			}
			at := map[string]int{}
			rows := slices.DeleteFunc(slices.Clone(tables[t.ID]), func(m merge.Merged) bool { return m.State == filter.Unmet })
			sort.SliceStable(rows, func(i, j int) bool { return sureness(rows[i]) > sureness(rows[j]) })
			for _, m := range rows {
				c, ok := m.Row[hop.Field]
				text := value.ClipRunes(value.ScalarText(c.Value), lines.MaxAnchor)
				this := told{t.ID, hop.Field, text}
				if !ok || text == "" || h.sought[this] || answering(tables[of.ID], of.Keys[0], value.Canon(text)) != nil {
					continue
				}
				i, known := at[text]
				if !known {
					i = len(out)
					at[text], out = i, append(out, lead{told: this, question: hop.Question, table: of})
				}
				out[i].public = out[i].public || !h.library.rendered(c.Source)
			}
		}
	}
	return out
}

// sureness is greater for rows that certainly belong to the answer.
func sureness(m merge.Merged) int {
	if m.State == filter.Met {
		return 1
	}
	return 0
}

// follow reads the pages about the values that further questions for each row of a list
// are about: pages of the run, pages of links with their name, or what a search finds.
func (l *loop) follow(ctx context.Context) {
	r, h := l.r, l.r.tables.hops
	for !r.stopping() && ctx.Err() == nil && len(h.sought) < maxAnswers {
		leads := h.open(r.tables.outline, r.tables.tally())
		var targets []target
		var searched []journal.Action
		for _, d := range leads[:min(len(leads), maxAnswers-len(h.sought))] {
			pages := h.pagesAbout(l.f, d.value)
			for _, url := range pages {
				targets = append(targets, target{url: url, tables: []*outline.Table{d.table}})
				h.sought[d.told] = true
			}
			search := journal.Action{Do: journal.DoSearch, Q: value.ClipRunes(d.value+" "+d.question, protocol.MaxQuery), N: 5}
			if len(pages) == 0 && d.public && !r.isolated() && l.finder.searches() && !l.policy.acted(search) {
				searched = append(searched, search) // and try again with the hits
			}
		}
		if len(targets)+len(searched) == 0 {
			return
		}
		for _, a := range searched {
			l.policy.done[actionID(a)] = true
		}
		l.discover(ctx, searched, make([]journal.ActedRecord, len(searched)))
		line := r.newLine()
		for _, t := range targets {
			if !line.send(ctx, t) {
				break
			}
		}
		l.fold(line.wait(ctx), &journal.ActedRecord{})
	}
}

// pagesAbout returns the URLs of pages about a thing: those that were read, or else
// those of links with its name.
func (h *hops) pagesAbout(f *linkrank.Frontier, text string) []string {
	name := value.Canon(text)
	var urls []string
	for _, p := range h.library.read() {
		if isSubject(p, name) && len(urls) < maxLeads {
			urls = append(urls, p.Rec.URL)
		}
	}
	if len(urls) > 0 {
		return urls
	}
	for _, link := range f.Links {
		if len(urls) < maxLeads && value.Holds(value.Canon(link.Text), name) > 0 && !h.library.tried(link.URL) {
			urls = append(urls, link.URL)
		}
	}
	return urls
}

// unled returns the values that further questions are about, if no page was read about
// them and no link has their name.
func (h *hops) unled(f *linkrank.Frontier, o *outline.Outline, tables map[string][]merge.Merged) []string {
	var all []string
	for _, known := range h.known(o, tables, true) {
		for _, v := range known.Values {
			if !h.library.about(value.Canon(v)) {
				all = append(all, v)
			}
		}
	}
	for _, d := range h.open(o, tables) {
		all = append(all, d.value)
	}
	return slices.DeleteFunc(all, func(v string) bool { return value.Canon(v) == "" || len(h.pagesAbout(f, v)) > 0 })
}

// unanswered returns an issue that says for how many values of lists no page was found.
func (h *hops) unanswered(o *outline.Outline, tables map[string][]merge.Merged) (all []finding.Issue) {
	for _, t := range o.Tables {
		for _, hop := range h.fields[t.ID] {
			of := o.Joined(t, hop.Field)
			if of == nil {
				continue
			}
			names := map[string]bool{} // whether there is a row about it, by name
			for _, m := range tables[t.ID] {
				if c, ok := m.Row[hop.Field]; ok && m.State != filter.Unmet {
					name := value.Canon(value.ScalarText(c.Value))
					names[name] = answering(tables[of.ID], of.Keys[0], name) != nil
				}
			}
			n := 0
			for _, found := range names {
				if !found {
					n++
				}
			}
			if n > 0 {
				all = append(all, finding.Issue{
					Kind: finding.IssueMissing, Pointer: o.At(t),
					Detail: fmt.Sprintf("no page was found about %d of %d values of %s, so %s is not known for their rows", n, len(names), hop.Field, strings.Join(hop.Fills, ", ")),
				})
			}
		}
	}
	return all
}
