// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// columnsOf returns the columns of rows. Columns are separated by
// x-intervals that at most a tenth of the rows cross.
func columnsOf(p *Page, rows []row, size float64) []content.Box {
	least := size
	if len(rows) >= 5 {
		least = .55 * size
	}
	return columnsApart(p, rows, size, least)
}

// columnsApart returns the columns of rows that are at least least points
// apart, or less if their texts are aligned.
func columnsApart(p *Page, rows []row, size, least float64) []content.Box {
	z := newZone(p, rows)
	n := int(z.box.Width()) + 2
	if n < 4 || n > 20_000 {
		return nil
	}
	cover := coverage(p, rows, z.box.X0, n)
	limit := len(rows) / 10
	var out []content.Box
	start, empty := 0, 0
	for x := 0; x <= n; x++ {
		if x < n && cover[x] <= limit {
			empty++
			continue
		}
		if x == n || x-empty > 0 && (float64(empty) >= least || float64(empty) >= .35*size && aligned(p, rows, z.box.X0+float64(x-empty), z.box.X0+float64(x), size)) {
			if end := x - empty; end > start {
				out = append(out, content.Box{X0: z.box.X0 + float64(start), X1: z.box.X0 + float64(end), Y0: z.box.Y0, Y1: z.box.Y1})
			}
			start = x
		}
		empty = 0
	}
	return out
}

// coverage counts, for each of n points from x0 on, the rows that have a
// word there.
func coverage(p *Page, rows []row, x0 float64, n int) []int {
	cover := make([]int, n)
	for _, r := range rows {
		mark := make([]bool, n)
		for _, i := range r.lines {
			for k := range p.Lines[i].Words {
				w := &p.Lines[i].Words[k]
				for x := max(0, int(w.Box.X0-x0)); x < min(n, int(math.Ceil(w.Box.X1-x0))); x++ {
					mark[x] = true
				}
			}
		}
		for x, m := range mark {
			if m {
				cover[x]++
			}
		}
	}
	return cover
}

// aligned reports whether a narrow white strip separates columns. Many rows
// must have words on both sides, and the words on the right must begin at
// the strip. Word spaces of running text do not line up like this, except in
// a monospaced font, which is therefore refused.
func aligned(p *Page, rows []row, x0, x1, size float64) bool {
	both, begin := 0, 0
	for _, r := range rows {
		left, right := false, math.Inf(1)
		for _, i := range r.lines {
			if p.Lines[i].fixed() {
				return false
			}
			for k := range p.Lines[i].Words {
				b := p.Lines[i].Words[k].Box
				left = left || b.X1 <= x0+1
				if b.X0 >= x1-1 {
					right = min(right, b.X0)
				}
			}
		}
		if !left || math.IsInf(right, 1) {
			continue
		}
		both++
		if right-x1 < .2*size {
			begin++
		}
	}
	return both >= 4 && both*2 >= len(rows) && begin*10 >= both*9
}

// columns returns the columns of the zone. Headers may span several columns,
// so if the rows below the first one or two show more columns, those are
// returned.
func (z *zone) columns(p *Page) []content.Box {
	cols := columnsOf(p, z.rows, z.size)
	for skip := 1; skip <= 2 && len(z.rows)-skip >= 4; skip++ {
		below := z.rows[skip:]
		// With few rows, only wide gaps count.
		if more := columnsOf(p, below, z.size*1.2); len(more) > len(cols) && len(cols) > 1 {
			wide := newZone(p, below).box
			if wide.X0 < z.box.X0+z.size && wide.X1 > z.box.X1-2*z.size && gapsOver(more, z.size) {
				return more
			}
		}
	}
	return z.aboveFoot(p, cols)
}

// aboveFoot handles a zone between rules whose last row is a text across
// several columns. It returns the columns that the rows above show, if those
// are more than cols.
func (z *zone) aboveFoot(p *Page, cols []content.Box) []content.Box {
	n := len(z.rows) - 1
	if n < 4 || len(z.rows[n].lines) > 1 || len(z.rules(p)) < 3 {
		return cols
	}
	for skip := 0; skip <= 2 && n-skip >= 4; skip++ {
		above := z.rows[skip:n]
		more := columnsOf(p, above, z.size)
		if len(more) <= len(cols) || len(more) < 3 || !gapsOver(more, .9*z.size) || touched(more, p.Lines[z.rows[n].lines[0]].Box) < 2 {
			continue
		}
		wide := newZone(p, above).box
		last := more[len(more)-1]
		for _, r := range z.rows[:skip] { // a header may be wider than the cells below it
			if b := p.Lines[r.lines[len(r.lines)-1]].Box; b.X0 > last.X0-z.size && b.X0 < last.X1 {
				wide.X1 = max(wide.X1, b.X1)
			}
		}
		if wide.X0 < z.box.X0+z.size && wide.X1 > z.box.X1-2*z.size {
			cols = more
		}
	}
	return cols
}

// gapsOver reports whether all columns are at least em points apart.
func gapsOver(cols []content.Box, em float64) bool {
	for i := 1; i < len(cols); i++ {
		if cols[i].X0-cols[i-1].X1 < em {
			return false
		}
	}
	return true
}

// splitLine splits a line at the borders of columns. A piece without a gap
// at the border spans both columns.
func splitLine(l *Line, cols []content.Box) []part {
	column := func(w *Word) int {
		x := (w.Box.X0 + w.Box.X1) / 2
		best, dist := 0, math.Inf(1)
		for j, c := range cols {
			d := max(c.X0-x, x-c.X1, 0)
			if d < dist {
				best, dist = j, d
			}
		}
		return best
	}
	words := slices.Clone(l.Words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.X0, b.X0) })
	b := textBox(l)
	var out []part
	for k := range words {
		w := &words[k]
		c := column(w)
		if n := len(out); n > 0 {
			q := &out[n-1]
			prev := &q.words[len(q.words)-1]
			gap := w.X0 - prev.X1
			border := q.c1 < c && gap > .45*w.Size
			if q.c1 == c || !border {
				q.words = append(q.words, *w)
				q.c1 = max(q.c1, c)
				continue
			}
		}
		out = append(out, part{words: []Word{*w}, c0: c, c1: c, y0: b.Y0, y1: b.Y1})
	}
	for i := range out { // a long word may reach across several columns
		q := &out[i]
		x1 := q.words[len(q.words)-1].Box.X1
		for q.c1+1 < len(cols) && x1 > cols[q.c1+1].X0+2 && (i+1 == len(out) || out[i+1].c0 > q.c1+1) {
			q.c1++
		}
	}
	return out
}
