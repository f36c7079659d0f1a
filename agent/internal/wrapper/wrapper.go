// SPDX-License-Identifier: Apache-2.0

// Package wrapper learns where the pages of a template state the fields of a table, and
// uses this to read further pages.
package wrapper

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
)

// Limits of learning.
const (
	WantedSeeds = 3 // with fewer seeds, wrappers were wrong too often
	MaxSeeds    = 6
	maxRules    = 8
	MaxRelearn  = 2
)

// Store contains the wrappers of templates. Its zero value is ready to use. It is safe
// for concurrent use.
type Store struct {
	mu    sync.Mutex // guards known
	known map[string]*Wrapper
}

// Get returns the wrapper of a template, or nil if there is none.
func (w *Store) Get(key string) *Wrapper {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known[key]
}

// Put stores the wrapper of a template. If learned is nil, it deletes the wrapper.
func (w *Store) Put(key string, learned *Wrapper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = map[string]*Wrapper{}
	}
	if learned == nil || len(w.known) >= 10_000 {
		delete(w.known, key)
		return
	}
	w.known[key] = learned
}

// Wrapper reads the fields of a table from the pages of one template. After its
// creation, only its concluded fields change.
type Wrapper struct {
	rules     map[string][]rule // by field
	absent    map[string]bool   // fields that at least one seed does not have, although they were learned
	concluded literals
}

// rule selects texts of a page.
type rule struct {
	path  string // last steps of the path of the element
	depth int
	attr  string
	label string // text of the previous element; empty means any
	self  bool   // the rule selects the URL of the page itself
}

// matches reports whether the rule selects a text.
func (r rule) matches(t *journal.Text) bool {
	if r.self || t.Attr != r.attr || r.label != "" && t.Label != r.label {
		return false
	}
	rest, ok := strings.CutSuffix(t.Path, r.path)
	return ok && (rest == "" || strings.HasSuffix(rest, ">"))
}

// only returns the text that the rule selects on a page, or false if there is
// none or more than one.
func (r rule) only(p *grounding.Page) (text string, count int) {
	if r.self {
		return cmp.Or(value.Canonical(p.Rec.Final), p.Rec.URL), 1
	}
	texts := p.Short()
	for i := range texts {
		if t := &texts[i]; r.matches(t) {
			if count++; count > 1 {
				return "", count
			}
			text = t.Value
		}
	}
	return text, count
}

// Seed is a page that a model has read, and the only row that it found.
type Seed struct {
	Page *grounding.Page
	Row  finding.Row
	Said map[string]bool // booleans that the model gave without a line that states them; may be nil
}

// concluded returns the value of a concluded field, also if no line was cited for it.
func (s Seed) concluded(f *outline.Field) (any, bool) {
	if c, ok := s.Row[f.Name]; ok {
		return c.Value, true
	}
	v, ok := s.Said[f.Name]
	return v, ok
}

// Good reports whether a wrapper can learn from the row: it has cells, and all of them are
// literal, or are concluded from lines that they cite.
func (s Seed) Good(t *outline.Table) bool {
	for _, f := range t.Fields {
		c, ok := s.Row[f.Name]
		literal := c.Grade == finding.GradeExact || c.Grade == finding.GradeNormalized || c.Grade == finding.GradeDerived && isConcluded(f) && c.Lines[0] > 0
		if ok && !literal {
			return false
		}
	}
	return len(s.Row) > 0
}

// Whole returns the seeds that have each required field which any of them has. A field that
// none of them has stands on other pages, such as a list.
func Whole(t *outline.Table, seeds []Seed) []Seed {
	var needed []string
	for _, f := range t.Fields {
		if f.Required && slices.ContainsFunc(seeds, func(s Seed) bool { _, ok := s.Row[f.Name]; return ok }) {
			needed = append(needed, f.Name)
		}
	}
	return slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool {
		return slices.ContainsFunc(needed, func(name string) bool { _, ok := s.Row[name]; return !ok })
	})
}

// Overlooked returns cells that the model did not give for seeds, in the order of the
// seeds. A label that stands before the values of a field on all seeds that have it must
// also stand, with one value, on the seed that lacks it.
func Overlooked(t *outline.Table, seeds []Seed) []finding.Row {
	out := make([]finding.Row, len(seeds))
	for _, f := range t.Fields {
		having := slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool { _, ok := s.Row[f.Name]; return !ok })
		if len(having) == 0 || len(having) == len(seeds) || isConcluded(f) {
			continue
		}
		rules := slices.DeleteFunc(candidates(f, having[0]), func(r rule) bool { return r.label == "" || !r.holds(f, having) })
		for i, s := range seeds {
			if _, ok := s.Row[f.Name]; ok {
				continue
			}
			if v, lines := unanimous(rules, s.Page, f); v != nil {
				if out[i] == nil {
					out[i] = finding.Row{}
				}
				out[i][f.Name] = finding.Cell{Value: v, Grade: finding.GradeWrapper, Source: s.Page.Rec.ID, Lines: lines}
			}
		}
	}
	return out
}

// unanimous returns the value of a field that all rules which select one text of a page
// select, and the lines of that text. If they disagree, or a text is not a value, it returns
// nil.
func unanimous(rules []rule, p *grounding.Page, f *outline.Field) (v any, lines [2]int) {
	for _, r := range rules {
		s, count := r.only(p)
		if count != 1 {
			continue
		}
		read := alone(p, f, s)
		if read == nil || grounding.Absent(s) || v != nil && !value.Agree(read, v) {
			return nil, [2]int{}
		}
		v, lines = read, r.lineOf(p, s)
	}
	return v, lines
}

// Induce returns a wrapper that it learned from seeds, or nil if no field can be read.
func Induce(t *outline.Table, seeds []Seed) *Wrapper {
	w := &Wrapper{rules: map[string][]rule{}, absent: map[string]bool{}}
	w.concluded = literals{fields: map[string][]*literal{}, broken: map[string]bool{}, asked: map[string]chan struct{}{}}
	for _, f := range t.Fields {
		var first *Seed
		for i := range seeds {
			if _, ok := seeds[i].Row[f.Name]; !ok {
				w.absent[f.Name] = true
			} else if first == nil {
				first = &seeds[i]
			}
		}
		if first == nil {
			continue
		}
		if isConcluded(f) { // a text whose meaning the model did not cite is not absent
			w.absent[f.Name] = slices.ContainsFunc(seeds, func(s Seed) bool { _, ok := s.concluded(f); return !ok })
		}
		w.rules[f.Name] = rulesFor(f, *first, seeds)
		if len(w.rules[f.Name]) == 0 {
			delete(w.rules, f.Name)
		}
		if isConcluded(f) && len(w.rules[f.Name]) == 0 {
			all := conclude(f, seeds)
			if len(all) == 0 {
				all = constant(t, f, seeds)
			}
			if len(all) > 0 {
				w.concluded.fields[f.Name] = all
			}
		}
		if len(w.rules[f.Name]) == 0 && len(w.concluded.fields[f.Name]) == 0 {
			delete(w.absent, f.Name) // it is not known where pages state it, so that no page can be said not to
		}
	}
	if len(w.rules) == 0 { // concluded fields alone do not name a thing
		return nil
	}
	return w
}

// rulesFor returns the rules that select the value of a field on all seeds. If there are
// none, it assumes that the model has overlooked the value on some seeds. Labels must show
// it there, and at least two seeds must have it.
func rulesFor(f *outline.Field, first Seed, seeds []Seed) []rule {
	all := candidates(f, first)
	some := func(holds func(r rule) bool) []rule {
		var kept []rule
		for _, r := range all {
			if len(kept) < maxRules && holds(r) {
				kept = append(kept, r)
			}
		}
		return kept
	}
	if kept := some(func(r rule) bool { return r.holds(f, seeds) }); len(kept) > 0 {
		return kept
	}
	having := slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool { _, ok := s.Row[f.Name]; return !ok })
	if len(having) < 2 || len(having) == len(seeds) {
		return nil
	}
	return some(func(r rule) bool { return r.label != "" && r.holds(f, having) && r.overlooked(f, seeds) })
}

// overlooked reports whether each seed without a value of the field has at most one text that
// the rule selects, which is a value or says that there is none.
func (r rule) overlooked(f *outline.Field, seeds []Seed) bool {
	return !slices.ContainsFunc(seeds, func(s Seed) bool {
		if _, ok := s.Row[f.Name]; ok {
			return false
		}
		text, count := r.only(s.Page)
		return count > 1 || count == 1 && !grounding.Absent(text) && alone(s.Page, f, text) == nil
	})
}

// candidates returns the rules that select the value of a field on one page. Rules with
// a label come first, then shorter ones.
func candidates(f *outline.Field, s Seed) []rule {
	want := s.Row[f.Name].Value
	var out []rule
	if outline.KindOf(f.Node) == "url" && want == cmp.Or(value.Canonical(s.Page.Rec.Final), s.Page.Rec.URL) {
		out = append(out, rule{self: true})
	}
	texts := s.Page.Short()
	for i := range texts {
		t := &texts[i]
		if !statesValue(s.Page, f, t.Value, want) {
			continue
		}
		out = append(out, rulesOf(t)...)
		if len(out) > 400 {
			break
		}
	}
	sortRules(out)
	return slices.Compact(out)
}

// rulesOf returns the rules that select a text by its path, with and without its label.
func rulesOf(t *journal.Text) []rule {
	var out []rule
	steps := strings.Split(t.Path, ">")
	for depth := 1; depth <= len(steps); depth++ {
		path := strings.Join(steps[len(steps)-depth:], ">")
		out = append(out, rule{path: path, depth: depth, attr: t.Attr})
		if t.Label != "" {
			out = append(out, rule{path: path, depth: depth, attr: t.Attr, label: t.Label})
		}
	}
	return out
}

// sortRules sorts rules. Rules with a label come first, then short ones.
func sortRules(rules []rule) {
	slices.SortStableFunc(rules, func(a, b rule) int {
		return cmp.Or(boolOrder(a.self, b.self), boolOrder(a.label != "", b.label != ""), cmp.Compare(a.depth, b.depth))
	})
}

// boolOrder compares two booleans. True comes first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// holds reports whether the rule selects the value of the field on each seed that has
// one, and nothing on the others.
func (r rule) holds(f *outline.Field, seeds []Seed) bool {
	for _, s := range seeds {
		text, count := r.only(s.Page)
		c, ok := s.Row[f.Name]
		if !ok {
			if count != 0 {
				return false
			}
			continue
		}
		if count != 1 || !statesValue(s.Page, f, text, c.Value) {
			return false
		}
	}
	return true
}

// statesValue reports whether a text consists of a value of the field.
func statesValue(p *grounding.Page, f *outline.Field, text string, want any) bool {
	if w, ok := want.(string); ok && outline.KindOf(f.Node) == "string" {
		return value.Normal(text) == value.Normal(w)
	}
	got := alone(p, f, text)
	return got != nil && value.Agree(got, want)
}

// alone converts a short text of a page to a value of the field. If it is not a value,
// it returns nil.
func alone(p *grounding.Page, f *outline.Field, text string) any {
	switch kind := outline.KindOf(f.Node); {
	case strings.HasSuffix(kind, "[]"), kind == "object":
		return nil
	case kind == "url":
		return canonicalOrNil(text)
	case kind == "number" || kind == "integer":
		_, unit := f.Wants()
		if normal := value.Normal(text); !value.Free(normal) && !value.OneFigure(normal, kind == "integer") && len(value.Measures(normal, unit, value.MarksOf(p.Rec.Lang))) != 1 {
			return nil
		}
	}
	g := grounding.New([]string{text}, nil, p.Rec.Lang)
	got := g.Check(f, text, []int{1, 1}, g.StyleOf([]string{text}))
	if got.Grade == finding.GradeDerived {
		return nil
	}
	return got.Value
}

func canonicalOrNil(text string) any {
	if c := value.Canonical(text); c != "" {
		return c
	}
	return nil
}

// Read returns the row of a page. If a field cannot be read with certainty, sure is
// false.
func (w *Wrapper) Read(p *grounding.Page, t *outline.Table, demoted map[string]bool) (row finding.Row, sure bool) {
	row, sure = finding.Row{}, true
	for _, f := range t.Fields {
		if demoted[f.Name] {
			sure = false
			continue
		}
		if v, text, known := w.conclude(p, f.Name); known {
			if v != nil {
				row[f.Name] = finding.Cell{Value: v, Grade: finding.GradeWrapper, Source: p.Rec.ID, Lines: lineOf(p, text)}
			}
			continue
		} else if isConcluded(f) && len(w.rules[f.Name]) == 0 && w.learned(f.Name) {
			sure = false
			continue
		}
		var read any
		lines, matched, split := [2]int{}, 0, false
		for _, r := range w.rules[f.Name] {
			s, count := r.only(p)
			if count != 1 {
				split = split || count > 1
				continue
			}
			v := alone(p, f, s)
			if v == nil || read != nil && !value.Agree(v, read) {
				split = true
				continue
			}
			if matched++; matched == 1 {
				read, lines = v, r.lineOf(p, s)
			}
		}
		switch {
		case split || matched > 0 && matched < len(w.rules[f.Name]):
			sure = false
		case matched > 0:
			row[f.Name] = finding.Cell{Value: read, Grade: finding.GradeWrapper, Source: p.Rec.ID, Lines: lines}
		case !w.absent[f.Name]:
			sure = false
		}
	}
	if len(row) == 0 {
		return row, false
	}
	w.cite(t, row)
	return row, sure
}

// cite makes values that follow from the absence of a text cite the line of a key.
func (w *Wrapper) cite(t *outline.Table, row finding.Row) {
	for _, f := range t.Fields {
		c, ok := row[f.Name]
		if !ok || c.Lines[0] > 0 || !isConcluded(f) {
			continue
		}
		for _, k := range t.Keys {
			if own, ok := row[k]; ok && own.Lines[0] > 0 {
				c.Lines = own.Lines
				row[f.Name] = c
				break
			}
		}
	}
}

// lineOf returns the line of a text that the rule has selected: the first one that contains
// it beside or below its label, or else the first one that contains it. A short number
// often stands in other lines too.
func (r rule) lineOf(p *grounding.Page, text string) [2]int {
	label := r.label
	texts := p.Short()
	for i := range texts {
		if t := &texts[i]; label == "" && r.matches(t) {
			label = t.Label
		}
	}
	label = value.Normal(label)
	if label == "" {
		return lineOf(p, text)
	}
	want := value.Normal(text)
	named := false // the line before contains the label
	for n := 1; n <= len(p.Main.Lines); n++ {
		line := grounding.Unlinked(p.Main.Line(n))
		here := value.Holds(line, label) > 0
		if (here || named) && value.Holds(line, want) > 0 {
			return [2]int{n, n}
		}
		named = here
	}
	return lineOf(p, text)
}

// lineOf returns the first line that contains a text, or zero if there is none.
func lineOf(p *grounding.Page, text string) [2]int {
	want := value.Normal(text)
	for n := 1; n <= len(p.Main.Lines); n++ {
		if value.Holds(grounding.Unlinked(p.Main.Line(n)), want) > 0 {
			return [2]int{n, n}
		}
	}
	return [2]int{}
}
