// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// maxShown is how many endless spaces are told of.
const maxShown = 16

// recordPage fills in what a delivered page says about endless spaces.
func (s *state) recordPage(rec *record, t *task, c *Commit) {
	rec.text, rec.body = c.Text, c.Body
	_, rec.suspect = s.endless.out[t.seq]
	rec.below = c.Body != 0 && c.Body == t.above && deeper(c.URL, t.from)
	if n := len(c.Sketch); n > 0 && s.endless.sketches(t.seq) {
		kept := slices.Clone(c.Sketch[:min(n, sketchSize)])
		slices.Sort(kept)
		rec.sketch = slices.Compact(kept)
	}
	rec.trail = s.endless.follow(rec, false)
}

// setAside puts a suspect where it waits until nothing else is left.
func (s *state) setAside(e entry, url string, depth int) {
	space := s.endless.spaces.add(url)
	if w := s.endless.watch.seq(uint64(e.seq)); w != nil {
		w.space = space
	}
	s.endless.aside.push(suspect{entry: e, depth: shallow(depth), sum: xxhash.Sum64String(url), space: space})
}

// doubts puts a page aside that was taken from its queue, where void keys make
// it a suspect. It reports whether they do.
func (s *state) doubts(t *task, e entry) bool {
	v := &s.endless
	if t.Sitemap || t.start || t.Rule != 0 || s.c.List || !v.voids.has(t.URL, t.Depth) {
		return false
	}
	if _, released := v.out[t.seq]; released || v.claimed.has(t.seq) {
		return false
	}
	s.hold(e.pos, 1) // it goes on waiting
	s.progress.leave(t.Depth)
	if v.lots++; v.lots <= s.budget {
		s.entered--
	}
	v.forget(t.seq)
	v.doubts = append(v.doubts, suspect{entry: e, depth: shallow(t.Depth), sum: xxhash.Sum64String(t.URL)})
	return true
}

// withdrawWatched takes what waits under key out of its queue: it was found in
// another way.
func (s *state) withdrawWatched(w *watched) {
	key, seq := w.key, uint64(w.seq)
	s.gone.set(seq)
	if w.suspect && !w.released {
		s.endless.aside.gone++
		s.endless.spaces.remove(w.space)
	} else {
		s.progress.leave(int(w.depth))
		s.stats.Pending--
		s.entered--
	}
	if _, ok := s.waiting.seq(key); ok {
		s.waiting.date(key, noSeq)
	}
	s.endless.forget(seq)
}

// replenish lets suspects be asked for once nothing else is left, and reports
// whether it does: of the URLs with void keys one for each page that is not
// known without them, which are no suspects; else those of the least depth, as
// many as may still be delivered.
func (s *state) replenish() (bool, error) {
	v := &s.endless
	if s.progress.left() > 0 || s.stats.Delivered >= s.limit || s.spent() || len(v.doubts)+len(v.aside.heap) == 0 {
		return false, nil
	}
	n, err := s.settleDoubts()
	if n > 0 || err != nil {
		return n > 0, err
	}
	room := v.allowance(s.stats.Delivered)
	for depth := int64(-1); room > 0 && len(v.aside.heap) > 0; {
		one := v.aside.heap[0]
		if s.gone.has(uint64(one.seq)) {
			v.aside.pop()
			v.aside.gone--
			s.gone.clear(uint64(one.seq))
			s.hold(one.pos, -1)
			continue
		}
		if depth >= 0 && int64(one.depth) != depth || s.entered >= s.budget {
			break
		}
		v.aside.pop()
		depth = int64(one.depth)
		if err := s.admitSuspect(one); err != nil {
			return n > 0, err
		}
		v.out[uint64(one.seq)] = struct{}{}
		if w := v.watch.seq(uint64(one.seq)); w != nil {
			w.released = true
		}
		n++
		room--
	}
	return n > 0, nil
}

// settleDoubts decides about the URLs with void keys.
func (s *state) settleDoubts() (n int, err error) {
	v := &s.endless
	slices.SortFunc(v.doubts, func(a, b suspect) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	for _, one := range v.doubts {
		t, _, err := s.load(one.entry, false)
		if err != nil {
			return n, err
		}
		if !v.voids.claim(t.URL) {
			s.stats.Pending--
			if v.aside.len() < maxAside {
				s.setAside(one.entry, t.URL, int(one.depth))
			} else {
				s.hold(one.pos, -1)
				s.stats.Refused[RuleEndless]++
			}
			continue
		}
		s.stats.Pending-- // count counts it again
		if err := s.admitSuspect(one); err != nil {
			return n, err
		}
		v.claimed.set(uint64(one.seq))
		n++
	}
	v.doubts = v.doubts[:0]
	return n, nil
}

// admitSuspect puts what was put aside into the queue of its host.
func (s *state) admitSuspect(one suspect) error {
	t, _, err := s.load(one.entry, false)
	if err != nil {
		return err
	}
	s.endless.spaces.remove(one.space)
	s.count(int(one.depth))
	if s.c.Ordered {
		s.order.pages.push(int(one.depth), one.entry)
		return nil
	}
	t.host.pages.push(int(one.depth), one.entry)
	s.schedule(t.host)
	return nil
}

// count counts a suspect among what waits.
func (s *state) count(depth int) {
	s.progress.raise(depth) // nothing of a lesser depth is left
	s.progress.enter(depth)
	s.entered++
	s.stats.Pending++
}

// bring is told, in a replay, that a task was leased. A suspect had been
// released before.
func (e *endless) bring(s *state, seq uint64) {
	w := e.watch.seq(seq)
	if w == nil || !w.suspect || w.released {
		return
	}
	w.released = true
	e.out[seq] = struct{}{}
	e.aside.gone++
	e.spaces.remove(w.space)
	s.count(int(w.depth))
}

// stats returns what is told of endless spaces.
func (e *endless) stats() Endless {
	return Endless{Taken: e.taken, Left: e.aside.len(), Spaces: e.spaces.shown(maxShown)}
}
