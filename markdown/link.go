// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A linkWriter writes links, images and media players. It never nests links and
// never writes a link to a script.
type linkWriter struct{ *writer }

// anchor writes an a element. Its content becomes one line. Code blocks and
// tables interrupt the link, which starts again after them. If the link
// contains as much text as a section, its blocks remain blocks, and each
// becomes a link.
func (w linkWriter) anchor(n *html.Node) {
	href, ok := dom.LookupAttr(n, "href")
	dest, ok2 := w.target(href)
	if number, is := w.pageLink(n, href); is {
		dest, ok2 = w.pageTarget(n, number)
	}
	if !ok || !ok2 || w.line.links > 0 {
		w.walk(n)
		return
	}
	if w.heading && permalink(n, href) || noteWriter(w).isBack(n) || noteWriter(w).reference(n) {
		return
	}
	if w.options.Links == LinksNone {
		w.walk(n)
		return
	}
	link := frame{link: true, dest: dest, title: strings.ToValidUTF8(dom.Attr(n, "title"), "\uFFFD")}
	if w.options.LinkedHeadings && w.oneLine == 0 {
		if h := onlyHeading(n); h != nil {
			if !permalink(h, href) {
				w.linked, w.link = h, link
				w.walk(n)
			}
			return
		}
	}
	w.line.push(link)
	if w.anchors[n] {
		w.walk(n)
	} else {
		w.oneLine++
		w.walk(n)
		w.oneLine--
	}
	w.line.pop()
}

// pageLink returns the number of the page of a PDF document that href, the reference of n, leads
// to. It returns false for other links.
func (w linkWriter) pageLink(n *html.Node, href string) (string, bool) {
	id := w.fragment(href)
	at := strings.LastIndex(id, "page-")
	if at < 0 || at > 0 && id[at-1] != '-' {
		return "", false
	}
	number := id[at+len("page-"):]
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return "", false
	}
	for n = n.Parent; n != nil; n = n.Parent {
		if n.DataAtom == atom.Section && dom.Attr(n, "data-page") != "" {
			return number, true
		}
	}
	return "", false
}

// pageTarget returns the address of a page of the PDF document that n is in, as viewers know it
// (RFC 8118). Markdown has no place that a link to a page could lead to, so without the address of the
// document, or if that is the address of another one that has the PDF document as a part, it
// returns false.
func (w linkWriter) pageTarget(n *html.Node, number string) (string, bool) {
	for n.Parent != nil && n.DataAtom != atom.Html {
		n = n.Parent
	}
	file, _, _ := strings.Cut(cmp.Or(w.options.Page, w.options.Base), "#")
	return file + "#page=" + number, file != "" && dom.Attr(n, "data-kind") == "pdf"
}

// onlyHeading returns the heading that is the whole content of n, or nil.
func onlyHeading(n *html.Node) (h *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && isBlank(c.Data), c.Type == html.CommentNode:
		case h == nil && isHeading(c.DataAtom):
			h = c
		default:
			return nil
		}
	}
	return h
}

func isHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// permalink reports whether n, inside a heading, is only a link to that
// heading.
func permalink(n *html.Node, href string) bool {
	if !strings.Contains(href, "#") {
		return false
	}
	c := n.FirstChild
	if c == nil || c.NextSibling != nil || c.Type != html.TextNode {
		return false
	}
	switch strings.Trim(c.Data, " \t\n\r\u200b\ufe0e\ufe0f") {
	case "#", "¶", "§", "🔗", "⚓", "":
		return true
	}
	return false
}

// target returns href as it is written, resolved against the base if there is
// one. It returns false if href does not lead out of the page.
func (w *lineWriter) target(href string) (string, bool) {
	href = strings.Trim(href, " \t\n\r\f")
	switch scheme(href) {
	case "javascript", "vbscript", "data":
		return "", false
	case "", "http", "https":
		if !w.base.IsZero() {
			if u, err := w.base.Link(href); err == nil {
				return u.String(), true
			}
		}
	}
	return strings.ToValidUTF8(href, "\uFFFD"), true
}

// scheme returns the scheme of s in lower case, or "". Like browsers, it
// ignores control characters.
func scheme(s string) string {
	var b [12]byte // longer schemes do not matter here
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ':
		case c == ':':
			switch string(b[:n]) { // the constants avoid an allocation
			case "http":
				return "http"
			case "https":
				return "https"
			}
			return string(b[:n])
		case !isLetter(rune(c)) && (n == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.'):
			return ""
		default:
			if n < len(b) {
				b[n] = c | 0x20
				n++
			}
		}
	}
	return ""
}

// image writes an img element.
func (w linkWriter) image(n *html.Node) {
	switch w.options.Images {
	case ImagesDrop:
		return
	case ImagesAlt:
		w.line.add(dom.Attr(n, "alt"))
		return
	}
	src := dom.Picture(n)
	t := token{kind: image, target: w.line.target(target{alt: dom.Attr(n, "alt"), title: strings.ToValidUTF8(dom.Attr(n, "title"), "\uFFFD")})}
	if scheme(src) == "data" {
		switch w.options.DataImages {
		case DataDrop:
			return
		case DataPlaceholder:
			t.dest, t.kind = removedImage, image
		default:
			t.dest = src
		}
	} else {
		var ok bool
		if t.dest, ok = w.target(src); !ok || src == "" && t.alt == "" {
			return
		}
	}
	w.line.piece(t, "")
}

// removedImage replaces a data: URL. The contract requires this exact text.
const removedImage = "<Base64-Image-Removed>"

// embed writes a frame or a media player as a link.
func (w linkWriter) embed(n *html.Node) {
	src := dom.Attr(n, "src")
	for c := n.FirstChild; c != nil && src == ""; c = c.NextSibling {
		if c.DataAtom == atom.Source {
			src = dom.Attr(c, "src")
		}
	}
	dest, ok := w.target(src)
	if !ok || dest == "" || strings.HasPrefix(dest, "about:") || w.line.links > 0 {
		return
	}
	label := dom.Attr(n, "title")
	if label == "" {
		label = dom.Attr(n, "aria-label")
	}
	if label == "" {
		label = host(dest)
	}
	if label == "" {
		label = n.Data
	}
	w.line.gap()
	w.line.push(frame{link: w.options.Links != LinksNone, dest: dest})
	w.line.add(label)
	w.line.pop()
	w.line.gap()
}

// host returns the host name in u without www, or "".
func host(u string) string {
	_, rest, ok := strings.Cut(u, "//")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#:"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimPrefix(rest, "www.")
}

// destination appends the target of a link and its title in the form that
// stands between parentheses.
func (w *lineWriter) destination(dest, title string) {
	if dest == removedImage {
		w.out = append(w.out, dest...)
	} else {
		w.url(dest, title != "")
	}
	if title == "" {
		return
	}
	w.out = append(w.out, ` "`...)
	for i := range len(title) {
		c := title[i]
		switch {
		case c == '\r' || c == '\n' && w.oneRow:
			w.out = append(w.out, ' ')
		case c == '\n':
			w.titleBreak(title[i+1:])
		case c == '"', c == '\\' && i+1 < len(title) && isASCIIPunct(rune(title[i+1])), c == '\\' && i+1 == len(title), c == '|' && w.scope.cell:
			w.out = append(w.out, '\\', c)
		case c == '&' && isEntity([]byte(title[i:min(len(title), i+40)])):
			w.out = append(w.out, "&amp;"...)
		default:
			w.out = append(w.out, c)
		}
	}
	w.out = append(w.out, '"')
}

// titleBreak writes a line break in a title before rest. A blank line would end
// the paragraph. A line that does not begin with a letter might end it too.
func (w *lineWriter) titleBreak(rest string) {
	rest = strings.TrimLeft(rest, " \t")
	switch {
	case rest != "" && rest[0] == '\n':
	case rest == "" || isLetter(rune(rest[0])) || rest[0] >= utf8.RuneSelf:
		w.newline()
	default:
		w.out = append(w.out, ' ')
	}
}

// url appends dest so that a reader reads the same bytes. It uses angle
// brackets only if they are necessary.
func (w *lineWriter) url(dest string, titled bool) {
	if dest != "" && isPlain(dest) {
		w.out = append(w.out, dest...)
		return
	}
	angle := dest == "" && titled || strings.HasPrefix(dest, "<") || !balanced(dest)
	if angle {
		w.out = append(w.out, '<')
	}
	for i := range len(dest) {
		c := dest[i]
		switch {
		case c == ' ':
			w.out = append(w.out, "%20"...)
		case c < ' ' || c == 0x7f:
			const hex = "0123456789ABCDEF"
			w.out = append(w.out, '%', hex[c>>4], hex[c&15])
		case c == '\\' && i+1 < len(dest) && isASCIIPunct(rune(dest[i+1])), c == '\\' && i+1 == len(dest),
			angle && (c == '<' || c == '>'), c == '|' && w.scope.cell:
			w.out = append(w.out, '\\', c)
		case c == '&' && isEntity([]byte(dest[i:min(len(dest), i+40)])):
			w.out = append(w.out, "&amp;"...)
		default:
			w.out = append(w.out, c)
		}
	}
	if angle {
		w.out = append(w.out, '>')
	}
}

// isPlain reports whether dest can be written unchanged.
func isPlain(dest string) bool {
	for i := range len(dest) {
		if c := dest[i]; c <= ' ' || isSpelled[c] {
			return false
		}
	}
	return true
}

// isSpelled marks the characters above the space that may need an escape in a
// target.
var isSpelled = [256]bool{'\\': true, '&': true, '<': true, '>': true, '(': true, ')': true, '|': true, 0x7f: true}

// balanced reports whether the parentheses in s are balanced and at most 32
// deep, which is the limit of readers.
func balanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || depth > 32 {
			return false
		}
	}
	return depth == 0
}

// isAutolink reports whether s can be written as an autolink (CommonMark 6.5).
func isAutolink(s []byte) bool {
	i := 0
	for i < len(s) && (isLetter(rune(s[i])) || i > 0 && (isDigit(s[i]) || s[i] == '+' || s[i] == '-' || s[i] == '.')) {
		i++
	}
	if i < 2 || i > 32 || i == len(s) || s[i] != ':' {
		return false
	}
	for _, c := range s {
		if c <= ' ' || c == '<' || c == '>' || c == 0x7f || c == '|' {
			return false
		}
	}
	return true
}
