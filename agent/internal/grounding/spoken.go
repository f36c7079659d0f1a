// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// spoken looks for a text that has its number in words, such as "two bathrooms", in the lines, and
// reads the number. If the text has digits, or no number in words, ok is false.
func (g *Ground) spoken(n *schema.Node, raw string, a, b int, s Style) (got Found, ok bool) {
	text := value.Normal(value.Unstruck(raw))
	if text == "" || strings.ContainsFunc(text, unicode.IsDigit) {
		return Found{}, false
	}
	said, ok := g.inFigures(text, true, s)
	if !ok || len(value.Numerals(said)) != 1 {
		return Found{}, false
	}
	has := func(t string) bool { return value.Holds(t, text) > 0 }
	lines, found := g.locate(a, b, has, g.far(text, has))
	if !found {
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}, true
	}
	own := New([]string{said}, nil, g.Lang)
	if got = own.figures(n, said, 1, 1, s); got.Value == nil {
		return Found{Issue: finding.IssueInvalid, Lines: lines}, true
	}
	return Found{got.Value, lines, finding.GradeNormalized, "", 0}, true
}

// inFigures returns a normal text with figures in place of numbers in words. Ordinal numbers may
// count if there are no others.
func (g *Ground) inFigures(text string, ordered bool, s Style) (string, bool) {
	said, ok := value.Spoken(text, g.Lang, s.words)
	if !ok && value.Final(text) && value.OfLeft(s.words) {
		return "1", true
	}
	if !ok && ordered {
		return value.Ordinals(text, g.Lang)
	}
	return said, ok
}

// partsInFigures does so with the parts of a line, some of which are numbers only if nothing stands beside
// them: "crew: single-hander". ok is false if none is one.
func (g *Ground) partsInFigures(line string, ordered bool, s Style) (said string, ok bool) {
	if said, ok = g.inFigures(line, ordered, s); ok || !strings.ContainsAny(line, apart) {
		return said, ok
	}
	var parts []string
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(apart, r) }) {
		read, is := g.inFigures(strings.Trim(part, " .->"), ordered, s)
		parts, ok = append(parts, read), ok || is
	}
	return strings.Join(parts, " | "), ok
}

// apart are the signs between the parts of a line.
const apart = "|:;,·•"

// worded looks for a number that the cited lines, or those beside them, have in words.
func (g *Ground) worded(n *schema.Node, raw float64, a, b int, s Style) Found {
	first, last := max(a-NearLines, 1), min(b+NearLines, len(g.Lines))
	var near []string
	any := false
	for i := first; i <= last; i++ {
		said, ok := g.partsInFigures(g.Line(i), n.Type == schema.Integer, s)
		near, any = append(near, said), any || ok
	}
	if !any {
		return Found{}
	}
	got := New(near, g.Links, g.Lang).figures(n, raw, a-first+1, b-first+1, s)
	got.Lines = [2]int{got.Lines[0] + first - 1, got.Lines[1] + first - 1}
	return got
}

// today returns the day on which the page says that it was written. If it names several, there is none.
func (g *Ground) today(o value.Order) (time.Time, bool) {
	if g.whole != nil {
		return g.whole.today(o)
	}
	var days []string
	for n := 1; n <= len(g.Lines); n++ {
		if d, ok := value.AsOf(g.Line(n)); ok {
			days = append(days, d.Text(o))
		}
	}
	if days = slices.Compact(days); len(days) != 1 {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, days[0])
	return t, err == nil
}

// ago looks for a day that the page states by its distance from the day on which it was written:
// "3 days ago". The model gives that text, or the day. If the page does not say when it was
// written, the day is not known.
func (g *Ground) ago(text, want string, a, b int, s Style) (got Found, ok bool) {
	asked, said := value.Ago(text, g.Lang)
	if !said && want == "" {
		return Found{}, false
	}
	today, known := g.today(s.order)
	if !known {
		return Found{Issue: finding.IssueDate, Lines: [2]int{a, b}}, said
	}
	day := func(n int) string { return today.AddDate(0, 0, -n).Format(time.DateOnly) }
	if said {
		want = day(asked)
	}
	lines, found := g.locate(a, b, func(t string) bool {
		if said {
			return value.Holds(t, text) > 0
		}
		n, ok := value.Ago(t, g.Lang)
		return ok && day(n) == want
	}, nil)
	if !found {
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}, said
	}
	return Found{want, lines, finding.GradeNormalized, "", 0}, true
}
