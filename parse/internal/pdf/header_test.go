// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

// TestRepeatedHeader counts the header rows that later pages of a table repeat. A first row
// that differs from the header is a row of the table.
func TestRepeatedHeader(t *testing.T) {
	for name, c := range map[string]struct {
		heads []string // first cell of each page
		want  int
		rows  int
	}{
		"repeated":      {[]string{"Date", "Date", "Date"}, 2, 7},
		"not repeated":  {[]string{"Date", "day 0.1", "day 0.2"}, 0, 9},
		"repeated once": {[]string{"Date", "Date", "day 0.2"}, 1, 8},
	} {
		var pages []string
		for i, head := range c.heads {
			var b strings.Builder
			for _, x := range []float64{50, 150, 250} {
				fmt.Fprintf(&b, "%g 660 m %g 760 l S\n", x, x)
			}
			for _, y := range []float64{660, 690, 720, 760} {
				fmt.Fprintf(&b, "50 %g m 250 %g l S\n", y, y)
			}
			second := "Sum"
			if head != "Date" {
				second = fmt.Sprintf("%d.50", i)
			}
			for row, cells := range [][2]string{{head, second}, {fmt.Sprintf("day %d.3", i), "1.50"}, {fmt.Sprintf("day %d.4", i), "2.50"}} {
				y := 735 - 30*float64(row)
				b.WriteString(pdftest.Text("F1", 10, 55, y, cells[0]) + pdftest.Text("F1", 10, 155, y, cells[1]))
			}
			pages = append(pages, b.String())
		}
		d := read(t, pdftest.Pages(pages...), pdf.Options{})
		want := pdf.Warning{Code: "repeated-header", Page: 1, Text: fmt.Sprintf("From this page on, header rows of tables that later pages repeat, and that were left out: %d.", c.want)}
		if slices.Contains(d.Warnings, want) != (c.want > 0) {
			t.Errorf("%s: %v", name, d.Warnings)
		}
		if text := rendered(t, d); len(strings.Split(strings.TrimSpace(text), "\n")) != c.rows+1 { // with the line below the header
			t.Errorf("%s: %s", name, text)
		}
	}
}
