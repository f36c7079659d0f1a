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

// tableRow is a row element with its repetitions.
type tableRow struct {
	e      *zipxml.Element
	head   bool
	repeat int
}

// rows collects the rows in e.
func rows(e *zipxml.Element, head bool, list *[]tableRow) {
	for c := e.First(); c != nil; c = c.Next() {
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

// cells returns the cells of a row up to the last one with content, and
// reports whether there is one.
func cells(row *zipxml.Element) (list []*zipxml.Element, some bool) {
	last := 0
	for c := row.First(); c != nil; c = c.Next() {
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

// covers counts a cell that a merged cell covers. Repetitions count once.
func (d *reader) covers(c *zipxml.Element) {
	d.doc.Cover(!d.again && c.Name == "table:covered-table-cell" && c.Says("text:p"))
}

// filled reports whether a cell has content.
func filled(c *zipxml.Element) bool {
	if c.Name == "table:covered-table-cell" {
		return false
	}
	if value(c) != "" {
		return true
	}
	for e := c.First(); e != nil; e = e.Next() {
		if e.Name != "" && (e.Name != "text:p" || e.Content() != "" || e.Find("draw:frame") != nil) {
			return true
		}
	}
	return false
}

// table reads a table of a text or a slide. A table with a single cell is
// only layout.
func (d *reader) table(ctx context.Context, f *doctree.Flow, e *zipxml.Element) {
	if d.depth >= maxNesting {
		d.leaveDeep(e)
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
		// If the document marks no header, the first row is the header,
		// unless one of its cells spans further rows.
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
			if n > 0 && !some || ctx.Err() != nil {
				break
			}
			if !d.room() {
				d.leaveRow(row.e, row.repeat-n, n == 0)
				break
			}
			d.again = n > 0
			d.row(ctx, section, row.e, head)
		}
		d.again = false
	}
	if len(list) > 0 {
		doctree.Tidy(table)
		f.Node(table)
	}
}

// reaches reports whether a row has a cell that spans several rows.
func reaches(row *zipxml.Element) bool {
	for c := row.Named("table:table-cell"); c != nil; c = c.Same() {
		if c.Int("table:number-rows-spanned", 1) > 1 {
			return true
		}
	}
	return false
}

// row writes one row of a table with all its cells.
func (d *reader) row(ctx context.Context, section *html.Node, e *zipxml.Element, head bool) {
	tag := atom.Td
	if head {
		tag = atom.Th
	}
	tr := d.b.Append(section, atom.Tr)
	column := 0
	for c := e.First(); c != nil; c = c.Next() {
		if c.Name != "table:table-cell" {
			d.covers(c)
			continue
		}
		some := filled(c)
		repeat := max(1, min(c.Int("table:number-columns-repeated", 1), maxColumns-column))
		if !some {
			repeat = min(repeat, 64)
		}
		whole := d.again
		for i := range repeat {
			if column++; column > maxColumns {
				break
			}
			if !d.room() {
				d.cut.Cells += repeat - i
				if i == 0 {
					d.leave(c)
				}
				break
			}
			d.again = whole || i > 0
			d.cell(ctx, tr, tag, c)
		}
		d.again = whole
	}
}

// cell writes one cell.
func (d *reader) cell(ctx context.Context, tr *html.Node, tag atom.Atom, c *zipxml.Element) {
	d.slots++
	td := d.b.Append(tr, tag)
	span(td, "colspan", c.Int("table:number-columns-spanned", 1))
	span(td, "rowspan", c.Int("table:number-rows-spanned", 1))
	before, head, side := d.b.Count(), d.head, d.side
	d.head, d.side = tag == atom.Th, doctree.Side{}
	d.cells++
	d.blocks(ctx, &doctree.Flow{B: &d.b, Into: td}, c)
	d.cells--
	d.side.Set(td)
	d.head, d.side = head, side
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

// value returns the value of a cell without text.
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
	case "":
		if _, formula, ok := strings.Cut(c.Attr("table:formula"), "="); ok {
			return "=" + formula // no program has computed it
		}
	}
	return c.Attr("office:value")
}
