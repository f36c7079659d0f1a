// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"
	"slices"
	"testing"

	"example.com/curlew/internal/test/pdftest"
)

// TestStamp keeps a stamp that is turned by 8 degrees in one piece, and the lines of a page that
// is turned as a whole.
func TestStamp(t *testing.T) {
	at := func(cos, sin, x, y float64, s string) string {
		return fmt.Sprintf("BT /F1 14 Tf %g %g %g %g %g %g Tm (%s) Tj ET\n", cos, sin, -sin, cos, x, y, s)
	}
	const first, second = "A first line of text that runs across the page and is not short", "and another one of them below it that is about as long as that"
	upright := pdftest.Lines("F1", 10, 50, 720, 12, first, second, first, second, first)
	const stamp = "APPROVED by the board on 3 June"
	if got := linesOf(pagesOf(t, Options{}, pdftest.Pages(upright+at(.9903, .1392, 100, 680, stamp)))[0]); len(got) != 6 || !slices.Contains(got, stamp) {
		t.Errorf("beside upright text: %q", got)
	}
	p := pagesOf(t, Options{}, pdftest.Pages(at(.9976, .0698, 100, 680, "All of it")))[0]
	if len(p.Lines) != 1 || p.Lines[0].Turn == slant {
		t.Errorf("a page that is turned: %+v", p.Lines)
	}
}
