// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/internal/pdf/content"
)

// spanner is a header over several columns.
type spanner struct {
	parts  []part
	c0, c1 int
	y      float64 // of the line under it, or of its lower edge
	level  int
}

// head makes the rows of a header from its bands, where the body begins at end.
// Lines show what spans several columns; where there are none, a text over
// several columns that have texts below it does.
func (f *figures) head(bands [][]part, end float64) [][]Cell {
	var out [][]Cell
	for from := 0; from < len(bands); {
		to := from + 1
		for to < len(bands) && !ruleBetween(f.full, middleOf(bands[to-1]), middleOf(bands[to])) {
			to++
		}
		bottom := end
		if to < len(bands) {
			bottom = top(bands[to])
		}
		out = append(out, f.level(slices.Concat(bands[from:to]...), bottom)...)
		from = to
	}
	return out
}

// level makes the rows of header pieces that no rule parts.
func (f *figures) level(parts []part, end float64) [][]Cell {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.y0, b.y0), cmp.Compare(a.c0, b.c0)) })
	spans, leaves := f.spanners(parts, end)
	levels := rank(spans, f.size)
	rows := make([][]Cell, levels+1)
	for i := range rows {
		rows[i] = emptyRow(len(f.cols))
	}
	lowest := make([]int, len(f.cols)) // row of the leaf of each column
	for _, s := range spans {
		cells := rows[s.level][s.c0 : s.c1+1]
		for _, q := range s.parts { // one line may stand under several
			c := &cells[max(0, min(q.c0-s.c0, len(cells)-1))]
			c.Lines = append(c.Lines, cellLines(q.words)...)
		}
		spread(cells)
		for j := s.c0; j <= s.c1; j++ {
			lowest[j] = max(lowest[j], s.level+1)
		}
	}
	for _, q := range leaves {
		c := &rows[lowest[q.c0]][q.c0]
		c.Lines = append(c.Lines, cellLines(q.words)...)
		c.ColSpan = max(c.ColSpan, q.c1-q.c0+1)
	}
	for i := range rows {
		cover(rows[i])
	}
	for j, at := range lowest {
		if c := &rows[at][j]; at < levels && !c.Covered {
			c.RowSpan = levels + 1 - at
			for k := at + 1; k <= levels; k++ {
				rows[k][j].Covered = true
			}
		}
	}
	return rows
}

// spanners parts the pieces of a header into those over several columns and
// those of one.
func (f *figures) spanners(parts []part, end float64) (spans []spanner, leaves []part) {
	for i := range parts {
		q := &parts[i]
		if u, ok := f.lineUnder(q, parts, end); ok {
			k := slices.IndexFunc(spans, func(s spanner) bool { return s.y == u.y && s.c0 == u.c0 })
			if k < 0 {
				k = len(spans)
				spans = append(spans, spanner{c0: u.c0, c1: u.c1, y: u.y})
			}
			spans[k].parts = append(spans[k].parts, *q)
			continue
		}
		if c0, c1 := f.reach(q, parts); c1 > c0 {
			spans = append(spans, spanner{parts: []part{*q}, c0: c0, c1: c1, y: q.y1})
			continue
		}
		leaf := *q
		if q.c1 > q.c0 && (q.c0 == 0 || f.shared(q, parts)) {
			leaf.c0 = f.beside(q)
			leaf.c1 = leaf.c0
		}
		leaves = append(leaves, leaf)
	}
	return spans, leaves
}

// shared says whether another piece of a header stands in a column of q.
func (f *figures) shared(q *part, parts []part) bool {
	return slices.ContainsFunc(parts, func(o part) bool {
		return o.c0 <= q.c1 && o.c1 >= q.c0 && (o.y0 != q.y0 || o.c0 != q.c0)
	})
}

// lineUnder returns the line over several columns that stands next below a piece
// of a header, and above others.
func (f *figures) lineUnder(q *part, parts []part, end float64) (under, bool) {
	mid := (q.words[0].Box.X0 + q.x1()) / 2
	for _, r := range f.rules {
		if r.y < q.middle() || r.y >= end {
			continue
		}
		for _, u := range r.runs {
			if u.c1 == u.c0 || u.c0 == 0 && u.c1 == len(f.cols)-1 || mid < f.cols[u.c0].X0-f.size || mid > f.cols[u.c1].X1+f.size {
				continue
			}
			between, below := false, false
			for k := range parts {
				o := &parts[k]
				if o.c0 > u.c1 || o.c1 < u.c0 {
					continue
				}
				below = below || o.middle() > u.y
				between = between || o.middle() < u.y && o.y0 > q.y1+.8*f.size
			}
			if below && !between {
				return u, true
			}
		}
	}
	return under{}, false
}

// reach returns the columns that a piece spans without a line: those below its
// text, widened so that it stands in their middle, where each of them has a
// text below it.
func (f *figures) reach(q *part, parts []part) (c0, c1 int) {
	x0, x1 := q.words[0].Box.X0, q.x1()
	c0, c1 = q.c0, q.c1
	if c0 == 0 {
		return c0, c0
	}
	mid := (x0 + x1) / 2
	below := func(j int) bool {
		return slices.ContainsFunc(parts, func(o part) bool { return o.c0 <= j && o.c1 >= j && o.y0 > q.y1-.3*f.size })
	}
	taken := func(j int) bool { // by another piece at this height
		return slices.ContainsFunc(parts, func(o part) bool {
			return o.c0 <= j && o.c1 >= j && math.Abs(o.middle()-q.middle()) < .5*f.size && o.words[0].Box.X0 != x0
		})
	}
	off := func(a, b int) float64 { return math.Abs((f.cols[a].X0+f.cols[b].X1)/2 - mid) }
	one := c0 == c1 && (off(c0, c1) < .6*f.size || math.Abs(x1-f.cols[c0].X1) < .3*f.size || math.Abs(x0-f.cols[c0].X0) < .3*f.size)
	if one || !below(c0) || !below(c1) {
		return c0, c0
	}
	best, a, b := off(c0, c1), c0, c1
	for i := c0; i > 0 && (i == c0 || below(i) && !taken(i)); i-- {
		for k := c1; k < len(f.cols) && (k == c1 || below(k) && !taken(k)); k++ {
			if d := off(i, k); d < best-.5*f.size {
				best, a, b = d, i, k
			}
		}
	}
	return a, b
}

// beside is the column that a header of one column belongs to: where its text
// reaches over several, the one it is set flush with, or centred over.
func (f *figures) beside(q *part) int {
	if q.c0 == q.c1 {
		return q.c0
	}
	x0, x1 := q.words[0].Box.X0, q.x1()
	best, at := math.Inf(1), q.c0
	for j := q.c0; j <= q.c1; j++ {
		c := content.Box{X0: f.cols[j].X0, X1: f.cols[j].X1}
		if d := min(math.Abs(x1-c.X1), math.Abs(x0-c.X0), math.Abs(x0+x1-c.X0-c.X1)/2); d < best {
			best, at = d, j
		}
	}
	return at
}

// rank gives spanners their rows, from the top, and returns how many there are.
func rank(spans []spanner, size float64) int {
	slices.SortStableFunc(spans, func(a, b spanner) int { return cmp.Compare(a.y, b.y) })
	n := 0
	for i := range spans {
		if i == 0 || spans[i].y-spans[i-1].y > .6*size {
			n++
		}
		spans[i].level = n - 1
	}
	return n
}
