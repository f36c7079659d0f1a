// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"regexp"
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

// Sheet collects the content of one sheet. Rows and columns count from 0.
type Sheet struct {
	Node *html.Node // section of the sheet; more may be appended after [Sheet.Close]

	book    *Book
	number  int
	margins doctree.Running // printed headers and footers

	rows      []row
	texts     texts  // of the rows
	patterns  []byte // of the rows, see [row]
	current   row
	line      []byte // text of the current row
	pattern   []byte // pattern of the current row
	last      int    // column of its last cell
	late      []cell // cells that came after a cell to their right
	lateSize  int    // bytes of their texts
	count     int    // cells in visible columns
	strayed   bool   // rows came out of order
	far       bool   // a row has a gap whose separators are left out
	full      bool
	cutRow    uint32 // the last row left out because of the limit, plus 1
	misplaced int    // cells and rows whose place is taken or outside of a sheet
	hides     int    // number of values hidden by their number format
	shown     []byte // buffer for a formatted number

	hiddenRows, hiddenColumns set
	markedRows, markedColumns set // hidden ones that are kept

	lost        set    // hidden columns that have cells
	hiddenCells []byte // the cells in these columns, each as place, kind, length and text

	merges, filters, tables []Range
	headless                []bool // by table
	links                   []link
	struck                  map[uint64]bool // cells whose text is struck through
	comments                []comment
	latest                  map[uint64]int // index of the latest comment of each cell
	remarks                 int            // number of comments and replies
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

// Strike says that the text of a cell of the current row is struck through.
func (s *Sheet) Strike(column int) {
	switch {
	case column < 0 || column >= maxColumn || s.current.number >= maxRow:
		return
	case len(s.struck) >= maxRanges:
		s.book.unstruck++
		return
	case s.struck == nil:
		s.struck = map[uint64]bool{}
	}
	s.struck[place(int(s.current.number), column)] = true
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
