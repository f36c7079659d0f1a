// SPDX-License-Identifier: Apache-2.0

package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// pair is a value with the place that it had before.
type pair struct {
	key, at int
	name    string
}

func compare(a, b pair) int { return cmp.Compare(a.key, b.key) }

func pairs(keys []int) []pair {
	var out []pair
	for i, k := range keys {
		out = append(out, pair{key: k, at: i, name: string(rune('a' + k%26))})
	}
	return out
}

// TestStable compares the order of random, sorted, reversed and repeated keys with
// that of the standard library.
func TestStable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- data of a test
	for n := range 700 {
		keys := make([]int, n)
		for _, fill := range []func(i int) int{
			func(int) int { return random.IntN(n + 1) },
			func(int) int { return random.IntN(4) },
			func(i int) int { return i },
			func(i int) int { return -i },
			func(i int) int { return (i * 7) % 13 },
			func(i int) int { return min(i, n-2) - i/(n-1+n%2)*random.IntN(n+1) },
		} {
			if n < 2 {
				fill = func(i int) int { return i }
			}
			for i := range keys {
				keys[i] = fill(i)
			}
			got, want := pairs(keys), pairs(keys)
			Stable(got, compare)
			slices.SortStableFunc(want, compare)
			if !slices.Equal(got, want) {
				t.Fatalf("keys %v: %v, want %v", keys, got, want)
			}
		}
	}
}

// TestContradiction sorts with a comparison that contradicts itself, which must
// lose no value.
func TestContradiction(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4)) // #nosec G404 -- data of a test
	for n := range 700 {
		s := make([]int, n)
		for i := range s {
			s[i] = i
		}
		Stable(s, func(int, int) int { return random.IntN(3) - 1 })
		slices.Sort(s)
		for i := range s {
			if s[i] != i {
				t.Fatalf("%d values: %v", n, s)
			}
		}
	}
}

// TestAllocations checks that short lists need no memory.
func TestAllocations(t *testing.T) {
	s := pairs([]int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 10, 13, 12, 15, 14})
	if n := testing.AllocsPerRun(100, func() {
		s[0], s[15] = s[15], s[0]
		Stable(s, compare)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
