// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	a "golang.org/x/net/html/atom"
)

// inBodyIM is the mode of HTML 13.2.6.4.7.
func inBodyIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		d := p.tok.data
		if n := p.oe.top(); n.DataAtom == a.Pre || n.DataAtom == a.Listing {
			d = withoutNewline(n, d)
		}
		if d == "" {
			return true
		}
		p.reconstruct()
		p.addText(d)
		if p.framesetOK && strings.TrimLeft(d, whitespace) != "" {
			p.framesetOK = false
		}
	case startTag:
		return p.startInBody()
	case endTag:
		return p.endInBody()
	case comment:
		p.addComment()
	case endOfText:
		if len(p.templates) > 0 { // a deviation from the standard
			p.im = inTemplateIM
			return false
		}
	}
	return true
}

// withoutNewline returns the text that follows the start tag of n, without a
// first newline if that must be ignored.
func withoutNewline(n *html.Node, text string) string {
	if n.FirstChild != nil {
		return text
	}
	text = strings.TrimPrefix(text, "\r")
	return strings.TrimPrefix(text, "\n")
}

// startInBody handles the current start tag in the body.
//
//nolint:gocognit // the switch of the standard
func (p *parser) startInBody() bool {
	switch p.tok.atom {
	case a.Html:
		if p.oe.hasTemplate() {
			return true
		}
		p.copyAttributes(p.oe[0].node)
	case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Script, a.Style, a.Template, a.Title:
		return inHeadIM(p)
	case a.Body:
		if p.oe.hasTemplate() {
			return true
		}
		if len(p.oe) >= 2 {
			if body := p.oe[1].node; body.DataAtom == a.Body {
				p.framesetOK = false
				p.copyAttributes(body)
			}
		}
	case a.Frameset:
		if !p.framesetOK || len(p.oe) < 2 || p.oe[1].node.DataAtom != a.Body {
			return true
		}
		body := p.oe[1].node
		if body.Parent != nil {
			body.Parent.RemoveChild(body)
		}
		p.oe = p.oe[:1]
		p.addElement("")
		p.im = inFramesetIM
		return true
	case a.Address, a.Article, a.Aside, a.Blockquote, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Dl, a.Fieldset, a.Figcaption, a.Figure, a.Footer, a.Header, a.Hgroup, a.Main, a.Menu, a.Nav, a.Ol, a.P, a.Search, a.Section, a.Summary, a.Ul:
		p.popUntil(buttonScope, a.P)
		p.addElement("")
	case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
		p.popUntil(buttonScope, a.P)
		switch n := p.top(); n.DataAtom {
		case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
			p.oe.pop()
		}
		p.addElement("")
	case a.Pre, a.Listing:
		p.popUntil(buttonScope, a.P)
		p.addElement("")
		// The newline, if any, will be dealt with by the textToken case.
		p.framesetOK = false
	case a.Form:
		if p.form != nil && !p.oe.hasTemplate() {
			return true
		}
		p.popUntil(buttonScope, a.P)
		n := p.addElement("")
		if !p.oe.hasTemplate() {
			p.form = n
		}
	case a.Li:
		p.framesetOK = false
		p.closeItem(a.Li)
		p.popUntil(buttonScope, a.P)
		p.addElement("")
	case a.Dd, a.Dt:
		p.framesetOK = false
		p.closeItem(a.Dd, a.Dt)
		p.popUntil(buttonScope, a.P)
		p.addElement("")
	case a.Plaintext:
		p.popUntil(buttonScope, a.P)
		p.addElement("")
	case a.Button:
		if p.oe.has(defaultScope, a.Button) {
			p.generateImpliedEndTags()
			p.popUntil(defaultScope, a.Button)
		}
		p.reconstruct()
		p.addElement("")
		p.framesetOK = false
	case a.A:
		if n := p.active(a.A); n != nil {
			p.endFormatting(a.A, "a")
			p.oe.remove(n)
			p.forget(n)
		}
		p.reconstruct()
		p.addFormatting()
	case a.B, a.Big, a.Code, a.Em, a.Font, a.I, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U:
		p.reconstruct()
		p.addFormatting()
	case a.Nobr:
		p.reconstruct()
		if p.oe.has(defaultScope, a.Nobr) {
			p.endFormatting(a.Nobr, "nobr")
			p.reconstruct()
		}
		p.addFormatting()
	case a.Applet, a.Marquee, a.Object:
		p.reconstruct()
		p.addElement("")
		p.afe = append(p.afe, &marker)
		p.framesetOK = false
	case a.Table:
		if !p.quirks {
			p.popUntil(buttonScope, a.P)
		}
		p.addElement("")
		p.framesetOK = false
		p.im = inTableIM
		return true
	case a.Area, a.Br, a.Embed, a.Img, a.Keygen, a.Wbr:
		p.reconstruct()
		p.addVoid()
		p.framesetOK = false
	case a.Input:
		p.popUntil(defaultScope, a.Select)
		p.reconstruct()
		p.addVoid()
		p.framesetOK = p.framesetOK && isHidden(p.tok.attr)
	case a.Param, a.Source, a.Track:
		p.addVoid()
	case a.Hr:
		if p.oe.has(buttonScope, a.P) {
			p.generateImpliedEndTags(a.P)
			p.popUntil(defaultScope, a.P)
		}
		if p.oe.has(defaultScope, a.Select) {
			p.generateImpliedEndTags()
		}
		p.addVoid()
		p.framesetOK = false
	case a.Image:
		p.tok.atom = a.Img
		p.tok.data = a.Img.String()
		return false
	case a.Textarea:
		p.addElement("")
		p.originalIM = p.im
		p.framesetOK = false
		p.im = textIM
	case a.Xmp:
		p.popUntil(buttonScope, a.P)
		p.reconstruct()
		p.framesetOK = false
		p.addRaw()
	case a.Iframe:
		p.framesetOK = false
		p.addRaw()
		if n := p.top(); slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "srcdoc" }) {
			p.inner.Frames = append(p.inner.Frames, n)
		}
	case a.Noembed:
		p.addRaw()
	case a.Noscript:
		p.reconstruct()
		p.addElement("")
		// Don't let the tokenizer go into raw text mode when scripting is disabled.
		p.z.raw = "" // without scripting, its content is markup
	case a.Select:
		if p.popUntil(defaultScope, a.Select) {
			return true
		}
		p.reconstruct()
		p.addElement("")
		p.framesetOK = false
		return true
	case a.Option:
		if p.oe.has(defaultScope, a.Select) {
			p.generateImpliedEndTags(a.Optgroup)
		} else if p.top().DataAtom == a.Option {
			p.oe.pop()
		}
		p.reconstruct()
		p.addElement("")
	case a.Optgroup:
		if p.oe.has(defaultScope, a.Select) {
			p.generateImpliedEndTags()
		} else if p.top().DataAtom == a.Option {
			p.oe.pop()
		}
		p.reconstruct()
		p.addElement("")
	case a.Rb, a.Rtc:
		if p.oe.has(defaultScope, a.Ruby) {
			p.generateImpliedEndTags()
		}
		p.addElement("")
	case a.Rp, a.Rt:
		if p.oe.has(defaultScope, a.Ruby) {
			p.generateImpliedEndTags(a.Rtc)
		}
		p.addElement("")
	case a.Math, a.Svg:
		p.reconstruct()
		if p.tok.atom == a.Math {
			adjustAttributeNames(p.tok.attr, mathMLAttributeAdjustments)
		} else {
			adjustAttributeNames(p.tok.attr, svgAttributeAdjustments)
		}
		adjustForeignAttributes(p.tok.attr)
		p.addElement(p.tok.data)
		if p.tok.closed {
			p.oe.pop()
		}
		return true
	case a.Caption, a.Col, a.Colgroup, a.Frame, a.Head, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
	default:
		p.reconstruct()
		p.addElement("")
	}
	return true
}

// endInBody handles the current end tag in the body.
func (p *parser) endInBody() bool {
	switch p.tok.atom {
	case a.Body:
		if p.oe.has(defaultScope, a.Body) {
			p.im = afterBodyIM
		}
	case a.Html:
		if p.oe.has(defaultScope, a.Body) {
			p.implied(endTag, a.Body)
			return false
		}
		return true
	case a.Address, a.Article, a.Aside, a.Blockquote, a.Button, a.Center, a.Details, a.Dialog, a.Dir, a.Div, a.Dl, a.Fieldset, a.Figcaption, a.Figure, a.Footer, a.Header, a.Hgroup, a.Listing, a.Main, a.Menu, a.Nav, a.Ol, a.Pre, a.Search, a.Section, a.Select, a.Summary, a.Ul:
		if !p.oe.has(defaultScope, p.tok.atom) {
			return true
		}
		p.generateImpliedEndTags()
		p.popUntil(defaultScope, p.tok.atom)
	case a.Form:
		if p.oe.hasTemplate() {
			i := p.oe.find(defaultScope, a.Form)
			if i == -1 {
				return true
			}
			p.generateImpliedEndTags()
			if p.oe[i].node.DataAtom != a.Form {
				return true
			}
			p.popUntil(defaultScope, a.Form)
		} else {
			node := p.form
			p.form = nil
			i := p.oe.find(defaultScope, a.Form)
			if node == nil || i == -1 || p.oe[i].node != node {
				return true
			}
			p.generateImpliedEndTags()
			p.oe.remove(node)
		}
	case a.P:
		if !p.oe.has(buttonScope, a.P) {
			p.implied(startTag, a.P)
		}
		p.popUntil(buttonScope, a.P)
	case a.Li:
		p.popUntil(listItemScope, a.Li)
	case a.Dd, a.Dt:
		p.popUntil(defaultScope, p.tok.atom)
	case a.H1, a.H2, a.H3, a.H4, a.H5, a.H6:
		p.popUntil(defaultScope, a.H1, a.H2, a.H3, a.H4, a.H5, a.H6)
	case a.A, a.B, a.Big, a.Code, a.Em, a.Font, a.I, a.Nobr, a.S, a.Small, a.Strike, a.Strong, a.Tt, a.U:
		p.endFormatting(p.tok.atom, p.tok.data)
	case a.Applet, a.Marquee, a.Object:
		if p.popUntil(defaultScope, p.tok.atom) {
			p.clearFormatting()
		}
	case a.Br:
		p.tok.kind = startTag
		return false
	case a.Template:
		return inHeadIM(p)
	default:
		p.endOther(p.tok.atom, p.tok.data)
	}
	return true
}

// copyAttributes adds the attributes of the current tag that n does not have
// yet.
func (p *parser) copyAttributes(n *html.Node) {
	if len(p.tok.attr) == 0 {
		return
	}
	known := make(map[string]bool, len(n.Attr)+len(p.tok.attr))
	for _, t := range n.Attr {
		known[t.Key] = true
	}
	for _, t := range p.tok.attr {
		if !known[t.Key] {
			n.Attr = append(n.Attr, t)
			known[t.Key] = true
		}
	}
}

// isHidden reports whether the attributes of an input hide it.
func isHidden(attrs []html.Attribute) bool {
	for _, t := range attrs {
		if t.Key == "type" && strings.EqualFold(t.Val, "hidden") {
			return true
		}
	}
	return false
}

// closeItem closes the previous list item before the one that the current tag
// starts.
func (p *parser) closeItem(names ...a.Atom) {
	for i, e := range slices.Backward(p.oe) {
		switch name := e.node.DataAtom; {
		case slices.Contains(names, name):
			p.oe = p.oe[:i]
			return
		case name == a.Address, name == a.Div, name == a.P:
		case e.is&special != 0:
			return
		}
	}
}

// active returns the last active formatting element with this name after the
// last marker, or nil.
func (p *parser) active(name a.Atom) *html.Node {
	for i := len(p.afe) - 1; i >= 0 && p.afe[i] != &marker; i-- {
		if p.afe[i].DataAtom == name {
			return p.afe[i]
		}
	}
	return nil
}

// endFormatting handles the end tag of a formatting element by the "adoption
// agency" algorithm of the standard.
func (p *parser) endFormatting(name a.Atom, data string) {
	if top := p.oe.top(); top.Data == data && lastIndex(p.afe, top) == -1 {
		p.oe.pop()
		return
	}
	for range 8 {
		f := p.active(name)
		if f == nil {
			p.endOther(name, data)
			return
		}
		i := p.oe.index(f)
		if i == -1 {
			p.forget(f)
			return
		}
		if !p.oe.has(defaultScope, name) {
			return
		}
		block := slices.IndexFunc(p.oe[i:], func(e element) bool { return e.is&special != 0 })
		if block == -1 {
			p.oe = p.oe[:i]
			p.forget(f)
			return
		}
		p.adopt(f, i, i+block)
	}
}

// adopt moves the block that is open inside the formatting element f out of it,
// and puts a copy of f around the content of the block. at and blockAt are
// their indices in the stack of open elements.
func (p *parser) adopt(f *html.Node, at, blockAt int) {
	block := p.oe[blockAt].node
	ancestor := p.oe[at-1].node
	bookmark := lastIndex(p.afe, f)

	// The formatting elements between them are copied around the block too.
	last := block
	x := blockAt
	for j := 1; ; j++ {
		x--
		node := p.oe[x].node
		if node == f {
			break
		}
		ni := lastIndex(p.afe, node)
		if j > 3 && ni > -1 {
			p.forget(node)
			if ni <= bookmark {
				bookmark--
			}
			continue
		}
		if ni == -1 {
			p.oe.remove(node)
			continue
		}
		c := p.z.slab.clone(node)
		p.afe[ni] = c
		p.oe[p.oe.index(node)] = element{c, traitsOf(c)}
		if last == block {
			bookmark = lastIndex(p.afe, c) + 1
		}
		if last.Parent != nil {
			last.Parent.RemoveChild(last)
		}
		c.AppendChild(last)
		last = c
	}
	if last.Parent != nil {
		last.Parent.RemoveChild(last)
	}
	if isTablePart(ancestor.DataAtom) {
		p.foster(last)
	} else {
		ancestor.AppendChild(last)
	}

	c := p.z.slab.clone(f)
	for n := block.FirstChild; n != nil; n = block.FirstChild {
		block.RemoveChild(n)
		c.AppendChild(n)
	}
	block.AppendChild(c)

	if i := lastIndex(p.afe, f); i != -1 && i < bookmark {
		bookmark--
	}
	p.forget(f)
	p.afe = slices.Insert(p.afe, bookmark, c)
	p.oe.remove(f)
	p.oe.insert(p.oe.index(block)+1, c)
}

// endOther handles the end tag of any other element.
func (p *parser) endOther(name a.Atom, data string) {
	for i, e := range slices.Backward(p.oe) {
		if e.is&foreign == 0 && e.node.DataAtom == name && (name != 0 || e.node.Data == data) {
			p.oe = p.oe[:i]
			return
		}
		if e.is&special != 0 {
			return
		}
	}
}

// textIM is the mode of HTML 13.2.6.4.8.
func textIM(p *parser) bool {
	switch p.tok.kind {
	case endOfText:
		p.oe.pop()
	case textToken:
		d := p.tok.data
		if n := p.oe.top(); n.DataAtom == a.Textarea {
			d = withoutNewline(n, d)
		}
		if d == "" {
			return true
		}
		p.addText(d)
		return true
	case endTag:
		p.oe.pop()
	}
	p.im = p.originalIM
	p.originalIM = nil
	return p.tok.kind == endTag
}
