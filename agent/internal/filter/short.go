// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
)

// Short is a name that the conditions want for a key, and that no row has. The name of one thing
// alone contains it: "Marlow" stands for "Marlow Lido".
type Short struct {
	Want string // in the form in which keys are compared
	Name string // of the thing
	rows []int
	of   []*Condition // the group with the condition
}

// Short returns the names that stand for longer ones. A name that ends in a number does not, because
// "Model 10" is not "Model 10 Pro".
func (s *Set) Short(rows []finding.Row) []Short {
	var all []Short
	for _, g := range s.groups {
		for _, c := range g {
			if c.kind != Text || c.op != "=" && c.op != "in" || !slices.Contains(s.Keys, c.Field) {
				continue
			}
			for _, want := range c.texts {
				if found, ok := c.longer(want, rows); ok {
					found.of = g
					all = append(all, found)
				}
			}
		}
	}
	return all
}

// longer returns the only name of rows that contains a wanted one. If a row has the wanted one, or
// the names of several things contain it, or it cannot be a short name, it returns false.
func (c *Condition) longer(want string, rows []finding.Row) (Short, bool) {
	found := Short{Want: want}
	name := ""
	if utf8.RuneCountInString(want) < leastStem || strings.ContainsAny(want[len(want)-1:], "0123456789") {
		return found, false
	}
	for i, row := range rows {
		raw := value.ScalarText(row[c.Field].Value)
		text := value.Canon(value.Normal(raw))
		if c.matches(text, raw, want) || value.Holds(text, want) > 0 && name != "" && name != text {
			return Short{}, false
		}
		if value.Holds(text, want) > 0 {
			name = text
			found.Name, found.rows = raw, append(found.rows, i)
		}
	}
	return found, name != ""
}

// isShort reports whether one of short names stands for row i, and its condition is in group g.
func isShort(all []Short, g []*Condition, i int) bool {
	return slices.ContainsFunc(all, func(one Short) bool { return one.of[0] == g[0] && slices.Contains(one.rows, i) })
}
