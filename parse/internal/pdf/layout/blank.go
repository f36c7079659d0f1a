// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// Limits for a blank to write on that is drawn as a line, in em: its height above and below
// the baseline, its least width, and the distance to the text before it. Behind a colon the
// distance may be larger, because the blanks of a form have a column of their own.
const (
	blankHigh  = .08
	blankLow   = .4
	blankLeast = 2
	blankNear  = 1.5
	blankFar   = 12
	blankInk   = .3 // how far texts may reach over its ends
	blankAbove = .9 // the place for what is written on it
)

// A drawn line may be a blank to write on.
const (
	maxBlanks   = 1000 // drawn lines of a page that are looked at
	leastStroke = 8    // points; a shorter line is no blank
)

// writeLine is a horizontal line, which may have several pieces beside each other.
type writeLine struct {
	lo, hi, at float64
	rules      []int
	blank      bool
}

// strokes returns the horizontal lines of a page from top to bottom and from left to right.
// The pieces of a line, such as underscores that TeX draws, are joined.
func (p *Page) strokes() []writeLine {
	idx := make([]int, 0, len(p.Rules))
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Horizontal() && r.Y1-r.Y0 < .5 && r.X1 > r.X0 && r.Color != 0xffffff && r.Width < 2 {
			idx = append(idx, i)
		}
	}
	if len(idx) > maxEdges {
		return nil
	}
	sorting.Stable(idx, func(a, b int) int {
		return cmp.Or(compare(math.Round(4*p.Rules[a].Y0), math.Round(4*p.Rules[b].Y0)), compare(p.Rules[a].X0, p.Rules[b].X0))
	})
	var out []writeLine
	for k, i := range idx {
		r := &p.Rules[i]
		if n := len(out) - 1; n >= 0 && math.Abs(out[n].at-r.Y0) < .5 && r.X0 < out[n].hi+1.2 {
			out[n].hi = max(out[n].hi, r.X1)
			out[n].rules = idx[k-len(out[n].rules) : k+1] // the pieces of a line follow each other
			continue
		}
		out = append(out, writeLine{lo: r.X0, hi: r.X1, at: r.Y0, rules: idx[k : k+1]})
	}
	return out
}

// blanks reads lines to write on as underscores, behind their labels or within a sentence:
// the blanks of a form are part of its text. Lines with text on them are underlines, and those
// that meet vertical lines belong to tables.
func (p *Page) blanks() {
	all := p.strokes()
	if len(all) == 0 || len(all) > maxBlanks {
		return
	}
	byBase := make([]int, 0, len(p.Lines))
	var sizes []float64
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Turn == 0 && !l.RTL {
			byBase = append(byBase, i)
			sizes = append(sizes, l.Size)
		}
	}
	sorting.Stable(byBase, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	size := median(sizes)
	gone := make([]bool, len(p.Rules))
	for i := range all {
		s := &all[i]
		if s.hi-s.lo < leastStroke {
			continue
		}
		var prev writeLine // on the same height
		if i > 0 && math.Abs(all[i-1].at-s.at) < 1 && all[i-1].hi < s.lo {
			prev = all[i-1]
		}
		l, k := p.label(s, byBase, size, prev.blank)
		framed := l != nil && !prev.blank && p.walled(&prev) // the lines around the name of a frame
		if s.blank = l != nil && !framed && !p.walled(s); !s.blank {
			continue
		}
		l.blank(s, k)
		for _, r := range s.rules {
			gone[r] = true
		}
	}
	p.lonely(all, byBase, size, gone)
	if slices.Contains(gone, true) {
		p.dropRules(gone)
	}
}

// Limits for lines to write on that have no text beside them, in em: their least width, the
// free place above them, the distance of the text below them, and the distances between them.
const (
	lonelyLeast = 4
	lonelyFree  = 2.5
	lonelyBelow = 1.8
	lonelyNext  = 3.5
)

// lonely reads lines to write on that have no text beside them. Those with a short text below,
// as for a signature, are lines of text. Those that lie below each other, as for remarks, are counted.
func (p *Page) lonely(all []writeLine, byBase []int, size float64, gone []bool) {
	if len(p.Rules)+len(p.Fills) > maxEdges {
		return
	}
	last := math.Inf(-1) // height of the last line of a pair
	for i := range all {
		s := &all[i]
		if s.blank || s.hi-s.lo < lonelyLeast*size || len(p.within(byBase, s.lo-lonelyLeast*size, s.hi, s.at-lonelyFree*size, s.at+.6*size)) > 0 || p.walled(s) || p.filled(s) {
			continue
		}
		below := p.within(byBase, s.lo, s.hi, s.at, s.at+lonelyBelow*size)
		switch {
		case len(below) == 1:
			l := below[0]
			row := p.within(byBase, 0, p.Width, l.Y-.3*size, l.Y+.3*size)
			if s.blank = len(row) <= inRow(all, i) && s.hi-s.lo < .6*p.Width && s.signs(l, all[i+1:], size); s.blank {
				p.Lines = append(p.Lines, s.above(l))
				for _, r := range s.rules {
					gone[r] = true
				}
			}
		case len(below) == 0 && i > 0 && s.repeats(&all[i-1], size):
			p.Unplaced += 1 + count(last != all[i-1].at)
			last = s.at
		}
	}
}

// within returns the lines, sorted by their baselines, that reach into a box with their baseline.
func (p *Page) within(byBase []int, lo, hi, top, bottom float64) (inside []*Line) {
	k, _ := slices.BinarySearchFunc(byBase, top, func(i int, y float64) int { return compare(p.Lines[i].Y, y) })
	for ; k < len(byBase) && p.Lines[byBase[k]].Y <= bottom && len(inside) < maxStrikes; k++ {
		if l := &p.Lines[byBase[k]]; l.Box.X0 < hi && l.Box.X1 > lo {
			inside = append(inside, l)
		}
	}
	return inside
}

// signs reports whether l is a name below a line to write on, and no note or title, nor a text
// between two lines. next are the lines after it.
func (s *writeLine) signs(l *Line, next []writeLine, size float64) bool {
	for i := 0; i < len(next) && next[i].at < l.Y+blankNear*size; i++ {
		if next[i].at > l.Y-.5*size && next[i].lo < s.hi && next[i].hi > s.lo {
			return false
		}
	}
	return len(l.Words) <= 8 && l.Words[0].Rise == 0 && l.Size > .8*size && l.Size < 1.08*size &&
		l.Box.X0 > s.lo-.5*size && l.Box.X1 < s.hi+.5*size && l.Box.Width() < s.hi-s.lo-size
}

// repeats reports whether s has the ends of o and lies below it.
func (s *writeLine) repeats(o *writeLine, size float64) bool {
	return !o.blank && math.Abs(o.lo-s.lo)+math.Abs(o.hi-s.hi) < 2 && s.at-o.at > size && s.at-o.at < lonelyNext*size
}

// above returns a line of text that stands for the drawn line above l, such as that of a signature above a name.
func (s *writeLine) above(l *Line) Line {
	out := l.of(l.Words[:1])
	w := &out.Words[0]
	s.fill(w)
	w.Seq-- // comes before the name
	w.Box.Y0, w.Box.Y1, w.Y = w.Box.Y0+s.at-w.Y, w.Box.Y1+s.at-w.Y, s.at
	out.Box, out.Y = w.Box, w.Y
	return out
}

// inRow returns the number of lines at the height of line i.
func inRow(all []writeLine, i int) int {
	from, to := i, i+1
	for from > 0 && math.Abs(all[from-1].at-all[i].at) < 1 {
		from--
	}
	for to < len(all) && math.Abs(all[to].at-all[i].at) < 1 {
		to++
	}
	return to - from
}

// filled reports whether a stroke lies on a fill, as the grid of a chart does.
func (p *Page) filled(s *writeLine) bool {
	for i := range p.Fills {
		if b := &p.Fills[i].Box; b.X0 < s.hi && b.X1 > s.lo && b.Y0 < s.at && b.Y1 > s.at && b.Area() < .6*p.Width*p.Height {
			return true
		}
	}
	return false
}

// dropRules removes the rules whose index is set in gone.
func (p *Page) dropRules(gone []bool) {
	rest := make([]content.Rule, 0, len(p.Rules))
	for i := range p.Rules {
		if !gone[i] {
			rest = append(rest, p.Rules[i])
		}
	}
	p.Rules = rest
}

// label returns the line and the place in it where a stroke is a blank to write on, or nil.
// If follows is set, it follows another blank.
func (p *Page) label(s *writeLine, byBase []int, size float64, follows bool) (label *Line, place int) {
	var before, after *Word
	var next *Line
	for _, l := range p.within(byBase, 0, p.Width, s.at-maxAbove, s.at+maxAbove) {
		up := (s.at - l.Y) / l.Size
		if up > blankAbove || up < -blankHigh {
			continue
		}
		ink := blankInk * l.Size
		for i := range l.Words {
			w := &l.Words[i]
			switch {
			case w.X0 < s.hi-ink && w.X1 > s.lo+ink:
				return nil, 0
			case up > blankLow:
			case w.X1 <= s.lo+ink && (before == nil || w.X1 > before.X1):
				before, label, place = w, l, i+1
			case w.X0 >= s.hi-ink && (after == nil || w.X0 < after.X0):
				after, next = w, l
			}
		}
	}
	gap, goesOn := math.Inf(1), after != nil && after.X0-s.hi < blankNear*next.Size
	if before != nil {
		gap = (s.lo - before.X1) / label.Size
	}
	switch {
	case gap < blankFar && strings.HasSuffix(before.Text, ":"):
	case gap < blankNear && (follows || hasAlnum(before.Text) && (goesOn || label.plain(size))): // not a root or a title
	case gap >= blankNear && (gap >= blankFar || hasAlnum(before.Text)) && goesOn && after == &next.Words[0] && hasAlnum(next.Text()):
		label, place = next, 0
	default:
		return nil, 0
	}
	if s.hi-s.lo < blankLeast*label.Size {
		return nil, 0
	}
	return label, place
}

// plain reports whether a line has the look of running text.
func (l *Line) plain(size float64) bool {
	return l.Size < 1.08*size && !l.Words[len(l.Words)-1].Bold() && strings.ToUpper(l.Text()) != l.Text()
}

// maxAbove is more than the height of the place above a blank, in points.
const maxAbove = 40

// walled reports whether a vertical line meets a stroke.
func (p *Page) walled(s *writeLine) bool {
	return slices.ContainsFunc(p.Rules, func(r content.Rule) bool {
		return !r.Horizontal() && r.X0 > s.lo-2 && r.X0 < s.hi+2 && r.Y0 < s.at+2 && r.Y1 > s.at-2
	})
}

// The number of underscores of a blank that is drawn as a line.
const (
	leastBlank = 3
	mostBlank  = 24
)

// blank inserts the underscores of a blank before word k.
func (l *Line) blank(s *writeLine, k int) {
	like := l.Words[max(0, k-1)]
	if k > 0 {
		like.Seq += utf8.RuneCountInString(like.Text) - 1
	}
	if k < len(l.Words) {
		l.Words[k].Glue = l.Words[k].X0-s.hi < .1*l.Size
	}
	s.fill(&like)
	l.Words = sorting.Insert(l.Words, k, like)
	l.Box = l.Box.Union(like.Box)
}

// fill makes w the underscores of a blank.
func (s *writeLine) fill(w *Word) {
	w.Text = strings.Repeat("_", min(mostBlank, max(leastBlank, int(2*(s.hi-s.lo)/w.Size))))
	w.X0, w.X1, w.Box.X0, w.Box.X1, w.Glue, w.Rise = s.lo, s.hi, s.lo, s.hi, false, 0
}

// Bounds of drawn check boxes: the lengths of their sides in points, how exactly the sides meet,
// how far the text is at most that they stand before, in font sizes, and how many a page has.
const (
	leastTick = 5
	mostTick  = 16
	tickEnds  = 1.5
	tickText  = 1.5
	mostTicks = 400
)

// ticks adds the sign of a check box for each drawn square before or behind a text, so that those
// that nobody has ticked are seen. A cross or a tick in a square becomes part of its sign.
// Squares that touch each other are places for letters, and those with a color are legends.
// Browsers draw the fields with round corners, and fill those that are on.
func (p *Page) ticks(dots []content.Dot) {
	cells := false
	for i := range dots {
		cells = cells || dots[i].Marked
	}
	for i := range dots {
		if d := &dots[i]; len(dots) > maxPlotted || d.Box.Width() < leastTick {
			continue
		} else if d.Marked {
			p.tick(&d.Box, "☒", cells)
		} else if d.Outline {
			p.tick(&d.Box, "☐", cells)
		}
	}
	var up []content.Box
	if len(p.Rules) > maxEdges {
		return
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if h := r.Y1 - r.Y0; !r.Horizontal() && h > leastTick && h < mostTick && r.Color != 0xffffff {
			up = append(up, content.Box{X0: r.X0, Y0: r.Y0, X1: r.X1, Y1: r.Y1})
		}
	}
	if len(up) > mostTicks {
		return
	}
	for _, a := range up {
		for _, c := range up {
			if w := c.X0 - a.X0; w > leastTick && math.Abs(w-a.Height()) < tickEnds && math.Abs(a.Y0-c.Y0) < tickEnds && math.Abs(a.Y1-c.Y1) < tickEnds {
				if b := a.Union(c); p.square(&b, up) {
					p.tick(&b, "☐", false)
				}
			}
		}
	}
}

// square reports whether a box has sides at its top and bottom, no sides in common with other
// squares, and no color.
func (p *Page) square(b *content.Box, up []content.Box) bool {
	top, bottom := false, false
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Horizontal() && math.Abs(r.X0-b.X0) < tickEnds && math.Abs(r.X1-b.X1) < tickEnds {
			top, bottom = top || math.Abs(r.Y0-b.Y0) < tickEnds, bottom || math.Abs(r.Y0-b.Y1) < tickEnds
		}
	}
	others := 0
	for _, v := range up {
		others += count(v.Y0 < b.Y1 && v.Y1 > b.Y0 && v.X1 > b.X0-b.Width()/2 && v.X0 < b.X1+b.Width()/2)
	}
	return top && bottom && others == 2 && !slices.ContainsFunc(p.Fills, func(f content.Fill) bool {
		return f.Alpha > .05 && f.Color != 0xffffff && !f.Box.Intersect(*b).Empty() && f.Box.Area() < 4*b.Area()
	})
}

// tick puts the sign of a check box into the line that has a text beside it. If there is none, it
// may fill a cell in a row with a text.
func (p *Page) tick(b *content.Box, sign string, cell bool) {
	line, at, near, row := -1, 0, math.Inf(1), -1
	for i := range p.Lines {
		l := &p.Lines[i]
		if mid := (b.Y0 + b.Y1) / 2; l.Turn != 0 || l.RTL || mid < l.Y-l.Size || mid > l.Y+.3*l.Size {
			continue
		}
		row = i
		for k := range l.Words {
			w := &l.Words[k]
			if strings.Contains(ballots, w.Text) && math.Abs(w.X0-b.X0) < 2*b.Width() {
				return // the sign of a field
			}
			if x := (w.Box.X0 + w.Box.X1) / 2; x > b.X0 && x < b.X1 {
				w.check(sign)
				return
			}
			if gap := w.X0 - b.X1; gap > -1 && gap < tickText*l.Size && gap < near {
				line, at, near = i, k, gap
			}
			if gap := b.X0 - w.X1; line < 0 && k == len(l.Words)-1 && gap > -1 && gap < .5*tickText*l.Size {
				line, at = i, k+1
			}
		}
	}
	if line < 0 && cell {
		line, at = row, -1
	}
	if line < 0 {
		return
	}
	l := &p.Lines[line]
	of := l.Words[max(0, min(at, len(l.Words)-1))]
	w := Word{Text: sign, Box: *b, X0: b.X0, X1: b.X1, Y: l.Y, Size: l.Size, Font: of.Font, Color: of.Color, MCID: of.MCID, Seq: of.Seq}
	if at < 0 {
		p.Lines = append(p.Lines, measured([]Word{w}, 0))
		return
	}
	l.Words = sorting.Insert(l.Words, at, w)
	l.Box = l.Box.Union(*b)
}

// check changes a word within a check box to the sign of the box, if it is a tick or the edge of
// a cell that was read as a line to write on.
func (w *Word) check(sign string) {
	switch {
	case strings.HasPrefix(w.Text, "_"):
		w.Text = sign
	case utf8.RuneCountInString(w.Text) == 1 && strings.Contains("XxV✓✔✗✘✕×", w.Text):
		w.Text = "☒"
	}
}
