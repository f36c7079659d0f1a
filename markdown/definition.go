// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// dd writes a definition below its term. A definition of one line follows a
// colon. Other definitions are written as blocks, and so are all definitions of
// a plain list.
func (w blockWriter) dd(n *html.Node) {
	w.paragraph()
	if w.options.PlainDefinitions {
		w.walk(n)
		w.paragraph()
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if isBlock(c.DataAtom) && c.DataAtom != atom.P && c.DataAtom != atom.Div {
			w.walk(n)
			w.paragraph()
			return
		}
	}
	w.nested(definition, ": ", []byte("  "), false, container{}, func() { w.walk(n) })
}
