// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// This file is about pages of documentation. A generator puts the content of such a page,
// and little else, into one element. This element as a whole is a better answer than the
// blocks that look like prose, because readers also need the signatures, the tables of
// functions and the boxes.

// manual keeps the element that contains the content of a page of documentation. It drops
// the rest, except for text without links before the element, because some generators put
// the title of a page there. It also drops a heading before the element that the content
// repeats. If the content begins with an h1, it drops all headings before the element,
// because they are the name of the site. If the scores of blocks are not sure, only tags,
// roles and names can identify the element. It reports whether there is one.
func (p *Page) manual(keep []bool, sure bool) bool {
	root, plain := p.manualRoot()
	if sure {
		likely := p.likely(keep)
		near := p.around(likely)
		within := near > root && near < p.ix.End[root]
		if !plain && !p.holds(root, likely, 6) && !p.besideMenu(root, near) || within && p.isMenu(root, near, 20) && !p.speaks(root, near, likely) {
			root = near
			if p.handbook {
				root = p.chapter(near)
			}
		}
	}
	if root == 0 {
		return false
	}
	lo, hi := p.span(root)
	if p.isWhole(root) {
		lo, hi = p.extent(keep)
	}
	chrome := p.chrome(root)
	end := hi
	hi, _ = p.footnotes(root, hi)
	first, last := ends(keep, lo, hi)
	said, titled := p.headings(lo, hi)
	headed := false // a heading was kept before the block
	for i := range keep {
		b := &p.Blocks[i]
		scored := keep[i] && sure
		at := count32(i)
		switch {
		case at < lo || at >= hi:
			// A heading between the title and the content belongs to the content.
			begins := b.level > 1 && p.first1 >= 0 && at > p.first1
			keep[i] = (keep[i] || !sure || begins) && !b.stripped && b.linked == 0 && at < lo && (b.level == 0 && !p.isAmidLinks(b) || b.level > 0 && !titled && !said[b.text])
		case chrome.Has(b.First), b.apart, at >= end && b.stripped:
			keep[i] = false
		case scored || !sure || p.isCited(b):
			keep[i] = true
		case i < first || i > last:
			keep[i] = b.edges(plain || b.level > 0 && p.leadsNowhere(b), headed)
		default:
			keep[i] = !p.isMargin(b)
		}
		headed = headed || keep[i] && b.level > 0
	}
	return true
}

// chapter returns the largest element around element id that is not the whole page, and in which the text around
// the element is not mostly links: a generator of documentation puts nothing else between its menus.
func (p *Page) chapter(id int32) int32 {
	for range 512 {
		up := p.parent[id]
		runes, linked := p.ix.Runes(up)-p.ix.Runes(id), p.ix.LinkRunes(up)-p.ix.LinkRunes(id)
		if up == id || p.isWhole(up) || 2*linked > runes {
			break
		}
		id = up
	}
	return id
}

// likely returns the blocks of keep that are not stripped, because a long menu may have scores as
// good as the content. If all of them are stripped, it returns keep.
func (p *Page) likely(keep []bool) []bool {
	rest := slices.Clone(keep)
	for i := range rest {
		rest[i] = rest[i] && !p.Blocks[i].stripped
	}
	if !slices.Contains(rest, true) {
		return keep
	}
	return rest
}

// edges reports whether a block of the content before or after all scored blocks is kept. plain
// says that the element is clearly the content, headed that a heading was kept before.
func (b *Block) edges(plain, headed bool) bool {
	few := 2*b.linked <= b.runes // of its text is in links
	if b.level > 0 {
		return plain || !b.stripped || few || b.level == 1 && b.linked < b.runes && b.inTitle == b.words
	}
	return (b.class != classDiv || b.words > 8 || headed && few) && (!b.stripped || headed)
}

// ends returns the first and the last kept block of a range. If none is kept, first is
// len(keep) and last is -1.
func ends(keep []bool, lo, hi int32) (first, last int) {
	first, last = len(keep), -1
	for i := int(lo); i < int(hi); i++ {
		if keep[i] {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// beside returns the largest element around element id that does not contain element root.
func (p *Page) beside(id, root int32) int32 {
	for range 512 {
		up := p.parent[id]
		if up <= root {
			break
		}
		id = up
	}
	return id
}

// headings returns the hashes of the texts of the headings in a range, and
// whether the first of them is an h1.
func (p *Page) headings(lo, hi int32) (all map[uint64]bool, titled bool) {
	all = map[uint64]bool{}
	for i := lo; i < hi; i++ {
		if b := &p.Blocks[i]; b.level > 0 {
			titled = titled || b.level == 1 && len(all) == 0
			all[b.text] = true
		}
	}
	return all, titled
}

// isMargin reports whether b is one of many short blocks with links that accompany the
// entries of a page and say the same again and again, such as a link to the source.
func (p *Page) isMargin(b *Block) bool {
	const short, many, again = 4, 5, 3
	switch b.class {
	case classItem, classTerm, classSense, classCell, classHead, classParagraph, classCode:
		return false
	}
	return b.level == 0 && b.words <= short && 3*b.linked > b.runes && p.shapes[b.shape].count >= many && p.twins[b.twin] >= again
}

// isCited reports whether b is the name or the text of an entry in a list of literature. The
// name looks like a menu, because it links back to the citation.
func (p *Page) isCited(b *Block) bool {
	return dom.Attr(p.ix.Nodes[b.home], "role") == "doc-biblioentry"
}

// holds reports whether element id contains at least so many tenths of the kept words.
func (p *Page) holds(id int32, keep []bool, tenths int32) bool {
	if id == 0 {
		return false
	}
	lo, hi := p.span(id)
	var in, all int32
	for i, k := range keep {
		if !k {
			continue
		}
		all += p.Blocks[i].words
		if at := count32(i); at >= lo && at < hi {
			in += p.Blocks[i].words
		}
	}
	return 10*in >= tenths*all
}

// isWhole reports whether element id contains the whole page.
func (p *Page) isWhole(id int32) bool {
	a := p.traits[id].tag
	return id == 0 || a == atom.Body || a == atom.Html
}

// extent returns the range from the first to the last kept block, extended on both sides up
// to a block that is stripped.
func (p *Page) extent(keep []bool) (lo, hi int32) {
	for i, k := range keep {
		if k {
			if hi == 0 {
				lo = count32(i)
			}
			hi = count32(i) + 1
		}
	}
	for lo > 0 && hi > 0 && !p.Blocks[lo-1].stripped {
		lo--
	}
	for hi > 0 && int(hi) < len(keep) && !p.Blocks[hi].stripped && 4*p.Blocks[hi].digits < p.Blocks[hi].runes { // mostly digits: the date of the file
		hi++
	}
	return lo, hi
}

// lead drops from keep the blocks before the first kept heading if they begin with a block of many links, and are hardly
// anything else: they are a menu. If they were not chosen by their scores, it also drops them if there are stripped
// blocks before the heading. They are, for example, the motto of the site then.
func (p *Page) lead(keep []bool, scored bool) {
	const many = 5
	parted, menu := false, false
	var runes, linked int32
	kept := p.wordsOf(keep)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		switch {
		case b.level > 0 && keep[i]:
			few := 10*kept[i] < 4*kept[len(keep)]
			if parted && few || menu && 2*linked > runes {
				clear(keep[:i])
			}
			return
		case keep[i]:
			menu = menu || runes == 0 && p.ix.links[b.End]-p.ix.links[b.First] >= many
			runes, linked = runes+b.runes, linked+b.linked
		case b.stripped:
			parted = parted || !scored
		}
	}
}

// around returns the smallest container that has nine tenths of the kept words. It returns a
// larger one if that adds at most as much text again, and not mostly links. It returns 0 if
// nothing is kept.
func (p *Page) around(keep []bool) int32 {
	n := len(keep)
	kept := p.wordsOf(keep)
	longest := -1
	for i, k := range keep {
		if k && (longest < 0 || p.Blocks[i].words > p.Blocks[longest].words) {
			longest = i
		}
	}
	if longest < 0 {
		return 0
	}
	id := p.Blocks[longest].home
	for range 512 {
		lo, hi := p.span(id)
		if 10*(kept[hi]-kept[lo]) >= 9*kept[n] || p.parent[id] == id {
			break
		}
		id = p.parent[id]
	}
	for p.parent[id] != id && !isContainer(p.traits[id].tag) {
		id = p.parent[id] // content is more than one list or table
	}
	for range 512 {
		up := p.parent[id]
		runes, linked := p.ix.Runes(up)-p.ix.Runes(id), p.ix.LinkRunes(up)-p.ix.LinkRunes(id)
		if up == id || p.isWhole(up) || 2*linked > runes || runes > p.ix.Runes(id) {
			break
		}
		id = up
	}
	return id
}

// isContainer reports whether elements with a tag usually contain parts of a page.
func isContainer(tag atom.Atom) bool {
	switch tag {
	case atom.Div, atom.Section, atom.Article, atom.Main, atom.Td, atom.Center, atom.Body, atom.Html:
		return true
	}
	return false
}

// manualRoot returns the element whose tag, role or name says that it contains the content,
// or 0 if there is none. plain says that it says so clearly. Of several clear elements it
// returns the last one with at least 70 % of the text of the largest, of others the largest.
func (p *Page) manualRoot() (id int32, plain bool) {
	const strong = 2
	ix := p.ix
	largest, weak := 0, int32(0)
	var all []int32
	for id := int32(1); id < ix.Len(); {
		p.steps.Take(1)
		t := &p.traits[id]
		if p.hidden.Has(id) || isChrome(t.tag, t.role, true) {
			id = ix.End[id]
			continue
		}
		switch rank := rootRank(ix.Nodes[id]); {
		case ix.Runes(id) == 0:
		case rank == strong:
			all = append(all, id)
			largest = max(largest, ix.Runes(id))
		case rank > 0 && (weak == 0 || p.plain(id) > p.plain(weak) || id < ix.End[weak] && p.isMenu(weak, id, 5)):
			weak = id
		}
		id++
	}
	for _, at := range all {
		if 10*ix.Runes(at) >= 7*largest && 20*ix.Runes(at) >= ix.Runes(0) {
			id = at
		}
	}
	if id > 0 {
		return id, true
	}
	return weak, false
}

// rootRank returns how clearly the tag, the role and the names of an element say that it
// contains the content of a page: 2 means clearly, 1 perhaps, 0 not at all. The names of
// elements that are not containers say nothing.
func rootRank(n *html.Node) (rank int8) {
	switch n.DataAtom {
	case atom.Main:
		rank = 2
	case atom.Article:
		rank = 1
	case atom.Div, atom.Section, atom.Td:
	default:
		return 0
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "role" && a.Val == "main":
			rank = 2
		case a.Key == "class" || a.Key == "id":
			rank = max(rank, rootNames(a.Val))
		}
	}
	return rank
}

// rootNames returns the rank, as [rootRank] does, for the value of a class or id attribute,
// which may contain several names.
func rootNames(s string) (rank int8) {
	for word := range strings.FieldsSeq(s) {
		rank = max(rank, rootName(word))
	}
	return rank
}

// rootName returns the rank, as [rootRank] does, for a single name.
func rootName(word string) int8 {
	if len(word) > 24 {
		return 0
	}
	var buf [24]byte
	n := 0
	for i := range len(word) {
		switch c := word[i]; {
		case c >= 'A' && c <= 'Z':
			buf[n] = c | 0x20
			n++
		case c != '-' && c != '_':
			buf[n] = c
			n++
		}
	}
	switch string(buf[:n]) {
	case "maincontent", "contentmain", "pagecontent", "doccontent", "docscontent", "documentcontent", "articlecontent", "bodycontent",
		"rstcontent", "mdcontent", "mwcontenttext", "markdownbody", "themedocmarkdown":
		return 2
	case "content", "contents", "main", "document", "article", "documentation", "docs", "mainbody",
		"refentry", "sect1", "chapter", "preface", "appendix":
		return 1
	}
	return 0
}

// surrounds are the names of parts that are not content even inside the content.
const surrounds = markNav | markFooter | markCrumb | markConsent | markMail | markShare | markPopup | markSkip | markContents |
	markPager | markLogin | markLegal

// chrome returns the nodes below root that are navigation and the like. Unlike
// [Index.Strip], it leaves lists of links and boxes out.
func (p *Page) chrome(root int32) Set {
	ix := p.ix
	drop := p.hidden.Clone()
	inner := p.innerLinks(root)
	for id := root + 1; id < ix.End[root]; {
		p.steps.Take(1)
		switch {
		case drop.Has(id):
			id = ix.End[id]
		case p.traits[id].isElement && (p.isSurround(id, root, inner[ix.End[id]-root]-inner[id-root]) || p.isContents(id, root, inner)):
			drop.AddRange(id, ix.End[id])
			id = ix.End[id]
		default:
			id++
		}
	}
	return drop
}

// innerLinks returns, for each node from root on, the number of links to the page itself
// that are below root and before the node.
func (p *Page) innerLinks(root int32) []int32 {
	ix := p.ix
	sums := make([]int32, ix.End[root]-root+1)
	for id := root; id < ix.End[root]; id++ {
		sums[id-root+1] = sums[id-root]
		if p.traits[id].inner {
			sums[id-root+1]++
		}
	}
	return sums
}

// isContents reports whether an element is a list of links to parts of the page itself.
// inner is the result of innerLinks for root.
func (p *Page) isContents(id, root int32, inner []int32) bool {
	ix := p.ix
	switch p.traits[id].tag {
	case atom.Ul, atom.Ol, atom.Div, atom.Section:
	default:
		return false
	}
	links := count32(ix.Links(id))
	return links > 2 && inner[ix.End[id]-root]-inner[id-root] == links && 10*ix.LinkRunes(id) > 8*ix.Runes(id)
}

// isSurround reports whether an element within the content, which is root, is navigation or the like. inner is the number
// of links in the element that lead to a place on the same page.
func (p *Page) isSurround(id, root, inner int32) bool {
	t := &p.traits[id]
	size, total := p.ix.Runes(id), p.ix.Runes(root)
	linked := 2*p.ix.LinkRunes(id) > size
	switch t.role {
	case roleChrome:
		return true
	case roleNote:
		return false
	}
	switch t.tag {
	case atom.Nav, atom.Footer, atom.Dialog:
		return true
	case atom.Aside:
		return linked
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Main, atom.Article, atom.Code, atom.Span, atom.A:
		return false
	}
	limit := 3
	if t.names&(markFooter|markLegal) != 0 {
		limit = 7 // on a short page it may be longer than the content
	}
	if t.names&markFooter != 0 && t.names&markLegal != 0 {
		limit = 10 // a license can be much longer
	}
	if t.names&markBad == 0 || 10*size >= limit*total && !p.isMainMenu(id, root) {
		return false
	}
	if t.isContents() && inner == 0 {
		return false // see chapters
	}
	return linked || t.names&surrounds != 0 && t.names&markGood == 0 && !p.isSection(id)
}

// isContents reports whether the names of an element say that it is a table of contents, and
// nothing else that is not content.
func (t *trait) isContents() bool {
	return t.names&markBad != 0 && t.names&surrounds == markContents
}

// chapters keeps tables of contents whose links lead to other pages. On a page without other
// content, they are the content: the parts of a chapter.
func (p *Page) chapters(keep []bool) {
	inner := p.innerLinks(0)
	for id := int32(1); id < p.ix.Len(); {
		p.steps.Take(1)
		end := p.ix.End[id]
		switch {
		case p.traits[id].isContents() && inner[end] == inner[id] && p.ix.Links(id) > 0:
			lo, hi := p.span(id)
			for i := lo; i < hi; i++ {
				keep[i] = true
			}
			id = end
		case p.stripped.Has(id):
			id = end
		default:
			id++
		}
	}
}

// preamble keeps the title of a page of documentation and what follows it in a header, if the
// title is an h1 of words of the page's title, is not only a link, and no other h1 is kept. Some
// generators put the summary of a page there.
func (p *Page) preamble(keep []bool) {
	if p.first1 < 0 {
		return
	}
	title := &p.Blocks[p.first1]
	if !p.leadsNowhere(title) && title.linked == title.runes || 2*title.inTitle < title.words || title.tags&tagHeader == 0 || title.tags&(tagNav|tagFooter|tagAside|tagInert) != 0 {
		return
	}
	for i, k := range keep {
		if k && p.Blocks[i].level == 1 && count32(i) != p.first1 {
			return
		}
	}
	if title.stripped && p.namesAll(int(p.first1), keep) {
		return
	}
	for i := int(p.first1); i < len(keep) && p.Blocks[i].tags&tagHeader != 0; i++ {
		b := &p.Blocks[i]
		keep[i] = keep[i] || 2*b.linked <= b.runes && b.tags&(tagNav|tagForm) == 0 && b.far&(surrounds&^markFooter) == 0
	}
}

// caption keeps the plain text beside the first kept heading, such as the package of a class above its name, if
// both are all that their container has.
func (p *Page) caption(keep []bool) {
	const most = 4 // blocks
	for i, k := range keep {
		if !k || p.Blocks[i].level == 0 {
			continue
		}
		in := p.parent[p.Blocks[i].home]
		lo, hi := p.span(in)
		if p.isWhole(in) || hi-lo > most {
			return
		}
		for j := lo; j < hi; j++ {
			keep[j] = keep[j] || !p.Blocks[j].stripped && p.Blocks[j].linked == 0
		}
		return
	}
}

// isSection reports whether an element begins with a heading and only its id, which
// generators make of the heading, names a part that is not content: the section "Cookie
// objects" is no notice about cookies.
func (p *Page) isSection(id int32) bool {
	lo, hi := p.span(id)
	if lo == hi || p.Blocks[lo].level == 0 {
		return false
	}
	names, _ := p.known.words(dom.Attr(p.ix.Nodes[id], "class"))
	return names&(markBad|surrounds) == 0
}
