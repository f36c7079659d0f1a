// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"math/bits"
	"slices"
)

// set holds numbers of rows or columns, one a bit; its zero value is empty.
type set []uint64

// add puts first to last into the set; last is below what a sheet has.
func (s *set) add(first, last int) {
	for len(*s) <= last/64 {
		*s = append(*s, 0)
	}
	s.words(first, last, func(word *uint64, mask uint64) { *word |= mask })
}

// remove takes first to last out of it.
func (s *set) remove(first, last int) {
	s.words(first, min(last, len(*s)*64-1), func(word *uint64, mask uint64) { *word &^= mask })
}

// words calls do with the words that hold first to last, and their bits.
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

// gaps returns what finds the first number from one on, which is not negative,
// that is not in the set. It takes the same time however many are.
func (s set) gaps() func(n int) int {
	next := make([]int, len(s)+1) // of each word: the first from it on that lacks a number
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
