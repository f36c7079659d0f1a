// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/value"
)

// reading is how a number of a line is to be read.
type reading struct {
	plain float64 // as it is printed
	full  float64 // with the scale of its label; NaN if its scale is not known
	maybe float64 // with the scale that the caption of its table may state for it; NaN if it states none
	of    value.Unit
	label string // in normal form
}

// maxLabelled is how many lines with text before a number are looked at for its label.
const maxLabelled = 2

// labelled calls do with the numbers of line n that have no scale of their own, as their
// labels say that they are to be read: the head of their column, the first cell of their
// row, the text before them, or the line above.
func (g *Ground) labelled(n int, s Style, do func(r reading)) {
	text := g.Line(n)
	for _, one := range value.Numerals(text) {
		if one.Scale != 1 {
			continue
		}
		scale, maybe, unit, by := g.said(n, one, s)
		if one.Unread(text) {
			scale = math.NaN()
		}
		last := math.NaN()
		for _, m := range [2]value.Marks{value.MarksPoint, value.MarksComma} {
			if s.known && s.Marks != value.MarksOpen {
				m = s.Marks
			}
			if v, _ := one.Value(m, false); v != last {
				do(reading{plain: v, full: v * scale, maybe: v * maybe, of: unit, label: by})
				last = v
			}
		}
	}
}

// said returns the scale and the unit that the label of a number in line n states, and
// the label. If only a caption states a scale, and it may or may not be meant for the
// number, scale is NaN and maybe is that scale.
func (g *Ground) said(n int, one value.Numeral, s Style) (scale, maybe float64, unit value.Unit, by string) {
	labels, caption := []string{s.head}, s.caption
	if s.head == "" {
		labels, caption = g.labelsOf(n, one.Start()), g.captionOf(n)
	}
	for _, label := range labels {
		if scale, unit = value.Labelled(label); scale != 1 || unit != (value.Unit{}) {
			return scale, math.NaN(), unit, label
		}
	}
	if len(labels) == 0 || caption == "" {
		if scale, unit, by = g.headed(n, s); by != "" {
			return scale, math.NaN(), unit, by
		}
		return 1, math.NaN(), value.Unit{}, ""
	}
	text := g.Line(n)
	scale, unit = one.Captioned(text, caption, labels[0], s.words)
	if !math.IsNaN(scale) {
		return scale, math.NaN(), unit, labels[0]
	}
	maybe, unit = one.Captioned(text, caption, labels[0], append(slices.Clone(s.words), "usd"))
	if g.paid(n, one.Start()) {
		scale = maybe
	}
	return scale, maybe, unit, labels[0]
}

// maxHeaded is how many lines above a number are searched for headings that state its unit.
const maxHeaded = 200

// headed returns the scale and the unit that a heading above line n states for the numbers of a field, and
// that heading. The field must want a unit, and the heading must name it. Only headings of higher levels than those
// between them and the line are about it.
func (g *Ground) headed(n int, s Style) (scale float64, unit value.Unit, by string) {
	if s.unit == (value.Unit{}) || s.head != "" {
		return 1, value.Unit{}, ""
	}
	if g.whole != nil {
		return g.whole.headed(n+g.skipped, s)
	}
	level := 7
	for i := n - 1; i > 0 && n-i <= maxHeaded && level > 1; i-- {
		own := len(g.Lines[i-1]) - len(strings.TrimLeft(g.Lines[i-1], "#"))
		if own == 0 || own >= level {
			continue
		}
		level = own
		if scale, unit, ok := value.Headed(g.Line(i), s.words); ok {
			return scale, unit, g.Line(i)
		}
	}
	return 1, value.Unit{}, ""
}

// labelsOf returns the texts that may be the label of what stands at a position of line
// n, the nearest first.
func (g *Ground) labelsOf(n, at int) []string {
	if g.whole != nil {
		return g.whole.labelsOf(n+g.skipped, at)
	}
	text := g.Line(n)
	before := strings.TrimSpace(text[:at])
	if strings.HasPrefix(text, "|") {
		k := strings.Count(text[:at], "|") - 1
		var labels []string
		for i := n - 1; i > 0 && strings.HasPrefix(g.Line(i), "|"); i-- {
			if i >= 2 && lines.IsRule(g.Lines[i-1]) {
				if cells := strings.Split(g.Line(i-1), "|"); k+1 < len(cells) {
					labels = append(labels, strings.TrimSpace(cells[k+1]))
				}
				break
			}
		}
		if cells := strings.Split(text, "|"); k > 0 && len(cells) > 1 {
			labels = append(labels, strings.TrimSpace(cells[1]))
		}
		return labels
	}
	if label := strings.TrimRight(before, "-+>:|=$€£¥ "); label != "" {
		if strings.HasSuffix(label, ")") || strings.HasSuffix(label, "]") || strings.HasSuffix(before, ":") {
			return []string{label}
		}
		return nil // a sentence
	}
	return g.labelAbove(n)
}

// labelAbove returns the nearest text above line n, if it is near enough to be its label.
func (g *Ground) labelAbove(n int) []string {
	for i, seen := n-1, 0; i > 0 && seen < maxLabelled; i-- {
		line := g.Line(i)
		if raw := g.Lines[i-1]; strings.Contains(raw, "](") {
			line = value.Normal(Unlinked(raw)) // the l of (l31) is no litre
		}
		if line != "" {
			seen++
			if len(value.Words(line)) > 0 {
				return []string{strings.TrimRight(line, ": ")}
			}
		}
	}
	return nil
}

// maxColumn is how many rows of a table are searched for the sign of a currency.
const maxColumn = 500

// paid reports whether a cell of the column that stands at a position of line n has the
// sign or the name of a currency. Tables often print it in their first row only.
func (g *Ground) paid(n, at int) bool {
	if g.whole != nil {
		return g.whole.paid(n+g.skipped, at)
	}
	k := strings.Count(g.Line(n)[:at], "|")
	first := n
	for first > 1 && n-first < maxColumn && strings.HasPrefix(g.Line(first-1), "|") {
		first--
	}
	column := [2]int{first, k}
	if known, ok := g.paidIn[column]; ok {
		return known
	}
	if g.paidIn == nil {
		g.paidIn = map[[2]int]bool{}
	}
	g.paidIn[column] = false
	for i := first; i-first < maxColumn && strings.HasPrefix(g.Line(i), "|"); i++ {
		if cells := strings.Split(g.Line(i), "|"); k < len(cells) && slices.ContainsFunc(value.Numerals(cells[k]), func(o value.Numeral) bool { return o.IsMoney(cells[k]) }) {
			g.paidIn[column] = true
			return true
		}
	}
	return false
}

// captionOf returns the text above the table that line n belongs to, in normal form. If
// there is none, it returns "".
func (g *Ground) captionOf(n int) string {
	if g.whole != nil {
		return g.whole.captionOf(n + g.skipped)
	}
	if !strings.HasPrefix(g.Line(n), "|") {
		return ""
	}
	for n > 1 && strings.HasPrefix(g.Line(n-1), "|") {
		n--
	}
	return CaptionAbove(g.Lines, n)
}

// CaptionAbove returns the text above the table that begins with line n, counted from 1,
// in normal form. If there is none, or if it is too long to be a caption, it returns "".
func CaptionAbove(all []string, n int) string {
	for i := n - 1; i > 0 && i >= n-2; i-- {
		text := strings.Trim(all[i-1], " #*_")
		if text == "" {
			continue
		}
		if len(text) > 4*value.MaxCaption {
			return ""
		}
		return value.Normal(PlainText(text))
	}
	return ""
}

// relabelled returns how the number want is read on lines a to b, if its label says how.
// If labels of equal numbers differ, that of the field decides. If none does, clear is
// false.
func (g *Ground) relabelled(want float64, a, b int, s Style) (r reading, clear bool) {
	var few [4]reading
	all := few[:0]
	special := false
	for n := max(a, 1); n <= b; n++ {
		g.labelled(n, s, func(one reading) {
			if value.Same(one.plain, want) {
				all = append(all, one)
				special = special || one.full != one.plain || one.of != (value.Unit{})
			}
		})
	}
	if !special {
		return reading{plain: want, full: want}, true
	}
	differ := func(o reading) bool { return o.full != all[0].full || o.of != all[0].of }
	if slices.ContainsFunc(all, differ) {
		all = slices.DeleteFunc(all, func(o reading) bool {
			return !slices.ContainsFunc(value.Words(o.label), func(w string) bool { return len(w) > 2 && slices.Contains(s.words, w) })
		})
	}
	if len(all) == 0 || slices.ContainsFunc(all, differ) {
		return reading{}, false
	}
	return all[0], !math.IsNaN(all[0].full)
}

// rescaled returns the line from a to b that has a number which is want with the scale
// and the unit of its label, as a model may have converted it.
func (g *Ground) rescaled(want float64, a, b int, s Style) (at int, ok bool) {
	for n := max(a, 1); n <= b; n++ {
		g.labelled(n, s, func(r reading) {
			if at == 0 && value.Same(r.maybe/s.scale(), want) { // the model has understood what the caption is about
				at, ok = n, true
			}
			if at == 0 && (r.full != r.plain || r.of != (value.Unit{})) && value.Same(r.in(s), want) {
				at, ok = n, true
			}
		})
	}
	return at, ok
}

// sure returns the style for numbers that are read only with the mark of decimals that it has.
func (s Style) sure() Style {
	s.known = true
	return s
}

// in returns the number in the scale and the unit that a field wants.
func (r reading) in(s Style) float64 {
	if v, ok := r.of.In(r.full, s.unit); ok {
		return v
	}
	if r.full != r.plain {
		return r.full / s.scale()
	}
	return r.full
}

// Measure returns a number of a cell with the unit that its lines state: after the
// number, or in its label. If they state none, ok is false. If they have the number without
// a unit as well, sure is false.
func (g *Ground) Measure(v float64, a, b int) (total float64, unit value.Unit, sure, ok bool) {
	if a < 1 || b > len(g.Lines) {
		return 0, value.Unit{}, false, false
	}
	text := g.Text(a, b)
	if total, unit, ok = value.MeasureAt(text, v); ok {
		return total, unit, !value.StandsAlone(text, v), true
	}
	r, clear := g.relabelled(v, a, b, Style{})
	return v, r.of, true, clear && r.of != (value.Unit{}) && r.full == r.plain
}
