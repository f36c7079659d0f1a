// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"
	"strings"
	"time"

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
	if len(list) == 0 {
		if list = g.yearless(value.Normal(text), a, b); len(list) == 0 {
			return g.undated(n, text, a, b, s)
		}
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
		return g.implied(n, want, a, b, s)
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

// undated looks for the day that a text without a year names.
func (g *Ground) undated(n *schema.Node, text string, a, b int, s Style) Found {
	day := value.Normal(text)
	if month, number, ok := value.DayOf(day); ok {
		if got, ok := g.sectioned(n, 0, month, number, a, b); ok {
			return got
		}
	} else if !value.DigitsOnly(day) || len(day) > 2 {
		if got, ok := g.ago(day, "", a, b, s); ok {
			return got
		}
		return unread(text)
	}
	return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
}

// implied looks for a day that no line states as a date.
func (g *Ground) implied(n *schema.Node, day string, a, b int, s Style) Found {
	if got, ok := g.ago("", day, a, b, s); ok {
		return got
	}
	if t, err := time.Parse(time.DateOnly, day); err == nil {
		if got, ok := g.sectioned(n, t.Year(), int(t.Month()), t.Day(), a, b); ok {
			return got
		}
	}
	return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
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

// sectioned returns a day that the cited lines, or those around them, name without its year, if a
// heading above them states the year: "Fri 4 Dec" below "December 2026". If year is zero, any year
// will do.
func (g *Ground) sectioned(node *schema.Node, year, month, day, a, b int) (Found, bool) {
	if node.Format == "date-time" || a == 0 {
		return Found{}, false
	}
	lines, ok := g.locate(a, b, func(line string) bool { return value.NamesDay(line, month, day) }, nil)
	if !ok {
		return Found{}, false
	}
	stated := g.yearAbove(lines[0], month)
	v := time.Date(stated, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if stated == 0 || year != 0 && stated != year || v.Day() != day {
		return Found{}, false
	}
	return Found{v.Format(time.DateOnly), lines, finding.GradeNormalized, "", 0}, true
}

// yearAbove returns the year in the nearest heading above line n that has one, of those for the
// section that the line is in. If a heading between them names other months, or has several years,
// it returns zero.
func (g *Ground) yearAbove(n, month int) int {
	for g.whole != nil {
		g, n = g.whole, n+g.skipped
	}
	level := 7
	for i := n - 1; i > 0 && level > 1; i-- {
		own := headingLevel(g.Lines[i-1])
		if own == 0 || own >= level {
			continue
		}
		level = own
		months, years := value.MonthsAndYears(g.Line(i))
		switch {
		case len(months) > 0 && !slices.Contains(months, month), len(years) > 1:
			return 0
		case len(years) == 1:
			return years[0]
		}
	}
	return 0
}
