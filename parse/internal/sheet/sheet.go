// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
)

// Kind is the type of a cell's value.
type Kind uint8

// The kinds of cells.
const (
	Text Kind = iota
	Number
	Date
	Bool
	Error
)

const sharedFlag = 0x80 // flag of a kind: the text is a shared one

// Sheet collects the content of one sheet. Rows and columns count from 0.
type Sheet struct {
	Node *html.Node // section of the sheet; more may be appended after [Sheet.Close]

	book    *Book
	number  int
	margins doctree.Running // printed headers and footers

	chunks  [][]byte // packed cells of all rows, see [Sheet.Cell]
	size    int
	rows    []row
	packed  []byte // packed cells of the current row
	current row
	last    int // column of its last cell
	count   int // cells in visible columns
	late    []late
	strayed bool // rows came out of order
	full    bool
	cutRow  uint32 // the last row left out because of the limit, plus 1
	hides   int    // number of values hidden by their number format
	shown   []byte // buffer for a formatted number

	hiddenRows, hiddenColumns set
	markedRows, markedColumns set // hidden ones that are kept

	lost        set    // hidden columns that have cells
	hiddenCells []byte // the cells in these columns, packed, each with its position

	merges, filters, tables []Range
	headless                []bool // by table
	links                   []link
	comments                []comment
	latest                  map[uint64]int // index of the latest comment of each cell
	remarks                 int            // number of comments and replies
}

// row is the location of the packed cells of a row.
type row struct {
	number, chunk, from, to uint32
}

// late is a cell that came after a cell to its right.
type late struct {
	column int
	packed []byte
}

type link struct {
	Range
	href string
}

// HideColumns marks columns as hidden. Call it before adding cells.
func (s *Sheet) HideColumns(first, last int) {
	if first < 0 || first >= maxColumn {
		return
	}
	switch s.book.Hidden {
	case doctree.HiddenMarked:
		s.markedColumns.add(first, min(last, maxColumn-1))
	case doctree.HiddenKept:
	case doctree.HiddenDropped:
		s.hiddenColumns.add(first, min(last, maxColumn-1))
	}
}

// HideRows marks rows as hidden, including rows without cells.
func (s *Sheet) HideRows(first, last int) {
	if first < 0 || first >= maxRow {
		return
	}
	switch s.book.Hidden {
	case doctree.HiddenMarked:
		s.markedRows.add(first, min(last, maxRow-1))
	case doctree.HiddenKept:
	case doctree.HiddenDropped:
		s.hiddenRows.add(first, min(last, maxRow-1))
	}
}

// Row begins a row.
func (s *Sheet) Row(number int, hidden bool) {
	s.endRow()
	if number < 0 || number >= maxRow {
		number = maxRow // a row with this number is dropped
	}
	if hidden {
		s.HideRows(number, number)
	}
	s.current = row{number: uint32(number)}
	s.last = -1
}

// Cell adds a cell to the current row. A cell without text is ignored.
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

// begin packs the place and kind of a cell and returns the buffer for its
// text. A packed cell is the distance from the last column, the kind, and
// either the length and bytes of the text or the index of a shared text.
func (s *Sheet) begin(column int, kind Kind) (to *[]byte, ok bool) {
	if column < 0 || column >= maxColumn || s.current.number >= maxRow {
		return nil, false
	}
	if s.full {
		if s.cutRow != s.current.number+1 {
			s.cutRow = s.current.number + 1
			s.book.rows++
			s.book.cutRows++
		}
		return nil, false
	}
	if s.hiddenColumns.has(column) {
		s.lost.add(column, column)
		if len(s.hiddenCells) > maxHiddenBytes {
			return nil, false
		}
		s.hiddenCells = append(binary.AppendUvarint(s.hiddenCells, place(int(s.current.number), column)), byte(kind))
		return &s.hiddenCells, true
	}
	s.count++
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

// endRow stores the current row.
func (s *Sheet) endRow() {
	if len(s.packed) == 0 {
		return
	}
	if len(s.late) > 0 {
		s.insert()
	}
	s.size += len(s.packed)
	s.book.rows++
	if s.book.text += len(s.packed) + 32; s.book.text > s.book.maxText() {
		s.full = true
		s.book.cutRows++
		s.cutRow = s.current.number + 1
		s.packed = s.packed[:0]
		s.book.truncate()
		return
	}
	n := len(s.chunks)
	if n == 0 || cap(s.chunks[n-1])-len(s.chunks[n-1]) < len(s.packed) {
		// Many sheets are small, so the first chunks are small.
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

// insert sorts late cells into the current row.
func (s *Sheet) insert() {
	all := unpack(make([]late, 0, len(s.late)+16), slices.Clone(s.packed))
	s.pack(append(all, s.late...))
	s.late = s.late[:0]
}

// cellSize returns the length of the kind and text of a packed cell.
func cellSize(b []byte) int {
	v, n := binary.Uvarint(b[1:])
	if b[0]&sharedFlag != 0 {
		return 1 + n
	}
	return 1 + n + int(v) //nolint:gosec // the length of what was packed
}

// cell is an unpacked cell. Its text belongs to the sheet and must not be
// kept.
type cell struct {
	column int
	kind   Kind
	text   []byte
	shared int // index of a shared text, or -1
}

// cells iterates over the cells of a row from left to right.
type cells struct {
	rest   []byte
	column int
}

func (s *Sheet) cells(r row) cells { return cells{s.chunks[r.chunk][r.from:r.to], -1} }

// next returns the next cell. It returns false after the last one.
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

// Filter marks a range with a filter. Hidden rows in it are kept.
func (s *Sheet) Filter(r Range) {
	if len(s.filters) < maxTables {
		s.filters = append(s.filters, r)
	}
}

// Table declares a table with or without a header.
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

// hyperlink matches a HYPERLINK formula with a literal URL.
var hyperlink = regexp.MustCompile(`(?i)^HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,;)]`)

// Linked returns the target of a HYPERLINK formula. It returns "" if the
// target must be computed or is inside the workbook.
func Linked(formula string) string {
	m := hyperlink.FindStringSubmatch(formula)
	if m == nil || strings.HasPrefix(m[1], "#") || !strings.Contains(m[1], ":") {
		return ""
	}
	return strings.ReplaceAll(m[1], `""`, `"`)
}
