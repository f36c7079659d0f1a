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

// initialIM is the mode of HTML 13.2.6.4.1.
func initialIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case comment:
		p.commentIn(p.doc)
		return true
	case doctype:
		n, quirks := parseDoctype(p.tok.data)
		p.doc.AppendChild(n)
		p.quirks = quirks
		p.im = beforeHTMLIM
		return true
	}
	p.quirks = true
	p.im = beforeHTMLIM
	return false
}

// beforeHTMLIM is the mode of HTML 13.2.6.4.2.
func beforeHTMLIM(p *parser) bool {
	switch p.tok.kind {
	case doctype:
		return true
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case startTag:
		if p.tok.atom == a.Html {
			p.addElement("")
			p.im = beforeHeadIM
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Head, a.Body, a.Html, a.Br:
			p.implied(startTag, a.Html)
			return false
		default:
			return true
		}
	case comment:
		p.commentIn(p.doc)
		return true
	}
	p.implied(startTag, a.Html)
	return false
}

// beforeHeadIM is the mode of HTML 13.2.6.4.3.
func beforeHeadIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case startTag:
		switch p.tok.atom {
		case a.Head:
			p.head = p.addElement("")
			p.im = inHeadIM
			return true
		case a.Html:
			return inBodyIM(p)
		}
	case endTag:
		switch p.tok.atom {
		case a.Head, a.Body, a.Html, a.Br:
			p.implied(startTag, a.Head)
			return false
		default:
			return true
		}
	case comment:
		p.addComment()
		return true
	case doctype:
		return true
	}

	p.implied(startTag, a.Head)
	return false
}

// inHeadIM is the mode of HTML 13.2.6.4.4.
func inHeadIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.addSpace(); p.tok.data == "" {
			return true
		}
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta:
			p.addVoid()
			return true
		case a.Noscript:
			p.addElement("")
			p.im = inHeadNoscriptIM
			p.z.raw = "" // without scripting, its content is markup
			return true
		case a.Script, a.Title:
			p.addElement("")
			p.originalIM, p.im = p.im, textIM
			return true
		case a.Noframes, a.Style:
			p.addRaw()
			return true
		case a.Head:
			return true
		case a.Template:
			p.addElement("")
			if n := p.oe.top(); slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "shadowrootmode" }) {
				p.inner.Shadows = append(p.inner.Shadows, Shadow{n, n.Parent})
			}
			p.afe = append(p.afe, &marker)
			p.framesetOK = false
			p.im = inTemplateIM
			p.templates = append(p.templates, inTemplateIM)
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Head:
			p.oe.pop()
			p.im = afterHeadIM
			return true
		case a.Body, a.Html, a.Br:
			p.implied(endTag, a.Head)
			return false
		case a.Template:
			if !p.oe.hasTemplate() {
				return true
			}
			p.closeTemplate()
			return true
		default:
			return true
		}
	case comment:
		p.addComment()
		return true
	case doctype:
		return true
	}

	p.implied(endTag, a.Head)
	return false
}

// inHeadNoscriptIM is the mode of HTML 13.2.6.4.5.
func inHeadNoscriptIM(p *parser) bool {
	switch p.tok.kind {
	case doctype:
		return true
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Style:
			return inHeadIM(p)
		case a.Head:
			return true
		case a.Noscript:
			p.z.raw = "" // without scripting, its content is markup
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Noscript, a.Br:
		default:
			return true
		}
	case textToken:
		if strings.TrimLeft(p.tok.data, whitespace) == "" {
			return inHeadIM(p)
		}
	case comment:
		return inHeadIM(p)
	}
	p.oe.pop()
	p.im = inHeadIM
	return p.tok.atom == a.Noscript
}

// afterHeadIM is the mode of HTML 13.2.6.4.6.
func afterHeadIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.addSpace(); p.tok.data == "" {
			return true
		}
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Body:
			p.addElement("")
			p.framesetOK = false
			p.im = inBodyIM
			return true
		case a.Frameset:
			p.addElement("")
			p.im = inFramesetIM
			return true
		case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Script, a.Style, a.Template, a.Title:
			p.push(p.head)
			defer p.oe.remove(p.head)
			return inHeadIM(p)
		case a.Head:
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Body, a.Html, a.Br:
			// Drop down to creating an implied <body> tag.
		case a.Template:
			return inHeadIM(p)
		default:
			return true
		}
	case comment:
		p.addComment()
		return true
	case doctype:
		return true
	}

	p.implied(startTag, a.Body)
	p.framesetOK = true
	return p.tok.kind == endOfText
}
