// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/curlew/parse/internal/pdf"
)

// PDFOptions say how PDF files are read. The zero value reads all that has text and
// names the pages that would need recognition.
type PDFOptions struct {
	Mode       Mode
	MaxPages   int  // the first of them are read; zero means all
	KeepHidden bool // keep text that people cannot see
	Words      bool // keep where each word stands: [Tree.Words]

	// Extras adds what no page shows: the comments of readers, as notes, and the
	// files in the document, listed and read. Those of a portfolio, whose page is
	// but a cover, are always.
	Extras bool
}

// Mode says what becomes of pages without a usable text layer.
type Mode uint8

const (
	// Auto recognises the pages that need it; without an [OCR] a warning names
	// them. A document without any text of which a page needs it is
	// [ErrOCRRequired] then.
	Auto Mode = iota
	// Fast recognises nothing; a document without any text is [ErrOCRRequired].
	Fast
	// ForceOCR recognises every page and ignores what text there is. Without an
	// [OCR] it is [ErrOCRRequired].
	ForceOCR
)

// ErrOCRRequired means that a document has no text, only images of it.
var ErrOCRRequired = errors.New("document needs OCR")

// Page is one page of a document that has pages.
type Page struct {
	Number        int     // from 1
	Width, Height float64 // points, as a reader sees the page
	Status        PageStatus
	NeedsOCR      bool // images of text, or text without meaning, that were not recognised
}

// PageStatus says how a page went.
type PageStatus string

// How a page went.
const (
	PageOK      PageStatus = "ok"
	PagePartial PageStatus = "partial" // something is missing
	PageFailed  PageStatus = "failed"
)

// readPDF reads a PDF.
func readPDF(ctx context.Context, in *input) (*Tree, error) {
	modes := map[Mode]pdf.Mode{Auto: pdf.Auto, Fast: pdf.Fast, ForceOCR: pdf.OCR}
	o := pdf.Options{
		Password:   in.options.Password,
		MaxPages:   in.options.PDF.MaxPages,
		Mode:       modes[in.options.PDF.Mode],
		KeepHidden: in.options.PDF.KeepHidden,
		Places:     in.options.PDF.Words,
		Extras:     in.options.PDF.Extras,
		Limits:     pdf.Limits{Input: in.limits.Input, Nodes: in.limits.Nodes},
		Recognize:  in.recognizer(),
		Render:     in.renderer(),
		JP2:        takes(in.ocr, "image/jp2"),
		Child:      in.child,
		Grow:       in.budget.Grow,
	}
	if in.depth > 0 { // what documents within a document inflate is one budget
		o.Limits.Total = max(1, in.budget.Left())
		o.Spent = in.budget.Spend
	}
	d, err := pdf.Read(ctx, pdf.Bytes(in.data), int64(len(in.data)), o)
	if err != nil {
		return nil, pdfError(err)
	}
	return pdfTree(ctx, d)
}

// pdfError returns an error of the reader in the words of this room.
func pdfError(err error) error {
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

// pdfTree returns a document as a tree.
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
