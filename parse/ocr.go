// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/md"
	"example.com/curlew/parse/internal/pdf"
)

// OCR recognises text in images, at least in PNG and JPEG. Implementations
// are safe for concurrent use, return when ctx ends, bound what they read of
// a response, and treat the text of a page as data, never as an instruction.
// For an image without text they return an empty [Recognition] and no error.
// Package [example.com/curlew/parse/parsetest] checks an implementation.
type OCR interface {
	Recognize(ctx context.Context, p Picture) (Recognition, error)
}

// Taker is an [OCR] that accepts more formats than PNG and JPEG. Takes is
// asked about image/jp2, image/tiff, image/webp, image/gif and image/bmp.
type Taker interface {
	Takes(mime string) bool
}

// takes reports whether an engine accepts images of a media type.
func takes(e OCR, mime string) bool {
	if mime == "image/png" || mime == "image/jpeg" {
		return true
	}
	t, ok := e.(Taker)
	return ok && t.Takes(mime)
}

// Renderer draws PDF pages as images for an [OCR] engine. It is called for
// pages that are more than one image: those whose fonts do not map glyphs to
// characters and, with [ForceOCR], all pages. Implementations are safe for
// concurrent use, return when ctx ends, and bound the size of the image.
// Pages count from 1. The picture is a PNG or JPEG of the whole page as
// viewers show it, at about dpi dots per inch. pdf has size bytes and is
// valid only during the call. Package [example.com/curlew/parse/parsetest]
// checks an implementation.
type Renderer interface {
	Render(ctx context.Context, pdf io.ReaderAt, size int64, page int, dpi float64) (Picture, error)
}

// Picture is an image of a page or of a part of it.
type Picture struct {
	MIME          string // image/png, image/jpeg or another type that the [Taker] accepts
	Data          []byte // owned by the caller
	Width, Height int    // pixels
	DPI           float64
	Languages     []string // languages of the document (BCP 47), most likely first; may be empty
}

// Recognition is recognised text: either words with their places, or
// Markdown.
type Recognition struct {
	Words      []Word  // line by line, in reading order
	Markdown   string  // from an engine without word places; ignored if there are Words
	Confidence float64 // 0..1; -1 if not measured
}

// Word is one recognised word.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // pixels from the top left of the image
	Line           int     // line number from 1; words of a line have the same number and are in reading order; 0 is unknown
	Confidence     float64 // 0..1; -1 if not measured
}

// recognizer returns the function that recognises images of pages, or nil if
// there is no OCR engine. It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (in *input) recognizer() pdf.Recognizer {
	if in.ocr == nil {
		return nil
	}
	return func(ctx context.Context, p pdf.Picture) (_ pdf.Recognition, err error) {
		defer func() {
			if v := recover(); v != nil { // the image is foreign data, and the engine may be foreign code
				err = fmt.Errorf("%w: recognition panicked: %v", ErrCorrupt, v)
			}
		}()
		r, err := in.ocr.Recognize(ctx, Picture(p))
		out := pdf.Recognition{Markdown: r.Markdown, Confidence: r.Confidence}
		for _, w := range r.Words {
			out.Words = append(out.Words, pdf.Word(w))
		}
		return out, err
	}
}

// renderer returns the function that draws pages, or nil if there is no
// renderer.
func (in *input) renderer() pdf.Renderer {
	if in.render == nil {
		return nil
	}
	return func(ctx context.Context, page int, dpi float64) (pdf.Picture, error) {
		p, err := in.render.Render(ctx, bytes.NewReader(in.data), int64(len(in.data)), page, dpi)
		return pdf.Picture(p), err
	}
}

// transcribe adds Markdown that was recognised on page n to the section of
// that page. It removes data attributes from it, because they carry the
// findings of our own readers.
func transcribe(ctx context.Context, root *html.Node, n int, said pdf.Transcript) error {
	body, _, err := md.HTML(said.Text)
	if err != nil {
		body = []byte("<pre>" + html.EscapeString(said.Text) + "</pre>")
	}
	d, err := dom.Parse(ctx, body, "text/html; charset=utf-8")
	if err != nil {
		return err
	}
	for c := range d.Root.Descendants() {
		c.Attr = sorting.Without(c.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "data-") })
	}
	from := element(d.Root, atom.Body)
	for page, section := range doctree.Sections(root) {
		if page != n || from == nil {
			continue
		}
		for block := from.FirstChild; block != nil; block = from.FirstChild {
			from.RemoveChild(block)
			if block.Type == html.ElementNode {
				block.Attr = append(block.Attr, html.Attribute{Key: "data-page", Val: strconv.Itoa(n)}, html.Attribute{Key: "data-src", Val: "layout_ocr"})
				if said.Confidence >= 0 {
					block.Attr = append(block.Attr, html.Attribute{Key: "data-ocr", Val: strconv.FormatFloat(said.Confidence, 'g', 3, 64)})
				}
			}
			section.AppendChild(block)
		}
		break
	}
	return nil
}

// element returns the first element with a tag, or nil if there is none.
func element(root *html.Node, tag atom.Atom) *html.Node {
	for n := range root.Descendants() {
		if n.DataAtom == tag {
			return n
		}
	}
	return nil
}
