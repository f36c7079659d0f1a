// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// This file reads tables of numbers. In such a table all columns except the
// first hold numbers in most rows. This is why its structure is more
// certain than that of other tables:
//
//   - A number does not wrap, so two numbers below each other are two rows.
//   - The rows with numbers show the columns, even if headers and labels cross
//     them.
//   - The header is everything above the first number that is not a year.

// figures builds one table of numbers.
type figures struct {
	z     *zone
	p     *Page
	size  float64 // font size of most rows
	cols  []content.Box
	slots []content.Box // the cells of a row without spans; nil if they are not known
	rules []rule
	full  []float64 // positions of the rules that separate all columns

	likely []content.Box // the result of estimate; nil until first used
}

// rule is the lines at one height and the columns below which each extends.
type rule struct {
	y    float64
	runs []under
}

const (
	leastFigures  = 3   // minimum number of rows with numbers
	maxHeadPieces = 300 // maximum number of header pieces; each is compared with all others
)

// figures reads a zone as a table of numbers. It returns false if it is not
// one.
func (z *zone) figures(p *Page) (Table, bool) {
	f := figures{z: z, p: p}
	values := f.values()
	if len(values) < leastFigures {
		return Table{}, false
	}
	f.size = values[len(values)/2].size
	f.cols = f.columns(values)
	if len(f.cols) < 2 || len(f.cols) > 60 {
		return Table{}, false
	}
	f.lines()
	bands, seated := z.seated(overlapping(f.parts(), f.full), f.full)
	h := f.headEnd(bands)
	head := f.belowTop(bands[:h])
	body := bands[h:]
	if !seated {
		body = f.rows(body)
	}
	body = f.aboveEnd(body)
	if len(body) < 2 || len(slices.Concat(head...)) > maxHeadPieces {
		return Table{}, false
	}
	t := Table{Box: z.box, seq: math.MaxInt, Columns: len(f.cols)}
	t.Rows = f.head(head, top(body[0]))
	t.Header = len(t.Rows)
	t.Rows = append(t.Rows, f.cells(body)...)
	t.sections(p, f.size)
	for i := range t.Rows {
		for j := range t.Rows[i] {
			for _, l := range t.Rows[i][j].Lines {
				for k := range l.Words {
					t.seq = min(t.seq, l.Words[k].Seq)
				}
			}
		}
	}
	f.cut(head, body)
	t.Box = z.box
	if !z.accept(&t, p, f.full) {
		return t, false
	}
	if t.Header == 0 {
		t.unruledHeader(f.full)
	}
	t.wholeHeader()
	return t, true
}

// cut keeps only the rows of the zone that belong to its table.
func (f *figures) cut(head, body [][]part) {
	y0, y1 := top(body[0]), bottom(body[len(body)-1])
	if len(head) > 0 {
		y0 = top(head[0])
	}
	rows := sorting.Without(slices.Clone(f.z.rows), func(r row) bool {
		mid := (r.y0 + r.y1) / 2
		return mid < y0 || mid > y1
	})
	*f.z = newZone(f.p, rows)
}

// cells makes the rows of the table body.
func (f *figures) cells(body [][]part) [][]Cell {
	parts, foot := f.z.foot(slices.Concat(body...), len(f.cols))
	if rows := f.z.centred(parts, len(f.cols)); rows != nil {
		return append(rows, foot...)
	}
	var out [][]Cell
	for _, g := range body {
		out = append(out, cellsOf(g, len(f.cols)))
	}
	return out
}

// cellsOf makes one row from pieces.
func cellsOf(parts []part, columns int) []Cell {
	cells := emptyRow(columns)
	sorting.Stable(parts, func(a, b part) int { return compare(a.y0, b.y0) })
	for _, q := range parts {
		c := &cells[q.c0]
		c.ColSpan = max(c.ColSpan, q.c1-q.c0+1)
		c.Lines = cellLines(c.Lines, q.words)
	}
	cover(cells)
	return cells
}

// isFigure reports whether s is a number or a mark for a missing number.
func isFigure(s string) bool {
	if isNumeric(s) {
		return true
	}
	if len(s) > 6 {
		return false
	}
	switch strings.ToLower(strings.Trim(s, "()[].")) {
	case "n.a", "na", "n/a", "x", "d", "n.d", "nd", "s", "z", "…", "c", "u", "nil", "none":
		return true
	}
	return false
}

// values returns the rows that have numbers after their first piece. It
// returns nil if they are too few of the rows with several pieces that
// follow the first of them.
func (f *figures) values() []row {
	var out []row
	several := 0
	for i := range f.z.rows {
		cs := f.chunks(&f.z.rows[i])
		if len(cs) < 2 {
			continue
		}
		n, years := 0, 0
		for _, c := range cs[1:] {
			if isFigure(c.text) {
				n++
			}
			if isYear(c.text) {
				years++
			}
		}
		if n > 0 && n*2 >= len(cs)-1 {
			out = append(out, f.z.rows[i])
		}
		if len(out) > 1 || len(out) == 1 && years < n {
			several++
		}
	}
	if len(out)*10 < several*6 {
		return nil
	}
	return out
}

// lines finds the rules of the zone and those among them that separate all
// columns.
func (f *figures) lines() {
	hs, _ := f.p.edges()
	b := f.z.box
	for _, h := range hs {
		if h.at <= b.Y0-2*f.size || h.at >= b.Y1+2*f.size || min(h.hi, b.X1)-max(h.lo, b.X0) <= 0 {
			continue
		}
		u := under{y: h.at, c0: -1}
		for j, c := range f.cols {
			if x := (c.X0 + c.X1) / 2; x > h.lo && x < h.hi {
				if u.c0 < 0 {
					u.c0 = j
				}
				u.c1 = j
			}
		}
		if u.c0 < 0 {
			continue
		}
		if n := len(f.rules); n > 0 && math.Abs(f.rules[n-1].y-h.at) < snap {
			f.rules[n-1].runs = append(f.rules[n-1].runs, u)
		} else {
			f.rules = append(f.rules, rule{h.at, []under{u}})
		}
	}
	for _, r := range f.rules {
		if r.whole(len(f.cols)) {
			f.full = append(f.full, r.y)
		}
	}
}

// whole reports whether a rule extends below all columns: in one run, or
// with a run for each column. The first column may have none.
func (r *rule) whole(columns int) bool {
	seen := 0
	wide := false
	for _, u := range r.runs {
		seen += u.c1 - u.c0 + 1
		wide = wide || u.c1 > u.c0
	}
	return seen >= columns || seen == columns-1 && !wide && columns > 2
}

// parts returns the pieces of all rows.
func (f *figures) parts() []part {
	var out []part
	space := f.wordSpace()
	for _, r := range f.z.rows {
		for _, i := range r.lines {
			out = f.pieces(out, &f.p.Lines[i], space)
		}
	}
	return out
}

// pieces splits a line at the borders of columns and adds the pieces to out. Words without a gap
// between them stay together if they touch only one column, because columns
// of short numbers are narrower than the words of their headers. Leaders
// stay with the text before them. Words stay together if the gap between them is at most space,
// which is the usual gap between words in font sizes.
func (f *figures) pieces(out []part, l *Line, space float64) []part {
	words := l.fromLeft()
	b := textBox(l)
	gap := max(spaceOf(words), space+.02)
	first := len(out)
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && words[to].X0-words[to-1].X1 < gap*words[to].Size && (words[to].Rise != 0 || !twoNumbers(words[to-1].Text, words[to].Text)) {
			to++
		}
		shown := from // words from here on are leaders
		for k := from; k < to; k++ {
			if !isLeader(words[k].Text) {
				shown = k + 1
			}
		}
		n := len(out)
		if shown == from && n > first {
			out[n-1].words = append(out[n-1].words, words[from:to]...)
			from = to
			continue
		}
		shown = max(shown, from+1)
		out = f.placed(out, words[from:shown:shown], l, b)
		last := &out[len(out)-1]
		last.words = append(last.words, words[shown:to]...)
		if q := &out[n]; n > first && q.c1 == q.c0 && out[n-1].c0 == q.c0 && out[n-1].c1 == q.c0 {
			out[n-1].words = append(out[n-1].words, q.words...)
			out = append(out[:n], out[n+1:]...)
		}
		from = to
	}
	return out
}

// placed assigns columns to words that stand together, and adds them to out.
func (f *figures) placed(out []part, words []Word, l *Line, b content.Box) []part {
	x0, x1 := words[0].Box.X0, words[len(words)-1].Box.X1
	j, n := 0, 0
	for k, c := range f.cols {
		if x0 < c.X1 && x1 > c.X0 {
			j = k
			n++
		}
	}
	if n == 1 {
		return append(out, part{words: words, c0: j, c1: j, y0: b.Y0, y1: b.Y1})
	}
	return append(out, splitLine(&Line{Words: words, Y: l.Y, Size: l.Size, Box: l.Box}, f.cols)...)
}

// spaceOf returns the gap, in em, that separates pieces of a line. It is
// larger than the word spaces of the line, which are wide in some fonts and
// in recognised text.
func spaceOf(words []Word) float64 {
	if len(words) < 5 {
		return leastSpace
	}
	gaps := make([]float64, 0, len(words))
	for k := 1; k < len(words); k++ {
		gaps = append(gaps, (words[k].X0-words[k-1].X1)/words[k].Size)
	}
	slices.Sort(gaps)
	return min(1, max(leastSpace, 1.4*gaps[len(gaps)/4]))
}

// leastSpace is the least gap, in em, that separates pieces of a line.
const leastSpace = .42

// headEnd returns how many bands at the top form the header.
func (f *figures) headEnd(bands [][]part) int {
	v := slices.IndexFunc(bands, func(b []part) bool {
		return slices.ContainsFunc(b, func(q part) bool { s := q.text(); return q.c0 > 0 && isFigure(s) && !isYear(s) })
	})
	if v < 0 {
		v = max(0, slices.IndexFunc(bands, numbers))
	}
	between := func(i int) bool { return i > 0 && ruleBetween(f.full, middleOf(bands[i-1]), middleOf(bands[i])) }
	h := v // the labels of a group stand between the header rule and the first number
	for h > 0 && labelled(bands[h-1]) {
		h--
	}
	for i := max(h, 1); i <= v; i++ {
		if between(i) {
			return i
		}
	}
	for i := h - 1; i > 0; i-- {
		if between(i) {
			return i
		}
	}
	if h == 0 && v > 0 { // there are only labels: they are the header
		h = v
	}
	if v == 0 {
		return f.numberedHead(bands, between)
	}
	return h
}

// numberedHead returns how many bands at the top form a header that contains
// numbers. Those are the bands above the first rule, if few other rules
// separate rows.
func (f *figures) numberedHead(bands [][]part, between func(int) bool) int {
	for i := 1; i <= maxHead && i < len(bands)-2; i++ {
		if !between(i) {
			continue
		}
		inner := 0
		for k := i + 1; k < len(bands); k++ {
			if between(k) {
				inner++
			}
		}
		if inner*3 < len(bands)-i {
			return i
		}
		break
	}
	return 0
}

// middleOf returns the vertical middle of a band.
//
//go:noinline
func middleOf(b []part) float64 { return (top(b) + bottom(b)) / 2 }

// labelled reports whether all pieces of a band begin in the first column.
func labelled(b []part) bool {
	for i := range b {
		if b[i].c0 > 0 {
			return false
		}
	}
	return true
}

// isYear reports whether s is a year or a range of years, as in headers.
func isYear(s string) bool {
	if len(s) < 4 || !isDigits(s[:4]) {
		return false
	}
	if c := s[:2]; c != "18" && c != "19" && c != "20" {
		return false
	}
	rest := s[4:]
	return len(rest) <= 8 && (rest == "" || strings.ContainsAny(rest[:1], "/-–*() ")) && !strings.ContainsAny(rest, ".,%")
}

// belowTop removes captions and units from the top of a header. They are
// above a rule or a wide gap, or differ in size.
func (f *figures) belowTop(head [][]part) [][]part {
	for i := len(head) - 1; i > 0; i-- {
		if labelled(head[i-1]) && ruleBetween(f.full, middleOf(head[i-1]), middleOf(head[i])) {
			return head[i:]
		}
	}
	for i := len(head) - 1; i > 0; i-- {
		if top(head[i])-bottom(head[i-1]) > 1.6*f.size && !ruleBetween(f.full, middleOf(head[i-1]), middleOf(head[i])) {
			head = head[i:]
			break
		}
	}
	for len(head) > 1 && labelled(head[0]) && (top(head[1])-bottom(head[0]) > .6*f.size || !sameLook(&head[0][0], &head[1][0]) && math.Abs(head[0][0].words[0].Size-head[1][0].words[0].Size) > .1) {
		head = head[1:]
	}
	return head
}

// aboveEnd removes single texts below the last row and below the last rule:
// notes and sources.
func (f *figures) aboveEnd(rows [][]part) [][]part {
	for len(rows) > 0 {
		b := rows[len(rows)-1]
		if !labelled(b) && (len(b) > 1 || isFigure(b[0].text())) || len(f.full) > 0 && f.full[len(f.full)-1] > middleOf(b) {
			break
		}
		rows = rows[:len(rows)-1]
	}
	return rows
}
