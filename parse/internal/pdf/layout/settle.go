// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"encoding/binary"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
)

// settled replaces the words of a line after the blocks of its page are
// complete. It has the text of the line and what [Document.Runs] and
// [Block.Listing] need. It takes about 20 bytes per word in place of 130,
// including the line.
type settled struct {
	text  string // the result of Line.Text
	words string // one record for each word
	count int
	bold  bool // the result of Line.bold
	fixed bool // the result of Line.fixed
	faces faces
}

// token has the properties of a word that running text needs.
type token struct {
	text string
	gap  bool // there is a space before the word
	glue bool // see Word.Glue
	rise int8 // see Word.Rise
	face Face // see Word.face
	link int  // index in the links of its page, from 1; 0 for none
	x    float64
}

// Flags of a record, stored before the length of the word.
const (
	tokenGap = 1 << iota
	tokenGlue
	tokenRaised
	tokenLowered
	tokenLinked // the link index follows
	tokenPlaced // x follows, in eight bytes
	tokenFace   // 1 << 6, the first bit of the face
)

// settle replaces the words in the lines of b and of its cells by settled
// records. links returns the links of a page.
func (b *Block) settle(links func(page int) []content.Link) {
	for page, lines := range b.Pages() {
		for i := range lines {
			lines[i].settle(links(page), b.Kind == Code)
		}
	}
	if len(b.Lines) < cap(b.Lines) {
		b.Lines = slices.Clip(append([]Line(nil), b.Lines...)) // the slice was appended to or is part of the page's lines
	}
}

// settle replaces the words of a line by a settled record. If placed is set,
// the record has the left edge of each word.
func (l *Line) settle(links []content.Link, placed bool) {
	if l.settled != nil {
		return
	}
	s := &settled{count: len(l.Words), bold: l.bold(), fixed: l.fixed()}
	var rooms [2][256]byte
	text, b := rooms[0][:0], rooms[1][:0]
	for k := range l.Words {
		w := &l.Words[k]
		face := w.face()
		s.faces.word(w, face)
		marks := tokenFace * uint64(face)
		if k > 0 && spaced(&l.Words[k-1], w) {
			marks |= tokenGap
			text = append(text, ' ')
		}
		text = append(text, w.Text...)
		if w.Glue {
			marks |= tokenGlue
		}
		switch {
		case w.Rise > 0:
			marks |= tokenRaised
		case w.Rise < 0:
			marks |= tokenLowered
		}
		link := linkAt(w, links)
		if link > 0 {
			marks |= tokenLinked
		}
		if placed {
			marks |= tokenPlaced
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, marks), uint64(len(w.Text)))
		if link > 0 {
			b = binary.AppendUvarint(b, uint64(link))
		}
		if placed {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.X0))
		}
	}
	all := string(append(text, b...))
	s.text, s.words = all[:len(text)], all[len(text):]
	l.Words, l.settled = nil, s
}

// spaced reports whether there is a space between two neighbouring words of
// a line.
func spaced(a, b *Word) bool { return !b.Glue && needsSpace(a, b) }

// tokens appends the words of a line to out. links are the links of its
// page.
func (l *Line) tokens(out []token, links []content.Link) []token {
	if l.settled == nil {
		for k := range l.Words {
			w := &l.Words[k]
			out = append(out, token{w.Text, k > 0 && spaced(&l.Words[k-1], w), w.Glue, w.Rise, w.face(), linkAt(w, links), w.X0})
		}
		return out
	}
	u := unpacker{s: l.settled.words}
	text := l.settled.text
	for u.s != "" {
		marks := u.uint()
		t := token{gap: marks&tokenGap != 0, glue: marks&tokenGlue != 0, face: Face(marks / tokenFace)} //nolint:gosec // as it was written
		if t.gap {
			text = text[1:]
		}
		n := u.uint()
		t.text, text = text[:n], text[n:]
		switch {
		case marks&tokenRaised != 0:
			t.rise = 1
		case marks&tokenLowered != 0:
			t.rise = -1
		}
		if marks&tokenLinked != 0 {
			t.link = int(u.uint()) //nolint:gosec // a place in a list
		}
		if marks&tokenPlaced != 0 {
			t.x = u.float()
		}
		out = append(out, t)
	}
	return out
}

// count returns the number of words in the line.
func (l *Line) count() int {
	if l.settled != nil {
		return l.settled.count
	}
	return len(l.Words)
}
