// SPDX-License-Identifier: Apache-2.0

package jbig2

import "example.com/curlew/parse/internal/pdf/mq"

// refinement is a refinement region (6.3).
type refinement struct {
	w, h      int
	template  int // 0 or 1
	adaptive  []offset
	typical   bool
	reference *Bitmap
	dx, dy    int // offset of the reference
}

// refineNew and refineOld are the pixels of the templates of figures 12 and
// 13: those of the new bitmap in the low bits, then those of the reference.
// In template 0 the last pixel of each is adaptive.
var (
	refineNew = [2][]offset{{{-1, 0}, {1, -1}, {0, -1}, {-1, -1}}, {{-1, 0}, {1, -1}, {0, -1}, {-1, -1}}}
	refineOld = [2][]offset{
		{{1, 1}, {0, 1}, {-1, 1}, {1, 0}, {0, 0}, {-1, 0}, {1, -1}, {0, -1}, {-1, -1}},
		{{1, 1}, {0, 1}, {1, 0}, {0, 0}, {-1, 0}, {0, -1}},
	}
)

// sameArea are the contexts of the decision about typical prediction
// (figures 14 and 15).
var sameArea = [2]int{0x100, 0x80}

// refineContexts is the number of contexts of a refinement.
const refineContexts = 1 << 13

// refine decodes a refinement region.
func (d *decoder) refine(r refinement, a *arith, cx []mq.State) (*Bitmap, error) {
	out, err := d.bitmap(r.w, r.h)
	if err != nil {
		return nil, err
	}
	fresh, old := append([]offset(nil), refineNew[r.template]...), append([]offset(nil), refineOld[r.template]...)
	if r.template == 0 {
		fresh[len(fresh)-1], old[len(old)-1] = r.adaptive[0], r.adaptive[1]
	}
	same := 0
	for y := range r.h {
		if err := d.stopped(y % 16); err != nil {
			return nil, err
		}
		if r.typical {
			same ^= a.Bit(&cx[sameArea[r.template]])
		}
		for x := range r.w {
			if same == 1 {
				if v, ok := r.uniform(x, y); ok {
					out.Pix[y*r.w+x] = v
					continue
				}
			}
			context := 0
			for i, p := range fresh {
				context |= int(out.at(x+p.x, y+p.y)) << i
			}
			for i, p := range old {
				context |= int(r.reference.at(x-r.dx+p.x, y-r.dy+p.y)) << (len(fresh) + i)
			}
			out.Pix[y*r.w+x] = byte(a.Bit(&cx[context])) //nolint:gosec // 0 or 1
		}
	}
	return out, nil
}

// uniform returns the colour of the nine pixels of the reference around x,
// y. It returns false if their colours differ.
func (r *refinement) uniform(x, y int) (byte, bool) {
	v := r.reference.at(x-r.dx, y-r.dy)
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if r.reference.at(x-r.dx+dx, y-r.dy+dy) != v {
				return 0, false
			}
		}
	}
	return v, true
}
