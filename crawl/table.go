// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// fingerprint returns the seeded 64-bit xxHash of a dedupe key. Any collision
// among 10^8 URLs: 2.7e-4; a Bloom filter would lose pages in silence.
func fingerprint(seed uint64, key []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(key) // never fails
	return d.Sum64()
}

// table is a set of fingerprints: 256 shards of open addressing with linear
// probing. They grow by a quarter, one at a time, so that no insertion takes
// long and 9 to 12 bytes are held for a fingerprint; where it is dated 14 to 18.
type table struct {
	shards [256]shard
	n      int
	dated  bool // a Seq is kept with each
}

type shard struct {
	slots []uint64 // zero is empty; at most 7/8 full
	seqs  []uint32 // of slots, where the table is dated
	n     int
}

// noSeq dates what is no longer in.
const noSeq = math.MaxUint32

// nonzero returns the fingerprint as slots hold it.
func nonzero(f uint64) uint64 {
	if f == 0 {
		return 1
	}
	return f
}

// spread makes keys that count upwards as good as hashes: a frontier does not
// know who made them.
func spread(f uint64) uint64 { return f * 0x9e3779b97f4a7c15 }

func (t *table) shard(f uint64) *shard { return &t.shards[spread(f)>>56] }

// has reports whether f is in the set.
func (t *table) has(f uint64) bool {
	f = nonzero(f)
	s := t.shard(f)
	return len(s.slots) > 0 && s.slots[s.find(f)] == f
}

// add enters f.
func (t *table) add(f uint64) { t.put(f) }

func (t *table) put(f uint64) (s *shard, i int) {
	f = nonzero(f)
	s = t.shard(f)
	if s.n >= len(s.slots)*7/8 {
		s.grow(t.dated)
	}
	i = s.find(f)
	if s.slots[i] != f {
		s.slots[i] = f
		s.n++
		t.n++
	}
	return s, i
}

// date enters f with a Seq, [noSeq] to take it out. The table is dated.
func (t *table) date(f uint64, seq uint32) {
	s, i := t.put(f)
	s.seqs[i] = seq
}

// seq returns the Seq of f; false where it is not in. The table is dated.
func (t *table) seq(f uint64) (seq uint64, ok bool) {
	f = nonzero(f)
	s := t.shard(f)
	if len(s.slots) == 0 {
		return 0, false
	}
	i := s.find(f)
	return uint64(s.seqs[i]), s.slots[i] == f && s.seqs[i] != noSeq
}

// find returns where f is, or would be.
func (s *shard) find(f uint64) int {
	// The product's high half is uniform below the length.
	at, _ := bits.Mul64(spread(f)<<8, uint64(len(s.slots)))
	i := int(at) //nolint:gosec // G115: below the length
	for s.slots[i] != 0 && s.slots[i] != f {
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	return i
}

func (s *shard) grow(dated bool) {
	slots, seqs := s.slots, s.seqs
	size := max(8, len(slots)+len(slots)/4)
	s.slots = make([]uint64, size)
	if dated {
		s.seqs = make([]uint32, size)
	}
	for at, f := range slots {
		if f == 0 {
			continue
		}
		i := s.find(f)
		s.slots[i] = f
		if dated {
			s.seqs[i] = seqs[at]
		}
	}
}
