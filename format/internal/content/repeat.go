// SPDX-License-Identifier: Apache-2.0

package content

// mostQuads bounds what is remembered of one page.
const mostQuads = 1 << 20

// quad notes the run of four words that ends with word, which is the nth of
// its block.
func (p *Page) quad(n int32, word uint64) {
	if n > 3 && len(p.quads) < mostQuads {
		p.quads = append(p.quads, mix(mix(mix(p.recent[0], p.recent[1]), p.recent[2]), word))
	}
	p.recent = [3]uint64{p.recent[1], p.recent[2], word}
}

// repeat counts what the page says more than once: quotations, what is there
// for wide and for narrow screens, signatures. What [Index.Strip] leaves comes
// first, then the rest, each in its order.
func (p *Page) repeat() {
	size := 64
	for 4*size < len(p.quads) { // 16 bits a run
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

// meet returns how many runs of block i have been met, and meets all of them.
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
