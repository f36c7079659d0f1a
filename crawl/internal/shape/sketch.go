// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"math"
	"slices"
)

const (
	// SketchSize is the number of shingles in a sketch.
	SketchSize = 64

	leastKnown = 16 // shingles that a comparison needs, or all shingles of a short page
)

// A Sketch is a sample of the text of a page. A shingle is three consecutive
// words. The sketch contains the 64 smallest fingerprints of the page's
// shingles, in ascending order, or all if there are fewer. Two sketches can be
// compared up to the smaller of their last fingerprints.
type Sketch []uint32

// Add adds a fingerprint.
func (s *Sketch) Add(f uint32) {
	if len(*s) == SketchSize && f >= (*s)[SketchSize-1] {
		return
	}
	i, there := slices.BinarySearch(*s, f)
	if there {
		return
	}
	if len(*s) == SketchSize {
		*s = (*s)[:SketchSize-1]
	}
	*s = slices.Insert(*s, i, f)
}

// bound returns the fingerprint up to which s is complete.
func (s Sketch) bound() uint32 {
	if len(s) < SketchSize {
		return math.MaxUint32
	}
	return s[len(s)-1]
}

// has reports whether f is in s.
func (s Sketch) has(f uint32) bool {
	_, there := slices.BinarySearch(s, f)
	return there
}

// Novel returns how many of the page's shingles do not occur in any earlier
// page, and how many could be compared. If too few can be compared, all count
// as novel, because a page must not be called stale without evidence.
func (s Sketch) Novel(past []Sketch) (novel, of int) {
	if len(past) == 0 {
		return len(s), len(s)
	}
	bound := uint32(math.MaxUint32)
	for _, p := range past {
		bound = min(bound, p.bound())
	}
	seen, _ := slices.BinarySearch(s, bound)
	if seen < len(s) && s[seen] == bound {
		seen++
	}
	if seen < min(len(s), leastKnown) {
		seen = len(s)
	}
	for _, f := range s[:seen] {
		if !slices.ContainsFunc(past, func(p Sketch) bool { return p.has(f) }) {
			novel++
		}
	}
	return novel, seen
}
