// SPDX-License-Identifier: Apache-2.0

// Package content says which nodes of a page are its content: tree -> view.
//
// An [Index] numbers the nodes of a tree that nobody may change, and knows the
// text below each of them; a [Set] of those numbers is a view. Strip is the
// plain view: it leaves out what a page's own tags, roles and class names call
// navigation and the like.
package content

import (
	"math/bits"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An Index numbers nodes in document order, from 0. It is not changed after
// [NewIndex]; safe for concurrent use.
type Index struct {
	Nodes []*html.Node
	End   []int32 // of each node, one more than the last number below it

	// What stands before each node, and at last in all: three running sums.
	runes, linked, links []int32
}

// NewIndex numbers root and what is below it, without the subtrees of nodes
// that skip holds of. It does not recurse.
func NewIndex(root *html.Node, skip func(*html.Node) bool) *Index {
	size := 1
	for n := root; n != nil; n = following(n, root) {
		size++
	}
	sums := make([]int32, 3*size) // the three grow in one piece of memory, to what it was made for
	ix := &Index{
		Nodes: make([]*html.Node, 0, size), End: make([]int32, 0, size),
		runes: sums[:0:size], linked: sums[size : size : 2*size], links: sums[2*size : 2*size],
	}
	var text, linked, links int32
	anchors := 0 // open
	enter := func(n *html.Node) {
		ix.Nodes = append(ix.Nodes, n)
		ix.End = append(ix.End, 0)
		ix.runes = append(ix.runes, text)
		ix.linked = append(ix.linked, linked)
		ix.links = append(ix.links, links)
		switch {
		case n.Type == html.TextNode:
			count := letters(n.Data)
			text += count
			if anchors > 0 {
				linked += count
			}
		case isAnchor(n):
			anchors++
			links++
		}
	}
	open := []int32{0}
	enter(root)
	leave := func() {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		ix.End[id] = int32(len(ix.Nodes)) //nolint:gosec // a tree of 2^31 nodes does not fit into memory
		if isAnchor(ix.Nodes[id]) {
			anchors--
		}
	}
	for next := root.FirstChild; len(open) > 0; {
		switch {
		case next == nil:
			done := ix.Nodes[open[len(open)-1]]
			leave()
			next = done.NextSibling
		case skip(next):
			next = next.NextSibling
		default:
			open = append(open, int32(len(ix.Nodes))) //nolint:gosec // as above
			enter(next)
			next = next.FirstChild
		}
	}
	ix.runes = append(ix.runes, text)
	ix.linked = append(ix.linked, linked)
	ix.links = append(ix.links, links)
	return ix
}

func isAnchor(n *html.Node) bool {
	return n.DataAtom == atom.A && n.Type == html.ElementNode
}

// count32 returns n, the number of things in a page: those that 2^31 nodes or
// bytes would be needed for are over every limit.
func count32(n int) int32 { return int32(n) } //nolint:gosec // see above

// letters counts the characters of s that are no white space.
func letters(s string) int32 {
	n := utf8.RuneCountInString(s)
	for i := range len(s) {
		switch s[i] {
		case ' ', '\n', '\t', '\r', '\f':
			n--
		}
	}
	return int32(n) //nolint:gosec // a text of 2^31 characters is over every limit
}

// Runes returns the number of characters in the text below node id, white
// space left out.
func (ix *Index) Runes(id int32) int { return int(ix.runes[ix.End[id]] - ix.runes[id]) }

// LinkRunes is [Index.Runes] of the text in links.
func (ix *Index) LinkRunes(id int32) int { return int(ix.linked[ix.End[id]] - ix.linked[id]) }

// Links returns the number of a elements at and below node id.
func (ix *Index) Links(id int32) int { return int(ix.links[ix.End[id]] - ix.links[id]) }

// Len returns the number of nodes.
func (ix *Index) Len() int32 { return int32(len(ix.Nodes)) } //nolint:gosec // see NewIndex

// A Set is a set of node numbers. The zero Set is empty and holds none; make
// one by [Index.NewSet].
type Set []uint64

// NewSet returns an empty set for the nodes of ix.
func (ix *Index) NewSet() Set { return make(Set, (len(ix.Nodes)+63)/64) }

// Has reports whether id is in s.
func (s Set) Has(id int32) bool { return s[id/64]>>(id%64)&1 == 1 }

// AddRange adds the numbers from first to end, without end.
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
