// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// fewestRecords is the number of elements of one tag in a row from which they can be the
// records of a list.
const fewestRecords = 3

// longestRecord is the number of words, and of blocks, that the records of a list have on
// average at most.
const longestRecord = 60

// complete keeps the titles of all records of a list if half of its records are kept, because
// a list without the names of its things is of no use. The title of a record is its first
// heading, or else the block with the most text in links.
//
// Records that Strip took for lists of links, such as threads with the name of their author
// and their date, are kept as a whole if the list has a quarter of the page's text.
//
// If the choice of blocks is sure, then on kinds of pages that do not consist of records, three
// quarters of the records have to be kept, and nothing is kept as a whole. There most lists of links
// are not content. On a page of no clear kind, a quarter is enough if the list has most of the text that
// Strip leaves. complete reports whether it has kept more.
func (p *Page) complete(keep []bool, sure bool) (more bool) {
	ix := p.ix
	list := !sure
	switch p.kind() {
	case Listing, Collection, Forum, Product:
		list = true
	}
	total, bulk := p.words[len(p.Blocks)], p.bulk()
	p.kept = sized(p.kept, len(keep)) // of each look, the number of blocks that are kept
	clear(p.kept)
	for i, k := range keep {
		if k {
			p.kept[p.Blocks[i].look]++
		}
	}
	for id := int32(1); id < ix.Len(); {
		p.steps.Take(1)
		lo, hi := p.span(id)
		switch {
		case hi-lo < fewestRecords || p.stripped.Has(id):
			id = ix.End[id]
			continue
		case !p.traits[id].isElement:
			id++
			continue
		}
		quarters, whole := 3, false
		if list {
			quarters, whole = 2, 4*(p.words[hi]-p.words[lo]) >= total
		}
		if p.words[hi]-p.words[lo] >= bulk {
			quarters = 1
		}
		for _, tag := range []atom.Atom{0, atom.Tr} { // the records of a table are its rows or its cells
			records := p.rows(id, tag)
			if n := count32(len(records)); n >= fewestRecords && hi-lo <= longestRecord*n && p.words[hi]-p.words[lo] <= longestRecord*n {
				more = p.completeList(keep, records, quarters, whole) || more
			}
			if p.traits[id].tag != atom.Tbody {
				break
			}
		}
		id++
	}
	return more
}

// bulk returns from how many words on a list has most of the text that Strip leaves, if it leaves any and
// the page is of no clear kind. Otherwise no list has so many.
func (p *Page) bulk() int32 {
	const clear = .5
	left := int32(0)
	for i := range p.Blocks {
		if b := &p.Blocks[i]; !b.stripped {
			left += b.words
		}
	}
	if left == 0 || p.kinds[p.kind()] >= clear {
		return math.MaxInt32
	}
	return left/2 + 1
}

// completeList is complete for one list, of which so many quarters of the records have to be
// kept. whole says that stripped records may be kept as a whole.
func (p *Page) completeList(keep []bool, records []int32, quarters int, whole bool) (more bool) {
	titled, kept, stripped, ended := 0, 0, 0, 0
	for _, id := range records {
		lo, hi := p.span(id)
		p.steps.Take(int(hi - lo))
		titled += one(p.titleOf(lo, hi) >= 0)
		first, _ := ends(keep, lo, hi)
		kept += one(first < len(keep))
		if end := p.endOf(lo, hi); end > lo {
			ended += one(keep[end-1])
		}
		stripped += one(p.isStrippedRecord(id))
	}
	n := len(records)
	switch {
	case 3*titled < 2*n: // some tables have a second row for each record
		return false
	case 4*kept >= quarters*n:
	case !whole || 4*(kept+stripped) < quarters*n:
		return false
	}
	for _, id := range records {
		lo, hi := p.span(id)
		first, _ := ends(keep, lo, hi)
		switch {
		case whole && first == len(keep) && p.isStrippedRecord(id):
			for i := lo; i < hi; i++ {
				keep[i] = p.Blocks[i].tags&(tagFooter|tagNav) == 0
			}
			more = true
		case !p.stripped.Has(id) || p.isStrippedRecord(id):
			if i := p.titleOf(lo, hi); i >= 0 && !keep[i] {
				keep[i], more = true, true
			}
			if first == len(keep) {
				continue
			}
			if 4*ended >= 3*n {
				more = p.completeEnd(keep, lo, p.endOf(lo, hi)) || more
			}
			more = p.completeFields(keep, lo, hi) || more
		}
	}
	return more
}

// keepPosters keeps the names of posters in the posts of a thread of which something is kept. Such a name is a short
// link of one text, before the text of the post, in an element whose name says that it is a user. A post has one such
// link, and at most half of the posts share it. About half of the truths have such names.
func (p *Page) keepPosters(keep []bool) {
	const most = 200 // blocks of a post
	if p.kind() != Forum {
		return
	}
	for id := int32(1); id < p.ix.Len(); id++ {
		p.steps.Take(1)
		if lo, hi := p.span(id); hi-lo < fewestRecords || p.stripped.Has(id) || !p.traits[id].isElement {
			continue
		} else if posts := p.rows(id, 0); len(posts) >= fewestRecords && int(hi-lo) <= most*len(posts) {
			for _, post := range posts {
				if name := p.poster(post, count32(len(posts))/2, keep); name >= 0 {
					keep[name] = true
				}
			}
		}
	}
}

// poster returns the block with the name of the poster of a post that is kept in part, or -1. A name that is on the page
// more than most times is not one.
func (p *Page) poster(post, most int32, keep []bool) int32 {
	const longest = 4 // words
	lo, hi := p.span(post)
	name, kept := int32(-1), false
	p.steps.Take(int(hi - lo))
	for i := lo; i < hi; i++ {
		b := &p.Blocks[i]
		if kept = keep[i] && b.words > longest; kept {
			break
		}
		if b.near&markUser == 0 || b.linked < b.runes || b.End > b.First+1 || b.words == 0 || b.words > longest || b.stripped || b.apart || p.twins[b.twin] > most {
			continue
		}
		if name >= 0 {
			return -1
		}
		name = i
	}
	if !kept {
		return -1
	}
	return name
}

// completeFields keeps the fields of a record.
func (p *Page) completeFields(keep []bool, lo, hi int32) (more bool) {
	for i := lo; i < hi; i++ {
		if !keep[i] && p.isField(&p.Blocks[i]) {
			keep[i], more = true, true
		}
	}
	return more
}

// isField reports whether a block of a record is a price, which may be in a footer, or looks like blocks of which two thirds are kept.
// If only a name says that a price is in a footer, half of the prices that look alike have to be kept.
// On the page of a product, lists are other products, whose prices are not its own.
func (p *Page) isField(b *Block) bool {
	const longest = 8 // words
	kept, all, price := p.kept[b.look], p.looks[b.look].count, b.price && b.digits > 0
	if b.words == 0 || b.words > longest || p.kind() == Product {
		return false
	}
	return price && (!b.stripped || b.tags&tagFooter != 0 || b.near&markFooter != 0 && 2*kept > all) || !b.stripped && 3*kept >= 2*all
}

// completeEnd keeps the short blocks after the last one that is kept of a record, because most records of the
// list are kept to their end. So the last record keeps its price where a cut would end before it.
func (p *Page) completeEnd(keep []bool, lo, hi int32) (more bool) {
	const longest = 8 // words
	at := hi
	for at > lo && !keep[at-1] {
		at--
	}
	if p.words[hi]-p.words[at] > longest {
		return false
	}
	for ; at < hi; at++ {
		keep[at], more = true, true
	}
	return more
}

// endOf returns the end of a record without what Strip strips after its text, such as a footer.
func (p *Page) endOf(lo, hi int32) int32 {
	for hi > lo && p.Blocks[hi-1].stripped {
		hi--
	}
	return hi
}

// rows returns the children of an element that have text, if they have one tag. Up to a
// quarter as many others may be between them, and terms before descriptions. Elements of the tag within do not
// count, but their children do. The next call overwrites the result.
func (p *Page) rows(id int32, within atom.Atom) []int32 {
	ix := p.ix
	tag, others, after := atom.Atom(0), 0, 0 // after the last record
	p.records = p.records[:0]
	for at := id + 1; at < ix.End[id]; {
		p.steps.Take(1)
		lo, hi := p.span(at)
		t := &p.traits[at]
		if t.isElement && t.tag == within {
			at++
			continue
		}
		switch {
		case lo == hi || !t.isElement || t.tag == atom.Dt:
		case len(p.records) == 0 && (isItem(t.tag, hi-lo) || t.tag == atom.Dd || t.tag == atom.Td), len(p.records) > 0 && t.tag == tag:
			tag = t.tag
			p.records = append(p.records, at)
			others, after = others+after, 0
		case len(p.records) > 0:
			after++
		}
		at = ix.End[at]
	}
	if 4*others > len(p.records) {
		return nil
	}
	return p.records
}

// titleOf returns the block with the title of a record, or -1.
func (p *Page) titleOf(lo, hi int32) int32 {
	title, longest := int32(-1), int32(0)
	for i := lo; i < hi; i++ {
		b := &p.Blocks[i]
		if b.words == 0 {
			continue
		}
		if b.level > 0 {
			return i
		}
		if b.linked > longest && 2*b.linked > b.runes {
			title, longest = i, b.linked
		}
	}
	return title
}

// isStrippedRecord reports whether Strip strips an element only because it consists of
// links, or because all its text is in a header.
func (p *Page) isStrippedRecord(id int32) bool {
	t := &p.traits[id]
	if lo, hi := p.span(id); !p.stripped.Has(id) {
		title := p.titleOf(lo, hi)
		return title >= 0 && p.Blocks[title].tags&(tagNav|tagFooter|tagAside) == 0 && p.endOf(lo, hi) == lo
	}
	return !isChrome(t.tag, t.role, true) && !p.ix.isNamed(id, p.ix.Runes(0), t.names)
}

// isPrice reports whether a text has a currency sign and a digit.
func isPrice(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
}

// prices returns the short blocks with a price that are left out between blocks of the content, although no name or tag
// says that they belong to something else and no kept block has the same text.
func (p *Page) prices(keep []bool) (all []Doubt) {
	const longest = 8 // words
	const names, tags = besides &^ markSide, tagForm | tagNav | tagFooter | tagInert
	first, last := ends(keep, 0, count32(len(keep)))
	said := p.texts(keep)
	for i := first; i < last; i++ {
		b := &p.Blocks[i]
		if !keep[i] && b.price && b.digits > 0 && b.words <= longest && b.linked == 0 && b.near&names == 0 && b.tags&tags == 0 && !said[b.twin] {
			all = append(all, Doubt{ID: b.home, Words: int(b.words)})
		}
	}
	return all
}
