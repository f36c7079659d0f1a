// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// TestFewLines reads tables that only a few lines, fills or white space show.
func TestFewLines(t *testing.T) {
	groups := "120 700 m 120 600 l S 120 680 m 400 680 l S 50 660 m 400 660 l S 120 640 m 400 640 l S 120 620 m 400 620 l S " +
		at(52, 677, "Group") + at(124, 687, "one") + at(124, 667, "two") +
		at(52, 627, "Other") + at(124, 647, "three") + at(124, 627, "four") + at(124, 607, "five")
	ticks := strings.ReplaceAll(groups, "50 660 m", "112 660 m") // no column is as narrow as a mark of an axis

	var stripes, sparse strings.Builder
	stripes.WriteString(at(50, 744, "A paragraph that goes on over the whole width of the table below it and has a last") + at(50, 732, "line of some words."))
	for i := range 5 {
		y := 720 - 24*i
		if i%2 == 1 {
			fmt.Fprintf(&stripes, ".9 .9 1 rg 48 %d 152 24 re 200 %d 100 24 re 300 %d 200 24 re f 0 g ", y-24, y-24, y-24)
		}
		stripes.WriteString(at(50, float64(y-10), fmt.Sprint("Label ", i)) + at(50, float64(y-21), "of two lines") +
			at(240, float64(y-10), fmt.Sprint(100+i)) + at(440, float64(y-10), fmt.Sprint("word ", i)))
	}
	y := 700.0
	for _, row := range [][]string{{"Upper one", "A text that goes on", "final", ""}, {"Quiet", "Another text of it", "high", ""}, {"Coastal", "Short", "draft", ""}, {"Rural", "", "", "37.6"}, {"North", "The last text here", "", ""}} {
		for j, x := range []float64{50, 180, 330, 420} {
			if row[j] != "" {
				sparse.WriteString(at(x, y, row[j]))
			}
			if j == 1 && len(row[1]) > 9 {
				sparse.WriteString(at(x, y-11, "for two or more of them") + at(x, y-22, "and one at the end of it"))
			}
		}
		if y -= 20; len(row[1]) > 9 {
			y -= 22
		}
	}
	// The texts of each row have from one to four lines, and stand in the middle of it.
	seated := func(gap float64) string {
		var b strings.Builder
		y := 700.0
		for _, row := range [][][]string{
			{{"Upper one"}, {"A text that goes on and", "ends here."}, {"final"}},
			{{"Quiet label of", "two lines"}, {"Another text of it that is", "longer than the others", "are."}, {"high"}},
			{{"Coastal"}, {"Short."}, {"draft"}},
			{{"Rural"}, {"The fourth of the texts has", "as many lines as four, so", "that two are above the", "middle."}, {"low"}},
			{{"North"}, {"The last text of the table", "has two."}, {"final"}},
		} {
			most := 0
			for _, cell := range row {
				most = max(most, len(cell))
			}
			for j, x := range []float64{50, 180, 330} {
				for k, line := range row[j] {
					b.WriteString(at(x, y-12*(float64(k)+float64(most-len(row[j]))/2), line))
				}
			}
			y -= 12*float64(most) + gap
		}
		return b.String()
	}
	middles := [][]string{
		{"Upper one", "A text that goes on and ends here.", "final"},
		{"Quiet label of two lines", "Another text of it that is longer than the others are.", "high"},
		{"Coastal", "Short.", "draft"},
		{"Rural", "The fourth of the texts has as many lines as four, so that two are above the middle.", "low"},
		{"North", "The last text of the table has two.", "final"},
	}
	const lines = "50 712 m 320 712 l S 50 696 m 320 696 l S 50 666 m 320 666 l S "
	narrow := lines + pdftest.Text("F2", 10, 52, 700, "Ribbon") + pdftest.Text("F2", 10, 91, 700, "Engine") +
		at(52, 680, "Coastal") + at(91, 686, "A text that goes on and on,") + at(91, 674, "and then ends.")
	short := "46 696 m 138 696 l S " + at(52, 700, "Harbour") + at(94.2, 700, "Meadow") + at(52, 680, "Public") + at(94.2, 680, "6680")
	fraction := strings.ReplaceAll(short, "46 696 m 138 696 l", "52 696 m 132 696 l")
	for _, tt := range []struct {
		name, content string
		want          [][]string
	}{
		{"a bold header close to the next", narrow, [][]string{{"Ribbon", "Engine"}, {"Coastal", "A text that goes on and on, and then ends."}}},
		{"a line that is longer than the texts above and below it", short, [][]string{{"Harbour", "Meadow"}, {"Public", "6680"}}},
		{"a line as long as its texts", fraction, nil},
		{"one line between the names of two groups", groups, [][]string{{"Group(1,2)", "one"}, {"two"}, {"Other(1,3)", "three"}, {"four"}, {"five"}}},
		{"a mark beside a line", ticks, nil},
		{"stripes of cells", stripes.String(), [][]string{
			{"Label 0 of two lines", "100", "word 0"},
			{"Label 1 of two lines", "101", "word 1"},
			{"Label 2 of two lines", "102", "word 2"},
			{"Label 3 of two lines", "103", "word 3"},
			{"Label 4 of two lines", "104", "word 4"},
		}},
		{"texts in the middle of their rows", seated(6), middles},
		{"texts in the middle of rows without space between them", seated(0), middles},
		{"wrapped cells beside empty ones", sparse.String(), [][]string{
			{"Upper one", "A text that goes on for two or more of them and one at the end of it", "final", ""},
			{"Quiet", "Another text of it for two or more of them and one at the end of it", "high", ""},
			{"Coastal", "Short", "draft", ""},
			{"Rural", "", "", "37.6"},
			{"North", "The last text here for two or more of them and one at the end of it", "", ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]) {
				if b.Table != nil && b.Table.Columns > 1 {
					got = append(got, rowsText(b.Table)...)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}
