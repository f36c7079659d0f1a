// SPDX-License-Identifier: Apache-2.0

package content

// mostQuads is the maximum number of runs that are remembered for one page.
const mostQuads = 1 << 20

// quad adds the run of four words that ends with word, the nth word of its block.
func (p *Page) quad(n int32, word uint64) {
	if n > 3 && len(p.quads) < mostQuads {
		p.quads = append(p.quads, mix(mix(mix(p.recent[0], p.recent[1]), p.recent[2]), word))
	}
	p.recent = [3]uint64{p.recent[1], p.recent[2], word}
}

// repeat counts repeated texts, such as quotations, signatures, and texts that are there
// twice for wide and for narrow screens. In its order, the blocks that [Index.Strip] leaves
// come before those that it strips.
func (p *Page) repeat() {
	size := 64
	for 4*size < len(p.quads) { // at least 16 bits for each run
		size *= 2
	}
	p.met = sized(p.met, size)
	p.twins = sized(p.twins, len(p.Blocks))
	clear(p.met)
	clear(p.twins)
	for _, stripped := range [2]bool{false, true} {
		for i := range p.Blocks {
			if b := &p.Blocks[i]; b.stripped == stripped {
				b.copies = p.twins[b.twin]
				p.twins[b.twin]++
				b.seen = p.meet(i)
			}
		}
	}
	clear(p.met)
	for _, stripped := range [2]bool{true, false} {
		for i := len(p.Blocks) - 1; i >= 0; i-- {
			if b := &p.Blocks[i]; b.stripped == stripped {
				b.again = p.meet(i)
			}
		}
	}
}

// meet returns how many runs of block i are in p.met, and adds all of them to it.
func (p *Page) meet(i int) (known int32) {
	end := count32(len(p.quads))
	if i+1 < len(p.Blocks) {
		end = p.Blocks[i+1].run
	}
	runs := p.quads[p.Blocks[i].run:end]
	p.steps.Take(1 + len(runs)/4)
	for _, q := range runs {
		known += p.met.has(q)
	}
	for _, q := range runs {
		p.met.put(q)
	}
	return known
}
