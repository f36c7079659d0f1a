// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
)

// cellText returns the content of a cell as one line.
func (w tableWriter) cellText(n *html.Node) string {
	outer := struct {
		line         line
		scope        scope
		one          int
		row, heading bool
	}{w.line, w.scope, w.oneLine, w.oneRow, w.heading}
	w.line, w.cells = w.cells, line{}
	w.line.cell, w.line.style, w.line.tags = true, w.options.Links, w.options.InlineHTML
	w.oneLine, w.oneRow, w.heading = 1, true, false
	w.scope.cell = true
	mark := len(w.out)
	w.depth++
	w.walk(n)
	w.depth--
	w.line.end()
	if !w.line.empty() {
		w.inline(false)
	}
	s := string(bytes.TrimSpace(w.out[mark:]))
	w.out = w.out[:mark]
	w.cells = w.line.another()
	w.line, w.scope, w.oneLine, w.oneRow, w.heading = outer.line, outer.scope, outer.one, outer.row, outer.heading
	return s
}

// celled writes the block n inside a cell, with its lines separated by breaks.
func (w tableWriter) celled(n *html.Node) {
	l := &w.line
	apart := func() {
		if len(l.toks) > 0 && l.breaks == 0 {
			l.br()
		}
	}
	apart()
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.styled(n, strong)
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		for s := range strings.SplitSeq(string(bytes.Trim(codeText(n), "\n")), "\n") {
			apart()
			if s != "" {
				l.piece(token{kind: code}, strings.ReplaceAll(s, "\t", "    "))
			}
		}
	case atom.Ol, atom.Ul:
		outer := w.number
		if w.number = 0; n.DataAtom == atom.Ol {
			w.number = firstNumber(n)
		}
		w.walk(n)
		w.number = outer
	case atom.Li:
		marker := "- "
		if w.number > 0 {
			marker = cmp.Or(dom.Attr(n, doctree.LabelAttr), numeral(w.number, dom.Attr(n.Parent, "type"))+".") + " "
			w.number++
		}
		marker = strings.Repeat("  ", cellDepth(n)) + marker
		mark := len(l.toks)
		l.piece(token{kind: raw}, marker)
		w.walk(n)
		if len(l.toks) == mark+1 {
			l.toks = l.toks[:mark] // remove an empty item
		}
	case atom.Table:
		w.flattened(n)
	default:
		w.walk(n)
	}
	apart()
}

// cellDepth returns the number of list items around an item in its cell. It
// looks at a limited number of ancestors.
func cellDepth(li *html.Node) int {
	depth := 0
	n := li.Parent
	for range 32 {
		if n == nil || n.DataAtom == atom.Td || n.DataAtom == atom.Th {
			break
		}
		if n.DataAtom == atom.Li {
			depth++
		}
		n = n.Parent
	}
	return min(depth, 8)
}

// flattened writes a table inside a cell, in the form a: b; c: d.
func (w tableWriter) flattened(n *html.Node) {
	for i, r := range tableRows(n) {
		for k, c := range r.cells {
			switch {
			case k == 1:
				w.line.add(": ")
			case k > 1:
				w.line.add(", ")
			case i > 0:
				w.line.add("; ")
			}
			w.depth++
			w.walk(c.n)
			w.depth--
		}
	}
}
