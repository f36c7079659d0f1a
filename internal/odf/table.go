// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// tableRow is a row as the document has it.
type tableRow struct {
	e      *zipxml.Element
	head   bool
	repeat int
}

// rows gathers the rows in e.
func rows(e *zipxml.Element, head bool, list *[]tableRow) {
	for c := range e.Children() {
		switch c.Name {
		case "table:table-row":
			*list = append(*list, tableRow{c, head, max(1, c.Int("table:number-rows-repeated", 1))})
		case "table:table-header-rows":
			rows(c, true, list)
		case "table:table-rows", "table:table-row-group":
			rows(c, head, list)
		}
	}
}

// cells returns the cells of a row up to the last in which something stands,
// and reports whether there is one.
func cells(row *zipxml.Element) (list []*zipxml.Element, some bool) {
	last := 0
	for c := range row.Children() {
		if c.Name != "table:table-cell" && c.Name != "table:covered-table-cell" {
			continue
		}
		list = append(list, c)
		if filled(c) {
			last = len(list)
		}
	}
	if last == 0 {
		return list, false
	}
	return list[:last], true
}

// filled reports whether something stands in a cell.
func filled(c *zipxml.Element) bool {
	if c.Name == "table:covered-table-cell" {
		return false
	}
	if _, ok := c.Lookup("office:value"); ok {
		return true
	}
	for e := range c.Children() {
		if e.Name != "" && (e.Name != "text:p" || e.Content() != "" || e.Find("draw:frame") != nil) {
			return true
		}
	}
	return false
}

// table reads a table of a text or a slide. One of a single cell only lays out.
func (d *reader) table(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if d.depth >= maxNesting {
		d.blocks(ctx, f, e) // which says so
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	var list []tableRow
	rows(e, false, &list)
	if len(list) == 1 && list[0].repeat == 1 {
		if all, _ := cells(list[0].e); len(all) == 1 && all[0].Int("table:number-columns-repeated", 1) == 1 {
			f.End()
			d.blocks(ctx, f, all[0])
			f.End()
			return
		}
	}
	table := d.b.Element(atom.Table, "data-table", "source")
	var section *html.Node
	heads := 0
	for i := range list {
		if list[i].head {
			heads++
		}
	}
	for i, row := range list {
		// The first row is the head where the document does not say so, unless
		// something reaches out of it.
		head := row.head || heads == 0 && i == 0 && len(list) > 1 && !reaches(row.e)
		tag := atom.Tbody
		if head {
			tag = atom.Thead
		}
		if section == nil || section.DataAtom != tag {
			section = d.b.Append(table, tag)
		}
		_, some := cells(row.e)
		for n := range row.repeat {
			if n > 0 && !some || !d.room() || ctx.Err() != nil {
				break
			}
			d.again = n > 0
			d.row(ctx, section, row.e, head)
		}
		d.again = false
	}
	if len(list) > 0 {
		f.Node(table)
	}
}

// reaches reports whether a row has a cell of several rows.
func reaches(row *zipxml.Element) bool {
	for c := range row.All("table:table-cell") {
		if c.Int("table:number-rows-spanned", 1) > 1 {
			return true
		}
	}
	return false
}

// row writes one row of a table; all of its cells, for tables have edges.
func (d *reader) row(ctx context.Context, section *html.Node, e *zipxml.Element, head bool) {
	tag := atom.Td
	if head {
		tag = atom.Th
	}
	tr := d.b.Append(section, atom.Tr)
	column := 0
	for c := range e.Children() {
		if c.Name != "table:table-cell" {
			continue
		}
		some := filled(c)
		repeat := max(1, min(c.Int("table:number-columns-repeated", 1), maxColumns-column))
		if !some {
			repeat = min(repeat, 64)
		}
		whole := d.again
		for i := range repeat {
			if column++; column > maxColumns || !d.room() {
				break
			}
			d.again = whole || i > 0
			d.cell(ctx, tr, tag, c, c.Int("table:number-columns-spanned", 1))
		}
		d.again = whole
	}
}

// cell writes one cell of so many columns.
func (d *reader) cell(ctx context.Context, tr *html.Node, tag atom.Atom, c *zipxml.Element, columns int) {
	d.slots++
	td := d.b.Append(tr, tag)
	span(td, "colspan", columns)
	span(td, "rowspan", c.Int("table:number-rows-spanned", 1))
	before, outer := d.b.Count(), d.head
	d.head = tag == atom.Th
	d.blocks(ctx, &doctree.Flow{B: &d.b, Into: td}, c)
	d.head = outer
	if td.FirstChild == nil {
		d.b.Text(td, value(c))
	}
	for _, ref := range d.pending {
		td.AppendChild(ref)
	}
	d.pending = nil
	doctree.Unwrap(td)
	if d.again {
		d.repeats += nodeBytes * (d.b.Count() - before)
		for n := range td.Descendants() {
			d.repeats += len(n.Data)
		}
	}
}

func span(td *html.Node, key string, n int) {
	if n = min(n, 1000); n > 1 {
		td.Attr = append(td.Attr, html.Attribute{Key: key, Val: strconv.Itoa(n)})
	}
}

// value returns what a cell holds that has no text.
func value(c *zipxml.Element) string {
	switch c.Attr("office:value-type") {
	case "date":
		return strings.TrimSuffix(c.Attr("office:date-value"), "T00:00:00")
	case "time":
		return c.Attr("office:time-value")
	case "boolean":
		return strings.ToUpper(c.Attr("office:boolean-value"))
	case "string":
		return c.Attr("office:string-value")
	}
	return c.Attr("office:value")
}

// sheet gathers the rows of a spreadsheet's table: blocks of them, parted by
// two empty rows, become tables.
type sheet struct {
	d      *reader
	node   *html.Node // section; nil of a hidden sheet
	rows   []*html.Node
	filled []int // cells of each row in which something stands
	empty  int   // rows since the last that is not

	veiled []int // how many of the columns before each are hidden; one more than are declared
}

// column takes the declaration of some columns.
func (s *sheet) column(e *zipxml.Element) {
	if len(s.veiled) == 0 {
		s.veiled = append(s.veiled, 0)
	}
	hidden := 0
	if e.Attr("table:visibility") == "collapse" {
		hidden = 1
	}
	for range min(max(1, e.Int("table:number-columns-repeated", 1)), maxColumns+1-len(s.veiled)) {
		s.veiled = append(s.veiled, s.veiled[len(s.veiled)-1]+hidden)
	}
}

// shows returns how many of n columns from one on are not hidden.
func (s *sheet) shows(from, n int) int {
	last := len(s.veiled) - 1
	if last < 0 {
		return n
	}
	return n - (s.veiled[min(from+n, last)] - s.veiled[min(from, last)])
}

// beginSheet opens the sheet that t begins; its rows come one by one.
func (d *reader) beginSheet(ctx context.Context, s *zipxml.Scanner, t zipxml.Token, body *html.Node) error {
	d.slide++
	e := zipxml.New(t.Name, t.Attrs)
	name := e.Attr("table:name")
	if d.styles.get("table", e.Attr("table:style-name"), "table:display") == "false" {
		d.doc.Warn("hidden-sheet", d.slide, "The sheet is hidden and was left out.")
		return s.Skip(ctx)
	}
	d.doc.Meta.Pages++
	section := d.b.Append(body, atom.Section, "data-sheet", name)
	if name != "" {
		d.b.Text(d.b.Append(section, atom.H2, "id", d.ids.Make(name)), name)
	}
	d.sheet = sheet{d: d, node: section}
	return nil
}

// endSheet writes what is left of a sheet.
func (d *reader) endSheet() {
	d.sheet.flush()
	d.sheet = sheet{d: d}
}

// row takes one row.
func (s *sheet) row(ctx context.Context, e *zipxml.Element) {
	if s.node == nil {
		return
	}
	repeat := max(1, e.Int("table:number-rows-repeated", 1))
	if v := e.Attr("table:visibility"); v == "collapse" {
		if _, some := cells(e); some {
			s.d.doc.Warn("hidden-row", s.d.slide, "Rows that the sheet hides were left out.")
		}
		return
	}
	list, some := cells(e)
	if !some {
		s.empty = min(s.empty+repeat, 1<<20)
		return
	}
	if s.empty >= 2 || s.empty == 1 && s.lone() {
		s.flush()
	}
	for ; s.empty > 0; s.empty-- {
		if len(s.rows) > 0 {
			s.add(s.d.b.Element(atom.Tr), 0)
		}
	}
	for n := range repeat {
		if !s.d.room() || ctx.Err() != nil {
			break
		}
		s.d.again = n > 0
		tr := s.d.b.Element(atom.Tr)
		s.add(tr, s.fill(ctx, tr, list))
	}
	s.d.again = false
}

// lone reports whether the block so far is one cell.
func (s *sheet) lone() bool { return len(s.rows) == 1 && s.filled[0] == 1 }

func (s *sheet) add(tr *html.Node, filled int) {
	s.rows, s.filled = append(s.rows, tr), append(s.filled, filled)
}

// fill writes the cells of a row and returns in how many something stands.
func (s *sheet) fill(ctx context.Context, tr *html.Node, list []*zipxml.Element) int {
	column, some := 0, 0
	for _, c := range list {
		repeat := max(1, min(c.Int("table:number-columns-repeated", 1), maxColumns-column))
		if filled(c) {
			shown := s.shows(column, repeat)
			some += shown
			if shown < repeat {
				s.d.doc.Warn("hidden-column", s.d.slide, "Columns that the sheet hides were left out.")
			}
		}
		whole := s.d.again
		for i := range repeat {
			if column++; column > maxColumns || !s.d.room() {
				break
			}
			s.d.again = whole || i > 0
			if c.Name != "table:table-cell" {
				continue
			}
			// A cell that begins in a hidden column is seen in those it spans.
			if spanned := max(1, min(c.Int("table:number-columns-spanned", 1), maxColumns)); s.shows(column-1, spanned) > 0 {
				s.d.cell(ctx, tr, atom.Td, c, s.shows(column-1, spanned))
			}
		}
		s.d.again = whole
	}
	return some
}

// flush writes the block of rows. A cell that stands alone above others is
// their caption; a first row of text over columns of numbers is their head.
func (s *sheet) flush() {
	rows, filled := s.rows, s.filled
	s.rows, s.filled, s.empty = nil, nil, 0
	if s.node == nil || len(rows) == 0 {
		return
	}
	b := &s.d.b
	if len(rows) == 1 && filled[0] == 1 {
		move(b.Append(s.node, atom.P), rows[0].LastChild)
		return
	}
	left := indentOf(rows)
	table := b.Append(s.node, atom.Table, "data-table", "sheet")
	head := len(rows) > 1 && isHead(rows[0])
	section := (*html.Node)(nil)
	for i, tr := range rows {
		for range left {
			if tr.FirstChild != nil {
				tr.RemoveChild(tr.FirstChild)
			}
		}
		if i == 0 && head {
			section = b.Append(table, atom.Thead)
			for td := range tr.ChildNodes() {
				td.DataAtom, td.Data = atom.Th, "th"
			}
		} else if i == 0 || i == 1 && head {
			section = b.Append(table, atom.Tbody)
		}
		section.AppendChild(tr)
	}
}

// indentOf returns how many columns at the left of all rows are empty.
func indentOf(rows []*html.Node) int {
	least := maxColumns
	for _, tr := range rows {
		n := 0
		for td := range tr.ChildNodes() {
			if td.FirstChild != nil || len(td.Attr) > 0 {
				least = min(least, n)
				break
			}
			n++
		}
	}
	if least == maxColumns {
		return 0
	}
	return least
}

// isHead reports whether a row has text in it and no numbers.
func isHead(tr *html.Node) bool {
	for td := range tr.ChildNodes() {
		for n := range td.Descendants() {
			if n.Type == html.TextNode && strings.Trim(n.Data, "0123456789.,-+%€$£ ") == "" {
				return false
			}
		}
		for _, a := range td.Attr {
			if a.Key == "rowspan" {
				return false // would reach out of the head
			}
		}
	}
	return true
}

// move appends what stands in from to parent.
func move(parent, from *html.Node) {
	if from == nil {
		return
	}
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		parent.AppendChild(c)
	}
}
