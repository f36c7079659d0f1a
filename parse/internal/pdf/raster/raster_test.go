// SPDX-License-Identifier: Apache-2.0

package raster_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
	"example.com/curlew/parse/internal/pdf/raster"
)

func TestMain(m *testing.M) { leak.Main(m) }

type (
	dict = object.Dict
	arr  = object.Array
	name = object.Name
)

// placed returns an image that covers a page of w by h points.
func placed(d dict, data string, w, h float64) content.Image {
	return content.Image{Box: content.Box{X1: w, Y1: h}, Matrix: [6]float64{w, 0, 0, -h, 0, h}, Stream: object.NewStream(d, []byte(data))}
}

// shown draws images on a page of w by h points and returns the pixels of
// the picture, row by row, as letters from a (black) to z (white).
func shown(t *testing.T, w, h float64, images ...content.Image) string {
	t.Helper()
	p, err := raster.Draw(t.Context(), object.Loose(t.Context()), images, w, h, false)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); p.MIME != "image/png" || b.Dx() != p.Width || b.Dy() != p.Height {
		t.Errorf("%s of %d by %d, said to be %d by %d", p.MIME, b.Dx(), b.Dy(), p.Width, p.Height)
	}
	var s strings.Builder
	for y := range p.Height {
		if y > 0 {
			s.WriteByte('/')
		}
		for x := range p.Width {
			g, _ := color.GrayModel.Convert(img.At(x, y)).(color.Gray)
			s.WriteByte('a' + byte(int(g.Y)*25/255))
		}
	}
	return s.String()
}

// TestSamples draws images of two by two pixels in different encodings.
func TestSamples(t *testing.T) {
	gray := func(more dict) dict {
		d := dict{"Width": 2, "Height": 2, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}
		maps.Copy(d, more)
		return d
	}
	stencil := dict{"Width": 2, "Height": 2, "ImageMask": true}
	mask := object.NewStream(gray(nil), []byte("\xff\x00\x00\xff"))
	for _, c := range []struct {
		what string
		d    dict
		data string
		want string
	}{
		{"grays", gray(nil), "\x00\xff\xff\x00", "az/za"},
		{"a row is missing", gray(nil), "\x00\xff", "az/zz"},
		{"inverted", gray(dict{"Decode": arr{1, 0}}), "\x00\xff\xff\x00", "za/az"},
		{"half the range", gray(dict{"Decode": arr{0.0, .5}}), "\x00\xff\xff\x00", "am/ma"},
		{"1 bit", gray(dict{"BitsPerComponent": 1}), "\x80\x40", "za/az"},
		{"2 bits", gray(dict{"BitsPerComponent": 2}), "\x10\xc0", "ai/za"},
		{"4 bits", gray(dict{"BitsPerComponent": 4}), "\x0f\xf0", "az/za"},
		{"16 bits", gray(dict{"BitsPerComponent": 16}), "\x00\xff\xff\x00\xff\xff\x00\x00", "az/za"},
		{"RGB", gray(dict{"ColorSpace": name("DeviceRGB")}), "\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\xff", "ho/cz"},
		{"CMYK", gray(dict{"ColorSpace": name("DeviceCMYK")}), "\x00\x00\x00\xff\x00\x00\x00\x00\x00\x00\x00\x80\xff\xff\xff\x00", "az/ma"},
		{"Lab", gray(dict{"ColorSpace": arr{name("Lab"), dict{}}}), "\x00\x80\x80\xff\x80\x80\xff\x80\x80\x00\x80\x80", "az/za"},
		{"ICC", gray(dict{"ColorSpace": arr{name("ICCBased"), dict{"N": 1}}}), "\x00\xff\xff\x00", "az/za"},
		{"ink", gray(dict{"ColorSpace": arr{name("Separation"), name("Black")}}), "\x00\xff\xff\x00", "za/az"},
		{"inks", gray(dict{"ColorSpace": arr{name("DeviceN"), arr{name("A"), name("B")}}}), "\x00\x00\xff\x00\x00\xff\x00\x00", "za/az"},
		{"a palette", gray(dict{"BitsPerComponent": 1, "ColorSpace": arr{name("Indexed"), name("DeviceRGB"), 1, object.String("\xff\xff\xff\x00\x00\x00")}}), "\x80\x40", "az/za"},
		{"a palette, turned", gray(dict{"BitsPerComponent": 1, "Decode": arr{1, 0}, "ColorSpace": arr{name("Indexed"), name("DeviceGray"), 1, object.String("\xff\x00")}}), "\x80\x40", "za/az"},
		{"an index too high", gray(dict{"ColorSpace": arr{name("Indexed"), name("DeviceGray"), 0, object.String("\x00")}}), "\x00\xff\xff\x00", "az/za"},
		{"a stencil", stencil, "\x80\x40", "za/az"},
		{"a stencil, turned", dict{"Width": 2, "Height": 2, "ImageMask": true, "Decode": arr{1, 0}}, "\x80\x40", "az/za"},
		{"a soft mask", gray(dict{"SMask": mask}), "\x00\x00\x00\x00", "az/za"},
		{"a stencil mask", gray(dict{"Mask": object.NewStream(dict{"Width": 2, "Height": 2, "ImageMask": true}, []byte("\x80\x40"))}), "\x00\x00\x00\x00", "za/az"},
		{"a mask over what cannot be read", dict{"Width": 2, "Height": 2, "Filter": name("JPXDecode"), "SMask": mask}, "x", "az/za"},
		{"fax", dict{"Width": 2, "Height": 2, "Filter": name("CCITTFaxDecode"), "DecodeParms": dict{"K": -1, "Columns": 2}}, "\x5c\x00\x40\x04", "za/za"},
		{"fax, black is 1", dict{"Width": 2, "Height": 2, "Filter": name("CCITTFaxDecode"), "DecodeParms": dict{"K": -1, "Columns": 2, "BlackIs1": true}}, "\x5c\x00\x40\x04", "az/az"},
		{"ASCII before fax", dict{"Width": 2, "Height": 2, "Filter": arr{name("ASCIIHexDecode"), name("CCF")}, "DecodeParms": arr{nil, dict{"K": -1, "Columns": 2}}}, "5c004004>", "za/za"},
	} {
		t.Run(c.what, func(t *testing.T) {
			im := placed(c.d, c.data, 2, 2)
			im.Mask = c.d["ImageMask"] == true
			if got := shown(t, 2, 2, im); got != c.want {
				t.Errorf("shows %s, want %s", got, c.want)
			}
		})
	}
}

// TestPlaces draws an image of three by two pixels in all orientations.
func TestPlaces(t *testing.T) {
	d := dict{"Width": 3, "Height": 2, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}
	const data = "\x00\x33\x66\x99\xcc\xff" // shown as afk/ptz
	for _, c := range []struct {
		what string
		m    [6]float64
		w, h float64
		want string
	}{
		{"upright", [6]float64{3, 0, 0, -2, 0, 2}, 3, 2, "afk/puz"},
		{"turned right", [6]float64{0, 3, 2, 0, 0, 0}, 2, 3, "pa/uf/zk"},
		{"upside down", [6]float64{-3, 0, 0, 2, 3, 0}, 3, 2, "zup/kfa"},
		{"turned left", [6]float64{0, -3, -2, 0, 2, 3}, 2, 3, "kz/fu/ap"},
		{"mirrored", [6]float64{-3, 0, 0, -2, 3, 2}, 3, 2, "kfa/zup"},
		{"mirrored and turned", [6]float64{0, 3, -2, 0, 2, 0}, 2, 3, "ap/fu/kz"},
	} {
		im := content.Image{Box: content.Box{X1: c.w, Y1: c.h}, Matrix: c.m, Stream: object.NewStream(d, []byte(data))}
		if got := shown(t, c.w, c.h, im); got != c.want {
			t.Errorf("%s: shows %s, want %s", c.what, got, c.want)
		}
	}
}

// TestLayers draws strips, a stencil mask over a background, and an image
// cut by a clipping path.
func TestLayers(t *testing.T) {
	line := func(y float64, v string) content.Image {
		im := placed(dict{"Width": 3, "Height": 1, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}, v, 3, 1)
		im.Box.Y0, im.Box.Y1, im.Matrix[5] = y, y+1, y+1
		return im
	}
	if got := shown(t, 3, 3, line(0, "\x00\x33\x66"), line(1, "\x99\xcc\xff"), line(2, "\xff\x00\xff")); got != "afk/puz/zaz" {
		t.Errorf("strips show %s", got)
	}
	back := placed(dict{"Width": 1, "Height": 1, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}, "\xcc", 2, 2)
	ink := placed(dict{"Width": 4, "Height": 4, "ImageMask": true}, "\x70\xf0\xf0\xe0", 2, 2)
	ink.Mask, ink.Color = true, 0x333333
	if got := shown(t, 2, 2, back, ink); got != "fuuu/uuuu/uuuu/uuuf" {
		t.Errorf("a stencil over a coarse background shows %s", got)
	}
	cut := placed(dict{"Width": 2, "Height": 2, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}, "\x00\x00\x00\x00", 2, 2)
	cut.Box.X0 = 1
	if got := shown(t, 2, 2, back, cut); got != "ua/ua" {
		t.Errorf("behind a clip stands %s", got)
	}
}

// TestRaw checks which images are returned unchanged.
func TestRaw(t *testing.T) {
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 20, 10)), nil); err != nil {
		t.Fatal(err)
	}
	d := dict{"Width": 20, "Height": 10, "Filter": name("DCTDecode"), "ColorSpace": name("DeviceGray")}
	im := placed(d, jpg.String(), 144, 72)
	p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{im}, 144, 72, false)
	if err != nil || p.MIME != "image/jpeg" || !bytes.Equal(p.Data, jpg.Bytes()) || p.DPI != 10 || p.Box != im.Box {
		t.Errorf("a JPEG became %+v, %v", p, err)
	}
	im.Matrix = [6]float64{-144, 0, 0, -72, 144, 72}
	if p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{im}, 144, 72, false); err != nil || p.MIME != "image/png" {
		t.Errorf("a mirrored JPEG became %+v, %v", p, err)
	}
	jp2 := placed(dict{"Width": 20, "Height": 10, "Filter": name("JPXDecode")}, "jp2", 144, 72)
	if p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{jp2}, 144, 72, true); err != nil || p.MIME != "image/jp2" || string(p.Data) != "jp2" {
		t.Errorf("JPEG 2000 became %+v, %v", p, err)
	}
}

var errStop = errors.New("stopped by the test")

func TestErrors(t *testing.T) {
	gray := dict{"Width": 2, "Height": 2, "BitsPerComponent": 8, "ColorSpace": name("DeviceGray")}
	with := func(key name, v any) dict {
		d := dict{key: v}
		for k, v := range gray {
			if d[k] == nil {
				d[k] = v
			}
		}
		return d
	}
	small := placed(gray, "abcd", 2, 2)
	for _, c := range []struct {
		what   string
		images []content.Image
		want   error
		says   string
	}{
		{"no images", nil, raster.ErrNone, ""},
		{"too little", []content.Image{small}, raster.ErrNone, ""},
		{"JPEG 2000", []content.Image{placed(with("Filter", name("JPXDecode")), "x", 10, 10)}, raster.ErrFilter, "JPXDecode"},
		{"broken JBIG2", []content.Image{placed(with("Filter", name("JBIG2Decode")), "x", 10, 10)}, raster.ErrFilter, "JBIG2Decode"},
		{"broken JPEG of four inks", []content.Image{placed(with("SMask", nil), "", 10, 10)}, raster.ErrFilter, ""},
		{"an unknown colour space", []content.Image{placed(with("ColorSpace", name("Pattern")), "abcd", 10, 10)}, raster.ErrFilter, "colour space"},
		{"an odd depth", []content.Image{placed(with("BitsPerComponent", 7), "abcd", 10, 10)}, raster.ErrFilter, ""},
		{"too many pixels", []content.Image{placed(with("Width", 1<<30), "abcd", 10, 10)}, raster.ErrFilter, ""},
		{"no size", []content.Image{placed(with("Width", 0), "abcd", 10, 10)}, raster.ErrFilter, ""},
	} {
		_, err := raster.Draw(t.Context(), object.Loose(t.Context()), c.images, 10, 10, false)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errStop)
	if _, err := raster.Draw(ctx, object.Loose(t.Context()), []content.Image{placed(gray, "abcd", 10, 10)}, 10, 10, false); !errors.Is(err, errStop) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestHeap draws the same image very often. Painting must stop at the limit.
func TestHeap(t *testing.T) {
	d := dict{"Width": 3000, "Height": 3000, "BitsPerComponent": 1, "ColorSpace": name("DeviceGray")}
	im := placed(d, strings.Repeat("\x00", 3000*375), 500, 500)
	im.Matrix[1] = 1 // slanted, so that the samples do not map exactly to pixels
	p, err := raster.Draw(t.Context(), object.Loose(t.Context()), slices.Repeat([]content.Image{im}, 5000), 500, 500, false)
	if err != nil || p.Width == 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestRules finds the lines of a grid, one of which is slightly slanted, and
// no lines in text.
func TestRules(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for x := 50; x < 350; x++ {
		m.Pix[40*400+x], m.Pix[41*400+x] = 0, 0
		m.Pix[(140+x/100)*400+x] = 0
	}
	for y := 40; y < 145; y++ {
		m.Pix[y*400+50], m.Pix[y*400+200] = 0, 0
	}
	for y := 200; y < 290; y += 2 { // a dotted area and short strokes
		for x := 60; x < 300; x += 11 {
			for k := range 7 {
				m.Pix[y*400+x+k] = 0
			}
		}
	}
	got := raster.Rules(m, content.Box{X0: 10, Y0: 20, X1: 210, Y1: 170})
	across, down := 0, 0
	for _, r := range got {
		switch {
		case r.Horizontal():
			across++
			if r.X0 < 34 || r.X0 > 36 || r.X1 < 184 || r.X1 > 186 || r.Y0 != r.Y1 || r.Width <= 0 || r.Width > 3 {
				t.Errorf("a line across: %+v", r)
			}
		default:
			down++
			if r.Y0 < 39 || r.Y0 > 41 || r.Y1 < 91 || r.Y1 > 94 || r.X0 != r.X1 {
				t.Errorf("a line down: %+v", r)
			}
		}
	}
	if across != 2 || down != 2 {
		t.Errorf("%d lines across, %d down: %+v", across, down, got)
	}
}

func TestStroke(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 30, 10))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := range 10 {
		for _, x := range []int{2, 3, 10, 11, 20, 21} {
			m.Pix[y*30+x] = 0
		}
	}
	if w, n := raster.Stroke(m, image.Rect(-5, 0, 99, 99), 5, false); w != 2 || n != 30 {
		t.Errorf("%d strokes of %v", n, w)
	}
	if w, n := raster.Stroke(m, m.Rect, 20, true); w != 10 || n != 6 {
		t.Errorf("sideways, %d strokes of %v", n, w)
	}
}

// TestReal decodes the JBIG2 files of the development data, which contain
// the same picture in different encodings.
func TestReal(t *testing.T) {
	paths, _ := filepath.Glob(golden.Root("../shared/corpora/pdf-real-dev/pdfs/bitmap-*.pdf"))
	if len(paths) == 0 || testing.Short() {
		t.Skip("no development data in ../shared")
	}
	var first []byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := object.Open(t.Context(), bytes.NewReader(data), int64(len(data)), object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pages, _ := f.Pages(1)
		c, err := content.NewDocument(f, content.Limits{}).Page(t.Context(), pages[0])
		if err != nil {
			t.Fatal(err)
		}
		p, err := raster.Draw(t.Context(), f, c.Images, c.Width, c.Height, false)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		if first == nil {
			first = p.Data
		}
		if !slices.Equal(first, p.Data) {
			t.Errorf("%s is another picture than %s", filepath.Base(path), filepath.Base(paths[0]))
		}
	}
}

func FuzzDraw(f *testing.F) {
	f.Add("DeviceGray", "", 8, 4, 4, []byte("0123456789abcdef"))
	f.Add("DeviceCMYK", "CCITTFaxDecode", 1, 40, 40, []byte("0123456789abcdef"))
	f.Add("DeviceRGB", "DCTDecode", 8, 4, 4, []byte("\xff\xd8"))
	f.Add("DeviceRGB", "JPXDecode", 8, 4, 4, []byte("\xff\x4f\xff\x51"))
	f.Add("DeviceGray", "JBIG2Decode", 1, 40, 4, []byte("\x00\x00\x00\x01\x26"))
	f.Fuzz(func(t *testing.T, space, filter string, depth, w, h int, data []byte) {
		w, h = w%500, h%500
		d := dict{"Width": w, "Height": h, "BitsPerComponent": depth, "ColorSpace": name(space), "DecodeParms": dict{"K": depth, "Columns": w}}
		if filter != "" {
			d["Filter"] = name(filter)
		}
		im := content.Image{Box: content.Box{X1: 50, Y1: 50}, Matrix: [6]float64{0, 50, float64(depth), 50, 0, 0}, Stream: object.NewStream(d, data)}
		p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{im}, 50, 50, false)
		if err == nil && (p.Width <= 0 || p.Height <= 0 || len(p.Data) == 0) {
			t.Fatalf("picture %+v", p)
		}
	})
}
