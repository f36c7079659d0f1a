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

// Blocks returns the blocks of all pages in reading order, running headers and
// footers among them, notes last. There are none in a document without pages.
func (t *Tree) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for b := range doctree.Blocks(t.Root) {
			if !yield(Block{b.Node, b.Page, b.Order, Box(b.Box), b.Conf, b.OCR, b.Source}) {
				return
			}
		}
	}
}

// Page returns a copy of what stands on page n, nil where there is no such
// page. Blocks that go over the end of a page are cut there; a table that goes
// on repeats its head. It takes time in the size of the whole tree.
func (t *Tree) Page(n int) *html.Node { return doctree.Page(t.Root, n) }
