// SPDX-License-Identifier: Apache-2.0

package content

// A trunk is the element with most of the sentences of a page, chosen as Readability does,
// and the position of its sentences.
type trunk struct {
	id          int32    // number of the element; 0 if the page has no sentences
	depth       int32    // depth of the blocks with this shape
	shape       int32    // shape of its sentences that has most text
	first, last int32    // blocks of its first and last sentence, or -1
	own, all    int32    // characters in the sentences of the element, and of the page
	share       float32  // own divided by all
	up          [8]int32 // the element, the one around it, and so on
}

// isProse reports whether b is running text rather than a label, a menu or a list
// of links.
func (b *Block) isProse() bool {
	return !b.stripped && b.words > 7 && isStop(b.last) && 2*b.linked < b.runes
}

// rootProse finds the trunk. The text of a sentence counts for the element around its block,
// and half of it for the element around that one.
func (p *Page) rootProse() {
	n := count32(len(p.Blocks))
	p.weight = sized(p.weight, len(p.ix.Nodes))
	p.prose = sized(p.prose, len(p.Blocks)+1)
	clear(p.weight)
	p.prose[0] = 0
	t := trunk{first: -1, last: -1}
	best := int32(0)
	for i := range p.Blocks {
		p.steps.Take(1)
		b := &p.Blocks[i]
		p.prose[i+1] = p.prose[i]
		if !b.isProse() {
			continue
		}
		p.prose[i+1] += b.runes
		up := p.parent[b.home]
		next := p.parent[up]
		p.weight[up] += b.runes
		if next != up {
			p.weight[next] += b.runes / 2
		}
		for _, id := range [2]int32{up, next} {
			if p.weight[id] > best {
				best, t.id = p.weight[id], id
			}
		}
	}
	t.all = p.prose[n]
	id := t.id
	for k := range t.up {
		t.up[k] = id
		id = p.parent[id]
	}
	lo, hi := p.span(t.id)
	if best == 0 {
		lo, hi = 0, 0
	}
	longest := int32(0)
	for i := lo; i < hi; i++ {
		b := &p.Blocks[i]
		if !b.isProse() {
			continue
		}
		if t.first < 0 {
			t.first = i
		}
		t.last = i
		if x := p.shapes[b.shape].runes; x > longest {
			longest, t.shape, t.depth = x, b.shape, b.depth
		}
	}
	t.own = p.prose[hi] - p.prose[lo]
	t.share = ratio(t.own, t.all)
	p.trunk = t
}

// Features of the position of a block relative to the trunk, and of the section that
// contains the block, by their index.
const (
	trunkLevels = iota // number of levels above the trunk of the nearest element that contains the block
	trunkShare
	trunkPast  // logarithm of the distance to the last sentence of the trunk; negative before the first one
	trunkAfter // share of the page's sentences that come later
	trunkDepth
	trunkShape
	trunkHeadLinked // this and the next three: the last heading, and the blocks that look like it
	trunkHeadsLinked
	trunkHeads
	trunkHeadTitle
	trunkSection // this and the next two: the section that the last heading begins
	trunkSectionLinked
	trunkSectionProse

	trunkFeatures
)

// trunkRow fills in these features of block i.
func (p *Page) trunkRow(i int, at []float32) {
	b, t, k := &p.Blocks[i], &p.trunk, count32(i)
	levels := 0
	for ; levels < len(t.up); levels++ {
		if lo, hi := p.span(t.up[levels]); lo <= k && k < hi {
			break
		}
	}
	at[trunkLevels] = float32(levels)
	at[trunkShare] = t.share
	switch {
	case t.first < 0:
		at[trunkPast] = -99
	case k > t.last:
		at[trunkPast] = log2(k - t.last)
	case k < t.first:
		at[trunkPast] = -log2(t.first - k)
	default:
		at[trunkPast] = 0
	}
	at[trunkAfter] = ratio(t.all-p.prose[i+1], t.all)
	at[trunkDepth] = float32(b.depth - t.depth)
	at[trunkShape] = truth(t.first >= 0 && b.shape == t.shape)
	h := b.heading
	if b.level > 0 {
		h = k
	}
	from, to := max(h, 0), p.sections[i]
	at[trunkHeadLinked], at[trunkHeadsLinked], at[trunkHeads], at[trunkHeadTitle] = -1, -1, 0, 0
	if h >= 0 {
		heading := &p.Blocks[h]
		looks := &p.looks[heading.look]
		at[trunkHeadLinked] = ratio(heading.linked, heading.runes)
		at[trunkHeadsLinked] = ratio(looks.linked, looks.runes)
		at[trunkHeads] = log2(looks.count)
		at[trunkHeadTitle] = ratio(heading.inTitle, heading.words)
	}
	at[trunkSection] = log2(p.runes[to] - p.runes[from])
	at[trunkSectionLinked] = ratio(p.linked[to]-p.linked[from], p.runes[to]-p.runes[from])
	at[trunkSectionProse] = ratio(p.prose[to]-p.prose[from], p.runes[to]-p.runes[from])
}

// cutSections finds the next heading after each block.
func (p *Page) cutSections() {
	p.sections = sized(p.sections, len(p.Blocks))
	next := count32(len(p.Blocks))
	for i := len(p.Blocks) - 1; i >= 0; i-- {
		p.sections[i] = next
		if p.Blocks[i].level > 0 {
			next = count32(i)
		}
	}
}
