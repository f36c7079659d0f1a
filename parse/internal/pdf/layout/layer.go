// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/font"
)

// The text layer of a scan lies under or over the picture of the page. Programs that
// recognize text give each line a font size of their own, which is often a whole number
// and depends on whether the line has letters with ascenders. The widths of its words
// are those of the picture, so that they show the size better.

// straighten turns the text layer of a page back that was scanned at a slight angle, by
// the slope of its lines. It moves text up and down only, by a few points.
func straighten(c *content.Page) {
	slope, ok := slopeOf(c.Glyphs)
	if !ok || math.Abs(slope) < leastSlope {
		return
	}
	for i := range c.Glyphs {
		g := &c.Glyphs[i]
		if g.Flags&content.Invisible == 0 {
			continue
		}
		shift := slope * (g.X - c.Width/2)
		g.Y -= shift
		g.Box.Y0, g.Box.Y1 = g.Box.Y0-shift, g.Box.Y1-shift
	}
}

// Bounds of the slopes of lines: below the least, lines hold together anyway, and above
// the most they are no lines. Lines shorter than leastRun points show no slope, and few
// of them may be slanted for another reason.
const (
	leastSlope = .001
	mostSlope  = .06
	leastRun   = 100
	fewestRuns = 4
)

// slopeOf returns the median slope of the lines of recognized glyphs in their order.
func slopeOf(glyphs []content.Glyph) (float64, bool) {
	var slopes []float64
	start, last := -1, -1 // the first and last glyph of a line
	add := func() {
		if start < 0 {
			return
		}
		a, b := &glyphs[start], &glyphs[last]
		if dx := b.X - a.X; dx > leastRun {
			slopes = append(slopes, (b.Y-a.Y)/dx)
		}
	}
	for i := range glyphs {
		g := &glyphs[i]
		if g.Flags&content.Invisible == 0 || g.Flags&content.Space != 0 || g.Text == "" {
			continue
		}
		if start >= 0 {
			l := &glyphs[last]
			if d := g.X - l.X; d >= 0 && d < 4*max(g.Size, 1)+l.Adv && math.Abs(g.Y-l.Y) < .3*g.Size+mostSlope*d {
				last = i
				continue
			}
		}
		add()
		start, last = i, i
	}
	add()
	if len(slopes) < fewestRuns {
		return 0, false
	}
	m := median(slopes)
	return m, math.Abs(m) < mostSlope
}

// evenLayer replaces the font sizes of recognized lines by those that the widths of
// their words show, and splits the horizontal ones again by these sizes. Sizes that
// differ only by errors of measurement become one.
func (p *Page) evenLayer(ctx context.Context) {
	var found []measuredLine
	for i := range p.Lines {
		if m, ok := p.Lines[i].measure(); ok {
			m.line = i
			found = append(found, m)
		}
	}
	sorting.Stable(found, func(a, b measuredLine) int { return compare(a.size, b.size) })
	scale := 1.0
	for k := range maxSizes {
		if len(found) == 0 {
			break
		}
		from, to, size := mostOf(found)
		if k == 0 {
			scale = p.scaleOf(found[from:to], size)
		}
		for _, m := range found[from:to] {
			p.Lines[m.line].resize(scale * size)
		}
		found = slices.Delete(found, from, to)
	}
	for _, m := range found {
		p.Lines[m.line].resize(scale * m.size)
	}
	p.misread()
	var ws []Word
	rest := p.Lines[:0:0]
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Turn != 0 {
			rest = append(rest, *l)
			continue
		}
		for _, w := range l.Words {
			w.Rise = 0
			ws = append(ws, w)
		}
	}
	p.Lines = append(lines(ctx, ws, 0, maxLines-len(rest)), rest...)
}

// misreadBullets are the characters as which bullets are often recognized.
const misreadBullets = "eo*°¢©®«»¤§·+=~"

// bulletGap is the smallest distance in font sizes between a bullet and its item. Spaces
// of words are narrower.
const bulletGap = .45

// misread turns single characters back to bullets that were recognized as letters. They
// stand below each other, apart from the text behind them, and few other lines begin at
// the same place.
func (p *Page) misread() {
	var starts []int // lines in the order of their left edges
	for i := range p.Lines {
		if p.Lines[i].Turn == 0 {
			starts = append(starts, i)
		}
	}
	sorting.Stable(starts, func(a, b int) int { return compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
	for from := 0; from < len(starts); {
		first := &p.Lines[starts[from]]
		to, signs := from, map[string]int{}
		for to < len(starts) && p.Lines[starts[to]].Box.X0 < first.Box.X0+.6*first.Size {
			if s := p.Lines[starts[to]].sign(); s != "" {
				signs[s]++
			}
			to++
		}
		for s, n := range signs {
			if n < 2 || 2*n < to-from {
				continue
			}
			for _, i := range starts[from:to] {
				if l := &p.Lines[i]; l.sign() == s {
					l.Words[0].Text = "•"
				}
			}
		}
		from = to
	}
}

// sign returns the first word of a recognized line if it may be a bullet.
func (l *Line) sign() string {
	w := &l.Words[0]
	if w.Flags&content.Invisible == 0 || utf8.RuneCountInString(w.Text) != 1 || !strings.Contains(misreadBullets, w.Text) {
		return ""
	}
	if len(l.Words) > 1 && l.Words[1].X0-w.X1 < bulletGap*l.Size {
		return ""
	}
	return w.Text
}

// usualPitch is the usual distance between the lines of a text, in font sizes.
const usualPitch = 1.2

// scaleOf returns the size of the font of a page divided by the size that the widths of its
// words show. Boxes of words end at their ink, and fonts of books are narrower than others. The distance between the lines shows it, unless it is too wide for that. The
// lines are those of the text, in one size.
func (p *Page) scaleOf(text []measuredLine, size float64) float64 {
	order := make([]*Line, len(text))
	for i, m := range text {
		order[i] = &p.Lines[m.line]
	}
	sorting.Stable(order, func(a, b *Line) int { return cmp.Compare(a.Words[0].Seq, b.Words[0].Seq) })
	var pitches []float64
	for i := 1; i < len(order); i++ {
		if d := order[i].Y - order[i-1].Y; d > size && d < 2*size {
			pitches = append(pitches, d)
		}
	}
	if len(pitches) < leastPitches {
		return usualScale
	}
	scale := median(pitches) / usualPitch / size
	if scale < leastScale || scale > mostScale {
		return usualScale
	}
	return scale
}

// Bounds of scaleOf.
const (
	leastPitches = 5
	usualScale   = 1.12
	leastScale   = .9
	mostScale    = 1.4
)

// measuredLine is a recognized line with the font size that its words show.
type measuredLine struct {
	line   int
	size   float64
	weight float64 // em of its words
}

// Bounds of evenLayer: the number of sizes that are formed, the shortest line that is
// measured, in em, and how far sizes of one font differ.
const (
	maxSizes      = 12
	leastMeasured = 1.2
	sizeError     = 1.12
)

// measure returns the font size of a recognized line. It returns false for other lines,
// and for lines that are too short.
func (l *Line) measure() (m measuredLine, ok bool) {
	width := 0.0
	for i := range l.Words {
		w := &l.Words[i]
		if w.Flags&content.Invisible == 0 {
			return m, false
		}
		if w.Rise != 0 {
			continue
		}
		for _, r := range w.Text {
			m.weight += font.UsualWidth(r)
		}
		width += w.X1 - w.X0
	}
	if m.weight < leastMeasured || width <= 0 {
		return m, false
	}
	m.size = width / m.weight
	return m, true
}

// mostOf returns the largest group of lines, sorted by size, whose sizes differ by errors
// of measurement only, and its size.
func mostOf(ms []measuredLine) (from, to int, size float64) {
	best, sum, lo := -1.0, 0.0, 0
	for hi := range ms { // the lines from lo to hi are within the error
		sum += ms[hi].weight
		for ms[hi].size > sizeError*ms[lo].size {
			sum -= ms[lo].weight
			lo++
		}
		if sum > best {
			best, from, to = sum, lo, hi+1
		}
	}
	total := 0.0
	for _, m := range ms[from:to] {
		size += m.weight * m.size
		total += m.weight
	}
	size /= total
	for from > 0 && ms[from-1].size*sizeError > size {
		from--
	}
	for to < len(ms) && ms[to].size < size*sizeError {
		to++
	}
	return from, to, size
}

// resize gives the line and its words a font size.
func (l *Line) resize(size float64) {
	for i := range l.Words {
		w := &l.Words[i]
		if w.Rise != 0 && l.Size > 0 {
			w.Size *= size / l.Size
			continue
		}
		w.Size = size
	}
	l.Size = size
}
