// SPDX-License-Identifier: Apache-2.0

package content

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
