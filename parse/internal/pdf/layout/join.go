// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
