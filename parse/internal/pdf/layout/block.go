// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"iter"
	"strings"

	"example.com/curlew/parse/internal/pdf/content"
)

// Kind says what a block is.
type Kind uint8

// Kinds of blocks.
const (
	Paragraph Kind = iota
	Heading
	Item // of a list
	TableBlock
	Code
	Caption
	Footnote
	Contents // a line of a table of contents
	Running  // header or footer that the pages repeat
	PageNumber
	Figure
)

// Block is a piece of a page in reading order.
type Block struct {
	Kind  Kind
	Page  int // from 1, where it begins
	Box   content.Box
	Lines []Line
	Level int // of headings from 1; of items the depth from 0

	Marker string // of items and footnotes, as printed
	Table  *Table
	Image  *content.Image
	Alt    string // of figures: what the document says they show
	Tagged bool   // the structure tree says what it is

	Conf float64 // 0 to 1: share of the evidence that spoke for Kind

	// Parts are the places where the block goes on, on later pages: in Lines,
	// the index of the first line of that page.
	Parts []Part

	label  bool    // stands in a picture, beside running text
	lead   float64 // distance of its baselines
	joined bool    // Lines are its own: they may grow
}

// Part is the beginning of a block's continuation on another page.
type Part struct {
	Page int
	Line int // index in Lines
	Box  content.Box
}

// PartBox returns the box of the block on a page.
func (b *Block) PartBox(page int) content.Box {
	for _, p := range b.Parts {
		if p.Page == page {
			return p.Box
		}
	}
	return b.Box
}

// Text returns the lines joined: hyphens at line ends stay.
func (b *Block) Text() string {
	var s strings.Builder
	for i := range b.Lines {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(b.Lines[i].Text())
	}
	return s.String()
}

// Size returns the size of most of the block's lines.
func (b *Block) Size() float64 {
	if len(b.Lines) == 0 {
		return 0
	}
	best, n := 0.0, 0
	counts := map[float64]int{}
	for i := range b.Lines {
		l := &b.Lines[i]
		counts[l.Size] += l.count()
		if counts[l.Size] > n {
			best, n = l.Size, counts[l.Size]
		}
	}
	return best
}

// bold says whether the letters of the line are bold; a few may be of another
// font, such as the symbols of a formula in a heading.
func (l *Line) bold() bool {
	if l.settled != nil {
		return l.settled.bold
	}
	if n := len(l.Words); n > 1 && !l.Words[0].Bold() && !l.Words[n-1].Bold() {
		return false // as most are
	}
	bold, plain := 0, 0
	for i := range l.Words {
		switch w := &l.Words[i]; {
		case w.Bold():
			bold += len(w.Text)
		case hasAlnum(w.Text):
			plain += len(w.Text)
		}
	}
	return plain*6 <= bold
}

// fixed says whether the line is set in a font of one width. The number of a
// line of code may be set otherwise. The font of a recognised scan says nothing.
func (l *Line) fixed() bool {
	if l.settled != nil {
		return l.settled.fixed
	}
	for i := range l.Words {
		w := &l.Words[i]
		if (w.Font == nil || !w.Font.Fixed || w.Flags&content.Invisible != 0) && (i > 0 || len(l.Words) == 1 || !isDigits(w.Text)) {
			return false
		}
	}
	return true
}

// Pages returns the lines of the block with the page that they stand on, from
// 1: those of a table cell by cell, in the order of rows.
func (b *Block) Pages() iter.Seq2[int, []Line] {
	return func(yield func(int, []Line) bool) {
		if b.Table != nil {
			b.Table.pages(b.Page, yield)
			return
		}
		page, from := b.Page, 0
		for _, p := range b.Parts {
			if !yield(page, b.Lines[from:p.Line]) {
				return
			}
			page, from = p.Page, p.Line
		}
		yield(page, b.Lines[from:])
	}
}

// pages is [Block.Pages] of a table that begins on page first.
func (t *Table) pages(first int, yield func(int, []Line) bool) {
	for r, row := range t.Rows {
		page := first
		if r < len(t.Pages) && t.Pages[r] > 0 {
			page = t.Pages[r]
		}
		for i := range row {
			lines, next := row[i].Lines, row[i].Next
			if next == 0 {
				next = len(lines)
			}
			if !yield(page, lines[:next]) || next < len(lines) && !yield(page+1, lines[next:]) {
				return
			}
		}
	}
}
