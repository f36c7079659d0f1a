// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// TestSections makes titles of sections span the table, and leaves values of
// a column in their column.
func TestSections(t *testing.T) {
	xs := []float64{50, 150, 250, 350}
	head := []string{"Item", "Kind", "Count", "Share"}
	first, second := []string{"Barley", "12", "14", "7.5"}, []string{"Copper", "8", "7", "1.5"}
	third := []string{"Granite", "5", "3", "2.5"}
	rule := "50 696 m 375 696 l S "
	near := []float64{50, 110}
	open := "50 700 m 350 700 l S 50 680 m 350 680 l S 50 660 m 350 660 l S 150 660 m 150 700 l S " +
		"50 640 m 350 640 l S 50 620 m 350 620 l S 50 600 m 350 600 l S 150 600 m 150 640 l S "
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{
			"a title in the middle", rule + columns(xs, 700, 14, head, first, second) + at(170, 658, "Section of metals") + columns(xs, 644, 14, third, first),
			[][]string{head, first, second, {"Section of metals(4,1)"}, third, first},
		},
		{
			"a value in its column", rule + columns(xs, 700, 14, head, first, second) + at(150, 658, "7,5") + columns(xs, 644, 14, third, first),
			[][]string{head, first, second, {"", "7,5", "", ""}, third, first},
		},
		{
			"a row without vertical lines in an open grid",
			open + columns([]float64{55, 155}, 686, 20, []string{"Item", "Count"}, []string{"Barley", "14"}) + at(170, 646, "Metals") +
				columns([]float64{55, 155}, 626, 20, []string{"Copper", "7"}, []string{"Granite", "3"}),
			[][]string{{"Item", "Count"}, {"Barley", "14"}, {"Metals(2,1)"}, {"Copper", "7"}, {"Granite", "3"}},
		},
		{
			"a title across the only white space, which is narrow", columnsOfBold(near, 706, "Quarry", "Garden") +
				columns(near, 690, 16, []string{"Barley", "open"}, []string{"Timber of it", "shut"}) + at(73, 658, "Section of metals") +
				columns(near, 642, 16, []string{"Copper", "quiet"}, []string{"Granite", "new"}, []string{"Timber a lot", "in all harbours"}),
			[][]string{{"Quarry", "Garden"}, {"Barley", "open"}, {"Timber of it", "shut"}, {"Section of metals(2,1)"}, {"Copper", "quiet"}, {"Granite", "new"}, {"Timber a lot", "in all harbours"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]) {
				got = append(got, rowsText(b.Table)...)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
	}
}

// TestTiers finds headers of two levels without a line between them, and
// leaves wrapped headers whole.
func TestTiers(t *testing.T) {
	xs := []float64{50, 150, 210, 270, 330}
	leaves := []string{"Seats", "Votes", "Seats", "Votes"}
	rows := [][]string{{"One", "11", "20", "30", "40"}, {"Two", "55", "60", "70", "80"}, {"Six", "91", "10", "11", "12"}}
	words := [][]string{{"One", "open", "open", "shut", "open"}, {"Two", "shut", "shut", "open", "left"}, {"Six", "left", "open", "open", "shut"}}
	frame := "45 660 m 360 660 l S "
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{
			"two levels", frame + at(168, 686, "First count") + at(280, 686, "Second count") + at(50, 680, "Party") +
				columns(xs[1:], 668, 14, leaves) + columns(xs, 646, 14, rows...),
			append([][]string{{"Party(1,2)", "First count(2,1)", "Second count(2,1)"}, leaves}, rows...),
		},
		{
			"two levels above one row", frame + at(168, 686, "First count") + at(280, 686, "Second count") + at(50, 680, "Party") +
				columns(xs[1:], 668, 14, leaves) + columns(xs, 646, 14, rows[0]),
			[][]string{{"Party(1,2)", "First count(2,1)", "Second count(2,1)"}, leaves, rows[0]},
		},
		{
			"words, without a line", at(168, 686, "First count") + at(280, 686, "Second count") + at(50, 686, "Party") +
				columns(xs[1:], 672, 14, leaves) + columns(xs, 658, 14, words...),
			append([][]string{{"Party(1,2)", "First count(2,1)", "Second count(2,1)"}, leaves}, words...),
		},
		{
			"a first row with empty cells", at(50, 686, "Party") + at(150, 686, "open and") + at(270, 686, "neard or") +
				columns(xs, 672, 14, words...) + columns(xs, 630, 14, words...),
			append(append([][]string{{"Party", "open and", "", "neard or", ""}}, words...), words...),
		},
		{
			"wrapped headers", frame + at(150, 680, "First") + at(270, 680, "Second") + at(50, 668, "Party") +
				columns(xs[1:], 668, 14, []string{"seats", "votes", "seats", "votes"}) + columns(xs, 646, 14, rows...),
			append([][]string{{"Party", "First seats", "votes", "Second seats", "votes"}}, rows...),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]) {
				got = append(got, rowsText(b.Table)...)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
	}
}

// TestUnbroken joins the words of a header that the border of two columns parts,
// and keeps headers apart that are farther from each other, in other columns, or
// not in one line.
func TestUnbroken(t *testing.T) {
	head := func(column int, x, y float64, text string) part {
		w := Word{Text: text, Size: 10, Box: content.Box{X0: x, X1: x + 5*float64(len(text)), Y0: y, Y1: y + 10}}
		return part{words: []Word{w}, c0: column, c1: column, y0: y, y1: y + 10}
	}
	f := figures{size: 10}
	got := f.unbroken([]part{
		head(1, 100, 50, "Upper"), head(2, 128, 50, "garden"), head(3, 165, 50, "Lower"), head(4, 193, 53, "yard"), head(6, 216, 53, "wood"),
	})
	var texts []string
	for i := range got {
		texts = append(texts, fmt.Sprint(got[i].text(), got[i].c0, got[i].c1))
	}
	if d := cmp.Diff([]string{"Upper garden1 2", "Lower3 3", "yard4 4", "wood6 6"}, texts); d != "" {
		t.Errorf("headers (-want +got):\n%s", d)
	}
}
