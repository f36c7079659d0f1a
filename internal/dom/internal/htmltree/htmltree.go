// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

// Package htmltree builds trees of *html.Node from text. It is the tree builder
// of golang.org/x/net/html with its insertion modes and its deviations from the
// standard, on top of a tokenizer that reads a string.
//
// The trees are equal to those of html.ParseWithOptions without scripting,
// which the tests compare, except that templates within SVG and MathML are
// parsed as the standard says: package html ignores the rest of the text after
// them. The trees are cheaper: many nodes and attributes are
// allocated at once, and names, values and texts that need no change are
// substrings of the text. So a tree keeps its text in memory, and a node keeps
// its neighbours in memory.
package htmltree

import (
	"strings"

	"golang.org/x/net/html"
)

// MaxOpen is the number of elements that may be open at once.
const MaxOpen = 512

// A Shadow is a template with the attribute shadowrootmode.
type Shadow struct {
	Template *html.Node
	Host     *html.Node // its first parent; a wrong end tag may have moved the template since
}

// Inner is what belongs inside of elements of a tree: shadow trees in their hosts, and documents
// in the srcdoc attributes of frames. Both are in the order of their start tags.
type Inner struct {
	Shadows []Shadow
	Frames  []*html.Node
}

// Loss counts the bytes of a text that the tree lacks or has as attributes.
type Loss struct {
	Unclosed  int // at the end, in a tag, a comment or an element with raw text, because its end is missing
	Swallowed int // in tags that lack their end or a quote, and so have the markup that follows them as attributes
}

// Parse returns the tree of text, which must not contain NULs. nodes is an
// estimate of the number of nodes for the allocation of memory. Parse returns
// nil if more than [MaxOpen] elements are open at once, if html.Parse refuses
// the text for another reason, or if done is closed before the tree is
// complete.
func Parse(text string, nodes int, done <-chan struct{}) (root *html.Node, loss Loss, inner Inner) {
	p := parser{im: initialIM, framesetOK: true}
	p.z.text, p.z.slab.left = text, nodes
	p.z.returns = strings.IndexByte(text, '\r') >= 0
	p.doc = p.z.slab.node()
	p.doc.Type = html.DocumentNode
	// Some states of the standard are not expected to occur without an open
	// element, and html.Parse refuses such a text.
	defer func() {
		if recover() != nil {
			root, inner = nil, Inner{}
		}
	}()
	if !p.parse(done) {
		return nil, Loss{}, Inner{}
	}
	return p.doc, p.z.loss, p.inner
}

// tooDeep is the panic value that ends the parsing of a text with too many open
// elements.
type tooDeep struct{}

// between is the number of tokens between two checks of done.
const between = 256

// parse reads all tokens. It reports whether it reached the end.
func (p *parser) parse(done <-chan struct{}) bool {
	for n := 0; ; n++ {
		if n%between == 0 {
			select {
			case <-done:
				return false
			default:
			}
		}
		// CDATA sections are allowed only in foreign content.
		top := p.oe.top()
		p.z.allowCDATA = top != nil && top.Namespace != ""
		p.z.next(&p.tok)
		end := p.tok.kind == endOfText
		p.parseCurrentToken()
		if end {
			break
		}
	}
	for n, b := range p.texts {
		n.Data = string(b)
	}
	return true
}

// A slab allocates many nodes and attributes at once.
type slab struct {
	left  int              // number of nodes that are still expected
	nodes []html.Node      // free
	attrs []html.Attribute // of the current tag; the capacity beyond is free
	size  int              // of the last allocation of attributes
}

// Numbers of nodes and attributes in one allocation. A node has 104 bytes and
// an attribute 48.
const (
	minNodes, maxNodes = 16, 256
	minAttrs, maxAttrs = 16, 128
)

// node returns a new node.
func (s *slab) node() *html.Node {
	if len(s.nodes) == 0 {
		n := min(max(s.left, minNodes), maxNodes)
		s.left -= n
		s.nodes = make([]html.Node, n)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

// attr adds an attribute to the current tag.
func (s *slab) attr(key, val string) {
	if n := len(s.attrs); n == cap(s.attrs) {
		s.size = min(max(2*s.size, minAttrs), maxAttrs)
		s.attrs = append(make([]html.Attribute, 0, max(s.size, 2*n)), s.attrs...)
	}
	s.attrs = append(s.attrs, html.Attribute{Key: key, Val: val})
}

// tag returns the attributes of the current tag, and starts another one.
func (s *slab) tag() []html.Attribute {
	n := len(s.attrs)
	if n == 0 {
		return nil
	}
	attrs := s.attrs[:n:n]
	s.attrs = s.attrs[n:]
	return attrs
}

// clone returns a node with the type, name and attributes of n.
func (s *slab) clone(n *html.Node) *html.Node {
	m := s.node()
	m.Type, m.DataAtom, m.Data = n.Type, n.DataAtom, n.Data
	if len(n.Attr) > 0 {
		m.Attr = append([]html.Attribute(nil), n.Attr...)
	}
	return m
}
