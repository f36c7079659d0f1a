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
