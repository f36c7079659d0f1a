// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A tableStat counts the text of a table.
type tableStat struct {
	text   int // bytes of text
	nested int // those of them in nested tables
}

// sectionText is the minimal text of a link, in bytes, whose blocks remain
// blocks.
const sectionText = 2000

// surveyed contains facts that depend on whole subtrees or on other places in
// the tree. The survey computes them before the writer starts. Afterwards they
// do not change, except that notes get their numbers.
type surveyed struct {
	anchors map[*html.Node]bool      // links whose blocks remain blocks
	tables  map[*html.Node]tableStat // text of each table
	labels  map[*html.Node]string    // names of tab panels
	notes   *notes                   // nil if there are none
	signs   map[*html.Node]string    // labels of what shows a number by its looks
}

// A surveyor computes what is surveyed in one walk of the tree.
type surveyor struct {
	w     *writer
	open  []mark // tables and links around the current node
	total int    // bytes of text so far

	refs   []*html.Node // links that may refer to footnotes
	panels []*html.Node // tab panels
	tabs   []*html.Node
}

type mark struct {
	n     *html.Node
	text  int // bytes of text before it
	inner int // bytes in tables inside it
}

// survey walks the tree once, without recursion. It returns the number of bytes
// of text. Spaces count only outside tables and links.
func (w *writer) survey(root *html.Node) int {
	s := surveyor{w: w}
	for n := root; n != nil; {
		w.steps.Take(1)
		s.enter(n)
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		s.leave(n)
		for n != root && n.NextSibling == nil {
			n = n.Parent
			s.leave(n)
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	if len(s.refs) > 0 && w.options.Flavor != CommonMark {
		w.notes = s.findNotes(root)
	}
	if len(s.panels) > 0 {
		w.labels = labels(s.panels, s.tabs)
	}
	return s.total
}

func (s *surveyor) enter(n *html.Node) {
	if n.Type == html.TextNode {
		s.total += len(n.Data)
		if len(s.open) > 0 { // only tables and links need the exact size
			s.total -= strings.Count(n.Data, " ")
		}
		return
	}
	if len(n.Attr) > 0 {
		s.attributes(n)
	}
	top := len(s.open) - 1
	switch {
	case n.Data == "math":
		s.w.scope.math = true
	case n.DataAtom == atom.Table || n.DataAtom == atom.Pre:
		if top >= 0 && s.open[top].n.DataAtom == atom.A {
			s.w.divide(s.open[top].n)
		}
		if n.DataAtom == atom.Table {
			s.open = append(s.open, mark{n: n, text: s.total})
		}
	case n.DataAtom == atom.A:
		s.open = append(s.open, mark{n: n, text: s.total})
		if href, ok := dom.LookupAttr(n, "href"); ok && s.mayRefer(n, href) {
			s.refs = append(s.refs, n)
		}
	}
}

// attributes looks for tabs and formulas.
func (s *surveyor) attributes(n *html.Node) {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "role":
			switch a.Val {
			case "tabpanel":
				s.panels = append(s.panels, n)
			case "tab":
				s.tabs = append(s.tabs, n)
			case "img":
				s.sign(n)
			}
		case "type":
			s.w.scope.math = s.w.scope.math || n.DataAtom == atom.Script && strings.HasPrefix(a.Val, "math/tex")
		case "class":
			s.w.scope.math = s.w.scope.math || isMathClass(a.Val)
		case "data-latex", "data-tex":
			s.w.scope.math = true
		}
	}
}

// sign keeps the label of a picture that is made of other elements, if it has a digit and nothing
// below n does: a row of stars that says "4.5 out of 5". Other labels are names of icons.
func (s *surveyor) sign(n *html.Node) {
	const most = 200 // bytes of a label and of the text below it
	label := foldSpace(dom.Attr(n, "aria-label"))
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if n.DataAtom == atom.Img || len(label) > most || !strings.ContainsAny(label, "0123456789") || strings.ContainsFunc(textOf(n, most), isWord) {
		return
	}
	if s.w.signs == nil {
		s.w.signs = map[*html.Node]string{}
	}
	s.w.signs[n] = strings.ToValidUTF8(label, "\uFFFD")
}

func (s *surveyor) leave(n *html.Node) {
	top := len(s.open) - 1
	if top < 0 || s.open[top].n != n {
		return
	}
	m := s.open[top]
	s.open = s.open[:top]
	size := s.total - m.text
	inner := size
	if n.DataAtom == atom.A {
		inner = m.inner
		if size > sectionText {
			s.w.divide(n)
		}
	} else {
		if s.w.tables == nil {
			s.w.tables = make(map[*html.Node]tableStat)
		}
		s.w.tables[n] = tableStat{text: size, nested: m.inner}
	}
	if top > 0 {
		s.open[top-1].inner += inner
	}
}

// divide records that the blocks in the link n remain blocks.
func (w *surveyed) divide(n *html.Node) {
	if w.anchors == nil {
		w.anchors = make(map[*html.Node]bool)
	}
	w.anchors[n] = true
}

// textOf returns the text below n with white space folded. It reads no more
// than 200 nodes and about limit bytes.
func textOf(n *html.Node, limit int) string {
	var b strings.Builder
	left := 200
	for c := n.FirstChild; c != nil && b.Len() < limit && left > 0; c, left = dom.Next(c, n), left-1 {
		if c.Type == html.TextNode {
			b.WriteString(c.Data[:min(len(c.Data), limit)])
		} else if isBlock(c.DataAtom) {
			b.WriteByte(' ')
		}
	}
	return foldSpace(strings.ToValidUTF8(b.String(), ""))
}

// words yields the class names of n until yield returns false.
func words(n *html.Node, yield func(string) bool) {
	for word := range strings.FieldsSeq(dom.Attr(n, "class")) {
		if !yield(word) {
			return
		}
	}
}

// hasClass reports whether n has one of the class names in names.
func hasClass(n *html.Node, names ...string) bool {
	found := false
	words(n, func(word string) bool {
		for _, name := range names {
			found = found || word == name
		}
		return !found
	})
	return found
}
