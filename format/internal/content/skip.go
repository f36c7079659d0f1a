// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// isSegment reports whether n is a part of the page that React sent late and a
// script is to put into its place: its id is S: and a number.
func isSegment(n *html.Node) bool {
	id := dom.Attr(n, "id")
	i := strings.Index(id, "S:") // a prefix may stand before it
	if i < 0 || len(id) == i+2 {
		return false
	}
	return strings.Trim(id[i+2:], "0123456789abcdef") == ""
}

// IsSilent reports whether the element n is nothing to read.
func IsSilent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script: // formulas are content
		return !strings.HasPrefix(dom.Attr(n, "type"), "math/tex")
	case atom.Head, atom.Style, atom.Template, atom.Meta, atom.Link, atom.Base, atom.Noscript, atom.Noembed,
		atom.Noframes, atom.Object, atom.Applet, atom.Param, atom.Canvas, atom.Select, atom.Textarea,
		atom.Option, atom.Datalist, atom.Frame, atom.Frameset:
		return true
	case atom.Title:
		return n.Namespace == ""
	case atom.Input:
		return dom.Attr(n, "type") != "checkbox" || within(n, atom.Li) == nil
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
func (r *reader) isHidden(n *html.Node) bool {
	if n.Namespace == "math" {
		return false
	}
	hidden, panel := false, false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = hidden || a.Val != "until-found" && !r.reveal
		case "aria-hidden":
			hidden = hidden || strings.EqualFold(a.Val, "true")
		case "style":
			hidden = hidden || !r.reveal && hidesByStyle(a.Val)
		case "role":
			panel = panel || a.Val == "tabpanel"
		case "id":
			panel = panel || r.controlled[a.Val]
		case "class":
			// The second to the last keep the source of a formula beside its picture.
			panel = panel || hasWord(a.Val, "tab-pane") || strings.Contains(a.Val, "mwe-math-mathml") ||
				hasWord(a.Val, "katex-mathml") || hasWord(a.Val, "MJX_Assistive_MathML")
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
