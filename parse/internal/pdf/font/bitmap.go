// SPDX-License-Identifier: Apache-2.0

package font

import "strconv"

// TeX embeds fonts that it has only as bitmaps as Type 3 fonts whose glyphs are named
// by their codes, "a136". The codes of letters are those of ASCII, but those of
// ligatures, dashes, quotes and bullets are of one of TeX's own encodings, which the
// file does not name. Codes that only one of them can mean show which it is.

// The codes of TeX's encodings that differ from ASCII and WinAnsiEncoding in texts.
var (
	// Ligatures are at codes where the other text encoding has rare accents.
	ligaturesOT1 = map[int]string{0x0b: "ff", 0x0c: "fi", 0x0d: "fl", 0x0e: "ffi", 0x0f: "ffl"}
	ligaturesT1  = map[int]string{0x1b: "ff", 0x1c: "fi", 0x1d: "fl", 0x1e: "ffi", 0x1f: "ffl"}

	marksOT1 = map[int]string{0x22: "”", 0x5c: "“", 0x60: "‘", 0x27: "’", 0x7b: "–", 0x7c: "—", 0x10: "ı", 0x19: "ß", 0x1a: "æ", 0x1b: "œ", 0x1c: "ø"}
	marksT1  = map[int]string{0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–", 0x16: "—", 0x60: "‘", 0x27: "’"}

	// Symbols are in fonts without letters: those of the text companion (TS1) and
	// those of formulas (OMS).
	symbolsTS1 = map[int]string{0x84: "†", 0x85: "‡", 0x86: "‖", 0x87: "‰", 0x88: "•"}
	symbolsOMS = map[int]string{0x00: "−", 0x01: "·", 0x02: "×", 0x03: "∗", 0x06: "±", 0x0e: "◦", 0x0f: "•"}
)

// bitmapTexts returns the texts of the codes of a bitmap font of TeX that differ from
// WinAnsiEncoding. It returns nil for other fonts.
func (s *simple) bitmapTexts() *[256]string {
	if s.type3 == nil || s.uni != nil || s.named == nil {
		return nil
	}
	var has [256]bool
	letters, upper := 0, 0
	for code, name := range s.named.names {
		switch {
		case name == "" || name == ".notdef":
			continue
		case name != "a"+strconv.Itoa(code):
			return nil
		case code >= 'a' && code <= 'z':
			letters++
		case code >= 'A' && code <= 'Z':
			upper++
		}
		has[code] = true
	}
	some := func(texts map[int]string) bool {
		for code := range texts {
			if has[code] {
				return true
			}
		}
		return false
	}
	out := new([256]string)
	add := func(all ...map[int]string) {
		for _, texts := range all {
			for code, t := range texts {
				out[code] = t
			}
		}
	}
	// The letters of formulas have no full stops and commas at the codes of ASCII.
	prose := letters >= leastLetters && (has[','] || has['.'])
	switch {
	case letters+upper == 0:
		add(symbolsOMS, symbolsTS1)
	case prose && some(ligaturesOT1):
		add(marksOT1, ligaturesOT1)
	case prose && (some(ligaturesT1) || has[0x15] || has[0x16]):
		add(marksT1, ligaturesT1)
	}
	return out
}

// leastLetters is the number of different small letters from which a font is one of
// text and not of formulas.
const leastLetters = 10
