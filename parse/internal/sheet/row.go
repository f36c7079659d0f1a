// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/sorting"
)

// row is the place of a row's cells. Its text has the texts of the cells from column A
// on in the form of [doctree.Grid], so that a large table needs no second copy of it.
// Its pattern has the distance of each cell from the one before, and its kind. Most
// rows share the pattern of the row above.
type row struct {
	number   uint32
	at, size uint32 // its text, see [texts]
	pattern  uint32 // index of its pattern in Sheet.patterns, where its length is before it
}

// cell is a cell of a row.
type cell struct {
	column int
	kind   Kind
	text   string
}

// maxGap is how many empty cells may be between two cells of a row. A larger gap has no
// more separators than none, so that a few cells far apart take no space.
const maxGap = 64

// separators returns how many separators are between the cells of two columns of a
// row. last is -1 for the first cell.
func separators(last, column int) int {
	if n := column - max(last, 0); n <= maxGap {
		return n
	}
	return min(last+1, 1)
}

// Cell adds a cell to the current row. A cell without text is ignored.
func (s *Sheet) Cell(column int, kind Kind, text []byte) { s.addCell(column, kind, clean(text)) }

// Shared adds a cell with a text of [Book.Strings].
func (s *Sheet) Shared(column int, kind Kind, index int) {
	s.shown = append(s.shown[:0], s.book.Strings.At(index)...)
	s.addCell(column, kind, s.shown)
}

// addCell adds a cell with a text without control characters.
func (s *Sheet) addCell(column int, kind Kind, text []byte) {
	switch {
	case len(text) == 0:
	case column < 0 || column >= maxColumn || s.current.number >= maxRow:
		s.misplaced++
	case s.full:
		if s.cutRow != s.current.number+1 {
			s.cutRow = s.current.number + 1
			s.book.rows++
			s.book.cutRows++
		}
	case s.hiddenColumns.has(column):
		s.lost.add(column, column)
		if len(s.hiddenCells)+len(text) <= maxHiddenBytes {
			s.hiddenCells = append(binary.AppendUvarint(s.hiddenCells, place(int(s.current.number), column)), byte(kind))
			s.hiddenCells = append(binary.AppendUvarint(s.hiddenCells, uint64(len(text))), text...)
		}
	case s.book.text+len(s.line)+s.lateSize+len(text) > s.book.maxText():
		s.cut()
	case column > s.last:
		s.count++
		s.appendCell(column, kind, text)
	case len(s.late) < maxColumn:
		s.count++
		s.lateSize += len(text)
		s.late = append(s.late, cell{column, kind, string(text)})
	default:
		s.misplaced++
	}
}

// appendCell appends a cell to the current row, behind all others.
func (s *Sheet) appendCell(column int, kind Kind, text []byte) {
	n := separators(s.last, column)
	s.far = s.far || n < column-max(s.last, 0)
	for range n {
		s.line = append(s.line, doctree.GridEnd)
	}
	s.line = append(s.line, text...)
	s.pattern = append(binary.AppendUvarint(s.pattern, uint64(column-s.last)), byte(kind)) //nolint:gosec // positive
	s.last = column
}

// cut leaves out the current row and all after it, because the workbook has too much
// text.
func (s *Sheet) cut() {
	s.full, s.cutRow = true, s.current.number+1
	s.book.rows++
	s.book.cutRows++
	s.book.truncate()
	s.clear()
}

// clear removes the cells of the current row.
func (s *Sheet) clear() {
	s.line, s.pattern, s.late, s.lateSize, s.last = s.line[:0], s.pattern[:0], s.late[:0], 0, -1
}

// endRow stores the current row.
func (s *Sheet) endRow() {
	if len(s.late) > 0 {
		s.insert()
	}
	if len(s.pattern) == 0 {
		return
	}
	s.line = append(s.line, doctree.GridRowEnd)
	if s.book.text += len(s.line) + 32; s.book.text > s.book.maxText() {
		s.cut()
		return
	}
	s.book.rows++
	r := row{number: s.current.number, at: s.texts.add(s.line), size: uint32(len(s.line))} //nolint:gosec // below maxText
	if k := len(s.rows); k > 0 {
		r.pattern = s.rows[k-1].pattern
		s.strayed = s.strayed || s.rows[k-1].number >= r.number
	}
	if len(s.rows) == 0 || !bytes.Equal(s.patternOf(r), s.pattern) {
		r.pattern = uint32(len(s.patterns)) //nolint:gosec // as many bytes are counted
		s.patterns = append(binary.AppendUvarint(s.patterns, uint64(len(s.pattern))), s.pattern...)
		s.book.text += len(s.pattern)
	}
	s.rows = append(s.rows, r)
	s.clear()
}

// insert sorts late cells into the current row.
func (s *Sheet) insert() {
	all := unpack(cells{slices.Clone(s.pattern), string(s.line), -1})
	s.misplaced += s.pack(append(all, s.late...))
}

// unpack returns the cells of a row.
func unpack(walk cells) (all []cell) {
	var c cell
	for walk.next(&c) {
		all = append(all, c)
	}
	return all
}

// pack makes cells the current row. If a column has several cells, it keeps only the
// first. It returns how many it left out.
func (s *Sheet) pack(all []cell) (left int) {
	sorting.Stable(all, func(a, b cell) int { return cmp.Compare(a.column, b.column) })
	s.clear()
	for _, c := range all {
		if c.column > s.last {
			s.appendCell(c.column, c.kind, []byte(c.text))
		} else {
			left++
		}
	}
	return left
}

// cells iterates over the cells of a row from left to right.
type cells struct {
	pattern []byte // of the cells that follow
	text    string // of the cells that follow, with the separators before them
	column  int
}

// patternOf returns the pattern of a row.
func (s *Sheet) patternOf(r row) []byte {
	size, n := binary.Uvarint(s.patterns[r.pattern:])
	return s.patterns[r.pattern:][n:][:size]
}

// cells returns the cells of a row.
func (s *Sheet) cells(r row) cells {
	text := s.texts.at(r.at, r.size-1) // without the mark of its end
	return cells{s.patternOf(r), text, -1}
}

// places returns the cells of a row without their texts.
func (s *Sheet) places(r row) cells { return cells{s.patternOf(r), "", -1} }

// next returns the next cell. It returns false after the last one.
func (c *cells) next(to *cell) bool {
	b := c.pattern
	if len(b) == 0 {
		return false
	}
	step, n := uint64(b[0]), 1
	if step >= 0x80 {
		step, n = binary.Uvarint(b)
	}
	to.column, to.kind = c.column+int(step), Kind(b[n]) //nolint:gosec // below maxColumn
	c.pattern = b[n+1:]
	if c.text != "" {
		text := c.text[separators(c.column, to.column):]
		end := strings.IndexByte(text, doctree.GridEnd)
		if end < 0 {
			end = len(text)
		}
		to.text, c.text = text[:end], text[end:]
	}
	c.column = to.column
	return true
}

// texts stores texts in chunks, which are never copied to grow.
type texts struct {
	chunks []*strings.Builder
}

// chunkSize is the size of a chunk in bytes. A longer text has a chunk of its own.
const chunkSize = 1 << 20

// add appends a text. It returns its place: the index of its chunk times chunkSize, plus
// its offset.
func (t *texts) add(text []byte) uint32 {
	last := len(t.chunks) - 1
	if last < 0 || t.chunks[last].Len() >= chunkSize || t.chunks[last].Len() > 0 && t.chunks[last].Len()+len(text) > chunkSize {
		t.chunks = append(t.chunks, new(strings.Builder))
		if last++; last > 0 { // most workbooks have few texts
			t.chunks[last].Grow(max(chunkSize, len(text)))
		}
	}
	at := last*chunkSize + t.chunks[last].Len()
	t.chunks[last].Write(text)
	return uint32(at) //nolint:gosec // limits on the texts are far lower
}

// at returns the text of so many bytes at a place.
func (t *texts) at(at, size uint32) string {
	return t.chunks[at/chunkSize].String()[at%chunkSize:][:size]
}
