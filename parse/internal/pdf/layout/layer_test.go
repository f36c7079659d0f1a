// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf/content"
)

// scanned returns a page whose text is the layer of a scan. Each text stands at x and y
// and has the width of the letters in its real size, but the font size that a recognizer
// gave it.
func scanned(t *testing.T, texts ...recognized) *Page {
	t.Helper()
	var b strings.Builder
	b.WriteString("q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q 3 Tr ")
	for _, r := range texts {
		fmt.Fprintf(&b, "BT /F1 %g Tf %g Tz %g %g Td (%s) Tj ET ", r.said, 100*r.size/r.said, r.x, r.y, r.text)
	}
	return pagesOf(t, Options{}, pdftest.Pages(b.String()))[0]
}

type recognized struct {
	x, y       float64
	size, said float64 // real, and as recognized
	text       string
}

// TestLayerSizes checks that the lines of a text have one size, although the recognizer
// gave them different ones, and those of a heading another.
func TestLayerSizes(t *testing.T) {
	texts := []recognized{{50, 740, 16, 15, "The heading of the page"}}
	for i := range 9 {
		texts = append(texts, recognized{50, 700 - 12*float64(i), 10, []float64{8, 9, 10, 11}[i%4], "the text of the page goes on and on in lines of it"})
	}
	lines := scanned(t, texts...).Lines
	if len(lines) != len(texts) {
		t.Fatalf("%d lines, want %d", len(lines), len(texts))
	}
	for _, l := range lines {
		want := 10.0
		if strings.Contains(l.Text(), "heading") {
			want = 16
		}
		if math.Abs(l.Size-want) > .1*want || l.Words[0].Size != l.Size {
			t.Errorf("%q has the size %.1f, its words %.1f, want about %.0f", l.Text(), l.Size, l.Words[0].Size, want)
		}
	}
}

// TestLayerSlope checks that a text which was scanned at an angle has whole lines.
func TestLayerSlope(t *testing.T) {
	for _, slope := range []float64{0, .007, -.007, .03} {
		var texts []recognized
		for i := range 8 {
			x := 50.0
			for k := range 12 {
				word := "meadows"[:3+(3*i+2*k)%5]
				texts = append(texts, recognized{x, 700 - 12*float64(i) - slope*x, 10, 10, word})
				x += 5.8*float64(len(word)) + 5
			}
		}
		lines := scanned(t, texts...).Lines
		if len(lines) != 8 {
			t.Errorf("slope %v: %d lines, want 8", slope, len(lines))
		}
	}
}

// TestLayerOwn checks that a slanted text which nobody scanned stays where it is.
func TestLayerOwn(t *testing.T) {
	c := &content.Page{Width: 600}
	for i := range 100 {
		c.Glyphs = append(c.Glyphs, content.Glyph{Text: "a", X: 6 * float64(i%20), Y: 12*float64(i/20) + .1*float64(i%20), Size: 10, Adv: 5})
	}
	straighten(c)
	if math.Abs(c.Glyphs[19].Y-1.9) > 1e-9 {
		t.Errorf("the glyph was moved to %v", c.Glyphs[19].Y)
	}
}

// TestLayerBullets checks that bullets which were recognized as letters are bullets again,
// and words of one letter stay.
func TestLayerBullets(t *testing.T) {
	tests := []struct {
		name  string
		texts []recognized
		want  int
	}{
		{"items", []recognized{{70, 700, 10, 10, "e"}, {82, 700, 10, 10, "the first of them"}, {70, 680, 10, 10, "e"}, {82, 680, 10, 10, "the second of them"}}, 2},
		{"one", []recognized{{70, 700, 10, 10, "e"}, {82, 700, 10, 10, "the first of them"}}, 0},
		{"words", []recognized{{70, 700, 10, 10, "e la prima riga"}, {70, 680, 10, 10, "e la seconda riga"}}, 0},
		{"among other lines", []recognized{{70, 700, 10, 10, "e"}, {82, 700, 10, 10, "a text"}, {70, 680, 10, 10, "e"}, {82, 680, 10, 10, "a text"}, {70, 660, 10, 10, "a line"}, {70, 640, 10, 10, "a line"}, {70, 620, 10, 10, "a line"}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := 0
			for _, l := range scanned(t, tt.texts...).Lines {
				got += strings.Count(l.Text(), "•")
			}
			if got != tt.want {
				t.Errorf("%d bullets, want %d", got, tt.want)
			}
		})
	}
}
