// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
)

// A Model contains the results of training. The zero Model is untrained.
type Model struct {
	Lexicon       Lexicon
	First, Second Forest // score blocks; Second also reads the scores of First
	Rank          Forest // predicts how much better than the best cut a candidate is
	Trust         Forest // predicts the F1 of a candidate
	Kinds         [Kinds]Forest
}

// Main is the main content of a page.
type Main struct {
	Kind       Kind
	Confidence float32 // the F1 that the extractor expects, from 0 to 1
	Drop       Set     // the nodes that are not content; the caller may change it
	Lost       []Loss  // lists and tables of data of which more than half is in Drop
	Doubts     []Doubt // other blocks in Drop that may be content
	Feet       []Doubt // the footers of records that are in Drop
	Asking     []Doubt // boxes in Drop that ask for consent, and that Strip keeps
	Hidden     []Doubt // the blocks of the content after which a longer text is hidden, with the words of that text
	Boxes      []Doubt // asides, footers and the like in Drop that stand among the content
	Prices     []Doubt // short blocks with a price in Drop that stand among the content
}

// doubt is the confidence below which the result of Strip is better, because it loses less.
const doubt = .48

// Main returns the main content of the page. Nodes in drop are not part of it.
// href is the URL of the page, or empty. If the extractor is in doubt or finds nothing, the
// result is that of Strip. The time is linear in the size of the page. The error is the
// cause of ctx.
func (ix *Index) Main(ctx context.Context, drop Set, href string) (m Main, err error) {
	p := pages.Get().(*Page) //nolint:forcetypeassert // it holds nothing else
	p.steps = dom.NewSteps(ctx)
	defer p.steps.Recover(&err)
	p.read(ix, drop, href, weights.Lexicon)
	keep, confidence, sure := weights.main(p)
	m = Main{Kind: weights.Kind(p), Confidence: confidence, Drop: p.stripped}
	if sure {
		m.Drop = p.without(keep)
		m.Lost = p.lost(keep)
		m.Doubts = p.below(keep, p.doubts(keep, p.scores[len(keep):], m.Lost))
	}
	m.Feet, m.Asking = p.feet(keep), p.asking
	m.Boxes = p.boxes(keep, m.Feet == nil)
	m.Hidden, m.Prices = p.veiled(keep), p.prices(keep)
	if len(p.traits) <= most {
		p.release()
		pages.Put(p)
	}
	return m, nil
}

var pages = sync.Pool{New: func() any { return &Page{} }}

// few is the number of words up to which the result is that of Strip. On such short pages
// there is little to leave out, and the model was not trained on them.
const few = 100

// Main returns the blocks that are the main content of p, and the expected F1. They are the
// blocks that m chooses, with the page's heading before them and without gaps. If sure is
// false, they are the blocks that Strip leaves.
func (m *Model) Main(p *Page) (keep []bool, confidence float32, sure bool) {
	p.spared = nil
	keep, confidence, sure = m.main(p)
	for i := range p.spared { // so that the features of the page stay as they are
		p.spared[i].stripped = true
	}
	return keep, confidence, sure
}

// main is Main, but leaves the content of p unstripped, see spare.
func (m *Model) main(p *Page) (keep []bool, confidence float32, sure bool) {
	keep, confidence = m.choose(p)
	sure = confidence >= doubt && slices.Contains(keep, true) && p.words[len(p.Blocks)] > few
	handbook := p.kind() == Documentation && (p.handbook || p.kinds[Documentation] >= .4)
	if !sure {
		if handbook && p.manual(keep, false) && slices.Contains(keep, true) {
			p.keepTitle(keep, true)
			p.preamble(keep)
			p.margin(keep)
			p.dropSite(keep)
			return keep, confidence, true
		}
		for i := range keep {
			keep[i] = !p.Blocks[i].stripped && !p.Blocks[i].apart
		}
		if handbook {
			p.lead(keep, false)
			p.chapters(keep)
			p.preamble(keep)
			p.colophon(keep)
			p.margin(keep)
			p.dropSite(keep)
		}
		more := p.complete(keep, false)
		more = p.keepNotes(keep) || more
		more = p.keepBoxes(keep) || more
		more = slices.Contains(keep, true) && p.topHeading(keep) || more
		return keep, confidence, more || handbook && slices.Contains(keep, true)
	}
	p.spare(keep)
	if !handbook || !p.manual(keep, true) {
		p.refuse(keep)
	}
	p.keepTitle(keep, handbook)
	p.fill(keep, handbook)
	if handbook {
		p.preamble(keep)
		p.lead(keep, true)
		p.caption(keep)
		p.colophon(keep)
		p.dropSite(keep)
	} else {
		p.head(keep)
		p.topHeading(keep)
	}
	switch p.kind() {
	case Listing, Collection, Product:
		p.even(keep)
	default:
		if !handbook {
			p.outvote(keep, p.scores[len(keep):])
		}
	}
	if !handbook {
		p.dropInsertions(keep)
		p.keepPrice(keep)
	}
	p.restore(keep)
	if !handbook {
		p.complete(keep, true)
		p.keepPosters(keep)
		p.keepNotes(keep)
	}
	p.keepBoxes(keep)
	p.dropBare(keep, p.scores[len(keep):])
	return keep, confidence, true
}

// refuse drops notices about cookies, wherever they are, because they look like paragraphs.
// It also drops short labels in a footer or a menu within the content, and lines that lead to
// the next page.
func (p *Page) refuse(keep []bool) {
	const run = 4 // words; fewer are a label
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.apart || b.stripped && (b.far&markConsent != 0 || b.words < run && b.tags&(tagFooter|tagNav) != 0) {
			keep[i] = false
		}
	}
}

// keepPrice keeps the price of a product between its title and the first text about it.
func (p *Page) keepPrice(keep []bool) {
	const near, longest = 8, 8 // blocks after the title, and words of a price
	at := slices.Index(keep, true)
	if at < 0 || p.Blocks[at].level == 0 {
		return
	}
	for i := at + 1; i < min(at+near, len(keep)); i++ {
		if b := &p.Blocks[i]; b.price && b.digits > 0 && (p.kind() == Product || b.near&markPrice != 0) && b.words <= longest && b.linked == 0 && !b.stripped && !b.apart {
			keep[i] = true
			return
		}
	}
}

// fill keeps up to four items, terms, paragraphs, quotations or blocks of code in a row
// between blocks that are kept, because a gap in a list or in a text is worse than a few
// words too many. Blocks that Strip strips stay out, and do not count as part of a gap.
// Except in a handbook, a gap with an insertion such as "Read more" stays out too.
func (p *Page) fill(keep []bool, handbook bool) {
	const most, far = 4, 16
	last, gap := -1, 0 // the last kept block, and the number of blocks after it that may be filled in
	for i := range p.Blocks {
		b := &p.Blocks[i]
		switch {
		case keep[i]:
			if last >= 0 && gap > 0 && gap <= most && i-last <= far && (handbook || !p.hasInsertion(last, i)) {
				for j := last + 1; j < i; j++ {
					keep[j] = !p.Blocks[j].stripped && !p.Blocks[j].apart
				}
			}
			last, gap = i, 0
		case b.stripped, b.apart:
		default:
			switch b.class {
			case classItem, classTerm, classSense, classParagraph, classQuote, classCode:
				gap++
			default:
				gap = most + 1
			}
		}
	}
}

// hasInsertion reports whether one of the blocks between two blocks interrupts the text: a
// link between blocks that are none, or a short paragraph that is not a sentence. A list
// is not interrupted by one of its items, and a text not by a bold line, which is a heading.
func (p *Page) hasInsertion(before, after int) bool {
	const short = 8 // words
	isLink := func(b *Block) bool { return 2*b.linked > b.runes }
	isListed := func(b *Block) bool { return b.class == classItem || b.class == classTerm || b.class == classSense }
	a, z := &p.Blocks[before], &p.Blocks[after]
	for i := before + 1; i < after; i++ {
		b := &p.Blocks[i]
		switch {
		case b.stripped, isListed(b) && (isListed(a) || isListed(z)):
		case isLink(b) && !isLink(a) && !isLink(z),
			b.class == classParagraph && !b.bold && b.words < short && !isStop(b.last):
			return true
		}
	}
	return false
}

// Kind returns the kind of the page p.
func (m *Model) Kind(p *Page) Kind {
	p.Guess(&m.Kinds)
	return p.kind()
}

// kind returns the most likely kind, as the last Guess has computed it. The program that made the
// page may be known to make only one kind.
func (p *Page) kind() Kind {
	if p.handbook {
		return Documentation
	}
	kind := Article
	for k, x := range p.kinds {
		if x > p.kinds[kind] {
			kind = Kind(k)
		}
	}
	return kind
}

// choose returns the blocks that m considers the content of p, and the expected F1. They
// are the blocks above the cut with the highest expected F1, or those of another candidate
// if the ranker predicts that it is clearly better.
func (m *Model) choose(p *Page) (keep []bool, f1 float32) {
	if len(p.Blocks) == 0 {
		return nil, 0
	}
	picks := m.Candidates(p)
	best, gain := &picks[candBest], float32(leastGain)
	handbook := p.kind() == Documentation // the other candidates do not help: little follows its content
	for k := range picks {
		if k == candBest || handbook {
			continue
		}
		if x := m.Rank.Score(picks[k].Row[:]); x > gain {
			best, gain = &picks[k], x
		}
	}
	f1 = m.Trust.Score(best.Row[:])
	p.settle(best.Keep)
	return best.Keep, min(max(f1, 0), 1)
}

// Candidates returns the candidates for the content of p. The next call of it or of Main
// overwrites them.
func (m *Model) Candidates(p *Page) []Pick { return p.Picks(m.scores(p)) }

// perScore is the number of steps for scoring a block once.
const perScore = 32

// scores returns the score that the second scorer gives to each block.
func (m *Model) scores(p *Page) []float32 {
	n := len(p.Blocks)
	p.Guess(&m.Kinds)
	p.scores = sized(p.scores, 2*n)
	first, second := p.scores[:n], p.scores[n:]
	var row Row
	for i := range first {
		p.steps.Take(perScore)
		p.Features(i, &row)
		first[i] = Sigmoid(m.First.Score(row[:]))
	}
	s := &p.second
	s.read(p, first)
	for i := range second {
		p.steps.Take(perScore)
		p.Features(i, &row)
		s.Features(i, &row)
		second[i] = Sigmoid(m.Second.Score(row[:]))
	}
	return second
}

// settle keeps or drops each row of a table as a whole, because a row without some of its
// cells has another meaning.
func (p *Page) settle(keep []bool) {
	for i := 0; i < len(p.Blocks); {
		b := &p.Blocks[i]
		if b.class != classCell && b.class != classHead {
			i++
			continue
		}
		row := p.parent[b.home]
		end, kept, all := i, int32(0), int32(0)
		for ; end < len(p.Blocks); end++ {
			c := &p.Blocks[end]
			if (c.class != classCell && c.class != classHead) || p.parent[c.home] != row {
				break
			}
			all += c.words
			if keep[end] {
				kept += c.words
			}
		}
		for j := i; j < end; j++ {
			keep[j] = 2*kept >= all && kept > 0
		}
		i = end
	}
}

// without returns the nodes that are not content if the blocks of keep are.
func (p *Page) without(keep []bool) Set {
	ix := p.ix
	drop := p.hidden.Clone()
	p.kept = sized(p.kept, len(keep)+1)
	kept := p.kept // number of kept blocks before each block
	kept[0] = 0
	for i, k := range keep {
		kept[i+1] = kept[i]
		if k {
			kept[i+1]++
		}
	}
	stays := func(i int32) bool { return i >= 0 && int(i) < len(keep) && keep[i] }
	for id := int32(1); id < ix.Len(); {
		if drop.Has(id) {
			id = ix.End[id]
			continue
		}
		n := ix.Nodes[id]
		lo, hi := p.span(id)
		inside := lo > 0 && p.Blocks[lo-1].End > id // the node is within the block before
		switch {
		case n.Type == html.TextNode:
			if !stays(hi-1) && !isBlank(n.Data) {
				drop.AddRange(id, id+1)
			}
			id++
		case kept[hi] > kept[lo], inside && keep[lo-1]:
			id++
		case lo == hi && !inside && p.adorns(id, stays(lo-1), stays(hi)):
			id = ix.End[id]
		default:
			drop.AddRange(id, ix.End[id])
			id = ix.End[id]
		}
	}
	return drop
}

// adorns reports whether an element without text belongs to the content. It does if the
// blocks before and after it are kept, or if one of them is and the element is neither a
// rule (hr) nor contains a link.
func (p *Page) adorns(id int32, before, after bool) bool {
	if before && after {
		return true
	}
	if !before && !after || p.ix.Nodes[id].DataAtom == atom.Hr {
		return false
	}
	return p.ix.Links(id) == 0
}
