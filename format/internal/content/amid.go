// SPDX-License-Identifier: Apache-2.0

package content

import "golang.org/x/net/html/atom"

// A box is an element that Strip strips because its tag or role says that it is navigation, an aside, a footer, a
// header or a dialog, although it stands among the content: its siblings are paragraphs and the like of which at
// least 20 words are kept. Boxes beside the content as a whole, such as the footer of the page, are not among such
// siblings.
type box struct {
	id, lo, hi int32 // its node, and its blocks
	words      int32 // its words that are not kept
	plain      int32 // those of them that are not in blocks of links
	sentences  int32 // those of them that are in sentences
}

// amid returns the boxes among the content.
func (p *Page) amid(keep []bool) (all []box) {
	const least = 20 // words beside it
	p.weight = sized(p.weight, len(p.ix.Nodes))
	beside := p.weight // of each element, the kept words of blocks in it or in one of its children
	clear(beside)
	for i, k := range keep {
		if b := &p.Blocks[i]; k && !b.stripped {
			beside[b.home] += b.words
			beside[p.parent[b.home]] += b.words
		}
	}
	for id := int32(1); id < p.ix.Len(); {
		p.steps.Take(1)
		t := &p.traits[id]
		if !p.stripped.Has(id) || p.hidden.Has(id) {
			id++
			continue
		}
		if up := p.parent[id]; isChrome(t.tag, t.role, false) && (beside[up] >= least || p.isSource(id) && beside[up] > 0) {
			all = append(all, p.boxOf(id, keep))
		}
		id = p.ix.End[id]
	}
	return all
}

// isSource reports whether an element is the footer of a quotation, which says who said it.
func (p *Page) isSource(id int32) bool {
	return p.traits[id].tag == atom.Footer && p.traits[p.parent[id]].tag == atom.Blockquote
}

// boxOf counts the words of a box.
func (p *Page) boxOf(id int32, keep []bool) box {
	x := box{id: id}
	x.lo, x.hi = p.span(id)
	for i := x.lo; i < x.hi; i++ {
		b := &p.Blocks[i]
		if keep[i] {
			continue
		}
		x.words += b.words
		if 2*b.linked >= b.runes {
			continue
		}
		x.plain += b.words
		if b.words > 7 && isStop(b.last) {
			x.sentences += b.words
		}
	}
	return x
}

// keepBoxes keeps the boxes among the content that consist mostly of sentences, at least 50 words of them. It reports
// whether it has kept any. On the pages of the corpora, the truth has all of them.
func (p *Page) keepBoxes(keep []bool) (more bool) {
	const least = 50
	for _, x := range p.amid(keep) {
		if !p.isSource(x.id) && (x.sentences < least || 2*x.sentences < p.words[x.hi]-p.words[x.lo] || p.traits[x.id].role == roleChrome) {
			continue
		}
		for i := x.lo; i < x.hi; i++ {
			keep[i], more = keep[i] || !p.Blocks[i].apart, true
		}
	}
	return more
}

// boxes returns the boxes among the content of which something is left out that consists of text rather than links, if
// together it has at least 20 words outside of links. Most are quotations, remarks, biographies and forms. Unless
// footers is true, it leaves out footers, which feet counts.
func (p *Page) boxes(keep []bool, footers bool) (all []Doubt) {
	const least = 20
	plain := int32(0)
	for _, x := range p.amid(keep) {
		if 2*x.plain >= x.words && x.plain > 0 && (footers || p.Blocks[x.lo].tags&tagFooter == 0) {
			all = append(all, Doubt{ID: x.id, Words: int(x.words)})
			plain += x.plain
		}
	}
	if plain < least {
		return nil
	}
	return all
}

// spare undoes what Strip does to an element around nine tenths of what is kept, or to one around it, such as an aside
// around the whole content, so that the rules that follow do not take each of its blocks for a part of a menu.
func (p *Page) spare(keep []bool) {
	p.spared = nil
	root := p.around(keep)
	if !p.stripped.Has(root) {
		return
	}
	lo, hi := p.span(root)
	p.spared = p.Blocks[lo:hi]
	for i := range p.spared {
		b := &p.spared[i]
		b.stripped = b.tags&(tagNav|tagFooter|tagInert) != 0
	}
}
