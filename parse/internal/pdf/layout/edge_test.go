// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/pdftest"
)

// TestStackedGrids reads grids of one width below each other as a table each, and cells as narrow
// as their letters without those of the cell beside.
func TestStackedGrids(t *testing.T) {
	var b strings.Builder
	for n := range 3 {
		y := 700 - 100*float64(n)
		for i := range 4 {
			fmt.Fprintf(&b, "50 %.0f m 140 %.0f l S ", y-12*float64(i), y-12*float64(i))
		}
		for j := range 10 { // no walls at the sides
			if x := 50 + 10*float64(j); j > 0 && j < 9 {
				fmt.Fprintf(&b, "%.0f %.0f m %.0f %.0f l S ", x, y, x, y-36)
			}
		}
		for i := range 3 {
			for j := range 9 {
				b.WriteString(pdftest.Text("F1", 8, 52+10*float64(j), y-9-12*float64(i)-float64(j%3), string(rune('A'+(9*i+j+n)%26))))
			}
		}
	}
	p := pagesOf(t, Options{}, pdftest.Pages(b.String()))[0]
	tables, _ := ruledTables(p)
	var got [][][]string
	for i := range tables {
		got = append(got, rowsText(&tables[i]))
	}
	var want [][][]string
	for n := range 3 {
		var rows [][]string
		for i := range 3 {
			var row []string
			for j := range 9 {
				row = append(row, string(rune('A'+(9*i+j+n)%26)))
			}
			rows = append(rows, row)
		}
		want = append(want, rows)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// TestShadedCode reads lines of code with a background each, some with a bar at the side, as
// listings. The same lines in another font are a list.
func TestShadedCode(t *testing.T) {
	lines := []string{"begin", "  x = 1", "  y = 2", "end"}
	for _, tt := range []struct {
		name, font string
		bar        bool
		want       Kind
	}{
		{"code", "F3", false, Code},
		{"code with a bar", "F3", true, Code},
		{"a list", "F1", false, TableBlock},
	} {
		var b strings.Builder
		for i, s := range lines {
			y := 700 - 14*float64(i)
			fmt.Fprintf(&b, ".9 g 50 %.0f 300 14 re f 0 g ", y)
			if tt.bar {
				fmt.Fprintf(&b, ".4 g 50 %.0f 4 14 re f 0 g ", y)
			}
			b.WriteString(pdftest.Text(tt.font, 10, 60+6*float64(len(s)-len(strings.TrimLeft(s, " "))), y+4, strings.TrimLeft(s, " ")))
		}
		d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(b.String())), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		blocks := d.Blocks
		if len(blocks) != 1 || blocks[0].Kind != tt.want {
			t.Errorf("%s: %d blocks, the first of kind %v", tt.name, len(blocks), blocks[0].Kind)
		}
	}
}

// TestUnderscores reads short lines at the baseline beside a letter as underscores, but no
// others.
func TestUnderscores(t *testing.T) {
	word := func(x float64, s string) string { return pdftest.Text("F1", 10, x, 700, s) } // "max" ends at 68.9
	for _, tt := range []struct{ name, content, want string }{
		{"between words", word(50, "max") + "69.5 700 3 .4 re f " + word(73.1, "size"), "max_size"},
		{"two of them", word(50, "max") + "69.5 700 3 .4 re f 73.1 700 3 .4 re f " + word(76.7, "size"), "max__size"},
		{"before a word", "46.4 700 3 .4 re f " + word(50, "max"), "_max"},
		{"after a word", word(50, "max") + "69.5 700 3 .4 re f " + word(80, "and"), "max_ and"},
		{"a bar of a fraction", word(50, "max") + "69.5 702.5 3 .4 re f " + word(73.1, "size"), "max size"},
		{"below a letter", word(50, "max") + "58 699 3 .4 re f " + word(73.1, "size"), "max size"},
		{"a piece of an underline", word(50, "max") + "50 700 19 .4 re f 69 700 3 .4 re f 72 700 20 .4 re f " + word(72.5, "size"), "max size"},
		{"a blank to fill in", word(50, "max") + "69.5 700 30 .4 re f " + word(103, "size"), "max ______ size"},
		{"far from both words", word(50, "max") + "71 700 3 .4 re f " + word(77, "size"), "max size"},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		if got := strings.Join(linesOf(p), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestBlanks reads lines to write on as underscores, but no others.
func TestBlanks(t *testing.T) {
	word := func(x float64, s string) string { return pdftest.Text("F1", 10, x, 700, s) } // "Name:" ends at 82
	underscores := strings.Repeat("_", 20)
	for _, tt := range []struct{ name, content, want string }{
		{"behind a label", word(50, "Name:") + "90 699 100 .5 re f", "Name: " + underscores},
		{"in a column of blanks", word(50, "Name:") + "150 699 100 .5 re f", "Name: " + underscores},
		{"in pieces", word(50, "Name:") + strings.Repeat("1 0 0 1 5 0 cm 85 699 4.5 .5 re f ", 20), "Name: " + strings.Repeat("_", 19)},
		{"within a sentence", word(50, "Paid by") + "88 699 100 .5 re f " + word(192, "and") + "212 699 100 .5 re f", "Paid by " + underscores + " and " + underscores},
		{"behind words", word(50, "Name") + "80 699 100 .5 re f", "Name " + underscores},
		{"behind a title", pdftest.Text("F2", 10, 50, 700, "Title") + "80 699 100 .5 re f", "Title"},
		{"at the start of a line", "50 699 100 .5 re f " + word(153, "lets the flat"), underscores + " lets the flat"},
		{"before a comma", "50 699 100 .5 re f " + word(150.5, ", the tenant"), underscores + ", the tenant"},
		{"before a word far away", "50 699 100 .5 re f " + word(180, "lets the flat"), "lets the flat"},
		{"before a root", "50 699 100 .5 re f " + word(153, "="), "="},
		{"below a line of text", word(50, "Paid to") + "88 699 100 .5 re f " + word(192, "and") + pdftest.Text("F1", 10, 50, 711, "a line of text above the blank"), "a line of text above the blank Paid to " + underscores + " and"},
		{"below a text", word(50, "Name:") + "90 699 100 .5 re f " + word(100, "Jane"), "Name: Jane"},
		{"below the text of the next line", word(50, "Name:") + "90 699 100 .5 re f " + pdftest.Text("F1", 10, 100, 704, "Jane"), "Jane Name:"},
		{"in the middle of the line", word(50, "Name:") + "90 703 100 .5 re f", "Name:"},
		{"far below", word(50, "Name:") + "90 694 100 .5 re f", "Name:"},
		{"a wall of a table", word(50, "Name:") + "90 699 100 .5 re f 190 690 .5 30 re f", "Name:"},
		{"a root", word(50, "3 +") + "88 699 30 .5 re f " + word(122, "x"), "3 + x"},
		{"the frame around a name", "40 600 .5 100 re f 40 699.8 8 .5 re f " + word(50, "Name:") + "90 699.8 100 .5 re f", "Name:"},
		{"white", word(50, "Name:") + "1 g 90 699 100 .5 re f", "Name:"},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		if got := strings.Join(linesOf(p), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestLinesToWriteOn reads lines above names as lines of text, and counts those that have no text.
func TestLinesToWriteOn(t *testing.T) {
	word := func(x, y float64, s string) string { return pdftest.Text("F1", 10, x, y, s) }
	underscores := strings.Repeat("_", 20)
	above, two := word(50, 700, "Agreed and signed by both:"), "50 650 100 .5 re f 200 650 100 .5 re f "
	names := word(50, 638, "Jane Weaver") + word(200, 638, "Tom Granite")
	for _, tt := range []struct {
		name, content, want string
		unplaced            int
	}{
		{"names", two + names, underscores + "|" + underscores + "|Jane Weaver|Tom Granite", 0},
		{"rows of a table", two + names + word(320, 638, "Total"), "Jane Weaver|Tom Granite|Total", 0},
		{"no place to sign", two + names + word(50, 665, "a"), underscores + "|a|Jane Weaver|Tom Granite", 0},
		{"a note", "50 650 100 .5 re f " + word(50, 638, "a note that is longer than its line"), "a note that is longer than its line", 0},
		{"remarks", "50 660 300 .5 re f 50 640 300 .5 re f 50 620 300 .5 re f ", "", 3},
		{"rows with texts", "50 660 300 .5 re f 50 640 300 .5 re f " + word(200, 645, "text"), "text", 0},
		{"the grid of a chart", ".9 g 40 600 320 80 re f 0 g 50 660 300 .5 re f 50 640 300 .5 re f ", "", 0},
		{"lines far from each other", "50 660 300 .5 re f 50 600 300 .5 re f ", "", 0},
	} {
		p := pagesOf(t, Options{}, pdftest.Pages(above+tt.content))[0]
		got := linesOf(p)
		slices.Sort(got)
		want := []string{"Agreed and signed by both:"}
		if tt.want != "" {
			want = append(want, strings.Split(tt.want, "|")...)
		}
		if slices.Sort(want); !slices.Equal(got, want) || p.Unplaced != tt.unplaced {
			t.Errorf("%s: %q and %d, want %q and %d", tt.name, got, p.Unplaced, want, tt.unplaced)
		}
	}
}

// TestSignatures reads what each of two persons has below the line to sign on as a text, not both as a table.
func TestSignatures(t *testing.T) {
	for name, line := range map[string]string{
		"drawn": "50 650 100 .5 re f 200 650 100 .5 re f ",
		"typed": pdftest.Text("F1", 10, 50, 650, strings.Repeat("_", 20)) + pdftest.Text("F1", 10, 200, 650, strings.Repeat("_", 20)),
	} {
		var content strings.Builder
		content.WriteString(line)
		for x, texts := range map[float64][2]string{50: {"Jane Weaver", "Tenant"}, 200: {"Tom Granite", "Landlord"}} {
			content.WriteString(pdftest.Text("F1", 10, x, 638, texts[0]) + pdftest.Text("F1", 10, x, 626, texts[1]))
		}
		d, err := Build(t.Context(), pagesOf(t, Options{}, pdftest.Pages(pdftest.Text("F1", 10, 50, 700, "Agreed and signed by both:")+content.String())), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range d.Blocks {
			got = append(got, d.Blocks[i].Text())
		}
		if all := strings.ReplaceAll(strings.Join(got, " "), "_", ""); !strings.Contains(all, "Jane Weaver Tenant ") || !strings.Contains(all, "Tom Granite Landlord") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestNeighbours reads labels at the left, each above a text in the middle of the page, in the order
// of their heights, and real columns one after the other.
func TestNeighbours(t *testing.T) {
	var apart, columns strings.Builder
	var inTurn, left, right []string
	for i := range 4 {
		label, text := fmt.Sprintf("Label%d", i), fmt.Sprintf("Text%d", i)
		y := 700 - 60*float64(i)
		apart.WriteString(pdftest.Text("F1", 10, 50, y, label) + pdftest.Text("F1", 10, 250, y-30, text))
		columns.WriteString(pdftest.Text("F1", 10, 50, y, label) + pdftest.Text("F1", 10, 250, y-4, text))
		inTurn, left, right = append(inTurn, label, text), append(left, label), append(right, text)
	}
	for _, tt := range []struct {
		content string
		want    []string
	}{{apart.String(), inTurn}, {columns.String(), append(left, right...)}} {
		p := pagesOf(t, Options{}, pdftest.Pages(tt.content))[0]
		var es []element
		for i := range p.Lines {
			es = append(es, element{box: textBox(&p.Lines[i]), size: p.Lines[i].Size, line: i, whole: -1})
		}
		var got []string
		for _, e := range order(es) {
			got = append(got, p.Lines[e.line].Text())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	}
}
