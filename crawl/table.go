// SPDX-License-Identifier: Apache-2.0

package crawl

import "github.com/cespare/xxhash/v2"

// fingerprint returns the seeded 64-bit xxHash of a dedupe key. Any collision
// among 10^8 URLs: 2.7e-4; a Bloom filter would lose pages in silence.
func fingerprint(seed uint64, key []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	_, _ = d.Write(key) // never fails
	return d.Sum64()
}

// table is a set of fingerprints: 256 shards of open addressing with linear
// probing, which double one at a time, so that no insertion takes long. It
// holds 9 to 18 bytes a fingerprint.
type table struct {
	shards [256]shard
	n      int
}

type shard struct {
	slots []uint64 // zero is empty; a power of two, at most 7/8 full
	n     int
}

// nonzero returns the fingerprint as slots hold it.
func nonzero(f uint64) uint64 {
	if f == 0 {
		return 1
	}
	return f
}

// has reports whether f is in the set.
func (t *table) has(f uint64) bool {
	f = nonzero(f)
	s := &t.shards[f>>56]
	return len(s.slots) > 0 && s.slots[s.find(f)] == f
}

// add enters f.
func (t *table) add(f uint64) {
	f = nonzero(f)
	s := &t.shards[f>>56]
	if s.n >= len(s.slots)/8*7 {
		s.grow()
	}
	i := s.find(f)
	if s.slots[i] == f {
		return
	}
	s.slots[i] = f
	s.n++
	t.n++
}

// find returns where f is, or would be.
func (s *shard) find(f uint64) int {
	mask := len(s.slots) - 1
	i := int(f&0xffffffff) & mask
	for s.slots[i] != 0 && s.slots[i] != f {
		i = (i + 1) & mask
	}
	return i
}

func (s *shard) grow() {
	old := s.slots
	s.slots = make([]uint64, max(8, 2*len(old)))
	for _, f := range old {
		if f != 0 {
			s.slots[s.find(f)] = f
		}
	}
}
