// SPDX-License-Identifier: Apache-2.0

package jpx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/curlew/parse/internal/pdf/jpx"
)

// TestOptions checks which resolutions are left out.
func TestOptions(t *testing.T) {
	whole := readPNG(t, filepath.Join("testdata", "gray.png"))[0]
	for _, c := range []struct {
		what string
		o    jpx.Options
		w, h int // 0: an error
	}{
		{"all", jpx.Options{}, 46, 37},
		{"the same", jpx.Options{Width: 46, Height: 37}, 46, 37},
		{"a bit less", jpx.Options{Width: 24, Height: 19}, 46, 37},
		{"half", jpx.Options{Width: 23, Height: 19}, 23, 19},
		{"less in one direction", jpx.Options{Width: 23, Height: 37}, 46, 37},
		{"less than there is", jpx.Options{Width: 1, Height: 1}, 6, 5},
		{"few pixels", jpx.Options{Pixels: 23 * 19}, 23, 19},
		{"fewer pixels", jpx.Options{Pixels: 23*19 - 1}, 12, 10},
		{"too few pixels", jpx.Options{Pixels: 29}, 0, 0},
		{"few pixels, indexed", jpx.Options{Pixels: 46*37 - 1, Indexed: true}, 0, 0},
		{"little, indexed", jpx.Options{Width: 5, Height: 5, Indexed: true}, 46, 37},
	} {
		m, err := jpx.Decode(t.Context(), read(t, "gray.jp2"), c.o)
		if c.w == 0 {
			if m != nil || !errors.Is(err, jpx.ErrDamaged) {
				t.Errorf("%s: %v, %v", c.what, m, err)
			}
			continue
		}
		if err != nil || m.W != c.w || m.H != c.h || len(m.Planes[0].Pix) != c.w*c.h {
			t.Errorf("%s: %+v, %v", c.what, m, err)
			continue
		}
		if got, want := mean(m.Planes[0].Pix), mean(whole); got < want-12 || got > want+12 {
			t.Errorf("%s: the mean is %d, want %d", c.what, got, want)
		}
	}
}

func mean(pix []byte) int {
	sum := 0
	for _, v := range pix {
		sum += int(v)
	}
	return sum / len(pix)
}

// TestLuma checks the lightness of images with and without a component
// transform.
func TestLuma(t *testing.T) {
	for _, c := range []struct {
		name string
		off  float64 // maximum mean difference of the samples; colours out of range are clipped
	}{{"rgb.jp2", 0}, {"rgb-lossy.jp2", 1}, {"rgb-apart.j2k", 0}, {"palette.jp2", 0}} {
		m, err := jpx.Decode(t.Context(), read(t, c.name), jpx.Options{Luma: true})
		if err != nil || len(m.Planes) != 1 || m.Space != jpx.Gray {
			t.Errorf("%s: %+v, %v", c.name, m, err)
			continue
		}
		rgb := readPNG(t, filepath.Join("testdata", c.name[:len(c.name)-4]+".png"))
		sum := 0
		for i, v := range m.Planes[0].Pix {
			want := (299*int(rgb[0][i]) + 587*int(rgb[1][i]) + 114*int(rgb[2][i])) / 1000
			if c.name == "rgb.jp2" { // the lightness of the reversible transform (G.2)
				want = (int(rgb[0][i]) + 2*int(rgb[1][i]) + int(rgb[2][i])) / 4
			}
			sum += max(int(v)-want, want-int(v))
		}
		if off := float64(sum) / float64(len(rgb[0])); off > c.off {
			t.Errorf("%s is off by %v", c.name, off)
		}
	}
}

// file returns a JP2 file with the given boxes in its header.
func file(stream []byte, boxes ...[]byte) []byte {
	return slices.Concat([]byte(signature), box("jp2h", slices.Concat(boxes...)...), box("jp2c", codestream(stream)...))
}

// enumerated returns a box colr with an enumerated colour space.
func enumerated(space byte) []byte { return box("colr", 1, 0, 0, 0, 0, 0, space) }

// TestColors checks which channels are used as colours, depending on the
// file and on the options.
func TestColors(t *testing.T) {
	inks, rgb, gray := read(t, "inks.j2k"), read(t, "rgb-apart.j2k"), read(t, "layers.j2k")
	channels := func(numbers ...byte) []byte { // content of a box cdef
		out := []byte{0, byte(len(numbers) / 3)}
		for i := 0; i < len(numbers); i += 3 {
			out = append(out, 0, numbers[i], 0, numbers[i+1], 0, numbers[i+2])
		}
		return box("cdef", out...)
	}
	profile := append(append([]byte{2, 0, 0}, make([]byte, 16)...), "CMYK"...)
	for _, c := range []struct {
		what  string
		data  []byte
		o     jpx.Options
		space jpx.Space
		from  []int // components
	}{
		{"four of nothing known", inks, jpx.Options{}, jpx.CMYK, []int{0, 1, 2, 3}},
		{"RGB and more", file(inks, enumerated(16)), jpx.Options{}, jpx.RGB, []int{0, 1, 2}},
		{"a gray and more", file(inks, enumerated(17)), jpx.Options{}, jpx.Gray, []int{0}},
		{"YCC", file(rgb, enumerated(18)), jpx.Options{}, jpx.YCC, []int{0, 1, 2}},
		{"YCC, its lightness", file(rgb, enumerated(18)), jpx.Options{Luma: true, Colors: 3}, jpx.Gray, []int{0}},
		{"inks", file(inks, enumerated(12)), jpx.Options{}, jpx.CMYK, []int{0, 1, 2, 3}},
		{"inks by a profile", file(inks, box("colr", profile...)), jpx.Options{}, jpx.CMYK, []int{0, 1, 2, 3}},
		{"the first of two boxes", file(inks, enumerated(17), enumerated(16)), jpx.Options{}, jpx.Gray, []int{0}},
		{"more colours than there are", file(gray, enumerated(16)), jpx.Options{}, jpx.Gray, []int{0}},
		{"another order", file(rgb, enumerated(16), channels(0, 0, 3, 1, 0, 1, 2, 0, 2)), jpx.Options{}, jpx.RGB, []int{1, 2, 0}},
		{"opacity first", file(inks, enumerated(16), channels(0, 1, 0, 1, 0, 1, 2, 0, 2, 3, 0, 3)), jpx.Options{}, jpx.RGB, []int{1, 2, 3}},
		{"opacity for a gray", file(rgb, channels(0, 1, 0, 1, 0, 1)), jpx.Options{}, jpx.Gray, []int{1}},
		{"a document's gray", file(inks, enumerated(16)), jpx.Options{Colors: 1}, jpx.Gray, []int{0}},
		{"a document's two inks", file(inks, enumerated(16)), jpx.Options{Colors: 2}, jpx.Other, []int{0, 1}},
		{"a document's nine inks", file(inks, enumerated(16)), jpx.Options{Colors: 9}, jpx.CMYK, []int{0, 1, 2, 3}},
		{"a palette that lacks", file(gray, box("pclr", 0, 1, 1, 7, 9), box("cmap", 0, 7, 1, 0)), jpx.Options{}, jpx.Gray, []int{0}},
		{"a palette without channels", file(gray, box("pclr", 0, 1, 1, 7, 9)), jpx.Options{}, jpx.Gray, []int{0}},
		{"channels without a palette", file(gray, box("cmap", 0, 0, 1, 0)), jpx.Options{}, jpx.Gray, []int{0}},
		{"a document's palette", read(t, "palette.jp2"), jpx.Options{Indexed: true, Colors: 1}, jpx.Gray, []int{0}},
		{"boxes without an end", append([]byte("\x00\x00\x00\x03junk"), gray...), jpx.Options{}, jpx.Gray, []int{0}},
		{"a box of 64 bits", slices.Concat([]byte(signature), long("jp2c", gray)), jpx.Options{}, jpx.Gray, []int{0}},
		{"a box to the end", slices.Concat([]byte(signature), []byte("\x00\x00\x00\x00jp2c"), gray), jpx.Options{}, jpx.Gray, []int{0}},
	} {
		m, err := jpx.Decode(t.Context(), c.data, c.o)
		if err != nil || m.Space != c.space || len(m.Planes) != len(c.from) {
			t.Errorf("%s: %+v, %v", c.what, m, err)
			continue
		}
		all, sizes, err := jpx.Samples(t.Context(), codestream(c.data), 0)
		if err != nil {
			t.Fatal(err)
		}
		for k, from := range c.from {
			scale := int32(1)
			if m.Depth == 4 {
				scale = 17
			}
			for i, v := range m.Planes[k].Pix {
				if int32(v) != all[from][i]*scale || sizes[k] != [2]int{m.W, m.H} {
					t.Errorf("%s: sample %d of plane %d is %d, want %d", c.what, i, k, v, all[from][i]*scale)
					break
				}
			}
		}
	}
}

// long returns a box with a 64-bit length.
func long(kind string, body []byte) []byte {
	out := append([]byte{0, 0, 0, 1}, kind...)
	return append(binary.BigEndian.AppendUint64(out, uint64(16+len(body))), body...)
}

// TestOverrides checks that marker segments for one component override
// general ones with wrong values, whether they come before or after them, in
// the main header and in that of a tile.
func TestOverrides(t *testing.T) {
	data := read(t, "precincts.j2k")
	cod, qcd := cutSegment(data, 0x52), cutSegment(data, 0x5c)
	rest := bytes.Replace(bytes.Replace(data, cod, nil, 1), qcd, nil, 1)
	at := bytes.Index(rest, []byte{0xff, 0x64}) // a comment marker
	coc := segment(0x53, append([]byte{0, cod[4] & 1}, cod[9:]...)...)
	qcc := segment(0x5d, append([]byte{0}, qcd[4:]...)...)
	wrong := segment(0x52, cod[4]&^1, cod[5], cod[6], cod[7], cod[8], 5, 2, 1, 63, 0)
	coarse := segment(0x5c, 0x22, 0x11, 0x11)
	want, _, err := jpx.Samples(t.Context(), data, 0)
	if err != nil {
		t.Fatal(err)
	}
	for what, parts := range map[string][2][]byte{
		"after":                {slices.Concat(wrong, coarse, coc, qcc)},
		"before":               {slices.Concat(coc, qcc, wrong, coarse)},
		"of a tile":            {slices.Concat(wrong, coarse), slices.Concat(cod, qcd)},
		"of a tile, before":    {slices.Concat(wrong, coarse), slices.Concat(coc, qcc, wrong, coarse)},
		"of a tile, over main": {slices.Concat(cod, qcd, segment(0x53, 0, 0, 1, 1, 1, 0, 1)), slices.Concat(cod, qcd)},
		"of no component":      {slices.Concat(cod, qcd, segment(0x53, 9, 0, 1, 1, 1, 0, 1), segment(0x5d, 9, 0), segment(0x5e, 9, 0, 5))},
	} {
		stream := slices.Concat(rest[:at], parts[0], rest[at:])
		sot := bytes.Index(stream, []byte{0xff, 0x90})
		length := binary.BigEndian.Uint32(stream[sot+6:])
		binary.BigEndian.PutUint32(stream[sot+6:], length+uint32(len(parts[1])))
		stream = slices.Insert(stream, sot+12, parts[1]...)
		got, _, err := jpx.Samples(t.Context(), stream, 0)
		if err != nil || !slices.Equal(got[0], want[0]) {
			t.Errorf("%s: the image is another, %v", what, err)
		}
	}
}

// cutSegment returns the first marker segment with the given marker.
func cutSegment(data []byte, mark byte) []byte {
	data = data[bytes.Index(data, []byte{0xff, mark}):]
	return slices.Clone(data[:2+binary.BigEndian.Uint16(data[2:])])
}

// TestDerived checks the derived quantization steps of subbands (equation
// E-5).
func TestDerived(t *testing.T) {
	for band, want := range []int{9, 9, 9, 9, 8, 8, 8, 7, 7, 7} {
		if exponent, mantissa := jpx.Step([]byte{0x41, 9<<3 | 1, 2}, band); exponent != want || mantissa != 0x102 {
			t.Errorf("band %d has %d, %#x, want %d", band, exponent, mantissa, want)
		}
	}
}

// TestSubsampled decodes chroma of half the size, whatever colour space the
// file declares.
func TestSubsampled(t *testing.T) {
	const name = "ycc.jp2"
	if *update {
		raw := rawBytes(strokes(7, 0, 8), 8)
		for range 2 {
			for i := range sampleW / 2 * ((sampleH + 1) / 2) { // OpenJPEG expects slightly more samples for the first component and fewer for the others
				raw = append(raw, byte(i))
			}
		}
		coded := codeRaw(t, raw, fmt.Sprintf("%d,%d,3,8,u@1x1:2x2:2x2", sampleW, sampleH), "-mct 0 -n 3", ".jp2")
		if err := os.WriteFile(filepath.Join("testdata", name), coded, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := read(t, name)
	want := strokes(7, 0, 8)
	for what, data := range map[string][]byte{"YCC": data, "said to be RGB": file(data, enumerated(16)), "not said": codestream(data)} {
		m, err := jpx.Decode(t.Context(), data, jpx.Options{})
		if err != nil || m.Space != jpx.YCC || len(m.Planes) != 3 || m.Planes[1].W != sampleW/2 || m.Planes[2].H != (sampleH+1)/2 || m.Planes[1].Pix[200] != 200 {
			t.Fatalf("%s: %+v, %v", what, m, err)
		}
		light, err := jpx.Decode(t.Context(), data, jpx.Options{Luma: true, Colors: 3})
		if err != nil || light.Space != jpx.Gray || len(light.Planes) != 1 {
			t.Fatalf("%s: %+v, %v", what, light, err)
		}
		for i, v := range want {
			if int(m.Planes[0].Pix[i]) != v || int(light.Planes[0].Pix[i]) != v {
				t.Fatalf("%s: sample %d is %d and %d, want %d", what, i, m.Planes[0].Pix[i], light.Planes[0].Pix[i], v)
			}
		}
	}
	all, err := jpx.Decode(t.Context(), file(data, enumerated(16), box("cdef", 0, 3, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 3, 0, 2, 0, 0, 0, 1)), jpx.Options{Luma: true})
	if err != nil || all.Space != jpx.Gray || all.W != sampleW/2 || len(all.Planes) != 1 {
		t.Errorf("a small red: %+v, %v", all, err)
	}
}
