// SPDX-License-Identifier: Apache-2.0

// Package format makes the forms that were asked for: tree -> Document.
package format

import (
	"context"

	"golang.org/x/net/html"

	"example.com/curlew/markdown"
)

// Form names a member of the Document.
type Form string

// Forms that Build makes.
const (
	Markdown Form = "markdown"
	HTML     Form = "html"
	RawHTML  Form = "rawHtml"
	Links    Form = "links"
	Images   Form = "images"
)

// Input is one page, read once. Root is not modified and may be shared.
type Input struct {
	Root        *html.Node
	Raw         string // decoded body, for rawHtml
	URL         string // final; base of the page's references
	SourceURL   string // as requested; of uploads the file name
	ContentType string
	StatusCode  int

	Title, Author, Subject, Keywords, Language string // of the document itself, where its kind has them
	Pages, TotalPages                          int    // zero: absent

	NotWeb   bool   // no web page: the main-content filter does not run
	Verbatim bool   // Raw is the Markdown already (text/plain, Markdown)
	Lang     string // Raw is code of this language (json, xml); empty otherwise
}

// Options: the zero value is the wire's default.
type Options struct {
	Forms          []Form // nil: markdown
	WholePage      bool   // onlyMainContent=false
	Include        []Selector
	Exclude        []Selector
	KeepDataImages bool // removeBase64Images=false
	Markdown       markdown.Options
}

// Selector is a compiled CSS selector.
type Selector struct { /* cascadia, by the owner */
}

// ParseSelector compiles s; its error wraps ErrSelector and says why.
func ParseSelector(s string) (Selector, error) { panic("skeleton") }

// Document is the contract's data object (contract.md 9.1).
type Document struct {
	Markdown *string  `json:"markdown,omitempty"`
	HTML     *string  `json:"html,omitempty"`
	RawHTML  *string  `json:"rawHtml,omitempty"`
	Links    []string `json:"links,omitzero"`
	Images   []string `json:"images,omitzero"`
	Metadata Metadata `json:"metadata"`
	Warning  string   `json:"warning,omitempty"`
}


// Build makes the Document of in.
func Build(ctx context.Context, in *Input, o *Options) (*Document, error) { panic("skeleton") }
