// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// TestCut checks that the number of lines of a page is bounded and that the
// page reports when lines are missing.
func TestCut(t *testing.T) {
	c := &content.Page{Width: 1e6, Height: 1e6}
	face := &font.Font{}
	for i := range maxLines + 100 {
		x, y := float64(i%100)*100, float64(i/100)*20+20
		c.Glyphs = append(c.Glyphs, content.Glyph{Text: "a", X: x, Y: y, Box: content.Box{X0: x, Y0: y - 8, X1: x + 5, Y1: y + 2}, Adv: 5, Size: 10, DX: 1, Font: face, MCID: -1, Seq: i})
	}
	p := NewPage(t.Context(), 1, c, Options{KeepHidden: true})
	if len(p.Lines) != maxLines || !p.Cut {
		t.Errorf("%d lines, cut %v, want %d", len(p.Lines), p.Cut, maxLines)
	}
	p.Pack()
	if w := p.Weight(); w < maxLines*lineWeight {
		t.Errorf("weighs %d", w)
	}
}

// TestAround checks that bisection of a long row finds the same gaps as a
// scan.
func TestAround(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	row := make([]Word, 500)
	for i := range row {
		x := float64(r.IntN(3000))
		row[i] = Word{X0: x, X1: x + float64(r.IntN(8))}
	}
	slices.SortFunc(row, func(a, b Word) int { return int(a.X0 - b.X0) })
	reach := reachOf([][]Word{row})[0]
	for x := -5.0; x < 3020; x += .5 {
		a, b, both := around(row, nil, x)
		c, d, all := around(row, reach, x)
		if a != c || b != d || both != all {
			t.Fatalf("at %v: %v to %v, %v; searched %v to %v, %v", x, a, b, both, c, d, all)
		}
	}
}
