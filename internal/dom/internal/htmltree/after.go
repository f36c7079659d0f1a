// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"strings"

	a "golang.org/x/net/html/atom"
)

// inTemplateIM is the mode of HTML 13.2.6.4.18.
func inTemplateIM(p *parser) bool {
	switch p.tok.kind {
	case textToken, comment, doctype:
		return inBodyIM(p)
	case startTag:
		switch p.tok.atom {
		case a.Base, a.Basefont, a.Bgsound, a.Link, a.Meta, a.Noframes, a.Script, a.Style, a.Template, a.Title:
			return inHeadIM(p)
		case a.Caption, a.Colgroup, a.Tbody, a.Tfoot, a.Thead:
			p.enterTemplate(inTableIM)
			return false
		case a.Col:
			p.enterTemplate(inColumnGroupIM)
			return false
		case a.Tr:
			p.enterTemplate(inTableBodyIM)
			return false
		case a.Td, a.Th:
			p.enterTemplate(inRowIM)
			return false
		default:
			p.enterTemplate(inBodyIM)
			return false
		}
	case endTag:
		switch p.tok.atom {
		case a.Template:
			return inHeadIM(p)
		default:
			return true
		}
	case endOfText:
		if !p.oe.hasTemplate() {
			return true
		}
		p.closeTemplate()
		return false
	}
	return false
}

// afterBodyIM is the mode of HTML 13.2.6.4.19.
func afterBodyIM(p *parser) bool {
	switch p.tok.kind {
	case endOfText:
		return true
	case textToken:
		if strings.TrimLeft(p.tok.data, whitespace) == "" {
			return inBodyIM(p)
		}
	case startTag:
		if p.tok.atom == a.Html {
			return inBodyIM(p)
		}
	case endTag:
		if p.tok.atom == a.Html {
			p.im = afterAfterBodyIM
			return true
		}
	case comment:
		p.commentIn(p.oe[0].node)
		return true
	}
	p.im = inBodyIM
	return false
}

// inFramesetIM is the mode of HTML 13.2.6.4.20.
func inFramesetIM(p *parser) bool {
	switch p.tok.kind {
	case comment:
		p.addComment()
	case textToken:
		s := onlySpace(p.tok.data)
		if s != "" {
			p.addText(s)
		}
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Frameset:
			p.addElement("")
		case a.Frame:
			p.addVoid()
		case a.Noframes:
			return inHeadIM(p)
		}
	case endTag:
		switch p.tok.atom {
		case a.Frameset:
			if p.oe.top().DataAtom != a.Html {
				p.oe.pop()
				if p.oe.top().DataAtom != a.Frameset {
					p.im = afterFramesetIM
					return true
				}
			}
		}
	}
	return true
}

// afterFramesetIM is the mode of HTML 13.2.6.4.21.
func afterFramesetIM(p *parser) bool {
	switch p.tok.kind {
	case comment:
		p.addComment()
	case textToken:
		s := onlySpace(p.tok.data)
		if s != "" {
			p.addText(s)
		}
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Noframes:
			return inHeadIM(p)
		}
	case endTag:
		switch p.tok.atom {
		case a.Html:
			p.im = afterAfterFramesetIM
			return true
		}
	}
	return true
}

// afterAfterBodyIM is the mode of HTML 13.2.6.4.22.
func afterAfterBodyIM(p *parser) bool {
	switch p.tok.kind {
	case endOfText:
		return true
	case textToken:
		if strings.TrimLeft(p.tok.data, whitespace) == "" {
			return inBodyIM(p)
		}
	case startTag:
		if p.tok.atom == a.Html {
			return inBodyIM(p)
		}
	case comment:
		p.commentIn(p.doc)
		return true
	case doctype:
		return inBodyIM(p)
	}
	p.im = inBodyIM
	return false
}

// afterAfterFramesetIM is the mode of HTML 13.2.6.4.23.
func afterAfterFramesetIM(p *parser) bool {
	switch p.tok.kind {
	case comment:
		p.commentIn(p.doc)
	case textToken:
		s := onlySpace(p.tok.data)
		if s != "" {
			p.tok.data = s
			return inBodyIM(p)
		}
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Noframes:
			return inHeadIM(p)
		}
	case doctype:
		return inBodyIM(p)
	}
	return true
}

// enterTemplate sets the insertion mode of the innermost template by its
// content.
func (p *parser) enterTemplate(m mode) {
	p.templates[len(p.templates)-1] = m
	p.im = m
}

// onlySpace returns the white space of a text.
func onlySpace(s string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\n', '\f', '\r':
			return c
		}
		return -1
	}, s)
}
