// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/format/brand"
	"example.com/curlew/format/internal/pii"
	"example.com/curlew/internal/dom"
	"example.com/curlew/markdown"
)

// Form is one of the forms in which Build can return a page. Its value is the name of a
// member of the Document.
type Form string

// The forms that Build makes.
const (
	Markdown   Form = "markdown"
	HTML       Form = "html"
	RawHTML    Form = "rawHtml"
	RawBase64  Form = "rawBase64" // cannot be combined with other forms
	Links      Form = "links"
	Images     Form = "images"
	Attributes Form = "attributes" // needs Options.Attributes

	Summary    Form = "summary"
	Highlights Form = "highlights" // needs Options.Query
	Answer     Form = "answer"     // needs Options.Question

	ChunksForm   Form = "chunks"         // Options.Chunks controls their size
	ChangesForm  Form = "changeTracking" // needs the form Markdown as well
	JSONForm     Form = "json"           // needs Options.JSON
	BrandingForm Form = "branding"
	ProductForm  Form = "product"
	MenuForm     Form = "menu"
	Audio        Form = "audio"
	VideoForm    Form = "video"
)

// Input is a page or document that was fetched and parsed.
type Input struct {
	Root        *html.Node // is not modified and may be shared; nil is an empty page
	Raw         string     // the decoded body, for rawHtml
	Body        []byte     // the body as it was sent, for rawBase64
	URL         string     // the final URL, which references are resolved against; may be empty
	SourceURL   string     // the requested URL; the file name of an upload
	ContentType string
	StatusCode  int // zero if there is none

	Title, Author, Subject, Keywords, Language string // properties of the document, if its kind has them
	Pages, TotalPages                          int    // zero if the document has no pages

	NotWeb   bool   // the document is not a web page: the main-content filter does not run
	Verbatim bool   // Raw already is the Markdown (text/plain, Markdown)
	Lang     string // Raw is code in this language (json, xml); empty otherwise

	PageStatus map[int]string // ok, partial or failed, by page number; nil if Root has no sections that are pages
	Unparsed   bool           // Body was not parsed: Markdown and HTML are its base64

	Charset string // encoding of the queries of the page's links, a WHATWG label; empty means UTF-8
	Hidden  bool   // a crawl found the page neither by a link nor in a sitemap

	Styles []brand.Style // computed by a browser, for branding; nil if no browser has shown the page
}

// Options select what Build makes of a page. The zero value is the default of the
// HTTP contract.
type Options struct {
	Forms          []Form // nil means only Markdown
	WholePage      bool   // onlyMainContent=false
	Clean          bool   // onlyCleanContent
	Include        []Selector
	Exclude        []Selector
	KeepAds        bool // blockAds=false
	KeepDataImages bool // removeBase64Images=false
	Markdown       markdown.Options

	Attributes []Attribute // selectors of the attributes form; only the first 100 are read, with a warning
	Query      string      // query of the highlights form
	Question   string      // question of the answer form
	Quotes     bool        // the answer quotes all sentences that match
	JSON       Extraction  // options of the json form
	Chunks     Chunking    // options of the chunks form
	Changes    Changes     // options of the changeTracking form
	Redact     *Redact     // redactPII; nil leaves personal data in
	NoRetain   bool        // zero data retention: no model and no snapshot store sees the page

	Pages, Blocks, PageMarkers bool // the members of these names, and marks between pages in the Markdown; only for documents with pages
}

// Document is the data object of the HTTP contract. Members that
// were not asked for are nil and absent from JSON. Members that were asked for
// are present even if they are empty.
type Document struct {
	Markdown       *string         `json:"markdown,omitempty"`
	HTML           *string         `json:"html,omitempty"`
	RawHTML        *string         `json:"rawHtml,omitempty"`
	RawBase64      *string         `json:"rawBase64,omitempty"` // the whole body, standard alphabet, padded
	Links          []string        `json:"links,omitzero"`      // absolute, unique, in document order
	Images         []string        `json:"images,omitzero"`     // absolute, unique, in document order
	Attributes     []Attribute     `json:"attributes,omitzero"` // in the order of Options.Attributes
	Summary        *string         `json:"summary,omitempty"`
	Highlights     *string         `json:"highlights,omitempty"` // sentences of the page, one a line
	Answer         *string         `json:"answer,omitempty"`
	Chunks         []Chunk         `json:"chunks,omitzero"` // parts of Markdown, in order
	ChangeTracking *ChangeTracking `json:"changeTracking,omitempty"`
	JSON           json.RawMessage `json:"json,omitempty"` // fits the caller's schema; null if nothing was found
	Branding       *brand.Design   `json:"branding,omitempty"`
	Menu           *Menu           `json:"menu,omitempty"`
	Product        *Product        `json:"product,omitempty"`
	Audio          string          `json:"audio,omitempty"` // URL
	Video          string          `json:"video,omitempty"` // URL of the most usable of Videos
	Videos         []Video         `json:"videos,omitempty"`
	Screenshot     *string         `json:"screenshot,omitempty"` // URL; Build does not set it, because it has no browser
	Actions        *ActionResults  `json:"actions,omitempty"`    // results of the steps in a browser; Build does not set it
	Pages          []Page          `json:"pages,omitzero"`
	Blocks         []PageBlocks    `json:"blocks,omitzero"`
	PageCount      int             `json:"-"` // len(Input.PageStatus)
	Lack           Lack            `json:"-"` // Warning says it in words
	Metadata       Metadata        `json:"metadata"`
	Warning        string          `json:"warning,omitempty"` // sentences, the newest first, with a space between them
}

// Lack is the reason why a Document has no content, or less than a reader of its
// page sees. It is empty for pages that have content, and if no form shows the
// view of the page, as with only [RawHTML] or [BrandingForm].
type Lack string

// The reasons. If several are true, the first is given.
const (
	NeedsJavaScript Lack = "needs-javascript" // the page is empty until its scripts run (see NeedsScripts of fetch/render); the Markdown may come from embedded data
	InFrames        Lack = "in-frames"        // the content is in the pages that its frames show
	Hidden          Lack = "hidden"           // the page hides its content until its scripts have run; it is returned
	Unmatched       Lack = "unmatched"        // nothing matches Options.Include
	NoMain          Lack = "no-main"          // it has no main content; the rest of the page is returned
	Excluded        Lack = "excluded"         // Options.Include and Options.Exclude leave nothing
	NoContent       Lack = "no-content"       // neither text nor images
)

// Engine makes Documents. The zero value is ready to use. If a form needs a field that
// is nil, the Document has a warning.
type Engine struct {
	Writer    Writer           // a model, which improves some forms
	Loader    Loader           // loads the style sheets for branding
	Snapshots Snapshots        // stores what changeTracking compares with
	Ads       *AdRules         // filter lists, in addition to the built-in rules
	Now       func() time.Time // nil means time.Now

	find func(f *pii.Finder, s string, url bool) []pii.Span // nil means the methods of f; tests set it to make searches fail
}

// A Loader loads what a web page refers to. The URL is absolute. If there is nothing
// at the URL, Load returns an error or an empty body. The caller may change
// the bytes. Implementations are safe for concurrent use, return when ctx ends,
// limit what they read, and refuse addresses that pages may not be fetched from.
// Package [example.com/curlew/format/formattest] checks an implementation.
type Loader interface {
	Load(ctx context.Context, url string) (body []byte, contentType string, err error)
}

func (e *Engine) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// Build makes the Document of in with a zero [Engine].
func Build(ctx context.Context, in *Input, o *Options) (*Document, error) {
	return new(Engine).Build(ctx, in, o)
}

// Build makes the Document of in. A nil o is the zero Options.
//
// It changes neither in nor o and is safe for concurrent use. The error is an
// [*Error]. It wraps [ErrForm] if o asks for an unknown form, [ErrAlone] if a form
// cannot be combined with the others, or the cause of ctx. Any other failure in
// a form, a panic too, becomes a warning and costs only that form.
func (e *Engine) Build(ctx context.Context, in *Input, o *Options) (*Document, error) {
	if in == nil {
		return nil, &Error{Err: errNoInput}
	}
	if o == nil {
		o = &Options{}
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	forms := o.Forms
	if forms == nil {
		forms = []Form{Markdown}
	}
	doc := &Document{PageCount: len(in.PageStatus)}
	b := builder{
		page: page{
			ctx: ctx, steps: dom.NewSteps(ctx), in: in, meta: &doc.Metadata,
			arena: arenas.Get().(*arena), //nolint:forcetypeassert // it holds nothing else
		},
		o: o, forms: forms, deps: e, doc: doc,
	}
	b.models = newModels(&b)
	if o.Markdown.OnNode == nil { // otherwise the caller may keep nodes
		defer b.page.arena.release()
	}
	b.guard("metadata", func() error { b.page.read(); return nil })
	b.guard("metadata", authors{&b.page}.find)
	b.guard("metadata", b.page.readTimes) // needs the author, which only articles have
	b.prepare(ctx)
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	slices.Reverse(b.warnings)
	b.doc.Warning = strings.Join(b.warnings, " ")
	return b.doc, nil
}

// The causes of an [Error].
var (
	ErrSelector = errors.New("invalid selector")
	ErrForm     = errors.New("form is not supported")
	ErrAlone    = errors.New("form cannot be combined with others") // only RawBase64 has this limit
	ErrNotAsked = errors.New("document does not have this form; ask for it in Options.Forms")
	ErrSchema   = errors.New("invalid schema")
)

var errNoInput = errors.New("no input")

// Error says why a call was refused. It names the form or the selector.
type Error struct {
	Form     Form   // empty if no form is at fault
	Selector string // the text given to [ParseSelector]
	Err      error  // wraps a sentinel or ctx's cause
}

// Error returns "format FORM: CAUSE", or names the selector. If no form is at fault, it
// returns "format: CAUSE".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("format")
	switch {
	case e.Selector != "":
		b.WriteString(` selector "` + cut(e.Selector, 100) + `"`)
	case e.Form != "":
		b.WriteString(" " + string(e.Form))
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Text returns a form that is one text: [Markdown], [HTML], [RawHTML],
// [RawBase64], [JSONForm], [Summary], [Highlights] or [Answer]. The error wraps
// [ErrNotAsked] if the document was made without it, and [ErrForm] if the form
// is not one text.
func (d *Document) Text(f Form) (string, error) {
	if d == nil {
		d = new(Document)
	}
	var text *string
	switch f {
	case Markdown:
		text = d.Markdown
	case HTML:
		text = d.HTML
	case RawHTML:
		text = d.RawHTML
	case RawBase64:
		text = d.RawBase64
	case Summary:
		text = d.Summary
	case Highlights:
		text = d.Highlights
	case Answer:
		text = d.Answer
	case JSONForm:
		if d.JSON != nil {
			text = new(string(d.JSON))
		}
	default:
		return "", &Error{Form: f, Err: ErrForm}
	}
	if text == nil {
		return "", &Error{Form: f, Err: ErrNotAsked}
	}
	return *text, nil
}

// ActionResults are the results of steps on a page in a browser, each list in the order of
// the steps.
type ActionResults struct {
	Screenshots       []string       `json:"screenshots"` // URLs
	Scrapes           []ScrapeResult `json:"scrapes"`
	JavascriptReturns []ScriptResult `json:"javascriptReturns"`
	PDFs              []string       `json:"pdfs"` // URLs
}

// ScrapeResult is the document of a page at the time of a step.
type ScrapeResult struct {
	URL  string `json:"url"`
	HTML string `json:"html"`
}

// ScriptResult is the value of a script.
type ScriptResult struct {
	Type  string          `json:"type"`  // the type in JavaScript, such as string or object
	Value json.RawMessage `json:"value"` // null if the value cannot be written as JSON
}
