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
	"example.com/curlew/parse/internal/lock"
)

// Unlimited switches a limit off.
const Unlimited = -1

// Limits limit the size of one document and the cost of reading it. A zero field means
// its default, [Unlimited] means no limit.
type Limits struct {
	Input int64 // bytes; zero means 52,428,800. A larger document is refused with [ErrLimit]
	Nodes int   // nodes of the tree; zero means 600,000, and 2,000,000 for PDF. The rest is left out, with a warning
	Cells int   // cells of the tables of a workbook or of CSV; zero means 4,000,000 for workbooks, and only Input bounds CSV. The rest is left out, with a warning
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
	if l.Cells < 0 {
		l.Cells = math.MaxInt32
	}
	return l
}

// Options are the settings of one call. The zero value detects the kind.
type Options struct {
	Kind     Kind    // reads the document as this kind; empty detects the kind
	Password string  `json:"-"` // for encrypted PDF, DOC, XLS, PPT and Office Open XML files; used only if they do not open without one. It is not part of the JSON of Options
	Hidden   Hidden  // what becomes of content that the document hides
	Changes  Changes // how to read tracked changes of a DOCX; other kinds are read as if all changes were accepted
	PDF      PDFOptions

	// Stream leaves the rows of CSV and TSV out of the tree, with a warning.
	// [Tree.Rows] reads them from the Source in constant memory. With it, tables
	// of any size that Limits.Input admits can be read. Such documents are read in
	// this process even if the Engine has an [Isolator].
	Stream bool

	// Grow is called while the document is read. bytes is how many bytes
	// were decompressed or decoded since the last call: they take memory
	// that the size of the document does not show. Grow may block, and
	// several goroutines may call it at once. It may be nil.
	Grow func(bytes int64) `json:"-"`
}

// Hidden selects what becomes of content that a document hides from people who
// view it: text, shapes, slides, sheets, rows, columns and values. Hidden content
// can be instructions for programs that read the document, so keep it only if you
// need it. HTML is not affected; see package format.
type Hidden uint8

const (
	// HiddenDropped leaves it out, with warnings that count it. It is the
	// default.
	HiddenDropped Hidden = iota
	// HiddenMarked keeps it and gives its elements the attribute data-hidden:
	// span for text, and section, tr and td for slides, sheets, rows and
	// columns. Text of PDF files, and shapes over sheets and slides, are kept
	// without a mark, and so are rows of tables with more than 50,000 cells.
	HiddenMarked
	// HiddenKept keeps it like other content.
	HiddenKept
)

// Changes selects how tracked changes are read.
type Changes uint8

const (
	// ChangesAccepted reads the text as if all changes were accepted. It is
	// the default.
	ChangesAccepted Changes = iota
	// ChangesRejected reads the text as if all changes were rejected.
	ChangesRejected
	// ChangesMarked keeps both: insertions in ins elements and deletions in
	// del elements, with the attributes data-author and datetime.
	ChangesMarked
)

// Engine reads documents of every built-in kind. The zero value is ready to
// use. An engine is safe for concurrent use.
type Engine struct {
	Limits Limits
	OCR    OCR          // recognises images and pages that are images; if nil, images are refused, and a warning names such pages
	Render Renderer     // draws pages for OCR that are not a single image; if nil, only their text is read
	Logger *slog.Logger // logs readers that panic; nil logs nothing

	// Readers adds kinds or replaces built-in readers. The first that
	// matches a document reads it. They also read files inside messages and
	// archives.
	Readers []Reader

	// Isolate reads documents outside this process, so that a document that
	// crashes a reader does not crash the program. If it is nil, documents
	// are read here. Documents with a [Source].Root are always read here.
	Isolate Isolator
}

// Isolator reads documents for an [Engine] outside of it, for example in a
// child process ([example.com/curlew/parse/subprocess]). Parse must return
// what e.Parse would return: the same tree, and errors of type [*Error] that
// wrap the same causes. e.Isolate is nil. o is not nil and must not be
// changed. Parse returns when ctx ends. Implementations are safe for
// concurrent use.
type Isolator interface {
	Parse(ctx context.Context, e *Engine, src Source, o *Options) (*Tree, error)
}

// Tree is a parsed document.
type Tree struct {
	// Root is a document node that contains html with head and body. It is
	// shared, so it must not be changed. A table of a sheet with more than
	// 50,000 cells has a single text node in its tbody in place of rows:
	// each row ends with U+001E, and each cell but the last of its row ends
	// with U+001F. Package markdown and [Tree.WriteHTML] write such a table
	// like any other. html.Render does not.
	Root *html.Node

	Kind     Kind
	Charset  string       // encoding of an HTML page, a WHATWG name; empty for other kinds
	Meta     Meta         // empty for HTML, whose tree contains its metadata
	Pages    []Page       // the pages of a PDF that were read, in order; nil for other kinds
	Words    []PlacedWord // the words of a PDF in reading order, if [PDFOptions].Words is set
	Verbatim string       // the decoded text of text kinds (html, text, markdown, json, xml, csv, tsv)
	Warnings []Warning    // in the order found; nil if there are none

	// rows yields those of the only table, if they stayed in the source, and then
	// returns what may be read wrongly in them.
	rows func(ctx context.Context, yield func(*html.Node, error) bool) (doubts []string)
}

// WriteHTML writes the tree as HTML, including all rows of large tables. It
// does not change the tree. The output keeps the scripts and links of the
// document and is as hostile as the document.
func (t *Tree) WriteHTML(w io.Writer) error {
	if t == nil || t.Root == nil {
		return errNoTree
	}
	return doctree.Render(w, t.Root)
}

var errNoTree = errors.New("parse: no tree to write")

// Meta is the metadata of a document.
type Meta struct {
	Title, Author, Subject, Keywords, Language string
	Created, Modified                          time.Time
	Pages, TotalPages                          int // zero if the kind has no pages
}

// Warning names one part of a document that was lost or is unusual.
type Warning struct {
	Code string // one of the Warn constants
	Page int    // from 1; zero if it does not concern a single page
	Text string // a sentence for people to read
}

// The codes of warnings, for all kinds.
const (
	WarnDeclaredType = "declared-type"     // the name or media type declares another kind
	WarnPolyglot     = "polyglot"          // the document could also be read as another kind; its start decided
	WarnTruncated    = "truncated"         // the tree ends where a limit was reached, or where the data ended before Source.Size
	WarnDeepNesting  = "deep-nesting"      // structure was dropped, but no text
	WarnHiddenText   = "hidden-text"       // text that viewers do not show was left out
	WarnChanges      = "tracked-changes"   // text of tracked changes was left out
	WarnHiddenSheet  = "hidden-sheet"      // a hidden sheet was left out
	WarnHiddenRow    = "hidden-row"        // hidden rows of a sheet were left out
	WarnHiddenColumn = "hidden-column"     // hidden columns of a sheet were left out
	WarnHiddenSlide  = "hidden-slide"      // a hidden slide was left out
	WarnStreamed     = "streamed"          // rows of a table are not in the tree; see Options.Stream
	WarnPart         = "part-unreadable"   // a part of a container, or the end of a part, was left out
	WarnDamaged      = "damaged-text"      // JSON or XML that is not valid, or ends too early, is shown unchanged; HTML ends in a tag or an element that has no end, or lacks quotes of attributes; or bytes are no characters of the encoding
	WarnAttachment   = "attachment-unread" // an attachment or object is named or shown, but was not read
	WarnExternal     = "external-part"     // a part is stored outside the document and was not fetched
	WarnCodePage     = "code-page-guessed" // the code page of some characters was guessed
	WarnGarbled      = "garbled-font"      // a font does not map its glyphs to characters
	WarnTable        = "table-uncertain"   // a table can be read in more than one way, or its rows differ in their number of cells
	WarnCut          = "cut-text"          // texts end at the edge of their cells, because the page shows no more of them
	WarnBlank        = "blank"             // lines to write on, which have no text beside them, were left out
	WarnHeader       = "repeated-header"   // header rows of a table that later pages repeat were left out
	WarnFormula      = "formula"           // formulas are text on one line, because their structure is not certain
	WarnOCR          = "ocr-needed"        // pages are images of text
	WarnOCRDoubt     = "ocr-doubtful"      // recognised text is probably noise
	WarnNoText       = "no-text"           // the document has no text
	WarnXFA          = "xfa"               // the document is an XFA form, which its pages do not show
)

// The reasons why a document could not be read.
var (
	ErrUnsupported = errors.New("kind of document is not supported")
	ErrEncrypted   = errors.New("document is encrypted")
	ErrCorrupt     = errors.New("document is malformed")
	ErrLimit       = errors.New("document is over a limit")
	// ErrPassword means that Options.Password was given and is wrong. Such an
	// error also matches ErrEncrypted.
	ErrPassword = lock.ErrPassword
)

var (
	errEmpty  = fmt.Errorf("%w: empty", ErrCorrupt)
	errNoData = errors.New("source has a size but no data")
)

// Error says which document could not be read, and why.
type Error struct {
	Name string // Source.Name
	Kind Kind   // empty if detection failed
	Page int    // from 1; zero if the error does not concern a single page
	Err  error  // wraps one of the Err variables, the error of ctx or an error of Source.Data
}

// Error returns "parse NAME: page N: CAUSE". Unknown parts are left out.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("parse")
	if e.Name != "" {
		name := e.Name
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		b.WriteString(" " + name)
	}
	if e.Page > 0 {
		b.WriteString(": page " + strconv.Itoa(e.Page))
	}
	b.WriteString(": " + e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// LimitError says which limit a document exceeds. It matches [ErrLimit].
type LimitError struct {
	Name  string // what is counted, such as "bytes", "entries" or "attributes"
	Value int64  // the limit; zero if only the text of Err states it
	Err   error  // the error of the reader; nil for a limit of this package
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

// why wraps a reader's error in the sentinel of this package that means the
// same.
func why(sentinel, err error) error {
	if sentinel == ErrLimit { //nolint:errorlint // a sentinel itself
		return overLimit(err)
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}

// overLimit returns a reader's error as a LimitError.
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

// Parse reads src. A nil how means the zero Options. The error is an
// [*Error] that wraps one of these:
//
//   - [ErrUnsupported]: there is no reader for the kind, or no kind was
//     detected;
//   - [ErrEncrypted]: the document needs a password; if one was given and is
//     wrong, the error also wraps [ErrPassword];
//   - [ErrCorrupt]: the document is malformed, or it is empty or only white
//     space and Options.Kind is not set, or a reader or src.Data panicked;
//   - [ErrLimit], as a [LimitError]: the document exceeds Limits.Input or
//     another bound of its kind;
//   - [ErrOCRRequired]: a PDF consists of images without text;
//   - the error of ctx, or an error of src.Data.
func (e *Engine) Parse(ctx context.Context, src Source, how *Options) (tree *Tree, err error) {
	var o Options
	if how != nil {
		o = *how
	}
	kind := o.Kind
	fail := func(err error) error { return &Error{Name: src.Name, Kind: kind, Err: err} }
	defer func() {
		if v := recover(); v != nil { // src.Data may be code of the caller
			tree, err = nil, fail(e.panicked(ctx, v, "the data", kind))
		}
	}()
	if err := context.Cause(ctx); err != nil {
		return nil, fail(err)
	}
	limits := e.Limits.withDefaults()
	if err := src.measure(limits.Input); err != nil {
		return nil, fail(err)
	}
	if limits.Input >= 0 && src.Size > limits.Input {
		return nil, fail(&LimitError{Name: "bytes", Value: limits.Input})
	}
	if src.Data == nil && src.Root == nil && src.Size != 0 {
		return nil, fail(errNoData)
	}
	if e.Isolate != nil && src.Root == nil && src.Data != nil && src.Size > 0 && e.isolates(src, kind) && !e.streams(src, &o) {
		here := *e
		here.Isolate = nil
		return e.Isolate.Parse(ctx, &here, src, &o)
	}
	src, kind, warnings, err := e.settle(ctx, src, o)
	if err != nil {
		return nil, fail(err)
	}
	r, own, ok := readerOf(kind, e.Readers)
	if !ok {
		return nil, fail(fmt.Errorf("%w: %s", ErrUnsupported, kind))
	}
	announced := src.Size
	data, err := src.load(own && (kind.isContainer() || o.streams(kind)), o.Kind != "")
	if err != nil {
		return nil, fail(err)
	}
	if n := announced - src.Size; n > 0 {
		warnings = append(warnings, Warning{Code: WarnTruncated, Text: fmt.Sprintf("The data of the document ends %d bytes before its announced size.", n)})
	}
	if kind == PDF && e.Limits.Nodes == 0 {
		limits.Nodes = 2_000_000 // PDF trees are built page by page from little intermediate data
	}
	in := &input{Source: src, data: data, kind: kind, limits: limits, options: o, ocr: e.OCR, render: e.Render, readers: e.Readers, budget: zipxml.NewBudget(0)}
	in.budget.Grow = o.Grow
	in.own = own
	tree, err = e.read(ctx, r, in)
	if in.failed != nil {
		return nil, fail(in.failed)
	}
	if err == nil {
		err = in.emptied(tree)
	}
	if err != nil {
		return nil, fail(err)
	}
	tree.Kind = kind
	tree.Warnings = slices.Concat(warnings, tree.Warnings)
	return tree, nil
}

// settle decides as which kind src is read and decrypts Office containers.
// It returns the source that the reader gets. If the kind is known, it is
// returned with an error too.
func (e *Engine) settle(ctx context.Context, src Source, o Options) (Source, Kind, []Warning, error) {
	switch kind := o.Kind; {
	case kind == DOCX || kind == PPTX || kind == VSDX || kind == XLSX || kind == XLSB:
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

// streams reports whether the rows of src stay in it.
func (e *Engine) streams(src Source, o *Options) bool {
	if !o.Stream {
		return false
	}
	kind := o.Kind
	if kind == "" {
		kind = e.Detect(src).Kind
	}
	return o.streams(kind)
}

// isolates reports whether Engine.Isolate reads src. It inspects the
// document only if a reader of the caller may apply to it.
func (e *Engine) isolates(src Source, kind Kind) bool {
	if len(e.Readers) == 0 {
		return true
	}
	if kind == "" {
		kind = e.Detect(src).Kind
	}
	return isOurs(kind, e.Readers)
}

// read runs one reader. A panic becomes ErrCorrupt.
func (e *Engine) read(ctx context.Context, r reader, in *input) (tree *Tree, err error) {
	defer func() {
		if v := recover(); v != nil {
			tree, err = nil, e.panicked(ctx, v, "reader", in.kind)
		}
	}()
	tree, err = in.read(ctx, r)
	if tree != nil {
		tree.Warnings = append(tree.Warnings, in.within...)
	}
	return tree, err
}

// panicked logs a panic of a reader or of the data of a document, and returns the error for it.
func (e *Engine) panicked(ctx context.Context, v any, what string, kind Kind) error {
	log := e.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	log.ErrorContext(ctx, what+" panicked", "kind", string(kind), "panic", v, "stack", string(debug.Stack()))
	return fmt.Errorf("%w: %s of %s panicked", ErrCorrupt, what, kind)
}

// emptied returns an error if a limit was reached before any text was read,
// so that the caller gets no empty tree. HTML and PDF report this case
// themselves.
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

// load returns the bytes of src. If inPlace is set and no bytes are missing,
// it returns nil, and the reader reads parts itself. A document of white
// space only is an error, unless the caller forced its kind.
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

// whole reports whether src is not empty and has as many bytes as Size says.
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
	// Allocate Size bytes at once only if the data really has them.
	if _, err := src.Data.ReadAt(make([]byte, 1), src.Size-1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil {
		return io.ReadAll(io.NewSectionReader(src.Data, 0, src.Size))
	}
	b := make([]byte, src.Size)
	_, err := io.ReadFull(io.NewSectionReader(src.Data, 0, src.Size), b)
	return b, err
}

// isBlank reports whether data has only white space, byte order marks and
// NULs.
func isBlank(data []byte) bool {
	for _, c := range data {
		if !strings.ContainsRune(" \t\r\n\f\v\x00", rune(c)) && !slices.Contains([]byte("\xEF\xBB\xBF\xFE\xFF"), c) {
			return false
		}
	}
	return true
}
