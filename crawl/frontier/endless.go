// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"slices"
	"strings"

	"example.com/curlew/crawl/internal/shape"
)

const (
	// watchedDepth is the depth from which on pages that were found within their
	// own family are looked at: what is endless goes deeper, and most sites do
	// not.
	watchedDepth = 16

	maxWatched    = 1 << 17 // URLs of which it is known how they were found; what is over is no suspect
	leastSuspects = 1000    // that a crawl takes in any case
	maxAside      = 1 << 16 // suspects that wait; what is over is left to be found again
	maxPast       = 16      // pages that a page is compared with
	maxShown      = 16      // spaces that are told of
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
// by records, but for doubts, suspects that void keys made, and out, those that
// were released: they come again in the same way. The invariant: each suspect is
// in one of doubts, aside and out, or has ended.
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

// mark sets how a link of a record was found. If brief, a link that is no suspect
// may go without its trail.
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

// describe fills in what a delivered page says about endless spaces.
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

// observe notes that a link was entered, if it matters how it was found.
func (e *endless) observe(l *link, seq uint32) {
	if l.suspect || l.trail != nil && e.watch.n < maxWatched {
		e.watch.add(watched{key: l.key(), seq: seq, depth: shallow(l.Depth), trail: l.trail, suspect: l.suspect})
	}
}

// putAside puts a suspect where it waits until nothing else is left.
func (e *endless) putAside(at entry, url string, depth int) {
	space := e.spaces.add(url)
	if w := e.watch.seq(uint64(at.seq)); w != nil {
		w.space = space
	}
	e.aside.push(suspect{entry: at, depth: shallow(depth), sum: shape.Sum(url), space: space})
}

// doubt puts a page among those with void keys, if it has any and was not there
// before. It reports whether it does.
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
	slices.SortFunc(e.doubts, func(a, b suspect) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return e.doubts
}

// release notes that a suspect is put into the queues.
func (e *endless) release(seq uint64) {
	e.out[seq] = struct{}{}
	if w := e.watch.seq(seq); w != nil {
		w.released = true
	}
}

// withdraw takes back a suspect that waits, and reports whether w is one.
func (e *endless) withdraw(w *watched) bool {
	if !w.suspect || w.released {
		return false
	}
	e.aside.gone++
	e.spaces.remove(w.space)
	return true
}

// bring is told, in a replay, that a task was leased. A suspect had been released
// before: then its depth is returned.
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

// stats returns what is told of endless spaces.
func (e *endless) stats() Endless {
	return Endless{Taken: e.taken, Left: e.aside.len(), Spaces: e.spaces.shown(maxShown)}
}
