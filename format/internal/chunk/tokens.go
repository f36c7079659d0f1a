// SPDX-License-Identifier: Apache-2.0

package chunk

import "unicode/utf8"

// Tokens estimates into how many tokens a language model divides s. The costs of letters and
// marks are those that fit the counts of cl100k_base best, the tokenizer of OpenAI's models for
// embeddings, and 15 per cent are added. The texts were the Universal Declaration of Human
// Rights in 525 languages, manuals in 25 of them, web pages, documents and code. Tokenizers
// with more words need fewer tokens, above all in alphabets other than the Latin one.
//
// Two texts have at least as many tokens as the text of both, unless the first ends and the
// second begins with a blank.
func Tokens(s string) int {
	_, n := reach(s, int(^uint(0)>>1))
	return n
}

// whole is the cost of a token. It is less than a hundred, so that the estimate is rather too high.
const whole = 87

// pairs has the cost of each small Latin letter by the letter before it, in tenths of a
// token. Tokens end sooner within pairs that are rare in English. No letter costs more than
// at the start of a word, so that a word that is cut has no fewer tokens than before.
const pairs = "" +
	"64469494699989747444894949" + // at the start of a word
	"60039414693080727140894923" + // after a
	"64450494609029646000094614" + // after b
	"14000374000089047000074600" + // after c
	"50060404449210043404104449" + // after d
	"00008464699801000004800049" + // after e
	"64460094399629045040044649" + // after f
	"64460490097684507044894929" + // after g
	"44460494697980247000894949" + // after h
	"60044414699410047400804940" + // after i
	"54465484658902704404394546" + // after j
	"50062194209989745104294446" + // after k
	"14200094099101000401494404" + // after l
	"64460414655049707404894632" + // after m
	"64004200699009607400854949" + // after n
	"62109014097540307004000939" + // after o
	"64060400689000405000544000" + // after p
	"64469474698989747444564546" + // after q
	"64050004680200020300854900" + // after r
	"61060094499909407300080600" + // after s
	"64060090098200007044690209" + // after t
	"50003494676829747000894009" + // after u
	"54460404385989147434882845" + // after v
	"64469090099980205100864508" + // after w
	"04060234577309504440874941" + // after x
	"64369294619889347400894940" + // after y
	"04469454688900615444804509" + // after z
	"64441090399480047440694219" + // after a capital letter
	"64066424699070040444894300" // after any other letter

// Rows of pairs, besides those of the small letters.
const (
	start   = 0
	capital = 27
	foreign = 28 // any other letter
)

// scripts has the costs of the characters up to, but not including, a code point. Alphabets of
// which a tokenizer has few words are divided into bytes.
var scripts = [...]struct {
	end  rune
	cost int
}{
	{0xC0, 120}, {0x250, 120}, {0x370, 180}, {0x400, 110}, {0x410, 200}, {0x450, 55}, {0x530, 200}, // Latin, Greek and Cyrillic
	{0x590, 215}, {0x600, 120}, {0x66E, 85}, {0x700, 190}, {0x900, 230}, // Armenian, Hebrew, Arabic
	{0x980, 125}, {0xA00, 145}, {0xB80, 205}, {0xC00, 155}, {0xD00, 205}, {0xD80, 185}, {0xE00, 225}, {0xE80, 100}, // of India, Thai
	{0x10A0, 220}, {0x1100, 215}, {0x1780, 300}, {0x1800, 170}, {0x1E00, 300}, {0x1F00, 130}, {0x2000, 280}, // Vietnamese from 1E00 on
	{0x2010, 200}, {0x2028, 60}, {0x2030, 200}, {0x2060, 60}, {0x3000, 240}, // punctuation, symbols
	{0x3040, 100}, {0x3100, 100}, {0xA000, 150}, {0xAC00, 300}, {0xD800, 135}, {0x10000, 260}, {utf8.MaxRune + 1, 400}, // of East Asia
}

// reach returns the largest offset in s such that the text before it has at most limit
// tokens, and the number of tokens of that text.
func reach(s string, limit int) (offset, tokens int) {
	last, row, run := none, start, 0 // class and row of the character before, and how many of its class are before it
	before := rune(-1)
	for i, sum := 0, 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		c := classOf(r)
		if run++; c != last {
			run = 0
		}
		switch c {
		case small:
			sum += 10 * int(pairs[row*26+int(r-'a')]-'0')
		case large:
			sum += 40
			if last == small || last == letter || last == none {
				sum += 80
			}
		case letter:
			sum += costOf(r)
			if row == start {
				sum += 65
			}
		case digit:
			if run%3 == 0 {
				sum += 140
			}
			if last == blank || last == none { // a token of its own is before them
				sum += 110
			}
		case mark:
			sum += costOfMark(r == before, c == last)
		case breaks, blank:
			switch {
			case run > 1 || run == 1 && c == breaks:
				sum += 2
			case run == 1 || c == breaks:
				sum += 70
			}
		case none, other:
			sum += costOf(r)
		}
		n := (sum + whole - 1) / whole
		if n > limit {
			return i, tokens
		}
		tokens, before, last, row = n, r, c, rowOf(r, c)
		i += size
	}
	return len(s), tokens
}

// class is a class of characters that cost alike.
type class int

const (
	none class = iota // at the start of the text
	small
	large
	letter // any other Latin letter
	digit
	mark
	blank
	breaks
	other
)

// classOf returns the class of a character.
func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return small
	case 'A' <= r && r <= 'Z':
		return large
	case r == ' ' || r == '\t':
		return blank
	case r == '\n' || r == '\r':
		return breaks
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return mark
	case 0xC0 <= r && r < 0x370 || 0x1E00 <= r && r < 0x1F00:
		return letter
	}
	return other
}

// rowOf returns the row of pairs for the letter after a character.
func rowOf(r rune, c class) int {
	switch c {
	case small:
		return int(r-'a') + 1
	case large:
		return capital
	case letter:
		return foreign
	case none, digit, mark, blank, breaks, other:
	}
	return start
}

// costOfMark returns the cost of a mark after another one, which may be the same.
func costOfMark(same, follows bool) int {
	switch {
	case same:
		return 3
	case follows:
		return 20
	}
	return 60
}

// costOf returns the cost of a character that is not ASCII.
func costOf(r rune) int {
	for i := range scripts {
		if r < scripts[i].end {
			return scripts[i].cost
		}
	}
	return 0
}
