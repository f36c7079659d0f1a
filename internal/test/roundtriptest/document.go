// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"iter"
	"slices"
)

// Form says which programs can process a document.
type Form uint8

// Forms of documents.
const (
	Text   Form = iota // pages of text
	Slides             // headings of level 2 start slides
	Sheets             // headings of level 2 are names of sheets with one table each
)

// Document is a document with known content.
type Document struct {
	Name    string // base name of its files, without extension
	Form    Form
	Lang    string // BCP 47
	RTL     bool   // text runs from right to left
	Columns int    // of text; zero means one
	Header  string // header of each page, with a page number in the footer; empty means neither
	Blocks  []Block
}

// Block is a [Heading], [Paragraph], [List], [Table], [Code] or [Math].
type Block interface{ block() }

type (
	// Heading is of level 1 to 6.
	Heading struct {
		Level int
		Text  string
	}
	// Paragraph is a block of text.
	Paragraph struct{ Text []Span }
	// List has items, which may be numbered from 1.
	List struct {
		Ordered bool
		Items   []Item
	}
	// Item has text and an optional nested list.
	Item struct {
		Text []Span
		Sub  *List
	}
	// Table has rows, of which the first is the head. If it is ruled, all cells
	// have borders.
	Table struct {
		Ruled bool
		Rows  [][]Cell
	}
	// Cell spans a number of columns and rows; zero means one. The slots that
	// it covers have no cell.
	Cell struct {
		Text         string
		Across, Down int
	}
	// Code is a code block.
	Code struct{ Lines []string }
	// Math is a display formula.
	Math struct{ Formula Formula }
)

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Table) block()     {}
func (Code) block()      {}
func (Math) block()      {}

// Style is the formatting of a span.
type Style uint8

// The styles of spans.
const (
	Plain Style = iota
	Strong
	Emphasis
	Mono
)

// Span is text with one style. It may have a link and a footnote. A span with a
// formula has nothing else.
type Span struct {
	Text    string
	Style   Style
	Link    string // absolute; empty means none
	Note    string // text of a footnote after the span; empty means none
	Formula *Formula
}

// Formula is a formula in the languages of the sources.
type Formula struct {
	TeX    string
	MathML string // content of the math element, without prefixes
	EQN    string
}

// HasSpans reports whether a cell spans more than one slot, which pipe tables
// cannot express.
func (d *Document) HasSpans() bool {
	for t := range each[Table](d) {
		for _, row := range t.Rows {
			if slices.ContainsFunc(row, func(c Cell) bool { return c.Across > 1 || c.Down > 1 }) {
				return true
			}
		}
	}
	return false
}

// each yields the blocks of one type.
func each[B Block](d *Document) iter.Seq[B] {
	return func(yield func(B) bool) {
		for _, b := range d.Blocks {
			if b, ok := b.(B); ok && !yield(b) {
				return
			}
		}
	}
}

// width is the number of columns of a table.
func (t Table) width() int {
	n := 0
	for _, c := range t.Rows[0] {
		n += max(1, c.Across)
	}
	return n
}

// slot is one position of a table, with the cell that begins there or covers
// it.
type slot struct {
	Cell
	begins bool
	left   bool // covered by a cell to the left
}

// slots returns the slots of the table in rows of equal length.
func (t Table) slots() [][]slot {
	grid := make([][]slot, len(t.Rows))
	taken := make([][]bool, len(t.Rows))
	for i := range grid {
		grid[i], taken[i] = make([]slot, t.width()), make([]bool, t.width())
	}
	for i, row := range t.Rows {
		at := 0
		for _, c := range row {
			for taken[i][at] {
				at++
			}
			for y := range max(1, c.Down) {
				for x := range max(1, c.Across) {
					grid[i+y][at+x] = slot{c, x == 0 && y == 0, x > 0}
					taken[i+y][at+x] = true
				}
			}
		}
	}
	return grid
}
