// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// sections makes the titles of sections span all columns. Such a title is the
// only text of its row, stands in the middle of the table, and is not aligned
// with the other texts of the column below it.
func (t *Table) sections(p *Page, size float64) {
	if t.Columns < 2 || len(t.Rows)-t.Header < 3 {
		return
	}
	t.titles(size)
	axes := t.axes(p)
	labels, tries := 0, 0
	for i := t.Header; i < len(t.Rows); i++ {
		labels += count(len(t.Rows[i][0].Lines) > 0)
	}
	for i := t.Header; i < len(t.Rows); i++ {
		j := t.alone(i)
		if j < 0 || j > 0 && labels*2 < len(t.Rows)-t.Header {
			continue
		}
		l := &t.Rows[i][j].Lines[0]
		middle := (l.Box.X0 + l.Box.X1) / 2
		central := slices.ContainsFunc(axes, func(x float64) bool { return math.Abs(middle-x) < .6*size })
		if !central || isFigure(l.Text()) {
			continue
		}
		if tries++; tries > maxSections {
			return
		}
		if t.inLine(i, j, size) {
			continue
		}
		row := emptyRow(t.Columns)
		row[0].ColSpan, row[0].Lines = t.Columns, t.Rows[i][j].Lines
		cover(row)
		t.Rows[i] = row
	}
}

// titles removes the columns that only have texts alone in their rows, around one middle: such a
// text is the title of a section, which stands in the middle of a table whose borders are not
// drawn, between two columns. Lines of code do not.
func (t *Table) titles(size float64) {
	for j := t.Columns - 2; j > 0; j-- {
		var rows []int
		middle, edge := 0.0, 0.0
		ok := true
		for i := 0; i < len(t.Rows) && ok; i++ {
			c := &t.Rows[i][j]
			if c.Covered || c.ColSpan > 1 || c.RowSpan > 1 {
				ok = false
			}
			if !ok || len(c.Lines) == 0 {
				continue
			}
			b := c.extent()
			if len(rows) == 0 {
				middle, edge = b.X0+b.X1, b.X0
			}
			another := len(rows) == 0 || math.Abs(b.X0-edge) > .5*size
			ok = i >= t.Header && t.alone(i) == j && math.Abs(b.X0+b.X1-middle) < .6*size && another && !isFigure(c.Text()) && !c.Lines[0].fixed()
			rows = append(rows, i)
		}
		if !ok || len(rows) == 0 || t.Columns < 3 {
			continue
		}
		for _, i := range rows {
			t.Rows[i][0].Lines, t.Rows[i][j].Lines = t.Rows[i][j].Lines, nil
			t.Rows[i][0].ColSpan = t.Columns
			cover(t.Rows[i])
		}
		t.drop(j)
	}
}

// drop removes column j, in which no cell begins that has a text or spans others.
func (t *Table) drop(j int) {
	t.Columns--
	for i := range t.Rows {
		row := t.Rows[i]
		row[0].ColSpan = min(row[0].ColSpan, t.Columns)
		t.Rows[i] = slices.Delete(row, j, j+1)
	}
}

// maxSections is the number of rows of a table that are compared with all
// others.
const maxSections = 1000

// alone returns the column of the only text of row i, if it is one line and
// spans neither rows nor all columns. Otherwise it returns -1.
func (t *Table) alone(i int) int {
	at := -1
	for j := range t.Rows[i] {
		c := &t.Rows[i][j]
		switch {
		case c.RowSpan > 1, c.Covered && t.ownerAbove(i, j) != nil:
			return -1
		case len(c.Lines) == 0:
		case at >= 0 || len(c.Lines) > 1 || c.ColSpan == t.Columns:
			return -1
		default:
			at = j
		}
	}
	return at
}

// inLine reports whether the text of row i and column j has an edge or its
// middle in common with most other texts of the body in that column.
func (t *Table) inLine(i, j int, size float64) bool {
	b := t.Rows[i][j].Lines[0].Box
	n, same := 0, 0
	for k := t.Header; k < len(t.Rows); k++ {
		c := &t.Rows[k][j]
		if k == i || len(c.Lines) == 0 || c.ColSpan > 1 {
			continue
		}
		o := c.Lines[0].Box
		n++
		same += count(min(math.Abs(o.X0-b.X0), math.Abs(o.X1-b.X1), math.Abs(o.X0+o.X1-b.X0-b.X1)/2) < .1*size+.3)
	}
	return same*2 > n
}

// axes returns the possible positions of the middle of the table: of its
// region, of its texts, and of the lines and fills across them.
func (t *Table) axes(p *Page) []float64 {
	b := t.extent()
	out := []float64{(t.Box.X0 + t.Box.X1) / 2, (b.X0 + b.X1) / 2}
	hs, _ := p.edges()
	for _, h := range hs[sortSearch(hs, b.Y0-snap):] {
		if h.at > b.Y1+snap {
			break
		}
		if h.lo < b.X0+snap && h.hi > b.X1-snap {
			out = append(out, (h.lo+h.hi)/2)
		}
	}
	return out
}

// extent returns the box around the texts of the table.
func (t *Table) extent() content.Box {
	b := content.Box{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for i := range t.Rows {
		for j := range t.Rows[i] {
			for k := range t.Rows[i][j].Lines {
				b = b.Union(t.Rows[i][j].Lines[k].Box)
			}
		}
	}
	return b
}

// regrouped joins grids that continue each other. They have the same columns,
// their horizontal lines have the same ends, and one row without vertical
// lines fits between them, which has the title of a section.
func regrouped(gs []grid) []grid {
	if len(gs) > mostFamilies {
		return gs
	}
	for i := range gs {
		sorting.Stable(gs[i].hs, func(a, b edge) int { return compare(a.at, b.at) })
	}
	sorting.Stable(gs, func(a, b grid) int { return compare(a.top(), b.top()) })
	var out []grid
next:
	for _, g := range gs {
		for i := range out {
			if out[i].goesOn(&g) {
				out[i].hs, out[i].vs = append(out[i].hs, g.hs...), append(out[i].vs, g.vs...)
				sorting.Stable(out[i].vs, func(a, b edge) int { return compare(a.at, b.at) })
				continue next
			}
		}
		out = append(out, g)
	}
	return out
}

func (g *grid) top() float64 {
	if len(g.hs) == 0 {
		return math.Inf(-1)
	}
	return g.hs[0].at
}

// goesOn reports whether o continues g below a row without vertical lines.
func (g *grid) goesOn(o *grid) bool {
	n := len(g.hs)
	if n < 2 || len(o.hs) < 2 || n+len(o.hs) < 5 {
		return false
	}
	pitch := make([]float64, 0, n)
	for i := 1; i < n; i++ {
		pitch = append(pitch, g.hs[i].at-g.hs[i-1].at)
	}
	usual := median(pitch)
	a, b := g.hs[n-1], o.hs[0]
	if d := b.at - a.at; d <= snap || d > 1.3*usual || math.Abs(a.lo-b.lo) > 2*snap || math.Abs(a.hi-b.hi) > 2*snap {
		return false
	}
	near := func(x, y float64) bool { return math.Abs(x-y) <= snap }
	ours, theirs := g.inner(1.3*usual), o.inner(1.3*usual)
	if len(ours) == 0 { // the edges of stripes continue each other too
		return n > 2 && len(o.hs) > 2 && slices.EqualFunc(places(g.vs), places(o.vs), near)
	}
	return slices.EqualFunc(ours, theirs, near)
}

// inner returns the positions of vertical lines that are longer than least and not at
// the ends of the last horizontal one. Fills of single rows have shorter edges, and
// edges at the ends.
func (g *grid) inner(least float64) []float64 {
	h := g.hs[len(g.hs)-1]
	long := sorting.Without(slices.Clone(g.vs), func(v edge) bool {
		return v.hi-v.lo < least || v.at < h.lo+snap || v.at > h.hi-snap
	})
	return places(long)
}
