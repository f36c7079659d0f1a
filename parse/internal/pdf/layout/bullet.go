// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// The place of a drawn bullet relative to its line, in em: the height above
// the baseline and the distance to the text.
const (
	bulletLow  = .05
	bulletHigh = .65
	bulletNear = .1
	bulletFar  = 3
	bulletSize = .65 // maximum height
)

// maxPlotted is the maximum number of dots on a page. A page with more shows
// a plot.
const maxPlotted = 300

// drawn is a dot and the line that it may be the bullet of.
type drawn struct {
	dot  *content.Dot
	line int
	x    float64 // where the line begins
}

// bullets adds a bullet character to each line that has a drawn bullet, as
// browsers print lists. A dot is a bullet if another dot of the same size
// stands above or below it, before a line with the same left edge.
func (p *Page) bullets(dots []content.Dot) {
	if len(dots) < 2 || len(dots) > maxPlotted {
		return
	}
	byBase := make([]int, 0, len(p.Lines))
	for i := range p.Lines {
		if p.Lines[i].Turn == 0 {
			byBase = append(byBase, i)
		}
	}
	slices.SortFunc(byBase, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
	var found []drawn
	for i := range dots {
		if d := p.before(&dots[i], byBase); d.line >= 0 {
			found = append(found, d)
		}
	}
	for i, d := range found {
		b := &d.dot.Box
		if !slices.ContainsFunc(found, func(o drawn) bool {
			return o.line != d.line && math.Abs(o.dot.Box.X0-b.X0) < 1 && math.Abs(o.dot.Box.Width()-b.Width()) < .5 && math.Abs(o.x-d.x) < 1
		}) || slices.ContainsFunc(found[:i], func(o drawn) bool { return o.line == d.line }) {
			continue
		}
		l := &p.Lines[d.line]
		first := &l.Words[0]
		if first.MCID >= 0 { // in tagged text the tags identify list items
			continue
		}
		w := Word{Text: "•", Box: *b, X0: b.X0, X1: b.X1, Y: l.Y, Size: l.Size, Font: first.Font, Color: first.Color, MCID: -1, Seq: first.Seq}
		l.Words = append([]Word{w}, l.Words...)
		l.Box = l.Box.Union(*b)
		p.Curves -= d.dot.Curves
	}
}

// before returns the line that a dot stands in front of. line is -1 if there
// is none.
func (p *Page) before(dot *content.Dot, byBase []int) drawn {
	out := drawn{dot: dot, line: -1}
	b := &dot.Box
	mid, best := (b.Y0+b.Y1)/2, math.Inf(1)
	k, _ := slices.BinarySearchFunc(byBase, mid, func(i int, y float64) int { return cmp.Compare(p.Lines[i].Y, y) })
	for n := 0; k < len(byBase) && n < maxStrikes; k, n = k+1, n+1 {
		l := &p.Lines[byBase[k]]
		gap, x := l.Box.X0-b.X1, l.Box.X0
		if l.RTL {
			gap, x = b.X0-l.Box.X1, l.Box.X1
		}
		if up := l.Y - mid; up < bulletLow*l.Size || up > bulletHigh*l.Size || gap < bulletNear*l.Size || gap > min(bulletFar*l.Size, best) || b.Height() > bulletSize*l.Size {
			continue
		}
		if mark, _ := marker(l.Text()); mark == "" {
			best, out.line, out.x = gap, byBase[k], x
		}
	}
	return out
}
