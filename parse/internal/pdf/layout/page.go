// SPDX-License-Identifier: Apache-2.0

// Package layout finds the structure of PDF pages. It turns glyphs and
// ruling lines into blocks such as paragraphs, headings and tables.
//
// It works in passes over plain values, which can be tested one by one. The
// passes over a page find words, lines, tables, the reading order and
// blocks. The passes over the document find running headers and footers,
// text sizes and headings, and join blocks across pages. Coordinates are in points, with
// the origin at the top left of the page and y pointing down.
package layout

import (
	"context"

	"example.com/curlew/parse/internal/pdf/content"
)

// Page is one page: first its words and lines, then the input of Build.
type Page struct {
	Number        int // from 1
	Width, Height float64
	Lines         []Line // lines outside tables, in no order
	Rules         []content.Rule
	Fills         []content.Fill
	Images        []content.Image
	Links         []content.Link
	Curves        int

	Places bool // keep Words in the lines of the blocks, with their places

	Cut bool // the page has more words, lines or images than are read

	coarse bool // short lines and small boxes of the page were dropped

	away  *packed // holds the lines while the page is packed
	seen  *survey // nil until first used
	drawn *grid   // the lines of Rules and Fills; nil until first used

	points []int32 // the memory of coverage

	Glyphs   int     // number of glyphs that show text
	Garbled  int     // number of those glyphs without a readable character
	Hidden   int     // number of glyphs that the guard dropped
	Covered  float64 // share of the page that images cover
	Unplaced int     // number of lines to write on that have no text beside them and were left out
	OCR      bool    // some text is invisible and lies over an image
}

// Options control how pages are read.
type Options struct {
	KeepHidden bool // keep text that people cannot see
}

// NewPage finds the words and lines of a page. If ctx ends, some are
// missing.
func NewPage(ctx context.Context, number int, c *content.Page, o Options) *Page {
	turn(c)
	straighten(c)
	p := &Page{
		Number: number, Width: c.Width, Height: c.Height,
		Rules: c.Rules, Fills: c.Fills, Images: c.Images, Links: c.Links, Curves: c.Curves,
	}
	g := newGuard(c, o)
	p.Covered = g.covered
	var groups [4][]*content.Glyph
	room := pointerSpace.get(len(c.Glyphs))
	defer pointerSpace.put(room)
	groups[0] = room[:0]
	var slanted []*content.Glyph
	tilted := isTilted(c)
	for i := range c.Glyphs {
		if i%stepsEvery == 0 && ctx.Err() != nil {
			return p
		}
		glyph := &c.Glyphs[i]
		if glyph.Text == "" && glyph.Flags&content.Space == 0 {
			continue
		}
		if g.hides(glyph) {
			if glyph.Flags&content.Space == 0 {
				p.Hidden++
			}
			continue
		}
		if glyph.Flags&content.Space == 0 {
			p.count(glyph)
		}
		if f, ok := direction(glyph); ok && (tilted || !tilts(glyph)) {
			groups[f] = append(groups[f], glyph)
		} else {
			slanted = append(slanted, glyph)
		}
	}
	left, upright := maxWords, wallsOf(c.Rules)
	for f, glyphs := range groups {
		if len(glyphs) == 0 || p.Cut {
			continue
		}
		ws := words(ctx, shown(inOrder(glyphs, frame(f)), frame(f)), frame(f), upright, left)
		if found := lines(ctx, ws, frame(f), maxLines-len(p.Lines)); p.Lines == nil {
			p.Lines = found
		} else {
			p.Lines = append(p.Lines, found...)
		}
		left -= len(ws)
		p.Cut = left < 0 || len(p.Lines) > maxLines
		wordSpace.put(ws)
	}
	if !p.Cut {
		p.Lines = append(p.Lines, slantedLines(ctx, slanted)...)
	}
	if p.OCR {
		p.evenLayer(ctx)
	}
	p.blanks()
	p.strike()
	p.bullets(c.Dots)
	p.detach()
	if len(p.Lines) > maxLines {
		p.Lines, p.Cut = p.Lines[:maxLines:maxLines], true
	}
	return p
}

// Bounds on the content of a page. The densest pages of the development
// corpora have 2,717 words and 651 lines.
const (
	maxWords = 200_000
	maxLines = 30_000
)

// stepsEvery is the number of glyphs that are handled between two checks of
// ctx.
const stepsEvery = 4096

func (p *Page) count(g *content.Glyph) {
	p.Glyphs++
	for _, r := range g.Text {
		if r == 0xfffd || r >= 0xe000 && r < 0xf000 || r < 0x20 {
			p.Garbled++
			break
		}
	}
	if g.Flags&content.Invisible != 0 {
		p.OCR = true
	}
}

// take removes the lines whose index is set in taken.
func (p *Page) take(taken []bool) {
	rest := p.Lines[:0:0]
	for i := range p.Lines {
		if !taken[i] {
			rest = append(rest, p.Lines[i])
		}
	}
	p.Lines = rest
}

// maxPictures bounds the pictures of a page that are examined. Pages drawn
// from many boxes are charts.
const maxPictures = 64

// pictured marks the blocks that stand inside a picture. A picture is an
// image or a large filled box without running text, on a page that has
// running text elsewhere. Bars behind titles and page backgrounds do not
// count.
func pictured(p *Page, blocks []Block) {
	pictures := picturesOf(p)
	if len(pictures) == 0 {
		return
	}
	within := func(in content.Box, b *Block) bool {
		x, y := (b.Box.X0+b.Box.X1)/2, (b.Box.Y0+b.Box.Y1)/2
		return x > in.X0 && x < in.X1 && y > in.Y0 && y < in.Y1
	}
	var running []*Block
	for i := range blocks {
		if blocks[i].runs() {
			running = append(running, &blocks[i])
		}
	}
	for _, box := range pictures {
		inside := 0
		for _, b := range running {
			if within(box, b) {
				inside++
			}
		}
		if inside > 0 || len(running) == 0 {
			continue
		}
		for i := range blocks {
			if b := &blocks[i]; within(box, b) && box.Height() > 4*b.Size() {
				b.label = true
			}
		}
	}
}

// smallest is the minimum area of a picture as a share of the page.
const smallest = .02

// picturesOf returns the boxes of the pictures on a page.
func picturesOf(p *Page) []content.Box {
	var out []content.Box
	area := p.Width * p.Height
	add := func(b content.Box) {
		if share := b.Area() / area; share > smallest && share < .6 && b.Width() < .85*p.Width && len(out) < maxPictures {
			out = append(out, b)
		}
	}
	for i := range p.Images {
		add(p.Images[i].Box)
	}
	for i := range p.Fills {
		if f := &p.Fills[i]; f.Alpha > .05 && f.Color != 0xffffff {
			add(f.Box)
		}
	}
	return out
}

// runs reports whether a block has a line of running text.
func (b *Block) runs() bool {
	for i := range b.Lines {
		if len(b.Lines[i].Words) >= 8 {
			return true
		}
	}
	return false
}
