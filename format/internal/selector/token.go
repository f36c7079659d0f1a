// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unexpected returns the error for the text at the position.
func (p *parser) unexpected(want string) *Error {
	if p.i >= len(p.s) {
		return p.fail(ErrSyntax, "expected "+want+", found EOF instead")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.i:])
	return p.fail(ErrSyntax, "expected "+want+", found "+strconv.QuoteRune(r)+" instead")
}

// peek returns the byte at the position, or zero at the end.
func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) take(c byte) bool {
	if p.peek() != c || p.i >= len(p.s) {
		return false
	}
	p.i++
	return true
}

// space skips white space and comments, and reports whether there was any.
func (p *parser) space() bool {
	start := p.i
	for p.i < len(p.s) {
		if isSpace(p.s[p.i]) {
			p.i++
			continue
		}
		if !strings.HasPrefix(p.s[p.i:], "/*") {
			break
		}
		end := strings.Index(p.s[p.i+2:], "*/")
		if end < 0 {
			break
		}
		p.i += 2 + end + 2
	}
	return p.i > start
}

// identifier parses a name that does not start with a digit, nor with a hyphen
// and a digit.
func (p *parser) identifier(what string) (string, error) {
	i := p.i
	for i < len(p.s) && p.s[i] == '-' {
		i++
	}
	if i == len(p.s) && i > p.i || i < len(p.s) && (!isNameByte(p.s[i]) && p.s[i] != '\\' || '0' <= p.s[i] && p.s[i] <= '9') {
		p.i = i
		return "", p.unexpected(what)
	}
	return p.name(what)
}

// name parses letters, digits, hyphens and escapes.
func (p *parser) name(what string) (string, error) {
	start := p.i
	for p.i < len(p.s) && isNameByte(p.s[p.i]) {
		p.i++
	}
	if p.peek() != '\\' {
		if p.i == start {
			return "", p.unexpected(what)
		}
		return p.s[start:p.i], nil
	}
	var b strings.Builder
	b.WriteString(p.s[start:p.i])
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case isNameByte(c):
			b.WriteByte(c)
			p.i++
		case c == '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			return b.String(), nil
		}
	}
	return b.String(), nil
}

// quoted parses a quoted string.
func (p *parser) quoted() (string, error) {
	quote := p.s[p.i]
	p.i++
	var b strings.Builder
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case quote:
			p.i++
			return b.String(), nil
		case '\r', '\n', '\f':
			return "", p.fail(ErrSyntax, "string has a line break")
		case '\\':
			if n := newline(p.s[p.i+1:]); n > 0 {
				p.i += 1 + n
				continue
			}
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return "", p.fail(ErrSyntax, "string has no end")
}

// escape parses a backslash escape.
func (p *parser) escape(b *strings.Builder) error {
	p.i++
	if p.i >= len(p.s) || newline(p.s[p.i:]) > 0 {
		return p.fail(ErrSyntax, "invalid escape")
	}
	end := p.i
	for end < len(p.s) && end < p.i+6 && isHex(p.s[end]) {
		end++
	}
	if end == p.i {
		_, n := utf8.DecodeRuneInString(p.s[p.i:])
		b.WriteString(p.s[p.i : p.i+n])
		p.i += n
		return nil
	}
	v, err := strconv.ParseUint(p.s[p.i:end], 16, 32)
	if err != nil || v == 0 || v > utf8.MaxRune {
		v = utf8.RuneError
	}
	b.WriteRune(rune(v)) //nolint:gosec // at most MaxRune; surrogates become U+FFFD
	p.i = end
	if n := newline(p.s[p.i:]); n > 0 {
		p.i += n
	} else if c := p.peek(); c == ' ' || c == '\t' {
		p.i++
	}
	return nil
}

// integer parses digits; ok reports whether there were any.
func (p *parser) integer() (n int, ok bool, err error) {
	start := p.i
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.i++
	}
	if p.i == start {
		return 0, false, nil
	}
	v, err := strconv.ParseInt(p.s[start:p.i], 10, 32)
	if err != nil {
		return 0, false, p.fail(ErrSyntax, "number is out of range")
	}
	return int(v), true, nil
}

// newline returns the length of the line break at the start of s.
func newline(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s != "" && (s[0] == '\n' || s[0] == '\r' || s[0] == '\f'):
		return 1
	}
	return 0
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= utf8.RuneSelf
}

// lower returns s with the letters A to Z in lower case.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if 'A' <= b[j] && b[j] <= 'Z' {
					b[j] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
