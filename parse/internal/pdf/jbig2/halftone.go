// SPDX-License-Identifier: Apache-2.0

package jbig2

import "example.com/curlew/parse/internal/pdf/mq"

// patterns decodes a pattern dictionary (6.7), in which n bitmaps of equal
// size are stored side by side.
func (d *decoder) patterns(data []byte, mmr bool, template, w, h, n int) ([]*Bitmap, error) {
	if w == 0 || h == 0 || n > d.room/(w*h) {
		return nil, errDamaged
	}
	var all *Bitmap
	var err error
	if mmr {
		all, _, err = d.fax(data, n*w, h)
	} else {
		g := generic{w: n * w, h: h, template: template, adaptive: []offset{{-w, 0}, {-3, -1}, {2, -2}, {-2, -2}}}
		all, err = d.generic(g, newArith(data), contexts(template))
	}
	if err == nil {
		err = d.spend(n * w * h)
	}
	if err != nil {
		return nil, err
	}
	out := make([]*Bitmap, n)
	for i := range out {
		out[i] = all.part(i*w, w)
	}
	return out, nil
}

// halftone is a halftone region (6.6): patterns on a grid, which can be
// rotated.
type halftone struct {
	w, h         int
	mmr, skip    bool
	template     int
	op           operator
	black        bool
	gridW, gridH int
	x, y         int // origin of the grid in 1/256 pixel
	dx, dy       int // grid vector in 1/256 pixel
	patterns     []*Bitmap
}

// place returns the position of the pattern in a row and column of the grid.
func (t *halftone) place(row, column int) (x, y int) {
	return (t.x + row*t.dy + column*t.dx) >> 8, (t.y + row*t.dx - column*t.dy) >> 8
}

// halftone decodes a halftone region.
func (d *decoder) halftone(t *halftone, data []byte) (*Bitmap, error) {
	out, err := d.bitmap(t.w, t.h)
	if err != nil || len(t.patterns) == 0 {
		return out, err
	}
	if t.black {
		for i := range out.Pix {
			out.Pix[i] = 1
		}
	}
	skip, err := d.bitmap(t.gridW, t.gridH)
	if err != nil {
		return nil, err
	}
	pw, ph := t.patterns[0].W, t.patterns[0].H
	for row := range t.gridH {
		for column := range t.gridW {
			if x, y := t.place(row, column); x+pw <= 0 || x >= t.w || y+ph <= 0 || y >= t.h {
				skip.Pix[row*t.gridW+column] = 1
			}
		}
	}
	grays, err := d.grays(t, data, skip)
	if err != nil {
		return nil, err
	}
	for row := range t.gridH {
		if err := d.stopped(row % 64); err != nil {
			return nil, err
		}
		for column := range t.gridW {
			i := row*t.gridW + column
			if skip.Pix[i] == 1 {
				continue
			}
			if err := d.spend(pw * ph); err != nil {
				return nil, err
			}
			x, y := t.place(row, column)
			out.draw(t.patterns[min(int(grays[i]), len(t.patterns)-1)], x, y, t.op)
		}
	}
	return out, nil
}

// grays decodes the gray values, which are the indices of the patterns. They
// are stored as bit planes in Gray code (annex C).
func (d *decoder) grays(t *halftone, data []byte, skip *Bitmap) ([]uint32, error) {
	g := generic{w: t.gridW, h: t.gridH, template: t.template, adaptive: []offset{{3, -1}, {-3, -1}, {2, -2}, {-2, -2}}}
	if t.template > 1 {
		g.adaptive[0].x = 2
	}
	if t.skip {
		g.skip = skip
	}
	var a *arith
	var cx []mq.State
	if !t.mmr {
		a, cx = newArith(data), contexts(t.template)
	}
	if err := d.spend(4 * t.gridW * t.gridH); err != nil {
		return nil, err
	}
	out := make([]uint32, t.gridW*t.gridH)
	for range codeBits(len(t.patterns)) {
		var plane *Bitmap
		var err error
		if t.mmr {
			var used int
			plane, used, err = d.fax(data, t.gridW, t.gridH)
			data = data[used:]
		} else {
			plane, err = d.generic(g, a, cx)
		}
		if err != nil {
			return nil, err
		}
		for i, v := range plane.Pix {
			out[i] = out[i]<<1 | (out[i]&1 ^ uint32(v))
		}
	}
	return out, nil
}
