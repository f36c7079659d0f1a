// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
)

// sideBySide orders two columns: what stands above the place where both begin
// comes before them, and what stands below the place where both end behind
// them.
func sideBySide(left, right []element) [][]element {
	byTop := func(a, b element) int { return cmp.Compare(a.box.Y0, b.box.Y0) }
	slices.SortStableFunc(left, byTop)
	slices.SortStableFunc(right, byTop)
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

// leastColumn is how many lines a column has, at least, that something else can
// stand above or below.
const leastColumn = 5

// above returns how many elements of es, from top to bottom, stand above other,
// where the next one begins as high as other does.
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

// below returns from which of es on, which are from top to bottom, all stand
// below other, where the one before ends as low as other does; else their
// number.
func below(es, other []element) int {
	if len(other) < leastColumn {
		return len(es)
	}
	end := math.Inf(-1)
	for _, o := range other {
		end = max(end, o.box.Y1)
	}
	bottom := math.Inf(-1)
	for i, e := range es {
		h := min(e.box.Height(), 30)
		if i >= leastColumn && e.box.Y0 > end+.6*h && math.Abs(bottom-end) < .8*h && e.box.Y0-bottom > .6*h {
			return i
		}
		bottom = max(bottom, e.box.Y1)
	}
	return len(es)
}
