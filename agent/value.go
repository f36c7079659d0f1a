// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/internal/schema"
)

// number grounds a number, given as one or as printed.
func (g *ground) number(n *schema.Node, raw any, a, b int, s style) found {
	whole := n.Type == schema.Integer
	var want float64
	switch v := raw.(type) {
	case float64:
		want = v
	case string:
		text := normal(v)
		list := numerals(text)
		if len(list) == 0 {
			return found{}
		}
		one := list[0]
		if i := slices.IndexFunc(list, func(m numeral) bool { return m.isMoney(text) }); i > 0 && !whole && !one.isMoney(text) {
			one = list[i] // 2 for $10
		}
		if one.scale == 1e6 && !strings.Contains(v, "M") && strings.HasPrefix(strings.TrimSpace(text[one.end:]), "m") && !strings.HasPrefix(strings.TrimSpace(text[one.end:]), "mi") {
			one.scale = 1 // 5 m is a length
		}
		want, _ = one.value(s.marks, false)
		if whole && want != math.Trunc(want) {
			want, _ = one.value(s.marks, true)
		}
	default:
		return found{issue: finding.IssueInvalid}
	}
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return found{issue: finding.IssueInvalid}
	}
	literal := strconv.FormatFloat(want, 'f', -1, 64)
	percent := false
	among := func(all []reading) bool {
		i := slices.IndexFunc(all, func(r reading) bool {
			return same(r.value, want) || r.percent && n.Maximum != nil && *n.Maximum <= 1 && same(r.value/100, want)
		})
		if i >= 0 {
			percent = all[i].percent
		}
		return i >= 0
	}
	var far func(n int) bool
	if len(literal) >= minUnique {
		far = func(n int) bool { return among(g.numbers(n)) }
	}
	lines, ok := g.locate(a, b, func(t string) bool { return among(readingsOf(t)) }, far)
	if !ok {
		return found{issue: finding.IssueUnsupported, lines: [2]int{a, b}}
	}
	grade := finding.GradeNormalized
	if bareNumber(g.text(lines[0], lines[1]), literal) {
		grade = finding.GradeExact
	}
	if percent && n.Maximum != nil && *n.Maximum <= 1 && want > 1 {
		want, grade = want/100, finding.GradeNormalized
	}
	if whole && want != math.Trunc(want) {
		return found{issue: finding.IssueInvalid, lines: lines}
	}
	return found{want, lines, grade, ""}
}

// bareNumber reports whether text has the number literal on token borders,
// without the sign of a currency or a percent.
func bareNumber(text, literal string) bool {
	for rest := text; holds(rest, literal) > 0; {
		i := strings.Index(rest, literal)
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest[i+len(literal):], " "))
		if !unicode.Is(unicode.Sc, before) && !unicode.Is(unicode.Sc, after) && after != '%' && !wordRune(before) {
			return true
		}
		rest = rest[i+len(literal):]
	}
	return false
}

// date grounds a date; its value is 2024-03-03, of a date-time with a time, which
// is midnight where none is given. What names no zone is taken as UTC.
func (g *ground) date(n *schema.Node, raw any, a, b int, s style) found {
	text := scalarText(raw)
	list := dates(normal(text))
	if len(list) == 0 {
		return found{}
	}
	want := list[0].text(s.order)
	if want == "" {
		return found{issue: finding.IssueDate, lines: [2]int{a, b}}
	}
	open := false
	among := func(all []day) bool {
		for _, d := range all {
			switch {
			case d.text(s.order) == want:
				return true
			case d.text(orderDay) == want || d.text(orderMonth) == want:
				open = true
			}
		}
		return false
	}
	lines, ok := g.locate(a, b, func(t string) bool { return among(dates(t)) }, func(n int) bool { return among(g.dates(n)) })
	switch {
	case !ok && open:
		return found{issue: finding.IssueDate, lines: [2]int{a, b}}
	case !ok:
		return found{issue: finding.IssueUnsupported, lines: [2]int{a, b}}
	}
	grade := finding.GradeNormalized
	value := want
	if n.Format == "date-time" {
		value += "T00:00:00Z"
		if said := clocks(normal(text)); len(said) > 0 && said[0] != (clock{zone: said[0].zone}) {
			stated := clock{hour: -1}
			at, ok := g.locate(lines[0], max(lines[1], b), func(t string) bool {
				for _, c := range clocks(t) {
					if c.hour == said[0].hour && c.minute == said[0].minute && (c.second == said[0].second || c.second == 0) {
						stated = c
						return true
					}
				}
				return false
			}, nil)
			if !ok {
				return found{issue: finding.IssueUnsupported, lines: lines}
			}
			value = want + "T" + stated.String()
			lines = [2]int{min(lines[0], at[0]), max(lines[1], at[1])}
		}
	}
	if holds(g.text(lines[0], lines[1]), strings.ToLower(value)) > 0 {
		grade = finding.GradeExact
	}
	return found{value, lines, grade, ""}
}

// booleans are words that say yes or no.
var booleans = map[string]bool{
	"true": true, "yes": true, "ja": true, "oui": true, "sí": true, "si": true, "sim": true, "да": true, "はい": true, "是": true, "✓": true, "✔": true, "✅": true,
	"false": false, "no": false, "nein": false, "non": false, "não": false, "nee": false, "нет": false, "いいえ": false, "否": false, "✗": false, "✘": false, "❌": false,
}

func (g *ground) boolean(raw any, a, b int) found {
	v, ok := raw.(bool)
	if text, is := raw.(string); is {
		v, ok = booleans[normal(text)]
	}
	switch {
	case !ok:
		return found{}
	case a == 0 || g.text(a, b) == "":
		return found{issue: finding.IssueUnsupported}
	}
	text := g.text(a, b)
	for word, means := range booleans {
		if means == v && holds(text, word) > 0 {
			return found{v, [2]int{a, b}, finding.GradeNormalized, ""}
		}
	}
	return found{v, [2]int{a, b}, finding.GradeDerived, ""}
}

// allowed returns the value of an enum that a text names: the likest, since C++
// and C# are both C without their marks.
func allowed(enum []any, text string) any {
	for _, form := range []func(string) string{strings.TrimSpace, normal, bareName} {
		want := form(text)
		i := slices.IndexFunc(enum, func(e any) bool { return want != "" && form(scalarText(e)) == want })
		if i >= 0 {
			return enum[i]
		}
	}
	return nil
}

// enum grounds one of the values that a field allows.
func (g *ground) enum(n *schema.Node, raw any, a, b int) found {
	value := allowed(n.Enum, scalarText(raw))
	if value == nil {
		return found{issue: finding.IssueInvalid, lines: [2]int{a, b}}
	}
	want := normal(scalarText(value))
	has := func(t string) bool { return holds(t, want) > 0 }
	if lines, ok := g.locate(a, b, has, g.far(want, has)); ok {
		return found{value, lines, finding.GradeExact, ""}
	}
	bare := bareName(want)
	if lines, ok := g.locate(a, b, func(t string) bool { return len(bare) > 1 && strings.Contains(bareName(t), bare) }, nil); ok {
		return found{value, lines, finding.GradeNormalized, ""}
	}
	if a > 0 && g.text(a, b) != "" {
		return found{value, [2]int{a, b}, finding.GradeDerived, ""}
	}
	return found{issue: finding.IssueUnsupported}
}
