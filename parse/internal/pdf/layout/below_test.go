// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// TestJoinBelow joins a table with the rows below a wide gap, unless these have a header
// or other columns, or text stands between them.
func TestJoinBelow(t *testing.T) {
	xs := []float64{50, 150, 210, 270}
	table := boxes([]float64{45, 140, 200, 260, 320}, []float64{636, 654, 672, 690}) +
		columns(xs, 676, 18, []string{"Kind", "Old", "New", "All"}, []string{"Fruit", "10", "12", "22"}, []string{"Nut", "7", "8", "15"})
	lower := func(xs []float64, rows ...[]string) string {
		walls := []float64{xs[0] - 5, xs[1] - 10, xs[2] - 10, xs[3] - 10, xs[3] + 50}
		return boxes(walls, []float64{574, 592, 610}) + columns(xs, 596, 18, rows...)
	}
	totals := lower(xs, []string{"Sum", "17", "20", "37"}, []string{"Mean", "8", "10", "18"})
	for _, tt := range []struct {
		name, below string
		tables      int
	}{
		{"totals", totals, 1},
		{"text between them", totals + pdftest.Text("F1", 10, 50, 620, "In thousands of tons"), 2},
		{"another header", lower(xs, []string{"Kind", "Old", "New", "All"}, []string{"Mean", "8", "10", "18"}), 2},
		{"years", lower(xs, []string{"Kind", "2024", "2025", "2026"}, []string{"Mean", "8", "10", "18"}), 2},
		{"other columns", lower([]float64{50, 130, 190, 250}, []string{"Sum", "17", "20", "37"}, []string{"Mean", "8", "10", "18"}), 2},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(table+tt.below))[0]
		got := tables(p)
		rows := 0
		for _, b := range got {
			rows += len(b.Table.Rows)
		}
		if len(got) != tt.tables || rows != 5 {
			t.Errorf("%s: %d tables of %d rows, want %d of 5", tt.name, len(got), rows, tt.tables)
		}
	}
}
