// SPDX-License-Identifier: Apache-2.0

// Package charset reads and writes text in the encodings of the Encoding Standard
// (https://encoding.spec.whatwg.org), as browsers do.
//
// The packages in golang.org/x/text/encoding are not used. Each of their decoders
// links its encoder and both tables (0.6 MB together), they lose an ASCII letter
// after a wrong first byte, which browsers keep, and they do not know the codes that
// GB18030 has had since 2022. Tests compare the two.
package charset

import (
	"io"
	"unicode/utf8"
)

// Decode returns b as UTF-8. name is the WHATWG name of its encoding, as [Name]
// returns it. Bytes that are not in the encoding become U+FFFD, as section 4.1
// of the standard describes ("replacement" as error mode). Decode treats a byte
// order mark like other characters. If the name is unknown, b is read as UTF-8.
func Decode(name string, b []byte) string {
	out, _ := decoderOf(name)(make([]byte, 0, len(b)+len(b)/2), b, true)
	return string(out)
}

// NewReader returns what r contains as UTF-8, like [Decode].
func NewReader(name string, r io.Reader) io.Reader {
	return &reader{source: r, decode: decoderOf(name)}
}

// A decoder appends text to dst as UTF-8, and returns how many bytes of src it has
// read. Unless src is the last part of the text, it does not read a character that is
// incomplete at the end of src, which has at most three bytes. The next call gets
// them again.
type decoder func(dst, src []byte, last bool) (out []byte, read int)

// decoderOf returns a decoder for one text.
func decoderOf(name string) decoder {
	switch name {
	case "utf-16be":
		return decodeUTF16(0, 1)
	case "utf-16le":
		return decodeUTF16(1, 0)
	case "gbk", "gb18030":
		return decodeGB18030(indexGB18030.read())
	case "big5":
		return decodeBig5(indexBig5.read())
	case "euc-jp":
		return decodeEUCJP(indexJIS0208.read(), indexJIS0212.read())
	case "iso-2022-jp":
		return decodeISO2022JP(indexJIS0208.read())
	case "shift_jis":
		return decodeShiftJIS(indexJIS0208.read())
	case "euc-kr":
		return decodeEUCKR(indexEUCKR.read())
	}
	if letters := singleByte(name); letters != nil {
		return decodeSingleByte(letters)
	}
	return decodeUTF8
}

// A reader decodes the bytes of source.
type reader struct {
	source  io.Reader
	decode  decoder
	buffer  [4096]byte
	waiting int    // number of bytes in buffer
	text    []byte // decoded
	next    int    // index of the first byte of text that was not returned
	err     error
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	for attempts := 0; r.next == len(r.text); attempts++ {
		if r.err != nil {
			return 0, r.err
		}
		if attempts == 100 {
			return 0, io.ErrNoProgress
		}
		n, err := r.source.Read(r.buffer[r.waiting:])
		r.waiting, r.err = r.waiting+n, err
		text, read := r.decode(r.text[:0], r.buffer[:r.waiting], err == io.EOF)
		r.text, r.next = text, 0
		r.waiting = copy(r.buffer[:], r.buffer[read:r.waiting])
	}
	n := copy(p, r.text[r.next:])
	r.next += n
	return n, nil
}

// decodeUTF8 is the decoder of section 8.1.1. It writes U+FFFD for each longest
// beginning of a character, and for each other byte.
func decodeUTF8(dst, src []byte, last bool) ([]byte, int) {
	if utf8.Valid(src) {
		return append(dst, src...), len(src)
	}
	from := 0 // index of the first byte that was not appended
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, src[from:i]...)
			if !last && !utf8.FullRune(src[i:]) {
				return dst, i
			}
			dst = utf8.AppendRune(dst, utf8.RuneError)
			size = beginning(src[i:])
			from = i + size
		}
		i += size
	}
	return append(dst, src[from:]...), len(src)
}

// beginning returns the length of the longest part at the start of b that is the
// beginning of a character in UTF-8, or 1.
func beginning(b []byte) int {
	n := 1
	for n < len(b) && n < 4 && !utf8.FullRune(b[:n]) {
		n++
	}
	if n > 1 && utf8.FullRune(b[:n]) { // b[n-1] is the first byte that is wrong
		n--
	}
	return n
}

// decodeUTF16 returns the decoder of section 14.2. high and low are the indexes of the
// bytes of a code unit.
func decodeUTF16(high, low int) decoder {
	unit := func(b []byte) rune { return rune(b[high])<<8 | rune(b[low]) }
	return func(dst, src []byte, last bool) ([]byte, int) {
		i := 0
		for ; i+2 <= len(src); i += 2 {
			c := unit(src[i:])
			switch {
			case c < 0xD800 || c > 0xDFFF:
			case c > 0xDBFF:
				c = utf8.RuneError
			case i+4 <= len(src):
				if second := unit(src[i+2:]); second >= 0xDC00 && second <= 0xDFFF {
					c = 0x10000 + (c-0xD800)<<10 + second - 0xDC00
					i += 2
				} else {
					c = utf8.RuneError
				}
			case last:
				return utf8.AppendRune(dst, utf8.RuneError), len(src)
			default:
				return dst, i
			}
			dst = utf8.AppendRune(dst, c)
		}
		if last && i < len(src) {
			return utf8.AppendRune(dst, utf8.RuneError), len(src)
		}
		return dst, i
	}
}

// decodeSingleByte returns the decoder of section 9.1. letters are the characters of
// the bytes from 0x80 on.
func decodeSingleByte(letters []rune) decoder {
	return func(dst, src []byte, _ bool) ([]byte, int) {
		for _, c := range src {
			if c < utf8.RuneSelf {
				dst = append(dst, c)
			} else if r := letters[c-0x80]; r >= utf8.RuneSelf && r < 0x800 { // most letters; AppendRune is slower
				dst = append(dst, 0xC0|byte(r>>6), 0x80|byte(r&0x3F))
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
		return dst, len(src)
	}
}

// singleByte returns the characters that the bytes from 0x80 on have in an encoding,
// with U+FFFD where there is none. It returns nil for an encoding that is not one of those
// with one byte for each character.
func singleByte(name string) []rune {
	switch name {
	case "x-user-defined": // section 14.5
		letters := make([]rune, 128)
		for i := range letters {
			letters[i] = 0xF780 + rune(i)
		}
		return letters
	case "iso-8859-8-i":
		name = "iso-8859-8"
	}
	for i, encoding := range singles {
		if encoding == name {
			return indexSingle.read()[i*128:][:128]
		}
	}
	return nil
}

// singles are the encodings with one byte for each character, in the order of their
// index.
var singles = [...]string{
	"ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
	"iso-8859-8", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
	"koi8-r", "koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251",
	"windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
	"windows-1257", "windows-1258", "x-mac-cyrillic",
}
