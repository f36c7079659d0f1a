// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/parse/internal/csv"
	"example.com/curlew/parse/internal/md"
)

// readHTML gives the tree as it stands in the document. A tree that the caller
// has is not made again.
func readHTML(ctx context.Context, in *input) (*Tree, error) {
	if in.Root != nil {
		text, _ := dom.Decode(in.data, in.ContentType)
		return &Tree{Root: in.Root, Charset: in.Charset, Verbatim: text, Warnings: warningsOf(in.Lost)}, nil
	}
	d, err := dom.Parser{Nodes: in.limits.Nodes}.Parse(ctx, in.take(), in.ContentType)
	if err != nil {
		return nil, err
	}
	return &Tree{Root: d.Root, Charset: d.Charset, Verbatim: d.Text, Warnings: warningsOf(d.Warnings)}, nil
}

// warningsOf returns the warnings of a tree that lacks what lost names.
func warningsOf(lost []string) (warnings []Warning) {
	for _, w := range lost {
		switch w {
		case dom.Truncated:
			warnings = append(warnings, Warning{Code: WarnTruncated, Text: "The document is too large; its end was left out."})
		case dom.DeepNesting:
			warnings = append(warnings, Warning{Code: WarnDeepNesting, Text: "The document is nested too deeply; some of its structure was left out."})
		case dom.Flattened:
			warnings = append(warnings, Warning{Code: WarnDeepNesting, Text: "Only text, links and images of the document were kept."})
		}
	}
	return warnings
}

// readText gives one pre.
func readText(_ context.Context, in *input) (*Tree, error) {
	text, _ := dom.Decode(in.take(), in.ContentType)
	return &Tree{Root: preformatted(in.kind, "", "", text), Verbatim: text}, nil
}

// readCode gives one pre > code of JSON, re-indented if it parses, or XML.
func readCode(_ context.Context, in *input) (*Tree, error) {
	text, _ := dom.Decode(in.take(), in.ContentType)
	shown := text
	if in.kind == JSON {
		shown = indented(text)
	}
	return &Tree{Root: preformatted(in.kind, "language-"+string(in.kind), "", shown), Verbatim: text}, nil
}

// preformatted is a document of one pre, with a code of that class in it
// unless class is empty.
func preformatted(kind Kind, class, title, text string) *html.Node {
	var b doctree.Builder
	doc, _, body := b.Document(string(kind), "", title)
	pre := b.Append(body, atom.Pre)
	if class != "" {
		pre = b.Append(pre, atom.Code, "class", class)
	}
	b.Text(pre, text)
	return doc
}

// maxIndented is how long JSON may be with its indents, in bytes.
const maxIndented = 32 << 20

// indented returns text as JSON with two spaces a level, or as it is where it
// is no JSON, would grow more than fourfold or be very long.
func indented(text string) string {
	size := len(text) + indentedSize(text)
	if size > 5*len(text)+1<<16 || size > maxIndented {
		return text
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		return text
	}
	return b.String()
}

// indentedSize returns about how many bytes of white space json.Indent adds:
// nesting makes it square.
func indentedSize(text string) (size int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			size += 2*depth + 1
		case c == '}' || c == ']':
			depth--
			size += 2*depth + 1
		case c == ',':
			size += 2*depth + 1
		}
	}
	return size
}

// readMarkdown gives the tree of the rendered text; the text itself stays as
// it is.
func readMarkdown(ctx context.Context, in *input) (*Tree, error) {
	text, _ := dom.Decode(in.take(), in.ContentType)
	body, title, err := md.HTML(text)
	if err != nil {
		return &Tree{ //nolint:nilerr // the text is read all the same
			Root: preformatted(in.kind, "", title, text), Verbatim: text, Meta: Meta{Title: title},
			Warnings: []Warning{{Code: WarnDeepNesting, Text: "The Markdown is too long or too deeply nested; its structure was left out."}},
		}, nil
	}
	d, err := dom.Parser{Nodes: in.limits.Nodes}.Parse(ctx, body, "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	dress(d.Root, in.kind, title)
	return &Tree{Root: d.Root, Verbatim: text, Meta: Meta{Title: title}, Warnings: warningsOf(d.Warnings)}, nil
}

// dress gives a tree that was made from HTML what other trees of kind have:
// this room made it, so it may change it.
func dress(doc *html.Node, kind Kind, title string) {
	for root := range doc.ChildNodes() {
		if root.DataAtom != atom.Html {
			continue
		}
		root.Attr = append([]html.Attribute{{Key: "data-kind", Val: string(kind)}}, root.Attr...)
		if head := root.FirstChild; title != "" && head != nil && head.DataAtom == atom.Head {
			var b doctree.Builder
			b.Text(b.Append(head, atom.Title), title)
		}
	}
}

// readTable gives one table.
func readTable(ctx context.Context, in *input) (*Tree, error) {
	text, _ := dom.Decode(in.take(), in.ContentType)
	o := csv.Options{Kind: string(in.kind), Nodes: in.limits.Nodes}
	if in.kind == TSV {
		o.Comma = '\t'
	}
	root, cut, err := csv.Tree(ctx, text, o)
	if _, ok := errors.AsType[*csv.LimitError](err); ok {
		return nil, overLimit(err)
	}
	if err != nil {
		return nil, err
	}
	t := &Tree{Root: root, Verbatim: text}
	if cut {
		t.Warnings = []Warning{{Code: WarnTruncated, Text: "The table is too large; its last rows were left out."}}
	}
	return t, nil
}
