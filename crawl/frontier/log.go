// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"fmt"
	"sort"
)

// memoryLog is a [Log] in memory without payloads. A position is an offset into
// the concatenation of all heads. Slabs of heads are dropped when none of their
// links is pending.
type memoryLog struct {
	slabs []slab
	end   int64
}

// slab contains heads. It is never reallocated, so the heads stay valid.
type slab struct {
	at   int64 // position of its first byte
	b    []byte
	ends []int32 // end of each head in b, ascending
	held int     // number of pending links in b
}

const (
	firstSlab = 4 << 10 // small, for crawls of a few pages
	slabBytes = 256 << 10
)

// Append implements [Log].
func (m *memoryLog) Append(head, _ []byte) (int64, error) {
	n := len(m.slabs)
	if n == 0 || cap(m.slabs[n-1].b)-len(m.slabs[n-1].b) < len(head) {
		size := min(slabBytes, firstSlab<<min(n, 6))
		m.slabs = append(m.slabs, slab{at: m.end, b: make([]byte, 0, max(size, len(head)))})
		n++
		m.forget(n - 2)
	}
	s := &m.slabs[n-1]
	pos := m.end
	s.b = append(s.b, head...)
	s.ends = append(s.ends, int32(len(s.b))) //nolint:gosec // G115: a slab is one record or 256 KiB
	m.end += int64(len(head))
	return pos, nil
}

// slab returns the index of the slab that contains pos, or -1.
func (m *memoryLog) slab(pos int64) int {
	if pos >= m.end {
		return -1
	}
	return sort.Search(len(m.slabs), func(i int) bool { return m.slabs[i].at > pos }) - 1
}

// Head implements [Log].
func (m *memoryLog) Head(pos int64) ([]byte, error) {
	if i := m.slab(pos); i >= 0 && m.slabs[i].b != nil {
		s := &m.slabs[i]
		off := int(pos - s.at)
		k := sort.Search(len(s.ends), func(k int) bool { return int(s.ends[k]) > off })
		return s.b[off:s.ends[k]:s.ends[k]], nil
	}
	return nil, fmt.Errorf("%w: no record at %d", ErrCorrupt, pos)
}

// hold counts n more pending links of the record at pos. A negative n counts
// fewer.
func (m *memoryLog) hold(pos int64, n int) {
	i := m.slab(pos)
	m.slabs[i].held += n
	m.forget(i)
}

// forget drops the i-th slab, if it exists, is full and has no pending links.
func (m *memoryLog) forget(i int) {
	if i >= 0 && i < len(m.slabs)-1 && m.slabs[i].held == 0 {
		m.slabs[i].b, m.slabs[i].ends = nil, nil
	}
}

// Replay implements [Log]. A log in memory is always new.
func (m *memoryLog) Replay(func(pos int64, head []byte) error) error { return nil }
