// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"cmp"
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

// veiled returns the packed hidden cells that move, by their new place.
func (s *Sheet) veiled(moved map[uint64]uint64) map[uint64][]byte {
	found := map[uint64][]byte{}
	see := func(row, column int, packed []byte) {
		if to, ok := moved[place(row, column)]; ok && found[to] == nil {
			found[to] = packed
		}
	}
	for rest := s.hiddenCells; len(rest) > 0; {
		at, n := binary.Uvarint(rest)
		size := n + cellSize(rest[n:])
		row, column := parted(at)
		see(row, column, rest[n:size])
		rest = rest[size:]
	}
	for _, r := range s.rows {
		if !s.hiddenRows.has(int(r.number)) {
			continue
		}
		for _, c := range unpack(nil, s.chunks[r.chunk][r.from:r.to]) {
			see(int(r.number), c.column, c.packed)
		}
	}
	return found
}

// put inserts packed cells into their rows. They replace cells at the same
// place.
func (s *Sheet) put(cells map[uint64][]byte) {
	places := slices.Sorted(maps.Keys(cells))
	sorted := s.rows // new rows are appended
	for len(places) > 0 && !s.full {
		number, _ := parted(places[0])
		at, ok := slices.BinarySearchFunc(sorted, number, byNumber)
		var all []late
		for ; len(places) > 0; places = places[1:] {
			row, column := parted(places[0])
			if row != number {
				break
			}
			all = append(all, late{column, cells[places[0]]})
		}
		if ok {
			all = unpack(all, s.chunks[s.rows[at].chunk][s.rows[at].from:s.rows[at].to])
		}
		s.pack(all)
		rows := len(s.rows)
		s.current = row{number: uint32(number)} //nolint:gosec // below maxRow
		if s.endRow(); ok && len(s.rows) > rows {
			s.rows[at], s.rows = s.rows[rows], s.rows[:rows]
		}
	}
}

// unpack appends the cells of a packed row to all.
func unpack(all []late, packed []byte) []late {
	column := -1
	for len(packed) > 0 {
		step, n := binary.Uvarint(packed)
		size := n + cellSize(packed[n:])
		column += int(step) //nolint:gosec // below maxColumn
		all = append(all, late{column, packed[n:size]})
		packed = packed[size:]
	}
	return all
}

// pack stores cells as the current row. If a column has several cells, it keeps
// only the first.
func (s *Sheet) pack(all []late) {
	slices.SortStableFunc(all, func(a, b late) int { return cmp.Compare(a.column, b.column) })
	s.packed = s.packed[:0]
	last := -1
	for _, c := range all {
		if c.column == last {
			continue
		}
		s.packed = append(binary.AppendUvarint(s.packed, uint64(c.column-last)), c.packed...) //nolint:gosec // positive
		last = c.column
	}
}
