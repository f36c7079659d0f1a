// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// stripes draws a page with one text for each cell of rows, which are 20
// points high and begin at the top of the page. Columns begin at xs. Each
// second row has a fill across its whole width.
func stripes(xs []float64, rows [][]string, frame bool) string {
	var b strings.Builder
	end := xs[len(xs)-1] + 80
	for i := range rows {
		if i%2 == 1 {
			fmt.Fprintf(&b, ".9 g %g %d %g 20 re f 0 g\n", xs[0]-5, 700-20*i, end-xs[0]+5)
		}
	}
	if frame {
		fmt.Fprintf(&b, "%g %d %g %d re S\n", xs[0]-5, 720-20*len(rows), end-xs[0]+5, 20*len(rows))
	}
	for i, row := range rows {
		for j, s := range row {
			if s != "" {
				b.WriteString(pdftest.Text("F1", 10, xs[j], float64(706-20*i), s))
			}
		}
	}
	return b.String()
}

// striped draws rows of two and three lines whose numbers stand in the middle of labels, six
// points beside the longest of them.
func striped() string {
	var b strings.Builder
	y := 700.0
	for i, row := range [][]string{
		{"7594", "Annual basket", "covers"},
		{"1222", "Quiet quarry", "follows modern", "tunnel joins"},
		{"", "Section of public bridges"},
		{"7554", "Coastal ribbon", "replaces"},
		{"3695", "Coastal mirror", "covers modern", "orchard"},
		{"6016", "Upper signal", "replaces", "modern"},
	} {
		high := 12*float64(len(row)-1) + 8
		if i%2 == 1 {
			fmt.Fprintf(&b, ".9 g 45 %g 110 %g re f 0 g ", y-high, high)
		}
		for k, s := range row[1:] {
			b.WriteString(pdftest.Text("F1", 10, 50, y-13-12*float64(k), s))
		}
		b.WriteString(pdftest.Text("F1", 10, 123, y-high/2-3, row[0]))
		y -= high
	}
	return b.String() + fmt.Sprintf("45 700 m 155 700 l S 45 %g m 155 %g l S ", y, y)
}

func TestReadings(t *testing.T) {
	three := []float64{50, 150, 250}
	zebra := [][]string{{"Item", "Kind", "Count"}, {"Barley", "dry", "14"}, {"Copper", "", "7"}, {"Granite", "rough", ""}, {"Timber", "", "21"}, {"Weaver", "fine", "3"}}
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"stripes in a frame", stripes(three, zebra, true), zebra},
		{"stripes without a frame", stripes(three, zebra, false), zebra},
		{
			"one column in a frame", stripes([]float64{50}, [][]string{{"Apples"}, {"Pears and quinces"}, {"Plums"}, {"Cherries"}}, true),
			[][]string{{"Apples"}, {"Pears and quinces"}, {"Plums"}, {"Cherries"}},
		},
		{
			"a heading and a paragraph in a frame", "50 600 200 120 re S 50 700 m 250 700 l S " + pdftest.Text("F1", 10, 55, 706, "Note") +
				pdftest.Text("F1", 10, 55, 686, "A paragraph in a box that") + pdftest.Text("F1", 10, 55, 674, "goes on in a second line."), nil,
		},
		{
			"cells of several lines between rules",
			"50 720 m 350 720 l S 50 700 m 350 700 l S 50 660 m 350 660 l S 50 620 m 350 620 l S " +
				pdftest.Text("F1", 10, 50, 706, "Name") + pdftest.Text("F1", 10, 150, 706, "Description") +
				pdftest.Text("F1", 10, 50, 678, "Alpha") + pdftest.Text("F1", 10, 150, 688, "The first of the letters") +
				pdftest.Text("F1", 10, 150, 676, "in the old order of them") + pdftest.Text("F1", 10, 150, 664, "and in the new one") +
				pdftest.Text("F1", 10, 50, 638, "Beta") + pdftest.Text("F1", 10, 150, 648, "The second, which follows") +
				pdftest.Text("F1", 10, 150, 636, "the first") + pdftest.Text("F1", 10, 150, 624, "at once"),
			[][]string{
				{"Name", "Description"},
				{"Alpha", "The first of the letters in the old order of them and in the new one"},
				{"Beta", "The second, which follows the first at once"},
			},
		},
	}
	for _, c := range []struct {
		name string
		rows [][]string
	}{
		{"a line beside the labels, with numbers", [][]string{{"Kind", "Rain", "Snow"}, {"Valley", "14", "7"}, {"Ridge", "21", ""}, {"Coast", "3", "2"}}},
		{"a line beside the labels, with words", [][]string{{"Kind", "First", "Second"}, {"Valley", "dry", "wet"}, {"Ridge", "cold", ""}, {"Coast", "warm", "mild"}}},
		{"a line between two columns of words", [][]string{{"Kind", "Sky"}, {"Northern valley", "dry"}, {"Ridge", "wet"}, {"Old", "cold"}, {"Coast", "warm"}, {"Ford", "mild"}, {"Southern ridge", "wet"}}},
	} {
		lines := fmt.Sprintf("50 717 m 330 717 l S 50 698 m 330 698 l S 140 717 m 140 %d l S ", 718-20*len(c.rows))
		tests = append(tests, struct {
			name, content string
			want          [][]string
		}{c.name, lines + stripes(three[:len(c.rows[0])], c.rows[:1], false) + columns(three, 686, 14, c.rows[1:]...), c.rows})
	}
	// A shade behind the header, or a line below it, is all that two or three rows have. Their texts stand in
	// the middle of rows of two lines.
	wrapped := [][]string{{"Kind", "Place"}, {"Ridge", "In the far north of the land"}}
	few := columns([]float64{50, 150}, 706, 20, wrapped[0]) + pdftest.Text("F1", 10, 50, 680, "Ridge") +
		pdftest.Text("F1", 10, 150, 686, "In the far north") + pdftest.Text("F1", 10, 150, 674, "of the land")
	for name, drawn := range map[string]string{
		"a shaded header above one row": ".9 g 45 702 95 16 re f 140 702 190 16 re f 0 g ",
		"a line below a header":         "45 701 m 330 701 l S ",
	} {
		paragraph := pdftest.Text("F1", 10, 45, 744, "A paragraph as wide as the page that ends in a short line just above all of the") + pdftest.Text("F1", 10, 45, 731, "table.")
		if name == "a shaded header above one row" {
			paragraph = ""
		}
		tests = append(tests, struct {
			name, content string
			want          [][]string
		}{name, drawn + few + paragraph, wrapped})
	}
	tests = append(tests, struct {
		name, content string
		want          [][]string
	}{"numbers in the middle of striped rows, close to wrapped labels", striped(), [][]string{
		{"Annual basket covers", "7594"},
		{"Quiet quarry follows modern tunnel joins", "1222"},
		{"Section of public bridges(2,1)"},
		{"Coastal ribbon replaces", "7554"},
		{"Coastal mirror covers modern orchard", "3695"},
		{"Upper signal replaces modern", "6016"},
	}})
	section := [][]string{{"Barley", "14"}, {"Copper", "7"}, {"Second part(2,1)"}, {"Granite", "21"}, {"Timber", "3"}, {"Weaver", "8"}}
	var cut strings.Builder
	cut.WriteString("190 720 m 190 680 l S 190 660 m 190 600 l S ")
	for y := 700; y > 600; y -= 20 {
		fmt.Fprintf(&cut, "50 %d m 330 %d l S ", y, y)
	}
	tests = append(tests, struct {
		name, content string
		want          [][]string
	}{
		"a grid without a frame that a section cuts",
		cut.String() + columns([]float64{60, 200}, 706, 20, section[0], section[1]) + pdftest.Text("F1", 10, 160, 666, "Second part") +
			columns([]float64{60, 200}, 646, 20, section[3:]...),
		section,
	}, struct {
		name, content string
		want          [][]string
	}{
		"cells of a grid with white space in them",
		"50 720 m 330 720 l S 50 700 m 330 700 l S 50 680 m 330 680 l S 50 660 m 330 660 l S 50 660 m 50 720 l S 130 660 m 130 720 l S 330 660 m 330 720 l S " +
			columns(three, 706, 20, []string{"Name", "Places"}, []string{"Ridge", "north", "south"}, []string{"Coast", "a long text across all of it"}),
		[][]string{{"Name", "Places"}, {"Ridge", "north south"}, {"Coast", "a long text across all of it"}},
	})
	grid := "50 700 m 350 700 l S 50 680 m 350 680 l S 50 660 m 350 660 l S 50 660 m 50 700 l S 200 660 m 200 700 l S 350 660 m 350 700 l S "
	cells := columns([]float64{55, 205}, 686, 20, []string{"Item", "Count"}, []string{"Barley", "14"})
	prose := "4 Tw " + pdftest.Text("F1", 10, 50, 640, "Early small follows well known season contains") +
		"0 Tw " + pdftest.Text("F1", 10, 50, 628, "international leaves weather. Engineer follows from stone garden") +
		pdftest.Text("F1", 10, 50, 616, "of describes over.")
	tests = append(tests, struct {
		name, content string
		want          [][]string
	}{
		"text between two tables", grid + cells + prose + " 1 0 0 1 0 -90 cm " + grid + cells,
		[][]string{{"Item", "Count"}, {"Barley", "14"}, {"Item", "Count"}, {"Barley", "14"}},
	}, struct {
		name, content string
		want          [][]string
	}{
		"text between lines", "50 700 m 350 700 l S 50 680 m 350 680 l S 50 660 m 350 660 l S 50 610 m 350 610 l S " + prose, nil,
	})
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

// TestJudge checks that merged rows score lower than their cells.
func TestJudge(t *testing.T) {
	rows := [][]string{{"Item", "Kind", "Count"}, {"Barley", "dry", "14"}, {"Copper", "soft", "7"}, {"Granite", "rough", "2"}}
	xs := []float64{50, 150, 250}
	var fills strings.Builder // one for each cell of each second row
	for i := 1; i < len(rows); i += 2 {
		for _, x := range xs {
			fmt.Fprintf(&fills, ".9 g %g %d 100 20 re f 0 g\n", x-5, 700-20*i)
		}
	}
	p := pagesOf(t, Options{}, pdftest.Pages(fmt.Sprintf("45 640 300 80 re S %s%s", fills.String(), columns(xs, 706, 20, rows...))))[0]
	hs, vs := p.edges()
	g := grid{hs: hs, vs: vs}
	drawn, _, ok := newLattice(&g).table(p)
	if !ok {
		t.Fatal("the lattice is no table")
	}
	r, ok := regionOf(p, drawn.Box)
	if !ok {
		t.Fatal("no region")
	}
	aligned, ok := r.aligned()
	if !ok {
		t.Fatal("no aligned reading")
	}
	worse, better := drawn.judge(r.words()), aligned.judge(r.words())
	if worse.single > .6 || better.single < 1 || worse.score() >= better.score() {
		t.Errorf("drawn %+v, aligned %+v", worse, better)
	}
	if d := cmp.Diff(rows, rowsText(&aligned)); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// TestInterrupted finds rows that no line separates and whose cells wrap.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		name, columns string // the columns of the texts of each line
		want          bool
	}{
		{"one text of three lines", "012 0 0", false},
		{"a label at half the height", "12 1 012 1", false},
		{"two rows, the second of one line", "012 1 1 0", true},
	} {
		var parts []part
		for i, line := range strings.Fields(tt.columns) {
			for _, c := range line {
				parts = append(parts, part{c0: int(c - '0'), c1: int(c - '0'), y0: 12 * float64(i), y1: 12*float64(i) + 10})
			}
		}
		if got := interrupted(parts); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSparseRows reads a table whose rows are of words or of numbers, with texts that wrap: a row of
// words below such a text is not the header of another table, and a line of such a text in the
// middle of the table is not the title of a section.
func TestSparseRows(t *testing.T) {
	xs := []float64{50, 150, 280, 350}
	rows := [][]string{{"Kind", "Place", "Count", "Sky"}, {"Ridge", "", "4,491", "dry"}}
	var content strings.Builder
	content.WriteString(columnsOfBold(xs, 706, rows[0]...) + columns(xs, 692, 12, rows[1]))
	y := 680.0
	for _, label := range []string{"Valley", "Coast", "Ford"} {
		content.WriteString(columns(xs, y, 12, []string{label, "in the far north", "", "wet"}) + at(150, y-12, "of the old country"))
		content.WriteString(columns(xs, y-24, 12, []string{label, "in the far south", "1,612", ""}) + at(150, y-36, "of the old country"))
		rows = append(rows, []string{label, "in the far north of the old country", "", "wet"}, []string{label, "in the far south of the old country", "1,612", ""})
		y -= 48
	}
	var got [][]string
	for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(content.String()))[0]) {
		got = append(got, rowsText(b.Table)...)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// TestTitles reads a section whose title stands between two columns, because the table is
// wider than its texts show, and one whose title stands over both.
func TestTitles(t *testing.T) {
	for x, second := range map[float64]float64{140: 225, 107: 185} {
		xs := []float64{50, second}
		content := columns(xs, 706, 20, []string{"Coastal meadow", "steady"}, []string{"Ridge", "early"}) + at(x, 666, "Second part") +
			columns(xs, 646, 20, []string{"Public garden", "narrow"}, []string{"Ford", "old"}, []string{"Local canyon", "public"})
		want := [][]string{{"Coastal meadow", "steady"}, {"Ridge", "early"}, {"Second part(2,1)"}, {"Public garden", "narrow"}, {"Ford", "old"}, {"Local canyon", "public"}}
		var got [][]string
		for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(content))[0]) {
			got = append(got, rowsText(b.Table)...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("title at %g: tables (-want +got):\n%s", x, diff)
		}
	}
}

// TestRowsBetweenWalls reads tables with lines around the header and between columns only, and
// leaves rows whose cells are wrapped.
func TestRowsBetweenWalls(t *testing.T) {
	walls := "45 640 420 80 re S 45 700 m 465 700 l S 105 640 m 105 720 l S 225 640 m 225 720 l S 345 640 m 345 720 l S "
	xs := []float64{50, 110, 230, 350}
	head := []string{"function", "returns", "example", "comment"}
	tests := []struct {
		name string
		rows [][]string
		want [][]string
	}{
		{
			"three rows",
			[][]string{{"not", "nil or true", "(not it)", "inverse"}, {"and", "last or nil", "(and it two three)", "stops at the first null"}, {"or", "the first that is", "(or it two)", "stops at the first"}},
			[][]string{head, {"not", "nil or true", "(not it)", "inverse"}, {"and", "last or nil", "(and it two three)", "stops at the first null"}, {"or", "the first that is", "(or it two)", "stops at the first"}},
		},
		{
			"one row of wrapped texts",
			[][]string{{"and", "returns the last of", "(and it two three", "stops at the first of"}, {"then", "them or nothing at", "four five six seven", "them that is nothing"}, {"or", "all", "eight)", "at all"}},
			[][]string{head, {"and then or", "returns the last of them or nothing at all", "(and it two three four five six seven eight)", "stops at the first of them that is nothing at all"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			content := walls + columns(xs, 706, 14, head) + columns(xs, 684, 14, tt.rows...)
			var got [][]string
			for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(content))[0]) {
				got = append(got, rowsText(b.Table)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFewRows reads tables of so few rows that only the lines across them show that the
// white space between the words separates columns, and leaves texts that look like them.
func TestFewRows(t *testing.T) {
	rule := func(x0, x1 float64, ys ...float64) string {
		var b strings.Builder
		for _, y := range ys {
			fmt.Fprintf(&b, "%g %g m %g %g l S ", x0, y, x1, y)
		}
		return b.String()
	}
	near := []float64{50, 95} // the second texts are less than a font size apart from the first
	head := columnsOfBold(near, 706, "Canyon", "Parcel")
	body := columns(near, 686, 12, []string{"Coastal", "8824"})
	four := []float64{50, 150, 250, 350}
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"between three lines", rule(45, 125, 720, 700, 680) + head + body, [][]string{{"Canyon", "Parcel"}, {"Coastal", "8824"}}},
		{
			"between three lines, without bold letters", rule(45, 125, 720, 700, 680) + columns(near, 706, 20, []string{"Canyon", "Parcel"}, []string{"Coastal", "8824"}),
			[][]string{{"Canyon", "Parcel"}, {"Coastal", "8824"}},
		},
		{"one line below a bold header", rule(45, 125, 700) + head + body, [][]string{{"Canyon", "Parcel"}, {"Coastal", "8824"}}},
		{
			"in a frame", "45 664 200 56 re S " + columnsOfBold([]float64{50, 99}, 706, "Canyon", "Parcel") + at(50, 686, "Coastal") + at(99, 686, "a harbour of the north") + at(99, 674, "and a bridge"),
			[][]string{{"Canyon", "Parcel"}, {"Coastal", "a harbour of the north and a bridge"}},
		},
		{
			"in a frame, where only the words of the header are far from each other",
			"45 664 200 56 re S " + columnsOfBold([]float64{50, 118}, 706, "Saddle", "Timber") + at(50, 686, "Upper granite") + at(118, 686, "a mixed garden") + at(118, 674, "and a quarry"),
			[][]string{{"Saddle", "Timber"}, {"Upper granite", "a mixed garden and a quarry"}},
		},
		{
			"a bold header little wider apart than words, with a line of its own in a column",
			rule(45, 250, 700) + columnsOfBold([]float64{50, 91}, 706, "Canyon", "Parcel") + at(50, 686, "Coastal") + at(91, 686, "a harbour of the north") + at(91, 674, "and a bridge"),
			[][]string{{"Canyon", "Parcel"}, {"Coastal", "a harbour of the north and a bridge"}},
		},
		{
			"the same without that line", rule(45, 250, 700) + columnsOfBold([]float64{50, 91}, 706, "Canyon", "Parcel") + at(50, 686, "Coastal") + at(91, 686, "a harbour of the north"), nil,
		},
		{
			"a bold header little wider apart than words, above numbers at its right edge",
			rule(45, 130, 700) + columnsOfBold([]float64{50, 91}, 706, "Canyon", "Parcel") + at(50, 686, "Coastal") + at(104.3, 686, "888"),
			[][]string{{"Canyon", "Parcel"}, {"Coastal", "888"}},
		},
		{
			"two rows in a frame, little wider apart than words",
			"45 680 90 38 re S " + columns([]float64{50, 92}, 706, 18, []string{"Canyon", "Signal"}, []string{"Coastal", "annual"}),
			[][]string{{"Canyon", "Signal"}, {"Coastal", "annual"}},
		},
		{
			"a list in a frame", "45 680 90 38 re S " + columns([]float64{50, 62}, 706, 18, []string{"1.", "Signal"}, []string{"2.", "annual"}), nil,
		},
		{
			"two lines of words in a frame", "45 680 90 38 re S " + at(50, 706, "Canyon Signal") + at(50, 688, "Coastal annual"), nil,
		},
		{
			"labels that share no baseline with other texts",
			rule(45, 430, 700) + columnsOfBold(four, 706, "Kind", "First", "Second", "Third") + columns(four[1:], 678, 12, []string{"4", "open", "low"}) + at(50, 684, "A mixed basket") + at(50, 672, "of it"),
			[][]string{{"Kind", "First", "Second", "Third"}, {"A mixed basket of it", "4", "open", "low"}},
		},
		{
			"a header above a line that is shorter than the others",
			rule(45, 430, 700, 680, 660) + rule(140, 240, 716) + rule(248, 430, 716) + columnsOfBold([]float64{150, 310}, 720, "Old", "New name") + columnsOfBold([]float64{50}, 712, "Kind") +
				columnsOfBold(four[1:], 704, "First", "Second", "Third") + columns(four, 686, 20, []string{"Barley", "red", "open", "low"}, []string{"Copper", "old", "shut", "high"}),
			[][]string{{"Kind(1,2)", "Old", "New name(2,1)"}, {"First", "Second", "Third"}, {"Barley", "red", "open", "low"}, {"Copper", "old", "shut", "high"}},
		},

		{"a fraction", rule(45, 125, 700) + columns([]float64{50, 86}, 704, 12, []string{"Jackie", "Doe"}) + columns([]float64{50, 86}, 690, 12, []string{"Leeds", "York"}), nil},
		{"the fields of a form", rule(45, 125, 720, 702, 696, 678, 672, 654) + columns([]float64{50, 86}, 706, 24, []string{"Jackie", "Doe"}, []string{"Leeds", "York"}, []string{"Canyon", "Ford"}), nil},
		{"a text in two lines", rule(45, 260, 720, 700, 680) + at(50, 706, "The northern harbour of it is open") + at(50, 686, "in the spring and in the autumn"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][]string
			for _, b := range tables(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]) {
				got = append(got, rowsText(b.Table)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}
