// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A grid is a table of plain text that has too many cells for nodes. Text nodes
// below its tbody contain all cells, each node those of some rows. [GridEnd] follows
// each cell except the last of a row, and [GridRowEnd] follows each row. A line break
// in a cell is \n. Rows may have different lengths.
//
// A copy of the table is a grid too, because it includes the text.
const (
	GridEnd    = '\x1f'
	GridRowEnd = '\x1e'
)

// GridColumns is the maximum number of columns of a grid.
const GridColumns = 1 << 14

// GridPiece is the number of bytes of a grid's text that a node should have at
// least, unless it is the last one.
const GridPiece = 1 << 20

// Grid appends a table of rows × columns cells, which are given as texts of whole
// rows. If head is set, the first row is the head.
func (b *Builder) Grid(parent *html.Node, rows, columns int, head bool, texts []string, attrs ...string) *html.Node {
	attrs = append(attrs, "data-grid", strconv.Itoa(rows)+"x"+strconv.Itoa(columns))
	if head {
		attrs = append(attrs, "data-head", "1")
	}
	table := b.Append(parent, atom.Table, attrs...)
	body := b.Append(table, atom.Tbody)
	for _, text := range texts {
		b.raw(body, text) // cells end with control characters, which Text would remove
	}
	return table
}

// Grid gives access to the cells of a grid.
type Grid struct {
	Columns int
	Head    bool // the first row is the head
	body    *html.Node
}

// GridOf returns table as a grid, and whether it is one.
func GridOf(table *html.Node) (g Grid, ok bool) {
	if table.DataAtom != atom.Table {
		return g, false
	}
	for _, a := range table.Attr {
		switch a.Key {
		case "data-grid":
			_, columns, found := strings.Cut(a.Val, "x")
			n, err := strconv.Atoi(columns)
			g.Columns, ok = n, found && err == nil && n > 0 && n <= GridColumns
		case "data-head":
			g.Head = true
		}
	}
	if !ok {
		return g, false
	}
	for c := range table.ChildNodes() {
		if c.DataAtom == atom.Tbody && isRows(c) {
			g.body = c
			return g, true
		}
	}
	return g, false
}

// isRows reports whether the content of a tbody is the text of a grid.
func isRows(body *html.Node) bool {
	for t := range body.ChildNodes() {
		if t.Type != html.TextNode || !strings.HasSuffix(t.Data, string(GridRowEnd)) {
			return false
		}
	}
	return body.FirstChild != nil
}

// texts yields the texts of the grid, each with whole rows.
func (g Grid) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		if g.body == nil {
			return
		}
		for t := range g.body.ChildNodes() {
			if !yield(t.Data) {
				return
			}
		}
	}
}

// Rows yields the rows as texts. [Cells] splits them.
func (g Grid) Rows() iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := range g.texts() {
			for text != "" {
				end := strings.IndexByte(text, GridRowEnd)
				if end < 0 {
					break
				}
				if !yield(text[:end]) {
					return
				}
				text = text[end+1:]
			}
		}
	}
}

// Size returns how many bytes the grid takes at most as a Markdown table, without
// escapes and if no row is short: two blanks and a bar for each cell, a bar and a line
// break for each row, and the line below the head.
func (g Grid) Size() (size int) {
	size = 6*g.Columns + 2
	for text := range g.texts() {
		size += len(text) + 2*strings.Count(text, string(GridEnd)) + 4*strings.Count(text, string(GridRowEnd))
	}
	return size
}

// Cells yields the cells of a row.
func Cells(row string) iter.Seq[string] { return strings.SplitSeq(row, string(GridEnd)) }

// Render writes root as HTML like html.Render, but writes grids as tables. It
// does not modify root.
func Render(w io.Writer, root *html.Node) error {
	for n := range root.Descendants() {
		if _, ok := GridOf(n); ok {
			root = expanded(root)
			break
		}
	}
	return html.Render(w, root)
}

// expanded returns a copy of root in which grids are HTML that html.Render
// writes unchanged. It is not recursive, because trees may be deep.
func expanded(root *html.Node) *html.Node {
	type pair struct{ from, to *html.Node }
	shallow := func(n *html.Node) *html.Node {
		return &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: n.Attr}
	}
	top := pair{root, shallow(root)}
	for open := []pair{top}; len(open) > 0; {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if g, ok := GridOf(p.from); ok {
			body := &html.Node{Type: html.ElementNode, DataAtom: atom.Tbody, Data: "tbody"}
			p.to.AppendChild(body)
			body.AppendChild(&html.Node{Type: html.RawNode, Data: g.html()})
			continue
		}
		for c := range p.from.ChildNodes() {
			copied := shallow(c)
			p.to.AppendChild(copied)
			open = append(open, pair{c, copied})
		}
	}
	return top.to
}

// html returns the rows as HTML.
func (g Grid) html() string {
	var b strings.Builder
	for text := range g.texts() {
		b.Grow(len(text) + strings.Count(text, string(GridEnd))*8)
	}
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
	return b.String()
}
