// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"cmp"
	"context"
	"slices"

	"example.com/curlew/internal/sorting"
)

// block is a part of a sheet that becomes a table: a range of rows, by
// index, and of columns. All bounds are inclusive.
type block struct {
	first, last int  // indexes of rows
	left, right int  // columns
	table       int  // index of the declared table, or -1
	lone        bool // the block has a single cell
}

// shape describes one row within a block.
type shape struct {
	index       int  // of the row
	number, end int  // rows that its cells cover
	left, right int  // columns
	count       int  // number of cells
	texts       int  // number of cells with text
	across      bool // a cell spans several columns
	whole       bool // no cell of the row is outside the block
}

// Close writes the content of the sheet. The error is the cause that ended ctx,
// or it wraps [zipxml.ErrLimit].
func (s *Sheet) Close(ctx context.Context) error {
	s.endRow()
	s.order()
	for _, f := range s.filters {
		s.hiddenRows.remove(max(0, f.Row), f.LastRow)
	}
	moved := s.trimHiddenMerges()
	s.show()
	if n := s.lost.count(); n > 0 {
		s.book.Doc.Warn(WarnHiddenColumn, s.number, counted(n, "column that the sheet hides was left out.", "columns that the sheet hides were left out."))
	}
	if s.hides > 0 {
		s.book.Doc.Warn(WarnHiddenText, s.number, counted(s.hides, "value that its number format hides was left out.", "values that their number formats hide were left out."))
	}
	l := layout{Sheet: s, ctx: ctx, moved: moved}
	if len(s.hiddenRows) > 0 {
		l.seen = s.hiddenRows.gaps()
	}
	l.overlay()
	for _, b := range l.blocks() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if !s.book.Room() {
			s.book.cutRows += b.last - b.first + 1
			continue
		}
		if err := l.write(b); err != nil {
			return err
		}
	}
	l.rest()
	if s.misplaced > 0 {
		s.book.Doc.Warn("part-unreadable", s.number, counted(s.misplaced, "cell or row was left out, because another one has its place or it is outside of a sheet.", "cells or rows were left out, because others have their places or they are outside of a sheet."))
	}
	s.margins.Write(s.Node)
	s.texts, s.patterns, s.rows = texts{}, nil, nil
	return nil
}

// order sorts the rows if they came out of order. If several rows have the same
// number, it keeps only the first.
func (s *Sheet) order() {
	if !s.strayed {
		return
	}
	sorting.Stable(s.rows, func(a, b row) int { return cmp.Compare(a.number, b.number) })
	all := len(s.rows)
	s.rows = slices.CompactFunc(s.rows, func(a, b row) bool { return a.number == b.number })
	s.misplaced += all - len(s.rows)
}

// show drops hidden rows, except those that a filter hides.
func (s *Sheet) show() {
	all := len(s.rows)
	s.rows = sorting.Without(s.rows, func(r row) bool { return s.hiddenRows.has(int(r.number)) })
	if n := all - len(s.rows); n > 0 {
		s.book.Doc.Warn(WarnHiddenRow, s.number, counted(n, "row that the sheet hides was left out.", "rows that the sheet hides were left out."))
	}
}

// blocks divides the sheet into blocks, sorted by first row, then by column.
func (l *layout) blocks() []block {
	var all []block
	for i, t := range l.tables {
		first, _ := slices.BinarySearchFunc(l.rows, t.Row, byNumber)
		last, _ := slices.BinarySearchFunc(l.rows, t.LastRow+1, byNumber)
		if first < last {
			all = append(all, block{first: first, last: last - 1, left: t.Column, right: t.LastColumn, table: i})
		}
	}
	if len(l.rows) > 0 {
		all = l.cut(all, block{last: len(l.rows) - 1, right: maxColumn - 1, table: -1}, 0)
	}
	sorting.Stable(all, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.left, b.left))
	})
	return all
}

func byNumber(r row, n int) int { return cmp.Compare(int(r.number), n) }

// cut appends the blocks of a region to all. It divides the region into
// bands of rows, these into columns, and the results into rows again.
func (l *layout) cut(all []block, region block, depth int) []block {
	shapes := l.shapes(region)
	if depth == 0 {
		defer func(s []shape) { l.spare = s }(shapes)
	}
	for len(shapes) > 0 {
		n := l.band(shapes)
		b := block{first: shapes[0].index, last: shapes[n-1].index, left: maxColumn, table: -1}
		count := 0
		for _, s := range shapes[:n] {
			b.left, b.right = min(b.left, s.left), max(b.right, s.right)
			count += s.count
		}
		b.lone = count == 1
		shapes = shapes[n:]
		pieces := []Range{{Column: b.left, LastColumn: b.right}}
		if depth < 3 && b.right-b.left > 2 {
			pieces = l.pieces(b)
		}
		if len(pieces) == 1 {
			all = append(all, b)
			continue
		}
		for _, p := range pieces {
			all = l.cut(all, block{first: b.first, last: b.last, left: p.Column, right: p.LastColumn}, depth+1)
		}
	}
	return all
}

// shapes describes the rows of a region. Rows without cells are left out.
func (l *layout) shapes(region block) []shape {
	shapes := l.spare[:0]
	l.spare = nil
	if n := min(region.last-region.first+1, len(l.rows)); cap(shapes) < n {
		shapes = make([]shape, 0, n)
	}
	var c cell
	for i := region.first; i <= region.last; i++ {
		r := l.rows[i]
		number := int(r.number)
		s := shape{index: i, number: number, end: number, left: maxColumn, right: -1, whole: true}
		claims := l.claims(number)
		for walk := l.places(r); walk.next(&c); {
			if c.column > region.right {
				s.whole = false
				break
			}
			if c.column < region.left || claims && l.claimed(number, c.column) {
				s.whole = false
				continue
			}
			if s.count == 0 {
				s.left = c.column
			}
			s.count++
			s.right = max(s.right, c.column)
			if c.kind == Text {
				s.texts++
			}
			if len(l.spans) > 0 {
				if m, ok := l.spans[place(number, c.column)]; ok {
					s.right = max(s.right, min(m.LastColumn, region.right))
					s.end = max(s.end, m.LastRow)
					s.across = s.across || m.LastColumn > c.column
				}
			}
		}
		if s.count > 0 {
			shapes = append(shapes, s)
		}
	}
	return shapes
}

// band returns how many rows belong together. Two empty rows end a band. One
// empty row ends it after a single text, before a new header that is
// wider than the rows above or follows a row with values, and before notes. No empty row is
// needed if a row shares no column with those above. Hidden rows are
// ignored.
func (l *layout) band(shapes []shape) int {
	end, wide := shapes[0].end, shapes[0].count > 1
	left, right := shapes[0].left, shapes[0].right
	for i := 1; i < len(shapes); i++ {
		s := shapes[i]
		gap := l.between(end, s.number)
		switch {
		case gap >= 2:
			return i
		case gap == 1 && (!wide || l.begins(shapes[i:]) && (shapes[i-1].texts < shapes[i-1].count || s.right-s.left > right-left) || l.areNotes(shapes, i, left)):
			return i
		case gap >= 0 && (s.left > right || s.right < left):
			return i
		}
		left, right = min(left, s.left), max(right, s.right)
		end = max(end, s.end)
		wide = wide || s.count > 1
	}
	return len(shapes)
}

// areNotes reports whether the rows from i on are notes below a table: single texts at its
// left edge with nothing behind them, the first of which is longer than the cells above.
func (l *layout) areNotes(shapes []shape, i, left int) bool {
	const most, above = 20, 100 // rows that are looked at
	for n := i; n < len(shapes) && l.between(shapes[n-1].end, shapes[n].number) < 2; n++ {
		if s := shapes[n]; n-i == most || s.count > 1 || s.texts == 0 || s.left != left {
			return false
		}
	}
	size := l.length(shapes[i], left)
	return !slices.ContainsFunc(shapes[max(0, i-above):i], func(s shape) bool { return l.length(s, left) >= size })
}

// length returns the length of the text in a column of a row.
func (l *layout) length(s shape, column int) int {
	var c cell
	for walk := l.cells(l.rows[s.index]); walk.next(&c); {
		if c.column == column {
			return len(c.text)
		}
	}
	return 0
}

// between returns the number of visible rows between two rows, at most 2. It
// is negative if the rows overlap.
func (l *layout) between(last, next int) int {
	if last >= next-1 || l.seen == nil {
		return min(next-last-1, 2)
	}
	n := 0
	for row := l.seen(last + 1); row < next && n < 2; row = l.seen(row + 1) {
		n++
	}
	return n
}

// begins reports whether rows look like the start of a table: rows of texts
// above a row with other values.
func (l *layout) begins(shapes []shape) bool {
	n := l.heads(shapes)
	return n > 0 && shapes[0].count > 1 && l.between(shapes[n-1].number, shapes[n].number) == 0 && shapes[n].texts < shapes[n].count
}

const maxHeads = 3 // rows

// heads returns the number of header rows of a table. The header is the
// first row, if it has only texts, with the rows that its cells span, and
// one more row that divides columns spanned by the first.
func (l *layout) heads(shapes []shape) int {
	n, end := 0, shapes[0].number
	for n < len(shapes) && shapes[n].number <= end {
		s := shapes[n]
		if s.texts < s.count || n == maxHeads {
			return 0
		}
		end = max(end, s.end)
		n++
	}
	if n == len(shapes) {
		return 0
	}
	if n == 1 && shapes[0].across && shapes[0].count > 1 && n+1 < len(shapes) {
		below, next := shapes[1], shapes[2]
		if below.texts == below.count && below.end == below.number && l.between(end, below.number) == 0 && next.texts < next.count {
			n++
		}
	}
	return n
}

// pieces returns the columns of a block, divided where at least two visible
// columns are empty.
func (l *layout) pieces(b block) []Range {
	used := l.used(b)
	var pieces []Range
	from, last := -1, -1 // of the current piece
	empty := 0
	for i, u := range used {
		switch {
		case u && from < 0:
			from, last = i, i
		case u && empty >= 2:
			pieces = append(pieces, Range{Column: b.left + from, LastColumn: b.left + last})
			from, last = i, i
		case u:
			last = i
		case !l.hiddenColumns.has(b.left + i):
			empty++
			continue
		default:
			continue
		}
		empty = 0
	}
	if from >= 0 {
		pieces = append(pieces, Range{Column: b.left + from, LastColumn: b.left + last})
	}
	if len(pieces) > maxPieces || len(pieces) == 0 {
		return []Range{{Column: b.left, LastColumn: b.right}}
	}
	return l.joined(b, pieces, used)
}

// maxBlank is how many empty columns may divide a value from its label.
const maxBlank = 12

// joined joins pieces that only look divided: a single column of values, or of
// labels, belongs to the cells in the same rows, even if the columns between them
// are empty.
func (l *layout) joined(b block, pieces []Range, used []bool) []Range {
	wide := func(p Range) bool {
		n := 0
		for c := p.Column; c <= p.LastColumn; c++ {
			if used[c-b.left] {
				n++
			}
		}
		return n > 1
	}
	shared := l.shared(b, pieces)
	out := pieces[:1]
	for i, p := range pieces[1:] {
		last := &out[len(out)-1]
		if !shared[i] || wide(*last) && wide(p) || p.Column-last.LastColumn-1 > maxBlank {
			out = append(out, p)
			continue
		}
		last.LastColumn = p.LastColumn
	}
	return out
}

// shared reports for each piece but the last whether one row has cells of it and of
// the next piece.
func (l *layout) shared(b block, pieces []Range) []bool {
	shared := make([]bool, len(pieces)-1)
	var c cell
	for i := b.first; i <= b.last; i++ {
		claims := l.claims(int(l.rows[i].number))
		at, before := 0, -2 // the current piece, and that of the last cell
		for walk := l.places(l.rows[i]); walk.next(&c); {
			if c.column < b.left || c.column > b.right || claims && l.claimed(int(l.rows[i].number), c.column) {
				continue
			}
			for at < len(pieces)-1 && c.column > pieces[at].LastColumn {
				at++
			}
			if before == at-1 {
				shared[before] = true
			}
			before = at
		}
	}
	return shared
}

// used returns which columns of a block have cells or are covered by one.
func (l *layout) used(b block) []bool {
	used := make([]bool, b.right-b.left+1)
	var c cell
	for i := b.first; i <= b.last; i++ {
		number := int(l.rows[i].number)
		claims := l.claims(number)
		for walk := l.places(l.rows[i]); walk.next(&c); {
			if c.column < b.left || c.column > b.right || claims && l.claimed(number, c.column) {
				continue
			}
			used[c.column-b.left] = true
			if len(walk.pattern) == 0 && c.column == b.left {
				continue // a title above tables that may stand side by side
			}
			if m, ok := l.spans[place(number, c.column)]; ok {
				for x := c.column; x <= min(m.LastColumn, b.right); x++ {
					used[x-b.left] = true
				}
			}
		}
	}
	return used
}
