// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math/bits"
	"unicode"

	"golang.org/x/net/html/atom"
)

// Facts of a page as a whole, by their index in Page.facts.
const (
	factTypes = iota // one for each group of schema.org types
	factOG    = factTypes + typeCount + iota - 1
	factDated
	factPriced
	factMaker
	factBody
	factDepth
	factHyphens
	factQuery
	factDigits
	factRun
	factFile
	factHost
	factPlace
	factLast
	// From the tree.
	factBlocks
	factRunes
	factLinked
	factMean
	factProse
	factItems
	factCells
	factCode
	factHeadings
	factH1
	factH2
	factH3
	factMain
	factArticle
	factArticles
	factStripped
	factRecords
	factRecordText
	factPrices
	factComments
	factUsers
	factMessages
	factReviews
	factProducts
	factCards
	factFilters
	factSentences
	factTimes
	factQuotes
	factImages
	factForms
	factUnder
	factFocus
	factLong
	factBodyMarks
	pageFeatures = factBodyMarks + 8
)

// log2 returns one more than the binary logarithm of n, or 0 if n is not positive. It is
// exact at powers of two and linear between them, so that every machine computes the same.
func log2(n int32) float32 {
	if n <= 0 {
		return 0
	}
	k := bits.Len32(uint32(n)) - 1
	return float32(k) + float32(n-1<<k)/float32(int32(1)<<k) + 1
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b int32) float32 {
	if b == 0 {
		return 0
	}
	return float32(a) / float32(b)
}

// survey fills in the facts that come from the blocks and the tree.
func (p *Page) survey() {
	f := &p.facts
	var classes [18]int32
	var levels [7]int32
	var marked [markGroups]int32
	var total, linked, inMain, inArticle, stripped, records, recordText, prices, sentences, times, quotes, under, long int32
	for i := range p.Blocks {
		b := &p.Blocks[i]
		total += b.runes
		linked += b.linked
		classes[b.class] += b.runes
		levels[b.level]++
		if b.tags&tagMain != 0 {
			inMain += b.runes
		}
		if b.tags&tagArticle != 0 {
			inArticle += b.runes
		}
		if b.stripped {
			stripped += b.runes
		}
		if p.shapes[b.shape].count >= 5 && !b.stripped {
			records++
			recordText += b.runes
		}
		if b.price {
			prices++
		}
		if isStop(b.last) && b.words > 7 {
			sentences += b.runes
		}
		if b.tags&tagTime != 0 {
			times++
		}
		if b.tags&tagQuote != 0 {
			quotes += b.runes
		}
		if b.tags&tagList != 0 && !b.stripped {
			under += b.runes
		}
		if !b.stripped && b.words > 40 {
			long++
		}
		for m := b.far; m != 0; m &= m - 1 {
			if g := bits.TrailingZeros64(uint64(m)); g < markGroups {
				marked[g] += b.runes
			}
		}
	}
	n := count32(len(p.Blocks))
	f[factBlocks] = log2(n)
	f[factRunes] = log2(total)
	f[factLinked] = ratio(linked, total)
	f[factMean] = ratio(total, n)
	f[factProse] = ratio(classes[1], total)
	f[factItems] = ratio(classes[11], total)
	f[factCells] = ratio(classes[12]+classes[13], total)
	f[factCode] = ratio(classes[3], total)
	f[factHeadings] = ratio(levels[1]+levels[2]+levels[3]+levels[4]+levels[5]+levels[6], n)
	f[factH1] = float32(min(levels[1], 9))
	f[factH2] = log2(levels[2])
	f[factH3] = log2(levels[3])
	f[factMain] = ratio(inMain, total)
	f[factArticle] = ratio(inArticle, total)
	f[factStripped] = ratio(stripped, total)
	f[factRecords] = ratio(records, n)
	f[factRecordText] = ratio(recordText, total)
	f[factPrices] = log2(prices)
	f[factComments] = ratio(marked[bits.TrailingZeros64(uint64(markComment))], total)
	f[factUsers] = ratio(marked[bits.TrailingZeros64(uint64(markUser))], total)
	f[factMessages] = ratio(marked[bits.TrailingZeros64(uint64(markMessage))], total)
	f[factReviews] = ratio(marked[bits.TrailingZeros64(uint64(markReview))], total)
	f[factProducts] = ratio(marked[bits.TrailingZeros64(uint64(markProduct))], total)
	f[factCards] = ratio(marked[bits.TrailingZeros64(uint64(markCard))], total)
	f[factFilters] = ratio(marked[bits.TrailingZeros64(uint64(markFilter))], total)
	f[factSentences] = ratio(sentences, total)
	f[factTimes] = log2(times)
	f[factQuotes] = ratio(quotes, total)
	f[factUnder] = ratio(under, total)
	f[factLong] = log2(long)
	p.elements()
}

// elements fills in the facts that come from elements.
func (p *Page) elements() {
	var articles, images, forms int32
	bodyMarks := mark(0)
	for id := 0; id < len(p.ix.Nodes); id++ {
		if p.ix.isFold(count32(id)) {
			id = int(p.ix.End[id]) - 1
			continue
		}
		switch n := p.ix.Nodes[id]; n.DataAtom {
		case atom.Object, atom.Applet, atom.Button:
			if standsIn(n) {
				id = int(p.ix.End[id]) - 1
			}
		case atom.Article:
			articles++
		case atom.Img:
			images++
		case atom.Form:
			forms++
		case atom.Body, atom.Html:
			bodyMarks |= p.traits[id].names
		}
	}
	f := &p.facts
	f[factArticles] = log2(articles)
	f[factImages] = log2(images)
	f[factForms] = log2(forms)
	for i, m := range [8]mark{markArticle, markProduct, markForum | markMessage, markList, markTag, markCode, markPager, markContent} {
		if bodyMarks&m != 0 {
			f[factBodyMarks+i] = 1
		}
	}
}

// isStop reports whether r ends a sentence.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '。', '！', '？', '…', '۔', '।', '؟':
		return true
	}
	return false
}

// Features of a block, by their index in a Row. The facts of the page follow, then the
// probabilities of its kinds, then what the lexicon says, and then the scores that the
// first scorer gives to the blocks around.
const (
	featClass = iota
	featLevel
	featRunes
	featWords
	featLinkDensity
	featLinksPerWord
	featWordLength
	featStop
	featLast
	featPunct
	featCommas
	featDigits
	featUpper
	featWide
	featPrice
	featBold
	featTitle
	featAbout
	featData
	featPosition
	featTextPosition
	featDepth
	featStripped
	featSinceHeading
	featHeadingLevel
	featHeadingStripped
	featSinceH1
	featShapeCount
	featShapeMean
	featShapeLinked
	featShapeShare
	featShapeSpread
	featLookCount
	featLookMean
	featLookLinked
	featLookShare
	featLookSpread
	featTwins
	featCopies
	featSeen
	featAgain
	featNext1 // for each neighbour: class, characters, link density
	featNext2 = featNext1 + 3
	featPrev1 = featNext2 + 3
	featPrev2 = featPrev1 + 3
	featHome  = featPrev2 + 3 // for each of Block.homes: share of its text, link density, mean length of its blocks
	featTenth = featHome + 9  // share of the page's text, link density, mean length of its blocks
	featThird = featTenth + 3
	featSides = featThird + 3 // characters and link density of the five blocks before, and of the five after
	featTags  = featSides + 4
	featMarks = featTags + tagCount

	featTrunk   = featMarks + markGroups
	ownFeatures = featTrunk + trunkFeatures
	featPage    = ownFeatures
	// Fixed is the number of features that are known before any model.
	Fixed     = featPage + pageFeatures
	featKinds = Fixed
	featSaid  = featKinds + Kinds // one for each nearness, then their sum
	featFirst = featSaid + Nears + 1
	// Guessed is the number of features that are known before any scorer.
	Guessed = featFirst
	// Features is the number of features of a block.
	Features = featFirst + firstFeatures
)

// Row contains the features of one block.
type Row = [Features]float32

// Features fills in the features of block i that are known before any scorer.
func (p *Page) Features(i int, row *Row) {
	b := &p.Blocks[i]
	n := len(p.Blocks)
	row[featClass] = float32(b.class)
	row[featLevel] = float32(b.level)
	row[featRunes] = log2(b.runes)
	row[featWords] = log2(b.words)
	row[featLinkDensity] = ratio(b.linked, b.runes)
	row[featLinksPerWord] = ratio(b.links, b.words)
	row[featWordLength] = ratio(b.runes, b.words)
	row[featStop] = stopClass(b.last)
	row[featPunct] = ratio(b.punct, b.runes)
	row[featCommas] = ratio(b.commas, b.words)
	row[featDigits] = ratio(b.digits, b.runes)
	row[featUpper] = ratio(b.upper, b.runes)
	row[featWide] = ratio(b.wide, b.runes)
	row[featPrice] = truth(b.price)
	row[featBold] = truth(b.bold)
	row[featTitle] = ratio(b.inTitle, b.words)
	row[featAbout] = ratio(b.inAbout, b.words)
	row[featData] = ratio(b.inData, b.words)
	row[featPosition] = float32(i) / float32(n)
	row[featTextPosition] = ratio(p.runes[i], p.runes[n])
	row[featDepth] = float32(b.depth)
	row[featStripped] = truth(b.stripped)
	p.headingFeatures(i, row)
	p.groupFeatures(i, row)
	p.sideFeatures(i, row)
	p.homeFeatures(i, row)
	for k := range tagCount {
		row[featTags+k] = float32(b.tags >> k & 1)
	}
	for k := range markGroups {
		row[featMarks+k] = float32(b.far>>k&1 + b.near>>k&1)
	}
	p.trunkRow(i, row[featTrunk:ownFeatures])
	copy(row[featPage:], p.facts[:])
	copy(row[featKinds:], p.kinds[:])
	all := int32(0)
	for k, x := range b.said {
		row[featSaid+k] = float32(x)
		all += x
	}
	row[featSaid+Nears] = float32(all)
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func stopClass(r rune) float32 {
	switch {
	case isStop(r):
		return 4
	case r == ':' || r == '：':
		return 3
	case r == ',' || r == ';':
		return 2
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return 1
	}
	return 0
}

func (p *Page) headingFeatures(i int, row *Row) {
	b := &p.Blocks[i]
	row[featSinceHeading], row[featHeadingLevel], row[featHeadingStripped] = 99, 0, 0
	if h := b.heading; h >= 0 {
		row[featSinceHeading] = float32(min(count32(i)-h, 99))
		row[featHeadingLevel] = float32(p.Blocks[h].level)
		row[featHeadingStripped] = truth(p.Blocks[h].stripped)
	}
	switch first := p.first1; {
	case first < 0:
		row[featSinceH1] = -200
	case count32(i) >= first:
		row[featSinceH1] = log2(count32(i) - first)
	default:
		row[featSinceH1] = -log2(first - count32(i))
	}
}

func (p *Page) groupFeatures(i int, row *Row) {
	b := &p.Blocks[i]
	total := p.runes[len(p.Blocks)]
	for k, t := range [2]*tally{&p.shapes[b.shape], &p.looks[b.look]} {
		at := row[featShapeCount+5*k:]
		at[0] = log2(t.count)
		at[1] = ratio(t.runes, t.count)
		at[2] = ratio(t.linked, t.runes)
		at[3] = ratio(t.runes, total)
		at[4] = ratio(t.last-t.first, count32(len(p.Blocks)))
	}
	row[featTwins] = float32(min(p.twins[b.twin], 20))
	row[featCopies] = float32(min(b.copies, 20))
	row[featSeen] = ratio(b.seen, max(b.words-3, 1))
	row[featAgain] = ratio(b.again, max(b.words-3, 1))
}

func (p *Page) sideFeatures(i int, row *Row) {
	for k, d := range [4]int{1, 2, -1, -2} {
		at := row[featNext1+3*k:]
		if j := i + d; j >= 0 && j < len(p.Blocks) {
			b := &p.Blocks[j]
			at[0], at[1], at[2] = float32(b.class), log2(b.runes), ratio(b.linked, b.runes)
		} else {
			at[0], at[1], at[2] = 0, 0, 0
		}
	}
	lo, hi := max(i-5, 0), min(i+6, len(p.Blocks))
	row[featSides] = log2(p.runes[i] - p.runes[lo])
	row[featSides+1] = ratio(p.linked[i]-p.linked[lo], p.runes[i]-p.runes[lo])
	row[featSides+2] = log2(p.runes[hi] - p.runes[i+1])
	row[featSides+3] = ratio(p.linked[hi]-p.linked[i+1], p.runes[hi]-p.runes[i+1])
}

// homeFeatures fills in the features of the elements around block i.
func (p *Page) homeFeatures(i int, row *Row) {
	b := &p.Blocks[i]
	total := p.runes[len(p.Blocks)]
	at := row[featHome:]
	for k, id := range b.homes {
		lo, hi := p.span(id)
		at[3*k] = ratio(b.runes, p.runes[hi]-p.runes[lo])
		at[3*k+1] = ratio(p.linked[hi]-p.linked[lo], p.runes[hi]-p.runes[lo])
		at[3*k+2] = ratio(p.runes[hi]-p.runes[lo], hi-lo)
	}
	for k, id := range [2]int32{b.tenth, b.third} {
		lo, hi := p.span(id)
		at := row[featTenth+3*k:]
		at[0] = ratio(p.runes[hi]-p.runes[lo], total)
		at[1] = ratio(p.linked[hi]-p.linked[lo], p.runes[hi]-p.runes[lo])
		at[2] = ratio(p.runes[hi]-p.runes[lo], hi-lo)
	}
}

// span returns the range of blocks in the element id, half-open.
func (p *Page) span(id int32) (lo, hi int32) {
	return p.before[id], p.before[p.ix.End[id]]
}
