// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"math"
	"slices"
	"sort"
	"time"
)

// entry is a URL that waits: 16 bytes, and its text in the log.
type entry struct {
	pos int64  // of the record that entered it
	off uint32 // of its link in the record's head
	seq uint32 // see [Lease.Seq]
}

// maxSeq bounds entry.seq.
const maxSeq = math.MaxUint32

const blockEntries = 512

// fifo is a queue of entries in blocks, which are given back as it is emptied.
type fifo struct {
	blocks [][]entry
	head   int // in the first block
	n      int
}

func (q *fifo) push(e entry) {
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == blockEntries {
		q.blocks = append(q.blocks, nil)
		last++
	}
	q.blocks[last] = append(q.blocks[last], e) // the first grows as needed
	q.n++
}

// pop removes the first entry; false where there is none.
func (q *fifo) pop() (entry, bool) {
	if q.n == 0 {
		return entry{}, false
	}
	e := q.blocks[0][q.head]
	q.head++
	q.n--
	if q.head == len(q.blocks[0]) {
		q.blocks[0], q.head = nil, 0
		q.blocks = q.blocks[1:]
	}
	return e, true
}

// queue is one fifo a depth, the least depth first.
type queue struct {
	levels []level
}

type level struct {
	depth int
	fifo  fifo
}

func (q *queue) push(depth int, e entry) {
	i := sort.Search(len(q.levels), func(i int) bool { return q.levels[i].depth >= depth })
	if i == len(q.levels) || q.levels[i].depth != depth {
		q.levels = slices.Insert(q.levels, i, level{depth: depth})
	}
	q.levels[i].fifo.push(e)
}

// pop removes the first entry of the least depth, if that is at most bound.
func (q *queue) pop(bound int) (e entry, ok bool) {
	if !q.has(bound) {
		return entry{}, false
	}
	l := &q.levels[0]
	e, ok = l.fifo.pop()
	if l.fifo.n == 0 {
		q.levels = slices.Delete(q.levels, 0, 1)
	}
	return e, ok
}

// has reports whether an entry of a depth up to bound waits.
func (q *queue) has(bound int) bool { return len(q.levels) > 0 && q.levels[0].depth <= bound }

// alarms are things and the times at which they are due, earliest first; of
// equal times the first set comes first.
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

// next returns the earliest time; false where nothing is set.
func (a *alarms[T]) next() (time.Time, bool) {
	if len(a.heap) == 0 {
		return time.Time{}, false
	}
	return a.heap[0].at, true
}

// pop removes the earliest, if it is due.
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
