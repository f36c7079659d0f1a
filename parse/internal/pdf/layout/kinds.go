// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// code joins paragraphs in a monospaced font into code listings of at least
// two lines.
func code(blocks []Block) []Block {
	out := blocks[:0:0]
	for i := 0; i < len(blocks); {
		j := i
		lines := 0
		for j < len(blocks) && isCode(&blocks[j]) && (j == i || blocks[j].Page == blocks[j-1].Page && adjoin(&blocks[j-1], &blocks[j])) {
			lines += len(blocks[j].Lines)
			j++
		}
		if lines < 2 || j == i {
			out = append(out, blocks[i])
			i++
			continue
		}
		b := blocks[i]
		b.Kind, b.Conf, b.Marker = Code, 1, ""
		for _, o := range blocks[i+1 : j] {
			b.Lines = append(b.Lines, o.Lines...)
			b.Box = b.Box.Union(o.Box)
		}
		out = append(out, b)
		i = j
	}
	return out
}

func adjoin(a, b *Block) bool {
	d := b.Box.Y0 - a.Box.Y1
	return d > -2*b.Size() && d < 2*b.Size()
}

func isCode(b *Block) bool {
	if b.Kind != Paragraph && b.Kind != Item || len(b.Lines) == 0 {
		return false
	}
	for i := range b.Lines {
		if !b.Lines[i].fixed() || b.Lines[i].Turn != 0 || strings.ContainsFunc(b.Lines[i].Text(), isCJK) {
			return false // ideographs have one width in every font
		}
	}
	return true
}

// Listing returns the lines of a code block with their indents and columns.
func (b *Block) Listing() string {
	var s strings.Builder
	var tokens []token
	for i := range b.Lines {
		l := &b.Lines[i]
		if i > 0 {
			if math.Abs(l.Y-b.Lines[i-1].Y) > .4*l.Size {
				s.WriteByte('\n')
			} else {
				s.WriteByte(' ')
			}
		}
		width := .6 * l.Size
		col := 0
		tokens = l.tokens(tokens[:0], nil)
		for k, t := range tokens {
			if !t.glue || k == 0 {
				want := int(math.Round((t.x - b.Box.X0) / width))
				for least := 0; col < want && col < 400 || k > 0 && least < 1; least++ {
					s.WriteByte(' ')
					col++
				}
			}
			s.WriteString(t.text)
			col += utf8.RuneCountInString(t.text)
		}
	}
	return s.String()
}

// captions marks paragraphs that begin like captions and are short or stand
// beside a table or figure.
func captions(blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == Paragraph && captioned(b.Text()) && (len(b.Lines) <= 4 || beside(blocks, i)) {
			b.Kind, b.Conf = Caption, .8
		}
	}
}

func beside(blocks []Block, i int) bool {
	for _, k := range [...]int{i - 1, i + 1} {
		if k >= 0 && k < len(blocks) && (blocks[k].Kind == TableBlock || blocks[k].Kind == Figure) {
			return true
		}
	}
	return false
}

// footnotes marks small text at the foot of a page if it begins with a mark
// that a superscript on the page refers to.
func footnotes(blocks []Block, s *Styles) {
	refs := map[int]map[string]bool{} // by page number
	var tokens []token
	for i := range blocks {
		b := &blocks[i]
		for k := range b.Lines {
			tokens = b.Lines[k].tokens(tokens[:0], nil)
			for w, t := range tokens {
				if t.rise > 0 && w > 0 {
					if refs[b.Page] == nil {
						refs[b.Page] = map[string]bool{}
					}
					for part := range strings.SplitSeq(t.text, ",") {
						refs[b.Page][strings.TrimSpace(part)] = true
					}
				}
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != Paragraph && b.Kind != Item || len(b.Lines) == 0 || b.Size() > .95*s.Body {
			continue
		}
		tokens = b.Lines[0].tokens(tokens[:0], nil)
		mark := noteMark(tokens[0].text)
		if mark != "" && refs[b.Page][mark] && len(tokens) > 1 {
			b.Kind, b.Marker, b.Conf = Footnote, mark, .9
			b.Level = 0
		}
	}
}

// noteMark returns the footnote mark at the beginning of a word: a number of
// up to three digits, or a symbol.
func noteMark(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 0 && n <= 3 && (n == len(s) || !unicode.IsDigit(rune(s[n]))) {
		return s[:n]
	}
	for _, sym := range []string{"∗∗", "**", "*", "∗", "†", "‡", "§", "¶"} {
		if strings.HasPrefix(s, sym) {
			return sym
		}
	}
	return ""
}

// Some short texts look like headings by their size or weight, but name the
// journal, the publisher or the authors.

// imprints are the forms of lines that name a journal, a publisher or an
// address.
var imprints = regexp.MustCompile(`(?i)^(doi[: ]|https?://|www\.|©|\(c\) ?\d|copyright\b|downloaded from\b|issn\b|isbn\b|received:? \d|all rights reserved)|\bvol(\.|ume) ?\d+,? ?\(?(no|issue|nr|iss)\b|\b(e-?)?issn:? ?\d{4}|\bdoi:? ?10\.|^page \d+( of \d+)?$`)

// maxImprint is the length of a text in bytes above which it is not an
// imprint.
const maxImprint = 200

// isImprint reports whether a text names a journal, a publisher, an address
// or a page.
func isImprint(text string) bool {
	if len(text) > maxImprint || text == "" {
		return false
	}
	switch text[0] | 0x20 { // most texts begin with other letters, which is decided quickly
	case 'd', 'h', 'w', 'c', 'i', 'r', 'a', 'p', '(', "©"[0] | 0x20:
		return imprints.MatchString(text)
	}
	return hasDigits(text) && imprints.MatchString(text)
}

// byline reports whether b names authors: at least two names, one of them
// with initials or all of them with marks of footnotes.
func byline(b *Block) bool {
	if len(b.Lines) > 3 {
		return false
	}
	text := b.Text()
	if len(text) > maxImprint || !strings.ContainsAny(text, ",&;") && !strings.Contains(text, " and ") {
		return false
	}
	names, initials := 0, false
	for part := range strings.FieldsFuncSeq(strings.NewReplacer(" and ", ",", "&", ",", ";", ",").Replace(text), func(r rune) bool { return r == ',' }) {
		words := strings.Fields(part)
		if len(words) == 0 || isNumeric(part) {
			continue
		}
		proper := 0
		for _, w := range words {
			r, n := utf8.DecodeRuneInString(w)
			proper += count(unicode.IsUpper(r))
			initials = initials || unicode.IsUpper(r) && w[n:] == "."
		}
		if proper < len(words)-1 || proper < 2 || len(words) > 5 {
			return false
		}
		names++
	}
	return names > 1 && (initials || marks(b) >= names)
}

// marks counts the superscripts of b.
func marks(b *Block) int {
	n := 0
	var tokens []token
	for i := range b.Lines {
		tokens = b.Lines[i].tokens(tokens[:0], nil)
		for _, t := range tokens {
			n += count(t.rise > 0)
		}
	}
	return n
}
