// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	a "golang.org/x/net/html/atom"

	"example.com/curlew/internal/sorting"
)

// A parser builds one tree (HTML 13.2.6).
type parser struct {
	z   tokenizer
	tok token
	doc *html.Node

	oe         stack        // open elements (HTML 13.2.4.2)
	afe        []*html.Node // active formatting elements (HTML 13.2.4.3), with markers
	head, form *html.Node   // HTML 13.2.4.4
	framesetOK bool         // a frameset may still replace the body
	quirks     bool

	im         mode
	originalIM mode   // mode to return to after text, or nil
	templates  []mode // modes of the open templates
	inner      Inner
	fostering  bool // content is inserted before the table (foster parenting)

	texts map[*html.Node][]byte // content of text nodes from several tokens
}

// A mode is an insertion mode (HTML 13.2.4.1), which handles the current token.
// It reports whether the token was consumed.
type mode func(*parser) bool

// marker in afe prevents that the formatting elements before it affect what
// follows, for example inside cells, captions and templates.
var marker html.Node

// parseCurrentToken passes the current token to the modes until one consumes
// it.
func (p *parser) parseCurrentToken() {
	for done := false; !done; {
		if p.inForeignContent() {
			done = parseForeignContent(p)
		} else {
			done = p.im(p)
		}
	}
}

// implied handles a tag that is missing in the text.
func (p *parser) implied(k kind, name a.Atom) {
	real := p.tok
	p.tok = token{kind: k, atom: name, data: name.String()}
	p.parseCurrentToken()
	p.tok = real
}

// top returns the innermost open element, or the document.
func (p *parser) top() *html.Node {
	if n := len(p.oe); n > 0 {
		return p.oe[n-1].node
	}
	return p.doc
}

// popUntil closes the elements up to the innermost one in names, if it is in
// scope, and reports whether it was.
func (p *parser) popUntil(s scope, names ...a.Atom) bool {
	if i := p.oe.find(s, names...); i != -1 {
		p.oe = p.oe[:i]
		return true
	}
	return false
}

// Elements that limit a part of a table.
var (
	tableContext     = []a.Atom{a.Html, a.Table, a.Template}
	tableRowContext  = []a.Atom{a.Html, a.Tr, a.Template}
	tableBodyContext = []a.Atom{a.Html, a.Tbody, a.Tfoot, a.Thead, a.Template}
)

// clearTo closes all elements inside the innermost one in context.
func (p *parser) clearTo(context []a.Atom) {
	for i, e := range slices.Backward(p.oe) {
		if slices.Contains(context, e.node.DataAtom) {
			p.oe = p.oe[:i+1]
			return
		}
	}
}

// generateImpliedEndTags closes the elements whose end tags may be omitted,
// except those with one of the given names.
func (p *parser) generateImpliedEndTags(except ...a.Atom) {
	i := len(p.oe) - 1
	for i >= 0 && p.oe[i].is&ends != 0 && !slices.Contains(except, p.oe[i].node.DataAtom) {
		i--
	}
	p.oe = p.oe[:i+1]
}

// add appends a node to the innermost open element.
func (p *parser) add(n *html.Node) {
	if p.shouldFoster() {
		p.foster(n)
	} else {
		p.top().AppendChild(n)
	}
}

// push opens an element.
func (p *parser) push(n *html.Node) {
	if len(p.oe) == MaxOpen {
		panic(tooDeep{})
	}
	p.oe = append(p.oe, element{n, traitsOf(n)})
}

// addElement appends the element of the current start tag and opens it.
func (p *parser) addElement(namespace string) *html.Node {
	n := p.z.slab.node()
	n.Type, n.DataAtom, n.Data, n.Attr, n.Namespace = html.ElementNode, p.tok.atom, p.tok.data, p.tok.attr, namespace
	p.add(n)
	p.push(n)
	return n
}

// addVoid appends the element of the current token without opening it.
func (p *parser) addVoid() {
	p.addElement("")
	p.oe.pop()
}

// addRaw appends the element of the current start tag, whose content is text.
func (p *parser) addRaw() {
	p.addElement("")
	p.originalIM = p.im
	p.im = textIM
}

// addComment appends the comment of the current token.
func (p *parser) addComment() { p.add(p.newComment()) }

// commentIn appends the comment of the current token to parent.
func (p *parser) commentIn(parent *html.Node) { parent.AppendChild(p.newComment()) }

func (p *parser) newComment() *html.Node {
	n := p.z.slab.node()
	n.Type, n.Data = html.CommentNode, p.tok.data
	return n
}

// addText appends text to the innermost open element.
func (p *parser) addText(text string) {
	if text == "" {
		return
	}
	foster := p.shouldFoster()
	if last := p.top().LastChild; !foster && last != nil && last.Type == html.TextNode {
		p.appendText(last, text)
		return
	}
	n := p.z.slab.node()
	n.Type, n.Data = html.TextNode, text
	if foster {
		p.foster(n)
		return
	}
	p.top().AppendChild(n)
}

// whitespace is the white space of HTML.
const whitespace = " \t\r\n\f"

// addSpace appends the white space at the start of the current text, and
// removes it from the token.
func (p *parser) addSpace() {
	rest := strings.TrimLeft(p.tok.data, whitespace)
	p.addText(p.tok.data[:len(p.tok.data)-len(rest)])
	p.tok.data = rest
}

// appendText appends text to a text node.
func (p *parser) appendText(n *html.Node, text string) {
	if p.texts == nil {
		p.texts = make(map[*html.Node][]byte)
	}
	b, ok := p.texts[n]
	if !ok {
		b = []byte(n.Data)
		n.Data = ""
	}
	p.texts[n] = append(b, text...)
}

// isTablePart reports whether content that does not belong into a table is
// inserted before the table if it occurs in this element.
func isTablePart(name a.Atom) bool {
	switch name {
	case a.Table, a.Tbody, a.Tfoot, a.Thead, a.Tr:
		return true
	}
	return false
}

func (p *parser) shouldFoster() bool { return p.fostering && isTablePart(p.top().DataAtom) }

// foster inserts a node before the innermost table (HTML 13.2.6.1).
func (p *parser) foster(n *html.Node) {
	i, j := p.oe.last(a.Table), p.oe.last(a.Template)
	if j >= 0 && j > i {
		p.oe[j].node.AppendChild(n)
		return
	}
	var parent, table, prev *html.Node
	if i < 0 {
		parent = p.oe[0].node
		prev = parent.LastChild
	} else {
		table = p.oe[i].node
		if parent = table.Parent; parent == nil {
			parent = p.oe[i-1].node
		}
		prev = table.PrevSibling
	}
	if prev != nil && prev.Type == html.TextNode && n.Type == html.TextNode {
		p.appendText(prev, n.Data)
		return
	}
	parent.InsertBefore(n, table)
}

// addFormatting appends the formatting element of the current start tag.
func (p *parser) addFormatting() {
	n := p.addElement("")
	sorting.Stable(n.Attr, compareAttr) // so that attribute lists can be compared
	// The Noah's Ark clause: at most three equal elements remain.
	same := 0
	for i := len(p.afe) - 1; i >= 0 && p.afe[i] != &marker; i-- {
		if f := p.afe[i]; f.DataAtom == n.DataAtom && f.Namespace == "" && slices.Equal(f.Attr, n.Attr) {
			if same++; same >= 3 {
				p.forget(f)
			}
		}
	}
	p.afe = append(p.afe, n)
}

func compareAttr(x, y html.Attribute) int {
	return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Key, y.Key), cmp.Compare(x.Val, y.Val))
}

// forget removes n from the active formatting elements.
func (p *parser) forget(n *html.Node) {
	if i := lastIndex(p.afe, n); i != -1 {
		p.afe = slices.Delete(p.afe, i, i+1)
	}
}

// lastIndex returns the index of the last occurrence of n, or -1.
func lastIndex(nodes []*html.Node, n *html.Node) int {
	for i, m := range slices.Backward(nodes) {
		if m == n {
			return i
		}
	}
	return -1
}

// clearFormatting removes the active formatting elements up to the last marker.
func (p *parser) clearFormatting() {
	for {
		i := len(p.afe) - 1
		n := p.afe[i]
		if p.afe = p.afe[:i]; i == 0 || n == &marker {
			return
		}
	}
}

// reconstruct reopens the active formatting elements that were closed together
// with a block.
func (p *parser) reconstruct() {
	i := len(p.afe)
	for i > 0 && p.afe[i-1] != &marker && p.oe.index(p.afe[i-1]) == -1 {
		i--
	}
	for ; i < len(p.afe); i++ {
		c := p.z.slab.clone(p.afe[i])
		p.add(c)
		p.push(c)
		p.afe[i] = c
	}
}

// closeTemplate closes the innermost template.
func (p *parser) closeTemplate() {
	p.generateImpliedEndTags()
	for i, e := range slices.Backward(p.oe) {
		if e.is&foreign == 0 && e.node.DataAtom == a.Template {
			p.oe = p.oe[:i]
			break
		}
	}
	p.clearFormatting()
	p.popTemplate()
	p.resetIM()
}

// popTemplate removes the insertion mode of the innermost template.
func (p *parser) popTemplate() { p.templates = p.templates[:len(p.templates)-1] }

// resetIM sets the insertion mode according to the open elements (HTML
// 13.2.4.1).
func (p *parser) resetIM() {
	for i, e := range slices.Backward(p.oe) {
		switch n := e.node; n.DataAtom {
		case a.Td, a.Th: // a deviation from the standard
			p.im = inCellIM
		case a.Tr:
			p.im = inRowIM
		case a.Tbody, a.Thead, a.Tfoot:
			p.im = inTableBodyIM
		case a.Caption:
			p.im = inCaptionIM
		case a.Colgroup:
			p.im = inColumnGroupIM
		case a.Table:
			p.im = inTableIM
		case a.Template:
			if n.Namespace != "" { // a deviation from the standard
				continue
			}
			p.im = nil
			if n := len(p.templates); n > 0 {
				p.im = p.templates[n-1]
			}
		case a.Head: // a deviation from the standard
			p.im = inHeadIM
		case a.Body:
			p.im = inBodyIM
		case a.Frameset:
			p.im = inFramesetIM
		case a.Html:
			if p.head == nil {
				p.im = beforeHeadIM
			} else {
				p.im = afterHeadIM
			}
		default:
			if i == 0 {
				p.im = inBodyIM
				return
			}
			continue
		}
		return
	}
}
