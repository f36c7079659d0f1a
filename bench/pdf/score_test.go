// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"testing"
)

// TestScore has the vectors of parse.md 16.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		truth, got string
		want       scores
	}{
		{"abc", "abd", scores{4. / 6, -1, -1}},
		{"| a | b |\n| --- | --- |\n| c | d |", "| a | b |\n| --- | --- |", scores{-2, 1 - 3./7, -1}},
		{"# A\n\ntext", "# A", scores{-2, -1, 1 - 1./3}},
		{"# A\n\ntext", "# A\n\ntext", scores{1, -1, 1}},
		{"# A", "A", scores{-2, -1, 0}},
		{"", "x", scores{-1, -1, -1}},
		{"<table><tr><td colspan=2>a</td></tr></table>", "<table><tr><td>a</td></tr></table>", scores{-2, 1 - 1./3, -1}},
	} {
		got := score(c.truth, c.got)
		for i, v := range [][2]float64{{got.nid, c.want.nid}, {got.teds, c.want.teds}, {got.mhs, c.want.mhs}} {
			if v[1] != -2 && math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("score(%q, %q)[%d] = %v, want %v", c.truth, c.got, i, v[0], v[1])
			}
		}
	}
}
