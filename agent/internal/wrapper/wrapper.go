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
	"example.com/curlew/internal/schema"
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

// Wrapper reads the fields of a table from the pages of one template. It goes on
// learning from the pages that the model reads for it.
type Wrapper struct {
	rules     rules
	gaps      gaps
	concluded literals
	enough    bool // see Enough
	again     again
}

// rules are the rules of fields. It is safe for concurrent use.
type rules struct {
	mu sync.Mutex // guards of
	of map[string][]rule
}

// get returns the rules of a field.
func (r *rules) get(name string) []rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[name]
}

// prune drops the rules that do not select the value which the model has read on a page, if
// others do. The labels of rules may be texts that only the seeds have in common.
func (r *rules) prune(f *outline.Field, p *grounding.Page, want any) {
	all := r.get(f.Name)
	var kept []rule
	for _, one := range all {
		if text, count := one.only(p); count == 1 && one.states(p, f, text, want) {
			one.confirm(text, p)
			kept = append(kept, one)
		}
	}
	if len(kept) == 0 || len(kept) == len(all) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.of[f.Name]) >= len(all) {
		r.of[f.Name] = kept
	}
}

// Induce returns a wrapper that it learned from the pages of a template and of its siblings, or
// nil if no field can be read. A sibling may show a field in another place. Such a field is learned
// without the pages of that sibling, if the others suffice.
func Induce(t *outline.Table, own []Seed, siblings ...[]Seed) *Wrapper {
	w := newWrapper()
	all := slices.Concat(own, slices.Concat(siblings...))
	for _, f := range t.Fields {
		w.again.seeds[f.Name] = all
		if w.learn(t, f, all) {
			continue
		}
		if agree := agreeing(t, f, own, siblings); len(agree) < len(all) && len(agree) >= WantedSeeds {
			w.forget(f)
			w.again.seeds[f.Name] = agree
			if w.learn(t, f, agree) {
				continue
			}
		}
		w.enough = false
	}
	if len(w.rules.of) == 0 { // concluded fields alone do not name a thing
		return nil
	}
	return w
}

// newWrapper returns a wrapper that knows nothing.
func newWrapper() *Wrapper {
	w := &Wrapper{rules: rules{of: map[string][]rule{}}, gaps: newGaps(), enough: true, again: again{seeds: map[string][]Seed{}, tries: map[string]int{}}}
	w.concluded = literals{fields: map[string][]*literal{}, broken: map[string]bool{}, asked: map[string]chan struct{}{}}
	return w
}

// agreeing returns the seeds of a template, and of those siblings that show a field in the same
// place.
func agreeing(t *outline.Table, f *outline.Field, own []Seed, siblings [][]Seed) []Seed {
	out := own
	for _, more := range siblings {
		if both := slices.Concat(out, more); newWrapper().learn(t, f, both) {
			out = both
		}
	}
	return out
}

// forget takes back what was learned about a field.
func (w *Wrapper) forget(f *outline.Field) {
	delete(w.rules.of, f.Name)
	delete(w.concluded.fields, f.Name)
	delete(w.gaps.absent, f.Name)
	delete(w.gaps.texts, f.Name)
}

// Enough reports whether the wrapper can read each field that any of its seeds has, and further
// seeds would show nothing that is known to be open.
func (w *Wrapper) Enough() bool { return w != nil && w.enough }

// learn learns one field from seeds. It returns false if further seeds may show more.
func (w *Wrapper) learn(t *outline.Table, f *outline.Field, seeds []Seed) bool {
	if all := len(seeds); all > 0 {
		if seeds = teaching(f, seeds); len(seeds) < min(all, WantedSeeds) {
			return false
		}
	}
	having := slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool { _, ok := s.Row[f.Name]; return !ok })
	if len(having) == 0 {
		said := named(f, seeds)
		if len(said) > 0 {
			w.concluded.fields[f.Name] = said
		}
		w.gaps.absent[f.Name] = len(said) == 0
		return len(said) > 0 || !slices.ContainsFunc(seeds, func(s Seed) bool { _, ok := s.concluded(f); return ok })
	}
	if rules := rulesFor(f, having, seeds); len(rules) > 0 {
		w.rules.of[f.Name] = rules
		for _, s := range seeds {
			if _, ok := s.Row[f.Name]; !ok {
				w.gaps.learn(f, rules, s.Page)
			}
		}
		return len(having) > 1 // one more shows where pages state it
	}
	if !isConcluded(f) {
		return false // it is not known where pages state it, so that no page can be said not to
	}
	all := conclude(f, seeds)
	changes := len(all) > 0 || f.Node.Type != schema.Boolean || !isConstant(t, f, seeds) // or else more seeds show whether it ever does
	if len(all) == 0 {
		all = constant(t, f, seeds)
	}
	if len(all) == 0 {
		return false
	}
	w.concluded.fields[f.Name] = all // a text whose meaning the model did not cite is not absent
	w.gaps.absent[f.Name] = slices.ContainsFunc(seeds, func(s Seed) bool { _, ok := s.concluded(f); return !ok })
	return changes && len(having) > 1
}

// rulesFor returns the rules that select the value of a field on all seeds. having are the
// seeds that have one. If there are no such rules, it assumes that the model has overlooked
// the value on some seeds. Labels must show it there, and at least two seeds must have it.
func rulesFor(f *outline.Field, having, seeds []Seed) []rule {
	some := func(all []rule, holds func(r rule) bool) []rule {
		var kept []rule
		for _, r := range all {
			if len(kept) < maxRules && holds(r) {
				kept = append(kept, r)
			}
		}
		return kept
	}
	holds := func(r rule) bool { return r.holds(f, seeds) }
	if isTexts(f) {
		return some(opened(listed(f, having), having), holds)
	}
	all := candidates(f, having[0])
	if kept := some(all, holds); len(kept) > 0 {
		return kept
	}
	if len(having) < 2 { // one page does not show what is the same on all of them
		return nil
	}
	for _, more := range [](func(*outline.Field, []Seed) []rule){within, placed, placedWithin} {
		if kept := some(more(f, having), holds); len(kept) > 0 {
			return kept
		}
	}
	if len(having) == len(seeds) {
		return nil
	}
	return some(all, func(r rule) bool { return r.label != "" && r.holds(f, having) && r.overlooked(f, seeds) })
}

// candidates returns the rules that select the value of a field on one page. Rules with
// a label come first, then shorter ones.
func candidates(f *outline.Field, s Seed) []rule {
	want := s.Row[f.Name].Value
	var out []rule
	if outline.KindOf(f.Node) == "url" && want == cmp.Or(value.Canonical(s.Page.Rec.Final), s.Page.Rec.URL) {
		out = append(out, rule{self: true})
	}
	for _, t := range innermost(stating(f, s.Page, want)) {
		out = append(out, rulesOf(t)...)
		if len(out) > 400 {
			break
		}
	}
	sortRules(out)
	return slices.Compact(out)
}

// maxStating is the maximum number of texts of a page that are compared with each other.
const maxStating = 100

// stating returns the texts of a page that are a value of the field.
func stating(f *outline.Field, p *grounding.Page, want any) []*journal.Text {
	var out []*journal.Text
	texts := p.Short()
	for i := range texts {
		if t := &texts[i]; len(out) < maxStating && statesValue(p, f, t.Value, want) {
			out = append(out, t)
		}
	}
	return out
}

// innermost leaves out elements whose text contains that of another one: a table with a
// single date says the date, but what else it says differs between pages.
func innermost(all []*journal.Text) []*journal.Text {
	return slices.DeleteFunc(slices.Clone(all), func(t *journal.Text) bool {
		return t.Attr == "" && slices.ContainsFunc(all, func(u *journal.Text) bool {
			return u.Attr == "" && len(u.Value) < len(t.Value) && strings.Contains(t.Value, u.Value)
		})
	})
}

// within returns the rules that select a text which contains the value of a field beside other
// words.
func within(f *outline.Field, having []Seed) []rule {
	return cuts(f, having, func(t *journal.Text, _ *grounding.Page) []rule { return rulesOf(t) })
}

// placed returns the rules that select the value of a field by its number among equal places.
func placed(f *outline.Field, having []Seed) []rule {
	var out []rule
	for _, t := range innermost(stating(f, having[0].Page, having[0].Row[f.Name].Value)) {
		if len(out) <= 400 {
			out = append(out, placesOf(t, having[0].Page)...)
		}
	}
	sortRules(out)
	return opened(out, having)
}

// placedWithin returns the rules that select a text by its number which contains the value of a
// field beside other words.
func placedWithin(f *outline.Field, having []Seed) []rule {
	return cuts(f, having, func(t *journal.Text, p *grounding.Page) []rule { return opened(placesOf(t, p), having) })
}

// cuts returns the rules that select a text and cut the value of a field out of it.
func cuts(f *outline.Field, having []Seed, rules func(t *journal.Text, p *grounding.Page) []rule) []rule {
	var out []rule
	tried, stating := 0, 0
	known := map[string][]span{}
	first, want := having[0].Page, having[0].Row[f.Name].Value
	texts := first.Short()
	for i := range texts {
		t := &texts[i]
		if len(out) > 400 || stating == maxStating || !mayContain(first, f, t.Value, want) {
			continue
		}
		found := spans(first, f, t.Value, want, false, &tried)
		if len(found) == 0 {
			continue
		}
		known[first.Rec.ID+"\x00"+t.Value] = found
		stating++
		for _, r := range rules(t, first) {
			for _, a := range r.between(f, having, known, &tried) {
				cut := r
				cut.affix = a
				out = append(out, cut)
			}
		}
	}
	sortRules(out)
	return slices.Compact(out)
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
		if v, text, known := w.conclude(p, f); known {
			if v != nil {
				row[f.Name] = finding.Cell{Value: v, Grade: finding.GradeWrapper, Source: p.Rec.ID, Lines: lineOf(p, text)}
			}
			continue
		} else if isConcluded(f) && len(w.rules.get(f.Name)) == 0 && w.learned(f.Name) {
			sure = false
			continue
		}
		v, lines, certain := w.value(p, f)
		sure = sure && certain
		if v != nil {
			row[f.Name] = finding.Cell{Value: v, Grade: finding.GradeWrapper, Source: p.Rec.ID, Lines: lines}
		}
	}
	if len(row) == 0 {
		return row, false
	}
	w.cite(t, row)
	return row, sure
}

// value returns what the rules of a field read on a page, and its lines. If it returns nil and
// sure is true, the page does not have the field.
func (w *Wrapper) value(p *grounding.Page, f *outline.Field) (v any, lines [2]int, sure bool) {
	rules := w.rules.get(f.Name)
	matched, void := 0, 0
	known := map[string]any{}
	for _, r := range rules {
		s, count := r.only(p)
		if count == 0 {
			continue
		}
		if count == 1 && w.gaps.says(f.Name, s) {
			void++
			continue
		}
		inner, ok := r.cut(s)
		if count > 1 || !ok || !r.knows(s) {
			return nil, [2]int{}, false
		}
		read, again := known[inner] // several rules often select the same text
		if !again {
			if read = alone(p, f, inner); isTexts(f) {
				read = r.items(inner)
			}
			known[inner] = read
		}
		if read == nil || v != nil && !value.Agree(read, v) {
			return nil, [2]int{}, false
		}
		if matched++; matched == 1 {
			v, lines = read, r.lineOf(p, s)
		}
	}
	switch {
	case matched > 0:
		if matched < len(rules) {
			v = nil
		}
		return v, lines, v != nil
	case void > 0:
		return nil, [2]int{}, void == len(rules)
	}
	return nil, [2]int{}, w.gaps.lacks(f.Name)
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
