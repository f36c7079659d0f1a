// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Unlimited switches a limit off.
const Unlimited = -1

// Limits bound one document. Zero fields are the defaults; [Unlimited] none.
type Limits struct {
	Input int64 // bytes; zero means 52,428,800. More is [ErrLimit]
	Nodes int   // of the tree; zero means 600,000, of pdf 2,000,000. The rest is left out, with a warning
}

func (l Limits) withDefaults() Limits {
	if l.Input == 0 {
		l.Input = 50 << 20
	}
	switch {
	case l.Nodes == 0:
		l.Nodes = 600_000
	case l.Nodes < 0:
		l.Nodes = math.MaxInt32
	}
	return l
}

// Options are of one call. The zero value detects the kind.
type Options struct {
	Kind     Kind    // forces a reader; empty detects
	Password string  // of an encrypted PDF, Office document since 2007, DOC, XLS or PPT; tried after none
	Changes  Changes // tracked changes of a DOCX; other kinds are read as after them
	PDF      PDFOptions

	// Grow is told, while the document is read, how many bytes were inflated or
	// decoded since it was last told. What is made of them takes memory that the
	// size of the document does not show. It may block, and several goroutines
	// may call it at once. Nil: nobody is told.
	Grow func(bytes int64) `json:"-"`
}

// Changes says what becomes of changes that a document tracks.
type Changes uint8

const (
	// ChangesAccepted reads the text as it is after them; the default.
	ChangesAccepted Changes = iota
	// ChangesRejected reads the text as it was before them.
	ChangesRejected
	// ChangesMarked reads both, in ins and del with their data-author and
	// datetime.
	ChangesMarked
)

// Engine reads every built-in kind. The zero value is ready; safe for
// concurrent use.
type Engine struct {
	Limits Limits
	OCR    OCR          // of pages that are images, and of images; nil: pages are named in a warning, images not read
	Render Renderer     // of pages that are not images alone; nil: they are read by their text
	Logger *slog.Logger // told of readers that panic; nil is silent

	// Readers read kinds that the engine does not know, or that it reads
	// otherwise. The first that fits a document reads it, as a file in a
	// message or archive too.
	Readers []Reader

	// Isolate reads documents elsewhere, so that what they do to a reader does
	// not reach this process; nil: they are read here. What [Source].Root has
	// been read from is always.
	Isolate Isolator
}

// Isolator reads documents for an [Engine] in another place, such as a process of
// their own ([example.com/curlew/parse/subprocess]). Its Parse answers as that of
// e does, whose Isolate is nil: the same tree, and errors of type [*Error] that
// wrap the same. The Options are not nil and not changed. It returns when ctx ends. Implementations are safe for concurrent
// use.
type Isolator interface {
	Parse(ctx context.Context, e *Engine, src Source, o *Options) (*Tree, error)
}

// Tree is one document, read.
type Tree struct {
	// Root is a document node: html with head and body. It is shared, so nobody
	// changes it. A table of a sheet with more than 50,000 cells has one text below
	// its tbody in place of rows, in which each row ends with U+001E and each cell
	// of it but the last with U+001F. Package markdown and [Tree.WriteHTML] write
	// such a table like any other; html.Render does not.
	Root *html.Node

	Kind     Kind
	Charset  string       // that html was read in, a WHATWG name; empty for others
	Meta     Meta         // empty for html, whose tree says it all
	Pages    []Page       // those read of a PDF, in order; nil for other kinds
	Words    []PlacedWord // those of a PDF, in reading order, where [PDFOptions.Words] asks for them
	Verbatim string       // text kinds (html, text, markdown, json, xml, csv, tsv): the decoded text itself
	Warnings []Warning    // in the order met; nil if none
}

// WriteHTML writes the tree as HTML, with all rows of large tables. It does not
// change the tree. Scripts and links are those of the document: the output is as
// hostile as the document is.
func (t *Tree) WriteHTML(w io.Writer) error {
	if t == nil || t.Root == nil {
		return errNoTree
	}
	return doctree.Render(w, t.Root)
}

var errNoTree = errors.New("parse: no tree to write")

// Meta is what a document says of itself.
type Meta struct {
	Title, Author, Subject, Keywords, Language string
	Created, Modified                          time.Time
	Pages, TotalPages                          int // zero where the kind has none
}

// Warning is one thing that was lost or odd.
type Warning struct {
	Code string // one of the Warn constants
	Page int    // from 1; zero where it is not of one page
	Text string // a sentence for people
}

// The codes of warnings, of all kinds.
const (
	WarnDeclaredType = "declared-type"     // name or type say another kind
	WarnPolyglot     = "polyglot"          // the document is of another kind too; its start decided
	WarnTruncated    = "truncated"         // the tree ends where a limit was met
	WarnDeepNesting  = "deep-nesting"      // structure was given up, no text
	WarnHiddenText   = "hidden-text"       // text that people cannot see was left out
	WarnHiddenSheet  = "hidden-sheet"      // so was a sheet
	WarnHiddenRow    = "hidden-row"        // so were rows of a sheet
	WarnHiddenColumn = "hidden-column"     // so were columns of a sheet
	WarnHiddenSlide  = "hidden-slide"      // so was a slide
	WarnPart         = "part-unreadable"   // a part of a container was left out, or its end
	WarnAttachment   = "attachment-unread" // an attachment or object is named or shown, and not read
	WarnExternal     = "external-part"     // a part stands elsewhere and was not fetched
	WarnGarbled      = "garbled-font"      // a font does not say which characters its glyphs are
	WarnOCR          = "ocr-needed"        // pages are images of text
	WarnNoText       = "no-text"           // there is none
	WarnXFA          = "xfa"               // the document is a form that its pages do not show
)

// Why a document could not be read.
var (
	ErrUnsupported = errors.New("kind of document is not supported")
	ErrEncrypted   = errors.New("document is encrypted")
	ErrCorrupt     = errors.New("document is malformed")
	ErrLimit       = errors.New("document is over a limit")
)

var (
	errEmpty  = fmt.Errorf("%w: empty", ErrCorrupt)
	errNoData = errors.New("source has a size but no data")
)

// Error says which document failed and where.
type Error struct {
	Name string // as given in [Source]
	Kind Kind   // empty where detection failed
	Page int    // from 1; zero where the failure is not of one page
	Err  error  // wraps a sentinel, ctx's error or one of [Source].Data
}

// Error returns "parse NAME: page N: CAUSE", without what is unknown.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("parse ")
	if e.Name != "" {
		name := e.Name
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		b.WriteString(name + ": ")
	}
	if e.Page > 0 {
		b.WriteString("page " + strconv.Itoa(e.Page) + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LimitError says which limit a document is over. It is [ErrLimit].
type LimitError struct {
	Name  string // what is counted: "bytes", "entries", "attributes"
	Value int64  // the limit; zero where the reader's own text says it, see Err
	Err   error  // of the reader; nil for a limit of this room
}

// Error returns "document is over a limit: CAUSE".
func (e *LimitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%v: more than %d %s", ErrLimit, e.Value, e.Name)
	}
	cause := strings.ReplaceAll(e.Err.Error(), ErrLimit.Error()+": ", "")
	return fmt.Sprintf("%v: %s", ErrLimit, strings.ReplaceAll(cause, "over a limit: ", ""))
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Unwrap returns Err.
func (e *LimitError) Unwrap() error { return e.Err }

// why returns a reader's error with the sentinel that says the same here.
func why(sentinel, err error) error {
	if sentinel == ErrLimit { //nolint:errorlint // a sentinel itself
		return overLimit(err)
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}

// overLimit returns a reader's error as this room says it.
func overLimit(err error) error {
	e := &LimitError{Err: err}
	if l, ok := errors.AsType[interface {
		error
		Limit() (name string, value int64)
	}](err); ok {
		e.Name, e.Value = l.Limit()
	}
	return e
}

// Parse reads src. A nil how is the zero Options. Its error is an [*Error] around
//
//   - [ErrUnsupported]: no reader for the kind, or no kind found;
//   - [ErrEncrypted]: the document needs a password;
//   - [ErrCorrupt]: nothing useful in it; a document of no bytes or white
//     space alone too, unless Options.Kind says what it is;
//   - [ErrLimit], a [LimitError]: over Limits.Input or another bound of the kind;
//   - [ErrOCRRequired]: a PDF of images without text;
//   - ctx's error, or that of src.Data.
func (e *Engine) Parse(ctx context.Context, src Source, how *Options) (*Tree, error) {
	var o Options
	if how != nil {
		o = *how
	}
	kind := o.Kind
	fail := func(err error) (*Tree, error) { return nil, &Error{Name: src.Name, Kind: kind, Err: err} }
	if err := context.Cause(ctx); err != nil {
		return fail(err)
	}
	limits := e.Limits.withDefaults()
	if err := src.measure(limits.Input); err != nil {
		return fail(err)
	}
	if limits.Input >= 0 && src.Size > limits.Input {
		return fail(&LimitError{Name: "bytes", Value: limits.Input})
	}
	if src.Data == nil && src.Root == nil && src.Size != 0 {
		return fail(errNoData)
	}
	if e.Isolate != nil && src.Root == nil && src.Data != nil && src.Size > 0 && e.isolates(src, kind) {
		here := *e
		here.Isolate = nil
		return e.Isolate.Parse(ctx, &here, src, &o)
	}
	src, kind, warnings, err := e.settle(ctx, src, o)
	if err != nil {
		return fail(err)
	}
	r, own, ok := readerOf(kind, e.Readers)
	if !ok {
		return fail(fmt.Errorf("%w: %s", ErrUnsupported, kind))
	}
	data, err := src.load(own && kind.isContainer(), o.Kind != "")
	if err != nil {
		return fail(err)
	}
	if kind == PDF && e.Limits.Nodes == 0 {
		limits.Nodes = 2_000_000 // they are made a page at a time, from little
	}
	in := &input{Source: src, data: data, kind: kind, limits: limits, options: o, ocr: e.OCR, render: e.Render, readers: e.Readers, budget: zipxml.NewBudget(0)}
	in.budget.Grow = o.Grow
	tree, err := e.read(ctx, r, in)
	if in.failed != nil {
		return fail(in.failed)
	}
	if err == nil {
		err = in.emptied(tree)
	}
	if err != nil {
		return fail(err)
	}
	tree.Kind = kind
	tree.Warnings = slices.Concat(warnings, tree.Warnings)
	return tree, nil
}

// settle returns the document as its reader gets it, without its password, and
// the kind that it is read as. The kind is returned with an error too where it
// is known.
func (e *Engine) settle(ctx context.Context, src Source, o Options) (Source, Kind, []Warning, error) {
	switch kind := o.Kind; {
	case kind == DOCX || kind == PPTX || kind == XLSX || kind == XLSB:
		if !Detect(src).locked {
			return src, kind, nil, nil
		}
		open, err := unlock(ctx, src, o.Password)
		return open, kind, nil, err
	case kind != "":
		return src, kind, nil, nil
	case src.Root != nil:
		return src, HTML, nil, nil
	case src.Size == 0:
		return src, "", nil, errEmpty
	}
	d := e.Detect(src)
	if d.Encrypted && d.locked {
		open, err := unlock(ctx, src, o.Password)
		if err != nil {
			return src, d.Kind, nil, err
		}
		src, d = open, e.Detect(open)
	}
	switch {
	case d.Err != nil:
		return src, d.Kind, nil, d.Err
	case d.Encrypted:
		return src, d.Kind, nil, ErrEncrypted
	case d.broken:
		return src, d.Kind, nil, fmt.Errorf("%w: %s", ErrCorrupt, d.Evidence)
	case d.Kind == "":
		return src, "", nil, fmt.Errorf("%w: %s", ErrUnsupported, d.Evidence)
	}
	var warnings []Warning
	if d.disagrees() {
		warnings = append(warnings, Warning{Code: WarnDeclaredType, Text: fmt.Sprintf(
			"The document is declared to be %s; by its content it is %s and was read as such.", d.Declared, d.Kind)})
	}
	if d.also != "" {
		warnings = append(warnings, Warning{Code: WarnPolyglot, Text: fmt.Sprintf(
			"The document can be read as %s too; it was read as what it begins with, %s.", d.also, d.Kind)})
	}
	return src, d.Kind, warnings, nil
}

// isolates reports whether src is read elsewhere. It looks at the document only
// if a reader of the caller's may want it.
func (e *Engine) isolates(src Source, kind Kind) bool {
	if len(e.Readers) == 0 {
		return true
	}
	if kind == "" {
		kind = e.Detect(src).Kind
	}
	return isOurs(kind, e.Readers)
}

// read runs one reader; a panic is the document's fault.
func (e *Engine) read(ctx context.Context, r reader, in *input) (tree *Tree, err error) {
	defer func() {
		if v := recover(); v != nil {
			log := e.Logger
			if log == nil {
				log = slog.New(slog.DiscardHandler)
			}
			log.ErrorContext(ctx, "reader panicked", "kind", string(in.kind), "panic", v, "stack", string(debug.Stack()))
			tree, err = nil, fmt.Errorf("%w: reader of %s panicked", ErrCorrupt, in.kind)
		}
	}()
	tree, err = r.read(ctx, in)
	if tree != nil {
		tree.Warnings = append(tree.Warnings, in.within...)
	}
	return tree, err
}

// emptied returns the limit that left no word of the document: then it is the
// answer, and not a tree. Web pages and PDFs have answers of their own.
func (in *input) emptied(t *Tree) error {
	if in.kind == HTML || in.kind == PDF {
		return nil
	}
	over := in.over
	for _, w := range t.Warnings {
		if over == nil && (w.Code == WarnTruncated || w.Code == WarnDeepNesting) {
			over = &LimitError{Err: errors.New(w.Text)}
		}
	}
	if over == nil {
		return nil
	}
	for n := range t.Root.Descendants() {
		if n.Type == html.TextNode && n.Parent.DataAtom != atom.Title && strings.TrimSpace(n.Data) != "" || n.DataAtom == atom.Img || n.DataAtom == atom.Input {
			return nil
		}
	}
	return over
}

// load returns the bytes of src, or nil if they are read in place and all of
// them are there. A document of white space only is an error, unless the kind
// is forced.
func (src *Source) load(inPlace, forced bool) ([]byte, error) {
	if inPlace && src.whole() {
		return nil, nil
	}
	data, err := readAll(*src)
	if err != nil {
		return nil, err
	}
	src.Size = int64(len(data))
	if !forced && src.Root == nil && isBlank(data) {
		return nil, errEmpty
	}
	return data, nil
}

// whole reports whether src has as many bytes as it says, and some.
func (src *Source) whole() bool {
	if src.Data == nil || src.Size <= 0 {
		return false
	}
	n, _ := src.Data.ReadAt(make([]byte, 1), src.Size-1)
	return n == 1
}

// readAll returns the bytes of src.
func readAll(src Source) ([]byte, error) {
	switch {
	case src.Size == 0:
		return nil, nil
	case src.Data == nil || src.Size < 0:
		return nil, errNoData
	}
	// A size that the data has can be allocated.
	if _, err := src.Data.ReadAt(make([]byte, 1), src.Size-1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil {
		return io.ReadAll(io.NewSectionReader(src.Data, 0, src.Size))
	}
	b := make([]byte, src.Size)
	_, err := io.ReadFull(io.NewSectionReader(src.Data, 0, src.Size), b)
	return b, err
}

// isBlank reports whether data has nothing but white space, marks and NULs.
func isBlank(data []byte) bool {
	for _, c := range data {
		if !strings.ContainsRune(" \t\r\n\f\v\x00", rune(c)) && !slices.Contains([]byte("\xEF\xBB\xBF\xFE\xFF"), c) {
			return false
		}
	}
	return true
}
