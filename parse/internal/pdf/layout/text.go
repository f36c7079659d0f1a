// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"cmp"
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

//go:noinline
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

// maxEnds is the maximum number of blocks of a page on which endLines looks for lines that end
// on purpose, because it compares each block with all others.
const maxEnds = 2000

// endLines finds the lines of paragraphs that end on purpose, as in an address, a poem or an
// index. Such a line had room for the first word of the next line.
func endLines(blocks []Block, width float64) {
	if len(blocks) > maxEnds {
		return
	}
	right := 0.0
	for i := range blocks {
		right = max(right, blocks[i].Box.X1)
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph || b.label || len(b.Lines) < 2 || len(b.Parts) > 0 || b.Lines[0].Turn != 0 || b.Lines[0].settled != nil {
			continue
		}
		v := verse{lines: b.Lines, right: measure(blocks, i)}
		if len(b.Lines) > 2 && b.Box.X0 < .25*width && right < .65*width { // all lines of the page are short, so they could reach to its margin
			v.right = width - b.Box.X0
		}
		v.end()
	}
}

// span returns the start and the end of a line in the direction of its text.
func (l *Line) span() (start, end float64) {
	if l.RTL {
		return -l.Box.X1, -l.Box.X0
	}
	return l.Box.X0, l.Box.X1
}

// measure returns how far the lines of block i could reach: as far as the lines before
// and after it that begin at the same place, and not beyond what stands beside the block.
func measure(blocks []Block, i int) float64 {
	b := &blocks[i]
	start, own := math.Inf(1), math.Inf(-1)
	for k := range b.Lines {
		s, e := b.Lines[k].span()
		start, own = min(start, s), max(own, e)
	}
	right, beside := own, math.Inf(1)
	first := &b.Lines[0]
	for k := range blocks {
		o := &blocks[k]
		if from, _ := (&Line{Box: o.Box, RTL: first.RTL}).span(); k != i && from > own-first.Size && o.Box.Y0 < b.Box.Y1 && o.Box.Y1 > b.Box.Y0 {
			beside = min(beside, from-first.Size)
		}
		if k < i-maxNear || k > i+maxNear {
			continue
		}
		for n := range o.Lines {
			if l := &o.Lines[n]; l.settled == nil && l.RTL == first.RTL && l.Turn == 0 {
				if s, e := l.span(); math.Abs(s-start) < .6*first.Size {
					right = max(right, e)
				}
			}
		}
	}
	return max(own, min(right, beside))
}

// maxNear is the number of blocks before and after a block that show how wide its column is.
const maxNear = 8

// verse finds the lines of a paragraph that end on purpose.
type verse struct {
	lines []Line
	right float64 // how far the lines could reach
}

// fits reports whether there was room at the end of line i for the first word of the next
// line, if line i may reach as far as right.
func (v *verse) fits(i int, right float64) bool {
	l := &v.lines[i+1]
	n := 1
	width := l.least()
	for ; n < len(l.Words) && !spaced(&l.Words[n-1], &l.Words[n]); n++ {
		width += l.Words[n].Box.Width()
	}
	room := widestSpace + .5
	if r, _ := utf8.DecodeRuneInString(l.Words[0].Text); isCJK(r) {
		room, width = 3, l.Words[0].Size // marks must not begin a line
	}
	_, end := v.lines[i].span()
	return end+width+room*l.Size < right
}

// near returns the end of the longest line close to line i. Lines beside a picture are
// shorter than those below it, but not each of them ends on purpose.
func (v *verse) near(i int) (right float64) {
	right = math.Inf(-1)
	for k := max(0, i-2); k < min(len(v.lines), i+3); k++ {
		_, e := v.lines[k].span()
		right = max(right, e)
	}
	return right
}

// even reports whether the lines stand below each other as lines of text do, and not like the
// labels of a chart: at one distance, and at one edge, with an indent or around one centre.
func (v *verse) even() bool {
	least, most, words, left, centred := math.Inf(1), 0.0, 0, 0, 0
	start := math.Inf(1)
	for i := range v.lines {
		s, _ := v.lines[i].span()
		start = min(start, s)
	}
	first := &v.lines[0]
	middle := first.Box.X0 + first.Box.X1
	for i := range v.lines {
		l := &v.lines[i]
		s, _ := l.span()
		left += count(s < start+.3*l.Size || i > 0 && s < start+maxIndent*l.Size)
		centred += count(math.Abs(l.Box.X0+l.Box.X1-middle) < l.Size)
		words += count(hasLetters(l.Text()))
		if i > 0 {
			d := l.Y - v.lines[i-1].Y
			least, most = min(least, d), max(most, d)
		}
	}
	n := len(v.lines)
	return least > .5*first.Size && most < 1.1*least && 4*words >= 3*n && (left == n || centred == n)
}

// maxIndent is the largest indent of a line of verse, in font sizes.
const maxIndent = 4

// end marks the lines.
func (v *verse) end() {
	if !v.even() {
		return
	}
	var surely, likely, names, numbers, pages, words int
	breaks := len(v.lines) - 1
	for i := range v.lines {
		number, page := v.lines[i].endsInNumber()
		numbers += count(number)
		pages += count(page)
		if i == breaks {
			break
		}
		words += count(len(v.lines[i].Words) > 2)
		surely += count(v.fits(i, v.near(i)))
		s, e := v.lines[i].span()
		likely += count(v.fits(i, v.right) && e-s < .7*(v.right-s))
		names += count(v.lines[i+1].startsEntry())
	}
	all := likely == breaks || numbers > breaks && breaks > 1 || pages > breaks
	switch {
	case numbers > breaks && breaks > 1, pages > breaks: // as in an index
	case likely == breaks && (names == breaks || breaks > 2 && surely*4 >= breaks && words*4 >= breaks*3):
	case breaks > 2 && surely*5 >= breaks*3 && 2*(names+numbers) >= breaks:
	default:
		return
	}
	for i := range breaks {
		l := &v.lines[i]
		last, _ := utf8.DecodeLastRuneInString(l.Words[len(l.Words)-1].Text)
		number, _ := l.endsInNumber()
		l.Ends = !strings.ContainsRune("-/", last) && (all || v.fits(i, v.near(i)) ||
			last != ',' && v.lines[i+1].startsEntry() || number && 2*numbers > breaks)
	}
}

// startsEntry reports whether a line begins with a capital letter or a number.
func (l *Line) startsEntry() bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(l.Words[0].Text, "\"'“‘„«([+"))
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// endsInNumber reports whether a line ends in a number or has a leader, and whether it
// is like an entry of an index or of a price list: a comma or a leader comes before the number.
func (l *Line) endsInNumber() (number, page bool) {
	n := len(l.Words) - 1
	number = n > 0 && l.Words[n].Rise == 0 && isDigits(strings.Trim(l.Words[n].Text, "().,*–-"))
	leader := led(l.Text())
	return number || leader, leader || number && strings.HasSuffix(l.Words[n-1].Text, ",")
}

// compare is [cmp.Compare] for numbers. It is not inlined, because many functions sort by numbers
// and each copy makes the program larger.
//
//go:noinline
func compare(a, b float64) int { return cmp.Compare(a, b) }
