// SPDX-License-Identifier: Apache-2.0

package jbig2

import (
	mathbits "math/bits"

	"example.com/curlew/parse/internal/pdf/mq"
)

// dictionary is the result of a symbol dictionary segment: the exported
// symbols and the contexts that are retained for other segments.
type dictionary struct {
	symbols []*Bitmap
	generic []mq.State
	refine  []mq.State
}

// symbols is a symbol dictionary that is being decoded (6.5).
type symbols struct {
	huffman, aggregate bool
	template           int
	adaptive           []offset
	refineTemplate     int
	refineAdaptive     []offset
	known              []*Bitmap // imported symbols, followed by the new ones
	imported, made     int
	exported           int

	height, width, bytes, instances *huffman

	arith    *arith
	bits     *bits
	generic  []mq.State
	cx       *textContexts // contexts of aggregate symbols
	idBits   int
	cxHeight numbers
	cxWidth  numbers
	cxCount  numbers
	cxExport numbers
}

// codeBits returns the number of bits needed for the numbers 0 to n-1.
func codeBits(n int) int { return mathbits.Len(uint(max(n, 1) - 1)) }

// number decodes a number in the encoding of the dictionary.
func (s *symbols) number(cx *numbers, h *huffman) (int, bool) {
	c := coding{arith: s.arith, bits: s.bits}
	return c.number(cx, h)
}

func (s *symbols) ended() bool {
	c := coding{arith: s.arith, bits: s.bits}
	return c.ended()
}

// maxSymbol is the maximum width and height of a symbol in pixels.
const maxSymbol = 1 << 16

// symbols decodes the new symbols of a dictionary and returns the exported
// ones.
func (d *decoder) symbols(s *symbols) ([]*Bitmap, error) {
	height := 0
	for len(s.known) < s.imported+s.made {
		if err := d.stopped(0); err != nil {
			return nil, err
		}
		if s.ended() {
			return nil, errDamaged
		}
		v, _ := s.number(&s.cxHeight, s.height)
		height += v
		if height < 0 || height > maxSymbol {
			return nil, errDamaged
		}
		if err := d.class(s, height); err != nil {
			return nil, err
		}
	}
	return s.export()
}

// class decodes a height class: the symbols of one height.
func (d *decoder) class(s *symbols, height int) error {
	width, total := 0, 0
	var widths []int
	for {
		v, ok := s.number(&s.cxWidth, s.width)
		if !ok {
			break
		}
		if len(s.known)+len(widths) == s.imported+s.made {
			return errDamaged
		}
		width += v
		total += width
		if width < 0 || total > d.room {
			return errDamaged
		}
		if s.huffman && !s.aggregate {
			widths = append(widths, width)
			continue
		}
		b, err := d.symbol(s, width, height)
		if err != nil {
			return err
		}
		s.known = append(s.known, b)
	}
	if len(widths) == 0 {
		return nil
	}
	return d.collective(s, widths, total, height)
}

// symbol decodes one symbol, which is a bitmap or an aggregate of other
// symbols (6.5.8).
func (d *decoder) symbol(s *symbols, w, h int) (*Bitmap, error) {
	if !s.aggregate {
		return d.generic(generic{w: w, h: h, template: s.template, adaptive: s.adaptive}, s.arith, s.generic)
	}
	n, _ := s.number(&s.cxCount, s.instances)
	c := coding{arith: s.arith, cx: s.cx, bits: s.bits}
	t := &text{
		w: w, h: h, huffman: s.huffman, refine: true, corner: topLeft, instances: n, symbols: s.known, size: s.idBits,
		template: s.refineTemplate, adaptive: s.refineAdaptive,
	}
	if s.huffman {
		tables := standard()
		t.first, t.step, t.strip, t.bytes = tables[5], tables[7], tables[10], tables[0]
		t.width, t.height, t.x, t.y = tables[14], tables[14], tables[14], tables[14]
	}
	if n != 1 {
		if s.huffman {
			if err := d.spend(len(s.known)); err != nil {
				return nil, err
			}
			t.codes = evenCodes(len(s.known), s.idBits)
		}
		return d.text(t, c)
	}
	var id int
	if s.huffman {
		id = s.bits.take(s.idBits)
	} else {
		id = s.arith.symbol(s.cx.symbol, s.idBits)
	}
	dx, _ := c.number(&s.cx.x, t.x)
	dy, _ := c.number(&s.cx.y, t.y)
	if id >= len(s.known) {
		return nil, errDamaged
	}
	r := refinement{w: w, h: h, template: s.refineTemplate, adaptive: s.refineAdaptive, reference: s.known[id], dx: dx, dy: dy}
	return d.refineSymbol(r, &c, t.bytes)
}

// evenCodes returns codes of the same length for n symbols.
func evenCodes(n, size int) *huffman {
	lines := make([]line, n)
	for i := range lines {
		lines[i] = line{prefix: size, from: i}
	}
	return newHuffman(lines)
}

// collective decodes the collective bitmap of a height class, in which the
// symbols are side by side (6.5.9).
func (d *decoder) collective(s *symbols, widths []int, total, height int) error {
	n, _ := s.bytes.number(s.bits)
	data := s.bits.rest()
	var all *Bitmap
	var err error
	if n == 0 {
		if all, err = d.bitmap(total, height); err != nil {
			return err
		}
		b := bits{data: data}
		for y := range height {
			row := all.row(y)
			for x := range row {
				row[x] = byte(b.take(1)) //nolint:gosec // 0 or 1
			}
			b.rest()
		}
		n = b.at / 8
	} else {
		if n < 0 || n > len(data) {
			return errDamaged
		}
		if all, _, err = d.fax(data[:n], total, height); err != nil {
			return err
		}
	}
	s.bits.at += 8 * n
	if err := d.spend(total * height); err != nil {
		return err
	}
	x := 0
	for _, w := range widths {
		s.known = append(s.known, all.part(x, w))
		x += w
	}
	return nil
}

// export reads the export flags, which are stored as runs (6.5.10), and
// returns the exported symbols.
func (s *symbols) export() ([]*Bitmap, error) {
	var out []*Bitmap
	for i, on, empty := 0, false, 0; i < len(s.known); on = !on {
		n, _ := s.number(&s.cxExport, standard()[0])
		if n < 0 || n > len(s.known)-i {
			return nil, errDamaged
		}
		if n == 0 {
			if empty++; empty > 4 {
				return nil, errDamaged
			}
		}
		if on {
			out = append(out, s.known[i:i+n]...)
		}
		i += n
	}
	if len(out) != s.exported {
		return nil, errDamaged
	}
	return out, nil
}
