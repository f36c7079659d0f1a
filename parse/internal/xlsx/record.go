// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/sheet"
)

const fontStruck = 1 << 3 // flag of a font (MS-XLSB 2.4.149)

// Record types (MS-XLSB 2.3.2).
const (
	recRow          = 0
	recBlank        = 1
	recRK           = 2
	recError        = 3
	recBool         = 4
	recReal         = 5
	recText         = 6
	recShared       = 7
	recFormulaText  = 8
	recFormulaReal  = 9
	recFormulaBool  = 10
	recFormulaError = 11
	recString       = 19
	recFont         = 43
	recFormat       = 44
	recXF           = 47
	recColumn       = 60
	recRichText     = 62
	recWorkbook     = 153
	recSheet        = 156
	recFilter       = 161
	recMerge        = 176
	recTable        = 343
	recHyperlink    = 494
	recDrawing      = 550
	recCellXFs      = 617
	recCellXFsEnd   = 618
	recAuthor       = 632
	recComment      = 635
	recCommentText  = 637
)

const (
	maxRecord = 16 << 20 // bytes
	rowHidden = 0x10     // flag of a row

	rowOutline = 0x07 // outline level of a row
)

// recordParts returns the readers of binary parts.
func (d *reader) recordParts() parts {
	return parts{workbook: d.binWorkbook, styles: d.binStyles, strings: d.binStrings, sheet: d.binSheet, uses: d.binUses, comments: d.binComments}
}

// record is the content of one record. Missing bytes read as zero.
type record struct {
	b []byte
}

func (r *record) u8() byte {
	b := r.take(1)
	return b[0]
}

func (r *record) u16() int { return int(binary.LittleEndian.Uint16(r.take(2))) }

func (r *record) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *record) real() float64 { return math.Float64frombits(binary.LittleEndian.Uint64(r.take(8))) }

// take returns the next n bytes; n is at most 8. After the end it returns
// zeros.
func (r *record) take(n int) []byte {
	if len(r.b) < n {
		r.b = nil
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// text reads a UTF-16 string with its length before it. It returns "" for a
// missing string.
func (r *record) text() string {
	n := r.u32()
	if n == math.MaxUint32 || int64(n)*2 > int64(len(r.b)) {
		return ""
	}
	var short [64]uint16
	units := short[:0]
	if int(n) > len(short) {
		units = make([]uint16, 0, n)
	}
	for i := range int(n) {
		units = append(units, binary.LittleEndian.Uint16(r.b[2*i:]))
	}
	r.b = r.b[2*n:]
	return cfb.Decode(units)
}

// area reads a cell range.
func (r *record) area() (sheet.Range, bool) {
	a := sheet.Range{Row: int(r.u32()), LastRow: int(r.u32()), Column: int(r.u32()), LastColumn: int(r.u32())}
	ok := a.Row <= a.LastRow && a.Column <= a.LastColumn && a.LastRow < 1<<20 && a.LastColumn < 1<<14
	return a, ok
}

// rk decodes a compressed 30-bit number (MS-XLSB 2.5.122).
func rk(v uint32) float64 {
	f := float64(int32(v) >> 2) //nolint:gosec // two's complement
	if v&2 == 0 {
		f = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		f /= 100
	}
	return f
}

// eachRecord calls see with each record of a part.
func (d *reader) eachRecord(part string, see func(kind int, r *record) error) error {
	f, err := d.pkg.Stream(part)
	if err != nil {
		return err
	}
	defer f.Close()
	s := &d.scan
	*s = scanner{ctx: d.ctx, r: f, buf: s.buf[:0]}
	for count := 0; ; count++ {
		if count%checkEvery == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		kind, err := s.number(2)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("part %s: %w", part, err)
		}
		size, err := s.number(4)
		if err == nil && size > maxRecord {
			err = &zipxml.LimitError{Name: "bytes in a record", Value: maxRecord}
		}
		if err == nil {
			err = s.need(size)
		}
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: records end inside one", zipxml.ErrMalformed)
		}
		if err != nil {
			return fmt.Errorf("part %s: %w", part, err)
		}
		r := record{s.buf[s.at : s.at+size]}
		s.at += size
		if err := see(kind, &r); err != nil {
			return fmt.Errorf("part %s: %w", part, err)
		}
	}
}

// number reads a variable-length integer with seven bits per byte.
func (s *scanner) number(most int) (n int, err error) {
	for i := range most {
		if err := s.need(1); err != nil {
			return 0, err
		}
		c := s.buf[s.at]
		s.at++
		n |= int(c&0x7F) << (7 * i)
		if c < 0x80 {
			break
		}
	}
	return n, nil
}

// need reads until n bytes are available.
func (s *scanner) need(n int) error {
	for len(s.buf)-s.at < n {
		if !s.more() {
			return s.err
		}
	}
	return nil
}

func (d *reader) binWorkbook(part string) error {
	err := d.eachRecord(part, func(kind int, r *record) error {
		switch kind {
		case recWorkbook:
			d.book.Formats.Date1904 = r.u32()&1 != 0
		case recSheet:
			state := r.u32()
			r.u32() // ID
			id := r.text()
			d.add(r.text(), id, state != 0)
		}
		return nil
	})
	if len(d.sheets) > 0 {
		return d.tolerate(part, err)
	}
	return err
}

func (d *reader) binStyles(part string) error {
	cells := false
	var struck []bool // by font
	return d.eachRecord(part, func(kind int, r *record) error {
		switch kind {
		case recFont:
			if len(struck) < maxFonts {
				struck = append(struck, r.u32()>>16&fontStruck != 0) // after the height
			}
		case recFormat:
			id := r.u16()
			d.book.Formats.Define(id, r.text())
		case recCellXFs:
			cells = true
		case recCellXFsEnd:
			cells = false
		case recXF:
			if cells {
				d.book.Formats.Add(int(r.u32() >> 16)) // after the parent style
				if i := r.u16(); i < len(struck) && struck[i] {
					d.book.Formats.Strike()
				}
			}
		}
		return nil
	})
}

func (d *reader) binStrings(part string) error {
	return d.eachRecord(part, func(kind int, r *record) error {
		if kind != recString {
			return nil
		}
		flags := r.u8()
		d.book.Strings.Add([]byte(r.text()))
		if flags&1 != 0 { // formats of parts of the text
			runs := int64(r.u32())
			r.b = r.b[min(4*runs, int64(len(r.b))):]
		}
		if flags&2 != 0 && r.text() != "" {
			d.book.Strings.Guides++
		}
		return nil
	})
}

// binUses is like uses for the binary format.
func (d *reader) binUses(part string, use func(i int) bool) error {
	return d.eachRecord(part, func(kind int, r *record) error {
		if kind != recShared {
			return nil
		}
		r.take(8) // column and style
		if !use(int(r.u32())) {
			return io.EOF
		}
		return nil
	})
}

func (d *reader) binSheet(to *sheet.Sheet, part string) (drawing string, err error) {
	relations := d.pkg.Relations(d.ctx, part)
	err = d.eachRecord(part, func(kind int, r *record) error {
		switch kind {
		case recRow:
			row := r.u32()
			r.u32() // style
			r.u16() // height
			r.u8()
			flags := r.u8()
			to.Row(int(row), flags&rowHidden != 0 && flags&rowOutline == 0)
		case recColumn:
			first, last := r.u32(), r.u32()
			r.u32() // width
			r.u32() // style
			if flags := r.u16(); flags&1 != 0 && flags>>8&7 == 0 && first < 1<<14 {
				to.HideColumns(int(first), int(min(last, 1<<14)))
			}
		case recRK, recError, recBool, recReal, recText, recShared, recFormulaText, recFormulaReal, recFormulaBool, recFormulaError, recRichText:
			d.binCell(to, kind, r)
		case recMerge:
			if a, ok := r.area(); ok {
				to.Merge(a)
			}
		case recFilter:
			if a, ok := r.area(); ok {
				to.Filter(a)
			}
		case recHyperlink:
			if a, ok := r.area(); ok {
				id := r.text()
				to.Link(a, href(relations.Get(id), r.text()))
			}
		case recDrawing:
			drawing = r.text()
		}
		return nil
	})
	for _, r := range relations.All() {
		if r.Type == "table" && !r.External && err == nil {
			err = d.tolerate(r.Target, d.eachRecord(r.Target, func(kind int, r *record) error {
				if a, ok := r.area(); ok && kind == recTable {
					r.u32() // type
					r.u32() // ID
					to.Table(a, r.u32() > 0)
				}
				return nil
			}))
		}
	}
	return drawing, err
}

// binCell reads a cell.
func (d *reader) binCell(to *sheet.Sheet, kind int, r *record) {
	at, style := r.u32(), int(r.u32()&0xFFFFFF)
	if at >= 1<<14 {
		return
	}
	column := int(at)
	switch kind {
	case recRK:
		to.Number(column, style, rk(r.u32()))
	case recReal, recFormulaReal:
		to.Number(column, style, r.real())
	case recBool, recFormulaBool:
		to.Bool(column, r.u8() != 0)
	case recError, recFormulaError:
		to.Cell(column, sheet.Error, []byte(sheet.ErrorText(r.u8())))
	case recText, recFormulaText:
		to.Text(column, style, []byte(r.text()))
	case recRichText:
		r.u8()
		to.Text(column, style, []byte(r.text()))
	case recShared:
		to.SharedText(column, style, int(r.u32()))
	}
}

// binComments reads the notes of a sheet.
func (d *reader) binComments(to *sheet.Sheet, part string, threaded map[string]bool) error {
	var authors []string
	var at sheet.Range
	known, author := false, ""
	return d.eachRecord(part, func(kind int, r *record) error {
		switch kind {
		case recAuthor:
			if len(authors) < maxSheets {
				authors = append(authors, r.text())
			}
		case recComment:
			i := r.u32()
			at, known = r.area()
			author = ""
			if int64(i) < int64(len(authors)) {
				author = authors[i]
			}
		case recCommentText:
			r.u8()
			if known && !threaded[sheet.Address(at.Row, at.Column)] {
				to.Comment(at.Row, at.Column, author, "", unsigned(r.text(), author))
			}
		}
		return nil
	})
}
