// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// at returns a line of text of 10 pt.
func at(x, y float64, s string) string { return pdftest.Text("F1", 10, x, y, s) }

// TestSpans finds spanning cells without ruling lines, and columns that are
// close together.
func TestSpans(t *testing.T) {
	var narrow strings.Builder
	for i, row := range [][2]string{{"iiiiiiiiiiiiiiiiiiii", "10"}, {"iiiii", "30"}, {"iiiiiiiiiiiiiiii", "100"}, {"iiiiiiiii", "150"}, {"iii", "200"}} {
		y := 700 - 14*float64(i)
		narrow.WriteString(at(50, y, row[0]) + at(99, y, row[1]))
	}
	var header strings.Builder
	header.WriteString(at(50, 700, "Party") + at(150, 706, "First count") + at(300, 706, "Second count") +
		"140 694 m 420 694 l S " + at(150, 682, "Seats") + at(230, 682, "Votes") + at(300, 682, "Seats") + at(380, 682, "Votes"))
	for i, row := range [][]string{{"One", "1", "20", "3", "40"}, {"Two", "5", "60", "7", "80"}, {"Three", "9", "10", "11", "12"}} {
		header.WriteString(columns([]float64{50, 150, 230, 300, 380}, 660-20*float64(i), 20, row))
	}
	centred := at(50, 700, "Area") + at(250, 700, "Competence") +
		at(250, 676, "Valuing") + at(50, 652, "Values") + at(250, 652, "Fairness") + at(250, 628, "Nature") +
		at(250, 604, "Systems") + at(50, 592, "Complexity") + at(250, 580, "Problems")
	wrapped := at(200, 724, "Content of") + at(50, 718, "Mineral") + at(200, 712, "clay") + columns([]float64{50, 200}, 694, 14,
		[]string{"kaolinite", "10"}, []string{"illite", "30"}, []string{"smectite", "100"}, []string{"humus", "200"})
	over := at(200, 706, "State   rule") + at(50, 700, "Law") + at(200, 694, "one") + at(240, 694, "clauses") + "40 686 m 300 686 l S " +
		columns([]float64{50, 200, 240}, 674, 14, []string{"Arms Act", "yes", "152"}, []string{"Food Act", "no", "123"}, []string{"Mines Act", "no", "99"})
	tight := "50 710 m 330 710 l S 50 692 m 330 692 l S 50 614 m 330 614 l S " +
		at(50, 696, "Kind") + at(150, 696, "First of the heads") + at(290, 696, "Last one") +
		at(50, 674, "Fruit") + at(50, 656, "Nut") + at(50, 638, "Root") + at(115, 620, "Some words over all the columns") +
		columns([]float64{150, 200, 290}, 680, 12, []string{"11.5", "200", "7.25"}, []string{"12.5", "300", "8.25"},
			[]string{"13.5", "400", "9.25"}, []string{"14.5", "500", "1.25"}, []string{"15.5", "600", "2.25"})
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"columns half an em apart", narrow.String(), [][]string{
			{"iiiiiiiiiiiiiiiiiiii", "10"}, {"iiiii", "30"}, {"iiiiiiiiiiiiiiii", "100"}, {"iiiiiiiii", "150"}, {"iii", "200"},
		}},
		{"a line under heads of several columns", header.String(), [][]string{
			{"Party(1,2)", "First count(2,1)", "Second count(2,1)"},
			{"Seats", "Votes", "Seats", "Votes"},
			{"One", "1", "20", "3", "40"},
			{"Two", "5", "60", "7", "80"},
			{"Three", "9", "10", "11", "12"},
		}},
		{"texts at half the height of their rows", "45 690 m 350 690 l S " + centred, [][]string{
			{"Area", "Competence"}, {"Values(1,3)", "Valuing"}, {"Fairness"}, {"Nature"}, {"Complexity(1,2)", "Systems"}, {"Problems"},
		}},
		{"texts at half the height of tight rows, and one below all columns", tight, [][]string{
			{"Kind", "First of the heads(2,1)", "Last one"},
			{"Fruit(1,2)", "11.5", "200", "7.25"},
			{"12.5", "300", "8.25"},
			{"Nut", "13.5", "400", "9.25"},
			{"Root(1,2)", "14.5", "500", "1.25"},
			{"15.5", "600", "2.25"},
			{"Some words over all the columns(4,1)"},
		}},
		{"a head of several lines", "45 704 m 260 704 l S " + wrapped, [][]string{
			{"Mineral", "Content of clay"}, {"kaolinite", "10"}, {"illite", "30"}, {"smectite", "100"}, {"humus", "200"},
		}},
		{"a head of two columns in one line", over, [][]string{
			{"Law", "State one", "rule clauses"}, {"Arms Act", "yes", "152"}, {"Food Act", "no", "123"}, {"Mines Act", "no", "99"},
		}},
		{"labels beside a caption", columns([]float64{50}, 700, 12, []string{"3%"}, []string{"1%"}, []string{"7%"}, []string{"11%"}, []string{"14%"}) +
			columns([]float64{200}, 698, 12, []string{"Ontario in"}, []string{"2004"}, []string{"provides"}, []string{"too much"}, []string{"visual"}), nil},
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

// TestTableLosesNothing keeps text inside the box of a table that is not
// part of it.
func TestTableLosesNothing(t *testing.T) {
	turned := "BT 0 1 -1 0 180 660 Tm /F1 10 Tf (turned) Tj ET "
	p := pagesOf(t, Options{}, pdftest.Pages(columns([]float64{50, 200, 300}, 700, 14,
		[]string{"Name", "Old", "New"}, []string{"one", "10", "12"}, []string{"two", "7", "8"}, []string{"three", "1", "2"})+turned))[0]
	if n := len(unruledTables(p)); n != 1 {
		t.Fatalf("%d tables", n)
	}
	if got := strings.Join(linesOf(p), " "); got != "turned" {
		t.Errorf("left on the page: %q", got)
	}
}

// TestHeaderEnds extends a header to the end of its cells.
func TestHeaderEnds(t *testing.T) {
	cell := func(rows int) Cell { return Cell{ColSpan: 1, RowSpan: rows} }
	for _, c := range []struct{ header, span, rows, want int }{{1, 1, 4, 1}, {1, 3, 4, 3}, {2, 2, 4, 2}, {1, 4, 4, 0}, {0, 3, 4, 0}} {
		table := Table{Columns: 2, Header: c.header}
		for range c.rows {
			table.Rows = append(table.Rows, []Cell{{Covered: true, ColSpan: 1, RowSpan: 1}, cell(1)})
		}
		table.Rows[0][0] = cell(c.span)
		if table.wholeHeader(); table.Header != c.want {
			t.Errorf("a header of %d rows with a cell of %d has %d, want %d", c.header, c.span, table.Header, c.want)
		}
	}
}

// TestCutRowLinks finds the links of a row that a page end cuts, on the page
// of each line.
func TestCutRowLinks(t *testing.T) {
	cell := func(text string) Cell {
		return Cell{ColSpan: 1, RowSpan: 1, Lines: paragraph(1, 0, 0, text).Lines}
	}
	row := []Cell{cell("3"), cell("name")}
	table := &Table{Columns: 2, Rows: [][]Cell{{cell("1"), cell("a")}, {cell("2"), cell("b")}, row}}
	next := []Cell{{ColSpan: 1, RowSpan: 1}, cell("goes on")}
	if !table.cutInto(next) {
		t.Fatal("the row is not put together")
	}
	all := content.Box{X0: -1000, Y0: -1000, X1: 1000, Y1: 1000}
	d := &Document{Vocabulary: Vocabulary{}, pageLinks: map[int][]content.Link{
		5: {{Box: content.Box{X0: 5000, X1: 5001}, URI: "https://a.test/none"}, {Box: all, URI: "https://a.test/5"}},
		6: {{Box: all, URI: "https://a.test/6"}},
	}}
	b := Block{Kind: TableBlock, Page: 5, Table: table}
	b.settle(d.links)
	text := table.Rows[2][1].Block(5)
	var got []string
	for _, r := range d.Runs(&text) {
		if text := strings.TrimSpace(r.Text); text != "" {
			got = append(got, text+" "+r.Link)
		}
	}
	want := []string{"name https://a.test/5", "goes on https://a.test/6"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCutRow joins a row that a page end has cut.
func TestCutRow(t *testing.T) {
	rows := func(texts ...[]string) [][]Cell {
		var out [][]Cell
		for _, row := range texts {
			var cells []Cell
			for _, s := range row {
				c := Cell{ColSpan: 1, RowSpan: 1}
				if s != "" {
					c.Lines = paragraph(1, 0, 0, s).Lines
				}
				cells = append(cells, c)
			}
			out = append(out, cells)
		}
		return out
	}
	full := [][]string{{"No", "Name", "Place", "Sum"}, {"1", "a", "b", "c"}, {"2", "d", "e", "f"}, {"3", "g", "h", "i"}}
	for _, c := range []struct {
		name  string
		table [][]string
		row   []string
		want  string // the last row; empty if nothing is joined
	}{
		{"cut", full, []string{"", "goes on", "", ""}, "3 g goes on h i"},
		{"a row of its own", full, []string{"4", "j", "", ""}, ""},
		{"most cells", full, []string{"", "j", "k", "l"}, ""},
		{"rows that often begin empty", [][]string{{"No", "Name"}, {"1", "a"}, {"", "b"}, {"", "c"}, {"2", "d"}}, []string{"", "e"}, ""},
		{"a balance that is brought forward", append(full[:3:3], []string{"", "carried forward", "", "12.50"}), []string{"", "brought forward", "", "12.50"}, ""},
		{"nothing above", [][]string{{"No", "Name", "x", "y"}, {"1", "", "b", "c"}, {"2", "", "b", "c"}, {"3", "", "b", "c"}}, []string{"", "goes on", "", ""}, ""},
	} {
		table := Table{Columns: len(c.row), Header: 1, Rows: rows(c.table...)}
		got := ""
		if table.cutInto(rows(c.row)[0]) {
			var texts []string
			for _, cell := range table.Rows[len(table.Rows)-1] {
				texts = append(texts, cell.Text())
			}
			got = strings.Join(texts, " ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestHeads finds chapter numbers and bold titles of two lines, but no
// labels in pictures and no column headings.
func TestHeads(t *testing.T) {
	body := pdftest.Lines("F1", 10, 72, 500, 12, "Running text of the size that most of the page has, over", "several lines, so that it is known what is usual here,", "and what is set in another size stands out of it.")
	bold := func(size, x, y float64, s string) string { return pdftest.Text("F2", size, x, y, s) }
	box := ".8 g 72 560 250 120 re f 0 g "
	tests := []struct {
		name, content string
		want          []string // expected headings
	}{
		{"the number of a chapter", bold(20, 200, 612, "2") + bold(20, 160, 570, "The Homeland"), []string{"2", "The Homeland"}},
		{"a number at the edge", bold(10, 560, 760, "2") + bold(20, 160, 570, "The Homeland"), []string{"The Homeland"}},
		{"bold over two lines", bold(10, 72, 536, "Education level") + bold(10, 72, 524, "122 responses"), []string{"Education level 122 responses"}},
		{"bold side by side", bold(10, 72, 536, "Education") + bold(10, 72, 524, "level") + bold(10, 200, 536, "Other") + bold(10, 200, 524, "answers"), nil},
		{"a label in a picture", box + pdftest.Text("F1", 24, 100, 600, "PLAN"), nil},
		{"the same without one", pdftest.Text("F1", 24, 100, 520, "PLAN"), []string{"PLAN"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, b := range kindsOf(t, pdftest.Pages(tt.content+body), nil) {
				if kind, text, _ := strings.Cut(b, " "); strings.HasPrefix(kind, "h") {
					got = append(got, text)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("headings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBeside orders content above, below and beside columns.
func TestBeside(t *testing.T) {
	column := func(x, y float64, n int, name byte) []element {
		var es []element
		for i := range n {
			top := y + 12*float64(i)
			es = append(es, element{box: content.Box{X0: x, Y0: top, X1: x + 200, Y1: top + 10}, size: 10, line: int(name), whole: -1})
		}
		return es
	}
	one := func(x0, x1, y, size float64, name byte) element {
		return element{box: content.Box{X0: x0, Y0: y, X1: x1, Y1: y + size}, size: size, line: int(name), whole: -1}
	}
	join := func(parts ...[]element) []element {
		var out []element
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	tests := []struct {
		name string
		es   []element
		want string
	}{
		{"a caption above both columns", join(column(50, 300, 6, 'l'), column(300, 300, 6, 'r'), []element{one(300, 400, 250, 10, 'c')}), "clr"},
		{"a foot below both columns", join(column(50, 300, 6, 'l'), column(300, 300, 6, 'r'), []element{one(50, 120, 420, 10, 'f')}), "lrf"},
		{"a column that begins higher", join(column(50, 324, 6, 'l'), column(300, 300, 8, 'r')), "lr"},
		{"labels of a picture in another size", join(column(50, 300, 8, 'l'), []element{
			one(300, 320, 300, 14, 'r'), one(300, 320, 324, 14, 'r'), one(300, 320, 348, 14, 'r'), one(300, 320, 372, 14, 'r'),
		}), "lr"},
		{"a short heading between the columns of two sections", join(
			column(50, 100, 5, 'a'), column(300, 100, 4, 'b'), []element{one(50, 150, 180, 14, 'h'), one(50, 120, 196, 14, 'h')},
			column(50, 220, 6, 'c'), column(300, 220, 6, 'd'),
		), "abhcd"},
		{"a heading within a column", join(
			column(50, 100, 5, 'a'), []element{one(50, 150, 170, 14, 'h')}, column(50, 192, 6, 'c'), column(300, 100, 14, 'd'),
		), "ahcd"},
		{"a heading beside a gap of a column with other baselines", join(
			column(50, 100, 5, 'a'), column(300, 100, 5, 'b'), []element{one(50, 150, 180, 14, 'h')}, column(50, 204, 6, 'c'), column(300, 210, 6, 'b'),
		), "ahcb"},
		{"bands of two widths", join(
			column(50, 100, 8, 'a'), column(300, 100, 8, 'b'),
			[]element{one(50, 500, 210, 10, 'w'), one(50, 500, 222, 10, 'w')},
			[]element{one(50, 150, 250, 10, 'x'), one(50, 150, 262, 10, 'x'), one(50, 150, 274, 10, 'x'), one(50, 150, 286, 10, 'x')},
			[]element{one(170, 500, 250, 10, 'y'), one(170, 500, 262, 10, 'y'), one(170, 500, 274, 10, 'y'), one(170, 500, 286, 10, 'y')},
		), "abwxy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			last := 0
			for _, e := range order(tt.es) {
				if e.line != last {
					fmt.Fprint(&got, string(rune(e.line)))
				}
				last = e.line
			}
			if got.String() != tt.want {
				t.Errorf("order = %q, want %q", got.String(), tt.want)
			}
		})
	}
}

// TestSkewedColumns separates columns that share only one baseline, by the
// river between them.
func TestSkewedColumns(t *testing.T) {
	var b strings.Builder
	for i := range 9 {
		b.WriteString(at(50, 700-12*float64(i), "mmmmmmmmmmmmmmmmmm"))
		if i != 4 {
			b.WriteString(at(210, 695-12*float64(i), "right hand text"))
		}
	}
	b.WriteString(at(210, 700-12*4, "beside it"))
	p := pagesOf(t, Options{}, pdftest.Pages(b.String()))[0]
	for _, l := range linesOf(p) {
		if strings.Contains(l, "m") && strings.Contains(l, "beside") {
			t.Errorf("one line over two columns: %q", l)
		}
	}
}

// TestBorderedColumns separates columns below text over their whole width,
// and a column of two lines from a long one.
func TestBorderedColumns(t *testing.T) {
	const full = "mmmmmmmmmmmmmmmmmm" // ends 10 points left of 210
	columns := func(top float64, n, right int) string {
		var b strings.Builder
		for i := range n {
			y := top - 12*float64(i)
			b.WriteString(at(50, y, full))
			if i < right {
				b.WriteString(at(210, y, "right hand text"))
			}
		}
		return b.String()
	}
	wide := strings.Repeat(full, 2)
	tests := []struct {
		name, content string
		want          bool // whether the columns are separate
	}{
		{"below text of the whole width", at(50, 724, wide) + at(50, 712, wide) + columns(700, 8, 8), true},
		{"above text of the whole width", columns(796, 8, 8) + at(50, 700, wide) + at(50, 688, wide), true},
		{"two lines beside a column", columns(700, 9, 2), true},
		{"a gap of three lines in a text", at(50, 724, wide) + at(50, 712, wide) + columns(700, 3, 3) + at(50, 664, wide) + at(50, 652, wide), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			apart := true
			for _, l := range linesOf(pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]) {
				apart = apart && (!strings.Contains(l, "m") || !strings.Contains(l, "hand"))
			}
			if apart != tt.want {
				t.Errorf("columns apart = %t, want %t", apart, tt.want)
			}
		})
	}
}

// TestIdeographs ends paragraphs of ideographs at short lines.
func TestIdeographs(t *testing.T) {
	const full = "電線接続端子部が次のいずれにも該当しないとき"
	line := func(y float64, s string) Line {
		w := Word{Text: s, Size: 10, Y: y, X0: 50, X1: 50 + 10*float64(len([]rune(s)))}
		w.Box = content.Box{X0: w.X0, Y0: y - 8, X1: w.X1, Y1: y + 2}
		return Line{Words: []Word{w}, Box: w.Box, Y: y, Size: 10}
	}
	p := &Page{Number: 1, Width: 600, Height: 800, Lines: []Line{
		line(100, full), line(114, full), line(128, "短い行。"), line(142, full), line(156, full[:len(full)-12]+"。"), line(170, full), line(184, "電線関係"), line(198, full),
	}}
	var got []int
	for _, b := range blocksOf(p, nil) {
		got = append(got, len(b.Lines))
	}
	if diff := cmp.Diff([]int{3, 2, 2, 1}, got); diff != "" {
		t.Errorf("lines of paragraphs (-want +got):\n%s", diff)
	}
}

// TestHeadOfTable keeps the header that a table repeats on each page.
func TestHeadOfTable(t *testing.T) {
	var pages []string
	for i := range 3 {
		pages = append(pages, boxes([]float64{50, 150, 250}, []float64{680, 720, 760})+at(55, 740, "Date")+at(155, 740, "Sum")+
			at(55, 700, fmt.Sprint("day ", i))+at(155, 700, strings.Repeat("x", i+1))+at(50, 770, "Running")+at(50, 400, "The text of the page."))
	}
	var got []string
	for _, b := range kindsOf(t, pdftest.Pages(pages...), nil) {
		if strings.HasPrefix(b, "running") {
			got = append(got, b)
		}
	}
	if diff := cmp.Diff([]string{"running Running", "running Running", "running Running"}, got); diff != "" {
		t.Errorf("running (-want +got):\n%s", diff)
	}
}

// TestGlossary finds a list of terms with descriptions of several lines, and leaves one
// with long terms, which are text beside a text.
func TestGlossary(t *testing.T) {
	list := func(term string) string {
		var b strings.Builder
		for i := range 8 {
			y := 700 - 32*float64(i)
			b.WriteString(at(50, y, term) + at(250, y, "The description of it goes on"+strings.Repeat(" and on", i%4)) + at(250, y-12, "for one line more."))
		}
		return b.String()
	}
	for _, tt := range []struct {
		term string
		want int
	}{{"A term", 8}, {"A text of many words", 0}} {
		p := pagesOf(t, Options{}, pdftest.Pages(list(tt.term)))[0]
		rows := 0
		for _, table := range unruledTables(p) {
			rows += len(table.Rows)
		}
		if rows != tt.want {
			t.Errorf("%q: %d rows, want %d", tt.term, rows, tt.want)
		}
	}
}
