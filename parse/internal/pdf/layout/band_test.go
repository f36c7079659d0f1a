// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// TestBelowColumns reads a short text below two columns after both if it was
// painted after them. Text that was painted with its column stays in it.
func TestBelowColumns(t *testing.T) {
	lines := []string{
		"Early small follows well known", "international leaves weather and", "engineer follows from stone in",
		"describes over the old garden", "of many rivers and their towns", "where people of the coast meet",
	}
	column := func(x float64, mark string, n int) []string {
		var out []string
		for i, s := range lines[:n] {
			out = append(out, at(x, 700-12*float64(i), mark+s))
		}
		slices.Reverse(out) // the order of painting is not that of the text
		return out
	}
	tests := []struct {
		name        string
		left, right int
		last        bool // the text below was painted last
		want        bool // it is read last
	}{
		{"equal columns", 6, 6, true, true},
		{"the left column is longer", 6, 5, true, true},
		{"short columns", 3, 3, true, true},
		{"the left column is much longer", 6, 4, true, false},
		{"painted with the left column", 6, 5, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			low := at(50, 700-12*float64(tt.left-1)-20, "Below both.")
			parts := column(50, "L ", tt.left)
			if !tt.last {
				parts = append(parts, low)
			}
			parts = append(parts, column(250, "R ", tt.right)...)
			if tt.last {
				parts = append(parts, low)
			}
			var got []string
			blocks, _ := pageBlocks(pagesOf(t, Options{}, pdftest.Pages(strings.Join(parts, "")))[0])
			for _, b := range blocks {
				got = append(got, b.Text())
			}
			s := strings.Join(got, "\n")
			if last := strings.Index(s, "Below") > strings.LastIndex(s, "R "); last != tt.want {
				t.Errorf("read last: %v\n%s", last, s)
			}
		})
	}
}
