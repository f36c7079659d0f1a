// SPDX-License-Identifier: Apache-2.0

package cfb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Summary has the properties in a document's SummaryInformation stream
// ([MS-OLEPS] 3).
type Summary struct {
	Title, Subject, Author, Keywords, Comments string

	Created, Modified time.Time // zero if unknown

	Page int // its code page, which is that of the program; 1252 if it does not say
}

const maxProperties = 1000

// Summary reads the properties of a document. Properties that cannot be read
// are empty.
func (s *Storage) Summary() Summary {
	sum := Summary{Page: 1252}
	b := s.Stream("\x05SummaryInformation")
	if len(b) < 48 {
		return sum
	}
	at := int64(binary.LittleEndian.Uint32(b[44:]))
	if at+8 > int64(len(b)) {
		return sum
	}
	set := b[at:]
	for _, text := range []bool{false, true} { // the code page first
		for i := range min(int64(binary.LittleEndian.Uint32(set[4:])), maxProperties, int64(len(set)-8)/8) {
			id := binary.LittleEndian.Uint32(set[8+8*i:])
			v := int64(binary.LittleEndian.Uint32(set[12+8*i:]))
			if v+8 > int64(len(set)) {
				continue
			}
			value := set[v:]
			switch kind := binary.LittleEndian.Uint32(value); {
			case id == 1 && kind == 2:
				sum.Page = int(binary.LittleEndian.Uint16(value[4:]))
			case text && kind == 30:
				sum.text(id, Text(terminated(value[4:], 1), sum.Page))
			case text && kind == 31:
				sum.text(id, UTF16(terminated(value[4:], 2)))
			case text && kind == 64 && len(value) >= 12:
				sum.time(id, FileTime(binary.LittleEndian.Uint64(value[4:])))
			}
		}
	}
	return sum
}

func (s *Summary) text(id uint32, text string) {
	text = strings.TrimSpace(text)
	switch id {
	case 2:
		s.Title = text
	case 3:
		s.Subject = text
	case 4:
		s.Author = text
	case 5:
		s.Keywords = text
	case 6:
		s.Comments = text
	}
}

func (s *Summary) time(id uint32, t time.Time) {
	switch id {
	case 12:
		s.Created = t
	case 13:
		s.Modified = t
	}
}

// terminated returns a string with a length prefix, without its NUL. unit is
// the number of bytes of a length unit.
func terminated(b []byte, unit int) []byte {
	n := min(int64(binary.LittleEndian.Uint32(b))*int64(unit), int64(len(b)-4))
	b = b[4 : 4+n]
	if unit == 1 {
		b, _, _ = bytes.Cut(b, []byte{0})
	}
	return b
}

// UTF16 decodes little-endian UTF-16 up to a NUL.
func UTF16(b []byte) string {
	var short [64]byte
	text := short[:0]
	for i := 0; i+1 < len(b); i += 2 {
		u := binary.LittleEndian.Uint16(b[i:])
		if u == 0 {
			break
		}
		if u < utf8.RuneSelf {
			text = append(text, byte(u))
			continue
		}
		var next uint16
		if i+3 < len(b) {
			next = binary.LittleEndian.Uint16(b[i+2:])
		}
		var pair bool
		if text, pair = appendUnit(text, u, next); pair {
			i += 2
		}
	}
	return string(text)
}

// Decode decodes UTF-16.
func Decode(units []uint16) string {
	var short [128]byte
	text := short[:0]
	if len(units) > len(short) {
		text = make([]byte, 0, len(units))
	}
	for i := 0; i < len(units); i++ {
		if units[i] < utf8.RuneSelf {
			text = append(text, byte(units[i]))
			continue
		}
		var next uint16
		if i+1 < len(units) {
			next = units[i+1]
		}
		var pair bool
		if text, pair = appendUnit(text, units[i], next); pair {
			i++
		}
	}
	return string(text)
}

// appendUnit appends the character that begins with u, which may be a pair with the next unit. A
// surrogate without its other half becomes U+FFFD.
func appendUnit(text []byte, u, next uint16) (after []byte, pair bool) {
	r := rune(u)
	if utf16.IsSurrogate(r) {
		r = utf16.DecodeRune(r, rune(next))
		pair = r != utf8.RuneError
	}
	return utf8.AppendRune(text, r), pair
}

// FileTime converts t, in units of 100 ns since 1601, to UTC. It returns the
// zero time for dates that documents cannot have.
func FileTime(t uint64) time.Time {
	const second = 10_000_000
	const epoch = 11_644_473_600 // seconds from 1601 to 1970
	s := int64(t/second) - epoch //nolint:gosec // at most 2^64/10^7
	if s <= 0 || s > 1<<33 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// Moment formats the date of a Word comment ([MS-DOC] 2.9.67) in ISO 8601
// without a time zone. It returns "" for no date.
func Moment(v int64) string {
	month, day := v>>16&15, v>>11&31
	if month < 1 || month > 12 || day == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:00", 1900+v>>20&0x1FF, month, day, v>>6&31, v&63)
}
