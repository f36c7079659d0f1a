// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
)

// group groups pieces into rows. Pieces that overlap vertically are in one
// row, and so are wrapped lines of the cells in the row above.
func (z *zone) group(parts []part, rules []float64) [][]part {
	bands, seated := z.seated(overlapping(parts, rules), rules)
	if seated || len(bands) < 2 {
		return bands
	}
	gaps := make([]float64, len(bands))
	crossed := make([]bool, len(bands)) // whether a rule separates band i from the one above
	var opening []float64               // gaps above rows whose first column is filled
	var free []float64                  // gaps without a rule
	for i := 1; i < len(bands); i++ {
		gaps[i] = top(bands[i]) - bottom(bands[i-1])
		crossed[i] = ruleBetween(rules, (top(bands[i-1])+bottom(bands[i-1]))/2, (top(bands[i])+bottom(bands[i]))/2)
		if !crossed[i] {
			free = append(free, gaps[i])
		}
		if first(bands[i]) == 0 {
			opening = append(opening, gaps[i])
		}
	}
	usual := median(opening)
	tight := slices.Min(gaps[1:])
	loose := bimodal(free, z.size)
	inner := len(rules) >= 3 && z.ruleRows(bands, rules)
	var wrapped []bool
	if !inner && loose == 0 {
		wrapped = z.wrapped(bands, crossed)
	}
	out := [][]part{bands[0]}
	for i := 1; i < len(bands); i++ {
		goesOn := false
		switch {
		case crossed[i], clash(out[len(out)-1], bands[i]), entitles(out[len(out)-1], bands[i]):
		case inner:
			goesOn = true
		case loose > 0:
			goesOn = gaps[i] < loose
		case wrapped != nil && wrapped[i]:
			goesOn = true
		case gaps[i] < .4*z.size && len(bands[i]) < len(bands[i-1]) && usual > gaps[i]+.5*z.size: // wrapped text
			goesOn = true
		case first(bands[i]) > 0 && first(bands[i-1]) == 0:
			goesOn = gaps[i] < .6*usual || gaps[i] <= tight+.5 && len(bands[i]) == 1 && len(opening) > 0 && usual > gaps[i]+.15*z.size
		}
		if goesOn {
			out[len(out)-1] = append(out[len(out)-1], bands[i]...)
		} else {
			out = append(out, bands[i])
		}
	}
	return out
}

// entitles reports whether a text that stands alone in the first column is in another style than
// the one below it, which has texts beside it. It is then the title of the rows below it.
func entitles(above, b []part) bool {
	label := pieceAt(b, 0)
	return len(above) == 1 && above[0].c0 == 0 && label != nil && columnsIn(b) > 1 && len(b) <= maxPieces && !sameLook(&above[0], label)
}

// overlapping sorts pieces from top to bottom and groups those that overlap
// vertically, unless a rule separates them. The groups are parts of the same slice.
func overlapping(parts []part, rules []float64) [][]part {
	sorting.Stable(parts, func(a, b part) int { return compare(a.y0, b.y0) })
	var bands [][]part
	end := math.Inf(-1)
	from := 0 // start of the last band
	for i := range parts {
		q := &parts[i]
		if i == 0 || q.y0 >= end-.25*(q.y1-q.y0) || ruleBetween(rules, parts[from].middle(), q.middle()) {
			from = i
			bands = append(bands, nil)
		}
		bands[len(bands)-1] = parts[from : i+1 : i+1]
		end = max(end, q.y1)
	}
	return bands
}

// ruleRows reports whether horizontal rules separate the rows. There are then
// at least three rules inside the zone, and at least one for every three
// bands.
func (z *zone) ruleRows(bands [][]part, rules []float64) bool {
	inner := 0
	for _, y := range rules {
		if y > z.box.Y0+z.size && y < z.box.Y1-z.size {
			inner++
		}
	}
	return inner >= 3 && inner*3 >= len(bands)
}

//go:noinline
func top(b []part) float64 {
	y := math.Inf(1)
	for _, q := range b {
		y = min(y, q.y0)
	}
	return y
}

//go:noinline
func bottom(b []part) float64 {
	y := math.Inf(-1)
	for _, q := range b {
		y = max(y, q.y1)
	}
	return y
}

//go:noinline
func first(b []part) int {
	c := math.MaxInt
	for _, q := range b {
		c = min(c, q.c0)
	}
	return c
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

// bimodal returns the gap size that separates wrapped lines from rows. It
// needs two clearly different kinds of gaps: small ones within cells and
// larger ones between rows. Otherwise it returns 0.
func bimodal(gaps []float64, size float64) float64 {
	g := slices.Clone(gaps)
	slices.Sort(g)
	best, second, at := 0.0, 0.0, 0
	for i := 1; i < len(g); i++ {
		switch d := g[i] - g[i-1]; {
		case d > best:
			best, second, at = d, best, i
		case d > second:
			second = d
		}
	}
	if at == 0 || best < .3*size || best < 1.2*second || g[at-1] > .6*size {
		return 0
	}
	// The small gaps must be similar to each other, and there must be more
	// than one.
	if g[at-1]-g[0] > .25*size || at < 2 && len(g) > 4 {
		return 0
	}
	return (g[at] + g[at-1]) / 2
}

//go:noinline
func ruleBetween(rules []float64, lo, hi float64) bool {
	i, _ := slices.BinarySearch(rules, lo)
	return i < len(rules) && rules[i] < hi
}

// unruledHeader sets the header to the rows above the first inner rule or,
// without one, to the first row.
func (t *Table) unruledHeader(rules []float64) {
	if t.Header > 0 { // the ruling lines have already shown it
		return
	}
	t.Header = 1
	for _, y := range rules {
		n := 0
		for i := range t.Rows {
			if rowTop(t.Rows[i]) >= y {
				break
			}
			n = i + 1
		}
		if n > 0 && n < len(t.Rows) && n <= 3 {
			t.Header = n
			return
		}
	}
}

func rowTop(cells []Cell) float64 {
	y := math.Inf(1)
	for i := range cells {
		for k := range cells[i].Lines {
			y = min(y, cells[i].Lines[k].Y)
		}
	}
	return y
}

// sideBySide orders two columns. Content above the common start of both
// columns comes first, and content below their common end comes last.
func sideBySide(left, right []element) [][]element {
	byTop := func(a, b element) int { return compare(a.box.Y0, b.box.Y0) }
	sorting.Stable(left, byTop)
	sorting.Stable(right, byTop)
	var out, last [][]element
	if n := above(right, left); n > 0 {
		out, right = append(out, right[:n]), right[n:]
	}
	if n := below(left, right); n < len(left) {
		last, left = append(last, left[n:]), left[:n]
	}
	out = append(out, left, right)
	return append(out, last...)
}

// leastColumn is the minimum number of lines of a column that other content
// can stand above or below.
const leastColumn = 5

// above returns how many elements of es, sorted from top to bottom, stand
// above the column other. The next element must begin at the same height as
// other.
func above(es, other []element) int {
	if len(other) < leastColumn {
		return 0
	}
	end := math.Inf(-1)
	for i, e := range es {
		h := min(e.box.Height(), 30)
		switch {
		case i > 0 && math.Abs(e.box.Y0-other[0].box.Y0) < .8*h && e.box.Y0-end > .6*h && end < other[0].box.Y0:
			if len(es)-i < leastColumn {
				return 0
			}
			return i
		case e.box.Y0 > other[0].box.Y0:
			return 0
		}
		end = max(end, e.box.Y1)
	}
	return 0
}

// below returns the index in es, sorted from top to bottom, from which all
// elements stand below the column other. The element before must end at the
// same height as other. If all elements from there on were painted after
// other, es may be one line longer, as balanced columns often are, and both
// may have fewer lines. If there is no such index, it returns len(es).
func below(es, other []element) int {
	if len(other) < leastBalanced {
		return len(es)
	}
	end, painted := math.Inf(-1), 0
	for _, o := range other {
		end, painted = max(end, o.box.Y1), max(painted, o.seq)
	}
	late := len(es) // from here on, all was painted after other
	for late > 0 && es[late-1].seq > painted {
		late--
	}
	bottom := math.Inf(-1)
	for i, e := range es {
		h := min(e.box.Height(), 30)
		apart, longer := e.box.Y0-bottom > .6*h, bottom-end
		switch {
		case i < leastBalanced || e.box.Y0 < end:
		case len(other) >= leastColumn && i >= leastColumn && e.box.Y0 > end+.6*h && math.Abs(longer) < .8*h && apart:
			return i
		case i >= late && apart && longer > -.8*h && longer < 1.8*h:
			return i
		}
		bottom = max(bottom, e.box.Y1)
	}
	return len(es)
}

// leastBalanced is the minimum number of lines of a column that text painted
// after both columns can stand below.
const leastBalanced = 3
