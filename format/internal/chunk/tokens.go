// SPDX-License-Identifier: Apache-2.0

package chunk

import (
	"unicode"
	"unicode/utf8"
)

// Tokens estimates how many tokens a language model reads s as. The estimate is
// on the high side for English prose: a word of up to six letters is one token,
// a longer one has a token for each further six letters, three digits are one
// token, and so are a character of Chinese, Japanese or Korean, two letters of
// other alphabets than the Latin one, a mark of punctuation and a group of line
// ends.
func Tokens(s string) int {
	_, n := reach(s, int(^uint(0)>>1))
	return n
}

// reach returns the largest offset in s such that the text before it has at
// most limit tokens, and how many it has.
func reach(s string, limit int) (offset, tokens int) {
	var last class
	run := 0 // cost so far of the run of one class, in sixths of a token
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

// class is a kind of characters that form a token together.
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
		return latin, 4 // letters with marks divide words
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return other, 6
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter, 3
	case unicode.IsSpace(r):
		return blank, 0
	}
	return other, 6
}
