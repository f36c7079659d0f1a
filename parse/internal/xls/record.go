// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/curlew/parse/internal/cfb"
)

// Record types ([MS-XLS] 2.3).
const (
	rFormula    = 0x0006
	rEOF        = 0x000A
	rNote       = 0x001C
	rDateMode   = 0x0022
	rFilePass   = 0x002F
	rContinue   = 0x003C
	rCodePage   = 0x0042
	rObject     = 0x005D
	rColumns    = 0x007D
	rSheet      = 0x0085
	rFilterMode = 0x009B
	rMulRK      = 0x00BD
	rRString    = 0x00D6
	rFont       = 0x0031
	rXF         = 0x00E0
	rMerged     = 0x00E5
	rHeader     = 0x0014
	rFooter     = 0x0015
	rDrawing    = 0x00EC
	rPictures   = 0x00EB
	rSST        = 0x00FC
	rLabelSST   = 0x00FD
	rText       = 0x01B6
	rLink       = 0x01B8
	rNumber     = 0x0203
	rLabel      = 0x0204
	rBoolErr    = 0x0205
	rString     = 0x0207
	rRow        = 0x0208
	rRK         = 0x027E
	rFormat     = 0x041E
	rBOF        = 0x0809
)

// scanner reads the records of a stream.
type scanner struct {
	data []byte
	at   int

	seen    int // offset after the records that were checked
	strange int // records that are cut, have a wrong length or are of an unknown type
}

// next returns the next record. The last one may be cut.
func (s *scanner) next() (id uint16, b []byte, ok bool) {
	if s.at+4 > len(s.data) {
		return 0, nil, false
	}
	id = binary.LittleEndian.Uint16(s.data[s.at:])
	from := s.at + 4
	end := from + int(binary.LittleEndian.Uint16(s.data[s.at+2:]))
	if s.seen <= s.at { // not again
		s.seen = end
		size := cellSize(id)
		if end > len(s.data) || end-from > maxRecord || id == 0 || id > 0x08FF && id>>8 != 0x10 || size > 0 && end-from != size {
			s.strange++
		}
	}
	s.at = min(end, len(s.data))
	return id, s.data[from:s.at], true
}

// cellSize returns the length of a record of cells that always has the same, and 0 for others.
func cellSize(id uint16) int {
	switch id {
	case rNumber:
		return 14
	case rRK, rLabelSST:
		return 10
	case rBoolErr:
		return 8
	}
	return 0
}

// maxRecord is the maximum number of bytes of a record's data.
const maxRecord = 8224

// continued returns the Continue records after the last record.
func (s *scanner) continued() (pieces [][]byte) {
	for {
		at := s.at
		id, b, ok := s.next()
		if !ok || id != rContinue {
			s.at = at
			return pieces
		}
		pieces = append(pieces, b)
	}
}

func u16(b []byte, at int) int {
	if at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func u32(b []byte, at int) uint32 {
	if at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

func f64(b []byte, at int) float64 {
	if at+8 > len(b) {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
}

// rk decodes an RK value ([MS-XLS] 2.5.217).
func rk(v uint32) float64 {
	var f float64
	if v&2 != 0 {
		f = float64(int32(v) >> 2) //nolint:gosec // the sign is part of it
	} else {
		f = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		f /= 100
	}
	return f
}

// pieces is a record and its Continue records.
type pieces struct {
	rest   []byte
	more   [][]byte
	guides int // strings with phonetic guides
}

// step advances to the next piece. It returns false if there is none.
func (p *pieces) step() bool {
	for len(p.rest) == 0 {
		if len(p.more) == 0 {
			return false
		}
		p.rest, p.more = p.more[0], p.more[1:]
	}
	return true
}

// take returns n bytes, or fewer at the end.
func (p *pieces) take(n int) []byte {
	if len(p.rest) >= n {
		b := p.rest[:n]
		p.rest = p.rest[n:]
		return b
	}
	var b []byte
	for len(b) < n && p.step() {
		k := min(n-len(b), len(p.rest))
		b = append(b, p.rest[:k]...)
		p.rest = p.rest[k:]
	}
	return b
}

// skip skips n bytes.
func (p *pieces) skip(n int64) {
	for n > 0 && p.step() {
		k := min(n, int64(len(p.rest)))
		p.rest = p.rest[k:]
		n -= k
	}
}

// text appends count characters to dst as UTF-8. If the text continues in
// another piece, that piece begins with a byte for the character width.
func (p *pieces) text(dst []byte, count int, wide bool) []byte {
	dst = slices.Grow(dst, min(count, len(p.rest)))
	for count > 0 {
		if len(p.rest) == 0 {
			if !p.step() {
				return dst
			}
			wide = p.rest[0]&1 != 0
			p.rest = p.rest[1:]
		}
		if !wide {
			k := min(count, len(p.rest))
			for _, c := range p.rest[:k] {
				dst = utf8.AppendRune(dst, rune(c))
			}
			p.rest, count = p.rest[k:], count-k
			continue
		}
		k := min(count, len(p.rest)/2)
		if k == 0 {
			p.rest = nil
			continue
		}
		dst = appendUTF16(dst, p.rest[:2*k])
		p.rest, count = p.rest[2*k:], count-k
	}
	return dst
}

// appendUTF16 appends little-endian UTF-16 as UTF-8.
func appendUTF16(dst, b []byte) []byte {
	for i := 0; i+1 < len(b); i += 2 {
		r := rune(binary.LittleEndian.Uint16(b[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(b) {
			if both := utf16.DecodeRune(r, rune(binary.LittleEndian.Uint16(b[i+2:]))); both != utf8.RuneError {
				r = both
				i += 2
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unicode appends a string with options ([MS-XLS] 2.5.293). size is the
// number of bytes of its length field.
func (p *pieces) unicode(dst []byte, size int) []byte {
	head := p.take(size + 1)
	if len(head) <= size {
		return dst
	}
	count, flags := int(head[0]), head[size]
	if size == 2 {
		count = u16(head, 0)
	}
	runs, extra := 0, int64(0)
	if flags&8 != 0 {
		runs = u16(p.take(2), 0)
	}
	if flags&4 != 0 {
		extra = int64(u32(p.take(4), 0))
	}
	dst = p.text(dst, count, flags&1 != 0)
	p.skip(int64(4 * runs))
	const guideHead = 12 // the number of characters of the phonetic guide comes last
	if extra > guideHead {
		if head := p.take(guideHead); len(head) == guideHead && u16(head, 0) == 1 && u16(head, 10) > 0 {
			p.guides++
		}
		extra -= guideHead
	}
	p.skip(extra)
	return dst
}

// str reads the string at the start of b. size is the number of bytes of its
// length field.
func (r *reader) str(b []byte, size int) []byte {
	if r.unicode {
		p := pieces{rest: b}
		return p.unicode(nil, size)
	}
	if len(b) < size {
		return nil
	}
	count := int(b[0])
	if size == 2 {
		count = u16(b, 0)
	}
	return []byte(r.narrow(b[size:min(size+count, len(b))]))
}

// narrow decodes a text of BIFF5 or older.
func (r *reader) narrow(b []byte) string {
	if !r.paged {
		for _, c := range b {
			if c >= 0x80 {
				r.guessed++
			}
		}
	}
	return cfb.Text(b, r.page)
}
