// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"strings"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/internal/sorting"
)

// suspect is a URL that waits until nothing else is left.
type suspect struct {
	entry
	sum   uint64 // fingerprint of its URL
	depth uint32 // see [shallow]
	space spaceID
}

// suspects orders suspects by depth, and then by a hash that is the same in
// each crawl.
type suspects struct {
	heap []suspect
	gone int // number of entries in heap to be skipped
}

// len returns the number of pending suspects.
func (s *suspects) len() int { return len(s.heap) - s.gone }

func (a *suspect) before(b *suspect) bool {
	if a.depth != b.depth {
		return a.depth < b.depth
	}
	return a.sum < b.sum
}

func (s *suspects) push(one suspect) {
	s.heap = append(s.heap, one)
	for i := len(s.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.heap[i].before(&s.heap[up]) {
			break
		}
		s.heap[i], s.heap[up] = s.heap[up], s.heap[i]
		i = up
	}
}

// pop removes the first suspect. There must be one.
func (s *suspects) pop() {
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	for i := 0; ; {
		least := i
		for _, c := range [...]int{2*i + 1, 2*i + 2} {
			if c < last && s.heap[c].before(&s.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		s.heap[i], s.heap[least] = s.heap[least], s.heap[i]
		i = least
	}
}

// maxSpaces is the number of patterns of suspects that are counted separately.
const maxSpaces = 256

// spaces counts the pending suspects by pattern.
type spaces struct {
	n    int
	by   map[string]spaceID
	list []space
	rest space // for all other patterns
}

// spaceID identifies a pattern by its number in the list, from 1. Zero means
// none.
type spaceID uint16

// restSpace identifies all patterns that are not counted separately.
const restSpace spaceID = maxSpaces + 1

// space is one pattern.
type space struct {
	pattern, example string
	n                int
}

// of returns the space with an id.
func (s *spaces) of(id spaceID) *space {
	if id == restSpace {
		return &s.rest
	}
	return &s.list[id-1]
}

// add counts one URL.
func (s *spaces) add(url string) spaceID {
	s.n++
	name := shape.Pattern(url)
	id := s.by[name]
	switch {
	case id == 0 && len(s.list) >= maxSpaces:
		id = restSpace
	case id == 0:
		if s.by == nil {
			s.by = map[string]spaceID{}
		}
		name = strings.Clone(name) // a substring might keep the URLs of a whole record in memory
		s.list = append(s.list, space{pattern: name})
		id = spaceID(len(s.list)) //nolint:gosec // G115: at most maxSpaces
		s.by[name] = id
	}
	one := s.of(id)
	if one.n == 0 {
		one.example = strings.Clone(url)
	}
	one.n++
	return id
}

// remove reverses one call of add.
func (s *spaces) remove(id spaceID) {
	if id != 0 {
		s.n--
		s.of(id).n--
	}
}

// shown returns the patterns with the most URLs.
func (s *spaces) shown(most int) []EndlessSpace {
	if s.n == 0 {
		return nil
	}
	list := make([]EndlessSpace, 0, len(s.list))
	for i := range s.list {
		if one := &s.list[i]; one.n > 0 {
			list = append(list, EndlessSpace{Pattern: one.pattern, Example: one.example, Left: one.n})
		}
	}
	sorting.Stable(list, func(a, b EndlessSpace) int { return b.Left - a.Left })
	return list[:min(len(list), most)]
}
