// SPDX-License-Identifier: Apache-2.0

package links

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// unescape decodes the character references of an attribute value. Only there,
// a name without a semicolon is text if a letter, a digit or an equals sign
// follows: "?a=b&copy=c" is a query (HTML standard, 13.2.5.73).
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

// reference decodes the reference at the start of s, and returns the number of
// bytes that it takes. If there is none, it returns the ampersand.
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
		// Package html has the tables. It also decodes a known prefix of an
		// unknown name, and then leaves at least the semicolon.
		if text = html.UnescapeString(name); name == "&semi;" || !strings.HasSuffix(text, ";") {
			return text, n
		}
	case n == len(s) || s[n] != '=':
		// Each name that needs no semicolon is a single character.
		if text = html.UnescapeString(name); utf8.RuneCountInString(text) == 1 {
			return text, n
		}
	}
	return "&", 1
}

// numeric decodes the numeric reference at the start of s.
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
		text = "" // internal/dom also removes them from its trees
	}
	return text, n
}

// isControl reports whether r is a C0 control other than white space of HTML.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r'
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || isLetter(c)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
