// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/fax"
	"example.com/curlew/parse/internal/pdf/jbig2"
	"example.com/curlew/parse/internal/pdf/jpx"
	"example.com/curlew/parse/internal/pdf/object"
)

// plane is an array of one-byte samples, row by row from the top.
type plane struct {
	w, h int
	pix  []byte
}

// at returns the sample at a position in the unit square. The origin is the
// top left corner.
func (p *plane) at(u, v float64) int {
	x := min(max(int(u*float64(p.w)), 0), p.w-1)
	y := min(max(int(v*float64(p.h)), 0), p.h-1)
	return int(p.pix[y*p.w+x])
}

// layer is a decoded image.
type layer struct {
	gray  plane  // 255 is white
	alpha *plane // 255 is opaque; nil means that all pixels are opaque
}

// at returns the gray and alpha values at a position in the unit square.
// Outside of it, alpha is 0.
func (l *layer) at(u, v float64) (gray, alpha int) {
	const edge = 1e-6 // tolerance for rounding errors, so that there are no gaps between strips
	if u < -edge || v < -edge || u > 1+edge || v > 1+edge {
		return 255, 0
	}
	if l.alpha == nil {
		return l.gray.at(u, v), 255
	}
	return l.gray.at(u, v), l.alpha.at(u, v)
}

// decoder decodes the images of one page.
type decoder struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call
	file *object.File
	room int // number of pixels that may still be decoded
	// wide and high are the size of an image on the canvas in pixels. It
	// need not be decoded at a higher resolution. Zero means full
	// resolution.
	wide, high int
}

// size returns the width and height of an image in pixels, or 0, 0 if they
// are invalid or too large.
func (d *decoder) size(s *object.Stream) (w, h int) {
	w, h = d.file.Int(s.Dict["Width"], 0), d.file.Int(s.Dict["Height"], 0)
	if w <= 0 || h <= 0 || w > maxPixels/h {
		return 0, 0
	}
	return w, h
}

// coding returns the image filter that the package object does not decode,
// with its parameters. The name is empty if there is none.
func (d *decoder) coding(s *object.Stream) (object.Name, object.Dict) {
	filters := d.file.Filters(s)
	if len(filters) == 0 {
		return "", nil
	}
	var parms object.Dict
	switch v := d.file.Resolve(s.Dict["DecodeParms"]).(type) {
	case object.Dict:
		parms = v
	case object.Array:
		if i := len(filters) - 1; i < len(v) {
			parms = d.file.Dict(v[i])
		}
	}
	switch last := filters[len(filters)-1]; last {
	case "DCT":
		return "DCTDecode", parms
	case "CCF":
		return "CCITTFaxDecode", parms
	case "DCTDecode", "CCITTFaxDecode", "JBIG2Decode", "JPXDecode":
		return last, parms
	}
	return "", nil
}

// raw returns the encoded data of an image as a picture. It returns nil if
// the recipient could not decode the data, or if the page shows the image
// differently, for example with a mask.
func (d *decoder) raw(im content.Image, jp2 bool) *Picture {
	s := im.Stream
	w, h := d.size(s)
	if w == 0 || max(w, h) > maxSide || im.Mask || s.Dict["SMask"] != nil || s.Dict["Mask"] != nil || s.Dict["Decode"] != nil {
		return nil
	}
	p := &Picture{Width: w, Height: h, Box: im.Box, DPI: 72 * resolution(im.Matrix, w, h)}
	var err error
	switch filter, _ := d.coding(s); {
	case filter == "JPXDecode" && jp2:
		p.MIME = "image/jp2"
		p.Data, err = d.file.Data(s)
	case filter == "DCTDecode":
		p.MIME = "image/jpeg"
		p.Data, err = d.file.Data(s)
		if c, err := jpeg.DecodeConfig(bytes.NewReader(p.Data)); err == nil { // the recipient may be able to read data that package jpeg cannot
			if c.ColorModel == color.CMYKModel {
				return nil
			}
			p.Width, p.Height = c.Width, c.Height
		}
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return p
}

// layer decodes an image with its masks for a canvas of scale pixels per
// point.
func (d *decoder) layer(im content.Image, scale float64) (*layer, error) {
	s, m := im.Stream, im.Matrix
	d.wide, d.high = int(math.Hypot(m[0], m[1])*scale), int(math.Hypot(m[2], m[3])*scale)
	if im.Mask {
		p, err := d.plane(s, samples{n: 1})
		if err != nil {
			return nil, err
		}
		for i, v := range p.pix { // a sample of 0 paints (ISO 32000-1, 8.9.6.2)
			p.pix[i] = 255 - v
		}
		c := im.Color
		gray := luma(int(c>>16&255), int(c>>8&255), int(c&255))
		return &layer{gray: plane{1, 1, []byte{gray}}, alpha: p}, nil
	}
	var out layer
	if mask := d.file.Stream(s.Dict["SMask"]); mask != nil {
		out.alpha, _ = d.plane(mask, samples{n: 1}) // a damaged mask is ignored
	} else if mask := d.file.Stream(s.Dict["Mask"]); mask != nil {
		if out.alpha, _ = d.plane(mask, samples{n: 1}); out.alpha != nil { // a damaged mask is ignored
			for i, v := range out.alpha.pix {
				out.alpha.pix[i] = 255 - v
			}
		}
	}
	p, err := d.plane(s, d.colors(s.Dict["ColorSpace"], 0))
	switch {
	case err == nil:
		out.gray = *p
	case out.alpha != nil && d.ctx.Err() == nil:
		out.gray = plane{1, 1, []byte{0}} // if only the mask can be decoded, use it: usually it has the shape of the text
	default:
		return nil, err
	}
	return &out, nil
}

// plane decodes the samples of an image to gray values.
func (d *decoder) plane(s *object.Stream, space samples) (*plane, error) {
	w, h := d.size(s)
	if w == 0 {
		return nil, fmt.Errorf("%w: invalid image size", ErrFilter)
	}
	if d.room -= w * h; d.room < 0 {
		return nil, fmt.Errorf("%w: the page has too many pixels", ErrFilter)
	}
	filter, parms := d.coding(s)
	data, err := d.file.Data(s)
	if err != nil && len(data) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrFilter, err)
	}
	depth := d.file.Int(s.Dict["BitsPerComponent"], 8)
	if mask, _ := d.file.Resolve(s.Dict["ImageMask"]).(bool); mask {
		depth = 1
	}
	switch filter {
	case "DCTDecode":
		return d.jpeg(s, data, space)
	case "CCITTFaxDecode", "JBIG2Decode":
		bits := d.fax
		if filter == "JBIG2Decode" {
			bits = d.jbig2
		}
		p, err := bits(data, parms, w, h)
		if err != nil {
			return nil, err
		}
		if space.n != 1 {
			space = samples{n: 1}
		}
		of := space.grays(d.ranges(s), 1)
		for i, v := range p.pix {
			p.pix[i] = of[v]
		}
		return p, nil
	case "JPXDecode":
		return d.jpx(data, space, w*h)
	}
	if space.n == 0 || !slices.Contains([]int{1, 2, 4, 8, 16}, depth) {
		return nil, fmt.Errorf("%w: invalid colour space", ErrFilter)
	}
	decode := d.ranges(s)
	if space.lab {
		decode = nil // the ranges of Lab are not 0 to 1
	}
	return unpack(data, w, h, depth, space, decode)
}

// fax decodes CCITT data to samples according to its parameters.
func (d *decoder) fax(data []byte, parms object.Dict, w, h int) (*plane, error) {
	flag := func(key object.Name) bool { v, _ := d.file.Resolve(parms[key]).(bool); return v }
	b := fax.Decode(data, fax.Params{
		K: d.file.Int(parms["K"], 0), Columns: d.file.Int(parms["Columns"], 1728), Rows: h, Pixels: maxPixels,
		ByteAlign: flag("EncodedByteAlign"), EndOfLine: flag("EndOfLine"),
	})
	if b.Rows == 0 {
		return nil, fmt.Errorf("%w: CCITTFaxDecode", ErrFilter)
	}
	columns := len(b.Pix) / b.Rows
	p := &plane{w, h, make([]byte, w*h)}
	for y := range min(h, b.Rows) {
		copy(p.pix[y*w:(y+1)*w], b.Pix[y*columns:(y+1)*columns])
	}
	if !flag("BlackIs1") {
		invert(p.pix)
	}
	return p, nil
}

// jbig2 decodes JBIG2 data to samples in which 0 is black (ISO 32000-1,
// 7.4.7).
func (d *decoder) jbig2(data []byte, parms object.Dict, w, h int) (*plane, error) {
	globals, _ := d.file.Data(d.file.Stream(parms["JBIG2Globals"])) // of a damaged stream the first part may be enough
	b, err := jbig2.Decode(d.ctx, data, globals, w, h)
	if cause := context.Cause(d.ctx); cause != nil {
		return nil, cause
	}
	if b == nil || err != nil && !slices.Contains(b.Pix, 1) {
		return nil, fmt.Errorf("%w: JBIG2Decode", ErrFilter)
	}
	invert(b.Pix)
	return &plane{w, h, b.Pix}, nil
}

// jpx decodes JPEG 2000 data to gray values. The colour space of the image
// dictionary, if there is one, takes precedence over that of the data, and
// the Decode array is ignored (ISO 32000-1, 7.4.9). Opacity channels in the
// data are ignored, whatever SMaskInData says. paid is the number of pixels
// that were already counted towards the limit.
func (d *decoder) jpx(data []byte, space samples, paid int) (*plane, error) {
	m, _ := jpx.Decode(d.ctx, data, jpx.Options{ // of a damaged image the first part may be enough
		Pixels: max(1, min(maxCanvas, d.room+paid)), Width: d.wide, Height: d.high,
		Colors: space.n, Indexed: space.palette != nil, Luma: !space.lab && !space.ink,
	})
	if cause := context.Cause(d.ctx); cause != nil {
		return nil, cause
	}
	if m == nil {
		return nil, fmt.Errorf("%w: JPXDecode", ErrFilter)
	}
	d.room -= max(0, m.W*m.H-paid)
	p := &plane{m.W, m.H, m.Planes[0].Pix}
	if len(m.Planes) > 1 {
		p.pix = make([]byte, m.W*m.H)
		for y := range p.h {
			mixed(p.pix[y*p.w:(y+1)*p.w], y, m, space)
		}
		return p, nil
	}
	if space.n != 1 {
		return p, nil
	}
	depth := 8
	if space.palette != nil {
		depth = min(m.Depth, 8)
	}
	of, most := space.grays(nil, depth), 1<<depth-1
	for i, v := range p.pix {
		p.pix[i] = of[(int(v)*most+127)/255]
	}
	return p, nil
}

// mixed converts row y of the planes of an image to gray values. The planes
// can have different resolutions.
func mixed(row []byte, y int, m *jpx.Image, space samples) {
	lines := make([][]byte, len(m.Planes))
	for k, p := range m.Planes {
		from := y * p.H / m.H
		lines[k] = p.Pix[from*p.W : (from+1)*p.W]
	}
	if space.n != len(lines) {
		space = samples{n: len(lines)}
	}
	for x := range row {
		var px [4]byte
		ink := byte(0)
		for k, line := range lines {
			v := line[x*len(line)/m.W]
			ink = max(ink, v)
			if k < len(px) {
				px[k] = v
			}
		}
		if space.ink {
			row[x] = 255 - ink
		} else {
			row[x] = space.gray(px)
		}
	}
}

// invert inverts one-bit samples.
func invert(pix []byte) {
	for i, v := range pix {
		pix[i] = v ^ 1
	}
}

// jpeg decodes a JPEG image to gray values.
func (d *decoder) jpeg(s *object.Stream, data []byte, space samples) (*plane, error) {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width > maxCanvas/c.Height { // a progressive JPEG needs up to six bytes per pixel for its coefficients
		return nil, fmt.Errorf("%w: DCTDecode", ErrFilter)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: DCTDecode", ErrFilter)
	}
	p := &plane{c.Width, c.Height, make([]byte, c.Width*c.Height)}
	decode := d.ranges(s)
	inverted := len(decode) > 1 && decode[0] > decode[1]
	switch m := img.(type) {
	case *image.Gray:
		of := samples{n: 1, palette: space.palette}.grays(decode, 8)
		for y := range p.h {
			for x, v := range m.Pix[y*m.Stride : y*m.Stride+p.w] {
				p.pix[y*p.w+x] = of[v]
			}
		}
		return p, nil
	case *image.YCbCr:
		for y := range p.h {
			copy(p.pix[y*p.w:], m.Y[y*m.YStride:y*m.YStride+p.w])
		}
	case *image.CMYK: // package jpeg treats CMYK as inverted, as most files are
		for y := range p.h {
			for x := range p.w {
				q := m.Pix[y*m.Stride+4*x:]
				c := [4]byte{q[0], q[1], q[2], q[3]}
				if !inverted {
					c = [4]byte{255 - q[0], 255 - q[1], 255 - q[2], 255 - q[3]}
				}
				p.pix[y*p.w+x] = samples{n: 4}.gray(c)
			}
		}
		return p, nil
	default:
		for y := range p.h {
			for x := range p.w {
				r, g, b, _ := img.At(x, y).RGBA()
				p.pix[y*p.w+x] = luma(int(r>>8), int(g>>8), int(b>>8))
			}
		}
	}
	if inverted {
		for i, v := range p.pix {
			p.pix[i] = 255 - v
		}
	}
	return p, nil
}
