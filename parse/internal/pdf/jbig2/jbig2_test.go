// SPDX-License-Identifier: Apache-2.0

package jbig2_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/pdf/jbig2"
)

// at returns a pixel, or 0 outside of the bitmap.
func at(b *jbig2.Bitmap, x, y int) int {
	if x < 0 || y < 0 || x >= b.W || y >= b.H {
		return 0
	}
	return int(b.Pix[y*b.W+x])
}

func pair(s string) (x, y int) {
	fmt.Sscan(s, &x, &y)
	return x, y
}

// blobs returns a bitmap of random rectangles.
func blobs(seed uint64, w, h int) *jbig2.Bitmap {
	r := rand.New(rand.NewPCG(seed, 3))
	b := &jbig2.Bitmap{W: w, H: h, Pix: make([]byte, w*h)}
	for range 2 + w*h/100 {
		x, y, dx, dy := r.IntN(w), r.IntN(h), 1+r.IntN(9), 1+r.IntN(5)
		for j := y; j < min(h, y+dy); j++ {
			for i := x; i < min(w, x+dx); i++ {
				b.Pix[j*w+i] = 1
			}
		}
	}
	return b
}

func decode(t *testing.T, globals, data []byte, w, h int) *jbig2.Bitmap {
	t.Helper()
	b, err := jbig2.Decode(t.Context(), data, globals, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func show(b *jbig2.Bitmap) string {
	var s strings.Builder
	for i, v := range b.Pix {
		s.WriteByte(" #"[v])
		if (i+1)%b.W == 0 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// TestTables checks that each standard table is a complete prefix code.
func TestTables(t *testing.T) {
	for i, sum := range jbig2.Kraft() {
		if sum != 1<<16 {
			t.Errorf("table B.%d is no full code: %#x", i+1, sum)
		}
	}
}

func TestGeneric(t *testing.T) {
	usual := [4][][2]int{{{3, -1}, {-3, -1}, {2, -2}, {-2, -2}}, {{3, -1}}, {{2, -1}}, {{2, -1}}}
	for template := range 4 {
		for _, typical := range []bool{false, true} {
			for _, own := range []bool{false, true} {
				b := blobs(uint64(template), 61, 37)
				adaptive := slices.Clone(usual[template])
				if own {
					adaptive[0] = [2]int{-9, -4}
				}
				var data []byte
				data = append(data, region(b.W, b.H, 3, 2, 0)...)
				flags := template << 1
				if typical {
					flags |= 8
				}
				data = append(data, byte(flags))
				for _, p := range adaptive {
					data = append(data, byte(p[0]), byte(p[1]))
				}
				e := newEncoder()
				e.generic(b, template, adaptive, typical)
				data = append(data, e.end()...)
				got := decode(t, nil, segment(1, 38, nil, data), b.W+3, b.H+2)
				for y := range b.H {
					if !bytes.Equal(got.Pix[(y+2)*got.W+3:(y+3)*got.W], b.Pix[y*b.W:(y+1)*b.W]) {
						t.Fatalf("template %d, typical %t, own %t: row %d differs", template, typical, own, y)
					}
				}
			}
		}
	}
}

// TestUnknownLength decodes a region whose end is marked in its data,
// followed by the row count.
func TestUnknownLength(t *testing.T) {
	b := blobs(7, 30, 20)
	data := append(region(b.W, 1000, 0, 0, 0), 6, 2, 0xff)
	e := newEncoder()
	e.generic(b, 3, [][2]int{{2, -1}}, false)
	data = append(data, e.end()...)
	data = binary.BigEndian.AppendUint32(data, uint32(b.H))
	s := segment(1, 38, nil, data)
	binary.BigEndian.PutUint32(s[7:], 0xffffffff)
	s = append(s, segment(2, 49, nil, nil)...)
	if got := decode(t, nil, s, b.W, b.H); !bytes.Equal(got.Pix, b.Pix) {
		t.Errorf("got\n%swant\n%s", show(got), show(b))
	}
}

// TestText decodes a dictionary, whose second symbol refines the first, and
// a text region with both, one of them refined again.
func TestText(t *testing.T) {
	first, second, third := blobs(1, 9, 8), blobs(2, 11, 8), blobs(3, 12, 9)
	pt := func(v int) *int { return &v }

	e := newEncoder()
	e.number("height", pt(8))
	e.number("width", pt(9))
	e.number("count", pt(1)) // an aggregate of one symbol: a refinement
	e.symbol(0, 2)
	e.number("x", pt(1))
	e.number("y", pt(-1))
	known := blobs(9, 10, 10) // a symbol of another dictionary
	e.refine(first, known, 1, -1)
	e.number("width", pt(2))
	e.number("count", pt(1))
	e.symbol(1, 2)
	e.number("x", pt(0))
	e.number("y", pt(0))
	e.refine(second, first, 0, 0)
	e.number("width", nil)
	e.number("export", pt(1)) // the first symbol, which comes from the other dictionary, is not exported
	e.number("export", pt(2))
	counts := []byte{0, 0, 0, 2, 0, 0, 0, 2}
	refining := append(append([]byte{0x10, 0x02, 3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe}, counts...), e.end()...)

	e = newEncoder()
	e.number("height", pt(10))
	e.number("width", pt(10))
	e.generic(known, 3, [][2]int{{2, -1}}, false)
	e.number("width", nil)
	e.number("export", pt(0))
	e.number("export", pt(1))
	plain := append([]byte{0x0c, 0x00, 2, 0xff, 0, 0, 0, 1, 0, 0, 0, 1}, e.end()...)
	globals := append(segment(1, 0, nil, plain), segment(2, 0, []int{1}, refining)...)

	e = newEncoder()
	e.number("strip", pt(0))
	e.number("strip", pt(5)) // the first baseline
	e.number("first", pt(4))
	e.symbol(0, 1)
	e.number("refined", pt(0))
	e.number("step", pt(3))
	e.symbol(1, 1)
	e.number("refined", pt(1))
	e.number("w", pt(1))
	e.number("h", pt(1))
	e.number("x", pt(1))
	e.number("y", pt(0))
	e.refine(third, second, 1, 0)
	e.number("step", nil)
	e.number("strip", pt(20))
	e.number("first", pt(-2))
	e.symbol(1, 1)
	e.number("refined", pt(0))
	e.number("step", nil)
	// Flags: reference corner top left, operator OR, refinement template 1.
	text := append(append(region(50, 40, 0, 0, 0), 0x80, 0x12, 0, 0, 0, 3), e.end()...)
	got := decode(t, globals, segment(3, 6, []int{2}, text), 50, 40)

	want := &jbig2.Bitmap{W: 50, H: 40, Pix: make([]byte, 50*40)}
	put := func(s *jbig2.Bitmap, x, y int) {
		for i, v := range s.Pix {
			want.Pix[(y+i/s.W)*want.W+x+i%s.W] |= v
		}
	}
	put(first, 4, 5)
	put(third, 4+8+3, 5)
	put(second, 2, 25)
	if !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("got\n%swant\n%s", show(got), show(want))
	}
}

// bitString packs binary digits into bytes.
func bitString(s string) []byte {
	var out []byte
	for i, c := range s {
		if i%8 == 0 {
			out = append(out, 0)
		}
		out[i/8] |= byte(c-'0') << (7 - i%8)
	}
	return out
}

// TestHuffman is like TestText but with Huffman codes: two symbols of the
// same height side by side, and three instances of them.
func TestHuffman(t *testing.T) {
	pt := func(v int) *int { return &v }
	both := blobs(5, 13, 6)
	s := jbig2.Code(4, pt(6)) + jbig2.Code(2, pt(5)) + jbig2.Code(2, pt(3)) + jbig2.Code(2, nil) + jbig2.Code(1, pt(0))
	for len(s)%8 != 0 {
		s += "0"
	}
	for i, v := range both.Pix {
		s += fmt.Sprint(v)
		if (i+1)%both.W == 0 {
			s += "000" // padding to a byte boundary
		}
	}
	s += jbig2.Code(1, pt(0)) + jbig2.Code(1, pt(2))
	dictionary := append([]byte{0, 1, 0, 0, 0, 2, 0, 0, 0, 2}, bitString(s)...)

	s = ""
	for i := range 35 { // the code lengths of the two symbol IDs are 1
		s += map[bool]string{true: "0001", false: "0000"}[i == 1]
	}
	s += "00"
	for len(s)%8 != 0 {
		s += "0"
	}
	s += jbig2.Code(11, pt(1)) + jbig2.Code(11, pt(8)) // relative to -1
	s += jbig2.Code(6, pt(2)) + "0"
	s += jbig2.Code(8, pt(4)) + "1"
	s += jbig2.Code(8, nil)
	s += jbig2.Code(11, pt(10)) + jbig2.Code(6, pt(-1)) + "1" + jbig2.Code(8, nil)
	text := append(append(region(40, 30, 0, 0, 0), 0, 0x11, 0, 0, 0, 0, 0, 3), bitString(s)...)
	got := decode(t, segment(1, 0, nil, dictionary), segment(2, 6, []int{1}, text), 40, 30)

	want := &jbig2.Bitmap{W: 40, H: 30, Pix: make([]byte, 40*30)}
	put := func(from, w, x, y int) {
		for j := range 6 {
			for i := range w {
				want.Pix[(y+j)*want.W+x+i] |= byte(at(both, from+i, j))
			}
		}
	}
	put(0, 5, 2, 7)
	put(5, 8, 2+4+4, 7)
	put(5, 8, 1, 17)
	if !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("got\n%swant\n%s", show(got), show(want))
	}
}

// TestHalftone decodes a gradient made of four patterns.
func TestHalftone(t *testing.T) {
	const pw, ph, n = 4, 4, 4
	patterns := &jbig2.Bitmap{W: pw * n, H: ph, Pix: make([]byte, pw*n*ph)}
	for i := range n {
		for k := range i * 5 {
			patterns.Pix[k/pw*patterns.W+i*pw+k%pw] = 1
		}
	}
	e := newEncoder()
	e.generic(patterns, 2, [][2]int{{-pw, 0}}, false)
	dictionary := append([]byte{4, pw, ph, 0, 0, 0, n - 1}, e.end()...)

	const gw, gh = 6, 5
	gray := func(x, y int) int { return (x + y) % n }
	e = newEncoder()
	for _, plane := range []int{1, 0} {
		b := &jbig2.Bitmap{W: gw, H: gh, Pix: make([]byte, gw*gh)}
		for i := range b.Pix {
			v := gray(i%gw, i/gw)
			b.Pix[i] = byte(v>>plane&1 ^ v>>(plane+1)&1)
		}
		e.generic(b, 2, [][2]int{{2, -1}}, false)
	}
	var grid []byte
	for _, v := range []uint32{gw, gh, 0, 0} {
		grid = binary.BigEndian.AppendUint32(grid, v)
	}
	grid = append(grid, pw, 0, 0, 0) // 4 pixels to the right, 0 down
	data := slices.Concat(region(gw*pw, gh*ph, 0, 0, 0), []byte{4}, grid, e.end())
	got := decode(t, nil, append(segment(1, 16, nil, dictionary), segment(2, 22, []int{1}, data)...), gw*pw, gh*ph)
	for i, v := range got.Pix {
		x, y := i%got.W, i/got.W
		if want := at(patterns, gray(x/pw, y/ph)*pw+x%pw, y%ph); int(v) != want {
			t.Fatalf("pixel %d, %d is %d\n%s", x, y, v, show(got))
		}
	}
}

func TestDamage(t *testing.T) {
	b := blobs(1, 50, 50)
	data := append(region(50, 50, 0, 0, 0), 6, 2, 0xff)
	e := newEncoder()
	e.generic(b, 3, [][2]int{{2, -1}}, false)
	whole := segment(1, 38, nil, append(data, e.end()...))
	for n := range whole {
		if _, err := jbig2.Decode(t.Context(), whole[:n], nil, 50, 50); err != nil && !errors.Is(err, jbig2.ErrDamaged) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for what, data := range map[string][]byte{
		"nothing":              nil,
		"no region":            segment(1, 49, nil, nil),
		"a region too large":   segment(1, 38, nil, append(region(1<<30, 1<<30, 0, 0, 0), 6, 2, 0xff)),
		"too many symbols":     segment(1, 0, nil, []byte{0, 0, 3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
		"a header without end": {0, 0, 0, 1, 38, 0xff, 0xff, 0xff, 0xff},
	} {
		if _, err := jbig2.Decode(t.Context(), data, nil, 50, 50); !errors.Is(err, jbig2.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	errStop := errors.New("stopped by the test")
	stop(errStop)
	if _, err := jbig2.Decode(ctx, whole, nil, 50, 50); !errors.Is(err, errStop) {
		t.Errorf("an ended context: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	b := blobs(1, 20, 20)
	for template := range 4 {
		e := newEncoder()
		e.generic(b, template, [][2]int{{2, -1}, {-3, -1}, {2, -2}, {-2, -2}}, true)
		data := append(region(20, 20, 0, 0, 0), byte(8|template<<1), 2, 0xff)
		if template == 0 {
			data = append(data, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe)
		}
		f.Add(segment(1, 38, nil, append(data, e.end()...)), []byte{})
	}
	f.Add(append(segment(2, 6, []int{1}, append(region(40, 30, 0, 0, 0), 0, 0x11, 0, 0, 0, 0, 0, 3)), segment(3, 40, nil, region(9, 9, 0, 0, 0))...),
		segment(1, 0, nil, append([]byte{0, 1, 0, 0, 0, 2, 0, 0, 0, 2}, 1, 2, 3, 4)))
	f.Fuzz(func(t *testing.T, data, globals []byte) {
		b, err := jbig2.Decode(t.Context(), data, globals, 64, 64)
		if err != nil && !errors.Is(err, jbig2.ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && len(b.Pix) != 64*64 {
			t.Fatal("no bitmap and no error")
		}
	})
}
