// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// spanner is a header cell that spans several columns.
type spanner struct {
	parts  []part
	c0, c1 int
	y      float64 // position of the rule below it or, without one, its lower edge
	level  int
	ruled  bool
}

// head makes the header rows from their bands. The body begins at end. Rules
// show which headers span several columns. Without rules, a text spans the
// columns below it that have header texts of their own.
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

// level makes header rows from pieces that no rule separates.
func (f *figures) level(parts []part, end float64) [][]Cell {
	sorting.Stable(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.y0, b.y0), cmp.Compare(a.c0, b.c0)) })
	spans, leaves := f.spanners(parts, end)
	levels := rank(spans, f.size)
	spans = disjoint(spans)
	rows := make([][]Cell, levels+1)
	for i := range rows {
		rows[i] = emptyRow(len(f.cols))
	}
	lowest := make([]int, len(f.cols)) // lowest header row of each column
	for _, s := range spans {
		cells := rows[s.level][s.c0 : s.c1+1]
		for _, q := range s.parts { // one rule may stand under several pieces
			c := &cells[max(0, min(q.c0-s.c0, len(cells)-1))]
			c.Lines = cellLines(c.Lines, q.words)
		}
		spread(cells)
		for j := s.c0; j <= s.c1; j++ {
			lowest[j] = max(lowest[j], s.level+1)
		}
	}
	for _, q := range leaves {
		c := &rows[lowest[q.c0]][q.c0]
		c.Lines = cellLines(c.Lines, q.words)
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

// spanners divides the pieces of a header into those that span several
// columns and those of one column.
func (f *figures) spanners(parts []part, end float64) (spans []spanner, leaves []part) {
	parts = f.unseamed(parts)
	if !slices.ContainsFunc(parts, func(q part) bool { _, ok := f.lineUnder(&q, parts, end); return ok }) {
		if spans, leaves, ok := f.tiers(parts); ok {
			return spans, leaves
		}
	}
	for i := range parts {
		q := &parts[i]
		if u, ok := f.lineUnder(q, parts, end); ok {
			k := slices.IndexFunc(spans, func(s spanner) bool { return s.y == u.y && s.c0 == u.c0 })
			if k < 0 {
				k = len(spans)
				spans = append(spans, spanner{c0: u.c0, c1: u.c1, y: u.y, ruled: true})
			}
			spans[k].parts = append(spans[k].parts, *q)
			continue
		}
		if c0, c1 := f.reach(q, parts); c1 > c0 && !slices.ContainsFunc(spans, func(s spanner) bool { return s.ruled && s.y < q.middle() }) {
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
	for i := range spans {
		if spans[i].ruled {
			f.apportion(&spans[i], parts)
		}
	}
	return f.single(spans, leaves, parts)
}

// single adds those leaves to the spanners that name only one column: they stand beside a
// spanner, and apart from the header below them.
func (f *figures) single(spans []spanner, leaves, parts []part) ([]spanner, []part) {
	rest := leaves[:0:0]
	wide := len(spans)
	for i := range leaves {
		q := &leaves[i]
		k := slices.IndexFunc(spans[:wide], func(s spanner) bool {
			return slices.ContainsFunc(s.parts, func(o part) bool { return math.Abs(o.middle()-q.middle()) < .15*f.size })
		})
		if k >= 0 && q.c0 == q.c1 && f.stands(q, parts) {
			spans = append(spans, spanner{parts: []part{*q}, c0: q.c0, c1: q.c0, y: spans[k].y})
		} else {
			rest = append(rest, *q)
		}
	}
	return spans, rest
}

// apportion sets the first columns of the header texts above a rule, because one rule
// may stand under several headers. They divide the columns above the rule. If they
// cannot, and the places of cells are known, each takes the columns that it is centred
// over. parts are all pieces of the header.
func (f *figures) apportion(s *spanner, parts []part) {
	texts := f.headTexts(s.parts)
	shares, ok := f.divide(texts, parts, s.c0, s.c1)
	for i := range s.parts {
		q := &s.parts[i]
		k := slices.IndexFunc(texts, func(t part) bool { return q.within(&t) })
		switch {
		case len(texts) > 1 && ok:
			q.c0 = shares[k][0]
		case len(texts) == 1 && len(s.parts) > 1 && texts[0].y1-texts[0].y0 < 1.5*f.size: // words of one line
			q.c0 = s.c0
		case f.slots != nil:
			q.c0 = f.centredOver(q, s.c0, s.c1)
		}
	}
}

// headTexts returns the texts beside each other, from left to right. Pieces above each
// other are the lines of one text, and pieces that are only a word space apart its words.
func (f *figures) headTexts(parts []part) []part {
	var out []part
	sorted := slices.Clone(parts)
	sorting.Stable(sorted, func(a, b part) int { return compare(a.words[0].Box.X0, b.words[0].Box.X0) })
	end := math.Inf(-1)
	for _, q := range sorted {
		if n := len(out); n > 0 && q.words[0].Box.X0 < end+headSpace*f.size {
			last := &out[n-1]
			last.words = slices.Concat(last.words, q.words)
			last.y0, last.y1 = min(last.y0, q.y0), max(last.y1, q.y1)
		} else {
			out = append(out, q)
		}
		end = max(end, q.x1())
	}
	return out
}

// within reports whether the text of q is within the width of t.
func (q *part) within(t *part) bool {
	return q.words[0].Box.X0 >= t.words[0].Box.X0 && q.x1() <= t.x1()
}

// unseamed splits header pieces across two or more columns at a gap that is
// wider than the others. Headers of narrow columns are hardly more than a
// space apart.
func (f *figures) unseamed(parts []part) []part {
	var out []part
	for _, q := range parts {
		for q.c1 > q.c0 && len(q.words) > 1 {
			k := f.seam(&q)
			if k == 0 {
				break
			}
			left, right := q, q
			left.words, right.words = q.words[:k:k], q.words[k:]
			left.c1 = max(q.c0, f.nearest(&left))
			right.c0 = min(q.c1, max(left.c1+1, f.nearest(&right)))
			if right.c0 <= left.c1 {
				break
			}
			out = append(out, left)
			q = right
		}
		out = append(out, q)
	}
	return out
}

// nearest returns the column whose middle is nearest to that of q.
func (f *figures) nearest(q *part) int {
	mid := q.words[0].Box.X0 + q.x1()
	best, at := math.Inf(1), q.c0
	for j := q.c0; j <= q.c1; j++ {
		if d := math.Abs(f.cols[j].X0 + f.cols[j].X1 - mid); d < best {
			best, at = d, j
		}
	}
	return at
}

// seam returns the index of the first word after the widest gap of q. The
// gap must be between the middles of two columns and wider than a word
// space. Otherwise it returns 0.
func (f *figures) seam(q *part) int {
	at, widest, least := 0, 0.0, math.Inf(1)
	for k := 1; k < len(q.words); k++ {
		gap := (q.words[k].X0 - q.words[k-1].X1) / q.words[k].Size
		least = min(least, gap)
		if gap > widest {
			at, widest = k, gap
		}
	}
	// Two words have only one gap, so there is none in the piece to compare it with.
	if len(q.words) == 2 && (!f.alignedWith(&q.words[0], q.c0) || !f.alignedWith(&q.words[1], q.c1)) {
		least = f.wordSpace()
	}
	if widest < 1.25*least || widest < .3 {
		return 0
	}
	x := (q.words[at].X0 + q.words[at-1].X1) / 2
	for j := q.c0; j < q.c1; j++ {
		if x > (f.cols[j].X0+f.cols[j].X1)/2 && x < (f.cols[j+1].X0+f.cols[j+1].X1)/2 {
			return at
		}
	}
	return 0
}

// alignedWith reports whether a word has an edge or its middle at that of a column.
func (f *figures) alignedWith(w *Word, column int) bool {
	c := &f.cols[column]
	return min(math.Abs(w.X0-c.X0), math.Abs(w.X1-c.X1), math.Abs(w.X0+w.X1-c.X0-c.X1)/2) < .2*f.size
}

// wordSpace returns the usual gap between two words of the zone, in font sizes. It
// is 0 if no words stand as close as words of one text.
func (f *figures) wordSpace() float64 {
	var gaps []float64
	for _, r := range f.z.rows {
		for _, i := range r.lines {
			ws := f.p.Lines[i].Words
			for k := 1; k < len(ws); k++ {
				if gap := (ws[k].X0 - ws[k-1].X1) / ws[k].Size; gap > .1 && gap < narrow {
					gaps = append(gaps, gap)
				}
			}
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	return median(gaps)
}

// shared reports whether another header piece stands in a column of q.
func (f *figures) shared(q *part, parts []part) bool {
	return slices.ContainsFunc(parts, func(o part) bool {
		return o.c0 <= q.c1 && o.c1 >= q.c0 && (o.y0 != q.y0 || o.c0 != q.c0)
	})
}

// spanning reports whether a run of the rule extends below several columns.
func (r *rule) spanning() bool {
	return slices.ContainsFunc(r.runs, func(u under) bool { return u.c1 > u.c0 })
}

// lineUnder returns the next rule below a header piece that extends across
// several columns and has other pieces below it. A run below a single column
// counts if another run of its rule extends across several.
func (f *figures) lineUnder(q *part, parts []part, end float64) (under, bool) {
	mid := (q.words[0].Box.X0 + q.x1()) / 2
	for _, r := range f.rules {
		if r.y < q.middle() || r.y >= end {
			continue
		}
		for _, u := range r.runs {
			if u.c1 == u.c0 && !r.spanning() || u.c0 == 0 && u.c1 == len(f.cols)-1 || !f.over(u, mid) {
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

// over reports whether x is above the columns of a rule.
func (f *figures) over(u under, x float64) bool {
	left, right := f.cols[u.c0].X0, f.cols[u.c1].X1
	if f.slots != nil {
		left, right = min(left, f.slots[u.c0].X0), max(right, f.slots[u.c1].X1)
	}
	return x >= left-f.size && x <= right+f.size
}

// centredOver returns the first of those of the columns c0 to c1 that q is centred
// over.
func (f *figures) centredOver(q *part, c0, c1 int) int {
	mid := q.words[0].Box.X0 + q.x1()
	best, at := math.Inf(1), q.c0
	for a := c0; a <= c1; a++ {
		for b := a; b <= c1; b++ {
			if d := math.Abs(f.slots[a].X0 + f.slots[b].X1 - mid); d < best-1 {
				best, at = d, a
			}
		}
	}
	return at
}

// reach returns the columns that a header piece spans if there is no rule
// below it. It starts with the columns below its text and widens them so
// that the text is in the middle. Each of the columns must have a header
// text of its own.
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
	off := func(a, b int) float64 {
		d := math.Abs((f.cols[a].X0+f.cols[b].X1)/2 - mid)
		if f.slots != nil && a < b {
			d = min(d, math.Abs((f.slots[a].X0+f.slots[b].X1)/2-mid))
		}
		return d
	}
	one := c0 == c1 && (off(c0, c1) < .6*f.size || math.Abs(x1-f.cols[c0].X1) < .3*f.size || math.Abs(x0-f.cols[c0].X0) < .3*f.size)
	switch {
	case !below(c0) || !below(c1):
		return c0, c0
	case f.stands(q, parts):
		return f.widest(q, c0, c1, func(j int) bool { return below(j) && !taken(j) })
	case one || f.goesDown(q, parts):
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

// stands reports whether the gap below a header piece is clearly larger than
// the gaps between the lines of one header.
func (f *figures) stands(q *part, parts []part) bool {
	down, usual := math.Inf(1), math.Inf(1)
	for i := range parts {
		o := &parts[i]
		if o.c0 > q.c1 || o.c1 < q.c0 || o.y0 < q.y1-.3*f.size {
			continue
		}
		down = min(down, o.y0-q.y1)
		for k := range parts {
			if u := &parts[k]; u.c0 <= o.c1 && u.c1 >= o.c0 && u.y0 > o.y1-.3*f.size {
				usual = min(usual, u.y0-o.y1)
			}
		}
	}
	if math.IsInf(usual, 1) {
		usual = .5 * f.size
	}
	return !math.IsInf(down, 1) && down > usual+.35*f.size
}

// widest returns the widest range of free columns around c0 to c1 that q is
// centred over or aligned with at the left.
func (f *figures) widest(q *part, c0, c1 int, free func(int) bool) (a, b int) {
	x0, x1 := q.words[0].Box.X0, q.x1()
	a, b = c0, c1
	for i := c0; i > 0 && (i == c0 || free(i)); i-- {
		for k := c1; k < len(f.cols) && (k == c1 || free(k)); k++ {
			if off := math.Abs(f.cols[i].X0 + f.cols[k].X1 - x0 - x1); off < 2*f.size && k-i > b-a {
				a, b = i, k
			}
			if f.slots != nil && k-i > b-a && math.Abs(f.slots[i].X0+f.slots[k].X1-x0-x1) < .5*f.size {
				a, b = i, k
			}
		}
	}
	if a == b && math.Abs(x0-f.cols[c0].X0) < .3*f.size {
		for b+1 < len(f.cols) && free(b+1) {
			b++
		}
	}
	return a, b
}

// goesDown reports whether a header piece continues in the line below it:
// there is exactly one piece below, and it has the same left edge, right
// edge or middle.
func (f *figures) goesDown(q *part, parts []part) bool {
	x0, x1 := q.words[0].Box.X0, q.x1()
	next := math.Inf(1)
	for i := range parts {
		if o := &parts[i]; o.y0 > q.y1-.3*f.size && o.words[0].Box.X0 < x1 && o.x1() > x0 {
			next = min(next, o.y0)
		}
	}
	n, flush := 0, false
	for i := range parts {
		o := &parts[i]
		if o.y0 <= q.y1-.3*f.size || o.y0 > next+.5*f.size || o.words[0].Box.X0 >= x1 || o.x1() <= x0 {
			continue
		}
		n++
		u0, u1 := o.words[0].Box.X0, o.x1()
		flush = flush || math.Abs(u0-x0) < .3*f.size || math.Abs(u1-x1) < .3*f.size || math.Abs(u0+u1-x0-x1) < .8*f.size
	}
	return n == 1 && flush
}

// beside returns the column that a header of one column belongs to. If its
// text reaches across several, it is the one that it is aligned with or
// centred over.
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

// disjoint makes the spanners of each row end before the next one, so that none covers
// the text of another. Those that begin at one column become one.
func disjoint(spans []spanner) []spanner {
	sorting.Stable(spans, func(a, b spanner) int { return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.c0, b.c0)) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].level == s.level && out[n-1].c1 >= s.c0 {
			last := &out[n-1]
			if last.c0 == s.c0 {
				last.parts = append(last.parts, s.parts...)
				last.c1 = max(last.c1, s.c1)
				continue
			}
			last.c1 = s.c0 - 1
		}
		out = append(out, s)
	}
	return out
}

// rank assigns a row to each spanner, counted from the top, and returns the
// number of rows.
func rank(spans []spanner, size float64) int {
	sorting.Stable(spans, func(a, b spanner) int { return compare(a.y, b.y) })
	n := 0
	for i := range spans {
		if i == 0 || spans[i].y-spans[i-1].y > .6*size {
			n++
		}
		spans[i].level = n - 1
	}
	return n
}
