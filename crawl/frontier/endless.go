// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/internal/sorting"
)

const (
	// watchedDepth is the depth from which on pages that were found within
	// their own family are watched. Endless spaces are deeper, and most sites
	// are not.
	watchedDepth = 16

	maxWatched    = 1 << 17 // number of URLs for which it is stored how they were found; others are never suspects
	leastSuspects = 1000    // number that a crawl may always deliver
	maxAside      = 1 << 16 // pending suspects; others are dropped and may be found again
	maxPast       = 16      // number of pages that a page is compared with
	maxShown      = 16      // number of spaces that are reported
)

// endless finds the URLs of endless spaces, which are called suspects. They are
// not requested until nothing else is left, and then only a limited number. A
// URL is a suspect if
//
//   - enough consecutive pages (chain) on the way to it are stale and of its
//     family. A page is stale if hardly any of its text is new compared with the
//     16 pages of the family before it; or
//   - it differs from a known page only in void keys of the query (see [voids]);
//     or
//   - it is below a page that equals the page that links to it, whose path is
//     above. Such a site gives the same answer for every path below.
//
// A URL that is also found in another way is not a suspect. The fields change
// only by records, with two exceptions: doubts, which contains suspects because
// of void keys, and out, which contains those that were released. Both are
// rebuilt in the same way after a restart. Invariant: each suspect is in one of
// doubts, aside and out, or has ended.
type endless struct {
	chain   int // MaxInt disables the check of chains
	stale   int // percentage of novelty below which a page is stale
	most    int // limit of delivered suspects; zero means the default, MaxInt means no limit
	voids   voids
	watch   watchlist // URLs found within their family, or suspect because of their parent, that have not ended
	aside   suspects
	lots    int       // number of URLs put aside because of void keys so far
	doubts  []suspect // URLs with void keys, on which replenish decides
	claimed bitset    // Seq of those that turned out not to be suspects
	out     seqs      // released suspects that have not ended
	spaces  spaces    // patterns of the suspects that are put aside
	taken   int       // number of delivered suspects
}

// seqs is a set of [Lease.Seq].
type seqs map[uint64]struct{}

// trail is what a page passes on to the URLs of its family that it links to.
type trail struct {
	family uint64
	tie    uint64 // decides between parents that are otherwise equal
	chain  int    // consecutive stale pages up to this one
	past   *past  // nil if the page has no sketch
}

// past contains the sketches of a page and of earlier pages on its trail,
// nearest first. Other pages share these sketches.
type past [maxPast]*shape.Sketch

// list returns the sketches.
func (p *past) list() []shape.Sketch {
	if p == nil {
		return nil
	}
	list := make([]shape.Sketch, 0, maxPast)
	for _, one := range p {
		if one != nil {
			list = append(list, *one)
		}
	}
	return list
}

// behind returns the past of a page with this sketch that follows p.
func (p *past) behind(own shape.Sketch) *past {
	next := &past{&own}
	if p != nil {
		copy(next[1:], p[:])
	}
	return next
}

func newEndless(o *Options) endless {
	return endless{
		chain: o.Chain, stale: o.Novelty, most: o.Suspects, voids: voids{least: o.Void},
		watch: newWatchlist(), out: seqs{},
	}
}

// forget drops a task that has ended or will be entered again.
func (e *endless) forget(seq uint64) {
	delete(e.out, seq)
	e.watch.remove(seq)
}

// sketches reports whether a sketch of the page of a lease is needed.
func (e *endless) sketches(seq uint64) bool {
	w := e.watch.seq(seq)
	return w != nil && w.trail != nil
}

// follow returns the trail of a page that was delivered, or nil if it is not
// deep enough to be watched. If the record is new, it sets the record's chain.
func (e *endless) follow(rec *record, replaying bool) *trail {
	if e.chain == math.MaxInt || rec.depth+1 < watchedDepth || rec.outcome != Delivered {
		return nil
	}
	tr := &trail{family: shape.Family(rec.url), tie: shape.Sum(rec.url)}
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
		novel, of := rec.sketch.Novel(before)
		if len(before) > 0 && 100*novel < e.stale*of {
			rec.chain = w.trail.chain + 1
		}
	}
	tr.chain = rec.chain
	return tr
}

// mark sets how a link of a record was found. If brief is set, a link that is
// not a suspect may be left without its trail.
func (e *endless) mark(rec *record, l *link, brief bool) {
	l.trail, l.suspect = nil, false
	if l.Sitemap || l.start || l.Rule != 0 {
		return
	}
	if tr := rec.trail; tr != nil && l.Depth >= watchedDepth && (!brief || tr.chain >= e.chain) && shape.Family(l.URL) == tr.family {
		l.trail, l.suspect = tr, tr.chain >= e.chain
	}
	l.suspect = l.suspect || rec.below && strings.HasPrefix(l.URL, shape.Directory(rec.url))
}

// better reports whether l is a better way to find a pending URL that is
// already known.
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

// allowance returns how many suspects may still be delivered after this number
// of pages.
func (e *endless) allowance(delivered int) int {
	most := e.most
	if most == 0 {
		most = max(leastSuspects, delivered-e.taken)
	}
	return most - e.taken
}

// describe sets the fields of a record about endless spaces for a delivered
// page.
func (e *endless) describe(rec *record, t *task, c *Commit) {
	rec.text, rec.body = c.Text, c.Body
	_, rec.suspect = e.out[t.seq]
	rec.below = c.Body != 0 && c.Body == t.above && shape.Deeper(c.URL, t.from)
	if n := len(c.Sketch); n > 0 && e.sketches(t.seq) {
		kept := slices.Clone(c.Sketch[:min(n, shape.SketchSize)])
		slices.Sort(kept)
		rec.sketch = slices.Compact(kept)
	}
	rec.trail = e.follow(rec, false)
}

// observe stores a link that was entered, if the way it was found matters.
func (e *endless) observe(l *link, seq uint32) {
	if l.suspect || l.trail != nil && e.watch.n < maxWatched {
		e.watch.add(watched{key: l.key(), seq: seq, depth: shallow(l.Depth), trail: l.trail, suspect: l.suspect})
	}
}

// putAside adds a suspect, which then waits until nothing else is left.
func (e *endless) putAside(at entry, url string, depth int) {
	space := e.spaces.add(url)
	if w := e.watch.seq(uint64(at.seq)); w != nil {
		w.space = space
	}
	e.aside.push(suspect{entry: at, depth: shallow(depth), sum: shape.Sum(url), space: space})
}

// doubt adds a page to those with void keys, if it has any and was not added
// before. It reports whether it did.
func (e *endless) doubt(t *task, at entry) bool {
	if t.Sitemap || t.start || t.Rule != 0 || !e.voids.has(t.URL, t.Depth) {
		return false
	}
	if _, released := e.out[t.seq]; released || e.claimed.has(t.seq) {
		return false
	}
	e.forget(t.seq)
	e.doubts = append(e.doubts, suspect{entry: at, depth: shallow(t.Depth), sum: shape.Sum(t.URL)})
	return true
}

// settled returns the URLs with void keys, in order.
func (e *endless) settled() []suspect {
	sorting.Stable(e.doubts, func(a, b suspect) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return e.doubts
}

// release records that a suspect is moved into the queues.
func (e *endless) release(seq uint64) {
	e.out[seq] = struct{}{}
	if w := e.watch.seq(seq); w != nil {
		w.released = true
	}
}

// withdraw removes a pending suspect, and reports whether w is one.
func (e *endless) withdraw(w *watched) bool {
	if !w.suspect || w.released {
		return false
	}
	e.aside.gone++
	e.spaces.remove(w.space)
	return true
}

// bring records, in a replay, that a task was leased. If it is a suspect, it
// had been released before, and its depth is returned.
func (e *endless) bring(seq uint64) (depth int, suspect bool) {
	w := e.watch.seq(seq)
	if w == nil || !e.withdraw(w) {
		return 0, false
	}
	e.release(seq)
	return int(w.depth), true
}

// end counts a page that was delivered.
func (e *endless) end(rec *record) {
	if rec.suspect {
		e.taken++
	}
	if rec.text != 0 {
		e.voids.add(rec.url, rec.text, rec.depth)
	}
}

// stats returns the statistics about endless spaces.
func (e *endless) stats() Endless {
	return Endless{Taken: e.taken, Left: e.aside.len(), Spaces: e.spaces.shown(maxShown)}
}
