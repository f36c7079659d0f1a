// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"context"

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
	data    []byte // all of it
	kind    Kind
	limits  Limits
	options Options
	depth   int            // documents around it
	within  []Warning      // of documents in it
	ocr     OCR            // nil: none
	render  Renderer       // nil: none
	budget  *zipxml.Budget // of what it and documents in it inflate
}

// take returns the bytes of the document and lets go of them, so that they are
// not in memory beside what they become.
func (in *input) take() []byte {
	data := in.data
	in.data = nil
	return data
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
