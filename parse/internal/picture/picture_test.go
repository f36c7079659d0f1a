// SPDX-License-Identifier: Apache-2.0

package picture_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"maps"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/picture"
)

func TestMain(m *testing.M) { leak.Main(m) }

// sample returns a picture that is black at the top left, gray at the top
// right and white below.
func sample(w, h int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			switch {
			case y >= h/2:
				m.Pix[y*w+x] = 255
			case x >= w/2:
				m.Pix[y*w+x] = 128
			}
		}
	}
	return m
}

func encoded(t *testing.T, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// corners returns the gray levels of a picture's corners, clockwise from the
// top left.
func corners(t *testing.T, p picture.Page) [4]byte {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	if b.Dx() != p.Width || b.Dy() != p.Height {
		t.Errorf("a picture of %v, said to be %d by %d", b, p.Width, p.Height)
	}
	var out [4]byte
	for i, at := range []image.Point{{1, 1}, {b.Dx() - 2, 1}, {b.Dx() - 2, b.Dy() - 2}, {1, b.Dy() - 2}} {
		g, _ := color.GrayModel.Convert(img.At(at.X, at.Y)).(color.Gray)
		out[i] = byte(min((int(g.Y)+16)/64*64, 192)) // JPEG is not exact
	}
	return out
}

var upright = [4]byte{0, 128, 192, 192}

func page(t *testing.T, data []byte, i int) picture.Page {
	t.Helper()
	f, err := picture.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCoded(t *testing.T) {
	m := sample(40, 60)
	pngData := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
	jpgData := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
	gifData := encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
	for _, c := range []struct {
		what, mime string
		data       []byte
		raw        bool
	}{
		{"PNG", "image/png", pngData, true},
		{"JPEG", "image/jpeg", jpgData, true},
		{"GIF", "image/png", gifData, false},
	} {
		p := page(t, c.data, 0)
		if p.MIME != c.mime || p.Width != 40 || p.Height != 60 || bytes.Equal(p.Data, c.data) != c.raw || p.DPI != 70 {
			t.Errorf("%s: %s of %d by %d at %v", c.what, p.MIME, p.Width, p.Height, p.DPI)
		}
		if got := corners(t, p); got != upright {
			t.Errorf("%s: corners %v", c.what, got)
		}
	}
}

// exif inserts an orientation into a JPEG.
func exif(data []byte, turn int) []byte {
	e := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	e = append(e, byte(turn), 0, 0, 0, 0, 0, 0)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, 0, byte(len(e)+2))
	return slices.Concat(out, e, data[2:])
}

// TestTurned reads JPEG images with each EXIF orientation.
func TestTurned(t *testing.T) {
	data := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, sample(40, 60), nil) })
	a, b, c := byte(0), byte(128), byte(192)
	for turn, want := range map[int][4]byte{
		1: {a, b, c, c}, 2: {b, a, c, c}, 3: {c, c, a, b}, 4: {c, c, b, a},
		5: {a, c, c, b}, 6: {c, a, b, c}, 7: {c, b, a, c}, 8: {b, c, c, a},
	} {
		p := page(t, exif(data, turn), 0)
		if got := corners(t, p); got != want || (p.Width == 60) != (turn > 4) {
			t.Errorf("orientation %d: corners %v, want %v; %d by %d", turn, got, want, p.Width, p.Height)
		}
	}
}

// tiffPage is one page of a TIFF file to write.
type tiffPage struct {
	tags   map[int][]int // of 32 bits
	strips [][]byte
}

// tiff returns a TIFF file.
func tiff(order binary.AppendByteOrder, pages ...tiffPage) []byte {
	out := []byte("II*\x00")
	if order.String() == "BigEndian" {
		out = []byte("MM\x00*")
	}
	link := len(out)
	out = append(out, 0, 0, 0, 0)
	put := func(at, v int) { copy(out[at:], order.AppendUint32(nil, uint32(v))) }
	for _, p := range pages {
		var offsets, sizes []int
		for _, s := range p.strips {
			offsets, sizes = append(offsets, len(out)), append(sizes, len(s))
			out = append(out, s...)
		}
		tags := map[int][]int{273: offsets, 279: sizes}
		maps.Copy(tags, p.tags)
		type entry struct{ tag, kind, n, value int }
		var entries []entry
		for tag, v := range tags {
			e := entry{tag, 4, len(v), v[0]}
			if tag == 282 {
				e.kind, e.n = 5, 1
			}
			if len(v) > 1 {
				e.value = len(out)
				for _, x := range v {
					out = order.AppendUint32(out, uint32(x))
				}
			}
			entries = append(entries, e)
		}
		slices.SortFunc(entries, func(a, b entry) int { return a.tag - b.tag })
		put(link, len(out))
		out = order.AppendUint16(out, uint16(len(entries)))
		for _, e := range entries {
			out = order.AppendUint16(out, uint16(e.tag))
			out = order.AppendUint16(out, uint16(e.kind))
			out = order.AppendUint32(out, uint32(e.n))
			out = order.AppendUint32(out, uint32(e.value))
		}
		link = len(out)
		out = append(out, 0, 0, 0, 0)
	}
	return out
}

func flate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// packBits encodes each row as one literal run.
func packBits(b []byte, row int) []byte {
	var out []byte
	for r := range slices.Chunk(b, row) {
		out = append(append(out, byte(len(r)-1)), r...)
	}
	return out
}

func TestTIFF(t *testing.T) {
	m := sample(40, 60)
	gray := map[int][]int{256: {40}, 257: {60}, 258: {8}, 262: {1}, 277: {1}, 278: {60}}
	with := func(more map[int][]int) map[int][]int {
		out := map[int][]int{}
		maps.Copy(out, gray)
		maps.Copy(out, more)
		return out
	}
	inverse := make([]byte, len(m.Pix))
	rgb := make([]byte, 0, 3*len(m.Pix))
	indices := make([]byte, len(m.Pix))
	differences := slices.Clone(m.Pix)
	for i, v := range m.Pix {
		inverse[i] = 255 - v
		rgb = append(rgb, v, v, v)
		indices[i] = v / 127
		if i%40 > 0 {
			differences[i] = v - m.Pix[i-1]
		}
	}
	var strips [][]byte
	for r := range slices.Chunk(m.Pix, 40*7) {
		strips = append(strips, r)
	}
	var tiles [][]byte
	for y := 0; y < 60; y += 32 {
		for x := 0; x < 40; x += 32 {
			tile := make([]byte, 32*32)
			for j := range 32 {
				for i := range 32 {
					if x+i < 40 && y+j < 60 {
						tile[j*32+i] = m.Pix[(y+j)*40+x+i]
					}
				}
			}
			tiles = append(tiles, tile)
		}
	}
	palette := make([]int, 768)
	for _, k := range []int{0, 256, 512} {
		palette[k+1], palette[k+2] = 128<<8, 255<<8
	}
	jpg := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
	for _, c := range []struct {
		what string
		page tiffPage
	}{
		{"plain", tiffPage{gray, [][]byte{m.Pix}}},
		{"strips", tiffPage{with(map[int][]int{278: {7}}), strips}},
		{"tiles", tiffPage{with(map[int][]int{322: {32}, 323: {32}, 324: nil, 325: nil}), tiles}},
		{"white is zero", tiffPage{with(map[int][]int{262: {0}}), [][]byte{inverse}}},
		{"colours", tiffPage{with(map[int][]int{262: {2}, 277: {3}}), [][]byte{rgb}}},
		{"a palette", tiffPage{with(map[int][]int{262: {3}, 320: palette}), [][]byte{indices}}},
		{"deflated", tiffPage{with(map[int][]int{259: {8}}), [][]byte{flate(m.Pix)}}},
		{"deflated differences", tiffPage{with(map[int][]int{259: {32946}, 317: {2}}), [][]byte{flate(differences)}}},
		{"packed bits", tiffPage{with(map[int][]int{259: {32773}}), [][]byte{packBits(m.Pix, 40)}}},
		{"JPEG", tiffPage{with(map[int][]int{259: {7}}), [][]byte{jpg}}},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if tags := c.page.tags; len(tags[322]) > 0 { // tiles have tags of their own
				var offsets, sizes []int
				at := 8
				for _, s := range c.page.strips {
					offsets, sizes = append(offsets, at), append(sizes, len(s))
					at += len(s)
				}
				tags[324], tags[325] = offsets, sizes
			}
			p := page(t, tiff(order, c.page), 0)
			if got := corners(t, p); got != upright || p.MIME != "image/png" || p.Width != 40 || p.Height != 60 {
				t.Errorf("%s, %v: %s of %d by %d with corners %v", c.what, order, p.MIME, p.Width, p.Height, got)
			}
		}
	}
}

// TestFax reads a fax as TIFF, where white is zero and the bit order may be
// reversed.
func TestFax(t *testing.T) {
	// Two rows of two pixels in Group 4, each white, black.
	fax := []byte{0x5c, 0x00, 0x40, 0x04}
	turned := make([]byte, len(fax))
	for i, v := range fax {
		turned[i] = bits.Reverse8(v)
	}
	tags := map[int][]int{256: {2}, 257: {2}, 258: {1}, 259: {4}, 262: {0}, 277: {1}, 278: {2}}
	for _, c := range []struct {
		what        string
		data        []byte
		fill, photo int
		want        byte // of the first pixel
	}{
		{"as usual", fax, 1, 0, 255}, {"bits turned", turned, 2, 0, 255}, {"black is zero", fax, 1, 1, 0},
	} {
		own := map[int][]int{}
		maps.Copy(own, tags)
		own[266], own[262] = []int{c.fill}, []int{c.photo}
		p := page(t, tiff(binary.LittleEndian, tiffPage{own, [][]byte{c.data}}), 0)
		img, err := png.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		first, _ := color.GrayModel.Convert(img.At(0, 0)).(color.Gray)
		second, _ := color.GrayModel.Convert(img.At(1, 1)).(color.Gray)
		if first.Y != c.want || second.Y != 255-c.want {
			t.Errorf("%s: %d, %d", c.what, first.Y, second.Y)
		}
	}
}

// TestPages reads three pages, one of them rotated, with resolutions in both
// units.
func TestPages(t *testing.T) {
	m := sample(40, 60)
	tags := func(more map[int][]int) map[int][]int {
		out := map[int][]int{256: {40}, 257: {60}, 258: {8}, 262: {1}, 277: {1}, 278: {60}}
		maps.Copy(out, more)
		return out
	}
	data := tiff(binary.LittleEndian,
		tiffPage{tags(map[int][]int{282: {300, 1}}), [][]byte{m.Pix}},
		tiffPage{tags(map[int][]int{282: {100, 1}, 296: {3}}), [][]byte{m.Pix}},
		tiffPage{tags(map[int][]int{274: {6}}), [][]byte{m.Pix}})
	f, err := picture.Open(data)
	if err != nil || f.Pages != 3 {
		t.Fatalf("%+v, %v", f, err)
	}
	for i, want := range []float64{300, 254, 70} {
		p, err := f.Page(t.Context(), i)
		if err != nil || p.DPI < want-.01 || p.DPI > want+.01 || (p.Width == 60) != (i == 2) {
			t.Errorf("page %d: %d by %d at %v, %v", i, p.Width, p.Height, p.DPI, err)
		}
		if got := corners(t, p); i == 2 && got != [4]byte{192, 0, 128, 192} {
			t.Errorf("page %d: corners %v", i, got)
		}
	}
	loop := slices.Clone(data)
	last := bytes.LastIndex(loop, []byte{0, 0, 0, 0})
	copy(loop[last:], loop[4:8]) // the last page is followed by the first
	if f, err := picture.Open(loop); err != nil || f.Pages != 3 {
		t.Errorf("a circle: %+v, %v", f, err)
	}
}

func TestMeasured(t *testing.T) {
	webp := func(kind, body string) string {
		return "RIFF\x00\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + body
	}
	for _, c := range []struct{ what, data, mime string }{
		{"WebP", webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x28\x00\x3c\x00"), "image/webp"},
		{"WebP, lossless", webp("VP8L", "\x2f\x27\xc0\x0e\x00"), "image/webp"},
		{"WebP, extended", webp("VP8X", "\x00\x00\x00\x00\x27\x00\x00\x3b\x00\x00"), "image/webp"},
		{"BMP", "BM" + strings.Repeat("\x00", 16) + "\x28\x00\x00\x00\xc4\xff\xff\xff" + strings.Repeat("\x00", 30), "image/bmp"},
		{"JPEG 2000", "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x16ihdr\x00\x00\x00\x3c\x00\x00\x00\x28", "image/jp2"},
		{"its codestream", "\xff\x4f\xff\x51\x00\x2f\x00\x00\x00\x00\x00\x29\x00\x00\x00\x3d\x00\x00\x00\x01\x00\x00\x00\x01", "image/jp2"},
	} {
		if p := page(t, []byte(c.data), 0); p.MIME != c.mime || p.Width != 40 || p.Height != 60 || string(p.Data) != c.data {
			t.Errorf("%s: %s of %d by %d", c.what, p.MIME, p.Width, p.Height)
		}
	}
}

// TestDraw draws JPEG 2000, which is otherwise returned unchanged, and
// refuses other formats.
func TestDraw(t *testing.T) {
	data, err := os.ReadFile("../pdf/jpx/testdata/gray.jp2")
	if err != nil {
		t.Fatal(err)
	}
	f, err := picture.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.Page(t.Context(), 0); err != nil || p.MIME != "image/jp2" {
		t.Errorf("%s, %v", p.MIME, err)
	}
	if !f.Draw() || f.Draw() {
		t.Error("JPEG 2000 is drawn once")
	}
	truth, err := os.ReadFile("../pdf/jpx/testdata/gray.png")
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(t.Context(), 0)
	if err != nil || p.MIME != "image/png" || p.Width != 46 || p.Height != 37 || p.DPI != 70 || !bytes.Equal(grays(t, p.Data), grays(t, truth)) {
		t.Errorf("%s of %d by %d at %v, %v", p.MIME, p.Width, p.Height, p.DPI, err)
	}
	if f, err = picture.Open(data[:100]); err != nil || !f.Draw() {
		t.Fatal(err)
	}
	if _, err := f.Page(t.Context(), 0); !errors.Is(err, picture.ErrCorrupt) {
		t.Errorf("the header of an image: %v", err)
	}
	if f, err = picture.Open(truth); err != nil || f.Draw() {
		t.Errorf("a PNG is drawn: %v", err)
	}
}

// grays returns the pixels of a gray PNG.
func grays(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := img.(*image.Gray)
	if !ok {
		t.Fatalf("%T", img)
	}
	return m.Pix
}

var errStop = errors.New("stopped by the test")

func TestErrors(t *testing.T) {
	m := sample(40, 60)
	whole := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
	large := func(w, h int) []byte {
		return tiff(binary.LittleEndian, tiffPage{map[int][]int{256: {w}, 257: {h}}, [][]byte{{1}}})
	}
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"nothing", nil, picture.ErrCorrupt},
		{"no image", []byte("hello, this is no image"), picture.ErrCorrupt},
		{"cut PNG", whole[:20], picture.ErrCorrupt},
		{"cut GIF", []byte("GIF89a"), picture.ErrCorrupt},
		{"no pages", []byte("II*\x00\x00\x00\x00\x00"), picture.ErrCorrupt},
		{"no size", large(0, 5), picture.ErrCorrupt},
		{"too many pixels", large(1<<20, 1<<20), picture.ErrLimit},
		{"BMP too large", []byte("BM" + strings.Repeat("\x00", 16) + "\xff\xff\xff\x0f\xff\xff\xff\x0f"), picture.ErrLimit},
	} {
		if _, err := picture.Open(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for what, tags := range map[string]map[int][]int{
		"an unknown compression": {256: {2}, 257: {2}, 258: {8}, 259: {99}},
		"an alpha channel":       {256: {2}, 257: {2}, 258: {8}, 262: {2}, 277: {4}, 338: {1}},
		"planes":                 {256: {2}, 257: {2}, 258: {8}, 262: {2}, 277: {3}, 284: {2}},
		"no strips":              {256: {2}, 257: {2}, 258: {8}, 262: {1}, 278: {0}},
	} {
		f, err := picture.Open(tiff(binary.LittleEndian, tiffPage{tags, [][]byte{{1, 2, 3, 4}}}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Page(t.Context(), 0); !errors.Is(err, picture.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f, err := picture.Open(tiff(binary.LittleEndian, tiffPage{map[int][]int{256: {40}, 257: {60}, 258: {8}, 262: {1}, 278: {60}}, [][]byte{m.Pix}}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errStop)
	if _, err := f.Page(ctx, 0); !errors.Is(err, errStop) {
		t.Errorf("an ended context: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	m := sample(8, 8)
	for _, encode := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return png.Encode(b, m) },
		func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) },
		func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(tiff(binary.LittleEndian, tiffPage{map[int][]int{256: {8}, 257: {8}, 258: {8}, 262: {1}, 278: {8}}, [][]byte{m.Pix}}))
	f.Add(tiff(binary.BigEndian, tiffPage{map[int][]int{256: {8}, 257: {8}, 258: {1}, 259: {4}, 274: {6}}, [][]byte{{1, 2, 3}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := picture.Open(data)
		if err != nil {
			return
		}
		for i := range min(file.Pages, 2) {
			p, err := file.Page(t.Context(), i)
			if err == nil && (p.Width <= 0 || p.Height <= 0 || !(p.DPI > 0) || len(p.Data) == 0) {
				t.Fatalf("%s of %d by %d at %v", p.MIME, p.Width, p.Height, p.DPI)
			}
		}
	})
}
