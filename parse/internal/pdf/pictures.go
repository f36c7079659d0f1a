// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"fmt"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
)

// Pictures are the pages of a document that consists of images only.
type Pictures struct {
	Kind  string // kind of the document in the tree, such as image
	Pages int    // at least 1

	// Page returns page i, from 0. It is called from several goroutines at
	// once.
	Page func(ctx context.Context, i int) (Picture, error)
}

// ReadPictures reads the pictures with o.Recognize, one page for each. The
// error wraps [ErrOCRRequired] if no page could be recognised, [ErrLimit],
// [ErrCorrupt] or the cause that ended ctx.
func ReadPictures(ctx context.Context, p Pictures, o Options) (doc *Document, err error) {
	defer func() {
		if v := recover(); v != nil { // untrusted input: one document must not end the process
			doc, err = nil, fmt.Errorf("%w: %v", ErrCorrupt, v)
		}
	}()
	if o.Recognize == nil || o.Mode == Fast {
		return nil, fmt.Errorf("%w: it is an image", ErrOCRRequired)
	}
	d := &reader{options: o, kind: p.Kind, file: object.Loose(ctx), doc: &Document{TotalPages: p.Pages}, recognized: map[int]recognized{}}
	n := p.Pages
	if o.MaxPages > 0 {
		n = min(n, o.MaxPages)
	}
	err = d.each(ctx, n,
		func(i int) read { return d.picture(ctx, i+1, p) },
		func(i int, r read) { d.note(i+1, r, 0, 0) })
	if err != nil {
		return nil, err
	}
	return d.finish(ctx)
}

// picture reads one page. A panic makes only that page fail.
func (d *reader) picture(ctx context.Context, number int, pages Pictures) (r read) {
	defer func() {
		if v := recover(); v != nil {
			r = read{err: fmt.Errorf("%w: page %d: %v", ErrCorrupt, number, v)}
		}
	}()
	blank := &layout.Page{Number: number, Covered: 1}
	p, err := pages.Page(ctx, number-1)
	if err != nil {
		return read{page: blank, failed: err}
	}
	s := sheet{number: number, width: float64(p.Width) * 72 / p.DPI, height: float64(p.Height) * 72 / p.DPI}
	blank.Width, blank.Height = s.width, s.height
	v := view{Picture: p, box: content.Box{X1: s.width, Y1: s.height}, drawn: true}
	out, err := d.readView(ctx, s, v, &content.Page{}, true)
	if err != nil {
		return read{page: blank, failed: err}
	}
	return *out
}
