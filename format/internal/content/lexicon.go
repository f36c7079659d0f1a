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
// them says about the text below the element. A word has at least two letters.
type Lexicon []Word

// A Word is one word of class and id attributes, in lower case. Own, Close and Far say how
// an element with this word, at that distance from a block, changes the odds that the block
// is content: in tenths of the logarithm of the odds.
type Word struct {
	Name            string
	Own, Close, Far int8
}

// Votes contains, for each distance, the sum of what the words at this distance say.
type Votes [Nears]int32

func (v *Votes) add(w Votes) {
	for i := range v {
		v[i] += w[i]
	}
}

// A dictionary looks up the words of a lexicon. Pages have more than a thousand words in the
// names of their elements, so a lookup must not cost more than a comparison or two.
type dictionary struct {
	words Lexicon
	first [1024]uint16 // for each hash, the number of a word with it plus one, or 0
	next  []uint16     // for each word, the same of another word with its hash
}

// set makes d the dictionary of a lexicon, unless it already is.
func (d *dictionary) set(words Lexicon) {
	if len(words) == len(d.words) && (len(words) == 0 || &words[0] == &d.words[0]) {
		return
	}
	d.words, d.next = words, sized(d.next, len(words))
	clear(d.first[:])
	for i, w := range words {
		at := &d.first[d.hash([]byte(w.Name))]
		d.next[i] = *at
		*at = uint16(i + 1) // a lexicon has some hundred words
	}
}

// hash returns the hash of a word of at least two letters.
func (d *dictionary) hash(name []byte) int {
	n := len(name)
	return (n + 3*int(name[0]) + 37*int(name[n/2]) + 151*int(name[n-1]) + 401*int(name[1])) % len(d.first)
}

// says returns what a word says, or zeros if the lexicon does not contain it.
func (d *dictionary) says(name []byte) Votes {
	for at := d.first[d.hash(name)]; at > 0; at = d.next[at-1] {
		if w := &d.words[at-1]; w.Name == string(name) {
			return Votes{int32(w.Own), int32(w.Close), int32(w.Far)}
		}
	}
	return Votes{}
}

// votes returns what the names of the elements around a block say. self is the innermost
// element, home is the innermost block-level one, and far is what all of them would say if
// all were far.
func (p *Page) votes(self, home, far int32) Votes {
	v := Votes{nearFar: far}
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
func (p *Page) Say(i int, v Votes) { p.Blocks[i].said = v }
