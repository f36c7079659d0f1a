// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"
	"sort"
)

// collector contains the fingerprints that a replay adds to a table. Those of
// one shard are added together, when one of them is first looked up or at the
// end of the replay. Adding them one by one would cause a cache miss each time,
// and the shards would grow again and again.
type collector struct {
	shards [256]collected
	sorter *sorter // created for the first shard
}

// collected contains the additions to one shard, in chunks.
type collected struct {
	slots  [][]uint64 // spread fingerprints
	seqs   [][]uint32 // one for each slot, if the table is dated
	filled bool       // the shard has been filled, so further additions go directly into it
}

// chunkSize is the number of fingerprints in a chunk. The first chunk of a
// shard grows as needed.
const chunkSize = 1024

// collect makes an empty table collect additions until settle is called.
func (t *table) collect() { t.collector = new(collector) }

// settle ends the collection, if there is one.
func (t *table) settle() {
	if t.collector == nil {
		return
	}
	for i := range t.shards {
		t.fill(i)
	}
	t.collector = nil
}

// fill adds the collected fingerprints of a shard to it.
func (t *table) fill(shard int) {
	c := &t.collector.shards[shard]
	if c.filled {
		return
	}
	s := &t.shards[shard]
	if len(c.slots) > 0 {
		if t.collector.sorter == nil {
			t.collector.sorter = new(sorter)
		}
		s.load(t.collector.sorter.sort(c))
		t.n += s.n
	}
	*c = collected{filled: true}
}

// add collects f. If the shard has been filled, it returns false.
func (c *collector) add(f uint64) bool {
	g := spread(f)
	in := &c.shards[g>>56]
	if in.filled {
		return false
	}
	in.slots = appendChunk(in.slots, g)
	return true
}

// date collects f with a Seq. If the shard has been filled, it returns false.
func (c *collector) date(f uint64, seq uint32) bool {
	if !c.add(f) {
		return false
	}
	in := &c.shards[spread(f)>>56]
	in.seqs = appendChunk(in.seqs, seq)
	return true
}

func appendChunk[T any](chunks [][]T, v T) [][]T {
	last := len(chunks) - 1
	if last < 0 || len(chunks[last]) == chunkSize {
		var chunk []T
		if last >= 0 {
			chunk = make([]T, 0, chunkSize)
		}
		chunks = append(chunks, chunk)
		last++
	}
	chunks[last] = append(chunks[last], v)
	return chunks
}

// load fills an empty shard with fingerprints that are in order, with their
// dates if they have any.
func (s *shard) load(slots []uint64, seqs []uint32) {
	s.n = len(slots)
	for n := s.n*5/4 + 12; ; n += n / 8 { // leaves some empty slots for later additions
		s.alloc(n)
		if seqs != nil {
			s.seqs = make([]uint32, len(s.slots))
		}
		if s.refill(slots, seqs) {
			return
		}
	}
}

// sorterBits is the number of bits of a hash that select a bucket of a sorter.
const sorterBits = 12

// sorter sorts the additions to one shard after the other. It reuses its
// memory.
type sorter struct {
	starts [1<<sorterBits + 1]int
	slots  []uint64
	seqs   []uint32 // one for each slot; empty if the table is not dated
}

// sort returns the additions in the order of the hashes, each once and with its
// last date. The result is valid until the next call. Hashes are usually spread
// evenly, so the contents of a bucket are sorted by insertion.
func (s *sorter) sort(c *collected) (slots []uint64, seqs []uint32) {
	s.scatter(c)
	from := 0
	for _, end := range s.starts[:1<<sorterBits] {
		b := bucket{s.slots[from:end], nil}
		if len(s.seqs) > 0 {
			b.seqs = s.seqs[from:end]
		}
		b.sort()
		from = end
	}
	return s.unique()
}

// scatter puts the additions into their buckets in the order in which they were
// added. Afterwards starts contains the end of each bucket.
func (s *sorter) scatter(c *collected) {
	clear(s.starts[:])
	n := 0
	for _, chunk := range c.slots {
		n += len(chunk)
		for _, g := range chunk {
			s.starts[bucketOf(g)+1]++
		}
	}
	for i := range s.starts[1:] {
		s.starts[i+1] += s.starts[i]
	}
	s.slots = slices.Grow(s.slots[:0], n)[:n]
	s.seqs = s.seqs[:0]
	if c.seqs != nil {
		s.seqs = slices.Grow(s.seqs, n)[:n]
	}
	for i, chunk := range c.slots {
		for k, g := range chunk {
			at := &s.starts[bucketOf(g)]
			s.slots[*at] = g
			if c.seqs != nil {
				s.seqs[*at] = c.seqs[i][k]
			}
			*at++
		}
	}
}

// unique keeps only the last of equal fingerprints.
func (s *sorter) unique() (slots []uint64, seqs []uint32) {
	n := 0
	for i, g := range s.slots {
		if i+1 < len(s.slots) && s.slots[i+1] == g {
			continue
		}
		s.slots[n] = g
		if len(s.seqs) > 0 {
			s.seqs[n] = s.seqs[i]
		}
		n++
	}
	s.slots = s.slots[:n]
	if len(s.seqs) == 0 {
		return s.slots, nil
	}
	return s.slots, s.seqs[:n]
}

// bucketOf returns the bits of a hash after those that select its shard.
func bucketOf(g uint64) int { return int(g << 8 >> (64 - sorterBits)) }

// bucket is a part of the data to be sorted. It implements [sort.Interface].
type bucket struct {
	slots []uint64
	seqs  []uint32 // nil if the table is not dated
}

// fewSlots is the maximal length of a bucket that is sorted by insertion.
const fewSlots = 64

// sort sorts b. Equal fingerprints keep their order.
func (b bucket) sort() {
	if len(b.slots) > fewSlots {
		sort.Stable(b)
		return
	}
	for i := 1; i < len(b.slots); i++ {
		for k := i; k > 0 && b.slots[k] < b.slots[k-1]; k-- {
			b.Swap(k, k-1)
		}
	}
}

func (b bucket) Len() int           { return len(b.slots) }
func (b bucket) Less(i, k int) bool { return b.slots[i] < b.slots[k] }
func (b bucket) Swap(i, k int) {
	b.slots[i], b.slots[k] = b.slots[k], b.slots[i]
	if b.seqs != nil {
		b.seqs[i], b.seqs[k] = b.seqs[k], b.seqs[i]
	}
}
