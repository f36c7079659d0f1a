// SPDX-License-Identifier: Apache-2.0

package scoretest

import "math/bits"

// common returns the length of the longest common subsequence. It processes 64
// elements of a at a time (Crochemore et al., 2001).
func common[T comparable](a, b []T) int {
	words := (len(a) + 63) / 64
	at := map[T][]uint64{}
	for i, x := range a {
		if at[x] == nil {
			at[x] = make([]uint64, words)
		}
		at[x][i/64] |= 1 << (i % 64)
	}
	open := make([]uint64, words) // a zero bit is a step of the row
	for i := range open {
		open[i] = ^uint64(0)
	}
	for _, y := range b {
		match := at[y]
		if match == nil {
			continue
		}
		carry := uint64(0)
		for i, v := range open {
			var sum uint64
			sum, carry = bits.Add64(v, v&match[i], carry)
			open[i] = sum | v&^match[i]
		}
	}
	n := 0
	for i := range a {
		if open[i/64]>>(i%64)&1 == 0 {
			n++
		}
	}
	return n
}

// levenshtein returns the minimum number of insertions, deletions and changes
// of characters.
func levenshtein(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range b {
			above := row[j+1]
			cost := diagonal
			if r != s {
				cost++
			}
			row[j+1] = min(above+1, row[j]+1, cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
