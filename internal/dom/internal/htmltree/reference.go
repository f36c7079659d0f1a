// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// references decodes character references. Its results share memory.
type references struct {
	out   strings.Builder
	known map[string]string // decoded named references
}

// shared is how many bytes are allocated for decoded strings at once.
const shared = 2 << 10

// text decodes the references in a text.
func (r *references) text(s string) string { return r.decode(s, false) }

// value decodes the references in an attribute value. There, a name without a
// semicolon is a reference only if no letter, digit or equals sign follows.
func (r *references) value(s string) string { return r.decode(s, true) }

func (r *references) decode(s string, attribute bool) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	// Two of the names decode to more bytes than they have, by at most a half.
	if need := len(s) + len(s)/2; r.out.Cap()-r.out.Len() < need {
		r.out = strings.Builder{}
		r.out.Grow(max(need, shared))
	}
	start := r.out.Len()
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		r.out.WriteString(s[:i])
		s = s[i:]
		said, size := r.reference(s, attribute)
		r.out.WriteString(said)
		s = s[size:]
	}
	r.out.WriteString(s)
	return r.out.String()[start:]
}

// reference decodes the reference at the start of s, and returns the number of
// bytes that it takes. If there is none, it returns the ampersand.
func (r *references) reference(s string, attribute bool) (said string, size int) {
	if len(s) > 2 && s[1] == '#' {
		return numeric(s)
	}
	n := 1
	for n < len(s) && isAlnum(s[n]) {
		n++
	}
	closed := n < len(s) && s[n] == ';'
	if closed {
		n++
	}
	name := s[:n]
	switch name {
	case "&":
		return "&", 1
	case "&amp;":
		return "&", n
	case "&lt;":
		return "<", n
	case "&gt;":
		return ">", n
	case "&quot;":
		return `"`, n
	case "&nbsp;":
		return "\u00a0", n
	}
	if attribute && !closed && n < len(s) && s[n] == '=' {
		return "&", 1
	}
	said = r.unescape(name)
	switch {
	case !attribute:
		return said, n // a prefix of an unknown name may be known
	case closed && (name == "&semi;" || !strings.HasSuffix(said, ";")):
		return said, n
	case !closed && utf8.RuneCountInString(said) == 1:
		return said, n // each name that needs no semicolon is a single character
	}
	return "&", 1
}

// maxKnown is the maximum number of cached names, and maxName their maximum
// length.
const (
	maxKnown = 128
	maxName  = len("&CounterClockwiseContourIntegral;")
)

// unescape decodes a name by the tables of package html.
func (r *references) unescape(name string) string {
	if len(name) > maxName || len(r.known) == maxKnown {
		return html.UnescapeString(name)
	}
	said, ok := r.known[name]
	if !ok {
		said = html.UnescapeString(name)
		if r.known == nil {
			r.known = make(map[string]string)
		}
		r.known[name] = said
	}
	return said
}

// numeric decodes the numeric reference at the start of s.
func numeric(s string) (said string, size int) {
	n, base := len("&#"), rune(10)
	if s[n]|0x20 == 'x' {
		n++
		base = 16
	}
	start, code := n, rune(0)
	for n < len(s) {
		d := digit(s[n])
		if d >= base {
			break
		}
		if code <= utf8.MaxRune {
			code = code*base + d
		}
		n++
	}
	if n == start {
		return "&", 1
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	switch {
	case code < utf8.RuneSelf && code > 0:
		return ascii[code : code+1], n
	case 0x80 <= code && code <= 0x9F, code == 0, !utf8.ValidRune(code):
		return html.UnescapeString(s[:n]), n // these code points are replaced by others
	}
	return string(code), n
}

// ascii contains each ASCII character at its own index.
const ascii = "\x00\x01\x02\x03\x04\x05\x06\x07\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

// digit returns the value of a hexadecimal digit, or 16 for other characters.
func digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 16
}

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }
