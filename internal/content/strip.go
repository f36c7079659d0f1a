// SPDX-License-Identifier: Apache-2.0

package content

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Strip adds to drop the subtrees below node root, not root itself, that are
// navigation, banners, notices and lists of links by their tags, roles or
// class names (html.md 5, stage A). What is in drop already is not looked at.
func (ix *Index) Strip(root int32, drop Set) {
	total := ix.Runes(0)
	inside := int32(0) // end of the main and article elements around
	for id := root + 1; id < ix.End[root]; {
		n := ix.Nodes[id]
		switch {
		case drop.Has(id):
		case n.Type != html.ElementNode:
			id++
			continue
		case isChrome(n, id < inside), ix.isNamed(id, total), ix.isLinkList(id, total):
			drop.AddRange(id, ix.End[id])
		default:
			if n.DataAtom == atom.Main || n.DataAtom == atom.Article {
				inside = max(inside, ix.End[id])
			}
			id++
			continue
		}
		id = ix.End[id]
	}
}

// isChrome reports whether n is around the content by its tag or role.
func isChrome(n *html.Node, inArticle bool) bool {
	role := ""
	for i := range n.Attr {
		if n.Attr[i].Key == "role" {
			role = n.Attr[i].Val
		}
	}
	switch role {
	case "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar", "tablist":
		return n.DataAtom != atom.Body && n.DataAtom != atom.Html
	case "note", "main":
		return false
	}
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Dialog:
		return true
	case atom.Header:
		return !inArticle
	}
	return false
}

// isNamed reports whether the class or id of a node says that it is no
// content, and its text does not speak against that.
func (ix *Index) isNamed(id int32, total int) bool {
	n := ix.Nodes[id]
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	}
	bad, good := false, false
	for i := range n.Attr {
		if key := n.Attr[i].Key; key == "class" || key == "id" {
			b, g := judge(n.Attr[i].Val)
			bad, good = bad || b, good || g
		}
	}
	if !bad {
		return false
	}
	size := ix.Runes(id)
	return 10*size < 3*total && (!good || 2*ix.LinkRunes(id) > size)
}

// isLinkList reports whether a node is a list of short links and little else.
func (ix *Index) isLinkList(id int32, total int) bool {
	switch ix.Nodes[id].DataAtom {
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Table, atom.Dl:
	default:
		return false
	}
	size, linked, links := ix.Runes(id), ix.LinkRunes(id), ix.Links(id)
	return links > 2 && 10*linked > 8*size && linked < 35*links && 4*size < total
}

// judge reads the words of a class or id attribute: parted by spaces, hyphens,
// underscores and changes of case.
func judge(s string) (bad, good bool) {
	var word [16]byte // longer ones are none that we know
	n := 0
	end := func() {
		if n <= len(word) {
			w := string(word[:n])
			bad, good = bad || isBad(w), good || isGood(w)
		}
		n = 0
	}
	lower := false
	for i := range len(s) {
		c := s[i]
		upper := c >= 'A' && c <= 'Z'
		if c == ' ' || c == '-' || c == '_' || c == '\n' || c == '\t' || upper && lower {
			end()
		}
		lower = c >= 'a' && c <= 'z'
		if !upper && !lower && (c < '0' || c > '9') {
			continue
		}
		if n < len(word) {
			word[n] = c | 0x20
		}
		n++
	}
	end()
	return bad, good
}

func isBad(word string) bool {
	switch word {
	case "nav", "navbar", "navigation", "menu", "footer", "sidebar", "breadcrumb", "breadcrumbs",
		"cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "subscription", "social",
		"share", "sharing", "related", "recommend", "recommended", "popup", "modal", "overlay",
		"banner", "ad", "ads", "advert", "advertisement", "sponsor", "sponsored", "promo", "skip",
		"toc", "pagination", "pager", "toolbar", "masthead", "offcanvas", "drawer", "megamenu",
		"login", "signin", "searchform", "widget", "copyright":
		return true
	}
	return false
}

func isGood(word string) bool {
	switch word {
	case "article", "content", "main", "body", "post", "entry", "product", "description", "forum",
		"thread", "message":
		return true
	}
	return false
}
