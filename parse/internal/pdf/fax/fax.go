// SPDX-License-Identifier: Apache-2.0

// Package fax decodes bitmaps in CCITT Group 3 and Group 4 encoding (ITU-T
// T.4 and T.6; ISO 32000-1, 7.4.6).
package fax

import "slices"

// Params are the parameters of the encoding. Columns must be set; the other
// zero values mean Group 3 with one-dimensional encoding.
type Params struct {
	K             int  // negative: Group 4; 0: Group 3, one-dimensional; positive: Group 3, mixed one- and two-dimensional
	Columns, Rows int  // size of the bitmap in pixels; Rows 0 means up to the end of the data
	EndOfLine     bool // each line of Group 3 has an end-of-line code; only used to resolve an ambiguity of ByteAlign
	ByteAlign     bool // each line begins at a byte boundary
	Pixels        int  // maximum number of pixels that are decoded
}

// Bitmap is the decoded bitmap with one byte per pixel, 1 for black, row by
// row.
type Bitmap struct {
	Pix  []byte
	Rows int
	Used int // number of bytes of the data that were read, including the end code
}

// Decode decodes the rows in data. An error ends a Group 4 bitmap, but in
// Group 3 only the damaged line is lost. The result can have fewer than
// p.Rows rows.
func Decode(data []byte, p Params) Bitmap {
	if p.Columns <= 0 || p.Columns > p.Pixels {
		return Bitmap{}
	}
	most := p.Pixels / p.Columns
	if p.Rows > 0 {
		most = min(most, p.Rows)
	}
	d := decoder{data: data, columns: p.Columns}
	var out Bitmap
	for out.Rows < most && d.row(p) {
		out.Pix = paint(out.Pix, d.now, p.Columns)
		out.Rows++
	}
	if p.K < 0 {
		if p.ByteAlign {
			d.align()
		}
		if d.peek(24) == 0x001001 { // end of facsimile block (EOFB)
			d.at += 24
		}
	}
	out.Used = min((d.at+7)/8, len(data))
	return out
}

// paint appends a row to pix. changes are the columns at which the colour
// changes.
func paint(pix []byte, changes []int, columns int) []byte {
	start := len(pix)
	pix = slices.Grow(pix, columns)[:start+columns]
	row := pix[start:]
	clear(row)
	for i := 0; i < len(changes); i += 2 {
		end := columns
		if i+1 < len(changes) {
			end = changes[i+1]
		}
		for x := changes[i]; x < end; x++ {
			row[x] = 1
		}
	}
	return pix
}

// decoder reads one row after another. A row is represented by the ascending
// columns of its changing elements, beginning with the first black pixel. A
// change at the right edge is not included.
type decoder struct {
	data      []byte
	at        int // position in bits
	columns   int
	now, last []int // this row and the row above
}

// peek returns the next n bits without consuming them. After the end of the
// data it returns zeros.
func (d *decoder) peek(n int) int {
	v := 0
	at := d.at / 8
	for i := range 5 {
		v <<= 8
		if at+i < len(d.data) {
			v |= int(d.data[at+i])
		}
	}
	return v >> (40 - d.at%8 - n) & (1<<n - 1)
}

func (d *decoder) ended() bool { return d.at >= 8*len(d.data) }

// code reads one code of t, or returns false if the next bits are not a valid
// code.
func (d *decoder) code(t *table) (int, bool) {
	c := t[d.peek(maxCode)]
	d.at += int(c.size)
	return int(c.value), c.size > 0
}

// row reads the next row. It returns false if there is none.
func (d *decoder) row(p Params) bool {
	d.now, d.last = d.last[:0], d.now
	if p.K < 0 {
		if p.ByteAlign {
			d.align()
		}
		return d.peek(12) != 1 && d.flat()
	}
	if p.ByteAlign && !p.EndOfLine {
		d.align()
	}
	marks, tag := 0, 1
	for d.mark(p.ByteAlign && p.EndOfLine) {
		if marks++; p.K > 0 {
			tag = d.bit()
		}
	}
	if marks == 0 && p.K > 0 {
		tag = d.bit()
	}
	if marks > 1 || d.ended() { // consecutive end-of-line codes end the page
		return false
	}
	read := d.line
	if tag == 0 {
		read = d.flat
	}
	if !read() {
		d.skip()
	}
	return true
}

func (d *decoder) align() { d.at = (d.at + 7) &^ 7 }

func (d *decoder) bit() int {
	v := d.peek(1)
	d.at++
	return v
}

// mark reads an end-of-line code: at least eleven zeros and a one. If
// aligned is set, the code must end at a byte boundary. mark returns false
// if the next code is not an end-of-line code.
func (d *decoder) mark(aligned bool) bool {
	if d.peek(11) != 0 {
		return false
	}
	at := d.at + 11
	for ; at < 8*len(d.data); at++ {
		if d.data[at/8]>>(7-at%8)&1 == 1 {
			if aligned && at%8 != 7 {
				return false
			}
			d.at = at + 1
			return true
		}
	}
	d.at = at
	return false
}

// skip advances to the next end-of-line code.
func (d *decoder) skip() {
	for d.at++; !d.ended() && d.peek(11) != 0; {
		d.at++
	}
}

// change records that the colour changes at column x. Two changes at the
// same column cancel each other.
func (d *decoder) change(x int) {
	switch n := len(d.now); {
	case n > 0 && d.now[n-1] >= x:
		d.now = d.now[:n-1]
	case x < d.columns:
		d.now = append(d.now, x)
	}
}

// run reads a run length, or returns false if the code is invalid.
func (d *decoder) run(black bool) (int, bool) {
	t := whites()
	if black {
		t = blacks()
	}
	for length := 0; length <= d.columns; {
		n, ok := d.code(t)
		if length += n; !ok || n < 64 {
			return length, ok
		}
	}
	return d.columns, true
}

// line reads a row in one-dimensional encoding. It returns false if the row
// is damaged.
func (d *decoder) line() bool {
	for x, black := 0, false; x < d.columns; black = !black {
		n, ok := d.run(black)
		if !ok {
			return false
		}
		x += n
		d.change(x)
	}
	return true
}

// flat reads a row in two-dimensional encoding, which refers to the row
// above. It returns false if the row is damaged. The names a0, b1 and so on
// are those of T.4, 4.2.1.
func (d *decoder) flat() bool {
	black := false
	for a0, i := -1, 0; a0 < d.columns; {
		for i = min(i, len(d.last)); i > 0 && d.last[i-1] > a0; {
			i--
		}
		for i < len(d.last) && d.last[i] <= a0 {
			i++
		}
		if (i%2 == 1) != black {
			i++
		}
		b1, b2 := d.above(i), d.above(i+1)
		mode, ok := d.code(modes())
		if !ok {
			return false
		}
		switch mode {
		case pass:
			a0 = b2
		case horizontal:
			a0 = max(a0, 0)
			for _, colour := range [2]bool{black, !black} {
				n, ok := d.run(colour)
				if !ok {
					return false
				}
				a0 = min(a0+n, d.columns)
				d.change(a0)
			}
		default:
			a1 := b1 + [...]int{vertical0: 0, right1: 1, right2: 2, right3: 3, left1: -1, left2: -2, left3: -3}[mode]
			if a1 < max(a0, 0) {
				return false
			}
			a0, black = a1, !black
			d.change(a1)
		}
	}
	return true
}

// above returns the column of the i-th changing element of the row above, or
// the right edge after the last one.
func (d *decoder) above(i int) int {
	if i < len(d.last) {
		return d.last[i]
	}
	return d.columns
}
