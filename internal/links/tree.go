// SPDX-License-Identifier: Apache-2.0

package links

import "golang.org/x/net/html"

// walk visits a tree in document order. It is not recursive, because the tree
// may be deep.
func walk(c *collector, root *html.Node) {
	for n := root; n != nil; {
		down := true
		switch n.Type {
		case html.TextNode:
			if p := n.Parent; p == nil || p.Data != "script" && p.Data != "style" {
				c.say(n.Data)
			}
		case html.ElementNode:
			down = enter(c, n)
		}
		if down && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for n != nil {
			if n.Type == html.ElementNode && n.Data == "a" {
				c.close()
			}
			if n == root {
				return
			}
			if n.NextSibling != nil {
				n = n.NextSibling
				break
			}
			n = n.Parent
		}
	}
}

// enter handles an element and reports whether its content must be visited.
func enter(c *collector, n *html.Node) (down bool) {
	switch {
	case n.Namespace == "svg" && n.Data == "a":
		c.element("a", true, (*node)(n))
	case n.Namespace == "":
		c.element(n.Data, false, (*node)(n))
	}
	switch n.Data {
	case "iframe", "noembed", "noframes", "plaintext", "script", "style", "template", "textarea", "title", "xmp":
		return n.Namespace != ""
	}
	return true
}

// node is an element of a tree.
type node html.Node

func (n *node) attr(name string) (string, bool) {
	namespace := ""
	if name == "xlink:href" {
		namespace, name = "xlink", "href"
	}
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == name && a.Namespace == namespace {
			return a.Val, true
		}
	}
	return "", false
}
