// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

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
	slices.SortFunc(upper, func(a, b part) int { return int(math.Copysign(1, a.words[0].Box.X0-b.words[0].Box.X0)) })
	if f.descends(upper, below) {
		return nil, nil, false
	}
	if whole := f.unbroken(upper); len(whole) < len(upper) {
		if shares, ok := f.shares(whole, lower); ok {
			return spansOf(whole, shares), append(leaves, below...), true
		}
	}
	shares, ok := f.shares(upper, lower)
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
const headSpace = .45

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
func (f *figures) shares(upper []part, lower []bool) ([][2]int, bool) {
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
			s, ok := f.divide(over, j, end)
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
// headers are nearest to the middles, or to the left edges, of their shares.
func (f *figures) divide(upper []part, c0, c1 int) ([][2]int, bool) {
	n, m := len(upper), c1-c0+1
	if n > m {
		return nil, false
	}
	for _, off := range []func(q *part, a, b int) float64{f.offCenter, f.offLeft} {
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
