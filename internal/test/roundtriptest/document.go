// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"iter"
	"slices"
)

// Form says which programs can take a document.
type Form uint8

// The forms of documents.
const (
	Text   Form = iota // pages of text
	Slides             // headings of level 2 begin slides
	Sheets             // headings of level 2 name sheets, a table stands below each
)

// Document is one whose content is known.
type Document struct {
	Name    string // of its files, without an extension
	Form    Form
	Lang    string // BCP 47
	RTL     bool   // text runs from right to left
	Columns int    // of text; zero is one
	Header  string // runs at the top of each page, a page number at the foot; empty: neither
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
	// Paragraph is a run of text.
	Paragraph struct{ Text []Span }
	// List has items, numbered from 1 or not.
	List struct {
		Ordered bool
		Items   []Item
	}
	// Item has text and a list below it; nil: none.
	Item struct {
		Text []Span
		Sub  *List
	}
	// Table has rows, the first its head. Ruled ones show lines around all cells.
	Table struct {
		Ruled bool
		Rows  [][]Cell
	}
	// Cell spans so many columns and rows, zero is one. The slots that it covers
	// have no cell.
	Cell struct {
		Text         string
		Across, Down int
	}
	// Code is shown as it is.
	Code struct{ Lines []string }
	// Math is a formula on lines of its own.
	Math struct{ Formula Formula }
)

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Table) block()     {}
func (Code) block()      {}
func (Math) block()      {}

// Style is how a span looks.
type Style uint8

// The styles of spans.
const (
	Plain Style = iota
	Strong
	Emphasis
	Mono
)

// Span is text of one style. It may lead somewhere and carry a note; with a
// formula it is nothing else.
type Span struct {
	Text    string
	Style   Style
	Link    string // absolute; empty: none
	Note    string // text of the footnote behind it; empty: none
	Formula *Formula
}

// Formula is one in the languages of the sources.
type Formula struct {
	TeX    string
	MathML string // what is inside math, names without prefix
	EQN    string
}

// HasSpans reports whether a cell spans more than one slot: pipe tables cannot
// say so.
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

// width is the number of a table's columns.
func (t Table) width() int {
	n := 0
	for _, c := range t.Rows[0] {
		n += max(1, c.Across)
	}
	return n
}

// slot is one place of a table: the cell that begins there, or that covers it.
type slot struct {
	Cell
	begins bool
	left   bool // covered from the left
}

// slots returns the places of a table, rows of equal length.
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
