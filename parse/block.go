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
	Node   *html.Node // part of the tree; must not be changed
	Type   string     // section_header, text, table, formula, figure, caption, page_header, page_footer or page_number
	Label  string     // a finer name: h1 to h6, text, list, code, toc, quote, field, footnote, or the same as Type
	Page   int        // the page on which the block begins, from 1
	Order  int        // position in the reading order of its page, from 0
	Box    Box        // zero if unknown
	Conf   float64    // confidence of the classification as Type, 0..1; -1 if not measured
	OCR    float64    // confidence of the text recognition, 0..1; -1 if there was none or it was not measured
	Source string     // native_text, tagged, ocr_layer or layout_ocr; empty if unknown
}

// Box is a rectangle on a page in points (1/72 in). The origin is the top
// left of the page as viewers show it.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Place is a rectangle on one page.
type Place struct {
	Page int // from 1
	Box  Box
}

// Places returns the places of the block, one for each page that it stands
// on, in page order. A block that continues on the next page has several. It
// returns nil if the places are unknown. It takes time proportional to the
// size of the block.
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

// PlaceOf returns the place of an element of a tree, such as a list item or
// a table cell. It returns false if the place is unknown.
func PlaceOf(n *html.Node) (Place, bool) {
	if n == nil {
		return Place{}, false
	}
	p, ok := doctree.PlaceOf(n)
	return Place{p.Page, Box(p.Box)}, ok
}

// Cell is a cell of a table.
type Cell struct {
	Node             *html.Node // td or th; part of the tree, must not be changed
	Row, Column      int        // position of its top left corner, from 0
	RowSpan, ColSpan int        // at least 1
	Header           bool
	Place            Place // zero if unknown, or if the cell is empty and has no ruling lines
}

// Cells returns the cells of a table block row by row, each row from left to
// right. It returns nil for other blocks. Positions that a spanning cell
// covers have no cell of their own.
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

// PlacedWord is one word and its place on a page.
type PlacedWord struct {
	Place
	Text string
}

// Blocks returns the blocks of all pages in reading order. Page headers and
// footers are included, and notes come last. A document without pages has no
// blocks.
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

// Page returns a copy of the content of page n, counted from 1. It returns
// nil if there is no such page. Blocks that continue on the next page are
// cut at the page end; a table that continues repeats its header rows. It
// takes time proportional to the size of the whole tree.
func (t *Tree) Page(n int) *html.Node {
	if t == nil || t.Root == nil {
		return nil
	}
	return doctree.Page(t.Root, n)
}
