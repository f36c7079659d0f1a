// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// tablesIn returns the tables without ruling lines of a page.
func tablesIn(t *testing.T, content string) [][][]string {
	t.Helper()
	p := pagesOf(t, Options{}, pdftest.Pages(content))[0]
	var out [][][]string
	for _, tab := range unruledTables(p) {
		out = append(out, rowsText(&tab))
	}
	return out
}

// closeTo returns rows of a letter and two numbers that end at x0 and at x1.
func closeTo(x0 float64, first []string, x1 float64, second []string) string {
	width := func(s string) float64 { // of Helvetica
		return 10 * (.556*float64(len(s)-strings.Count(s, ".")-strings.Count(s, "-")) + .278*float64(strings.Count(s, ".")) + .333*float64(strings.Count(s, "-")))
	}
	var b strings.Builder
	for i := range first {
		y := float64(700 - 14*i)
		b.WriteString(pdftest.Text("F1", 10, 50, y, string(rune('a'+i))) + pdftest.Text("F1", 10, x0-width(first[i]), y, first[i]) + pdftest.Text("F1", 10, x1-width(second[i]), y, second[i]))
	}
	return b.String()
}

// TestFigures reads tables of numbers as printed in statistics.
func TestFigures(t *testing.T) {
	xs := []float64{50, 200, 300}
	line := func(y float64) string { return fmt.Sprintf("50 %g m 340 %[1]g l S ", y) }
	dots := " . . . . . ."
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"rows at two distances are not wrapped", columns(xs, 700, 12, []string{"Kind", "Old", "New"}, []string{"Fruit", "10", "12.5"}, []string{"Nut", "7", "8"}) +
			columns(xs, 656, 12, []string{"Root", "1", "2"}, []string{"Leaf", "3", "4"}, []string{"Bark", "5", "6"}), [][]string{
			{"Kind", "Old", "New"}, {"Fruit", "10", "12.5"}, {"Nut", "7", "8"}, {"Root", "1", "2"}, {"Leaf", "3", "4"}, {"Bark", "5", "6"},
		}},
		{"numbers beside the last line of a label", line(712) + columns(xs, 700, 12, []string{"Kind", "Old", "New"}) + line(694) + columns(xs, 682, 12,
			[]string{"Employment in the"}, []string{"whole country", "10", "12"}, []string{"Others", "7", "8"}, []string{"Unpaid", "1", "2"}) + line(640), [][]string{
			{"Kind", "Old", "New"}, {"Employment in the whole country", "10", "12"}, {"Others", "7", "8"}, {"Unpaid", "1", "2"},
		}},
		{"a label over a group", line(712) + columns(xs, 700, 12, []string{"Kind", "Old", "New"}) + line(694) + columns(xs, 682, 12,
			[]string{"Persons"}, []string{"Employed", "10", "12"}, []string{"Others", "7", "8"}, []string{"Households"}, []string{"One person", "1", "2"}) + line(628), [][]string{
			{"Kind", "Old", "New"}, {"Persons", "", ""}, {"Employed", "10", "12"}, {"Others", "7", "8"}, {"Households", "", ""}, {"One person", "1", "2"},
		}},
		{"leaders", columns(xs, 700, 12, []string{"Kind", "Old", "New"}, []string{"Fruit" + dots, "10.5", "12.5"}, []string{"Nut" + dots, "7.1", "8.2"}, []string{"Root" + dots, "1.0", "2.4"}), [][]string{
			{"Kind", "Old", "New"}, {"Fruit" + dots, "10.5", "12.5"}, {"Nut" + dots, "7.1", "8.2"}, {"Root" + dots, "1.0", "2.4"},
		}},
		{"years under a span without a line", columns([]float64{50}, 688, 12, []string{"Country"}) + at(205, 704, "Men and women") + columns([]float64{50, 200, 260}, 688, 14,
			[]string{"", "2001", "2002"}, []string{"Ireland", "10", "12"}, []string{"Spain", "7", "8"}, []string{"Malta", "1", "2"}), [][]string{
			{"Country(1,2)", "Men and women(2,1)"}, {"2001", "2002"}, {"Ireland", "10", "12"}, {"Spain", "7", "8"}, {"Malta", "1", "2"},
		}},
		{"headers that repeat below one line", line(726) + at(238, 716, "Men") + at(358, 716, "Women and girls") + "190 712 m 450 712 l S " +
			columns([]float64{50, 200, 260, 320, 380}, 700, 12, []string{"Country", "Old", "New", "Old", "New"}) + "50 694 m 450 694 l S " +
			columns([]float64{50, 200, 260, 320, 380}, 682, 12, []string{"Ireland", "10", "12", "11", "13"}, []string{"Spain", "7", "8", "9", "9"}, []string{"Malta", "1", "2", "1", "3"}), [][]string{
			{"Country(1,2)", "Men(2,1)", "Women and girls(2,1)"}, {"Old", "New", "Old", "New"}, {"Ireland", "10", "12", "11", "13"}, {"Spain", "7", "8", "9", "9"}, {"Malta", "1", "2", "1", "3"},
		}},
		{"headers on both sides of a wall", line(726) + at(252, 716, "Men") + at(354, 716, "Women") + "190 712 m 450 712 l S 305 640 m 305 726 l S " +
			columns([]float64{50, 200, 260, 320, 380}, 700, 12, []string{"Country", "Old", "New", "All", "Few"}) + "50 694 m 450 694 l S " +
			columns([]float64{50, 200, 260, 320, 380}, 682, 12, []string{"Ireland", "10", "12", "11", "13"}, []string{"Spain", "7", "8", "9", "9"}, []string{"Malta", "1", "2", "1", "3"}), [][]string{
			{"Country(1,2)", "Men(2,1)", "Women(2,1)"}, {"Old", "New", "All", "Few"}, {"Ireland", "10", "12", "11", "13"}, {"Spain", "7", "8", "9", "9"}, {"Malta", "1", "2", "1", "3"},
		}},
		{"numbers of two columns a space apart", closeTo(215, []string{"17", "1", "286", "65", "9"}, 246, []string{"6.2", "-100.0", "1.1", "36.9", "-33.3"}), [][]string{
			{"a", "17", "6.2"}, {"b", "1", "-100.0"}, {"c", "286", "1.1"}, {"d", "65", "36.9"}, {"e", "9", "-33.3"},
		}},
		{"numbers that end where the texts after them begin", closeTo(215, []string{"17", "1", "286", "65", "9"}, 300, []string{"6.2", "5.1", "1.1", "36.9", "33.3"}) +
			columns([]float64{217}, 700, 14, []string{"red wine"}, []string{"white wine"}, []string{"old brandy"}, []string{"ale of rye"}, []string{"tea"}), [][]string{
			{"a", "17", "red wine", "6.2"}, {"b", "1", "white wine", "5.1"}, {"c", "286", "old brandy", "1.1"}, {"d", "65", "ale of rye", "36.9"}, {"e", "9", "tea", "33.3"},
		}},
		{"numbers in two parts", closeTo(215, []string{"0171", "0151", "0286", "0165", "0191"}, 245, []string{"62111", "10000", "11723", "36949", "33331"}), [][]string{
			{"a", "0171 62111"}, {"b", "0151 10000"}, {"c", "0286 11723"}, {"d", "0165 36949"}, {"e", "0191 33331"},
		}},
		{"a note below the last line", line(712) + columns(xs, 700, 12, []string{"Kind", "Old", "New"}) + line(694) + columns(xs, 682, 12,
			[]string{"Fruit", "10", "12"}, []string{"Nut", "7", "8"}, []string{"Root", "1", "2"}) + line(652) + at(50, 642, "1 Not all."), [][]string{
			{"Kind", "Old", "New"}, {"Fruit", "10", "12"}, {"Nut", "7", "8"}, {"Root", "1", "2"},
		}},
		{"signs of money in a column of their own", columns([]float64{50, 200, 230, 300}, 700, 14, []string{"Kind", "", "Old", "New"}, []string{"Fruit", "$", "10.5", "12.5"}, []string{"Nut", "$", "7.1", "8.2"}, []string{"Root", "$", "1.0", "2.4"}), [][]string{
			{"Kind", "Old", "New"}, {"Fruit", "$ 10.5", "12.5"}, {"Nut", "$ 7.1", "8.2"}, {"Root", "$ 1.0", "2.4"},
		}},
		{"marks for what is missing", columns(xs, 700, 14, []string{"Kind", "Old", "New"}, []string{"Fruit", "n.a.", "12.5"}, []string{"Nut", "(X)", "8.2"}, []string{"Root", "1.0", "n.a."}), [][]string{
			{"Kind", "Old", "New"}, {"Fruit", "n.a.", "12.5"}, {"Nut", "(X)", "8.2"}, {"Root", "1.0", "n.a."},
		}},
		{"the axes of a chart", columns([]float64{50, 200, 300}, 700, 14, []string{"0.2", "", "1"}, []string{"0", "0.6", "0.8"}, []string{"0.1", "0.4", ""}, []string{"0", "10", "20"}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, g := range tablesIn(t, tt.content) {
				got = append(got, g...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTwoTables separates tables below each other.
func TestTwoTables(t *testing.T) {
	xs := []float64{50, 200, 300}
	a := [][]string{{"Kind", "Old", "New"}, {"Fruit", "10", "12"}, {"Nut", "7", "8"}, {"Root", "1", "2"}}
	b := [][]string{{"Country", "Men", "Women"}, {"Ireland", "5", "6"}, {"Spain", "3", "4"}, {"Malta", "9", "8"}}
	for name, between := range map[string]string{
		"a caption":          at(50, 640, "Table 2. Persons"),
		"a line of its text": at(50, 640, "Persons"),
	} {
		got := tablesIn(t, columns(xs, 700, 14, a...)+between+columns(xs, 622, 14, b...))
		if diff := cmp.Diff([][][]string{a, b}, got); diff != "" {
			t.Errorf("%s between: tables (-want +got):\n%s", name, diff)
		}
	}
}

// TestAbreast reads a table beside running text, and two tables side by
// side.
func TestAbreast(t *testing.T) {
	table := func(x, y, leading float64, rows [][]string) string {
		return columns([]float64{x, x + 90, x + 150}, y, leading, rows...)
	}
	a := [][]string{{"Kind", "Old", "New"}, {"Fruit", "10", "12"}, {"Nut", "7", "8"}, {"Root", "1", "2"}, {"Leaf", "3", "4"}}
	b := [][]string{{"Country", "Men", "Women"}, {"Ireland", "5", "6"}, {"Spain", "3", "4"}, {"Malta", "9", "8"}, {"Latvia", "3", "1"}}
	var prose strings.Builder
	for i := range 12 {
		prose.WriteString(at(300, 705-12*float64(i), "Running text stands beside the table here"))
	}
	rules := func(x float64) string {
		return fmt.Sprintf("%g 712 m %g 712 l S %[1]g 620 m %[2]g 620 l S ", x, x+190)
	}
	if diff := cmp.Diff([][][]string{a}, tablesIn(t, table(50, 700, 17, a)+prose.String())); diff != "" {
		t.Errorf("beside text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][][]string{a, b}, tablesIn(t, table(50, 700, 17, a)+table(300, 700, 17, b)+rules(50)+rules(300))); diff != "" {
		t.Errorf("between lines of their own (-want +got):\n%s", diff)
	}
	captions := at(50, 730, "Table 1. Plants") + at(300, 730, "Table 2. Persons")
	if diff := cmp.Diff([][][]string{a, b}, tablesIn(t, captions+table(50, 700, 17, a)+table(300, 700, 17, b))); diff != "" {
		t.Errorf("with captions (-want +got):\n%s", diff)
	}
	if got := tablesIn(t, table(50, 700, 17, a)+table(300, 700, 17, b)); len(got) != 1 {
		t.Errorf("%d tables of rows that go on, want 1", len(got))
	}
}

// TestFigureBounds checks the bounds on header pieces of a table of numbers
// and on lines of a page.
func TestFigureBounds(t *testing.T) {
	page := func(heads int) *Page {
		var b strings.Builder
		for i := range heads {
			b.WriteString(columns([]float64{50, 200, 300}, 700-.9*float64(i), 1, []string{"a", "b", "c"}))
		}
		b.WriteString(columns([]float64{50, 200, 300}, 700-.9*float64(heads)-12, 12, []string{"x", "10", "11"}, []string{"y", "12", "13"}, []string{"z", "14", "15"}))
		return pagesOf(t, Options{}, pdftest.Pages(b.String()))[0]
	}
	for _, tt := range []struct {
		heads int
		want  bool
	}{{1, true}, {maxHeadPieces, false}} {
		p := page(tt.heads)
		idx := make([]int, len(p.Lines))
		for i := range idx {
			idx[i] = i
		}
		z := newZone(p, rowsIn(p, idx))
		if _, ok := z.figures(p); ok != tt.want {
			t.Errorf("%d lines above the numbers: figures = %v", tt.heads, ok)
		}
	}
	for _, tt := range []struct {
		rows int
		want bool
	}{{10, true}, {maxAbreast, false}} {
		p := &Page{}
		for i := range tt.rows {
			y := 17 * float64(i)
			p.Lines = append(p.Lines, textLine(50, y, "label"), textLine(100, y, "10"), textLine(150, y, "11"), textLine(300, y+6, "text that runs on beside it"))
		}
		idx := make([]int, len(p.Lines))
		for i := range idx {
			idx[i] = i
		}
		if _, ok := besideEachOther(p, idx); ok != tt.want {
			t.Errorf("%d rows beside text: besideEachOther = %v", tt.rows, ok)
		}
	}
}

// textLine returns a line of words.
func textLine(x, y float64, s string) Line {
	return paragraph(1, x, y, s).Lines[0]
}

func TestIsYear(t *testing.T) {
	for in, want := range map[string]bool{
		"2001": true, "1999/00": true, "2001-2005": true, "2010*": true, "2010 (1)": true,
		"2100.5": false, "201": false, "3001": false, "20014": false, "1900,5": false, "": false,
	} {
		if got := isYear(in); got != want {
			t.Errorf("isYear(%q) = %v", in, got)
		}
	}
}

func TestTwoNumbers(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"12", "345", false},
		{"12 345", "678", false},
		{"12", "34", true},
		{"1", "-100.0", true},
		{"1.5", "200", true},
		{"12", "3456", true},
		{"12", "%", false},
		{"Under", "18", false},
		{"–", "345", true},
	}
	for _, tt := range tests {
		if got := twoNumbers(tt.a, tt.b); got != tt.want {
			t.Errorf("twoNumbers(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

// A sign with a subscript and a superscript above each other is one text, though both
// are numbers and stand at the border of two columns.
func TestPiecesScripts(t *testing.T) {
	word := func(text string, x0, x1 float64, rise int8) Word {
		size := 10.0
		if rise != 0 {
			size = 6
		}
		return Word{Text: text, Box: content.Box{X0: x0, Y0: 0, X1: x1, Y1: size}, X0: x0, X1: x1, Size: size, Rise: rise, Glue: rise != 0}
	}
	l := newLine([]Word{word("D", 50, 58, 0), word("4", 58, 61.6, -1), word("1", 58.3, 61.9, 1), word("h", 61.6, 66, -1)}, 0)
	f := figures{size: 10, cols: []content.Box{{X0: 20, X1: 60}, {X0: 60.5, X1: 100}}}
	if got := f.pieces(nil, &l, 0); len(got) != 1 || len(got[0].words) != 4 {
		t.Errorf("pieces %+v, want one of four words", got)
	}
}

// The words of a header stay together if they are as far apart as all others, although small
// bold fonts have word spaces that are wider than the gap between two columns may be.
func TestPiecesWideSpaces(t *testing.T) {
	word := func(text string, x0, x1 float64) Word {
		return Word{Text: text, Box: content.Box{X0: x0, X1: x1, Y1: 10}, X0: x0, X1: x1, Size: 10}
	}
	head := newLine([]Word{word("Upper", 50, 84), word("window", 88.34, 120)}, 0)
	f := figures{
		z: &zone{rows: []row{{lines: []int{0}}}}, p: &Page{Lines: []Line{head}},
		size: 10, cols: []content.Box{{X0: 20, X1: 60}, {X0: 88, X1: 120}},
	}
	if got := f.pieces(nil, &head, f.wordSpace()); len(got) != 1 {
		t.Errorf("%d pieces with the usual space of words, want 1", len(got))
	}
	if got := f.pieces(nil, &head, 0); len(got) != 2 {
		t.Errorf("%d pieces with a space that no words have, want 2", len(got))
	}
}
