// SPDX-License-Identifier: Apache-2.0

// Package value reads numbers, dates and other values from text, and compares
// them.
package value

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns s in the form in which texts are compared: NFKC, lower case, one kind
// of digit, quote, dash and space, without marks of Markdown.
func Normal(s string) string {
	switch ascii, normal := plainText(s); {
	case normal:
		return s
	case !ascii:
		s = norm.NFKC.String(fractions.Replace(s))
	}
	text := make([]byte, 0, len(s))
	space := true // no space at the start
	bold := false
	for i, r := range s {
		switch r {
		case '‘', '’', '‚', '`', '´', 'ʼ', '′':
			r = '\''
		case '“', '”', '„', '«', '»', '″':
			r = '"'
		case '‐', '‑', '‒', '–', '—', '−':
			r = '-'
		case '*':
			if !strings.HasPrefix(s[i:], "**") {
				continue
			}
			if bold = !bold; !boldApart(s, i, bold) {
				continue
			}
			r = ' '
		case '\\', '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
			continue
		case '٬':
			r = ','
		case '٫':
			r = '.'
		case '_': // an underscore at the border of a word is emphasis; in snake_case and snake\_case it is not
			before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(s[:i], `\`))
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !WordRune(before) || !WordRune(after) {
				continue
			}
		}
		switch {
		case r > unicode.MaxASCII:
			if unicode.Is(unicode.Nd, r) {
				r = digit(r)
			}
			if r = unicode.ToLower(r); unicode.IsSpace(r) {
				r = ' '
			}
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= '\t' && r <= '\r':
			r = ' '
		}
		if r != ' ' || !space {
			text = utf8.AppendRune(text, r)
		}
		space = r == ' '
	}
	return strings.TrimSuffix(string(text), " ")
}

// leastBold is the number of letters from which on bold text is a word of its own.
const leastBold = 3

// boldApart reports whether the marks of bold text at s[i:], which begin it or end it, stand between two
// words: "Weight**40 kg**" is a label and its value. A few bold letters are a part of their word.
func boldApart(s string, i int, begins bool) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+2:])
	if !WordRune(before) || !WordRune(after) {
		return false
	}
	start, end := i+2, i
	if begins {
		end = strings.Index(s[start:], "**") + start
	} else {
		start = strings.LastIndex(s[:i], "**") + 2
	}
	if start < 2 || end < start {
		return false
	}
	outer, _ := utf8.DecodeLastRuneInString(s[:start-2])
	if begins {
		outer, _ = utf8.DecodeRuneInString(s[end+2:])
	}
	return !WordRune(outer) && utf8.RuneCountInString(s[start:end]) >= leastBold
}

// Unmarked returns a text without the marks above and below its letters, which people who
// type quickly leave out: é is e, and ç is c.
func Unmarked(s string) string {
	if ascii, _ := plainText(s); ascii {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch r {
		case 'ł':
			return 'l'
		case 'ø':
			return 'o'
		case 'đ':
			return 'd'
		case 'ı':
			return 'i'
		}
		if r >= 0x300 && r <= 0x36F {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// plainText reports whether s has only characters of ASCII, which NFKC does not change, and
// whether it is in normal form already.
func plainText(s string) (ascii, normal bool) {
	normal = true
	before := byte(' ') // no space at the start
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return false, false
		case c >= 'A' && c <= 'Z', c == '*', c == '\\', c == '`', c == '_', c == '\t', c == '\n', c == '\v', c == '\f', c == '\r', c == ' ' && before == ' ':
			normal = false
		}
		before = c
	}
	return true, normal && (before != ' ' || s == "")
}

// struck matches text that Markdown strikes out.
var struck = regexp.MustCompile(`~~[^~]+~~`)

// Unstruck returns s without the text that Markdown strikes out, such as a former price.
// If there is no other text, s is unchanged.
func Unstruck(s string) string {
	if !strings.Contains(s, "~~") {
		return s
	}
	if rest := struck.ReplaceAllString(s, ""); strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(rest)
	}
	return s
}

// fractions puts a space before ½ and the like, because NFKC would turn 1½ into 11⁄2.
var fractions = strings.NewReplacer("½", " ½", "¼", " ¼", "¾", " ¾", "⅓", " ⅓", "⅔", " ⅔", "⅛", " ⅛", "⅜", " ⅜", "⅝", " ⅝", "⅞", " ⅞")

// digit returns the ASCII digit that corresponds to a decimal digit of another script.
// The digits of a script are ten consecutive characters (Unicode 4.6). Those of two
// scripts are adjacent only if NFKC turns them into ASCII.
func digit(r rune) rune {
	n := rune(0)
	for n < 9 && unicode.Is(unicode.Nd, r-n-1) {
		n++
	}
	return '0' + n
}

// WordRune reports whether r is part of a token. In scripts without spaces, each
// character is a token.
func WordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !Unspaced(r)
}

// Unspaced reports whether r belongs to a script that puts no spaces between words.
func Unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Holds returns how often the normal text line contains the normal text part between
// borders of tokens.
func Holds(line, part string) int {
	if part == "" {
		return 0
	}
	count := 0
	for at := 0; at <= len(line)-len(part); {
		i := strings.Index(line[at:], part)
		if i < 0 {
			break
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(part):])
		first, _ := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		inside := WordRune(before) && WordRune(first) || WordRune(last) && WordRune(after) || insideNumber(line, i, i+len(part), first, last)
		if !inside {
			count++
		}
		at = i + max(1, utf8.RuneLen(first))
	}
	return count
}

// insideNumber reports whether line[i:j], which starts or ends with a digit, is part of
// a longer number, such as 10 in 10.99.
func insideNumber(line string, i, j int, first, last rune) bool {
	digit := func(k int) bool { return k >= 0 && k < len(line) && line[k] >= '0' && line[k] <= '9' }
	sep := func(k int) bool { return k >= 0 && k < len(line) && (line[k] == '.' || line[k] == ',') }
	return unicode.IsDigit(first) && sep(i-1) && digit(i-2) || unicode.IsDigit(last) && sep(j) && digit(j+1)
}

// Words returns the tokens of a normal text. It is not inlined, because each of many copies would have its own
// function inside.
//
//go:noinline
func Words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// BareName returns s in the form in which names of fields and headers are compared:
// letters and digits in lower case.
func BareName(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKC.String(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// Clip returns at most n bytes of s, as valid UTF-8.
func Clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}

// ClipRunes returns at most n characters of s.
func ClipRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
