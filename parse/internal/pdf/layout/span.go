// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// In a table without vertical lines, two signs show which cells span others:
// a rule below a header of several columns, and a text at half the height of
// the rows that it belongs to. In a table with lines only around groups of rows,
// the walls around such a text are a third one.

// emptyRow returns a row of n cells without text.
//
//go:noinline
func emptyRow(n int) []Cell {
	cells := make([]Cell, n)
	for j := range cells {
		cells[j] = Cell{ColSpan: 1, RowSpan: 1}
	}
	return cells
}

// under is a rule below a header and the range of columns above it.
type under struct {
	y      float64
	c0, c1 int
}

// unders returns the rules between top and bottom that extend across several
// columns, but not all.
func unders(p *Page, cols []content.Box, top, bottom float64) []under {
	hs, _ := p.edges()
	var out []under
	for _, h := range hs {
		if h.at <= top || h.at >= bottom {
			continue
		}
		u := under{y: h.at, c0: -1}
		for j, c := range cols {
			if x := (c.X0 + c.X1) / 2; x > h.lo && x < h.hi {
				if u.c0 < 0 {
					u.c0 = j
				}
				u.c1 = j
			}
		}
		if u.c0 >= 0 && u.c1 > u.c0 && u.c1-u.c0 < len(cols)-1 {
			out = append(out, u)
		}
	}
	return out
}

// head makes two header rows if rules, or the places of the texts, show that the
// header has two, and returns the parts below it. Otherwise it returns nil and all
// parts.
func (z *zone) head(p *Page, parts []part, cols []content.Box, rules []float64) (rows [][]Cell, rest []part) {
	if rows, rest := z.ruledHead(p, parts, cols, rules); rows != nil {
		return rows, rest
	}
	return z.placedHead(p, parts, cols, rules)
}

// placedHead makes two header rows if the texts of the first one are centred over
// several texts of the second one each, and these name all columns. Otherwise it
// returns nil and all parts.
func (z *zone) placedHead(p *Page, parts []part, cols []content.Box, rules []float64) (rows [][]Cell, rest []part) {
	bands := overlapping(slices.Clone(parts), rules)
	if len(bands) < 4 || len(bands[0]) >= len(bands[1]) {
		return nil, parts
	}
	head := slices.Concat(bands[0], bands[1])
	for j := range cols {
		if !slices.ContainsFunc(head, func(q part) bool { return q.c0 == j && q.c1 == j && !isFigure(q.text()) }) {
			return nil, parts
		}
	}
	f := figures{z: z, p: p, cols: cols, size: z.size}
	spans, _, ok := f.tiers(slices.Clone(head))
	for _, s := range spans {
		if s.c1 > s.c0 && math.Abs(s.parts[0].words[0].Box.X0-cols[s.c0].X0) < .3*z.size {
			return nil, parts // in a row with empty cells, texts begin like this too
		}
	}
	if !ok {
		return nil, parts
	}
	return f.level(head, top(bands[2])), slices.Concat(bands[2:]...)
}

// ruledHead makes two header rows if rules show that the header has two, and
// returns the parts below it. Otherwise it returns nil and all parts.
func (z *zone) ruledHead(p *Page, parts []part, cols []content.Box, rules []float64) (rows [][]Cell, rest []part) {
	groups := z.group(slices.Clone(parts), rules)
	k := slices.IndexFunc(groups, numbers)
	if k < 1 || k > maxHead || len(groups)-k < 2 {
		return nil, parts
	}
	end := top(groups[k])
	var head []part
	for _, g := range groups[:k] {
		head = append(head, g...)
	}
	var lines []under
	for _, u := range unders(p, cols, z.box.Y0, end) {
		above, below := false, false
		for i := range head {
			if q := &head[i]; q.c0 <= u.c1 && q.c1 >= u.c0 {
				above, below = above || q.middle() < u.y, below || q.middle() > u.y
			}
		}
		if above && below && (len(lines) == 0 || math.Abs(lines[0].y-u.y) < snap) {
			lines = append(lines, u)
		}
	}
	if len(lines) == 0 {
		return nil, parts
	}
	upper, lower := emptyRow(len(cols)), emptyRow(len(cols))
	free := make([]bool, len(cols)) // not covered by a rule
	for j := range free {
		free[j] = !slices.ContainsFunc(lines, func(u under) bool { return j >= u.c0 && j <= u.c1 })
		if free[j] {
			upper[j].RowSpan, lower[j].Covered = 2, true
		}
	}
	sorting.Stable(head, func(a, b part) int { return cmp.Or(cmp.Compare(a.y0, b.y0), cmp.Compare(a.c0, b.c0)) })
	for i := range head {
		q := &head[i]
		row := upper
		switch {
		case free[q.c0]:
			if q.c1 != q.c0 {
				return nil, parts
			}
		case q.middle() > lines[0].y:
			row = lower
			row[q.c0].ColSpan = max(row[q.c0].ColSpan, q.c1-q.c0+1)
		}
		row[q.c0].Lines = cellLines(row[q.c0].Lines, q.words)
	}
	for _, u := range lines {
		spread(upper[u.c0 : u.c1+1])
	}
	cover(lower)
	for _, g := range groups[k:] {
		rest = append(rest, g...)
	}
	return [][]Cell{upper, lower}, rest
}

// numbers reports whether at least two parts, and at least half of them, are
// numbers.
func numbers(parts []part) bool {
	n := 0
	for i := range parts {
		if isNumeric(parts[i].text()) {
			n++
		}
	}
	return n > 1 && n*2 >= len(parts)
}

// text returns the words of a part joined with spaces.
func (q *part) text() string {
	if len(q.words) == 1 {
		return q.words[0].Text
	}
	size := len(q.words)
	for i := range q.words {
		size += len(q.words[i].Text)
	}
	var s strings.Builder
	s.Grow(size)
	for i := range q.words {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(q.words[i].Text)
	}
	return s.String()
}

// spread makes each cell with text span the empty cells after it. The first
// text also spans the empty cells before it.
func spread(cells []Cell) {
	at := slices.IndexFunc(cells, func(c Cell) bool { return len(c.Lines) > 0 })
	if at < 0 {
		return
	}
	if at > 0 {
		cells[0].Lines, cells[at].Lines = cells[at].Lines, nil
	}
	for j := 1; j < len(cells); j++ {
		if len(cells[j].Lines) == 0 {
			cells[j].Covered = true
		}
	}
	last := 0
	for j := 1; j <= len(cells); j++ {
		if j == len(cells) || !cells[j].Covered {
			cells[last].ColSpan = j - last
			last = j
		}
	}
}

// cover marks the cells of a row that others span. A span ends before a cell
// with text.
//
//go:noinline
func cover(cells []Cell) {
	for j := range cells {
		for k := j + 1; k < j+cells[j].ColSpan && !cells[j].Covered; k++ {
			if len(cells[k].Lines) > 0 || k == len(cells)-1 && k < j+cells[j].ColSpan-1 {
				cells[j].ColSpan = k - j
				break
			}
			cells[k].Covered = true
		}
	}
}

// entry is a text of the first column, of one or more lines.
type entry struct {
	parts  []part
	y0, y1 float64
}

// entriesOf separates the entries of the first column from the other parts.
// It returns false if an entry extends into another column.
func (z *zone) entriesOf(parts []part) (entries []entry, others []part, ok bool) {
	sorting.Stable(parts, func(a, b part) int { return compare(a.y0, b.y0) })
	for _, q := range parts {
		n := len(entries)
		switch {
		case q.c0 > 0:
			others = append(others, q)
		case q.c1 > 0:
			return nil, nil, false
		case n > 0 && q.y0-entries[n-1].y1 < .35*z.size:
			e := &entries[n-1]
			e.parts, e.y1 = append(e.parts, q), max(e.y1, q.y1)
		default:
			entries = append(entries, entry{[]part{q}, q.y0, q.y1})
		}
	}
	return entries, others, true
}

// ownRows splits an entry of several lines if each line has a row of its own
// beside it.
func ownRows(entries []entry, bands [][]part, size float64) []entry {
	beside := func(q part) bool {
		i, _ := slices.BinarySearchFunc(bands, q.y0-.15*size, func(b []part, y float64) int { return compare(top(b), y) })
		return i < len(bands) && len(bands[i]) > 1 && top(bands[i])-q.y0 < .15*size
	}
	out := make([]entry, 0, len(entries))
	for _, e := range entries {
		if len(e.parts) < 2 || slices.ContainsFunc(e.parts, func(q part) bool { return !beside(q) }) {
			out = append(out, e)
			continue
		}
		for _, q := range e.parts {
			out = append(out, entry{[]part{q}, q.y0, q.y1})
		}
	}
	return out
}

// of returns the number k of leading bands for which e stands at half of
// their common height. It returns 0 if there is no such k, or if the bands
// may be wrapped lines of one row.
func (e *entry) of(bands [][]part, size float64) int {
	for k := range bands {
		if k > 0 && (startsLower(bands[k][0].text()) || top(bands[k])-bottom(bands[k-1]) < .6*size && (len(e.parts) > 1 || !sameColumns(bands[0], bands[k]))) {
			return 0
		}
		if math.Abs(top(bands[0])+bottom(bands[k])-e.y0-e.y1) < .7*size {
			return k + 1
		}
	}
	return 0
}

// sameColumns reports whether the pieces of two bands stand in the same
// columns, at least two, and none begins with a lower-case letter. Wrapped
// cells rarely have equal numbers of lines.
func sameColumns(a, b []part) bool {
	if len(a) != len(b) || len(a) < 2 || len(a) > maxPieces {
		return false
	}
	for i := range b {
		if pieceAt(a, b[i].c0) == nil || startsLower(b[i].words[0].Text) {
			return false
		}
	}
	return true
}

// foot separates the lowest text from the other parts if it stands alone and
// spans several columns. If it is centred in the table, it spans all of
// them.
func (z *zone) foot(parts []part, columns int) (body []part, foot [][]Cell) {
	if len(parts) < 2 {
		return parts, nil
	}
	body = slices.Clone(parts)
	sorting.Stable(body, func(a, b part) int { return compare(a.y0, b.y0) })
	n := len(body) - 1
	q := body[n]
	if q.c0 == q.c1 || bottom(body[:n]) > q.middle() {
		return parts, nil
	}
	if math.Abs(q.words[0].Box.X0+q.x1()-z.box.X0-z.box.X1) < 2*z.size {
		q.c0, q.c1 = 0, columns-1
	}
	row := emptyRow(columns)
	row[q.c0].ColSpan, row[q.c0].Lines = q.c1-q.c0+1, cellLines(nil, q.words)
	cover(row)
	return body[:n], [][]Cell{row}
}

// rows makes the table rows of an entry and its bands.
func (e *entry) rows(bands [][]part, columns int) [][]Cell {
	var out [][]Cell
	for k := range bands {
		row := emptyRow(columns)
		for _, q := range bands[k] {
			row[q.c0].ColSpan = max(row[q.c0].ColSpan, q.c1-q.c0+1)
			row[q.c0].Lines = cellLines(row[q.c0].Lines, q.words)
		}
		cover(row)
		row[0].Covered = k > 0
		out = append(out, row)
	}
	out[0][0].RowSpan = len(bands)
	for _, q := range e.parts {
		out[0][0].Lines = cellLines(out[0][0].Lines, q.words)
	}
	return out
}

// centred makes rows if each text of the first column stands at half the
// height of one or more rows and every row belongs to such a text. Otherwise
// it returns nil.
func (z *zone) centred(parts []part, columns int) [][]Cell {
	entries, others, ok := z.entriesOf(parts)
	bands := overlapping(others, nil)
	entries = ownRows(entries, bands, z.size)
	if !ok || len(entries) < 2 || len(entries) >= len(bands) {
		return nil
	}
	var out [][]Cell
	for i := range entries {
		n := entries[i].of(bands, z.size)
		if n == 0 {
			return nil
		}
		out = append(out, entries[i].rows(bands[:n], columns)...)
		bands = bands[n:]
	}
	if len(bands) > 0 {
		return nil
	}
	return out
}

// gather makes the cells of a column span rows if it names groups of rows: lines
// across the table separate groups, and in each group of several rows the column has a
// single text, at half of its height. There must be at least two
// such groups, because one text may be in the middle by chance. A fill for each row
// separates nothing, but a line between two rows of the column does.
func (t *Table) gather(p *Page) {
	r := region{p: p, box: t.Box}
	r.hints()
	ys := append(slices.Clone(r.hs), t.Box.Y0, t.Box.Y1)
	slices.Sort(ys)
	ys = slices.CompactFunc(ys, func(a, b float64) bool { return math.Abs(b-a) < snap })
	var groups []bunch
	for i := t.Header; i < len(t.Rows); {
		y := rowTop(t.Rows[i])
		k, _ := slices.BinarySearch(ys, y)
		if k == 0 || k == len(ys) {
			i++
			continue
		}
		g := bunch{from: i, y0: ys[k-1], y1: ys[k]}
		for i++; i < len(t.Rows) && rowTop(t.Rows[i]) < ys[k]; i++ {
		}
		if g.to = i; g.to-g.from > 1 {
			groups = append(groups, g)
		}
	}
	if len(groups) < 2 {
		return
	}
	at := make([]int, len(groups)) // the row of the text of each group
	var drawn []content.Rule       // the horizontal lines, from top to bottom
	for _, l := range p.Rules {
		if l.Horizontal() && l.Color != 0xffffff {
			drawn = append(drawn, l)
		}
	}
	sorting.Stable(drawn, func(a, b content.Rule) int { return compare(a.Y0, b.Y0) })
	for j := range t.Columns {
		named := true
		for n := 0; named && n < len(groups); n++ {
			at[n], named = t.middle(&groups[n], j, drawn)
		}
		if !named {
			continue
		}
		for n, g := range groups {
			t.Rows[g.from][j], t.Rows[at[n]][j] = t.Rows[at[n]][j], t.Rows[g.from][j]
			t.Rows[g.from][j].RowSpan = g.to - g.from
			for i := g.from + 1; i < g.to; i++ {
				t.Rows[i][j].Covered = true
			}
		}
	}
}

// bunch is the rows from from to to between two lines across the table.
type bunch struct {
	from, to int
	y0, y1   float64
}

// middle returns the row with the only text of column j in a bunch of rows. It
// returns false if there are more texts, if that text is not at half of the height, or
// if one of the lines drawn is above or below it.
func (t *Table) middle(g *bunch, j int, drawn []content.Rule) (int, bool) {
	at := -1
	for i := g.from; i < g.to; i++ {
		switch c := &t.Rows[i][j]; {
		case c.Covered, c.ColSpan > 1, c.RowSpan > 1, at >= 0 && len(c.Lines) > 0:
			return 0, false
		case len(c.Lines) > 0:
			at = i
		}
	}
	if at < 0 {
		return 0, false
	}
	b := t.Rows[at][j].extent()
	if math.Abs(b.Y0+b.Y1-g.y0-g.y1) > 1.4*t.Rows[at][j].Lines[0].Size {
		return 0, false
	}
	from, _ := slices.BinarySearchFunc(drawn, g.y0+snap, func(l content.Rule, y float64) int { return compare(l.Y0, y) })
	for _, l := range drawn[from:] {
		if l.Y0 > g.y1-snap {
			break
		}
		if l.X0 < b.X1 && l.X1 > b.X0 {
			return 0, false
		}
	}
	return at, true
}
