// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/raster"
)

// Recognition is the text that a recognizer found in a picture.
type Recognition struct {
	Words      []Word
	Markdown   string  // for a recognizer that does not locate words; ignored if there are words
	Confidence float64 // 0 to 1; -1 if it was not measured
}

// Word is one recognised word.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // pixels from the top left corner
	Line           int     // words of one line have the same number and are in reading order
	Confidence     float64 // 0 to 1; -1 if it was not measured
}

// Recognizer finds the text in a picture.
type Recognizer func(context.Context, Picture) (Recognition, error)

// recognize reads a page from its picture. The result is nil if the page has
// no picture. The error is the cause that ended ctx.
func (d *reader) recognize(ctx context.Context, s sheet, c *content.Page, was *layout.Page) (*read, error) {
	v, err := d.view(ctx, s, was)
	var out *read
	if err == nil {
		out, err = d.readView(ctx, s, v, c, garbled(was))
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, errNoPicture):
		return nil, nil //nolint:nilnil // the text stays
	case err != nil:
		return &read{page: was, failed: err}, nil //nolint:nilerr // a warning says so
	}
	return out, nil
}

// readView recognises the picture v of a page. The rules and links of the
// page are in c. If void is set, the page's own text is unusable and is
// ignored.
func (d *reader) readView(ctx context.Context, s sheet, v view, c *content.Page, void bool) (*read, error) {
	r, err := d.options.Recognize(ctx, v.Picture)
	if err != nil {
		return nil, err
	}
	out := &read{recognized: true, confidence: min(r.Confidence, 1)}
	page := &content.Page{Width: s.width, Height: s.height}
	if len(r.Words) == 0 {
		out.markdown = r.Markdown
		out.page = layout.NewPage(ctx, s.number, page, layout.Options{})
		return out, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for _, w := range r.Words[:min(len(r.Words), maxWords)] {
		out.words = append(out.words, w.Text)
	}
	page.Rules, page.Links = c.Rules, c.Links
	d.drawing.Lock()
	gray := grayOf(v)
	if gray != nil && (!v.drawn || len(c.Rules) == 0) {
		page.Rules = append(raster.Rules(gray, v.box), c.Rules...)
	}
	var confidence []float64
	page.Glyphs, confidence = glyphs(r.Words, v, gray, page.Rules)
	d.drawing.Unlock()
	if !v.drawn && !void {
		page.Glyphs = append(page.Glyphs, beside(s.visible, page.Glyphs)...)
	}
	out.page = layout.NewPage(ctx, s.number, page, layout.Options{KeepHidden: d.options.KeepHidden})
	for i, conf := range confidence {
		if g := &page.Glyphs[i]; conf >= 0 && g.Flags&content.Space == 0 {
			out.spots = append(out.spots, spot{x: (g.Box.X0 + g.Box.X1) / 2, y: (g.Box.Y0 + g.Box.Y1) / 2, confidence: min(conf, 1), weight: float64(len(g.Text))})
		}
	}
	return out, nil
}

// maxMeasured is the maximum size, in pixels, of a picture in which lines
// and strokes are measured.
const maxMeasured = 36_000_000

// grayOf decodes a picture in which lines and stroke widths are measured. It
// returns nil if the picture is too large or neither PNG nor JPEG.
func grayOf(v view) *image.Gray {
	if v.MIME != "image/png" && v.MIME != "image/jpeg" {
		return nil
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(v.Data))
	if err != nil || c.Width != v.Width || c.Height != v.Height || c.Width <= 0 || c.Height <= 0 || c.Width > maxMeasured/c.Height {
		return nil
	}
	img, _, err := image.Decode(bytes.NewReader(v.Data))
	if err != nil {
		return nil
	}
	switch m := img.(type) {
	case *image.Gray:
		return m
	case *image.YCbCr:
		return &image.Gray{Pix: m.Y, Stride: m.YStride, Rect: m.Rect}
	}
	gray := image.NewGray(img.Bounds())
	draw.Draw(gray, gray.Rect, img, gray.Rect.Min, draw.Src)
	return gray
}

// spot is the position of a word with the confidence of the recognizer.
type spot struct{ x, y, confidence, weight float64 }

// maxSpots is the maximum number of spots of a page that are compared with a
// block.
const maxSpots = 5000

// within returns the mean confidence of the words in b, and false if there
// is none.
func within(spots []spot, b content.Box) (float64, bool) {
	sum, weight := 0.0, 0.0
	for _, s := range spots[:min(len(spots), maxSpots)] {
		if s.x >= b.X0 && s.x <= b.X1 && s.y >= b.Y0 && s.y <= b.Y1 {
			sum += s.confidence * s.weight
			weight += s.weight
		}
	}
	return sum / max(weight, 1), weight > 0
}

// beside returns the glyphs that no recognised word covers, such as stamps
// and page numbers that are text on top of a scan.
func beside(own, recognised []content.Glyph) []content.Glyph {
	var out []content.Glyph
	for _, g := range own {
		covered := false
		for i := range recognised {
			if r := &recognised[i]; r.Flags&content.Space == 0 && r.Box.Intersect(g.Box).Area() > .3*g.Box.Area() {
				covered = true
				break
			}
		}
		if !covered {
			g.Seq += 1 << 24 // they are painted after the recognised words
			out = append(out, g)
		}
	}
	return out
}
