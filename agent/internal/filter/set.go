// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"slices"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/sorting"
)

// Set contains the conditions of a table.
type Set struct {
	Keys []string // the fields that name a row; the conditions on them prefer whole names

	groups [][]*Condition // a row must meet one condition of each group
	firsts []*Condition   // superlatives, which are applied to the rows that meet the groups
}

// NewSet returns the set of the conditions. If two of them demand that one field equals
// different values, they are alternatives, because a row cannot meet both.
func NewSet(all []*Condition) *Set {
	s := &Set{}
	for _, c := range all {
		if c.Superlative() {
			s.firsts = append(s.firsts, c)
			continue
		}
		last := len(s.groups) - 1
		twin := last >= 0 && c.op == "=" && s.groups[last][0].op == "=" && s.groups[last][0].Field == c.Field && c.kind != Boolean
		if last >= 0 && (c.Or || twin) {
			s.groups[last] = append(s.groups[last], c)
			continue
		}
		s.groups = append(s.groups, []*Condition{c})
	}
	return s
}

// Superlative reports whether the set keeps only the first rows by a field.
func (s *Set) Superlative() bool { return len(s.firsts) > 0 }

// Fields returns the fields that the conditions refer to.
func (s *Set) Fields() []string {
	var names []string
	for _, g := range append(slices.Clone(s.groups), s.firsts) {
		for _, c := range g {
			if !slices.Contains(names, c.Field) {
				names = append(names, c.Field)
			}
		}
	}
	return names
}

// Wants reports whether one of the conditions is about a text.
func (s *Set) Wants(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.groups...), func(c *Condition) bool {
		return slices.Contains(c.texts, value.Canon(value.Normal(text))) || value.Holds(value.Normal(c.Words), value.Normal(text)) > 0
	})
}

// Worded returns the fields, besides those that name rows, of which the conditions demand a
// text. A page in another language may state the same in other words.
func (s *Set) Worded() []string {
	var names []string
	for _, g := range s.groups {
		for _, c := range g {
			if c.kind == Text && c.op != "!=" && !slices.Contains(s.Keys, c.Field) && !slices.Contains(names, c.Field) {
				names = append(names, c.Field)
			}
		}
	}
	return names
}

// Singling returns the fields of the conditions that demand one text, such as the name in
// "what does the oil change cost".
func (s *Set) Singling() []string {
	var names []string
	for _, g := range s.groups {
		if c := g[0]; len(g) == 1 && c.kind == Text && c.op == "=" && !slices.Contains(names, c.Field) {
			names = append(names, c.Field)
		}
	}
	return names
}

// Judge returns for each row whether it belongs to the answer. line returns the line of
// the page that states a cell, in normal form.
func (s *Set) Judge(rows []finding.Row, line func(c finding.Cell) string) []State {
	out, _ := s.judge(rows, line)
	return out
}

// Unmatched returns the texts that the conditions want for one of the keys, if no row has
// them, and they are no short names: "compare A with B" without B. They are in the form in which
// keys are compared.
func (s *Set) Unmatched(rows []finding.Row, keys []string) []string {
	var all []string
	short := s.Short(rows)
	for _, g := range s.groups {
		for _, c := range g {
			if c.kind != Text || c.op != "=" && c.op != "in" || !slices.Contains(keys, c.Field) {
				continue
			}
			for _, want := range c.texts {
				if !slices.Contains(all, want) && !slices.ContainsFunc(short, func(one Short) bool { return one.Want == want }) && !slices.ContainsFunc(rows, func(row finding.Row) bool {
					raw := value.ScalarText(row[c.Field].Value)
					return c.matches(value.Canon(value.Normal(raw)), raw, want)
				}) {
					all = append(all, want)
				}
			}
		}
	}
	return all
}

// Named returns the numbers of the texts that are names which the conditions want for one of
// the keys, as in "compare A with B". If the conditions want no names, or one of them is none
// of the texts, it returns nil.
func (s *Set) Named(texts, keys []string) []int {
	for _, g := range s.groups {
		if slices.ContainsFunc(g, func(c *Condition) bool {
			return c.kind != Text || c.op != "=" && c.op != "in" || !slices.Contains(keys, c.Field)
		}) {
			continue
		}
		var found []int
		whole := true
		for _, c := range g {
			for _, want := range c.texts {
				fits := c.fitting(texts, want)
				found = append(found, slices.DeleteFunc(fits, func(i int) bool { return slices.Contains(found, i) })...)
				whole = whole && len(fits) > 0
			}
		}
		if whole && len(found) > 0 {
			slices.Sort(found)
			return found
		}
	}
	return nil
}

// fitting returns the numbers of the texts that are a wanted name, or if none is, of those that
// are similar to it, or else of those with the only name that contains it.
func (c *Condition) fitting(texts []string, want string) []int {
	var exact, similar []int
	rows := make([]finding.Row, len(texts))
	for i, text := range texts {
		rows[i] = finding.Row{c.Field: {Value: text}}
		switch canon := value.Canon(value.Normal(text)); {
		case canon == want:
			exact = append(exact, i)
		case canon != "" && c.matches(canon, text, want):
			similar = append(similar, i)
		}
	}
	switch {
	case len(exact) > 0:
		return exact
	case len(similar) > 0:
		return similar
	}
	found, _ := c.longer(want, rows)
	return found.rows
}

// Ties returns how many rows are left out although a superlative ranks them the same as
// the last row that it keeps. That happens if only one row is wanted, or if there are more
// such rows than wanted ones.
func (s *Set) Ties(rows []finding.Row, line func(c finding.Cell) string) int {
	_, ties := s.judge(rows, line)
	return ties
}

// judge returns the results of Judge and Ties.
func (s *Set) judge(rows []finding.Row, line func(c finding.Cell) string) (out []State, ties int) {
	out = make([]State, len(rows))
	namesakes, short := s.namesakes(rows), s.Short(rows)
	for i, row := range rows {
		out[i] = Met
		for _, g := range s.groups {
			if isShort(short, g, i) {
				namesakes[i] = false
				continue
			}
			out[i] = worse(out[i], oneOf(g, row, line))
		}
		if namesakes[i] {
			out[i] = Unmet
		}
	}
	for _, c := range s.firsts {
		c = c.ranking(rows)
		var at []int
		for i, row := range rows {
			if out[i] != Met {
				continue
			}
			if cell, ok := row[c.Field]; !ok || !c.ranks(cell) {
				out[i] = Open
				continue
			}
			at = append(at, i)
		}
		sorting.Stable(at, func(a, b int) int { return c.order(rows[a][c.Field], rows[b][c.Field]) })
		for _, i := range at[c.kept(rows, at):] {
			last := rows[at[c.rows-1]][c.Field]
			if out[i] = Unmet; c.rivals(last, rows[i][c.Field]) {
				out[i] = Open
			} else if c.order(last, rows[i][c.Field]) == 0 {
				ties++
			}
		}
	}
	return out, ties
}

// namesakes returns the rows whose name is only similar to one that a condition wants, while
// another row has that name: "Winter Market (copy)" beside "Winter Market".
func (s *Set) namesakes(rows []finding.Row) map[int]bool {
	out := map[int]bool{}
	for _, g := range s.groups {
		if slices.ContainsFunc(g, func(c *Condition) bool {
			return c.kind != Text || c.op != "=" && c.op != "in" || !slices.Contains(s.Keys, c.Field)
		}) {
			continue
		}
		whole := map[string]bool{} // wanted names that rows have
		for _, row := range rows {
			for _, c := range g {
				if text := value.Canon(value.Normal(value.ScalarText(row[c.Field].Value))); slices.Contains(c.texts, text) {
					whole[text] = true
				}
			}
		}
		for i, row := range rows {
			out[i] = out[i] || len(whole) > 0 && !slices.ContainsFunc(g, func(c *Condition) bool {
				raw := value.ScalarText(row[c.Field].Value)
				text := value.Canon(value.Normal(raw))
				return slices.ContainsFunc(c.texts, func(want string) bool { return text == want || !whole[want] && c.matches(text, raw, want) })
			})
		}
	}
	return out
}

// spareTies is how many rows more than the wanted number a superlative keeps at least, if
// they rank the same as the last one.
const spareTies = 10

// kept returns how many of the sorted rows a superlative keeps: the wanted number, and
// those that rank the same as the last of them.
func (c *Condition) kept(rows []finding.Row, at []int) int {
	n := min(len(at), c.rows)
	for c.rows > 1 && n < len(at) && c.order(rows[at[c.rows-1]][c.Field], rows[at[n]][c.Field]) == 0 {
		if n++; n > c.rows+max(c.rows, spareTies) {
			return c.rows
		}
	}
	return n
}

// better returns the state of two conditions of which one must be met.
func better(a, b State) State {
	switch {
	case a == Met || b == Met:
		return Met
	case a == Open || b == Open:
		return Open
	}
	return Unmet
}

// worse returns the state of two conditions that must both be met.
func worse(a, b State) State {
	switch {
	case a == Unmet || b == Unmet:
		return Unmet
	case a == Open || b == Open:
		return Open
	}
	return Met
}

// oneOf returns the state of conditions that are alternatives.
func oneOf(group []*Condition, row finding.Row, line func(c finding.Cell) string) State {
	best := Unmet
	for _, c := range group {
		cell, ok := row[c.Field]
		state := Open
		if ok {
			text := ""
			if c.currency != "" {
				text = line(cell)
			}
			state = c.Test(cell, text)
		}
		switch state {
		case Met:
			return Met
		case Open:
			best = Open
		}
	}
	return best
}
