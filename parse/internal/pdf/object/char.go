// SPDX-License-Identifier: Apache-2.0

package object

import "unicode"

// Character classes (ISO 32000-1, 7.2.2). PostScript has the same ones.
const (
	regular = iota
	space
	delimiter
)

var classes = func() (t [256]uint8) {
	for _, c := range " \x00\t\r\n\f" {
		t[c] = space
	}
	for _, c := range "()<>[]{}/%" {
		t[c] = delimiter
	}
	return t
}()

// IsSpace reports whether c is white space.
func IsSpace(c byte) bool { return classes[c] == space }

// IsDelimiter reports whether c is a delimiter, which ends a token and
// begins another.
func IsDelimiter(c byte) bool { return classes[c] == delimiter }

// IsRegular reports whether c is a regular character, which is part of a
// token.
func IsRegular(c byte) bool { return classes[c] == regular }

var hexDigits = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i, c := range "0123456789abcdef" {
		t[c], t[unicode.ToUpper(c)] = int8(i), int8(i)
	}
	return t
}()

// HexDigit returns the value of the hexadecimal digit c, or -1 if it is not
// one.
func HexDigit(c byte) int { return int(hexDigits[c]) }
