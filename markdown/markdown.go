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

// Options select the style of the Markdown. The zero value is the style of the
// HTTP contract. Answers of the contract also resolve references (Base) and
// leave out text that repeats on each page (SkipRunning).
type Options struct {
	Base string // absolute URL that relative references are resolved against; empty leaves them
	Page string // absolute URL without a fragment: links to fragments of it lead into the tree; empty means Base

	Links      LinkStyle  // zero writes targets where the links are
	Images     Images     // zero writes images
	DataImages DataImages // how images with data: URLs are written; zero is a placeholder
	Tables     Tables     // zero is GFM tables, and HTML for tables of documents whose cells span rows or columns
	TableStyle TableStyle // zero writes no padding
	Spans      Spans      // zero leaves the additional slots of a spanning cell empty
	Break      Break      // how a line break inside a paragraph is written; zero is a backslash
	Flavor     Flavor     // zero is GFM

	// MaxHeading is the deepest level of headings. Deeper headings are written with
	// this level. Zero means 6.
	MaxHeading int

	// InlineHTML writes tags for what Markdown has no delimiters for: sub, sup,
	// mark, ins and u, del if Flavor has no strikethrough, and emphasis that
	// delimiters cannot express.
	InlineHTML bool

	// LinkedHeadings writes a link that holds a heading, and nothing else, as a
	// link in that heading: ### [T](x) in place of [**T**](x).
	LinkedHeadings bool

	// PlainDefinitions writes definitions of a dl as paragraphs without a colon, for
	// readers that do not support definition lists.
	PlainDefinitions bool

	// SkipRunning leaves out running headers, footers and page numbers in trees of
	// package parse, as package format does.
	SkipRunning bool

	// FrontMatter is written as a block of YAML at the start, with keys in byte order
	// and values as double-quoted strings. If it is nil, there is no block.
	FrontMatter map[string]string

	// OnNode, if not nil, is called for each block element that became text, inner
	// elements first. The text of the element is the output from start up to end,
	// without blank lines around it. OnNode is not called for elements inside a
	// line or a table.
	OnNode func(n *html.Node, start, end int) `json:"-"`
}

// LinkStyle selects where the targets of links are written. References and
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

// Images selects how images are written.
type Images uint8

const (
	// ImagesKeep writes ![alt](source).
	ImagesKeep Images = iota
	// ImagesAlt writes the alternative text only.
	ImagesAlt
	// ImagesDrop writes nothing.
	ImagesDrop
)

// DataImages selects how images with a data: URL are written.
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
	// TablesAuto writes GFM tables. A table from a document of package parse is
	// written as HTML, with a line for each row, if a cell spans rows or
	// columns, except in a header of one row. GFM cannot express which slots
	// such a cell covers.
	// If Flavor is [CommonMark], each row is a line with its cells separated by
	// bars.
	TablesAuto Tables = iota
	// TablesHTML writes HTML, with spans, and with blocks in cells. It writes
	// no attributes except those for spans, alignment and link targets.
	TablesHTML
	// TablesGFM writes GFM tables, also for cells that span several slots.
	TablesGFM
)

// TableStyle selects how the columns of a GFM table are aligned.
type TableStyle uint8

const (
	// TableCompact puts one space around each cell.
	TableCompact TableStyle = iota
	// TablePadded pads the cells of a column to one width, of at most 60
	// characters.
	TablePadded
)

// Spans selects the content of the slots that a spanning cell covers besides
// its first.
type Spans uint8

const (
	// SpansBlank leaves them empty.
	SpansBlank Spans = iota
	// SpansMirror repeats the cell in each of them.
	SpansMirror
	// SpansDown repeats the cell in each row that it spans, but not in further
	// columns. Each row then contains every value that applies to it. A cell
	// as wide as the table remains the only one of its row.
	SpansDown
)

// Break selects how a line break inside a paragraph is written.
type Break uint8

const (
	// BreakBackslash ends the line with a backslash.
	BreakBackslash Break = iota
	// BreakSpaces ends the line with two spaces.
	BreakSpaces
)

// Flavor selects the syntax that readers of the Markdown support.
type Flavor uint8

const (
	// GFM is CommonMark with tables, strikethrough, task items, footnotes,
	// alerts and formulas, as GitHub reads them.
	GFM Flavor = iota
	// CommonMark is CommonMark without extensions: footnotes stay links, alerts are
	// quotes, strikethrough is plain text.
	CommonMark
)

// Render writes n and its descendants as Markdown: CommonMark 0.31.2 and,
// unless o selects [CommonMark], GFM. The output ends with one newline. If n
// has no visible content, Render writes nothing. It does not change n, so
// several calls may share a tree.
//
// A nil o is the zero Options. Render returns an error if n is nil, if w
// returns one, if Options.Base is not an absolute http or https URL, or if ctx
// is cancelled, in which case nothing is written. The time is linear in the
// size of the tree. Below 1,000 levels only text is written.
func Render(ctx context.Context, w io.Writer, n *html.Node, o *Options) (err error) {
	if n == nil {
		return errNil
	}
	out := writers.Get().(*writer) // the pool contains only *writer
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

// writers are reused. A writer that did not finish its document is not put back.
var writers = sync.Pool{New: func() any { return new(writer) }}

// maxKept is the capacity up to which a buffer of text is reused, in bytes.
// maxListed is that of other buffers, in elements.
const (
	maxKept   = 1 << 20
	maxListed = 1 << 10
)

// leave puts w back for the next document, unless its buffers are large.
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
