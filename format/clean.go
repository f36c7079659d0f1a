// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/format/internal/content"
)

// asides are class names and ids of elements that are not content, even inside the
// main content.
var asides = []string{
	"related", "recommended", "recommendations", "recirc", "readmore", "morestories", "moreposts", "readnext", "youmayalso", "alsolike", "trending",
	"popular", "share", "sharing", "sharebar", "sharebuttons", "social", "socialshare", "sociallinks", "followus", "newsletter", "subscribe", "subscription",
	"signup", "optin", "authorbio", "authorcard", "authorbox", "aboutauthor", "authorinfo", "tags", "taglist", "posttags", "entrytags", "breadcrumb",
	"breadcrumbs", "promo", "promobox", "cta", "calltoaction", "paywall", "pagination", "pager", "postnav", "postnavigation", "prevnext", "printonly",
	"copyright", "photocredit", "imagecredit", "entryfooter", "postmeta", "commentform", "cookienotice", "sponsor", "sponsored", "skiplink", "backtotop",
}

// headings are headings of parts that are not content, in lower case.
var headings = []string{
	"related", "related articles", "related posts", "related stories", "related content", "related reading", "read more", "read next", "more stories", "more from",
	"more articles", "you may also like", "you might also like", "recommended", "recommended for you", "share", "share this", "share this article",
	"share this post", "tags", "about the author", "subscribe", "newsletter", "sign up", "follow us", "popular posts", "trending", "most read", "most popular",
	"leave a comment", "leave a reply", "das könnte sie auch interessieren", "mehr zum thema", "verwandte artikel", "articles similaires", "à lire aussi", "artículos relacionados",
}

// Limits of what clean drops: the percentage of the text in the view that one part may
// have, and the length of a part below a heading that does not consist mostly of links.
const (
	maxAside    = 30
	maxUnlinked = 400 // runes
)

// clean drops parts of the main content that are not content, for the option
// onlyCleanContent. It never drops everything.
func (b *builder) clean(ctx context.Context, v *view) {
	before := v.drop
	v.drop = v.drop.Clone()
	total := 0
	for _, root := range v.roots {
		total += v.ix.Runes(root)
	}
	for _, root := range v.roots {
		for id := root; id < v.ix.End[root]; {
			n := v.ix.Nodes[id]
			switch {
			case v.drop.Has(id):
			case n.Type == html.ElementNode && id > root && 100*v.ix.Runes(id) <= maxAside*total && v.isAside(id):
				v.drop.AddRange(id, v.ix.End[id])
			default:
				if isHeading(n) && isAsideHeading(n) {
					v.dropBelow(id, total)
				}
				id++
				continue
			}
			id = v.ix.End[id]
		}
	}
	if !v.shows() {
		v.drop = before
		return
	}
	b.cleanByModel(ctx, v)
}

// isAside reports whether the tag or names of an element say that it is not content.
func (v *view) isAside(id int32) bool {
	n := v.ix.Nodes[id]
	switch n.DataAtom {
	case atom.Body, atom.Html, atom.Main, atom.Article, atom.H1, atom.Pre, atom.Code, atom.Table, atom.Td, atom.Th, atom.Tr, atom.P:
		return false
	case atom.Aside, atom.Nav, atom.Form, atom.Button:
		return true
	case atom.Address:
		return v.ix.Runes(id) <= maxUnlinked
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id":
			for word := range strings.FieldsSeq(cut(a.Val, 1000)) {
				key := strings.Map(func(r rune) rune {
					if r == '-' || r == '_' {
						return -1
					}
					return r
				}, strings.ToLower(word))
				if slices.Contains(asides, key) {
					return true
				}
			}
		case "rel":
			if hasWord(a.Val, "tag") {
				return true
			}
		}
	}
	return false
}

func isAsideHeading(n *html.Node) bool {
	s := strings.ToLower(strings.Trim(clean(textOf(n)), " :…"))
	return slices.Contains(headings, s)
}

// dropBelow drops a heading and its siblings up to the next heading of at least
// the same rank, if they are mostly links or short.
func (v *view) dropBelow(id int32, total int) {
	n := v.ix.Nodes[id]
	end, runes, linked := v.ix.End[id], 0, 0
	for end < v.ix.Len() && v.ix.Nodes[end].Parent == n.Parent {
		m := v.ix.Nodes[end]
		if isHeading(m) && m.Data <= n.Data {
			break
		}
		runes, linked = runes+v.ix.Runes(end), linked+v.ix.LinkRunes(end)
		end = v.ix.End[end]
	}
	if 100*runes <= maxAside*total && (2*linked > runes || runes <= maxUnlinked) {
		v.drop.AddRange(id, end)
	}
}

// Limits for the blocks that a model is shown: their number, and the length of
// each.
const (
	maxJudged     = 300
	maxJudgedText = 200 // bytes
)

const cleanTask = "The numbered lines are the beginnings of the blocks of a page's main content. Give the numbers of those that are no content: " +
	"links to other pages, calls to share or subscribe, notices, credits, cards of authors, remains of navigation. Give none that you are not sure of."

// cleanByModel asks a model for blocks that are not content. It can only drop
// blocks, and not more than half of the text.
func (b *builder) cleanByModel(ctx context.Context, v *view) {
	w, why := b.models.writer()
	if w == nil {
		b.warnings.add(why + ": onlyCleanContent used rules only, without a model.")
		return
	}
	blocks := v.blocks()
	var text strings.Builder
	for i, id := range blocks {
		s, err := b.redactor.masked(cut(clean(textOf(v.ix.Nodes[id])), maxJudgedText))
		if err != nil {
			return
		}
		fmt.Fprintf(&text, "%d: %s\n", i+1, s)
	}
	var r struct{ Numbers []int }
	reply, left, err := write(ctx, w, cleanTask, text.String(), numbersShape)
	for _, what := range left.texts {
		b.warnings.add("The model did not judge all of the content: " + what + ".")
	}
	if err != nil || json.Unmarshal(reply, &r) != nil {
		b.warnings.add("The model did not clean the content: it was cleaned by rules only.")
		return
	}
	drop, total, gone := v.drop.Clone(), 0, 0
	for i, id := range blocks {
		total += v.ix.Runes(id)
		if slices.Contains(r.Numbers, i+1) {
			gone += v.ix.Runes(id)
			drop.AddRange(id, v.ix.End[id])
		}
	}
	if 2*gone > total {
		b.warnings.add("The model would have dropped most of the content: it was cleaned by rules only.")
		return
	}
	v.drop = drop
}

// blocks returns the innermost blocks with text in the view.
func (v *view) blocks() []int32 {
	var ids []int32
	for _, root := range v.roots {
		for id := root; id < v.ix.End[root] && len(ids) < maxJudged; {
			n := v.ix.Nodes[id]
			switch {
			case v.drop.Has(id):
				id = v.ix.End[id]
			case n.Type == html.ElementNode && breaks(n) && v.ix.Runes(id) > 0 && !v.parted(id):
				ids = append(ids, id)
				id = v.ix.End[id]
			default:
				id++
			}
		}
	}
	return ids
}

// parted reports whether an element has blocks among its children.
func (v *view) parted(id int32) bool {
	for c := v.ix.Nodes[id].FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom != atom.Br && breaks(c) {
			return true
		}
	}
	return false
}

// strip returns the nodes to drop from a page that has no main content: those in whole,
// those that the caller excluded, and the parts whose tags and names mark them as
// navigation and the like.
func (v *view) strip(whole content.Set, excluded []int32) content.Set {
	drop := whole.Clone()
	for _, root := range v.roots {
		v.ix.Strip(root, drop)
	}
	for _, id := range excluded {
		drop.AddRange(id, v.ix.End[id])
	}
	return drop
}
