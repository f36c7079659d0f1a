// SPDX-License-Identifier: Apache-2.0

package jbig2

import "fmt"

// Kraft returns for each standard table the sum of 2^-length over its codes,
// in units of 2^-16. A complete prefix code has the sum 2^16.
func Kraft() []int {
	var out []int
	for _, h := range standard() {
		sum := 0
		for _, l := range h.lines {
			sum += 1 << (16 - l.prefix)
		}
		out = append(out, sum)
	}
	return out
}

// Code returns the bits of a value in a standard table, numbered from 1, or
// those of the out-of-band value if value is nil.
func Code(table int, value *int) string {
	h := standard()[table-1]
	for size := 1; size <= maxPrefix; size++ {
		for i := h.first[size]; i < h.first[size+1]; i++ {
			l := h.lines[i]
			prefix := fmt.Sprintf("%0*b", size, h.codes[size]+i-h.first[size])
			switch {
			case value == nil && l.outOfBand:
				return prefix
			case value == nil || l.outOfBand:
			case l.down && *value <= l.from:
				return prefix + fmt.Sprintf("%0*b", l.more, l.from-*value)
			case !l.down && *value >= l.from && *value < l.from+1<<l.more:
				if l.more == 0 {
					return prefix
				}
				return prefix + fmt.Sprintf("%0*b", l.more, *value-l.from)
			}
		}
	}
	panic("no code")
}
