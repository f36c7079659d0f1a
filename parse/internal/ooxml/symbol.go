// SPDX-License-Identifier: Apache-2.0

package ooxml

import "strings"

// Symbols replaces the characters of a symbol font by the Unicode characters that they show. If font is empty, the
// text has a usual font, and only the private characters that symbol fonts use (U+F000 to U+F0FF) are replaced.
func Symbols(font, text string) string {
	own := func(r rune) bool { return r > ' ' && (font != "" || 0xF000 <= r && r <= 0xF0FF) }
	if !strings.ContainsFunc(text, own) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if own(r) {
			b.WriteString(Symbol(font, r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// SymbolFont returns the font if it is a symbol font, otherwise "".
func SymbolFont(font string) string {
	switch strings.ToLower(font) {
	case "symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings", "zapf dingbats", "zapfdingbats":
		return font
	}
	return ""
}

// Symbol returns the Unicode text for a character of a symbol font. Such
// characters are letters or lie in U+F000 to U+F0FF. An unknown symbol
// becomes a bullet. For other fonts it returns the character itself.
func Symbol(font string, r rune) string {
	code := r
	if 0xF000 <= r && r <= 0xF0FF {
		code = r - 0xF000
	}
	font = strings.ToLower(font)
	switch {
	case code > 0xFF:
		return string(r)
	case font == "symbol":
		if i := int(code) - 0x20; i >= 0 && i < len(symbolFont) && symbolFont[i] != '\uFFFD' {
			return string(symbolFont[i])
		}
	case strings.HasPrefix(font, "wingdings") || strings.HasPrefix(font, "webdings") || strings.HasPrefix(font, "zapf"):
		if font == "wingdings" {
			if s, ok := wingdings[code]; ok {
				return string(s)
			}
		}
		if font == "wingdings 2" {
			switch code {
			case 'P':
				return "✓"
			case 'R':
				return "☑"
			case 'O':
				return "✗"
			case 'T':
				return "☒"
			case 0xA3:
				return "☐"
			}
		}
	case code == r || code < 0x20:
		return string(r)
	case code < 0x7F:
		return string(code) // a letter in a font with an old encoding
	}
	return "•"
}

// symbolFont has the characters of Adobe's Symbol font from 0x20, according
// to the mapping of the Unicode Consortium.
var symbolFont = []rune("" +
	" !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼\uFFFD" +
	"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD" +
	"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD" +
	"€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uFFFD〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\uFFFD")

// wingdings has the symbols of Wingdings that occur in text.
var wingdings = map[rune]rune{
	0x21: '✏', 0x22: '✂', 0x23: '✁', 0x28: '☎', 0x29: '✆', 0x2A: '✉', 0x36: '⌛', 0x37: '⌨', 0x3F: '✍', 0x41: '✌', 0x45: '☜',
	0x46: '☞', 0x47: '☝', 0x48: '☟', 0x4A: '☺', 0x4B: '😐', 0x4C: '☹', 0x4E: '☠', 0x52: '☼', 0x54: '❄', 0x58: '✠', 0x59: '✡',
	0x5A: '☪', 0x5B: '☯', 0x6C: '●', 0x6D: '❍', 0x6E: '■', 0x6F: '□', 0x71: '❑', 0x72: '❒', 0x74: '⧫', 0x75: '◆', 0x76: '❖',
	0x77: '⬥', 0x78: '⌧', 0x7A: '⌘', 0x7B: '❀', 0x7C: '✿', 0x80: '⓪', 0x81: '①', 0x82: '②', 0x83: '③', 0x84: '④', 0x85: '⑤',
	0x86: '⑥', 0x87: '⑦', 0x88: '⑧', 0x89: '⑨', 0x8A: '⑩', 0x8C: '❶', 0x8D: '❷', 0x8E: '❸', 0x8F: '❹', 0x90: '❺', 0x91: '❻',
	0x92: '❼', 0x93: '❽', 0x94: '❾', 0x95: '❿', 0x9E: '·', 0x9F: '•', 0xA1: '○', 0xA4: '◉', 0xA7: '▪', 0xA8: '☐', 0xAA: '✦',
	0xAB: '★', 0xAC: '✶', 0xAD: '✴', 0xB2: '⟡', 0xD5: '⌫', 0xD8: '➢', 0xDC: '➲', 0xDF: '←', 0xE0: '→', 0xE1: '↑', 0xE2: '↓',
	0xE8: '➔', 0xEF: '⇦', 0xF0: '⇨', 0xF1: '⇧', 0xF2: '⇩', 0xF3: '⬄', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑',
}
