// SPDX-License-Identifier: Apache-2.0

package jbig2

import "example.com/curlew/parse/internal/pdf/mq"

// corner is the reference corner, which is the corner of a symbol that lies
// at its position.
type corner int

const (
	bottomLeft corner = iota
	topLeft
	bottomRight
	topRight
)

// text is a text region (6.4): instances of symbols at positions.
type text struct {
	w, h       int
	huffman    bool
	refine     bool
	logStrips  int
	corner     corner
	transposed bool
	op         operator
	black      bool // default colour
	spacing    int  // added between two symbols
	template   int  // template of refinements
	adaptive   []offset
	instances  int
	symbols    []*Bitmap
	size       int // bits of a symbol ID
	codes      *huffman

	// Huffman tables.
	first, step, strip, width, height, x, y, bytes *huffman
}

// textContexts are the contexts of arithmetic coding.
type textContexts struct {
	strip, first, step, place, refined, width, height, x, y numbers

	symbol []mq.State // 2^size contexts
	refine []mq.State
}

func newTextContexts(size int) *textContexts {
	return &textContexts{symbol: make([]mq.State, 1<<size), refine: make([]mq.State, refineContexts)}
}

// coding is the source of the numbers of a text region: arithmetic or
// Huffman coding.
type coding struct {
	arith *arith
	cx    *textContexts
	bits  *bits
}

// number decodes a number in the encoding of the region.
func (c *coding) number(cx *numbers, h *huffman) (int, bool) {
	if c.arith != nil {
		return c.arith.number(cx)
	}
	return h.number(c.bits)
}

func (c *coding) ended() bool {
	if c.arith != nil {
		return c.arith.ended()
	}
	return c.bits.ended()
}

// text decodes a text region. An error ends the region.
func (d *decoder) text(t *text, c coding) (*Bitmap, error) {
	out, err := d.bitmap(t.w, t.h)
	if err != nil {
		return nil, err
	}
	if t.black {
		for i := range out.Pix {
			out.Pix[i] = 1
		}
	}
	var cx textContexts // unused contexts for Huffman coding
	if c.cx == nil {
		c.cx = &cx
	}
	strips := 1 << t.logStrips
	v, _ := c.number(&c.cx.strip, t.strip)
	top, first := -v*strips, 0
	for n := 0; n < t.instances; {
		if err := d.stopped(0); err != nil {
			return nil, err
		}
		if c.ended() {
			break
		}
		v, _ := c.number(&c.cx.strip, t.strip)
		top += v * strips
		v, _ = c.number(&c.cx.first, t.first)
		first += v
		for at := first; n < t.instances; n++ {
			s, place, err := d.instance(t, &c)
			if err != nil {
				return nil, err
			}
			if s != nil {
				if err := d.spend(s.W * s.H); err != nil {
					return nil, err
				}
				at = t.draw(out, s, at, top+place)
			}
			v, ok := c.number(&c.cx.step, t.step)
			if !ok {
				n++
				break
			}
			at += v + t.spacing
			if c.ended() {
				return out, nil
			}
		}
	}
	return out, nil
}

// instance decodes one symbol instance and its position within the strip.
// The symbol is nil if its ID does not exist.
func (d *decoder) instance(t *text, c *coding) (s *Bitmap, place int, err error) {
	if t.logStrips > 0 {
		if c.arith != nil {
			place, _ = c.arith.number(&c.cx.place)
		} else {
			place = c.bits.take(t.logStrips)
		}
	}
	id := 0
	if c.arith != nil {
		id = c.arith.symbol(c.cx.symbol, t.size)
	} else if l := t.codes.line(c.bits); l != nil {
		id = l.from
	}
	refined := 0
	switch {
	case !t.refine:
	case c.arith != nil:
		refined, _ = c.arith.number(&c.cx.refined)
	default:
		refined = c.bits.take(1)
	}
	if id < len(t.symbols) {
		s = t.symbols[id]
	}
	if refined == 0 || s == nil {
		return s, place, nil
	}
	dw, _ := c.number(&c.cx.width, t.width)
	dh, _ := c.number(&c.cx.height, t.height)
	dx, _ := c.number(&c.cx.x, t.x)
	dy, _ := c.number(&c.cx.y, t.y)
	r := refinement{
		w: s.W + dw, h: s.H + dh, template: t.template, adaptive: t.adaptive,
		reference: s, dx: dw>>1 + dx, dy: dh>>1 + dy,
	}
	s, err = d.refineSymbol(r, c, t.bytes)
	return s, place, err
}

// refineSymbol decodes the refinement of one symbol. In Huffman coding, the
// size of its data comes first.
func (d *decoder) refineSymbol(r refinement, c *coding, size *huffman) (*Bitmap, error) {
	if c.arith != nil {
		return d.refine(r, c.arith, c.cx.refine)
	}
	n, _ := size.number(c.bits)
	data := c.bits.rest()
	if n <= 0 || n > len(data) {
		n = len(data)
	}
	s, err := d.refine(r, newArith(data[:n]), c.cx.refine)
	c.bits.at += 8 * n
	return s, err
}

// draw draws a symbol at its position along and across the strip. It returns
// the position from which that of the next symbol is counted (6.4.5, 3c).
func (t *text) draw(out, s *Bitmap, along, across int) int {
	if t.transposed {
		if t.corner == topRight || t.corner == bottomRight {
			across -= s.W - 1
		}
		out.draw(s, across, along, t.op)
		return along + s.H - 1
	}
	if t.corner == bottomLeft || t.corner == bottomRight {
		across -= s.H - 1
	}
	out.draw(s, along, across, t.op)
	return along + s.W - 1
}
