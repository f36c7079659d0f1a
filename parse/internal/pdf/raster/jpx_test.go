// SPDX-License-Identifier: Apache-2.0

package raster_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"maps"
	"os"
	"testing"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/jpx"
	"example.com/curlew/parse/internal/pdf/object"
	"example.com/curlew/parse/internal/pdf/raster"
)

// TestJPX draws JPEG 2000 images in the colour space that the document
// specifies.
func TestJPX(t *testing.T) {
	const w, h = 46, 37
	file := func(name string) string {
		data, err := os.ReadFile("../jpx/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	planes := func(data string, o jpx.Options) []jpx.Plane {
		m, err := jpx.Decode(t.Context(), []byte(data), o)
		if err != nil {
			t.Fatal(err)
		}
		return m.Planes
	}
	gray, rgb, inks, indexed := file("gray.jp2"), file("rgb-apart.j2k"), file("inks.j2k"), file("palette.jp2")
	grays, colors, four, indices := planes(gray, jpx.Options{})[0], planes(rgb, jpx.Options{}), planes(inks, jpx.Options{}), planes(indexed, jpx.Options{Indexed: true})[0]
	luma := func(r, g, b int) int { return (299*r + 587*g + 114*b) / 1000 }
	var table []byte
	for i := range 16 {
		table = append(table, byte(200-10*i))
	}
	mask := object.NewStream(dict{"Width": w, "Height": h, "Filter": name("JPXDecode"), "ColorSpace": name("DeviceGray")}, []byte(gray))
	for _, c := range []struct {
		what string
		more dict
		data string
		want func(i int) int
	}{
		{"grays", dict{"ColorSpace": name("DeviceGray")}, gray, func(i int) int { return int(grays.Pix[i]) }},
		{"no colour space", nil, gray, func(i int) int { return int(grays.Pix[i]) }},
		{"a Decode array, which does not count", dict{"Decode": arr{1, 0}}, gray, func(i int) int { return int(grays.Pix[i]) }},
		{"ink", dict{"ColorSpace": arr{name("Separation"), name("Black")}}, gray, func(i int) int { return 255 - int(grays.Pix[i]) }},
		{"colours", dict{"ColorSpace": name("DeviceRGB")}, rgb, func(i int) int {
			return luma(int(colors[0].Pix[i]), int(colors[1].Pix[i]), int(colors[2].Pix[i]))
		}},
		{"Lab", dict{"ColorSpace": arr{name("Lab"), dict{}}}, rgb, func(i int) int { return int(colors[0].Pix[i]) }},
		{"four inks", nil, inks, func(i int) int {
			k := 255 - int(four[3].Pix[i])
			return luma((255-int(four[0].Pix[i]))*k/255, (255-int(four[1].Pix[i]))*k/255, (255-int(four[2].Pix[i]))*k/255)
		}},
		{"two inks", dict{"ColorSpace": arr{name("DeviceN"), arr{name("A"), name("B")}}}, inks, func(i int) int {
			return 255 - max(int(four[0].Pix[i]), int(four[1].Pix[i]))
		}},
		{"a palette", dict{"ColorSpace": arr{name("Indexed"), name("DeviceGray"), 15, object.String(table)}}, indexed, func(i int) int {
			return int(table[indices.Pix[i]/17])
		}},
		{"a soft mask", dict{"SMask": mask}, gray, func(i int) int {
			v := int(grays.Pix[i])
			return (v*v + 255*(255-v) + 127) / 255
		}},
	} {
		d := dict{"Width": w, "Height": h, "Filter": name("JPXDecode")}
		maps.Copy(d, c.more)
		m := drawn(t, w, h, placed(d, c.data, w, h))
		if m.Rect.Dx() != w || m.Rect.Dy() != h {
			t.Errorf("%s: %v", c.what, m.Rect)
			continue
		}
		for i, v := range m.Pix {
			if int(v) != c.want(i) {
				t.Errorf("%s: pixel %d is %d, want %d", c.what, i, v, c.want(i))
				break
			}
		}
	}

	// An image of 1600 dpi is drawn at 600 dpi.
	d := dict{"Width": w, "Height": h, "Filter": name("JPXDecode")}
	m := drawn(t, 2, 2, placed(d, gray, 2, 2))
	if m.Rect.Dx() != 17 || m.Rect.Dy() != 17 {
		t.Errorf("a small image is drawn as %v", m.Rect)
	}
	half := planes(gray, jpx.Options{Width: 17, Height: 17})[0]
	if got, want := mean(m.Pix), mean(half.Pix); half.W != 23 || got < want-3 || got > want+3 {
		t.Errorf("its mean is %d, that of %d columns is %d", got, half.W, want)
	}
	p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{placed(d, gray[:len(gray)-90], w, h)}, w, h, false)
	if err != nil || p.Width != w {
		t.Errorf("an image without its end: %+v, %v", p, err)
	}
	if _, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{placed(d, gray[:90], w, h)}, w, h, false); !errors.Is(err, raster.ErrFilter) {
		t.Errorf("the header of an image: %v", err)
	}
}

func mean(pix []byte) int {
	sum := 0
	for _, v := range pix {
		sum += int(v)
	}
	return sum / len(pix)
}

// drawn draws an image on a page of w by h points.
func drawn(t *testing.T, w, h float64, im content.Image) *image.Gray {
	t.Helper()
	p, err := raster.Draw(t.Context(), object.Loose(t.Context()), []content.Image{im}, w, h, false)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := img.(*image.Gray)
	if !ok || p.MIME != "image/png" {
		t.Fatalf("%T of %s", img, p.MIME)
	}
	return m
}

// TestJPXRoom draws many images whose data have more pixels than their
// dictionaries say. Images beyond the limit of a page must be rejected.
func TestJPXRoom(t *testing.T) {
	big, err := os.ReadFile("../jpx/testdata/gray.jp2")
	if err != nil {
		t.Fatal(err)
	}
	im := placed(dict{"Width": 1, "Height": 1, "Filter": name("JPXDecode")}, string(big), 10, 10)
	if used := raster.Spent(t.Context(), im); used != 46*37 {
		t.Errorf("%d pixels were taken of the room, want %d", used, 46*37)
	}
}
