// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/parse/internal/pdf/content"
)

// Kind is the kind of a block.
type Kind uint8

// The kinds of blocks.
const (
	Paragraph Kind = iota
	Heading
	Item // list item
	TableBlock
	Code
	Caption
	Footnote
	Contents // an entry of a table of contents
	Running  // a running header or footer
	PageNumber
	Figure
	Formula // a formula on lines of its own

	island // stands for the blocks of a box while the blocks of a page are ordered
)

// Block is a unit of content on a page, such as a paragraph.
type Block struct {
	Kind  Kind
	Page  int // the page on which it begins, from 1
	Box   content.Box
	Lines []Line
	Level int // of headings from 1; of list items the nesting depth from 0

	Marker string // of list items and footnotes, as printed
	Table  *Table
	Image  *content.Image
	Alt    string // alternative text of a figure

	Formula *FormulaNode // of a formula whose structure is certain; otherwise nil
	Tagged  bool         // Kind comes from the structure tree

	Conf float64 // confidence of Kind, 0 to 1: the share of the evidence for it

	// Parts are the continuations of the block on later pages.
	Parts []Part

	label  bool    // the block is a label inside a picture, beside running text
	lead   float64 // distance between baselines, in points
	joined bool    // Lines is owned by this block, so it may be appended to
}

// Part is the start of a block's continuation on a later page.
type Part struct {
	Page int
	Line int // index in Block.Lines of the first line on Page
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

// Text returns the lines joined with spaces. Hyphens at line ends are kept.
func (b *Block) Text() string {
	if len(b.Lines) == 1 {
		return b.Lines[0].Text()
	}
	size := 0
	for i := range b.Lines {
		if l := &b.Lines[i]; l.settled != nil {
			size += len(l.settled.text) + 1
		}
	}
	var s strings.Builder
	s.Grow(size)
	for i := range b.Lines {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(b.Lines[i].Text())
	}
	return s.String()
}

// Size returns the font size of most of the block's text, in points.
//
//go:noinline
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

// bold reports whether the line is bold. A few letters may be in another
// font, such as the symbols of a formula in a heading.
func (l *Line) bold() bool {
	if l.settled != nil {
		return l.settled.bold
	}
	if n := len(l.Words); n > 1 && !l.Words[0].Bold() && !l.Words[n-1].Bold() {
		return false // the usual case, decided quickly
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

// fixed reports whether the line is set in a monospaced font. The first word
// may be a line number in another font. In the text layer of a scan the font
// carries no information.
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

// Pages returns the lines of the block grouped by the page that they stand
// on, counted from 1. The lines of a table come cell by cell in row order.
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

// pages implements [Block.Pages] for a table that begins on page first.
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

// join joins paragraphs that a column or page break separates. The first
// must end in a full line without the end of a sentence, and the second must
// begin with a lower-case letter. Running headers and footers between them
// are ignored.
func join(blocks []Block) []Block {
	out := blocks[:0]
	last := -1 // index in out of the previous paragraph
	for i := range blocks {
		b := blocks[i]
		switch b.Kind {
		case Paragraph, Item:
			if b.Kind == Paragraph && last >= 0 && goesOn(&out[last], &b) {
				extendBlock(&out[last], &b)
				continue
			}
			last = len(out)
		case Running, PageNumber, Figure, Footnote, Caption:
		default:
			last = -1
		}
		out = append(out, b)
	}
	return out
}

// extendBlock appends the lines of b, which stands in a later column or on a
// later page.
func extendBlock(a, b *Block) {
	if b.Page != a.lastPage() {
		a.Parts = append(a.Parts, Part{Page: b.Page, Line: len(a.Lines), Box: b.Box})
	} else if len(a.Parts) == 0 {
		a.Box = a.Box.Union(b.Box)
	} else {
		p := &a.Parts[len(a.Parts)-1]
		p.Box = p.Box.Union(b.Box)
	}
	for _, p := range b.Parts {
		p.Line += len(a.Lines)
		a.Parts = append(a.Parts, p)
	}
	if !a.joined { // until now the slice is shared with the page
		a.Lines, a.joined = slices.Clip(a.Lines), true
	}
	a.Lines = append(a.Lines, b.Lines...)
}

func (b *Block) lastPage() int {
	if n := len(b.Parts); n > 0 {
		return b.Parts[n-1].Page
	}
	return b.Page
}

// goesOn reports whether b continues the last sentence of a.
func goesOn(a, b *Block) bool {
	if len(a.Lines) == 0 || len(b.Lines) == 0 || b.Page > a.lastPage()+1 {
		return false
	}
	if n := len(a.Lines); n > 1 && a.Lines[n-2].Ends || b.Lines[0].Ends {
		return false // a list of short lines
	}
	p, l := &a.Lines[len(a.Lines)-1], &b.Lines[0]
	if p.Turn != 0 || l.Turn != 0 || math.Abs(p.Size-l.Size) > .12*max(p.Size, l.Size) || p.bold() != l.bold() || p.fixed() || l.fixed() {
		return false
	}
	if l.Y > p.Y && b.Page == a.lastPage() && l.Box.X0 < p.Box.X1 && l.Box.X1 > p.Box.X0 && l.Y-p.Y > 3*l.Size {
		return false // lower in the same column: there is something between
	}
	before, after := p.Text(), l.Text()
	if mark, _ := marker(after); mark != "" {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	if strings.HasSuffix(before, "-") && unicode.IsLetter([]rune(after)[0]) && len(before) > 2 {
		return startsLower(after)
	}
	if ends(before) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ',' && r != ')' && r != '”' && r != '"' && r != '’' {
		return false
	}
	if len(a.Lines) > 1 && p.Box.X1 < a.Box.X1-.3*a.Box.Width() && len(a.Parts) == 0 {
		return false // a short line ends a paragraph
	}
	return startsLower(after) && len(strings.Fields(before)) > 2
}
