// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Discloses reports whether a button shows and hides the content that follows
// it, so that its text is a title, such as a question of a list of frequent
// ones. Menus and lists of links do not count as content. Such buttons have an
// attribute aria-expanded (WAI-ARIA Authoring Practices, disclosure pattern) or
// a class that says so.
func Discloses(button *html.Node) bool {
	_, ok := LookupAttr(button, "aria-expanded")
	return (ok || isAccordion(Attr(button, "class"))) && hasPanel(button)
}

// Asks reports whether a button is a question of three words or more, and content
// follows it as in [Discloses].
func Asks(button *html.Node) bool {
	const most, words = 16, 3 // nodes that are read
	text, left := "", most
	for c := button; c != nil; c = Next(c, button) {
		if left--; left < 0 {
			return false
		}
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	return strings.HasSuffix(strings.TrimRight(text, spaces), "?") && len(strings.Fields(text)) >= words && hasPanel(button)
}

// hasPanel reports whether content follows a button that opens no menu.
func hasPanel(button *html.Node) bool {
	if popup := Attr(button, "aria-haspopup"); popup != "" && popup != "false" {
		return false
	}
	n := button
	for range 3 { // it may be alone in an element or two
		if next := sibling(n); next != nil {
			return isPanel(next, Attr(button, "aria-controls"))
		}
		if n = n.Parent; n == nil || n.DataAtom == atom.Li || n.DataAtom == atom.Nav {
			return false
		}
	}
	return false
}

// isAccordion reports whether a class is that of the button of an accordion.
func isAccordion(class string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(class)) {
		if strings.Contains(word, "accordion") || strings.HasPrefix(word, "collapsible") {
			return true
		}
	}
	return false
}

// sibling returns the next sibling of n that is an element.
func sibling(n *html.Node) *html.Node {
	for left := 10; n.NextSibling != nil && left > 0; left-- {
		if n = n.NextSibling; n.Type == html.ElementNode {
			return n
		}
	}
	return nil
}

// isPanel reports whether n has text that is not in links, buttons or menus.
// If id is not empty, n or its only child must have it.
func isPanel(n *html.Node, id string) bool {
	const most, enough = 100, 20 // nodes that are read, bytes of text
	if id != "" && Attr(n, "id") != id {
		child := n.FirstChild
		for child != nil && child.Type != html.ElementNode {
			child = child.NextSibling
		}
		if child == nil || Attr(child, "id") != id {
			return false
		}
	}
	size := 0
	for c, left := n, most; c != nil && left > 0; left-- {
		switch c.DataAtom {
		case atom.Nav, atom.A, atom.Button, atom.Form, atom.Script, atom.Style, atom.Svg:
			c = After(c, n)
			continue
		}
		if c.Type == html.TextNode {
			size += len(strings.TrimSpace(c.Data))
		}
		if size >= enough {
			return true
		}
		c = Next(c, n)
	}
	return false
}
