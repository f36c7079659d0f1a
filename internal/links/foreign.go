// SPDX-License-Identifier: Apache-2.0

package links

import (
	"slices"
	"strings"
)

// maxForeign is the maximum number of open svg and math elements that are
// tracked.
const maxForeign = 128

// foreign is the stack of open elements from the outermost svg or math element
// on. If it is empty, everything is HTML.
type foreign struct{ stack []element }

// element is an open foreign element.
type element struct {
	name string // as in the source
	svg  bool   // otherwise math
	html bool   // its content is HTML (an integration point)
	math bool   // except for mglyph and malignmark
	hide bool   // its text is not visible
	div  bool   // an HTML div at an integration point, the only HTML element that is common there
}

func (f *foreign) open() bool { return len(f.stack) > 0 }

func (f *foreign) clear() { f.stack = f.stack[:0] }

// top returns the innermost element, which must exist.
func (f *foreign) top() element { return f.stack[len(f.stack)-1] }

// hidesText reports whether text belongs to a script or a style sheet.
func (f *foreign) hidesText() bool { return f.open() && f.top().hide }

// cdata reports whether CDATA sections are recognized.
func (f *foreign) cdata() bool { return f.open() && !f.top().div }

// leave removes elements down to an integration point or until foreign content
// ends. It reports whether foreign content has ended.
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

// openForeign handles a start tag inside svg or math (HTML standard, 13.2.6.5).
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
		// Other HTML: only a complete tree shows when it is closed again.
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

// openInside is openElement for a position that may be inside foreign elements.
func (s *scanner) openInside(name string) {
	outer := s.foreign.stack
	s.foreign.stack = nil
	s.openElement(name)
	s.foreign.stack = append(outer, s.foreign.stack...)
}

// closeForeign handles an end tag inside svg or math.
func (s *scanner) closeForeign(raw, name string) {
	for i, e := range slices.Backward(s.foreign.stack) {
		if strings.EqualFold(e.name, raw) {
			s.foreign.stack = s.foreign.stack[:i]
			return
		}
		if e.div || i > 0 && s.foreign.stack[i-1].div {
			break // foreign end tags do not close HTML, and vice versa
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
		// It closes an element around the foreign content, if one is open.
		s.doubt(true)
		s.foreign.clear()
	}
}

// hasFontAttribute reports whether a font tag is HTML.
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

// isVoid reports whether an HTML element never has content.
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
