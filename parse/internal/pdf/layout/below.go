// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// A wide gap or a line may cut a table of numbers, such as one above its totals.

// joinBelow joins the tables of a page that continue each other.
func joinBelow(p *Page, blocks []Block) []Block {
	if len(blocks) > maxJoined {
		return blocks
	}
	order := make([]int, len(blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(blocks[a].Box.Y0, blocks[b].Box.Y0) })
	gone := make([]bool, len(blocks))
	for k, i := range order {
		if gone[i] {
			continue
		}
		a := &blocks[i]
		for _, n := range order[k+1:] {
			if b := &blocks[n]; !gone[n] && a.Table.goesOnIn(p, b.Table) {
				a.Table.Rows = append(a.Table.Rows, b.Table.Rows...)
				a.Table.Box = a.Table.Box.Union(b.Table.Box)
				a.Table.Conf = min(a.Table.Conf, b.Table.Conf)
				a.Table.seq = min(a.Table.seq, b.Table.seq)
				a.Table.lefts = nil
				a.Box, a.Conf = a.Table.Box, a.Table.Conf
				gone[n] = true
			}
		}
	}
	out := blocks[:0]
	for i := range blocks {
		if !gone[i] {
			out = append(out, blocks[i])
		}
	}
	return out
}

// maxJoined is the number of tables of a page above which they are not compared with
// each other.
const maxJoined = 200

// goesOnIn reports whether o continues t: it is near below it, without text between
// them, it has the same columns, and it begins with a row of numbers.
func (t *Table) goesOnIn(p *Page, o *Table) bool {
	if t.Columns != o.Columns || t.Columns < 3 || len(o.Rows) == 0 || o.Header > 1 || o.rowKind(0) != numeric || isYear(o.Rows[0][t.Columns-1].Text()) {
		return false
	}
	size := t.size()
	if gap := o.Box.Y0 - t.Box.Y1; gap < -size || gap > 3*size || math.Abs(o.size()-size) > .1*size {
		return false
	}
	ours, theirs := t.columnExtents(), o.columnExtents()
	for j := range ours {
		a, b := ours[j], theirs[j]
		if a.X1 < a.X0 || b.X1 < b.X0 {
			continue // a column without text
		}
		if min(math.Abs(a.X0-b.X0), math.Abs(a.X1-b.X1)) > .3*size {
			return false
		}
	}
	between := content.Box{X0: t.Box.X0, X1: t.Box.X1, Y0: t.Box.Y1, Y1: o.Box.Y0}
	return !slices.ContainsFunc(p.Lines, func(l Line) bool {
		y := l.Y - .3*l.Size
		return y > between.Y0 && y < between.Y1 && l.Box.X0 < between.X1 && l.Box.X1 > between.X0
	})
}

// columnExtents returns the left and right edges of the texts in each column of the
// body.
func (t *Table) columnExtents() []content.Box {
	out := make([]content.Box, t.Columns)
	for j := range out {
		out[j] = content.Box{X0: math.Inf(1), X1: math.Inf(-1)}
	}
	for i := min(t.Header, len(t.Rows)-1); i < len(t.Rows); i++ {
		for j := range t.Rows[i] {
			if c := &t.Rows[i][j]; c.ColSpan == 1 && len(c.Lines) > 0 {
				b := c.extent()
				out[j].X0, out[j].X1 = min(out[j].X0, b.X0), max(out[j].X1, b.X1)
			}
		}
	}
	return out
}
