// SPDX-License-Identifier: Apache-2.0

package doctree

import "slices"

// maxSorted is the maximum number of shapes of a slide that are sorted by
// position.
const maxSorted = 500

// InOrder returns the shapes of a slide in reading order, according to their
// boxes: from top to bottom, and within a row from left to right. Shapes
// without a clear relation, or all shapes if one has no box, stay in the order
// of the document.
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

// before reports whether b is certainly read before c.
func (b Box) before(c Box) bool {
	const slack = .1 // relative to the smaller one
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
