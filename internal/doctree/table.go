// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Side is where the paragraphs of one cell stand. The zero value has met none.
type Side struct {
	of          string
	some, mixed bool
}

// Add notes a paragraph: "center", "right", or anything else for where text
// begins.
func (s *Side) Add(side string) {
	if side != "center" && side != "right" {
		side = ""
	}
	s.mixed = s.mixed || s.some && s.of != side
	s.of, s.some = side, true
}

// Set gives td the side that all its paragraphs have. [Tidy] decides whether it
// keeps it.
func (s *Side) Set(td *html.Node) {
	if s.of != "" && !s.mixed {
		td.Attr = append(td.Attr, html.Attribute{Key: "align", Val: s.of})
	}
}

// Tidy drops from a finished table what is only its look: the weight of heads
// that are bold throughout, and sides that are not those of most cells with
// content in a column.
func Tidy(table *html.Node) {
	sided := false
	for part := range table.ChildNodes() {
		for tr := range part.ChildNodes() {
			for td := range tr.ChildNodes() {
				if td.DataAtom == atom.Th {
					lighten(td)
				}
				sided = sided || Attr(td, "align") != ""
			}
		}
	}
	if !sided {
		return
	}
	type column struct {
		all   int
		sides map[string]int
	}
	var columns []column
	cells := Placed(table)
	plain := func(c Cell) bool { return !c.Header && c.ColSpan == 1 && c.Node.FirstChild != nil }
	for _, c := range cells {
		for len(columns) <= c.Column {
			columns = append(columns, column{sides: map[string]int{}})
		}
		if plain(c) {
			columns[c.Column].all++
			columns[c.Column].sides[Attr(c.Node, "align")]++
		}
	}
	for _, c := range cells {
		if k := columns[c.Column]; !plain(c) || 2*k.sides[Attr(c.Node, "align")] <= k.all {
			c.Node.Attr = slices.DeleteFunc(c.Node.Attr, func(a html.Attribute) bool { return a.Key == "align" })
		}
	}
}

// lighten takes the weight from a cell that is bold throughout.
func lighten(th *html.Node) {
	var strong []*html.Node
	for n := range th.Descendants() {
		switch {
		case n.DataAtom == atom.Strong:
			strong = append(strong, n)
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" && !within(n, atom.Strong, th):
			return
		}
	}
	for _, n := range strong {
		for c := n.FirstChild; c != nil; c = n.FirstChild {
			n.RemoveChild(c)
			n.Parent.InsertBefore(c, n)
		}
		n.Parent.RemoveChild(n)
	}
}

// within reports whether n stands in an element of that tag below root.
func within(n *html.Node, tag atom.Atom, root *html.Node) bool {
	for n = n.Parent; n != nil && n != root; n = n.Parent {
		if n.DataAtom == tag {
			return true
		}
	}
	return false
}
