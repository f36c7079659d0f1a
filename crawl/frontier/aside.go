// SPDX-License-Identifier: Apache-2.0

package frontier

import "example.com/curlew/crawl/scope"

// doubts puts a page aside that was taken from its queue if void keys make it a
// suspect. It reports whether they do.
func (s *state) doubts(t *task, e entry) bool {
	if s.o.List || !s.endless.doubt(t, e) {
		return false
	}
	s.records.hold(e.pos, 1) // it stays pending
	s.progress.leave(t.Depth)
	if s.endless.lots++; s.endless.lots <= s.known.budget {
		s.known.entered--
	}
	return true
}

// replenish releases suspects when nothing else is left, and reports whether it
// did. First come URLs with void keys: one for each page that is not known
// without these keys. They are no longer suspects. Otherwise it releases the
// suspects of the least depth, as many as may still be delivered.
func (s *state) replenish() (bool, error) {
	v := &s.endless
	if s.progress.left() > 0 || s.quota.full() || s.quota.spent() || len(v.doubts)+len(v.aside.heap) == 0 {
		return false, nil
	}
	n, err := s.settleDoubts()
	if n > 0 || err != nil {
		return n > 0, err
	}
	room := v.allowance(s.quota.delivered)
	for depth := int64(-1); room > 0 && len(v.aside.heap) > 0; {
		one := v.aside.heap[0]
		if s.known.gone.has(uint64(one.seq)) {
			v.aside.pop()
			v.aside.gone--
			s.known.gone.clear(uint64(one.seq))
			s.records.hold(one.pos, -1)
			continue
		}
		if depth >= 0 && int64(one.depth) != depth || s.known.entered >= s.known.budget {
			break
		}
		v.aside.pop()
		depth = int64(one.depth)
		if err := s.admitSuspect(one); err != nil {
			return n > 0, err
		}
		v.release(uint64(one.seq))
		n++
		room--
	}
	return n > 0, nil
}

// settleDoubts decides on the URLs with void keys.
func (s *state) settleDoubts() (n int, err error) {
	v := &s.endless
	for _, one := range v.settled() {
		t, _, err := s.load(one.entry)
		if err != nil {
			return n, err
		}
		if !v.voids.claim(t.URL) {
			s.stats.Pending--
			if v.aside.len() < maxAside {
				v.putAside(one.entry, t.URL, int(one.depth))
			} else {
				s.records.hold(one.pos, -1)
				s.stats.Refused[scope.RuleEndless]++
			}
			continue
		}
		s.stats.Pending-- // admitSuspect counts it again
		if err := s.admitSuspect(one); err != nil {
			return n, err
		}
		v.claimed.set(uint64(one.seq))
		n++
	}
	v.doubts = v.doubts[:0]
	return n, nil
}

// admitSuspect moves a suspect into the queue of its host.
func (s *state) admitSuspect(one suspect) error {
	t, _, err := s.load(one.entry)
	if err != nil {
		return err
	}
	s.endless.spaces.remove(one.space)
	t.Depth = int(one.depth)
	s.countPending(t.Depth)
	s.scheduler.push(&t.link, one.entry)
	return nil
}

// countPending counts a suspect of a depth as pending.
func (s *state) countPending(depth int) {
	s.progress.raise(depth) // no lesser depth is left
	s.progress.enter(depth)
	s.known.entered++
	s.stats.Pending++
}
