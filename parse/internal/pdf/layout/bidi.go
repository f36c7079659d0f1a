// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// reorder puts the words of a line with right-to-left text into reading
// order.
func (l *Line) reorder() {
	var all strings.Builder
	for i := range l.Words {
		all.WriteString(l.Words[i].Text)
	}
	l.RTL = mostlyRTL(all.String())
	if l.RTL && strings.ContainsFunc(all.String(), isArabic) {
		for i := range l.Words {
			text := l.Words[i].Text
			number := strings.TrimLeft(text, endSigns)
			l.Words[i].Text = text[:len(text)-len(number)] + arabicNumber(number)
		}
	}
	if l.RTL {
		flip(l.Words)
	}
	for i := 0; i < len(l.Words); { // reverse the runs of the other direction
		if hasRTL(l.Words[i].Text) == l.RTL || l.RTL && !l.latin(i) {
			if l.RTL {
				endLast(l.Words[i : i+1])
			}
			i++
			continue
		}
		j := i
		for j < len(l.Words) && hasRTL(l.Words[j].Text) != l.RTL {
			j++
		}
		flip(l.Words[i:j])
		if l.RTL {
			endLast(l.Words[i:j])
		}
		i = j
	}
	l.Words[0].Glue = false
}

// flip reverses words of a line. If a word follows the one before it without a space, then the
// word before follows it afterwards. Words that come from a line that was flipped before may
// already follow the word after them, so their places decide.
func flip(ws []Word) {
	touches := func(i int) bool {
		return i+1 < len(ws) && max(ws[i+1].X0-ws[i].X1, ws[i].X0-ws[i+1].X1) < wordGap*ws[i].Size
	}
	for i := range ws {
		if !ws[i].Glue {
			continue
		}
		ws[i].Glue = touches(i)
		if i > 0 && (touches(i-1) || !touches(i)) {
			ws[i-1].Glue = true
		}
	}
	slices.Reverse(ws)
}

// endSigns end a text or separate it from the next.
const endSigns = ".,:;!"

// endLast moves the signs at the left of words that run from left to right in a right-to-left
// line, such as .20:00, to their end: they follow the direction of the line.
func endLast(ws []Word) {
	text := ws[0].Text
	rest := strings.TrimLeft(text, endSigns)
	if hasRTL(text) || rest == "" {
		return
	}
	ws[0].Text = rest
	ws[len(ws)-1].Text += text[:len(text)-len(rest)]
}

// latin reports whether word i of a right-to-left line begins a
// left-to-right run: it has letters, or it is a number after a word that
// has, as in "Windows 11".
func (l *Line) latin(i int) bool {
	for ; i < len(l.Words) && !hasRTL(l.Words[i].Text); i++ {
		if hasLetters(l.Words[i].Text) {
			return true
		}
		if !hasDigits(l.Words[i].Text) {
			return false
		}
	}
	return false
}

// hasRTL reports whether s has right-to-left letters.
func hasRTL(s string) bool {
	for _, r := range s {
		if r >= 0x590 && isRTL(r) {
			return true
		}
	}
	return false
}

func isRTL(r rune) bool {
	return r >= 0x590 && r < 0x900 || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc || r >= 0x10800 && r < 0x11000 || r == 0x200f
}

// logical returns the glyphs of a right-to-left word, given from left to
// right, in reading order. It reverses them but keeps the order inside
// numbers and Latin words.
func logical(glyphs []string) string {
	var b strings.Builder
	for i := len(glyphs) - 1; i >= 0; {
		if !leftToRight(glyphs[i]) {
			b.WriteString(mirror(glyphs[i]))
			i--
			continue
		}
		j := i
		for j > 0 && (leftToRight(glyphs[j-1]) || j > 1 && neutral(glyphs[j-1]) && leftToRight(glyphs[j-2])) {
			j--
		}
		for _, g := range glyphs[j : i+1] {
			b.WriteString(g)
		}
		i = j - 1
	}
	return b.String()
}

func leftToRight(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.L, bidi.EN, bidi.AN:
		return true
	}
	return false
}

func neutral(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.CS, bidi.ES, bidi.ET:
		return true
	}
	return false
}

// isArabic reports whether r is an Arabic letter. Numbers next to one are
// treated as Arabic numbers (Unicode Standard Annex 9, rule W2).
func isArabic(r rune) bool {
	if r < 0x600 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.AL
}

// arabicNumber returns a number next to Arabic letters, given from left to
// right, in reading order. Signs and the separators between two numbers are
// read from the right, because UAX 9 rules W4 and W5 apply to European
// numbers only. Other texts are returned unchanged.
func arabicNumber(s string) string {
	if !hasDigits(s) || !strings.ContainsFunc(s, isSign) || strings.ContainsFunc(s, unicode.IsLetter) {
		return s
	}
	out := make([]byte, 0, len(s))
	for s != "" {
		i := strings.LastIndexFunc(s, isSign)
		if i < 0 {
			return string(append(out, s...))
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		out = append(append(out, s[i+size:]...), s[i:i+size]...)
		s = s[:i]
	}
	return string(out)
}

// isSign reports whether r is a number sign or separator, such as + - or %.
func isSign(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.ES || p.Class() == bidi.ET
}

// mirrors are the pairs of characters that change with the direction.
const mirrors = "()[]{}<>«»‹›"

func mirror(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size != len(s) {
		return s
	}
	i := strings.IndexRune(mirrors, r)
	if i < 0 {
		return s
	}
	all := []rune(mirrors)
	for k, m := range all {
		if m == r {
			return string(all[k^1])
		}
	}
	return s
}

// mostlyRTL reports whether most letters of s are right-to-left.
func mostlyRTL(s string) bool {
	rtl, ltr := 0, 0
	for _, r := range s {
		switch {
		case isRTL(r):
			rtl++
		case unicode.IsLetter(r):
			ltr++
		}
	}
	return rtl > ltr
}
