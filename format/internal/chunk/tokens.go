// SPDX-License-Identifier: Apache-2.0

package chunk

import (
	"unicode"
	"unicode/utf8"
)

// Tokens estimates into how many tokens a language model divides s. It is rather too high
// for prose in English, and may be too low by a quarter for languages with long words. Six
// small Latin letters of a word are one token. Each of these is also one: three digits or
// Latin capitals, a Chinese, Japanese or Korean character, two letters of another common
// alphabet, a punctuation mark, and a group of line ends. A symbol or a letter of a rare
// alphabet is two tokens, a character outside the basic plane three. White space and a
// mark that is repeated are one more token for each 48 characters.
//
// Two texts have at least as many tokens as the text of both, unless the first ends and the
// second begins with a blank.
func Tokens(s string) int {
	_, n := reach(s, int(^uint(0)>>1))
	return n
}

// whole is the cost of a token.
const whole = 60

// reach returns the largest offset in s such that the text before it has at most limit
// tokens, and the number of tokens of that text.
func reach(s string, limit int) (offset, tokens int) {
	var last class
	before := rune(-1)
	run := 0 // cost of the current run of characters of one class
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		c, cost := classOf(r)
		if c == other && r == before && cost == whole && r < utf8.RuneSelf {
			c, cost = repeated, whole/48
		}
		before = r
		if c != last {
			last, run = c, 0
		}
		more := 0
		switch {
		case c <= repeated: // the first characters are free
			more = (run+cost)/whole - run/whole
		case c != breaks || run == 0:
			more = (run+cost+whole-1)/whole - (run+whole-1)/whole
		}
		if tokens+more > limit {
			return i, tokens
		}
		run += cost
		tokens += more
		i += size
	}
	return len(s), tokens
}

// class is a class of characters that can form a token together.
type class int

const (
	blank class = iota
	repeated
	breaks
	latin
	digit
	letter
	other
)

// classOf returns the class of a character and its cost.
func classOf(r rune) (c class, cost int) {
	switch {
	case 'a' <= r && r <= 'z':
		return latin, whole / 6
	case 'A' <= r && r <= 'Z':
		return latin, whole / 3 // most tokens of words in capitals, and of codes, are short
	case r == ' ' || r == '\t':
		return blank, whole / 48
	case r == '\n' || r == '\r':
		return breaks, whole
	case '0' <= r && r <= '9':
		return digit, whole / 3
	case r < utf8.RuneSelf:
		return other, whole
	case r > 0xFFFF:
		return other, 3 * whole
	case unicode.IsSpace(r):
		return blank, whole / 48
	case !unicode.IsLetter(r) && !unicode.IsMark(r):
		if r < 0x100 || 0x2000 <= r && r < 0x2070 || 0x3000 <= r && r < 0x3100 || r >= 0xFE30 && r < 0xFFF0 {
			return other, whole // punctuation
		}
		return other, 2 * whole
	case r < 0x250:
		return latin, 40 // tokenizers split words at letters with diacritics
	case 0x1E00 <= r && r < 0x1F00:
		return latin, 20 // of Vietnamese
	case 0x2E80 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD800 || r >= 0xF900 && r < 0xFB00:
		return other, whole
	case r < 0x700 || 0x900 <= r && r < 0xF00 || 0x10A0 <= r && r < 0x1100 || 0x1F00 <= r && r < 0x2000 || r >= 0xFB00:
		return letter, whole / 2
	}
	return other, 2 * whole
}
