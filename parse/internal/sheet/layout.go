// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
)

// layout writes one sheet.
type layout struct {
	*Sheet
	ctx     context.Context   //nolint:containedctx // of one call of Close
	seen    func(row int) int // returns the first visible row from a row on; nil if no row is hidden
	spans   map[uint64]Range
	covered map[uint64]uint64 // covered cell to the first cell of its range
	moved   map[uint64]uint64 // hidden first cell of a range to the cell that shows its content
	hrefs   map[uint64]string
	notes   map[uint64][]int // indexes of comments
	written []bool           // by comment
	spare   []shape          // memory for the shapes of a region
}

// place returns the key of a cell.
func place(row, column int) uint64 { return uint64(row)<<14 | uint64(column) } //nolint:gosec // not negative

// parted returns the row and the column of a cell key.
func parted(at uint64) (row, column int) { return int(at >> 14), int(at & (maxColumn - 1)) }

// overlay indexes merged ranges, links and comments by cell.
func (l *layout) overlay() {
	last := 0
	if n := len(l.rows); n > 0 {
		last = int(l.rows[n-1].number)
	}
	if len(l.merges) > 0 {
		l.merge(last, l.rightmost())
	}
	if len(l.links) > 0 {
		l.hrefs = map[uint64]string{}
		for _, k := range l.links {
			if len(l.hrefs) > maxArea {
				break
			}
			k.LastRow = min(k.LastRow, last, k.Row+1023)
			k.LastColumn = min(k.LastColumn, k.Column+max(0, 1023/(max(0, k.LastRow-k.Row)+1)))
			each(k.Range, func(at uint64) { l.hrefs[at] = k.href })
		}
		for _, from := range slices.Backward(slices.Sorted(maps.Keys(l.moved))) { // the first range takes precedence
			to := l.moved[from]
			if href, ok := l.hrefs[from]; ok {
				l.hrefs[to] = href
			}
		}
	}
	for from, to := range l.moved {
		if l.struck[from] {
			l.struck[to] = true
		}
	}
	if len(l.comments) > 0 {
		l.notes, l.written = map[uint64][]int{}, make([]bool, len(l.comments))
		for i, c := range l.comments {
			at := place(c.row, c.column)
			at = cmp.Or(l.moved[at], at)
			l.notes[at] = append(l.notes[at], i)
		}
	}
}

// each calls do with the key of each cell of a range.
func each(r Range, do func(at uint64)) {
	for row := r.Row; row <= r.LastRow; row++ {
		for column := r.Column; column <= r.LastColumn; column++ {
			do(place(row, column))
		}
	}
}

// merge records the cells that ranges cover. Ranges end with the used range,
// so the work is bounded by it.
func (l *layout) merge(last, right int) {
	l.spans, l.covered = map[uint64]Range{}, map[uint64]uint64{}
	area := 0
	for i, m := range l.merges {
		m.LastRow, m.LastColumn = min(m.LastRow, last), min(m.LastColumn, right)
		if m.LastRow < m.Row || m.LastColumn < m.Column {
			continue
		}
		if area += (m.LastRow - m.Row + 1) * (m.LastColumn - m.Column + 1); area > maxArea {
			l.book.Doc.Warn(WarnTruncated, l.number, "The sheet has more than "+strconv.Itoa(maxArea)+" merged cells. Ranges that were not merged: "+strconv.Itoa(len(l.merges)-i)+".")
			break
		}
		first := place(m.Row, m.Column)
		if _, ok := l.covered[first]; ok {
			continue
		}
		l.spans[first] = m
		each(m, func(at uint64) {
			if at != first {
				l.covered[at] = first
			}
		})
	}
}

// rightmost returns the last column with a cell.
func (l *layout) rightmost() (right int) {
	var c cell
	for _, r := range l.rows {
		for walk := l.places(r); walk.next(&c); {
			right = max(right, c.column)
		}
	}
	return right
}

// claims reports whether a declared table has cells in a row.
func (l *layout) claims(row int) bool {
	for _, t := range l.tables {
		if row >= t.Row && row <= t.LastRow {
			return true
		}
	}
	return false
}

// claimed reports whether a cell belongs to a declared table.
func (l *layout) claimed(row, column int) bool {
	for _, t := range l.tables {
		if t.has(row, column) {
			return true
		}
	}
	return false
}

// takes reports whether a cell belongs to b and not to a declared table
// inside it.
func (l *layout) takes(b block, row, column int) bool {
	return column >= b.left && column <= b.right && (b.table >= 0 || !l.claimed(row, column))
}

// write writes a block.
func (l *layout) write(b block) error {
	if b.lone {
		l.paragraph(b)
		return nil
	}
	columns := l.columns(b)
	if len(columns) == 0 {
		return nil
	}
	var shapes []shape
	if b.table >= 0 {
		shapes = l.declared(b)
	} else {
		shapes = l.shapes(b)
	}
	defer func(s []shape) { l.spare = s }(shapes)
	if len(shapes) == 0 {
		return nil
	}
	var caption *shape
	if first := shapes[0]; b.table < 0 && (len(shapes) > 2 || len(shapes) == 2 && first.across) && first.count == 1 && first.texts == 1 && shapes[1].count > 1 && first.end == first.number {
		caption, shapes = &first, shapes[1:]
		left, right := maxColumn, 0
		for _, s := range shapes {
			left, right = min(left, s.left), max(right, s.right)
		}
		columns = sorting.Without(columns, func(c int) bool { return c < left || c > right })
	}
	heads := l.heads(shapes)
	if b.table >= 0 {
		heads = min(1, len(shapes))
		if l.headless[b.table] {
			heads = 0
		}
	}
	slots, some := len(shapes)*len(columns), 0
	for _, s := range shapes {
		some += s.count
	}
	t := table{layout: l, block: b, columns: columns, shapes: shapes, heads: heads}
	l.book.slots += slots
	if limit := l.book.maxSlots(); l.book.slots > limit {
		l.book.truncate()
		l.book.slots -= slots
		left := max(1, (limit-l.book.slots)/len(columns))
		t.shapes = shapes[:min(left, len(shapes))]
		l.book.cutRows += len(shapes) - len(t.shapes)
		l.book.slots += len(t.shapes) * len(columns)
	}
	if l.book.isGrid(slots) {
		return t.grid(caption)
	}
	return t.nodes(caption)
}

// declared returns the shapes of a declared table.
func (l *layout) declared(b block) []shape {
	tables := l.tables
	l.tables = nil // its own cells must not be excluded
	shapes := l.shapes(b)
	l.tables = tables
	return shapes
}

// columns returns the visible columns of a block.
func (l *layout) columns(b block) []int {
	columns := make([]int, 0, min(b.right-b.left+1, maxColumn))
	for c := b.left; c <= b.right; c++ {
		if !l.hiddenColumns.has(c) {
			columns = append(columns, c)
		}
	}
	return columns
}

// paragraph writes a block with a single cell.
func (l *layout) paragraph(b block) {
	p := l.book.B.Append(l.Node, atom.P)
	var c cell
	r := l.rows[b.first]
	for walk := l.cells(r); walk.next(&c); {
		if l.takes(b, int(r.number), c.column) {
			l.content(p, int(r.number), c)
			return
		}
	}
}

// content writes the text of a cell, which may be struck through, its link and its
// comments.
func (l *layout) content(into *html.Node, row int, c cell) {
	b := &l.book.B
	to := into
	if href, ok := l.hrefs[place(row, c.column)]; ok {
		to = b.Append(into, atom.A, "href", href)
	}
	if l.struck[place(row, c.column)] {
		to = b.Append(to, atom.S)
	}
	for line, more, ok := strings.Cut(c.text, "\n"); ; line, more, ok = strings.Cut(more, "\n") {
		b.Text(to, strings.TrimSuffix(line, "\r"))
		if !ok || strings.TrimSpace(more) == "" {
			break
		}
		b.Append(to, atom.Br)
	}
	for _, i := range l.notes[place(row, c.column)] {
		into.AppendChild(l.note(i))
	}
}

// table writes one block as a table.
type table struct {
	*layout
	block

	columns []int // visible columns
	shapes  []shape
	heads   int // rows
}

func (t *table) attrs() []string {
	r := Range{t.shapes[0].number, t.columns[0], t.shapes[len(t.shapes)-1].number, t.columns[len(t.columns)-1]}
	return []string{"data-table", "sheet", "data-ref", r.String()}
}

// caption writes the text above a table as its caption.
func (t *table) caption(node *html.Node, s *shape) {
	if s == nil {
		return
	}
	r := t.rows[s.index]
	var c cell
	for walk := t.cells(r); walk.next(&c); {
		if t.takes(t.block, s.number, c.column) {
			t.content(t.book.B.Append(node, atom.Caption), s.number, c)
			return
		}
	}
}

// nodes writes the table with a node for each cell.
func (t *table) nodes(caption *shape) error {
	b := &t.book.B
	node := b.Append(t.Node, atom.Table, t.attrs()...)
	t.caption(node, caption)
	var section *html.Node
	for i, s := range t.shapes {
		if i%256 == 0 && t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		if !t.book.Room() {
			t.book.cutRows += len(t.shapes) - i
			return nil
		}
		tag := atom.Td
		switch {
		case i == 0 && t.heads > 0:
			section, tag = b.Append(node, atom.Thead), atom.Th
		case i < t.heads:
			tag = atom.Th
		case i == t.heads:
			section = b.Append(node, atom.Tbody)
		}
		tr := b.Append(section, atom.Tr)
		if i > 0 && s.number != t.shapes[i-1].number+1 {
			tr.Attr = append(tr.Attr, html.Attribute{Key: "data-row", Val: strconv.Itoa(s.number + 1)})
		}
		if t.markedRows.has(s.number) {
			t.book.Hidden.Mark(tr)
		}
		t.row(tr, tag, i)
	}
	return nil
}

// row writes the cells of row i.
func (t *table) row(tr *html.Node, tag atom.Atom, i int) {
	b := &t.book.B
	s := t.shapes[i]
	walk := t.cells(t.rows[s.index])
	var c cell
	more := walk.next(&c)
	for at, column := range t.columns {
		for more && c.column < column {
			more = walk.next(&c)
		}
		key := place(s.number, column)
		// A merged range whose first cell is outside this block has no
		// effect in it.
		if first, ok := t.covered[key]; ok && t.has(first, i) {
			t.book.Doc.Cover(more && c.column == column && t.takes(t.block, s.number, column))
			continue
		}
		td := b.Append(tr, tag)
		if t.markedColumns.has(column) {
			t.book.Hidden.Mark(td)
		}
		if m, ok := t.spans[key]; ok {
			t.span(td, m, i, at)
		}
		if more && c.column == column && t.takes(t.block, s.number, column) {
			t.content(td, s.number, c)
		}
	}
}

// has reports whether a cell is shown in the rows up to i.
func (t *table) has(at uint64, i int) bool {
	row, column := parted(at)
	_, ok := slices.BinarySearchFunc(t.shapes[:i+1], row, func(s shape, n int) int { return s.number - n })
	if _, shown := slices.BinarySearch(t.columns, column); !shown {
		return false
	}
	return ok
}

// span sets the columns and rows of the block that a cell spans.
func (t *table) span(td *html.Node, m Range, i, at int) {
	columns, rows := 0, 0
	for _, c := range t.columns[at:] {
		if c > m.LastColumn {
			break
		}
		columns++
	}
	last := len(t.shapes)
	if i < t.heads {
		last = min(last, t.heads)
	}
	for _, s := range t.shapes[i:last] {
		if s.number > m.LastRow {
			break
		}
		rows++
	}
	for _, x := range []struct {
		key string
		n   int
	}{{"colspan", min(columns, 1000)}, {"rowspan", min(rows, 65534)}} {
		if x.n > 1 {
			td.Attr = append(td.Attr, html.Attribute{Key: x.key, Val: strconv.Itoa(x.n)})
		}
	}
}
