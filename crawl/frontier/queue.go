// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"slices"
	"sort"
	"time"
)

// entry is a pending URL. Its text is in the log.
type entry struct {
	pos int64  // position of its record
	off uint32 // offset of its link in the record's head
	seq uint32 // see [Lease.Seq]
}

// Limits of a span.
const (
	maxSeq  = math.MaxUint32
	maxPos  = 1<<(64-runBits) - 1 // a log of 1 TiB
	runBits = 24
	maxRun  = 1<<runBits - 1
	spanned = 512 // spans in a block
)

// span is a run of entries that one record added consecutively. It takes 16
// bytes for any number of entries. Only the offset of the first entry is
// stored. The offset of the next becomes known when the first is read.
type span struct {
	where uint64 // position of the record, and in the low bits the number of entries left
	off   uint32 // offset of the first entry
	seq   uint32 // Seq of the first entry
}

func (s span) pos() int64 { return int64(s.where >> runBits) }
func (s span) n() uint32  { return uint32(s.where & maxRun) }

// fifo is a queue of entries in blocks of spans. Blocks are freed when they are
// empty.
type fifo struct {
	blocks [][]span
	head   int // index in the first block
	n      int
}

func (q *fifo) push(e entry) {
	q.n++
	last := len(q.blocks) - 1
	if last >= 0 {
		block := q.blocks[last]
		if s := &block[len(block)-1]; s.pos() == e.pos && s.seq+s.n() == e.seq && s.n() < maxRun {
			s.where++
			return
		}
	}
	if last < 0 || len(q.blocks[last]) == spanned {
		q.blocks = append(q.blocks, nil)
		last++
	}
	q.blocks[last] = append(q.blocks[last], span{uint64(e.pos)<<runBits | 1, e.off, e.seq}) //nolint:gosec // G115: at most maxPos. The first block grows as needed
}

// run returns the first entries, which one record added consecutively. The queue must not
// be empty.
func (q *fifo) run() span { return q.blocks[0][q.head] }

// first returns the first entry. The queue must not be empty.
func (q *fifo) first() entry {
	s := q.run()
	return entry{s.pos(), s.off, s.seq}
}

// remove removes the first n entries, which are all in the first run. If the run has more,
// off is the offset of the next one in the record's head.
func (q *fifo) remove(n, off uint32) {
	q.n -= int(n)
	s := &q.blocks[0][q.head]
	if s.n() > n {
		s.where -= uint64(n)
		s.off, s.seq = off, s.seq+n
		return
	}
	if q.head++; q.head == len(q.blocks[0]) {
		q.blocks[0], q.head = nil, 0
		if q.blocks = q.blocks[1:]; len(q.blocks) == 0 {
			q.blocks = nil
		}
	}
}

// queue has one fifo for each depth, ordered by depth.
type queue struct {
	levels []level
}

type level struct {
	depth int
	fifo  *fifo
}

func (q *queue) push(depth int, e entry) {
	i := sort.Search(len(q.levels), func(i int) bool { return q.levels[i].depth >= depth })
	if i == len(q.levels) || q.levels[i].depth != depth {
		q.levels = slices.Insert(q.levels, i, level{depth, new(fifo)})
	}
	q.levels[i].fifo.push(e)
}

// front returns the fifo of the least depth, or nil if there is no entry with a
// depth up to bound.
func (q *queue) front(bound int) *fifo {
	for len(q.levels) > 0 && q.levels[0].fifo.n == 0 {
		q.levels = slices.Delete(q.levels, 0, 1)
	}
	if len(q.levels) == 0 || q.levels[0].depth > bound {
		return nil
	}
	return q.levels[0].fifo
}

// has reports whether an entry with a depth up to bound is pending.
func (q *queue) has(bound int) bool { return q.front(bound) != nil }

// seq returns the Seq of the first entry, or -1 if there is none.
func (q *queue) seq() int64 {
	if f := q.front(noDepth); f != nil {
		return int64(f.first().seq)
	}
	return -1
}

// count returns the number of entries of the least depth, if that depth is at
// most bound.
func (q *queue) count(bound int) int {
	if f := q.front(bound); f != nil {
		return f.n
	}
	return 0
}

// alarms contains values with the times at which they are due, earliest first.
// Values with equal times are in the order of insertion.
type alarms[T any] struct {
	heap []alarm[T]
	n    uint64
}

type alarm[T any] struct {
	at    time.Time
	n     uint64
	thing T
}

func (a alarm[T]) before(b alarm[T]) bool {
	return a.at.Before(b.at) || a.at.Equal(b.at) && a.n < b.n
}

func (a *alarms[T]) set(at time.Time, thing T) {
	a.n++
	a.heap = append(a.heap, alarm[T]{at, a.n, thing})
	for i := len(a.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !a.heap[i].before(a.heap[up]) {
			break
		}
		a.heap[i], a.heap[up] = a.heap[up], a.heap[i]
		i = up
	}
}

// next returns the earliest time. If there is none, it returns false.
func (a *alarms[T]) next() (time.Time, bool) {
	if len(a.heap) == 0 {
		return time.Time{}, false
	}
	return a.heap[0].at, true
}

// pop removes the earliest value if it is due.
func (a *alarms[T]) pop(now time.Time) (thing T, at time.Time, ok bool) {
	if len(a.heap) == 0 || a.heap[0].at.After(now) {
		return thing, at, false
	}
	top, last := a.heap[0], len(a.heap)-1
	a.heap[0] = a.heap[last]
	a.heap[last] = alarm[T]{}
	a.heap = a.heap[:last]
	for i := 0; ; {
		least := i
		for _, c := range [...]int{2*i + 1, 2*i + 2} {
			if c < last && a.heap[c].before(a.heap[least]) {
				least = c
			}
		}
		if least == i {
			break
		}
		a.heap[i], a.heap[least] = a.heap[least], a.heap[i]
		i = least
	}
	return top.thing, top.at, true
}

// bitset is a set of small numbers.
type bitset []uint64

func (b *bitset) set(n uint64) {
	for uint64(len(*b)) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitset) has(n uint64) bool {
	return n/64 < uint64(len(b)) && b[n/64]&(1<<(n%64)) != 0
}

func (b bitset) clear(n uint64) {
	if n/64 < uint64(len(b)) {
		b[n/64] &^= 1 << (n % 64)
	}
}
