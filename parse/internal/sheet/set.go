// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"math/bits"
	"slices"
)

// set is a set of row or column numbers, stored as bits. The zero value is
// empty.
type set []uint64

// add adds first to last. last must be below the bound of a sheet.
func (s *set) add(first, last int) {
	for len(*s) <= last/64 {
		*s = append(*s, 0)
	}
	s.words(first, last, func(word *uint64, mask uint64) { *word |= mask })
}

// remove removes first to last.
func (s *set) remove(first, last int) {
	s.words(first, min(last, len(*s)*64-1), func(word *uint64, mask uint64) { *word &^= mask })
}

// words calls do with each word that has bits of first to last, and the mask
// of these bits.
func (s *set) words(first, last int, do func(word *uint64, mask uint64)) {
	for at := first; at <= last; at = (at/64 + 1) * 64 {
		mask := ^uint64(0) << (at % 64)
		if end := at/64*64 + 63; end > last {
			mask &= ^uint64(0) >> (end - last)
		}
		do(&(*s)[at/64], mask)
	}
}

// has reports whether n is in the set.
func (s set) has(n int) bool {
	return n >= 0 && n/64 < len(s) && s[n/64]>>(n%64)&1 != 0
}

// count returns how many numbers are in the set.
func (s set) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// gaps returns a function that finds the first number from n on that is not
// in the set. n must not be negative. Each call takes constant time.
func (s set) gaps() func(n int) int {
	next := make([]int, len(s)+1) // for each word, the first word from it on that is not full
	next[len(s)] = len(s)
	for i, word := range slices.Backward(s) {
		if next[i] = i; word == ^uint64(0) {
			next[i] = next[i+1]
		}
	}
	return func(n int) int {
		i := n / 64
		if i >= len(s) {
			return n
		}
		if free := ^s[i] >> (n % 64); free != 0 {
			return n + bits.TrailingZeros64(free)
		}
		if i = next[i+1]; i == len(s) {
			return i * 64
		}
		return i*64 + bits.TrailingZeros64(^s[i])
	}
}
