// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

var headings = [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// room reports whether more nodes may be added to the tree.
func (d *reader) room() bool {
	return d.b.Count()+d.objects.Made < d.options.Nodes
}

// endParagraph writes the current line as a block. It writes nothing for an
// empty line.
func (d *reader) endParagraph() {
	o := d.out
	p := d.state.para
	line := o.line
	number, blank := d.takeNumber(p)
	o.line, o.tabs = doctree.Line{}, 0
	continues := number == "" && !p.list && p.first == 0 && p.left > 0
	if i := slices.Index(o.typed, p.left); continues && i >= 0 {
		o.typed = o.typed[:i+1]
	} else if number == "" || p.list || p.first >= 0 {
		o.typed = nil
	}
	blankLine := line.Blank() && line.First() == nil && len(o.aside) == 0
	if !blankLine && !d.room() {
		d.cut.Paragraph(line.Content())
		d.cut.Others += len(o.aside)
		blankLine = true
	}
	if blankLine {
		d.empty(p)
		return
	}
	d.closeTables(p.tables())
	d.openTables(p.tables())
	f := o.flow
	if n := len(o.tables); n > 0 {
		f = o.tables[n-1].flow(d)
		if !p.rtl {
			o.tables[n-1].side.Add(p.side)
		}
	}
	if !line.Blank() || line.First() != nil {
		if p.tables() == 0 && number == "" {
			line.Display()
		}
		st := d.style(p.style)
		switch {
		case blank:
			p.list, f = false, f.Rest(p.level)
		case continues && cmp.Or(p.outline, st.outline) == 0 && (st.role == doctree.Plain || st.role == doctree.Code):
			f = f.Under(p.left)
		}
		d.write(f, p, &line, number)
	}
	for _, n := range o.aside {
		f.Node(n)
	}
	o.aside = nil
}

// takeNumber returns the number that the document has before paragraph p.
// blank is true for an item with an invisible number, which continues
// another item.
func (d *reader) takeNumber(p paragraph) (number string, blank bool) {
	o := d.out
	if number = o.number; o.listed && cmp.Or(p.outline, d.style(p.style).outline) == 0 {
		blank = p.list && !doctree.Shows(number)
		if !p.list || blank {
			number = "" // the number of a paragraph outside lists belongs to a paragraph that is missing
		}
	}
	o.number, o.listed = "", false
	return number, blank
}

// empty records an empty paragraph.
func (d *reader) empty(p paragraph) {
	o := d.out
	if p.tables() > 0 {
		return
	}
	if len(o.tables) == 1 && o.tables[0].current == nil && len(o.tables[0].cells) == 0 {
		d.closeTables(0) // the paragraph separates two tables
	}
	o.flow.Gap()
	if last := o.flow.Into.LastChild; p.ruled && d.outer == 0 && len(o.tables) == 0 && last != nil && last.DataAtom != atom.Hr && d.room() {
		o.flow.Append(atom.Hr)
	}
}

func (d *reader) write(f *doctree.Flow, p paragraph, line *doctree.Line, number string) {
	st := d.style(p.style)
	var attrs []string
	if p.rtl {
		attrs = append(attrs, "dir", "rtl")
	}
	level := cmp.Or(p.outline, st.outline)
	if st.role == doctree.Title && level == 0 {
		level = 1
	}
	if level >= 1 && level <= 9 && !line.Blank() {
		if line.Every(func(s doctree.Style) bool { return s.Bold }) {
			line.Restyle(func(s *doctree.Style) { s.Bold = false })
		}
		if st.italic && line.Every(func(s doctree.Style) bool { return s.Italic }) {
			line.Restyle(func(s *doctree.Style) { s.Italic = false })
		}
		if number != "" {
			line.Prefix(number + " ")
		}
		line.Write(&d.b, f.Append(headings[min(level, 6)-1], append([]string{"id", d.ids.Make(line.Content())}, attrs...)...))
		return
	}
	mono := line.Every(func(s doctree.Style) bool { return s.Code })
	if mono {
		line.Restyle(func(s *doctree.Style) { s.Code = false }) // a monospaced font of the whole line is not a sign of inline code
	}
	if st.role == doctree.Contents {
		if number != "" {
			line.Prefix(number + " ")
		}
		line.Write(&d.b, f.Entry(st.depth))
		return
	}
	if number != "" || p.list {
		level := p.level
		if n := len(d.out.typed); n > 0 {
			level = n - 1
		}
		d.item(f, p, line, number, max(0, min(level, maxLevels-1)))
		return
	}
	text := line.Content()
	switch {
	case st.role == doctree.Code, mono && (f.Program(text) || strings.Contains(text, "\n")):
		f.Code(text)
	case st.role == doctree.Quote:
		q, _ := f.Joined(atom.Blockquote)
		line.Write(&d.b, d.b.Append(q, atom.P, attrs...))
	case st.role == doctree.Term:
		if line.Every(func(s doctree.Style) bool { return s.Bold }) {
			line.Restyle(func(s *doctree.Style) { s.Bold = false })
		}
		list, _ := f.Joined(atom.Dl)
		line.Write(&d.b, d.b.Append(list, atom.Dt, attrs...))
	case st.role == doctree.Definition && f.Defining():
		list, _ := f.Joined(atom.Dl)
		line.Write(&d.b, d.b.Append(list, atom.Dd, attrs...))
	case st.role == doctree.Continues && f.Listing():
		line.Write(&d.b, f.Continue(atom.P, attrs...))
	default:
		line.Write(&d.b, f.Append(atom.P, attrs...))
	}
}

// item writes a list item.
func (d *reader) item(f *doctree.Flow, p paragraph, line *doctree.Line, number string, level int) {
	o := d.out
	if !f.Listing() {
		o.last = [maxLevels]doctree.Item{}
	}
	item, prefix := doctree.ItemOf(number, level, o.last[level])
	o.last[level] = item
	clear(o.last[level+1:])
	item.Left = p.left
	line.Prefix(prefix)
	checked, ok := line.Box()
	li := f.Item(item)
	if ok {
		li.AppendChild(d.b.Checkbox(checked))
	}
	line.Write(&d.b, li)
}

// typed is called at a tab. If the text before it looks like a list number
// and hangs to the left, typed takes it as the number of the paragraph,
// because some programs write lists this way. It reports whether the tab
// belongs to the number.
func (d *reader) typed() bool {
	o, p := d.out, d.state.para
	if o.tabs++; o.tabs > maxTabs || d.state.target != toText || d.unseen() || o.number != "" || p.list || p.first >= 0 {
		return false
	}
	number := strings.TrimSpace(o.line.Content())
	if !doctree.IsNumber(number) {
		return false
	}
	o.line, o.number = doctree.Line{}, number
	for len(o.typed) > 0 && o.typed[len(o.typed)-1] >= p.left {
		o.typed = o.typed[:len(o.typed)-1]
	}
	if len(o.typed) < maxLevels {
		o.typed = append(o.typed, p.left)
	}
	return true
}

const (
	maxLevels = 9 // of lists
	maxTabs   = 4 // tabs of a paragraph before which a number is expected
)

// definition is a cell in a row definition.
type definition struct {
	right                 int // right edge in twentieths of a point
	first, merged         bool
	firstDown, mergedDown bool
}

// table is an open table.
type table struct {
	rows    []row
	cells   []*html.Node
	current *html.Node // cell that blocks are written to
	inner   *doctree.Flow
	side    doctree.Side // alignment of the current cell
}

type row struct {
	cells []*html.Node
	defs  []definition
	head  bool
}

const maxCells = 1000 // in one row

// flow returns the flow of the current cell.
func (t *table) flow(d *reader) *doctree.Flow {
	if t.current == nil {
		t.current = d.b.Element(atom.Td)
		t.inner = &doctree.Flow{B: &d.b, Into: t.current}
	}
	return t.inner
}

// openTables opens nested tables up to depth n.
func (d *reader) openTables(n int) {
	for len(d.out.tables) < n {
		d.out.tables = append(d.out.tables, &table{})
	}
}

// closeTables closes and writes tables deeper than n.
func (d *reader) closeTables(n int) {
	o := d.out
	for len(o.tables) > n {
		t := o.tables[len(o.tables)-1]
		o.tables = o.tables[:len(o.tables)-1]
		if t.current != nil {
			t.cells = append(t.cells, t.current)
		}
		if len(t.cells) > 0 {
			t.rows = append(t.rows, row{cells: t.cells})
		}
		into := o.flow
		if k := len(o.tables); k > 0 {
			into = o.tables[k-1].flow(d)
		}
		if lone := t.current; lone != nil && len(t.rows) == 1 && len(t.cells) == 1 {
			for c := lone.FirstChild; c != nil; c = lone.FirstChild { // paragraphs marked as in a table, but without cell marks
				lone.RemoveChild(c)
				into.Node(c)
			}
			continue
		}
		if node := t.build(d); node != nil {
			into.Node(node)
		}
	}
}

// table reads a control word for tables, and reports whether it is one.
func (d *reader) table(t token) bool {
	switch t.word {
	case "cell", "nestcell":
		d.endCell(t.word == "nestcell")
		return true
	case "row", "nestrow":
		d.endRow(t.word == "nestrow")
		return true
	case "trowd":
		d.defs, d.next, d.heads = nil, definition{}, false
		return true
	case "trhdr":
		d.heads = true
	case "clmgf":
		d.next.first = true
	case "clmrg":
		d.next.merged = true
	case "clvmgf":
		d.next.firstDown = true
	case "clvmrg":
		d.next.mergedDown = true
	case "cellx":
		d.next.right = t.number
		if len(d.defs) < maxCells {
			d.defs = append(d.defs, d.next)
		}
		d.next = definition{}
	default:
		return false
	}
	return true
}

// level returns the table that a control word refers to.
func (d *reader) level(nested bool) *table {
	n := 1
	if nested {
		n = max(2, d.state.para.nesting, len(d.out.tables))
	}
	n = min(n, maxNested)
	d.closeTables(n)
	d.openTables(n)
	return d.out.tables[n-1]
}

func (d *reader) endCell(nested bool) {
	if !d.state.para.inTable && d.state.para.nesting == 0 {
		d.state.para.inTable = true
	}
	d.endParagraph()
	t := d.level(nested)
	if len(t.cells) >= maxCells || !d.room() {
		return
	}
	t.flow(d)
	doctree.Unwrap(t.current)
	t.side.Set(t.current)
	t.cells = append(t.cells, t.current)
	t.current, t.side = nil, doctree.Side{}
}

func (d *reader) endRow(nested bool) {
	t := d.level(nested)
	if len(t.cells) == 0 {
		return
	}
	t.rows = append(t.rows, row{cells: t.cells, defs: d.defs, head: d.heads})
	t.cells, t.current = nil, nil
}

// edges returns the distinct right edges of all cells in ascending order.
func (t *table) edges() []int {
	var edges []int
	for i, r := range t.rows {
		if i > 0 && len(r.defs) > 0 && len(t.rows[i-1].defs) > 0 && &r.defs[0] == &t.rows[i-1].defs[0] {
			continue // a row definition applies until the next one
		}
		for _, def := range r.defs {
			edges = append(edges, def.right)
		}
	}
	slices.Sort(edges)
	return slices.CompactFunc(edges, func(a, b int) bool { return max(a-b, b-a) < near })
}

// build returns the table. Its columns follow from the edges of all rows,
// and cells span the columns between their edges.
func (t *table) build(d *reader) *html.Node {
	if len(t.rows) == 0 {
		return nil
	}
	edges := t.edges()
	node := d.b.Element(atom.Table, "data-table", "source")
	var section *html.Node
	above := map[int]*html.Node{} // by left edge
	downs := map[*html.Node]int{}
	for i, r := range t.rows {
		tag := atom.Tbody
		if r.head && i < len(t.rows)-1 && (i == 0 || section.DataAtom == atom.Thead) {
			tag = atom.Thead
		}
		if section == nil || section.DataAtom != tag {
			section = d.b.Append(node, tag)
			clear(above)
		}
		tr := d.b.Append(section, atom.Tr)
		left := 0
		var last *html.Node
		from := 0
		for k, td := range r.cells {
			def := definition{}
			if k < len(r.defs) {
				def = r.defs[k]
			} else if len(r.defs) > 0 && td.FirstChild == nil {
				break // the row has no such cell
			}
			width := columns(edges, left, def.right)
			if tag == atom.Thead {
				td.DataAtom, td.Data = atom.Th, "th"
			}
			switch {
			case def.merged && last != nil:
				d.doc.CoverNode(td)
				set(last, "colspan", columns(edges, from, def.right))
			case def.mergedDown && above[left] != nil:
				d.doc.CoverNode(td)
				downs[above[left]]++
				set(above[left], "rowspan", downs[above[left]]+1)
				last = nil
			default:
				tr.AppendChild(td)
				set(td, "colspan", width)
				delete(above, left)
				if def.firstDown {
					above[left] = td
				}
				last, from = td, left
			}
			left = max(left, def.right)
		}
	}
	doctree.Tidy(node)
	return node
}

// near is the tolerance for cell edges, in twentieths of a point.
const near = 30

// columns returns the number of columns between two edges.
func columns(edges []int, left, right int) int {
	from, _ := slices.BinarySearch(edges, left+1)
	to, _ := slices.BinarySearch(edges, right+1)
	if left == 0 {
		from = 0
	}
	return max(1, to-from)
}

func set(n *html.Node, key string, v int) {
	if v <= 1 {
		return
	}
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = strconv.Itoa(v)
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: strconv.Itoa(v)})
}
