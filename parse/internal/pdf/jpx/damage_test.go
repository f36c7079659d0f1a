// SPDX-License-Identifier: Apache-2.0

package jpx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/pdf/jpx"
)

// TestCut decodes truncated images. The layers and tiles before the cut must
// be decoded.
func TestCut(t *testing.T) {
	for _, c := range samples {
		data := read(t, c.name)
		for n := 0; n < len(data); n += 1 + n/20 {
			m, err := jpx.Decode(t.Context(), data[:n], jpx.Options{})
			if err != nil && !errors.Is(err, jpx.ErrDamaged) || m == nil && err == nil {
				t.Errorf("%d bytes of %s: %v, %v", n, c.name, m, err)
			}
		}
	}
	for _, c := range []struct {
		name string
		part float64
		off  float64 // maximum mean difference of the samples
	}{{"layers.j2k", .3, 25}, {"layers.j2k", .6, 12}, {"tiles.j2k", .9, 60}, {"gray.jp2", .9, 20}} {
		data := read(t, c.name)
		m, err := jpx.Decode(t.Context(), data[:int(c.part*float64(len(data)))], jpx.Options{})
		if m == nil || !errors.Is(err, jpx.ErrDamaged) {
			t.Errorf("%v of %s: %v, %v", c.part, c.name, m, err)
			continue
		}
		want := readPNG(t, filepath.Join("testdata", strings.TrimSuffix(c.name, filepath.Ext(c.name))+".png"))
		sum := 0.0
		for i, v := range m.Planes[0].Pix {
			sum += math.Abs(float64(v) - float64(want[0][i]))
		}
		if off := sum / float64(len(want[0])); off > c.off || off == 0 {
			t.Errorf("%v of %s is off by %v", c.part, c.name, off)
		}
	}
}

// TestMissingTile removes a tile. It must be white and the other tiles
// complete.
func TestMissingTile(t *testing.T) {
	data := read(t, "packed-tiles.j2k")
	at := bytes.LastIndex(data, []byte{0xff, 0x90})
	cut := append(slices.Clone(data[:at]), 0xff, 0xd9)
	m, err := jpx.Decode(t.Context(), cut, jpx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := readPNG(t, filepath.Join("testdata", "packed-tiles.png"))[0]
	for i, v := range m.Planes[0].Pix {
		due := want[i]
		if i%m.W >= 30 && i/m.W >= 30 {
			due = 255
		}
		if v != due {
			t.Fatalf("sample %d, %d is %d, want %d", i%m.W, i/m.W, v, due)
		}
	}
}

// TestEmptyTile decodes a tile that is empty at half the size, after a tile
// whose components are not transformed.
func TestEmptyTile(t *testing.T) {
	mixed := slices.Clone(cod)
	mixed[8] = 1
	zeros := make([]byte, 6)
	data := whole(siz(2, 1, 1, 1, 7, 7, 7), mixed, qcd, tilePart(0, cod, zeros), tilePart(1, nil, zeros))
	m, err := jpx.Decode(t.Context(), data, jpx.Options{Width: 1, Height: 1})
	if err != nil || m.W != 1 || m.H != 1 || m.Planes[2].Pix[0] != 128 {
		t.Errorf("%+v, %v", m, err)
	}
}

// siz returns a marker segment SIZ with one component for each depth byte.
func siz(w, h, tw, th uint32, depths ...byte) []byte {
	body := []byte{0, 0}
	for _, v := range []uint32{w, h, 0, 0, tw, th, 0, 0} {
		body = binary.BigEndian.AppendUint32(body, v)
	}
	body = binary.BigEndian.AppendUint16(body, uint16(len(depths)))
	for _, d := range depths {
		body = append(body, d, 1, 1)
	}
	return segment(0x51, body...)
}

// segment returns a marker segment.
func segment(mark byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, mark}, uint16(len(body)+2)), body...)
}

// tilePart returns a tile-part with its header.
func tilePart(tile int, header, body []byte) []byte {
	out := binary.BigEndian.AppendUint16(nil, uint16(tile))
	out = binary.BigEndian.AppendUint32(out, uint32(14+len(header)+len(body)))
	return slices.Concat(segment(0x90, append(out, 0, 1)...), header, []byte{0xff, 0x93}, body)
}

// manyTiles returns n tiles without packets.
func manyTiles(n int) (out []byte) {
	for i := range n {
		out = append(out, tilePart(i, nil, []byte{0})...)
	}
	return out
}

var (
	cod = segment(0x52, 0, 0, 0, 1, 0, 1, 4, 4, 0, 1) // one layer, one decomposition level, code-blocks of 64 by 64
	qcd = segment(0x5c, 0x40, 0x48, 0x48, 0x50, 0x50)
	eoc = []byte{0xff, 0xd9}
)

// whole returns a codestream of the given parts.
func whole(parts ...[]byte) []byte {
	return slices.Concat([]byte{0xff, 0x4f}, slices.Concat(parts...), eoc)
}

func TestDamage(t *testing.T) {
	gray := read(t, "gray.jp2")
	sized := siz(64, 64, 64, 64, 7)
	empty := tilePart(0, nil, bytes.Repeat([]byte{0}, 20))
	included := tilePart(0, nil, bytes.Repeat([]byte{0x80}, 50_000)) // headers of packets that include no code-block
	many := slices.Repeat([]byte{7}, 33)
	wide := segment(0x52, 1, 0, 0, 1, 0, 1, 4, 4, 0, 1, 0x00, 0x11) // precincts of one sample
	layers := segment(0x52, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 1)     // 65535 layers, no decomposition, code-blocks of 4 by 4
	for _, c := range []struct {
		what, says string
		data       []byte
	}{
		{"nothing", "no codestream", nil},
		{"junk", "no codestream", []byte("jpx")},
		{"a file without a codestream", "no codestream", gray[:60]},
		{"no size", "no main header", whole(cod, qcd)},
		{"an empty image", "invalid image size", whole(siz(0, 64, 64, 64, 7))},
		{"a grid too large", "invalid image size", whole(siz(1<<31, 64, 64, 64, 7))},
		{"empty tiles", "invalid image size", whole(siz(64, 64, 0, 64, 7))},
		{"too many tiles", "too many tiles", whole(siz(64, 1<<20, 1, 1, 7))},
		{"too many components", "33 components", whole(siz(64, 64, 64, 64, many...))},
		{"38 bits", "invalid number or depth of samples", whole(siz(64, 64, 64, 64, 37))},
		{"no samples", "invalid image size", whole(siz(64, 64, 64, 64))},
		{"too many pixels", "65536 by 32768 pixels", whole(siz(1<<17, 1<<16, 1<<17, 1<<16, 7), cod, qcd, empty)},
		{"no coding style", "no coding style", whole(sized, qcd, empty)},
		{"no quantization", "no coding style", whole(sized, cod, empty)},
		{"blocks too large", "invalid size of code-blocks", whole(sized, segment(0x52, 0, 0, 0, 1, 0, 1, 9, 9, 0, 1), qcd, empty)},
		{"too many levels", "invalid size of code-blocks", whole(sized, segment(0x52, 0, 0, 0, 1, 0, 33, 4, 4, 0, 1), qcd, empty)},
		{"no layers", "invalid progression order", whole(sized, segment(0x52, 0, 0, 0, 0, 0, 1, 4, 4, 0, 1), qcd, empty)},
		{"precincts of nothing", "invalid size of precincts", whole(sized, segment(0x52, 1, 0, 0, 1, 0, 1, 4, 4, 0, 1, 0x11, 0x10), qcd, empty)},
		{"a short segment", "is too short", whole(sized, segment(0x52, 1, 0), qcd, empty)},
		{"no tiles", "no tile could be decoded", whole(sized, cod, qcd, tilePart(7, nil, nil))},
		{"a part without an end", "header of a tile-part", whole(sized, cod, qcd, tilePart(0, nil, nil)[:12])},
		{"what is no part", "invalid tile-part", whole(sized, cod, qcd, empty, cod)[:len(whole(sized, cod, qcd, empty))+8]},
		{"a tile without levels", "too few resolutions", whole(siz(8000, 8000, 8000, 8000, 7), cod, qcd, tilePart(0, segment(0x52, 0, 0, 0, 1, 0, 0, 4, 4, 0, 1), []byte{0, 0}))},
		{"data that are missing", "the data end too early", whole(sized, segment(0x52, 0, 0, 0, 99, 0, 1, 4, 4, 0, 1), qcd, tilePart(0, nil, []byte{0, 0}))},
		{"more precincts than data", "more precincts than data", whole(siz(4000, 4000, 4000, 4000, 7), wide, qcd, empty)},
		{"more blocks than data", "more code-blocks than data", whole(siz(4000, 4000, 4000, 4000, 7), layers, qcd, included)},
		{"blocks looked at too often", "takes too long", whole(siz(2000, 2000, 2000, 2000, 7), layers, qcd, included)},
		{"progressions passed by too often", "takes too long", whole(siz(2000, 2000, 2000, 2000, 7),
			segment(0x52, 1, 0, 0, 2, 0, 0, 4, 4, 0, 1, 0x44), qcd, segment(0x5f, bytes.Repeat([]byte{0, 0, 0, 2, 1, 1, 0}, 9000)...), included)},
		{"many tiles of many components", "the data end too early", whole(siz(200, 200, 1, 1, many[:32]...), segment(0x52, 0, 0, 0, 1, 0, 32, 4, 4, 0, 1), qcd, manyTiles(6000))},
		{"more planes than there are", "invalid packet header", whole(sized, cod, qcd, tilePart(0, nil, []byte{0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))},
	} {
		t.Run(c.what, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := jpx.Decode(t.Context(), c.data, jpx.Options{})
			runtime.ReadMemStats(&after)
			if !errors.Is(err, jpx.ErrDamaged) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("image: %t, error: %v", m != nil, err)
			}
			const most = 300 << 20 // enough for the pixels of the largest image and its code-blocks
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%d bytes for %d", used, len(c.data))
			}
		})
	}
}

// TestFlips changes single bytes. Decode may only return an image or
// ErrDamaged.
func TestFlips(t *testing.T) {
	for _, c := range samples {
		data := read(t, c.name)
		for i := 0; i < len(data); i += 1 + i/30 {
			old := data[i]
			data[i] = []byte{0, 0xff, old ^ 1<<(i%8)}[i%3]
			if m, err := jpx.Decode(t.Context(), data, jpx.Options{Pixels: 1 << 16, Luma: i%2 == 0}); err != nil && !errors.Is(err, jpx.ErrDamaged) || m == nil && err == nil {
				t.Fatalf("%s, byte %d is %d: %v, %v", c.name, i, data[i], m, err)
			}
			data[i] = old
		}
	}
}

// TestStarved decodes code-blocks with many passes without data. Decoding
// must stop early.
func TestStarved(t *testing.T) {
	data := make([]byte, 600)
	for i := range data {
		data[i] = byte(i*37 + i*i*11)
	}
	for _, raw := range []bool{false, true} {
		decoded, least := 0, 32
		for _, v := range jpx.Block(data, raw) {
			if v != 0 {
				decoded++
				least = min(least, bits.TrailingZeros32(v))
			}
		}
		if decoded < 500 || least < 15 { // of 28 bit planes
			t.Errorf("raw %t: %d samples are not 0, and known to bit %d", raw, decoded, least)
		}
	}
}

func FuzzDecode(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.j*")
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, i%4, 10*i, i%2 == 0, i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, colors, side int, indexed, luma bool) {
		o := jpx.Options{Pixels: 1 << 16, Width: side, Height: side, Colors: colors % 40, Indexed: indexed, Luma: luma}
		m, err := jpx.Decode(t.Context(), data, o)
		if err != nil && !errors.Is(err, jpx.ErrDamaged) {
			t.Fatal(err)
		}
		if m == nil {
			if err == nil {
				t.Fatal("no image and no error")
			}
			return
		}
		for _, p := range m.Planes {
			if p.W <= 0 || p.H <= 0 || p.W > m.W || p.H > m.H || len(p.Pix) != p.W*p.H {
				t.Fatalf("a plane of %d by %d, %d samples, in %d by %d", p.W, p.H, len(p.Pix), m.W, m.H)
			}
		}
		if len(m.Planes) == 0 || m.W*m.H > 1<<16 {
			t.Fatalf("%d planes of %d by %d", len(m.Planes), m.W, m.H)
		}
	})
}
