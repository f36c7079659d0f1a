// SPDX-License-Identifier: Apache-2.0

package jbig2

// arith is the decoder of annex E.
type arith struct {
	data []byte
	at   int // of the byte in use
	over int // how often it was asked for bytes after the last
	c, a uint32
	ct   int
}

// newArith starts a decoder on data (E.3.5).
func newArith(data []byte) *arith {
	d := &arith{data: data, a: 0x8000}
	d.c = uint32(d.byte(0)) << 16
	d.fill()
	d.c <<= 7
	d.ct -= 7
	return d
}

// byte returns a byte of the data, ones after its end: an encoder may leave
// them out.
func (d *arith) byte(i int) byte {
	if i < len(d.data) {
		return d.data[i]
	}
	return 0xff
}

// slack is how many bytes after the last a decoder may ask for: an encoder may
// leave out some, and a few bits are many white pixels.
const slack = 1 << 10

// ended says whether what is decoded is made of nothing.
func (d *arith) ended() bool { return d.over > slack }

// fill is BYTEIN of E.3.4.
func (d *arith) fill() {
	if d.byte(d.at) == 0xff {
		if d.byte(d.at+1) > 0x8f {
			d.c += 0xff00
			d.ct = 8
			d.over++
			return
		}
		d.at++
		d.c += uint32(d.byte(d.at)) << 9
		d.ct = 7
		return
	}
	d.at++
	d.c += uint32(d.byte(d.at)) << 8
	d.ct = 8
}

// state is that of one context: an index into estimates, and the more
// probable value in the lowest bit.
type state uint8

// bit decodes one decision (E.3.2).
func (d *arith) bit(cx *state) int {
	s := &estimates[*cx>>1]
	mps := int(*cx & 1)
	d.a -= s.qe
	v := mps
	if d.c>>16 < s.qe {
		if d.a < s.qe {
			*cx = s.mps<<1 | *cx&1
		} else {
			v = 1 - mps
			*cx = s.lps<<1 | (*cx&1 ^ s.turn)
		}
		d.a = s.qe
	} else {
		d.c -= s.qe << 16
		if d.a&0x8000 != 0 {
			return v
		}
		if d.a < s.qe {
			v = 1 - mps
			*cx = s.lps<<1 | (*cx&1 ^ s.turn)
		} else {
			*cx = s.mps<<1 | *cx&1
		}
	}
	for {
		if d.ct == 0 {
			d.fill()
		}
		d.a <<= 1
		d.c <<= 1
		d.ct--
		if d.a&0x8000 != 0 {
			return v
		}
	}
}

// estimates is table E.1.
var estimates = [47]struct {
	qe             uint32
	mps, lps, turn state
}{
	{0x5601, 1, 1, 1},
	{0x3401, 2, 6, 0},
	{0x1801, 3, 9, 0},
	{0x0ac1, 4, 12, 0},
	{0x0521, 5, 29, 0},
	{0x0221, 38, 33, 0},
	{0x5601, 7, 6, 1},
	{0x5401, 8, 14, 0},
	{0x4801, 9, 14, 0},
	{0x3801, 10, 14, 0},
	{0x3001, 11, 17, 0},
	{0x2401, 12, 18, 0},
	{0x1c01, 13, 20, 0},
	{0x1601, 29, 21, 0},
	{0x5601, 15, 14, 1},
	{0x5401, 16, 14, 0},
	{0x5101, 17, 15, 0},
	{0x4801, 18, 16, 0},
	{0x3801, 19, 17, 0},
	{0x3401, 20, 18, 0},
	{0x3001, 21, 19, 0},
	{0x2801, 22, 19, 0},
	{0x2401, 23, 20, 0},
	{0x2201, 24, 21, 0},
	{0x1c01, 25, 22, 0},
	{0x1801, 26, 23, 0},
	{0x1601, 27, 24, 0},
	{0x1401, 28, 25, 0},
	{0x1201, 29, 26, 0},
	{0x1101, 30, 27, 0},
	{0x0ac1, 31, 28, 0},
	{0x09c1, 32, 29, 0},
	{0x08a1, 33, 30, 0},
	{0x0521, 34, 31, 0},
	{0x0441, 35, 32, 0},
	{0x02a1, 36, 33, 0},
	{0x0221, 37, 34, 0},
	{0x0141, 38, 35, 0},
	{0x0111, 39, 36, 0},
	{0x0085, 40, 37, 0},
	{0x0049, 41, 38, 0},
	{0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0},
	{0x0009, 44, 41, 0},
	{0x0005, 45, 42, 0},
	{0x0001, 45, 43, 0},
	{0x5601, 46, 46, 0},
}

// numbers are the contexts of one integer decoding procedure (annex A).
type numbers [512]state

// ranges are the forms of a number: bits of the value, and what is added.
var ranges = [6]struct{ bits, from int }{{2, 0}, {4, 4}, {6, 20}, {8, 84}, {12, 340}, {32, 4436}}

// number decodes an integer (A.2); false for the out-of-band value.
func (d *arith) number(cx *numbers) (int, bool) {
	prev := 1
	bit := func() int {
		v := d.bit(&cx[prev])
		if prev = prev<<1 | v; prev >= 512 {
			prev = prev&511 | 256
		}
		return v
	}
	negative := bit() == 1
	form := 0
	for form < len(ranges)-1 && bit() == 1 {
		form++
	}
	v := 0
	for range ranges[form].bits {
		v = v<<1 | bit()
	}
	v += ranges[form].from
	if !negative {
		return v, true
	}
	return -v, v != 0
}

// symbol decodes the number of a symbol in size bits (A.3); cx has a context
// for each of 2^size.
func (d *arith) symbol(cx []state, size int) int {
	prev := 1
	for range size {
		prev = prev<<1 | d.bit(&cx[prev])
	}
	return prev - 1<<size
}
