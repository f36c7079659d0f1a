// SPDX-License-Identifier: Apache-2.0

package links

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// unescape decodes the character references of an attribute value. There, and
// only there, a name without its semicolon is text where a letter, a digit or an
// equals sign follows: "?a=b&copy=c" is a query (HTML standard, 13.2.5.73).
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		out = append(out, s[:i]...)
		s = s[i:]
		text, n := reference(s)
		out = append(out, text...)
		s = s[n:]
	}
	return string(append(out, s...))
}

// reference decodes the reference that s may begin with, and returns the number
// of bytes it takes. Where there is none, it is the ampersand.
func reference(s string) (text string, n int) {
	n = 1
	if n < len(s) && s[n] == '#' {
		n++
	}
	for n < len(s) && isAlnum(s[n]) {
		n++
	}
	closed := n < len(s) && s[n] == ';'
	if closed {
		n++
	}
	switch name := s[:n]; {
	case name == "&amp;":
		return "&", n
	case n == 1:
		return "&", 1
	case s[1] == '#':
		return numeric(s)
	case closed:
		// The tables are html's. It decodes a known beginning of an unknown
		// name too, and then leaves at least the semicolon.
		if text = html.UnescapeString(name); name == "&semi;" || !strings.HasSuffix(text, ";") {
			return text, n
		}
	case n == len(s) || s[n] != '=':
		// The names that need no semicolon stand for one character each.
		if text = html.UnescapeString(name); utf8.RuneCountInString(text) == 1 {
			return text, n
		}
	}
	return "&", 1
}

// numeric decodes the reference by number that s begins with.
func numeric(s string) (text string, n int) {
	n = len("&#")
	digits := func(c byte) bool { return '0' <= c && c <= '9' }
	if n < len(s) && s[n]|0x20 == 'x' {
		n++
		digits = func(c byte) bool { return unhex(c) < 16 }
	}
	start := n
	for n < len(s) && digits(s[n]) {
		n++
	}
	if n == start {
		return "&", 1
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	if text = html.UnescapeString(s[:n]); len(text) == 1 && isControl(rune(text[0])) {
		text = "" // internal/dom drops them from its trees, too
	}
	return text, n
}

// isControl reports whether r is a C0 control and no white space of HTML.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r'
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || isLetter(c)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
