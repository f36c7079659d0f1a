// SPDX-License-Identifier: Apache-2.0

package epub

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/mathtex"
	"example.com/curlew/internal/sorting"
)

func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// pruner adapts the nodes of a file to the book.
type pruner struct {
	d            *reader
	name, prefix string
	sheets       []dom.Sheet
}

// prune adapts all nodes below root, and reports whether there is a heading.
func (p pruner) prune(root *html.Node) (heading bool) {
	for n := root.FirstChild; n != nil; {
		p.d.nodes++
		next, l, shown := p.d.screen.Step(n, root, p.sheets)
		switch {
		case !shown:
		case n.Namespace == "svg" && n.Data == "svg":
			next = dom.After(n, root)
			p.d.b.Drawing(n)
		case strings.HasSuffix(n.Data, ":switch"): // the prefix is "epub" or "ops"
			choose(n)
			next = dom.Next(n, root)
		case n.Namespace == "math" && n.Data == "math":
			next = dom.After(n, root)
			p.formula(n)
		default:
			if n.DataAtom == atom.Span && (l.Bold == dom.Yes || l.Italic == dom.Yes) {
				p.emphasise(n, l)
			}
			switch n.DataAtom {
			case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
				heading = true
			}
			p.attributes(n)
		}
		n = next
	}
	return heading
}

// choose removes all but one of the alternatives in a switch: the first one whose names a
// reader of EPUB knows, or the one for readers that know none.
func choose(n *html.Node) {
	var chosen *html.Node
	for c := range n.ChildNodes() {
		space := dom.Attr(c, "required-namespace")
		if strings.HasSuffix(c.Data, ":default") || strings.HasSuffix(c.Data, ":case") && slices.Contains([]string{"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}, space) {
			chosen = c
			break
		}
	}
	for c := n.FirstChild; c != nil && chosen != nil; {
		after := c.NextSibling
		if c != chosen {
			n.RemoveChild(c)
		}
		c = after
	}
}

// style returns a property in the style attribute of n, or "" if there is
// none.
func style(n *html.Node, property string) (value string) {
	for declaration := range strings.SplitSeq(dom.Attr(n, "style"), ";") {
		if name, v, ok := strings.Cut(declaration, ":"); ok && strings.EqualFold(strings.TrimSpace(name), property) {
			v, _, _ = strings.Cut(strings.ToLower(v), "!")
			value = strings.TrimSpace(v)
		}
	}
	return value
}

// listType returns the type attribute of an ordered list, such as "I", for a list-style-type of CSS, such as
// upper-roman. It is empty for all others.
func listType(name string) string {
	switch name {
	case "lower-alpha", "lower-latin":
		return "a"
	case "upper-alpha", "upper-latin":
		return "A"
	case "lower-roman":
		return "i"
	case "upper-roman":
		return "I"
	}
	return ""
}

// attributes adapts the IDs, links and roles of n.
func (p pruner) attributes(n *html.Node) {
	role := ""
	if side := style(n, "text-align"); side != "" && (n.DataAtom == atom.Td || n.DataAtom == atom.Th) {
		n.Attr = append(n.Attr, html.Attribute{Key: "align", Val: side})
	}
	if kind := listType(style(n, "list-style-type")); kind != "" && n.DataAtom == atom.Ol {
		n.Attr = append(n.Attr, html.Attribute{Key: "type", Val: kind})
	}
	n.Attr = sorting.Without(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "epub:type":
			role = noteRole(a.Val, n)
			return true
		case "style", "class":
			return a.Key == "style"
		case "src", "poster", "srcset", "data":
			return !strings.HasPrefix(a.Val, "http:") && !strings.HasPrefix(a.Val, "https:")
		}
		return strings.HasPrefix(a.Key, "on")
	})
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "id":
			a.Val = p.prefix + a.Val
		case "href":
			a.Val = p.link(a.Val)
		case "role":
			role = ""
		}
	}
	if role != "" {
		n.Attr = append(n.Attr, html.Attribute{Key: "role", Val: role})
	}
	n.Attr = sorting.Without(n.Attr, func(a html.Attribute) bool { return a.Key == "href" && a.Val == "" })
	if n.DataAtom == atom.A && dom.Attr(n, "id") == "" {
		if name, ok := dom.LookupAttr(n, "name"); ok {
			n.Attr = append(n.Attr, html.Attribute{Key: "id", Val: p.prefix + name})
		}
	}
}

// noteRole returns the role for an epub:type.
func noteRole(types string, n *html.Node) string {
	for t := range strings.FieldsSeq(types) {
		switch t {
		case "noteref":
			return "doc-noteref"
		case "footnote", "endnote", "rearnote", "note":
			return "doc-footnote"
		case "footnotes", "endnotes", "rearnotes":
			return "doc-endnotes"
		case "toc":
			if n.DataAtom == atom.Nav {
				return "doc-toc"
			}
		}
	}
	return ""
}

// link returns the target of an href inside the book. It returns "" if the
// target is not read.
func (p pruner) link(href string) string {
	file, id, _ := strings.Cut(strings.TrimSpace(href), "#")
	if file == "" && id != "" {
		return "#" + p.prefix + id
	}
	if scheme := strings.IndexAny(file, ":/?"); scheme > 0 && file[scheme] == ':' {
		return doctree.Href(href)
	}
	n := p.d.chapters[resolve(p.name, file)]
	switch {
	case n == 0:
		return ""
	case id == "":
		return "#c" + strconv.Itoa(n)
	}
	return "#c" + strconv.Itoa(n) + "-" + id
}

// formula replaces MathML by TeX.
func (p pruner) formula(n *html.Node) {
	tex := mathtex.Node(n)
	if tex == "" {
		return
	}
	n.Parent.InsertBefore(p.d.b.Math(tex, dom.Attr(n, "display") == "block"), n)
	n.Parent.RemoveChild(n)
}
