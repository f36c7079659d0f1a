// SPDX-License-Identifier: Apache-2.0

package content

// How near an element is to a block.
const (
	nearOwn   = iota // the innermost block-level element, or an inline element in it
	nearClose        // one of the three elements around that
	nearFar          // any element around those

	// Nears is the number of these distances.
	Nears = iota
)

// A Lexicon contains words with which page authors name elements, sorted, and what each of
// them says about the text below the element.
type Lexicon []Word

// A Word is one word of class and id attributes, in lower case. Own, Close and Far say how
// an element with this word, at that distance from a block, changes the odds that the block
// is content: in tenths of the logarithm of the odds.
type Word struct {
	Name            string
	Own, Close, Far int8
}

// A Voice contains, for each distance, the sum of what the words at this distance say.
type Voice [Nears]int32

func (v *Voice) add(w Voice) {
	for i := range v {
		v[i] += w[i]
	}
}

// says returns what a word says, or zeros if l does not contain it.
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

// voice returns what the names of the elements around a block say. self is the innermost
// element, home is the innermost block-level one, and far is what all of them would say if
// all were far.
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

// Names calls yield for each word in the names of the elements around block i, with the
// distance of the element. A [Lexicon] is trained on these words. It reads the tree, so the
// Index must not have been released.
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

// Say sets what the names around block i say. A page of [NewPage] has no lexicon of its
// own.
func (p *Page) Say(i int, v Voice) { p.Blocks[i].said = v }
