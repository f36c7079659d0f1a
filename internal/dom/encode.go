// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encoder returns a function that encodes text, which is needed for the queries
// of links. name is the WHATWG name of the encoding as [Decode] returns it. The
// function appends s to dst and returns how many bytes of s it has encoded. If
// n < len(s), the character at s[n:] is not in the encoding. Encoder returns
// nil for UTF-8, for encodings that write UTF-8 instead (UTF-16, replacement;
// Encoding Standard 4.3), and for an unknown name. The function is safe for
// concurrent use.
func Encoder(name string) func(dst []byte, s string) (out []byte, n int) {
	if name == "" || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return nil
	}
	name = canonical(name)
	if name == "iso-2022-jp" {
		return encodeISO2022JP
	}
	var encode func(dst []byte, r rune) []byte
	if table, ok := byName(name).(*charmap.Charmap); ok {
		encode = func(dst []byte, r rune) []byte {
			if b, ok := table.EncodeRune(r); ok {
				dst = append(dst, b)
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

// inverses are the encoders that were needed, by name. There is no initial value, so that
// programs which never encode do not contain the tables of the decoders.
var inverses struct {
	mu     sync.Mutex
	byName map[string]inverse
}

// inverseOf returns the encoder of an encoding with several bytes and without states. It is
// computed from the decoder when it is first needed, which takes some milliseconds. The encoders
// of x/text are not used, because they write thousands of codes that browsers only read.
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
	decoder := byName(name).NewDecoder()
	if name == "gbk" || name == "gb18030" {
		all = append(all, amended...)
	}
	add := func(code uint32) {
		var in, out [16]byte
		n, _, err := decoder.Transform(out[:], appendCode(in[:0], code), true)
		char, size := utf8.DecodeRune(out[:n])
		if err == nil && size == n && char >= utf8.RuneSelf && (char != utf8.RuneError || code == 0x8431A437) && !onlyDecoded(name, char, code) {
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
	if name == "shift_jis" || name == "euc-jp" { // Encoding Standard 12.1.2 and 12.3.2
		minus := all[slices.IndexFunc(all, func(m mapping) bool { return m.char == '－' })].code
		all = append(all, mapping{'¥', '\\'}, mapping{'‾', '~'}, mapping{'−', minus})
	}
	slices.SortStableFunc(all, func(a, b mapping) int { return cmp.Compare(a.char, b.char) })
	return all
}

// amended are the codes of GB18030-2022, which decoders read as characters for private use
// (10.2.2, index gb18030 ranges pointer).
var amended = inverse{
	{0x1E3F, 0xA8BC},
	{0x9FB4, 0xFE59},
	{0x9FB5, 0xFE61},
	{0x9FB6, 0xFE66},
	{0x9FB7, 0xFE67},
	{0x9FB8, 0xFE6D},
	{0x9FB9, 0xFE7E},
	{0x9FBA, 0xFE90},
	{0x9FBB, 0xFEA0},
	{0xFE10, 0xA6D9},
	{0xFE11, 0xA6DB},
	{0xFE12, 0xA6DA},
	{0xFE13, 0xA6DC},
	{0xFE14, 0xA6DD},
	{0xFE15, 0xA6DE},
	{0xFE16, 0xA6DF},
	{0xFE17, 0xA6EC},
	{0xFE18, 0xA6ED},
	{0xFE19, 0xA6F3},
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

// fourBytes returns the code of four bytes for a pointer (Encoding Standard 10.2.2).
func fourBytes(pointer uint32) uint32 {
	return (0x81+pointer/12600)<<24 | (0x30+pointer/1260%10)<<16 | (0x81+pointer/10%126)<<8 | (0x30 + pointer%10)
}

// halfwidth are the characters that ISO-2022-JP has for U+FF61 to U+FF9F (index ISO-2022-JP
// katakana).
var halfwidth = []rune("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜")

// encodeISO2022JP is the function of [Encoder] for ISO-2022-JP (Encoding Standard 12.2.2), whose
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
