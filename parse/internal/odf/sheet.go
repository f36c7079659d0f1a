// SPDX-License-Identifier: Apache-2.0

package odf

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/numfmt"
	"example.com/curlew/parse/internal/sheet"
)

// openSheet is the sheet of a spreadsheet that is being read.
type openSheet struct {
	d           *reader
	to          *sheet.Sheet
	row, column int          // of the next cell
	styles      []styleTo    // default styles of columns for cells without a style
	shapes      []*html.Node // shapes over the cells

	rowGroups, columnGroups int // nesting depth of the outline groups at the current position
}

// group counts the nesting depth of outline groups. Rows and columns in
// collapsed groups do not count as hidden.
func (s *openSheet) group(name string, by int) {
	switch name {
	case "table:table-row-group":
		s.rowGroups += by
	case "table:table-column-group":
		s.columnGroups += by
	}
}

// styleTo is the default style of the columns before column, from the
// previous entry on.
type styleTo struct {
	column int
	name   string
}

// beginSheet opens the sheet that begins with t. Its rows follow one by one.
func (d *reader) beginSheet(ctx context.Context, s *zipxml.Scanner, t zipxml.Token) error {
	d.slide++
	e := zipxml.New(t.Name, t.Attrs)
	if d.styles.get("table", e.Attr("table:style-name"), "table:display") == "false" && d.book.Hide(d.slide, strings.Clone(e.Attr("table:name"))) {
		return s.Skip(ctx)
	}
	d.sheet = &openSheet{d: d, to: d.book.Sheet(d.slide, strings.Clone(e.Attr("table:name")))}
	return nil
}

// own returns a copy of text if it is part of the large input of a sheet, so
// that the input can be freed.
func (d *reader) own(text string) string {
	if d.sheet == nil {
		return text
	}
	return strings.Clone(text)
}

// endSheet writes the open sheet, if there is one.
func (d *reader) endSheet(ctx context.Context) error {
	s := d.sheet
	if s == nil {
		return nil
	}
	d.sheet = nil
	err := s.to.Close(ctx)
	for _, n := range s.shapes {
		s.to.Node.AppendChild(n)
	}
	return err
}

// piece reads an element of a sheet. The error is a limit on repeated cells
// or the error of ctx.
func (s *openSheet) piece(ctx context.Context, e *zipxml.Element) error {
	switch e.Name {
	case "table:table-column":
		repeat := min(max(1, e.Int("table:number-columns-repeated", 1)), maxColumns)
		if e.Attr("table:visibility") == "collapse" && s.columnGroups <= 0 {
			s.to.HideColumns(s.column, s.column+repeat-1)
		}
		s.column = min(s.column+repeat, maxColumns)
		if len(s.styles) < maxColumns {
			s.styles = append(s.styles, styleTo{s.column, strings.Clone(e.Attr("table:default-cell-style-name"))})
		}
	case "table:table-row":
		return s.rows(ctx, e)
	case "table:title", "table:desc":
		if text := strings.Clone(doctree.Clean(e.Content())); text != "" {
			s.d.b.Text(s.d.b.Append(s.to.Node, atom.P), text)
		}
	case "table:shapes":
		for c := e.First(); c != nil; c = c.Next() {
			s.shape(ctx, c)
		}
	}
	return nil
}

// shown is the content of a cell, with the number of its repetitions in the
// row.
type shown struct {
	column, repeat int
	across, down   int // number of columns and rows that it spans
	kind           sheet.Kind
	text           []byte
	struck         bool // all of the text is struck through
	hides          bool // the format of the cell shows nothing of its number, which is text
	href           string
	comments       []*zipxml.Element
}

// rows adds a row with all its repetitions.
func (s *openSheet) rows(ctx context.Context, e *zipxml.Element) error {
	repeat := min(max(1, e.Int("table:number-rows-repeated", 1)), maxRows-s.row)
	if e.Attr("table:visibility") == "collapse" && s.rowGroups <= 0 {
		s.to.HideRows(s.row, s.row+repeat-1)
	}
	for c := e.First(); c != nil; c = c.Next() {
		s.d.covers(c)
	}
	list, some := cells(e)
	if !some {
		s.row += repeat
		return nil
	}
	all := s.cells(ctx, list, e.Attr("table:default-cell-style-name"))
	if err := s.d.afford(all, repeat); err != nil {
		return err
	}
	for n := range repeat {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.d.room() {
			s.d.leaveRow(e, repeat-n, n == 0)
			return nil
		}
		s.to.Row(s.row, false)
		for _, c := range all {
			if err := s.put(ctx, c, n > 0); err != nil {
				return err
			}
		}
		s.row++
	}
	return nil
}

// afford returns an error if the repetitions of a row would exceed the limit. It
// is called before the row is copied. The repetitions of cells within the row
// count too.
func (d *reader) afford(row []shown, repeat int) error {
	slots, first, whole := 0, 0, 0
	for _, c := range row {
		slots += c.repeat
		first += len(c.text)
		whole += len(c.text) * c.repeat
	}
	repeat = min(repeat, (d.options.Cells-d.slots)/max(slots, 1)+1) // further rows are not read
	if d.repeats+whole*repeat-first < maxRepeat {
		return nil
	}
	return &zipxml.LimitError{Name: "bytes that cells repeat", Value: maxRepeat}
}

// style returns the style of a cell. row is the default style of its row.
func (s *openSheet) style(e *zipxml.Element, row string, column int) string {
	name := cmp.Or(e.Attr("table:style-name"), row)
	if i, _ := slices.BinarySearchFunc(s.styles, column+1, func(t styleTo, n int) int { return t.column - n }); name == "" && i < len(s.styles) {
		name = s.styles[i].name
	}
	return name
}

// cells reads the cells of a row. style is the default style of the row.
func (s *openSheet) cells(ctx context.Context, list []*zipxml.Element, style string) []shown {
	var all []shown
	column := 0
	for _, e := range list {
		repeat := min(max(1, e.Int("table:number-columns-repeated", 1)), maxColumns-column)
		if e.Name == "table:table-cell" && filled(e) && repeat > 0 {
			c := shown{
				column: column, repeat: repeat, kind: kindOf(e.Attr("office:value-type")),
				across: max(1, e.Int("table:number-columns-spanned", 1)), down: max(1, e.Int("table:number-rows-spanned", 1)),
			}
			own := s.style(e, style, column)
			through := s.d.styles.get("table-cell", own, "style:text-line-through-style")
			c.struck = through != "" && through != "none"
			s.content(ctx, &c, e)
			if e.Attr("office:value-type") == "float" {
				c.text = []byte(s.d.styles.general(own, string(c.text), e.Attr("office:value")))
			}
			c.hides = c.kind == sheet.Number && s.d.styles.hides(own, e)
			if c.kind == sheet.Date {
				if date := s.d.styles.date(own, e.Attr("office:date-value")); date != "" {
					c.text = []byte(date)
				}
			}
			all = append(all, c)
		}
		column += max(repeat, 0)
	}
	return all
}

// kindOf returns the sheet kind for a value type.
func kindOf(valueType string) sheet.Kind {
	switch valueType {
	case "float", "percentage", "currency":
		return sheet.Number
	case "date", "time":
		return sheet.Date
	case "boolean":
		return sheet.Bool
	}
	return sheet.Text
}

// content reads the text of a cell: its paragraphs or, without any, its
// value.
func (s *openSheet) content(ctx context.Context, c *shown, e *zipxml.Element) {
	var lines []string
	struck := true // all of the text by styles of its own
	for p := e.First(); p != nil; p = p.Next() {
		switch {
		case p.Name == "office:annotation":
			c.comments = append(c.comments, p)
		case strings.HasPrefix(p.Name, "draw:"):
			s.shape(ctx, p)
		case p.Name == "text:p" && p.Plain():
			lines, struck = append(lines, spaces.Replace(p.Content())), false
		case p.Name != "":
			in := inline{d: s.d}
			in.children(ctx, p, doctree.Style{})
			lines = append(lines, in.line.Content())
			struck = struck && in.line.Every(func(look doctree.Style) bool { return look.Strike })
			s.shapes = append(s.shapes, in.aside...)
			if a := p.Find("text:a"); a != nil && c.href == "" && !strings.HasPrefix(a.Attr("xlink:href"), "#") {
				c.href = s.d.own(doctree.Href(a.Attr("xlink:href")))
			}
		}
	}
	if c.href == "" {
		// of:=HYPERLINK("https://…";"text")
		_, formula, _ := strings.Cut(e.Attr("table:formula"), "=")
		c.href = s.d.own(doctree.Href(sheet.Linked(formula)))
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	c.struck = c.struck || struck && text != ""
	if text == "" || text == "#FMT" && c.kind == sheet.Number {
		text = value(e) // LibreOffice writes #FMT for a number that its format cannot show
		if v, err := strconv.ParseFloat(text, 64); err == nil && c.kind == sheet.Number && !math.IsNaN(v) && !math.IsInf(v, 0) {
			text = strings.TrimSpace(string(numfmt.General(nil, v)) + " " + e.Attr("office:currency"))
		}
	}
	c.text = []byte(text)
}

// shape keeps a picture, a chart or a text box over the cells.
func (s *openSheet) shape(ctx context.Context, e *zipxml.Element) {
	if !strings.HasPrefix(e.Name, "draw:") {
		return
	}
	if !s.d.room() {
		s.d.leave(e)
		return
	}
	in := inline{d: s.d, formulas: true}
	in.shape(ctx, e, doctree.Style{})
	if !in.line.Empty() {
		p := s.d.b.Element(atom.P)
		in.line.Write(&s.d.b, p)
		s.shapes = append(s.shapes, p)
	}
	s.shapes = append(s.shapes, in.aside...)
}

// put adds a cell with its repetitions. again is set for repetitions of the
// row: comments and links are not repeated.
func (s *openSheet) put(ctx context.Context, c shown, again bool) error {
	for i := range c.repeat {
		if s.d.slots++; again || i > 0 {
			s.d.copies++
			s.d.repeats += len(c.text)
		}
		if s.d.slots >= s.d.options.Cells && s.d.copies > s.d.options.Cells/2 {
			return &zipxml.LimitError{Name: "cells, most of which repeat others", Value: maxSlots}
		}
		if !s.d.room() {
			s.d.cut.Cells += c.repeat - i
			return nil
		}
		at := sheet.Range{Row: s.row, Column: c.column + i, LastRow: s.row + c.down - 1, LastColumn: c.column + i + c.across - 1}
		text := c.text
		if c.hides {
			text = s.to.Unshown(string(c.text))
		}
		s.to.Cell(at.Column, c.kind, text)
		if c.struck {
			s.to.Strike(at.Column)
		}
		if c.href != "" {
			s.to.Link(sheet.Range{Row: at.Row, Column: at.Column, LastRow: at.Row, LastColumn: at.Column}, c.href)
		}
		if again || i > 0 {
			continue
		}
		s.to.Merge(at)
		for _, e := range c.comments {
			s.comment(ctx, at, e)
		}
	}
	return nil
}

// comment adds a comment to a cell.
func (s *openSheet) comment(ctx context.Context, at sheet.Range, e *zipxml.Element) {
	var lines []string
	for p := range e.Descendants() {
		if p.Name == "text:p" {
			in := inline{d: s.d}
			in.children(ctx, p, doctree.Style{})
			lines = append(lines, in.line.Content())
		}
	}
	author, date := s.d.credit(e)
	s.to.Comment(at.Row, at.Column, author, date, strings.TrimSpace(strings.Join(lines, "\n")))
}
