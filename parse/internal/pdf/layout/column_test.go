// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// justified returns lines in Helvetica between x and x+width; the last line
// is not justified. It uses letters that are .556 em wide.
func justified(x, y, width float64, lines ...string) string {
	const size, letter, space = 10, 5.56, 2.78
	var b strings.Builder
	for i, l := range lines {
		words := strings.Fields(l)
		gap := space
		if n := len(words) - 1; n > 0 && i < len(lines)-1 {
			gap = (width - letter*float64(len(strings.Join(words, "")))) / float64(n)
		}
		at := x
		for _, w := range words {
			fmt.Fprint(&b, pdftest.Text("F1", size, at, y-12*float64(i), w))
			at += letter*float64(len(w)) + gap
		}
	}
	return b.String()
}

// TestStretched reads narrow justified columns. Their word spaces may be
// wider than the gap between the columns, and their lines need not share
// baselines.
func TestStretched(t *testing.T) {
	lines := []string{
		"and one good dog on a bed", "unabandoned abounded", "good enough and on a quad", "unbounded hoopoe",
		"abandoned add on ebb", "unneeded bandage", "hedgehog on a bound", "unhooped and done", "unabounded end",
	}
	want := strings.Join(lines, " ")
	for _, shift := range []float64{0, 4.5} {
		for _, gutter := range []float64{11, 20} {
			var content strings.Builder
			for i := range 3 {
				content.WriteString(justified(50+float64(i)*(130+gutter), 700-float64(i)*shift, 130, lines...))
			}
			got := kindsOf(t, pdftest.Pages(content.String()), nil)
			if diff := cmp.Diff([]string{"p " + want, "p " + want, "p " + want}, got); diff != "" {
				t.Errorf("shift %g, gutter %g (-want +got):\n%s", shift, gutter, diff)
			}
		}
	}
}

// TestColumnsUnderHeading reads columns below a heading that spans them.
func TestColumnsUnderHeading(t *testing.T) {
	var content strings.Builder
	content.WriteString(pdftest.Lines("F2", 22, 50, 740, 24, "River defences rebuilt after", "floods, council decides"))
	for i := range 3 {
		content.WriteString(justified(50+141*float64(i), 690, 130, "and one good dog on a bed", "good enough and on a quad", "on end one good and a bad", "bound on a good one and a", "quad on one bed and on", "end"))
	}
	p := pagesOf(t, Options{}, pdftest.Pages(content.String()))[0]
	if len(p.Lines) != 20 {
		t.Errorf("lines %q", linesOf(p))
	}
}

// TestNarrowColumnsAreText distinguishes justified columns with a few words
// per line from a table.
func TestNarrowColumnsAreText(t *testing.T) {
	lines := []string{"bed and one quad", "hedgehog abound", "and unhooped one", "bounded on good", "abandon a hen on", "unneeded hoopoe", "gone"}
	content := justified(50, 700, 90, lines...) + justified(165, 700, 90, lines...) + justified(280, 700, 90, lines...)
	want := "p " + strings.Join(lines, " ")
	if diff := cmp.Diff([]string{want, want, want}, kindsOf(t, pdftest.Pages(content), nil)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// TestSpacedLines keeps one-line paragraphs separate on a page of mostly
// such paragraphs. The distance between lines is taken from the paragraph
// with several lines.
func TestSpacedLines(t *testing.T) {
	wrapped := []string{"A paragraph whose lines run on", "up to the edge of their column", "and a third line to end it with"}
	content := pdftest.Lines("F1", 10, 50, 700, 12, wrapped...) +
		pdftest.Lines("F1", 10, 50, 654, 22, "Name: Peter", "Address: Road 1", "Town: Rome", "Land: Italy", "Born: 1950")
	want := []string{"p " + strings.Join(wrapped, " "), "p Name: Peter", "p Address: Road 1", "p Town: Rome", "p Land: Italy", "p Born: 1950"}
	if diff := cmp.Diff(want, kindsOf(t, pdftest.Pages(content), nil)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// TestMarginNotes keeps notes in a margin out of the paragraphs beside them, wherever they
// are painted.
func TestMarginNotes(t *testing.T) {
	text := func(x, y float64, lines ...string) string { return pdftest.Lines("F1", 10, x, y, 12, lines...) }
	note := func(x, y float64, lines ...string) string { return pdftest.Lines("F1", 8, x, y, 9, lines...) }
	lines := func(first, last string) []string {
		return []string{first + " the report of the year begins with what the office has done and", "goes on with what it has not done, for which there are reasons that", "the board knows and that it has told to all who asked about " + last}
	}
	page := func(x float64, between func(y float64, s string) string) string {
		return text(x, 720, lines("One:", "it.")[:1]...) + between(720, "one") + text(x, 708, lines("", "it.")[1:]...) +
			text(x, 680, lines("Two:", "it.")...) + text(x, 640, lines("Three:", "it.")...) + between(640, "three") + text(x, 600, lines("Four:", "it.")...)
	}
	left := func(y float64, s string) string { return note(40, y, "A note of", s+" in short") }
	tests := []struct{ name, content, want string }{
		{"at the left", page(120, left), "One: / A note of one in short / Two: / Three: / A note of three in short / Four:"},
		{"at the right", page(40, func(y float64, s string) string { return note(400, y, "A note of", s+" in short") }), "One: / A note of one in short / Two: / Three: / A note of three in short / Four:"},
		{"close to the text", page(92, func(y float64, s string) string { return note(40, y, "A note "+s) }), "One: / A note one / Two: / Three: / A note three / Four:"},
		{"a column", page(120, func(y float64, s string) string {
			return note(40, y, "It is", "a column", "of short", "lines", "beside", "all", "text", "that", s)
		}), "It is a column of short lines beside all text that one It is a column of short lines beside all text that three / One: / Two: / Three: / Four:"},
	}
	for _, tt := range tests {
		var got []string
		for _, b := range blocksOf(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0], nil) {
			s := b.Text()
			if first, _, ok := strings.Cut(s, ": "); ok {
				s = first + ":"
			}
			got = append(got, s)
		}
		if got := strings.Join(got, " / "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestIslands reads the text of a box by itself if other text stands beside it, and the boxes
// of a handout row by row. A background behind the first column of a table is no island.
func TestIslands(t *testing.T) {
	const side = ".9 g 45 580 140 140 re f 0 g "
	beside := columns([]float64{50}, 700, 15, []string{"Contact"}, []string{"Holm Road"}, []string{"Penmouth"}, []string{"Languages"}, []string{"English"}, []string{"Welsh"})
	body := columns([]float64{200}, 703, 19, []string{"Surveyor, Coastal Class"}, []string{"surveyed many vessels"}, []string{"Assistant, Harbour office"}, []string{"kept the register"}, []string{"Crew of the lifeboat"})
	slide := func(x, y float64, s string) string {
		return fmt.Sprintf("%g %g 120 80 re S ", x, y) + columns([]float64{x + 10}, y+65, 14, []string{"Title " + s}, []string{"said of " + s}, []string{"more of " + s})
	}
	for name, tt := range map[string]struct{ content, want string }{
		"a side column":           {side + beside + body, "Contact Holm Road Penmouth Languages English Welsh Surveyor, Coastal Class surveyed many vessels Assistant, Harbour office kept the register Crew of the lifeboat"},
		"slides":                  {slide(50, 600, "A") + slide(200, 600, "B") + slide(50, 480, "C") + slide(200, 480, "D"), "Title A said of A more of A Title B said of B more of B Title C said of C more of C Title D said of D more of D"},
		"a shaded column of rows": {side + columns([]float64{50, 200, 300}, 700, 20, []string{"Ash", "1", "2"}, []string{"Beech", "3", "4"}, []string{"Elm", "5", "6"}, []string{"Oak", "7", "8"}), "Ash 1 2 Beech 3 4 Elm 5 6 Oak 7 8"},
	} {
		blocks, _ := pageBlocks(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0])
		var got []string
		for i := range blocks {
			if tab := blocks[i].Table; tab != nil {
				for _, row := range rowsText(tab) {
					got = append(got, row...)
				}
			} else {
				got = append(got, blocks[i].Text())
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", name, s, tt.want)
		}
	}
}

// TestDownwards reads columns that were painted one after the other as text, if their lines go on
// or are in alphabetical order, also between lines. Rows that were painted so are a table.
func TestDownwards(t *testing.T) {
	prose := []string{"doubled since the first", "plan was drawn up and", "fishers on the gallery", "protested with all the", "others who had read it", "before the night ended"}
	index := []string{"anchor, 12", "ballast, 31", "barometer, 87", "cable, 14", "capstan, 16", "davit, 40"}
	values := []string{"Rope", "Chain", "Anchor", "Fender", "Buoy", "Cleat"}
	set := func(texts []string) string {
		var b strings.Builder
		for _, x := range []float64{50, 200, 350} {
			b.WriteString(columns([]float64{x}, 700, 12, [][]string{{texts[0]}, {texts[1]}, {texts[2]}, {texts[3]}, {texts[4]}, {texts[5]}}...))
		}
		return b.String()
	}
	const lines = "45 715 m 480 715 l S 45 630 m 480 630 l S 190 715 m 190 630 l S 340 715 m 340 630 l S "
	for name, tt := range map[string]struct {
		content string
		table   bool
	}{
		"prose": {set(prose), false}, "prose between lines": {lines + set(prose), false},
		"index": {set(index), false}, "values": {set(values), true},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		if got := len(tables(p)) > 0; got != tt.table {
			t.Errorf("%s: table %v", name, got)
		}
	}
}

// TestLineNumbers takes the numbers of each fifth line out of the text, also if they are close to
// it. The numbers of a list and the values of a column stay.
func TestLineNumbers(t *testing.T) {
	set := func(gap float64, number func(i int) string) string {
		var b strings.Builder
		for i := range 17 {
			y := 700 - 12*float64(i)
			b.WriteString(at(80, y, "a line of the text of a patent as it is printed"))
			if s := number(i + 1); s != "" {
				b.WriteString(at(80-gap-5.56*float64(len(s)), y, s))
			}
		}
		return b.String()
	}
	fifth := func(i int) string {
		if i%5 == 0 {
			return fmt.Sprint(i)
		}
		return ""
	}
	for name, tt := range map[string]struct {
		content string
		want    int
	}{
		"apart": {set(20, fifth), 3}, "close": {set(6, fifth), 3},
		"paragraphs": {set(20, func(i int) string {
			if i%5 == 0 {
				return fmt.Sprint(i / 5)
			}
			return ""
		}), 0},
		"values of rows": {set(20, func(i int) string { return fmt.Sprint(5 * i) }), 0},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		if got := len(p.survey().sides); got != tt.want {
			t.Errorf("%s: %d numbers, want %d", name, got, tt.want)
		}
	}
}

// TestMonth reads the names of days above a grid whose first row has a text in its last cell only.
func TestMonth(t *testing.T) {
	xs := []float64{50, 150, 250}
	content := boxes([]float64{45, 145, 245, 345}, []float64{600, 630, 660}) + columnsOfBold(xs, 665, "Monday", "Tuesday", "Wednesday") +
		at(250, 645, "1") + at(50, 615, "2") + at(150, 615, "3") + at(250, 615, "4")
	found, _ := ruledTables(pagesOf(t, Options{}, pdftest.Pages(content))[0])
	if len(found) != 1 {
		t.Fatalf("%d tables", len(found))
	}
	if diff := cmp.Diff([][]string{{"Monday", "Tuesday", "Wednesday"}, {"", "", "1"}, {"2", "3", "4"}}, rowsText(&found[0])); diff != "" {
		t.Error(diff)
	}
}
