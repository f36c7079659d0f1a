// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"io"

	"example.com/curlew/internal/zipxml"
)

// Kind is a kind of document. Variants with macros and templates share it.
type Kind string

// Kinds that are detected; those without a reader are refused with
// [ErrUnsupported].
const (
	HTML     Kind = "html"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	XLSX     Kind = "xlsx"
	XLSB     Kind = "xlsb"
	PPTX     Kind = "pptx"
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

// isText reports whether documents of kind k are text whose kind name and
// declared type may choose.
func (k Kind) isText() bool {
	switch k {
	case HTML, CSV, TSV, Text, Markdown, JSON, XML:
		return true
	}
	return false
}

// reader turns the documents of one kind into trees. It fills Root, Meta,
// Verbatim and Warnings.
type reader struct {
	kind Kind
	read func(context.Context, *input) (*Tree, error)
}

// input is what a reader gets.
type input struct {
	Source
	data    []byte // all of it; nil of a container that is read where it lies
	kind    Kind
	limits  Limits
	options Options
	depth   int            // documents around it
	within  []Warning      // of documents in it
	ocr     OCR            // nil: none
	render  Renderer       // nil: none
	readers []Reader       // of the caller
	budget  *zipxml.Budget // of what it and documents in it inflate
	failed  error          // of Data
	over    error          // a limit that a document in it is over
}

// take returns the bytes of the document and lets go of them, so that they are
// not in memory beside what they become.
func (in *input) take() []byte {
	data := in.data
	in.data = nil
	return data
}

// isContainer reports whether readers of kind k look for parts of the document,
// so that it need not be in memory.
func (k Kind) isContainer() bool {
	switch k {
	case DOCX, XLSX, XLSB, PPTX, ODT, ODS, ODP, EPUB:
		return true
	}
	return false
}

// file returns the document as it lies, or its bytes where these were read.
func (in *input) file() io.ReaderAt {
	if in.data != nil {
		return bytes.NewReader(in.data)
	}
	return in
}

// ReadAt reads from the source and keeps its error: a reader would take it for
// one of the document. What is asked for from before the beginning is the
// document's fault: of an archive with a gap some parts begin there.
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

// readers is every reader there is, one line a kind.
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
