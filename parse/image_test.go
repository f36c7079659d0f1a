// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"example.com/curlew/parse"
)

// taker accepts one more media type.
type taker struct {
	funcOCR

	mime string
}

func (t taker) Takes(mime string) bool { return mime == t.mime }

// TestImages reads images of all formats. A format that the engine does not
// accept is unsupported; data that is not an image is malformed.
func TestImages(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 85, 110))
	var p, j, g bytes.Buffer
	if err := errors.Join(png.Encode(&p, img), jpeg.Encode(&j, img, nil), gif.Encode(&g, img, nil)); err != nil {
		t.Fatal(err)
	}
	const webp = "RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x28\x00\x3c\x00"
	jp2, err := os.ReadFile("internal/pdf/jpx/testdata/gray.jp2")
	if err != nil {
		t.Fatal(err)
	}
	ocr := funcOCR(said)
	for _, c := range []struct {
		what, data string
		ocr        parse.OCR
		err        error
	}{
		{"JPEG 2000", string(jp2), ocr, nil},
		{"JPEG 2000, taken", string(jp2), taker{ocr, "image/jp2"}, nil},
		{"JPEG 2000, cut", string(jp2[:100]), ocr, parse.ErrOCRRequired},
		{"PNG", p.String(), ocr, nil},
		{"JPEG", j.String(), ocr, nil},
		{"GIF", g.String(), ocr, nil},
		{"WebP, taken", webp, taker{ocr, "image/webp"}, nil},
		{"WebP, not taken", webp, ocr, parse.ErrUnsupported},
		{"no engine", p.String(), nil, parse.ErrUnsupported},
		{"cut", p.String()[:20], ocr, parse.ErrCorrupt},
		{"too many pixels", "II*\x00\x08\x00\x00\x00\x02\x00\x00\x01\x03\x00\x01\x00\x00\x00\xff\xff\x00\x00\x01\x01\x03\x00\x01\x00\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00", ocr, parse.ErrLimit},
		{"the engine fails", p.String(), funcOCR(refuse), parse.ErrOCRRequired},
	} {
		t.Run(c.what, func(t *testing.T) {
			e := parse.Engine{OCR: c.ocr}
			tree, err := e.Parse(t.Context(), source("a", "", c.data), nil)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("Parse = %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			if got := readingOf(t, tree); got != "drawn\n" || tree.Kind != parse.Image || len(tree.Pages) != 1 || tree.Meta.TotalPages != 1 || tree.Pages[0].Status != parse.PageOK {
				t.Errorf("read %q, %+v, %+v", got, tree.Pages, tree.Meta)
			}
		})
	}
}

// TestImageOfPages reads a TIFF file whose second page is damaged.
func TestImageOfPages(t *testing.T) {
	page := func(next, pixels int) string {
		short := func(v int) string { return string([]byte{byte(v), byte(v >> 8)}) }
		entry := func(tag, v int) string { return short(tag) + "\x04\x00\x01\x00\x00\x00" + short(v) + "\x00\x00" }
		return "\x08\x00" + entry(256, 2) + entry(257, 2) + entry(258, 8) + entry(259, 1) + entry(262, 1) + entry(273, pixels) + entry(278, 2) + entry(279, 4) + short(next) + "\x00\x00"
	}
	const size = 2 + 8*12 + 4
	data := "II*\x00\x08\x00\x00\x00" + page(8+size, 8+2*size) + page(0, 8+2*size) + "\x00\xff\xff\x00"
	e := parse.Engine{OCR: funcOCR(func(ctx context.Context, p parse.Picture) (parse.Recognition, error) { return said(ctx, p) })}
	for most, want := range map[int]string{0: "scanned\n\nscanned\n", 1: "scanned\n"} {
		tree, err := e.Parse(t.Context(), source("a.tif", "", data), &parse.Options{PDF: parse.PDFOptions{MaxPages: most}})
		if err != nil {
			t.Fatal(err)
		}
		if got := readingOf(t, tree); got != want || tree.Meta.TotalPages != 2 {
			t.Errorf("%d pages at most: %q of %d pages", most, got, tree.Meta.TotalPages)
		}
	}
}
