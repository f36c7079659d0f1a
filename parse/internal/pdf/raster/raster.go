// SPDX-License-Identifier: Apache-2.0

// Package raster draws the picture of a scanned page from the images on it.
//
// Most scanned pages consist of one image, whose encoded data is returned
// unchanged if possible. Strips, rotated or mirrored images, stencil masks
// over a background and soft masks are drawn in their order on a canvas,
// upright and in gray, which is sufficient for text recognition. Text and
// vector graphics are not drawn.
package raster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/object"
)

// Picture is the picture of the images of a page.
type Picture struct {
	MIME          string // image/png; or image/jpeg or image/jp2 if the encoded data is unchanged
	Data          []byte
	Width, Height int         // pixels
	Box           content.Box // the area of the page that the picture shows, in points
	DPI           float64
}

// Reasons why there is no picture.
var (
	// ErrNone means that the images cover too little of the page.
	ErrNone = errors.New("page is not an image")
	// ErrFilter means that the encoding of an image is not supported or that
	// its data is damaged.
	ErrFilter = errors.New("image cannot be decoded")
)

const (
	// maxPixels is the maximum number of pixels of an image that is decoded.
	maxPixels = 100_000_000
	// maxCanvas is the maximum number of pixels of the canvas: an A4 page at
	// 600 dpi. A higher resolution does not improve text recognition.
	maxCanvas = 36_000_000
	maxDPI    = 600
	// maxSide is the maximum width and height of a picture, because programs
	// reject larger ones.
	maxSide = 20_000
	// least is the minimum share of the page that the images must cover.
	least = .5
	// maxDecoded is the maximum number of decoded pixels of all images of a
	// page, and maxDrawn that of painted pixels. They allow a few layers
	// over a whole page.
	maxDecoded = 200_000_000
	maxDrawn   = 300_000_000
)

// Draw returns the picture of the images on a page of w by h points. If jp2
// is set and the page is a single JPEG 2000 image, its data is returned
// unchanged. The error wraps [ErrNone], [ErrFilter] or the cause that ended
// ctx.
func Draw(ctx context.Context, f *object.File, images []content.Image, w, h float64, jp2 bool) (*Picture, error) {
	images = sorting.Without(slices.Clone(images), func(im content.Image) bool { return im.Stream == nil || im.Box.Area() == 0 })
	if len(images) > maxImages {
		images = largest(images)
	}
	box, area := content.Box{}, 0.0
	for i, im := range images {
		area += im.Box.Area()
		if i == 0 {
			box = im.Box
		}
		box = box.Union(im.Box)
	}
	if area < least*w*h {
		return nil, ErrNone
	}
	d := decoder{ctx: ctx, file: f, room: maxDecoded}
	if len(images) == 1 && upright(images[0]) {
		if p := d.raw(images[0], jp2); p != nil {
			return p, nil
		}
	}
	p, err := d.compose(images, box)
	if err != nil && jp2 && ctx.Err() == nil { // an image that cannot be decoded here may cover most of the page, and the recipient may be able to read it
		i := slices.IndexFunc(images, func(im content.Image) bool { return im.Box.Area() >= least*w*h && upright(im) })
		if i >= 0 {
			if p := d.raw(images[i], jp2); p != nil {
				return p, nil
			}
		}
	}
	return p, err
}

// maxImages is the maximum number of images that are drawn. If there are
// more, the largest are drawn.
const maxImages = 20_000

// largest returns the maxImages largest images in their original order.
func largest(images []content.Image) []content.Image {
	areas := make([]float64, len(images))
	for i, im := range images {
		areas[i] = im.Box.Area()
	}
	slices.Sort(areas)
	floor := areas[len(areas)-maxImages]
	out := sorting.Without(images, func(im content.Image) bool { return im.Box.Area() < floor })
	return out[:min(len(out), maxImages)]
}

// upright reports whether an image is neither rotated nor mirrored and not
// cut by a clipping path.
func upright(im content.Image) bool {
	m := im.Matrix
	w, h := im.Box.Width(), im.Box.Height()
	near := func(a, b, by float64) bool { return math.Abs(a-b) <= .005*by }
	return near(m[0], w, w) && near(m[3], -h, h) && near(m[1], 0, h) && near(m[2], 0, w)
}

// resolution returns the resolution in pixels per point of an image of w by
// h pixels that is placed with the matrix m.
func resolution(m [6]float64, w, h int) float64 {
	return max(float64(w)/max(1, math.Hypot(m[0], m[1])), float64(h)/max(1, math.Hypot(m[2], m[3])))
}

// compose draws images on a canvas that shows box.
func (d *decoder) compose(images []content.Image, box content.Box) (*Picture, error) {
	scale := 0.0
	for _, im := range images {
		if w, h := d.size(im.Stream); im.Box.Area() > .02*box.Area() || len(images) < 4 {
			scale = max(scale, resolution(im.Matrix, w, h))
		}
		if mask := d.file.Stream(im.Stream.Dict["SMask"]); mask != nil {
			w, h := d.size(mask)
			scale = max(scale, resolution(im.Matrix, w, h))
		}
	}
	scale = min(scale, maxDPI/72.0, math.Sqrt(maxCanvas/box.Area()), maxSide/max(box.Width(), box.Height()))
	if scale <= 0 {
		return nil, fmt.Errorf("%w: no size", ErrFilter)
	}
	w, h := int(math.Round(box.Width()*scale)), int(math.Round(box.Height()*scale))
	if w < 1 || h < 1 {
		return nil, fmt.Errorf("%w: no size", ErrFilter)
	}
	c := canvas{room: maxDrawn, w: w, h: h, box: box, pix: bytes.Repeat([]byte{255}, w*h)}
	var fault error
	drawn := 0.0
	for _, im := range images {
		if d.ctx.Err() != nil {
			return nil, context.Cause(d.ctx)
		}
		l, err := d.layer(im, scale)
		if err != nil {
			fault = err
			continue
		}
		if err := c.draw(d.ctx, im, l); err != nil {
			return nil, err
		}
		drawn += im.Box.Area()
	}
	if fault != nil && drawn < least*box.Area() {
		return nil, fault
	}
	var out bytes.Buffer
	img := &image.Gray{Pix: c.pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFilter, err)
	}
	return &Picture{MIME: "image/png", Data: out.Bytes(), Width: w, Height: h, Box: box, DPI: scale * 72}, nil
}

// canvas is the picture that is being drawn.
type canvas struct {
	room int // number of pixels that may still be painted
	w, h int
	box  content.Box
	pix  []byte // gray values
}

// draw paints an image. Each pixel of the canvas becomes the mean of up to
// four by four samples of the image area that it covers. Painting stops when
// the limit is reached. The error is the cause that ended ctx.
func (c *canvas) draw(ctx context.Context, im content.Image, l *layer) error {
	sx, sy := c.box.Width()/float64(c.w), c.box.Height()/float64(c.h) // size of a pixel in points
	m := im.Matrix
	det := m[0]*m[3] - m[1]*m[2]
	if math.Abs(det) < 1e-9 {
		return nil
	}
	steps := 1
	w, h := l.gray.w, l.gray.h
	if l.alpha != nil {
		w, h = max(w, l.alpha.w), max(h, l.alpha.h)
	}
	if ratio := resolution(m, w, h) * max(sx, sy); ratio > 1.4 {
		steps = min(4, int(math.Ceil(ratio)))
	}
	x0, x1 := int(math.Floor((im.Box.X0-c.box.X0)/sx+.5)), int(math.Floor((im.Box.X1-c.box.X0)/sx+.5))
	y0, y1 := int(math.Floor((im.Box.Y0-c.box.Y0)/sy+.5)), int(math.Floor((im.Box.Y1-c.box.Y0)/sy+.5))
	if c.room -= max(0, x1-x0) * max(0, y1-y0) * steps * steps; c.room < 0 {
		return nil
	}
	for y := max(0, y0); y < min(c.h, y1); y++ {
		if y%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := c.pix[y*c.w : (y+1)*c.w]
		for x := max(0, x0); x < min(c.w, x1); x++ {
			under, sum := int(row[x]), 0
			for k := range steps * steps {
				px := c.box.X0 + (float64(x)+(float64(k%steps)+.5)/float64(steps))*sx - m[4]
				py := c.box.Y0 + (float64(y)+(float64(k/steps)+.5)/float64(steps))*sy - m[5]
				u, v := (px*m[3]-py*m[2])/det, 1-(py*m[0]-px*m[1])/det
				gray, alpha := l.at(u, v)
				sum += (gray*alpha + under*(255-alpha) + 127) / 255
			}
			row[x] = byte(sum / (steps * steps)) //nolint:gosec // a mean of bytes
		}
	}
	return nil
}
