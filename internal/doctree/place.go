// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
)

// KindOf returns the type of a block as the contract names it (section_header,
// text, table, formula, figure, caption, page_header, page_footer,
// page_number), and a more specific label: h2, list, code, toc, footnote.
func KindOf(n *html.Node) (kind, label string) {
	role := Attr(n, "data-role")
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return "section_header", n.Data
	case atom.Table:
		return "table", "table"
	case atom.Figure:
		return "figure", "figure"
	case atom.Figcaption:
		return "caption", "caption"
	case atom.Ul, atom.Ol:
		return "text", "list"
	case atom.Pre:
		return "text", "code"
	case atom.Nav:
		return "text", "toc"
	case atom.Li:
		return "text", "footnote"
	case atom.Blockquote:
		return "text", "quote"
	case atom.Math:
		return "formula", "formula"
	case atom.Label, atom.Input, atom.Select, atom.Textarea:
		return "text", "field"
	case atom.Header:
		if role == "running" {
			return "page_header", "page_header"
		}
	case atom.Footer:
		switch role {
		case "running":
			return "page_footer", "page_footer"
		case "page-number":
			return "page_number", "page_number"
		}
	case atom.P:
		switch role {
		case "caption":
			return "caption", "caption"
		case "formula":
			return "formula", "formula"
		}
	}
	return "text", "text"
}

// Place is an area of a page.
type Place struct {
	Page int // from 1
	Box  Box // never zero
}

// PlaceOf returns the place of n itself, or false if it has no valid data-bbox.
func PlaceOf(n *html.Node) (Place, bool) {
	p := Place{Box: ParseBox(Attr(n, "data-bbox"))}
	if p.Box.IsZero() {
		return p, false
	}
	for up := n; up != nil && p.Page == 0; up = up.Parent {
		p.Page = pageOf(up)
	}
	return p, p.Page > 0
}

// Places returns the places of n and its descendants, one for each page, in the
// order of pages.
func Places(n *html.Node) []Place {
	var out []Place
	add := func(n *html.Node) {
		p, ok := PlaceOf(n)
		if !ok {
			return
		}
		for i := range slices.Backward(out) { // the page is usually the last one
			if out[i].Page == p.Page {
				out[i].Box = out[i].Box.Union(p.Box)
				return
			}
		}
		out = append(out, p)
	}
	add(n)
	for c := range n.Descendants() {
		if c.Type == html.ElementNode {
			add(c)
		}
	}
	sorting.Stable(out, func(a, b Place) int { return a.Page - b.Page })
	return out
}

// Cell is a cell of a table with its position in the grid.
type Cell struct {
	Node             *html.Node // td or th
	Row, Column      int        // of its top left corner, from 0
	RowSpan, ColSpan int        // at least 1, limited by the table
	Header           bool
}

// maxSpan is the maximum number of columns of a table (HTML 4.9.11).
const maxSpan = 1000

// Placed returns the cells of a table row by row, at the positions that a
// browser computes (HTML 4.9.12). If n is not a table or is a grid, it returns
// nil. Nested tables are ignored.
func Placed(table *html.Node) []Cell {
	if _, grid := GridOf(table); grid || table.DataAtom != atom.Table {
		return nil
	}
	var rows []*html.Node
	for part := table.FirstChild; part != nil; part = part.NextSibling {
		switch part.DataAtom {
		case atom.Tr:
			rows = append(rows, part)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			for tr := part.FirstChild; tr != nil; tr = tr.NextSibling {
				if tr.DataAtom == atom.Tr {
					rows = append(rows, tr)
				}
			}
		}
	}
	var out []Cell
	var taken [maxSpan]int // by column, the last row that a cell covers
	for i, tr := range rows {
		j := 0
		for n := tr.FirstChild; n != nil; n = n.NextSibling {
			if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
				continue
			}
			for j < maxSpan && taken[j] > i {
				j++
			}
			if j == maxSpan {
				break
			}
			c := Cell{Node: n, Row: i, Column: j, Header: n.DataAtom == atom.Th}
			c.RowSpan = min(extent(n, "rowspan"), len(rows)-i)
			c.ColSpan = min(extent(n, "colspan"), maxSpan-j)
			for range c.ColSpan {
				taken[j] = i + c.RowSpan
				j++
			}
			out = append(out, c)
		}
	}
	return out
}

// extent returns the value of rowspan or colspan.
func extent(n *html.Node, key string) int {
	v, err := strconv.Atoi(Attr(n, key))
	if err != nil {
		return 1
	}
	return max(1, v)
}
