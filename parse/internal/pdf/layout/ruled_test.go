// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// TestStrike finds struck-through words. A line through words is not kept as a
// rule. The letters of the words are .556 em wide.
func TestStrike(t *testing.T) {
	text := at(50, 700, "one hundred") // "one" ends at 66.7, "hundred" is from 69.5 to 108.4
	for _, tt := range []struct {
		name, drawn string
		want        string
		rules       int
	}{
		{"a box through a word", "50 702.6 16.7 .6 re f ", "~one~ hundred", 0},
		{"a stroke through all", ".5 w 50 703 m 108.4 703 l S ", "~one hundred~", 0},
		{"an underline", "50 698.5 16.7 .6 re f ", "one hundred", 1},
		{"a line of a table", "20 703 300 .6 re f ", "one hundred", 1},
		{"a bar over it", "50 708.5 58 .6 re f ", "one hundred", 1},
		{"white", "1 g 50 702.6 16.7 .6 re f 0 g ", "one hundred", 1},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(text+tt.drawn))[0]
		if len(p.Rules) != tt.rules {
			t.Errorf("%s: rules %v", tt.name, p.Rules)
		}
		d, err := Build(t.Context(), []*Page{p}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i := range d.Blocks {
			for _, r := range d.Runs(&d.Blocks[i]) {
				if r.Face&Struck != 0 {
					r.Text = "~" + r.Text + "~"
				}
				got.WriteString(r.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestCellLines reads the words of a cell as lines, and most cells, which have one
// line, without further copies.
func TestCellLines(t *testing.T) {
	word := func(x, y float64, text string) Word {
		return Word{Text: text, X0: x, X1: x + 20, Y: y, Size: 10, Box: content.Box{X0: x, X1: x + 20, Y0: y - 8, Y1: y + 2}}
	}
	one := []Word{word(10, 100, "in"), word(40, 100, "one"), word(70, 100, "line")}
	for _, tt := range []struct {
		words []Word
		want  string
	}{
		{nil, ""},
		{one, "in one line"},
		{[]Word{word(40, 100, "order"), word(10, 100, "another")}, "another order"},
		{[]Word{word(10, 112, "lower"), word(10, 100, "upper")}, "upper/lower"},
		{[]Word{word(10, 100, "nearly"), word(40, 101, "level")}, "nearly level"},
	} {
		var got []string
		for _, l := range cellLines(nil, tt.words) {
			got = append(got, l.Text())
		}
		if s := strings.Join(got, "/"); s != tt.want {
			t.Errorf("lines %q, want %q", s, tt.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { cellLines(nil, one) }); n > 1 { // the lines
		t.Errorf("%v allocations for a cell of one line", n)
	}
}
