// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// dt writes the term of a definition list in bold.
func (w blockWriter) dt(n *html.Node) {
	w.paragraph()
	w.oneLine++
	w.oneRow = true
	w.styled(n, strong)
	w.oneLine--
	w.line.end()
	if !w.line.empty() {
		w.start(term)
		w.inline(true)
	}
	w.line.reset()
	w.oneRow = false
}

// dd writes a definition below its term. A definition of paragraphs follows a
// colon. Other definitions are written as blocks, and so are all definitions of
// a plain list: readers that do not support definition lists take ": ```" for a
// text, and the end of the code for the beginning of code that never ends.
func (w blockWriter) dd(n *html.Node) {
	w.paragraph()
	if w.options.PlainDefinitions {
		w.walk(n)
		w.paragraph()
		return
	}
	if holdsBlocks(n) {
		w.walk(n)
		w.paragraph()
		return
	}
	w.nested(definition, ": ", []byte("  "), false, container{}, func() { w.walk(n) })
}

// holdsBlocks reports whether a definition contains a block, such as code or a
// list, that is neither a paragraph nor a div.
func holdsBlocks(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = dom.Next(c, n) {
		if isBlock(c.DataAtom) && c.DataAtom != atom.P && c.DataAtom != atom.Div {
			return true
		}
	}
	return false
}
