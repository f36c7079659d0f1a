// SPDX-License-Identifier: Apache-2.0

package charset

import "unicode/utf8"

// pair returns a decoder for an encoding with bytes below 0x80 that are ASCII, and with
// characters of one or two bytes. single returns the character of a byte, or -1 if two bytes make the
// character. double appends the character of two bytes; it appends nothing if there is none. In this
// case the second byte is read again if it is ASCII.
// It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func pair(single func(c byte) rune, double func(dst []byte, first, second byte) []byte) decoder {
	return func(dst, src []byte, last bool) ([]byte, int) {
		for i := 0; i < len(src); {
			if src[i] < utf8.RuneSelf {
				dst = append(dst, src[i])
				i++
				continue
			}
			if c := single(src[i]); c >= 0 {
				dst = utf8.AppendRune(dst, c)
				i++
				continue
			}
			if i+1 == len(src) {
				return cut(dst, src, i, last)
			}
			before := len(dst)
			if dst = double(dst, src[i], src[i+1]); len(dst) == before {
				dst = utf8.AppendRune(dst, utf8.RuneError)
				if src[i+1] < utf8.RuneSelf {
					i--
				}
			}
			i += 2
		}
		return dst, len(src)
	}
}

// cut is the result of a decoder for a character at src[i:] that is incomplete.
func cut(dst, src []byte, i int, last bool) ([]byte, int) {
	if last {
		return utf8.AppendRune(dst, utf8.RuneError), len(src)
	}
	return dst, i
}

// between reports whether low <= c <= high.
func between(c, low, high byte) bool { return low <= c && c <= high }

// firstOf returns the function single of [pair] for an encoding in which the bytes from 0x81 to 0xFE
// begin a character.
func firstOf(c byte) rune {
	if between(c, 0x81, 0xFE) {
		return -1
	}
	return utf8.RuneError
}

// decodeBig5 returns the decoder of section 11.1.1.
func decodeBig5(table index) decoder {
	return pair(firstOf, func(dst []byte, first, second byte) []byte {
		if !between(second, 0x40, 0x7E) && !between(second, 0xA1, 0xFE) {
			return dst
		}
		switch pointer := pointerBig5(first, second); pointer {
		case 1133:
			return append(dst, "\u00CA\u0304"...)
		case 1135:
			return append(dst, "\u00CA\u030C"...)
		case 1164:
			return append(dst, "\u00EA\u0304"...)
		case 1166:
			return append(dst, "\u00EA\u030C"...)
		default:
			return appendChar(dst, table.char(pointer))
		}
	})
}

func pointerBig5(first, second byte) int {
	return int(first-0x81)*157 + int(second) - offset(second, 0x62)
}

// offset returns what is subtracted from the second byte of a character: high from 0x7F on.
func offset(second byte, high int) int {
	if second < 0x7F {
		return 0x40
	}
	return high
}

// appendChar appends char, unless it is 0.
func appendChar(dst []byte, char rune) []byte {
	if char == 0 {
		return dst
	}
	return utf8.AppendRune(dst, char)
}

// decodeEUCKR returns the decoder of section 13.1.1.
func decodeEUCKR(table index) decoder {
	return pair(firstOf, func(dst []byte, first, second byte) []byte {
		if !between(second, 0x41, 0xFE) {
			return dst
		}
		return appendChar(dst, table.char(int(first-0x81)*190+int(second-0x41)))
	})
}

// decodeShiftJIS returns the decoder of section 12.3.1.
func decodeShiftJIS(table index) decoder {
	single := func(c byte) rune {
		switch {
		case c == 0x80:
			return 0x80
		case between(c, 0xA1, 0xDF):
			return 0xFF61 - 0xA1 + rune(c)
		case c == 0xA0 || c > 0xFC:
			return utf8.RuneError
		}
		return -1
	}
	return pair(single, func(dst []byte, first, second byte) []byte {
		if !between(second, 0x40, 0x7E) && !between(second, 0x80, 0xFC) {
			return dst
		}
		row := int(first) - 0x81
		if first >= 0xA0 {
			row = int(first) - 0xC1
		}
		pointer := row*188 + int(second) - offset(second, 0x41)
		if pointer >= 8836 && pointer <= 10715 { // for private use
			return utf8.AppendRune(dst, 0xE000-8836+rune(pointer)) // #nosec G115 -- see the condition
		}
		return appendChar(dst, table.char(pointer))
	})
}

// decodeEUCJP returns the decoder of section 12.1.1.
func decodeEUCJP(jis0208, jis0212 index) decoder {
	return func(dst, src []byte, last bool) ([]byte, int) {
		for i := 0; i < len(src); {
			rest := src[i:]
			switch c := rest[0]; {
			case c < utf8.RuneSelf:
				dst = append(dst, c)
				i++
				continue
			case c != 0x8E && c != 0x8F && !between(c, 0xA1, 0xFE):
				dst = utf8.AppendRune(dst, utf8.RuneError)
				i++
				continue
			}
			if len(rest) == 1 {
				return cut(dst, src, i, last)
			}
			var char rune
			table := jis0208
			switch {
			case rest[0] == 0x8E && between(rest[1], 0xA1, 0xDF):
				char = 0xFF61 - 0xA1 + rune(rest[1])
			case rest[0] == 0x8F && between(rest[1], 0xA1, 0xFE):
				if len(rest) == 2 {
					return cut(dst, src, i, last)
				}
				table, rest, i = jis0212, rest[1:], i+1
			}
			if between(rest[0], 0xA1, 0xFE) && between(rest[1], 0xA1, 0xFE) {
				char = table.char(int(rest[0]-0xA1)*94 + int(rest[1]-0xA1))
			}
			if char == 0 {
				char = utf8.RuneError
				if rest[1] < utf8.RuneSelf {
					i--
				}
			}
			dst = utf8.AppendRune(dst, char)
			i += 2
		}
		return dst, len(src)
	}
}

// decodeGB18030 returns the decoder of section 10.2.1, which is that of GBK too.
func decodeGB18030(table index) decoder {
	return func(dst, src []byte, last bool) ([]byte, int) {
		for i := 0; i < len(src); {
			rest, char, size := src[i:], rune(utf8.RuneError), 1
			switch c := rest[0]; {
			case c < utf8.RuneSelf:
				char = rune(c)
			case c == 0x80:
				char = '€'
			case c == 0xFF:
			case len(rest) == 1:
				return cut(dst, src, i, last)
			case between(rest[1], '0', '9'):
				switch {
				case len(rest) == 2 || len(rest) == 3 && between(rest[2], 0x81, 0xFE):
					return cut(dst, src, i, last)
				case between(rest[2], 0x81, 0xFE) && between(rest[3], '0', '9'):
					char, size = rangeChar(pointerGB18030(rest)), 4
				}
			default:
				if between(rest[1], 0x40, 0x7E) || between(rest[1], 0x80, 0xFE) { // each has a character
					char = table.char(int(c-0x81)*190 + int(rest[1]) - offset(rest[1], 0x41))
					size = 2
				} else if rest[1] >= utf8.RuneSelf {
					size = 2
				}
			}
			dst = utf8.AppendRune(dst, char)
			i += size
		}
		return dst, len(src)
	}
}

// pointerGB18030 returns the pointer of four bytes.
func pointerGB18030(b []byte) int {
	return ((int(b[0]-0x81)*10+int(b[1]-'0'))*126+int(b[2]-0x81))*10 + int(b[3]-'0')
}

// decodeISO2022JP returns a decoder of section 12.2.1.
func decodeISO2022JP(jis0208 index) decoder {
	state := &shifted{set: 'B'}
	return func(dst, src []byte, last bool) ([]byte, int) {
		for i := 0; i < len(src); {
			rest := src[i:]
			if rest[0] == 0x1B {
				if !last && (len(rest) == 1 || len(rest) == 2 && (rest[1] == '$' || rest[1] == '(')) {
					return dst, i
				}
				size, ok := state.escape(rest)
				if !ok {
					dst = utf8.AppendRune(dst, utf8.RuneError)
				}
				i += size
				continue
			}
			state.chosen = false
			char, size := state.char(rest[0]), 1
			if state.set == '$' && between(rest[0], 0x21, 0x7E) {
				if len(rest) == 1 {
					return cut(dst, src, i, last)
				}
				char, size = kanji(jis0208, rest[0], rest[1])
			}
			dst = utf8.AppendRune(dst, char)
			i += size
		}
		return dst, len(src)
	}
}

// shifted is the state of a decoder of ISO-2022-JP.
type shifted struct {
	set    byte // 'B' for ASCII, 'J' for JIS X 0201 (Roman), 'I' for JIS X 0201 (katakana), '$' for JIS X 0208
	chosen bool // an escape sequence came last
}

// escape reads the escape sequence at the start of b and returns its length, which is 1 if it is
// unknown. It is wrong if it is unknown or follows another one.
func (s *shifted) escape(b []byte) (size int, ok bool) {
	again := s.chosen
	s.chosen = true
	if len(b) >= 3 {
		switch string(b[1:3]) {
		case "(B", "(J", "(I":
			s.set = b[2]
			return 3, !again
		case "$@", "$B":
			s.set = '$'
			return 3, !again
		}
	}
	s.chosen = false
	return 1, false
}

// char returns the character of one byte.
func (s *shifted) char(c byte) rune {
	switch {
	case s.set == 'I' && between(c, 0x21, 0x5F):
		return 0xFF61 - 0x21 + rune(c)
	case s.set == 'J' && c == '\\':
		return '¥'
	case s.set == 'J' && c == '~':
		return '‾'
	case (s.set == 'B' || s.set == 'J') && c < utf8.RuneSelf && c != 0x0E && c != 0x0F:
		return rune(c)
	}
	return utf8.RuneError
}

// kanji returns the character of two bytes in JIS X 0208, and how many of them are read.
func kanji(jis0208 index, first, second byte) (char rune, size int) {
	if second == 0x1B {
		return utf8.RuneError, 1
	}
	if between(second, 0x21, 0x7E) {
		if char := jis0208.char(int(first-0x21)*94 + int(second-0x21)); char != 0 {
			return char, 2
		}
	}
	return utf8.RuneError, 2
}
