// SPDX-License-Identifier: Apache-2.0

package fax_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.com/curlew/parse/internal/pdf/fax"
)

// bitmap returns a picture of rectangles, so that successive lines are
// similar.
func bitmap(r *rand.Rand, w, h int) []byte {
	pix := make([]byte, w*h)
	for range 3 + w*h/400 {
		x, y, dx, dy := r.IntN(w), r.IntN(h), 1+r.IntN(w), 1+r.IntN(8)
		if r.IntN(3) > 0 {
			dx = 1 + r.IntN(12)
		}
		for j := y; j < min(h, y+dy); j++ {
			for i := x; i < min(w, x+dx); i++ {
				pix[j*w+i] ^= 1
			}
		}
	}
	return pix
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, h := 1+r.IntN(300), 1+r.IntN(30)
		if seed%10 == 0 {
			w = 1700 + r.IntN(3500) // wide enough for runs of several codes
		}
		pix := bitmap(r, w, h)
		for _, p := range []fax.Params{
			{K: -1}, {K: -1, ByteAlign: true}, {}, {ByteAlign: true}, {EndOfLine: true}, {EndOfLine: true, ByteAlign: true}, {K: 4, EndOfLine: true}, {K: 4},
		} {
			p.Columns, p.Pixels = w, 1<<24
			data := encode(pix, w, h, p)
			for _, rows := range []int{h, 0} {
				if rows == 0 && p.K >= 0 && !p.EndOfLine {
					continue // without a row count only Group 4 and EndOfLine mark the end
				}
				p.Rows = rows
				got := fax.Decode(data, p)
				if got.Rows != h || !bytes.Equal(got.Pix, pix) {
					t.Fatalf("seed %d, %d by %d, %+v: %d rows, equal %t", seed, w, h, p, got.Rows, bytes.Equal(got.Pix, pix))
				}
				if p.K < 0 && got.Used != len(data) {
					t.Errorf("%+v: used %d of %d bytes", p, got.Used, len(data))
				}
			}
		}
	}
}

// TestDamage truncates and corrupts data. The rows before the error must be
// decoded, and in Group 3 also the rows after it.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const w, h = 200, 40
	pix := bitmap(r, w, h)
	for _, k := range []int{-1, 0, 4} {
		p := fax.Params{K: k, EndOfLine: k >= 0, Columns: w, Rows: h, Pixels: 1 << 20}
		data := encode(pix, w, h, p)
		half := fax.Decode(data[:len(data)/2], p)
		if half.Rows == 0 || half.Rows >= h || !bytes.Equal(half.Pix[:(half.Rows-1)*w], pix[:(half.Rows-1)*w]) {
			t.Errorf("K %d: half of the data gave %d rows of %d", k, half.Rows, h)
		}
	}
	p := fax.Params{EndOfLine: true, Columns: w, Rows: h, Pixels: 1 << 20}
	data := encode(pix, w, h, p)
	data[len(data)/2] ^= 0x55
	got := fax.Decode(data, p)
	same := 0
	for y := range min(h, got.Rows) {
		if bytes.Equal(got.Pix[y*w:(y+1)*w], pix[y*w:(y+1)*w]) {
			same++
		}
	}
	if got.Rows < h-2 || same < h/2 {
		t.Errorf("a broken byte left %d rows, %d of them right", got.Rows, same)
	}
}

func TestLimits(t *testing.T) {
	for _, p := range []fax.Params{{}, {Columns: -1, Pixels: 10}, {Columns: 11, Pixels: 10}, {Columns: 1 << 40, Pixels: 1 << 20}} {
		if got := fax.Decode([]byte{1, 2, 3}, p); got.Rows != 0 || got.Pix != nil {
			t.Errorf("%+v gave %d rows", p, got.Rows)
		}
	}
	white := bytes.Repeat([]byte{0xff}, 1000) // one bit for each row
	if got := fax.Decode(white, fax.Params{K: -1, Columns: 100, Pixels: 5000}); got.Rows != 50 {
		t.Errorf("%d rows of at most 50", got.Rows)
	}
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{-1, 0, 4} {
		f.Add(encode(bitmap(r, 64, 16), 64, 16, fax.Params{K: k, EndOfLine: true}), k, 64, true, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, k, columns int, mark, align bool) {
		const most = 1 << 20
		got := fax.Decode(data, fax.Params{K: k, Columns: columns, EndOfLine: mark, ByteAlign: align, Pixels: most})
		if len(got.Pix) > most || got.Used > len(data) || got.Rows > 0 && len(got.Pix) != got.Rows*columns {
			t.Fatalf("%d pixels in %d rows of %d, %d bytes of %d", len(got.Pix), got.Rows, columns, got.Used, len(data))
		}
		for _, v := range got.Pix {
			if v > 1 {
				t.Fatal("a pixel is neither black nor white")
			}
		}
	})
}

// writer writes codes.
type writer struct {
	data []byte
	n    int // number of bits
}

func (w *writer) put(code string) {
	for _, c := range code {
		if w.n%8 == 0 {
			w.data = append(w.data, 0)
		}
		if c == '1' {
			w.data[w.n/8] |= 0x80 >> (w.n % 8)
		}
		w.n++
	}
}

func (w *writer) align() {
	for w.n%8 != 0 {
		w.put("0")
	}
}

// encode encodes a bitmap (T.4, 4; T.6, 2).
func encode(pix []byte, w, h int, p fax.Params) []byte {
	var out writer
	mark := func(tag string) {
		if p.EndOfLine {
			if p.ByteAlign {
				for out.n%8 != 4 {
					out.put("0")
				}
			}
			out.put("000000000001")
		}
		out.put(tag)
	}
	above := make([]byte, w)
	for y := range h {
		row := pix[y*w : (y+1)*w]
		flat := p.K < 0
		switch {
		case p.K > 0:
			flat = y%p.K != 0
			mark(map[bool]string{true: "0", false: "1"}[flat])
		case p.K == 0 && p.EndOfLine:
			mark("")
		}
		if p.ByteAlign && !p.EndOfLine {
			out.align()
		}
		if flat {
			out.flat(row, above)
		} else {
			for x, black := 0, false; x < w; black = !black {
				end := next(row, x, black)
				out.run(end-x, black)
				x = end
			}
		}
		above = row
	}
	switch {
	case p.K < 0:
		if p.ByteAlign {
			out.align()
		}
		out.put("000000000001000000000001")
	case p.EndOfLine:
		for range 6 {
			mark(map[bool]string{true: "1"}[p.K > 0])
		}
	}
	return out.data
}

// next returns the column at which the run of the given colour that begins
// at x ends.
func next(row []byte, x int, black bool) int {
	for x < len(row) && (row[x] == 1) == black {
		x++
	}
	return x
}

func (w *writer) run(n int, black bool) {
	for n >= 2624 {
		w.put(fax.Code(2560, black))
		n -= 2560
	}
	if n >= 64 {
		w.put(fax.Code(n/64*64, black))
		n %= 64
	}
	w.put(fax.Code(n, black))
}

// flat writes a row in two-dimensional encoding.
func (w *writer) flat(row, above []byte) {
	n := len(row)
	colour := func(row []byte, x int) bool { return x >= 0 && x < n && row[x] == 1 }
	for a0, black := -1, false; a0 < n; {
		a1 := max(a0, 0)
		for a1 < n && colour(row, a1) == black {
			a1++
		}
		b1 := a0 + 1
		for b1 < n && (colour(above, b1) == black || colour(above, b1-1) != black) {
			b1++
		}
		b2 := b1
		for b2 < n && colour(above, b2) != black {
			b2++
		}
		switch d := a1 - b1; {
		case b2 < a1:
			w.put("0001")
			a0 = b2
		case d >= -3 && d <= 3:
			w.put(map[int]string{0: "1", 1: "011", 2: "000011", 3: "0000011", -1: "010", -2: "000010", -3: "0000010"}[d])
			a0, black = a1, !black
		default:
			a2 := a1
			for a2 < n && colour(row, a2) != black {
				a2++
			}
			w.put("001")
			w.run(a1-max(a0, 0), black)
			w.run(a2-a1, !black)
			a0 = a2
		}
	}
}
