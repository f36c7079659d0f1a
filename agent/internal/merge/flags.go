// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"maps"
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Limits for learning what texts mean for a boolean.
const (
	leastFlags    = 5  // rows for which a value is known
	leastMeaning  = 2  // rows with a text, so that it has a meaning; one suffices if its label fits the name of the field
	leastVotes    = 4  // rows with a text that outvote a single other row
	maxFlagTexts  = 6  // texts with one label
	flagCoverage  = 80 // percent of the rows that must have the label
	flagAgreement = 80 // percent of the rows with the label whose values its texts explain
)

// Flags learns from all pages of a run with which texts they state the values of a
// boolean field: the label "Heating" with "none" or "gas", say. A single page does not
// show that. It knows the rows of one table. The zero Flags is ready to use.
type Flags struct {
	rows map[int]flagged // by the number of the sighting
}

// flagged is what the lines of a row say.
type flagged struct {
	tails  map[string]grounding.Tail // by label; a label with several texts has an empty one
	said   map[string]bool           // values that the model gave and that were dropped, by field
	sure   []string                  // fields whose value the cited lines state in words that are known
	source string
	full   bool
}

// See adds the texts of a row, the values of boolean fields that the model gave for it and that no
// line states by itself, and the fields whose values are sure, because the cited lines state them in
// words that are known. n is the number of the sighting.
func (f *Flags) See(n int, tails []grounding.Tail, said map[string]bool, sure []string, source string, full bool) {
	if f.rows == nil {
		f.rows = map[int]flagged{}
	}
	row := flagged{tails: map[string]grounding.Tail{}, said: said, sure: sure, source: source, full: full}
	for _, t := range tails {
		if old, ok := row.tails[t.Label]; ok && old.Text != t.Text {
			t.Text = ""
		} else if ok {
			t = old
		}
		row.tails[t.Label] = t
	}
	f.rows[n] = row
}

// Settle returns the sightings of a table with the booleans that its lines state: those
// that the model left out or that were dropped, and those for which the model says the
// opposite of what it says for all other rows with the same text.
func (f *Flags) Settle(t *outline.Table, seen []Sighting) []Sighting {
	out := seen
	for _, field := range t.Fields {
		if field.Node.Type != schema.Boolean || len(f.rows) < leastFlags {
			continue
		}
		label, means := f.learn(field, seen)
		if label == "" {
			continue
		}
		for n, row := range f.rows {
			tail, ok := row.tails[label]
			v, known := means[tail.Text]
			if !ok || !known || n >= len(seen) {
				continue
			}
			cell, has := seen[n].Row[field.Name]
			if has && (cell.Value == v.yes || !v.certain || slices.Contains(row.sure, field.Name)) {
				continue
			}
			if &out[0] == &seen[0] {
				out = slices.Clone(seen)
			}
			one := maps.Clone(out[n].Row)
			one[field.Name] = finding.Cell{Value: v.yes, Grade: finding.GradeDerived, Source: row.source, Lines: [2]int{tail.Line, tail.Line}, Full: row.full}
			out[n].Row = one
		}
	}
	return out
}

// meaning is what a text means for a boolean.
type meaning struct{ yes, certain bool }

// votes counts the rows with a text by the value of a boolean.
type votes [2]int

// learn returns the label whose texts explain the values of a field best, and what they
// mean. If no label does, or two explain them equally well and only one can be meant, the
// label is "".
func (f *Flags) learn(field *outline.Field, seen []Sighting) (label string, means map[string]meaning) {
	counts, all := f.count(field, seen)
	if all[0]+all[1] < leastFlags || all[0] == 0 || all[1] == 0 {
		return "", nil
	}
	best, tied := 0, false
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		covered, agreed := 0, 0
		for _, v := range counts[l] {
			covered += v[0] + v[1]
			agreed += max(v[0], v[1])
		}
		if len(counts[l]) > maxFlagTexts || 100*covered < flagCoverage*(all[0]+all[1]) || 100*agreed < flagAgreement*covered {
			continue
		}
		score, least := 2*agreed, leastMeaning
		if nameFits(l, field) {
			score, least = score+1, 1
		}
		m := meaningsOf(counts[l], least)
		if !m.both {
			continue // one value is hardly more than the other everywhere
		}
		switch {
		case score > best:
			best, tied, label, means = score, false, l, m.of
		case score == best && !sameMeaning(f.rows, l, m.of, label, means):
			tied = true
		}
	}
	if tied {
		return "", nil
	}
	return label, means
}

// count counts the rows by label, text and value, and all rows by value.
func (f *Flags) count(field *outline.Field, seen []Sighting) (counts map[string]map[string]votes, all votes) {
	counts = map[string]map[string]votes{}
	for n, row := range f.rows {
		if n >= len(seen) {
			continue
		}
		said, ok := seen[n].Row[field.Name].Value.(bool)
		if !ok {
			said, ok = row.said[field.Name]
		}
		if !ok {
			continue
		}
		which := 0
		if said {
			which = 1
		}
		all[which]++
		for label, tail := range row.tails {
			if tail.Text == "" {
				continue
			}
			if counts[label] == nil {
				counts[label] = map[string]votes{}
			}
			v := counts[label][tail.Text]
			v[which]++
			counts[label][tail.Text] = v
		}
	}
	return counts, all
}

// meanings are the meanings of texts. both is set if there is a text for each value.
type meanings struct {
	of   map[string]meaning
	both bool
}

// meaningsOf returns what texts mean that at least so many rows with one value have, and
// hardly any row with the other.
func meaningsOf(texts map[string]votes, least int) meanings {
	m := meanings{of: map[string]meaning{}}
	var found [2]bool
	for text, v := range texts {
		more, less := max(v[0], v[1]), min(v[0], v[1])
		if more < least || 4*less > more {
			continue
		}
		yes := v[1] > v[0]
		m.of[text] = meaning{yes, more >= leastVotes && less <= max(1, more/10)}
		if yes {
			found[1] = true
		} else {
			found[0] = true
		}
	}
	m.both = found[0] && found[1]
	return m
}

// nameFits reports whether a label has a word in common with the name or the description
// of a field, whatever its ending.
func nameFits(label string, field *outline.Field) bool {
	plain := func(words []string) (out []string) {
		for _, w := range words {
			out = append(out, value.Canon(w))
		}
		return out
	}
	return value.ShareStem(plain(value.Words(label)), plain(field.Words()))
}

// sameMeaning reports whether the texts of two labels mean the same for each row.
func sameMeaning(rows map[int]flagged, a string, meansA map[string]meaning, b string, meansB map[string]meaning) bool {
	for _, row := range rows {
		x, okX := meansA[row.tails[a].Text]
		y, okY := meansB[row.tails[b].Text]
		if okX && okY && x.yes != y.yes {
			return false
		}
	}
	return true
}

// Notes says for each boolean field how many values were replaced by the opposite.
func (f *Flags) Notes(t *outline.Table, seen []Sighting) []string {
	var out []string
	settled := f.Settle(t, seen)
	for _, field := range t.Fields {
		turned := 0
		for n := range seen {
			before, had := seen[n].Row[field.Name].Value.(bool)
			after, has := settled[n].Row[field.Name].Value.(bool)
			if had && has && before != after {
				turned++
			}
		}
		if turned > 0 {
			out = append(out, fmt.Sprintf("%d values of %s were replaced by the opposite: their lines have a text for which the model says so in all other rows", turned, field.Name))
		}
	}
	return out
}
