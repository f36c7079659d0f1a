// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"slices"

	"golang.org/x/net/html"
	a "golang.org/x/net/html/atom"
)

// A stack contains the open elements, the innermost last.
type stack []element

// An element is an open element.
type element struct {
	node *html.Node
	is   traits
}

// traits are the relevant properties of an open element.
type traits uint8

const (
	ends        traits = 1 << iota // its end tag may be omitted
	special                        // HTML 13.2.4.2
	foreign                        // not an HTML element
	boundsAll                      // limits every scope except the table scope
	boundsItem                     // ol and ul
	boundsPara                     // button
	boundsTable                    // html, table and template
)

// A scope limits the search for an element: from the innermost open element to
// the first one with one of these traits (HTML 13.2.4.2).
type scope traits

const (
	defaultScope  = scope(boundsAll)
	listItemScope = scope(boundsAll | boundsItem)
	buttonScope   = scope(boundsAll | boundsPara)
	tableScope    = scope(boundsTable)
)

// traitsOf returns the traits of an element.
func traitsOf(n *html.Node) traits {
	switch n.Namespace {
	case "":
		return htmlTraits(n.DataAtom)
	case "math":
		t := htmlTraits(n.DataAtom)&ends | foreign
		switch n.DataAtom {
		case a.Mi, a.Mo, a.Mn, a.Ms, a.Mtext, a.AnnotationXml:
			t |= special | boundsAll
		}
		return t
	}
	t := htmlTraits(n.DataAtom)&ends | foreign
	switch n.Data {
	case "foreignObject", "desc", "title":
		t |= special | boundsAll
	}
	return t
}

// htmlTraits returns the traits of an HTML element.
func htmlTraits(name a.Atom) traits {
	switch name {
	case a.Dd, a.Dt, a.Li, a.P:
		return special | ends
	case a.Optgroup, a.Option, a.Rb, a.Rp, a.Rt, a.Rtc:
		return ends
	case a.Ol, a.Ul:
		return special | boundsItem
	case a.Button:
		return special | boundsPara
	case a.Html, a.Table, a.Template:
		return special | boundsAll | boundsTable
	case a.Applet, a.Caption, a.Td, a.Th, a.Marquee, a.Object, a.Select:
		return special | boundsAll
	case a.Address, a.Area, a.Article, a.Aside, a.Base, a.Basefont, a.Bgsound, a.Blockquote, a.Body, a.Br,
		a.Center, a.Col, a.Colgroup, a.Details, a.Dir, a.Div, a.Dl, a.Embed, a.Fieldset, a.Figcaption, a.Figure,
		a.Footer, a.Form, a.Frame, a.Frameset, a.H1, a.H2, a.H3, a.H4, a.H5, a.H6, a.Head, a.Header, a.Hgroup, a.Hr,
		a.Iframe, a.Img, a.Input, a.Keygen, a.Link, a.Listing, a.Main, a.Menu, a.Meta, a.Nav, a.Noembed, a.Noframes,
		a.Noscript, a.Param, a.Plaintext, a.Pre, a.Script, a.Section, a.Source, a.Style, a.Summary, a.Tbody,
		a.Textarea, a.Tfoot, a.Thead, a.Title, a.Tr, a.Track, a.Wbr, a.Xmp:
		return special
	}
	return 0
}

// top returns the innermost element, or nil.
func (s stack) top() *html.Node {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1].node
}

// find returns the index of the innermost element in scope with one of the
// names, or -1.
func (s stack) find(in scope, names ...a.Atom) int {
	for i, e := range slices.Backward(s) {
		if e.is&foreign == 0 && slices.Contains(names, e.node.DataAtom) {
			return i
		}
		if e.is&traits(in) != 0 {
			return -1
		}
	}
	return -1
}

// has reports whether an element with one of the names is in scope.
func (s stack) has(in scope, names ...a.Atom) bool { return s.find(in, names...) != -1 }

// last returns the index of the innermost element with this name in any
// namespace, or -1.
func (s stack) last(name a.Atom) int {
	for i, e := range slices.Backward(s) {
		if e.node.DataAtom == name {
			return i
		}
	}
	return -1
}

// hasTemplate reports whether a template is open.
func (s stack) hasTemplate() bool {
	for _, e := range s {
		if e.node.DataAtom == a.Template && e.is&foreign == 0 {
			return true
		}
	}
	return false
}

// index returns the index of n, or -1.
func (s stack) index(n *html.Node) int {
	for i, e := range slices.Backward(s) {
		if e.node == n {
			return i
		}
	}
	return -1
}

// pop removes the innermost element.
func (s *stack) pop() *html.Node {
	i := len(*s) - 1
	n := (*s)[i].node
	*s = (*s)[:i]
	return n
}

// remove removes n if it is open.
func (s *stack) remove(n *html.Node) {
	if i := s.index(n); i != -1 {
		*s = slices.Delete(*s, i, i+1)
	}
}

// insert inserts n at index i.
func (s *stack) insert(i int, n *html.Node) {
	*s = slices.Insert(*s, i, element{n, traitsOf(n)})
}
