// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

func TestShapeOf(t *testing.T) {
	tests := []struct {
		in, shape string
		number    int
		bare      bool
	}{
		{"12", "#", 12, true},
		{"– 12 –", "– # –", 12, true},
		{"Page 3 of 20", "page # of #", 3, true},
		{"3/20", "#/#", 3, true},
		{"xii", "#roman", 12, true},
		{"Chapter 4: Ends", "chapter #: ends", 4, false},
		{"The Title", "the title", -1, false},
		{"2024 Report 7", "# report #", 2024, false},
	}
	for _, tt := range tests {
		shape, number, bare := shapeOf(tt.in)
		if shape != tt.shape || number != tt.number || bare != tt.bare {
			t.Errorf("shapeOf(%q) = %q, %d, %v, want %q, %d, %v", tt.in, shape, number, bare, tt.shape, tt.number, tt.bare)
		}
	}
}

func TestRoman(t *testing.T) {
	for in, want := range map[string]int{"i": 1, "iv": 4, "ix": 9, "xiv": 14, "xxi": 21} {
		if got := roman(in); got != want {
			t.Errorf("roman(%q) = %d, want %d", in, got, want)
		}
	}
}

// TestRunning finds what pages repeat, and nothing else.
func TestRunning(t *testing.T) {
	body := pdftest.Lines("F1", 10, 72, 400, 12, "Body text that is not the same", "on any two pages of it")
	head := func(s string, y float64) string { return pdftest.Text("F1", 9, 72, y, s) }
	each := func(size, y float64, texts ...string) []string {
		var out []string
		for _, s := range texts {
			out = append(out, pdftest.Text("F1", size, 72, y, s))
		}
		return out
	}
	over := func(a, b []string) []string {
		for i := range a {
			a[i] += b[i]
		}
		return a
	}
	var heads strings.Builder // of a table whose first row is below the margin
	for i, s := range []string{"Number", "Name", "Address", "Phone"} {
		heads.WriteString(pdftest.Text("F1", 9, 72+100*float64(i), 709, s) + pdftest.Text("F1", 9, 72+100*float64(i), 688, "value"))
	}
	sentence := func(y float64) string { // of which the second line may be below the margin
		return pdftest.Lines("F1", 10, 72, y, 12, "The members of the board agree", "that the report is right.")
	}
	chapters := []string{"Birth", "Birth", "Birth", "Life", "Life", "Death", "Death", "Death", "After"}
	tests := []struct {
		name  string
		pages []string
		want  string // the running texts and page numbers of all pages
	}{
		{"by chapters", each(9, 770, chapters...), strings.Join(chapters, " ")},
		{"low, as the first lines", each(9, 682, chapters...), strings.Join(chapters, " ")},
		{"low, below others", over(each(9, 682, chapters...), each(9, 770, "a", "b", "c", "d", "e", "f", "g", "h", "j")), ""},
		{"by chapters, larger than the text", each(12, 770, chapters...), ""},
		{"other on each page", each(9, 770, "One", "Two", "Three", "Four", "Five", "Six"), ""},
		{"titles of the outline", each(9, 770, "Alpha", "Beta", "Gamma", "Delta", "Alpha", "Six"), "Alpha Beta Gamma Delta Alpha Six"},
		{"first lines of the text", over(each(10, 770, chapters...), each(10, 758, "a", "b", "c", "d", "e", "f", "g", "h", "j")), ""},
		{"on all", []string{head("Title", 770), head("Title", 770), head("Title", 770)}, "Title Title Title"},
		{"with a number in it", []string{head("Part 1", 770), head("Part 2", 770), head("Part 3", 770)}, "Part 1 Part 2 Part 3"},
		{"left and right pages", []string{head("Left", 770), head("Right", 770), head("Left", 770), head("Right", 770), head("Left", 770), head("Right", 770)}, "Left Right Left Right Left Right"},
		{"at other heights", []string{head("Title", 770), head("Title", 750), head("Title", 730)}, ""},
		{"in the middle", []string{head("Title", 500), head("Title", 500), head("Title", 500)}, ""},
		{"two pages only", []string{head("Title", 770), head("Title", 770)}, ""},
		{"two pages, numbered", []string{head("Title", 770) + head("1", 30), head("Title", 770) + head("2", 30)}, "Title 1 Title 2"},
		{"two pages, numbers that do not count", []string{head("Title", 770) + head("7", 30), head("Title", 770) + head("2", 30)}, ""},
		{"two pages, numbers apart", []string{head("1", 30), head("2", 50)}, ""},
		{"numbers at other heights", []string{head("7", 30), head("8", 40), head("9", 50)}, "7 8 9"},
		{"numbers that do not count", []string{head("7", 30), head("70", 40), head("3", 50)}, ""},
		{"values that differ", []string{head("Gamma 1.0", 770), head("Gamma 5.0", 770), head("Gamma 1.0", 770)}, ""},
		{"values beside a title", []string{head("No. 7", 770) + head("Title", 30), head("No. 5", 770) + head("Title", 30), head("No. 9", 770) + head("Title", 30)}, "Title Title Title"},
		{"a number sign", []string{head("##", 770), head("#4", 770), head("#2", 770)}, ""},
		{"numbers of chapters and pages", []string{head("1-1 Ends", 770), head("1-2 Ends", 770), head("2-1 Ends", 770), head("2-2 Ends", 770)}, "1-1 Ends 1-2 Ends 2-1 Ends 2-2 Ends"},
		{"a time of printing", []string{head("Printed 10:02:58", 770), head("Printed 10:02:59", 770), head("Printed 10:03:00", 770)}, "Printed 10:02:58 Printed 10:02:59 Printed 10:03:00"},
		{"column headings", []string{
			head("Title", 780) + head("Licence", 720) + heads.String(), head("Title", 780) + head("Licence", 720) + heads.String(), head("Title", 780) + head("Licence", 720) + heads.String(),
		}, "Title Title Title"},
		{"the same paragraph on each page", []string{
			head("Title", 780) + sentence(700) + head("1", 30), head("Title", 780) + sentence(700) + head("2", 30), head("Title", 780) + sentence(700) + head("3", 30),
		}, "Title 1 Title 2 Title 3"},
		{"a notice of two lines on each page", []string{sentence(41) + "", sentence(41), sentence(41)}, strings.TrimSpace(strings.Repeat("The members of the board agree that the report is right. ", 3))},
		{"a head of two lines", []string{
			head("Title", 780) + head("of it", 769) + at(200, 769, "left") + at(300, 769, "right"), head("Title", 780) + head("of it", 769) + at(200, 769, "left") + at(300, 769, "right"),
			head("Title", 780) + head("of it", 769) + at(200, 769, "left") + at(300, 769, "right"),
		}, "Title of it left right Title of it left right Title of it left right"},
		{"the title of slides", []string{pdftest.Text("F2", 28, 72, 740, "Same"), pdftest.Text("F2", 28, 72, 740, "Same"), pdftest.Text("F2", 28, 72, 740, "Same")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var contents []string
			for _, p := range tt.pages {
				contents = append(contents, p+body)
			}
			pages := pagesOf(t, Options{}, pdftest.Pages(contents...))
			s := stylesOf(pages)
			var got []string
			found := running(pages, &s, Outline{"alpha": 1, "beta": 1, "gamma": 2, "delta": 1})
			for i, p := range pages {
				for _, b := range p.takeRunning(i, found) {
					got = append(got, b.Text())
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("running = %q, want %q", s, tt.want)
			}
		})
	}
}

// paragraph returns a block of lines. The width of a line depends on its
// number of letters.
func paragraph(page int, x, y float64, lines ...string) Block {
	b := Block{Page: page}
	for i, s := range lines {
		top := y + float64(i)*12
		l := Line{Y: top + 8, Size: 10, Box: content.Box{X0: x, Y0: top, X1: x + 5*float64(len(s)), Y1: top + 10}}
		for w := range strings.FieldsSeq(s) {
			l.Words = append(l.Words, Word{Text: w, Size: 10, Font: &font.Font{}, Box: l.Box})
		}
		b.Lines = append(b.Lines, l)
		if i == 0 {
			b.Box = l.Box
		}
		b.Box = b.Box.Union(l.Box)
	}
	return b
}

func TestGoesOn(t *testing.T) {
	first := paragraph(1, 50, 700, "a paragraph whose last line is full and", "does not end at the end of the page but")
	tests := []struct {
		name string
		next Block
		want bool
	}{
		{"the next page", paragraph(2, 50, 50, "goes on upon the next."), true},
		{"the next column", paragraph(1, 320, 50, "goes on in the next column."), true},
		{"a capital", paragraph(2, 50, 50, "Begins anew."), false},
		{"two pages on", paragraph(3, 50, 50, "goes on too late."), false},
		{"an item", paragraph(2, 50, 50, "1. item"), false},
	}
	for _, tt := range tests {
		if got := goesOn(&first, &tt.next); got != tt.want {
			t.Errorf("%s: goesOn = %v, want %v", tt.name, got, tt.want)
		}
	}
	ended := paragraph(1, 50, 700, "this one ends here.")
	next := paragraph(2, 50, 50, "small letters follow.")
	if goesOn(&ended, &next) {
		t.Error("an ended sentence goes on")
	}
}

func TestNext(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1.", "2.", true},
		{"(a)", "(b)", true},
		{"iv.", "v.", true},
		{"(ix)", "(x)", true},
		{"1.", "3.", false},
		{"(a)", "b)", false},
		{"•", "•", false},
	}
	for _, tt := range tests {
		if got := next(tt.a, tt.b); got != tt.want {
			t.Errorf("next(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

func TestIsNumeric(t *testing.T) {
	for in, want := range map[string]bool{
		"12": true, "1,234.50": true, "-3 %": true, "(12)": true, "$5": true, "–": true, "2,500 kg": true,
		"word": false, "A1": false, "a 1 b 2 c": false, "": false,
	} {
		if got := isNumeric(in); got != want {
			t.Errorf("isNumeric(%q) = %v", in, got)
		}
	}
}

// TestLevels sets heading levels from style, number and outline.
func TestLevels(t *testing.T) {
	heading := func(size float64, s string) Block {
		b := paragraph(1, 50, 50, s)
		b.Kind = Heading
		b.Lines[0].Size = size
		return b
	}
	tests := []struct {
		name    string
		blocks  []Block
		outline Outline
		want    []int
	}{
		{"sizes", []Block{heading(20, "Top"), heading(14, "Mid"), heading(12, "Low"), heading(14, "Mid")}, nil, []int{1, 2, 3, 2}},
		{"sizes that hardly differ", []Block{heading(14, "One"), heading(13.8, "Two"), heading(14.2, "Three")}, nil, []int{1, 1, 1}},
		{"no jump", []Block{heading(20, "Top"), heading(12, "Low"), heading(14, "Mid")}, nil, []int{1, 2, 2}},
		{"one style, one level", []Block{heading(12, "First"), heading(12, "Second"), heading(20, "Larger"), heading(12, "Third")}, nil, []int{1, 1, 1, 1}},
		{"numbers", []Block{heading(20, "Title"), heading(12, "1 One"), heading(12, "1.1 Below"), heading(12, "1.1.1 Deep"), heading(12, "2 Two")}, nil, []int{1, 2, 3, 4, 2}},
		{"outline", []Block{heading(12, "One"), heading(12, "Below")}, Outline{"one": 1, "below": 2}, []int{1, 2}},
		{"a title over what the outline names", []Block{heading(17, "Title"), heading(14, "One"), heading(12, "Below")}, Outline{"one": 1, "below": 2}, []int{1, 2, 3}},
		{"a heading as large as what the outline names", []Block{heading(14, "Preface"), heading(14, "One"), heading(12, "Below")}, Outline{"one": 1, "below": 2}, []int{1, 1, 2}},
	}
	for _, tt := range tests {
		levelled(tt.blocks, tt.outline)
		var got []int
		for i := range tt.blocks {
			got = append(got, tt.blocks[i].Level)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestKey(t *testing.T) {
	for in, want := range map[string]string{"1.2  The Title!": "thetitle", "Chapter 3 Ends": "ends", "Über Öl": "überöl", "": ""} {
		if got := Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestCompact removes rows and columns that are artefacts of ruling lines.
func TestCompact(t *testing.T) {
	cell := func(s string) Cell {
		c := Cell{ColSpan: 1, RowSpan: 1, Box: content.Box{X1: 50, Y1: 20}}
		if s != "" {
			c.Lines = paragraph(1, 0, 0, s).Lines
		}
		return c
	}
	tab := Table{Columns: 3}
	for _, row := range []string{"||", "a||b", "|| ", "c||d"} {
		var cells []Cell
		for s := range strings.SplitSeq(row, "|") {
			c := cell(strings.TrimSpace(s))
			if row == "|| " {
				c.Box.Y1 = 2 // between the two lines of one border
			}
			cells = append(cells, c)
		}
		cells[1].Box.X1 = 2
		tab.Rows = append(tab.Rows, cells)
	}
	tab.compact()
	want := [][]string{{"a", "b"}, {"c", "d"}}
	if diff := cmp.Diff(want, rowsText(&tab)); diff != "" || tab.Columns != 2 {
		t.Errorf("%d columns (-want +got):\n%s", tab.Columns, diff)
	}
}

func TestJoined(t *testing.T) {
	got := joined([]edge{{100, 50, 80}, {10, 0, 20}, {11, 20, 40}, {10.5, 60, 70}, {101, 82, 90}})
	var s []string
	for _, e := range got {
		s = append(s, fmt.Sprintf("%.0f:%.0f-%.0f", e.at, e.lo, e.hi))
	}
	if got := strings.Join(s, " "); got != "10:0-40 10:60-70 100:50-90" {
		t.Errorf("joined = %s", got)
	}
}

func TestBimodal(t *testing.T) {
	tests := []struct {
		gaps []float64
		want bool
	}{
		{[]float64{2, 2, 10, 2, 10, 10}, true},
		{[]float64{5, 5, 5, 5}, false},
		{[]float64{2, 10, 10, 10, 10, 10}, false}, // a single outlier
		{[]float64{2, 6, 10, 14}, false},
	}
	for _, tt := range tests {
		if got := bimodal(tt.gaps, 10); (got > 0) != tt.want {
			t.Errorf("bimodal(%v) = %v", tt.gaps, got)
		}
	}
}

func TestLinks(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://example.com": true, "HTTP://x": true, "mailto:a@example.com": true, "#page-3": true,
		"javascript:alert(1)": false, "file:///etc/passwd": false, "data:text/html,x": false, "relative": false, "": false,
	} {
		if got := safe(uri); got != want {
			t.Errorf("safe(%q) = %v", uri, got)
		}
	}
}

func TestContrast(t *testing.T) {
	for pair, want := range map[[2]content.Color]float64{{0, 0xffffff}: 21, {0xffffff, 0xffffff}: 1, {0x777777, 0xffffff}: 4.48} {
		if got := contrast(pair[0], pair[1]); got < want-.01 || got > want+.01 {
			t.Errorf("contrast(%06x, %06x) = %.2f, want %.2f", pair[0], pair[1], got, want)
		}
	}
}

// TestRivers separates two columns that are close together.
func TestRivers(t *testing.T) {
	left := []string{"one two thr", "four five s", "seven eight", "nine ten el", "twelve thir", "fourteen fi"}
	var b strings.Builder
	b.WriteString(pdftest.Lines("F3", 10, 50, 700, 12, left...))
	b.WriteString(pdftest.Lines("F3", 10, 50+11*6+8, 700, 12, left...))
	p := pagesOf(t, Options{}, pdftest.Pages(b.String()))[0]
	if len(p.Lines) != 12 {
		t.Errorf("lines %q", linesOf(p))
	}
}
