// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Kind is what a cell holds, whatever it shows.
type Kind uint8

// The kinds of cells.
const (
	Text Kind = iota
	Number
	Date
	Bool
	Error
)

const sharedFlag = 0x80 // of a kind: the text is a shared one

// Sheet gathers what one sheet shows. Rows and columns count from 0.
type Sheet struct {
	Node *html.Node // its section: more may be appended after [Sheet.Close]

	book   *Book
	number int

	chunks  [][]byte // the cells of rows, as [Sheet.Cell] packs them
	size    int
	rows    []row
	packed  []byte // cells of the row that is open
	current row
	last    int // column of its last cell
	late    []late
	strayed bool // rows did not come in order
	full    bool
	hides   bool   // formats hide values
	shown   []byte // a number, as long as it is packed

	hiddenRows, hiddenColumns set

	lost bool   // cells of hidden columns
	veil []byte // these cells: each its place and how [Sheet.Cell] packs it

	merges, filters, tables []Range
	headless                []bool // of tables
	links                   []link
	comments                []comment
	latest                  map[uint64]int // comment of each place
	remarks                 int            // comments and their replies
}

// row says where the cells of a row are.
type row struct {
	number, chunk, from, to uint32
}

// late is a cell that came after one to the right of it.
type late struct {
	column int
	packed []byte
}

type link struct {
	Range
	href string
}

// HideColumns says that columns are hidden, before any cell comes.
func (s *Sheet) HideColumns(first, last int) {
	if first >= 0 && first < maxColumn {
		s.hiddenColumns.add(first, min(last, maxColumn-1))
	}
}

// HideRows says that rows are hidden, also those without a cell.
func (s *Sheet) HideRows(first, last int) {
	if first >= 0 && first < maxRow {
		s.hiddenRows.add(first, min(last, maxRow-1))
	}
}

// Row begins a row.
func (s *Sheet) Row(number int, hidden bool) {
	s.endRow()
	if number < 0 || number >= maxRow {
		number = maxRow // kept by nobody
	}
	if hidden {
		s.HideRows(number, number)
	}
	s.current = row{number: uint32(number)}
	s.last = -1
}

// Cell adds a cell to the row. Cells that show nothing are none.
func (s *Sheet) Cell(column int, kind Kind, text []byte) {
	if text = clean(text); len(text) == 0 {
		return
	}
	if to, ok := s.begin(column, kind); ok {
		*to = append(binary.AppendUvarint(*to, uint64(len(text))), text...)
	}
}

// Shared adds a cell with a text of [Book.Strings].
func (s *Sheet) Shared(column int, kind Kind, index int) {
	if s.book.Strings.At(index) == "" {
		return
	}
	if to, ok := s.begin(column, kind|sharedFlag); ok {
		*to = binary.AppendUvarint(*to, uint64(index)) //nolint:gosec // not negative
	}
}

// begin packs the place and kind of a cell, and returns what its text goes to:
// the column's distance, the kind, then the text's length and bytes, or the
// number of a shared text.
func (s *Sheet) begin(column int, kind Kind) (to *[]byte, ok bool) {
	if column < 0 || column >= maxColumn || s.current.number >= maxRow || s.full {
		return nil, false
	}
	if s.hiddenColumns.has(column) {
		s.lost = true
		if len(s.veil) > maxVeil {
			return nil, false
		}
		s.veil = append(binary.AppendUvarint(s.veil, place(int(s.current.number), column)), byte(kind))
		return &s.veil, true
	}
	if column <= s.last {
		if len(s.late) >= maxColumn {
			return nil, false
		}
		s.late = append(s.late, late{column: column, packed: []byte{byte(kind)}})
		return &s.late[len(s.late)-1].packed, true
	}
	s.packed = append(binary.AppendUvarint(s.packed, uint64(column-s.last)), byte(kind)) //nolint:gosec // positive
	s.last = column
	return &s.packed, true
}

// endRow puts the row that is open to the others.
func (s *Sheet) endRow() {
	if len(s.packed) == 0 {
		return
	}
	if len(s.late) > 0 {
		s.insert()
	}
	s.size += len(s.packed)
	if s.book.text += len(s.packed) + 32; s.book.text > maxText {
		s.full = true
		s.packed = s.packed[:0]
		s.book.truncate()
		return
	}
	n := len(s.chunks)
	if n == 0 || cap(s.chunks[n-1])-len(s.chunks[n-1]) < len(s.packed) {
		// Small sheets are many: the first chunks are small.
		s.chunks = append(s.chunks, make([]byte, 0, max(len(s.packed), min(s.size*2, 256<<10))))
		n++
	}
	chunk := &s.chunks[n-1]
	s.current.chunk, s.current.from = uint32(n-1), uint32(len(*chunk)) //nolint:gosec // below maxText
	*chunk = append(*chunk, s.packed...)
	s.current.to = uint32(len(*chunk)) //nolint:gosec // below maxText
	if k := len(s.rows); k > 0 && s.rows[k-1].number >= s.current.number {
		s.strayed = true
	}
	s.rows = append(s.rows, s.current)
	s.packed = s.packed[:0]
}

// insert sorts late cells into the row that is open.
func (s *Sheet) insert() {
	all := unpack(make([]late, 0, len(s.late)+16), slices.Clone(s.packed))
	s.pack(append(all, s.late...))
	s.late = s.late[:0]
}

// cellSize returns how long kind and text of a packed cell are.
func cellSize(b []byte) int {
	v, n := binary.Uvarint(b[1:])
	if b[0]&sharedFlag != 0 {
		return 1 + n
	}
	return 1 + n + int(v) //nolint:gosec // the length of what was packed
}

// cell is one cell, unpacked. The text is of the sheet and must not be kept.
type cell struct {
	column int
	kind   Kind
	text   []byte
	shared int // -1 where it has its own text
}

// cells walks the cells of a row from left to right.
type cells struct {
	rest   []byte
	column int
}

func (s *Sheet) cells(r row) cells { return cells{s.chunks[r.chunk][r.from:r.to], -1} }

// next returns the next cell, not ok behind the last.
func (c *cells) next(to *cell) bool {
	b := c.rest
	if len(b) == 0 {
		return false
	}
	step, n := uint64(b[0]), 1
	if step >= 0x80 {
		step, n = binary.Uvarint(b)
	}
	c.column += int(step) //nolint:gosec // below maxColumn
	to.column, to.kind = c.column, Kind(b[n]&^sharedFlag)
	shared := b[n]&sharedFlag != 0
	b = b[n+1:]
	v, n := uint64(b[0]), 1
	if v >= 0x80 {
		v, n = binary.Uvarint(b)
	}
	b = b[n:]
	if shared {
		to.shared, to.text, c.rest = int(v), nil, b //nolint:gosec // was an int
		return true
	}
	to.shared, to.text, c.rest = -1, b[:v], b[v:]
	return true
}

// Filter says that rows of a range may be hidden because a filter is set: they
// stay.
func (s *Sheet) Filter(r Range) {
	if len(s.filters) < maxTables {
		s.filters = append(s.filters, r)
	}
}

// Table declares a table, with or without a head.
func (s *Sheet) Table(r Range, head bool) {
	if len(s.tables) < maxTables {
		s.tables, s.headless = append(s.tables, r), append(s.headless, !head)
	}
}

// Link makes the cells of a range a link.
func (s *Sheet) Link(r Range, href string) {
	if href != "" && len(s.links) < maxRanges {
		s.links = append(s.links, link{r, href})
	}
}

// hyperlink is a formula that makes its cell a link to an address that it has
// itself.
var hyperlink = regexp.MustCompile(`(?i)^HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,;)]`)

// Linked returns where a formula leads, "" where that has to be computed or is
// a place in the workbook.
func Linked(formula string) string {
	m := hyperlink.FindStringSubmatch(formula)
	if m == nil || strings.HasPrefix(m[1], "#") || !strings.Contains(m[1], ":") {
		return ""
	}
	return strings.ReplaceAll(m[1], `""`, `"`)
}
