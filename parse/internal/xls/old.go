// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"encoding/binary"
	"fmt"
	"slices"

	"example.com/curlew/parse/internal/cfb"
)

// Types of the records that Excel 2, 3 and 4 write, and Excel 5 does not. The records of cells
// are those of Excel 2, because Excel 3 and 4 use the same types for cells as Excel 5.
const (
	oldBlank   = 0x0001
	oldInteger = 0x0002
	oldNumber  = 0x0003
	oldLabel   = 0x0004
	oldBoolErr = 0x0005
	oldString  = 0x0007
	oldRow     = 0x0008
	oldFormat  = 0x001E
	oldColumns = 0x0024
	oldXF2     = 0x0043
	oldBundle  = 0x008F // before each sheet of a workbook of Excel 4
	oldXF3     = 0x0243
	oldFormula = 0x0206
	oldXF4     = 0x0443
	newFormula = 0x0406 // of Excel 4
)

// Kinds of streams in a BOF record.
const (
	ofWorkbook  = 0x0005
	ofSheet     = 0x0010
	ofMacros    = 0x0040
	ofWorkspace = 0x0100 // a workbook of Excel 4
)

// versions are the types of the record BOF, which begins a stream.
var versions = map[uint16]int{0x0009: 2, 0x0209: 3, 0x0409: 4, rBOF: 5}

// IsStream reports whether data begins with the records of a workbook or sheet that is
// in no OLE container, as Excel 2 to 4 and some programs write them.
func IsStream(data []byte) bool {
	s := scanner{data: data}
	for i := range 3 {
		size := u16(data, s.at+2)
		id, b, ok := s.next()
		begins := versions[id] > 0 && (size == 4 || size == 6 || size == 8 || size == 16)
		if !ok || len(b) < size || size > maxRecord || id > 0x08FF || i == 0 && !begins {
			return false
		}
		if id == rEOF {
			break
		}
	}
	return true
}

// modern returns the stream of a workbook in the form of Excel 5, with one record for each
// sheet before them, and counts what it leaves out. It returns a workbook of Excel 5 or
// later as it is.
func modern(stream []byte) (out []byte, lost losses, err error) {
	m := modernizer{s: scanner{data: stream}, formats: firstFormat}
	id, b, ok := m.s.next()
	kind := u16(b, 2)
	if m.version = versions[id]; !ok || m.version == 0 || len(b) < 4 {
		return nil, lost, fmt.Errorf("%w: no workbook", cfb.ErrMalformed)
	}
	if m.version == 5 && (kind == ofWorkbook || listsSheets(m.s)) {
		return stream, lost, nil
	}
	m.release = 0x0500
	if v := u16(b, 0); m.version == 5 && v >= 0x0600 {
		m.release = 0x0600
	}
	m.head = record(nil, rBOF, m.release, ofWorkbook)
	workspace := kind == ofWorkspace && m.version == 4
	if !workspace {
		m.begin(kind)
	}
	if err := m.records(workspace); err != nil {
		return nil, lost, err
	}
	list := record(nil, rEOF)
	size := 0
	for _, s := range m.sheets {
		size += 4 + 6 + len(m.name(s.name))
	}
	start := len(m.head) + size + len(list)
	out = m.head
	for _, s := range m.sheets {
		name := m.name(s.name)
		out = binary.LittleEndian.AppendUint16(out, rSheet)
		out = binary.LittleEndian.AppendUint16(out, uint16(6+len(name)))      //nolint:gosec // at most 263
		out = binary.LittleEndian.AppendUint32(out, uint32(start)+s.sheet.at) //nolint:gosec // smaller than the stream
		out = append(append(out, 0, s.sheet.kind), name...)
	}
	return append(append(out, list...), m.body...), m.losses, nil
}

// listsSheets reports whether the records up to the end of the first stream name sheets.
func listsSheets(s scanner) bool {
	for {
		switch id, _, ok := s.next(); {
		case !ok || id == rEOF:
			return false
		case id == rSheet:
			return true
		}
	}
}

// firstFormat is the first number for the formats that a stream defines. Those before it
// are the formats that all programs know.
const firstFormat = 0x1000

// losses count what is left out of an old stream.
type losses struct {
	cells   int // that are too short
	objects int // text boxes, charts and other drawn objects
}

// modernizer writes the records of an old stream in the form of Excel 5.
type modernizer struct {
	s       scanner
	version int // of Excel; 5 also means later
	release int // of the records that are written
	head    []byte
	body    []byte // the sheets
	sheets  []oldSheet
	title   []byte // of the next sheet
	formats int    // number of the next format
	defined int    // formats of this sheet
	styles  int    // styles that were written
	first   int    // first style of this sheet
	losses
}

type oldSheet struct {
	sheet sheetOf
	name  []byte // not decoded
}

// name returns the name of a sheet as a text with its length.
func (m *modernizer) name(text []byte) []byte {
	out := []byte{byte(len(text))} //nolint:gosec // at most 255
	if m.release >= 0x0600 {
		out = append(out, 0)
	}
	return append(out, text...)
}

// record appends a record whose data are numbers of two bytes.
func record(out []byte, id uint16, values ...int) []byte {
	out = binary.LittleEndian.AppendUint16(out, id)
	out = binary.LittleEndian.AppendUint16(out, uint16(2*len(values))) //nolint:gosec // a few
	for _, v := range values {
		out = binary.LittleEndian.AppendUint16(out, uint16(v)) //nolint:gosec // the lower bytes
	}
	return out
}

// copied appends a record whose data are in parts.
func copied(out []byte, id uint16, parts ...[]byte) []byte {
	data := slices.Concat(parts...)
	data = data[:min(len(data), 0xFFFF)]
	out = binary.LittleEndian.AppendUint16(out, id)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(data))) //nolint:gosec // cut above
	return append(out, data...)
}

// records reads the records after the first one. In a workspace, the sheets are streams
// within it.
func (m *modernizer) records(workspace bool) error {
	level := 1
	if workspace {
		level = 2
	}
	depth := 1
	for depth > 0 {
		id, b, ok := m.s.next()
		switch {
		case !ok:
			return nil // the last sheet has no end, which its reader reports
		case versions[id] > 0:
			switch depth++; {
			case depth == level:
				m.begin(u16(b, 2))
			case depth > level && m.version == 5:
				m.objects++ // a chart; before Excel 5, its object was counted
			}
		case id == rEOF:
			if depth == level {
				m.end()
			}
			depth--
		case id == rFilePass:
			return fmt.Errorf("workbook: %w", cfb.ErrEncrypted)
		case id == oldBundle && len(b) > 5:
			m.title = b[5:min(5+int(b[4]), len(b))]
		case depth == level:
			m.record(id, b)
		}
	}
	return nil
}

// begin begins a sheet.
func (m *modernizer) begin(kind int) {
	s := oldSheet{name: m.title}
	s.sheet.at = uint32(len(m.body)) //nolint:gosec // documents are smaller
	switch kind {
	case ofMacros:
		s.sheet.kind = 1
	case chartSheet:
		s.sheet.kind = kindChart
	default:
		kind = ofSheet
	}
	m.sheets = append(m.sheets, s)
	m.body = record(m.body, rBOF, m.release, kind)
	m.title, m.defined, m.first = nil, 0, m.styles
}

// end ends a sheet. A cell of Excel 2 contains the number of its format, so each format
// gets a style.
func (m *modernizer) end() {
	m.body = record(m.body, rEOF)
	if m.version == 2 {
		for i := range 64 {
			m.style(i)
		}
	}
	m.formats += m.defined
}

// style adds a style with a format of this sheet.
func (m *modernizer) style(format int) {
	switch {
	case m.version == 5:
	case format < m.defined:
		format += m.formats
	case m.version == 2 && format >= 12:
		format += 2 // without the two formats of fractions
	}
	m.head = record(m.head, rXF, 0, format)
	m.styles++
}

// record writes one record of a sheet.
func (m *modernizer) record(id uint16, b []byte) {
	switch id {
	case rCodePage:
		page := u16(b, 0)
		switch page {
		case 0x8000:
			page = 10000 // Macintosh
		case 0x8001:
			page = 1252
		}
		m.head = record(m.head, rCodePage, page)
	case rDateMode:
		m.head = record(m.head, rDateMode, u16(b, 0))
	case oldFormat:
		m.format(b)
	case rFormat:
		if m.version == 5 {
			m.head = copied(m.head, rFormat, b)
		} else if len(b) > 2 {
			m.format(b[2:])
		}
	case oldXF3, oldXF4:
		if len(b) > 1 {
			m.style(int(b[1]))
		}
	case rXF:
		m.style(u16(b, 2))
	case rObject:
		if m.version == 5 {
			m.later(id, b) // texts of comments follow it
		} else {
			m.objects++
		}
	case oldXF2: // cells contain the format as well
	default:
		if m.version == 2 {
			m.second(id, b)
		} else {
			m.later(id, b)
		}
	}
}

// format defines the next format.
func (m *modernizer) format(b []byte) {
	if len(b) == 0 {
		return
	}
	number := binary.LittleEndian.AppendUint16(nil, uint16(m.formats+m.defined)) //nolint:gosec // the lower bytes
	m.head = copied(m.head, rFormat, number, b)
	m.defined++
}

// second writes a record of a sheet of Excel 2.
func (m *modernizer) second(id uint16, b []byte) {
	switch id {
	case oldInteger, oldNumber, oldLabel, oldBoolErr, rFormula:
	case oldString:
		if len(b) > 0 {
			m.body = copied(m.body, rString, []byte{b[0], 0}, b[1:])
		}
		return
	case oldRow:
		if len(b) >= 8 && u16(b, 6)&0x7FFF == 0 {
			m.body = record(m.body, rRow, u16(b, 0), u16(b, 2), u16(b, 4), 0, 0, 0, 0x20)
		}
		return
	case oldColumns:
		if len(b) >= 4 && u16(b, 2) == 0 {
			m.body = record(m.body, rColumns, int(b[0]), int(b[1]), 0, 0, 1)
		}
		return
	case rHeader, rFooter, rNote:
		m.body = copied(m.body, id, b)
		return
	default:
		return
	}
	if len(b) < 8 {
		m.cells++
		return
	}
	style := binary.LittleEndian.AppendUint16(nil, uint16(m.first+int(b[5]&0x3F))) //nolint:gosec // the lower bytes
	place, value := b[:4], b[7:]
	switch id {
	case oldInteger:
		if len(value) < 2 {
			m.cells++
			return
		}
		m.body = record(m.body, rRK, u16(place, 0), u16(place, 2), u16(style, 0), u16(value, 0)<<2|2, u16(value, 0)>>14)
	case oldNumber:
		m.body = copied(m.body, rNumber, place, style, value)
	case oldLabel:
		m.body = copied(m.body, rLabel, place, style, []byte{value[0], 0}, value[1:])
	case oldBoolErr:
		m.body = copied(m.body, rBoolErr, place, style, value)
	case rFormula:
		m.body = copied(m.body, rFormula, place, style, value)
	}
}

// later writes a record of a sheet of Excel 3 or 4, or of one of Excel 5 that is in no
// workbook.
func (m *modernizer) later(id uint16, b []byte) {
	switch id {
	case oldFormula, newFormula:
		id = rFormula
	case rNumber, rLabel, rBoolErr, rRK, rFormula, rRString:
	case oldBlank, oldInteger, oldNumber, oldLabel, oldBoolErr, oldString, oldRow, oldColumns:
		return // types of Excel 2
	default:
		m.body = copied(m.body, id, b)
		return
	}
	if len(b) < 6 {
		m.cells++
		return
	}
	style := binary.LittleEndian.AppendUint16(nil, uint16(m.first+u16(b, 4))) //nolint:gosec // the lower bytes
	m.body = copied(m.body, id, b[:4], style, b[6:])
}
