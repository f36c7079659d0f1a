// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// clean resolves ligatures and Arabic presentation forms, and drops what is no
// character: controls, and marks of order or width zero.
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

// isCompatible says whether r is an ideograph that composing would replace by
// another form of it.
func isCompatible(r rune) bool { return r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f }

// accents maps spacing accents to combining ones.
var accents = map[string]string{
	"¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
	"¯": "\u0304", "˚": "\u030a", "˘": "\u0306", "˝": "\u030b", "˙": "\u0307", "˛": "\u0328",
}

// accented puts an accent that stands before a letter on it; false where the
// two are nothing of the kind.
func accented(accent, letter string) (string, bool) {
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

// hasRTL says whether s has letters that run from right to left.
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

// logical brings the glyphs of a right-to-left word, given from left to right,
// into reading order: all is reversed, but numbers and Latin letters run on.
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

// isArabic says whether r is an Arabic letter, beside which numbers are Arabic too
// (Unicode Standard Annex 9, W2).
func isArabic(r rune) bool {
	if r < 0x600 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.AL
}

// arabicNumber brings a number beside Arabic letters, given from left to right,
// into reading order: signs and what parts two numbers are read from the right
// (UAX 9, W4 and W5 hold for European numbers alone). Other texts are returned.
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

// isSign says whether r stands between numbers or beside them: + - % and their like.
func isSign(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.ES || p.Class() == bidi.ET
}

// mirrors are the pairs that change with the direction.
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

// mostlyRTL says whether the letters of s run mostly from right to left.
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

// isCJK says whether r is of a script that is written without spaces.
func isCJK(r rune) bool {
	if r >= 0x3130 && r <= 0x318f { // Hangul, which has spaces
		return false
	}
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xffef ||
		r >= 0x20000 && r <= 0x3ffff
}
