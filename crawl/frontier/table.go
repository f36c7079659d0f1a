// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"math/bits"
	"slices"

	"example.com/curlew/crawl/internal/shape"
)

// table is a set of fingerprints: 256 shards of open addressing with linear
// probing. They grow by an eighth, one at a time, so that no insertion takes
// long and 9 to 11 bytes are held for a fingerprint; where it is dated 14 to 16.
type table struct {
	shards [256]shard
	n      int
	dated  bool // a Seq is kept with each

	collector *collector // nil but between collect and settle
}

// shard keeps its fingerprints in the order of their hash, each at its home or
// behind it. So a search for what is not there, the usual one, ends at the
// first greater hash: at 7/8 full after 4 steps instead of 32.
type shard struct {
	slots []uint64 // spread fingerprints; zero is empty
	seqs  []uint32 // of slots, where the table is dated
	homes int      // slots where a search may begin; at most 7/8 as many are held
	n     int
}

// noSeq dates what is no longer in.
const noSeq = math.MaxUint32

// spread makes keys that count upwards as good as hashes: a frontier does not
// know who made them.
func spread(f uint64) uint64 { return shape.Nonzero(f) * 0x9e3779b97f4a7c15 }

// spot is where a fingerprint is or belongs, until the table changes.
type spot struct {
	shard *shard
	g     uint64 // spread
	i     int
	there bool
}

// look finds the spot of f.
func (t *table) look(f uint64) spot {
	g := spread(f)
	s := &t.shards[g>>56]
	if t.collector != nil {
		t.fill(int(g >> 56))
	}
	i, ok := s.find(g)
	return spot{s, g, i, ok}
}

// touch returns what is in the slot where a search for f begins. Of many
// fingerprints the processor fetches these from memory together, while looking
// for one after the other waits for each: 80 links of a page miss the cache 80
// times.
func (t *table) touch(f uint64) uint64 {
	g := spread(f)
	s := &t.shards[g>>56]
	if i := s.home(g); i < len(s.slots) {
		return s.slots[i]
	}
	return 0
}

// has reports whether f is in the set.
func (t *table) has(f uint64) bool { return t.look(f).there }

// add enters f.
func (t *table) add(f uint64) {
	if t.collector == nil || !t.collector.add(f) {
		t.put(t.look(f))
	}
}

// put enters the fingerprint of a spot and returns where it is.
func (t *table) put(at spot) (s *shard, i int) {
	s, g, i := at.shard, at.g, at.i
	if at.there {
		return s, i
	}
	if s.n >= s.homes*7/8 {
		s.grow(t.dated)
		i, _ = s.find(g)
	}
	for !s.insert(i, g) {
		s.grow(t.dated)
		i, _ = s.find(g)
	}
	s.n++
	t.n++
	return s, i
}

// date enters f with a Seq, [noSeq] to take it out. The table is dated.
func (t *table) date(f uint64, seq uint32) {
	if t.collector != nil && t.collector.date(f, seq) {
		return
	}
	s, i := t.put(t.look(f))
	s.seqs[i] = seq
}

// seq returns the Seq of f; false where it is not in. The table is dated.
func (t *table) seq(f uint64) (seq uint64, ok bool) {
	at := t.look(f)
	if !at.there || at.shard.seqs[at.i] == noSeq {
		return 0, false
	}
	return uint64(at.shard.seqs[at.i]), true
}

// home returns where a search for g begins: homes rise with the hash.
func (s *shard) home(g uint64) int {
	at, _ := bits.Mul64(g<<8, uint64(s.homes)) //nolint:gosec // G115: not negative
	return int(at)                             //nolint:gosec // G115: below homes
}

// find returns where g is, or where it belongs.
func (s *shard) find(g uint64) (i int, ok bool) {
	for i = s.home(g); i < len(s.slots); i++ {
		if v := s.slots[i]; v == 0 || v<<8 >= g<<8 {
			return i, v == g
		}
	}
	return i, false
}

// insert puts g at i and moves what is there, up to the next gap. It reports
// false where there is no gap.
func (s *shard) insert(i int, g uint64) bool {
	gap := i
	for gap < len(s.slots) && s.slots[gap] != 0 {
		gap++
	}
	if gap == len(s.slots) {
		return false
	}
	copy(s.slots[i+1:gap+1], s.slots[i:gap])
	s.slots[i] = g
	if s.seqs != nil {
		copy(s.seqs[i+1:gap+1], s.seqs[i:gap])
		s.seqs[i] = 0
	}
	return true
}

// alloc makes s empty, with at least so many slots, of which some are behind the
// last home for what is pushed over the end.
func (s *shard) alloc(slots int) {
	s.slots = slices.Grow([]uint64(nil), slots)
	s.slots = s.slots[:cap(s.slots)] // all that the allocator gives
	clear(s.slots)
	s.homes = (len(s.slots) - 4) * 64 / 65
}

// grow makes an eighth more room.
func (s *shard) grow(dated bool) {
	old := *s
	for n := max(12, len(old.slots)+len(old.slots)/8); ; n += n / 8 {
		s.alloc(n)
		if dated {
			s.seqs = make([]uint32, len(s.slots))
		}
		if s.refill(old.slots, old.seqs) {
			return
		}
	}
}

// refill takes over fingerprints that are in order already, but for the zeros
// among them, with their dates if they have any. It reports false where they do
// not fit.
func (s *shard) refill(slots []uint64, seqs []uint32) bool {
	next := 0
	for at, g := range slots {
		if g == 0 {
			continue
		}
		i := max(next, s.home(g))
		if i >= len(s.slots) {
			return false
		}
		s.slots[i] = g
		if seqs != nil {
			s.seqs[i] = seqs[at]
		}
		next = i + 1
	}
	return true
}
