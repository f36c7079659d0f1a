// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"bytes"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/ooxml"
	"example.com/curlew/parse/internal/sheet"
)

// worksheet reads the part of a sheet and returns the relationship ID of its
// drawing.
func (d *reader) worksheet(to *sheet.Sheet, part string) (drawing string, err error) {
	relations := d.pkg.Relations(d.ctx, part)
	c := cells{reader: d, to: to, row: -1}
	even, first := false, false // pages with headers of their own
	err = d.each(part, func(s *scanner, name string) error {
		switch name {
		case "sheetData":
			return c.read(s)
		case "c":
			s.unmatched = true // it belongs into sheetData, whose tag is damaged
		case "col":
			if s.on("hidden") && s.integer("outlineLevel", 0) == 0 {
				to.HideColumns(s.integer("min", 0)-1, s.integer("max", 0)-1)
			}
		case "autoFilter":
			if r, ok := sheet.ParseRange(s.value("ref")); ok {
				to.Filter(r)
			}
		case "mergeCell":
			if r, ok := sheet.ParseRange(string(s.attr("ref"))); ok {
				to.Merge(r)
			}
		case "hyperlink":
			if r, ok := sheet.ParseRange(s.value("ref")); ok {
				to.Link(r, href(relations.Get(s.value("id")), s.value("location")))
			}
		case "control":
			if relations.Get(s.value("id")).Type == "control" { // of ActiveX
				d.objects.Fail(s.value("name"))
			}
		case "oleObject":
			if len(d.embedded) < maxSheets {
				d.embedded = append(d.embedded, object{s.value("id"), s.value("progId")})
			}
		case "drawing":
			drawing = s.value("id")
		case "headerFooter":
			even, first = s.on("differentOddEven"), s.on("differentFirst")
		case "oddHeader", "oddFooter", "firstHeader", "firstFooter", "evenHeader", "evenFooter":
			return running(to, s, name, strings.HasPrefix(name, "first") && !first || strings.HasPrefix(name, "even") && !even)
		case "dataValidation":
			d.faults.prompt(s)
		case "extLst", "conditionalFormatting", "sheetViews":
			return s.skip()
		}
		return nil
	})
	for _, r := range relations.All() {
		if r.Type == "table" && !r.External && err == nil {
			err = d.tolerate(r.Target, d.table(to, r.Target))
		}
	}
	return drawing, err
}

// running reads a header or a footer. If none of its pages exist, it is skipped.
func running(to *sheet.Sheet, s *scanner, name string, skip bool) error {
	text, err := s.content(nil)
	switch {
	case err != nil, skip:
	case strings.HasSuffix(name, "Header"):
		to.Header(string(text))
	default:
		to.Footer(string(text))
	}
	return err
}

// href returns the URL of a cell's link. Places inside the workbook have no
// address in the tree.
func href(r ooxml.Relation, location string) string {
	if r.Target == "" || !r.External {
		return ""
	}
	target := doctree.Href(r.Target)
	if target != "" && location != "" && !strings.Contains(target, "#") {
		target += "#" + location
	}
	return target
}

// table reads the range of a declared table.
func (d *reader) table(to *sheet.Sheet, part string) error {
	return d.each(part, func(s *scanner, name string) error {
		if name != "table" {
			if name == "autoFilter" {
				if r, ok := sheet.ParseRange(s.value("ref")); ok {
					to.Filter(r)
				}
			}
			return nil
		}
		if r, ok := sheet.ParseRange(s.value("ref")); ok {
			to.Table(r, s.integer("headerRowCount", 1) > 0)
		}
		return nil
	})
}

// cells reads the rows of a sheet.
type cells struct {
	*reader

	to      *sheet.Sheet
	row     int
	column  int
	value   []byte // of the current cell
	formula []byte
	rich    bool // the cell has a rich value, such as a picture, and its text is a fallback
	derived bool // the cell has a formula, whose text may stand with another cell
	valued  bool // the cell has a value element, which may be empty
}

// read reads the content of sheetData.
func (c *cells) read(s *scanner) error {
	if s.empty {
		return nil
	}
	depth := s.depth - 1
	for s.depth > depth {
		t, err := s.next()
		if err != nil {
			return err
		}
		if t != start {
			s.unmatched = s.unmatched || t == end && string(s.name) != "row" && s.depth > depth
			continue
		}
		switch {
		case len(s.name) == 1 && s.name[0] == 'c':
			if err := c.cell(s); err != nil {
				return err
			}
		case string(s.name) == "row":
			c.row = s.integer("r", c.row+2) - 1
			c.column = -1
			c.to.Row(c.row, s.on("hidden") && s.integer("outlineLevel", 0) == 0)
		case string(s.name) != "extLst":
			s.unmatched = true
		}
	}
	s.unmatched = s.unmatched || string(s.name) != "sheetData"
	return nil
}

// attributes reads the position, style and type of a cell.
func (c *cells) attributes(s *scanner) (style int, kind []byte) {
	column := -1
	for rest := s.attrs; ; {
		key, value, left := nextAttr(rest)
		if key == nil {
			break
		}
		if len(key) == 1 {
			switch key[0] {
			case 'r':
				column = columnOf(value)
			case 's':
				style, _ = atoi(value)
			case 't':
				kind = value
			}
		}
		if string(key) == "vm" {
			c.rich = true
		}
		rest = left
	}
	if column < 0 {
		column = c.column + 1
	}
	c.column = column
	return style, kind
}

// columnOf returns the column of a cell reference, or -1 if it has none.
func columnOf(ref []byte) int {
	n := 0
	for i := 0; i < len(ref) && i < 4; i++ {
		letter := ref[i] &^ 0x20
		if letter < 'A' || letter > 'Z' {
			break
		}
		n = n*26 + int(letter-'A') + 1
	}
	return n - 1
}

// Cell types (ECMA-376 part 1, 18.18.11).
type cellType uint8

const (
	typeNumber cellType = iota
	typeShared
	typeText
	typeBool
	typeError
	typeDate
)

func typeOf(b []byte) cellType {
	switch string(b) {
	case "s":
		return typeShared
	case "str", "inlineStr":
		return typeText
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

// begin starts the cell of the last start tag.
func (c *cells) begin(s *scanner) (style int, kind cellType) {
	c.rich, c.valued, c.derived = false, false, false
	c.value, c.formula = c.value[:0], c.formula[:0]
	style, attr := c.attributes(s)
	return style, typeOf(attr)
}

// cell reads one cell.
func (c *cells) cell(s *scanner) error {
	style, kind := c.begin(s)
	if s.empty {
		return nil
	}
	depth := s.depth - 1
	for s.depth > depth {
		t, err := s.next()
		if err != nil {
			return err
		}
		if t != start {
			continue
		}
		switch string(s.name) {
		case "c": // the cell before has no end tag
			s.implied()
			c.show(style, kind)
			if style, kind = c.begin(s); s.empty {
				return nil
			}
		case "v":
			c.valued = true
			c.value, err = s.content(c.value)
		case "f":
			c.derived = true
			c.formula, err = s.content(c.formula)
		case "is":
			c.value, err = s.rich(c.value)
		}
		if err != nil {
			return err
		}
	}
	c.show(style, kind)
	return nil
}

// show adds the cell to the sheet.
func (c *cells) show(style int, kind cellType) {
	if len(c.formula) > len("HYPERLINK(") && c.formula[0]|0x20 == 'h' {
		if target := sheet.Linked(string(c.formula)); target != "" {
			c.to.Link(sheet.Range{Row: c.row, Column: c.column, LastRow: c.row, LastColumn: c.column}, doctree.Href(target))
		}
	}
	if len(c.value) == 0 {
		// A formula without a cached value is shown literally.
		switch {
		case kind == typeText && c.valued:
		case len(c.formula) == 0 && c.derived:
			c.faults.uncomputed++
		case len(c.formula) > 0:
			c.value = append(append(c.value, '='), c.formula...)
			c.to.Cell(c.column, sheet.Text, c.value)
		}
		return
	}
	if kind != typeText {
		c.value = bytes.TrimSpace(c.value)
	}
	switch kind {
	case typeNumber:
		c.to.Digits(c.column, style, c.value)
	case typeShared:
		if i, ok := atoi(c.value); ok {
			c.to.SharedText(c.column, style, i)
		}
	case typeText:
		c.to.Text(c.column, style, c.value)
	case typeBool:
		c.to.Bool(c.column, string(c.value) != "0" && string(c.value) != "false")
	case typeError:
		if !c.rich || string(c.value) != "#VALUE!" { // the fallback of a picture in a cell
			c.to.Cell(c.column, sheet.Error, c.value)
		}
	case typeDate:
		c.to.Moment(c.column, style, string(c.value))
	}
}
