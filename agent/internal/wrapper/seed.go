// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

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

// Good reports whether a wrapper can learn from the row: it has cells, and those of the keys show
// where the page states them. Other cells may be doubtful, because fields are learned one by one.
func (s Seed) Good(t *outline.Table) bool {
	return len(s.Row) > 0 && !slices.ContainsFunc(t.Keys, func(name string) bool { return !s.teaches(t.Field(name)) })
}

// teaches reports whether the seed shows where its page states a field: it lacks the field, or its
// cell is literal, is concluded from lines that it cites, or is what the model has said that a text
// in these lines means.
func (s Seed) teaches(f *outline.Field) bool {
	c, ok := s.Row[f.Name]
	if !ok || c.Grade == finding.GradeExact || c.Grade == finding.GradeNormalized {
		return true
	}
	_, number := c.Value.(float64)
	return c.Grade == finding.GradeDerived && c.Lines[0] > 0 && (number || isConcluded(f))
}

// teaching returns the seeds that show where pages state a field.
func teaching(f *outline.Field, seeds []Seed) []Seed {
	return slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool { return !s.teaches(f) })
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
		read := r.read(p, f, s)
		if read == nil || grounding.Absent(s) || v != nil && !value.Agree(read, v) {
			return nil, [2]int{}
		}
		v, lines = read, r.lineOf(p, s)
	}
	return v, lines
}
