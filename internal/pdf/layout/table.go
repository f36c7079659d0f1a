// SPDX-License-Identifier: Apache-2.0

package layout

import "example.com/curlew/internal/pdf/content"

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

	seq int
}

// Cell is one place of a table. A cell that spans others stands at its top
// left place; the places that it covers are Covered.
type Cell struct {
	Lines            []Line
	ColSpan, RowSpan int // at least 1
	Covered          bool
	Box              content.Box
}

// Text returns the cell's lines joined by spaces.
func (c *Cell) Text() string {
	b := Block{Lines: c.Lines}
	return b.Text()
}
