// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
)

const (
	maxSpan     = 1000    // columns or rows that one cell spans
	maxSlots    = 200_000 // slots of all cells of a table, including spans
	maxRepeated = 1 << 20 // bytes that spans may repeat in one document
)

// A cell is one cell of the source.
type cell struct {
	n          *html.Node
	cols, rows int // number of columns and rows that it spans
}

// A row is one row of the source.
type row struct {
	cells []cell
	head  bool // in a thead element
	last  int  // rows after it in the same section
}

// A tableWriter writes the tables of a document. The text that spans repeat is
// limited by maxRepeated, and the cells that pad short rows are limited by
// maxSlots. Both limits apply to all tables of the document together.
type tableWriter struct{ *writer }

// table writes a table. If the table is only for layout, it writes the cells as
// blocks.
func (w tableWriter) table(n *html.Node) {
	w.paragraph()
	if g, ok := doctree.GridOf(n); ok {
		w.big(g)
		return
	}
	rows := tableRows(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			w.walk(c)
			w.paragraph()
		}
	}
	if w.codeTable(n, rows) {
		return
	}
	if w.lays(n, rows) {
		for _, r := range rows {
			for _, c := range r.cells {
				if isGutter(c.n) || len(w.skipped) > 0 && slices.Contains(w.skipped, c.n) {
					continue
				}
				w.depth++
				w.walk(c.n)
				w.depth--
				w.paragraph()
			}
		}
		return
	}
	if w.options.Tables == TablesHTML || w.options.Tables == TablesAuto && w.options.Flavor == GFM && spanned(n, rows) {
		outer, mark := w.c, len(w.out)
		w.start(grid)
		if !htmlTableWriter(w).htmlTable(n, w.options.Tables == TablesAuto) {
			w.out, w.c = w.out[:mark], outer
		}
		return
	}
	if w.options.Flavor == CommonMark {
		w.lines(rows)
		return
	}
	g := w.grid(rows)
	if g.cols == 0 {
		return
	}
	outer, mark := w.c, len(w.out)
	w.start(grid)
	if !w.writeGrid(&g) {
		w.out, w.c = w.out[:mark], outer
	}
}

// spanned reports whether n is a table of a document in which a cell spans
// several slots, and is not in the only row of the header. Joining the rows of
// a header would change its cells and hide which columns they name.
func spanned(n *html.Node, rows []row) bool {
	if _, ok := dom.LookupAttr(n, "data-table"); !ok {
		return false // a table of a web page, where spans serve the layout
	}
	for _, r := range rows {
		for _, c := range r.cells {
			if c.cols > 1 && (!r.head || r.last > 0) || c.rows != 1 && r.last > 0 {
				return true
			}
		}
	}
	return false
}

// tableRows returns the rows of the table n without those of nested tables.
// Rows of headers come first and rows of footers last.
func tableRows(n *html.Node) []row {
	var head, body, foot []row
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Thead:
			head = append(head, sectionRows(c, true)...)
		case atom.Tbody:
			body = append(body, sectionRows(c, false)...)
		case atom.Tfoot:
			foot = append(foot, sectionRows(c, false)...)
		case atom.Tr: // parsers always put rows into a section
			body = append(body, row{cells: rowCells(c)})
		}
	}
	return append(append(head, body...), foot...)
}

func sectionRows(n *html.Node, head bool) []row {
	var rows []row
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Tr {
			rows = append(rows, row{cells: rowCells(c), head: head})
		}
	}
	for i := range rows {
		rows[i].last = len(rows) - 1 - i
	}
	return rows
}

func rowCells(n *html.Node) []cell {
	var cells []cell
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells = append(cells, cell{n: c, cols: span(c, "colspan"), rows: span(c, "rowspan")})
		}
	}
	return cells
}

// span returns the number of slots that a cell spans. For rows, 0 means all
// remaining rows of the section.
func span(n *html.Node, key string) int {
	v, ok := dom.LookupAttr(n, key)
	if !ok {
		return 1
	}
	s, err := strconv.Atoi(strings.TrimSpace(v))
	switch {
	case err != nil, s < 0, s == 0 && key == "colspan":
		return 1
	case s > maxSpan:
		return maxSpan
	}
	return s
}

// lays reports whether the table only serves the layout.
func (w tableWriter) lays(n *html.Node, rows []row) bool {
	if _, ok := dom.LookupAttr(n, "data-table"); ok {
		return false // package parse has decided that it contains data
	}
	switch dom.Attr(n, "role") {
	case "presentation", "none":
		return true
	}
	if stat := w.tables[n]; stat.nested*2 > stat.text && stat.nested > 0 {
		return true
	}
	cells, cols, full, named := 0, 0, 0, false
	for _, r := range rows {
		width := 0
		for _, c := range r.cells {
			cells++
			width += max(1, c.cols)
			named = named || c.n.DataAtom == atom.Th
			if blocksIn(c.n) >= 3 {
				full++
			}
		}
		cols = max(cols, width)
		named = named || r.head
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		named = named || c.DataAtom == atom.Caption
	}
	return !named && (len(rows) <= 1 || cols <= 1 || full*2 > cells)
}

// blocksIn returns the number of blocks among the children of n.
func blocksIn(n *html.Node) int {
	count := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && isBlock(c.DataAtom) {
			count++
		}
	}
	return count
}

// A gridTable is a table with its spans resolved.
type gridTable struct {
	cols  int
	align []byte   // l, c, r or 0, for each column
	head  []string // all header rows joined
	body  [][]string
}

// A covering is the cell in one column of the rows so far.
type covering struct {
	text string
	left int // number of further rows that it spans
}

// A layout resolves the spans of one table.
type layout struct {
	w     tableWriter
	above []covering // for each column
	reach int        // no column from here on is covered by a cell above
	slots int        // number filled so far
	line  []string   // the current row
}

// take counts a slot and reports whether it is still within the limit.
func (l *layout) take() bool {
	l.slots++
	return l.slots <= maxSlots
}

// fill fills the next slots that cells above cover. It stops at the first slot
// that is not covered or, if toLast is set, after the last covered one.
func (l *layout) fill(toLast bool) {
	if l.slots > maxSlots {
		return
	}
	last := len(l.line)
	for i := last; i < l.reach && (toLast || l.above[i].left > 0); i++ {
		if l.above[i].left > 0 {
			last = i + 1
		}
	}
	for len(l.line) < last && l.take() {
		s := ""
		if c := &l.above[len(l.line)]; c.left > 0 {
			c.left--
			if l.w.options.Spans != SpansBlank {
				s = l.w.repeat(c.text)
			}
		}
		l.line = append(l.line, s)
	}
	if toLast {
		l.reach = min(l.reach, len(l.line)) // no column beyond is covered
	}
}

// place puts s into the next free slot. rows is the number of rows that it
// spans.
func (l *layout) place(s string, rows int) {
	l.fill(false)
	if len(l.line) == len(l.above) {
		l.above = append(l.above, covering{})
	}
	l.above[len(l.line)] = covering{s, rows - 1}
	l.line = append(l.line, s)
	if rows > 1 {
		l.reach = max(l.reach, len(l.line))
	}
}

// cell places a cell of row r in all columns that it spans.
func (l *layout) cell(c cell, r row) {
	s := l.w.cellText(c.n)
	rows := min(c.rows, r.last+1)
	if c.rows == 0 {
		rows = r.last + 1
	}
	for k := range c.cols {
		if !l.take() && k > 0 {
			return
		}
		// The rows of a header are joined. A cell that spans several columns is
		// repeated, so that it becomes part of each column's name.
		switch {
		case k == 0:
		case l.w.options.Spans == SpansMirror, r.head && r.last > 0:
			s = l.w.repeat(s)
		default:
			s = ""
		}
		l.place(s, rows)
	}
}

// grid resolves the spans of rows and writes their cells. [Options].Spans
// decides about the slots that a cell covers besides its first.
func (w tableWriter) grid(rows []row) gridTable {
	var g gridTable
	l := layout{w: w}
	heads := 0
	lines := make([][]string, 0, len(rows))
	for i, r := range rows {
		l.line = nil
		for _, c := range r.cells {
			l.cell(c, r)
			g.alignColumns(len(l.line), c)
		}
		l.fill(true)
		if r.head && heads == i {
			heads++
		}
		g.cols = max(g.cols, len(l.line))
		lines = append(lines, l.line)
	}
	if heads == 0 && len(lines) > 0 {
		heads = 1 // a row of th elements, or just the first row, because GFM requires a header
	}
	g.head = joinColumns(lines[:heads], g.cols)
	g.body = lines[heads:]
	return g
}

// alignColumns records the alignment of c for the columns that it spans, which
// end before end. The first cell of a column with an alignment decides.
func (g *gridTable) alignColumns(end int, c cell) {
	if len(g.align) < end {
		g.align = append(g.align, make([]byte, end-len(g.align))...)
	}
	if a := alignment(c.n); a != 0 && end > 0 && g.align[end-1] == 0 {
		for k := max(0, end-c.cols); k < end; k++ {
			g.align[k] = a
		}
	}
}

// repeat returns s, or "" if spans have repeated too much.
func (w tableWriter) repeat(s string) string {
	if w.repeated += len(s); w.repeated > maxRepeated {
		return ""
	}
	return s
}

// joinColumns joins the rows of a header into one. If cells below each other
// are equal, their text appears once.
func joinColumns(rows [][]string, cols int) []string {
	head := make([]string, cols)
	for c := range cols {
		var parts []string
		for _, r := range rows {
			if c < len(r) && r[c] != "" && (len(parts) == 0 || parts[len(parts)-1] != r[c]) {
				parts = append(parts, r[c])
			}
		}
		head[c] = strings.Join(parts, " ")
	}
	return head
}

// alignment returns the alignment of a cell: l, c, r, or 0 for none.
func alignment(n *html.Node) byte {
	a := dom.Attr(n, "align")
	if style, ok := dom.LookupAttr(n, "style"); ok && a == "" {
		if _, rest, ok := strings.Cut(strings.ToLower(style), "text-align:"); ok {
			a, _, _ = strings.Cut(rest, ";")
		}
	}
	switch strings.ToLower(strings.TrimSpace(a)) {
	case "left":
		return 'l'
	case "center":
		return 'c'
	case "right":
		return 'r'
	}
	return 0
}

// writeGrid writes g. It returns false if g contains no text.
func (w tableWriter) writeGrid(g *gridTable) bool {
	any := false
	widths := w.widths(g)
	write := func(cells []string) {
		cols := g.cols
		// Readers fill up short rows themselves.
		if w.padded += cols - len(cells); w.padded > maxSlots {
			cols = max(1, len(cells))
		}
		for c := range cols {
			w.out = append(w.out, "| "...)
			size := 0
			if c < len(cells) && cells[c] != "" {
				any = true
				w.out = append(append(w.out, cells[c]...), ' ')
				if widths != nil {
					size = utf8.RuneCountInString(cells[c]) + 1
				}
			}
			if widths != nil {
				for range widths[c] + 1 - size {
					w.out = append(w.out, ' ')
				}
			}
		}
		w.out = append(w.out, '|')
	}
	write(g.head)
	w.newline()
	for c := range g.cols {
		left, right, size := "| ", " ", 3
		if c < len(g.align) {
			switch g.align[c] {
			case 'l':
				left = "| :"
			case 'c':
				left, right = "| :", ": "
			case 'r':
				right = ": "
			}
		}
		if widths != nil {
			size = widths[c] - (len(left) - 2) - (len(right) - 1)
		}
		w.out = append(w.out, left...)
		for range size {
			w.out = append(w.out, '-')
		}
		w.out = append(w.out, right...)
	}
	w.out = append(w.out, '|')
	for _, r := range g.body {
		w.newline()
		write(r)
	}
	return any
}

// maxPad is the maximal width to which cells are padded.
const maxPad = 60

// widths returns the width of each column of g, or nil if cells are not padded.
func (w tableWriter) widths(g *gridTable) []int {
	if w.options.TableStyle != TablePadded || g.cols*(len(g.body)+1) > maxSlots {
		return nil
	}
	widths := make([]int, g.cols)
	for c := range widths {
		widths[c] = 5 // length of a delimiter with two colons
	}
	note := func(cells []string) {
		for c, s := range cells {
			widths[c] = max(widths[c], min(maxPad, utf8.RuneCountInString(s)))
		}
	}
	note(g.head)
	for _, r := range g.body {
		note(r)
	}
	return widths
}

// lines writes each row as a line of a paragraph with cells separated by bars.
func (w tableWriter) lines(rows []row) {
	w.oneLine++
	for i, r := range rows {
		if i > 0 {
			w.line.br()
		}
		for k, c := range r.cells {
			if k > 0 {
				w.line.add(" | ")
			}
			w.depth++
			w.walk(c.n)
			w.depth--
		}
	}
	w.oneLine--
	w.paragraph()
}
