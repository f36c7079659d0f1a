// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
)

// sideBySide orders two columns. Content above the common start of both
// columns comes first, and content below their common end comes last.
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
