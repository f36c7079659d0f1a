// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom/internal/htmltree"
)

// A shadow is a shadow tree that a template with the attribute shadowrootmode
// declares (HTML 4.12.3).
type shadow struct {
	htmltree.Shadow
	slots []*html.Node // in document order, without those of shadows within
}

// show puts the content of shadow trees where a reader sees it: in their
// hosts, with the children of a host in its slots. Children without a slot get
// the attribute hidden, because browsers do not show them. found are in document
// order.
func (d *Document) show(found []htmltree.Shadow) {
	var shadows []shadow
	hosts := map[*html.Node]bool{}
	for _, f := range found {
		if mode := Attr(f.Template, "shadowrootmode"); !strings.EqualFold(mode, "open") && !strings.EqualFold(mode, "closed") {
			continue
		}
		if hosts[f.Host] || !isHost(f.Host) {
			continue
		}
		hosts[f.Host] = true
		shadows = append(shadows, shadow{f, slotsOf(f.Template)})
	}
	for _, s := range slices.Backward(shadows) { // inner ones first, because slots of outer ones may be in their hosts
		s.fill()
	}
	d.lose(DeepNesting, bound(d.Root))
}

// isHost reports whether n may have a shadow tree (DOM 4.9, "attach a shadow
// root").
func isHost(n *html.Node) bool {
	if n.Type != html.ElementNode || n.Namespace != "" {
		return false
	}
	switch n.DataAtom {
	case atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Div, atom.Footer, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Header, atom.Main, atom.Nav, atom.P, atom.Section, atom.Span:
		return true
	}
	return n.Data[0] >= 'a' && n.Data[0] <= 'z' && strings.Contains(n.Data, "-") && n.Data != "annotation-xml"
}

// slotsOf returns the slots of the shadow tree of a template.
func slotsOf(template *html.Node) (slots []*html.Node) {
	for n := Next(template, template); n != nil; {
		if n.DataAtom == atom.Slot && n.Namespace == "" {
			slots = append(slots, n)
		}
		if n.DataAtom == atom.Template { // another shadow tree, or content that is not shown
			n = After(n, template)
			continue
		}
		n = Next(n, template)
	}
	return slots
}

// fill replaces the children of the host by its shadow tree, and the slots in
// that by the children.
func (s shadow) fill() {
	host := s.Host
	if s.Template.Parent != host {
		if s.Template.Parent == nil || within(host, s.Template) {
			return
		}
		s.Template.Parent.RemoveChild(s.Template)
		host.InsertBefore(s.Template, host.FirstChild)
	}
	children := map[string][]*html.Node{} // by the name of their slot
	for c := host.FirstChild; c != nil; c = c.NextSibling {
		if c != s.Template && (c.Type == html.TextNode || c.Type == html.ElementNode) {
			name := Attr(c, "slot")
			children[name] = append(children[name], c)
		}
	}
	gone := map[*html.Node]bool{} // slots in the content of another slot that is not shown
	for _, slot := range s.slots {
		name := Attr(slot, "name")
		nodes := children[name]
		switch {
		case gone[slot]:
		case len(nodes) > 0:
			_, hidden := LookupAttr(slot, "hidden")
			for n := Next(slot, slot); n != nil; n = Next(n, slot) {
				gone[n] = true
			}
			for _, n := range nodes {
				host.RemoveChild(n)
				slot.Parent.InsertBefore(n, slot)
				if hidden {
					hide(n)
				}
			}
			slot.Parent.RemoveChild(slot)
			delete(children, name) // a second slot of this name shows its own content
		default:
			unwrap(slot)
		}
	}
	for _, nodes := range children {
		for _, n := range nodes {
			hide(n)
		}
	}
	unwrap(s.Template)
}

// within reports whether n is below root.
func within(n, root *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == root {
			return true
		}
	}
	return false
}

// unwrap replaces n by its children, which are hidden if n is.
func unwrap(n *html.Node) {
	_, hidden := LookupAttr(n, "hidden")
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
		if hidden {
			hide(c)
		}
	}
	n.Parent.RemoveChild(n)
}

// hide marks n as hidden. A text gets an element for that.
func hide(n *html.Node) {
	switch {
	case n.Type == html.ElementNode:
		if _, ok := LookupAttr(n, "hidden"); !ok {
			n.Attr = append(slices.Clip(n.Attr), html.Attribute{Key: "hidden"})
		}
	case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "":
		span := &html.Node{Type: html.ElementNode, DataAtom: atom.Span, Data: "span", Attr: []html.Attribute{{Key: "hidden"}}}
		n.Parent.InsertBefore(span, n)
		n.Parent.RemoveChild(n)
		span.AppendChild(n)
	}
}

// bound moves what is below more elements than htmltree.MaxOpen up, behind the
// last element that may be there, and returns the number of elements that it moved.
// Slots can nest them more deeply than the markup does.
func bound(root *html.Node) (moved int) {
	depth := 0
	for n := root; n != nil; {
		if depth == htmltree.MaxOpen && hasElement(n) {
			for c := n.LastChild; c != nil; c = n.LastChild {
				n.RemoveChild(c)
				n.Parent.InsertBefore(c, n.NextSibling)
				if c.Type == html.ElementNode {
					moved++
				}
			}
		}
		if n.FirstChild != nil {
			n = n.FirstChild
			depth++
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
			depth--
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return moved
}

// hasElement reports whether a child of n is an element.
func hasElement(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return true
		}
	}
	return false
}
