// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// TestContentsPages distinguishes tables of contents from similar texts.
func TestContentsPages(t *testing.T) {
	// row is a line with a number at the right edge; it is 400 points wide.
	row := func(y float64, x float64, title, number string) string {
		return pdftest.Text("F3", 10, x, y, title) + pdftest.Text("F3", 10, 450-6*float64(len(number)), y, number)
	}
	rows := func(step float64, titles ...string) string {
		var b strings.Builder
		for i, title := range titles {
			text, number, _ := strings.Cut(title, "|")
			x := 50.0
			for strings.HasPrefix(text, " ") {
				text, x = text[1:], x+10
			}
			if number == "" {
				b.WriteString(pdftest.Text("F3", 10, x, 700-step*float64(i), text))
				continue
			}
			b.WriteString(row(700-step*float64(i), x, text, number))
		}
		return b.String()
	}
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprintf("%d.%d Some section title|%d", i/3+1, i%3+1, 4+5*i))
	}
	heading := pdftest.Text("F2", 16, 50, 730, "Contents")
	var columns strings.Builder // with baselines that differ by 2 points, which is less than three tenths of the font size
	for i, title := range []string{"1 One|3", "2 Two|5", "3 Three|6", "4 Four|9"} {
		text, number, _ := strings.Cut(title, "|")
		y := 700 - 14*float64(i)
		columns.WriteString(pdftest.Text("F3", 10, 50, y, text+strings.Repeat(" .", 11)) + pdftest.Text("F3", 10, 244, y, number))
		columns.WriteString(pdftest.Text("F3", 10, 275, y+2, strconv.Itoa(i+5)+".1") + pdftest.Text("F3", 10, 310, y+2, text[2:]+" again . . . .") + pdftest.Text("F3", 10, 494, y+2, "1"+number))
	}
	tests := []struct {
		name, content string
		links         int // number of links, one over each of the first rows
		want          []string
	}{
		{
			"with a heading", heading + rows(14, "Preface|vii", "1 First steps|1", " 1.1 Where to begin|2", "2 Further|9"), 0,
			[]string{"0 Preface vii", "0 1 First steps 1", "1 1.1 Where to begin 2", "0 2 Further 9"},
		},
		{
			"leaders", rows(14, "First ........... 3", "Second .......... 7", "Third ........... 7", "Fourth .......... 12"), 0,
			[]string{"0 First ........... 3", "0 Second .......... 7", "0 Third ........... 7", "0 Fourth .......... 12"},
		},
		{"two columns", heading + columns.String(), 0, []string{
			"0 5.1 One again . . . . 13", "0 6.1 Two again . . . . 15", "0 7.1 Three again . . . . 16", "0 8.1 Four again . . . . 19",
			"0 1 One . . . . . . . . . . . 3", "0 2 Two . . . . . . . . . . . 5", "0 3 Three . . . . . . . . . . . 6", "0 4 Four . . . . . . . . . . . 9",
		}},
		{"links", rows(14, "First|3", "Second|7", "Third|12"), 3, []string{"0 First 3", "0 Second 7", "0 Third 12"}},
		{"many sections", rows(14, many...), 0, []string{
			"0 1.1 Some section title 4", "0 1.2 Some section title 9", "0 1.3 Some section title 14",
			"0 2.1 Some section title 19", "0 2.2 Some section title 24", "0 2.3 Some section title 29",
			"0 3.1 Some section title 34", "0 3.2 Some section title 39", "0 3.3 Some section title 44",
		}},
		{"few sections", rows(14, "1 First|3", "2 Second|7", "2.1 Third|9", "3 Fourth|12"), 0, []string{"0 1 First 3", "0 2 Second 7", "0 2.1 Third 9", "0 3 Fourth 12"}},
		{"a table with a header", row(714, 50, "Place and name", "Minutes") + rows(14, "1 First|33", "2 Second|37", "3 Third|39", "4 Fourth|42"), 0, nil},
		{"few lines without numbers of sections", rows(14, "Rent|30", "Heating|70", "Water|200", "Waste|250"), 0, nil},
		{
			"a title of two lines and a part", heading + rows(14, "First|3", "Part One", "A title that is so long that it has to go on", "in the next line|7", "Third|12"), 0,
			[]string{"0 First 3", "0 Part One", "0 A title that is so long that it has to go on in the next line 7", "0 Third 12"},
		},
		{"numbers that fall", rows(14, "Rent ........... 30", "Heating ........ 70", "Water .......... 20", "Waste .......... 25", "Light .......... 40"), 0, nil},
		{"an index", rows(14, "apples|3", "bread|7", "butter|2", "cheese|5", "dates|4", "eggs|9"), 6, nil},
		{"lines that are counted", rows(14, "package a|1", "import b|2", "func c|3", "return d|4", "func e|5", "return f|6", "func g|7", "return h|8"), 0, nil},
		{"a table of numbers", heading + rows(14, "North|10", "South|20", "West|30") + pdftest.Lines("F3", 10, 480, 700, 14, "1", "2", "3"), 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
			for i := range tt.links {
				y := p.Height - 700 + 14*float64(i)
				p.Links = append(p.Links, content.Link{Box: content.Box{X0: 40, Y0: y - 9, X1: 460, Y1: y + 3}, URI: "#page-1"})
			}
			var got []string
			for _, b := range contents(p) {
				got = append(got, fmt.Sprint(b.Level, " ", b.Text()))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}
