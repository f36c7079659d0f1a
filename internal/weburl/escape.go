// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"strings"
	"unicode/utf8"
)

// class contains, for each byte, the parts of a URL in which it is escaped (the
// standard's percent-encode sets, sections 1.3 and 3.3), and other properties.
var class = classes()

// Bits of class.
const (
	escFragment   uint8 = 1 << iota
	escQuery            // the special-query set, because http and https are special schemes
	escPath             // includes ^ since 2024
	escUser             //
	notInHost           // forbidden domain code points, before mapping
	notLowerASCII       // a host with such a byte is not in WHATWG form
	hexDigit
	separates // separates path segments: a backslash counts as a slash
)

func classes() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for _, c := range []byte(chars) {
			t[c] |= bits
		}
	}
	const every = escFragment | escQuery | escPath | escUser
	for c := range 256 {
		if c < 0x20 || c > 0x7e {
			t[c] = every | notInHost | notLowerASCII
		}
		if c > 0x7f {
			t[c] &^= notInHost // checked after IDNA
		}
	}
	set(" \"<>", every)
	set("`", escFragment|escPath|escUser)
	set("#", escQuery|escPath|escUser)
	set("'", escQuery)
	set("?^{}", escPath|escUser)
	set("/:;=@[\\]|", escUser)
	set(" #/:<>?@[\\]^|%", notInHost|notLowerASCII)
	set("\"`{}", notLowerASCII) // see validName
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZ", notLowerASCII)
	set("0123456789abcdefABCDEF", hexDigit)
	set("/\\", separates)
	return t
}

const upperHex = "0123456789ABCDEF"

// appendEscaped appends s in UTF-8 and escapes the bytes of set. Invalid UTF-8
// counts as U+FFFD.
func appendEscaped(dst []byte, s string, set uint8) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case class[c]&set == 0:
			dst = append(dst, c)
		case c < utf8.RuneSelf:
			dst = appendByte(dst, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			var b [utf8.UTFMax]byte
			for _, c := range b[:utf8.EncodeRune(b[:], r)] {
				dst = appendByte(dst, c)
			}
			i += size
			continue
		}
		i++
	}
	return dst
}

// appendByte appends c as an escape.
func appendByte(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// isEscape reports whether s starts with a percent sign and two hex digits.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && class[s[1]]&class[s[2]]&hexDigit != 0
}

// unhex returns the value of a hex digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// appendUnescaped appends s with its escapes decoded once. Other percent signs
// are unchanged.
func appendUnescaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && isEscape(s[i:]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		dst = append(dst, c)
	}
	return dst
}

// Unescape returns s with its escapes decoded once to any bytes. Other percent
// signs are unchanged.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	return string(appendUnescaped(make([]byte, 0, len(s)), s))
}

// upperEscapes returns s with escapes in upper case. It returns s itself if
// they already are.
func upperEscapes(s string) string {
	for i := strings.IndexByte(s, '%'); i >= 0 && i < len(s); i++ {
		if !isEscape(s[i:]) || (s[i+1] < 'a' && s[i+2] < 'a') {
			continue
		}
		b := []byte(s)
		for ; i < len(b); i++ {
			if isEscape(s[i:]) {
				b[i+1], b[i+2] = upperDigit(b[i+1]), upperDigit(b[i+2])
				i += 2
			}
		}
		return string(b)
	}
	return s
}

// upperDigit returns a hex digit in upper case.
func upperDigit(c byte) byte {
	if c >= 'a' {
		c -= 'a' - 'A'
	}
	return c
}
