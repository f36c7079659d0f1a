// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// builder makes blocks from the pieces of a structure tree and the words of
// the pages.
type builder struct {
	sheets map[int]*sheet  // by page number
	room   []Word          // space for the words of a line that is built; empty between two calls
	shown  map[*Block]bool // blocks of the layout that are in the result

	replaced map[int]int // by page number: how many words fewer the blocks have because of replacement texts and repeated headings
}

// size counts the words of texts.
func (b *builder) size(texts []text) int {
	n := 0
	for _, x := range texts {
		for _, m := range x.marks {
			if sh := b.sheets[m.page]; sh != nil {
				n += len(sh.words[m.mcid])
			}
		}
	}
	return n
}

// blocks makes the blocks of a piece. It makes one, except for text that the
// tree does not divide into paragraphs.
func (b *builder) blocks(p *piece) []Block {
	var lines []placed
	switch {
	case p.kind == TableBlock && !b.grid(p):
		var out []Block
		for _, row := range p.rows {
			for _, c := range row.cells {
				out = append(out, loose(b.lines(c.texts))...)
			}
		}
		return out
	case p.kind == TableBlock:
		if out := b.drawn(p); out != nil {
			return out
		}
	case p.kind != Figure:
		lines = b.lines(p.texts)
		if p.loose || slices.ContainsFunc(lines, func(l placed) bool { return l.block != nil }) {
			return loose(lines)
		}
	}
	if block, ok := b.block(p, lines); ok {
		return []Block{block}
	}
	return nil
}

// block makes one block of a piece with lines. It returns false if a page with reliable tags shows
// nothing of it.
func (b *builder) block(p *piece, lines []placed) (Block, bool) {
	switch p.kind {
	case TableBlock:
		return b.table(p)
	case Figure:
		return b.figure(p)
	}
	out := Block{Kind: p.kind, Level: p.level, Conf: 1, Tagged: true}
	if p.kind == Paragraph {
		out.Conf = 0
	}
	for _, l := range lines {
		switch n := len(out.Parts); {
		case len(out.Lines) == 0:
			out.Page, out.Box = l.page, l.line.Box
		case l.page != out.lastPage():
			out.Parts = append(out.Parts, Part{Page: l.page, Line: len(out.Lines), Box: l.line.Box})
		case n == 0:
			out.Box = out.Box.Union(l.line.Box)
		default:
			out.Parts[n-1].Box = out.Parts[n-1].Box.Union(l.line.Box)
		}
		out.Lines = append(out.Lines, l.line)
	}
	if len(out.Lines) == 0 {
		return out, false
	}
	switch p.kind {
	case Contents:
		out.Marker = entryMarker(&out)
	case Item:
		out.Marker, _ = marker(out.Lines[0].Text())
		if mark := strings.TrimSpace(p.label(b)); mark != "" && utf8.RuneCountInString(mark) <= 8 {
			out.Marker = mark
		}
	}
	return out, true
}

// loose makes blocks of text that the tree does not divide into paragraphs, and
// of text with blocks of the layout. The layout decides where paragraphs end. Smaller lines
// among the others are superscripts.
func loose(lines []placed) []Block {
	var out []Block
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && lines[n].page == lines[0].page && lines[n].block == nil {
			n++
		}
		if n > 0 {
			out = append(out, looseOn(lines[0].page, lines[:n])...)
		} else {
			out = append(out, *lines[0].block)
			n = 1
		}
		lines = lines[n:]
	}
	return out
}

func looseOn(page int, placed []placed) []Block {
	lines := make([]Line, len(placed))
	for i := range placed {
		lines[i] = placed[i].line
	}
	var es []element
	raised := make([]bool, len(lines))
	for i := range lines {
		small := i > 0 && lines[i].Size < .85*lines[i-1].Size || i+1 < len(lines) && lines[i].Size < .85*lines[i+1].Size
		if raised[i] = small && len(lines[i].Words) <= 3; !raised[i] {
			es = append(es, element{box: textBox(&lines[i]), size: lines[i].Size, line: i, whole: -1})
		}
	}
	out := group(page, es, lines, nil, nil)
	if len(out) == 0 {
		out = []Block{{Page: page, Box: lines[0].Box}}
	}
	at := 0
	for k := range out {
		b := &out[k]
		b.Tagged = true
		own := len(b.Lines)
		b.Lines = nil
		for at < len(lines) && (own > 0 || raised[at]) {
			if !raised[at] {
				own--
			}
			b.Lines = append(b.Lines, lines[at])
			b.Box = b.Box.Union(lines[at].Box)
			at++
		}
	}
	return out
}

// label returns the label of a list item as the page shows it.
func (p *piece) label(b *builder) string {
	var s strings.Builder
	for _, x := range p.texts[:p.labels] {
		for _, m := range x.marks {
			if sh := b.sheets[m.page]; sh != nil {
				for _, at := range sh.words[m.mcid] {
					s.WriteString(sh.lines[at.line].Words[at.word].Text)
				}
			}
		}
	}
	return s.String()
}

// figure makes a block of a figure with alternative text. Its place is that
// of the images with its marked-content IDs.
func (b *builder) figure(p *piece) (Block, bool) {
	out := Block{Kind: Figure, Alt: p.alt, Conf: 1, Tagged: true}
	for _, x := range p.texts {
		for _, m := range x.marks {
			sh := b.sheets[m.page]
			if sh == nil || out.Page != 0 && out.Page != m.page {
				continue
			}
			if len(sh.words[m.mcid]) > 0 {
				return out, false // the text is read as text
			}
			out.Page = m.page
			for i := range sh.page.Images {
				if im := &sh.page.Images[i]; im.MCID == m.mcid {
					out.Box = join2(out.Box, im.Box)
				}
			}
		}
	}
	// Images smaller than about two letters are decoration.
	return out, out.Page != 0 && (out.Box.Empty() || max(out.Box.Width(), out.Box.Height()) >= 16)
}

// join2 returns the union of two boxes. An empty box is ignored.
//
//go:noinline
func join2(a, b content.Box) content.Box {
	if a.Empty() {
		return b
	}
	return a.Union(b)
}
