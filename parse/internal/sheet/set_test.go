// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSet compares sets with slices of bools.
func TestSet(t *testing.T) {
	const size = 400
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var s set
		in := make([]bool, size+64)
		for range random.IntN(8) {
			first, last, add := random.IntN(size), random.IntN(size), random.IntN(3) > 0
			if add {
				s.add(first, last)
			} else {
				s.remove(first, last)
			}
			for n := first; n <= last; n++ {
				in[n] = add
			}
		}
		from := s.gaps()
		for n := range size {
			if s.has(n) != in[n] {
				t.Fatalf("has(%d) = %v", n, s.has(n))
			}
			if got, want := from(n), n+slices.Index(in[n:], false); got != want {
				t.Fatalf("the first gap from %d on is %d, not %d", n, got, want)
			}
		}
	}
	var s set
	s.add(3, 64)
	s.remove(4, 1<<40)
	if s.has(-70) || s.has(-1) || s.has(1<<40) || s.has(64) || !s.has(3) {
		t.Error("numbers that are not there")
	}
}
