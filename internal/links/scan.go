// SPDX-License-Identifier: Apache-2.0

package links

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// scanner reads markup tag by tag. It skips text, except for link texts.
//
// It knows the parts of tree construction that determine whether a start tag
// becomes an element, and in which namespace: elements whose content is text,
// foreign content, templates, framesets. The other parts (implied tags, foster
// parenting, adoption) move or repeat elements, but never drop one. If
// malformed markup makes the exact stack of open elements matter, the scanner
// marks its result as doubtful and continues as well as it can.
type scanner struct {
	*collector
	text string
	i    int
	tag  tag

	foreign   foreign // open svg and math elements
	templates int     // number of open template elements
	inside    inside  // what was seen in the open templates
	body      bool    // something was seen that cannot precede a frameset
	frameset  int     // 0: none seen; n: n-1 are open
	table     bool    // a table was seen, so the first element in the tree may not be the first in the markup
}

// inside describes what was seen in the open templates.
type inside struct {
	columns bool // a col, after which many tags are ignored
	anchor  bool // an a is open outside the markers

	// markers counts the open elements that limit formatting elements, by their
	// index in the variable markers.
	markers [len(markers)]int
}

// markers are the elements that end the list of active formatting elements
// (HTML standard, 13.2.4.3).
var markers = [...]string{"applet", "caption", "marquee", "object", "td", "th"}

// scan reads a document.
func scan(c *collector, text string) {
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	s := scanner{collector: c, text: text, tag: tag{text: text}}
	for s.i < len(text) {
		n := strings.IndexByte(text[s.i:], '<')
		if n < 0 {
			s.data(text[s.i:])
			break
		}
		if n > 0 {
			s.data(text[s.i : s.i+n])
		}
		s.i += n
		s.markup()
	}
	c.close()
}

// data handles the text between two tags.
func (s *scanner) data(raw string) {
	if !s.body && s.templates == 0 && strings.Trim(raw, space) != "" {
		s.body = true
	}
	if s.anchor == none || s.templates > 0 || s.foreign.hidesText() {
		return
	}
	if strings.IndexByte(raw, '&') >= 0 {
		raw = html.UnescapeString(raw[:min(len(raw), 16*maxText)])
	}
	s.say(raw)
}

// markup handles what starts with the "<" at s.i: a tag, a comment, or text.
func (s *scanner) markup() {
	rest := s.text[s.i+1:]
	switch {
	case rest == "":
		s.i++
	case isLetter(rest[0]):
		s.startTag()
	case rest[0] == '/':
		s.endTag()
	case rest[0] == '?':
		s.i = behind(s.text, s.i, ">")
	case strings.HasPrefix(rest, "!--"):
		s.i = commentEnd(s.text, s.i+len("<!--"))
	case strings.HasPrefix(rest, "![CDATA[") && s.foreign.cdata():
		start := s.i + len("<![CDATA[")
		s.i = behind(s.text, start, "]]>")
		if s.anchor != none && !s.foreign.hidesText() {
			s.say(strings.TrimSuffix(s.text[start:s.i], "]]>"))
		}
	case rest[0] == '!':
		s.i = behind(s.text, s.i, ">")
	default:
		s.data("<")
		s.i++
	}
}

// nameEnd returns the offset after the tag name that starts at i.
func nameEnd(text string, i int) int {
	for i < len(text) {
		if c := text[i]; c <= '>' && (c == '>' || c == '/' || isSpace(c)) {
			break
		}
		i++
	}
	return i
}

// endTag handles "</".
func (s *scanner) endTag() {
	start := s.i + len("</")
	if start == len(s.text) || !isLetter(s.text[start]) {
		s.i = behind(s.text, s.i, ">") // a bogus comment; "</>" is ignored
		return
	}
	end := nameEnd(s.text, start)
	if !s.tag.start(end) {
		s.i = len(s.text)
		return
	}
	s.i = s.tag.end
	s.closeElement(s.text[start:end])
}

// closeElement handles an end tag.
func (s *scanner) closeElement(raw string) {
	name := known(raw)
	if name == "a" && s.templates == 0 {
		s.close()
	}
	switch {
	case s.frameset > 0:
		if name == "frameset" && s.frameset > 1 {
			s.frameset--
		}
		return
	case s.foreign.open():
		s.closeForeign(raw, name)
		return
	}
	switch name {
	case "":
	case "template":
		s.closeTemplate()
	case "body", "html", "br":
		s.body = true
	case "a":
		s.inside.anchor = s.inside.anchor && s.inside.marked()
	default:
		if i := slices.Index(markers[:], name); i >= 0 && s.inside.markers[i] > 0 {
			s.inside.markers[i]--
		}
	}
}

// marked reports whether one of markers is open.
func (in *inside) marked() bool { return in.markers != [len(markers)]int{} }

// closeTemplate handles </template>. An a that was left open inside may be
// reconstructed after it, if something else was left open too.
func (s *scanner) closeTemplate() {
	if s.templates == 0 {
		return
	}
	s.doubt(s.inside.anchor && s.inside.marked())
	s.foreign.clear()
	if s.templates--; s.templates == 0 {
		s.inside = inside{}
	}
}

// startTag handles "<" and a letter.
func (s *scanner) startTag() {
	start := s.i + 1
	end := nameEnd(s.text, start)
	if !s.tag.start(end) {
		s.i = len(s.text) // an incomplete tag at the end is ignored
		return
	}
	s.i = s.tag.end
	raw := s.text[start:end]
	name := known(raw)
	switch {
	case s.frameset > 0:
		s.inFrameset(name)
	case s.foreign.open():
		s.openForeign(raw, name)
	case name != "":
		s.openElement(name)
	default:
		s.body = true
	}
}

// openElement handles an HTML start tag with a known name.
func (s *scanner) openElement(name string) {
	switch name {
	case "a", "area", "iframe":
		s.body = true
		if name == "a" && s.templates > 0 && !s.inside.marked() {
			s.inside.anchor = true
		}
		s.take(name)
	case "base", "link", "meta":
		s.head(name)
	case "template":
		_, shadow := s.tag.attr("shadowrootmode") // package dom shows its content
		s.doubt(s.inside.columns || s.foreign.open() || shadow)
		s.templates++
	case "svg", "math":
		s.body = true
		s.doubt(s.inside.columns)
		if !s.tag.closed {
			s.push(element{name: name, svg: name == "svg"})
		}
	case "frameset":
		s.openFrameset()
	case "noscript":
		s.doubt(s.inside.columns)
		s.body = true // this may be wrong, because the tag may be in the head
	case "col":
		s.inside.columns = s.inside.columns || s.templates > 0
		s.body = true
	case "table":
		s.body, s.table = true, true
	case "applet", "caption", "marquee", "object", "td", "th":
		s.body = true
		if s.templates > 0 {
			s.inside.markers[slices.Index(markers[:], name)]++
		}
	case "body", "br", "frame", "textarea", "xmp", "noembed", "plaintext":
		s.body = true
	}
	s.skip(name)
}

// take passes a relevant tag to the collector.
func (s *scanner) take(name string) {
	if s.templates > 0 {
		return
	}
	s.element(name, s.foreign.open(), &s.tag)
	s.doubt(s.tag.many)
}

// head handles an element of which only the first one counts. Content that does
// not belong in a table is moved before it, so that a later element may be
// the first in the tree.
func (s *scanner) head(name string) {
	f := &s.frames[s.frame]
	hadBase, base, canonical := f.hasBase, f.base, s.canonical
	s.take(name)
	if !s.table || s.templates > 0 {
		return
	}
	href, _ := s.tag.attr("href")
	rel, _ := s.tag.attr("rel")
	s.doubt(name == "base" && hadBase && href != base)
	s.doubt(name == "link" && canonical != "" && href != canonical && hasToken(rel, "canonical"))
}

// doubt marks the result as doubtful if reason is true.
func (s *scanner) doubt(reason bool) { s.doubtful = s.doubtful || reason }

// skip skips the content of an element whose content is text.
func (s *scanner) skip(name string) {
	switch name {
	case "iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp":
		s.i = rawEnd(s.text, s.i, name)
	case "plaintext":
		s.i = len(s.text)
	}
}

// openFrameset handles a frameset tag outside any other frameset. A document
// with framesets has no body. The tag is ignored after a body has started,
// unless the body is almost empty.
func (s *scanner) openFrameset() {
	switch {
	case s.templates > 0:
	case s.body:
		s.doubt(true)
	default:
		s.frameset = 2
	}
}

// inFrameset handles a start tag in or after a frameset, where only a few are
// allowed.
func (s *scanner) inFrameset(name string) {
	switch name {
	case "frameset":
		if s.frameset > 1 {
			s.frameset++
		}
	case "frame":
		if s.frameset > 1 {
			s.take(name)
		}
	case "noscript": // its tag is ignored, but x/net/html treats its content as text
		s.i = rawEnd(s.text, s.i, name)
	default:
		s.skip(name)
	}
}

// known returns the name of a relevant tag in lower case, or "".
func known(raw string) string {
	if len(raw) == 1 {
		if raw[0]|0x20 == 'a' {
			return "a"
		}
		return ""
	}
	var names []string
	switch raw[0] | 0x20 {
	case 'a':
		names = namesA[:]
	case 'b':
		names = namesB[:]
	case 'c':
		names = namesC[:]
	case 'f':
		names = namesF[:]
	case 'h':
		names = namesH[:]
	case 'i':
		names = namesI[:]
	case 'l':
		names = namesL[:]
	case 'm':
		names = namesM[:]
	case 'n':
		names = namesN[:]
	case 'o':
		names = namesO[:]
	case 'p':
		names = namesP[:]
	case 's':
		names = namesS[:]
	case 't':
		names = namesT[:]
	case 'x':
		names = namesX[:]
	}
	for _, name := range names {
		if equalFold(raw, name) {
			return name
		}
	}
	return ""
}

// Known names by their first letter. head and html have no effect.
var (
	namesA = [...]string{"area", "applet"}
	namesB = [...]string{"br", "body", "base"}
	namesC = [...]string{"col", "caption"}
	namesF = [...]string{"frame", "frameset"}
	namesH = [...]string{"head", "html"}
	namesI = [...]string{"iframe"}
	namesL = [...]string{"link"}
	namesM = [...]string{"meta", "math", "marquee"}
	namesN = [...]string{"noscript", "noembed", "noframes"}
	namesO = [...]string{"object"}
	namesP = [...]string{"plaintext"}
	namesS = [...]string{"script", "style", "svg"}
	namesT = [...]string{"td", "table", "th", "template", "title", "textarea"}
	namesX = [...]string{"xmp"}
)
