// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Said is the value of a property, which may be unset.
type Said uint8

const (
	open Said = iota
	no
	// Yes means that the property is set.
	Yes
)

// Look has the properties of text that style sheets set.
type Look struct {
	Italic, Bold, Hidden Said

	tiny    Said // the text is at most one point high
	flat    Said // the element has no height
	clipped Said // the element shows nothing beyond its height
	gone    Said // the element is transparent or stands beside the page

	color, ground paint // of the text and of its background
}

// over returns l, with unset properties taken from base.
func (l Look) over(base Look) Look {
	for _, p := range [...]struct{ of, from *Said }{{&l.Italic, &base.Italic}, {&l.Bold, &base.Bold}, {&l.Hidden, &base.Hidden}, {&l.tiny, &base.tiny}} {
		if *p.of == open {
			*p.of = *p.from
		}
	}
	if l.color == unset {
		l.color = base.color
	}
	if l.ground == unset {
		l.ground = base.ground
	}
	return l
}

// Sheet has the properties of a style sheet by selector. It has only
// selectors of one class or ID, with or without an element name. E-book
// programs rarely use others for text. The empty selector says that other selectors set backgrounds.
type Sheet map[string]Look

// Read adds the rules of css. It ignores the content of at-rules.
func (s Sheet) Read(css string) {
	var plain strings.Builder // without comments
	for more := true; more; {
		var before string
		before, css, more = strings.Cut(css, "/*")
		plain.WriteString(before)
		_, css, _ = strings.Cut(css, "*/")
	}
	css = plain.String()
	for {
		selectors, rest, ok := strings.Cut(css, "{")
		if !ok {
			return
		}
		if i := strings.LastIndexByte(selectors, ';'); i >= 0 {
			selectors = selectors[i+1:] // after an @import
		}
		if strings.HasPrefix(strings.TrimSpace(selectors), "@") {
			css = rest[closing(rest):]
			continue
		}
		var block string
		block, css, _ = strings.Cut(rest, "}")
		if l := lookOf(block); l != (Look{}) {
			for selector := range strings.SplitSeq(selectors, ",") {
				if selector = strings.TrimSpace(selector); isSimple(selector) {
					s[selector] = l.over(s[selector])
				} else if l.ground != unset {
					s[""] = Look{ground: unknown}
				}
			}
		}
	}
}

// closing returns the end of the block whose content begins css.
func closing(css string) int {
	open := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i + 1
			}
		}
	}
	return len(css)
}

// isSimple reports whether a selector is a class or an ID, with or without
// an element name.
func isSimple(selector string) bool {
	return strings.Count(selector, ".")+strings.Count(selector, "#") == 1 && !strings.ContainsAny(selector, " \t\r\n>+~:[*\\")
}

// lookOf returns the properties in declarations.
func lookOf(declarations string) (l Look) {
	for declaration := range strings.SplitSeq(declarations, ";") {
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(strings.ToLower(value), "!")
		value = strings.TrimSpace(value)
		is := func(ok bool) Said {
			if ok {
				return Yes
			}
			return no
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "font-style":
			l.Italic = is(value == "italic" || value == "oblique")
		case "font-weight":
			weight, _ := strconv.Atoi(value)
			l.Bold = is(strings.HasPrefix(value, "bold") || weight >= 600)
		case "font-size":
			size, err := strconv.ParseFloat(strings.TrimRight(value, "ptx"), 64)
			l.tiny = is(err == nil && size <= 1)
		case "display":
			l.Hidden = is(value == "none")
		case "visibility":
			if l.Hidden != Yes {
				l.Hidden = is(value == "hidden" || value == "collapse")
			}
		default:
			l.cover(strings.ToLower(strings.TrimSpace(name)), value)
		}
	}
	return l
}

// look returns the properties that style sheets and the style attribute set for n.
func (s *Screen) look(n *html.Node, sheets []Sheet) (l Look) {
	for _, sheet := range sheets {
		for class := range strings.FieldsSeq(Attr(n, "class")) {
			l = sheet["."+class].over(l)
			l = sheet[n.Data+"."+class].over(l)
		}
		if id := Attr(n, "id"); id != "" {
			l = sheet["#"+id].over(l)
			l = sheet[n.Data+"#"+id].over(l)
		}
	}
	if style := Attr(n, "style"); style != "" {
		own := lookOf(style)
		l = own.over(l)
		if s.Still && (own.gone == Yes || own.flat == Yes && own.clipped == Yes) {
			l.Hidden = Yes
		}
	}
	if !s.Still && l.tiny == Yes && n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode {
		l.Hidden = Yes // elements in it may be larger
	}
	if _, ok := LookupAttr(n, "hidden"); ok || s.Spoken && Attr(n, "aria-hidden") == "true" {
		l.Hidden = Yes
	}
	if n.DataAtom == atom.Aside || Attr(n, "epub:type") != "" {
		l.Hidden = open // a note that reading systems show on request
	}
	return l
}

// Screen removes from the pages of a document what they do not show, and counts it.
type Screen struct {
	Reveal func(n *html.Node) // if not nil, it is called for hidden elements with text, which then stay
	Spoken bool               // elements that screen readers leave out are hidden
	Still  bool               // no script changes the pages, so that transparent text and text in the colour of its background is hidden

	Hidden int // elements with text that were removed, because the page hides them
	Embeds int // frames, media and objects, which are not shown
	Fields int // fields and buttons of forms, which are not shown

	open []painted // the elements around the current one
}

// Step looks at a node below root. shown reports whether it is an element that is still there, with
// the properties l. The walk goes on at next.
func (s *Screen) Step(n, root *html.Node, sheets []Sheet) (next *html.Node, l Look, shown bool) {
	if n.Type == html.CommentNode || n.Type == html.ElementNode && s.drops(n) {
		return remove(n, root), l, false
	}
	if s.unseen(n) {
		if s.Reveal == nil {
			s.Hidden++
			return remove(n, root), l, false
		}
		next = After(n, root)
		span := &html.Node{Type: html.ElementNode, Data: "span", DataAtom: atom.Span}
		n.Parent.InsertBefore(span, n)
		n.Parent.RemoveChild(n)
		span.AppendChild(n)
		s.Reveal(span)
		return next, l, false
	}
	if n.Type != html.ElementNode {
		return Next(n, root), l, false
	}
	l = s.look(n, sheets)
	if s.Still {
		s.inherit(n, root, l, sheets)
	}
	if l.Hidden == Yes && n.Namespace == "" {
		text := strings.TrimSpace(Text(n)) != ""
		if !text || s.Reveal == nil {
			if text {
				s.Hidden++
			}
			return remove(n, root), l, false
		}
		s.Reveal(n)
	}
	switch n.DataAtom {
	case atom.Rt, atom.Rtc:
		Bracket(n)
	case atom.Object, atom.Noscript: // readers show no object, and run no script
		if n.DataAtom == atom.Object {
			s.Embeds++
			n.Attr = nil
		}
		n.Data, n.DataAtom = "div", atom.Div
	case atom.Audio, atom.Video, atom.Canvas:
		s.Embeds++
	case atom.Select, atom.Textarea, atom.Button:
		s.Fields++
	case atom.Input:
		if Attr(n, "type") != "hidden" {
			s.Fields++
		}
	}
	return Next(n, root), l, true
}

// drops reports whether an element is never shown.
func (s *Screen) drops(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Embed:
		s.Embeds++
		return true
	case atom.Script, atom.Style, atom.Link, atom.Meta, atom.Template:
		return true
	case atom.Title:
		return n.Namespace == ""
	}
	return false
}

// remove removes n and returns the node after it.
func remove(n, root *html.Node) *html.Node {
	next := After(n, root)
	n.Parent.RemoveChild(n)
	return next
}

// Bracket puts the reading of characters (rt) in parentheses, unless the page has
// parentheses (rp) for browsers that cannot show it above the characters.
func Bracket(n *html.Node) {
	for _, beside := range []*html.Node{n.PrevSibling, n.NextSibling} {
		if beside != nil && beside.DataAtom == atom.Rp {
			return
		}
	}
	if n.Parent == nil || n.FirstChild == nil || n.FirstChild.DataAtom == atom.Rt || strings.TrimSpace(Text(n)) == "" {
		return
	}
	n.InsertBefore(&html.Node{Type: html.TextNode, Data: "("}, n.FirstChild)
	n.AppendChild(&html.Node{Type: html.TextNode, Data: ")"})
}

// IsMark reports whether a check box only shows a mark, as those in the trees of documents do: nobody can change it,
// and no program or style refers to it.
func IsMark(box *html.Node) bool {
	_, fixed := LookupAttr(box, "disabled")
	for _, a := range box.Attr {
		fixed = fixed && (a.Key == "type" || a.Key == "checked" || a.Key == "disabled")
	}
	return fixed
}
