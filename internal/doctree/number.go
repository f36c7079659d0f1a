// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const bullets = "•◦▪▫●○■□‣⁃·–—*-"

// bare returns a typed number without the punctuation around it, such as iv for
// (iv), and whether punctuation follows it. Letters are only a number if it
// does.
func bare(number string) (text string, closed bool) {
	text = strings.TrimPrefix(number, "(")
	if n := len(text) - 1; n >= 0 && strings.IndexByte(".):", text[n]) >= 0 {
		return text[:n], true
	}
	return text, false
}

func isDecimal(text string) bool {
	return text != "" && len(text) < 10 && strings.Trim(text, "0123456789") == ""
}

// Roman returns n in capital Roman numerals, and in decimal if it is not from 1 to 3999.
func Roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range [...]struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= d.value; n -= d.value {
			b.WriteString(d.sign)
		}
	}
	return b.String()
}

func isRoman(text string) bool { return text != "" && strings.Trim(text, "ivxlcIVXLC") == "" }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsNumber reports whether s can be the number or bullet of a list item, such
// as 4. or (iv).
func IsNumber(s string) bool {
	text, closed := bare(s)
	r, n := utf8.DecodeRuneInString(s)
	return isDecimal(text) || closed && (isRoman(text) || len(text) == 1 && isLetter(text[0])) || n == len(s) && strings.ContainsRune(bullets, r)
}

// ItemOf returns the list item that has the given number, such as 4. or (iv),
// and follows the item last of its level. If lists cannot express the number,
// it returns a text to insert instead.
func ItemOf(number string, level int, last Item) (Item, string) {
	item := Item{Level: level, Label: number}
	text, closed := bare(number)
	switch {
	case isDecimal(text):
		item.Ordered = true
		item.Number, _ = strconv.Atoi(text)
	case closed && isRoman(text) && (len(text) > 1 || readsRoman(text[0], last)):
		item.Ordered, item.Type, item.Number = true, "i", value(text)
		if text[0] < 'a' {
			item.Type = "I"
		}
	case closed && len(text) == 1 && isLetter(text[0]):
		item.Ordered, item.Type, item.Number = true, "a", int(text[0]|0x20-'a')+1
		if text[0] < 'a' {
			item.Type = "A"
		}
	case strings.ContainsAny(number, "0123456789"), len(text) > 1 && strings.ContainsFunc(number, unicode.IsLetter):
		return item, number + " "
	}
	return item, ""
}

// readsRoman reports whether a letter after the item last is a Roman number: it
// continues one, or it is an i that does not follow an h.
func readsRoman(c byte, last Item) bool {
	if last.Type == "i" || last.Type == "I" {
		return last.Number+1 == value(string(c))
	}
	return c|0x20 == 'i' && last.Number != 'h'-'a'+1
}

// value returns the value of a Roman number.
func value(s string) int {
	sum, last := 0, 0
	for i := len(s) - 1; i >= 0; i-- {
		v := map[byte]int{'i': 1, 'v': 5, 'x': 10, 'l': 50, 'c': 100}[s[i]|0x20]
		if v < last {
			sum -= v
		} else {
			sum += v
			last = v
		}
	}
	return sum
}
