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
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
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

	points []int32   // the memory of coverage
	room   []stretch // the same

	Glyphs   int     // number of glyphs that show text
	Garbled  int     // number of those glyphs without a readable character
	Hidden   int     // number of glyphs that the guard dropped
	Ended    int     // number of texts whose end is outside of their clip path
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
	b := bearingsOf(c.Glyphs)
	b.upright(c)
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
	tilted := 4*b.tilted > len(c.Glyphs) // as if the page had been scanned at an angle
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
		ws := words(ctx, arranged(glyphs, frame(f)), frame(f), upright, left)
		p.Ended += ended(ws, frame(f))
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
	p.ticks(c.Dots)
	p.detach()
	p.unnumber()
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

// ended counts the words of which the clip path cuts off a part, and after which the text of
// the next cell begins. It does so in upright text only.
func ended(ws []Word, f frame) (n int) {
	const least = .05 // em; some programs clip each text to its own box, with some error
	for i := 0; f == 0 && i < len(ws); i++ {
		n += count(ws[i].Cut && ws[i].X1-ws[i].Box.X1 > least*ws[i].Size)
	}
	return n
}

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

// runs reports whether a block has lines of running text and not labels, of which a few may
// be long.
func (b *Block) runs() bool {
	n := 0
	for i := range b.Lines {
		n += count(len(b.Lines[i].Words) >= 8)
	}
	return n > 0 && n*8 >= len(b.Lines)
}

// Bounds on islands: the share of a page that they take, the white space around them in
// points, how deep they are nested, and the number of words from which on a line beside
// one is running text.
const (
	leastIsland  = .012
	mostIsland   = .6
	aroundIsland = 6
	maxNested    = 3
	proseBeside  = 8
)

// read finds the blocks of a page in reading order. The text of a box that other text
// stands beside, such as a side column with a background, is read by itself.
func (p *Page) read(depth int) []Block {
	var whole []Block
	var held [][]Block
	if depth < maxNested {
		whole, held = p.islands(depth)
	}
	entries := contents(p)
	blocks := blocksOf(p, slices.Concat(tables(p), entries, whole))
	for k := len(blocks) - 1; k >= 0 && len(held) > 0; k-- {
		if blocks[k].Kind == island {
			blocks = slices.Replace(blocks, k, k+1, held[blocks[k].Level]...)
		}
	}
	return blocks
}

// islands finds the boxes of a page that hold text of their own, and takes that text from
// the lines of the page. A box is a frame or a background that no other line touches, and
// other text stands beside it, but not as the rest of its rows. whole has one block for each
// box, which takes part in the reading order of the page, and held has the blocks inside of each.
// If boxes of one size were painted row by row, such as the slides of a handout, they share one
// block for each row.
func (p *Page) islands(depth int) (whole []Block, held [][]Block) {
	hs, vs := p.edges()
	if len(hs) < 2 || len(vs) < 2 || len(p.Lines) > maxBetween {
		return nil, nil
	}
	var boxes []content.Box
	for _, g := range grids(hs, vs) {
		xs, ys := places(g.vs), places(g.hs)
		if len(xs) != 2 || len(ys) != 2 || len(boxes) == maxPictures {
			continue
		}
		b := content.Box{X0: xs[0], Y0: ys[0], X1: xs[1], Y1: ys[1]}
		if share := b.Area() / (p.Width * p.Height); share > leastIsland && share < mostIsland && b.Width() < .85*p.Width {
			boxes = append(boxes, b)
		}
	}
	sorting.Stable(boxes, func(a, b content.Box) int { return compare(b.Area(), a.Area()) })
	taken := make([]bool, len(p.Lines))
	var alone []Block
	for _, b := range boxes {
		in := Block{Kind: island, Page: p.Number, Box: b}
		for _, i := range p.isolated(b, boxes) {
			if !taken[i] { // otherwise the box is within another one, and is found there
				in.Lines, taken[i] = append(in.Lines, p.Lines[i]), true
			}
		}
		if len(in.Lines) > 0 {
			alone = append(alone, in)
		}
	}
	if len(alone) == 0 {
		return nil, nil
	}
	p.take(taken)
	sorting.Stable(alone, func(a, b Block) int { return cmp.Compare(seqOf(&a), seqOf(&b)) })
	for i := range alone {
		in := &alone[i]
		sub := *p
		sub.Lines = in.Lines
		if n := len(whole) - 1; n < 0 || !besideBox(&alone[i-1].Box, &in.Box) {
			in.Level = len(held)
			whole, held = append(whole, *in), append(held, sub.read(depth+1))
		} else {
			whole[n].Box = whole[n].Box.Union(in.Box)
			held[n] = append(held[n], sub.read(depth+1)...)
		}
	}
	return whole, held
}

// besideBox reports whether the box o stands at the right of b and is as large.
func besideBox(b, o *content.Box) bool {
	return math.Abs(b.Y0-o.Y0) < snap && math.Abs(b.Height()-o.Height()) < snap && math.Abs(b.Width()-o.Width()) < snap && b.X1 < o.X0
}

// within reports whether the middle of a line is in a box.
func (l *Line) within(b content.Box) bool {
	x, y := l.Box.X0+l.Box.X1, l.Box.Y0+l.Box.Y1
	return x > 2*b.X0 && x < 2*b.X1 && y > 2*b.Y0 && y < 2*b.Y1
}

// isolated returns the lines of a box that is an island among boxes. It returns none if the box is
// none: if another box is near, a line crosses its border, it has less than two rows of text or
// only a part of its height, nothing stands beside it, or most of its rows go on beside it.
func (p *Page) isolated(b content.Box, boxes []content.Box) []int {
	near := content.Box{X0: b.X0 - aroundIsland, Y0: b.Y0 - aroundIsland, X1: b.X1 + aroundIsland, Y1: b.Y1 + aroundIsland}
	for _, o := range boxes {
		if in := near.Intersect(o); !in.Empty() && in != o && in != near {
			return nil
		}
	}
	var idx, free []int
	beside := false
	for i := range p.Lines {
		l := &p.Lines[i]
		mid := (l.Box.Y0 + l.Box.Y1) / 2
		switch {
		case l.within(b):
			if l.Box.X0 < b.X0-2 || l.Box.X1 > b.X1+2 {
				return nil
			}
			idx = append(idx, i)
		case mid > b.Y0 && mid < b.Y1 && l.Box.X0 < b.X1 && l.Box.X1 > b.X0:
			return nil
		case mid > b.Y0 && mid < b.Y1:
			beside = true
			if len(l.Words) < proseBeside && !slices.ContainsFunc(boxes, l.within) {
				free = append(free, i)
			}
		}
	}
	if !beside || len(idx) == 0 {
		return nil
	}
	rows, aligned := rowsIn(p, idx), 0
	for _, r := range rows {
		l := &p.Lines[r.lines[0]]
		aligned += count(slices.ContainsFunc(free, func(i int) bool { return math.Abs(p.Lines[i].Y-l.Y) < .2*l.Size }))
	}
	if len(rows) < 2 || b.Height() < 5*rows[0].size || aligned*2 > len(rows) {
		return nil
	}
	return idx
}
