// SPDX-License-Identifier: Apache-2.0

package content

// A station is a field of the records of a list, such as the price. Its blocks have the
// same tags and classes around them.
type station struct {
	blocks, kept int32 // number of its blocks, and of those that are kept
	records      int32 // number of elements that contain the blocks
	record       int32 // the last of these elements
}

// even keeps a field in all records of a list if it is kept in most of them: if a price is
// content in 47 products, it is content in the 48th as well. Scores depend on words and
// numbers, so they can differ between records that look alike to a reader.
func (p *Page) even(keep []bool) {
	const (
		least  = 5  // records that a list has at least
		long   = 20 // words; a longer block is running text
		tenths = 8  // of the blocks that have to be kept
	)
	stations := make([]station, len(p.Blocks))
	for i := range p.Blocks {
		b := &p.Blocks[i]
		s := &stations[b.look]
		s.blocks++
		if keep[i] {
			s.kept++
		}
		record := b.home
		if p.ix.Runes(record) == int(b.runes) {
			record = p.parent[record] // the innermost element is only the field
		}
		if s.records == 0 || record != s.record {
			s.records++
			s.record = record
		}
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		s := &stations[b.look]
		if !b.stripped && b.words <= long && s.records >= least && 2*s.records >= s.blocks && 10*s.kept >= tenths*s.blocks {
			keep[i] = true
		}
	}
}

// outvote drops doubtful blocks if four fifths of the blocks that look alike are left out: if nine of
// ten teasers are not content, the tenth is not content either. Headings stay, because they follow
// their section. It does nothing on pages that may be forums, where posts look alike and some of them
// are doubtful, or if it would drop half of the content.
func (p *Page) outvote(keep []bool, scores []float32) {
	const (
		least  = 4  // blocks that look alike
		tenths = 2  // of these blocks, if so many or fewer are kept, the doubtful ones of them go
		sure   = .7 // score from which a block is not doubtful
		forum  = .1 // probability
	)
	if p.kinds[Forum] >= forum {
		return
	}
	p.kept = sized(p.kept, len(keep))
	kept := p.kept // of each look, the number of blocks that are kept
	clear(kept)
	for i, k := range keep {
		if k {
			kept[p.Blocks[i].look]++
		}
	}
	goes := func(i int) bool {
		b := &p.Blocks[i]
		all := p.looks[b.look].count
		return keep[i] && b.level == 0 && scores[i] < sure && all >= least && 10*kept[b.look] <= tenths*all
	}
	staying, going := int32(0), int32(0) // words
	for i, k := range keep {
		switch {
		case goes(i):
			going += p.Blocks[i].words
		case k:
			staying += p.Blocks[i].words
		}
	}
	if going >= staying {
		return
	}
	for i := range keep {
		if goes(i) {
			keep[i] = false
		}
	}
}

// dropInsertions drops paragraphs that are hardly more than a link and stand between two lines of
// text. They interrupt the text to lead to another page, as in "Read also: ...". A shorter paragraph
// may be a part of the text, such as the address of something to download.
func (p *Page) dropInsertions(keep []bool) {
	const (
		few    = 6 // words; fewer may be a part of the text
		tenths = 7 // of the characters that are in the link; the rest is a label
	)
	isText := func(i int) bool {
		b := &p.Blocks[i]
		return 2*b.linked < b.runes && b.class != classItem
	}
	last, insertion := -1, -1 // the last kept block, and the number of the same block if it may be an insertion
	for i, k := range keep {
		if !k {
			continue
		}
		if insertion >= 0 && isText(i) {
			keep[insertion] = false
		}
		insertion = -1
		if b := &p.Blocks[i]; b.class == classParagraph && b.words >= few && 10*b.linked >= tenths*b.runes && last >= 0 && isText(last) {
			insertion = i
		}
		last = i
	}
}
