// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // renderers may return JPEG
	_ "image/png"  // renderers may return PNG
	"math"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/raster"
)

// Picture is the image of a page, or of the part of a page that its images
// cover.
type Picture struct {
	MIME          string // image/png or image/jpeg; also image/jp2 if Options.JP2 is set
	Data          []byte
	Width, Height int // pixels
	DPI           float64
	Languages     []string // of the document; may be empty
}

// Renderer draws a page at the given resolution. Pages are numbered from 1.
type Renderer func(ctx context.Context, page int, dpi float64) (Picture, error)

// renderDPI is the resolution at which pages are drawn. OCR programs are
// made for 300 dpi.
const renderDPI = 300

// maxRendered is the maximum size of a drawn page in pixels: A2 at 300 dpi.
const maxRendered = 36_000_000

// scanned reports whether a page has to be recognised, because it is an
// image without text or its text is unusable.
func scanned(l *layout.Page) bool {
	return garbled(l) || l.Glyphs < fewGlyphs && l.Covered > .6
}

// fewGlyphs is the number of glyphs below which they are not taken for the
// text of a page, but for a stamp or a page number.
const fewGlyphs = 20

func garbled(l *layout.Page) bool { return l.Glyphs > 0 && l.Garbled*5 > l.Glyphs }

// sheet is a page before its text is laid out, since layout may rotate it.
type sheet struct {
	number        int
	width, height float64
	images        []content.Image
	visible       []content.Glyph // the painted text, if it is short
}

// newSheet copies from a page what recognition needs. It drops the image
// streams from the page, because nothing else needs them.
func newSheet(number int, c *content.Page) sheet {
	s := sheet{number: number, width: c.Width, height: c.Height, images: append([]content.Image(nil), c.Images...)}
	for i := range c.Images {
		c.Images[i].Stream = nil
	}
	return s
}

// visible returns the painted text of a page if it has fewer than maxStamp
// glyphs, else nil.
func visible(c *content.Page) []content.Glyph {
	if len(c.Glyphs) >= maxStamp {
		return nil
	}
	var painted []content.Glyph
	for _, g := range c.Glyphs {
		if g.Flags&content.Invisible == 0 {
			painted = append(painted, g)
		}
	}
	return painted
}

// maxStamp is the number of glyphs, including spaces, below which the text
// on a scan is added to the recognised text.
const maxStamp = 200

// view is a picture with the part of the page, in points, that it shows.
type view struct {
	Picture

	box   content.Box
	drawn bool // the picture shows all of the page, not only its images
}

// errNoPicture means that a page can only be read by its text.
var errNoPicture = errors.New("page has no picture")

// view returns the picture of a page. If the page has painted text and there
// is a renderer, the renderer draws it; else the picture is made from the
// images that cover the page. The error wraps errNoPicture, an error of
// package raster, an error of the renderer, or the cause that ended ctx.
func (d *reader) view(ctx context.Context, s sheet, was *layout.Page) (view, error) {
	painted := was.Glyphs >= fewGlyphs && !was.OCR
	if d.options.Render != nil && painted {
		return d.render(ctx, s)
	}
	d.drawing.Lock()
	p, err := raster.Draw(ctx, d.file, s.images, s.width, s.height, d.options.JP2)
	d.drawing.Unlock()
	switch {
	case err == nil:
		v := view{Picture: Picture{MIME: p.MIME, Data: p.Data, Width: p.Width, Height: p.Height, DPI: p.DPI}, box: p.Box}
		v.Languages = d.languages()
		return v, nil
	case ctx.Err() != nil:
		return view{}, context.Cause(ctx)
	case d.options.Render != nil:
		return d.render(ctx, s)
	case errors.Is(err, raster.ErrNone):
		return view{}, fmt.Errorf("%w: %w", errNoPicture, err)
	}
	return view{}, err
}

func (d *reader) languages() []string {
	if lang := d.doc.Meta.Language; lang != "" {
		return []string{lang}
	}
	return nil
}

// render draws the page with the renderer.
func (d *reader) render(ctx context.Context, s sheet) (view, error) {
	dpi := min(renderDPI, 72*math.Sqrt(maxRendered/max(1, s.width*s.height)))
	p, err := d.options.Render(ctx, s.number, dpi)
	if ctx.Err() != nil {
		return view{}, context.Cause(ctx)
	}
	if err != nil {
		return view{}, err
	}
	if p.Width <= 0 || p.Height <= 0 {
		c, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
		if err != nil || c.Width <= 0 || c.Height <= 0 {
			return view{}, fmt.Errorf("%w: the page that was drawn has no size", errNoPicture)
		}
		p.Width, p.Height = c.Width, c.Height
	}
	if p.DPI <= 0 {
		p.DPI = dpi
	}
	if p.Languages == nil {
		p.Languages = d.languages()
	}
	return view{Picture: p, box: content.Box{X1: s.width, Y1: s.height}, drawn: true}, nil
}
