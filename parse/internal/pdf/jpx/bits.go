// SPDX-License-Identifier: Apache-2.0

package jpx

import (
	"encoding/binary"
	"slices"
)

// reader reads the fields of headers. After the end of the data it returns
// zeros.
type reader struct {
	data  []byte
	at    int
	short bool // more bytes were read than exist
}

// take returns the next n bytes.
//
//go:noinline
func (r *reader) take(n int) []byte {
	if n > len(r.data)-r.at {
		r.short, r.at = true, len(r.data)
		return make([]byte, n)
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

//go:noinline
func (r *reader) u8() int  { return int(r.take(1)[0]) }
func (r *reader) u16() int { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) u32() int { return int(binary.BigEndian.Uint32(r.take(4))) }

// rest returns the remaining data.
func (r *reader) rest() []byte { return r.data[r.at:] }

// packetBits reads the bits of packet headers (B.10.1).
type packetBits struct {
	data  []byte
	at    int
	last  byte
	n     int
	short bool // more bits were read than exist
}

func (r *packetBits) bit() int {
	if r.n == 0 {
		r.n = 8
		if r.last == 0xff {
			r.n = 7
		}
		if r.at >= len(r.data) {
			r.short, r.last = true, 0
			r.n--
			return 0
		}
		r.last = r.data[r.at]
		r.at++
	}
	r.n--
	return int(r.last>>r.n) & 1
}

func (r *packetBits) bits(n int) int {
	v := 0
	for range n {
		v = v<<1 | r.bit()
	}
	return v
}

// align advances to the next byte boundary.
func (r *packetBits) align() {
	if r.last == 0xff { // a stuffed byte follows
		r.at++
	}
	r.n, r.last = 0, 0
}

// skip skips a marker segment of n bytes, if it is next.
func (r *packetBits) skip(marker byte, n int) {
	if r.at+n <= len(r.data) && r.data[r.at] == 0xff && r.data[r.at+1] == marker {
		r.at += n
	}
}

// tagTree is a tag tree (B.10.2): each node is the minimum of up to four
// nodes below it.
type tagTree struct {
	nodes  []tagNode
	levels []tagLevel // from the leaves to the root
}

// tagLevel is a level of a tag tree: the index of its first node and its
// width.
type tagLevel struct{ base, w int }

// tagNode is the state of a node: its value is at least low, and exactly low
// if it is known.
type tagNode struct {
	low   uint16
	known bool
}

// newTagTrees returns two tag trees with w by h leaves.
func newTagTrees(w, h int) (a, b tagTree) {
	var levels []tagLevel
	n := 0
	for {
		levels = append(levels, tagLevel{n, w})
		n += w * h
		if w*h <= 1 {
			break
		}
		w, h = (w+1)/2, (h+1)/2
	}
	nodes := make([]tagNode, 2*n)
	return tagTree{nodes[:n:n], levels}, tagTree{nodes[n:], levels}
}

// below reads bits until it is known whether the value of a leaf is below
// limit, and returns the answer.
func (t *tagTree) below(r *packetBits, x, y int, limit uint16) bool {
	low := uint16(0)
	for i, l := range slices.Backward(t.levels) {
		n := &t.nodes[l.base+(y>>i)*l.w+x>>i]
		n.low = max(n.low, low)
		for !n.known && n.low < limit {
			if r.bit() == 1 {
				n.known = true
			} else {
				n.low++
			}
		}
		if low = n.low; low >= limit {
			return false // the leaf is not less than this node
		}
	}
	return true
}
