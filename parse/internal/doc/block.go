// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ooxml"
)

// output writes a sequence of blocks: the main text, a note or a text box.
type output struct {
	*reader
	flow    *doctree.Flow
	tables  []*table
	fields  []field
	carried *doctree.Line // a drop cap, which belongs to the next paragraph
	asides  []*html.Node  // text boxes anchored in the paragraph
}

// table is an open table.
type table struct {
	flow *doctree.Flow // the flow that contains the table
	rows []rowOf
	row  []*html.Node // cells of the current row
	cell *doctree.Flow
	side doctree.Side // alignment of the cell
}

// rowOf is a complete row.
type rowOf struct {
	cells []*html.Node
	para  para
}

// blocks writes the characters between two positions.
func (r *reader) blocks(into *html.Node, from, to int) {
	o := &output{reader: r, flow: &doctree.Flow{B: &r.b, Into: into}}
	to = min(to, len(r.text))
	at := from
	for i := from; i < to; i++ {
		switch r.text[i] {
		case '\r', 7:
			o.paragraph(at, i, r.text[i])
			at = i + 1
		case 0x0C:
			o.paragraph(at, i, '\r')
			at = i + 1
		default:
			continue
		}
		if !r.room() {
			r.leave(at, to)
			break
		}
	}
	if at >= 0 && at < to && !r.full {
		o.paragraph(at, to, '\r')
	}
	o.close(0)
	if o.carried != nil {
		o.write(o.flow, o.carried, para{}, false)
	}
}

// leave counts the paragraphs between two positions that are not read, with
// the notes that they refer to.
func (r *reader) leave(from, to int) {
	var text []uint16
	code := 0 // depth of field codes, which are not text
	for i := from; i < to; i++ {
		switch u := r.text[i]; {
		case u == '\r' || u == 7 || u == 0x0C:
			r.cut.Paragraph(cfb.Decode(text))
			text = text[:0]
		case u == 0x13:
			code++
		case u == 0x14 || u == 0x15:
			code = max(0, code-1)
		case u >= ' ' && code == 0:
			text = append(text, u)
		}
		if _, ok := r.refs[i]; ok {
			r.cut.Others++
		}
	}
	r.cut.Paragraph(cfb.Decode(text))
}

// at returns the properties of the paragraph that ends at cp, and the
// default properties of its characters.
func (r *reader) at(cp int) (para, look) {
	fc, changed := r.place(cp)
	run, _ := find(r.paras, fc)
	style := run.style
	each(changed, func(code int, operand []byte) {
		if code == pStyle {
			style = u16(operand, 0)
		}
	})
	p := r.styles.para(style)
	p.tables, p.rowEnd, p.cellEnd = 0, false, false
	p.apply(run.props, r.data, 0)
	p.apply(changed, r.data, 0)
	return p, r.styles.char(style)
}

// paragraph writes one paragraph. mark is the character that ends it.
func (o *output) paragraph(from, to int, mark uint16) {
	p, base := o.at(to)
	if o.old && mark == 7 && len(o.paras) == 0 {
		p.tables = 1 // two consecutive marks end a row
		p.rowEnd = from == to && len(o.tables) > 0 && len(o.tables[0].row) > 0
	}
	o.open(p.tables)
	if n := len(o.tables); n > 0 && p.rowEnd {
		o.endRow(o.tables[n-1], p)
		return
	}
	heading := p.outline < outlineNo
	if heading {
		base.bold, base.italic = false, false
	}
	listing := o.inContents()
	line := o.line(from, to, base)
	if o.carried != nil {
		o.carried.Append(line)
		line, o.carried = o.carried, nil
	}
	if p.drop && mark == '\r' && !p.cellEnd {
		o.carried = line
		return
	}
	flow := o.flow
	if n := len(o.tables); n > 0 {
		t := o.tables[n-1]
		if t.cell == nil {
			t.cell = &doctree.Flow{B: &o.b, Into: o.b.Element(atom.Td)}
		}
		flow = t.cell
		if !line.Blank() && !p.rtl {
			t.side.Add([...]string{"", "center", "right"}[min(p.side, 3)%3])
		}
	}
	if o.inContents() || listing && !heading { // the table of contents may end in the paragraph where the first heading begins
		p.role, heading = doctree.Contents, false
	}
	o.write(flow, line, p, heading && len(o.tables) == 0)
	for _, box := range o.asides {
		flow.Node(box)
	}
	o.asides = o.asides[:0]
	if n := len(o.tables); n > 0 && (mark == 7 || p.cellEnd) {
		o.tables[n-1].endCell()
	}
}

// endCell adds the current cell to its row.
func (t *table) endCell() {
	if t.cell != nil {
		doctree.Unwrap(t.cell.Into)
		t.side.Set(t.cell.Into)
		t.row = append(t.row, t.cell.Into)
		t.cell, t.side = nil, doctree.Side{}
	}
}

// write writes a line as the block of its paragraph.
func (o *output) write(flow *doctree.Flow, line *doctree.Line, p para, heading bool) {
	number, item, listed := o.number(p)
	if line.Blank() {
		flow.Gap()
		o.rule(flow, p)
		return
	}
	if o.old && !listed { // the next list of Word 6 and 95 begins anew
		clear(o.counters)
	}
	var attrs []string
	if p.rtl {
		attrs = append(attrs, "dir", "rtl")
	}
	switch {
	case heading:
	case listed && item.Number == blank:
		listed, flow = false, flow.Rest(item.Level)
	case !listed && p.first == 0 && (p.role == doctree.Plain || p.role == doctree.Code):
		flow = flow.Under(p.left)
	}
	mono := line.Every(func(s doctree.Style) bool { return s.Code })
	if mono && p.role == doctree.Plain && !heading && !listed && flow.Program(line.Content()) {
		p.role = doctree.Code
	}
	if mono || heading { // in a heading or for a whole line, a monospaced font does not mean inline code
		line.Restyle(func(s *doctree.Style) { s.Code = false })
	}
	if heading && line.Every(func(s doctree.Style) bool { return s.Bold }) {
		line.Restyle(func(s *doctree.Style) { s.Bold = false })
	}
	switch {
	case p.role == doctree.Contents:
		line.Prefix(number)
		line.Write(&o.b, flow.Entry(p.depth))
	case heading:
		line.Prefix(number)
		tags := [...]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
		attrs = append(attrs, "id", o.ids.Make(line.Content()))
		line.Write(&o.b, flow.Append(tags[min(p.outline, len(tags)-1)], attrs...))
	case listed:
		checked, ok := line.Box()
		if !item.Ordered {
			line.Prefix(number)
		}
		li := flow.Item(item)
		if ok {
			li.AppendChild(o.b.Checkbox(checked))
		}
		line.Write(&o.b, li)
	case p.role == doctree.Quote:
		block, _ := flow.Joined(atom.Blockquote)
		line.Write(&o.b, o.b.Append(block, atom.P, attrs...))
	case p.role == doctree.Code:
		flow.Code(line.Content())
	case p.role == doctree.Term:
		if line.Every(func(s doctree.Style) bool { return s.Bold }) {
			line.Restyle(func(s *doctree.Style) { s.Bold = false })
		}
		list, _ := flow.Joined(atom.Dl)
		line.Write(&o.b, o.b.Append(list, atom.Dt, attrs...))
	case p.role == doctree.Definition && flow.Defining():
		list, _ := flow.Joined(atom.Dl)
		line.Write(&o.b, o.b.Append(list, atom.Dd, attrs...))
	case p.role == doctree.Continues && flow.Listing():
		line.Write(&o.b, flow.Continue(atom.P, attrs...))
	default:
		line.Write(&o.b, flow.Append(atom.P, attrs...))
	}
}

// inContents reports whether the current position is in a table of contents.
func (o *output) inContents() bool {
	return slices.ContainsFunc(o.fields, func(f field) bool { return f.toc })
}

// rule writes a horizontal rule for an empty paragraph with a border above
// or below it. It writes only one for several such paragraphs in a row.
func (o *output) rule(flow *doctree.Flow, p para) {
	last := flow.Into.LastChild
	if (p.lines[0] || p.lines[2]) && !p.lines[1] && !p.lines[3] && len(o.tables) == 0 && last != nil && last.DataAtom != atom.Hr {
		flow.Append(atom.Hr)
	}
}

// blank is the number of an item whose number is invisible. Such an item
// continues the previous one.
const blank = -1

// number counts a list paragraph. It returns the number as text and as an
// item. The text of an unordered item must be written before the item's
// text.
func (o *output) number(p para) (text string, item doctree.Item, ok bool) {
	if p.list < 1 || p.list > len(o.lists) {
		return "", item, false
	}
	l := o.lists[p.list-1]
	v := l.levels[p.level]
	if v.format == nothing && len(v.text) == 0 {
		return "", item, false
	}
	c := o.counters[l.id]
	if c == nil {
		c = &[9]int{}
		for i, v := range l.levels {
			c[i] = v.start - 1
		}
		o.counters[l.id] = c
	}
	if use := [2]int{p.list, p.level}; l.anew[p.level] && !o.begun[use] {
		o.begun[use] = true
		c[p.level] = v.start - 1
	}
	c[p.level]++
	for i := range p.level { // this item also counts as the first item of a level above that has none
		c[i] = max(c[i], l.levels[i].start)
	}
	for i := p.level + 1; i < len(c); i++ {
		if p.level < l.levels[i].restart {
			c[i] = l.levels[i].start - 1
		}
	}
	item = doctree.Item{Level: p.level, Key: strconv.FormatInt(l.id, 10), Left: p.left}
	if !p.indented && v.left > 0 {
		item.Left = v.left
	}
	shown := cfb.Decode(v.text)
	if v.format == bullet {
		if shown != "" && !doctree.Shows(shown) {
			item.Number = blank
		}
		return "", item, true
	}
	var b strings.Builder
	for _, u := range v.text {
		switch {
		case u >= 9:
			b.WriteRune(rune(u))
		case v.legal && l.levels[u].format != zeroed: // Word shows Section 1.01 below Article I
			b.WriteString(strconv.Itoa(c[u]))
		default:
			b.WriteString(ooxml.Number(formats[l.levels[u].format], max(c[u], l.levels[u].start)))
		}
	}
	if text = strings.TrimSpace(b.String()); text == "" {
		return "", item, false
	}
	text += " "
	before, after, alone := strings.Cut(shown, string(rune(p.level))) //nolint:gosec // at most 8
	if v.format <= 4 && alone && strings.Trim(before, "( ") == "" && strings.Trim(after, ".):-–、 ") == "" {
		item.Ordered, item.Number, item.Label = true, c[p.level], text
		item.Type = [...]string{"", "I", "i", "A", "a"}[v.format]
	}
	return text, item, true
}

// formats maps number formats ([MS-OSHARED] 2.2.1.3) to their names in
// Office Open XML. Missing ones are decimal.
var formats = map[int]string{
	1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal", 10: "ideographDigital", 11: "japaneseCounting",
	12: "aiueo", 13: "iroha", 14: "decimalFullWidth", 17: "japaneseDigitalTenThousand", 18: "decimalEnclosedCircle", 19: "decimalFullWidth2",
	20: "aiueoFullWidth", 21: "irohaFullWidth", zeroed: "decimalZero", 24: "ganada", 25: "chosung", 28: "decimalEnclosedCircleChinese",
	30: "ideographTraditional", 31: "ideographZodiac", 33: "taiwaneseCounting", 35: "taiwaneseCountingThousand", 37: "chineseCounting",
	39: "chineseCountingThousand", 44: "koreanDigital2", 46: "arabicAlpha", 47: "hebrew2", 48: "arabicAbjad", 58: "russianLower",
	59: "russianUpper", nothing: "none",
}

// open opens tables up to a depth and closes deeper ones.
func (o *output) open(depth int) {
	o.close(depth)
	for len(o.tables) < depth {
		flow := o.flow
		if n := len(o.tables); n > 0 {
			t := o.tables[n-1]
			if t.cell == nil {
				t.cell = &doctree.Flow{B: &o.b, Into: o.b.Element(atom.Td)}
			}
			flow = t.cell
		}
		o.tables = append(o.tables, &table{flow: flow})
	}
}

// close closes the tables deeper than depth.
func (o *output) close(depth int) {
	for len(o.tables) > depth {
		t := o.tables[len(o.tables)-1]
		o.tables = o.tables[:len(o.tables)-1]
		if t.endCell(); len(t.row) > 0 { // the row has no end
			t.rows = append(t.rows, rowOf{cells: t.row})
		}
		o.lay(t)
	}
}

func (o *output) endRow(t *table, p para) {
	if t.endCell(); len(t.row) > 0 {
		t.rows = append(t.rows, rowOf{cells: t.row, para: p})
	}
	t.row = nil
}

// near is the tolerance for cell edges, in twips.
const near = 30

// lay writes a complete table. Spans follow from the edges of the cells.
func (o *output) lay(t *table) {
	if len(t.rows) == 0 {
		return
	}
	if len(t.rows) == 1 && len(t.rows[0].cells) == 1 {
		o.frame(t)
		return
	}
	var edges []int
	for _, r := range t.rows {
		edges = append(edges, r.para.edges...)
	}
	slices.Sort(edges)
	edges = slices.CompactFunc(edges, func(a, b int) bool { return max(a-b, b-a) < near })
	column := func(x int) int {
		i, _ := slices.BinarySearch(edges, x-near+1)
		return i
	}
	node := t.flow.Append(atom.Table, "data-table", "source")
	var head, body *html.Node
	above := map[int]*html.Node{} // cells that continue below, by column
	for _, r := range t.rows {
		section := &body
		cellTag := atom.Td
		if r.para.header && body == nil {
			section, cellTag = &head, atom.Th
		}
		if *section == nil {
			tag := atom.Tbody
			if section == &head {
				tag = atom.Thead
			}
			*section = o.b.Append(node, tag)
		}
		o.layRow(o.b.Append(*section, atom.Tr), r, column, cellTag, above)
	}
	doctree.Tidy(node)
}

// frame writes a table with one cell, which only frames its content.
func (o *output) frame(t *table) {
	cell := t.rows[0].cells[0]
	into := t.flow.Into
	if n := cell.FirstChild; n != nil && !isBlock(n.DataAtom) { // the paragraph element was removed
		into = t.flow.Append(atom.P)
	}
	t.flow.End()
	for n := cell.FirstChild; n != nil; n = cell.FirstChild {
		cell.RemoveChild(n)
		into.AppendChild(n)
	}
}

// isBlock reports whether a tag is a block among paragraphs.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Pre, atom.Nav, atom.Aside:
		return true
	}
	return false
}

// layRow writes the cells of one row.
func (o *output) layRow(tr *html.Node, r rowOf, column func(int) int, tag atom.Atom, above map[int]*html.Node) {
	fits := len(r.para.cells) >= len(r.cells) && len(r.para.edges) > len(r.cells)
	var last *html.Node // the cell that others are merged into
	span := 0
	for i, cell := range r.cells {
		cell.DataAtom, cell.Data = tag, tag.String()
		if !fits {
			tr.AppendChild(cell)
			continue
		}
		def := r.para.cells[i]
		at := column(r.para.edges[i])
		width := max(column(r.para.edges[i+1])-at, 1)
		if def.merged && !def.first && last != nil {
			o.doc.CoverNode(cell)
			span += width
			setSpan(last, "colspan", span)
			continue
		}
		down := def.down && !def.downFirst
		if flag, ok := r.para.upright[i]; ok {
			down = flag == 1
		}
		if first := above[at]; down && first != nil {
			o.doc.CoverNode(cell)
			setSpan(first, "rowspan", spanOf(first, "rowspan")+1)
			last = nil
			continue
		}
		delete(above, at)
		if def.down || def.downFirst || r.para.upright[i] != 0 {
			above[at] = cell
		}
		last, span = cell, width
		setSpan(cell, "colspan", width)
		tr.AppendChild(cell)
	}
}

func spanOf(n *html.Node, key string) int {
	for _, a := range n.Attr {
		if a.Key == key {
			v, _ := strconv.Atoi(a.Val)
			return v
		}
	}
	return 1
}

func setSpan(n *html.Node, key string, v int) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = strconv.Itoa(v)
			return
		}
	}
	if v > 1 {
		n.Attr = append(n.Attr, html.Attribute{Key: key, Val: strconv.Itoa(v)})
	}
}
