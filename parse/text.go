// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/csv"
	"example.com/curlew/parse/internal/md"
)

// readHTML returns the tree of an HTML page. If the caller has already
// parsed the page, it returns that tree.
func readHTML(ctx context.Context, in *input) (*Tree, error) {
	if in.Root != nil {
		text, _ := dom.Decode(in.data, in.ContentType)
		return &Tree{Root: in.Root, Charset: in.Charset, Verbatim: text, Warnings: warningsOf(&dom.Document{Text: text, Charset: in.Charset, Lost: in.Lost})}, nil
	}
	d, err := dom.Parser{Nodes: in.limits.Nodes}.Parse(ctx, in.take(), in.ContentType)
	if err != nil {
		return nil, err
	}
	return &Tree{Root: d.Root, Charset: d.Charset, Verbatim: d.Text, Warnings: warningsOf(d)}, nil
}

// warningsOf converts what the tree of a document lacks to warnings.
func warningsOf(d *dom.Document) (warnings []Warning) {
	for _, l := range d.Losses("The document") {
		warnings = append(warnings, Warning{Code: l.Code, Text: l.Text})
	}
	return warnings
}

// text returns the document as UTF-8, and warnings about its encoding.
func (in *input) text() (string, []Warning) {
	d := dom.Read(in.take(), in.ContentType)
	return d.Text, warningsOf(d)
}

// readText returns the text in one pre element.
func readText(_ context.Context, in *input) (*Tree, error) {
	text, doubts := in.text()
	return &Tree{Root: preformatted(in.kind, "", "", text), Verbatim: text, Warnings: doubts}, nil
}

// readCode returns JSON or XML in a pre element with a code element. JSON
// that parses is indented. Damaged text is shown unchanged, with a warning.
func readCode(ctx context.Context, in *input) (*Tree, error) {
	text, doubts := in.text()
	shown := text
	var fault string
	if in.kind == JSON {
		var err error
		if shown, err = indented(text); err != nil {
			fault = jsonFault(text, err)
		}
	} else {
		fault = xmlFault(ctx, text)
	}
	t := &Tree{Root: preformatted(in.kind, "language-"+string(in.kind), "", shown), Verbatim: text, Warnings: doubts}
	if fault != "" {
		t.Warnings = append(t.Warnings, Warning{Code: WarnDamaged, Text: fault})
	}
	return t, nil
}

const cutJSON = "The JSON ends before it is complete."

// What encoding/json says of text behind the first value, and of a value that is cut.
const (
	afterValue = "after top-level value"
	unexpected = "unexpected end"
)

// jsonFault says why text is not JSON, which indented has refused with err. It returns "" if
// text is one JSON value, or several, as in JSON Lines.
func jsonFault(text string, err error) string {
	fault, ok := errors.AsType[*json.SyntaxError](err)
	if ok && !strings.Contains(fault.Error(), afterValue) {
		return firstFault(fault)
	}
	if areLines(text) {
		return ""
	}
	// A value may go over several lines, and several values may be in one line.
	d := json.NewDecoder(strings.NewReader(text))
	for values := 0; ; values++ {
		err := d.Decode(new(ignored))
		fault, invalid := errors.AsType[*json.SyntaxError](err)
		switch {
		case errors.Is(err, io.EOF):
			return ""
		case err != nil && values > 0:
			return fmt.Sprintf("The JSON is not valid: of its values, %d are complete.", values)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return cutJSON
		case invalid:
			return firstFault(fault)
		case err != nil:
			return ""
		}
	}
}

// firstFault says what is wrong with the first value.
func firstFault(fault *json.SyntaxError) string {
	if strings.Contains(fault.Error(), unexpected) {
		return cutJSON
	}
	return fmt.Sprintf("The JSON is not valid at byte %d: %s.", fault.Offset, fault.Error())
}

// areLines reports whether each line of text is a JSON value or blank.
func areLines(text string) bool {
	for line := range strings.Lines(text) {
		if strings.Trim(line, " \t\r\n") != "" && !json.Valid([]byte(line)) {
			return false
		}
	}
	return true
}

// ignored is a JSON value that is checked only.
type ignored struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// xmlFault says why text is not complete XML, or returns "".
func xmlFault(ctx context.Context, text string) string {
	s := zipxml.NewScanner(text, nil)
	for {
		_, err := s.Next(ctx)
		switch {
		case errors.Is(err, zipxml.ErrTags):
			return "The XML has tags that do not match or are damaged."
		case errors.Is(err, zipxml.ErrMalformed):
			return "The XML ends before it is complete."
		case err != nil: // its end, or a limit of the scanner
			return ""
		}
	}
}

// preformatted returns a document with one pre element. Unless class is
// empty, the pre element contains a code element of that class.
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

// maxIndented is the maximum size of indented JSON, in bytes.
const maxIndented = 32 << 20

// errIndented means that JSON would be too long if it were indented.
var errIndented = errors.New("too long")

// indented returns JSON indented by two spaces for each level. It returns text
// unchanged, and an error, if it is not JSON, or if it would become more than five
// times as long or longer than maxIndented.
func indented(text string) (string, error) {
	size := len(text) + indentedSize(text)
	if size > 5*len(text)+1<<16 || size > maxIndented {
		return text, errIndented
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		return text, err
	}
	return b.String(), nil
}

// indentedSize estimates how many bytes of white space json.Indent adds.
// Deep nesting makes this quadratic in the length of text.
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

// readMarkdown returns the tree of the rendered Markdown. Verbatim is the
// unchanged source text.
func readMarkdown(ctx context.Context, in *input) (*Tree, error) {
	text, doubts := in.text()
	body, title, err := md.HTML(text)
	if err != nil {
		return &Tree{ //nolint:nilerr // the text is read all the same
			Root: preformatted(in.kind, "", title, text), Verbatim: text, Meta: Meta{Title: title},
			Warnings: append(doubts, Warning{Code: WarnDeepNesting, Text: "The Markdown is too long or too deeply nested; its structure was left out."}),
		}, nil
	}
	d, err := dom.Parser{Nodes: in.limits.Nodes}.Parse(ctx, body, "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	dress(d.Root, in.kind, title)
	return &Tree{Root: d.Root, Verbatim: text, Meta: Meta{Title: title}, Warnings: append(doubts, warningsOf(d)...)}, nil
}

// dress adds the kind and the title to a tree that was parsed from generated
// HTML, as the trees of other kinds have them. It changes doc.
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

// readTable returns CSV or TSV as one table.
func readTable(ctx context.Context, in *input) (*Tree, error) {
	if in.options.streams(in.kind) && in.data == nil {
		return streamTable(in)
	}
	text, doubts := in.text()
	o := csv.Options{Kind: string(in.kind), Nodes: in.limits.Nodes, Cells: in.limits.Cells}
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
	t := &Tree{Root: root, Verbatim: text, Warnings: doubts}
	if cut.Records > 0 {
		t.Warnings = append(t.Warnings, Warning{Code: WarnTruncated, Text: fmt.Sprintf("The table is too large; its last %d of %d rows were left out.", cut.Records, cut.Of)})
	}
	t.doubt(cut.Doubts)
	return t, nil
}
