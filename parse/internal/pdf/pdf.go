// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
)

// Mode selects how pages without a usable text layer are handled.
type Mode uint8

const (
	// Auto reads the text that exists and reports the pages that need
	// recognition.
	Auto Mode = iota
	// Fast is like Auto, but if no page of a document has text, the result
	// is an error that wraps ErrOCRRequired.
	Fast
	// OCR recognises every page of which there is a picture, even if the page
	// has a text layer: pages that images cover and, with a renderer, all
	// others. Without a recognizer, the result is an error that wraps
	// ErrOCRRequired.
	OCR
)

// Options configures the reading of one document. The zero value reads all
// pages.
type Options struct {
	Password   string // tried after the empty password
	MaxPages   int    // maximum number of pages that are read; 0 means all
	Mode       Mode
	KeepHidden bool // keep text that people cannot see
	Extras     bool // include comments and embedded files; those of a portfolio are always included
	Places     bool // keep the position of each word: Document.Words
	Limits     Limits

	// Recognize reads pages that are images. It is called from several
	// goroutines at once. If it is nil, a warning names such pages.
	Recognize Recognizer
	Render    Renderer // draws pages that do not consist of images only; nil keeps their text layer
	JP2       bool     // Recognize accepts JPEG 2000

	// Child reads a file embedded in the document and returns its body with
	// at most the given number of nodes, or nil if it cannot be read. name
	// and contentType are hints. If Child is nil, no embedded file is read.
	Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node

	// Spent, if not nil, is called at the end with the number of decoded
	// bytes that count towards Limits.Total, even if Read fails.
	Spent func(bytes int64)

	// Grow, if not nil, is called for each stream with the number of bytes
	// that were decoded. It may block, and several goroutines may call it at
	// once.
	Grow func(bytes int64)
}

// Limits are the limits of one document. A field that is 0 means its default; -1 means
// no limit.
type Limits struct {
	Input    int64 // bytes; 0 means 52,428,800
	Stream   int64 // decoded bytes of one stream; 0 means 128 MiB
	Total    int64 // decoded bytes of all streams; 0 means 1 GiB
	Objects  int   // 0 means 5 million
	Pages    int   // 0 means 10,000
	Glyphs   int   // glyphs of one page; 0 means 500,000
	Segments int   // segments of a path, and lines or boxes of a page; 0 means 200,000
	Nodes    int   // nodes of the tree; 0 means 2 million
}

// Document is the result of Read.
type Document struct {
	Root       *html.Node // html > head, body > section[data-page]
	Meta       Meta
	Pages      []Page // the pages that were read, in order
	TotalPages int    // number of pages of the document
	Warnings   []Warning

	// Words are the words of all pages in reading order. It is nil unless
	// Options.Places is set.
	Words []PlacedWord

	// Markdown is what a recognizer returned in place of words, by page
	// number. The sections of these pages are empty.
	Markdown map[int]Transcript
}

// Transcript is the text of a page in Markdown.
type Transcript struct {
	Text       string
	Confidence float64 // 0 to 1; -1 if it was not measured
}

// Meta is the metadata of the document.
type Meta struct {
	Title, Author, Subject, Keywords, Creator, Producer, Language string

	Created, Modified time.Time // zero if unknown
}

// Page describes one page that was read.
type Page struct {
	Number        int     // from 1
	Width, Height float64 // points, after rotation
	Status        Status
	NeedsOCR      bool // the page is an image without text, or its text is unusable
}

// Status is how far a page could be read.
type Status string

// Values of Status.
const (
	OK      Status = "ok"
	Partial Status = "partial" // something is missing: text in images, glyphs without text
	Failed  Status = "failed"
)

// Warning describes something that was lost or is unusual.
type Warning struct {
	Code string // hidden-text, ocr-needed, ocr-doubtful, no-text, garbled-font, table-uncertain, formula, cut-text, blank, repeated-header, truncated, xfa, part-unreadable or attachment-unread
	Page int    // from 1; 0 if it is not about one page
	Text string
}

// Reasons why a document cannot be read.
var (
	ErrEncrypted   = object.ErrEncrypted
	ErrPassword    = object.ErrPassword // a password was given and is wrong; wraps ErrEncrypted
	ErrCorrupt     = object.ErrCorrupt
	ErrLimit       = object.ErrLimit
	ErrOCRRequired = errors.New("document has no text layer")
)

// Bytes is a document in memory. [Read] reads it without a copy.
type Bytes = object.Bytes

// Read reads the PDF document in the first size bytes of r. The error wraps
// [ErrEncrypted], [ErrCorrupt], [ErrLimit], [ErrOCRRequired] or the cause
// that ended ctx. Read returns within 100 ms after ctx ends. A page that
// cannot be read is reported as a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil { // untrusted input: one document must not end the process
			doc, err = nil, fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	f, err := object.Open(ctx, r, size, object.Options{
		Password: o.Password,
		Grow:     o.Grow,
		Limits: object.Limits{
			Input: o.Limits.Input, Stream: o.Limits.Stream, Total: o.Limits.Total,
			Objects: o.Limits.Objects, Pages: o.Limits.Pages,
		},
	})
	if err != nil {
		return nil, err
	}
	if o.Spent != nil {
		defer func() { o.Spent(f.Decoded()) }()
	}
	pages, total := f.Pages(o.MaxPages)
	if total == 0 {
		return nil, fmt.Errorf("%w: no pages", ErrCorrupt)
	}
	d := &reader{
		options: o, file: f,
		content: content.NewDocument(f, content.Limits{Glyphs: o.Limits.Glyphs, Segments: o.Limits.Segments}),
		doc:     &Document{TotalPages: total, Meta: readMeta(ctx, f)},

		recognized: map[int]recognized{},
	}
	d.dests = newDests(f, pages)
	if f.Torn() {
		d.warn("part-unreadable", 0, "The file ends too early: what follows in it is missing.")
	}
	if n := f.MissingPages(); n > 0 {
		d.warn("part-unreadable", 0, fmt.Sprintf("Pages, or groups of pages, that the file names but does not have: %d.", n))
	}
	if o.Mode == OCR && o.Recognize == nil {
		return nil, fmt.Errorf("%w: recognition was requested, but no OCR engine is configured", ErrOCRRequired)
	}
	if err := d.pages(ctx, pages); err != nil {
		return nil, err
	}
	return d.finish(ctx)
}

// reader is the state of one call of Read.
type reader struct {
	options Options
	kind    string // kind of the document in the tree; empty means pdf
	file    *object.File
	content *content.Document
	dests   *dests
	laid    []*layout.Page
	over    bool // pages were left out
	huge    bool // the pages need more memory than hugeWeight
	doc     *Document
	unsaid  doctree.Unsaid // warnings for which doc has no room

	comments  comments
	files     []object.Object // file specifications of files attached to pages
	filesLeft int             // further attachments of pages
	form      *form           // the XFA form for which the page is a placeholder; nil for most documents

	drawing    sync.Mutex         // protects memory: only one picture is drawn at a time
	recognized map[int]recognized // by page number
	failure    error              // why the first page of those that failed could not be recognised
}

// recognized is the confidence of a recognizer for a page.
type recognized struct {
	confidence float64 // -1 if it was not measured
	spots      []spot
}

// maxTagged is the maximum number of words of a document whose structure
// tree is used, which needs all words in memory at once. A larger document
// is laid out by its appearance.
const maxTagged = 500_000

// finish lays out the pages, builds the tree and decides whether the
// document has text.
func (d *reader) finish(ctx context.Context) (*Document, error) {
	glyphs, words := 0, 0
	var scans []string
	for _, p := range d.laid {
		glyphs += p.Glyphs
		words += p.Words()
	}
	d.form = d.readForm(ctx)
	formless := d.form == nil
	for _, p := range d.doc.Pages {
		if p.NeedsOCR && formless {
			scans = append(scans, strconv.Itoa(p.Number))
		}
	}
	if len(scans) > 0 {
		if glyphs == 0 && len(d.recognized) == 0 {
			if d.failure != nil {
				return nil, fmt.Errorf("%w: pages %s are images: %w", ErrOCRRequired, shorten(scans), d.failure)
			}
			return nil, fmt.Errorf("%w: pages %s are images", ErrOCRRequired, shorten(scans))
		}
		d.warn("ocr-needed", 0, "Pages without usable text, which need OCR: "+shorten(scans)+".")
	}
	if glyphs == 0 && d.options.Mode == Fast && formless {
		return nil, fmt.Errorf("%w: no page has text", ErrOCRRequired)
	}
	if glyphs == 0 && len(d.doc.Markdown) == 0 && formless {
		d.warn("no-text", 0, "The document has no text.")
	}
	var root *layout.Element
	if words <= maxTagged {
		var err error
		if root, err = d.readStructure(ctx); err != nil {
			return nil, err
		}
	}
	l, err := layout.Build(ctx, d.laid, readOutline(d.file), root)
	if err != nil {
		return nil, err
	}
	if d.huge {
		runtime.GC()
	}
	if n := d.file.Lost(); n > 0 {
		d.warn("truncated", 0, fmt.Sprintf("The document has more objects than are read: left out or cut short: %d.", n))
	}
	d.uncertain(l.Blocks)
	d.faults(l)
	if d.options.Places {
		d.doc.Words = placedWords(l)
	}
	if d.doc.Root, err = d.buildTree(ctx, l); err != nil {
		return nil, err
	}
	return d.doc, nil
}

// faults warns of what faults of the layout have lost.
func (d *reader) faults(l *layout.Document) {
	for _, page := range l.Plain {
		d.warn("part-unreadable", page, "The structure of the page could not be found: each line of it is a paragraph, and its tables are text.")
	}
	for _, page := range slices.Sorted(maps.Keys(l.Lost)) {
		d.warn("part-unreadable", page, fmt.Sprintf("Words of the page that are missing from the text: %d.", l.Lost[page]))
	}
	if l.NoTags {
		d.warn("part-unreadable", 0, "The structure tree could not be used: order, headings and tables come from the layout of the pages.")
	}
}

// uncertain warns of pages with tables that may have been read wrongly.
func (d *reader) uncertain(blocks []layout.Block) {
	last := 0
	for i := range blocks {
		if b := &blocks[i]; b.Kind == layout.TableBlock && b.Conf > 0 && b.Conf < surely && b.Page != last {
			last = b.Page
			d.warn("table-uncertain", b.Page, "A table can be read in more than one way: its rows or columns may be wrong.")
		}
	}
}

// surely is the confidence of a table below which there is a warning.
const surely = .5

// shorten joins page numbers, at most twenty.
func shorten(pages []string) string {
	if len(pages) > 20 {
		return strings.Join(pages[:20], ", ") + ", …"
	}
	return strings.Join(pages, ", ")
}
