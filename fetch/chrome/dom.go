// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"golang.org/x/net/html"

	"example.com/curlew/fetch"
)

// cutText is the length in UTF-16 units at which the browser cuts the text of a
// node.
const cutText = 10_000

// Types of nodes (DOM standard, section 4.4).
const (
	elementNode  = 1
	textNode     = 3
	documentNode = 9
	doctypeNode  = 10
	fragmentNode = 11
)

// writer writes a DOM tree of the browser as HTML, in the order in which a person
// sees the page: a shadow tree takes the place of its host's children, the
// children take the place of the slots that they are assigned to, and the
// document of a frame takes the place of the frame.
type writer struct {
	out     bytes.Buffer
	limit   int64
	long    func(n *cdp.Node) (string, error) // returns the whole text of a node that the browser has cut, as HTML
	nodes   map[cdp.BackendNodeID]*cdp.Node   // children of shadow hosts, which slots refer to
	letters int                               // bytes of text
	failed  int                               // frames that were refused or could not be loaded
	// foreign writes the body of a frame of another site. It returns false if there is none.
	foreign func(w *writer, id cdp.FrameID) bool
	err     error
}

// check sets err if the document is too large.
func (w *writer) check() {
	if w.err == nil && int64(w.out.Len()) > w.limit {
		w.err = fmt.Errorf("%w: the document has more than %d bytes", fetch.ErrTooLarge, w.limit)
	}
}

// node writes a node and its descendants. The JSON decoder that has read the tree
// limits its depth.
func (w *writer) node(n *cdp.Node) {
	switch w.check(); {
	case n == nil || w.err != nil:
	case n.NodeType == textNode:
		w.text(n, html.EscapeString)
	case n.NodeType == doctypeNode:
		w.out.WriteString("<!DOCTYPE html>\n")
	case n.NodeType == documentNode, n.NodeType == fragmentNode:
		w.children(n.Children)
	case n.NodeType == elementNode:
		w.element(n)
	}
}

// text writes a text node. If the browser has cut its text, which it marks with an
// ellipsis, text gets the whole text.
func (w *writer) text(n *cdp.Node, escape func(string) string) {
	text := escape(n.NodeValue)
	if strings.HasSuffix(n.NodeValue, "…") && utf8.RuneCountInString(n.NodeValue) > cutText/2 {
		whole, err := w.long(n)
		if err != nil {
			w.err = err
			return
		}
		text = whole
	}
	w.letters += len(strings.TrimSpace(text))
	w.out.WriteString(text)
}

// children writes nodes in their order.
func (w *writer) children(nodes []*cdp.Node) {
	for _, c := range nodes {
		w.node(c)
	}
}

// element writes an element.
func (w *writer) element(n *cdp.Node) {
	name := strings.ToLower(n.NodeName)
	if n.LocalName != "" {
		name = n.LocalName // names of SVG and MathML are case-sensitive
	}
	if strings.ContainsAny(name, " \t\n\f\r/<>\"'=") { // HTML has no syntax for such a name
		w.children(n.Children)
		return
	}
	if name == "slot" && len(n.DistributedNodes) > 0 {
		for _, d := range n.DistributedNodes {
			if c, ok := w.nodes[d.BackendNodeID]; ok {
				delete(w.nodes, d.BackendNodeID) // a node is assigned to a single slot
				w.node(c)
			}
		}
		return
	}
	other := (name == "iframe" || name == "frame") && n.ContentDocument == nil
	if other && w.foreignElement(n) {
		return
	}
	frame := n.ContentDocument != nil
	if frame {
		name = "div"
	}
	w.out.WriteByte('<')
	w.out.WriteString(name)
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		w.attribute(n.Attributes[i], n.Attributes[i+1], frame)
	}
	w.out.WriteByte('>')
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return
	case "script", "style", "xmp", "noembed", "noframes", "plaintext", "noscript":
		for _, c := range n.Children {
			if c.NodeType == textNode { // written without escapes (HTML standard, section 13.3)
				w.text(c, func(s string) string { return s })
			}
		}
	default:
		w.content(n)
	}
	w.out.WriteString("</")
	w.out.WriteString(name)
	w.out.WriteByte('>')
}

// foreignElement writes a frame of another site as a div. It returns false, and writes nothing,
// if the frame has no document.
func (w *writer) foreignElement(n *cdp.Node) bool {
	start := w.out.Len()
	w.out.WriteString("<div")
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		w.attribute(n.Attributes[i], n.Attributes[i+1], true)
	}
	w.out.WriteByte('>')
	if !w.foreign(w, n.FrameID) {
		w.out.Truncate(start)
		return false
	}
	w.out.WriteString("</div>")
	return true
}

// content writes what a person sees inside an element.
func (w *writer) content(n *cdp.Node) {
	if n.ContentDocument != nil && isError(n.ContentDocument) {
		w.failed++
		return
	}
	if n.ContentDocument != nil {
		w.children(body(n.ContentDocument))
		return
	}
	for _, root := range n.ShadowRoots {
		if root.ShadowRootType == cdp.ShadowRootTypeUserAgent {
			continue
		}
		for _, c := range n.Children {
			w.nodes[c.BackendNodeID] = c
		}
		w.children(root.Children)
		return // children without a slot are not visible
	}
	w.children(n.Children)
}

// isError reports whether a document is the one that the browser shows if it has no other.
func isError(document *cdp.Node) bool {
	return strings.HasPrefix(document.DocumentURL, "chrome-error:")
}

// body returns the children of the body or frameset of a document.
func body(document *cdp.Node) []*cdp.Node {
	for _, root := range document.Children {
		for _, c := range root.Children {
			if strings.EqualFold(c.NodeName, "body") || strings.EqualFold(c.NodeName, "frameset") {
				return c.Children
			}
		}
	}
	return nil
}

// attribute writes an attribute. An attribute of a frame gets the prefix
// data-frame-, because the frame is written as a div, and its URL is not an image
// or link of the page.
func (w *writer) attribute(name, value string, frame bool) {
	if strings.ContainsAny(name, " \t\n\f\r/<>\"'=") || name == "" {
		return
	}
	if frame {
		name = "data-frame-" + name
	}
	w.out.WriteByte(' ')
	w.out.WriteString(name)
	w.out.WriteString(`="`)
	w.out.WriteString(html.EscapeString(value))
	w.out.WriteByte('"')
}
