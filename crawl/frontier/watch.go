// SPDX-License-Identifier: Apache-2.0

package frontier

import "math"

// watched is a URL for which the way it was found is stored.
type watched struct {
	key      uint64
	trail    *trail  // trail of its best parent; nil if that has none
	seq      uint32  // in an unused slot: the next unused one
	depth    uint32  // see [shallow]
	space    spaceID // pattern of a suspect that is pending
	suspect  bool
	released bool // it is in the frontier's queues nevertheless
	leased   bool // its parent can no longer change
}

// shallow returns a depth in the form that is stored. No crawl is deeper than
// its maximum.
func shallow(depth int) uint32 { return uint32(min(max(depth, 0), math.MaxInt32)) }

// watchedChunk is the number of watched URLs that are allocated together. They
// take 8 KiB including the overhead of the allocator.
const watchedChunk = 255

// watchlist contains watched URLs, which can be looked up by key and by Seq.
// Each takes 32 bytes, and 8 to 16 bytes in the two indexes. A *watched is
// valid until its URL is removed.
type watchlist struct {
	chunks []*[watchedChunk]watched
	n      int
	slots  uint32 // number of slots of chunks that were ever used
	unused uint32 // first free slot, from 1; zero if there is none
	byKey  watchIndex
	bySeq  watchIndex
}

// slot returns the content of a slot. Slots are numbered from 1.
func (l *watchlist) slot(i uint32) *watched {
	return &l.chunks[(i-1)/watchedChunk][(i-1)%watchedChunk]
}

// key returns the URL watched under a key, or nil.
func (l *watchlist) key(key uint64) *watched {
	if l.n == 0 {
		return nil
	}
	if at, ok := l.byKey.find(l, key); ok {
		return l.slot(l.byKey.slots[at])
	}
	return nil
}

// seq returns the URL watched under a Seq, or nil.
func (l *watchlist) seq(seq uint64) *watched {
	if l.n == 0 {
		return nil
	}
	if at, ok := l.bySeq.find(l, seq); ok {
		return l.slot(l.bySeq.slots[at])
	}
	return nil
}

// add adds w. It replaces an entry with the same key or Seq.
func (l *watchlist) add(w watched) {
	if old := l.key(w.key); old != nil {
		l.remove(uint64(old.seq))
	}
	l.remove(uint64(w.seq))
	at := l.unused
	if at > 0 {
		l.unused = l.slot(at).seq
	} else {
		if int(l.slots) == len(l.chunks)*watchedChunk {
			l.chunks = append(l.chunks, new([watchedChunk]watched))
		}
		l.slots++
		at = l.slots
	}
	*l.slot(at) = w
	l.n++
	l.byKey.add(l, at)
	l.bySeq.add(l, at)
}

// remove removes the URL watched under a Seq.
func (l *watchlist) remove(seq uint64) {
	if l.n == 0 {
		return
	}
	at, ok := l.bySeq.find(l, seq)
	if !ok {
		return
	}
	slot := l.bySeq.slots[at]
	l.bySeq.remove(l, at)
	if at, ok := l.byKey.find(l, l.slot(slot).key); ok {
		l.byKey.remove(l, at)
	}
	*l.slot(slot) = watched{seq: l.unused}
	l.unused = slot
	if l.n--; l.n == 0 {
		*l = newWatchlist() // frees the memory
	}
}

func newWatchlist() watchlist { return watchlist{bySeq: watchIndex{bySeq: true}} }

// watchIndex is a hash table of slots with linear probing. At most three
// quarters of it are used.
type watchIndex struct {
	bySeq bool
	slots []uint32 // a power of two; zero is empty
	n     int
}

// id returns the key or the Seq of a slot.
func (x *watchIndex) id(l *watchlist, slot uint32) uint64 {
	if x.bySeq {
		return uint64(l.slot(slot).seq)
	}
	return l.slot(slot).key
}

// home returns the position where a search for id begins.
func (x *watchIndex) home(id uint64) int {
	h := id * 0x9e3779b97f4a7c15
	h ^= h >> 32
	return int(h & uint64(len(x.slots)-1)) //nolint:gosec // G115: less than the length
}

// find returns the position where id is or belongs.
func (x *watchIndex) find(l *watchlist, id uint64) (at int, ok bool) {
	for at = x.home(id); x.slots[at] != 0; at = (at + 1) & (len(x.slots) - 1) {
		if x.id(l, x.slots[at]) == id {
			return at, true
		}
	}
	return at, false
}

// add adds a slot whose id is not in the index.
func (x *watchIndex) add(l *watchlist, slot uint32) {
	if 4*(x.n+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]uint32, max(16, 2*len(old)))
		for _, slot := range old {
			if slot != 0 {
				x.place(l, slot)
			}
		}
	}
	x.n++
	x.place(l, slot)
}

func (x *watchIndex) place(l *watchlist, slot uint32) {
	at, _ := x.find(l, x.id(l, slot))
	x.slots[at] = slot
}

// remove empties the position at, and moves entries that could no longer be
// found.
func (x *watchIndex) remove(l *watchlist, at int) {
	x.n--
	mask := len(x.slots) - 1
	for next := (at + 1) & mask; x.slots[next] != 0; next = (next + 1) & mask {
		home := x.home(x.id(l, x.slots[next]))
		if (next-home)&mask >= (next-at)&mask { // a search for it passes at
			x.slots[at] = x.slots[next]
			at = next
		}
	}
	x.slots[at] = 0
}
