// SPDX-License-Identifier: Apache-2.0

// Package sorting sorts and changes lists of any type with little code. The functions of
// package slices are compiled anew for each type, with 5 to 12 KB of code each.
package sorting

// block is the length up to which values are put in place one after the other.
const block = 12

// Stable sorts s as [slices.SortStableFunc] does. It compares less often than that
// and moves each value only once, because it sorts the places of the values. A
// list that is sorted already is only read.
func Stable[S ~[]E, E any](s S, compare func(a, b E) int) {
	arrange(len(s), func(i, j int32) int { return compare(s[i], s[j]) }, func(i, j int32) { s[i], s[j] = s[j], s[i] })
}

// arrange sorts n values, which it compares and swaps by their places.
func arrange(n int, compare func(i, j int32) int, swap func(i, j int32)) {
	first := int32(1)
	for int(first) < n && compare(first-1, first) <= 0 {
		first++
	}
	if int(first) >= n {
		return
	}
	var room [256]int32 // enough for most lists
	order := room[:]
	if 2*n > len(room) {
		order = make([]int32, 2*n)
	}
	order, spare := order[:n], order[n:]
	for i := range order {
		order[i] = int32(i) // #nosec G115 -- no list in memory has more values
	}
	merge(order, spare, compare)
	for i := range order { // each value goes to its place, and the one that was there to the place that became free
		for at := int32(i); ; { // #nosec G115 -- as above
			from := order[at]
			order[at] = at
			if from == int32(i) { // #nosec G115 -- as above
				break
			}
			swap(at, from)
			at = from
		}
	}
}

// merge sorts order, whose halves of a merge are copied to spare.
func merge(order, spare []int32, compare func(i, j int32) int) {
	n := len(order)
	for from := 0; from < n; from += block {
		for i := from + 1; i < min(from+block, n); i++ {
			v, j := order[i], i
			for ; j > from && compare(order[j-1], v) > 0; j-- {
				order[j] = order[j-1]
			}
			order[j] = v
		}
	}
	for width := block; width < n; width *= 2 {
		for from := 0; from+width < n; from += 2 * width {
			middle, end := from+width, min(from+2*width, n)
			if compare(order[middle-1], order[middle]) <= 0 {
				continue
			}
			left := spare[:copy(spare, order[from:middle])]
			at, right := from, middle
			for len(left) > 0 && right < end {
				if compare(left[0], order[right]) <= 0 {
					order[at], left = left[0], left[1:]
				} else {
					order[at] = order[right]
					right++
				}
				at++
			}
			copy(order[at:], left)
		}
	}
}
