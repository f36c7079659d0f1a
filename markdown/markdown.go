// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

// Options say how. The zero value writes the style of the v2 contract. The
// contract's answers also resolve references (Base) and leave out what repeats on
// each page (SkipRunning).
type Options struct {
	Base string // absolute URL that relative references are resolved against; empty leaves them
	Page string // absolute URL, no fragment: references to it with one lead into the tree; empty means Base

	Links      LinkStyle  // zero writes targets where the links are
	Images     Images     // zero writes images
	DataImages DataImages // what becomes of images that are data: URLs; zero is a placeholder
	Tables     Tables     // zero is GFM's tables, and HTML for tables of documents whose cells span rows or columns
	TableStyle TableStyle // zero is as short as can be
	Spans      Spans      // zero leaves the slots empty that a cell covers besides its first
	Break      Break      // how a line ends that goes on below; zero is a backslash
	Flavor     Flavor     // zero is GFM

	// MaxHeading is the deepest level of headings, those below are written as
	// of it; zero means 6.
	MaxHeading int

	// InlineHTML lets tags say what Markdown has no delimiters for: sub, sup,
	// mark, ins and u, del where Flavor has none, and emphasis that no
	// delimiters would be read as.
	InlineHTML bool

	// LinkedHeadings writes a link that holds a heading, and nothing else, as a
	// link in that heading: ### [T](x) in place of [**T**](x).
	LinkedHeadings bool

	// PlainDefinitions writes what a dl defines as paragraphs, without a colon
	// before them: for readers that do not know such lists.
	PlainDefinitions bool

	// SkipRunning leaves out the running headers, footers and page numbers
	// that trees of package parse hold, as package format does.
	SkipRunning bool

	// FrontMatter is written as a block of YAML before everything else, keys in
	// byte order, values as double-quoted strings. Nil writes none.
	FrontMatter map[string]string

	// OnNode is called for each block element that became text, those inside
	// others first, with the bytes of the output that are the element's: from
	// start up to end, half-open, without blank lines around. What is inside a
	// line or a table is not told of. Nil tells nobody.
	OnNode func(n *html.Node, start, end int) `json:"-"`
}

// LinkStyle says where the targets of links are written. References and
// citations are numbered from 1, one number a target, and listed at the end.
type LinkStyle uint8

const (
	// LinksInline writes [text](target).
	LinksInline LinkStyle = iota
	// LinksReference writes [text][1] and [1]: target at the end.
	LinksReference
	// LinksCitation writes text[1] and a list of the targets at the end.
	LinksCitation
	// LinksNone writes the text only.
	LinksNone
)

// Images says what becomes of images.
type Images uint8

const (
	// ImagesKeep writes ![alt](source).
	ImagesKeep Images = iota
	// ImagesAlt writes the alternative text only.
	ImagesAlt
	// ImagesDrop writes nothing.
	ImagesDrop
)

// DataImages says what becomes of an image whose source is a data: URL.
type DataImages uint8

const (
	// DataPlaceholder writes ![alt](<Base64-Image-Removed>).
	DataPlaceholder DataImages = iota
	// DataKeep writes the data: URL.
	DataKeep
	// DataDrop writes nothing.
	DataDrop
)

// Tables says how tables of data are written.
type Tables uint8

const (
	// TablesAuto writes GFM's tables. A table that a reader of package parse
	// marked as one of a document, and that has a cell below its head that spans
	// rows or columns, is written as HTML with a line for each row, because GFM
	// cannot say which slots the cell covers. If Flavor is [CommonMark], each row
	// is a line, the cells parted by bars.
	TablesAuto Tables = iota
	// TablesHTML writes HTML, spans and blocks in cells as they are, and no
	// attributes but of spans, alignment and targets.
	TablesHTML
	// TablesGFM writes GFM's tables, also for cells that span several slots.
	TablesGFM
)

// TableStyle says how the columns of a GFM table are set.
type TableStyle uint8

const (
	// TableCompact puts one space around each cell.
	TableCompact TableStyle = iota
	// TablePadded pads the cells of a column to one width, of at most 60
	// characters.
	TablePadded
)

// Spans says what stands in slots that a cell covers besides its first.
type Spans uint8

const (
	// SpansBlank leaves them empty.
	SpansBlank Spans = iota
	// SpansMirror repeats the cell in each of them.
	SpansMirror
)

// Break is how a line ends that goes on in the next.
type Break uint8

const (
	// BreakBackslash ends it with a backslash.
	BreakBackslash Break = iota
	// BreakSpaces ends it with two spaces.
	BreakSpaces
)

// Flavor is the Markdown that readers know.
type Flavor uint8

const (
	// GFM is CommonMark with tables, strikethrough, task items, footnotes,
	// alerts and formulas, as GitHub reads them.
	GFM Flavor = iota
	// CommonMark is the specification and nothing else: footnotes stay links,
	// alerts are quotes, strikethrough is text.
	CommonMark
)

// Render writes n and what is below it as Markdown: CommonMark 0.31.2 and, but
// for [CommonMark], GFM. It ends with one newline, or writes nothing where n
// shows nothing. It does not change n, so that several calls may share a tree.
//
// A nil o is the zero Options. A nil n is an error, as are those of w, an
// Options.Base that is no absolute http or https URL, and the cause of ctx, with
// which nothing is written. The time is linear in the size of the tree; below
// 1,000 levels only text is written.
func Render(ctx context.Context, w io.Writer, n *html.Node, o *Options) (err error) {
	if n == nil {
		return errNil
	}
	out := writers.Get().(*writer) // nothing else is put there
	out.steps = dom.NewSteps(ctx)
	defer out.steps.Recover(&err)
	if o != nil {
		out.options = *o
	}
	if out.options.Base != "" {
		base, err := weburl.Parse(out.options.Base)
		if err != nil {
			return fmt.Errorf("markdown base: %w", err)
		}
		out.base = base
	}
	_, err = w.Write(out.document(n))
	out.leave()
	return err
}

var errNil = errors.New("markdown: no node to render")

// writers are those whose memory the next ones use. One that did not come to
// its end is not among them.
var writers = sync.Pool{New: func() any { return new(writer) }}

// maxKept is the capacity in bytes up to which a buffer is kept for another line
// or writer, and maxListed that in elements of what is not text.
const (
	maxKept   = 1 << 20
	maxListed = 1 << 10
)

// leave gives w to the next document, with its buffers unless they are large.
func (w *writer) leave() {
	if cap(w.out) > maxKept || cap(w.nodes) > maxListed || cap(w.items) > maxListed {
		return
	}
	clear(w.nodes[:cap(w.nodes)])
	clear(w.items[:cap(w.items)])
	*w = writer{
		lineWriter: lineWriter{output: output{out: w.out[:0], prefix: w.prefix[:0]}, line: w.line.left()},
		nodes:      w.nodes[:0], items: w.items[:0], cells: w.cells.left(),
	}
	writers.Put(w)
}
