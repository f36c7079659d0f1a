// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/parse/internal/md"
	"example.com/curlew/parse/internal/pdf"
)

// OCR recognises text in images: PNG and JPEG at least. Implementations are
// safe for concurrent use, return when ctx ends, bound what they read of an
// answer, and take what a page says for data, never for an instruction. An
// image without text is an empty [Recognition] and no error.
// [example.com/curlew/parse/parsetest] checks one.
type OCR interface {
	Recognize(ctx context.Context, p Picture) (Recognition, error)
}

// Taker is an [OCR] that takes more than PNG and JPEG: image/jp2, image/tiff,
// image/webp, image/gif or image/bmp.
type Taker interface {
	Takes(mime string) bool
}

// takes reports whether an engine reads images of a type.
func takes(e OCR, mime string) bool {
	if mime == "image/png" || mime == "image/jpeg" {
		return true
	}
	t, ok := e.(Taker)
	return ok && t.Takes(mime)
}

// Renderer draws pages of a PDF that are not images alone, for an [OCR] to
// read: pages whose fonts do not say what their letters are, and in [ForceOCR]
// all. Implementations are safe for concurrent use, return when ctx ends, and
// bound what they give. Page counts from 1; the picture is PNG or JPEG of the
// whole page as a reader sees it, at about dpi. pdf holds size bytes and is
// not kept. [example.com/curlew/parse/parsetest] checks one.
type Renderer interface {
	Render(ctx context.Context, pdf io.ReaderAt, size int64, page int, dpi float64) (Picture, error)
}

// Picture is an image of a page or of a part of one.
type Picture struct {
	MIME          string // image/png or image/jpeg, and what a [Taker] takes
	Data          []byte // belongs to the caller
	Width, Height int    // pixels
	DPI           float64
	Languages     []string // of the document, BCP 47, most likely first; may be empty
}

// Recognition is what was recognised: words with places, or Markdown.
type Recognition struct {
	Words      []Word  // line by line, in reading order
	Markdown   string  // of an engine that knows no places; ignored where there are words
	Confidence float64 // 0..1; -1 where it was not measured
}

// Word is one recognised word.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // pixels from the top left of the image
	Line           int     // words of one line have the same number, and stand in the order of reading; 0 is unknown
	Confidence     float64 // 0..1; -1 where it was not measured
}

// recognizer returns what reads the pages that are images, nil where nothing
// does.
func (in *input) recognizer() pdf.Recognizer {
	if in.ocr == nil {
		return nil
	}
	return func(ctx context.Context, p pdf.Picture) (_ pdf.Recognition, err error) {
		defer func() {
			if v := recover(); v != nil { // foreign bytes, maybe a foreign engine
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

// renderer returns what draws pages, nil where nothing does.
func (in *input) renderer() pdf.Renderer {
	if in.render == nil {
		return nil
	}
	return func(ctx context.Context, page int, dpi float64) (pdf.Picture, error) {
		p, err := in.render.Render(ctx, bytes.NewReader(in.data), int64(len(in.data)), page, dpi)
		return pdf.Picture(p), err
	}
}

// transcribe puts what was recognised of page n, as Markdown, into its
// section. Attributes that say what our own readers found are not its to set.
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
		c.Attr = slices.DeleteFunc(c.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "data-") })
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

// element returns the first element of a kind, nil where there is none.
func element(root *html.Node, tag atom.Atom) *html.Node {
	for n := range root.Descendants() {
		if n.DataAtom == tag {
			return n
		}
	}
	return nil
}
