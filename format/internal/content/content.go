// SPDX-License-Identifier: Apache-2.0

// Package content decides which nodes of a page are its main content.
//
// An [Index] numbers the nodes of a tree, which must not change, and knows the size of the
// text below each of them. A [Set] contains such numbers, usually of the nodes to leave
// out. [Index.Strip] is the simple way to fill it: it adds what the tags, roles and class
// names of a page call navigation and the like. [Index.Main] adds all that is not main
// content, by a model that was trained on labelled pages.
package content

import (
	"math/bits"
	"slices"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An Index numbers nodes in document order, from 0. It is not changed after
// [Read] and before [Index.Release]; until then it is safe for concurrent use.
type Index struct {
	Nodes []*html.Node
	End   []int32 // of each node, one more than the last number below it

	// Running sums of what precedes each node. The last element of each is the total.
	runes, linked, links []int32

	gaps  []gap        // hidden elements, in document order
	folds []int32      // elements that a click opens, see (*reader).fold, in document order
	notes []*html.Node // title, meta, link and data elements, and buttons, in document order

	numbers []int32 // the memory of End and of the running sums
}

// A gap is a hidden element, which has no number.
type gap struct {
	n  *html.Node
	at int32 // number of the node after it
}

// Release gives the memory of ix to the next [Read]. The caller must not use ix,
// or a slice of it, afterwards.
func (ix *Index) Release() {
	if len(ix.Nodes) > most {
		return
	}
	clear(ix.Nodes)
	clear(ix.notes)
	clear(ix.gaps)
	*ix = Index{Nodes: ix.Nodes[:0], notes: ix.notes[:0], gaps: ix.gaps[:0], folds: ix.folds[:0], numbers: ix.numbers[:0]}
	indexes.Put(ix)
}

// isFold reports whether node id is an element that a click opens. It has no size and no blocks.
func (ix *Index) isFold(id int32) bool {
	if len(ix.folds) == 0 {
		return false
	}
	_, is := slices.BinarySearch(ix.folds, id)
	return is
}

var indexes = sync.Pool{New: func() any { return new(Index) }}

func isAnchor(n *html.Node) bool {
	return n.DataAtom == atom.A && n.Type == html.ElementNode
}

// count32 converts a number of things on a page. It does not overflow, because a page of
// 2^31 nodes or bytes exceeds every limit.
func count32(n int) int32 { return int32(n) } //nolint:gosec // see above

// letters counts the characters of s that are not white space. It reads eight bytes at a
// time, because it is the most expensive step that every text goes through.
func letters(s string) int32 {
	const each = 0x0101010101010101
	n := int32(0)
	for len(s) >= 8 {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (x-' '*each)&^x&(0x80*each) != 0 { // a byte is below a space, which is rare
			for i := range 8 {
				n += int32(kinds[s[i]] >> 7)
			}
			s = s[8:]
			continue
		}
		y := x ^ ' '*each
		shown := y&(0x7f*each) + 0x7f*each | y                      // high bit of a byte: it is not a space
		first := ^x | x<<1                                          // high bit of a byte: it is the first of a character
		n += int32(bits.OnesCount64(shown & first & (0x80 * each))) //nolint:gosec // at most 8
		s = s[8:]
	}
	for i := range len(s) {
		n += int32(kinds[s[i]] >> 7)
	}
	return n
}

// Runes returns the number of characters in the text below node id, without white space.
func (ix *Index) Runes(id int32) int { return int(ix.runes[ix.End[id]] - ix.runes[id]) }

// LinkRunes is like [Index.Runes], but counts only the text in links.
func (ix *Index) LinkRunes(id int32) int { return int(ix.linked[ix.End[id]] - ix.linked[id]) }

// Links returns the number of a elements at and below node id.
func (ix *Index) Links(id int32) int { return int(ix.links[ix.End[id]] - ix.links[id]) }

// Len returns the number of nodes.
func (ix *Index) Len() int32 { return int32(len(ix.Nodes)) } //nolint:gosec // a tree of 2^31 nodes does not fit into memory

// A Set is a set of node numbers. [Index.NewSet] makes one. The zero Set must not be used,
// because it has no room for any node.
type Set []uint64

// NewSet returns an empty set for the nodes of ix.
func (ix *Index) NewSet() Set { return make(Set, (len(ix.Nodes)+63)/64) }

// Has reports whether id is in s.
func (s Set) Has(id int32) bool { return s[id/64]>>(id%64)&1 == 1 }

// AddRange adds the numbers from first up to but not including end.
func (s Set) AddRange(first, end int32) {
	for id := first; id < end; {
		if id%64 == 0 && end-id >= 64 {
			s[id/64] = ^uint64(0)
			id += 64
			continue
		}
		s[id/64] |= 1 << (id % 64)
		id++
	}
}

// Clone returns a copy of s.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// Len counts the members of s.
func (s Set) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
