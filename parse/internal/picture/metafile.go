// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/cfb"
)

// Bounds on the text of a metafile.
const (
	maxMetaRecords = 1 << 20
	maxMetaText    = 64 << 10 // bytes
)

// piece is a text that a metafile draws, with the point where it begins.
type piece struct {
	x, y int32
	text string
}

// IsMetafile reports whether b is a metafile of Windows: WMF or EMF.
func IsMetafile(b []byte) bool { return isEMF(b) || isWMF(b) }

func isEMF(b []byte) bool {
	return len(b) >= 88 && binary.LittleEndian.Uint32(b) == 1 && string(b[40:44]) == " EMF"
}

func isWMF(b []byte) bool {
	return len(b) >= 22 && (bytes.HasPrefix(b, []byte("\xD7\xCD\xC6\x9A")) || len(b) >= 18 && (b[0] == 1 || b[0] == 2) && b[1] == 0 && b[2] == 9 && b[3] == 0)
}

// MetafileText returns the lines of text that a WMF or EMF draws, from top to
// bottom. Pieces at one height are one line. It returns nil if b is not a metafile
// or has no text.
func MetafileText(b []byte) []string {
	var pieces []piece
	switch {
	case isEMF(b):
		pieces = emfText(b)
	case isWMF(b):
		pieces = wmfText(b)
	}
	sorting.Stable(pieces, func(a, b piece) int {
		if a.y != b.y {
			return int(min(max(int64(a.y)-int64(b.y), -1), 1))
		}
		return int(min(max(int64(a.x)-int64(b.x), -1), 1))
	})
	var lines []string
	size := 0
	for i, p := range pieces {
		if size += len(p.text) + 1; size > maxMetaText {
			break
		}
		if i > 0 && p.y == pieces[i-1].y {
			lines[len(lines)-1] += " " + p.text
			continue
		}
		lines = append(lines, p.text)
	}
	return lines
}

// Sizes of the shortest records with text, in bytes.
const (
	leastEMF = 52
	leastWMF = 14
)

// Textless reports whether a metafile certainly has no text. head is its beginning, and size
// its length in bytes. This is certain if the records that begin in head have no text, and
// what follows them is shorter than any record with text. Most metafiles in documents hold one large bitmap, which need not
// be decompressed then.
func Textless(head []byte, size int64) bool {
	at, short := int64(0), int64(8)
	least := int64(leastEMF)
	switch {
	case isEMF(head):
	case isWMF(head):
		at, short, least = 18, 6, leastWMF
		if bytes.HasPrefix(head, []byte("\xD7\xCD\xC6\x9A")) {
			at += 22
		}
	default:
		return false
	}
	for size-at >= least {
		if at+short > int64(len(head)) {
			return false
		}
		var length int64
		if least == leastEMF {
			kind := binary.LittleEndian.Uint32(head[at:])
			if length = int64(binary.LittleEndian.Uint32(head[at+4:])); kind == 83 || kind == 84 {
				return false
			}
		} else {
			kind := binary.LittleEndian.Uint16(head[at+4:])
			if length = 2 * int64(binary.LittleEndian.Uint32(head[at:])); kind == 0x0521 || kind == 0x0A32 {
				return false
			}
		}
		if length < short || length > size-at {
			return true // no record is read after this one
		}
		at += length
	}
	return true
}

// emfText reads the records of an EMF ([MS-EMF] 2.3.5.7, 2.3.5.8).
func emfText(b []byte) (pieces []piece) {
	for range maxMetaRecords {
		if len(b) < 8 {
			return pieces
		}
		kind, size := binary.LittleEndian.Uint32(b), int64(binary.LittleEndian.Uint32(b[4:]))
		if size < 8 || size > int64(len(b)) {
			return pieces
		}
		record := b[:size]
		b = b[size:]
		if kind != 83 && kind != 84 || size < 52 {
			continue
		}
		p := piece{x: int32(binary.LittleEndian.Uint32(record[36:])), y: int32(binary.LittleEndian.Uint32(record[40:]))} //nolint:gosec // signed in the file
		count, at := int64(binary.LittleEndian.Uint32(record[44:])), int64(binary.LittleEndian.Uint32(record[48:]))
		width := int64(kind - 82) // 1 for a code page, 2 for UTF-16
		if at < 52 || at+count*width > size {
			continue
		}
		raw := record[at : at+count*width]
		if kind == 83 {
			p.text = cfb.Text(raw, 1252)
		} else {
			p.text = cfb.UTF16(raw)
		}
		pieces = keep(pieces, p)
	}
	return pieces
}

// wmfText reads the records of a WMF ([MS-WMF] 2.3.3.5, 2.3.3.20).
func wmfText(b []byte) (pieces []piece) {
	if bytes.HasPrefix(b, []byte("\xD7\xCD\xC6\x9A")) {
		b = b[22:]
	}
	if len(b) < 18 {
		return nil
	}
	word := func(b []byte, at int) int32 { return int32(int16(binary.LittleEndian.Uint16(b[at:]))) } //nolint:gosec // signed in the file
	for b = b[18:]; len(b) >= 6 && len(pieces) < maxMetaRecords; {
		size, kind := 2*int64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint16(b[4:])
		if size < 6 || size > int64(len(b)) {
			return pieces
		}
		record := b[:size]
		b = b[size:]
		switch {
		case kind == 0x0521 && size >= 8: // the text, then its position
			n := int64(word(record, 6))
			end := 8 + n + n%2
			if n > 0 && end+4 <= size {
				pieces = keep(pieces, piece{word(record, int(end)+2), word(record, int(end)), cfb.Text(record[8:8+n], 1252)})
			}
		case kind == 0x0A32 && size >= 14: // its position, then the text
			n, from := int64(word(record, 10)), int64(14)
			if record[12]&6 != 0 { // with a rectangle
				from += 8
			}
			if n > 0 && from+n <= size {
				pieces = keep(pieces, piece{word(record, 8), word(record, 6), cfb.Text(record[from:from+n], 1252)})
			}
		}
	}
	return pieces
}

// keep appends p unless its text is blank.
func keep(pieces []piece, p piece) []piece {
	p.text = strings.Join(strings.FieldsFunc(p.text, func(r rune) bool { return r <= ' ' || r == 0xFFFD || utf16.IsSurrogate(r) }), " ")
	if p.text == "" {
		return pieces
	}
	return append(pieces, p)
}
