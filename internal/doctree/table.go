// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
)

// Side is the alignment of the paragraphs of one cell.
type Side struct {
	of          string
	some, mixed bool
}

// Add records a paragraph: "center", "right", or anything else for the start.
func (s *Side) Add(side string) {
	if side != "center" && side != "right" {
		side = ""
	}
	s.mixed = s.mixed || s.some && s.of != side
	s.of, s.some = side, true
}

// Set sets the alignment of td if all its paragraphs have the same one. [Tidy]
// may remove it again.
func (s *Side) Set(td *html.Node) {
	if s.of != "" && !s.mixed {
		td.Attr = append(td.Attr, html.Attribute{Key: "align", Val: s.of})
	}
}

// Tidy derives the structure of a finished table from its formatting. The first
// rows become heads if they are completely bold and the next row is not. Heads
// are not bold in addition. A cell keeps its alignment only if most non-empty
// cells of its column have the same one.
func Tidy(table *html.Node) {
	crown(table)
	sided := false
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		for tr := part.FirstChild; tr != nil; tr = tr.NextSibling {
			for td := tr.FirstChild; td != nil; td = td.NextSibling {
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
			c.Node.Attr = sorting.Without(c.Node.Attr, func(a html.Attribute) bool { return a.Key == "align" })
		}
	}
}

const maxHeads = 3 // more bold rows at the start have another meaning

// crown turns the first rows of a table into heads, if all their cells are bold
// and a row follows that is not.
func crown(table *html.Node) {
	var heads []*html.Node
	rows := 0
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		for tr := part.FirstChild; tr != nil; tr = tr.NextSibling {
			if part.DataAtom == atom.Thead || tr.FirstChild == nil || tr.FirstChild.DataAtom == atom.Th {
				return
			}
			whole, text := true, false
			for td := tr.FirstChild; td != nil; td = td.NextSibling {
				all, some := bold(td)
				whole, text = whole && all == some, text || some
			}
			if !whole || !text {
				for _, n := range heads {
					n.DataAtom, n.Data = atom.Th, "th"
				}
				return
			}
			if rows++; rows > maxHeads {
				return
			}
			for td := tr.FirstChild; td != nil; td = td.NextSibling {
				heads = append(heads, td)
			}
		}
	}
}

// bold reports whether all text of a cell is bold, and whether it has text.
func bold(cell *html.Node) (all, some bool) {
	for n := range cell.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			if some = true; !within(n, atom.Strong, cell) {
				return false, true
			}
		}
	}
	return some, some
}

// lighten removes bold from a cell that is completely bold.
func lighten(th *html.Node) {
	if all, _ := bold(th); !all {
		return
	}
	var strong []*html.Node
	for n := range th.Descendants() {
		if n.DataAtom == atom.Strong {
			strong = append(strong, n)
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

// within reports whether n is in an element with this tag below root.
func within(n *html.Node, tag atom.Atom, root *html.Node) bool {
	for n = n.Parent; n != nil && n != root; n = n.Parent {
		if n.DataAtom == tag {
			return true
		}
	}
	return false
}
