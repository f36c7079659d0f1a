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
// loses markup, but no text. [Document.Lost] reports this. No tree is
// deeper than 512 elements, so code that walks one may be recursive.
package dom

import (
	"cmp"
	"context"
	"math"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom/internal/htmltree"
)

// Document is an HTML document, which is not changed after it was parsed.
type Document struct {
	Root    *html.Node     // the document node
	Text    string         // the decoded body as UTF-8, even if the tree contains only a part
	Charset string         // WHATWG name of the encoding
	Lost    map[string]int // what the tree lacks of Text, and how much of it; nil if nothing
}

// Keys of Document.Lost, with what their values count.
const (
	Truncated   = "truncated"    // bytes at the end of the text that exceed a limit
	Guessed     = "guessed"      // bytes beyond ASCII of a text that does not say its encoding, or not truly
	Wrong       = "wrong"        // bytes that are no characters of the encoding, or controls
	Unclosed    = "unclosed"     // bytes at the end of the text in a tag, a comment, or a title, style or script that has no end
	Swallowed   = "swallowed"    // bytes of markup and its text in tags that lack their end or a quote, and so have them as attributes
	DeepNesting = "deep-nesting" // tags that were removed, or elements that were moved out of others, so that the rest keeps its structure
	Flattened   = "flattened"    // documents of which the tree has only paragraphs, links and images: the page, and those in its frames
	Attributes  = "attributes"   // attributes beyond the first 1,000 of their tag
	Frames      = "frames"       // documents in srcdoc attributes of frames that were not read, or not to their end
)

// maxUnclosed is how many bytes a text may leave open at its end without a warning.
// Many pages end in half of an end tag. One that ends in a start tag has been cut.
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
	d := Read(body, contentType)
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
		if short, left := trim(text[:end], maxTagValues); left > 0 {
			d.lose(Attributes, left)
			d.lose(Truncated, len(text)-end)
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
	d.lose(Truncated, len(text)-end)
	text = text[:end]
	rest.nodes -= nodes
	if need == nil {
		d.Root, loss, inner = htmltree.Parse(text, nodes, ctx.Done())
		need = &limitsOfNesting
	}
	if d.Root == nil && context.Cause(ctx) == nil {
		pruned, tags := prune(text, *need)
		d.lose(DeepNesting, tags)
		d.Root, loss, inner = htmltree.Parse(pruned, nodes, ctx.Done())
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if d.Root == nil {
		delete(d.Lost, DeepNesting)
		d.lose(Flattened, 1)
		d.Root = flatten(text)
	}
	d.lose(Swallowed, loss.Swallowed)
	if (loss.Unclosed > maxUnclosed || endsInStartTag(text, loss.Unclosed)) && d.Lost[Truncated] == 0 {
		d.lose(Unclosed, loss.Unclosed)
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

// lose adds n to what the tree lacks.
func (d *Document) lose(what string, n int) {
	if n == 0 {
		return
	}
	if d.Lost == nil {
		d.Lost = map[string]int{}
	}
	d.Lost[what] += n
}

// Attr returns the attribute key of n, which must be in lower case, or "".
//
// Inlined into all callers, it would make programs some kilobytes larger.
//
//go:noinline
func Attr(n *html.Node, key string) string {
	v, _ := LookupAttr(n, key)
	return v
}

// LookupAttr is like Attr, but distinguishes an empty attribute from a missing
// one. Some 300 calls would each contain a copy of the loop.
//
//go:noinline
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
	for d := Next(n, n); d != nil; d = Next(d, n) {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// endsInStartTag reports whether the last n bytes of a text are those of a start tag without its "<" (HTML 13.2.5.6).
func endsInStartTag(text string, n int) bool {
	at := len(text) - n
	return n > 0 && at > 0 && text[at-1] == '<' && 'a' <= text[at]|0x20 && text[at]|0x20 <= 'z'
}
