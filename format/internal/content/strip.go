// SPDX-License-Identifier: Apache-2.0

package content

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Strip adds to drop the subtrees below node root, without root itself, that are navigation,
// banners, notices or lists of links. It decides by their tags, roles, class names and links.
// It skips the nodes that are already in drop.
func (ix *Index) Strip(root int32, drop Set) {
	var r traitReader
	ix.strip(root, drop, func(id int32) trait { return r.read(ix.Nodes[id]) })
}

// strip is [Index.Strip] with a function that returns the traits of elements.
func (ix *Index) strip(root int32, drop Set, of func(id int32) trait) {
	total := ix.Runes(0)
	inside := int32(0) // end of the outermost main or article element around
	for id := root + 1; id < ix.End[root]; {
		n := ix.Nodes[id]
		if drop.Has(id) {
			id = ix.End[id]
			continue
		}
		if n.Type != html.ElementNode {
			id++
			continue
		}
		switch t := of(id); {
		case isChrome(n.DataAtom, t.role, id < inside), ix.isNamed(id, total, t.names), ix.isLinkList(id, total):
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

// isChrome reports whether the tag or role of an element says that it is not content.
func isChrome(tag atom.Atom, role roleKind, inArticle bool) bool {
	switch role {
	case roleChrome:
		return tag != atom.Body && tag != atom.Html
	case roleNote:
		return false
	}
	switch tag {
	case atom.Nav, atom.Footer, atom.Aside, atom.Dialog:
		return true
	case atom.Header:
		return !inArticle
	}
	return false
}

// isNamed reports whether the names of a node say that it is not content. This does not
// count if the node has 30 % of the text, or if another name says that it is content and
// most of its text is not in links.
func (ix *Index) isNamed(id int32, total int, names mark) bool {
	if names&markBad == 0 {
		return false
	}
	switch ix.Nodes[id].DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	}
	size := ix.Runes(id)
	return 10*size < 3*total && (names&markGood == 0 || 2*ix.LinkRunes(id) > size)
}

// isLinkList reports whether a node consists mostly of short links.
func (ix *Index) isLinkList(id int32, total int) bool {
	switch ix.Nodes[id].DataAtom {
	case atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Table, atom.Dl:
	default:
		return false
	}
	size, linked, links := ix.Runes(id), ix.LinkRunes(id), ix.Links(id)
	return links > 2 && 10*linked > 8*size && linked < 35*links && 4*size < total
}
