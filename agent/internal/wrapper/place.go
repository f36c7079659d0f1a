// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/journal"
)

// maxPlaces is the number of equal places of which a rule may select one.
const maxPlaces = 12

// place tells one of several texts at equal places of a page by its number. All pages must have
// as many of them, and the same of them must have figures, so that a page on which one is missing
// and another one was added is not read.
type place struct {
	nth, of int    // from zero; of is zero if the text is the only one
	figures string // for each text: 1 if it has figures, 0 if it has none, * if pages differ
}

// among returns the text that the rule selects among the equal ones of a page. The count is two
// if the page has others than the seeds.
func (r *rule) among(p *grounding.Page) (text string, count int) {
	n, fits := 0, true
	texts := p.Short()
	for i := range texts {
		t := &texts[i]
		if !r.matches(t) {
			continue
		}
		if n == r.nth {
			text = t.Value
		}
		fits = fits && n < r.of && (r.figures[n] == '*' || r.figures[n] == figureMark(t.Value))
		n++
	}
	switch {
	case n == 0:
		return "", 0
	case n != r.of || !fits:
		return "", 2
	}
	return text, 1
}

// misplaced reports whether a page has as many equal texts as the seeds, but has figures in others of
// them: the place may have to be learned again.
func (r *rule) misplaced(p *grounding.Page) bool {
	if _, count := r.among(p); r.of == 0 || count < 2 {
		return false
	}
	open := *r
	open.figures = strings.Repeat("*", r.of)
	_, count := open.among(p)
	return count == 1
}

// figureMark returns 1 if a text has figures, and 0 otherwise.
func figureMark(s string) byte {
	if strings.ContainsFunc(s, unicode.IsDigit) {
		return '1'
	}
	return '0'
}

// placesOf returns the rules that select a text of a page by its number among equal places.
func placesOf(t *journal.Text, p *grounding.Page) []rule {
	var out []rule
	texts := p.Short()
	for _, r := range rulesOf(t) {
		if r.label != "" {
			continue
		}
		var marks []byte
		for i := range texts {
			if u := &texts[i]; r.matches(u) {
				if u == t {
					r.nth = len(marks)
				}
				if marks = append(marks, figureMark(u.Value)); len(marks) > maxPlaces {
					break
				}
			}
		}
		if r.of = len(marks); r.of > 1 && r.of <= maxPlaces {
			r.figures = string(marks)
			out = append(out, r)
		}
	}
	return out
}

// open makes a rule that selects one of several texts indifferent to figures where seeds differ.
func (r rule) open(seeds []Seed) rule {
	if r.of == 0 {
		return r
	}
	marks := []byte(r.figures)
	for _, s := range seeds {
		n := 0
		texts := s.Page.Short()
		for i := range texts {
			if t := &texts[i]; n < r.of && r.matches(t) {
				if marks[n] != figureMark(t.Value) {
					marks[n] = '*'
				}
				n++
			}
		}
	}
	r.figures = string(marks)
	return r
}

// opened returns rules that are indifferent to figures where seeds differ, without those that
// are the same then.
func opened(rules []rule, seeds []Seed) []rule {
	var out []rule
	for _, r := range rules {
		if r = r.open(seeds); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
