// SPDX-License-Identifier: Apache-2.0

package sheet

import (
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// Header adds the header that the sheet has when it is printed. code is its text
// with the codes of Excel (ECMA-376 part 1, 18.3.1.46). Headers with the same text
// are kept once.
func (s *Sheet) Header(code string) { s.running(atom.Header, code) }

// Footer adds the footer that the sheet has when it is printed, like Header.
func (s *Sheet) Footer(code string) { s.running(atom.Footer, code) }

// maxMargin is the maximum number of bytes of a header or footer. Excel allows 255
// characters.
const maxMargin = 4096

func (s *Sheet) running(tag atom.Atom, code string) {
	texts := printed(code[:min(len(code), maxMargin)])
	if len(texts) == 0 || !s.book.Room() {
		return
	}
	n := s.margins.Begin(&s.book.B, tag)
	for _, text := range texts {
		s.book.B.Text(s.book.B.Append(n, atom.P), doctree.Clean(text))
	}
	s.margins.Add(n)
}

// printed returns the texts at the left, in the middle and at the right of a header.
// It drops codes for fonts and fields such as the page number. A text with a page
// number and at most two other words, such as "Page 1 of 9", is dropped completely.
func printed(code string) (texts []string) {
	const aroundNumber = 2 // words, as in "Page 1 of 9"
	var b strings.Builder
	numbered := false
	end := func() {
		words := strings.Fields(b.String())
		if text := strings.Join(words, " "); strings.ContainsFunc(text, isWordRune) && (!numbered || len(words) > aroundNumber) {
			texts = append(texts, text)
		}
		b.Reset()
		numbered = false
	}
	for i := 0; i < len(code); i++ {
		if code[i] != '&' || i+1 == len(code) {
			b.WriteByte(code[i])
			continue
		}
		i++
		switch c := code[i]; {
		case c == '&':
			b.WriteByte('&')
		case c == 'L' || c == 'C' || c == 'R':
			end()
		case c == 'P' || c == 'N':
			numbered = true
		case c == '"': // a font and its style
			n := strings.IndexByte(code[i+1:], '"')
			if n < 0 {
				return texts
			}
			i += n + 1
		case c == 'K': // a colour: RRGGBB, or a number with a shade
			for range 6 {
				if i+1 < len(code) && code[i+1] != '&' {
					i++
				}
			}
		case '0' <= c && c <= '9': // a size
			for i+1 < len(code) && '0' <= code[i+1] && code[i+1] <= '9' {
				i++
			}
		}
	}
	end()
	return texts
}

// isWordRune reports whether r is more than punctuation that joins fields.
func isWordRune(r rune) bool {
	return r >= 0x80 || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}
