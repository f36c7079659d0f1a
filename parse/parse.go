// SPDX-License-Identifier: Apache-2.0

// Package parse reads documents: bytes -> tree.
package parse

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/net/html"
)

// Kind is a kind of document.
type Kind string

// Kinds that are detected; those without a reader are refused with ErrUnsupported.
const (
	HTML     Kind = "html"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	XLSX     Kind = "xlsx"
	Text     Kind = "text"
	Markdown Kind = "markdown"
	CSV      Kind = "csv"
	TSV      Kind = "tsv"
	JSON     Kind = "json"
	XML      Kind = "xml"
	Image    Kind = "image"
	// ... all of parse.md 1
)

// Source is one document.
type Source struct {
	Name, ContentType string      // hints; a declared charset counts for text kinds
	URL               string      // base of relative links; empty for uploads
	Data              io.ReaderAt // the bytes
	Size              int64
	Root              *html.Node // HTML that the caller has parsed already; nil otherwise
}

// Limits bound one document. Zero fields are the defaults of parse.md 4.2; -1 none.
type Limits struct { /* by the owner: only what is used */
}

// Options are of one call. The zero value detects the kind.
type Options struct {
	Kind Kind // forces a reader; empty detects
}

// Engine reads every built-in kind. Safe for concurrent use.
type Engine struct {
	Limits Limits
}

// Tree is one document, read.
type Tree struct {
	Root     *html.Node // document node: html > head, body; shared, nobody changes it
	Kind     Kind
	Meta     Meta
	Verbatim string // text kinds (html, text, markdown, json, xml, csv): the decoded text itself
	Warnings []Warning
}

// Meta is what a document says of itself.
type Meta struct {
	Title, Author, Subject, Keywords, Language string
	Created, Modified                          time.Time
	Pages, TotalPages                          int // zero where the kind has none
}

// Warning is one thing that was lost or odd.
type Warning struct {
	Code string // such as declared-type, truncated, flattened
	Page int    // from 1; zero where it is not of one page
	Text string
}

// Detection says what a document is, and by which evidence.
type Detection struct {
	Kind       Kind
	Confidence float64 // 0..1
	Declared   Kind    // what name and type say; empty where they say nothing
	Evidence   string
}

// Detect reads what it must of src and no more.
func Detect(src Source) Detection { panic("skeleton") }

// Why a document could not be read.
var (
	ErrUnsupported = errors.New("kind of document is not supported")
	ErrEncrypted   = errors.New("document is encrypted")
	ErrCorrupt     = errors.New("document is malformed")
	ErrLimit       = errors.New("document is over a limit")
)

// Error says which document failed and where.
type Error struct {
	Name string // as given in [Source]
	Kind Kind   // empty where detection failed
	Page int    // from 1; zero where the failure is not of one page
	Err  error  // wraps a sentinel or ctx's error
}

// Parse reads src.
func (e *Engine) Parse(ctx context.Context, src Source, o Options) (*Tree, error) { panic("skeleton") }
