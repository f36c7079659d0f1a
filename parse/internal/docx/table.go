// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const maxColumns = 256 // Word allows 63

// table reads a table. A table with a single cell is only layout, so its
// content is added without a table.
func (d *reader) table(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if d.depth >= maxNesting {
		d.leaveDeep(e)
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	var rows []*zipxml.Element
	d.rows(e, &rows)
	if len(rows) == 1 {
		if cells := d.cells(rows[0]); len(cells) == 1 {
			f.End()
			d.boxes++
			d.blocks(ctx, f, cells[0])
			d.boxes--
			f.End()
			d.strays(ctx, f, e)
			return
		}
	}
	d.flush(f)
	d.tables++
	defer func() { d.tables-- }()
	t := table{d: d, node: d.b.Element(atom.Table, "data-table", "source"), above: map[int]*above{}}
	properties := e.Get("w:tblPr")
	if text := strings.Trim(ooxml.Val(properties.Get("w:tblCaption"))+": "+ooxml.Val(properties.Get("w:tblDescription")), ": "); text != "" {
		// Word shows them only as the alternative text.
		t.node.Attr = append(t.node.Attr, html.Attribute{Key: "aria-label", Val: text})
	}
	heads := 0
	for heads < len(rows) && ooxml.On(rows[heads].Get("w:trPr", "w:tblHeader")) {
		heads++
	}
	if heads == 0 && len(rows) > 1 && firstRow(properties.Get("w:tblLook")) {
		heads = 1
	}
	// If a cell spans from the header into the body, both are in one
	// section.
	t.whole = heads > 0 && heads < len(rows) && d.continues(rows[heads])
	for i, row := range rows {
		if ctx.Err() != nil {
			break
		}
		if !d.room() {
			d.leave(row)
			continue
		}
		t.row(ctx, row, i < heads && heads < len(rows))
	}
	t.close()
	if t.node.LastChild != nil {
		doctree.Tidy(t.node)
		f.Node(t.node)
	}
	d.strays(ctx, f, e)
}

// strays reads the paragraphs and tables outside the rows of a table. They follow
// the table if its end tag is missing.
func (d *reader) strays(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		if (c.Name == "w:p" || c.Name == "w:tbl") && ctx.Err() == nil {
			d.block(ctx, f, c)
		}
	}
}

// firstRow reports whether the table style formats the first row as a
// header.
func firstRow(look *zipxml.Element) bool {
	if v, ok := look.Lookup("w:firstRow"); ok {
		return ooxml.Bool(v, false)
	}
	n, err := strconv.ParseUint(look.Attr("w:val"), 16, 16)
	return err == nil && n&0x20 != 0
}

// rows collects the rows in e, including those in content controls.
func (d *reader) rows(e *zipxml.Element, rows *[]*zipxml.Element) {
	for c := e.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "w:tr":
			pr := c.Get("w:trPr")
			if pr.Get("w:del") != nil && d.options.Changes == Accept || pr.Get("w:ins") != nil && d.options.Changes == Reject {
				d.omit(c)
				continue
			}
			*rows = append(*rows, c)
		case "mc:AlternateContent":
			d.rows(ooxml.Alternative(c), rows)
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			d.rows(c, rows)
		}
	}
}

// continues reports whether a row has a cell that continues one above.
func (d *reader) continues(row *zipxml.Element) bool {
	for _, c := range d.cells(row) {
		if merge := c.Get("w:tcPr", "w:vMerge"); merge != nil && ooxml.Val(merge) != "restart" {
			return true
		}
	}
	return false
}

// cells returns the cells of a row, including those in content controls.
func (d *reader) cells(row *zipxml.Element) []*zipxml.Element {
	var cells []*zipxml.Element
	for c := row.First(); c != nil; c = c.Next() {
		switch c.Name {
		case "w:tc":
			cells = append(cells, c)
		case "w:sdt", "w:sdtContent", "w:customXml":
			cells = append(cells, d.cells(c)...)
		}
	}
	return cells
}

// table is the state for writing one table.
type table struct {
	d       *reader
	node    *html.Node
	section *html.Node
	whole   bool           // the header and the body are one section
	above   map[int]*above // by the first column of the cell
}

// above is a cell that rows below may continue.
type above struct {
	node *html.Node
	span int
	rows int
}

// row reads one row.
func (t *table) row(ctx context.Context, e *zipxml.Element, head bool) {
	tag, cell := atom.Tbody, atom.Td
	if head {
		cell = atom.Th
		if !t.whole {
			tag = atom.Thead
		}
	}
	if t.section == nil || t.section.DataAtom != tag {
		t.close() // row spans end with their section
		t.section = t.d.b.Append(t.node, tag)
	}
	tr := t.d.b.Append(t.section, atom.Tr)
	column := min(e.Get("w:trPr", "w:gridBefore").Int("w:val", 0), maxColumns)
	if column > 0 {
		t.gap(tr, cell, column)
	}
	var last *html.Node // the cell that hMerge continues
	span := 0
	for _, tc := range t.d.cells(e) {
		pr := tc.Get("w:tcPr")
		width := max(1, min(pr.Get("w:gridSpan").Int("w:val", 1), maxColumns))
		if column+width > maxColumns {
			break
		}
		if merge := pr.Get("w:hMerge"); merge != nil && ooxml.Val(merge) != "restart" && last != nil {
			t.d.doc.Cover(tc.Says("w:t"))
			span += width
			set(last, "colspan", strconv.Itoa(span))
			if a := t.above[column-span+width]; a != nil {
				a.span = span
			}
			column += width
			continue
		}
		merge := pr.Get("w:vMerge")
		if up := t.above[column]; merge != nil && ooxml.Val(merge) != "restart" && up != nil {
			t.d.doc.Cover(tc.Says("w:t"))
			up.rows++
			set(up.node, "rowspan", strconv.Itoa(up.rows))
			column += width
			last = nil
			continue
		}
		td := t.d.b.Append(tr, cell)
		if width > 1 {
			set(td, "colspan", strconv.Itoa(width))
		}
		delete(t.above, column)
		if merge != nil {
			t.above[column] = &above{td, width, 1}
		}
		t.d.cell(ctx, td, tc)
		last, span = td, width
		column += width
	}
	if tr.FirstChild == nil && len(t.above) == 0 {
		t.section.RemoveChild(tr)
	}
}

// gap adds a cell for the columns that a row omits at its start.
func (t *table) gap(tr *html.Node, cell atom.Atom, columns int) {
	td := t.d.b.Append(tr, cell)
	if columns > 1 {
		set(td, "colspan", strconv.Itoa(columns))
	}
}

// close ends the row spans of a section.
func (t *table) close() { clear(t.above) }

func set(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// cell reads the blocks of a cell.
func (d *reader) cell(ctx context.Context, td *html.Node, tc *zipxml.Element) {
	f := &doctree.Flow{B: &d.b, Into: td}
	fields, side := len(d.fields), d.side
	d.side = doctree.Side{}
	d.blocks(ctx, f, tc)
	d.side.Set(td)
	d.side = side
	d.flush(f)
	if len(d.fields) > fields {
		d.fields = d.fields[:fields] // a field ends with its cell
	}
	doctree.Unwrap(td)
}
