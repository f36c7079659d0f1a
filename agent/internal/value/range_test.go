// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"example.com/curlew/agent/internal/value"
)

// TestRange finds the other end of a range.
func TestRange(t *testing.T) {
	for _, test := range []struct {
		text  string
		v     float64
		other float64 // zero: none
	}{
		{"£120 – £150", 120, 150},
		{"£120 – £150", 150, 120},
		{"2–3 people", 2, 3},
		{"10 kg - 12 kg", 12, 10},
		{"1.5-2 h", 1.5, 2},
		{"Sleeps 3 · 2–4 kg", 3, 0},
		{"| 2 | 2-3 |", 2, 0},
		{"2024-2025", 2024, 0},
		{"2024-03-14", 3, 0},
		{"01433-650-221", 650, 0},
		{"9:00-17:00", 9, 0},
		{"5 - 3", 5, 0},
		{"from £89.99", 89.99, 0},
		{"12", 12, 0},
		{"", 0, 0},
	} {
		other, ok := value.Range(value.Normal(test.text), test.v)
		if other != test.other || ok != (test.other != 0) {
			t.Errorf("%s, %v: %v, %v, want %v", test.text, test.v, other, ok, test.other)
		}
	}
}
