// SPDX-License-Identifier: Apache-2.0

package mathtex

import (
	"encoding/binary"

	"example.com/curlew/internal/zipxml"
)

// MTEF returns the formula of a stream "Equation Native", which MathType and the
// Equation Editor of Office write, as TeX. It reads the versions 3 to 5 of the format
// MTEF. The result is "" if the stream is damaged or has a part that has no equivalent
// in TeX, so that no wrong formula is returned.
func MTEF(stream []byte) string {
	if len(stream) < 28 {
		return ""
	}
	header := int(binary.LittleEndian.Uint16(stream))
	if header < 28 || header > len(stream) {
		return ""
	}
	r := &mtef{data: stream[header:], left: maxNodes}
	version := r.byte()
	r.old = version < 5
	r.skip(4) // platform, product and its version
	switch version {
	case 3, 4:
	case 5:
		r.name()  // application
		r.skip(1) // options
	default:
		return ""
	}
	parts := r.list(0)
	e := &equation{old: r.old}
	content := e.line(parts)
	if r.bad || e.bad {
		return ""
	}
	return OMML(zipxml.New("m:oMath", nil, content...))
}

// maxMTEF is the maximum depth of lists in a formula.
const maxMTEF = 48

// Records of MTEF. Others have no content.
const (
	mtefEnd    = 0
	mtefLine   = 1
	mtefChar   = 2
	mtefTmpl   = 3
	mtefPile   = 4
	mtefMatrix = 5
	mtefEmbell = 6
)

// part is a record with content.
type part struct {
	kind      byte
	face      byte // style of a character
	selector  byte // which template it is
	mark      byte // which embellishment it is
	columns   byte // of a matrix
	code      rune // of a character
	variation int
	parts     []part // a line without them is an empty slot
}

// mtef reads records.
type mtef struct {
	data []byte
	old  bool // version 3 or 4
	bad  bool // the stream is damaged or exceeds a limit
	left int  // records that may still be read
}

func (r *mtef) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *mtef) word() int { return int(r.byte()) | int(r.byte())<<8 }

func (r *mtef) skip(n int) {
	if n > len(r.data) {
		r.bad, n = true, len(r.data)
	}
	r.data = r.data[n:]
}

// number reads an integer of one byte, or of two bytes after a byte of ones.
func (r *mtef) number() int {
	if n := r.byte(); n < 0xFF {
		return int(n)
	}
	return r.word()
}

// name skips a text that a zero ends.
func (r *mtef) name() {
	for r.byte() != 0 {
	}
}

// list reads records up to the end of their list. The outermost list ends with the
// stream, because LibreOffice writes an end too many after each embellishment.
func (r *mtef) list(depth int) (parts []part) {
	if depth > maxMTEF {
		r.bad = true
	}
	for !r.bad && (depth > 0 || len(r.data) > 0) {
		if r.left--; r.left < 0 {
			r.bad = true
			break
		}
		kind := r.byte()
		options := kind >> 4
		if r.old {
			kind &= 15
		}
		switch {
		case r.bad || kind == mtefEnd && depth > 0:
			return parts
		case kind == mtefEnd:
		case kind <= mtefEmbell:
			if !r.old {
				options = r.byte()
			}
			r.nudge(options)
			parts = append(parts, r.part(kind, options, depth))
		default:
			r.other(kind)
		}
	}
	return parts
}

// part reads the rest of a record with content.
func (r *mtef) part(kind, options byte, depth int) part {
	p := part{kind: kind}
	switch kind {
	case mtefLine:
		if options&4 != 0 {
			r.skip(2) // spacing
		}
		r.ruler(options)
		if options&1 == 0 {
			p.parts = r.list(depth + 1)
		}
	case mtefChar:
		r.char(&p, options, depth)
	case mtefTmpl:
		p.selector, p.variation = r.byte(), int(r.byte())
		if !r.old && p.variation&0x80 != 0 {
			p.variation = p.variation&0x7F | int(r.byte())<<8
		}
		r.skip(1) // options
		p.parts = r.list(depth + 1)
	case mtefPile:
		r.skip(2) // alignment
		r.ruler(options)
		p.parts = r.list(depth + 1)
	case mtefMatrix:
		r.skip(3) // alignment
		rows := int(r.byte())
		p.columns = r.byte()
		r.skip((2*(rows+1)+7)/8 + (2*(int(p.columns)+1)+7)/8) // lines between cells
		p.parts = r.list(depth + 1)
	case mtefEmbell:
		p.mark = r.byte()
	}
	return p
}

// nudge skips by how much a part was moved, in bytes or in words.
func (r *mtef) nudge(options byte) {
	if options&8 == 0 {
		return
	}
	if r.word() == 128<<8|128 {
		r.skip(4)
	}
}

// ruler skips the tabulator stops of a line.
func (r *mtef) ruler(options byte) {
	if options&2 == 0 {
		return
	}
	if !r.old || len(r.data) > 0 && r.data[0]&15 == 7 {
		r.skip(1) // the type of its record
	}
	r.skip(3 * int(r.byte()))
}

// char reads a character and the marks on it.
func (r *mtef) char(p *part, options byte, depth int) {
	p.face = r.byte() - 128
	embellished := options&1 != 0
	if r.old {
		embellished = options&2 != 0
	}
	if r.old || options&0x20 == 0 {
		p.code = rune(r.word()) //nolint:gosec // 16 bits
	}
	if !r.old && options&4 != 0 {
		r.skip(1) // code in its font
	}
	if !r.old && options&0x10 != 0 {
		r.skip(2) // the same
	}
	if embellished {
		p.parts = r.list(depth + 1)
	}
}

// other skips a record without content.
func (r *mtef) other(kind byte) {
	switch kind {
	case 7: // ruler
		r.skip(3 * int(r.byte()))
	case 8: // font or style
		if r.old {
			r.skip(2)
			r.name()
			return
		}
		r.number()
		r.skip(1)
	case 9: // size
		switch r.byte() {
		case 101:
			r.skip(2)
		case 100:
			r.skip(3)
		default:
			r.skip(1)
		}
	case 10, 11, 12, 13, 14: // sizes by name
	case 15: // color, or in old versions a record that they do not know
		r.number()
	case 16:
		r.color()
	case 17: // font
		r.number()
		r.name()
	case 18:
		r.preferences()
	case 19: // encoding
		r.name()
	default:
		if kind < 100 {
			r.bad = true
			return
		}
		r.skip(r.number())
	}
}

// color skips the definition of a color.
func (r *mtef) color() {
	options := r.byte()
	r.skip(6)
	if options&1 != 0 {
		r.skip(2)
	}
	if options&4 != 0 {
		r.name()
	}
}

// preferences skips sizes, spaces and styles.
func (r *mtef) preferences() {
	r.skip(1)
	for range 2 {
		half := false // a byte has two digits, and the digit 15 ends a value
		digit := byte(0)
		for values := r.byte(); values > 0 && !r.bad; {
			if half = !half; half {
				digit = r.byte()
			}
			if digit>>4 == 15 {
				values--
			}
			digit <<= 4
		}
	}
	for range r.byte() {
		if r.number() != 0 {
			r.skip(1)
		}
	}
}
