// SPDX-License-Identifier: Apache-2.0

package jbig2

import (
	"slices"

	"example.com/curlew/parse/internal/pdf/mq"
)

// symbolsOf returns the symbols of the dictionaries that s refers to, in
// order, and the last of these dictionaries.
func (d *decoder) symbolsOf(s segment) ([]*Bitmap, *dictionary) {
	var out []*Bitmap
	var last *dictionary
	for _, n := range s.refers {
		if r := d.results[n]; r != nil && r.dictionary != nil {
			last = r.dictionary
			out = append(out, last.symbols...)
		}
	}
	return out, last
}

// chooser selects the Huffman tables of a segment: a standard table, or the
// next one of the custom tables that the segment refers to.
type chooser struct {
	own    []*huffman
	failed bool // a custom table is missing
}

func (d *decoder) chooser(s segment) *chooser {
	c := &chooser{}
	for _, n := range s.refers {
		if r := d.results[n]; r != nil && r.table != nil {
			c.own = append(c.own, r.table)
		}
	}
	return c
}

// table returns the table for the value choice of a field. numbers are the
// numbers of the standard tables by value. 0 or no number means the next
// custom table.
func (c *chooser) table(choice int, numbers ...int) *huffman {
	switch {
	case choice < len(numbers) && numbers[choice] > 0:
		return standard()[numbers[choice]-1]
	case len(c.own) > 0:
		t := c.own[0]
		c.own = c.own[1:]
		return t
	}
	c.failed = true
	return standard()[0]
}

// readSymbols reads a symbol dictionary segment (7.4.2).
func (d *decoder) readSymbols(s segment, r *reader) (*dictionary, error) {
	flags := r.u16()
	known, last := d.symbolsOf(s)
	y := &symbols{
		huffman: flags&1 == 1, aggregate: flags&2 != 0, template: flags >> 10 & 3, refineTemplate: flags >> 12 & 1,
		known: slices.Clone(known), imported: len(known),
	}
	if !y.huffman {
		y.adaptive = r.pixels(adaptivePixels(y.template))
	}
	if y.aggregate && y.refineTemplate == 0 {
		y.refineAdaptive = r.pixels(2)
	}
	y.exported, y.made = r.u32(), r.u32()
	if r.short || y.made > d.room || y.exported > len(known)+y.made {
		return nil, errDamaged
	}
	y.idBits = codeBits(len(known) + y.made)
	if y.huffman {
		c := d.chooser(s)
		y.height = c.table(flags>>2&3, 4, 5)
		y.width = c.table(flags>>4&3, 2, 3)
		y.bytes = c.table(flags>>6&1, 1)
		y.instances = c.table(flags>>7&1, 1)
		if c.failed {
			return nil, errDamaged
		}
		y.idBits = max(1, y.idBits)
		y.bits = &bits{data: r.rest()}
	} else {
		y.arith = newArith(r.rest())
	}
	y.generic, y.cx = contexts(y.template), newTextContexts(y.idBits)
	if flags&(1<<8) != 0 && last != nil {
		if len(last.generic) == len(y.generic) {
			copy(y.generic, last.generic)
		}
		copy(y.cx.refine, last.refine)
	}
	all, err := d.symbols(y)
	if err != nil {
		return nil, err
	}
	out := &dictionary{symbols: all}
	if flags&(1<<9) != 0 {
		out.generic, out.refine = y.generic, y.cx.refine
	}
	return out, nil
}

// readText reads a text region segment (7.4.3).
func (d *decoder) readText(s segment, r *reader, w, h int) (*Bitmap, error) {
	flags := r.u16()
	t := &text{
		w: w, h: h, huffman: flags&1 == 1, refine: flags&2 != 0, logStrips: flags >> 2 & 3, corner: corner(flags >> 4 & 3),
		transposed: flags&64 != 0, op: operator(flags >> 7 & 3), black: flags&512 != 0,
		spacing:  (flags>>10&31 ^ 16) - 16, // a five-bit number in two's complement
		template: flags >> 15,
	}
	choices := 0
	if t.huffman {
		choices = r.u16()
	}
	if t.refine && t.template == 0 {
		t.adaptive = r.pixels(2)
	}
	t.instances = r.u32()
	if r.short {
		return nil, errDamaged
	}
	t.symbols, _ = d.symbolsOf(s)
	t.size = codeBits(len(t.symbols))
	if !t.huffman {
		return d.text(t, coding{arith: newArith(r.rest()), cx: newTextContexts(t.size)})
	}
	c := d.chooser(s)
	t.first = c.table(choices&3, 6, 7)
	t.step = c.table(choices>>2&3, 8, 9, 10)
	t.strip = c.table(choices>>4&3, 11, 12, 13)
	t.width = c.table(choices>>6&3, 14, 15)
	t.height = c.table(choices>>8&3, 14, 15)
	t.x = c.table(choices>>10&3, 14, 15)
	t.y = c.table(choices>>12&3, 14, 15)
	t.bytes = c.table(choices>>14&1, 1)
	if c.failed {
		return nil, errDamaged
	}
	b := &bits{data: r.rest()}
	var err error
	if t.codes, err = readSymbolCodes(b, len(t.symbols)); err != nil {
		return nil, err
	}
	return d.text(t, coding{bits: b, cx: newTextContexts(0)})
}

// readHalftone reads a halftone region segment (7.4.5).
func (d *decoder) readHalftone(s segment, r *reader, w, h int) (*Bitmap, error) {
	flags := r.u8()
	t := &halftone{
		w: w, h: h, mmr: flags&1 == 1, template: flags >> 1 & 3, skip: flags&8 != 0, op: operator(flags >> 4 & 7), black: flags&128 != 0,
		gridW: r.u32(), gridH: r.u32(), x: r.i32(), y: r.i32(), dx: r.u16(), dy: r.u16(),
	}
	if r.short {
		return nil, errDamaged
	}
	for _, n := range s.refers {
		if from := d.results[n]; from != nil && len(from.patterns) > 0 {
			t.patterns = from.patterns
		}
	}
	return d.halftone(t, r.rest())
}

// readGeneric reads a generic region segment (7.4.6).
func (d *decoder) readGeneric(r *reader, w, h int) (*Bitmap, error) {
	flags := r.u8()
	if flags&1 == 1 {
		b, _, err := d.fax(r.rest(), w, h)
		return b, err
	}
	g := generic{w: w, h: h, template: flags >> 1 & 3, typical: flags&8 != 0}
	g.adaptive = r.pixels(adaptivePixels(g.template))
	return d.generic(g, newArith(r.rest()), contexts(g.template))
}

// readRefinement reads a generic refinement region segment (7.4.7). It
// refines another region, or the page if it refers to none.
func (d *decoder) readRefinement(s segment, r *reader, w, h, x, y int) (*Bitmap, error) {
	flags := r.u8()
	t := refinement{w: w, h: h, template: flags & 1, typical: flags&2 != 0, reference: d.page, dx: -x, dy: -y}
	if t.template == 0 {
		t.adaptive = r.pixels(2)
	}
	for _, n := range s.refers {
		if from := d.results[n]; from != nil && from.bitmap != nil {
			t.reference, t.dx, t.dy = from.bitmap, 0, 0
		}
	}
	return d.refine(t, newArith(r.rest()), make([]mq.State, refineContexts))
}
