// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"math/bits"
	"slices"

	"example.com/curlew/crawl/internal/shape"
)

// table is a set of fingerprints. It has 256 shards that use open addressing
// with linear probing. A shard grows by an eighth at a time, so that no
// insertion takes long. A fingerprint takes 9 to 11 bytes, and 14 to 16 bytes
// in a dated table.
type table struct {
	shards [256]shard
	n      int
	dated  bool // a Seq is stored with each fingerprint

	collector *collector // set only between collect and settle
}

// shard keeps its fingerprints in the order of their hash, each at its home
// slot or after it. So a search for a missing fingerprint, which is the usual
// case, ends at the first greater hash. In a shard that is 7/8 full it takes 4
// steps instead of 32.
type shard struct {
	slots []uint64 // spread fingerprints; zero is empty
	seqs  []uint32 // one for each slot, if the table is dated
	homes int      // number of home slots; at most 7/8 of them are used
	n     int
}

// noSeq marks a fingerprint that was removed.
const noSeq = math.MaxUint32

// spread makes keys that count upwards as random as hashes, because a frontier
// does not know how its keys were made.
func spread(f uint64) uint64 { return shape.Nonzero(f) * 0x9e3779b97f4a7c15 }

// spot is the slot where a fingerprint is or belongs. It is valid until the
// table changes.
type spot struct {
	shard *shard
	g     uint64 // spread fingerprint
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

// touch reads the slot where a search for f begins. For many fingerprints, the
// processor can fetch these slots from memory in parallel, while consecutive
// searches wait for each one. The 80 links of a page would cause 80 cache
// misses.
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

// add adds f.
func (t *table) add(f uint64) {
	if t.collector == nil || !t.collector.add(f) {
		t.put(t.look(f))
	}
}

// put adds the fingerprint of a spot and returns its place.
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

// date adds f with a Seq, or removes it if seq is [noSeq]. The table must be
// dated.
func (t *table) date(f uint64, seq uint32) {
	if t.collector != nil && t.collector.date(f, seq) {
		return
	}
	s, i := t.put(t.look(f))
	s.seqs[i] = seq
}

// seq returns the Seq of f. If f is missing, it returns false. The table must
// be dated.
func (t *table) seq(f uint64) (seq uint64, ok bool) {
	at := t.look(f)
	if !at.there || at.shard.seqs[at.i] == noSeq {
		return 0, false
	}
	return uint64(at.shard.seqs[at.i]), true
}

// home returns the slot where a search for g begins. Homes ascend with the
// hash.
func (s *shard) home(g uint64) int {
	at, _ := bits.Mul64(g<<8, uint64(s.homes)) //nolint:gosec // G115: not negative
	return int(at)                             //nolint:gosec // G115: less than homes
}

// find returns the slot where g is or belongs.
func (s *shard) find(g uint64) (i int, ok bool) {
	for i = s.home(g); i < len(s.slots); i++ {
		if v := s.slots[i]; v == 0 || v<<8 >= g<<8 {
			return i, v == g
		}
	}
	return i, false
}

// insert puts g at i and moves the following fingerprints up to the next empty
// slot. If there is no empty slot, it returns false.
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

// alloc makes s empty with at least this number of slots. Some of them are
// after the last home slot, for fingerprints that are moved beyond it.
func (s *shard) alloc(slots int) {
	s.slots = slices.Grow([]uint64(nil), slots)
	s.slots = s.slots[:cap(s.slots)] // use all memory that the allocator returned
	clear(s.slots)
	s.homes = (len(s.slots) - 4) * 64 / 65
}

// grow increases the number of slots by an eighth.
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

// refill adds fingerprints that are already in order, ignoring zeros, with
// their dates if they have any. If they do not fit, it returns false.
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
