// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/pii"
	"example.com/curlew/internal/dom"
	"example.com/curlew/markdown"
)

// Form names a member of the Document.
type Form string

// Forms that Build makes.
const (
	Markdown   Form = "markdown"
	HTML       Form = "html"
	RawHTML    Form = "rawHtml"
	RawBase64  Form = "rawBase64" // must be alone
	Links      Form = "links"
	Images     Form = "images"
	Attributes Form = "attributes" // needs Options.Attributes

	Summary    Form = "summary"
	Highlights Form = "highlights" // needs Options.Query
	Answer     Form = "answer"     // needs Options.Question

	ChangesForm  Form = "changeTracking" // needs Markdown beside it
	JSONForm     Form = "json"           // needs Options.JSON
	BrandingForm Form = "branding"
	ProductForm  Form = "product"
	MenuForm     Form = "menu"
	Audio        Form = "audio"
	VideoForm    Form = "video"
)

// Input is one page, read once.
type Input struct {
	Root        *html.Node // is not modified and may be shared; nil is an empty page
	Raw         string     // decoded body, for rawHtml
	Body        []byte     // as it was sent, for rawBase64
	URL         string     // final; base of the page's references, empty where there is none
	SourceURL   string     // as requested; of uploads the file name
	ContentType string
	StatusCode  int // zero: absent

	Title, Author, Subject, Keywords, Language string // of the document itself, where its kind has them
	Pages, TotalPages                          int    // zero: absent

	NotWeb   bool   // no web page: the main-content filter does not run
	Verbatim bool   // Raw is the Markdown already (text/plain, Markdown)
	Lang     string // Raw is code of this language (json, xml); empty otherwise

	PageStatus map[int]string // ok, partial or failed by page, where Root has sections that are pages; nil otherwise
	Unparsed   bool           // nothing was read of Body: its base64 is Markdown and HTML

	Charset string // in which the page wrote the queries of its links: a WHATWG label; empty is UTF-8
	Hidden  bool   // a crawl reached the page neither by a link nor by a sitemap
}

// Options say what to make of a page. The zero value is the wire's default.
type Options struct {
	Forms          []Form // nil: markdown
	WholePage      bool   // onlyMainContent=false
	Clean          bool   // onlyCleanContent
	Include        []Selector
	Exclude        []Selector
	KeepAds        bool // blockAds=false
	KeepDataImages bool // removeBase64Images=false
	Markdown       markdown.Options

	Attributes []Attribute // what the attributes form reads
	Query      string      // what highlights are about
	Question   string      // of the answer form
	Quotes     bool        // answer by all sentences that fit
	JSON       Extraction  // of the json form
	Changes    Changes     // of changeTracking
	Redact     *Redact     // redactPII; nil: everything is shown
	NoRetain   bool        // nothing of the page may be kept: zero data retention

	Pages, Blocks, PageMarkers bool // the members of that name, and marks between pages in the Markdown; of documents with pages alone
}

// Document is the contract's data object (contract.md 9.1). Members that were
// not asked for are nil and absent from JSON; those asked for are there even
// where they are empty.
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
	ChangeTracking *ChangeTracking `json:"changeTracking,omitempty"`
	JSON           json.RawMessage `json:"json,omitempty"` // of the caller's schema; null where nothing came
	Branding       *Branding       `json:"branding,omitempty"`
	Menu           *Menu           `json:"menu,omitempty"`
	Product        *Product        `json:"product,omitempty"`
	Audio          string          `json:"audio,omitempty"` // URL
	Video          string          `json:"video,omitempty"` // URL of the best of Videos
	Videos         []Video         `json:"videos,omitempty"`
	Pages          []Page          `json:"pages,omitzero"`
	Blocks         []PageBlocks    `json:"blocks,omitzero"`
	PageCount      int             `json:"-"` // len(Input.PageStatus)
	Metadata       Metadata        `json:"metadata"`
	Warning        string          `json:"warning,omitempty"` // newest first, parted by spaces
}

// Engine makes Documents with what this room does not do itself. The zero value
// is ready: what a nil field would make is a warning.
type Engine struct {
	Writer    Writer           // a model, for the forms that one makes better
	Loader    Loader           // brings the style sheets of branding
	Snapshots Snapshots        // of changeTracking
	Ads       *AdRules         // filter lists, besides what an ad is by its structure
	Now       func() time.Time // nil: the clock

	find func(f *pii.Finder, s string, url bool) []pii.Span // nil: f's own; tests let it fail
}

// Loader brings what a web page refers to; url is absolute. What is not there is
// an error or an empty body. Implementations are safe for concurrent use,
// return when ctx ends, bound what they read, and reach no address that the
// page itself may not be fetched from. The bytes are the caller's.
// [example.com/curlew/format/formattest] checks one.
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
// It changes nothing that it is given and is safe for concurrent use. Its
// error is an [*Error] that wraps [ErrForm] where o asks for a form that it does
// not make, [ErrAlone] where one may not stand beside the others, or ctx's
// cause. What else goes wrong is a warning of the Document, and so is a panic:
// it costs the form that it happened in.
func (e *Engine) Build(ctx context.Context, in *Input, o *Options) (*Document, error) {
	if in == nil {
		return nil, &Error{Err: errNoInput}
	}
	if o == nil {
		o = &Options{}
	}
	forms := o.Forms
	if forms == nil {
		forms = []Form{Markdown}
	}
	if err := check(forms); err != nil {
		return nil, err
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
	if o.Markdown.OnNode == nil { // else the caller may keep nodes
		defer b.page.arena.release()
	}
	b.guard("metadata", func() error { b.page.read(); return nil })
	b.guard("metadata", b.page.readTimes)
	b.prepare(ctx)
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	slices.Reverse(b.warnings)
	b.doc.Warning = strings.Join(b.warnings, " ")
	return b.doc, nil
}
