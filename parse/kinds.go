// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
)

// Kind is a kind of document. Templates, variants with macros, and documents
// that are one XML file have the same kind as the plain document.
type Kind string

// The kinds that are detected. If an engine has no reader for a kind, it
// returns [ErrUnsupported].
const (
	HTML     Kind = "html"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	XLSX     Kind = "xlsx"
	XLSB     Kind = "xlsb"
	PPTX     Kind = "pptx"
	VSDX     Kind = "vsdx"
	ODT      Kind = "odt"
	ODS      Kind = "ods"
	ODP      Kind = "odp"
	RTF      Kind = "rtf"
	EPUB     Kind = "epub"
	CSV      Kind = "csv"
	TSV      Kind = "tsv"
	EML      Kind = "eml"
	MHTML    Kind = "mhtml"
	MSG      Kind = "msg"
	DOC      Kind = "doc"
	XLS      Kind = "xls"
	PPT      Kind = "ppt"
	Text     Kind = "text"
	Markdown Kind = "markdown"
	JSON     Kind = "json"
	XML      Kind = "xml"
	Image    Kind = "image"
)

// isText reports whether k is a kind of text. Between these kinds the
// declared name and type may decide.
func (k Kind) isText() bool {
	switch k {
	case HTML, CSV, TSV, Text, Markdown, JSON, XML:
		return true
	}
	return false
}

// reader turns documents of one kind into trees. It sets Root, Meta,
// Verbatim and Warnings of the tree.
type reader struct {
	kind Kind
	read func(context.Context, *input) (*Tree, error)
}

// input is one document and the settings for its reader.
type input struct {
	Source
	data     []byte      // the whole document; nil if the reader reads parts through ReadAt
	whole    io.ReaderAt // a ZIP container with its directory; nil for other documents
	kind     Kind
	own      bool // a built-in reader reads it
	limits   Limits
	options  Options
	depth    int            // number of documents that contain this one
	children int            // documents inside this one that were read
	unsaid   doctree.Unsaid // further warnings of these
	within   []Warning      // from documents inside this one
	ocr      OCR            // nil if there is none
	render   Renderer       // nil if there is none
	readers  []Reader       // added by the caller
	budget   *zipxml.Budget // bytes that this document and documents inside it may decompress
	failed   error          // an error of Data
	over     error          // a limit that a document inside this one exceeded
}

// read runs the reader r.
func (in *input) read(ctx context.Context, r reader) (*Tree, error) {
	if !in.own {
		return r.read(ctx, in)
	}
	lost, err := in.unpack(ctx)
	if err != nil {
		return office(nil, err)
	}
	tree, err := r.read(ctx, in)
	if tree != nil {
		tree.Warnings = slices.Concat(lost, tree.Warnings)
	}
	return tree, err
}

// take returns the bytes of the document and drops the reference to them, so
// that they can be freed while the tree is built.
func (in *input) take() []byte {
	data := in.data
	in.data = nil
	return data
}

// isContainer reports whether readers of kind k read single parts of the
// document, so that it need not be in memory.
func (k Kind) isContainer() bool {
	switch k {
	case DOCX, XLSX, XLSB, PPTX, VSDX, ODT, ODS, ODP, EPUB:
		return true
	}
	return false
}

// file returns the document in memory if it was loaded, otherwise the
// source.
func (in *input) file() io.ReaderAt {
	if in.whole != nil {
		return in.whole
	}
	if in.data != nil {
		return bytes.NewReader(in.data)
	}
	return in
}

// ReadAt reads from the source and records its error, because a reader would
// report it as a fault of the document. A negative offset is a fault of the
// document: some parts of a damaged archive seem to begin there.
func (in *input) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := in.Data.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		in.failed = err
	}
	return n, err
}

// readers returns the built-in readers.
func readers() []reader {
	return []reader{
		{HTML, readHTML},
		{PDF, readPDF},
		{Text, readText},
		{Markdown, readMarkdown},
		{CSV, readTable},
		{TSV, readTable},
		{JSON, readCode},
		{XML, readCode},
		{DOCX, readDOCX},
		{XLSX, readXLSX},
		{XLSB, readXLSX},
		{PPTX, readPPTX},
		{VSDX, readVSDX},
		{ODT, readODF},
		{ODS, readODF},
		{ODP, readODF},
		{EPUB, readEPUB},
		{RTF, readRTF},
		{EML, readMail},
		{MHTML, readMail},
		{MSG, readMSG},
		{DOC, readDOC},
		{PPT, readPPT},
		{XLS, readXLS},
		{Image, readImage},
	}
}
