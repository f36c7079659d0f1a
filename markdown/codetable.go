// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// codeTable writes a table that shows line numbers beside code, in one row or
// in a row for each line. It returns false for other tables.
func (w tableWriter) codeTable(n *html.Node, rows []row) bool {
	if len(rows) == 0 || len(rows[0].cells) < 2 || len(rows[0].cells) > 4 {
		return false
	}
	gutters, marked := 0, false
	for i, r := range rows {
		if len(r.cells) != len(rows[0].cells) {
			return false
		}
		first := r.cells[0].n
		switch {
		case isGutter(first):
			gutters, marked = gutters+1, true
		case isNumbered(first, i+1, len(rows) == 1):
			gutters++
		default:
			return false
		}
	}
	var cells []*html.Node
	for _, r := range rows {
		for _, c := range r.cells[1:] {
			if !isGutter(c.n) {
				cells = append(cells, c.n)
				marked = marked || isCode(c.n)
			}
		}
	}
	if !marked || gutters != len(rows) {
		return false
	}
	if len(cells) == 1 {
		if pre := firstPre(cells[0]); pre != nil {
			blockWriter(w).listing(pre)
			return true
		}
	}
	var b []byte
	for _, c := range cells {
		b = append(append(b, bytes.Trim(codeText(c), "\n")...), '\n')
	}
	info := language(n)
	for i := 0; info == "" && i < min(len(cells), 3); i++ {
		info = named(cells[i])
	}
	w.paragraph()
	w.fenced(info, bytes.TrimSuffix(b, []byte("\n")), true)
	return true
}

// isCode reports whether the attributes of a cell say that it contains code.
func isCode(n *html.Node) bool {
	return hasClass(n, "code", "blob-code", "crayon-code", "lntd", "hljs-ln-code", "rouge-code", "line-content") || firstPre(n) != nil
}

// firstPre returns the pre element that a cell begins with, or nil.
func firstPre(n *html.Node) *html.Node {
	left := 20
	for c := n.FirstChild; c != nil && left > 0; c, left = dom.Next(c, n), left-1 {
		if c.DataAtom == atom.Pre {
			return c
		}
	}
	return nil
}

// isNumbered reports whether the cell n contains only the number at. If all is
// set, it must contain only consecutive numbers from at on, and at least two.
func isNumbered(n *html.Node, at int, all bool) bool {
	if !all {
		v := dom.Attr(n, "data-line-number")
		return v == strconv.Itoa(at) || textOf(n, 12) == strconv.Itoa(at)
	}
	first := at
	for s := range strings.FieldsSeq(dom.Text(n)) {
		if s != strconv.Itoa(at) {
			return false
		}
		at++
	}
	return at > first+1
}
