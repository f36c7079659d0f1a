// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// date looks for a date. Its value has the form 2024-03-03. That of a date-time also
// has a time, which is midnight if the page names none, and UTC if the page names no
// zone.
func (g *Ground) date(n *schema.Node, raw any, a, b int, s Style) Found {
	text := value.ScalarText(raw)
	list := value.Dates(value.Normal(text))
	if day := value.Normal(text); len(list) == 0 && (value.Yearless(day) || value.DigitsOnly(day) && len(day) <= 2) {
		if list = g.yearless(day, a, b); len(list) == 0 {
			return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
		}
	}
	if len(list) == 0 {
		if got, ok := g.ago(value.Normal(text), "", a, b, s); ok {
			return got
		}
		return unread(text)
	}
	want := list[0].Text(s.order)
	if want == "" {
		return Found{Issue: finding.IssueDate, Lines: [2]int{a, b}}
	}
	open := false
	among := func(all []value.Day) bool {
		for _, d := range all {
			switch {
			case d.Text(s.order) == want:
				return true
			case d.Text(value.OrderDay) == want || d.Text(value.OrderMonth) == want:
				open = true
			}
		}
		return false
	}
	lines, ok := g.locate(a, b, func(t string) bool { return among(value.Dates(t)) }, func(n int) bool { return among(g.dates(n)) })
	switch {
	case !ok && open:
		return Found{Issue: finding.IssueDate, Lines: [2]int{a, b}}
	case !ok:
		if got, ok := g.ago("", want, a, b, s); ok {
			return got
		}
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
	}
	grade := finding.GradeNormalized
	v := want
	if n.Format == "date-time" {
		if v, lines, ok = g.timed(want, text, lines, b); !ok {
			return Found{Issue: finding.IssueUnsupported, Lines: lines}
		}
	}
	if value.Holds(g.Text(lines[0], lines[1]), strings.ToLower(v)) > 0 {
		grade = finding.GradeExact
	}
	return Found{v, lines, grade, "", 0}
}

// timed returns a day with the time that a text of the model gives for it, and the lines of both.
// The time must stand in the lines of the day or behind them, up to line b.
func (g *Ground) timed(day, text string, lines [2]int, b int) (string, [2]int, bool) {
	said := value.Clocks(value.Normal(text))
	if len(said) == 0 || said[0] == (value.Clock{Zone: said[0].Zone}) {
		return day + "T00:00:00Z", lines, true
	}
	stated := value.Clock{Hour: -1}
	at, ok := g.locate(lines[0], max(lines[1], b), func(t string) bool {
		for _, c := range value.Clocks(t) {
			if c.Hour == said[0].Hour && c.Minute == said[0].Minute && (c.Second == said[0].Second || c.Second == 0) {
				stated = c
				return true
			}
		}
		return false
	}, nil)
	if !ok {
		return "", lines, false
	}
	return day + "T" + stated.String(), [2]int{min(lines[0], at[0]), max(lines[1], at[1])}, true
}

// yearless returns the only date in the cited lines that a text without a year names, as "3 March"
// does in "3 March to 14 June 2026".
func (g *Ground) yearless(text string, a, b int) []value.Day {
	var found []value.Day
	for n := a; n <= b && a > 0; n++ {
		for _, d := range value.Dates(g.Line(n)) {
			if (d.Named(text) || d.Numbered(text)) && !slices.Contains(found, d) {
				found = append(found, d)
			}
		}
	}
	if len(found) > 1 {
		return nil
	}
	return found
}
