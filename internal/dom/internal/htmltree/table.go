// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"strings"

	a "golang.org/x/net/html/atom"
)

// inTableIM is the mode of HTML 13.2.6.4.9.
func inTableIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		switch p.oe.top().DataAtom {
		case a.Table, a.Tbody, a.Tfoot, a.Thead, a.Tr:
			if strings.Trim(p.tok.data, whitespace) == "" {
				p.addText(p.tok.data)
				return true
			}
		}
	case startTag:
		switch p.tok.atom {
		case a.Caption:
			p.clearTo(tableContext)
			p.afe = append(p.afe, &marker)
			p.addElement("")
			p.im = inCaptionIM
			return true
		case a.Colgroup:
			p.clearTo(tableContext)
			p.addElement("")
			p.im = inColumnGroupIM
			return true
		case a.Col:
			p.implied(startTag, a.Colgroup)
			return false
		case a.Tbody, a.Tfoot, a.Thead:
			p.clearTo(tableContext)
			p.addElement("")
			p.im = inTableBodyIM
			return true
		case a.Td, a.Th, a.Tr:
			p.implied(startTag, a.Tbody)
			return false
		case a.Table:
			if p.popUntil(tableScope, a.Table) {
				p.resetIM()
				return false
			}
			return true
		case a.Style, a.Script, a.Template:
			return inHeadIM(p)
		case a.Input:
			for _, t := range p.tok.attr {
				if t.Key == "type" && strings.EqualFold(t.Val, "hidden") {
					p.addVoid()
					return true
				}
			}
			// Otherwise drop down to the default action.
		case a.Form:
			if p.oe.hasTemplate() || p.form != nil {
				return true
			}
			p.addElement("")
			p.form = p.oe.pop()
		}
	case endTag:
		switch p.tok.atom {
		case a.Table:
			if p.popUntil(tableScope, a.Table) {
				p.resetIM()
				return true
			}
			return true
		case a.Body, a.Caption, a.Col, a.Colgroup, a.Html, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
			return true
		case a.Template:
			return inHeadIM(p)
		}
	case comment:
		p.addComment()
		return true
	case doctype:
		return true
	case endOfText:
		return inBodyIM(p)
	}

	p.fostering = true
	defer func() { p.fostering = false }()

	return inBodyIM(p)
}

// inCaptionIM is the mode of HTML 13.2.6.4.11.
func inCaptionIM(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.atom {
		case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Td, a.Tfoot, a.Thead, a.Tr:
			if !p.popUntil(tableScope, a.Caption) {
				return true
			}
			p.clearFormatting()
			p.im = inTableIM
			return false
		}
	case endTag:
		switch p.tok.atom {
		case a.Caption:
			if p.popUntil(tableScope, a.Caption) {
				p.clearFormatting()
				p.im = inTableIM
			}
			return true
		case a.Table:
			if !p.popUntil(tableScope, a.Caption) {
				return true
			}
			p.clearFormatting()
			p.im = inTableIM
			return false
		case a.Body, a.Col, a.Colgroup, a.Html, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
			return true
		}
	}
	return inBodyIM(p)
}

// inColumnGroupIM is the mode of HTML 13.2.6.4.12.
func inColumnGroupIM(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.addSpace(); p.tok.data == "" {
			return true
		}
	case comment:
		p.addComment()
		return true
	case doctype:
		return true
	case startTag:
		switch p.tok.atom {
		case a.Html:
			return inBodyIM(p)
		case a.Col:
			p.addVoid()
			return true
		case a.Template:
			return inHeadIM(p)
		}
	case endTag:
		switch p.tok.atom {
		case a.Colgroup:
			if p.oe.top().DataAtom == a.Colgroup {
				p.oe.pop()
				p.im = inTableIM
			}
			return true
		case a.Col:
			return true
		case a.Template:
			return inHeadIM(p)
		}
	case endOfText:
		return inBodyIM(p)
	}
	if p.oe.top().DataAtom != a.Colgroup {
		return true
	}
	p.oe.pop()
	p.im = inTableIM
	return false
}

// inTableBodyIM is the mode of HTML 13.2.6.4.13.
func inTableBodyIM(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.atom {
		case a.Tr:
			p.clearTo(tableBodyContext)
			p.addElement("")
			p.im = inRowIM
			return true
		case a.Td, a.Th:
			p.implied(startTag, a.Tr)
			return false
		case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Tfoot, a.Thead:
			if p.popUntil(tableScope, a.Tbody, a.Thead, a.Tfoot) {
				p.im = inTableIM
				return false
			}
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Tbody, a.Tfoot, a.Thead:
			if p.oe.has(tableScope, p.tok.atom) {
				p.clearTo(tableBodyContext)
				p.oe.pop()
				p.im = inTableIM
			}
			return true
		case a.Table:
			if p.popUntil(tableScope, a.Tbody, a.Thead, a.Tfoot) {
				p.im = inTableIM
				return false
			}
			return true
		case a.Body, a.Caption, a.Col, a.Colgroup, a.Html, a.Td, a.Th, a.Tr:
			return true
		}
	case comment:
		p.addComment()
		return true
	}

	return inTableIM(p)
}

// inRowIM is the mode of HTML 13.2.6.4.14.
func inRowIM(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.atom {
		case a.Td, a.Th:
			p.clearTo(tableRowContext)
			p.addElement("")
			p.afe = append(p.afe, &marker)
			p.im = inCellIM
			return true
		case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Tfoot, a.Thead, a.Tr:
			if p.oe.has(tableScope, a.Tr) {
				p.clearTo(tableRowContext)
				p.oe.pop()
				p.im = inTableBodyIM
				return false
			}
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Tr:
			if p.oe.has(tableScope, a.Tr) {
				p.clearTo(tableRowContext)
				p.oe.pop()
				p.im = inTableBodyIM
				return true
			}
			return true
		case a.Table:
			if p.oe.has(tableScope, a.Tr) {
				p.clearTo(tableRowContext)
				p.oe.pop()
				p.im = inTableBodyIM
				return false
			}
			return true
		case a.Tbody, a.Tfoot, a.Thead:
			if p.oe.has(tableScope, p.tok.atom) && p.oe.has(tableScope, a.Tr) {
				p.clearTo(tableRowContext)
				p.oe.pop()
				p.im = inTableBodyIM
				return false
			}
			return true
		case a.Body, a.Caption, a.Col, a.Colgroup, a.Html, a.Td, a.Th:
			return true
		}
	}

	return inTableIM(p)
}

// inCellIM is the mode of HTML 13.2.6.4.15.
func inCellIM(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.atom {
		case a.Caption, a.Col, a.Colgroup, a.Tbody, a.Td, a.Tfoot, a.Th, a.Thead, a.Tr:
			if p.popUntil(tableScope, a.Td, a.Th) {
				// Close the cell and reprocess.
				p.clearFormatting()
				p.im = inRowIM
				return false
			}
			return true
		}
	case endTag:
		switch p.tok.atom {
		case a.Td, a.Th:
			if !p.popUntil(tableScope, p.tok.atom) {
				return true
			}
			p.clearFormatting()
			p.im = inRowIM
			return true
		case a.Body, a.Caption, a.Col, a.Colgroup, a.Html:
			return true
		case a.Table, a.Tbody, a.Tfoot, a.Thead, a.Tr:
			if !p.oe.has(tableScope, p.tok.atom) {
				return true
			}
			// Close the cell and reprocess.
			if p.popUntil(tableScope, a.Td, a.Th) {
				p.clearFormatting()
			}
			p.im = inRowIM
			return false
		}
	}
	return inBodyIM(p)
}
