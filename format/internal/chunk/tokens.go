// SPDX-License-Identifier: Apache-2.0

package chunk

import (
	"unicode"
	"unicode/utf8"
)

// Tokens estimates into how many tokens a language model divides s. For English prose the
// estimate is rather too high. A word of up to six letters is one token, and a longer word
// has one more token for each further six letters. Each of these is also one token: three
// digits, a Chinese, Japanese or Korean character, two letters of another alphabet than the
// Latin one, a punctuation mark, and a group of line ends.
func Tokens(s string) int {
	_, n := reach(s, int(^uint(0)>>1))
	return n
}

// reach returns the largest offset in s such that the text before it has at most limit
// tokens, and the number of tokens of that text.
func reach(s string, limit int) (offset, tokens int) {
	var last class
	run := 0 // cost of the current run of characters of one class, in sixths of a token
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		c, cost := classOf(r)
		if c != last {
			last, run = c, 0
		}
		more := (run+cost+5)/6 - (run+5)/6
		if c == breaks && run > 0 {
			more = 0
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
	breaks
	latin
	digit
	letter
	other
)

// classOf returns the class of a character and its cost in sixths of a token.
func classOf(r rune) (c class, cost int) {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return latin, 1
	case r == ' ' || r == '\t':
		return blank, 0
	case r == '\n' || r == '\r':
		return breaks, 6
	case '0' <= r && r <= '9':
		return digit, 2
	case r < utf8.RuneSelf:
		return other, 6
	case r < 0x250 && unicode.IsLetter(r):
		return latin, 4 // tokenizers split words at letters with diacritics
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return other, 6
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter, 3
	case unicode.IsSpace(r):
		return blank, 0
	}
	return other, 6
}
