// SPDX-License-Identifier: Apache-2.0

package jbig2

import (
	"example.com/curlew/parse/internal/pdf/fax"
	"example.com/curlew/parse/internal/pdf/mq"
)

// offset is the position of a pixel relative to the pixel that is decoded.
type offset struct{ x, y int }

// template is the list of the pixels that form a context, from the lowest
// bit. If a pixel is the left neighbour of the one before it in the list,
// its bit in the next context is the current bit of that pixel. Only the
// other pixels have to be read.
type template struct {
	pixels []offset
	fresh  []int // bits that are read again for each pixel
	keep   int   // mask of the bits that are shifted up from the bit below
}

func newTemplate(pixels []offset) template {
	t := template{pixels: pixels}
	for i, p := range pixels {
		if i > 0 && pixels[i-1] == (offset{p.x + 1, p.y}) {
			t.keep |= 1 << i
		} else {
			t.fresh = append(t.fresh, i)
		}
	}
	return t
}

// genericPixels are the templates of figures 3 to 6. The zero offsets are
// the adaptive pixels, in order.
var genericPixels = [4][]offset{
	{{-1, 0}, {-2, 0}, {-3, 0}, {-4, 0}, {}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {}, {}, {1, -2}, {0, -2}, {-1, -2}, {}},
	{{-1, 0}, {-2, 0}, {-3, 0}, {}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {2, -2}, {1, -2}, {0, -2}, {-1, -2}},
	{{-1, 0}, {-2, 0}, {}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {1, -2}, {0, -2}, {-1, -2}},
	{{-1, 0}, {-2, 0}, {-3, 0}, {-4, 0}, {}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {-3, -1}},
}

// sameLine are the contexts of the decision whether a line equals the line
// above (figures 8 to 11).
var sameLine = [4]int{0x9b25, 0x0795, 0x00e5, 0x0195}

// generic is a generic region (6.2).
type generic struct {
	w, h     int
	template int
	adaptive []offset // four for template 0, one for the others
	typical  bool     // lines can be marked as equal to the line above
	skip     *Bitmap  // pixels that are not encoded; nil: none
}

// adaptivePixels returns the number of adaptive pixels of a template.
func adaptivePixels(template int) int {
	if template == 0 {
		return 4
	}
	return 1
}

// contexts returns new contexts for a template.
func contexts(template int) []mq.State { return make([]mq.State, 1<<len(genericPixels[template])) }

// generic decodes a generic region. Data that ends early is valid, because
// an encoder may omit trailing ones (E.2.9).
func (d *decoder) generic(g generic, a *arith, cx []mq.State) (*Bitmap, error) {
	out, err := d.bitmap(g.w, g.h)
	if err != nil {
		return nil, err
	}
	pixels := append([]offset(nil), genericPixels[g.template]...)
	next := 0
	for i, p := range pixels {
		if p == (offset{}) {
			pixels[i] = g.adaptive[next]
			next++
		}
	}
	t := newTemplate(pixels)
	rows := make([][]byte, len(t.fresh))
	same := 0
	for y := range g.h {
		if err := d.stopped(y % 64); err != nil {
			return nil, err
		}
		if g.typical {
			if same ^= a.Bit(&cx[sameLine[g.template]]); same == 1 {
				copy(out.row(y), out.row(y-1))
				continue
			}
		}
		context := 0
		for i, p := range t.pixels { // the context of a pixel to the left of the row
			context |= int(out.at(p.x-1, y+p.y)) << i
		}
		for k, i := range t.fresh {
			rows[k] = out.row(y + t.pixels[i].y)
		}
		row := out.row(y)
		for x := range row {
			context = context << 1 & t.keep
			for k, i := range t.fresh {
				if at := x + t.pixels[i].x; uint(at) < uint(len(rows[k])) {
					context |= int(rows[k][at]) << i
				}
			}
			if g.skip == nil || g.skip.Pix[y*g.w+x] == 0 {
				row[x] = byte(a.Bit(&cx[context])) //nolint:gosec // 0 or 1
			}
		}
	}
	return out, nil
}

// fax decodes a region in MMR coding and returns the number of bytes that
// were read.
func (d *decoder) fax(data []byte, w, h int) (*Bitmap, int, error) {
	out, err := d.bitmap(w, h)
	if err != nil {
		return nil, 0, err
	}
	b := fax.Decode(data, fax.Params{K: -1, Columns: w, Rows: h, Pixels: w * h})
	copy(out.Pix, b.Pix)
	return out, b.Used, nil
}
