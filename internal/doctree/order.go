// SPDX-License-Identifier: Apache-2.0

package doctree

import "slices"

// maxSorted is how many shapes of a slide are put in order by where they
// stand.
const maxSorted = 500

// InOrder puts the shapes of a slide as one reads them, where boxes says where
// each stands: what is above another comes before it, and what is left of it in
// the same row. What stands in no clear relation stays in the order of the
// document, and so do all where one has no box.
func InOrder[T any](shapes []T, boxes []Box) []T {
	if len(shapes) > maxSorted || slices.ContainsFunc(boxes, Box.IsZero) {
		return shapes
	}
	out := make([]T, 0, len(shapes))
	left := make([]int, len(shapes))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		next := 0
		for i, s := range left {
			if !slices.ContainsFunc(left, func(other int) bool { return boxes[other].before(boxes[s]) }) {
				next = i
				break
			}
		}
		out = append(out, shapes[left[next]])
		left = slices.Delete(left, next, next+1)
	}
	return out
}

// before reports whether b is read before c for sure.
func (b Box) before(c Box) bool {
	const slack = .1 // of the smaller one
	overlap := func(from, to, otherFrom, otherTo float64) float64 {
		return (min(to, otherTo) - max(from, otherFrom)) / max(min(to-from, otherTo-otherFrom), 1)
	}
	rows, columns := overlap(b.Y0, b.Y1, c.Y0, c.Y1), overlap(b.X0, b.X1, c.X0, c.X1)
	switch {
	case columns > slack && rows <= slack:
		return b.Y0 < c.Y0
	case rows > slack && columns <= slack:
		return b.X0 < c.X0
	}
	return false
}
