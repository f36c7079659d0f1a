// SPDX-License-Identifier: Apache-2.0

package content

// cuts are scores. A candidate for each of them keeps the blocks with at least this score.
var cuts = [...]float32{.05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .6, .7}

const (
	// Candidates is the number of choices of blocks for one page.
	Candidates = len(cuts) + 8

	candHalf      = 9             // the cut at .5
	candBest      = len(cuts)     // the cut with the highest expected F1
	candStrip     = len(cuts) + 1 // all blocks that Strip leaves
	candSoft      = len(cuts) + 2 // those of them whose score is not very low
	candContainer = len(cuts) + 3 // the element with the highest expected F1
	candTrunk     = len(cuts) + 4 // the element with most of the sentences
	candAround    = len(cuts) + 5 // the element around the trunk
	candShort     = len(cuts) + 6 // the best cut, up to the last sentence of the trunk
	candInside    = len(cuts) + 7 // the best cut, within the trunk

	// Best is the candidate that is chosen unless the ranker prefers another. The ranker
	// predicts by how much the F1 of a candidate is higher than that of Best.
	Best = candBest
)

// leastGain is the predicted gain in F1 from which a candidate is preferred to the best
// cut. Smaller predicted gains are wrong as often as right.
const leastGain = .02

// Features of a candidate. The facts of the page and the probabilities of its kinds follow.
const (
	pickNumber = iota
	pickExpected
	pickPrecision
	pickRecall
	pickShare
	pickWords
	pickLinked
	pickBlocks
	pickStripped
	pickSentences
	pickRuns
	pickH1
	pickHigh
	pickMiddle
	pickMean
	pickData
	pickUpper
	pickLower
	pickOverBest
	pickOverHalf
	pickOverStrip
	pickOverContainer
	pickRelative
	pickPosition
	pickExtent
	pickPrices
	pickShapes
	pickTrunk      // share of the trunk's sentences that are kept
	pickTail       // share of the kept words that are after the last sentence of the trunk
	pickTailLinked // share of that text that is in links
	pickTailScore  // mean score of those words
	pickHead       // share of the kept words that are before the first sentence of the trunk
	pickTrunkShare // share of the page's sentences that are in the trunk
	pickProse      // share of the page's sentences that are kept
	pickOverTrunk
	pickMoreWords // this one and the following compare with the best cut
	pickMoreTail
	pickMoreProse
	pickMoreLinked
	pickMorePrecision
	pickMoreRecall

	ownPicks

	// PickFacts is the first feature that is a fact of the page, and PickKinds the first
	// probability of a kind.
	PickFacts = ownPicks
	PickKinds = ownPicks + pageFeatures
	// PickFeatures is the number of features of a candidate.
	PickFeatures = ownPicks + pageFeatures + Kinds
)

// A Pick is one choice of blocks.
type Pick struct {
	Keep []bool // for each block, whether it is kept
	Row  [PickFeatures]float32
}

// Picks returns the candidates for the scores of the blocks. The next call
// overwrites them.
func (p *Page) Picks(scores []float32) []Pick {
	picks, all := p.choices(scores)
	p.refer(picks)
	of := p.weigh(scores)
	of.expected = all
	p.describe(picks, candBest, scores, of)
	for k := range picks {
		if k != candBest {
			p.describe(picks, k, scores, of)
		}
	}
	return picks
}

// choices returns the candidates without their features, and the expected number of words
// in the content.
func (p *Page) choices(scores []float32) (picks []Pick, all float32) {
	n := len(p.Blocks)
	p.picks = sized(p.picks, Candidates)
	picks = p.picks
	clear(picks)
	for i := range p.Blocks {
		all += float32(scores[i] * float32(p.Blocks[i].words))
	}
	p.keep = sized(p.keep, Candidates*n)
	keep := p.keep
	for k := range picks {
		picks[k].Keep = keep[k*n : (k+1)*n]
	}
	best := p.bestCut(scores, all)
	lo, hi := p.bestContainer(scores, all)
	t := &p.trunk
	in, end := p.span(t.up[0])
	around, beyond := p.span(t.up[1])
	for i := range p.Blocks {
		k := int32(i)
		likely := scores[i] >= .05 && !p.Blocks[i].stripped
		picks[candTrunk].Keep[i] = likely && k >= in && k < end
		picks[candAround].Keep[i] = likely && k >= around && k < beyond
		picks[candShort].Keep[i] = scores[i] >= best && (k <= t.last || t.last < 0)
		picks[candInside].Keep[i] = scores[i] >= best && k >= in && k < end
		// A cut below the best one adds no blocks that Strip strips, because a footer in an
		// article looks like one of its lines.
		for k, c := range cuts {
			picks[k].Keep[i] = scores[i] >= c && (scores[i] >= best || !p.Blocks[i].stripped)
		}
		picks[candBest].Keep[i] = scores[i] >= best
		picks[candStrip].Keep[i] = !p.Blocks[i].stripped
		picks[candSoft].Keep[i] = scores[i] >= .08 && !p.Blocks[i].stripped
		picks[candContainer].Keep[i] = scores[i] >= .08 && int32(i) >= lo && int32(i) < hi
	}
	return picks, all
}

// strict is the factor for the expected number of words in the content of an article. The
// more words are expected, the lower is the best cut. In articles, the doubtful blocks are
// less often content than their scores say.
const strict = .5

// bestCut returns the cut with the highest expected F1.
func (p *Page) bestCut(scores []float32, all float32) float32 {
	var hits, sizes [51]float32 // sums over the blocks, by their score in fiftieths
	for i := range p.Blocks {
		w := float32(p.Blocks[i].words)
		k := int(scores[i] * 50)
		hits[k] += float32(scores[i] * w)
		sizes[k] += w
	}
	if p.kinds[Article] >= .5 {
		all = float32(all * strict)
	}
	best, at := float32(0), 25
	hit, size := float32(0), float32(0)
	for k := 50; k > 0; k-- {
		hit += hits[k]
		size += sizes[k]
		if f := 2 * hit / (size + all + 1e-6); f > best {
			best, at = f, k
		}
	}
	return float32(at) / 50
}

// bestContainer returns the range of blocks of the element with the highest expected F1.
func (p *Page) bestContainer(scores []float32, all float32) (lo, hi int32) {
	n := len(scores) + 1
	p.masses = sized(p.masses, 2*n)
	sums, sizes := p.masses[:n], p.masses[n:] // expected and actual number of words before each block
	sums[0], sizes[0] = 0, 0
	for i := range p.Blocks {
		sums[i+1], sizes[i+1] = sums[i], sizes[i]
		if scores[i] >= .08 {
			sums[i+1] += float32(scores[i] * float32(p.Blocks[i].words))
			sizes[i+1] += float32(p.Blocks[i].words)
		}
	}
	best := float32(-1)
	try := func(id int32) {
		l, h := p.span(id)
		f := 2 * (sums[h] - sums[l]) / (sizes[h] - sizes[l] + all + 1e-6)
		if f > best {
			best, lo, hi = f, l, h
		}
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		for _, id := range b.homes {
			try(id)
		}
		try(b.tenth)
		try(b.third)
	}
	return lo, hi
}

// references are the candidates that all candidates are compared with.
var references = [...]int{candBest, candHalf, candStrip, candContainer, candTrunk}

// A share contains numbers of words, by which of the references keep them: bit k of the
// index belongs to references[k].
type share [1 << len(references)]int32

// each returns for each of the references how many of the words it keeps, and the sum of
// all words.
func (s *share) each() (kept [len(references)]int32, all int32) {
	for mask, words := range s {
		all += words
		for k := range kept {
			kept[k] += words * int32(mask>>k&1)
		}
	}
	return kept, all
}

// refer prepares the comparison of the candidates with the references.
func (p *Page) refer(picks []Pick) {
	p.refs = sized(p.refs, len(p.Blocks))
	var all share
	for i := range p.Blocks {
		mask := uint8(0)
		for k, number := range references {
			if picks[number].Keep[i] {
				mask |= 1 << k
			}
		}
		p.refs[i] = mask
		all[mask] += p.Blocks[i].words
	}
	p.refWords, _ = all.each()
}

// amounts are numbers of words of a page.
type amounts struct {
	all          float32
	expected     float32 // of the content
	high, middle float32 // in blocks with a high score, and with one in the middle
}

// weigh counts the words of the page and those in blocks with a high score and with one in
// the middle.
func (p *Page) weigh(scores []float32) (of amounts) {
	for i := range p.Blocks {
		w := float32(p.Blocks[i].words)
		of.all += w
		switch {
		case scores[i] > .75:
			of.high += w
		case scores[i] > .25:
			of.middle += w
		}
	}
	return of
}

// describe fills in the features of the candidate with this number. The best cut has to be
// described first, because the others are compared with it.
func (p *Page) describe(picks []Pick, number int, scores []float32, of amounts) {
	pick := &picks[number]
	row := &pick.Row
	n := count32(len(p.Blocks))
	var runes, linked, blocks, stripped, sentences, runs, prices, data, records int32
	var hit float32
	upper, lower := float32(0), float32(1)
	first, last := int32(-1), int32(0)
	before := false
	var tail, tailLinked, tailRunes, tailHit, head float32
	var prose, inTrunk int32
	var shared share
	for i := range p.Blocks {
		b := &p.Blocks[i]
		w := float32(b.words)
		if !pick.Keep[i] {
			upper = max(upper, scores[i])
			before = false
			continue
		}
		lower = min(lower, scores[i])
		if !before {
			runs++
		}
		before = true
		if first < 0 {
			first = int32(i)
		}
		last = int32(i)
		if last > p.trunk.last {
			tail += w
			tailLinked += float32(b.linked)
			tailRunes += float32(b.runes)
			tailHit += float32(scores[i] * w)
		} else if last < p.trunk.first {
			head += w
		}
		if b.isProse() {
			prose += b.runes
			if last >= p.trunk.first && last <= p.trunk.last {
				inTrunk += b.runes
			}
		}
		hit += float32(scores[i] * w)
		shared[p.refs[i]] += b.words
		runes += b.runes
		linked += b.linked
		blocks++
		data += b.inData
		if b.stripped {
			stripped += b.words
		}
		if isStop(b.last) && b.words > 7 {
			sentences += b.words
		}
		if b.price {
			prices++
		}
		if p.shapes[b.shape].count >= 5 {
			records += b.words
		}
	}
	both, words := shared.each()
	var dice [len(references)]float32 // Dice's coefficient of the words
	for k := range dice {
		dice[k] = ratio(2*both[k], words+p.refWords[k])
	}
	row[pickNumber] = float32(number)
	row[pickExpected] = 2 * hit / (float32(words) + of.expected + 1e-6)
	row[pickPrecision] = hit / (float32(words) + 1e-6)
	row[pickRecall] = hit / (of.expected + 1e-6)
	row[pickShare] = float32(words) / (of.all + 1e-6)
	row[pickWords] = log2(words)
	row[pickLinked] = ratio(linked, runes)
	row[pickBlocks] = ratio(blocks, n)
	row[pickStripped] = ratio(stripped, words)
	row[pickSentences] = ratio(sentences, words)
	row[pickRuns] = ratio(runs, blocks)
	row[pickH1] = truth(p.first1 >= 0 && pick.Keep[max(p.first1, 0)])
	row[pickHigh] = of.high / (of.all + 1e-6)
	row[pickMiddle] = of.middle / (of.all + 1e-6)
	row[pickMean] = of.expected / (of.all + 1e-6)
	row[pickData] = ratio(data, words)
	row[pickUpper], row[pickLower] = upper, lower
	row[pickPosition] = ratio(first, n)
	row[pickExtent] = ratio(last-first, n)
	row[pickPrices] = ratio(prices, blocks)
	row[pickShapes] = ratio(records, words)
	row[pickOverBest], row[pickOverHalf], row[pickOverStrip] = dice[0], dice[1], dice[2]
	row[pickOverContainer], row[pickOverTrunk] = dice[3], dice[4]
	row[pickTrunk] = ratio(inTrunk, p.trunk.own)
	row[pickTail] = tail / (float32(words) + 1e-6)
	row[pickTailLinked] = tailLinked / (tailRunes + 1e-6)
	row[pickTailScore] = tailHit / (tail + 1e-6)
	row[pickHead] = head / (float32(words) + 1e-6)
	row[pickTrunkShare] = p.trunk.share
	row[pickProse] = ratio(prose, p.trunk.all)
	best := &picks[candBest].Row
	row[pickMoreWords] = row[pickShare] / (best[pickShare] + 1e-6)
	row[pickMoreTail] = row[pickTail] - best[pickTail]
	row[pickMoreProse] = row[pickProse] - best[pickProse]
	row[pickMoreLinked] = row[pickLinked] - best[pickLinked]
	row[pickMorePrecision] = row[pickPrecision] - best[pickPrecision]
	row[pickMoreRecall] = row[pickRecall] - best[pickRecall]
	row[pickRelative] = row[pickExpected] - best[pickExpected]
	copy(row[ownPicks:], p.facts[:])
	copy(row[ownPicks+pageFeatures:], p.kinds[:])
}
