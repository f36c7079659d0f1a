// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"math"
	"slices"
)

const (
	// SketchSize is how many shingles a sketch keeps.
	SketchSize = 64

	leastKnown = 16 // shingles that a comparison needs, or all that the page has
)

// A Sketch is a sample of what a page says: the 64 least fingerprints of its
// shingles, which are each three words in a row, ascending. Of a page with fewer
// it has all, so that two sketches can be compared up to the lesser of their
// last fingerprints.
type Sketch []uint32

// Add enters a fingerprint.
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

// bound returns the fingerprint up to which s has all of its page's.
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

// Novel returns how many of the page's shingles none of the pages before it has,
// of how many that could be compared. What cannot be compared counts as novel:
// without doubt no page is held to be stale.
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
