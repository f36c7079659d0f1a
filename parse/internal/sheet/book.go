// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// Bounds on a workbook.
const (
	maxRow         = 1 << 20   // rows of a sheet
	maxColumn      = 1 << 14   // columns of a sheet
	maxSlots       = 4_000_000 // cell positions in all tables of a workbook
	maxText        = 64 << 20  // bytes of all cells of a workbook; a shared text counts for each cell
	maxHiddenBytes = 16 << 20  // bytes of cells in hidden columns, which merged ranges may show
	maxStrings     = 4_000_000
	maxShared      = 48 << 20 // bytes of shared texts, unless they are selected
	maxRanges      = 65_536   // merged ranges, links or comments of a sheet
	maxArea        = 400_000  // cells that merged ranges of a sheet cover
	gridCells      = 50_000   // cells from which a table is written as a grid
	lateCells      = 1000     // replaces gridCells when a table would leave less than half of the nodes
	maxTables      = 32       // tables of a sheet
	maxPieces      = 32       // column pieces of a block
)

// Warning codes.
const (
	WarnHiddenSheet  = "hidden-sheet"
	WarnHiddenRow    = "hidden-row"
	WarnHiddenColumn = "hidden-column"
	WarnHiddenText   = "hidden-text"
	WarnTruncated    = "truncated"
)

// Book is a workbook whose sheets are written into Body one after another.
// It is not safe for concurrent use.
type Book struct {
	B       doctree.Builder
	Doc     *doctree.Document
	Body    *html.Node
	Nodes   int            // limit on the nodes of the tree
	Cells   int            // limit on the cells of its tables, blank ones included; zero means 4,000,000
	Hidden  doctree.Hidden // how hidden sheets, rows, columns and values are handled
	Strings Strings
	Formats Formats

	notes doctree.Notes
	ids   doctree.IDs
	slots int
	text  int // bytes

	unseen        int  // the number of a hidden sheet that is kept
	cut           bool // something was left out because of a limit
	rows, cutRows int  // number of rows with cells, and of those that were left out
	sheets        int  // number of sheets that were not read
	unstruck      int  // number of cells that are struck through and are not shown so
	textless      int  // number of cells whose shared text is missing
}

// Begin creates the tree of a document of a kind. Doc.Meta must be set
// before.
func (b *Book) Begin(kind string) { b.Body = b.Doc.Begin(&b.B, kind) }

// Sheet begins the sheet with a name. n is its number in the workbook, from
// 1.
func (b *Book) Sheet(n int, name string) *Sheet {
	b.Doc.Meta.Pages++
	section := b.B.Append(b.Body, atom.Section, "data-sheet", name)
	if b.unseen == n {
		b.Hidden.Mark(section)
	}
	if name != "" {
		b.B.Text(b.B.Append(section, atom.H2, "id", b.ids.Make(name)), name)
	}
	return &Sheet{Node: section, book: b, number: n, last: -1}
}

// Hide must be called if sheet n is hidden. It reports whether the sheet is left
// out, and if so, adds a warning that names it.
func (b *Book) Hide(n int, name string) bool {
	if b.Hidden != doctree.HiddenDropped {
		b.unseen = n
		return false
	}
	b.Doc.Warn(WarnHiddenSheet, n, "The sheet "+strconv.Quote(doctree.Clean(name))+" is hidden and was left out.")
	return true
}

// OmitMacros adds a warning that sheet n, called name, has macros or a dialog instead of
// cells, and is left out.
func (b *Book) OmitMacros(n int, name string) {
	b.Doc.Warn(WarnHiddenSheet, n, "The sheet "+strconv.Quote(doctree.Clean(name))+" has macros or a dialog instead of cells, and was left out.")
}

// Skip counts sheets that are not read because a limit is reached.
func (b *Book) Skip(sheets int) {
	b.sheets += sheets
	b.cut = true
}

// End writes the notes after all sheets, and a warning with the number of rows
// and sheets that were left out because of limits.
func (b *Book) End() {
	b.notes.Write(&b.B, b.Body)
	if b.textless > 0 {
		b.Doc.Warn("part-unreadable", 0, counted(b.textless, "cell refers to a text that the file does not have", "cells refer to texts that the file does not have")+", because the file does not have the shared text or could not be read up to it.")
	}
	b.Doc.WarnCovered()
	b.Doc.WarnHidden(b.Strings.Guides, "Phonetic guides, which say how a text is read aloud, were left out")
	b.Doc.WarnCount("part-unreadable", 0, "Cells that are struck through, wholly or in part, and are shown without it", b.unstruck+b.Strings.Struck)
	if !b.cut {
		return
	}
	text := "The workbook is too large."
	if b.cutRows > 0 {
		text += fmt.Sprintf(" %d of its %d rows with cells were left out.", b.cutRows, b.rows)
	}
	if b.sheets > 0 {
		text += " " + counted(b.sheets, "sheet was not read.", "sheets were not read.")
	}
	b.Doc.Warn(WarnTruncated, 0, text)
}

// counted returns "1 one" or "n many".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// maxSlots returns the maximum number of cells in the tables of the workbook.
func (b *Book) maxSlots() int {
	if b.Cells == 0 {
		return maxSlots
	}
	return b.Cells
}

// maxText returns the maximum number of bytes that the cells of the workbook
// take. It grows with the limit on cells.
func (b *Book) maxText() int {
	if b.Cells <= maxSlots {
		return maxText
	}
	return int(min(int64(maxText/maxSlots)*int64(b.Cells), math.MaxInt32))
}

// Room reports whether more nodes may be added to the tree. If not, it adds
// a warning.
func (b *Book) Room() bool {
	if b.B.Count() < b.Nodes && b.slots < b.maxSlots() {
		return true
	}
	b.truncate()
	return false
}

func (b *Book) truncate() { b.cut = true }

// isGrid reports whether a table with this number of cell positions is
// written as a grid.
func (b *Book) isGrid(slots int) bool {
	return slots > gridCells || slots > lateCells && b.B.Count()+2*slots > b.Nodes/2
}

// Range is a rectangle of cells. Rows and columns count from 0, and all
// bounds are inclusive.
type Range struct{ Row, Column, LastRow, LastColumn int }

// ParseRange parses "B3:F40" or "B3", also with dollar signs and with the
// name of a sheet before it.
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

// parseCell parses "B3".
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

// Address returns the reference of a cell, such as "B3".
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

// has reports whether the range contains a cell.
func (r Range) has(row, column int) bool {
	return row >= r.Row && row <= r.LastRow && column >= r.Column && column <= r.LastColumn
}

// clean returns text as valid UTF-8 without control characters except tabs
// and newlines.
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
	if bytes.IndexByte(text, '\r') >= 0 { // some programs end lines with only a carriage return
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
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
