// SPDX-License-Identifier: Apache-2.0

package links

import (
	"slices"
	"strings"
)

// maxForeign is how many open elements of svg and math are kept track of.
const maxForeign = 128

// foreign is the stack of open elements from the outermost svg or math on.
// Outside it everything is HTML.
type foreign struct{ stack []element }

// element is an open foreign element.
type element struct {
	name string // as written
	svg  bool   // else math
	html bool   // what stands in it is HTML again (an integration point)
	math bool   // but for mglyph and malignmark
	hide bool   // its text is none that a reader sees
	div  bool   // an HTML div at an integration point, the one thing real pages put there
}

func (f *foreign) open() bool { return len(f.stack) > 0 }

func (f *foreign) clear() { f.stack = f.stack[:0] }

// top returns the innermost element. There is one.
func (f *foreign) top() element { return f.stack[len(f.stack)-1] }

// hidesText reports whether text here belongs to a script or a style sheet.
func (f *foreign) hidesText() bool { return f.open() && f.top().hide }

// cdata reports whether CDATA sections are known here.
func (f *foreign) cdata() bool { return f.open() && !f.top().div }

// leave pops down to an integration point or out of foreign content, and reports
// whether it got out.
func (f *foreign) leave() (out bool) {
	for f.open() && !f.top().html {
		f.stack = f.stack[:len(f.stack)-1]
	}
	return !f.open()
}

// push opens a foreign element.
func (s *scanner) push(e element) {
	if len(s.foreign.stack) == maxForeign {
		s.doubt(true)
		return
	}
	s.foreign.stack = append(s.foreign.stack, e)
}

// openForeign is the effect of a start tag inside svg or math (HTML standard,
// 13.2.6.5).
func (s *scanner) openForeign(raw, name string) {
	top := s.foreign.top()
	glyph := top.math && (equalFold(raw, "mglyph") || equalFold(raw, "malignmark"))
	switch {
	case top.html && (name == "svg" || name == "math"), name == "svg" && !top.svg && equalFold(top.name, "annotation-xml"):
		if !s.tag.closed {
			s.push(element{name: raw, svg: name == "svg"})
		}
		return
	case top.html && !glyph:
		if equalFold(raw, "div") {
			s.push(element{name: raw, html: true, div: true})
			return
		}
		// Other HTML inside: how it is closed again takes a whole tree to know.
		s.doubt(true)
		if name != "" {
			s.openInside(name)
		}
		return
	case breaksOut(raw) || equalFold(raw, "font") && s.hasFontAttribute():
		s.body = true
		out := s.foreign.leave()
		s.doubt(!out)
		if name != "" {
			s.openInside(name)
		}
		return
	}
	e := element{name: raw, svg: top.svg}
	switch {
	case e.svg && name == "a":
		s.take(name)
	case e.svg:
		e.html = equalFold(raw, "foreignobject") || equalFold(raw, "desc") || name == "title"
		e.hide = name == "script" || name == "style"
	case equalFold(raw, "annotation-xml"):
		encoding, _ := s.tag.attr("encoding")
		e.html = strings.EqualFold(encoding, "text/html") || strings.EqualFold(encoding, "application/xhtml+xml")
	default:
		e.math = equalFold(raw, "mi") || equalFold(raw, "mo") || equalFold(raw, "mn") || equalFold(raw, "ms") || equalFold(raw, "mtext")
		e.html = e.math
		e.hide = name == "script" || name == "style"
	}
	if !s.tag.closed {
		s.push(e)
	}
}

// openInside is openElement where foreign elements may be open around.
func (s *scanner) openInside(name string) {
	outer := s.foreign.stack
	s.foreign.stack = nil
	s.openElement(name)
	s.foreign.stack = append(outer, s.foreign.stack...)
}

// closeForeign is the effect of an end tag inside svg or math.
func (s *scanner) closeForeign(raw, name string) {
	for i, e := range slices.Backward(s.foreign.stack) {
		if strings.EqualFold(e.name, raw) {
			s.foreign.stack = s.foreign.stack[:i]
			return
		}
		if e.div || i > 0 && s.foreign.stack[i-1].div {
			break // HTML is not closed by foreign end tags, nor the other way round
		}
	}
	switch {
	case name == "template" && s.templates > 0:
		s.closeTemplate()
	case name == "br" || equalFold(raw, "p"):
		s.doubt(!s.foreign.leave())
	case name == "body" || name == "html" || isVoid(raw):
		// Nothing is closed.
	default:
		// It closes an element around the foreign content, if that is open.
		s.doubt(true)
		s.foreign.clear()
	}
}

// hasFontAttribute reports whether a font tag is one of HTML.
func (s *scanner) hasFontAttribute() bool {
	for _, name := range [...]string{"color", "face", "size"} {
		if _, ok := s.tag.attr(name); ok {
			return true
		}
	}
	return false
}

// breaksOut reports whether a start tag ends foreign content (13.2.6.5).
func breaksOut(raw string) bool {
	if len(raw) > len("blockquote") {
		return false
	}
	switch lower(raw) {
	case "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr",
		"ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u",
		"ul", "var":
		return true
	}
	return false
}

// isVoid reports whether an HTML element never stays open.
func isVoid(raw string) bool {
	if len(raw) > len("basefont") {
		return false
	}
	switch lower(raw) {
	case "area", "base", "basefont", "bgsound", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
		"meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}
