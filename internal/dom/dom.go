// SPDX-License-Identifier: Apache-2.0

// Package dom parses HTML bytes into a tree of *html.Node. No other package
// builds trees from HTML text.
//
// [Decode] determines the encoding: valid UTF-8 has precedence over a
// declaration, then declarations apply, then a guess. [Parse] builds the tree
// like a browser without scripting, so the content of noscript elements is
// parsed.
//
// # Security
//
// Any input gives a tree, in time and memory linear in its size. A document
// that exceeds a limit of [Parser] is truncated. If its nesting would stop the
// tree builder or make it copy open elements again and again, the document
// loses markup, but no text. [Document.Warnings] reports this. No tree is
// deeper than 512 elements, so code that walks one may be recursive.
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

// Document is an HTML document, which is not changed after it was parsed.
type Document struct {
	Root      *html.Node // the document node
	Text      string     // the decoded body as UTF-8, even if the tree contains only a part
	Charset   string     // WHATWG name of the encoding
	Cut       int        // bytes at the end of Text that the tree lacks, if it is truncated or something is not closed
	Swallowed int        // bytes of markup and its text in tags that lack their end or a quote, and so have them as attributes
	Warnings  []string   // what was lost: [Truncated], [Unclosed], [DeepNesting], [Flattened], [Attributes], [Frames]
}

// Values of Document.Warnings, each at most once.
const (
	Truncated   = "truncated"    // the tree ends where the text exceeded a limit
	Unclosed    = "unclosed"     // the text ends in a tag, a comment, or a title, style or script, and the tree has it as that
	DeepNesting = "deep-nesting" // tags were removed so that the rest keeps its structure
	Flattened   = "flattened"    // the tree contains only paragraphs, links and images
	Attributes  = "attributes"   // a tag lost its attributes beyond the first 1,000
	Frames      = "frames"       // documents in srcdoc attributes of frames were not read, or not to their end
)

// maxUnclosed is how many bytes a text may leave open at its end without a warning.
// Many pages end in half of an end tag.
const maxUnclosed = 16

// Unlimited turns off a limit.
const Unlimited = -1

// Parser contains the limits for a document. The zero value has the defaults.
// It is safe for concurrent use.
type Parser struct {
	Bytes      int // of decoded text; zero means 50 MiB
	Tags       int // number of '<'; zero means 2,000,000
	Nodes      int // number of tags that create a node, and of texts after tags; zero means 600,000
	Attributes int // number of '=', and of names in large documents; zero means 4,000,000
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

// Parse decodes and parses body with the default limits. It accepts any bytes,
// so its only error is that of ctx.
func Parse(ctx context.Context, body []byte, contentType string) (*Document, error) {
	return Parser{}.Parse(ctx, body, contentType)
}

// Parse decodes and parses body. It accepts any bytes, so its only error is
// that of ctx.
func (p Parser) Parse(ctx context.Context, body []byte, contentType string) (*Document, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	text, charset := Decode(body, contentType)
	d := &Document{Text: text, Charset: charset}
	p = p.withDefaults()
	if err := d.build(ctx, p, &allowance{nodes: p.Nodes, frames: maxFrames, depth: maxFrameDepth}); err != nil {
		return nil, err
	}
	return d, nil
}

// build builds the tree of d.Text. rest is what it may use together with the documents in its
// frames.
func (d *Document) build(ctx context.Context, bounds Parser, rest *allowance) error {
	text := d.Text
	bounds.Nodes = rest.nodes
	end, nodes, suspect, huge := bounds.survey(text)
	if huge {
		if short := trim(text[:end], maxTagValues); len(short) < end {
			d.warn(Attributes)
			if end < len(text) {
				d.warn(Truncated)
				d.Cut = len(text) - end
			}
			text = short
			end, nodes, suspect, _ = bounds.survey(text)
		}
	}
	var need *limits
	var loss htmltree.Loss
	var inner htmltree.Inner
	if suspect {
		end, need = bounds.audit(text[:end])
	}
	if end < len(text) {
		d.Cut += len(text) - end
		text = text[:end]
		d.warn(Truncated)
	}
	rest.nodes -= nodes
	if need == nil {
		d.Root, loss, inner = htmltree.Parse(text, nodes, ctx.Done())
		need = &limitsOfNesting
	}
	if d.Root == nil && context.Cause(ctx) == nil {
		d.warn(DeepNesting)
		d.Root, loss, inner = htmltree.Parse(prune(text, *need), nodes, ctx.Done())
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if d.Root == nil {
		d.warn(Flattened)
		d.Root = flatten(text)
	}
	d.Swallowed = loss.Swallowed
	if loss.Unclosed > maxUnclosed && !slices.Contains(d.Warnings, Truncated) {
		d.warn(Unclosed)
		d.Cut = loss.Unclosed
	}
	if referencesControl(text) {
		clean(d.Root)
	}
	if len(inner.Shadows) > 0 {
		d.show(inner.Shadows)
	}
	if len(inner.Frames) > 0 {
		return d.open(ctx, bounds, inner.Frames, rest)
	}
	return nil
}

func (d *Document) warn(code string) {
	if !slices.Contains(d.Warnings, code) {
		d.Warnings = append(d.Warnings, code)
	}
}

// Attr returns the attribute key of n, which must be in lower case, or "".
func Attr(n *html.Node, key string) string {
	v, _ := LookupAttr(n, key)
	return v
}

// LookupAttr is like Attr, but distinguishes an empty attribute from a missing
// one.
func LookupAttr(n *html.Node, key string) (value string, ok bool) {
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the text below n in document order as it is in the source: white
// space is not collapsed, blocks are not separated, and script and style count
// like other elements.
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
