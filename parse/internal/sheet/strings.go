// SPDX-License-Identifier: Apache-2.0

package sheet

// Strings are the shared texts of a workbook. If they exceed a bound, [Strings.Full]
// becomes true. The caller can then call [Strings.Use] for the texts that cells refer to,
// and add all texts a second time. Only those are kept then, so that the memory depends
// on what the tables may show, and not on the size of the file.
type Strings struct {
	Guides int // texts with phonetic guides, which cells do not show
	Struck int // texts of which a part is struck through, which cells do not show

	texts   texts
	starts  []uint32 // places of the texts
	size    int      // bytes of all texts, whether they are kept or not
	full    bool
	lengths []uint32 // of all texts if there are too many
	used    []uint64 // a bit for each text that is kept; nil if all are
	demand  int      // bytes of the used texts, each time they are used
}

// Add appends a text. A text beyond the bounds is not kept.
func (s *Strings) Add(text []byte) {
	i := len(s.starts)
	if i >= maxStrings {
		s.full = true
		return
	}
	text = clean(text)
	s.size += len(text)
	s.full = s.full || s.used == nil && s.size > maxShared
	switch {
	case s.used == nil && s.full:
		s.lengths = append(s.lengths, uint32(len(text))) //nolint:gosec // limits on parts are far lower
		text = nil
	case s.used != nil && !s.isUsed(i):
		text = nil
	}
	s.starts = append(s.starts, s.texts.add(text))
}

// Full reports whether there were too many texts to keep all of them.
func (s *Strings) Full() bool { return s.full }

// Use marks text i as used by a cell. It returns false when the tables have no room for
// more texts.
func (s *Strings) Use(i int) bool {
	if s.used == nil {
		s.used = make([]uint64, (len(s.starts)+63)/64)
	}
	if i < 0 || i >= len(s.starts) {
		return true
	}
	s.used[i/64] |= 1 << (i % 64)
	if first := len(s.starts) - len(s.lengths); i >= first {
		s.demand += int(s.lengths[i-first])
	} else {
		s.demand += len(s.At(i))
	}
	return s.demand <= maxText+maxHiddenBytes
}

// Again drops all texts. A second reading then adds only those that a cell uses.
func (s *Strings) Again() {
	s.texts, s.starts, s.lengths, s.size, s.full, s.Guides = texts{}, nil, nil, 0, false, 0
	if s.used == nil {
		s.used = []uint64{}
	}
}

// Has reports whether text i, counted from 0, is kept.
func (s *Strings) Has(i int) bool {
	switch {
	case i < 0 || i >= len(s.starts):
		return false
	case s.used != nil:
		return s.isUsed(i)
	}
	return i < len(s.starts)-len(s.lengths)
}

// isUsed reports whether text i was marked as used.
func (s *Strings) isUsed(i int) bool { return i/64 < len(s.used) && s.used[i/64]>>(i%64)&1 != 0 }

// At returns text i, counted from 0, or "" if there is none.
func (s *Strings) At(i int) string {
	if i < 0 || i >= len(s.starts) {
		return ""
	}
	start := s.starts[i]
	chunk := s.texts.chunks[start/chunkSize].String() // does not copy
	if i+1 < len(s.starts) && s.starts[i+1]/chunkSize == start/chunkSize {
		return chunk[start%chunkSize : s.starts[i+1]%chunkSize]
	}
	return chunk[start%chunkSize:]
}
