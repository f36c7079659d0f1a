// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"iter"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
)

// Block is one block of a document that has pages: a paragraph, a heading, a
// list, a table, a figure.
type Block struct {
	Node   *html.Node // part of the tree; nobody changes it
	Type   string     // section_header, text, table, formula, figure, caption, page_header, page_footer or page_number
	Label  string     // a finer name: h1 to h6, text, list, code, toc, quote, field, footnote, or as Type
	Page   int        // from 1; the page on which it begins
	Order  int        // from 0, in the reading order of its page
	Box    Box        // zero where it is not known
	Conf   float64    // how sure the reader is of what it is, 0..1; -1 where that was not measured
	OCR    float64    // how sure the recognition is, 0..1; -1 where none took place or it was not measured
	Source string     // native_text, tagged, ocr_layer or layout_ocr; empty where unknown
}

// Box is a place on a page in points, from the top left of the page as readers
// see it.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Place is a part of a page.
type Place struct {
	Page int // from 1
	Box  Box
}

// Places returns where the block stands, one place a page in their order: a
// block that goes over the end of a page has several. There are none where it
// is not known. It takes time in the size of the block.
func (b Block) Places() []Place {
	if b.Node == nil {
		return nil
	}
	var out []Place
	for _, p := range doctree.Places(b.Node) {
		out = append(out, Place{p.Page, Box(p.Box)})
	}
	return out
}

// PlaceOf returns where an element of a tree stands, such as an item of a list
// or a cell: false where the reader does not say.
func PlaceOf(n *html.Node) (Place, bool) {
	if n == nil {
		return Place{}, false
	}
	p, ok := doctree.PlaceOf(n)
	return Place{p.Page, Box(p.Box)}, ok
}

// Cell is a cell of a table.
type Cell struct {
	Node             *html.Node // td or th; part of the tree
	Row, Column      int        // from 0, of its top left corner
	RowSpan, ColSpan int        // at least 1
	Header           bool
	Place            Place // zero where it is not known, or where the cell is empty and has no lines around it
}

// Cells returns the cells of a block that is a table, row by row, each from
// left to right; nil for other blocks. Spanned places have no cell.
func (b Block) Cells() []Cell {
	if b.Node == nil {
		return nil
	}
	var out []Cell
	for _, c := range doctree.Placed(b.Node) {
		place, _ := PlaceOf(c.Node)
		out = append(out, Cell{c.Node, c.Row, c.Column, c.RowSpan, c.ColSpan, c.Header, place})
	}
	return out
}

// PlacedWord is one word as it stands on a page.
type PlacedWord struct {
	Place
	Text string
}

// Blocks returns the blocks of all pages in reading order, running headers and
// footers among them, notes last. There are none in a document without pages.
func (t *Tree) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		if t == nil || t.Root == nil {
			return
		}
		for b := range doctree.Blocks(t.Root) {
			kind, label := doctree.KindOf(b.Node)
			if !yield(Block{b.Node, kind, label, b.Page, b.Order, Box(b.Box), b.Conf, b.OCR, b.Source}) {
				return
			}
		}
	}
}

// Page returns a copy of what stands on page n, nil where there is no such
// page. Blocks that go over the end of a page are cut there; a table that goes
// on repeats its head. It takes time in the size of the whole tree.
func (t *Tree) Page(n int) *html.Node {
	if t == nil || t.Root == nil {
		return nil
	}
	return doctree.Page(t.Root, n)
}
