// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// items marks the paragraphs that are list items. A bullet or a number
// always makes an item. A dash or a letter makes one only if a similar
// marker stands nearby.
func items(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || len(b.Lines) == 0 {
			continue
		}
		mark, rest := marker(b.Lines[0].Text())
		if mark == "" || rest == "" && len(b.Lines) == 1 || strings.ContainsAny(mark, "-–—*·") && !hasSibling(blocks, i, mark) {
			continue
		}
		if n := numbering(mark); n != "" && !isDigits(n) && !hasSibling(blocks, i, mark) {
			continue
		}
		b.Kind, b.Marker, b.Conf = Item, mark, 1
	}
	nest(blocks)
}

// Ballot reports whether a list marker is a check box, and whether it is
// checked.
func Ballot(mark string) (task, done bool) {
	return mark != "" && strings.Contains(ballots, mark), !strings.HasPrefix(ballots, mark)
}

// hasSibling reports whether a block near i begins with a marker of the same
// kind.
func hasSibling(blocks []Block, i int, mark string) bool {
	for k := max(0, i-3); k < min(len(blocks), i+4); k++ {
		if k == i || len(blocks[k].Lines) == 0 {
			continue
		}
		other, rest := marker(blocks[k].Lines[0].Text())
		if other == "" || rest == "" {
			continue
		}
		if a, b := &blocks[k], &blocks[i]; a.Page == b.Page && math.Abs(a.Lines[0].Y-b.Lines[0].Y) < .3*b.Lines[0].Size {
			continue // beside it, like the names of two authors
		}
		if other == mark && numbering(mark) == "" || next(mark, other) || next(other, mark) {
			return true
		}
	}
	return false
}

// next reports whether marker b follows marker a in numbering.
func next(a, b string) bool {
	x, y := numbering(a), numbering(b)
	switch {
	case x == "" || y == "" || a[0] == '(' != (b[0] == '('):
		return false
	case isDigits(x) && isDigits(y):
		m, _ := strconv.Atoi(x) // at most three digits
		n, _ := strconv.Atoi(y) // at most three digits
		return n == m+1
	case len(x) == 1 && len(y) == 1 && y[0] == x[0]+1:
		return true
	}
	return isRoman(x) && isRoman(y) && roman(strings.ToLower(y)) == roman(strings.ToLower(x))+1
}

// begins returns the left edge of a line. For right-to-left text it returns
// the negative right edge, so that a larger value always means a deeper
// indent.
func (l *Line) begins() float64 {
	if l.RTL {
		return -l.Box.X1
	}
	return l.Box.X0
}

// nest sets the depth of the items of each list from their left edges.
func nest(blocks []Block) {
	for i := 0; i < len(blocks); {
		if blocks[i].Kind != Item {
			i++
			continue
		}
		j := i
		for j < len(blocks) && blocks[j].Kind == Item {
			j++
		}
		var lefts []float64
		for k := i; k < j; k++ {
			lefts = append(lefts, blocks[k].Lines[0].begins())
		}
		slices.Sort(lefts)
		size := blocks[i].Size()
		lefts = slices.CompactFunc(lefts, func(a, b float64) bool { return a-b < .8*size && b-a < .8*size })
		if len(lefts) > 4 { // columns, not depths
			lefts = lefts[:1]
		}
		depth := 0
		nested := slices.ContainsFunc(blocks[i:j], func(b Block) bool { return b.Tagged && b.Level > 0 })
		for k := i; k < j; k++ {
			b := &blocks[k]
			at, _ := slices.BinarySearchFunc(lefts, b.Lines[0].begins()+.4*size, cmp.Compare[float64])
			want := max(0, at-1)
			if k > i && b.Page == blocks[k-1].Page && b.Box.Y0 < blocks[k-1].Box.Y0 {
				want = min(want, depth) // the next column
			}
			depth = min(want, depth+1)
			if b.Tagged && nested {
				depth = b.Level
				continue
			}
			if k == i {
				depth = 0
			}
			b.Level = depth
		}
		i = j
	}
}

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
	sorting.Stable(byBase, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
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
