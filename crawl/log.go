// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"fmt"
	"sort"
)

// memoryLog is a [Log] without payloads that ends with the process. A position
// is an offset into all heads, one behind the other.
type memoryLog struct {
	slabs []slab
	end   int64
}

// slab holds heads; it is never moved, so they stay valid.
type slab struct {
	at   int64 // position of its first byte
	b    []byte
	ends []int32 // of each head in b, ascending
}

const (
	firstSlab = 4 << 10 // so that a crawl of a few pages is small
	slabBytes = 256 << 10
)

// Append implements [Log].
func (m *memoryLog) Append(head, _ []byte) (int64, error) {
	n := len(m.slabs)
	if n == 0 || cap(m.slabs[n-1].b)-len(m.slabs[n-1].b) < len(head) {
		size := min(slabBytes, firstSlab<<min(n, 6))
		m.slabs = append(m.slabs, slab{at: m.end, b: make([]byte, 0, max(size, len(head)))})
		n++
	}
	s := &m.slabs[n-1]
	pos := m.end
	s.b = append(s.b, head...)
	s.ends = append(s.ends, int32(len(s.b))) //nolint:gosec // G115: a slab is one record or 256 KiB
	m.end += int64(len(head))
	return pos, nil
}

// Head implements [Log].
func (m *memoryLog) Head(pos int64) ([]byte, error) {
	i := sort.Search(len(m.slabs), func(i int) bool { return m.slabs[i].at > pos }) - 1
	if i < 0 || pos >= m.end {
		return nil, fmt.Errorf("%w: no record at %d", ErrCorrupt, pos)
	}
	s := &m.slabs[i]
	off := int(pos - s.at)
	k := sort.Search(len(s.ends), func(k int) bool { return int(s.ends[k]) > off })
	return s.b[off:s.ends[k]:s.ends[k]], nil
}

// Replay implements [Log].
func (m *memoryLog) Replay(visit func(pos int64, head []byte) error) error {
	for i := range m.slabs {
		s := &m.slabs[i]
		start := 0
		for _, end := range s.ends {
			if err := visit(s.at+int64(start), s.b[start:end:end]); err != nil {
				return err
			}
			start = int(end)
		}
	}
	return nil
}
