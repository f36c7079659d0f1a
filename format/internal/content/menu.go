// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// The functions of this file find what pages of documentation show around their content: long menus, the name of the
// site, and the lines at the end that say who made the page.

// isMenu reports whether the text that element outer has besides element inner looks like a
// menu: it has at least so many links, and most of it is in links.
func (p *Page) isMenu(outer, inner int32, many int) bool {
	runes, linked := p.ix.Runes(outer)-p.ix.Runes(inner), p.ix.LinkRunes(outer)-p.ix.LinkRunes(inner)
	return 2*linked > runes && p.ix.Links(outer)-p.ix.Links(inner) >= many && 3*int(p.sentences(outer)-p.sentences(inner)) < linked
}

// speaks reports whether at least two of the blocks of keep in element outer and not in element inner are sentences. The
// rest of outer is no menu then, however many links it has: the signatures of functions are links to their types.
func (p *Page) speaks(outer, inner int32, keep []bool) bool {
	const least, short = 2, 8 // sentences, and words of one
	lo, hi := p.span(outer)
	in, end := p.span(inner)
	n := 0
	for i := lo; i < hi; i++ {
		if b := &p.Blocks[i]; keep[i] && (i < in || i >= end) && b.words >= short && isStop(b.last) && 2*b.linked <= b.runes {
			n++
		}
	}
	return n >= least
}

// besideMenu reports whether root is the content and near is only a menu. The name of element root says that it is the
// content, and element near, which contains root or stands beside it, has better scores. near is a menu if it has little
// else than many links, and if root has text outside of links, or the title of the page.
func (p *Page) besideMenu(root, near int32) bool {
	const many = 20
	ix := p.ix
	if root == 0 || near <= root && root < ix.End[near] && !p.isMenu(near, root, many) {
		return false
	}
	if near > root && (ix.Links(near) < many || 10*ix.LinkRunes(near) < 8*ix.Runes(near)) {
		return false
	}
	if 2*ix.LinkRunes(root) < ix.Runes(root) {
		return true
	}
	lo, hi := p.span(root)
	return slices.ContainsFunc(p.Blocks[lo:hi], func(b Block) bool { return b.level > 0 && b.words > 0 && b.inTitle == b.words })
}

// isMainMenu reports whether an element with which the content begins is a menu of the whole site, as its name says,
// however short the rest is. After a title, it is a list of chapters. A page of nothing but links is no menu either.
func (p *Page) isMainMenu(id, root int32) bool {
	const many = 20
	size := p.ix.Runes(id)
	return p.traits[id].names&markNav != 0 && p.traits[id].names&markGood == 0 && p.before[id] == p.before[root] && p.ix.Links(id) >= many &&
		10*p.ix.LinkRunes(id) > 7*size && 8*(p.ix.Runes(root)-size) > size
}

// sentences returns the number of characters in the sentences of element id.
func (p *Page) sentences(id int32) int32 {
	lo, hi := p.span(id)
	return p.prose[hi] - p.prose[lo]
}

// plain returns the number of characters in element id that are not in links.
func (p *Page) plain(id int32) int { return p.ix.Runes(id) - p.ix.LinkRunes(id) }

// namesAll reports whether block at, a heading in a header, is the name of all pages: the first kept heading after it
// consists of words of the page's title too, and has a word that the one in the header lacks.
func (p *Page) namesAll(at int, keep []bool) bool {
	const most = 200 // characters of a heading
	for i := at + 1; i < len(keep); i++ {
		h := &p.Blocks[i]
		if !keep[i] || h.level == 0 {
			continue
		}
		if h.inTitle < h.words || h.runes > most || p.Blocks[at].runes > most {
			return false
		}
		name := strings.ToLower(p.Text(at))
		return slices.ContainsFunc(strings.Fields(strings.ToLower(p.Text(i))), func(word string) bool { return !strings.Contains(name, word) })
	}
	return false
}

// dropSite drops the first kept block if it is an h1 that leads to another page, and an h1 of words of the page's title
// that leads nowhere is kept after it: the first one is the name of the site.
func (p *Page) dropSite(keep []bool) {
	at := slices.Index(keep, true)
	if at < 0 || p.Blocks[at].level != 1 || p.Blocks[at].linked < p.Blocks[at].runes || p.leadsNowhere(&p.Blocks[at]) {
		return
	}
	for i := at + 1; i < len(keep); i++ {
		if b := &p.Blocks[i]; keep[i] && b.level == 1 {
			keep[at] = b.words == 0 || b.inTitle < b.words || !p.leadsNowhere(b)
			return
		}
	}
}

// isAmidLinks reports whether b is in an item of a list or a cell of a table that consists mostly of links, as the numbers
// in a menu are.
func (p *Page) isAmidLinks(b *Block) bool {
	const up = 4 // elements from a cell to its table
	around := b.home
	for range up {
		switch p.traits[around].tag {
		case atom.Table, atom.Ul, atom.Ol, atom.Dl:
			return b.isListed() && 2*p.ix.LinkRunes(around) > p.ix.Runes(around)
		}
		around = p.parent[around]
	}
	return false
}

// colophon drops the few short lines after the last rule of a page if one of them has a copyright sign: they name the
// maker of the page and lead to its indexes.
func (p *Page) colophon(keep []bool) {
	const lines, words = 4, 40
	hi := len(keep)
	for hi > 0 && !keep[hi-1] {
		hi--
	}
	signed := false
	for i := hi - 1; i >= max(0, hi-lines) && p.words[hi]-p.words[i] <= words && p.Blocks[i].level == 0; i-- {
		signed = signed || strings.Contains(p.Text(i), "©")
		if p.ruleBefore(i) {
			if signed {
				clear(keep[i:hi])
			}
			return
		}
	}
}

// margin drops the last words of a page if they are no sentence and stand after a menu, in an element that has nothing
// else to keep: the end of a column beside the content, such as the date of the last change.
func (p *Page) margin(keep []bool) {
	const most = 12 // words
	kept := p.wordsOf(keep)
	hi := len(keep)
	for hi > 0 && !keep[hi-1] {
		hi--
	}
	lo := hi
	for ; lo > 0 && keep[lo-1]; lo-- {
		if isStop(p.Blocks[lo-1].last) {
			return
		}
	}
	if lo == 0 || kept[lo] == 0 || kept[hi]-kept[lo] > most {
		return
	}
	around := p.Blocks[lo-1].home
	for range 512 {
		from, to := p.span(around)
		if int(to) >= hi {
			if kept[from] == kept[lo] && p.words[lo]-p.words[from] >= kept[hi]-kept[lo] {
				clear(keep[lo:hi])
			}
			return
		}
		around = p.parent[around]
	}
}

// ruleBefore reports whether a rule (hr) stands between block i and the block before it.
func (p *Page) ruleBefore(i int) bool {
	from := int32(0)
	if i > 0 {
		from = p.Blocks[i-1].End
	}
	for id := from; id < p.Blocks[i].First; id++ {
		if p.traits[id].tag == atom.Hr {
			return true
		}
	}
	return false
}
