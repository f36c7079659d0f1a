// SPDX-License-Identifier: Apache-2.0

package jbig2

// Bitmap is a bitmap with one byte per pixel, 1 for black, row by row.
type Bitmap struct {
	W, H int
	Pix  []byte
}

// at returns a pixel, or 0 outside of the bitmap.
func (b *Bitmap) at(x, y int) byte {
	if x < 0 || y < 0 || x >= b.W || y >= b.H {
		return 0
	}
	return b.Pix[y*b.W+x]
}

// row returns row y, or nil outside of the bitmap.
func (b *Bitmap) row(y int) []byte {
	if y < 0 || y >= b.H {
		return nil
	}
	return b.Pix[y*b.W : (y+1)*b.W]
}

// part returns a copy of the w columns from x.
func (b *Bitmap) part(x, w int) *Bitmap {
	out := &Bitmap{W: w, H: b.H, Pix: make([]byte, w*b.H)}
	for y := range b.H {
		copy(out.row(y), b.row(y)[x:x+w])
	}
	return out
}

// operator is how the pixels of a bitmap are combined with those below it.
type operator int

const (
	or operator = iota
	and
	xor
	xnor
	replace
)

// draw draws s on b with its top left corner at x, y.
func (b *Bitmap) draw(s *Bitmap, x, y int, op operator) {
	from, to := max(0, -x), min(s.W, b.W-x)
	if from >= to {
		return
	}
	for i := max(0, -y); i < min(s.H, b.H-y); i++ {
		src, dst := s.row(i)[from:to], b.row(y + i)[x+from:x+to]
		switch op {
		case or:
			for k, v := range src {
				dst[k] |= v
			}
		case and:
			for k, v := range src {
				dst[k] &= v
			}
		case xor:
			for k, v := range src {
				dst[k] ^= v
			}
		case xnor:
			for k, v := range src {
				dst[k] ^= v ^ 1
			}
		default:
			copy(dst, src)
		}
	}
}
