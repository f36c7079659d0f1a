// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// isSpecial is 1 for characters that may need an escape inside a line.
var isSpecial = [256]uint8{
	'\\': 1, '`': 1, '*': 1, '_': 1, '[': 1, ']': 1,
	'<': 1, '&': 1, '!': 1, '~': 1, '|': 1, '$': 1,
}

// special returns the index of the first special character in s at or after i,
// or len(s).
func special(s []byte, i int) int {
	for i+4 <= len(s) && isSpecial[s[i]]|isSpecial[s[i+1]]|isSpecial[s[i+2]]|isSpecial[s[i+3]] == 0 {
		i += 4
	}
	for i < len(s) && isSpecial[s[i]] == 0 {
		i++
	}
	return i
}

// A scope is the surroundings of a text, which decide about escapes.
type scope struct {
	links    int  // links and images around the text
	styles   int  // emphasis around the text
	brackets int  // right brackets still to be written after this point in the text
	ticks    int  // runs of backticks in the line
	cell     bool // inside a table cell
	math     bool // the document contains formulas
}

// escape appends s to dst so that a CommonMark reader reads the text s. before
// and after are the characters written around it. A space stands for the edge
// of a line.
func (c *scope) escape(dst, s []byte, before, after rune) []byte {
	for i := 0; i < len(s); {
		j := special(s, i)
		dst = append(dst, s[i:j]...)
		if j == len(s) {
			break
		}
		i = j + 1
		for i < len(s) && s[i] == s[j] && isRun(s[j]) {
			i++
		}
		b, a := before, after
		if j > 0 {
			b, _ = utf8.DecodeLastRune(s[:j])
		}
		if i < len(s) {
			a, _ = utf8.DecodeRune(s[i:])
		}
		switch n := i - j; {
		case s[j] == '&' && isEntity(s[j:]):
			dst = append(dst, "&amp;"...)
		case c.must(s[j], n, b, a, i == len(s)):
			for range n {
				dst = append(dst, '\\', s[j])
			}
		case s[j] == '\\':
			// Each backslash except the last precedes another one, which is
			// punctuation.
			for range n - 1 {
				dst = append(dst, `\\`...)
			}
			dst = append(dst, '\\')
		default:
			dst = append(dst, s[j:i]...)
		}
	}
	return dst
}

// isRun reports whether a run of c is escaped as a whole.
func isRun(c byte) bool { return c == '*' || c == '_' || c == '~' || c == '`' || c == '\\' }

// must reports whether n characters char between before and after need an
// escape. last is set if after does not belong to the same text.
func (c *scope) must(char byte, n int, before, after rune, last bool) bool {
	left, right := flanking(before, after)
	switch char {
	case '*', '_':
		// All characters that could open emphasis are escaped. One that can
		// only close needs an escape if emphasis surrounds the text, or if it
		// would join an adjacent delimiter.
		if c.styles > 0 || before == rune(char) || after == rune(char) {
			return left || right
		}
		return left && (char == '*' || !right || isPunct(before))
	case '~':
		// A single ~ that cannot close anything needs no escape, as in ~5
		// minutes.
		if c.styles > 0 || before == '~' || after == '~' {
			return true
		}
		return n == 1 && right || n == 2 && (left || right)
	case '`':
		return c.ticks > 1
	case '\\':
		return isASCIIPunct(after)
	case '[':
		return c.links > 0 || c.brackets > 0
	case ']':
		c.brackets--
		return c.links > 0
	case '<':
		return isLetter(after) || after == '/' || after == '!' || after == '?'
	case '!':
		return last && after == '['
	case '|':
		return c.cell
	case '$':
		return c.math
	}
	return false
}

// isEntity reports whether s begins with a character reference, or with text
// that readers take for one.
func isEntity(s []byte) bool {
	end := bytes.IndexByte(s[:min(len(s), 34)], ';') // the longest name is CounterClockwiseContourIntegral
	if end < 2 {
		return false
	}
	ref := string(s[:end+1])
	if ref[1] != '#' {
		for i := 1; i < end; i++ {
			if !isLetter(rune(ref[i])) && !isDigit(ref[i]) {
				return false
			}
		}
	}
	return html.UnescapeString(ref) != ref
}

// lineStart returns the index in s at which a backslash prevents a line that
// begins with s from beginning a block. It returns -1 if no backslash is
// necessary. whole is set if s is the whole line, and first if it is the first
// line of its paragraph.
func lineStart(s []byte, whole, first bool) int {
	if len(s) == 0 {
		return -1
	}
	if c := s[0]; isDigit(c) {
		n := 1
		for n < len(s) && n < 10 && isDigit(s[n]) {
			n++
		}
		if n < 10 && n < len(s) && (s[n] == '.' || s[n] == ')') && ends(s, n+1, whole) {
			return n
		}
		return -1
	}
	if beginsBlock(s, whole, first) {
		return 0
	}
	return -1
}

// beginsBlock is lineStart for lines that do not begin with a digit.
func beginsBlock(s []byte, whole, first bool) bool {
	only := func(set string) bool { return whole && len(bytes.Trim(s, set)) == 0 }
	switch s[0] {
	case '#':
		n := 1
		for n < len(s) && s[n] == '#' {
			n++
		}
		return n <= 6 && ends(s, n, whole)
	case '-', '+':
		return ends(s, 1, whole) || only("- ") || !first && only("-|: ")
	case '*':
		// After a bullet of the same character, two more make a thematic break.
		return ends(s, 1, whole) || only("* ")
	case '_':
		return only("_ ") && len(s) > 2
	case '=':
		return !first && only("= ")
	case '>':
		return true
	case '~', '`':
		return len(s) > 2 && s[1] == s[0] && s[2] == s[0]
	case '|', ':':
		return !first && only("-|: ")
	}
	return false
}

// ends reports whether s has a space at index i or the line ends there.
func ends(s []byte, i int, whole bool) bool {
	return i < len(s) && s[i] == ' ' || i >= len(s) && whole
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isASCIIPunct reports whether a backslash before r escapes it.
func isASCIIPunct(r rune) bool {
	return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
}
