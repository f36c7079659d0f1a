// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bullets are the characters that mark items of unordered lists.
const bullets = "•‣◦⁃∙●○■□▪▫◆◇►▶➢➤✓✔❖·–—*-➔→◼◾⦁" + ballots

// ballots are check boxes; the first is unchecked.
const ballots = "☐☑☒"

// marker splits a list marker from s: a bullet, or a number or letter with
// punctuation. mark is "" if s does not begin with one.
func marker(s string) (mark, rest string) {
	r, size := utf8.DecodeRuneInString(s)
	if strings.ContainsRune(bullets, r) {
		rest = s[size:]
		if rest == "" || rest[0] == ' ' || r != '-' && r != '–' && r != '—' && r != '*' && r != '·' {
			return s[:size], strings.TrimSpace(rest)
		}
		return "", s
	}
	word, rest, _ := strings.Cut(s, " ")
	if numbering(word) != "" {
		return word, strings.TrimSpace(rest)
	}
	return "", s
}

// numbering returns the value of a numbering without its punctuation: "1."
// gives 1, "(iv)" gives iv. It returns "" if word is not a numbering.
func numbering(word string) string {
	if len(word) < 2 || len(word) > 8 {
		return ""
	}
	var body string
	last := word[len(word)-1]
	switch {
	case word[0] == '(' && last == ')', word[0] == '[' && last == ']':
		body = word[1 : len(word)-1]
	case last == '.' || last == ')' || last == ':':
		body = word[:len(word)-1]
	default:
		return ""
	}
	switch {
	case body == "":
		return ""
	case isDigits(body):
		if len(body) > 3 {
			return ""
		}
		return body
	case len(body) == 1 && unicode.IsLetter(rune(body[0])) && last != ':':
		return body
	case isRoman(body) && last != ':':
		return body
	}
	return ""
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isRoman reports whether s is a small Roman numeral, all in lower case or
// all in upper case.
func isRoman(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	return strings.Trim(s, "ivx") == "" || strings.Trim(s, "IVX") == ""
}

// section returns the depth of the section number at the start of s, such as
// 1 for "2" and 3 for "2.1.3.", and the text after it. Labels such as
// "Chapter 2" have depth 1. The depth is 0 if there is none.
func section(s string) (depth int, rest string) {
	word, rest, found := strings.Cut(s, " ")
	if !found || word == "" {
		return 0, s
	}
	name := ""
	switch word[0] | 0x20 { // most texts begin with other letters, which is decided quickly
	case 'c', 'p', 's', 'a':
		name = strings.ToLower(word)
	}
	switch name {
	case "chapter", "part", "section", "appendix", "article":
		next, tail, _ := strings.Cut(rest, " ")
		next = strings.TrimRight(next, ".:")
		if isDigits(next) || isRoman(strings.ToUpper(next)) || len(next) == 1 {
			return 1, tail
		}
		return 0, s
	}
	word = strings.TrimRight(word, ".")
	if word == "" || len(word) > 12 {
		return 0, s
	}
	for p := range strings.SplitSeq(word, ".") {
		depth++
		if depth == 1 && len(p) == 1 && p[0] >= 'A' && p[0] <= 'Z' && len(word) > 1 {
			continue // an appendix
		}
		if !isDigits(p) || len(p) > 2 {
			return 0, s
		}
	}
	return depth, rest
}

func hasAlnum(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// letters counts all letters and the capital letters of s.
func letters(s string) (all, upper int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return all, upper
}

// wordsIn returns the number of words in s.
func wordsIn(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// ends reports whether s ends a sentence.
func ends(s string) bool {
	s = strings.TrimRight(s, "\"'”’)]»")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？…", r)
}

// startsLower reports whether s begins with a lower-case letter, ignoring
// quotes and brackets.
func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "\"'“‘(["))
	return unicode.IsLower(r)
}
