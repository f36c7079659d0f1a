// SPDX-License-Identifier: Apache-2.0

package epub

import (
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

// sheetsOf returns the style sheets of a file in order.
func (d *reader) sheetsOf(page *html.Node, file string) (all []dom.Sheet) {
	for n := range page.Descendants() {
		if n.DataAtom == atom.Body || len(all) == maxLinked {
			break
		}
		switch {
		case n.DataAtom == atom.Style:
			own := dom.Sheet{}
			own.Read(dom.Text(n))
			all = append(all, own)
		case n.DataAtom == atom.Link && strings.EqualFold(dom.Attr(n, "rel"), "stylesheet"):
			all = append(all, d.linked(resolve(file, dom.Attr(n, "href"))))
		}
	}
	return all
}

// linked returns a linked style sheet of the book.
func (d *reader) linked(name string) dom.Sheet {
	if s, known := d.sheets[name]; known {
		return s
	}
	s := dom.Sheet{}
	if data, err := d.archive.Read(name); err == nil && d.styled+len(data) <= maxSheets {
		d.styled += len(data)
		s.Read(string(data))
	}
	if d.sheets == nil {
		d.sheets = map[string]dom.Sheet{}
	}
	d.sheets[name] = s
	return s
}

// emphasise replaces a span by an element for its properties. It keeps a
// styled initial letter as it is.
func (p pruner) emphasise(n *html.Node, l dom.Look) {
	for up := n.Parent; up != nil && l.Bold == dom.Yes; up = up.Parent {
		switch up.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Th, atom.Strong, atom.B:
			l.Bold = 0
		}
	}
	first := n.FirstChild
	if first == nil || utf8.RuneCountInString(first.Data) == 1 && goesOn(first) && first.NextSibling == nil && goesOn(n.NextSibling) {
		return
	}
	switch {
	case l.Bold == dom.Yes && l.Italic == dom.Yes:
		em := p.d.b.Element(atom.Em)
		for c := n.FirstChild; c != nil; c = n.FirstChild {
			n.RemoveChild(c)
			em.AppendChild(c)
		}
		n.AppendChild(em)
		n.DataAtom, n.Data = atom.Strong, "strong"
	case l.Bold == dom.Yes:
		n.DataAtom, n.Data = atom.Strong, "strong"
	case l.Italic == dom.Yes:
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
