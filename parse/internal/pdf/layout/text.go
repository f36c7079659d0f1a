// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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

// clean replaces ligatures and Arabic presentation forms by plain letters.
// It removes control characters and invisible formatting characters.
func clean(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] < 0x20 || s[i] == 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 0xfb00 && r <= 0xfb06, r >= 0xfb50 && r <= 0xfdff, r >= 0xfe70 && r <= 0xfefc:
			b.WriteString(norm.NFKC.String(string(r)))
		case r == 0xa0:
			b.WriteByte(' ')
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0x200b, r >= 0xfff0 && r <= 0xfffb, r == 0x2028, r == 0x2029:
		case r == 0xf0b7, r == 0xf0a7, r == 0xf076, r == 0xf0d8, r == 0xf0a8: // bullets of Symbol and Wingdings
			b.WriteRune('•')
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if !norm.NFC.IsNormalString(out) && !strings.ContainsFunc(out, isCompatible) {
		out = norm.NFC.String(out)
	}
	return out
}

// isCompatible reports whether r is a compatibility ideograph, which Unicode
// normalisation would replace by another form.
func isCompatible(r rune) bool { return r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f }

// accents maps spacing accents to combining ones.
var accents = map[string]string{
	"¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
	"¯": "\u0304", "˚": "\u030a", "˘": "\u0306", "˝": "\u030b", "˙": "\u0307", "˛": "\u0328",
}

// accented combines an accent with the letter after it. It returns false if
// they do not combine.
func accented(accent, letter string) (string, bool) {
	if len(accent) == 1 && accent[0] != '`' { // no other single byte is an accent
		return "", false
	}
	mark, ok := accents[accent]
	r, size := utf8.DecodeRuneInString(letter)
	if !ok || size != len(letter) || !unicode.IsLetter(r) {
		return "", false
	}
	switch letter {
	case "ı":
		letter = "i"
	case "ȷ":
		letter = "j"
	}
	return norm.NFC.String(letter + mark), true
}

// isCJK reports whether r belongs to a script that is written without
// spaces.
func isCJK(r rune) bool {
	if r >= 0x3130 && r <= 0x318f { // Hangul uses spaces
		return false
	}
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xffef ||
		r >= 0x20000 && r <= 0x3ffff
}

func hasDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' }) >= 0
}

func hasLetters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0xc0 }) >= 0
}

// ends reports whether s ends a sentence.
func ends(s string) bool {
	s = strings.TrimRight(s, "\"'”’)]»")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？…", r)
}

// startsLower reports whether s begins with a lower-case letter, ignoring
// quotes and brackets.
func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "\"'“‘(["))
	return unicode.IsLower(r)
}
