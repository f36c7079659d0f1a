// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// Table is a grid of cells.
type Table struct {
	Box     content.Box
	Rows    [][]Cell // all of Columns cells
	Columns int
	Header  int  // rows at the top that are headers
	Ruled   bool // found by its lines
	Conf    float64

	// Pages is the page of each row where it is not the table's own, else 0;
	// nil where all rows are on one page.
	Pages []int

	seq   int
	lefts []float64 // of its columns, nil until they are asked for
}

// Cell is one place of a table. A cell that spans others stands at its top
// left place; the places that it covers are Covered.
type Cell struct {
	Lines            []Line
	ColSpan, RowSpan int // at least 1
	Covered          bool
	Box              content.Box

	// Next is the first of Lines that stands on the page after, where the end of
	// a page cuts the row; 0 where none does.
	Next int
}

// Block returns the text of a cell whose row begins on a page. What stands on
// the page after has no box: the row is shown where it begins.
func (c *Cell) Block(page int) Block {
	b := Block{Kind: TableBlock, Page: page, Lines: c.Lines}
	if c.Next > 0 {
		b.Parts = []Part{{Page: page + 1, Line: c.Next}}
	}
	return b
}

// Text returns the cell's lines joined by spaces.
func (c *Cell) Text() string {
	b := Block{Lines: c.Lines}
	return b.Text()
}

// turnColumns puts the columns in reading order where the text runs mostly from
// right to left, and most rows were painted so: a table of such text may be laid
// out from the left.
func (t *Table) turnColumns() {
	rtl, ltr, back, on := 0, 0, 0, 0
	for i := range t.Rows {
		last := -1 // painting of the cell before
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

// cutInto puts the cells of row, the first on its page, into the last row of t
// where the end of the page has cut that row: row begins with an empty cell as
// few rows do, has fewer texts, and each below another.
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
		if texts++; len(last[j].Lines) == 0 || last[j].Next > 0 {
			return false
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
