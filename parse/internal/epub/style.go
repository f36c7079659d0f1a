// SPDX-License-Identifier: Apache-2.0

package epub

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// maxSheets bounds the bytes of style sheets that are read in a book.
const maxSheets = 1 << 20

const maxLinked = 20 // style sheets of one file

// said is the value of a property, which may be unset.
type said uint8

const (
	open said = iota
	no
	yes
)

// look has the properties of text that style sheets set.
type look struct{ italic, bold, hidden said }

// over returns l, with unset properties taken from base.
func (l look) over(base look) look {
	for _, p := range [...]struct{ of, from *said }{{&l.italic, &base.italic}, {&l.bold, &base.bold}, {&l.hidden, &base.hidden}} {
		if *p.of == open {
			*p.of = *p.from
		}
	}
	return l
}

// sheet has the properties of a style sheet by selector. It has only
// selectors of one class or ID, with or without an element name. E-book
// programs rarely use others for text.
type sheet map[string]look

// sheetsOf returns the style sheets of a file in order.
func (d *reader) sheetsOf(page *html.Node, file string) (all []sheet) {
	for n := range page.Descendants() {
		if n.DataAtom == atom.Body || len(all) == maxLinked {
			break
		}
		switch {
		case n.DataAtom == atom.Style:
			own := sheet{}
			own.read(dom.Text(n))
			all = append(all, own)
		case n.DataAtom == atom.Link && strings.EqualFold(dom.Attr(n, "rel"), "stylesheet"):
			all = append(all, d.linked(resolve(file, dom.Attr(n, "href"))))
		}
	}
	return all
}

// linked returns a linked style sheet of the book.
func (d *reader) linked(name string) sheet {
	if s, known := d.sheets[name]; known {
		return s
	}
	s := sheet{}
	if data, err := d.archive.Read(name); err == nil && d.styled+len(data) <= maxSheets {
		d.styled += len(data)
		s.read(string(data))
	}
	if d.sheets == nil {
		d.sheets = map[string]sheet{}
	}
	d.sheets[name] = s
	return s
}

// read adds the rules of css. It ignores the content of at-rules.
func (s sheet) read(css string) {
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
		if l := lookOf(block); l != (look{}) {
			for selector := range strings.SplitSeq(selectors, ",") {
				if selector = strings.TrimSpace(selector); isSimple(selector) {
					s[selector] = l.over(s[selector])
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
func lookOf(declarations string) (l look) {
	for declaration := range strings.SplitSeq(declarations, ";") {
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(strings.ToLower(value), "!")
		value = strings.TrimSpace(value)
		is := func(ok bool) said {
			if ok {
				return yes
			}
			return no
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "font-style":
			l.italic = is(value == "italic" || value == "oblique")
		case "font-weight":
			weight, _ := strconv.Atoi(value)
			l.bold = is(strings.HasPrefix(value, "bold") || weight >= 600)
		case "display":
			l.hidden = is(value == "none")
		case "visibility":
			if l.hidden != yes {
				l.hidden = is(value == "hidden" || value == "collapse")
			}
		}
	}
	return l
}

// look returns the properties that style sheets and the style attribute set
// for n.
func (p pruner) look(n *html.Node) look {
	var l look
	for _, sheet := range p.sheets {
		for class := range strings.FieldsSeq(dom.Attr(n, "class")) {
			l = sheet["."+class].over(l)
			l = sheet[n.Data+"."+class].over(l)
		}
		if id := dom.Attr(n, "id"); id != "" {
			l = sheet["#"+id].over(l)
			l = sheet[n.Data+"#"+id].over(l)
		}
	}
	if own := dom.Attr(n, "style"); own != "" {
		l = lookOf(own).over(l)
	}
	if _, ok := dom.LookupAttr(n, "hidden"); ok || dom.Attr(n, "aria-hidden") == "true" {
		l.hidden = yes
	}
	if n.DataAtom == atom.Aside || dom.Attr(n, "epub:type") != "" {
		l.hidden = open // a note that reading systems show on request
	}
	return l
}

// emphasise replaces a span by an element for its properties. It keeps a
// styled initial letter as it is.
func (p pruner) emphasise(n *html.Node, l look) {
	for up := n.Parent; up != nil && l.bold == yes; up = up.Parent {
		switch up.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Th, atom.Strong, atom.B:
			l.bold = no
		}
	}
	first := n.FirstChild
	if first == nil || utf8.RuneCountInString(first.Data) == 1 && goesOn(first) && first.NextSibling == nil && goesOn(n.NextSibling) {
		return
	}
	switch {
	case l.bold == yes && l.italic == yes:
		em := p.d.b.Element(atom.Em)
		for c := n.FirstChild; c != nil; c = n.FirstChild {
			n.RemoveChild(c)
			em.AppendChild(c)
		}
		n.AppendChild(em)
		n.DataAtom, n.Data = atom.Strong, "strong"
	case l.bold == yes:
		n.DataAtom, n.Data = atom.Strong, "strong"
	case l.italic == yes:
		n.DataAtom, n.Data = atom.Em, "em"
	}
}

// goesOn reports whether n is text that begins with a letter.
func goesOn(n *html.Node) bool {
	if n == nil || n.Type != html.TextNode {
		return false
	}
	r, _ := utf8.DecodeRuneInString(n.Data)
	return unicode.IsLetter(r)
}
