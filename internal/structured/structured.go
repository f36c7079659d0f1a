// SPDX-License-Identifier: Apache-2.0

// Package structured reads the machine-readable data of a page. It reads
// JSON-LD, microdata, RDFa Lite, the properties of Open Graph, Twitter cards
// and similar, and the state that shop and page platforms embed in a page.
// Vocabularies are never fetched; names only lose their prefix.
//
// # Security
// The page may be hostile. The work is linear in its size. The bytes read, the
// number of nodes and their depth are limited, and everything beyond a limit is
// omitted.
package structured

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// Limits for one page.
const (
	maxDepth = 64      // of JSON values, and of elements below an item with references
	maxNodes = 50_000  // for each syntax
	maxText  = 8 << 10 // bytes of one value, other than the text of an article
	maxBytes = 8 << 20 // bytes of all scripts, and of all texts
	maxMetas = 2_000
)

// Longest is the number of bytes of the text of an article. Longer ones are cut.
const Longest = 1 << 20

// Node is one item that a page describes.
type Node struct {
	Types []string   // without vocabulary, such as Product
	ID    string     // as in the source; may be empty
	Props []Property // in the order of their first occurrence
}

// Property contains the values of an item for one name, without vocabulary.
// There is at least one value.
type Property struct {
	Name   string
	Values []Value
}

// Value is a text or an item.
type Value struct {
	Node   *Node // if nil, the value is Text
	Text   string
	Number bool // Text is a JSON number
}

// Meta is a property of the page itself.
type Meta struct{ Name, Content string } // Name in lower case

// Graph is the structured data of a page. Items may refer to each other, also
// in cycles. Data is read on demand until the context of [New] ends. A Graph is
// not safe for concurrent use.
type Graph struct {
	steps dom.Steps
	err   error

	scripts    []script
	items      *html.Node // tree with microdata or RDFa, or nil
	metas      []Meta
	variations []string // of WooCommerce

	linked, micro, state []*Node
	broken               int // scripts of JSON-LD that are not valid
	did                  struct{ linked, micro, state bool }
}

// script is the text of a script element that contains data.
type script struct {
	text string
	kind string // "ld", or the platform
}

// New collects the data below root, which may be nil.
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

// Err returns the cause of the context if it ended while g was being read. The
// results may then be incomplete.
func (g *Graph) Err() error { return g.err }

// gather records the data in the element n, and returns how much of the budget
// it uses.
func (g *Graph) gather(root, n *html.Node, budget int) int {
	switch n.DataAtom {
	case atom.Meta:
		if text := dom.Attr(n, "content"); dom.Attr(n, "name") == "script:ld+json" && len(text) <= budget {
			g.scripts = append(g.scripts, script{text, "ld"}) // of a framework that was told to write a script element
			return len(text)
		}
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

// scriptKind returns the kind of data in a script element, or "" if it is not
// read.
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

// meta records a meta element whose name has a prefix.
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

// Linked returns the items of the page's JSON-LD in document order, each before
// its nested items.
func (g *Graph) Linked() []*Node {
	if !g.did.linked {
		g.did.linked = true
		defer g.steps.Recover(&g.err)
		g.linked, g.broken = readLinked(&g.steps, g.scripts)
	}
	return g.linked
}

// Broken returns the number of scripts of JSON-LD that are not valid, for example because they are
// cut, or that are beyond the limits. The nodes before the mistake are read.
func (g *Graph) Broken() int {
	g.Linked()
	return g.broken
}

// Micro returns the items of the page's microdata and RDFa in document order,
// each before its nested items.
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

// State returns the objects of the state that platforms embed. The only type of
// each is the platform ("next", "shopify", "woocommerce"), and its members are
// properties.
func (g *Graph) State() []*Node {
	if !g.did.state {
		g.did.state = true
		defer g.steps.Recover(&g.err)
		g.state = readState(&g.steps, g.scripts, g.variations)
	}
	return g.state
}

// Meta returns the content of the first property with one of names, in the
// order of names, or "".
//
// It is not inlined, because it has so many callers that they would make programs larger.
//
//go:noinline
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

// Is reports whether n has one of types, ignoring case. A nil n has none.
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

// Values returns the values of n for name, or nil.
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

// Nodes returns the items that are values of n for any of names.
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

// Text returns the first text of n for any of names, in the order of names. The
// text of an item is its name; the text of an unresolved reference is its URL.
// Like [Graph.Meta], it is not inlined.
//
//go:noinline
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

// Texts returns all texts of n for any of names.
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

// String returns the text of v. For an item it is its name, or else its URL.
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

// add adds a value for name to n.
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

// maxProps limits the number of names of a node, because they are searched
// linearly.
const maxProps = 500

// bare returns a name without its vocabulary.
func bare(name string) string {
	name = strings.TrimSpace(name)
	if i := strings.LastIndexAny(name, "/#:"); i >= 0 {
		name = name[i+1:]
	}
	return clip(name)
}

// clip returns at most maxText bytes of s as valid UTF-8.
func clip(s string) string { return clipTo(s, maxText) }

// clipTo returns at most so many bytes of s as valid UTF-8.
func clipTo(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}
