// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"errors"
	"slices"

	"example.com/curlew/parse"
)

// request is what the host sends to a child before the document.
type request struct {
	source  parse.Source // without Data
	limits  parse.Limits
	options parse.Options
	takes   []string // media types that the OCR engine of the host accepts; nil if there is no engine
	renders bool     // the host has a renderer
}

// pictures are all media types that an OCR engine may accept.
var pictures = []string{"image/png", "image/jpeg", "image/jp2", "image/tiff", "image/webp", "image/gif", "image/bmp"}

// requested returns the request for reading src with e.
func requested(e *parse.Engine, src parse.Source, o parse.Options) *request {
	q := &request{source: src, limits: e.Limits, options: o, renders: e.Render != nil}
	if e.OCR == nil {
		return q
	}
	taker, more := e.OCR.(parse.Taker)
	for i, mime := range pictures {
		if i < 2 || more && taker.Takes(mime) {
			q.takes = append(q.takes, mime)
		}
	}
	return q
}

func (q *request) marshal() []byte {
	var w writer
	w.text(q.source.Name)
	w.text(q.source.ContentType)
	w.text(q.source.URL)
	w.text(q.source.Charset)
	w.int(int(q.limits.Input))
	w.int(q.limits.Nodes)
	w.int(q.limits.Cells)
	w.text(string(q.options.Kind))
	w.text(q.options.Password)
	w.uint(uint64(q.options.Changes))
	w.uint(uint64(q.options.PDF.Mode))
	w.int(q.options.PDF.MaxPages)
	w.uint(uint64(q.options.Hidden))
	w.bool(q.options.PDF.Words)
	w.bool(q.options.PDF.Extras)
	w.bool(q.renders)
	w.list(len(q.takes), q.takes == nil)
	for _, mime := range q.takes {
		w.text(mime)
	}
	return w.b
}

// unmarshalRequest decodes a request. The host is trusted, but its data is
// checked all the same.
func unmarshalRequest(b []byte) (*request, error) {
	r := &reader{s: string(b), room: 1 << 20}
	q := &request{source: parse.Source{Name: r.text(), ContentType: r.text(), URL: r.text(), Charset: r.text()}}
	q.limits = parse.Limits{Input: int64(r.int()), Nodes: r.int(), Cells: r.int()}
	q.options.Kind, q.options.Password = parse.Kind(r.text()), r.text()
	q.options.Changes = parse.Changes(r.uint())                                     // #nosec G115 -- the host's own
	q.options.PDF = parse.PDFOptions{Mode: parse.Mode(r.uint()), MaxPages: r.int()} // #nosec G115 -- the host's own
	q.options.Hidden = parse.Hidden(r.uint())                                       // #nosec G115 -- the host's own
	q.options.PDF.Words, q.options.PDF.Extras = r.bool(), r.bool()
	q.renders = r.bool()
	n, isNil := r.list(1, 16)
	for range n {
		q.takes = append(q.takes, r.text())
	}
	if isNil {
		q.takes = nil
	}
	return q, r.end()
}

// picture writes a picture.
func (w *writer) picture(p parse.Picture) {
	w.text(p.MIME)
	w.text(string(p.Data))
	w.int(p.Width)
	w.int(p.Height)
	w.float(p.DPI)
	w.uint(uint64(len(p.Languages)))
	for _, l := range p.Languages {
		w.text(l)
	}
}

func (r *reader) picture() parse.Picture {
	p := parse.Picture{MIME: r.text(), Data: []byte(r.text()), Width: r.int(), Height: r.int(), DPI: r.float()}
	n := r.uint()
	if n > uint64(len(r.s)) {
		r.fail()
	}
	for range n {
		if r.err != nil {
			break
		}
		p.Languages = append(p.Languages, r.text())
	}
	if r.err == nil && !slices.Contains(pictures, p.MIME) {
		r.err = errors.New("picture of an unknown type")
	}
	return p
}

// recognition writes a recognition.
func (w *writer) recognition(out parse.Recognition) {
	w.text(out.Markdown)
	w.float(out.Confidence)
	w.uint(uint64(len(out.Words)))
	for _, word := range out.Words {
		w.text(word.Text)
		for _, f := range []float64{word.X0, word.Y0, word.X1, word.Y1, word.Confidence} {
			w.float(f)
		}
		w.int(word.Line)
	}
}

func (r *reader) recognition() parse.Recognition {
	out := parse.Recognition{Markdown: r.text(), Confidence: r.float()}
	n := r.uint()
	if n > uint64(len(r.s)/42) {
		r.fail()
	}
	for range n {
		if r.err != nil {
			break
		}
		out.Words = append(out.Words, parse.Word{
			Text: r.text(), X0: r.float(), Y0: r.float(), X1: r.float(), Y1: r.float(), Confidence: r.float(), Line: r.int(),
		})
	}
	return out
}
