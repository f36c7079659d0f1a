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

const maxLevels = 9 // of lists in Word

// listed is a paragraph that is an item.
type listed struct {
	p, mark *html.Node // mark is the number or the bullet before it
	level   int        // from 0
}

// listedOf returns the item that n is, not ok where it is none. Word and Outlook
// write items as paragraphs whose style names a list and a level, mso-list:l0
// level1 lfo1, and their numbers in spans of the style mso-list:Ignore.
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
			break // it stands before the text
		}
	}
	return i, false
}

// msoList returns the property of that name of an element's style, in lower
// case; "" where it has none.
func msoList(n *html.Node) string {
	_, v, _ := strings.Cut(strings.ToLower(dom.Attr(n, "style")), "mso-list:")
	v, _, _ = strings.Cut(v, ";")
	return strings.TrimSpace(v)
}

// lists makes lists of the items in body.
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

// list makes a list of the items from first on, with the paragraphs that go on
// with them, up to what is neither. It takes them from items.
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

// goesOn reports whether n, behind an item, says nothing or goes on with it.
func goesOn(n *html.Node) bool {
	switch {
	case n.Type == html.TextNode:
		return strings.TrimSpace(n.Data) == ""
	case n.DataAtom == atom.P:
		return strings.HasPrefix(dom.Attr(n, "class"), "MsoListParagraph") && msoList(n) == ""
	}
	return false
}

// hand gives what stands in from to to.
func hand(to, from *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}
