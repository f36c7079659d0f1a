// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flatten returns a simple tree for a document that the tree builder refuses: a
// title, a p for each block of text, and links and images within them.
func flatten(text string) *html.Node {
	f := flattener{body: element("body")}
	head := element("head")
	z := html.NewTokenizer(strings.NewReader(text))
	var raw string // the element whose content is not markup
	for {
		switch z.Next() {
		case html.ErrorToken:
			f.endBlock()
			root, doc := element("html"), &html.Node{Type: html.DocumentNode}
			root.AppendChild(head)
			root.AppendChild(f.body)
			doc.AppendChild(root)
			return doc
		case html.TextToken:
			data := string(z.Text())
			switch raw {
			case "":
				f.text(data)
			case "title":
				if head.FirstChild == nil {
					title := element("title")
					title.AppendChild(&html.Node{Type: html.TextNode, Data: data})
					head.AppendChild(title)
				}
			case "textarea", "xmp", "plaintext":
				f.text(data)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			raw = ""
			switch t.Data {
			case "title", "textarea", "xmp", "plaintext", "script", "style", "iframe", "noembed", "noframes", "noscript":
				raw = t.Data
			}
			f.start(t)
		case html.EndTagToken:
			name, _ := z.TagName()
			raw = ""
			f.end(string(name))
		}
	}
}

// flattener appends to body.
type flattener struct {
	body   *html.Node
	block  *html.Node       // open p, or nil
	link   *html.Node       // open a in block, or nil
	linked bool             // within a link of the document, whose attributes are target
	target []html.Attribute // shared by the a elements of each block
}

func (f *flattener) start(t html.Token) {
	switch t.Data {
	case "a":
		f.link, f.linked, f.target = nil, true, t.Attr
	case "img":
		img := element("img")
		img.Attr = t.Attr
		f.inline().AppendChild(img)
	default:
		f.end(t.Data)
	}
}

func (f *flattener) end(name string) {
	switch {
	case name == "a":
		f.link, f.linked = nil, false
	case !isPhrasing(name):
		f.endBlock()
	}
}

func (f *flattener) text(data string) {
	if f.block == nil && strings.TrimLeft(data, " \t\r\n\f") == "" {
		return
	}
	f.inline().AppendChild(&html.Node{Type: html.TextNode, Data: data})
}

// inline returns the node that text and images are appended to. It opens one if
// necessary.
func (f *flattener) inline() *html.Node {
	if f.block == nil {
		f.block = element("p")
		f.body.AppendChild(f.block)
	}
	if !f.linked {
		return f.block
	}
	if f.link == nil {
		f.link = element("a")
		f.link.Attr = f.target
		f.block.AppendChild(f.link)
	}
	return f.link
}

func (f *flattener) endBlock() { f.block, f.link = nil, nil }

func element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

// isPhrasing reports whether the text before and after a tag with this name
// belongs to the same block.
func isPhrasing(name string) bool {
	if isFormat(name) {
		return true
	}
	switch name {
	case "abbr", "acronym", "bdi", "bdo", "cite", "data", "del", "dfn", "ins", "kbd", "label", "mark", "q", "rp", "rt",
		"ruby", "samp", "span", "sub", "sup", "time", "var", "wbr":
		return true
	}
	return false
}

// referencesControl reports whether text contains a character reference to a
// control character, which would appear in the tree.
func referencesControl(text string) bool {
	for {
		i := strings.Index(text, "&#")
		if i < 0 {
			return false
		}
		text = text[i+2:]
		base, digits := 10, text[:min(len(text), 12)]
		if digits != "" && digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
		n, size := 0, 0
		for ; size < len(digits) && n < 0x20; size++ {
			d := strings.IndexByte("0123456789abcdef", digits[size]|0x20)
			if digits[size] < '0' || d < 0 || d >= base {
				break
			}
			n = n*base + d
		}
		if size > 0 && n < 0x20 && isControl(byte(n)) || size == len(digits) && size == 12 {
			return true
		}
	}
}

// clean removes control characters from the text and attributes below root.
func clean(root *html.Node) {
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.Type == html.TextNode {
			n.Data = Clean(n.Data)
		}
		if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return hasControl(a.Val) }) {
			continue
		}
		n.Attr = slices.Clone(n.Attr) // copies of an element share their attributes
		for i := range n.Attr {
			n.Attr[i].Val = Clean(n.Attr[i].Val)
		}
	}
}
