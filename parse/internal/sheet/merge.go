// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Merge merges the cells of a range. The text of its first cell is shown in
// its first visible cell, as Excel does.
func (s *Sheet) Merge(r Range) {
	if len(s.merges) < maxRanges && (r.LastRow > r.Row || r.LastColumn > r.Column) {
		s.merges = append(s.merges, r)
	}
}

// trimHiddenMerges reduces merged ranges that begin in a hidden row or column to their
// visible part. It moves the texts of their first cells and returns the
// moves, because links and comments must follow. Rows must be sorted.
func (s *Sheet) trimHiddenMerges() (moved map[uint64]uint64) {
	if len(s.merges) == 0 {
		s.hiddenCells = nil
		return nil
	}
	rowFrom, columnFrom := s.hiddenRows.gaps(), s.hiddenColumns.gaps()
	for i := range s.merges {
		m := &s.merges[i]
		if m.Row < 0 || m.Column < 0 || m.Row >= maxRow || m.Column >= maxColumn {
			continue
		}
		row, column := rowFrom(m.Row), columnFrom(m.Column)
		if row == m.Row && column == m.Column || row > m.LastRow || column > m.LastColumn || row >= maxRow || column >= maxColumn {
			continue
		}
		if moved == nil {
			moved = map[uint64]uint64{}
		}
		if from := place(m.Row, m.Column); moved[from] == 0 { // zero means none, because nothing is moved from the first cell of a sheet
			moved[from] = place(row, column)
		}
		m.Row, m.Column = row, column
	}
	if len(moved) > 0 {
		s.put(s.veiled(moved))
		s.order()
	}
	s.hiddenCells = nil
	return moved
}

// veiled returns the hidden cells that move, by their new place.
func (s *Sheet) veiled(moved map[uint64]uint64) map[uint64]cell {
	found := map[uint64]cell{}
	see := func(row, column int, kind Kind, text string) {
		if to, ok := moved[place(row, column)]; ok && found[to].text == "" {
			_, column := parted(to)
			found[to] = cell{column, kind, text}
		}
	}
	for rest := s.hiddenCells; len(rest) > 0; {
		at, n := binary.Uvarint(rest)
		kind := Kind(rest[n])
		size, m := binary.Uvarint(rest[n+1:])
		rest = rest[n+1+m:]
		row, column := parted(at)
		see(row, column, kind, string(rest[:size]))
		rest = rest[size:]
	}
	for _, r := range s.rows {
		if !s.hiddenRows.has(int(r.number)) {
			continue
		}
		var c cell
		for walk := s.cells(r); walk.next(&c); {
			see(int(r.number), c.column, c.kind, c.text)
		}
	}
	return found
}

// put inserts cells into their rows. They replace cells at the same place.
func (s *Sheet) put(cells map[uint64]cell) {
	places := slices.Sorted(maps.Keys(cells))
	sorted := s.rows // new rows are appended
	for len(places) > 0 && !s.full {
		number, _ := parted(places[0])
		at, ok := slices.BinarySearchFunc(sorted, number, byNumber)
		var all []cell
		for ; len(places) > 0; places = places[1:] {
			if row, _ := parted(places[0]); row != number {
				break
			}
			all = append(all, cells[places[0]])
		}
		if ok {
			all = append(all, unpack(s.cells(s.rows[at]))...)
		}
		s.pack(all)
		rows := len(s.rows)
		s.current = row{number: uint32(number)} //nolint:gosec // below maxRow
		if s.endRow(); ok && len(s.rows) > rows {
			s.rows[at], s.rows = s.rows[rows], s.rows[:rows]
		}
	}
}
