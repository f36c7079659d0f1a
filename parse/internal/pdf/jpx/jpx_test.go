// SPDX-License-Identifier: Apache-2.0

package jpx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/pdf/jpx"
)

var update = flag.Bool("update", false, "create the samples again with OpenJPEG")

// sample is an image in testdata: how OpenJPEG encoded it, and the expected
// result, which is a PNG file with the same name.
type sample struct {
	name  string
	n     int // components
	depth int
	args  string
	off   int // maximum difference of samples, for the irreversible filter
	space jpx.Space
	make  func(t *testing.T, coded []byte) []byte // changes the encoded data, if not nil
}

var samples = []sample{
	{"gray.jp2", 1, 8, "-n 4", 0, jpx.Gray, nil},
	{"gray-lossy.j2k", 1, 8, "-n 4 -I -r 4", 1, jpx.Gray, nil},
	{"rgb.jp2", 3, 8, "-n 3", 0, jpx.RGB, nil},
	{"rgb-lossy.jp2", 3, 8, "-n 3 -I -r 6 -b 16,16", 1, jpx.RGB, nil},
	{"rgb-apart.j2k", 3, 8, "-n 3 -mct 0 -p CPRL -c [16,16],[8,16]", 0, jpx.RGB, nil},
	{"inks.j2k", 4, 8, "-n 2 -mct 0", 0, jpx.CMYK, nil},
	{"tiles.j2k", 1, 8, "-n 3 -t 17,13 -d 6,5 -T 2,3 -p RPCL -TP R -SOP -EPH -PLT -TLM", 0, jpx.Gray, nil},
	{"layers.j2k", 1, 8, "-n 3 -r 20,8,3,1 -p RLCP -b 8,16 -TP L", 0, jpx.Gray, nil},
	{"precincts.j2k", 1, 8, "-n 3 -c [16,8],[8,8] -b 8,4 -p PCRL -SOP", 0, jpx.Gray, nil},
	{"changes.j2k", 3, 8, "-n 3 -POC T1=0,0,1,2,3,CPRL/T1=2,0,1,3,3,RLCP", 0, jpx.RGB, nil},
	{"bypass.j2k", 1, 8, "-n 2 -M 1", 0, jpx.Gray, nil},
	{"bypass-terminated.j2k", 1, 8, "-n 2 -M 5 -r 3,1", 0, jpx.Gray, nil},
	{"causal.j2k", 1, 8, "-n 2 -M 8 -b 16,16", 0, jpx.Gray, nil},
	{"modes.j2k", 1, 8, "-n 3 -M 63 -r 6,1 -b 16,16", 0, jpx.Gray, nil},
	{"region.j2k", 1, 8, "-n 3 -ROI c=0,U=9", 0, jpx.Gray, nil},
	{"bits1.j2k", 1, 1, "-n 3", 0, jpx.Gray, nil},
	{"bits4.j2k", 1, 4, "-n 3 -I", 17, jpx.Gray, nil},
	{"bits12.j2k", 1, 12, "-n 3", 0, jpx.Gray, nil},
	{"bits16.jp2", 1, 16, "-n 3", 0, jpx.Gray, nil},
	{"palette.jp2", 1, 4, "-n 1", 0, jpx.RGB, withPalette},
	{"packed.j2k", 1, 8, "-n 3 -r 8,1 -t 30,30 -SOP -EPH", 0, jpx.Gray, packHeaders(true)},
	{"packed-tiles.j2k", 1, 8, "-n 3 -r 8,1 -t 30,30 -SOP -EPH", 0, jpx.Gray, packHeaders(false)},
}

const sampleW, sampleH = 46, 37

// TestSamples decodes the images in testdata and compares them with the
// result of OpenJPEG.
func TestSamples(t *testing.T) {
	for i, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join("testdata", c.name)
			truth := strings.TrimSuffix(path, filepath.Ext(path)) + ".png"
			if *update {
				c.code(t, uint64(i), path, truth)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 4<<10 {
				t.Errorf("%d bytes", len(data))
			}
			m, err := jpx.Decode(t.Context(), data, jpx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if m.W != sampleW || m.H != sampleH || m.Space != c.space || m.Depth != c.depth {
				t.Errorf("%d by %d of %d bits in space %d", m.W, m.H, m.Depth, m.Space)
			}
			compare(t, m, readPNG(t, truth), c.off)
		})
	}
}

// compare compares the planes of an image with the expected ones.
func compare(t *testing.T, m *jpx.Image, want [][]byte, off int) {
	t.Helper()
	if len(m.Planes) != len(want) {
		t.Fatalf("%d planes, want %d", len(m.Planes), len(want))
	}
	for k, p := range m.Planes {
		if len(p.Pix) != len(want[k]) {
			t.Fatalf("plane %d has %d samples, want %d", k, len(p.Pix), len(want[k]))
		}
		worst := 0
		for i, v := range p.Pix {
			worst = max(worst, int(v)-int(want[k][i]), int(want[k][i])-int(v))
		}
		if worst > off {
			t.Errorf("plane %d is off by %d", k, worst)
		}
	}
}

// readPNG returns the channels of a PNG image: one for gray, three for
// colours, four with opacity.
func readPNG(t *testing.T, path string) (out [][]byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var pix []byte
	n, step := 4, 4
	switch m := img.(type) {
	case *image.Gray:
		pix, n, step = m.Pix, 1, 1
	case *image.Gray16:
		pix, n, step = m.Pix, 1, 2
	case *image.RGBA:
		pix, n = m.Pix, 3
	case *image.NRGBA:
		pix = m.Pix
	default:
		t.Fatalf("%T", img)
	}
	for k := range n {
		var channel []byte
		for i := k; i < len(pix); i += step {
			channel = append(channel, pix[i])
		}
		out = append(out, channel)
	}
	return out
}

// code creates a sample and its expected result.
func (c sample) code(t *testing.T, seed uint64, path, truth string) {
	t.Helper()
	var raw []byte
	for k := range c.n {
		raw = append(raw, rawBytes(strokes(seed, k, c.depth), c.depth)...)
	}
	coded := codeRaw(t, raw, fmt.Sprintf("%d,%d,%d,%d,u@1x1%s", sampleW, sampleH, c.n, c.depth, strings.Repeat(":1x1", c.n-1)), c.args, filepath.Ext(path))
	if c.make != nil {
		coded = c.make(t, coded)
	}
	if err := os.WriteFile(path, coded, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), "opj_decompress", "-i", path, "-o", truth).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if c.depth == 8 && c.off == 0 && !bytes.Equal(slices.Concat(readPNG(t, truth)...), raw) {
		t.Errorf("%s is not what it was made of", path)
	}
}

// codeRaw encodes samples with OpenJPEG.
func codeRaw(t testing.TB, raw []byte, format, args, ext string) []byte {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.raw"), filepath.Join(t.TempDir(), "out"+ext)
	if err := os.WriteFile(in, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	all := append([]string{"-i", in, "-o", out, "-F", format}, strings.Fields(args)...)
	if said, err := exec.CommandContext(t.Context(), "opj_compress", all...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	coded, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return coded
}

// strokes returns a gradient with strokes for component k.
func strokes(seed uint64, k, depth int) []int {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	most := 1<<depth - 1
	out := make([]int, sampleW*sampleH)
	for i := range out {
		out[i] = most * (i%sampleW + 2*(i/sampleW)) / (sampleW + 2*sampleH)
	}
	for range 12 {
		x, y, v := r.IntN(sampleW-9), r.IntN(sampleH-9), r.IntN(most+1)
		for j := range 9 {
			if r.IntN(2) == 0 {
				x++
			}
			out[(y+j)*sampleW+x] = v
		}
	}
	return out
}

// box returns a box of a JP2 file.
func box(kind string, body ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

// codestream returns the codestream of a file.
func codestream(data []byte) []byte {
	return data[bytes.Index(data, []byte("\xff\x4f\xff\x51")):]
}

const signature = "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 "

// withPalette adds a palette to an image with four-bit samples, which become
// indices.
func withPalette(_ *testing.T, coded []byte) []byte {
	entries := []byte{0, 16, 3, 7, 7, 7}
	for i := range 16 {
		entries = append(entries, byte(i*17), byte(255-i*9), byte(i*i))
	}
	header := slices.Concat(
		box("ihdr", 0, 0, 0, sampleH, 0, 0, 0, sampleW, 0, 1, 3, 7, 0, 0),
		box("colr", 1, 0, 0, 0, 0, 0, 16),
		box("pclr", entries...),
		box("cmap", 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2))
	return slices.Concat([]byte(signature), box("jp2h", header...), box("jp2c", codestream(coded)...))
}

// packHeaders moves the packet headers, which are between SOP and EPH
// markers, from the packets to the main header or to the headers of the
// tiles.
func packHeaders(main bool) func(*testing.T, []byte) []byte {
	return func(_ *testing.T, coded []byte) []byte {
		at := bytes.Index(coded, []byte{0xff, 0x90})
		head, tiles := coded[:at], coded[at:]
		var out, all []byte
		for bytes.HasPrefix(tiles, []byte{0xff, 0x90}) {
			length := binary.BigEndian.Uint32(tiles[6:])
			tile := tiles[:length]
			tiles = tiles[length:]
			sod := bytes.Index(tile, []byte{0xff, 0x93})
			var headers, bodies []byte
			for _, packet := range bytes.Split(tile[sod+2:], []byte("\xff\x91\x00\x04"))[1:] {
				eph := bytes.Index(packet, []byte{0xff, 0x92}) + 2
				headers = append(headers, packet[2:eph]...)
				bodies = append(append(append(bodies, "\xff\x91\x00\x04"...), packet[:2]...), packet[eph:]...)
			}
			own := slices.Clone(tile[:sod])
			if main {
				all = append(binary.BigEndian.AppendUint32(all, uint32(len(headers))), headers...)
			} else { // in two parts, the second one first
				for i, part := range [][]byte{headers[5:], headers[:5]} {
					own = append(binary.BigEndian.AppendUint16(append(own, 0xff, 0x61), uint16(3+len(part))), byte(1-i))
					own = append(own, part...)
				}
			}
			own = append(append(own, 0xff, 0x93), bodies...)
			binary.BigEndian.PutUint32(own[6:], uint32(len(own)))
			out = append(out, own...)
		}
		if main {
			for i, part := range [][]byte{all[:7], all[7:]} {
				head = binary.BigEndian.AppendUint16(append(slices.Clip(head), 0xff, 0x60), uint16(3+len(part)))
				head = append(append(head, byte(i)), part...)
			}
		}
		return slices.Concat(head, out, tiles)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var errStop = errors.New("stopped by the test")

func TestContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errStop)
	if m, err := jpx.Decode(ctx, read(t, "gray.jp2"), jpx.Options{}); m != nil || !errors.Is(err, errStop) {
		t.Errorf("an ended context: %v, %v", m, err)
	}
}
