// SPDX-License-Identifier: Apache-2.0

package content

// How near to a block an element is, whose class is spoken of.
const (
	nearOwn   = iota // its home, or an inline element in that
	nearClose        // one of the three around
	nearFar          // one around those

	// Nears is their number.
	Nears = iota
)

// A Lexicon is the words that page authors name elements with, in order, and
// what each tells of the text below.
type Lexicon []Word

// A Word is one word of class and id attributes, in lower case, and what it
// tells of a block when an element so near has it: tenths of the logarithm of
// the odds that the block is content.
type Word struct {
	Name            string
	Own, Close, Far int8
}

// A Voice is the sum of what words say, by how near they are.
type Voice [Nears]int32

func (v *Voice) add(w Voice) {
	for i := range v {
		v[i] += w[i]
	}
}

// says returns what a word says, nothing where l does not have it.
func (l Lexicon) says(name []byte) Voice {
	lo, hi := 0, len(l)
	for lo < hi {
		mid := (lo + hi) / 2
		if l[mid].Name < string(name) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(l) && l[lo].Name == string(name) {
		return Voice{int32(l[lo].Own), int32(l[lo].Close), int32(l[lo].Far)}
	}
	return Voice{}
}

// voice returns what the elements around a block say, self the innermost of
// them, home the innermost block-level one. Far is what they all would say
// from far away.
func (p *Page) voice(self, home, far int32) Voice {
	v := Voice{nearFar: far}
	near, steps := nearOwn, 0
	for id := self; steps < 3 && p.parent[id] != id; id = p.parent[id] {
		says := &p.traits[id].says
		v[near] += says[near]
		v[nearFar] -= says[nearFar]
		switch {
		case near == nearClose:
			steps++
		case id == home:
			near = nearClose
		}
	}
	return v
}

// Names calls yield with each word in the names of the elements around block
// i, and how near it is: what a [Lexicon] may know. It needs the tree.
func (p *Page) Names(i int, yield func(near int, word string)) {
	b := &p.Blocks[i]
	home := p.ix.Nodes[b.home]
	near, steps := nearOwn, 0
	for n := p.ix.Nodes[b.First].Parent; n != p.ix.Nodes[0]; n = n.Parent {
		for _, a := range n.Attr {
			if !isNaming(a.Key) {
				continue
			}
			all := wordReader{rest: a.Val}
			for word := all.next(); word != nil; word = all.next() {
				yield(near, string(word))
			}
		}
		switch {
		case near == nearClose:
			if steps++; steps == 3 {
				near = nearFar
			}
		case n == home:
			near = nearClose
		}
	}
}

// Say tells p what the names around block i say, in place of the lexicon that
// a page of [NewPage] lacks.
func (p *Page) Say(i int, v Voice) { p.Blocks[i].said = v }
