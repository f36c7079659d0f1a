// SPDX-License-Identifier: Apache-2.0

package charset

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/curlew/internal/sorting"
)

// Encoder returns a function that appends s to dst in an encoding and returns how many bytes of
// s it has encoded. If n < len(s), the character at s[n:] is not in the encoding. Encoder returns nil for
// UTF-8, for encodings that write UTF-8 instead (UTF-16, replacement; section 4.3), and for an
// unknown name. The function is safe for concurrent use.
func Encoder(name string) func(dst []byte, s string) (out []byte, n int) {
	if name == "" || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return nil
	}
	if name == "iso-2022-jp" {
		return encodeISO2022JP
	}
	var encode func(dst []byte, r rune) []byte
	if letters := singleByte(name); letters != nil {
		encode = func(dst []byte, r rune) []byte {
			if i := slices.Index(letters, r); i >= 0 && r != utf8.RuneError {
				dst = append(dst, byte(0x80+i)) // #nosec G115 -- there are 128 letters
			}
			return dst
		}
	} else if slices.Contains([]string{"gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"}, name) {
		table := sync.OnceValue(func() inverse { return inverseOf(name) })
		encode = func(dst []byte, r rune) []byte {
			switch code := table().code(r); {
			case code != 0:
				return appendCode(dst, code)
			case name == "gb18030" && r > 0xFFFF:
				return appendCode(dst, fourBytes(uint32(r)-0x10000+189000))
			}
			return dst
		}
	} else {
		return nil
	}
	return func(dst []byte, s string) ([]byte, int) {
		for i, r := range s {
			if r < utf8.RuneSelf {
				dst = append(dst, byte(r)) // #nosec G115 -- below 0x80
				continue
			}
			before := len(dst)
			if dst = encode(dst, r); len(dst) == before {
				return dst, i
			}
		}
		return dst, len(s)
	}
}

// An inverse has the characters of an encoding with several bytes, in ascending order.
type inverse []mapping

type mapping struct {
	char rune
	code uint32 // the bytes of the character; the first is the most significant
}

// inverses are the encoders that were needed, by name.
var inverses struct {
	mu     sync.Mutex
	byName map[string]inverse
}

// inverseOf returns the encoder of an encoding with several bytes and without states. It is
// computed from the decoder when it is first needed, which takes some milliseconds.
func inverseOf(name string) inverse {
	inverses.mu.Lock()
	defer inverses.mu.Unlock()
	all, ok := inverses.byName[name]
	if !ok {
		if inverses.byName == nil {
			inverses.byName = map[string]inverse{}
		}
		all = invert(name)
		inverses.byName[name] = all
	}
	return all
}

// invert decodes all codes of one and two bytes, and of gb18030 those of four bytes for characters
// below U+10000.
func invert(name string) inverse {
	all := make(inverse, 0, 24_000)
	decode := decoderOf(name)
	if name == "gbk" || name == "gb18030" {
		all = append(all, former...)
	}
	add := func(code uint32) {
		var in, out [16]byte
		text, _ := decode(out[:0], appendCode(in[:0], code), true)
		char, size := utf8.DecodeRune(text)
		if size == len(text) && char >= utf8.RuneSelf && (char != utf8.RuneError || code == 0x8431A437) && !onlyDecoded(name, char, code) {
			all = append(all, mapping{char, code})
		}
	}
	for code := uint32(0x80); code <= 0xFF; code++ {
		add(code)
	}
	for code := uint32(0x8130); code <= 0xFEFE; code++ {
		add(code)
	}
	if name == "gb18030" {
		for n := range uint32(39420) {
			add(fourBytes(n))
		}
	}
	if name == "shift_jis" || name == "euc-jp" { // sections 12.1.2 and 12.3.2
		minus := all[slices.IndexFunc(all, func(m mapping) bool { return m.char == '－' })].code
		all = append(all, mapping{'¥', '\\'}, mapping{'‾', '~'}, mapping{'−', minus})
	}
	sorting.Stable(all, func(a, b mapping) int { return cmp.Compare(a.char, b.char) })
	return all
}

// former are the characters for private use that stood for 18 codes of GB18030 before 2022. They are
// still encoded so (section 10.2.2).
var former = inverse{
	{0xE78D, 0xA6D9},
	{0xE78E, 0xA6DA},
	{0xE78F, 0xA6DB},
	{0xE790, 0xA6DC},
	{0xE791, 0xA6DD},
	{0xE792, 0xA6DE},
	{0xE793, 0xA6DF},
	{0xE794, 0xA6EC},
	{0xE795, 0xA6ED},
	{0xE796, 0xA6F3},
	{0xE81E, 0xFE59},
	{0xE826, 0xFE61},
	{0xE82B, 0xFE66},
	{0xE82C, 0xFE67},
	{0xE832, 0xFE6D},
	{0xE843, 0xFE7E},
	{0xE854, 0xFE90},
	{0xE864, 0xFEA0},
}

// onlyDecoded reports whether encoders do not write a code that decoders read.
func onlyDecoded(name string, char rune, code uint32) bool {
	switch name {
	case "big5": // the additions of Hong Kong, and six characters whose last code counts (5, index Big5 pointer)
		return code < 0xA140 || slices.Contains([]uint32{0xA2A4, 0xA2A5, 0xA2A6, 0xA2A7, 0xA2CC, 0xA2CE}, code)
	case "shift_jis": // rows that occur a second time, and private use (5, index Shift_JIS pointer)
		return code >= 0xED00 && code < 0xFA00
	case "gbk", "gb18030":
		return char == 0xE5E5 || name == "gb18030" && code <= 0xFF
	}
	return false
}

// code returns the code of a character, or zero. If a character has several codes, it is the first.
func (all inverse) code(char rune) uint32 {
	i, found := slices.BinarySearchFunc(all, char, func(m mapping, char rune) int { return cmp.Compare(m.char, char) })
	if !found {
		return 0
	}
	return all[i].code
}

func appendCode(dst []byte, code uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		if b := code >> shift; b != 0 {
			dst = append(dst, byte(b)) // #nosec G115 -- the byte at this place
		}
	}
	return dst
}

// fourBytes returns the code of four bytes for a pointer (section 10.2.2).
func fourBytes(pointer uint32) uint32 {
	return (0x81+pointer/12600)<<24 | (0x30+pointer/1260%10)<<16 | (0x81+pointer/10%126)<<8 | (0x30 + pointer%10)
}

// halfwidth are the characters that ISO-2022-JP has for U+FF61 to U+FF9F (index ISO-2022-JP
// katakana).
var halfwidth = []rune("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜")

// encodeISO2022JP is the function of [Encoder] for ISO-2022-JP (section 12.2.2), whose
// escape sequences choose between ASCII, JIS X 0201 (Roman) and JIS X 0208. What it appends
// begins and ends in ASCII, also if it stops before the end.
func encodeISO2022JP(dst []byte, s string) ([]byte, int) {
	const ascii, roman, kanji = "\x1b(B", "\x1b(J", "\x1b$B"
	state := ascii
	enter := func(set string) {
		if set != state {
			dst, state = append(dst, set...), set
		}
	}
	n, table := len(s), inverseOf("euc-jp")
	for i, r := range s {
		if r >= 0xFF61 && r <= 0xFF9F {
			r = halfwidth[r-0xFF61]
		}
		code := table.code(r)
		if r == 0x0E || r == 0x0F || r == 0x1B || r >= utf8.RuneSelf && code == 0 {
			n = i
			break
		}
		switch {
		case r < utf8.RuneSelf:
			if state != roman || r == '\\' || r == '~' {
				enter(ascii)
			}
			dst = append(dst, byte(r)) // #nosec G115 -- below 0x80
		case code < utf8.RuneSelf: // ¥ and ‾
			enter(roman)
			dst = append(dst, byte(code))
		default:
			enter(kanji)
			dst = appendCode(dst, code&0x7F7F)
		}
	}
	enter(ascii)
	return dst, n
}
