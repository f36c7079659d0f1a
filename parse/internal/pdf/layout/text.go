// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
