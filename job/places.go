// SPDX-License-Identifier: Apache-2.0

package job

import (
	"encoding/binary"
	"math"
	"sort"
)

// place is the location of an item.
type place struct {
	pos   int64  // of its frame
	index uint32 // within its frame; missing means that the item is lost
	input uint32 // see [Item.Input]
}

const missing = math.MaxUint32

const (
	blockPlaces = 64 // maximum number of places to decode to read one
	pieceBlocks = 64 // a full piece is trimmed to its size, so little memory is wasted
	piecePlaces = blockPlaces * pieceBlocks
)

// Flags of an encoded place. The bits above them are a distance. Positions are
// file offsets, and so below 2^61.
const (
	indexGiven = 1 << iota
	inputGiven
	flagBits = iota
)

// places are the locations of the items of one kind. Positions never decrease
// from one place to the next.
//
// A place is encoded as the difference from the previous place. This takes two
// or three bytes for most items of a crawl:
//
//	distance of the positions << 2 | flags | index + 1 if given | input if given
//
// Numbers are uvarints. An omitted index is the next one in the same frame, or
// zero in another frame. An omitted input is zero. A given input is a varint,
// the distance from the last one. Blocks start with an absolute position, so
// that a place can be found without reading all places before it.
type places struct {
	pieces []piece
	n      int
	last   place // the place that was added last, with the last input that is not zero
}

// piece is a sequence of blocks.
type piece struct {
	blocks []block
	diffs  []byte
}

// block is where the places of a block start.
type block struct {
	pos int64 // of its first place
	at  int   // offset in the diffs of its piece
}

// base is the place that precedes the first one for the encoding. Its index is
// that before zero, so that zero is the next one.
func (b block) base() place { return place{pos: b.pos, index: math.MaxUint32} }

// add appends a place. Its position is at least that of the previous place.
func (l *places) add(p place) {
	if l.n%piecePlaces == 0 {
		if last := len(l.pieces) - 1; last >= 0 {
			l.pieces[last].diffs = append([]byte(nil), l.pieces[last].diffs...)
		}
		l.pieces = append(l.pieces, piece{})
	}
	in := &l.pieces[len(l.pieces)-1]
	if l.n%blockPlaces == 0 {
		b := block{pos: p.pos, at: len(in.diffs)}
		in.blocks = append(in.blocks, b)
		l.last = b.base()
	}
	in.diffs = l.last.append(in.diffs, p)
	l.n++
}

// append appends the difference of the next place to b, and makes it the last.
func (p *place) append(b []byte, next place) []byte {
	flags := uint64(0)
	if next.index != p.following(next.pos) {
		flags |= indexGiven
	}
	if next.input != 0 {
		flags |= inputGiven
	}
	b = binary.AppendUvarint(b, uint64(next.pos-p.pos)<<flagBits|flags) //nolint:gosec // positions never decrease
	p.pos, p.index = next.pos, next.index
	if flags&indexGiven != 0 {
		b = binary.AppendUvarint(b, uint64(next.index+1)) // zero means missing
	}
	if flags&inputGiven != 0 {
		b = binary.AppendVarint(b, int64(next.input)-int64(p.input))
		p.input = next.input
	}
	return b
}

// following is the index of a place after p if none is given.
func (p *place) following(pos int64) uint32 {
	if pos != p.pos {
		return 0
	}
	return p.index + 1
}

// walk iterates over places.
type walk struct {
	places *places
	next   int    // index of the next place
	diffs  []byte // from the next place to the end of its piece
	last   place  // as in places
}

// walk starts an iteration at index i, which is at most l.n.
func (l *places) walk(i int) walk {
	w := walk{places: l, next: i - i%blockPlaces}
	for w.next < i {
		w.step()
	}
	return w
}

// step returns the next place, which must exist.
func (w *walk) step() place {
	if w.next%blockPlaces == 0 {
		in := &w.places.pieces[w.next/piecePlaces]
		b := in.blocks[w.next%piecePlaces/blockPlaces]
		w.diffs, w.last = in.diffs[b.at:], b.base()
	}
	w.next++
	head := w.uvarint()
	pos := w.last.pos + int64(head>>flagBits)
	w.last.index = w.last.following(pos)
	w.last.pos = pos
	if head&indexGiven != 0 {
		w.last.index = uint32(w.uvarint() - 1) //nolint:gosec // zero means missing
	}
	p := place{pos: pos, index: w.last.index}
	if head&inputGiven != 0 {
		step, n := binary.Varint(w.diffs)
		w.diffs = w.diffs[n:]
		w.last.input = uint32(int64(w.last.input) + step) //nolint:gosec // reverses the encoding
		p.input = w.last.input
	}
	return p
}

func (w *walk) uvarint() uint64 {
	v, n := binary.Uvarint(w.diffs)
	w.diffs = w.diffs[n:]
	return v
}

// more reports whether there is a next place among the first n.
func (w *walk) more(n int) bool { return w.next < min(n, w.places.n) }

// before returns how many places have a position before pos.
func (l *places) before(pos int64) int {
	blocks := (l.n + blockPlaces - 1) / blockPlaces
	b := sort.Search(blocks, func(i int) bool {
		return l.pieces[i/pieceBlocks].blocks[i%pieceBlocks].pos >= pos
	})
	if b == 0 {
		return 0
	}
	w := l.walk((b - 1) * blockPlaces)
	for w.more(b * blockPlaces) {
		if i := w.next; w.step().pos >= pos {
			return i
		}
	}
	return w.next
}

// part returns at most limit of the first n places, starting at index from. A
// negative limit means no limit.
func (l *places) part(from, limit, n int) []place {
	from = min(from, n)
	if limit < 0 || limit > n-from {
		limit = n - from
	}
	list := make([]place, limit)
	w := l.walk(from)
	for i := range list {
		list[i] = w.step()
	}
	return list
}
