// SPDX-License-Identifier: Apache-2.0

package structured

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A microReader reads microdata (WHATWG HTML, section 5) and RDFa Lite 1.1.
type microReader struct {
	steps  *dom.Steps
	nodes  []*Node
	byID   map[string]*html.Node // nil until an item refers to an element
	root   *html.Node
	text   int // bytes left
	visits int // number of elements that itemref may still visit
}

// scope contains the item and the resource to which properties of an element
// belong. Both may be nil.
type scope struct{ item, resource *Node }

// maxElementDepth limits the recursion. Trees of package dom are less than 600
// deep.
const maxElementDepth = 1200

// readMicro returns the nodes of microdata and RDFa below root.
func readMicro(steps *dom.Steps, root *html.Node) []*Node {
	r := microReader{steps: steps, root: root, text: maxBytes, visits: 100_000}
	r.below(root, scope{}, 0)
	return r.nodes
}

func (r *microReader) below(n *html.Node, s scope, depth int) {
	if depth > maxElementDepth {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.steps.Take(1)
		if c.Type == html.ElementNode {
			r.element(c, s, depth)
		}
	}
}

// element reads n and its descendants.
func (r *microReader) element(n *html.Node, s scope, depth int) {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript:
		return
	}
	inner := s
	if _, ok := dom.LookupAttr(n, "itemscope"); ok {
		inner.item = r.node(dom.Attr(n, "itemtype"), dom.Attr(n, "itemid"))
	}
	if types, ok := dom.LookupAttr(n, "typeof"); ok {
		inner.resource = r.node(types, dom.Attr(n, "resource"))
	}
	if props := dom.Attr(n, "itemprop"); props != "" && s.item != nil {
		r.property(n, s.item, props, inner.item != s.item, inner.item)
	}
	if props := dom.Attr(n, "property"); props != "" && s.resource != nil && !prefixed(props) {
		r.property(n, s.resource, props, inner.resource != s.resource, inner.resource)
	}
	r.below(n, inner, depth+1)
	if inner.item != s.item && inner.item != nil {
		r.refer(n, inner.item, depth)
	}
}

// prefixed reports whether props belong to a vocabulary that is read elsewhere.
func prefixed(props string) bool {
	prefix, _, ok := strings.Cut(props, ":")
	return ok && prefix != "schema" && prefix != "http" && prefix != "https"
}

// node creates a node, or returns nil if there are too many.
func (r *microReader) node(types, id string) *Node {
	if len(r.nodes) >= maxNodes {
		return nil
	}
	n := &Node{ID: clip(strings.TrimSpace(id))}
	for t := range strings.FieldsSeq(types) {
		if t = bare(t); t != "" && len(n.Types) < 16 {
			n.Types = append(n.Types, t)
		}
	}
	r.nodes = append(r.nodes, n)
	return n
}

// property adds the property that n defines to owner.
func (r *microReader) property(n *html.Node, owner *Node, names string, thing bool, node *Node) {
	v := Value{Node: node}
	if !thing {
		v = Value{Text: r.valueOf(n)}
	}
	if v.Node == nil && v.Text == "" {
		return
	}
	count := 0
	for name := range strings.FieldsSeq(names) {
		if count++; count > 8 {
			return
		}
		owner.add(bare(name), v)
	}
}

// refer reads the elements that an item names in itemref.
func (r *microReader) refer(n *html.Node, item *Node, depth int) {
	refs := dom.Attr(n, "itemref")
	if refs == "" || depth > maxDepth {
		return
	}
	if r.byID == nil {
		r.byID = map[string]*html.Node{}
		for d := range r.root.Descendants() {
			r.steps.Take(1)
			if id := dom.Attr(d, "id"); id != "" && r.byID[id] == nil {
				r.byID[id] = d
			}
		}
	}
	for id := range strings.FieldsSeq(refs) {
		target := r.byID[id]
		if target == nil || contains(target, n) {
			continue
		}
		size := 0
		for range target.Descendants() {
			r.steps.Take(1)
			if size++; size > r.visits {
				break
			}
		}
		if r.visits -= size + 1; r.visits < 0 {
			return
		}
		r.referred(target, item, depth)
	}
}

// referred reads the properties of item in n and its descendants. It skips
// those of nested items, which are read at their own place.
func (r *microReader) referred(n *html.Node, item *Node, depth int) {
	if depth > maxElementDepth {
		return
	}
	_, thing := dom.LookupAttr(n, "itemscope")
	if props := dom.Attr(n, "itemprop"); props != "" && !thing {
		r.property(n, item, props, false, nil)
	}
	if thing {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			r.referred(c, item, depth+1)
		}
	}
}

// contains reports whether n is outer or a descendant of it.
func contains(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// valueOf returns the value of a property element (WHATWG HTML 5.2.4). It also
// uses RDFa's content attribute on any element.
func (r *microReader) valueOf(n *html.Node) string {
	s, ok := dom.LookupAttr(n, "content")
	if !ok {
		switch n.DataAtom {
		case atom.A, atom.Area, atom.Link:
			s, ok = dom.LookupAttr(n, "href")
		case atom.Img, atom.Audio, atom.Video, atom.Source, atom.Embed, atom.Iframe, atom.Track:
			s, ok = dom.LookupAttr(n, "src")
		case atom.Object:
			s, ok = dom.LookupAttr(n, "data")
		case atom.Data, atom.Meter:
			s, ok = dom.LookupAttr(n, "value")
		case atom.Time:
			s, ok = dom.LookupAttr(n, "datetime")
		}
	}
	if !ok {
		s = r.textOf(n)
	}
	s = clip(strings.TrimSpace(s))
	if r.text -= len(s); r.text < 0 {
		return ""
	}
	return s
}

// textOf returns the text below n with collapsed white space.
func (r *microReader) textOf(n *html.Node) string {
	var b strings.Builder
	steps := 0
	for d := range n.Descendants() {
		r.steps.Take(1)
		if steps++; b.Len() > maxText || steps > maxText {
			break
		}
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script && d.Parent.DataAtom != atom.Style {
			b.WriteString(clip(d.Data))
		}
	}
	r.text -= steps // visited nodes count too, because nesting would otherwise make this quadratic
	return strings.Join(strings.Fields(b.String()), " ")
}
