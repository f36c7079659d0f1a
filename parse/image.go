// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"
	"fmt"

	"example.com/curlew/parse/internal/pdf"
	"example.com/curlew/parse/internal/picture"
)

// readImage returns the text that the OCR engine recognises on the pages of
// an image.
func readImage(ctx context.Context, in *input) (*Tree, error) {
	if in.ocr == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, in.kind)
	}
	f, err := picture.Open(in.data)
	switch {
	case errors.Is(err, picture.ErrLimit):
		return nil, fmt.Errorf("%w: %w", ErrLimit, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if f.Pages == 1 {
		p, err := f.Page(ctx, 0)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		case !takes(in.ocr, p.MIME) && !f.Draw():
			return nil, fmt.Errorf("%w: the OCR engine does not take %s", ErrUnsupported, p.MIME)
		}
	}
	d, err := pdf.ReadPictures(ctx, pdf.Pictures{Kind: string(Image), Pages: f.Pages, Page: func(ctx context.Context, i int) (pdf.Picture, error) {
		p, err := f.Page(ctx, i)
		return pdf.Picture{MIME: p.MIME, Data: p.Data, Width: p.Width, Height: p.Height, DPI: p.DPI}, err
	}}, pdf.Options{
		MaxPages: in.options.PDF.MaxPages, Limits: pdf.Limits{Nodes: in.limits.Nodes}, Recognize: in.recognizer(),
	})
	if err != nil {
		return nil, pdfError(err)
	}
	return pdfTree(ctx, d)
}
