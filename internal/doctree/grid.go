// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"iter"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A grid is a table of plain text that has too many cells for nodes: one text
// below its tbody holds them all. [GridEnd] stands after each cell but the
// last of a row, [GridRowEnd] after each row; line ends in cells are \n. Rows
// are as long as they have to be.
//
// A copy of the table is a grid too, for it has the text.
const (
	GridEnd    = '\x1f'
	GridRowEnd = '\x1e'
)

// Grid appends a table of rows × columns cells, given as one text. The first
// row is the head where head says so.
func (b *Builder) Grid(parent *html.Node, rows, columns int, head bool, text string, attrs ...string) *html.Node {
	attrs = append(attrs, "data-grid", strconv.Itoa(rows)+"x"+strconv.Itoa(columns))
	if head {
		attrs = append(attrs, "data-head", "1")
	}
	table := b.Append(parent, atom.Table, attrs...)
	b.Text(b.Append(table, atom.Tbody), text)
	return table
}

// Grid is a table of that kind, as a reader sees it.
type Grid struct {
	Columns int
	Head    bool // the first row is the head of the table
	text    string
}

// GridOf returns the grid that table is, and whether it is one.
func GridOf(table *html.Node) (g Grid, ok bool) {
	if table.DataAtom != atom.Table {
		return g, false
	}
	for _, a := range table.Attr {
		switch a.Key {
		case "data-grid":
			_, columns, found := strings.Cut(a.Val, "x")
			n, err := strconv.Atoi(columns)
			g.Columns, ok = n, found && err == nil && n > 0 && n <= 1<<14
		case "data-head":
			g.Head = true
		}
	}
	if !ok {
		return g, false
	}
	for c := range table.ChildNodes() {
		if t := c.FirstChild; c.DataAtom == atom.Tbody && t != nil && t.Type == html.TextNode && t.NextSibling == nil && strings.HasSuffix(t.Data, string(GridRowEnd)) {
			g.text = t.Data
			return g, true
		}
	}
	return g, false
}

// Rows yields the rows as texts, whose cells [Cells] yields.
func (g Grid) Rows() iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := g.text; text != ""; {
			end := strings.IndexByte(text, GridRowEnd)
			if end < 0 {
				return
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end+1:]
		}
	}
}

// Cells yields the cells of a row of a grid.
func Cells(row string) iter.Seq[string] { return strings.SplitSeq(row, string(GridEnd)) }

// ExpandGrids writes the rows of all grids in root as HTML that html.Render
// puts out as it is. Root has to be the caller's own tree; it is for rendering
// alone from then on.
func ExpandGrids(root *html.Node) {
	for n := range root.Descendants() {
		g, ok := GridOf(n)
		if !ok {
			continue
		}
		var b strings.Builder
		b.Grow(len(g.text) + strings.Count(g.text, string(GridEnd))*8)
		first := g.Head
		for row := range g.Rows() {
			open, end := "<td>", "</td>"
			if first {
				open, end, first = "<th>", "</th>", false
			}
			b.WriteString("<tr>")
			for cell := range Cells(row) {
				b.WriteString(open)
				if strings.ContainsAny(cell, "&<>\"'\n\r") {
					cell = strings.ReplaceAll(html.EscapeString(cell), "\n", "<br/>")
				}
				b.WriteString(cell)
				b.WriteString(end)
			}
			b.WriteString("</tr>")
		}
		for c := range n.ChildNodes() {
			if t := c.FirstChild; c.DataAtom == atom.Tbody && t != nil {
				// The text is of the copy; its neighbours keep theirs.
				t.Type, t.Data = html.RawNode, b.String()
			}
		}
	}
}
