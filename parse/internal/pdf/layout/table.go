// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Table is a grid of cells.
type Table struct {
	Box     content.Box
	Rows    [][]Cell // each has Columns cells
	Columns int
	Header  int  // number of header rows at the top
	Ruled   bool // found by its ruling lines
	Conf    float64

	// Readings has the two readings of the region of the table, the kept one
	// first. It is nil if there was only one.
	Readings []Reading

	// Pages has the page of each row that is not on the first page of the
	// table, and 0 for other rows. It is nil if the table is on one page.
	Pages []int

	// Repeated is the number of header rows on later pages that repeat those of
	// the first page and are not in Rows.
	Repeated int

	seq   int
	lefts []float64 // left edges of its columns; nil until first used
}

// Reading is one of the ways to read the region of a table.
type Reading struct {
	By            string // what the cells were found by: walls, columns, or text for a region without lines
	Rows, Columns int    // 0 if the reading is not a table
	Score         float64
}

// Cell is one position of a table. A cell that spans several is at its top
// left position, and Covered is set for the other positions.
type Cell struct {
	Lines            []Line
	ColSpan, RowSpan int // at least 1
	Covered          bool
	Box              content.Box

	// Next is the index of the first line on the next page, if a page end
	// cuts the row. Otherwise it is 0.
	Next int
}

// Block returns the text of a cell in a row that begins on the given page.
// The part on the next page has no box, because the row is shown where it
// begins.
func (c *Cell) Block(page int) Block {
	b := Block{Kind: TableBlock, Page: page, Lines: c.Lines}
	if c.Next > 0 {
		b.Parts = []Part{{Page: page + 1, Line: c.Next}}
	}
	return b
}

// Text returns the lines of the cell joined with spaces.
//
//go:noinline
func (c *Cell) Text() string {
	b := Block{Lines: c.Lines}
	return b.Text()
}

// turnColumns reverses the columns if most text is right-to-left and most
// rows were painted from right to left. A table of right-to-left text may
// still have its columns from left to right.
func (t *Table) turnColumns() {
	rtl, ltr, back, on := 0, 0, 0, 0
	for i := range t.Rows {
		last := -1 // position of the previous cell in the order of painting
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			if len(c.Lines) == 0 {
				continue
			}
			if l := &c.Lines[0]; l.RTL {
				rtl++
			} else if hasLetters(l.Text()) {
				ltr++
			}
			seq := c.Lines[0].Words[0].Seq
			back += count(seq < last)
			on += count(last >= 0 && seq > last)
			last = seq
		}
	}
	if rtl <= ltr || back <= on {
		return
	}
	for i, row := range t.Rows {
		out := make([]Cell, len(row))
		for j := range out {
			out[j] = Cell{ColSpan: 1, RowSpan: 1, Covered: true}
		}
		for j := range row {
			if c := row[j]; !c.Covered {
				out[len(row)-j-max(1, c.ColSpan)] = c
			}
		}
		t.Rows[i] = out
	}
}

// cutInto appends the cells of row, the first on its page, to the last row
// of t if a page end has cut that row. In this case row begins with an empty
// cell, unlike most rows. It has texts in at most half of the columns, and
// each stands below another text.
func (t *Table) cutInto(row []Cell) bool {
	last := t.Rows[len(t.Rows)-1]
	body := t.Rows[min(t.Header, len(t.Rows)-1):]
	named, texts := 0, 0
	for i := range body {
		if len(body[i][0].Lines) > 0 {
			named++
		}
	}
	if len(body) < 3 || named*10 < len(body)*8 || len(row[0].Lines) > 0 {
		return false
	}
	for j := range row {
		if row[j].Covered || last[j].Covered || row[j].RowSpan > 1 || row[j].ColSpan > 1 || last[j].RowSpan > 1 || last[j].ColSpan > 1 {
			return false
		}
		if len(row[j].Lines) == 0 {
			continue
		}
		if texts++; len(last[j].Lines) == 0 || last[j].Next > 0 || isNumeric(row[j].Text()) && isNumeric(last[j].Text()) {
			return false // a number has no second line: the balance that one page carries is brought forward on the next
		}
	}
	if texts == 0 || texts*2 > t.Columns {
		return false
	}
	for j := range row {
		if len(row[j].Lines) > 0 {
			last[j].Next = len(last[j].Lines)
			last[j].Lines = append(slices.Clip(last[j].Lines), row[j].Lines...)
		}
	}
	return true
}

// A wide gap or a line may cut a table of numbers, such as one above its totals.

// joinBelow joins the tables of a page that continue each other.
func joinBelow(p *Page, blocks []Block) []Block {
	if len(blocks) > maxJoined {
		return blocks
	}
	order := make([]int, len(blocks))
	for i := range order {
		order[i] = i
	}
	sorting.Stable(order, func(a, b int) int { return compare(blocks[a].Box.Y0, blocks[b].Box.Y0) })
	gone := make([]bool, len(blocks))
	for k, i := range order {
		if gone[i] {
			continue
		}
		a := &blocks[i]
		for _, n := range order[k+1:] {
			if b := &blocks[n]; !gone[n] && a.Table.goesOnIn(p, b.Table) {
				a.Table.Rows = append(a.Table.Rows, b.Table.Rows...)
				a.Table.Box = a.Table.Box.Union(b.Table.Box)
				a.Table.Conf = min(a.Table.Conf, b.Table.Conf)
				a.Table.seq = min(a.Table.seq, b.Table.seq)
				a.Table.lefts = nil
				a.Box, a.Conf = a.Table.Box, a.Table.Conf
				gone[n] = true
			}
		}
	}
	out := blocks[:0]
	for i := range blocks {
		if !gone[i] {
			out = append(out, blocks[i])
		}
	}
	return out
}

// maxJoined is the number of tables of a page above which they are not compared with
// each other.
const maxJoined = 200

// goesOnIn reports whether o continues t: it is near below it, without text between
// them, it has the same columns, and it begins with a row of numbers.
func (t *Table) goesOnIn(p *Page, o *Table) bool {
	if t.Columns != o.Columns || t.Columns < 3 || len(o.Rows) == 0 || o.Header > 1 || o.rowKind(0) != numeric || isYear(o.Rows[0][t.Columns-1].Text()) {
		return false
	}
	size := t.size()
	if gap := o.Box.Y0 - t.Box.Y1; gap < -size || gap > 3*size || math.Abs(o.size()-size) > .1*size {
		return false
	}
	ours, theirs := t.columnExtents(), o.columnExtents()
	for j := range ours {
		a, b := ours[j], theirs[j]
		if a.X1 < a.X0 || b.X1 < b.X0 {
			continue // a column without text
		}
		if min(math.Abs(a.X0-b.X0), math.Abs(a.X1-b.X1)) > .3*size {
			return false
		}
	}
	between := content.Box{X0: t.Box.X0, X1: t.Box.X1, Y0: t.Box.Y1, Y1: o.Box.Y0}
	return !slices.ContainsFunc(p.Lines, func(l Line) bool {
		y := l.Y - .3*l.Size
		return y > between.Y0 && y < between.Y1 && l.Box.X0 < between.X1 && l.Box.X1 > between.X0
	})
}

// columnExtents returns the left and right edges of the texts in each column of the
// body.
func (t *Table) columnExtents() []content.Box {
	out := make([]content.Box, t.Columns)
	for j := range out {
		out[j] = content.Box{X0: math.Inf(1), X1: math.Inf(-1)}
	}
	for i := min(t.Header, len(t.Rows)-1); i < len(t.Rows); i++ {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; c.ColSpan == 1 && len(c.Lines) > 0 {
				b := c.extent()
				out[j].X0, out[j].X1 = min(out[j].X0, b.X0), max(out[j].X1, b.X1)
			}
		}
	}
	return out
}

// cellLines adds the lines of some words of a cell to out, from top to bottom. Gaps do not
// split them. Rotated text comes last. The words are not changed, but lines may keep them.
func cellLines(out []Line, ws []Word) []Line {
	if inLine(ws) {
		return append(out, newLine(slices.Clip(ws), 0))
	}
	flat, turned := ws, []Word(nil)
	if slices.ContainsFunc(ws, isTurned) {
		flat = nil
		for i := range ws {
			if isTurned(ws[i]) {
				turned = append(turned, ws[i])
			} else {
				flat = append(flat, ws[i])
			}
		}
	}
	for _, row := range rowsOf(flat) {
		fromLeft(row)
		out = append(out, newLine(row, 0))
	}
	for _, row := range rowsOf(turned) {
		fromLeft(row)
		out = append(out, newLine(row, 1))
	}
	return out
}

// inLine reports whether words are one line, from left to right on one baseline. Most
// cells have only one.
func inLine(ws []Word) bool {
	for i := range ws {
		if isTurned(ws[i]) || i > 0 && (ws[i].Y != ws[0].Y || ws[i].X0 < ws[i-1].X0) {
			return false
		}
	}
	return len(ws) > 0
}

// isTurned reports whether the baseline of w is not horizontal: its place
// along the baseline is not that of its box on the page.
func isTurned(w Word) bool {
	return !(w.Y >= w.Box.Y0-w.Size && w.Y <= w.Box.Y1+w.Size && w.X1 >= w.Box.X0 && w.X0 <= w.Box.X1)
}
