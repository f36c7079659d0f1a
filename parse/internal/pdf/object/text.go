// SPDX-License-Identifier: Apache-2.0

package object

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// pdfDoc18 and pdfDoc80 have the characters of PDFDocEncoding that differ
// from Latin-1, from 0x18 and from 0x80 (ISO 32000-1, annex D.2).
const (
	pdfDoc18 = "˘ˇˆ˙˝˛˚˜"
	pdfDoc80 = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
)

// Text decodes a text string to UTF-8. A byte order mark selects UTF-16 or
// UTF-8; otherwise the string is in PDFDocEncoding.
func Text(s string) string {
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		return utf16Text(s[2:], 0, 1)
	case strings.HasPrefix(s, "\xff\xfe"):
		return utf16Text(s[2:], 1, 0)
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		return strings.ToValidUTF8(s[3:], "\ufffd")
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case c == 0xa0:
			b.WriteRune('€')
		case c >= 0x18 && c < 0x20:
			b.WriteRune(nth(pdfDoc18, int(c-0x18)))
		case c >= 0x80 && c < 0x9f:
			b.WriteRune(nth(pdfDoc80, int(c-0x80)))
		default:
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// nth returns character n of s.
func nth(s string, n int) rune {
	for _, r := range s {
		if n == 0 {
			return r
		}
		n--
	}
	return utf8.RuneError
}

func utf16Text(s string, hi, lo int) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i+hi])<<8|uint16(s[i+lo]))
	}
	return string(utf16.Decode(units))
}
