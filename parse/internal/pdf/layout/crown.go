// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Some tables have their lines only around the values: the names of the columns, or
// the names of groups of columns, stand above the uppermost line or in a frame of
// their own.

// maxCrown is the number of baselines of a header above a table. Cells of one and of
// two lines beside each other have three.
const maxCrown = 8

// crown adds the header above a table with walls to it and removes its words from the
// lines of the page.
func (t *Table) crown(p *Page) {
	cols := t.cellColumns()
	if cols == nil {
		return
	}
	size := t.size()
	rows := t.rowsAbove(p, size)
	if len(rows) == 0 {
		return
	}
	if head, n := t.namesAbove(p, rows, cols, size); n > 0 {
		t.Rows, t.Header = slices.Concat([][]Cell{head}, t.Rows), 1
		t.cap(p, rows[len(rows)-n:])
	} else if head := t.spansAbove(p, &rows[len(rows)-1], cols, size); head != nil {
		t.Rows, t.Header = slices.Concat([][]Cell{head}, t.Rows), t.Header+1
		t.cap(p, rows[len(rows)-1:])
	}
}

// cap removes the lines of rows, which are the header, from the page and extends the
// box of the table to them.
func (t *Table) cap(p *Page, rows []row) {
	taken := make([]bool, len(p.Lines))
	for _, r := range rows {
		t.Box.Y0 = min(t.Box.Y0, r.y0)
		for _, i := range r.lines {
			taken[i] = true
		}
	}
	p.take(taken)
	t.sequence()
	if t.Pages != nil {
		t.Pages = sorting.Insert(t.Pages, 0, 0)
	}
}

// cellColumns returns the space between the walls of each column. It returns nil if
// the table was not read by its walls.
func (t *Table) cellColumns() []content.Box {
	if t.Columns < 2 || len(t.Rows) < 2 {
		return nil
	}
	out := make([]content.Box, t.Columns)
	found := 0
	for i := range t.Rows {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; !c.Covered && c.ColSpan == 1 && c.Box.X1 > c.Box.X0 && out[j].X1 == 0 {
				out[j] = c.Box
				found++
			}
		}
		if found == t.Columns {
			return out
		}
	}
	return nil
}

// rowsAbove returns the last rows above the table, between its sides: those of its
// size that are as near to it as a header, or in a frame above it.
func (t *Table) rowsAbove(p *Page, size float64) []row {
	var idx []int
	for i := range p.Lines {
		l := &p.Lines[i]
		b := textBox(l)
		if l.Turn != 0 || b.Y1 > t.Box.Y0+.5*size || b.Y0 < t.Box.Y0-2*maxCrown*size {
			continue
		}
		if b.X1 < t.Box.X0 || b.X0 > t.Box.X1 {
			continue
		}
		idx = append(idx, i)
	}
	rows := rowsIn(p, idx)
	hs, _ := p.edges()
	from, end := len(rows), t.Box.Y0
	for from > 0 && len(rows)-from < maxCrown {
		r := &rows[from-1]
		gap := end - r.y1
		framed := from == len(rows) && gap < 3.5*size && slices.ContainsFunc(hs[sortSearch(hs, r.y1-.3*size):], func(h edge) bool {
			return h.at < t.Box.Y0-snap && math.Abs(h.lo-t.Box.X0) < 2*snap && math.Abs(h.hi-t.Box.X1) < 2*snap
		})
		if gap > 1.2*size && !framed || slices.ContainsFunc(r.lines, func(i int) bool {
			b := textBox(&p.Lines[i])
			return b.X0 < t.Box.X0-2 || b.X1 > t.Box.X1+2 || p.Lines[i].captions() || p.Lines[i].Size > 1.3*size
		}) {
			break
		}
		from, end = from-1, r.y0
	}
	return rows[from:]
}

// namesAbove returns a header row of the texts in the last n of the rows above the
// table. They name most of the columns, each within its walls, and differ from the
// first texts of the columns: they are bold, or no numbers above numbers.
func (t *Table) namesAbove(p *Page, rows []row, cols []content.Box, size float64) (head []Cell, n int) {
	var parts []part
	for k := len(rows) - 1; k >= 0; k-- {
		ps, ok := partsWithin(p, &rows[k], cols, size)
		if !ok {
			break
		}
		parts = append(ps, parts...)
		n++
	}
	head = emptyRow(len(cols))
	sorting.Stable(parts, func(a, b part) int { return compare(a.y0, b.y0) })
	for _, q := range parts {
		c := &head[q.c0]
		c.Lines = cellLines(c.Lines, q.words)
		c.Box = content.Box{X0: cols[q.c0].X0, X1: cols[q.c0].X1, Y0: rows[len(rows)-n].y0, Y1: t.Box.Y0}
	}
	named, bold, plain, over := 0, 0, 0, 0
	for j := range head {
		if len(head[j].Lines) == 0 {
			continue
		}
		text, below := head[j].Text(), &t.Rows[0][j]
		for i := 1; i < len(t.Rows) && len(below.Lines) == 0; i++ { // a month begins with empty days
			below = &t.Rows[i][j]
		}
		if isFigure(text) && !isYear(text) {
			return nil, 0
		}
		named++
		bold += count(head[j].bold())
		plain += count(len(below.Lines) > 0 && !below.bold())
		over += count(isFigure(below.Text()) && !isYear(below.Text()))
	}
	unlike := bold == named && plain*2 > named || over > 0 && over*3 >= named
	if named < 2 || named*10 < len(cols)*7 || !unlike {
		return nil, 0
	}
	return head, n
}

// partsWithin returns the pieces of a row if each is within one column.
func partsWithin(p *Page, r *row, cols []content.Box, size float64) ([]part, bool) {
	var out []part
	for _, i := range r.lines {
		for _, q := range splitLine(&p.Lines[i], cols) {
			if q.c0 != q.c1 || q.words[0].Box.X0 < cols[q.c0].X0-.3*size || q.x1() > cols[q.c0].X1+.3*size {
				return nil, false
			}
			out = append(out, q)
		}
	}
	return out, len(out) > 0
}

// spansAbove returns a header row of the texts of a row above the table if they are
// the names of groups of columns, whose own headers are in the first row.
func (t *Table) spansAbove(p *Page, r *row, cols []content.Box, size float64) []Cell {
	if t.Header != 1 {
		return nil
	}
	var upper, lower []part
	for _, i := range r.lines {
		l := &p.Lines[i]
		b := textBox(l)
		upper = append(upper, part{words: l.Words, y0: b.Y0, y1: b.Y1})
		if s := l.Text(); isFigure(s) && !isYear(s) {
			return nil
		}
	}
	free := 0 // columns at the left without a name above them
	for j := range t.Rows[0] {
		c := &t.Rows[0][j]
		if c.ColSpan > 1 {
			continue
		}
		if s := c.Text(); isFigure(s) && !isYear(s) {
			return nil
		}
		for k := range c.Lines {
			b := textBox(&c.Lines[k])
			lower = append(lower, part{words: c.Lines[k].Words, c0: j, c1: j, y0: b.Y0, y1: b.Y1})
		}
	}
	for free < len(cols) && cols[free].X1 < upper[0].words[0].Box.X0 {
		free++
	}
	f := figures{p: p, cols: cols, slots: cols, size: size}
	for ; free >= 0; free-- {
		shares, ok := f.repeated(upper, lower, free, len(cols)-1)
		if !ok {
			continue
		}
		head := emptyRow(len(cols))
		for i, s := range shares {
			c := &head[s[0]]
			c.ColSpan, c.Lines = s[1]-s[0]+1, cellLines(nil, upper[i].words)
			c.Box = content.Box{X0: cols[s[0]].X0, X1: cols[s[1]].X1, Y0: r.y0, Y1: t.Box.Y0}
		}
		cover(head)
		return head
	}
	return nil
}
