// SPDX-License-Identifier: Apache-2.0

package jbig2_test

import (
	"encoding/binary"

	"example.com/curlew/parse/internal/pdf/jbig2"
	"example.com/curlew/parse/internal/pdf/mq"
)

// encoder is the arithmetic encoder of annex E.2 (ITU-T T.88, figures E.3 to
// E.12). Contexts are identified by name.
type encoder struct {
	out    []byte // the first byte is not part of the output
	a, c   uint32
	ct     int
	states map[any]mq.State
}

func newEncoder() *encoder {
	return &encoder{out: []byte{0}, a: 0x8000, ct: 12, states: map[any]mq.State{}}
}

func (e *encoder) bit(cx any, v int) {
	s := e.states[cx]
	qe := s.Qe()
	e.a -= qe
	if v == s.Value() {
		if e.a&0x8000 != 0 {
			e.c += qe
			return
		}
		if e.a < qe {
			e.a = qe
		} else {
			e.c += qe
		}
	} else {
		if e.a < qe {
			e.c += qe
		} else {
			e.a = qe
		}
	}
	e.states[cx] = s.Next(v)
	for {
		e.a <<= 1
		e.c <<= 1
		if e.ct--; e.ct == 0 {
			e.flush()
		}
		if e.a&0x8000 != 0 {
			return
		}
	}
}

// flush is the procedure BYTEOUT.
func (e *encoder) flush() {
	last := &e.out[len(e.out)-1]
	if *last != 0xff && e.c >= 0x8000000 {
		if *last++; *last == 0xff {
			e.c &= 0x7ffffff
		}
	}
	if *last == 0xff {
		e.out, e.c, e.ct = append(e.out, byte(e.c>>20)), e.c&0xfffff, 7
		return
	}
	e.out, e.c, e.ct = append(e.out, byte(e.c>>19)), e.c&0x7ffff, 8
}

// end finishes the encoding and returns the data.
func (e *encoder) end() []byte {
	most := e.c + e.a
	if e.c |= 0xffff; e.c >= most {
		e.c -= 0x8000
	}
	e.c <<= e.ct
	e.flush()
	e.c <<= e.ct
	e.flush()
	if e.out[len(e.out)-1] != 0xff {
		e.out = append(e.out, 0xff)
	}
	return append(e.out[1:], 0xac)
}

type numberContext struct {
	name string
	prev int
}

// number encodes an integer, or the out-of-band value if v is nil (A.2).
func (e *encoder) number(name string, v *int) {
	prev := 1
	bit := func(b int) {
		e.bit(numberContext{name, prev}, b)
		if prev = prev<<1 | b; prev >= 512 {
			prev = prev&511 | 256
		}
	}
	if v == nil {
		for _, b := range []int{1, 0, 0, 0} { // the out-of-band value is encoded as negative zero
			bit(b)
		}
		return
	}
	n := *v
	if n < 0 {
		bit(1)
		n = -n
	} else {
		bit(0)
	}
	forms := []struct{ bits, from int }{{2, 0}, {4, 4}, {6, 20}, {8, 84}, {12, 340}, {32, 4436}}
	form := 0
	for form < 5 && n >= forms[form+1].from {
		bit(1)
		form++
	}
	if form < 5 {
		bit(0)
	}
	for i := forms[form].bits - 1; i >= 0; i-- {
		bit((n - forms[form].from) >> i & 1)
	}
}

// symbol encodes a symbol ID (A.3).
func (e *encoder) symbol(v, size int) {
	prev := 1
	for i := size - 1; i >= 0; i-- {
		b := v >> i & 1
		e.bit(numberContext{"symbol", prev}, b)
		prev = prev<<1 | b
	}
}

type pixelContext struct {
	name    string
	context int
}

// templates are the templates of figures 3 to 6: pixel by pixel from the
// lowest bit of the context. Numbers stand for adaptive pixels.
var templates = [4][]any{
	{"-1 0", "-2 0", "-3 0", "-4 0", 0, "2 -1", "1 -1", "0 -1", "-1 -1", "-2 -1", 1, 2, "1 -2", "0 -2", "-1 -2", 3},
	{"-1 0", "-2 0", "-3 0", 0, "2 -1", "1 -1", "0 -1", "-1 -1", "-2 -1", "2 -2", "1 -2", "0 -2", "-1 -2"},
	{"-1 0", "-2 0", 0, "1 -1", "0 -1", "-1 -1", "-2 -1", "1 -2", "0 -2", "-1 -2"},
	{"-1 0", "-2 0", "-3 0", "-4 0", 0, "1 -1", "0 -1", "-1 -1", "-2 -1", "-3 -1"},
}

// generic encodes a bitmap as a generic region (6.2) in a simple way.
func (e *encoder) generic(b *jbig2.Bitmap, template int, adaptive [][2]int, typical bool) {
	same := [4]int{0x9b25, 0x0795, 0x00e5, 0x0195}[template]
	was := 0
	for y := range b.H {
		if typical {
			like := 1
			for x := range b.W {
				if at(b, x, y) != at(b, x, y-1) {
					like = 0
				}
			}
			e.bit(pixelContext{"generic", same}, was^like)
			if was = like; like == 1 {
				continue
			}
		}
		for x := range b.W {
			context := 0
			for i, p := range templates[template] {
				var dx, dy int
				switch p := p.(type) {
				case int:
					dx, dy = adaptive[p][0], adaptive[p][1]
				case string:
					dx, dy = pair(p)
				}
				context |= at(b, x+dx, y+dy) << i
			}
			e.bit(pixelContext{"generic", context}, at(b, x, y))
		}
	}
}

// refine encodes a bitmap as a refinement of a reference at dx, dy (6.3),
// without adaptive pixels.
func (e *encoder) refine(b, reference *jbig2.Bitmap, dx, dy int) {
	fresh := []string{"-1 0", "1 -1", "0 -1", "-1 -1"}
	old := []string{"1 1", "0 1", "1 0", "0 0", "-1 0", "0 -1"}
	for y := range b.H {
		for x := range b.W {
			context := 0
			for i, p := range fresh {
				px, py := pair(p)
				context |= at(b, x+px, y+py) << i
			}
			for i, p := range old {
				px, py := pair(p)
				context |= at(reference, x-dx+px, y-dy+py) << (4 + i)
			}
			e.bit(pixelContext{"refine", context}, at(b, x, y))
		}
	}
}

// segment returns a segment of page 1 with its header and data.
func segment(number, kind int, refers []int, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(number))
	out = append(out, byte(kind), byte(len(refers)<<5))
	for _, r := range refers {
		out = append(out, byte(r))
	}
	out = append(out, 1)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return append(out, data...)
}

// region returns the header of a region segment.
func region(w, h, x, y, op int) []byte {
	var out []byte
	for _, v := range []int{w, h, x, y} {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return append(out, byte(op))
}
