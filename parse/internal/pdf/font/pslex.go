// SPDX-License-Identifier: Apache-2.0

package font

import (
	"strconv"

	"example.com/curlew/parse/internal/pdf/object"
)

// psToken is a PostScript token, as far as CMaps and Type 1 fonts need it.
type psToken struct {
	kind psKind
	text string // names without slash, words, or the bytes of strings
	num  float64
}

type psKind uint8

const (
	psEnd psKind = iota
	psWord
	psName
	psNumber
	psString
	psOpen  // [ or {
	psClose // ] or }
)

// psLexer reads tokens from data. It skips comments, << and >>.
type psLexer struct {
	data []byte
	pos  int
}

func (l *psLexer) next() psToken {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		switch {
		case object.IsSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		case c == '/':
			l.pos++
			return psToken{kind: psName, text: l.word()}
		case c == '[', c == '{':
			l.pos++
			return psToken{kind: psOpen}
		case c == ']', c == '}':
			l.pos++
			return psToken{kind: psClose}
		case c == '(':
			return psToken{kind: psString, text: l.literal()}
		case c == '<' && l.pos+1 < len(l.data) && l.data[l.pos+1] == '<':
			l.pos += 2
		case c == '<':
			return psToken{kind: psString, text: l.hex()}
		case object.IsDelimiter(c): // a stray delimiter
			l.pos++
		default:
			w := l.word()
			if f, err := strconv.ParseFloat(w, 64); err == nil {
				return psToken{kind: psNumber, num: f, text: w}
			}
			return psToken{kind: psWord, text: w}
		}
	}
	return psToken{}
}

func (l *psLexer) word() string {
	start := l.pos
	for l.pos < len(l.data) && object.IsRegular(l.data[l.pos]) {
		l.pos++
	}
	return string(l.data[start:l.pos])
}

func (l *psLexer) hex() string {
	l.pos++
	var out []byte
	hi := -1
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		if c == '>' {
			l.pos++
			break
		}
		switch v := object.HexDigit(c); {
		case v < 0:
		case hi < 0:
			hi = v
		default:
			out = append(out, byte(hi<<4|v)) //nolint:gosec // both are below 16
			hi = -1
		}
	}
	if hi >= 0 {
		out = append(out, byte(hi<<4)) //nolint:gosec // below 16
	}
	return string(out)
}

func (l *psLexer) literal() string {
	l.pos++
	start, depth := l.pos, 1
	for ; l.pos < len(l.data); l.pos++ {
		switch l.data[l.pos] {
		case '\\':
			l.pos++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return string(l.data[start : l.pos-1])
			}
		}
	}
	return string(l.data[start:min(l.pos, len(l.data))])
}
