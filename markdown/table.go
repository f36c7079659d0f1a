// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxSpan     = 1000    // columns or rows of one cell
	maxSlots    = 200_000 // of all cells of a table, spans counted
	maxRepeated = 1 << 20 // bytes that spans repeat in one document
)

// A tableStat counts what a table holds.
type tableStat struct {
	text   int // bytes of text
	nested int // of them in tables inside
}

// sectionText is the number of bytes from which on a link's blocks stay blocks.
const sectionText = 2000

// measure walks the tree once, without recursion, for what depends on whole
// subtrees.
func (w *writer) measure(root *html.Node) {
	w.anchors, w.tables = map[*html.Node]bool{}, map[*html.Node]tableStat{}
	type mark struct {
		n     *html.Node
		text  int // bytes of text before it
		inner int // bytes in tables inside it
	}
	var stack []mark
	total := 0
	leave := func(n *html.Node) {
		if len(stack) == 0 || stack[len(stack)-1].n != n {
			return
		}
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		size := total - m.text
		if n.DataAtom == atom.A {
			if size > sectionText {
				w.anchors[n] = true
			}
			if len(stack) > 0 {
				stack[len(stack)-1].inner += m.inner
			}
			return
		}
		w.tables[n] = tableStat{text: size, nested: m.inner}
		if len(stack) > 0 {
			stack[len(stack)-1].inner += size
		}
	}
	for n := root; n != nil; {
		switch {
		case n.Type == html.TextNode:
			total += len(n.Data) - strings.Count(n.Data, " ")
		case n.Data == "math" && n.Namespace == "math":
			w.scope.math = true
		case n.DataAtom == atom.Table || n.DataAtom == atom.Pre:
			if len(stack) > 0 && stack[len(stack)-1].n.DataAtom == atom.A {
				w.anchors[stack[len(stack)-1].n] = true
			}
			if n.DataAtom == atom.Table {
				stack = append(stack, mark{n: n, text: total})
			}
		case n.DataAtom == atom.A:
			stack = append(stack, mark{n: n, text: total})
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		leave(n)
		for n != root && n.NextSibling == nil {
			n = n.Parent
			leave(n)
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
}

// A cell is one cell as the source has it.
type cell struct {
	n          *html.Node
	cols, rows int // spanned
}

// A row is a row as the source has it.
type row struct {
	cells []cell
	head  bool // in a thead
	last  int  // rows of its section that follow
}

// table writes a table, or what it holds where it only lays out.
func (w *writer) table(n *html.Node) {
	w.paragraph()
	rows := tableRows(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			w.walk(c)
			w.paragraph()
		}
	}
	if w.lays(n, rows) {
		for _, r := range rows {
			for _, c := range r.cells {
				if isGutter(c.n) {
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

// tableRows returns the rows of the table n, not those of tables inside it:
// those of heads first and of feet last.
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
		case atom.Tr: // no parser leaves it here
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

// span returns how many slots a cell covers; zero is said of rows only and
// means all that follow in the section.
func span(n *html.Node, key string) int {
	v, ok := attr(n, key)
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

// lays reports whether the table only arranges things on the page.
func (w *writer) lays(n *html.Node, rows []row) bool {
	switch value(n, "role") {
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
			if isGutter(c.n) {
				return true // of a code block
			}
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

// blocksIn counts the blocks among the children of n.
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
	head  []string // joined from all head rows
	body  [][]string
}

// grid resolves the spans of rows and writes their cells. Content is repeated
// in every slot that its cell covers, so that each row can be read alone.
func (w *writer) grid(rows []row) gridTable {
	var g gridTable
	type covering struct {
		text string
		left int // rows
	}
	var above []covering
	slots, heads := 0, 0
	take := func() bool { slots++; return slots <= maxSlots }
	lines := make([][]string, 0, len(rows))
	for i, r := range rows {
		var line []string
		// place puts s into the next slots that no cell above covers.
		place := func(s string, rows int) {
			for len(line) < len(above) && above[len(line)].left > 0 && take() {
				above[len(line)].left--
				line = append(line, w.repeat(above[len(line)].text))
			}
			if len(line) == len(above) {
				above = append(above, covering{})
			}
			above[len(line)] = covering{s, rows - 1}
			line = append(line, s)
		}
		for _, c := range r.cells {
			s := w.cellText(c.n)
			down := min(c.rows, r.last+1)
			if c.rows == 0 {
				down = r.last + 1
			}
			for k := range c.cols {
				if !take() && k > 0 {
					break
				}
				if k > 0 {
					s = w.repeat(s)
				}
				place(s, down)
			}
			if i == len(lines) && len(g.align) < len(line) {
				g.align = append(g.align, make([]byte, len(line)-len(g.align))...)
			}
			if a := alignment(c.n); a != 0 && g.align[len(line)-1] == 0 {
				for k := max(0, len(line)-c.cols); k < len(line); k++ {
					g.align[k] = a
				}
			}
		}
		for len(line) < len(above) && take() {
			s := ""
			if c := &above[len(line)]; c.left > 0 {
				c.left--
				s = w.repeat(c.text)
			} else if !anyLeft(above[len(line):], func(c covering) bool { return c.left > 0 }) {
				break
			}
			line = append(line, s)
		}
		if r.head && heads == i {
			heads++
		}
		g.cols = max(g.cols, len(line))
		lines = append(lines, line)
	}
	if heads == 0 && len(lines) > 0 {
		heads = 1 // of th only, or the first row all the same: GFM has no table without
	}
	g.head = joinColumns(lines[:heads], g.cols)
	g.body = lines[heads:]
	return g
}

func anyLeft[T any](s []T, ok func(T) bool) bool {
	for _, v := range s {
		if ok(v) {
			return true
		}
	}
	return false
}

// repeat returns s, or nothing once spans have repeated too much.
func (w *writer) repeat(s string) string {
	if w.repeated += len(s); w.repeated > maxRepeated {
		return ""
	}
	return s
}

// joinColumns joins the rows of a head to one, each word once where cells
// below each other say the same.
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

// alignment returns l, c or r as a cell asks for, else zero.
func alignment(n *html.Node) byte {
	a := value(n, "align")
	if style, ok := attr(n, "style"); ok && a == "" {
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

// writeGrid writes g. It reports false where g holds no text.
func (w *writer) writeGrid(g *gridTable) bool {
	any := false
	write := func(cells []string) {
		cols := g.cols
		// A reader fills short rows itself.
		if w.padded += cols - len(cells); w.padded > maxSlots {
			cols = max(1, len(cells))
		}
		for c := range cols {
			w.out = append(w.out, "| "...)
			if c < len(cells) && cells[c] != "" {
				any = true
				w.out = append(append(w.out, cells[c]...), ' ')
			}
		}
		w.out = append(w.out, '|')
	}
	write(g.head)
	w.newline()
	for c := range g.cols {
		dashes := "| --- "
		if c < len(g.align) {
			switch g.align[c] {
			case 'l':
				dashes = "| :--- "
			case 'c':
				dashes = "| :---: "
			case 'r':
				dashes = "| ---: "
			}
		}
		w.out = append(w.out, dashes...)
	}
	w.out = append(w.out, '|')
	for _, r := range g.body {
		w.newline()
		write(r)
	}
	return any
}

// cellText returns the content of a cell as one line.
func (w *writer) cellText(n *html.Node) string {
	outer := struct {
		line         line
		scope        scope
		one          int
		row, heading bool
	}{w.line, w.scope, w.oneLine, w.oneRow, w.heading}
	w.line, w.oneLine, w.oneRow, w.heading = line{cell: true}, 1, true, false
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
	w.line, w.scope, w.oneLine, w.oneRow, w.heading = outer.line, outer.scope, outer.one, outer.row, outer.heading
	return s
}

// celled writes the block n inside a cell: its lines are parted by breaks.
func (w *writer) celled(n *html.Node) {
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
			marker = strconv.Itoa(w.number) + ". "
			w.number++
		}
		mark := len(l.toks)
		l.piece(token{kind: raw}, marker)
		w.walk(n)
		if len(l.toks) == mark+1 {
			l.toks = l.toks[:mark] // nothing in it
		}
	case atom.Table:
		w.flattened(n)
	default:
		w.walk(n)
	}
	apart()
}

// flattened writes a table inside a cell: a: b; c: d.
func (w *writer) flattened(n *html.Node) {
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
