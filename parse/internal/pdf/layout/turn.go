// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// bearings are the directions in which the glyphs of a page run.
type bearings struct {
	counts    [4]int // of glyphs with a text, by frame
	tilted    int    // number of glyphs that are turned a little, see tilts
	invisible bool   // some glyphs may be recognized text
}

func bearingsOf(glyphs []content.Glyph) (b bearings) {
	for i := range glyphs {
		g := &glyphs[i]
		if f, ok := direction(g); ok && g.Text != "" {
			b.counts[f]++
		}
		if tilts(g) {
			b.tilted++
		}
		b.invisible = b.invisible || g.Flags&content.Invisible != 0
	}
	return b
}

// upright turns a page so that its lines run from left to right and are level.
func (b *bearings) upright(c *content.Page) {
	turn(c, b.counts)
	if b.invisible {
		straighten(c)
	}
}

// turn rotates a page so that most of its text runs from left to right.
func turn(c *content.Page, counts [4]int) {
	f := frame(0)
	for k, n := range counts {
		if n > counts[f] {
			f = frame(k)
		}
	}
	if f == 0 {
		return
	}
	w, h := c.Width, c.Height
	var dx, dy float64
	switch f {
	case 1:
		dy = w
		c.Width, c.Height = h, w
	case 2:
		dx, dy = w, h
	case 3:
		dx = h
		c.Width, c.Height = h, w
	}
	box := func(b content.Box) content.Box {
		b = f.box(b)
		return content.Box{X0: b.X0 + dx, Y0: b.Y0 + dy, X1: b.X1 + dx, Y1: b.Y1 + dy}
	}
	for i := range c.Glyphs {
		g := &c.Glyphs[i]
		g.Box = box(g.Box)
		g.X, g.Y = f.point(g.X, g.Y)
		g.X, g.Y = g.X+dx, g.Y+dy
		g.DX, g.DY = f.point(g.DX, g.DY)
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		b := box(content.Box{X0: r.X0, Y0: r.Y0, X1: r.X1, Y1: r.Y1})
		r.X0, r.Y0, r.X1, r.Y1 = b.X0, b.Y0, b.X1, b.Y1
	}
	for i := range c.Fills {
		c.Fills[i].Box = box(c.Fills[i].Box)
	}
	for i := range c.Dots {
		c.Dots[i].Box = box(c.Dots[i].Box)
	}
	for i := range c.Images {
		c.Images[i].Box = box(c.Images[i].Box)
	}
	for i := range c.Links {
		c.Links[i].Box = box(c.Links[i].Box)
	}
	for i := range c.Notes {
		c.Notes[i].Box = box(c.Notes[i].Box)
	}
}

// inOrder returns glyphs in an order from which words can be built. It is
// the order of painting. If right-to-left text was painted in reading order,
// all glyphs are sorted by row and from left to right instead.
func inOrder(glyphs []*content.Glyph, f frame) []*content.Glyph {
	back := 0
	for i, g := range glyphs {
		if i > 0 && hasRTL(g.Text) {
			u, v := f.point(g.X, g.Y)
			pu, pv := f.point(glyphs[i-1].X, glyphs[i-1].Y)
			if math.Abs(v-pv) < .1*g.Size && u < pu {
				back++
			}
		}
	}
	if back == 0 {
		return glyphs
	}
	out := slices.Clone(glyphs)
	type key struct{ row, u float64 }
	keys := make(map[*content.Glyph]key, len(out))
	for _, g := range out {
		u, v := f.point(g.X, g.Y)
		keys[g] = key{math.Round(v / max(1, .25*g.Size)), u}
	}
	sorting.Stable(out, func(a, b *content.Glyph) int {
		ka, kb := keys[a], keys[b]
		return cmp.Or(compare(ka.row, kb.row), compare(ka.u, kb.u))
	})
	return out
}

// arranged returns glyphs in an order from which words can be built, with correct brackets.
func arranged(glyphs []*content.Glyph, f frame) []*content.Glyph {
	for _, g := range glyphs {
		if hasRTL(g.Text) {
			return shown(inOrder(glyphs, f), f)
		}
	}
	return glyphs
}

// shown corrects brackets in right-to-left lines of glyphs that inOrder has
// sorted. Some producers name the character before mirroring, so that the
// closing bracket of a pair seems to come first.
func shown(glyphs []*content.Glyph, f frame) []*content.Glyph {
	right, wrong := 0, 0
	var odd []*content.Glyph // brackets of right-to-left rows, without pairs that are correct
	for i := 0; i < len(glyphs); {
		_, v := f.point(glyphs[i].X, glyphs[i].Y)
		from, pairs, crossed, rtl := len(odd), 0, 0, false
		open := false // the last bracket of odd is not paired yet
		for ; i < len(glyphs); i++ {
			g := glyphs[i]
			if _, y := f.point(g.X, g.Y); math.Abs(y-v) > .1*g.Size {
				break
			}
			rtl = rtl || hasRTL(g.Text)
			other := mirror(g.Text)
			switch {
			case len(g.Text) != 1 || other == g.Text:
			case !open || odd[len(odd)-1].Text != other:
				odd, open = append(odd, g), true
			case other < g.Text:
				odd, open = odd[:len(odd)-1], false
				pairs++
			default:
				odd, open = append(odd, g), false
				crossed++
			}
		}
		if !rtl {
			odd = odd[:from]
			continue
		}
		right, wrong = right+pairs, wrong+crossed
	}
	if wrong > right {
		for _, g := range odd {
			g.Text = mirror(g.Text)
		}
	}
	return glyphs
}

// slantedLines makes one line of each run of slanted text, such as
// watermarks.
func slantedLines(ctx context.Context, glyphs []*content.Glyph) []Line {
	var out []Line
	for i := 0; i < len(glyphs) && ctx.Err() == nil; {
		j := i + 1
		for j < len(glyphs) && math.Abs(glyphs[j].DX-glyphs[i].DX) < .01 && math.Abs(glyphs[j].DY-glyphs[i].DY) < .01 && across(glyphs[i], glyphs[j]) < .3*glyphs[i].Size {
			j++
		}
		flat := make([]*content.Glyph, 0, j-i)
		base := glyphs[i]
		for _, g := range glyphs[i:j] {
			c := *g
			dx, dy := g.X-base.X, g.Y-base.Y
			c.X, c.Y = base.X+dx*base.DX+dy*base.DY, base.Y
			flat = append(flat, &c)
		}
		ws := words(ctx, flat, 0, nil, len(flat))
		for k := range ws {
			ws[k].Flags |= content.Artifact
		}
		if len(ws) > 0 {
			l := newLine(slices.Clone(ws), 0)
			l.Turn = slant
			out = append(out, l)
		}
		i = j
	}
	return out
}

// slant is the frame of lines that are parallel to no axis.
const slant frame = 4

// across returns the distance of b's origin from a's baseline.
func across(a, b *content.Glyph) float64 {
	return math.Abs((b.X-a.X)*-a.DY + (b.Y-a.Y)*a.DX)
}
