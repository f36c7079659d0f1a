// SPDX-License-Identifier: Apache-2.0

// Package picture reads image files whose pages are documents.
//
// Upright PNG and JPEG images are returned unchanged. The pages of TIFF
// files, GIF images and rotated JPEG images are drawn as grayscale PNG, and
// so are JPEG 2000 images on request. The same code reads the images in PDF
// files. WebP and BMP images are only measured.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	_ "image/jpeg" // read by its header
	"image/png"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
	"example.com/curlew/parse/internal/pdf/raster"
)

// File is an image file.
type File struct {
	Pages int // at least one

	page func(ctx context.Context, i int) (Page, error)
	draw func(ctx context.Context, i int) (Page, error) // draws a page that page returns unchanged; nil if that is not possible
}

// Page is one upright image.
type Page struct {
	MIME          string
	Data          []byte
	Width, Height int     // pixels
	DPI           float64 // the stated resolution if it is plausible, otherwise as if the image were an A4 sheet
}

// The reasons why an image cannot be read.
var (
	ErrCorrupt = errors.New("image is malformed")
	ErrLimit   = errors.New("image has too many pixels")
)

const (
	maxPixels = 100_000_000 // of one image
	maxDrawn  = 36_000_000  // of one image that is decoded
)

// Open reads the header of an image file. The error wraps [ErrCorrupt] or
// [ErrLimit].
func Open(data []byte) (*File, error) {
	switch {
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return openTIFF(data)
	case bytes.HasPrefix(data, []byte("GIF8")):
		return openGIF(data)
	case bytes.HasPrefix(data, []byte("\x89PNG")), bytes.HasPrefix(data, []byte("\xff\xd8")):
		return openCoded(data)
	}
	mime, w, h, dpi := measure(data)
	if mime == "" {
		return nil, fmt.Errorf("%w: unknown kind", ErrCorrupt)
	}
	f, err := single(mime, data, w, h, dpi)
	if err == nil && mime == "image/jp2" {
		f.draw = func(ctx context.Context, _ int) (Page, error) {
			im := content.Image{Matrix: oriented(1, 0, 0, float64(w), float64(h), float64(w), float64(h)), Stream: object.NewStream(object.Dict{
				"Width": w, "Height": h, "Filter": object.Name("JPXDecode"),
			}, data)}
			return drawn(ctx, []content.Image{im}, 1, float64(w), float64(h), dpi)
		}
	}
	return f, err
}

// single returns a file whose only page is the unchanged image.
func single(mime string, data []byte, w, h int, dpi float64) (*File, error) {
	if err := check(w, h, maxPixels); err != nil {
		return nil, err
	}
	p := Page{MIME: mime, Data: data, Width: w, Height: h, DPI: sensible(dpi, w, h)}
	return &File{Pages: 1, page: func(context.Context, int) (Page, error) { return p, nil }}, nil
}

// Page returns page i, counted from 0. The error wraps [ErrCorrupt] or the
// cause that ended ctx.
func (f *File) Page(ctx context.Context, i int) (Page, error) { return f.page(ctx, i) }

// Draw makes Page draw images that it would otherwise return unchanged. It
// returns false if this is not possible.
func (f *File) Draw() bool {
	if f.draw != nil {
		f.page, f.draw = f.draw, nil
		return true
	}
	return false
}

func check(w, h, most int) error {
	switch {
	case w <= 0 || h <= 0:
		return fmt.Errorf("%w: no size", ErrCorrupt)
	case w > most/h:
		return fmt.Errorf("%w: %d by %d", ErrLimit, w, h)
	}
	return nil
}

// sensible returns dpi if a scanner may have set it. Other values, as from
// screens and cameras, are meaningless; then the image is assumed to be an
// A4 sheet.
func sensible(dpi float64, w, h int) float64 {
	if dpi >= 100 && dpi <= 1200 {
		return dpi
	}
	return min(max(float64(min(w, h))/8.27, 70), 600)
}

// openCoded reads PNG and JPEG.
func openCoded(data []byte) (*File, error) {
	c, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	dpi, turn := jpegHeader(data)
	if kind == "png" {
		dpi, turn = pngResolution(data), 1
	}
	if turn <= 1 {
		return single("image/"+kind, data, c.Width, c.Height, dpi)
	}
	if err := check(c.Width, c.Height, maxDrawn); err != nil {
		return nil, err
	}
	w, h := float64(c.Width), float64(c.Height)
	im := content.Image{Matrix: oriented(turn, 0, 0, w, h, w, h), Stream: object.NewStream(object.Dict{
		"Width": c.Width, "Height": c.Height, "ColorSpace": object.Name("DeviceRGB"), "BitsPerComponent": 8, "Filter": object.Name("DCTDecode"),
		"Decode": object.Array{0, 1, 0, 1, 0, 1}, // without it the data would be returned unchanged
	}, data)}
	return &File{Pages: 1, page: func(ctx context.Context, _ int) (Page, error) {
		return drawn(ctx, []content.Image{im}, turn, w, h, dpi)
	}}, nil
}

// openGIF reads the first frame of a GIF.
func openGIF(data []byte) (*File, error) {
	c, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := check(c.Width, c.Height, maxDrawn); err != nil {
		return nil, err
	}
	return &File{Pages: 1, page: func(context.Context, int) (Page, error) {
		img, err := gif.Decode(bytes.NewReader(data))
		if err != nil {
			return Page{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		b := img.Bounds()
		gray := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(gray, gray.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(gray, gray.Rect, img, b.Min, draw.Over)
		var out bytes.Buffer
		if err := png.Encode(&out, gray); err != nil {
			return Page{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return Page{MIME: "image/png", Data: out.Bytes(), Width: b.Dx(), Height: b.Dy(), DPI: sensible(0, b.Dx(), b.Dy())}, nil
	}}, nil
}

// drawn draws the parts of an image of w by h pixels. Their matrices rotate
// it.
func drawn(ctx context.Context, parts []content.Image, turn int, w, h, dpi float64) (Page, error) {
	if turn > 4 {
		w, h = h, w
	}
	for i := range parts {
		m := parts[i].Matrix
		x0, x1 := min(m[4], m[4]+m[0]+m[2]), max(m[4], m[4]+m[0]+m[2])
		y0, y1 := min(m[5], m[5]+m[1]+m[3]), max(m[5], m[5]+m[1]+m[3])
		parts[i].Box = content.Box{X0: max(x0, 0), Y0: max(y0, 0), X1: min(x1, w), Y1: min(y1, h)}
	}
	p, err := raster.Draw(ctx, object.Loose(ctx), parts, w, h, false)
	if cause := context.Cause(ctx); cause != nil {
		return Page{}, cause
	}
	if err != nil {
		return Page{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return Page{MIME: p.MIME, Data: p.Data, Width: p.Width, Height: p.Height, DPI: sensible(dpi*float64(p.Width)/w, p.Width, p.Height)}, nil
}

// oriented returns the matrix of a part at x, y with pw by ph pixels, in an
// image of w by h pixels with an orientation of TIFF 6.0, page 36. It maps
// the unit square to the upright image, with the origin at the top left.
func oriented(turn int, x, y, pw, ph, w, h float64) [6]float64 {
	m := [6]float64{pw, 0, 0, -ph, x, y + ph} // as stored
	var t [6]float64
	switch turn {
	case 2:
		t = [6]float64{-1, 0, 0, 1, w, 0}
	case 3:
		t = [6]float64{-1, 0, 0, -1, w, h}
	case 4:
		t = [6]float64{1, 0, 0, -1, 0, h}
	case 5:
		t = [6]float64{0, 1, 1, 0, 0, 0}
	case 6:
		t = [6]float64{0, 1, -1, 0, h, 0}
	case 7:
		t = [6]float64{0, -1, -1, 0, h, w}
	case 8:
		t = [6]float64{0, -1, 1, 0, 0, w}
	default:
		return m
	}
	return [6]float64{
		m[0]*t[0] + m[1]*t[2], m[0]*t[1] + m[1]*t[3],
		m[2]*t[0] + m[3]*t[2], m[2]*t[1] + m[3]*t[3],
		m[4]*t[0] + m[5]*t[2] + t[4], m[4]*t[1] + m[5]*t[3] + t[5],
	}
}
