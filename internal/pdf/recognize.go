// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"strings"

	"example.com/curlew/internal/pdf/content"
	"example.com/curlew/internal/pdf/font"
	"example.com/curlew/internal/pdf/layout"
)

// scanned says whether a page has to be recognised: it is an image without
// text, or its text is none.
func scanned(l *layout.Page) bool {
	return garbled(l) || l.Glyphs < 20 && l.Covered > .6
}

func garbled(l *layout.Page) bool { return l.Glyphs > 0 && l.Garbled*5 > l.Glyphs }

// recognize reads a page by its picture. The result is nil where there is none,
// or nothing came of it; the error is the cause that ended ctx.
func (d *reader) recognize(ctx context.Context, number int, c *content.Page, was *layout.Page) (*read, error) {
	p, box, ok := d.picture(c)
	if !ok {
		return nil, nil //nolint:nilnil // no picture, no recognition
	}
	r, err := d.options.Recognize(ctx, p)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return &read{page: was, failed: true}, nil //nolint:nilerr // a warning says so
	}
	out := &read{recognized: true, confidence: r.Confidence}
	if len(r.Words) == 0 {
		out.markdown = r.Markdown
		out.page = &layout.Page{Number: number, Width: c.Width, Height: c.Height}
		return out, nil
	}
	page := &content.Page{Width: c.Width, Height: c.Height, Rules: c.Rules, Links: c.Links, Glyphs: glyphs(r.Words, p, box)}
	out.page = layout.NewPage(number, page, layout.Options{KeepHidden: true})
	return out, nil
}

// maxWords bounds what is taken of one recognition.
const maxWords = 100_000

// scanFont is the font of what was recognised.
var scanFont = &font.Font{Name: "recognised"}

// glyphs returns words as glyphs, one each, with spaces between those of a
// line: what follows reads them as it reads text.
func glyphs(words []Word, p Picture, box content.Box) []content.Glyph {
	words = words[:min(len(words), maxWords)]
	sx, sy := box.Width()/float64(p.Width), box.Height()/float64(p.Height)
	var out []content.Glyph
	for i := 0; i < len(words); {
		j := i + 1
		top, bottom := words[i].Y0, words[i].Y1
		for ; j < len(words) && words[i].Line != 0 && words[j].Line == words[i].Line; j++ {
			top, bottom = min(top, words[j].Y0), max(bottom, words[j].Y1)
		}
		size := max(1, (bottom-top)*sy)
		base := box.Y0 + top*sy + .78*size
		for k, w := range words[i:j] {
			text := strings.Join(strings.Fields(w.Text), " ")
			if text == "" || w.X1 <= w.X0 {
				continue
			}
			g := content.Glyph{
				Text: text, X: box.X0 + w.X0*sx, Y: base, Adv: (w.X1 - w.X0) * sx, DX: 1, Size: size,
				Box:  content.Box{X0: box.X0 + w.X0*sx, Y0: box.Y0 + w.Y0*sy, X1: box.X0 + w.X1*sx, Y1: box.Y0 + w.Y1*sy},
				Font: scanFont, MCID: -1, Seq: 2 * len(out),
			}
			out = append(out, g)
			if k+1 < j-i {
				out = append(out, content.Glyph{Text: " ", Flags: content.Space, X: g.X + g.Adv, Y: base, DX: 1, Size: size, Font: scanFont, MCID: -1, Seq: 2*len(out) + 1})
			}
		}
		i = j
	}
	return out
}
