// SPDX-License-Identifier: Apache-2.0

package sorting

import (
	"slices"
	"testing"
)

// TestLists compares changes of lists with those of package slices.
func TestLists(t *testing.T) {
	for n := range 6 {
		var all []int
		for i := range n {
			all = append(all, i)
		}
		for i := range n + 1 {
			want := slices.Insert(slices.Clone(all), i, -1)
			if got := Insert(slices.Clone(all), i, -1); !slices.Equal(got, want) {
				t.Errorf("-1 at %d of %v: %v, want %v", i, all, got, want)
			}
			drop := func(v int) bool { return v%(i+1) == 0 }
			got, want := slices.Clone(all), slices.DeleteFunc(slices.Clone(all), drop)
			if left := Without(got, drop); !slices.Equal(left, want) || slices.Max(append(got[len(left):], 0)) != 0 {
				t.Errorf("%v without multiples of %d: %v of %v, want %v", all, i+1, left, got, want)
			}
		}
	}
}
