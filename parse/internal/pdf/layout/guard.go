// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"

	"example.com/curlew/parse/internal/pdf/content"
)

// guard finds glyphs that people cannot see. Language models read them all the same, so
// they can hide instructions.
type guard struct {
	page    *content.Page
	keep    bool
	covered float64 // share of the page that images cover
	crop    content.Box
	fills   []content.Fill  // opaque and large enough to hide text
	images  []content.Image // except page backgrounds and masks
	scan    bool            // an image covers most of the page
	scale   float64         // number of strips per point
	strips  [strips][]int32 // indexes, below maxCovers, of the fills that touch each horizontal strip of the page
	last    seenPair
}

// strips is the number of horizontal strips in which the fills of a page are
// found, so that a glyph is compared only with those near it.
const strips = 64

// seenPair is the contrast of two colours that was computed last. Most glyphs
// of a page have the same colours.
type seenPair struct {
	a, b     content.Color
	contrast float64 // 0 before the first
}

func newGuard(c *content.Page, o Options) *guard {
	g := &guard{page: c, keep: o.KeepHidden, crop: content.Box{X0: -1, Y0: -1, X1: c.Width + 1, Y1: c.Height + 1}, scale: strips / max(1, c.Height)}
	area := max(1, c.Width*c.Height)
	for _, im := range c.Images {
		share := im.Box.Area() / area
		g.covered += share
		if share > .6 {
			g.scan = true
		} else if !im.Mask && len(g.images) < maxCovers {
			g.images = append(g.images, im)
		}
	}
	g.covered = min(1, g.covered)
	for _, f := range c.Fills {
		if f.Alpha > .9 {
			g.fills = append(g.fills, f)
		}
	}
	if len(g.fills) > maxCovers {
		g.fills = nil
	}
	for i := range g.fills {
		for s := g.strip(g.fills[i].Box.Y0); s <= g.strip(g.fills[i].Box.Y1); s++ {
			g.strips[s] = append(g.strips[s], int32(i))
		}
	}
	return g
}

// strip returns the index of the strip that contains y.
func (g *guard) strip(y float64) int {
	switch at := y * g.scale; {
	case !(at > 0):
		return 0
	case at > strips-1:
		return strips - 1
	default:
		return int(at)
	}
}

// maxCovers bounds the images that are checked for one glyph. If a page has
// more fills than that, none are checked: pages with hundreds of thousands of
// boxes are charts.
const maxCovers = 4096

// hides reports whether a glyph must be dropped.
func (g *guard) hides(t *content.Glyph) bool {
	if t.Box.X1 < g.crop.X0 || t.Box.X0 > g.crop.X1 || t.Box.Y1 < g.crop.Y0 || t.Box.Y0 > g.crop.Y1 {
		return true // text outside the page is never kept
	}
	if g.keep {
		return false
	}
	if t.Flags&(content.Off|content.Clipped) != 0 || t.Size < 1 && t.Adv < 1 && t.Flags&content.Space == 0 {
		return true
	}
	if t.X < g.crop.X0 || t.X > g.crop.X1 || t.Y < g.crop.Y0 || t.Y > g.crop.Y1+t.Size {
		return true
	}
	if t.Flags&content.Invisible != 0 {
		return !g.onImage(t)
	}
	return g.unseen(t)
}

// onImage reports whether an invisible glyph lies on an image. It then
// belongs to the text layer of a scan.
func (g *guard) onImage(t *content.Glyph) bool {
	if g.scan || g.covered > .5 {
		return true
	}
	for _, im := range g.page.Images[:min(len(g.page.Images), maxCovers)] {
		if im.Box.Intersect(t.Box).Area() > .5*t.Box.Area() {
			return true
		}
	}
	return false
}

// unseen reports whether a glyph has the colour of its background or lies
// under something that was painted later.
func (g *guard) unseen(t *content.Glyph) bool {
	under := content.Color(0xffffff)
	cx, cy := (t.Box.X0+t.Box.X1)/2, (t.Box.Y0+t.Box.Y1)/2
	for _, i := range g.strips[g.strip(cy)] {
		f := &g.fills[i]
		if cx < f.Box.X0 || cx > f.Box.X1 || cy < f.Box.Y0 || cy > f.Box.Y1 {
			continue
		}
		if f.Seq < t.Seq {
			under = f.Color
		} else if f.Box.Intersect(t.Box).Area() >= .9*t.Box.Area() && t.Box.Area() > 0 {
			return true
		}
	}
	for i := range g.images {
		im := &g.images[i]
		if cx < im.Box.X0 || cx > im.Box.X1 || cy < im.Box.Y0 || cy > im.Box.Y1 {
			continue
		}
		if im.Seq < t.Seq {
			return false // on a picture any colour may be visible
		}
		if im.Box.Intersect(t.Box).Area() >= .9*t.Box.Area() && t.Box.Area() > 0 {
			return true
		}
	}
	if g.scan {
		return false
	}
	return t.Flags&content.Field == 0 && g.contrast(t.Color, under) < 1.2 && g.page.Curves < 200
}

// contrast returns the contrast of two colours.
func (g *guard) contrast(a, b content.Color) float64 {
	if g.last.contrast == 0 || g.last.a != a || g.last.b != b {
		g.last = seenPair{a, b, contrast(a, b)}
	}
	return g.last.contrast
}

// contrast returns the contrast ratio of WCAG 2.1, from 1 for equal colours
// to 21.
func contrast(a, b content.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func luminance(c content.Color) float64 {
	lin := func(v content.Color) float64 {
		s := float64(v&0xff) / 255
		if s <= .03928 {
			return s / 12.92
		}
		return math.Pow((s+.055)/1.055, 2.4)
	}
	return .2126*lin(c>>16) + .7152*lin(c>>8) + .0722*lin(c)
}
