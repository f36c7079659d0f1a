// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode/utf8"
)

// hint uses the structure tree for single blocks if the tree as a whole is
// not reliable (parse.md 5.6 e). A block that is exactly one element of the
// tree, and looks like the kind of that element, gets that kind. Order,
// paragraphs and tables still come from the layout. Headings of the tree are
// only used if headings is set.
func (s *sheet) hint(headings bool) {
	for i := range s.laid {
		b := &s.laid[i]
		if b.Kind != Paragraph || len(b.Lines) == 0 {
			continue
		}
		p := s.elementOf(b)
		if p == nil {
			continue
		}
		switch p.kind {
		case Heading:
			if text := b.Text(); headings && len(b.Lines) <= 4 && len(strings.Fields(text)) <= 24 && !startsLower(text) {
				b.Kind, b.Level, b.Conf, b.Tagged = Heading, p.level, .9, true
			}
		case Caption:
			if len(b.Lines) <= 8 {
				b.Kind, b.Conf, b.Tagged = Caption, .9, true
			}
		case Item:
			if mark, rest := marker(b.Lines[0].Text()); mark != "" && rest != "" {
				b.Kind, b.Marker, b.Level, b.Conf, b.Tagged = Item, mark, p.level, .9, true
			}
		}
	}
}

// elementOf returns the element of the tree whose text on the page equals
// the text of block b. It returns nil if b is only part of an element or has
// more text.
func (s *sheet) elementOf(b *Block) *piece {
	var p *piece
	shown, tagged := 0, 0 // numbers of characters
	for i := range b.Lines {
		for k := range b.Lines[i].Words {
			w := &b.Lines[i].Words[k]
			n := utf8.RuneCountInString(w.Text)
			shown += n
			q := s.piece[w.MCID]
			if w.MCID < 0 || q == nil {
				continue
			}
			if p == nil {
				p = q
			}
			if q == p {
				tagged += n
			}
		}
	}
	if p == nil || tagged*10 < shown*9 {
		return nil
	}
	named := 0
	for _, x := range p.texts {
		for _, m := range x.marks {
			if m.page != s.page.Number {
				continue
			}
			for _, at := range s.words[m.mcid] {
				named += utf8.RuneCountInString(s.lines[at.line].Words[at.word].Text)
			}
		}
	}
	if tagged*10 < named*9 {
		return nil
	}
	return p
}
