// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/curlew/parse/internal/pdf"
)

// PDFOptions control how PDF files are read. The zero value reads all pages
// with text and names those that need OCR.
type PDFOptions struct {
	Mode     Mode
	MaxPages int  // only the first pages up to this number are read; zero means all
	Words    bool // return the place of each word in [Tree].Words

	// Extras adds what no page shows: comments, as notes, and embedded
	// files, which are listed and read. The files of a portfolio are always
	// added, because its only page is a cover sheet.
	Extras bool
}

// Mode selects how pages without a usable text layer are read.
type Mode uint8

const (
	// Auto recognises the pages that need OCR. Without an [OCR] engine, a
	// warning names them. If the document then has no text at all, the error
	// is [ErrOCRRequired].
	Auto Mode = iota
	// Fast recognises nothing. If the document has no text at all, the error
	// is [ErrOCRRequired].
	Fast
	// ForceOCR recognises every page and ignores the text layer. Without an
	// [OCR] engine the error is [ErrOCRRequired].
	ForceOCR
)

// ErrOCRRequired means that a document has no text, only images of text.
var ErrOCRRequired = errors.New("document needs OCR")

// Page is one page of a document that has pages.
type Page struct {
	Number        int     // from 1
	Width, Height float64 // points, as viewers show the page
	Status        PageStatus
	NeedsOCR      bool // the page has images of text, or text in an unknown encoding, that were not recognised
}

// PageStatus says how much of a page could be read.
type PageStatus string

// The values of PageStatus.
const (
	PageOK      PageStatus = "ok"
	PagePartial PageStatus = "partial" // part of the page is missing
	PageFailed  PageStatus = "failed"
)

// readPDF reads a PDF.
func readPDF(ctx context.Context, in *input) (*Tree, error) {
	modes := map[Mode]pdf.Mode{Auto: pdf.Auto, Fast: pdf.Fast, ForceOCR: pdf.OCR}
	o := pdf.Options{
		Password:   in.options.Password,
		MaxPages:   in.options.PDF.MaxPages,
		Mode:       modes[in.options.PDF.Mode],
		KeepHidden: in.options.Hidden != HiddenDropped,
		Places:     in.options.PDF.Words,
		Extras:     in.options.PDF.Extras,
		Limits:     pdf.Limits{Input: in.limits.Input, Nodes: in.limits.Nodes},
		Recognize:  in.recognizer(),
		Render:     in.renderer(),
		JP2:        takes(in.ocr, "image/jp2"),
		Child:      in.child,
		Grow:       in.budget.Grow,
	}
	if in.depth > 0 { // documents inside a document share one decompression budget
		o.Limits.Total = max(1, in.budget.Left())
		o.Spent = in.budget.Spend
	}
	d, err := pdf.Read(ctx, pdf.Bytes(in.data), int64(len(in.data)), o)
	if err != nil {
		return nil, pdfError(err)
	}
	return pdfTree(ctx, d)
}

// pdfError converts an error of package pdf to one of this package.
func pdfError(err error) error {
	if errors.Is(err, pdf.ErrPassword) {
		return fmt.Errorf("%w: %w", ErrEncrypted, ErrPassword)
	}
	for _, same := range []struct{ theirs, ours error }{
		{pdf.ErrEncrypted, ErrEncrypted},
		{pdf.ErrOCRRequired, ErrOCRRequired},
		{pdf.ErrLimit, ErrLimit},
		{pdf.ErrCorrupt, ErrCorrupt},
	} {
		if errors.Is(err, same.theirs) {
			if same.ours == ErrLimit { //nolint:errorlint // a sentinel of the table
				return overLimit(err)
			}
			return fmt.Errorf("%w%s", same.ours, strings.TrimPrefix(err.Error(), same.theirs.Error()))
		}
	}
	return err
}

// pdfTree converts a document of package pdf to a tree.
func pdfTree(ctx context.Context, d *pdf.Document) (*Tree, error) {
	m := d.Meta
	t := &Tree{Root: d.Root, Meta: Meta{
		Title: m.Title, Author: m.Author, Subject: m.Subject, Keywords: m.Keywords, Language: m.Language,
		Created: m.Created, Modified: m.Modified, Pages: len(d.Pages), TotalPages: d.TotalPages,
	}}
	for n, said := range d.Markdown {
		if err := transcribe(ctx, d.Root, n, said); err != nil {
			return nil, err
		}
	}
	for _, p := range d.Pages {
		t.Pages = append(t.Pages, Page{p.Number, p.Width, p.Height, PageStatus(p.Status), p.NeedsOCR})
	}
	for _, w := range d.Words {
		t.Words = append(t.Words, PlacedWord{Place{w.Page, Box(w.Box)}, w.Text})
	}
	for _, w := range d.Warnings {
		t.Warnings = append(t.Warnings, Warning{Code: w.Code, Page: w.Page, Text: w.Text})
	}
	return t, nil
}
