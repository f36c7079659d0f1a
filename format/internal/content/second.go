// SPDX-License-Identifier: Apache-2.0

package content

// Features of the second scorer: the scores that the first scorer gives to block i and the
// blocks around it.
const (
	firstOwn = iota
	firstPrev1
	firstPrev2
	firstNext1
	firstNext2
	firstBefore // mean over the 6 blocks before
	firstAfter
	firstHome  // mean in each of Block.homes
	firstTenth = firstHome + 3 + iota - 8
	firstThird
	firstShape
	firstLook
	firstPage
	firstHeading // of the heading before
	firstSection // mean from the heading before to the next
	firstBelow   // mean from the block after it to the next heading
	firstRank    // share of the words of the page with a higher score
	firstWide    // mean from 20 blocks before to 20 after
	firstHigh    // share of the words with a score above a half

	firstFeatures
)

// A Second makes the features of the second scorer from the scores of the
// first.
type Second struct {
	p             *Page
	scores        []float32
	sums          []float32 // sum of score times words over the blocks before each block
	shapes, looks []float32 // the same sum over each group of blocks
	rank          [65]float32
}

// NewSecond prepares the features for the scores of the blocks.
func (p *Page) NewSecond(scores []float32) *Second {
	s := &Second{}
	s.read(p, scores)
	return s
}

// read is like [Page.NewSecond], but reuses the memory of s.
func (s *Second) read(p *Page, scores []float32) {
	n := len(p.Blocks)
	*s = Second{
		p: p, scores: scores, sums: sized(s.sums, n+1), shapes: sized(s.shapes, n), looks: sized(s.looks, n),
	}
	s.sums[0] = 0
	clear(s.shapes)
	clear(s.looks)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		x := float32(scores[i] * float32(b.words)) // the conversion rounds, so that no machine fuses it with a sum
		s.sums[i+1] = s.sums[i] + x
		s.shapes[b.shape] += x
		s.looks[b.look] += x
		s.rank[int(scores[i]*64)] += float32(b.words)
	}
	above := float32(0)
	for k := len(s.rank) - 1; k >= 0; k-- {
		w := s.rank[k]
		s.rank[k] = above
		above += w
	}
}

// mean returns the mean score of the words in a range of blocks, or -1 if there are none.
func (s *Second) mean(lo, hi int32) float32 {
	lo, hi = max(lo, 0), min(hi, count32(len(s.scores)))
	if lo >= hi {
		return -1
	}
	words := s.p.words[hi] - s.p.words[lo]
	if words == 0 {
		return -1
	}
	return (s.sums[hi] - s.sums[lo]) / float32(words)
}

func (s *Second) at(i int) float32 {
	if i < 0 || i >= len(s.scores) {
		return -1
	}
	return s.scores[i]
}

// Features fills in the last part of row for block i.
func (s *Second) Features(i int, row *Row) {
	p, b := s.p, &s.p.Blocks[i]
	at := row[featFirst:]
	k := count32(i)
	at[firstOwn] = s.scores[i]
	at[firstPrev1], at[firstPrev2] = s.at(i-1), s.at(i-2)
	at[firstNext1], at[firstNext2] = s.at(i+1), s.at(i+2)
	at[firstBefore], at[firstAfter] = s.mean(k-6, k), s.mean(k+1, k+7)
	at[firstWide] = s.mean(k-20, k+21)
	for h, id := range b.homes {
		lo, hi := p.span(id)
		at[firstHome+h] = s.mean(lo, hi)
	}
	lo, hi := p.span(b.tenth)
	at[firstTenth] = s.mean(lo, hi)
	lo, hi = p.span(b.third)
	at[firstThird] = s.mean(lo, hi)
	at[firstShape] = s.shapes[b.shape] / float32(max(p.shapes[b.shape].words, 1))
	at[firstLook] = s.looks[b.look] / float32(max(p.looks[b.look].words, 1))
	n := count32(len(s.scores))
	at[firstPage] = s.mean(0, n)
	at[firstHeading] = -1
	if b.heading >= 0 {
		at[firstHeading] = s.scores[b.heading]
	}
	at[firstSection] = s.mean(b.heading+1, p.sections[i])
	at[firstBelow] = s.mean(k+1, p.sections[i])
	at[firstRank] = s.rank[int(s.scores[i]*64)] / float32(max(p.words[n], 1))
	at[firstHigh] = s.rank[31] / float32(max(p.words[n], 1))
}
