// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"cmp"
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/sorting"
)

// rule selects texts of a page.
type rule struct {
	path  string // last steps of the path of the element
	depth int
	attr  string
	label string // text of the previous element; empty means any
	self  bool   // the rule selects the URL of the page itself
	place        // among equal ones
	affix        // within the text
}

// matches reports whether the rule selects a text.
func (r *rule) matches(t *journal.Text) bool {
	if r.self || t.Attr != r.attr || r.label != "" && t.Label != r.label {
		return false
	}
	rest, ok := strings.CutSuffix(t.Path, r.path)
	return ok && (rest == "" || strings.HasSuffix(rest, ">"))
}

// only returns the text that the rule selects on a page, or false if there is
// none or more than one.
func (r *rule) only(p *grounding.Page) (text string, count int) {
	if r.self {
		return cmp.Or(value.Canonical(p.Rec.Final), p.Rec.URL), 1
	}
	if r.of > 0 {
		return r.among(p)
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

// holds reports whether the rule selects the value of the field on each seed that has
// one, and on each other seed nothing, or a text that is no value.
func (r *rule) holds(f *outline.Field, seeds []Seed) bool {
	for _, s := range seeds {
		text, count := r.only(s.Page)
		c, ok := s.Row[f.Name]
		if !ok {
			if count > 1 || count == 1 && !r.void(s.Page, f, text) {
				return false
			}
			continue
		}
		if count != 1 || !r.states(s.Page, f, text, c.Value) {
			return false
		}
	}
	return true
}

// overlooked reports whether each seed without a value of the field has at most one text that
// the rule selects, which is a value or says that there is none.
func (r *rule) overlooked(f *outline.Field, seeds []Seed) bool {
	return !slices.ContainsFunc(seeds, func(s Seed) bool {
		if _, ok := s.Row[f.Name]; ok {
			return false
		}
		text, count := r.only(s.Page)
		return count > 1 || count == 1 && !grounding.Absent(text) && r.read(s.Page, f, text) == nil
	})
}

// lineOf returns the line of a text that the rule has selected: the first one that contains
// it beside or below its label, or else the first one that contains it. A short number
// often stands in other lines too.
func (r *rule) lineOf(p *grounding.Page, text string) [2]int {
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

// lineOf returns the first line that is a text, such as a heading, or else the first one that
// contains it. If there is none, it returns zero.
func lineOf(p *grounding.Page, text string) [2]int {
	want, at := value.Normal(text), 0
	for n := 1; n <= len(p.Main.Lines); n++ {
		line := grounding.Unlinked(p.Main.Line(n))
		if value.Holds(line, want) == 0 {
			continue
		}
		if strings.Trim(line, "# *_") == want {
			return [2]int{n, n}
		}
		if at == 0 {
			at = n
		}
	}
	return [2]int{at, at}
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
// It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func sortRules(rules []rule) {
	sorting.Stable(rules, func(a, b rule) int {
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
	if v, ok := f.Term(text); ok {
		return v
	}
	text, _ = spoken(p, f, text)
	if _, unit := f.Wants(); unit == (value.Unit{}) {
		text, _, _ = strings.Cut(text, " ± ") // how far the value may be off
	}
	switch kind := outline.KindOf(f.Node); {
	case strings.HasSuffix(kind, "[]"), kind == "object":
		return nil
	case kind == "url":
		return canonicalOrNil(text)
	case (kind == "number" || kind == "integer") && figured(text):
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
	if n, ok := got.Value.(float64); ok && n != 0 && !figured(text) {
		return nil // of the words without figures, only those for nothing, such as "none", are certain
	}
	return got.Value
}

// maxSpoken is the largest number of words of a text that is taken for a number in words with its unit, such as
// "fünf Jahre" or "a partir de diez años".
const maxSpoken = 5

// spoken returns a text without figures with those of the numbers that it has in words, if the field is
// a number: "5 jahre" for "fünf Jahre".
func spoken(p *grounding.Page, f *outline.Field, text string) (said string, ok bool) {
	if kind := outline.KindOf(f.Node); kind != "number" && kind != "integer" || figured(text) {
		return text, false
	}
	said, ok = value.Spoken(value.Normal(text), p.Rec.Lang, f.Words())
	if !ok || len(value.Words(said)) > maxSpoken {
		return text, ok
	}
	return said, true
}

func canonicalOrNil(text string) any {
	if c := value.Canonical(text); c != "" {
		return c
	}
	return nil
}
