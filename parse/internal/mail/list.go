// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/dom"
)

const maxLevels = 9 // of Word lists

// listed is a paragraph that is a list item.
type listed struct {
	p, mark *html.Node // mark is the number or bullet before the item
	level   int        // from 0
}

// listedOf returns n as a list item, or false if it is not one. Word and
// Outlook write items as paragraphs with a style such as mso-list:l0 level1
// lfo1, and their numbers in spans with the style mso-list:Ignore.
func listedOf(n *html.Node) (i listed, ok bool) {
	if n.DataAtom != atom.P {
		return i, false
	}
	words := strings.Fields(msoList(n))
	if len(words) < 2 {
		return i, false
	}
	level, err := strconv.Atoi(strings.TrimPrefix(words[1], "level"))
	if err != nil {
		return i, false
	}
	few := 0
	for c := range n.Descendants() {
		if c.DataAtom == atom.Span && msoList(c) == "ignore" {
			return listed{n, c, max(0, min(level, maxLevels)-1)}, true
		}
		if few++; few == 32 || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			break // the mark precedes the text
		}
	}
	return i, false
}

// msoList returns the mso-list property of an element's style in lower case,
// or "" if there is none.
func msoList(n *html.Node) string {
	_, v, _ := strings.Cut(strings.ToLower(dom.Attr(n, "style")), "mso-list:")
	v, _, _ = strings.Cut(v, ";")
	return strings.TrimSpace(v)
}

// lists converts the items in body to lists.
func (d *builder) lists(body *html.Node) {
	items := map[*html.Node]listed{}
	var order []*html.Node
	for n := range body.Descendants() {
		if i, ok := listedOf(n); ok {
			items[n] = i
			order = append(order, n)
		}
	}
	for _, first := range order {
		if _, waits := items[first]; waits {
			d.list(first, items)
		}
	}
}

// list makes one list of consecutive items from first on, including the
// paragraphs that continue them. It removes the items from items.
func (d *builder) list(first *html.Node, items map[*html.Node]listed) {
	parent := first.Parent
	f := doctree.Flow{B: &d.b, Into: d.b.Element(atom.Div)}
	var last [maxLevels]doctree.Item
	n := first
	for n != nil {
		i, isItem := items[n]
		if !isItem && !goesOn(n) {
			break
		}
		switch {
		case isItem:
			delete(items, n)
			item, prefix := doctree.ItemOf(strings.TrimSpace(dom.Text(i.mark)), i.level, last[i.level])
			last[i.level] = item
			clear(last[i.level+1:])
			if i.mark.Parent != nil {
				i.mark.Parent.RemoveChild(i.mark)
			}
			li := f.Item(item)
			if prefix != "" {
				d.b.Text(li, prefix)
			}
			hand(li, n)
		case n.DataAtom == atom.P && strings.TrimSpace(dom.Text(n)) != "":
			hand(f.Continue(atom.P), n)
		}
		next := n.NextSibling
		parent.RemoveChild(n)
		n = next
	}
	for c := f.Into.FirstChild; c != nil; c = f.Into.FirstChild {
		f.Into.RemoveChild(c)
		parent.InsertBefore(c, n)
	}
}

// goesOn reports whether n, a node after a list item, is blank or continues the
// item.
func goesOn(n *html.Node) bool {
	switch {
	case n.Type == html.TextNode:
		return strings.TrimSpace(n.Data) == ""
	case n.DataAtom == atom.P:
		return strings.HasPrefix(dom.Attr(n, "class"), "MsoListParagraph") && msoList(n) == ""
	}
	return false
}

// hand moves the children of from to to.
func hand(to, from *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}
