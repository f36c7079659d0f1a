// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
)

// Mode says what becomes of pages without a usable text layer.
type Mode uint8

const (
	// Auto reads what text there is and names the pages that need recognition.
	Auto Mode = iota
	// Fast is Auto, but a document none of whose pages has text is an error
	// that wraps ErrOCRRequired.
	Fast
	// OCR ignores text layers of pages that are one image. Without a recognizer
	// that is an error that wraps ErrOCRRequired.
	OCR
)

// Options say how one document is read. The zero value reads all of it.
type Options struct {
	Password   string // tried after the empty one
	MaxPages   int    // pages read; zero means all
	Mode       Mode
	KeepHidden bool // keep text that people cannot see
	Extras     bool // comments and files too; those of a portfolio always
	Places     bool // keep where each word stands: Document.Words
	Limits     Limits

	// Recognize reads pages that are images. It is called from several
	// goroutines at once. Nil: such pages are named in a warning.
	Recognize Recognizer
	Render    Renderer // of pages that are not images alone; nil: their text stays
	JP2       bool     // Recognize takes JPEG 2000

	// Child reads a file in the document and returns its body of at most so many
	// nodes, nil where it cannot. Name and contentType are hints. Nil reads none.
	Child func(ctx context.Context, name, contentType string, data []byte, nodes int) *html.Node

	// Spent is told at the end how many bytes were decoded, of Limits.Total; also
	// where Read fails. Nil: nobody asks.
	Spent func(bytes int64)

	// Grow is told how many bytes were decoded, stream by stream. It may block,
	// and several goroutines may call it at once. Nil: nobody is told.
	Grow func(bytes int64)
}

// Limits bound one document. Zero fields are the defaults of parse.md 4.2; -1
// means none.
type Limits struct {
	Input    int64 // bytes; zero means 52,428,800
	Stream   int64 // decoded bytes of one stream; zero means 128 MiB
	Total    int64 // decoded bytes in all; zero means 1 GiB
	Objects  int   // zero means 5 million
	Pages    int   // zero means 10,000
	Glyphs   int   // on a page; zero means 500,000
	Segments int   // of a path, lines and boxes of a page alike; zero means 200,000
	Nodes    int   // of the tree; zero means 2 million
}

// Document is what was read.
type Document struct {
	Root       *html.Node // html > head, body > section[data-page]
	Meta       Meta
	Pages      []Page // those read, in order
	TotalPages int    // of the document
	Warnings   []Warning

	// Words are those of all pages in reading order; nil where nobody asked.
	Words []PlacedWord

	// Markdown is what a recognizer gave for pages whose sections are empty.
	Markdown map[int]Transcript
}

// Transcript is a page in Markdown.
type Transcript struct {
	Text       string
	Confidence float64 // 0..1; -1 where it was not measured
}

// Meta is what the document says of itself.
type Meta struct {
	Title, Author, Subject, Keywords, Creator, Producer, Language string

	Created, Modified time.Time // zero where unknown
}

// Page is one page that was read.
type Page struct {
	Number        int     // from 1
	Width, Height float64 // points, as a reader sees the page
	Status        Status
	NeedsOCR      bool // images without text, or text that is none
}

// Status says how a page went.
type Status string

// How a page went.
const (
	OK      Status = "ok"
	Partial Status = "partial" // something is missing: text in images, glyphs without text
	Failed  Status = "failed"
)

// Warning is one thing that was lost or odd.
type Warning struct {
	Code string // hidden-text, ocr-needed, garbled-font, truncated, xfa or part-unreadable
	Page int    // from 1; zero where it is not of one page
	Text string
}

// Why a document cannot be read.
var (
	ErrEncrypted   = object.ErrEncrypted
	ErrCorrupt     = object.ErrCorrupt
	ErrLimit       = object.ErrLimit
	ErrOCRRequired = errors.New("document has no text layer")
)

// Bytes is a document in memory, which [Read] reads where it lies.
type Bytes = object.Bytes

// Read reads the PDF of size bytes in r. The error wraps [ErrEncrypted],
// [ErrCorrupt], [ErrLimit], [ErrOCRRequired] or the cause that ended ctx, which
// is heeded within 100 ms. A page that cannot be read is a warning.
func Read(ctx context.Context, r io.ReaderAt, size int64, o Options) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil { // foreign bytes: one document must not end the process
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
	if o.Mode == OCR && o.Recognize == nil {
		return nil, fmt.Errorf("%w: recognition was asked for and there is no engine", ErrOCRRequired)
	}
	if err := d.pages(ctx, pages); err != nil {
		return nil, err
	}
	return d.finish(ctx)
}

// reader is the state of one call of Read.
type reader struct {
	options Options
	kind    string // of the tree; empty means pdf
	file    *object.File
	content *content.Document
	dests   *dests
	laid    []*layout.Page
	over    bool // pages were left out
	huge    bool // the pages weigh over hugeWeight
	doc     *Document

	comments comments
	files    []object.Object // specifications of files attached to pages
	form     *form           // that the document's page stands in for; nil for most

	drawing    sync.Mutex         // guards memory: one picture is drawn at a time
	recognized map[int]recognized // by page
	failure    error              // of the first page that could not be recognised
}

// recognized is how sure a recognizer was of a page.
type recognized struct {
	confidence float64 // -1 where it was not measured
	spots      []spot
}

// maxTagged bounds the words of documents whose tags are weighed, which needs all
// of them at once; those that have more are laid out by how they look.
const maxTagged = 500_000

// finish lays the pages out, builds the tree and weighs whether there is text.
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
	if d.file.Lost() {
		d.warn("truncated", 0, "The document has more objects than are read: some were left out.")
	}
	if d.options.Places {
		d.doc.Words = placedWords(l)
	}
	if d.doc.Root, err = d.buildTree(ctx, l); err != nil {
		return nil, err
	}
	return d.doc, nil
}

// shorten lists page numbers, twenty at most.
func shorten(pages []string) string {
	if len(pages) > 20 {
		return strings.Join(pages[:20], ", ") + ", …"
	}
	return strings.Join(pages, ", ")
}
