// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Narrow returns XML in UTF-16 as UTF-8. It returns other data as they are.
func Narrow(data []byte) []byte {
	if order := orderOf(string(data[:min(2, len(data))])); order != nil {
		return []byte(scrub(wide(data, order)))
	}
	return data
}

// orderOf returns the order of the bytes of XML in UTF-16 that begins with head. It returns
// nil for other encodings.
func orderOf(head string) binary.ByteOrder {
	switch head {
	case "\xFF\xFE", "<\x00":
		return binary.LittleEndian
	case "\xFE\xFF", "\x00<":
		return binary.BigEndian
	}
	return nil
}

// decode returns data as UTF-8 without characters that XML does not allow.
func decode(data string) string {
	if order := orderOf(data[:min(2, len(data))]); order != nil {
		return scrub(wide([]byte(data), order))
	}
	text := strings.TrimPrefix(data, "\xEF\xBB\xBF")
	valid := utf8.ValidString(text)
	if valid && !hasControl(text) {
		return text
	}
	if !valid && isLatin(text) {
		var b strings.Builder
		for i := range len(text) {
			b.WriteRune(rune(text[i]))
		}
		text = b.String()
	}
	return scrub(text)
}

// headSize is the size in bytes of the part that may declare the encoding.
const headSize = 100

// isLatin reports whether text declares Latin-1 or its Windows variant.
func isLatin(text string) bool {
	head := strings.ToLower(text[:min(len(text), headSize)])
	return strings.HasPrefix(head, "<?xml") && (strings.Contains(head, "8859-1") || strings.Contains(head, "1252"))
}

// hasControl reports whether text contains a control character other than line
// break and tab. It checks 32 bytes at a time, because most parts contain none.
func hasControl(text string) bool {
	for len(text) >= 32 {
		if (below(text[:8])|below(text[8:16])|below(text[16:24])|below(text[24:32]))&highs != 0 && anyControl(text[:32]) {
			return true
		}
		text = text[32:]
	}
	return anyControl(text)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// below sets the highest bit of a byte if one of the eight bytes of text is below 0x20.
// Its other bits mean nothing.
func below(text string) uint64 {
	w := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	return (w - ones*0x20) &^ w
}

func anyControl(text string) bool {
	for i := range len(text) {
		if isControl(text[i]) {
			return true
		}
	}
	return false
}

func wide(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(data) {
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:])))
			i += 2
		}
		if r != 0xFEFF || i > 1 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// scrub replaces invalid UTF-8 and removes control characters.
func scrub(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	for i := range len(text) {
		if isControl(text[i]) {
			return strings.Map(func(r rune) rune {
				if r < 0x20 && isControl(byte(r)) { //nolint:gosec // below 0x20
					return -1
				}
				return r
			}, text)
		}
	}
	return text
}

func isControl(c byte) bool { return c < 0x20 && c != '\n' && c != '\t' && c != '\r' }
