// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/parse/internal/pdf/content"
)

// A region of a page that may be a table is read in two ways: by the walls
// that are drawn around its cells, and by the columns of white space and the
// baselines inside it. Both readings are scored by how consistent they are,
// and the better one is kept.

// quality is how consistent a reading of a table is. All values are from 0
// to 1.
type quality struct {
	single  float64 // share of the texts that are in a cell with one value
	kinds   float64 // share of the cells of the body that are of the usual kind of their column
	filled  float64 // share of the cells that are not empty
	labels  float64 // share of the rows with a first cell
	plain   float64 // share of the cells of the body that span one row and one column
	covered float64 // share of the words of the region that are in the reading
}

// score weighs the values of q.
func (q *quality) score() float64 {
	return (.45*q.single + .15*q.kinds + .1*q.filled + .15*q.labels + .15*q.plain) * q.covered
}

// judge measures a reading. words is the number of words in its region.
func (t *Table) judge(words int) quality {
	q := quality{covered: 1}
	texts, alone, cells, filled, labels, spans, own, have := 0, 0, 0, 0, 0, 0, 0, 0
	body := t.Rows[min(t.Header, len(t.Rows)):]
	ends := t.columnEnds()
	for i := range t.Rows {
		stacked := i >= t.Header && t.stacksRows(i, ends)
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if c.Covered {
				continue
			}
			n, one := c.values()
			if i < t.Header && c.mixed() || stacked && n > 1 {
				one = 0
			}
			texts, alone = texts+n, alone+one
			for k := range c.Lines {
				have += len(c.Lines[k].Words)
			}
			if i < t.Header {
				continue
			}
			cells++
			filled += count(n > 0)
			spans += count(c.ColSpan > 1 || c.RowSpan > 1)
		}
	}
	for i := range body {
		labels += count(body[i][0].Covered || len(body[i][0].Lines) > 0)
	}
	usual := 0
	for j := range t.Columns {
		n := [2]int{}
		for i := range body {
			if c := &body[i][j]; len(c.Lines) > 0 {
				n[count(isFigure(c.Text()))]++
			}
		}
		own, usual = own+n[0]+n[1], usual+max(n[0], n[1])
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	q.single, q.kinds, q.filled = share(alone, texts), share(usual, own), share(filled, cells)
	q.labels, q.plain = share(labels, len(body)), 1-share(spans, cells)
	if words > 0 {
		q.covered = min(1, share(have, words))
	}
	return q
}

// values counts the texts of a cell, which are the pieces of its lines that gaps
// separate. one is the number of texts that belong to a single value: all of them
// if no line has a gap and at most one is a number, and otherwise none.
func (c *Cell) values() (n, one int) {
	figures, apart := 0, 0
	for k := range c.Lines {
		l := &c.Lines[k]
		pieces := 1
		for i := 1; i < len(l.Words); i++ {
			if gap := l.Words[i].X0 - l.Words[i-1].X1; gap > wideGap*l.Size && !isLeader(l.Words[i].Text) && !isLeader(l.Words[i-1].Text) {
				pieces++
			}
		}
		if k > 0 && math.Abs(l.Y-c.Lines[k-1].Y) < .3*l.Size && math.Max(l.Box.X0-c.Lines[k-1].Box.X1, c.Lines[k-1].Box.X0-l.Box.X1) > wideGap*l.Size {
			pieces++ // beside the line before
		}
		n += pieces
		apart += count(pieces > 1)
		if len(c.Lines) > 1 && figures < 2 { // the text of a line costs more than to look at its words
			figures += count(isNumeric(l.Text()))
		}
	}
	if figures > 1 || apart > 0 {
		return n, 0
	}
	return n, n
}

// columnEnds returns the right edge of the texts of each column.
func (t *Table) columnEnds() []float64 {
	ends := make([]float64, t.Columns)
	for i := range t.Rows {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; c.ColSpan == 1 {
				for k := range c.Lines {
					ends[j] = max(ends[j], c.Lines[k].Box.X1)
				}
			}
		}
	}
	return ends
}

// stacksRows reports whether row i looks like several rows that nothing separates:
// the lines of two or more of its cells stand on the same baselines, and the lines of
// one cell are not wrapped text, because many of them end although the first word of the
// line below would have fitted. ends are the right edges of the columns.
func (t *Table) stacksRows(i int, ends []float64) bool {
	if t.stacksAll(i, ends) {
		return true
	}
	var first *Cell
	cells, early := 0, false
	for j := range t.Rows[i] {
		c := &t.Rows[i][j]
		if len(c.Lines) < leastStack || c.ColSpan > 1 {
			continue
		}
		if first == nil {
			first = c
		}
		if len(c.Lines)*3 > len(first.Lines) && c.onBaselines(first) {
			cells++
			early = early || c.endsEarly(ends[j])
		}
	}
	return cells > 1 && early
}

// stacksAll is like stacksRows for a row in which all columns have lines on the same
// baselines, and each has a line that is not wrapped. Three lines are then enough.
func (t *Table) stacksAll(i int, ends []float64) bool {
	first := &t.Rows[i][0]
	n := len(first.Lines)
	if t.Columns < 3 || n < leastStackAll {
		return false
	}
	for j := range t.Rows[i] {
		c := &t.Rows[i][j]
		if c.Covered || c.ColSpan > 1 || len(c.Lines) != n {
			return false
		}
		early := false
		for k := range c.Lines {
			if math.Abs(c.Lines[k].Y-first.Lines[k].Y) > .2*c.Lines[k].Size {
				return false
			}
			early = early || k > 0 && c.early(k, ends[j])
		}
		if !early {
			return false
		}
	}
	return true
}

// early reports whether line k-1 of a cell ends although the first word of line k would have
// had room up to end.
func (c *Cell) early(k int, end float64) bool {
	l, w := &c.Lines[k-1], &c.Lines[k].Words[0]
	return l.Box.X1+.3*l.Size+w.X1-w.X0 < end-.5*l.Size
}

// leastStack is the least number of lines of a cell that may be several rows, leastStackAll
// that of the cells of all columns, and mostStacked the usual number of words of such a
// line. Lines of running text have more.
const (
	leastStack    = 4
	leastStackAll = 3
	mostStacked   = 8
)

// endsEarly reports whether many lines of a cell end although the first word of the
// next line would have had room up to end. Running text does not count.
func (c *Cell) endsEarly(end float64) bool {
	n, words := 0, 0
	for k := 1; k < len(c.Lines); k++ {
		n += count(c.early(k, end))
		words += len(c.Lines[k-1].Words)
	}
	return n*3 > len(c.Lines)-1 && words <= mostStacked*(len(c.Lines)-1)
}

// onBaselines reports whether most lines of a cell have a line of another cell at
// their height. The lines of both are in order.
func (c *Cell) onBaselines(o *Cell) bool {
	n, k := 0, 0
	for i := range c.Lines {
		l := &c.Lines[i]
		for k < len(o.Lines) && o.Lines[k].Y < l.Y-.2*l.Size {
			k++
		}
		n += count(k < len(o.Lines) && math.Abs(o.Lines[k].Y-l.Y) <= .2*l.Size)
	}
	return n*10 >= len(c.Lines)*8
}

// mixed reports whether some lines of a cell are bold and others are not.
func (c *Cell) mixed() bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return l.bold() != c.Lines[0].bold() })
}

// wideGap is the gap between two texts of a line, in font sizes, that is wider
// than a space.
const wideGap = .75

// ahead is how much better than the drawn reading the aligned one must be.
const ahead = .08

// better returns the aligned reading if it is better than another one. ok says
// whether the other reading is a table at all. If there are two readings, the
// kept table records both. If the other one is certainly right, the region is not
// read again, unless the page keeps the places of words.
func (r *region) better(other *Table, ok bool) (Table, bool) {
	n := r.words()
	theirs := quality{}
	if ok {
		theirs = other.judge(n)
		if other.Ruled && !r.p.Places && theirs.single > .98 && theirs.score() > certain && !r.shaded() {
			return Table{}, false // another reading cannot win
		}
	}
	t, fine := r.aligned()
	if !fine {
		return t, false
	}
	mine := t.judge(n)
	readings := []Reading{{"columns", len(t.Rows), t.Columns, mine.score()}, {By: "walls"}}
	if !other.Ruled {
		readings[1].By = "text"
	}
	if ok {
		readings[1].Rows, readings[1].Columns, readings[1].Score = len(other.Rows), other.Columns, theirs.score()
	}
	if mine.score() < leastScore || !r.wins(&t, other, ok, &mine, &theirs) {
		slices.Reverse(readings)
		other.Readings = readings
		other.Conf = min(other.Conf, r.confidence(other.Conf, readings))
		return t, false
	}
	t.Ruled, t.Readings = true, readings
	t.Conf = r.confidence(mine.score(), readings)
	return t, true
}

// wins reports whether the aligned reading t, with the measures mine, is
// better than another one with the measures theirs.
func (r *region) wins(t, other *Table, ok bool, mine, theirs *quality) bool {
	if !ok {
		centred := r.centred >= leastCentred
		return (centred || !t.prose() && r.bounded(t)) && !t.numbered() && (t.Columns < 3 || len(r.hs) > 2 || t.fragments() < len(t.Rows)-t.Header) // otherwise one row of wrapped cells
	}
	least := theirs.score() + ahead
	switch {
	case mine.single > .98 && theirs.single < .98:
		least = theirs.score() + .01
	case !other.Ruled && len(r.hs) > 2 && t.Columns == other.Columns && other.torn() && !t.torn():
		least = theirs.score() - .05
	case !other.Ruled && len(r.hs) > 2 && (other.Columns == t.Columns || len(r.hs) > 3 && theirs.plain < mine.plain):
		least = theirs.score()
	case !other.Ruled && mine.single > .98 && t.Columns >= other.Columns && 2*other.fragments() >= len(other.Rows)-other.Header && t.fragments() == 0:
		least = theirs.score()
	case !other.Ruled && mine.single > .98 && (t.Columns > other.Columns && t.named() || t.Columns == other.Columns && t.tiered() && (!other.tiered() || t.cornered() && !other.cornered())):
		least = theirs.score() - .05
	}
	return mine.score() >= least && (!other.Ruled || mine.single >= theirs.single+.02 || r.shaded())
}

// confidence lowers a confidence if the readings differ and the score of the
// kept one, which is the first, is low or hardly better.
func (r *region) confidence(conf float64, readings []Reading) float64 {
	a, b := readings[0], readings[1]
	if b.Rows == 0 || a.Rows == b.Rows && a.Columns == b.Columns {
		return conf
	}
	if a.Score < leastScore || a.Score < certain && b.Score > a.Score-.02 {
		return min(conf, unsure)
	}
	return conf
}

// certain is the score above which a reading needs no confirmation.
const certain = .9

// unsure is the confidence of a table whose readings disagree.
const unsure = .45

// shaded reports whether the region has fills that may be stripes. The edges
// of stripes are not borders of cells, so the spanning cells that they seem to
// show are not evidence.
func (r *region) shaded() bool {
	return slices.ContainsFunc(r.p.Fills, func(f content.Fill) bool {
		return f.Color != 0xffffff && f.Box.Height() > r.size && f.Box.Height() < .5*r.box.Height() && f.Box.Width() > 2*r.size &&
			f.Box.X0 > r.box.X0-snap && f.Box.X1 < r.box.X1+snap && f.Box.Y0 > r.box.Y0-snap && f.Box.Y1 < r.box.Y1+snap
	})
}

// leastScore is the score below which a reading is not a table.
const leastScore = .75

// bounded reports whether lines across the region bound a reading, and at
// least one of them separates its rows. Lines above and below a paragraph do
// not make it a table. A single line must separate a header, which names
// every column, from the rows, unless the header is bold or the region has a frame.
func (r *region) bounded(t *Table) bool {
	if t.Columns < 2 || len(r.hs) < 3 && !t.named() {
		return false
	}
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, i := range r.idx {
		l := &r.p.Lines[i]
		top, bottom = min(top, l.Y), max(bottom, l.Y-.6*l.Size)
	}
	return t.named() && (t.boldHeader() || r.framed()) || slices.ContainsFunc(r.hs, func(y float64) bool { return y > top && y < bottom })
}

// numbered reports whether the first of two columns has only the markers of a
// list whose items have several rows, as in a form with a box below each
// question.
func (t *Table) numbered() bool {
	s := t.signs()
	return t.Columns == 2 && s.labels < len(t.Rows) && s.markers > 1 && s.markers*10 >= s.labels*6
}

// fragments counts the rows of the body that have text in only one of several
// columns.
func (t *Table) fragments() int {
	n := 0
	for _, row := range t.Rows[min(t.Header, len(t.Rows)):] {
		texts := 0
		for j := range row {
			texts += count(len(row[j].Lines) > 0)
		}
		n += count(texts == 1 && row[0].ColSpan < t.Columns)
	}
	return n
}

// tiered reports whether a header spans columns that have headers of their own
// below it.
func (t *Table) tiered() bool {
	return t.Header > 1 && slices.ContainsFunc(t.Rows[0], func(c Cell) bool { return c.ColSpan > 1 && c.ColSpan < t.Columns })
}

// torn reports whether the first row of a table has a single text, which is not in the first
// column. It is then the first line of a wrapped cell.
func (t *Table) torn() bool {
	texts := 0
	for j := range t.Rows[0] {
		texts += count(len(t.Rows[0][j].Lines) > 0)
	}
	return texts == 1 && t.Columns > 2 && len(t.Rows[0][0].Lines) == 0 && !slices.ContainsFunc(t.Rows[0], func(c Cell) bool { return c.ColSpan > 1 })
}

// cornered reports whether the header of the first column has all rows of the header.
func (t *Table) cornered() bool {
	return t.Header > 0 && len(t.Rows[0][0].Lines) > 0 && t.Rows[0][0].RowSpan == t.Header
}

// named reports whether each column of the table has a header of its own. The
// headers of only two columns must be aligned with the texts below them, and
// the first column must have short texts, because two columns of running text
// may also have headings.
func (t *Table) named() bool {
	if t.Header == 0 || t.Columns == 2 && !t.pairs() {
		return false
	}
	for j := range t.Columns {
		if !slices.ContainsFunc(t.Rows[:t.Header], func(row []Cell) bool { return len(row[j].Lines) > 0 && row[j].ColSpan == 1 }) {
			return false
		}
	}
	return true
}

// pairs reports whether a table of two columns has labels in the first one,
// below a header that is aligned with the texts of both.
func (t *Table) pairs() bool {
	words := 0
	for i, row := range t.Rows {
		for j := range row {
			c := &row[j]
			if j == 0 && i >= t.Header {
				words += len(strings.Fields(c.Text()))
			}
			head := &t.Rows[0][j]
			if i == 0 || len(c.Lines) == 0 || c.ColSpan > 1 {
				continue
			}
			if len(head.Lines) != 1 {
				return false
			}
			if a, b := head.extent(), c.extent(); math.Abs(a.X0-b.X0) > 1 && math.Abs(a.X1-b.X1) > 1 {
				return false
			}
		}
	}
	return words <= 4*(len(t.Rows)-t.Header)
}

// extent returns the box around the lines of the cell.
func (c *Cell) extent() content.Box {
	b := c.Lines[0].Box
	for k := range c.Lines {
		b = b.Union(c.Lines[k].Box)
	}
	return b
}
