// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Skipper knows the nodes that no view of a page shows (html.md 4, steps 1
// and 2): what is nothing to read, and what is hidden. Tab panels, accordions
// and what is folded away for now are content. Make one by [NewSkipper].
type Skipper struct {
	controlled map[string]bool // ids that elements of the page show and hide
}

// NewSkipper looks through the tree below root once.
func NewSkipper(root *html.Node) Skipper {
	ids := map[string]bool{}
	for n := root; n != nil; n = following(n, root) {
		for id := range strings.FieldsSeq(value(n, "aria-controls")) {
			ids[id] = true
		}
	}
	return Skipper{controlled: ids}
}

// following returns the node after n in document order, nil after the last
// below root.
func following(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	for n != root && n.NextSibling == nil {
		n = n.Parent
	}
	if n == root {
		return nil
	}
	return n.NextSibling
}

// Skips reports whether n and what is below it is never shown.
func (s Skipper) Skips(n *html.Node) bool {
	switch n.Type {
	case html.TextNode, html.DocumentNode:
		return false
	case html.ElementNode:
		return isSilent(n) || s.isHidden(n)
	}
	return true // comments, doctypes
}

// isSilent reports whether n is nothing to read.
func isSilent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Style, atom.Template, atom.Meta, atom.Link, atom.Base, atom.Noscript, atom.Noembed,
		atom.Noframes, atom.Object, atom.Applet, atom.Param, atom.Canvas, atom.Select, atom.Textarea,
		atom.Option, atom.Datalist, atom.Frame, atom.Frameset:
		return true
	case atom.Title:
		return n.Namespace == ""
	case atom.Script:
		return !strings.HasPrefix(value(n, "type"), "math/tex")
	case atom.Input:
		return value(n, "type") != "checkbox" || within(n, atom.Li) == nil
	case atom.Button:
		// The title of an accordion is a button in a heading.
		return within(n, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Summary, atom.Dt) == nil
	}
	switch n.Data { // of drawings; they can bring script URLs into attributes
	case "set", "animate", "animateTransform", "animateMotion", "foreignObject":
		return n.Namespace == "svg"
	}
	return false
}

// within returns the nearest of three ancestors of n that is one of atoms.
func within(n *html.Node, atoms ...atom.Atom) *html.Node {
	for range 3 {
		if n = n.Parent; n == nil {
			return nil
		}
		if slices.Contains(atoms, n.DataAtom) {
			return n
		}
	}
	return nil
}

// isHidden reports whether n is hidden, and not only folded away for now.
func (s Skipper) isHidden(n *html.Node) bool {
	if n.Namespace == "math" {
		return false
	}
	hidden, panel := false, false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = hidden || a.Val != "until-found"
		case "aria-hidden":
			hidden = hidden || strings.EqualFold(a.Val, "true")
		case "style":
			hidden = hidden || hidesByStyle(a.Val)
		case "role":
			panel = panel || a.Val == "tabpanel"
		case "id":
			panel = panel || s.controlled[a.Val]
		case "class":
			panel = panel || hasWord(a.Val, "tab-pane")
		}
	}
	return hidden && !panel
}

// hidesByStyle reads an inline style.
func hidesByStyle(style string) bool {
	for declaration := range strings.SplitSeq(style, ";") {
		name, val, _ := strings.Cut(declaration, ":")
		val, _, _ = strings.Cut(val, "!")
		val = strings.TrimSpace(val)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "display":
			if strings.EqualFold(val, "none") {
				return true
			}
		case "visibility":
			if strings.EqualFold(val, "hidden") {
				return true
			}
		}
	}
	return false
}

// hasWord reports whether one of the space-separated words of s is word.
func hasWord(s, word string) bool {
	if !strings.Contains(s, word) {
		return false
	}
	for w := range strings.FieldsSeq(s) {
		if w == word {
			return true
		}
	}
	return false
}

// value returns the value of an attribute of n; empty where it has none.
func value(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key && n.Attr[i].Namespace == "" {
			return n.Attr[i].Val
		}
	}
	return ""
}
