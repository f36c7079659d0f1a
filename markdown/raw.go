// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/mathtex"
)

// An htmlTableWriter writes tables as HTML. It never writes a blank line,
// because Markdown would start again after it.
type htmlTableWriter struct{ *writer }

// htmlTable writes the table n as HTML, either on one line or with a line for
// each of its rows. It reports whether the table has visible content.
func (w htmlTableWriter) htmlTable(n *html.Node, byRows bool) bool {
	mark := len(w.out)
	shown := false
	w.tag(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case byRows && c.DataAtom == atom.Caption:
			continue // a caption, already written as the paragraph before the table
		case byRows && (c.DataAtom == atom.Thead || c.DataAtom == atom.Tbody || c.DataAtom == atom.Tfoot):
			shown = w.htmlRows(c) || shown
		default:
			shown = w.htmlNode(c) || shown
		}
	}
	if byRows {
		w.newline()
	}
	w.out = append(w.out, "</table>"...)
	if !shown {
		w.out = w.out[:mark]
	}
	return shown
}

// htmlRows writes a section of a table, each row on its own line, and reports
// whether it has visible content.
func (w htmlTableWriter) htmlRows(section *html.Node) (shown bool) {
	w.newline()
	w.tag(section)
	for c := section.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Tr {
			w.newline()
		}
		shown = w.htmlNode(c) || shown
	}
	w.newline()
	w.out = append(append(append(w.out, "</"...), section.Data...), '>')
	return shown
}

// htmlNode writes n, a node in a table, and reports whether it has visible
// content.
func (w htmlTableWriter) htmlNode(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		s := strings.ToValidUTF8(n.Data, "\uFFFD")
		if isBlank(s) {
			if n.Parent != nil && isInlineHTML(n.Parent.DataAtom) || parts(n) {
				w.out = append(w.out, ' ')
			}
			return false
		}
		w.out = append(w.out, lineEscaper.Replace(s)...)
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Object, atom.Canvas, atom.Select, atom.Textarea, atom.Button:
		return false
	case atom.Input:
		return w.htmlBox(n)
	case atom.A:
		if w.notes != nil && w.notes.refs[n] != nil {
			return w.htmlReference(w.notes.refs[n])
		}
	}
	if n.Data == "math" {
		if tex := tidyTeX(mathtex.Node(n)); tex != "" {
			w.out = append(w.out, lineEscaper.Replace("$"+tex+"$")...)
			return true
		}
	}
	if w.depth >= maxDepth || n.Namespace != "" {
		s := textOf(n, sectionText)
		w.out = append(w.out, lineEscaper.Replace(s)...)
		return s != ""
	}
	shown := n.DataAtom == atom.Img
	tagged := (isTableHTML(n.DataAtom) || isInlineHTML(n.DataAtom)) && !isLone(n)
	if tagged {
		w.tag(n)
	}
	w.depth++
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		shown = w.htmlNode(c) || shown
	}
	w.depth--
	if tagged && n.DataAtom != atom.Br && n.DataAtom != atom.Img {
		w.out = append(append(append(w.out, "</"...), n.Data...), '>')
	}
	return shown
}

// parts reports whether the white space n separates words. It does not if an
// adjacent element is a block.
func parts(n *html.Node) bool {
	before, after := n.PrevSibling, n.NextSibling
	return before != nil && after != nil && before.Type == html.ElementNode && after.Type == html.ElementNode &&
		!isBlock(before.DataAtom) && !isBlock(after.DataAtom) && !isTableHTML(before.DataAtom) && !isTableHTML(after.DataAtom)
}

// htmlBox writes a check box. It returns false if n is not one.
func (w htmlTableWriter) htmlBox(n *html.Node) bool {
	if !strings.EqualFold(dom.Attr(n, "type"), "checkbox") {
		return false
	}
	mark := "[ ] "
	if _, checked := dom.LookupAttr(n, "checked"); checked {
		mark = "[x] "
	}
	w.out = append(w.out, mark...)
	return true
}

// htmlReference writes a reference to a note in the same form as outside
// tables, because notes can only be named this way.
func (w htmlTableWriter) htmlReference(to *note) bool {
	w.notes.take(to)
	w.out = append(w.out, "[^"+strconv.Itoa(to.number)+"]"...)
	return true
}

// lineEscaper escapes text so that it stays on one line.
var lineEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\n", "&#10;", "\r", "&#13;", "\x00", "\uFFFD")

// isTableHTML reports whether an element is written as a block in HTML tables.
func isTableHTML(a atom.Atom) bool {
	switch a {
	case atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Table, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote:
		return true
	}
	return false
}

// isInlineHTML reports whether an element is written in HTML tables as part of
// a line.
func isInlineHTML(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Pre, atom.A, atom.B, atom.Strong, atom.I, atom.Em, atom.Del, atom.S, atom.Code, atom.Kbd, atom.Sub, atom.Sup, atom.Br, atom.Img:
		return true
	}
	return false
}

// isLone reports whether n is the only paragraph of its cell or item, so that
// its tags can be left out.
func isLone(n *html.Node) bool {
	if n.DataAtom != atom.P {
		return false
	}
	switch n.Parent.DataAtom {
	case atom.Td, atom.Th, atom.Li:
	default:
		return false
	}
	// Walk outwards from n, so that paragraphs of one cell share the check of
	// what is between them.
	silent := func(c *html.Node) bool {
		return c.Type == html.CommentNode || c.Type == html.TextNode && isBlank(c.Data)
	}
	before, after := n.PrevSibling, n.NextSibling
	for before != nil && silent(before) {
		before = before.PrevSibling
	}
	for before == nil && after != nil && silent(after) {
		after = after.NextSibling
	}
	return before == nil && after == nil
}

// tag writes the start tag of n.
func (w htmlTableWriter) tag(n *html.Node) {
	w.out = append(append(w.out, '<'), n.Data...)
	for _, a := range n.Attr {
		val := a.Val
		switch a.Key {
		case "colspan", "rowspan", "start", "type", "alt", "title":
		case "align":
		case "href", "src":
			var ok bool
			if val, ok = w.target(val); !ok {
				continue
			}
		default:
			continue
		}
		val = lineEscaper.Replace(strings.ToValidUTF8(val, "\uFFFD"))
		w.out = append(append(append(append(append(w.out, ' '), a.Key...), `="`...), val...), '"')
	}
	w.out = append(w.out, '>')
}
