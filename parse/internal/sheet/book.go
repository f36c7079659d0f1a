// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Bounds of a workbook (parse.md 4.2).
const (
	maxRow     = 1 << 20   // rows of a sheet
	maxColumn  = 1 << 14   // columns
	maxSlots   = 4_000_000 // of the tables of a workbook
	maxText    = 64 << 20  // bytes that the cells of a workbook take, a shared text in each of them
	maxVeil    = 16 << 20  // those of hidden columns, which merged ranges may show
	maxStrings = 4_000_000
	maxShared  = 48 << 20 // bytes of shared texts
	maxRanges  = 65_536   // merged, linked or commented in a sheet
	maxArea    = 400_000  // cells that merged ranges of a sheet cover
	gridCells  = 50_000   // from which on a table is a grid
	lateCells  = 1000     // the same, once the tables before took half of the nodes
	maxTables  = 32       // of a sheet that stand alone
	maxPieces  = 32       // that empty columns cut a block into
)

// Warning codes (parse.md 4.1).
const (
	WarnHiddenSheet  = "hidden-sheet"
	WarnHiddenRow    = "hidden-row"
	WarnHiddenColumn = "hidden-column"
	WarnHiddenText   = "hidden-text"
	WarnTruncated    = "truncated"
)

// Book is a workbook whose sheets are laid out into Body one after another.
// It is not safe for concurrent use.
type Book struct {
	B       doctree.Builder
	Doc     *doctree.Document
	Body    *html.Node
	Nodes   int // of the tree
	Strings Strings
	Formats Formats

	notes doctree.Notes
	ids   doctree.IDs
	slots int
	text  int // bytes
}

// Begin makes the tree of a document of that kind; Doc.Meta has to be there.
func (b *Book) Begin(kind string) { b.Body = b.Doc.Begin(&b.B, kind) }

// Sheet begins the sheet of that name, number n of the workbook, from 1.
func (b *Book) Sheet(n int, name string) *Sheet {
	b.Doc.Meta.Pages++
	section := b.B.Append(b.Body, atom.Section, "data-sheet", name)
	if name != "" {
		b.B.Text(b.B.Append(section, atom.H2, "id", b.ids.Make(name)), name)
	}
	return &Sheet{Node: section, book: b, number: n, last: -1}
}

// Hide warns that the sheet number n is hidden and left out.
func (b *Book) Hide(n int) {
	b.Doc.Warn(WarnHiddenSheet, n, "The sheet is hidden and was left out.")
}

// End writes what stands behind all sheets.
func (b *Book) End() { b.notes.Write(&b.B, b.Body) }

// Room reports whether the tree may grow; a warning says if not.
func (b *Book) Room() bool {
	if b.B.Count() < b.Nodes && b.slots < maxSlots {
		return true
	}
	b.truncate()
	return false
}

func (b *Book) truncate() {
	b.Doc.Warn(WarnTruncated, 0, "The workbook is too large; its end was left out.")
}

// share counts a shared text that a cell shows.
func (b *Book) share(text string) error {
	if b.text += len(text); b.text > maxText {
		return &zipxml.LimitError{Name: "bytes of text", Value: maxText}
	}
	return nil
}

// isGrid reports whether a table of so many slots is one.
func (b *Book) isGrid(slots int) bool {
	return slots > gridCells || slots > lateCells && b.B.Count()+2*slots > b.Nodes/2
}

// Strings are the texts that the cells of a workbook share.
type Strings struct {
	text strings.Builder
	all  string
	ends []uint32
}

// Add appends a text. The error wraps [zipxml.ErrLimit].
func (s *Strings) Add(text []byte) error {
	if len(s.ends) >= maxStrings || s.text.Len()+len(text) > maxShared {
		return &zipxml.LimitError{Name: "bytes of shared strings", Value: maxShared}
	}
	s.text.Write(clean(text))
	s.ends = append(s.ends, uint32(s.text.Len())) //nolint:gosec // below maxShared
	return nil
}

// At returns text number i, from 0, "" where there is none.
func (s *Strings) At(i int) string {
	if i < 0 || i >= len(s.ends) {
		return ""
	}
	if len(s.all) != s.text.Len() {
		s.all = s.text.String() // does not copy
	}
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.all[from:s.ends[i]]
}

// Range is a rectangle of cells; rows and columns from 0, all included.
type Range struct{ Row, Column, LastRow, LastColumn int }

// ParseRange reads "B3:F40" or "B3", also with dollar signs and the name of a
// sheet before it.
func ParseRange(ref string) (r Range, ok bool) {
	if i := strings.LastIndexByte(ref, '!'); i >= 0 {
		ref = ref[i+1:]
	}
	first, last, two := strings.Cut(strings.TrimSpace(ref), ":")
	if r.Row, r.Column, ok = parseCell(first); !ok {
		return r, false
	}
	r.LastRow, r.LastColumn = r.Row, r.Column
	if two {
		if r.LastRow, r.LastColumn, ok = parseCell(last); !ok || r.LastRow < r.Row || r.LastColumn < r.Column {
			return r, false
		}
	}
	return r, true
}

// parseCell reads "B3".
func parseCell(ref string) (row, column int, ok bool) {
	i := 0
	for ; i < len(ref); i++ {
		switch c := ref[i] | 0x20; {
		case ref[i] == '$':
			continue
		case c >= 'a' && c <= 'z' && column < maxColumn:
			column = column*26 + int(c-'a') + 1
			continue
		}
		break
	}
	n, err := strconv.Atoi(strings.TrimPrefix(ref[i:], "$"))
	return n - 1, column - 1, err == nil && n > 0 && n <= maxRow && column > 0 && column <= maxColumn
}

// Address returns the name of a cell: "B3".
func Address(row, column int) string {
	var letters []byte
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = append([]byte{byte('A' + (n-1)%26)}, letters...)
	}
	return string(letters) + strconv.Itoa(row+1)
}

// String returns "B3:F40", or "B3" for one cell.
func (r Range) String() string {
	first := Address(r.Row, r.Column)
	if r.Row == r.LastRow && r.Column == r.LastColumn {
		return first
	}
	return first + ":" + Address(r.LastRow, r.LastColumn)
}

// has reports whether the range has that cell.
func (r Range) has(row, column int) bool {
	return row >= r.Row && row <= r.LastRow && column >= r.Column && column <= r.LastColumn
}

// clean returns text as cells have it: UTF-8, line ends \n, no other control
// characters but tabs.
func clean(text []byte) []byte {
	plain := true
	for _, c := range text {
		if c < 0x20 && c != '\n' && c != '\t' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if bytes.ContainsFunc(text, control) {
		text = bytes.Map(func(r rune) rune {
			if control(r) {
				return -1
			}
			return r
		}, text)
	}
	return text
}

func control(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' }
