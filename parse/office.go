// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/docx"
	"example.com/curlew/parse/internal/epub"
	"example.com/curlew/parse/internal/odf"
	"example.com/curlew/parse/internal/pptx"
	"example.com/curlew/parse/internal/rtf"
	"example.com/curlew/parse/internal/vsdx"
	"example.com/curlew/parse/internal/xlsx"
)

// maxChildren is the maximum depth of documents inside documents.
const maxChildren = 3

// maxWarnings is the maximum number of warnings kept from documents inside a
// document.
const maxWarnings = 100

// readDOCX reads a Word document.
func readDOCX(ctx context.Context, in *input) (*Tree, error) {
	return office(docx.Read(ctx, in.file(), in.Size, docx.Options{
		Hidden:  doctree.Hidden(in.options.Hidden),
		Changes: changes[in.options.Changes], Nodes: in.limits.Nodes, Budget: in.budget, Child: in.child,
	}))
}

var changes = map[Changes]docx.Changes{ChangesAccepted: docx.Accept, ChangesRejected: docx.Reject, ChangesMarked: docx.Mark}

// readPPTX reads a presentation.
func readPPTX(ctx context.Context, in *input) (*Tree, error) {
	return office(pptx.Read(ctx, in.file(), in.Size, pptx.Options{Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Budget: in.budget, Child: in.child}))
}

// readVSDX reads a drawing of Visio.
func readVSDX(ctx context.Context, in *input) (*Tree, error) {
	return office(vsdx.Read(ctx, in.file(), in.Size, vsdx.Options{Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Budget: in.budget, Child: in.child}))
}

// readXLSX reads a workbook in the XML format (XLSX) or the binary format
// (XLSB).
func readXLSX(ctx context.Context, in *input) (*Tree, error) {
	return office(xlsx.Read(ctx, in.file(), in.Size, xlsx.Options{Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes, Cells: in.limits.Cells, Budget: in.budget, Child: in.child}))
}

// readODF reads an OpenDocument text, spreadsheet or presentation.
func readODF(ctx context.Context, in *input) (*Tree, error) {
	return office(odf.Read(ctx, in.file(), in.Size, odf.Options{
		Objects: in.objects(),
		Hidden:  doctree.Hidden(in.options.Hidden),
		Kind:    string(in.kind), Nodes: in.limits.Nodes, Cells: in.limits.Cells, Budget: in.budget,
	}))
}

// readEPUB reads an e-book.
func readEPUB(ctx context.Context, in *input) (*Tree, error) {
	return office(epub.Read(ctx, in.file(), in.Size, epub.Options{Nodes: in.limits.Nodes, Budget: in.budget}))
}

// readRTF reads Rich Text Format.
func readRTF(ctx context.Context, in *input) (*Tree, error) {
	return office(rtf.Read(ctx, in.data, rtf.Options{Objects: in.objects(), Hidden: doctree.Hidden(in.options.Hidden), Nodes: in.limits.Nodes}))
}

// office converts the result of a reader of office documents to a tree or an
// error of this package.
func office(d *doctree.Document, err error) (*Tree, error) {
	if err != nil {
		for _, same := range []struct{ theirs, ours error }{
			{zipxml.ErrEncrypted, ErrEncrypted},
			{zipxml.ErrLimit, ErrLimit},
			{zipxml.ErrMalformed, ErrCorrupt},
			{rtf.ErrMalformed, ErrCorrupt},
		} {
			if errors.Is(err, same.theirs) {
				return nil, why(same.ours, err)
			}
		}
		return nil, err
	}
	m := d.Meta
	t := &Tree{Root: d.Root, Meta: Meta{
		Title: m.Title, Author: m.Author, Subject: m.Subject, Keywords: m.Keywords, Language: m.Language,
		Created: m.Created, Modified: m.Modified, Pages: m.Pages, TotalPages: m.TotalPages,
	}}
	for _, w := range d.Warnings {
		t.Warnings = append(t.Warnings, Warning{Code: w.Code, Page: w.Page, Text: w.Text})
	}
	return t, nil
}

// child reads a document inside in, such as an attachment, and returns its
// body. It returns nil if the document cannot be read. The tree is cut at
// the given number of nodes. If its reader panics, only this inner document
// is lost.
func (in *input) child(ctx context.Context, name, contentType string, data []byte, nodes int) (body *html.Node) {
	if in.depth >= maxChildren {
		in.over = &LimitError{Name: "nested documents", Value: maxChildren}
	}
	if in.depth >= maxChildren || nodes <= 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			body = nil
		}
	}()
	src := Source{Name: name, ContentType: contentType, Data: bytes.NewReader(data), Size: int64(len(data))}
	d := detect(src, in.readers)
	if r, own, ok := readerOf(d.Kind, in.readers); ok && !d.Encrypted && d.Err == nil {
		inner := &input{options: Options{Hidden: in.options.Hidden}, Source: src, data: data, kind: d.Kind, own: own, limits: in.limits, depth: in.depth + 1, readers: in.readers, budget: in.budget}
		inner.limits.Nodes = nodes
		tree, err := inner.read(ctx, r)
		switch {
		case errors.Is(err, ErrLimit):
			in.over = err
		case inner.over != nil:
			in.over = inner.over
		}
		if err != nil {
			return nil
		}
		for _, w := range slices.Concat(tree.Warnings, inner.within) {
			if len(in.within) < maxWarnings {
				in.within = append(in.within, Warning{Code: w.Code, Text: "Within " + strconv.Quote(name) + ": " + w.Text})
				continue
			}
			in.unsaid.Add(w.Code)
			in.within = append(in.within[:maxWarnings], Warning{Code: in.unsaid.Code, Text: "Within the documents inside this one: " + in.unsaid.Text()})
		}
		for n := range tree.Root.Descendants() {
			if n.DataAtom == atom.Body {
				in.children++
				distinguish(n, in.children)
				return n
			}
		}
	}
	return nil
}

// distinguish renames the ids of the number-th document inside another one, and the
// links to them, because the tree of the outer document and other inner documents
// may have the same ids, such as those of notes.
func distinguish(body *html.Node, number int) {
	mark, ids := "~"+strconv.Itoa(number), map[string]bool{}
	for n := range body.Descendants() {
		for i, a := range n.Attr {
			if a.Key == "id" && a.Namespace == "" && a.Val != "" {
				ids[a.Val] = true
				n.Attr[i].Val += mark
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	for n := range body.Descendants() {
		for i, a := range n.Attr {
			if id, ok := strings.CutPrefix(a.Val, "#"); ok && a.Key == "href" && ids[id] {
				n.Attr[i].Val += mark
			}
		}
	}
}
