// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// number looks for a number, which a model gave as a number or as a text. The page may have it in words.
func (g *Ground) number(n *schema.Node, raw any, a, b int, s Style) Found {
	if text, is := raw.(string); is {
		if got, ok := g.spoken(n, text, a, b, s); ok {
			return got
		}
	}
	got := g.figures(n, raw, a, b, s)
	if v, is := raw.(float64); is && got.Value == nil && a > 0 {
		if said := g.worded(n, v, a, b, s); said.Value != nil {
			return said
		}
	}
	return got
}

// figures looks for a number that the page has in figures.
func (g *Ground) figures(n *schema.Node, raw any, a, b int, s Style) Found {
	if s.unit != (value.Unit{}) {
		if got, ok := g.measure(n, raw, a, b, s); ok {
			return got
		}
	}
	if got, ok := g.free(raw, a, b, s); ok {
		return got
	}
	whole := integral(n.Type == schema.Integer)
	if got, ok := g.minor(whole, raw, a, b, s); ok {
		return got
	}
	want, bad := g.wanted(raw, bool(whole), s)
	if bad != nil {
		return *bad
	}
	literal := strconv.FormatFloat(want, 'f', -1, 64)
	share := n.Maximum != nil && *n.Maximum <= 1
	look := &figure{want: want, scale: s.scale(), share: share}
	if year, of := value.OfBuddha(literal); of && a > 0 { // the reply may leave out the era before it
		ours := &figure{scale: 1}
		ours.want, _ = strconv.ParseFloat(year, 64)
		if g.any(a, b, func(t string) bool {
			all := value.ReadingsOf(t)
			return ours.among(all) && !look.among(all) && value.Holds(t, literal) > 0
		}) {
			return whole.found(ours.want, [2]int{a, b})
		}
	}
	lines, ok := g.figured(look, a, b, len(literal) >= minUnique, s.unit.IsTime())
	if !ok {
		_, copied := raw.(string)
		return g.converted(whole, want, copied, a, b, s)
	}
	grade := finding.GradeNormalized
	if _, said := raw.(float64); said && s.scale() == 1 {
		full := spelled(g.Text(lines[0], lines[1]), want)
		if full != want { // it has a scale of its own, which the model left out
			return whole.found(full, lines)
		}
	}
	r, clear := g.relabelled(want, lines[0], lines[1], s)
	if !clear {
		return Found{Issue: finding.IssueInvalid, Lines: lines}
	}
	if full := r.in(s); full != want {
		if at, ok := g.rescaled(want, lines[0], lines[1], s.sure()); ok { // 4.350 mm are 4.35 m
			return whole.found(want, [2]int{at, at})
		}
		return whole.found(full, lines)
	}
	if bareNumber(g.Text(lines[0], lines[1]), literal) {
		grade = finding.GradeExact
	}
	if look.percent && share && want > 1 {
		want, grade = want/100, finding.GradeNormalized
	}
	if whole && want != math.Trunc(want) {
		return Found{Issue: finding.IssueInvalid, Lines: lines}
	}
	return Found{want, lines, grade, "", 0}
}

// figure is a number that is looked for in lines.
type figure struct {
	want, scale   float64
	share         bool // the field wants shares of one, so that a percentage is a hundredth
	clocks, timed bool // parts of a time count, and those of a time with a unit
	percent       bool // the number that was found is a percentage
}

// among reports whether one of the readings of a line is the number.
func (f *figure) among(all []value.Reading) bool {
	i := slices.IndexFunc(all, func(r value.Reading) bool {
		if r.Clock && !f.clocks || r.Timed && !f.timed {
			return false
		}
		return value.Same(r.Value, f.want) || value.Same(r.Value, f.want*f.scale) || r.Percent && f.share && value.Same(r.Value/100, f.want)
	})
	if i >= 0 {
		f.percent = all[i].Percent
	}
	return i >= 0
}

// figured finds the lines that state a number: the cited ones, those beside them or, if the
// number is distinctive, the only other one. A part of a time counts if the reply cites it, as
// the 50 of 1:50, or if colons separate other numbers on the page.
// It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (g *Ground) figured(look *figure, a, b int, distinctive, time bool) ([2]int, bool) {
	near := func(t string) bool { return look.among(value.ReadingsOf(t)) }
	parts := !time && (g.whole == nil || g.scored())
	if parts && a > 0 && !g.any(a, b, near) {
		look.clocks = true // "31:42" on the cited line comes before a 42 on a line beside it
		look.clocks = g.any(a, b, near)
	}
	var far func(n int) bool
	if distinctive {
		far = func(n int) bool { return look.among(g.numbers(n)) }
	}
	lines, ok := g.locate(a, b, near, far)
	if !ok && parts {
		look.clocks, look.timed = true, true
		lines, ok = g.locate(a, b, near, nil)
	}
	return lines, ok
}

// any reports whether one of the lines a to b fits.
func (g *Ground) any(a, b int, ok func(text string) bool) bool {
	for n := a; n <= b; n++ {
		if ok(g.Line(n)) {
			return true
		}
	}
	return false
}

// wanted returns the number that a model gave, or why it is none.
func (g *Ground) wanted(raw any, whole bool, s Style) (want float64, bad *Found) {
	switch v := raw.(type) {
	case float64:
		want = v
	case string:
		text := value.Millions(value.Normal(value.Unstruck(v)), g.Lang)
		if s.unit.IsTime() && value.Clocked(text) { // 2:35 may be hours and minutes, or minutes and seconds
			return 0, &Found{Issue: finding.IssueInvalid}
		}
		one, _ := value.Figure(text, whole)
		if one == nil {
			if none := unread(v); !uponRequest.MatchString(strings.Trim(text, " .!")) {
				return 0, &none
			}
			return 0, &Found{}
		}
		if whole && one.Broken(text) {
			return 0, &Found{Issue: finding.IssueInvalid}
		}
		want = printed(*one, text, strings.Contains(v, "M"), whole, s)
	default:
		return 0, &Found{Issue: finding.IssueInvalid}
	}
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return 0, &Found{Issue: finding.IssueInvalid}
	}
	return want, nil
}

// converted looks in the cited lines for a number that a model has converted itself, by
// the scale of its label or to another unit. A text that it copied has the unit of the page: "+1 °C"
// is no day, which 24 hours are.
func (g *Ground) converted(whole integral, want float64, copied bool, a, b int, s Style) Found {
	if at, ok := g.rescaled(want, a, b, s); ok {
		return whole.found(want, [2]int{at, at})
	}
	if s.unit.IsTime() && a > 0 && slices.ContainsFunc(value.Durations(g.Text(a, b), s.unit), func(v float64) bool { return value.Same(v, want) }) {
		return whole.found(want, [2]int{a, b}) // the model has understood a time with a colon
	}
	if s.unit == (value.Unit{}) && a > 0 && !copied {
		if v, ok := value.Unconverted(g.Text(a, b), want); ok { // the unit of the column is chosen later
			return whole.found(v, [2]int{a, b})
		}
	}
	return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
}

// integral says that a field wants whole numbers.
type integral bool

// found returns a converted number.
func (whole integral) found(v float64, lines [2]int) Found {
	if v = value.Rounded(v); bool(whole) && v != math.Trunc(v) {
		return Found{Issue: finding.IssueInvalid, Lines: lines}
	}
	return Found{v, lines, finding.GradeNormalized, "", 0}
}

// measure looks for a number with a unit, and converts it to the unit that the field
// wants. The model may have copied the text, or only the number, or converted it itself.
// If no unit stands with the number, ok is false.
func (g *Ground) measure(n *schema.Node, raw any, a, b int, s Style) (got Found, ok bool) {
	measures := func(text string) []value.Measure { return value.Measures(text, s.unit, s.Marks) }
	said, copied := raw.(float64)
	literal := strconv.FormatFloat(said, 'f', -1, 64)
	printed := "" // the text of the model, if it is one measure
	if text, is := raw.(string); is {
		text = value.Normal(text)
		literal = text
		if s.unit.IsTime() && value.HalfKnown(text) {
			return Found{Issue: finding.IssueInvalid, Lines: [2]int{a, b}}, true
		}
		if own := measures(text); len(own) > 0 {
			said, copied = own[0].Value, false
			if len(own) == 1 {
				printed = text
			}
		} else if one, _ := value.Figure(text, false); one != nil && !value.Clocked(text) { // the 0 of "+0:30" is no minute
			said, _ = one.Value(s.Marks, false)
			copied = true
		} else {
			return Found{}, false
		}
	}
	converted, want := false, said
	among := func(text string) bool {
		for _, m := range measures(text) {
			switch {
			case value.Same(m.Value, said):
				converted = true
				return true
			case copied && slices.ContainsFunc(m.Plain, func(v float64) bool { return value.Same(v, said) }):
				want = m.Value
				return true
			}
		}
		return false
	}
	var far func(n int) bool
	if len(literal) >= minUnique {
		far = func(n int) bool { return among(g.Line(n)) }
	}
	lines, found := g.locate(a, b, among, far)
	if !found && printed != "" { // such as "1 h 20 min" in "£60 / 1 h 20 min", which is no rate
		converted = true
		lines, found = g.locate(a, b, func(text string) bool { return holdsMeasure(text, printed) }, nil)
	}
	if !found && g.kindred(said, a, b, s) { // "8 weeks" are no 8 months
		return Found{Issue: finding.IssueInvalid, Lines: [2]int{a, b}}, true
	}
	if !found && printed != "" && !g.unitless(measures(printed)[0].Plain[0], a, b) { // "3 km" are no "3 stars"
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}, true
	}
	if !found {
		return Found{}, false
	}
	if converted {
		want = said
	}
	if n.Type == schema.Integer && want != math.Trunc(want) {
		return Found{Issue: finding.IssueInvalid, Lines: lines}, true
	}
	return Found{want, lines, finding.GradeNormalized, "", 0}, true
}

// unitless reports whether a number stands in the cited lines, or in those beside them, without a
// word behind it. The head of its column may have its unit.
func (g *Ground) unitless(v float64, a, b int) bool {
	_, ok := g.locate(a, b, func(text string) bool {
		word, has := value.Beside(text, v)
		return has && word == ""
	}, nil)
	return ok
}

// kindred reports whether a number stands in the cited lines with a unit that also measures
// durations, but cannot be converted to that of the field.
func (g *Ground) kindred(said float64, a, b int, s Style) bool {
	if a < 1 {
		return false
	}
	_, unit, ok := value.MeasureAt(g.Text(a, b), said)
	return ok && unit.Kindred(s.unit) && !value.StandsAlone(g.Text(a, b), said)
}

// onward matches the rest of a measure that has another part: "4 h" in "4 h 51 min".
var onward = regexp.MustCompile(`^[.,]? ?(?:and |und |et |e |y |en )?[0-9½¼¾]`)

// holdsMeasure reports whether a text contains a measure as it is printed, and no further part
// of it.
func holdsMeasure(text, printed string) bool {
	if value.Holds(text, printed) == 0 {
		return false
	}
	_, rest, _ := strings.Cut(text, printed)
	return !onward.MatchString(rest)
}

// printed returns the value of a number in a normal text. A small letter m may mean
// metres. It means millions if the result must be whole and the number has decimals.
func printed(n value.Numeral, text string, capital, whole bool, s Style) float64 {
	if n.IsLength(text) && !capital {
		plain := n
		plain.Scale = 1
		if v, _ := plain.Value(s.Marks, false); !whole || v == math.Trunc(v) {
			n = plain
		}
	}
	v, _ := n.Value(s.Marks, false)
	if whole && v != math.Trunc(v) {
		v, _ = n.Value(s.Marks, true)
	}
	if n.Scale != 1 {
		v /= s.scale()
	}
	return v
}

// spelled returns the value of a number that a model copied without its scale, such as
// 212.6 from "CHF 212.6m". If the text also contains the number as it was given, the
// value is unchanged.
func spelled(text string, want float64) float64 {
	out := want
	for _, n := range value.Numerals(text) {
		for _, m := range []value.Marks{value.MarksPoint, value.MarksComma} {
			full, _ := n.Value(m, false)
			if value.Same(full, want) {
				return want
			}
			plain := n
			plain.Scale = 1
			if v, _ := plain.Value(m, false); value.Same(v, want) && n.Spelled(text) {
				out = full
			}
		}
	}
	return out
}

// bareNumber reports whether a text contains the number literal between borders of
// tokens, without the sign of a currency and without a percent sign.
func bareNumber(text, literal string) bool {
	for rest := text; value.Holds(rest, literal) > 0; {
		i := strings.Index(rest, literal)
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest[i+len(literal):], " "))
		if !unicode.Is(unicode.Sc, before) && !unicode.Is(unicode.Sc, after) && after != '%' && !value.WordRune(before) {
			return true
		}
		rest = rest[i+len(literal):]
	}
	return false
}

// unread returns that a text which a model gave is no value of the field's type. If the
// text only says that there is no value, nothing was lost.
func unread(text string) Found {
	if Absent(text) {
		return Found{}
	}
	return Found{Issue: finding.IssueInvalid}
}

// Absent reports whether a text only says that there is no value.
func Absent(text string) bool {
	text = strings.Trim(value.Normal(text), " .!")
	return absent.MatchString(text) || text == "null" || text == "none"
}

// booleans contains words that mean yes or no.
var booleans = map[string]bool{
	"true": true, "yes": true, "ja": true, "oui": true, "sí": true, "si": true, "sim": true, "да": true, "はい": true, "是": true, "✓": true, "✔": true, "✅": true,
	"false": false, "no": false, "nein": false, "non": false, "não": false, "nee": false, "нет": false, "いいえ": false, "否": false, "✗": false, "✘": false, "❌": false,
}

func (g *Ground) boolean(raw any, a, b int) Found {
	v, ok := truthOf(raw)
	switch {
	case !ok:
		return unread(value.ScalarText(raw))
	case a == 0 || g.Text(a, b) == "":
		return Found{Issue: finding.IssueUnsupported}
	}
	text := g.Text(a, b)
	if said := unlabelled(text); a == b && said != text && absent.MatchString(said) {
		return Found{Issue: finding.IssueUnsupported, Lines: [2]int{a, b}}
	}
	for word, means := range booleans {
		if means == v && value.Holds(text, word) > 0 {
			return Found{v, [2]int{a, b}, finding.GradeNormalized, "", 0}
		}
	}
	return Found{v, [2]int{a, b}, finding.GradeDerived, "", 0}
}

// allowed returns the value of an enum that a text names. If several values fit, it
// returns the most similar one: without their marks, C++ and C# are both C.
func allowed(enum []any, text string) any {
	for _, form := range []func(string) string{strings.TrimSpace, value.Normal, value.BareName} {
		want := form(text)
		i := slices.IndexFunc(enum, func(e any) bool { return want != "" && form(value.ScalarText(e)) == want })
		if i >= 0 {
			return enum[i]
		}
	}
	return nil
}

// enum looks for one of the values that a field allows.
func (g *Ground) enum(n *schema.Node, raw any, a, b int) Found {
	v := allowed(n.Enum, value.ScalarText(raw))
	if v == nil {
		return Found{Issue: finding.IssueInvalid, Lines: [2]int{a, b}}
	}
	want := value.Normal(value.ScalarText(v))
	has := func(t string) bool { return value.Holds(t, want) > 0 }
	if lines, ok := g.locate(a, b, has, g.far(want, has)); ok {
		return Found{v, lines, finding.GradeExact, "", 0}
	}
	bare := value.BareName(want)
	if lines, ok := g.locate(a, b, func(t string) bool { return len(bare) > 1 && strings.Contains(value.BareName(t), bare) }, nil); ok {
		return Found{v, lines, finding.GradeNormalized, "", 0}
	}
	if a > 0 && g.Text(a, b) != "" {
		return Found{v, [2]int{a, b}, finding.GradeDerived, "", 0}
	}
	return Found{Issue: finding.IssueUnsupported}
}
