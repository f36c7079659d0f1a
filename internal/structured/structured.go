// SPDX-License-Identifier: Apache-2.0

// Package structured reads what a page says of itself for machines: tree ->
// graph. It knows JSON-LD, microdata, RDFa Lite, the properties of Open Graph,
// Twitter cards and their kin, and the state that shop and page platforms leave
// in a page. Vocabularies are never fetched: names lose their prefix, and that
// is all.
//
// # Security
//
// The page may be hostile. Work is linear in its size, and the bytes read,
// the nodes made and their depth are bounded; what is beyond a bound is left
// out.
package structured

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// Bounds of one page.
const (
	maxDepth = 64      // of JSON values, of elements below an item that refers to others
	maxNodes = 50_000  // of each syntax
	maxText  = 8 << 10 // bytes of one value
	maxBytes = 8 << 20 // of all scripts, and of all texts
	maxMetas = 2_000
)

// Node is one thing that a page describes.
type Node struct {
	Types []string   // without vocabulary: Product
	ID    string     // as written; empty where it has none
	Props []Property // in the order of their first appearance
}

// Property is what a page says of a thing under one name, without vocabulary.
// It has at least one value.
type Property struct {
	Name   string
	Values []Value
}

// Value is a text or a thing.
type Value struct {
	Node   *Node // nil: Text counts
	Text   string
	Number bool // Text is a JSON number
}

// Meta is a property of the page itself.
type Meta struct{ Name, Content string } // Name in lower case

// Graph is what one page says. Things refer to each other, in circles too. It
// is read on demand until the context of [New] ends, and not safe for concurrent
// use.
type Graph struct {
	steps dom.Steps
	err   error

	scripts    []script
	items      *html.Node // tree with microdata or RDFa; nil: none
	metas      []Meta
	variations []string // of WooCommerce

	linked, micro, state []*Node
	did                  struct{ linked, micro, state bool }
}

// script is the text of a script element that is data.
type script struct {
	text string
	kind string // "ld", or the platform
}

// New gathers what there is to read below root, which may be nil.
func New(ctx context.Context, root *html.Node) (g *Graph) {
	g = &Graph{steps: dom.NewSteps(ctx)}
	if root == nil {
		return g
	}
	defer g.steps.Recover(&g.err)
	budget := maxBytes
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		g.steps.Take(1)
		if n.Type == html.ElementNode {
			budget -= g.gather(root, n, budget)
		}
	}
	return g
}

// Err returns the cause of the context if that has ended while g was being
// read: what g returned may lack something then.
func (g *Graph) Err() error { return g.err }

// gather notes what the element n holds; it returns how much of the budget
// that takes.
func (g *Graph) gather(root, n *html.Node, budget int) int {
	switch n.DataAtom {
	case atom.Meta:
		g.meta(n)
	case atom.Script:
		kind := scriptKind(n)
		if kind == "" || n.FirstChild == nil || len(n.FirstChild.Data) > budget {
			return 0
		}
		g.scripts = append(g.scripts, script{n.FirstChild.Data, kind})
		return len(n.FirstChild.Data)
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "itemscope", "typeof":
			g.items = root
		case "data-product_variations":
			if len(a.Val) <= budget {
				g.variations = append(g.variations, a.Val)
				return len(a.Val)
			}
		}
	}
	return 0
}

// scriptKind returns what a script element holds; empty for what is not read.
func scriptKind(n *html.Node) string {
	id := dom.Attr(n, "id")
	kind, _, _ := strings.Cut(strings.ToLower(dom.Attr(n, "type")), ";")
	switch strings.TrimSpace(kind) {
	case "application/ld+json":
		return "ld"
	case "application/json":
		switch _, marked := dom.LookupAttr(n, "data-product-json"); {
		case id == "__NEXT_DATA__":
			return "next"
		case marked, strings.HasPrefix(id, "ProductJson"), strings.HasPrefix(id, "product-json"):
			return "shopify"
		}
	}
	return ""
}

// meta notes a meta element that describes the page by a name with a prefix.
func (g *Graph) meta(n *html.Node) {
	content := strings.TrimSpace(dom.Attr(n, "content"))
	for _, key := range []string{"property", "name"} {
		name := strings.ToLower(strings.TrimSpace(dom.Attr(n, key)))
		if strings.ContainsRune(name, ':') && content != "" && len(g.metas) < maxMetas {
			g.metas = append(g.metas, Meta{clip(name), clip(content)})
			return
		}
	}
}

// Linked returns the things of the page's JSON-LD, each before those inside
// it, in document order.
func (g *Graph) Linked() []*Node {
	if !g.did.linked {
		g.did.linked = true
		defer g.steps.Recover(&g.err)
		g.linked = readLinked(&g.steps, g.scripts)
	}
	return g.linked
}

// Micro returns the things of the page's microdata and RDFa, each before those
// inside it, in document order.
func (g *Graph) Micro() []*Node {
	if !g.did.micro {
		g.did.micro = true
		defer g.steps.Recover(&g.err)
		if g.items != nil {
			g.micro = readMicro(&g.steps, g.items)
		}
	}
	return g.micro
}

// State returns the objects of the state that platforms leave: each has the
// platform as its only type ("next", "shopify", "woocommerce"), and its
// members as properties.
func (g *Graph) State() []*Node {
	if !g.did.state {
		g.did.state = true
		defer g.steps.Recover(&g.err)
		g.state = readState(&g.steps, g.scripts, g.variations)
	}
	return g.state
}

// Meta returns the content of the first property that has one of names, in
// the order of names; empty where there is none.
func (g *Graph) Meta(names ...string) string {
	for _, name := range names {
		for _, m := range g.metas {
			if m.Name == name {
				return m.Content
			}
		}
	}
	return ""
}

// Metas returns the page's own properties, in document order.
func (g *Graph) Metas() []Meta { return g.metas }

// Is reports whether n has one of types; case does not matter. A nil n has
// none.
func (n *Node) Is(types ...string) bool {
	if n == nil {
		return false
	}
	for _, have := range n.Types {
		if slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, have) }) {
			return true
		}
	}
	return false
}

// Values returns what n says under name; nil where it says nothing.
func (n *Node) Values(name string) []Value {
	if n == nil {
		return nil
	}
	for i := range n.Props {
		if n.Props[i].Name == name {
			return n.Props[i].Values
		}
	}
	return nil
}

// Nodes returns the things that n has under one of names.
func (n *Node) Nodes(names ...string) []*Node {
	var all []*Node
	for _, name := range names {
		for _, v := range n.Values(name) {
			if v.Node != nil {
				all = append(all, v.Node)
			}
		}
	}
	return all
}

// Text returns the first text that n has under one of names, in the order of
// names. A thing stands for its name; a reference to nowhere, for its address.
func (n *Node) Text(names ...string) string {
	for _, name := range names {
		for _, v := range n.Values(name) {
			if s := v.String(); s != "" {
				return s
			}
		}
	}
	return ""
}

// Texts returns all texts that n has under one of names.
func (n *Node) Texts(names ...string) []string {
	var all []string
	for _, name := range names {
		for _, v := range n.Values(name) {
			if s := v.String(); s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}

// String returns the text of v: of a thing its name, or else its address.
func (v Value) String() string {
	if v.Node == nil {
		return v.Text
	}
	for _, name := range []string{"name", "url"} {
		for _, inner := range v.Node.Values(name) {
			if inner.Node == nil && inner.Text != "" {
				return inner.Text
			}
		}
	}
	return v.Node.ID
}

// add adds a value to n under name.
func (n *Node) add(name string, v Value) {
	if name == "" {
		return
	}
	for i := range n.Props {
		if n.Props[i].Name == name {
			n.Props[i].Values = append(n.Props[i].Values, v)
			return
		}
	}
	if len(n.Props) < maxProps {
		n.Props = append(n.Props, Property{name, []Value{v}})
	}
}

// maxProps bounds the names of one node, which are searched one by one.
const maxProps = 500

// bare returns a name without its vocabulary.
func bare(name string) string {
	name = strings.TrimSpace(name)
	if i := strings.LastIndexAny(name, "/#:"); i >= 0 {
		name = name[i+1:]
	}
	return clip(name)
}

// clip returns at most maxText bytes of s, as valid UTF-8.
func clip(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return strings.ToValidUTF8(s, "")
}
