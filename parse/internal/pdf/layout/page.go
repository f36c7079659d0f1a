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
	"strings"
	"unicode/utf8"

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

	points []int32 // the memory of coverage

	Glyphs  int     // number of glyphs that show text
	Garbled int     // number of those glyphs without a readable character
	Hidden  int     // number of glyphs that the guard dropped
	Covered float64 // share of the page that images cover
	OCR     bool    // some text is invisible and lies over an image
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

// Limits for a blank to write on that is drawn as a line, in em: its height above and below
// the baseline, its least width, and the distance to the text before it. Behind a colon the
// distance may be larger, because the blanks of a form have a column of their own.
const (
	blankHigh  = .08
	blankLow   = .4
	blankLeast = 2
	blankNear  = 1.5
	blankFar   = 12
	blankInk   = .3  // how far texts may reach over its ends
	blankAbove = 1.3 // the place for what is written on it
)

// maxBlanks bounds the lines of a page that may be blanks, and leastStroke, in points, their
// lengths.
const (
	maxBlanks   = 1000
	leastStroke = 8
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
		return cmp.Or(cmp.Compare(math.Round(4*p.Rules[a].Y0), math.Round(4*p.Rules[b].Y0)), cmp.Compare(p.Rules[a].X0, p.Rules[b].X0))
	})
	var out []writeLine
	for _, i := range idx {
		r := &p.Rules[i]
		if n := len(out) - 1; n >= 0 && math.Abs(out[n].at-r.Y0) < .5 && r.X0 < out[n].hi+1.2 {
			out[n].hi = max(out[n].hi, r.X1)
			out[n].rules = append(out[n].rules, i)
			continue
		}
		out = append(out, writeLine{lo: r.X0, hi: r.X1, at: r.Y0, rules: []int{i}})
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
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Turn == 0 && !l.RTL {
			byBase = append(byBase, i)
		}
	}
	sorting.Stable(byBase, func(a, b int) int { return cmp.Compare(p.Lines[a].Y, p.Lines[b].Y) })
	gone := make([]bool, len(p.Rules))
	found := false
	for i := range all {
		s := &all[i]
		if s.hi-s.lo < leastStroke {
			continue
		}
		var prev writeLine // on the same height
		if i > 0 && math.Abs(all[i-1].at-s.at) < 1 && all[i-1].hi < s.lo {
			prev = all[i-1]
		}
		l, k := p.label(s, byBase, prev.blank)
		framed := l != nil && !prev.blank && p.walled(&prev) // the lines around the name of a frame
		if s.blank = l != nil && !framed && !p.walled(s); !s.blank {
			continue
		}
		l.blank(s, k)
		for _, r := range s.rules {
			gone[r], found = true, true
		}
	}
	if !found {
		return
	}
	p.dropRules(gone)
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
func (p *Page) label(s *writeLine, byBase []int, follows bool) (label *Line, place int) {
	var before, after *Word
	k, _ := slices.BinarySearchFunc(byBase, s.at-maxAbove, func(i int, y float64) int { return cmp.Compare(p.Lines[i].Y, y) })
	for n := 0; k < len(byBase) && n < maxStrikes; k, n = k+1, n+1 {
		l := &p.Lines[byBase[k]]
		up := (s.at - l.Y) / l.Size
		if l.Y > s.at+maxAbove {
			break
		}
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
				after = w
			}
		}
	}
	if before == nil || s.hi-s.lo < blankLeast*label.Size {
		return nil, 0
	}
	gap := (s.lo - before.X1) / label.Size
	switch {
	case !hasAlnum(before.Text) && !follows && !strings.HasSuffix(before.Text, ":"): // such as a root
		return nil, 0
	case strings.HasSuffix(before.Text, ":") && gap < blankFar:
	case gap < blankNear && after != nil && after.X0-s.hi < blankNear*label.Size:
	case gap < blankNear && follows:
	default:
		return nil, 0
	}
	return label, place
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
	w := l.Words[k-1]
	w.Seq += utf8.RuneCountInString(w.Text) - 1
	w.Text = strings.Repeat("_", min(mostBlank, max(leastBlank, int(2*(s.hi-s.lo)/l.Size))))
	w.X0, w.X1, w.Box.X0, w.Box.X1, w.Glue, w.Rise = s.lo, s.hi, s.lo, s.hi, false, 0
	l.Words = sorting.Insert(l.Words, k, w)
	l.Box = l.Box.Union(w.Box)
}
