// SPDX-License-Identifier: Apache-2.0

package content

// A station is a place in the records of a list, such as that of the price: the
// blocks with the same tags and classes around them.
type station struct {
	blocks, kept int32
	records      int32 // elements that the blocks stand in, one after the other
	record       int32 // the last of them
}

// even keeps what most records of a list keep: where a price is content in
// forty-seven products, it is in the forty-eighth. Scores know words and
// numbers, and can differ between records that a reader takes for alike.
func (p *Page) even(keep []bool) {
	const (
		least  = 5  // records of a list
		long   = 20 // words of running text
		tenths = 8  // of the records that have to agree
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
