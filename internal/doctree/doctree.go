// SPDX-License-Identifier: Apache-2.0

// Package doctree builds the trees of documents other than HTML as *html.Node, with the
// elements of HTML.
package doctree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// slab is how many nodes are allocated at once.
const slab = 512

// Builder creates the nodes of one document. The zero value is ready to use. It
// is not safe for concurrent use.
type Builder struct {
	free  []html.Node
	count int
}

// Count returns how many nodes b has created.
func (b *Builder) Count() int { return b.count }

func (b *Builder) node() *html.Node {
	if len(b.free) == 0 {
		// Small documents are frequent, so the first slabs are small.
		b.free = make([]html.Node, min(16+b.count, slab))
	}
	n := &b.free[0]
	b.free = b.free[1:]
	b.count++
	return n
}

// Element returns a new element. Attributes are given as key, value, key,
// value.
func (b *Builder) Element(tag atom.Atom, attrs ...string) *html.Node {
	n := b.node()
	n.Type, n.DataAtom, n.Data = html.ElementNode, tag, tag.String()
	if len(attrs) > 1 {
		n.Attr = make([]html.Attribute, 0, len(attrs)/2)
		for i := 0; i+1 < len(attrs); i += 2 {
			n.Attr = append(n.Attr, html.Attribute{Key: attrs[i], Val: attrs[i+1]})
		}
	}
	return n
}

// Append creates an element, appends it to parent and returns it.
func (b *Builder) Append(parent *html.Node, tag atom.Atom, attrs ...string) *html.Node {
	n := b.Element(tag, attrs...)
	parent.AppendChild(n)
	return n
}

// Text appends text to parent, without control characters. Invalid UTF-8
// becomes U+FFFD. An empty text appends nothing.
func (b *Builder) Text(parent *html.Node, text string) {
	if text = Clean(text); text != "" {
		b.raw(parent, text)
	}
}

// raw appends text unchanged.
func (b *Builder) raw(parent *html.Node, text string) {
	n := b.node()
	n.Type, n.Data = html.TextNode, text
	parent.AppendChild(n)
}

// Clean returns text as valid UTF-8 without control characters, except for
// white space of HTML.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, text)
}

func isControl(r rune) bool { return r < 0x20 && r != '\t' && r != '\n' && r != '\f' && r != '\r' }

// Document returns the nodes that every tree has: the document, its head and
// its body. kind and lang become attributes of the html element. lang and title
// may be empty, and are then omitted.
func (b *Builder) Document(kind, lang, title string) (doc, head, body *html.Node) {
	doc = b.node()
	doc.Type = html.DocumentNode
	attrs := []string{"data-kind", kind}
	if lang != "" {
		attrs = append(attrs, "lang", lang)
	}
	root := b.Append(doc, atom.Html, attrs...)
	head = b.Append(root, atom.Head)
	if title != "" {
		b.Text(b.Append(head, atom.Title), title)
	}
	return doc, head, b.Append(root, atom.Body)
}

// SetKind replaces the kind of a document that [Builder.Document] has made.
func SetKind(doc *html.Node, kind string) {
	for i, a := range doc.FirstChild.Attr {
		if a.Key == "data-kind" {
			doc.FirstChild.Attr[i].Val = kind
		}
	}
}
