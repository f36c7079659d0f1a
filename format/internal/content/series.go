// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// This file is about the links with which readers turn the pages of a manual, and which are
// not content: a line such as "Next: Wisdom, Up: Reference", or a table with the titles of the
// page before and of the page after.

// mostNeighbors is the number of addresses in the head of a page that are remembered.
const mostNeighbors = 16

// neighbor adds the address of a link element in the head, if it leads to another page of the
// series to which the page belongs.
func (p *Page) neighbor(n *html.Node) {
	if href := dom.Attr(n, "href"); href != "" && len(p.known.neighbors) < mostNeighbors && leadsOn(dom.Attr(n, "rel")) {
		p.known.neighbors = append(p.known.neighbors, href)
	}
}

// leadsOn reports whether the rel attribute of a link says that it leads to another page of a
// series, or to its contents. HTML defines these types of links, or did so once.
func leadsOn(rel string) bool {
	for word := range strings.FieldsSeq(rel) {
		switch strings.ToLower(word) {
		case "next", "prev", "previous", "up", "first", "last", "begin", "start", "top", "contents", "toc", "index", "home":
			return true
		}
	}
	return false
}

// consents marks the blocks of boxes that ask for consent to the use of data, beside the content, and counts those that
// Strip would keep. Only boxes without a main heading and with less than half of the page's words are beside it: a page
// may be about consent.
func (p *Page) consents() {
	const most = 250 // words of a request for consent
	p.asking = nil
	boxes := dom.ConsentBoxes(p.buttons)
	if len(boxes) == 0 {
		return
	}
	total := int(p.words[len(p.Blocks)])
	for i, n := range p.ix.Nodes {
		words, ok := boxes[n]
		id := count32(i)
		lo, hi := p.span(id)
		if !ok || words > most || 2*words > total || slices.ContainsFunc(p.Blocks[lo:hi], func(b Block) bool { return b.level == 1 || b.tags&tagArticle != 0 }) {
			continue
		}
		left := 0
		for j := lo; j < hi; j++ {
			b := &p.Blocks[j]
			if !b.stripped && !b.apart {
				left += int(b.words)
			}
			b.apart = true
		}
		if left > 0 {
			p.asking = append(p.asking, Doubt{ID: id, Words: left})
		}
		p.stripped.AddRange(id, p.ix.End[id])
	}
}

// buttons yields the buttons of the page and the links, which may look like one.
func (p *Page) buttons(yield func(*html.Node) bool) {
	for _, n := range p.ix.notes {
		if (n.DataAtom == atom.Button || n.DataAtom == atom.Input) && !yield(n) {
			return
		}
	}
	for _, n := range p.ix.Nodes {
		if isAnchor(n) && !yield(n) {
			return
		}
	}
}

// isTurn reports whether b is a line such as "Next: Wisdom, Up: Reference": all of its links lead
// through a series of pages, and few other words are among them.
func (p *Page) isTurn(b *Block) bool {
	const few = 3 // words besides each link
	if b.links == 0 || b.level > 0 || 2*b.linked < b.runes && b.words > few*b.links {
		return false
	}
	return p.everyLink(b, func(link *html.Node) bool { return p.known.read(link).turn })
}

// bars marks the blocks of bars that turn pages: of elements without headings and code whose links
// all lead to pages that the head of the page names as the one before, after, or above. The titles
// of those pages may be beside the links. One link is not enough, because it may be the content:
// a chapter of one section leads to what follows.
func (p *Page) bars() {
	const least, few, many = 2, 3, 8 // links, and words for each
	if !slices.ContainsFunc(p.traits, func(t trait) bool { return t.led }) {
		return
	}
	p.kept = sized(p.kept, len(p.traits)+1)
	led := p.kept // number of such links before each node
	led[0] = 0
	for id := range p.traits {
		led[id+1] = led[id]
		if t := &p.traits[id]; t.led || t.turn {
			led[id+1]++
		}
	}
	for id := int32(1); id < p.ix.Len(); {
		p.steps.Take(1)
		end, links := p.ix.End[id], count32(p.ix.Links(id))
		lo, hi := p.span(id)
		some, words := led[end]-led[id], p.words[hi]-p.words[lo]
		if links < least || some < links && (some < least || 2*some < links || words > few*links || slices.ContainsFunc(p.Blocks[lo:hi], func(b Block) bool { return b.isListed() })) || p.isWhole(id) || words > many*links || p.isText(lo, hi) {
			id++
			continue
		}
		for i := lo; i < hi; i++ {
			p.Blocks[i].apart = true
		}
		id = end
	}
}

// twinBars marks the blocks of bars that stand above the headings of a page and again below its text, as many programs
// for documentation put them: blocks of several links at the end, and those with the same text before the first heading.
func (p *Page) twinBars() {
	n := len(p.Blocks)
	for i := n - 1; i > 0 && p.prose[n] == p.prose[i]; i-- {
		b := &p.Blocks[i]
		first := &p.Blocks[b.twin]
		switch {
		case b.level > 0 || b.heading < 0 || b.links == 0 && !b.stripped:
			return
		case first.heading < 0 && first.level == 0 && b.links > 1 && 2*b.linked > b.runes:
			b.apart, first.apart = true, true
		}
	}
}

// isListed reports whether b is in an item of a list or a cell of a table.
func (b *Block) isListed() bool {
	switch b.class {
	case classItem, classTerm, classSense, classCell, classHead:
		return true
	}
	return false
}

// isText reports whether a heading or code is among the blocks from lo to hi, which are few.
func (p *Page) isText(lo, hi int32) bool {
	return slices.ContainsFunc(p.Blocks[lo:hi], func(b Block) bool { return b.level > 0 || b.class == classCode })
}

// leadsNowhere reports whether b has no links but those to the page itself, as a title may have.
func (p *Page) leadsNowhere(b *Block) bool {
	return b.linked == 0 || p.everyLink(b, func(link *html.Node) bool { return p.known.read(link).inner })
}

// names reports whether b is the name of what the page is about, and not that of the site: it
// consists of words of the page's title, and no link in it leads to the start of a site.
func (p *Page) names(b *Block) bool {
	return b.words > 0 && b.inTitle == b.words && b.tags&(tagNav|tagFooter|tagAside|tagInert|tagForm) == 0 && b.far&surrounds == 0 &&
		p.everyLink(b, func(link *html.Node) bool { return !leadsHome(dom.Attr(link, "href")) })
}

// namesSite reports whether b is a link to the first page of a site, and not only words of the
// page's title.
func (p *Page) namesSite(b *Block) bool {
	return b.linked == b.runes && b.inTitle < b.words && p.everyLink(b, func(link *html.Node) bool { return leadsHome(dom.Attr(link, "href")) })
}

// everyLink reports whether is holds for each link in b, and for the link around it.
func (p *Page) everyLink(b *Block, is func(link *html.Node) bool) bool {
	if b.tags&tagLink != 0 { // it begins within a link
		if link := within(p.ix.Nodes[b.First], atom.A); link == nil || !is(link) {
			return false
		}
	}
	for id := b.First; id < b.End; id++ {
		p.steps.Take(1)
		if p.traits[id].tag == atom.A && p.ix.Runes(id) > 0 && !is(p.ix.Nodes[id]) {
			return false
		}
	}
	return true
}

// leadsHome reports whether an address is that of the first page of a site or of a directory.
func leadsHome(href string) bool {
	href, _, _ = strings.Cut(href, "#")
	href, _, _ = strings.Cut(href, "?")
	if _, rest, ok := strings.Cut(href, "://"); ok {
		_, href, _ = strings.Cut(rest, "/")
	}
	last := href[strings.LastIndexByte(href, '/')+1:]
	return strings.Trim(last, ".") == "" || strings.HasPrefix(last, "index.")
}

// handbooks are programs that make nothing but documentation, as they name themselves. Those with
// "doc" in their names are not here.
var handbooks = []string{
	"bookdown", "dokka", "doxygen", "gitbook", "haddock", "hevea", "latex2html", "makeinfo", "mdbook", "mkdocs", "publican", "sphinx", "starlight", "tex4ht",
	"texi2", "vitepress", "yard",
}

// isHandbook reports whether a generator makes nothing but documentation. Its name is in small letters.
func isHandbook(generator string) bool {
	if slices.ContainsFunc(handbooks, func(name string) bool { return strings.Contains(generator, name) }) {
		return true
	}
	_, rest, ok := strings.Cut(generator, "doc") // as in javadoc, Docutils or gtk-doc
	return ok && !strings.HasPrefix(rest, "ument") && !strings.HasPrefix(rest, "s") && !strings.HasPrefix(rest, "x")
}

// isSigned reports whether a comment says that a generator of documentation has made the page, as in "Generated
// by javadoc (17) on Mon Jan 15". Texts of licenses are longer.
func isSigned(comment string) bool {
	const most = 160 // bytes
	if len(comment) > most {
		return false
	}
	comment = strings.ToLower(comment)
	for _, made := range []string{"generated", "converted", "created", "produced", "made"} {
		if _, by, ok := strings.Cut(comment, made); ok {
			return isHandbook(by)
		}
	}
	return false
}
