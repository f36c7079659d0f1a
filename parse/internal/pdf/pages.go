// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
	"example.com/curlew/parse/internal/pdf/raster"
)

// read is the result of reading one page.
type read struct {
	page    *layout.Page
	err     error // the cause that ended ctx, or why the page failed
	damaged int   // see content.Page
	garbled int   // see content.Page
	cut     bool  // a limit cut the page short
	over    bool  // the page was left out, because the pages before it reach the limit of a document

	notes []content.Note
	files []object.Object // file specifications of files attached to the page
	left  content.Omitted

	recognized bool     // the text comes from a recognizer
	failed     error    // why the page could not be recognised
	confidence float64  // confidence of the recognizer; -1 if it was not measured
	spots      []spot   // the confidence of each word
	words      []string // the words
	markdown   string   // what the recognizer returned in place of words
}

// pages interprets all pages concurrently and collects the results in order.
// Each worker holds the glyphs of one page at a time; of a finished page
// only the packed lines are kept.
func (d *reader) pages(ctx context.Context, pages []object.Page) error {
	return d.each(ctx, len(pages),
		func(i int) read { return d.page(ctx, i+1, pages[i]) },
		func(i int, r read) {
			b := pages[i].Box
			d.note(i+1, r, b.X1-b.X0, b.Y1-b.Y0)
		})
}

// each reads n pages concurrently with page and passes the results in order
// to note. The error is the cause that ended ctx.
func (d *reader) each(ctx context.Context, n int, page func(int) read, note func(int, read)) error {
	out := make([]read, n)
	var weight atomic.Int64
	layout.Each(n, func() bool { return ctx.Err() != nil || weight.Load() > maxWeight }, func(i int) {
		out[i] = page(i)
		if p := out[i].page; p != nil {
			p.Places = d.options.Places
			if weight.Load() > maxOpen || !p.Keep() {
				p.Pack()
			}
			weight.Add(int64(p.Weight()))
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	sum := 0 // added up in page order, so that the same pages are kept whichever was read first
	for i, r := range out {
		out[i] = read{}
		if r.page != nil {
			sum += r.page.Weight()
		}
		if sum > maxWeight {
			r = read{over: true}
		}
		note(i, r)
	}
	if d.huge = sum > hugeWeight; d.huge {
		runtime.GC()
	}
	return nil
}

// maxOpen is the memory of the pages up to which the lines of further pages wait as they
// are, and not packed. It is enough for some 100 pages of 500 words.
const maxOpen = 16 << 20

// maxWeight is the maximum memory of all pages of a document in bytes. It is
// enough for about 5,000 pages of 500 words.
const maxWeight = 300 << 20

// hugeWeight is the memory of the pages, in bytes, above which the memory
// that was used to read them is returned at once instead of at the next
// garbage collection.
const hugeWeight = 100 << 20

// page interprets one page. A panic makes only that page fail.
func (d *reader) page(ctx context.Context, number int, p object.Page) (r read) {
	defer func() {
		if v := recover(); v != nil {
			r = read{err: fmt.Errorf("%w: page %d: %v", ErrCorrupt, number, v)}
		}
	}()
	c, err := d.content.Page(ctx, p)
	if err != nil {
		return read{err: err}
	}
	defer c.Release()
	defer func() {
		r.notes, r.files, r.left, r.damaged, r.garbled = c.Notes, c.Files, c.Omitted, c.Damaged, c.Garbled
	}()
	d.dests.resolve(c.Links)
	was := newSheet(number, c)
	if d.options.Recognize != nil {
		was.visible = visible(c)
	}
	page := layout.NewPage(ctx, number, c, layout.Options{KeepHidden: d.options.KeepHidden})
	if d.options.Recognize != nil && (d.options.Mode == OCR || d.options.Mode == Auto && scanned(page)) {
		found, err := d.recognize(ctx, was, c, page)
		if err != nil {
			return read{err: err}
		}
		if found != nil {
			return *found
		}
	}
	return read{page: page, cut: c.Truncated || page.Cut}
}

// unreadable records a page of w by h points that was not read.
func (d *reader) unreadable(number int, r read, w, h float64) {
	switch {
	case !r.over:
		d.warn("part-unreadable", number, "The page could not be read.")
	case !d.over:
		d.over = true
		d.warn("truncated", number, "The document has more text or lines than are read: this page and those after it were left out.")
	}
	d.doc.Pages = append(d.doc.Pages, Page{Number: number, Width: w, Height: h, Status: Failed})
}

// note records a page of w by h points with its warnings.
func (d *reader) note(number int, r read, w, h float64) {
	if r.over || r.err != nil {
		d.unreadable(number, r, w, h)
		return
	}
	page := Page{Number: number, Width: r.page.Width, Height: r.page.Height, Status: OK}
	l := r.page
	if l.Hidden > 0 {
		d.warn("hidden-text", number, fmt.Sprintf("%d characters that cannot be seen were left out.", l.Hidden))
	}
	if l.Ended > 0 {
		d.warn("cut-text", number, fmt.Sprintf("Texts that the page cuts off at the edge of their cells, so that their ends are missing: %d.", l.Ended))
	}
	if l.Unplaced > 0 {
		d.warn("blank", number, fmt.Sprintf("Lines to write on that have no text beside them and were left out: %d.", l.Unplaced))
	}
	if r.damaged > 0 {
		d.warn("part-unreadable", number, fmt.Sprintf("Streams, fonts or images that are damaged or missing: %d. Text of the page may be missing or wrong.", r.damaged))
		page.Status = Partial
	}
	if r.garbled > 0 && r.damaged == 0 { // a damaged stream is likely to end within an operand
		d.warn("part-unreadable", number, fmt.Sprintf("Places where the instructions of the page are damaged: %d. Text of the page may be missing or wrong.", r.garbled))
	}
	if r.cut {
		d.warn("truncated", number, "The page has more glyphs or lines than are read.")
		page.Status = Partial
	}
	switch {
	case r.recognized:
		if why := r.noise(); why != "" {
			d.warn("ocr-doubtful", number, why)
		}
		d.recognized[number] = recognized{r.confidence, r.spots}
		if r.markdown != "" {
			if d.doc.Markdown == nil {
				d.doc.Markdown = map[int]Transcript{}
			}
			d.doc.Markdown[number] = Transcript{r.markdown, r.confidence}
		}
	case r.failed != nil:
		d.warn("ocr-needed", number, failure(r.failed))
		d.failure = cmp.Or(d.failure, r.failed)
	}
	if !r.recognized {
		if garbled(l) {
			d.warn("garbled-font", number, "A font does not say which characters its glyphs are.")
		}
		if scanned(l) {
			page.NeedsOCR, page.Status = true, Partial
			if r.failed != nil && l.Glyphs == 0 {
				page.Status = Failed
			}
		}
	}
	if d.options.Extras {
		for _, n := range r.notes {
			d.comments.add(number, n)
		}
		d.comments.lose(number, r.left.Notes)
	}
	if r.left.Annots > 0 {
		d.warn("truncated", number, fmt.Sprintf("The page has more annotations, such as links and form fields, than are read: %d were left out.", r.left.Annots))
		page.Status = Partial
	}
	fit := min(len(r.files), maxFileRefs-len(d.files))
	d.files = append(d.files, r.files[:fit]...)
	d.filesLeft += len(r.files) - fit + r.left.Files
	d.laid = append(d.laid, l)
	d.doc.Pages = append(d.doc.Pages, page)
}

// failure returns the warning text for a page that could not be recognised.
func failure(err error) string {
	if errors.Is(err, raster.ErrFilter) {
		return "The page could not be recognised: " + err.Error() + "."
	}
	return "The page could not be recognised."
}

// maxWarnings is the maximum number of warnings that are kept. One more says
// how many others there are.
const maxWarnings = 100

func (d *reader) warn(code string, page int, text string) {
	if len(d.doc.Warnings) < maxWarnings {
		d.doc.Warnings = append(d.doc.Warnings, Warning{code, page, text})
		return
	}
	d.unsaid.Add(code)
	d.doc.Warnings = append(d.doc.Warnings[:maxWarnings], Warning{d.unsaid.Code, 0, d.unsaid.Text()})
}
