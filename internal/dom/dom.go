// SPDX-License-Identifier: Apache-2.0

// Package dom turns HTML bytes into a tree: HTML -> *html.Node. Nobody else
// builds trees of HTML text.
//
// [Decode] settles the encoding: valid UTF-8 wins over what a page says of
// itself, then labels count, then a guess. [Parse] builds the tree as browsers
// without scripting do, so what stands in a noscript element is nodes.
//
// # Security
//
// Any bytes give a tree, in time and memory linear in their number. A document
// is cut where it is over a bound of [Parser], and loses markup, never text,
// where its nesting would stop the tree builder or make it copy open elements
// over and over; [Document.Warnings] tells. No tree is deeper than 512 elements, so
// a walk of one may recurse.
package dom

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom/internal/htmltree"
)

// Document is one HTML document, read once and not changed afterwards.
type Document struct {
	Root     *html.Node // document node
	Text     string     // the decoded body, as UTF-8, even where the tree holds less
	Charset  string     // WHATWG name of the encoding that was used
	Warnings []string   // what had to be given up: [Truncated], [DeepNesting], [Flattened], [Attributes]
}

// What Document.Warnings holds, each at most once.
const (
	Truncated   = "truncated"    // the tree ends where the text was over a bound
	DeepNesting = "deep-nesting" // tags were left out so that the rest keeps its structure
	Flattened   = "flattened"    // the tree is paragraphs, links and images only
	Attributes  = "attributes"   // a tag lost its attributes beyond the first 1,000
)

// Unlimited switches a bound off.
const Unlimited = -1

// Parser holds the bounds of one document. The zero value has the defaults.
// Safe for concurrent use.
type Parser struct {
	Bytes      int // of decoded text; zero means 50 MiB
	Tags       int // counted as '<'; zero means 2,000,000
	Nodes      int // counted as tags that make one, and texts behind tags; zero means 600,000
	Attributes int // counted as '=', and by name in large documents; zero means 4,000,000
}

func (p Parser) withDefaults() Parser {
	for _, f := range []struct {
		field *int
		value int
	}{{&p.Bytes, 50 << 20}, {&p.Tags, 2_000_000}, {&p.Nodes, 600_000}, {&p.Attributes, 4_000_000}} {
		*f.field = cmp.Or(*f.field, f.value)
		if *f.field < 0 {
			*f.field = math.MaxInt
		}
	}
	return p
}

// Parse decodes and parses body under the default bounds. It never fails on
// any bytes; its error is ctx's.
func Parse(ctx context.Context, body []byte, contentType string) (*Document, error) {
	return Parser{}.Parse(ctx, body, contentType)
}

// Parse decodes and parses body. It never fails on any bytes; its error is
// ctx's.
func (p Parser) Parse(ctx context.Context, body []byte, contentType string) (*Document, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	text, charset := Decode(body, contentType)
	d := &Document{Text: text, Charset: charset}
	if err := d.build(ctx, p.withDefaults()); err != nil {
		return nil, err
	}
	return d, nil
}

// build makes the tree of d.Text.
func (d *Document) build(ctx context.Context, bounds Parser) error {
	text := d.Text
	end, nodes, suspect, huge := bounds.survey(text)
	if huge {
		if short := trim(text[:end], maxTagValues); len(short) < end {
			d.warn(Attributes)
			if end < len(text) {
				d.warn(Truncated)
			}
			text = short
			end, nodes, suspect, _ = bounds.survey(text)
		}
	}
	var need *limits
	if suspect {
		end, need = bounds.audit(text[:end])
	}
	if end < len(text) {
		text = text[:end]
		d.warn(Truncated)
	}
	if need == nil {
		d.Root = htmltree.Parse(text, nodes, ctx.Done())
		need = &limitsOfNesting
	}
	if d.Root == nil && context.Cause(ctx) == nil {
		d.warn(DeepNesting)
		d.Root = htmltree.Parse(prune(text, *need), nodes, ctx.Done())
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if d.Root == nil {
		d.warn(Flattened)
		d.Root = flatten(text)
	}
	if referencesControl(text) {
		clean(d.Root)
	}
	return nil
}

func (d *Document) warn(code string) {
	if !slices.Contains(d.Warnings, code) {
		d.Warnings = append(d.Warnings, code)
	}
}

// Attr returns the value of n's attribute key, which is in lower case, or ""
// where n has none.
func Attr(n *html.Node, key string) string {
	v, _ := LookupAttr(n, key)
	return v
}

// LookupAttr is Attr that tells an empty attribute from a missing one.
func LookupAttr(n *html.Node, key string) (value string, ok bool) {
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the text below n as it stands in the source, in document
// order: no white space is collapsed, none is put between blocks, and script
// and style count as any other element.
func Text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
