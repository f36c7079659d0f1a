// SPDX-License-Identifier: Apache-2.0

package format

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// unlist turns lists of sections into plain sections. If at least half of the items of
// an unordered list contain a heading or a section, the list is only layout. In Markdown,
// headings within its items would not be headings of the page.
func unlist(root *html.Node) {
	for n := root; n != nil; n = dom.Next(n, root) {
		if n.DataAtom != atom.Ul || n.Namespace != "" {
			continue
		}
		items, sections := 0, 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Li {
				items++
				if holdsSection(c) {
					sections++
				}
			}
		}
		if sections == 0 || 2*sections < items {
			continue
		}
		n.DataAtom, n.Data = atom.Div, "div"
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Li {
				c.DataAtom, c.Data = atom.Div, "div"
			}
		}
	}
}

// holdsSection reports whether an item has a heading or a section as a child, or as a
// child of a child that is a div.
func holdsSection(item *html.Node) bool {
	for c := item.FirstChild; c != nil; c = c.NextSibling {
		if isSection(c) {
			return true
		}
		if c.DataAtom != atom.Div {
			continue
		}
		for d := c.FirstChild; d != nil; d = d.NextSibling {
			if isSection(d) {
				return true
			}
		}
	}
	return false
}

func isSection(n *html.Node) bool {
	return n.DataAtom == atom.Section || n.DataAtom == atom.Article || isHeading(n)
}
