// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

const (
	// watchedDepth is the depth from which on pages that were found within their
	// own family are looked at: what is endless goes deeper, and most sites do
	// not.
	watchedDepth = 16

	maxWatched    = 1 << 17 // URLs of which it is known how they were found; what is over is no suspect
	leastSuspects = 1000    // that a crawl takes in any case
	maxAside      = 1 << 16 // suspects that wait; what is over is left to be found again
)

// endless finds the URLs of endless spaces, which are called suspects: they are
// not asked for until nothing else is left, and then only so many. A URL is a
// suspect if
//
//   - as many pages in a row as chain, on the way on which it was found, are of
//     its family and stale: they say hardly anything that the 16 pages of the
//     family before them do not; or
//   - it differs from a known page only in keys of the query that are void (see
//     [voids]); or
//   - it lies below a page that equals the page which named that, at a lesser
//     path: a site's answer to whatever is below.
//
// A URL that is found in another way, too, is no suspect. Its fields change only
// by records, but for doubtful, suspects that void keys made, and released: they
// come again in the same way. The invariant: each suspect is in one of doubtful,
// aside and released, or has ended.
type endless struct {
	chain   int // MaxInt: chains are not looked at
	stale   int // percent of novelty below which a page is stale
	most    int // suspects to be taken; zero: the default, MaxInt: all
	voids   voids
	watch   watchlist // found within its family, or a suspect by its parent, and not ended
	aside   suspects
	lots    int       // URLs put aside by void keys so far
	doubts  []suspect // URLs with void keys, about which replenish decides
	claimed bitset    // Seq of those that are no suspects after all
	out     seqs      // released suspects that have not ended
	spaces  spaces    // of what is aside
	taken   int       // delivered suspects
}

// seqs is a set of [Lease.Seq].
type seqs map[uint64]struct{}

// trail is what a page hands on to the URLs of its family that it names.
type trail struct {
	family uint64
	tie    uint64 // decides between parents that are equal in all else
	chain  int    // stale pages in a row, this one the last
	past   *past  // nil where the page was not sketched
}

// past are the sketches of a page and of those before it on its trail, nearest
// first. The sketches are shared with the pasts of other pages.
type past [maxPast]*sketch

// list returns the sketches.
func (p *past) list() []sketch {
	if p == nil {
		return nil
	}
	list := make([]sketch, 0, maxPast)
	for _, one := range p {
		if one != nil {
			list = append(list, *one)
		}
	}
	return list
}

// behind returns the past of a page with this sketch that follows p.
func (p *past) behind(own sketch) *past {
	next := &past{&own}
	if p != nil {
		copy(next[1:], p[:])
	}
	return next
}

func newEndless(t Traps) endless {
	return endless{
		chain: t.Chain, stale: t.Novelty, most: t.Suspects, voids: voids{least: t.Void},
		watch: newWatchlist(), out: seqs{},
	}
}

// forget is told of a task that has ended, or will be entered anew.
func (e *endless) forget(seq uint64) {
	delete(e.out, seq)
	e.watch.remove(seq)
}

// sketches reports whether the page of a lease is to be sketched.
func (e *endless) sketches(seq uint64) bool {
	w := e.watch.seq(seq)
	return w != nil && w.trail != nil
}

// follow returns the trail of a page that was delivered; nil where its URLs are
// too near to be watched. The record's chain is set where it is new.
func (e *endless) follow(rec *record, replaying bool) *trail {
	if e.chain == math.MaxInt || rec.depth+1 < watchedDepth || rec.outcome != Delivered {
		return nil
	}
	tr := &trail{family: familyOf(rec.url), tie: xxhash.Sum64String(rec.url)}
	if rec.sketch == nil {
		return tr
	}
	w := e.watch.seq(rec.seq)
	if w == nil || w.trail == nil || w.trail.family != tr.family {
		tr.past = (*past)(nil).behind(rec.sketch)
		return tr
	}
	tr.past = w.trail.past.behind(rec.sketch)
	if !replaying {
		before := w.trail.past.list()
		novel, of := rec.sketch.novel(before)
		if len(before) > 0 && 100*novel < e.stale*of {
			rec.chain = w.trail.chain + 1
		}
	}
	tr.chain = rec.chain
	return tr
}

// mark sets how a link of a record was found. If brief, a link that is no suspect
// may go without its trail.
func (e *endless) mark(rec *record, l *link, brief bool) {
	l.trail, l.suspect = nil, false
	if l.Sitemap || l.start || l.Rule != 0 {
		return
	}
	if tr := rec.trail; tr != nil && l.Depth >= watchedDepth && (!brief || tr.chain >= e.chain) && familyOf(l.URL) == tr.family {
		l.trail, l.suspect = tr, tr.chain >= e.chain
	}
	l.suspect = l.suspect || rec.below && strings.HasPrefix(l.URL, directory(rec.url))
}

// better reports whether a URL that is known, and waits, is better found by l.
func (e *endless) better(l *link) bool {
	w := e.watch.key(l.key())
	switch {
	case w == nil || w.leased:
		return false
	case w.suspect != l.suspect:
		return w.suspect && !w.released
	case w.released || shallow(l.Depth) != w.depth:
		return shallow(l.Depth) < w.depth
	case w.trail == nil || l.trail == nil:
		return w.trail != nil
	case l.trail.chain != w.trail.chain:
		return l.trail.chain < w.trail.chain
	}
	return l.trail.tie < w.trail.tie
}

// allowance returns how many suspects may still be delivered, after so many
// pages in all.
func (e *endless) allowance(delivered int) int {
	most := e.most
	if most == 0 {
		most = max(leastSuspects, delivered-e.taken)
	}
	return most - e.taken
}

// suspect is a URL that waits until nothing else is left.
type suspect struct {
	entry
	sum   uint64 // of its URL
	depth uint32 // see [shallow]
	space spaceID
}

// suspects are put in order: the least depth first, then by what is chance but
// the same in each crawl.
type suspects struct {
	heap []suspect
	gone int // of heap, to be skipped
}

// len returns how many wait.
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

// pop removes the first; there is one.
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

// maxSpaces is how many patterns of suspects are told apart.
const maxSpaces = 256

// spaces counts the suspects that wait, by pattern.
type spaces struct {
	n    int
	by   map[string]spaceID
	list []space
	rest space // of all other patterns
}

// spaceID names a pattern: its number in the list, from 1. Zero is none.
type spaceID uint16

// restSpace names all patterns that are not told apart.
const restSpace spaceID = maxSpaces + 1

// space is one pattern.
type space struct {
	pattern, example string
	n                int
}

// of returns the space that id names.
func (s *spaces) of(id spaceID) *space {
	if id == restSpace {
		return &s.rest
	}
	return &s.list[id-1]
}

// add counts one URL.
func (s *spaces) add(url string) spaceID {
	s.n++
	name := patternOf(url)
	id := s.by[name]
	switch {
	case id == 0 && len(s.list) >= maxSpaces:
		id = restSpace
	case id == 0:
		if s.by == nil {
			s.by = map[string]spaceID{}
		}
		name = strings.Clone(name) // else it might keep the URLs of a whole record
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

// remove takes back what add counted.
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
	slices.SortStableFunc(list, func(a, b EndlessSpace) int { return b.Left - a.Left })
	return list[:min(len(list), most)]
}
