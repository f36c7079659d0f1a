// SPDX-License-Identifier: Apache-2.0

// Package layout finds the structure of pages: glyphs, rules -> blocks.
//
// It works in passes over plain values, each of which can be tested alone:
// words, lines, tables, reading order, blocks on a page; running headers, text
// sizes, headings and joins over the document (parse.md 5.4 to 5.6).
// Coordinates are in points, origin at the top left of the page, y downwards.
package layout

import (
	"context"

	"example.com/curlew/parse/internal/pdf/content"
)

// Page is one page on its way from glyphs to blocks.
type Page struct {
	Number        int // from 1
	Width, Height float64
	Lines         []Line // that are no tables; in no order
	Rules         []content.Rule
	Fills         []content.Fill
	Images        []content.Image
	Links         []content.Link
	Curves        int

	Places bool // the lines of its blocks are to keep Words

	Cut bool // it has more words, lines or images than are read

	coarse bool // of its lines and boxes those that are small were dropped

	away  *packed // Lines, while they are put away
	seen  *survey // nil until it is asked for
	drawn *grid   // the lines of Rules and Fills; nil until they are asked for

	Glyphs  int     // that show text
	Garbled int     // of them, those without a readable character
	Hidden  int     // glyphs that the guard dropped
	Covered float64 // share of the page that images cover
	OCR     bool    // the text is an invisible layer over an image
}

// Options say how pages are read.
type Options struct {
	KeepHidden bool // keep what the guard drops
}

// NewPage finds the words and lines of a page. Where ctx ends some are missing.
func NewPage(ctx context.Context, number int, c *content.Page, o Options) *Page {
	turn(c)
	p := &Page{
		Number: number, Width: c.Width, Height: c.Height,
		Rules: c.Rules, Fills: c.Fills, Images: c.Images, Links: c.Links, Curves: c.Curves,
	}
	g := newGuard(c, o)
	p.Covered = g.covered
	var groups [4][]*content.Glyph
	groups[0] = make([]*content.Glyph, 0, len(c.Glyphs))
	var slanted []*content.Glyph
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
		if f, ok := direction(glyph); ok {
			groups[f] = append(groups[f], glyph)
		} else {
			slanted = append(slanted, glyph)
		}
	}
	left := maxWords
	for f, glyphs := range groups {
		if len(glyphs) == 0 || p.Cut {
			continue
		}
		ws := words(ctx, shown(inOrder(glyphs, frame(f)), frame(f)), frame(f), left)
		p.Lines = append(p.Lines, lines(ctx, ws, frame(f), maxLines-len(p.Lines))...)
		left -= len(ws)
		p.Cut = left < 0 || len(p.Lines) > maxLines
		wordSpace.put(ws)
	}
	if !p.Cut {
		p.Lines = append(p.Lines, slantedLines(ctx, slanted)...)
	}
	p.strike()
	p.bullets(c.Dots)
	if len(p.Lines) > maxLines {
		p.Lines, p.Cut = p.Lines[:maxLines:maxLines], true
	}
	return p
}

// Bounds of a page. The densest pages of the development corpora have 2,717 words
// and 651 lines.
const (
	maxWords = 200_000
	maxLines = 30_000
)

// stepsEvery is how many glyphs are gone through between two looks at ctx.
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

// take drops the lines that are taken, by place.
func (p *Page) take(taken []bool) {
	rest := p.Lines[:0:0]
	for i := range p.Lines {
		if !taken[i] {
			rest = append(rest, p.Lines[i])
		}
	}
	p.Lines = rest
}
