// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// A header of two levels without a rule below its upper level is recognised by
// its positions: the texts of the upper level divide the columns of the lower
// level among them, and each is centred above its share or begins with it.
// Wrapped lines of single headers do not do that, because some of the columns
// would have no share.

// tiers divides the pieces of a header into those of an upper level, which
// span columns, and those of one column. It returns false if their positions
// do not show two levels.
func (f *figures) tiers(parts []part) (spans []spanner, leaves []part, ok bool) {
	if len(parts) > maxPieces || len(f.cols) < 3 {
		return nil, nil, false
	}
	var stacked, alone []part
	for i := range parts {
		if f.shared(&parts[i], parts) {
			stacked = append(stacked, parts[i])
		} else {
			alone = append(alone, parts[i])
		}
	}
	bands := overlapping(stacked, nil)
	if len(bands) < 2 {
		return nil, nil, false
	}
	below := slices.Concat(bands[1:]...)
	for i := range alone {
		if m := alone[i].middle(); m > top(below) && m < bottom(below) {
			below = append(below, alone[i])
		} else {
			leaves = append(leaves, alone[i])
		}
	}
	lower := make([]bool, len(f.cols)) // columns with a text below the upper level
	for i := range below {
		if below[i].c0 != below[i].c1 || startsLower(below[i].words[0].Text) {
			return nil, nil, false
		}
		lower[below[i].c0] = true
	}
	upper := slices.Clone(bands[0])
	sorting.Stable(upper, func(a, b part) int { return int(math.Copysign(1, a.words[0].Box.X0-b.words[0].Box.X0)) })
	if f.descends(upper, below) {
		return nil, nil, false
	}
	if whole := f.unbroken(upper); len(whole) < len(upper) {
		if shares, ok := f.shares(whole, below, lower); ok {
			return spansOf(whole, shares), append(leaves, below...), true
		}
	}
	shares, ok := f.shares(upper, below, lower)
	if !ok {
		return nil, nil, false
	}
	return spansOf(upper, shares), append(leaves, below...), true
}

// spansOf returns the upper headers with the columns that they share.
func spansOf(upper []part, shares [][2]int) (spans []spanner) {
	for i, s := range shares {
		spans = append(spans, spanner{parts: []part{upper[i]}, c0: s[0], c1: s[1], y: bottom(upper)})
	}
	return spans
}

// headSpace is the widest space between two words of a header, in em. The small
// fonts of TeX have wide ones.
const headSpace = .5

// unbroken joins the upper headers of neighbouring columns that are only a word
// space apart, because the border of the columns may be between two words of one
// header. upper is sorted from left to right.
func (f *figures) unbroken(upper []part) []part {
	out := slices.Clone(upper[:1])
	for _, q := range upper[1:] {
		last := &out[len(out)-1]
		if math.Abs(last.y0-q.y0) > .1*f.size || q.c0 > last.c1+1 || q.words[0].Box.X0-last.x1() >= headSpace*f.size {
			out = append(out, q)
			continue
		}
		last.words = slices.Concat(last.words, q.words)
		last.c1 = max(last.c1, q.c1)
	}
	return out
}

// shares divides the columns that have a lower header among the upper headers,
// which are sorted from left to right. There must be at least two upper
// headers. Each must have a share, and at least one share must have several
// columns.
func (f *figures) shares(upper, below []part, lower []bool) ([][2]int, bool) {
	var out [][2]int
	for j := 0; j < len(lower); j++ {
		if !lower[j] {
			continue
		}
		end := j
		for end+1 < len(lower) && lower[end+1] {
			end++
		}
		least, most := f.cols[j].X0-f.size, f.cols[end].X1+f.size // where the middles of their headers are
		if j > 0 {
			least = min(least, f.cols[j-1].X1)
		}
		if end+1 < len(f.cols) {
			most = max(most, f.cols[end+1].X0)
		}
		var over []part
		for i := range upper {
			if mid := upper[i].center(); mid > least && mid < most {
				over = append(over, upper[i])
			}
		}
		if len(over) > 0 {
			s, ok := f.divide(over, below, j, end)
			if !ok {
				return nil, false
			}
			out = append(out, s...)
		}
		j = end
	}
	wide := slices.ContainsFunc(out, func(s [2]int) bool { return s[1] > s[0] })
	return out, wide && len(out) > 1 && len(out) == len(upper)
}

// divide returns the shares of the columns c0 to c1 for which the upper
// headers are nearest to the middles, or to the left edges, of their shares. If the
// lower headers repeat, as "2025, 2024, 2025, 2024" does, each share begins where they
// begin again.
func (f *figures) divide(upper, lower []part, c0, c1 int) ([][2]int, bool) {
	n, m := len(upper), c1-c0+1
	if n > m {
		return nil, false
	}
	if shares, ok := f.repeated(upper, lower, c0, c1); ok {
		return shares, true
	}
	walls := f.wallsBeside(upper, c0, c1)
	offs := []func(q *part, a, b int) float64{f.offCenter, f.offLeft}
	if f.slots != nil {
		offs = sorting.Insert(offs, 0, f.offSlots)
	}
	if walls[m-1] > 0 { // the walls show most borders
		offs = append(offs, f.offAbove)
	}
	for _, off := range offs {
		// best[i][k] is the least sum of distances if the first i headers share the
		// first k columns.
		best, from := make([][]float64, n+1), make([][]int, n+1)
		for i := range best {
			best[i], from[i] = slices.Repeat([]float64{math.Inf(1)}, m+1), make([]int, m+1)
		}
		best[0][0] = 0
		for i := 1; i <= n; i++ {
			for k := i; k <= m; k++ {
				for a := i - 1; a < k; a++ {
					if walls[k-1] != walls[a] {
						continue
					}
					if s := best[i-1][a] + off(&upper[i-1], c0+a, c0+k-1); s < best[i][k] {
						best[i][k], from[i][k] = s, a
					}
				}
			}
		}
		if math.IsInf(best[n][m], 1) {
			continue
		}
		out := make([][2]int, n)
		for i, k := n, m; i > 0; i-- {
			out[i-1] = [2]int{c0 + from[i][k], c0 + k - 1}
			k = from[i][k]
		}
		return out, true
	}
	return nil, false
}

// repeated returns equal shares of the columns c0 to c1 if the lower headers of each
// share are those of the first one, and each upper header is above its share.
func (f *figures) repeated(upper, lower []part, c0, c1 int) ([][2]int, bool) {
	n := len(upper)
	wide := (c1 - c0 + 1) / n
	if n < 2 || wide < 2 || n*wide != c1-c0+1 {
		return nil, false
	}
	labels := make([]string, c1-c0+1)
	end := bottom(upper) - .3*f.size
	for i := range lower {
		if q := &lower[i]; q.c0 >= c0 && q.c0 <= c1 && q.y0 > end {
			labels[q.c0-c0] += q.text() + " "
		}
	}
	out := make([][2]int, n)
	for i := range out {
		a := c0 + i*wide
		out[i] = [2]int{a, a + wide - 1}
		if mid := upper[i].center(); mid < f.cols[a].X0-f.size || mid > f.cols[a+wide-1].X1+f.size {
			return nil, false
		}
	}
	for j, label := range labels {
		if label == "" || label != labels[j%wide] {
			return nil, false
		}
	}
	return out, true
}

// wallsBeside counts, for each of the columns c0 to c1, the vertical lines at the height
// of the upper headers between it and column c0. A header does not cross a line.
func (f *figures) wallsBeside(upper []part, c0, c1 int) []int {
	out := make([]int, c1-c0+1)
	y := middleOf(upper)
	_, vs := f.p.edges()
	from, _ := slices.BinarySearchFunc(vs, f.cols[c0].X0, func(v edge, x float64) int { return compare(v.at, x) })
	for _, v := range vs[from:] {
		if v.at > f.cols[c1].X1 {
			break
		}
		if v.lo > y || v.hi < y {
			continue
		}
		for j := c0 + 1; j <= c1; j++ { // the first column whose middle is on the right of the line
			if v.at < (f.cols[j].X0+f.cols[j].X1)/2 {
				if v.at > (f.cols[j-1].X0+f.cols[j-1].X1)/2 {
					for k := j - c0; k < len(out); k++ {
						out[k]++
					}
				}
				break
			}
		}
	}
	return out
}

// center returns the horizontal middle of the part.
func (q *part) center() float64 { return (q.words[0].Box.X0 + q.x1()) / 2 }

// offCenter returns the distance between the middle of q and that of the
// columns a to b. It is infinite if q is not in the middle wherever the
// borders of these columns are.
func (f *figures) offCenter(q *part, a, b int) float64 {
	mid, left, right := q.center(), f.cols[a].X0, f.cols[b].X1
	least, most := left-2*f.size, right+2*f.size // the outermost positions of the borders
	if a > 0 {
		least = f.cols[a-1].X1
	}
	if b+1 < len(f.cols) {
		most = f.cols[b+1].X0
	}
	if mid < (least+right)/2-.5*f.size || mid > (left+most)/2+.5*f.size {
		return math.Inf(1)
	}
	cells := f.estimate()
	return min(math.Abs((left+right)/2-mid), math.Abs((cells[a].X0+cells[b].X1)/2-mid))
}

// offLeft returns the distance between the left edge of q and that of column
// a, or infinity if they are not aligned.
func (f *figures) offLeft(q *part, a, _ int) float64 {
	d := math.Abs(f.cols[a].X0 - q.words[0].Box.X0)
	if d > .3*f.size {
		return math.Inf(1)
	}
	return d
}

// offSlots returns the distance between the middle of q and that of the cells a to b,
// whose places are known, or infinity if it is not in the middle.
func (f *figures) offSlots(q *part, a, b int) float64 {
	d := math.Abs((f.slots[a].X0+f.slots[b].X1)/2 - q.center())
	if d > .3*f.size {
		return math.Inf(1)
	}
	return d
}

// offAbove returns the distance between the middle of q and that of the columns a to
// b, or infinity if q is not above them.
func (f *figures) offAbove(q *part, a, b int) float64 {
	mid, left, right := q.center(), f.cols[a].X0, f.cols[b].X1
	if mid < left-f.size || mid > right+f.size {
		return math.Inf(1)
	}
	return math.Abs((left+right)/2 - mid)
}

// estimate returns the probable cells of a row without spans.
func (f *figures) estimate() []content.Box {
	if f.slots != nil {
		return f.slots
	}
	if f.likely == nil {
		r := region{p: f.p, box: f.z.box, size: f.size}
		f.likely = r.slots(f.z.rows, f.cols)
	}
	return f.likely
}

// descends reports whether all upper headers have an edge in common with the
// header below them, like lines of one header.
func (f *figures) descends(upper, lower []part) bool {
	for i := range upper {
		q := &upper[i]
		x0, x1 := q.words[0].Box.X0, q.x1()
		if !slices.ContainsFunc(lower, func(o part) bool {
			u0, u1 := o.words[0].Box.X0, o.x1()
			return u0 < x1 && u1 > x0 && min(math.Abs(u0-x0), math.Abs(u1-x1)) < .3*f.size
		}) {
			return false
		}
	}
	return true
}
