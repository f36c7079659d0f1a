// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A Loss is a list or table that looks like data, of which the main content has less than
// half although it is next to or between parts of the content.
type Loss struct {
	ID      int32 // number of its node
	Table   bool
	Records int  // items or rows
	Words   int  // its words that are not in the main content
	Part    bool // some of it is in the main content
}

// leastRecords is the number of items or rows from which a list or table can be data.
const leastRecords = 4

// restore keeps the lists and tables of data that lie between kept parts of an article,
// even if less than half of them is kept. It does nothing on other kinds of pages, or if
// another kind is likely too, because there such lists are too often not content.
func (p *Page) restore(keep []bool) {
	const likely = .4
	if p.kind() != Article {
		return
	}
	for k, x := range p.kinds {
		if Kind(k) != Article && x >= likely {
			return
		}
	}
	_, last := ends(keep, 0, count32(len(keep)))
	for _, l := range p.lost(keep) {
		lo, hi := p.span(l.ID)
		for i := lo; i < hi && int(hi) <= last; i++ {
			keep[i] = true
		}
	}
}

// lost returns the lists and tables of data of which less than half is kept. It looks
// for them in the smallest element around what is kept, after the first kept block.
func (p *Page) lost(keep []bool) (all []Loss) {
	ix := p.ix
	root := p.around(keep)
	first, last := ends(keep, 0, count32(len(keep)))
	kept := p.wordsOf(keep)
	var said []bool
	for id := root + 1; id < ix.End[root]; {
		p.steps.Take(1)
		lo, hi := p.span(id)
		words := p.words[hi] - p.words[lo]
		in := kept[hi] - kept[lo]
		switch {
		case p.stripped.Has(id), words == 0:
			id = ix.End[id]
			continue
		case int(lo) < first, 2*in >= words, !p.traits[id].isElement:
			id++
			continue
		}
		tag, items := p.items(id)
		if len(items) == 0 || int(words) > 60*len(items) {
			id++
			continue
		}
		if said == nil {
			said = p.texts(keep)
		}
		if p.isData(tag, items, int(lo) > last) && !p.isOther(lo, hi, keep, said) {
			all = append(all, Loss{ID: id, Table: tag == atom.Tr, Records: len(items), Words: int(words - in), Part: in > 0})
		}
		id = ix.End[id]
	}
	return all
}

// wordsOf returns the number of kept words before each block, and then their total. The next
// call overwrites the result.
func (p *Page) wordsOf(keep []bool) []int32 {
	p.kept = sized(p.kept, len(keep)+1)
	sums := p.kept
	sums[0] = 0
	for i, k := range keep {
		sums[i+1] = sums[i]
		if k {
			sums[i+1] += p.Blocks[i].words
		}
	}
	return sums
}

// texts returns for the first block with a text (see echoes.twin) whether a block with this
// text is kept. The next call overwrites the result.
func (p *Page) texts(keep []bool) []bool {
	p.said = sized(p.said, len(keep))
	clear(p.said)
	for i, k := range keep {
		if k {
			p.said[p.Blocks[i].twin] = true
		}
	}
	return p.said
}

// items returns the items or rows of a list, a table or a grid of boxes, and their tag. It
// returns none if there are fewer than [leastRecords], or if more than a quarter as many
// other elements are among them.
func (p *Page) items(id int32) (tag atom.Atom, items []int32) {
	ix := p.ix
	look, others := uint64(0), 0
	for at := id + 1; at < ix.End[id]; {
		p.steps.Take(1)
		t := &p.traits[at]
		lo, hi := p.span(at)
		switch {
		case lo == hi || !t.isElement:
		case t.tag == atom.Tbody || t.tag == atom.Thead || t.tag == atom.Tfoot:
			at++
			continue
		case len(items) == 0 && others == 0 && isItem(t.tag, hi-lo), len(items) > 0 && t.tag == tag && (t.look == look || !isBox(tag)):
			tag, look = t.tag, t.look
			items = append(items, at)
		case tag == atom.Dt && t.tag == atom.Dd:
		default:
			others++
		}
		at = ix.End[at]
	}
	if len(items) < leastRecords || 4*others > len(items) {
		return 0, nil
	}
	return tag, items
}

// isItem reports whether an element with a tag and so many blocks may be an item of a list. A link with more than one
// block is a card.
func isItem(tag atom.Atom, blocks int32) bool {
	return tag == atom.Li || tag == atom.Tr || tag == atom.Dt || isBox(tag) && (tag != atom.A || blocks > 1)
}

// isBox reports whether elements with a tag can be anything, so that items of a list among them have the same classes.
func isBox(tag atom.Atom) bool {
	return tag == atom.Div || tag == atom.Article || tag == atom.Section || tag == atom.A
}

// isData reports whether items are data, by their links, numbers and prices. after says
// that nothing that is kept follows them: at this place, many pages have links to related
// pages.
func (p *Page) isData(tag atom.Atom, items []int32, after bool) bool {
	n := len(items)
	var plain, priced, numbered, headed, named, words int
	wide := false // its script does not separate words by spaces
	for _, at := range items {
		lo, hi := p.span(at)
		price, heading, digits, letters := false, false, int32(0), int32(0)
		for i := lo; i < hi; i++ {
			b := &p.Blocks[i]
			price = price || b.price && b.digits > 0
			heading = heading || b.level > 0
			digits += b.digits
			letters += b.runes - b.digits - b.punct
			wide = wide || b.wide > 1
		}
		words += int(p.words[hi] - p.words[lo])
		plain += one(2*p.ix.LinkRunes(at) <= p.ix.Runes(at))
		priced += one(price)
		numbered += one(digits > 0)
		headed += one(heading)
		named += one(letters > 1)
	}
	most := func(x int) bool { return 4*x >= 3*n }
	switch {
	case !most(named) || 2*words < 3*n && !wide && tag != atom.Dt:
		return false
	case most(priced):
		return true
	case isBox(tag):
		return !after && most(numbered) && most(headed)
	case !most(plain):
		return !after && most(numbered)
	}
	return !after || tag == atom.Tr || most(numbered)
}

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// besides are the names of parts that are not content, and that often look like lists of data.
const besides = surrounds | markRelated | markSide | markTag | markWidget | markAd | markComment | markFilter | markButton | markForm | markMessage

// isOther reports whether a range of blocks is not lost data: because the names or tags of
// its elements say that it is something else, or because what is kept has most of its text.
func (p *Page) isOther(lo, hi int32, keep, said []bool) bool {
	const names = besides | markUser | markMeta
	const tags = tagForm | tagNav | tagFooter | tagAside | tagInert
	var again, lost int32
	for i := lo; i < hi; i++ {
		b := &p.Blocks[i]
		if b.near&names != 0 || b.tags&tags != 0 || b.stripped {
			return true
		}
		if !keep[i] {
			lost += b.words
			if said[b.twin] {
				again += b.words
			}
		}
	}
	return 2*again > lost
}

// A Doubt is a block that is not in the main content, although it may well belong to it.
type Doubt struct {
	ID    int32 // number of the innermost block-level element around it
	Words int
}

// doubtful is the score from which a block that is left out counts as doubtful.
const doubtful = .3

// Doubts returns the blocks that are not in keep, which [Model.Main] has returned, although
// their score is not low. If they have together fewer than 30 words, or less than a tenth of
// the words of keep, it returns none, because most pages have a doubtful block. It
// leaves out lists and tables of data, which are counted as lost, blocks that Strip strips,
// and blocks whose text is also kept elsewhere.
func (p *Page) Doubts(keep []bool) []Doubt {
	return p.doubts(keep, p.scores[len(keep):], p.lost(keep))
}

// doubts is Doubts for the scores of the blocks, without those in lost.
func (p *Page) doubts(keep []bool, scores []float32, lost []Loss) (all []Doubt) {
	const least, tenth = 30, 10
	said := p.texts(keep)
	var kept, words int32
	for i := range p.Blocks {
		b := &p.Blocks[i]
		for len(lost) > 0 && p.ix.End[lost[0].ID] <= b.First {
			lost = lost[1:]
		}
		switch {
		case keep[i]:
			kept += b.words
		case b.stripped, b.words == 0, scores[i] < doubtful, said[b.twin]:
		case len(lost) > 0 && lost[0].ID < b.First:
		default:
			all = append(all, Doubt{ID: b.home, Words: int(b.words)})
			words += b.words
		}
	}
	if words < least || tenth*words < kept {
		return nil
	}
	return all
}

// feet returns the footers that Strip strips within records of which something is kept, with their words that
// are not links. It returns none if they are fewer than the records of a list.
func (p *Page) feet(keep []bool) (all []Doubt) {
	kept := p.wordsOf(keep)
	for id := int32(1); id < p.ix.Len(); id++ {
		p.steps.Take(1)
		up := p.parent[id]
		switch lo, hi := p.span(up); {
		case p.traits[id].tag != atom.Footer || !p.stripped.Has(id) || kept[hi] == kept[lo]:
			continue
		case len(all) > 0 && all[len(all)-1].ID > up: // it is the footer of what is around the records
			continue
		}
		words := int32(0)
		lo, hi := p.span(id)
		for i := lo; i < hi; i++ {
			if b := &p.Blocks[i]; !keep[i] && 2*b.linked < b.runes {
				words += b.words
			}
		}
		if words > 0 {
			all = append(all, Doubt{ID: id, Words: int(words)})
		}
	}
	if len(all) < fewestRecords {
		return nil
	}
	return all
}

// veiled returns the kept blocks directly before an element that the page hides until a click, if the block after
// the element is kept too, and if these elements have at least 20 words, or a price, such as that of a year beside that of a
// month. What is only hidden from screen readers, and copies of slides, is left out.
func (p *Page) veiled(keep []bool) (all []Doubt) {
	const least = 20
	total, priced := 0, false
	for _, g := range p.ix.gaps {
		p.steps.Take(1)
		at := int(p.before[g.at])
		if at == 0 || at == len(keep) || !keep[at-1] || !keep[at] || !isVeiled(g.n) || isExtra(g.n) {
			continue
		}
		words := 0
		for n := dom.Next(g.n, g.n); n != nil; n = dom.Next(n, g.n) {
			if n.Type == html.TextNode && !IsSilent(n.Parent) {
				words += len(strings.Fields(n.Data))
				priced = priced || isPrice(n.Data)
			}
		}
		if p.steps.Take(words); words > 0 {
			total += words
			all = append(all, Doubt{ID: p.Blocks[at-1].home, Words: words})
		}
	}
	if total < least && !priced {
		return nil
	}
	return all
}

// isVeiled reports whether n is hidden from all readers.
func isVeiled(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" || a.Key == "style" && hidesByStyle(a.Val) })
}

// A box is an element that Strip strips because its tag or role says that it is navigation, an aside, a footer, a
// header or a dialog, although it stands among the content: its siblings are paragraphs and the like of which at
// least 20 words are kept. Boxes beside the content as a whole, such as the footer of the page, are not among such
// siblings.
type box struct {
	id, lo, hi int32 // its node, and its blocks
	words      int32 // its words that are not kept
	plain      int32 // those of them that are not in blocks of links
	sentences  int32 // those of them that are in sentences
	records    bool  // it has records (see hasRecords)
}

// amid returns the boxes among the content. If records is true, it also returns those with records that are elsewhere in the
// element around the content.
func (p *Page) amid(keep []bool, records bool) (all []box) {
	const least = 20 // words beside it
	kept, root := p.kept, int32(0)
	if records {
		root = p.around(keep)
		kept = p.wordsOf(keep)
	}
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
		if isChrome(t.tag, t.role, false) {
			up := p.parent[id]
			amid := beside[up] >= least || p.isSource(id) && beside[up] > 0
			has := records && id > root && id < p.ix.End[root] && p.traits[root].tag != atom.Body && p.hasRecords(id, kept)
			if amid || has {
				x := p.boxOf(id, keep)
				x.records = has
				all = append(all, x)
			}
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
		linked := 2*b.linked >= b.runes
		if !keep[i] {
			x.words += b.words
			if !linked {
				x.plain += b.words
			}
		}
		if !linked && b.words > 7 && isStop(b.last) {
			x.sentences += b.words
		}
	}
	return x
}

// keepBoxes keeps the boxes among the content that consist mostly of sentences, at least 50 words of them. It reports
// whether it has kept any. On the pages of the corpora, the truth has all of them.
func (p *Page) keepBoxes(keep []bool) (more bool) {
	const least = 50
	for _, x := range p.amid(keep, false) {
		if !p.isSource(x.id) && (x.sentences < least || 2*x.sentences < p.words[x.hi]-p.words[x.lo] || p.traits[x.id].role == roleChrome) {
			continue
		}
		for i := x.lo; i < x.hi; i++ {
			keep[i], more = keep[i] || !p.Blocks[i].apart, true
		}
	}
	return more
}

// boxes returns the boxes (asides, footers and the like) among the content that lose text. Boxes of records always count,
// because the titles of records are links. Others count if what they lose is more text than links, and if that text
// has at least 20 words in all boxes together. Most of these are quotations, remarks, biographies and forms. Unless
// footers is true, footers without records are left out here, because feet counts them.
func (p *Page) boxes(keep []bool, footers bool) (all []Doubt) {
	const least = 20
	plain := int32(0)
	for _, x := range p.amid(keep, true) {
		switch {
		case x.records && x.words > 0:
			plain += least
		case 2*x.plain >= x.words && x.plain > 0 && (footers || p.Blocks[x.lo].tags&tagFooter == 0):
			plain += x.plain
		default:
			continue
		}
		all = append(all, Doubt{ID: x.id, Words: int(x.words)})
	}
	if plain < least {
		return nil
	}
	return all
}

// hasRecords reports whether a box that Strip strips has records: a list or a table of data, or several elements that
// look like elements before the box of which something is kept, such as posts. Names that say what else is beside the
// content do not belong to records. kept has the number of kept words before each block.
func (p *Page) hasRecords(id int32, kept []int32) bool {
	for at := id; at < p.ix.End[id]; at++ {
		p.steps.Take(1)
		lo, hi := p.span(at)
		t := &p.traits[at]
		switch {
		case lo == hi || !t.isElement:
			continue
		case t.names&besides != 0 || t.tag == atom.Form:
			return false
		}
		if tag, items := p.items(at); len(items) > 0 {
			return p.isData(tag, items, true) || p.isData(tag, items, false) && p.goesOn(at, id, kept)
		}
	}
	return p.goesOn(id, id, kept)
}

// goesOn reports whether children of the element at, in a box, look like siblings of the box that something is kept of.
func (p *Page) goesOn(at, box int32, kept []int32) bool {
	const few, many = 2, 64
	ix := p.ix
	var looks []uint64
	for c, n := at+1, 0; c < ix.End[at] && n < few; c, n = ix.End[c], n+1 {
		if t := &p.traits[c]; t.isElement && isBox(t.tag) {
			looks = append(looks, t.look)
		}
	}
	same, up := 0, p.parent[box]
	for c, n := up+1, 0; c < box && n < many && len(looks) == few; c, n = ix.End[c], n+1 {
		p.steps.Take(1)
		if lo, hi := p.span(c); kept[hi] > kept[lo] && isBox(p.traits[c].tag) && p.traits[c].look == looks[0] && looks[0] == looks[1] {
			same++
		}
	}
	return same >= few
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

// keepNotes keeps the footnotes that follow the content, and those that Strip strips. It reports whether there are any
// of the latter.
func (p *Page) keepNotes(keep []bool) (more bool) {
	root := p.around(keep)
	_, end := p.span(root)
	last, boxes := p.footnotes(root, end)
	for i := end; i < last; i++ {
		keep[i] = !p.Blocks[i].stripped && !p.Blocks[i].apart
	}
	for _, id := range boxes {
		lo, hi := p.span(id)
		p.steps.Take(int(hi - lo))
		for i := lo; i < hi; i++ {
			keep[i] = true
		}
	}
	return boxes != nil
}

// footnotes returns hi, the end of the blocks of element root, or the end of the footnotes that
// follow the element: of elements with a link back to the reference in root that leads to them. Of notes that Strip
// strips, such as those in an aside or a footer, it returns the elements.
func (p *Page) footnotes(root, hi int32) (end int32, boxes []int32) {
	const up = 3 // elements from the link up that may have the name of the note
	ix := p.ix
	var backs []int32
	for id := root; id < ix.Len(); id++ {
		if p.traits[id].inner && (p.stripped.Has(id) || id >= ix.End[root]) && !p.hidden.Has(id) {
			backs = append(backs, id)
		}
	}
	if len(backs) == 0 {
		return hi, nil
	}
	refs := p.references(root)
	for _, id := range backs {
		to := dom.Attr(ix.Nodes[id], "href")
		for at, k := id, 0; k < up; at, k = p.parent[at], k+1 {
			n := ix.Nodes[at]
			switch {
			case !refs[[2]string{to, "#" + dom.Attr(n, "id")}] && !refs[[2]string{to, "#" + dom.Attr(n, "name")}]:
				continue
			case !p.stripped.Has(id):
				hi = max(hi, p.before[ix.End[p.beside(at, root)]])
			case at == id && p.isNote(p.parent[at]):
				boxes = append(boxes, p.parent[at])
			case at != id && p.isNote(at):
				boxes = append(boxes, at)
			}
			break
		}
	}
	return hi, boxes
}

// isNote reports whether a stripped element is a note, and no entry of a table of contents.
func (p *Page) isNote(id int32) bool {
	lo, hi := p.span(id)
	return lo < hi && 2*p.ix.LinkRunes(id) < p.ix.Runes(id) && p.Blocks[lo].tags&tagNav == 0
}

// references returns the names of the links in element root to parts of the page, with where they lead.
func (p *Page) references(root int32) map[[2]string]bool {
	ix := p.ix
	refs := map[[2]string]bool{}
	for id := root; id < ix.End[root]; id++ {
		p.steps.Take(1)
		if !p.traits[id].inner || p.stripped.Has(id) {
			continue
		}
		link := ix.Nodes[id]
		for _, n := range []*html.Node{link, link.Parent, link.FirstChild} {
			for _, key := range []string{"id", "name"} {
				if n != nil && dom.Attr(n, key) != "" {
					refs[[2]string{"#" + dom.Attr(n, key), dom.Attr(link, "href")}] = true
				}
			}
		}
	}
	return refs
}
