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

// TestJoinedTables reads tables whose rows or columns only their other rows show.
func TestJoinedTables(t *testing.T) {
	at := func(x, y float64, s string) string { return fmt.Sprintf("BT /F1 10 Tf %g %g Td (%s) Tj ET ", x, y, s) }
	var loose strings.Builder
	loose.WriteString("45 694 m 500 694 l S ")
	want := [][]string{{"Name", "Text"}}
	loose.WriteString(columns([]float64{50, 200}, 700, 14, want[0]))
	for i, s := range []string{"alder", "birch", "cedar", "dogwood", "elder"} {
		y := 668 - 40*float64(i)
		text := s + " grows beside the long river and is"
		loose.WriteString(columns([]float64{50, 200}, y, 14, []string{s, text}) + at(200, y-12, "cut in winter"))
		want = append(want, []string{s, text + " cut in winter"})
	}
	xs := []float64{50, 150, 186, 300}
	section := columns(xs, 700, 14, []string{"Place", "Sum", "State", "Sort"}, []string{"North", "4841", "low", "vessel"}, []string{"South", "5102", "high", "rural"}) +
		at(144.7, 658, "Section upper copper") +
		columns(xs, 644, 14, []string{"West", "5770", "open", "saddle"}, []string{"East", "3892", "low", "harbour"}, []string{"Upper", "6736", "late", "partial"})
	tests := []struct {
		name, content string
		want          [][]string
	}{
		{"rows far apart below a line", loose.String(), want},
		{"the title of a section across white space", section, [][]string{
			{"Place", "Sum", "State", "Sort"},
			{"North", "4841", "low", "vessel"},
			{"South", "5102", "high", "rural"},
			{"Section upper copper(4,1)"},
			{"West", "5770", "open", "saddle"},
			{"East", "3892", "low", "harbour"},
			{"Upper", "6736", "late", "partial"},
		}},
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

// TestDisjoint keeps the text of each spanner, because a spanner that covers the
// beginning of another one would hide it.
func TestDisjoint(t *testing.T) {
	f := figures{size: 10, cols: make([]content.Box, 6)}
	for j := range f.cols {
		f.cols[j] = content.Box{X0: 100 * float64(j), X1: 100*float64(j) + 50}
	}
	head := func(c0, c1 int, text string) spanner {
		w := Word{Text: text, Size: 10, Box: content.Box{X0: 100 * float64(c0), X1: 100*float64(c0) + 20, Y0: 50, Y1: 60}}
		return spanner{c0: c0, c1: c1, parts: []part{{words: []Word{w}, c0: c0, c1: c1}}}
	}
	var got []string
	for _, s := range disjoint([]spanner{head(4, 5, "wood"), head(1, 3, "Local"), head(2, 4, "timber"), head(4, 4, "land")}) {
		var text strings.Builder
		fmt.Fprint(&text, s.c0, "-", s.c1)
		for i := range s.parts {
			text.WriteString(" " + s.parts[i].text())
		}
		got = append(got, text.String())
	}
	if d := cmp.Diff([]string{"1-1 Local", "2-3 timber", "4-5 wood land"}, got); d != "" {
		t.Errorf("spanners (-want +got):\n%s", d)
	}
}

// TestColumnGoesOn takes a column whose texts all follow others after a word space as part of the
// column before it. A text that begins there shows a column.
func TestColumnGoesOn(t *testing.T) {
	for _, more := range []bool{false, true} {
		s := columns([]float64{50, 200, 231}, 700, 14, []string{"one", "mixed", "timber"}, []string{"two", "mixed", "stone"}, []string{"three", "mixed", "glass"}, []string{"four", "mixed", "wood"})
		want := 2
		if more {
			s += columns([]float64{50, 231}, 630, 14, []string{"five", "iron"})
			want = 3
		}
		p := pagesOf(t, Options{}, pdftest.Pages(s))[0]
		r, ok := regionOf(p, content.Box{X1: p.Width, Y1: p.Height})
		if !ok {
			t.Fatal("no region")
		}
		if n := len(r.columnsIn(rowsIn(p, r.idx))); n != want {
			t.Errorf("with a text that begins there %v: %d columns, want %d", more, n, want)
		}
	}
}

// TestAroundHeader leaves a line below a header to the whole table, if there are rows with the same
// columns farther down. A single row below it is what the line shows.
func TestAroundHeader(t *testing.T) {
	one := columns([]float64{50, 200}, 700, 26, []string{"Name", "Text"}, []string{"alder", "grows beside the river"})
	for more, want := range map[string]bool{
		"": true,
		columns([]float64{50, 200}, 640, 14, []string{"birch", "is cut in winter"}):        false,
		columns([]float64{50, 230}, 640, 14, []string{"Notes", "say where the trees are"}): true,
		columns([]float64{50}, 640, 14, []string{"A paragraph follows."}):                  true,
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(one+more))[0]
		f := family{lo: 45, hi: 320, ys: []float64{p.Height - 692}, header: true}
		if _, ok := f.around(p); ok != want {
			t.Errorf("below the row %q: %v, want %v", more, ok, want)
		}
	}
}
