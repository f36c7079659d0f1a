// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/structured"
)

// Limits of the search for a price below the heading.
const (
	maxBeside = 600 // nodes
	maxStruck = 40  // nodes between a price and the one that is struck through
)

// shown reads the visible price that is nearest to the heading. It returns nil for
// pages on which nothing can be bought.
func (r *productReader) shown() *Product {
	root := r.page.in.Root
	named := strings.Contains(strings.ToLower(r.page.meta.Title), strings.ToLower(r.h1))
	if r.h1 == "" || root == nil || r.page.in.NotWeb || !named || r.published() || !buyable(r.page, root) {
		return nil
	}
	var at *html.Node
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		r.page.steps.Take(1)
		if n.DataAtom == atom.H1 && n.Type == html.ElementNode && clean(textOf(n)) == r.h1 {
			at = n
			break
		}
	}
	var price, old *Price
	priceAt, oldAt := 0, 0
	steps := 0
	for n := at; n != nil && steps < maxBeside && (price == nil || steps-priceAt < maxStruck); steps++ {
		if price == nil && n != at && isHeading(n) {
			return nil // the price belongs to that heading
		}
		p := r.priceOf(n)
		if p == nil {
			n = dom.Next(n, root)
			continue
		}
		switch struck := isStruck(n); {
		case struck:
			old, oldAt = p, steps
		case price == nil:
			price, priceAt = p, steps
		}
		n = behind(n, root)
	}
	if price == nil {
		return nil
	}
	v := Variant{Price: price}
	if old != nil && max(priceAt-oldAt, oldAt-priceAt) <= maxStruck && old.Currency == price.Currency {
		v.Sale = &Sale{*old}
	}
	return &Product{Title: r.h1, Variants: []Variant{v}}
}

// isHeading reports whether n is a heading with text.
func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5:
		return clean(textOf(n)) != ""
	}
	return false
}

// published reports whether the page is an article or a list.
func (r *productReader) published() bool {
	g := r.page.structured()
	for _, nodes := range [][]*structured.Node{g.Linked(), g.Micro()} {
		for _, n := range nodes {
			if isArticle(n) || n.Is("ItemList", "CollectionPage") {
				return true
			}
		}
	}
	return g.Meta("og:type") == "article"
}

// priceOf returns the price of an element that consists of one price; nil for
// others.
func (r *productReader) priceOf(n *html.Node) *Price {
	if n.Type != html.ElementNode || content.IsSilent(n) {
		return nil
	}
	var b strings.Builder
	steps := 0
	for d := dom.Next(n, n); d != nil; d = dom.Next(d, n) {
		if steps++; steps > 100 {
			return nil
		}
		switch {
		case d.DataAtom == atom.Del, d.DataAtom == atom.Ins, d.DataAtom == atom.S:
			return nil // more than one
		case d.Type == html.TextNode:
			if b.WriteString(cut(d.Data, 128)); b.Len() > 127 {
				return nil
			}
		}
	}
	return shownPrice(b.String(), r.lang)
}

// isStruck reports whether a price is marked as the former one.
func isStruck(n *html.Node) bool {
	for range 4 {
		if n == nil {
			return false
		}
		switch n.DataAtom {
		case atom.Del, atom.S, atom.Strike:
			return true
		}
		for word := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "class"))) {
			for _, mark := range []string{"compare", "was-price", "old-price", "price-old", "list-price", "price-was", "regular-price", "strike", "original-price"} {
				if strings.Contains(word, mark) {
					return true
				}
			}
		}
		n = n.Parent
	}
	return false
}

// behind returns the node after n and its descendants.
func behind(n, root *html.Node) *html.Node {
	for n != nil && n != root && n.NextSibling == nil {
		n = n.Parent
	}
	if n == nil || n == root {
		return nil
	}
	return n.NextSibling
}

// buyable reports whether a page has a button that adds to a shopping basket.
func buyable(pg *page, root *html.Node) bool {
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		pg.steps.Take(1)
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Button, atom.Input, atom.A, atom.Form:
		default:
			continue
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "class", "id", "name", "action", "value", "aria-label":
				if isCart(a.Val) {
					return true
				}
			}
		}
		if n.DataAtom == atom.Button && isCart(textOf(n)) {
			return true
		}
	}
	return false
}

// isCart reports whether s is the text or name of a button that adds to a basket.
func isCart(s string) bool {
	key := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return r
	}, strings.ToLower(cut(s, 200)))
	for _, mark := range []string{"addtocart", "addtobag", "addtobasket", "indenwarenkorb", "ajouteraupanier", "añadiralcarrito", "aggiungialcarrello"} {
		if strings.Contains(key, mark) {
			return true
		}
	}
	return false
}

// plain returns a text without HTML tags, which some descriptions contain.
func plain(s string) string {
	if !strings.Contains(s, "<") {
		return clean(s)
	}
	var b strings.Builder
	for s != "" {
		text, rest, tag := strings.Cut(s, "<")
		b.WriteString(text)
		if !tag {
			break
		}
		name, after, _ := strings.Cut(rest, ">")
		name, _, _ = strings.Cut(strings.TrimPrefix(cut(name, 32), "/"), " ")
		if n := (html.Node{Type: html.ElementNode, DataAtom: atom.Lookup([]byte(strings.ToLower(name)))}); breaks(&n) {
			b.WriteByte(' ')
		}
		s = after
	}
	return clean(html.UnescapeString(b.String()))
}
