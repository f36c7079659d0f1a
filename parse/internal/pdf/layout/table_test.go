// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// boxes draws the lines of a table with columns at xs and rows at ys, from
// the bottom.
func boxes(xs, ys []float64) string {
	var b strings.Builder
	for _, x := range xs {
		fmt.Fprintf(&b, "%g %g m %g %g l S\n", x, ys[0], x, ys[len(ys)-1])
	}
	for _, y := range ys {
		fmt.Fprintf(&b, "%g %g m %g %g l S\n", xs[0], y, xs[len(xs)-1], y)
	}
	return b.String()
}

// rowsText returns the rows of a table as texts. A spanning cell is
// text(columns,rows).
func rowsText(t *Table) [][]string {
	var out [][]string
	for i := range t.Rows {
		var row []string
		for j := range t.Rows[i] {
			c := &t.Rows[i][j]
			switch {
			case c.Covered:
			case c.ColSpan > 1 || c.RowSpan > 1:
				row = append(row, fmt.Sprintf("%s(%d,%d)", c.Text(), c.ColSpan, c.RowSpan))
			default:
				row = append(row, c.Text())
			}
		}
		out = append(out, row)
	}
	return out
}

// grouped draws a table of two columns with lines around its header and around two
// groups of three rows, above what is drawn first. The second column has one text for
// each group, in the middle.
func grouped(first string) string {
	var b strings.Builder
	b.WriteString(first)
	b.WriteString(boxes([]float64{50, 150, 250}, []float64{580, 640, 700, 720}))
	b.WriteString(pdftest.Text("F1", 10, 55, 706, "Name") + pdftest.Text("F1", 10, 155, 706, "Level"))
	for i, s := range []string{"a", "b", "c", "d", "e", "f"} {
		b.WriteString(pdftest.Text("F1", 10, 55, float64(686-20*i), s))
	}
	b.WriteString(pdftest.Text("F1", 10, 155, 666, "high") + pdftest.Text("F1", 10, 155, 606, "low"))
	return b.String()
}

func TestRuled(t *testing.T) {
	at := func(x, y float64, s string) string { return pdftest.Text("F1", 10, x, y, s) }
	lower := at(55, 690, "1") + at(155, 690, "2")
	cells := at(55, 710, "A") + at(155, 710, "B") + lower
	span := at(55, 710, "wide") + at(55, 690, "1") + at(155, 690, "2") + at(55, 670, "3") + at(155, 670, "4")
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"grid", boxes([]float64{50, 150, 250}, []float64{680, 700, 720}) + cells, [][]string{{"A", "B"}, {"1", "2"}}},
		{ // Courier is .6 em wide, so that the long text ends at 157
			"text cut off at a wall", boxes([]float64{50, 150, 250}, []float64{680, 700, 720}) + lower + pdftest.Text("F3", 10, 55, 710, "Matthew Elizabeth") + pdftest.Text("F3", 10, 152, 710, "2165"),
			[][]string{{"Matthew Elizabeth", "2165"}, {"1", "2"}},
		},
		{ // here it ends at 150.1
			"text that ends where the next begins", boxes([]float64{50, 150, 250}, []float64{680, 700, 720}) + lower + pdftest.Text("F3", 10, 54.1, 710, "Robert Elizabeth") + pdftest.Text("F3", 10, 150.2, 710, "2165"),
			[][]string{{"Robert Elizabeth", "2165"}, {"1", "2"}},
		},
		{
			"thin boxes", "50 680 200 1 re f 50 700 200 1 re f 50 720 200 1 re f 50 680 1 40 re f 150 680 1 40 re f 250 680 1 40 re f " + cells,
			[][]string{{"A", "B"}, {"1", "2"}},
		},
		{
			"each cell its border", "50 680 100 20 re S 150 680 100 20 re S 50 700 100 20 re S 150 700 100 20 re S " + cells,
			[][]string{{"A", "B"}, {"1", "2"}},
		},
		{
			"shaded cells", ".8 g 50 700 100 20 re f .9 g 150 700 100 20 re f .8 g 50 680 100 20 re f .9 g 150 680 100 20 re f 0 g " + cells,
			[][]string{{"A", "B"}, {"1", "2"}},
		},
		{"open sides", "50 680 m 250 680 l S 50 700 m 250 700 l S 50 720 m 250 720 l S 150 680 m 150 720 l S " + cells, [][]string{{"A", "B"}, {"1", "2"}}},
		{
			"a span of columns", "50 660 m 250 660 l S 50 680 m 250 680 l S 50 700 m 250 700 l S 50 720 m 250 720 l S 50 660 m 50 720 l S 250 660 m 250 720 l S 150 660 m 150 700 l S " + span,
			[][]string{{"wide(2,1)"}, {"1", "2"}, {"3", "4"}},
		},
		{
			"a span of rows", "50 680 m 250 680 l S 150 700 m 250 700 l S 50 720 m 250 720 l S 50 680 m 50 720 l S 150 680 m 150 720 l S 250 680 m 250 720 l S " +
				at(55, 700, "tall") + at(155, 710, "B") + at(155, 690, "2"),
			[][]string{{"tall(1,2)", "B"}, {"2"}},
		},
		{
			"rows ruled in one column only", "50 640 m 50 720 l S 150 640 m 150 720 l S 250 640 m 250 720 l S 50 640 m 250 640 l S 50 720 m 250 720 l S " +
				"150 660 m 250 660 l S 150 680 m 250 680 l S 150 700 m 250 700 l S " +
				at(55, 706, "a") + at(55, 686, "b") + at(55, 666, "c") + at(55, 646, "d") + at(155, 706, "1") + at(155, 686, "2") + at(155, 666, "3") + at(155, 646, "4"),
			[][]string{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}},
		},
		{
			"names of groups between lines, with a fill for each row", grouped(".8 1 .8 rg 150 680 100 20 re f 150 660 100 20 re f 150 640 100 20 re f 1 .8 .8 rg 150 620 100 20 re f 150 600 100 20 re f 150 580 100 20 re f 0 g "),
			[][]string{{"Name", "Level"}, {"a", "high(1,3)"}, {"b"}, {"c"}, {"d", "low(1,3)"}, {"e"}, {"f"}},
		},
		{
			"names of groups, with a last line below the names only",
			"50 720 m 250 720 l S 50 700 m 250 700 l S 50 640 m 250 640 l S 150 580 m 250 580 l S 50 580 m 50 720 l S .8 1 .8 rg 150 680 100 20 re f 150 660 100 20 re f 150 640 100 20 re f 1 .8 .8 rg 150 620 100 20 re f 150 600 100 20 re f 150 580 100 20 re f 0 g 150 580 m 150 720 l S 250 580 m 250 720 l S " +
				columns([]float64{55, 155}, 706, 20, []string{"Name", "Level"}, []string{"a", ""}, []string{"b", "high"}, []string{"c", ""}, []string{"d", ""}, []string{"e", "low"}, []string{"f", ""}),
			[][]string{{"Name", "Level"}, {"a", "high(1,3)"}, {"b"}, {"c"}, {"d", "low(1,3)"}, {"e"}, {"f"}},
		},
		{
			"names in the middle of groups, with a line below each", grouped("150 680 m 250 680 l S 150 660 m 250 660 l S 150 620 m 250 620 l S 150 600 m 250 600 l S "),
			[][]string{{"Name", "Level"}, {"a", ""}, {"b", "high"}, {"c", ""}, {"d", ""}, {"e", "low"}, {"f", ""}},
		},
		{
			"names above the uppermost line", boxes([]float64{50, 150, 250}, []float64{660, 680, 700}) + columns([]float64{55, 155}, 706, 20, []string{"Name", "Count"}, []string{"a", "17"}, []string{"b", "18"}),
			[][]string{{"Name", "Count"}, {"a", "17"}, {"b", "18"}},
		},
		{
			"bold names in a frame of their own", boxes([]float64{50, 150, 250}, []float64{640, 660, 680}) + "50 692 200 28 re S " + pdftest.Text("F2", 10, 55, 702, "Name") +
				pdftest.Text("F2", 10, 155, 708, "Kind of") + pdftest.Text("F2", 10, 155, 696, "thing") + columns([]float64{55, 155}, 666, 20, []string{"a", "old"}, []string{"b", "new"}),
			[][]string{{"Name", "Kind of thing"}, {"a", "old"}, {"b", "new"}},
		},
		{
			"names of groups above the uppermost line", boxes([]float64{50, 100, 150, 200, 250}, []float64{660, 680, 700}) + at(90, 706, "Men") + at(185, 706, "Women") +
				columns([]float64{55, 105, 155, 205}, 686, 20, []string{"Old", "New", "Old", "New"}, []string{"1", "2", "3", "4"}),
			[][]string{{"Men(2,1)", "Women(2,1)"}, {"Old", "New", "Old", "New"}, {"1", "2", "3", "4"}},
		},
		{
			"texts of two columns without a line between them", "50 660 m 250 660 l S 50 680 m 250 680 l S 50 700 m 250 700 l S 50 720 m 250 720 l S 50 660 m 50 720 l S 250 660 m 250 720 l S 150 660 m 150 700 l S " +
				columns([]float64{55, 155}, 706, 20, []string{"Name", "Count"}, []string{"1", "2"}, []string{"3", "4"}),
			[][]string{{"Name", "Count"}, {"1", "2"}, {"3", "4"}},
		},
		{"a frame", "50 600 200 120 re S " + cells, nil},
		{"an underline", "50 688 m 70 688 l S " + cells, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			var got [][]string
			tables, _ := ruledTables(p)
			for _, tab := range tables {
				got = append(got, rowsText(&tab)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
			if tt.want != nil && len(p.Lines) > 0 {
				t.Errorf("left on the page: %q", linesOf(p))
			}
		})
	}
}

// TestAboveTable checks that lines of text above a table stay on the page.
func TestAboveTable(t *testing.T) {
	table := boxes([]float64{50, 150, 250}, []float64{660, 680, 700}) + columns([]float64{55, 155}, 686, 20, []string{"a", "17"}, []string{"b", "18"})
	for name, above := range map[string]string{
		"a sentence":         pdftest.Text("F1", 10, 50, 706, "Small weavers follow the northern road in spring"),
		"a caption":          pdftest.Text("F1", 10, 55, 706, "Table 2") + pdftest.Text("F1", 10, 155, 706, "Count"),
		"one word":           pdftest.Text("F1", 10, 55, 706, "Name"),
		"numbers":            pdftest.Text("F1", 10, 55, 706, "14") + pdftest.Text("F1", 10, 155, 706, "15"),
		"names far above":    pdftest.Text("F1", 10, 55, 725, "Name") + pdftest.Text("F1", 10, 155, 725, "Count"),
		"names at each side": pdftest.Text("F1", 10, 20, 706, "Name") + pdftest.Text("F1", 10, 255, 706, "Count"),
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(table+above))[0]
		before := len(p.Lines)
		if got, _ := ruledTables(p); len(got) != 1 || len(got[0].Rows) != 2 || len(p.Lines) != before-4 {
			t.Errorf("%s: %d tables, left on the page: %q", name, len(got), linesOf(p))
		}
	}
}

// columns returns rows of texts at the x positions of their columns.
func columns(xs []float64, y, leading float64, rows ...[]string) string {
	var b strings.Builder
	for i, r := range rows {
		for j, s := range r {
			if s != "" {
				b.WriteString(pdftest.Text("F1", 10, xs[j], y-float64(i)*leading, s))
			}
		}
	}
	return b.String()
}

// TestClippedCells reads a sheet without lines, as spreadsheets are printed: a text that is
// wider than its cell is cut off by a clip path, and the next one begins behind it.
func TestClippedCells(t *testing.T) {
	var content strings.Builder
	for i, r := range [][]string{
		{"Name", "Street", "City"},
		{"Ada Lovelace King", "Short Row 1", "Reading"},
		{"Bob", "Old Harbour Street", "Bath"},
		{"Carlotta Anselmi", "Elm Row", "Ely"},
		{"Dee Ng", "Very Long Avenue", "Upper Slaughter"},
		{"Eve", "Oak", "Wells"},
	} {
		for j, text := range r {
			fmt.Fprintf(&content, "q %g 600 49.9 120 re W n %sQ ", 50*float64(j+1), pdftest.Text("F1", 10, 51+50*float64(j), 700-float64(14*i), text))
		}
	}
	// The clip path hides the letters that begin behind it.
	want := [][]string{
		{"Name", "Street", "City"},
		{"Ada Lovela", "Short Row", "Reading"},
		{"Bob", "Old Harbou", "Bath"},
		{"Carlotta An", "Elm Row", "Ely"},
		{"Dee Ng", "Very Long A", "Upper Slau"},
		{"Eve", "Oak", "Wells"},
	}
	if diff := cmp.Diff([][][]string{want}, tablesIn(t, content.String())); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestUnruled(t *testing.T) {
	xs := []float64{50, 200, 300}
	data := [][]string{{"Name", "Old", "New"}, {"first thing", "10", "12.5"}, {"second", "7", "8"}, {"third", "1", "2"}}
	prose := []string{"This is a line of running text that goes on", "and on in the left column of a page which", "has two of them, and so it is no table at", "all, whatever the gaps between them look", "like to a program."}
	var two strings.Builder
	two.WriteString(pdftest.Lines("F1", 10, 50, 700, 12, prose...))
	two.WriteString(pdftest.Lines("F1", 10, 320, 700, 12, prose...))
	framed := [][]string{
		{"Early signal", "which describes the rural parcel of the harbour"},
		{"Partial meadow", "for the narrow windows of the modern basket"},
		{"Steady", "with public gardens and the mixed tunnel below"},
		{"Annual mirror", ""},
		{"Modern tunnel", "from the quiet quarry to the steady orchard"},
		{"Coastal", "as it covers the local timber of the bridge"},
	}
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"numbers", columns(xs, 700, 14, data...), data},
		{"with a rule", "50 692 m 330 692 l S " + columns(xs, 700, 14, data...), data},
		{"a wrapped cell", "50 692 m 330 692 l S " + columns(xs, 700, 30, data...) + pdftest.Text("F1", 10, 50, 700-30-11, "goes on"), [][]string{
			{"Name", "Old", "New"}, {"first thing goes on", "10", "12.5"}, {"second", "7", "8"}, {"third", "1", "2"},
		}},
		{"wrapped cells without room between rows", columns([]float64{50, 150, 230}, 700, 12,
			[]string{"Name", "Count", "What is said of it"}, []string{"One", "10", "Some words about it that still"}, []string{"", "", "go on below the very first line"}, []string{"", "", "and end"},
			[]string{"Second thing", "20", "Other words which also are"}, []string{"of two", "", "more than what one line holds"}, []string{"Third", "7", "Few"}), [][]string{
			{"Name", "Count", "What is said of it"},
			{"One", "10", "Some words about it that still go on below the very first line and end"},
			{"Second thing of two", "20", "Other words which also are more than what one line holds"},
			{"Third", "7", "Few"},
		}},
		{"groups with an empty first cell", columns([]float64{50, 150, 230}, 700, 12,
			[]string{"Kind", "Count", "Name"}, []string{"Fruit", "10", "Apple"}, []string{"", "12", "Pear"}, []string{"", "11", "Quince"}, []string{"Nut", "20", "Hazel"}), [][]string{
			{"Kind", "Count", "Name"}, {"Fruit", "10", "Apple"}, {"", "12", "Pear"}, {"", "11", "Quince"}, {"Nut", "20", "Hazel"},
		}},
		{"titles of groups with more room above them", columns([]float64{50, 150, 230, 300}, 700, 13, []string{"Ann", "Pilot", "12", "a@x"}, []string{"Bob", "Clerk", "14", "b@x"}, []string{"Cid", "Diver", "15", "c@x"}) +
			pdftest.Text("F2", 10, 50, 654, "Survey") + columns([]float64{50, 150, 230, 300}, 641, 13, []string{"Dan", "Diver", "17", "d@x"}, []string{"Eve", "Clerk", "18", "e@x"}, []string{"Fay", "Pilot", "19", "f@x"}), [][]string{
			{"Ann", "Pilot", "12", "a@x"}, {"Bob", "Clerk", "14", "b@x"}, {"Cid", "Diver", "15", "c@x"}, {"Survey", "", "", ""}, {"Dan", "Diver", "17", "d@x"}, {"Eve", "Clerk", "18", "e@x"}, {"Fay", "Pilot", "19", "f@x"},
		}},
		{"texts with an empty first cell that had room", columns([]float64{50, 150}, 700, 12,
			[]string{"Kind", "Name"}, []string{"Fruit", "apple"}, []string{"", "pear"}, []string{"", "a quince of the garden"}, []string{"Nut", "hazel"}, []string{"", "oak"}), nil},
		{"tight rows between rules", "50 710 m 340 710 l S 50 694 m 340 694 l S 50 644 m 340 644 l S " + columns(xs, 698, 12, append(data[:4:4], []string{"Fourth", "3", "5"})...), append(data[:4:4], []string{"Fourth", "3", "5"})},
		{"under the last line of a paragraph", pdftest.Text("F1", 10, 50, 721, "a few words.") + columns(xs, 700, 12, append(data[:4:4], []string{"fourth", "3", "5"})...), append(data[:4:4], []string{"fourth", "3", "5"})},
		{"the sides of a frame that page ends cut", "45 720 m 45 580 l S 400 720 m 400 580 l S " + columns([]float64{50, 150}, 700, 14, framed...), framed},
		{"two columns of prose", two.String(), nil},
		{"contents", columns([]float64{50, 400}, 700, 14, []string{"The first chapter of it", "1"}, []string{"The second chapter of it", "7"}, []string{"The third chapter of it", "19"}), nil},
		{
			"a formula below a heading",
			pdftest.Text("F2", 10, 50, 720, "2") + pdftest.Text("F2", 10, 200, 720, "Methods") +
				pdftest.Text("F6", 10, 50, 706, "E") + pdftest.Text("F6", 10, 200, 706, "mc") + pdftest.Text("F1", 10, 330, 706, "(1)") +
				pdftest.Text("F6", 10, 50, 692, "F") + pdftest.Text("F6", 10, 200, 692, "ma") + pdftest.Text("F1", 10, 330, 692, "(2)"), nil,
		},
		{"a list", columns([]float64{50, 80}, 700, 14, []string{"1.", "an item of a list"}, []string{"2.", "another item of it"}, []string{"3.", "the last item of all"}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			var got [][]string
			for _, tab := range unruledTables(p) {
				got = append(got, rowsText(&tab)...)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTableContinues joins a table across a page break and removes its
// second header.
func TestTableContinues(t *testing.T) {
	xs := []float64{50, 200, 300}
	first := "50 692 m 330 692 l S " + columns(xs, 700, 14, []string{"Name", "Old", "New"}, []string{"a", "1", "2"}, []string{"b", "3", "4"})
	second := "50 692 m 330 692 l S " + columns(xs, 700, 14, []string{"Name", "Old", "New"}, []string{"c", "5", "6"}, []string{"d", "7", "8"})
	d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(first, second)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"Name", "Old", "New"}, {"a", "1", "2"}, {"b", "3", "4"}, {"c", "5", "6"}, {"d", "7", "8"}}
	if len(d.Blocks) != 1 {
		t.Fatalf("%d blocks, want 1", len(d.Blocks))
	}
	tab := d.Blocks[0].Table
	if diff := cmp.Diff(want, rowsText(tab)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 0, 0, 2, 2}, tab.Pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// TestForm reads the fields of a form, which have small labels above the
// values. A form has no header, and one row is enough.
func TestForm(t *testing.T) {
	field := func(x, y float64, label, value string) string {
		return pdftest.Text("F1", 7, x, y, label) + pdftest.Text("F1", 11, x, y-12, value)
	}
	for name, tt := range map[string]struct {
		content string
		want    [][]string
	}{
		"rows": {
			"50 700 m 350 700 l S 50 675 m 350 675 l S 50 650 m 350 650 l S 50 650 m 50 700 l S 350 650 m 350 700 l S 200 650 m 200 675 l S " +
				field(53, 692, "Family name", "HUTCHINSON") + field(53, 667, "Date of birth", "04.11.1978") + field(203, 667, "Place of birth", "LEEDS"),
			[][]string{{"Family name HUTCHINSON(2,1)"}, {"Date of birth 04.11.1978", "Place of birth LEEDS"}},
		},
		"one row": {
			boxes([]float64{50, 150, 250}, []float64{675, 700}) + field(53, 692, "Make", "VOLVO") + field(153, 692, "Model", "V60"),
			[][]string{{"Make VOLVO", "Model V60"}},
		},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		tables, _ := ruledTables(p)
		if len(tables) != 1 {
			t.Fatalf("%s: %d tables", name, len(tables))
		}
		if diff := cmp.Diff(tt.want, rowsText(&tables[0])); diff != "" || tables[0].Header != 0 {
			t.Errorf("%s: %d rows of header (-want +got):\n%s", name, tables[0].Header, diff)
		}
	}
}

// TestWrappedWords reads a table of words with a bold header, above a
// paragraph and a table of numbers.
func TestWrappedWords(t *testing.T) {
	xs := []float64{50, 150, 230}
	content := columnsOfBold(xs, 700, "Option", "Default", "Meaning") +
		columns(xs, 680, 14, []string{"--verbose", "off", "Print what is done, with the time of each step, to"}, []string{"", "", "the standard error stream of the process"}) +
		columns(xs, 648, 14, []string{"--jobs N", "number of", "How many files are compiled at the same time, at most"}, []string{"", "cores", ""}) +
		columns(xs, 616, 14, []string{"--output FILE", "a.out", "Where the result is written; parent directories are made"}, []string{"", "", "if they do not exist, and an existing file is replaced"}) +
		columns(xs, 584, 14, []string{"--strict", "on", "Treat warnings as errors"}) +
		at(50, 545, "The second one holds figures only.") +
		columns([]float64{50, 250, 330}, 515, 18, []string{"North", "1,204", "1,310"}, []string{"South", "980", "1,015"}, []string{"East", "12", "45"}, []string{"Total", "2,196", "2,370"})
	p := pagesOf(t, Options{}, pdftest.Pages(content))[0]
	var got [][]string
	for _, tab := range unruledTables(p) {
		got = append(got, rowsText(&tab)...)
	}
	want := [][]string{
		{"Option", "Default", "Meaning"},
		{"--verbose", "off", "Print what is done, with the time of each step, to the standard error stream of the process"},
		{"--jobs N", "number of cores", "How many files are compiled at the same time, at most"},
		{"--output FILE", "a.out", "Where the result is written; parent directories are made if they do not exist, and an existing file is replaced"},
		{"--strict", "on", "Treat warnings as errors"},
		{"North", "1,204", "1,310"},
		{"South", "980", "1,015"},
		{"East", "12", "45"},
		{"Total", "2,196", "2,370"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// columnsOfBold returns a row of bold texts.
func columnsOfBold(xs []float64, y float64, texts ...string) string {
	var b strings.Builder
	for j, s := range texts {
		b.WriteString(pdftest.Text("F2", 10, xs[j], y, s))
	}
	return b.String()
}

// TestBehead joins a table with a page on which the header and the first row were
// read as one row.
func TestBehead(t *testing.T) {
	row := func(texts ...string) []Cell {
		cells := emptyRow(len(texts))
		for j, s := range texts {
			for y, line := range strings.Split(s, "|") {
				if line != "" {
					cells[j].Lines = append(cells[j].Lines, newLine([]Word{{Text: line, X0: float64(100 * j), X1: float64(100*j + 50), Y: float64(12 * y), Size: 10}}, 0))
				}
			}
		}
		return cells
	}
	tests := []struct {
		name     string
		header   int
		next     [][]Cell
		want     [][]string
		repeated int
	}{
		{"a column has no header", 1, [][]Cell{row("Name", "Old|age|12|14", ""), row("c", "7", "8")}, [][]string{{"Name", "Old age 12 14", ""}, {"c", "7", "8"}}, 0},
		{"the header begins the first row of all columns", 1, [][]Cell{row("Name|b", "Old|age|12", "New|9"), row("c", "7", "8")}, [][]string{{"b", "12", "9"}, {"c", "7", "8"}}, 1},
		{"another text begins it", 1, [][]Cell{row("Name|b", "Age|12", "New|9")}, [][]string{{"Name b", "Age 12", "New 9"}}, 0},
		{"a table without a header", 0, [][]Cell{row("Name|b", "Old|age|12", "New|9")}, [][]string{{"Name b", "Old age 12", "New 9"}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := &Table{Columns: 3, Header: tt.header, Rows: [][]Cell{row("Name", "Old|age", "New"), row("a", "1", "2")}}
			a.extend(&Table{Columns: 3, Rows: tt.next}, 2)
			if diff := cmp.Diff(tt.want, rowsText(a)[2:]); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if a.Repeated != tt.repeated {
				t.Errorf("%d repeated rows, want %d", a.Repeated, tt.repeated)
			}
		})
	}
}
