// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"slices"
	"time"

	"example.com/curlew/crawl/pace"
)

// schedule sees to it that h has its turn when it is due.
func (s *state) schedule(h *host) {
	if h.queued || s.c.Ordered || s.replaying {
		return
	}
	now := time.Now()
	bound, until := s.bound(h, now)
	at, ok := h.due(bound)
	if !ok && bound < s.progress.level {
		if at, ok = h.due(s.progress.level); until.After(at) {
			at = until
		}
	}
	switch {
	case !ok:
	case !at.After(now):
		s.join(h)
	case !h.wake.Equal(at):
		h.wake = at
		s.hosts.sleep.set(at, h)
	}
}

// take returns the next task to be leased. Where there is none, at says when to
// ask again; zero means after a commit.
func (s *state) take(now time.Time) (t *task, at time.Time, err error) {
	for _, name := range s.hosts.calls.take() { // where a turn may be free
		if h := s.hosts.byName[name]; h != nil {
			h.refused = false
			s.schedule(h)
		}
	}
	if s.c.Ordered {
		return s.takeOrdered(now)
	}
	if t, err := s.takeNote(); t != nil || err != nil {
		return t, time.Time{}, err
	}
	s.wake(now)
	open, turn := s.gate(now)
	for range 2 * (len(s.hosts.urgent) + len(s.hosts.trusted) + len(s.hosts.untrusted)) { // by turns, so that each has its own
		h := s.nextHost()
		if h == nil {
			break
		}
		t, shut, err := s.pick(h, now, open)
		if err != nil {
			return nil, time.Time{}, err
		}
		if shut { // its pages wait for the gate, which is the same for all
			s.join(h)
			at = turn
			continue
		}
		if t != nil {
			s.claim(t)
		}
		s.schedule(h)
		if t != nil {
			return t, time.Time{}, nil
		}
	}
	return nil, sooner(at, &s.hosts.sleep), nil
}

// join puts h among the hosts that are ready.
func (s *state) join(h *host) {
	h.queued = true
	switch {
	case h.ruled:
		s.hosts.urgent = append(s.hosts.urgent, h)
	case h.trusted():
		s.hosts.trusted = append(s.hosts.trusted, h)
	default:
		s.hosts.untrusted = append(s.hosts.untrusted, h)
	}
}

// nextHost takes the host out whose turn it is among those that are ready: first
// those whose robots.txt has just come, then trusted and other ones by turns. It
// returns nil where there is none, or the others have all the workers that they
// may have.
func (s *state) nextHost() *host {
	all := &s.hosts
	from := &all.trusted
	switch crowded := s.crowded(); {
	case len(all.urgent) > 0 && (!crowded || all.urgent[0].trusted()):
		from = &all.urgent
	case len(all.untrusted) > 0 && !crowded && (all.untrustedNext || len(all.trusted) == 0):
		from = &all.untrusted
	}
	if len(*from) == 0 {
		return nil
	}
	all.untrustedNext = from != &all.untrusted
	h := (*from)[0]
	*from = (*from)[1:]
	h.queued, h.ruled = false, false
	return h
}

// crowded reports whether hosts that are not trusted have so many requests in
// flight that one more might keep the others from their pages: any number of
// hosts can be silent for as long as a request may take. While the start page's
// host, or another that is trusted, has work, up to half of the workers are kept
// for it, and up to three quarters where it has work for them right now.
func (s *state) crowded() bool {
	if s.hosts.untrustedInFlight == 0 {
		return false
	}
	half, most := s.c.Concurrency/2, s.c.Concurrency*3/4
	kept := min(len(s.hosts.trusted), 1, half)
	for _, h := range s.hosts.startHosts {
		if n := h.load(s.progress.level); n > 0 {
			kept = max(kept, min(h.slots(), max(n, half), most))
		}
	}
	return s.hosts.untrustedInFlight >= s.c.Concurrency-kept
}

// wake puts the hosts that are due among those that are ready.
func (s *state) wake(now time.Time) {
	for {
		h, set, ok := s.hosts.sleep.pop(now)
		if !ok {
			return
		}
		if h.wake.Equal(set) { // else it was set anew
			h.wake = time.Time{}
			s.schedule(h)
		}
	}
}

// sooner returns the earlier of at and the first alarm; zero is none.
func sooner(at time.Time, a *alarms[*host]) time.Time {
	if next, ok := a.next(); ok && (at.IsZero() || next.Before(at)) {
		return next
	}
	return at
}

// takeNote returns a task that is to be ended without a request.
func (s *state) takeNote() (*task, error) {
	if len(s.closing) > 0 {
		t := s.closing[0]
		s.closing = s.closing[1:]
		return t, nil
	}
	bound := s.progress.level
	if s.stats.Delivered >= s.limit {
		bound = noDepth // there will be no other level
	}
	return s.pop(func() *fifo { return s.notes.front(bound) })
}

// pop returns the task of the next entry that was not withdrawn; nil where
// there is none.
func (s *state) pop(next func() *fifo) (*task, error) {
	for {
		q := next()
		if q == nil || q.n == 0 {
			return nil, nil
		}
		e := q.first()
		seq := uint64(e.seq)
		gone := s.gone.has(seq)
		t, end, err := s.load(e, gone)
		if err != nil {
			return nil, err
		}
		q.next(end)
		s.hold(e.pos, -1)
		if !gone {
			if s.doubts(t, e) {
				continue
			}
			return t, nil
		}
		s.gone.clear(seq)
	}
}

// pick returns what h is to be asked for next; nil where it has nothing due, or
// no turn. shut means that it has pages, for which the gate is not open.
func (s *state) pick(h *host, now time.Time, open bool) (t *task, shut bool, err error) {
	bound, _ := s.bound(h, now)
	if at, ok := h.due(bound); !ok || at.After(now) {
		return nil, false, nil
	}
	switch {
	case h.down:
	case !open && !s.gateless(h, now):
		return nil, true, nil
	case !s.hosts.ask(h) && !h.down:
		return nil, false, nil
	}
	if h.down {
		t, err = s.closed(h)
		return t, false, err
	}
	if t, err = s.candidate(h, now, open, bound); t == nil || err != nil {
		s.hosts.give(h, pace.Report{})
		return nil, false, err
	}
	if s.robotsFirst(t, now) {
		h.again = slices.Insert(h.again, 0, t)
		t = s.robotsOf(t)
	}
	t.turn = true
	return t, false, nil
}

// closed takes the next task of a host that was given up, to be ended: none
// waits for its retry any more.
func (s *state) closed(h *host) (*task, error) {
	t, _, ok := h.retries.pop(time.Unix(1<<40, 0))
	if !ok {
		var err error
		if t, err = s.candidate(h, time.Time{}, true, s.progress.level); t == nil || err != nil {
			return nil, err
		}
	}
	t.down = true
	return t, nil
}

// gateless reports whether h has something due that is not a page.
func (s *state) gateless(h *host, now time.Time) bool {
	if h.sitemaps.n > 0 || slices.ContainsFunc(h.again, func(t *task) bool { return !s.page(t) }) {
		return true
	}
	at, ok := h.retries.next()
	return ok && !at.After(now) && !s.page(h.retries.heap[0].thing)
}

// candidate takes the next task of h out of its queues: what came before, sitemap
// files, and if the gate is open pages. Retries that are due give way to what is
// asked for the first time, but for one in so many.
func (s *state) candidate(h *host, now time.Time, open bool, bound int) (*task, error) {
	for i, t := range h.again {
		if open || !s.page(t) {
			h.again = slices.Delete(h.again, i, i+1)
			h.fresh++
			return t, nil
		}
	}
	due, retries := h.retries.next()
	retries = retries && !due.After(now) && (open || !s.page(h.retries.heap[0].thing))
	if retries && h.fresh >= freshPerRetry {
		return h.retry(now), nil
	}
	t, err := s.pop(func() *fifo { return &h.sitemaps })
	if t == nil && err == nil && open {
		t, err = s.pop(func() *fifo { return h.pages.front(bound) })
	}
	if t == nil && err == nil && retries {
		return h.retry(now), nil
	}
	h.fresh++
	return t, err
}

// retry takes the retry that is due.
func (h *host) retry(now time.Time) *task {
	h.fresh = 0
	t, _, _ := h.retries.pop(now)
	return t
}

// robotsFirst reports whether the robots.txt of t's origin is to be asked for
// before it: it is not known, or shows whether a host that may be down is there.
func (s *state) robotsFirst(t *task, now time.Time) bool {
	if s.needsRobots(t, now) {
		return true
	}
	return t.host.said.Probe && t.origin.answered
}

// robotsOf returns the task to ask for the robots.txt of t's origin.
func (s *state) robotsOf(t *task) *task {
	r := &task{robots: true, host: t.host, origin: t.origin, probe: t.host.said.Probe}
	r.URL = originOf(t.URL) + "/robots.txt"
	return r
}

// claim notes that t is about to be leased.
func (s *state) claim(t *task) {
	switch {
	case t.robots:
		t.host.hold++
	case s.c.Ordered && !t.ranked:
		t.rank, t.ranked = s.order.next, true
		s.order.next++
	}
}

// takeOrdered is take for a crawl whose order does not depend on timing: what
// has a rank comes again as soon as it can, and the rest strictly in turn.
func (s *state) takeOrdered(now time.Time) (t *task, at time.Time, err error) {
	open, turn := s.gate(now)
	try := func(t *task) *task {
		ready, when := s.ready(t, now, open, turn)
		if !when.IsZero() && (at.IsZero() || when.Before(at)) {
			at = when
		}
		return ready
	}
	for i, t := range s.order.again {
		if !t.ranked && !s.window() {
			break
		}
		if ready := try(t); ready != nil {
			if ready == t {
				s.order.again = slices.Delete(s.order.again, i, i+1)
			}
			s.claim(ready)
			return ready, time.Time{}, nil
		}
		if !t.ranked {
			return nil, at, nil // of a replay: strictly in turn too
		}
	}
	if !s.window() {
		return nil, at, nil
	}
	if s.order.head == nil {
		if s.order.head, err = s.nextOrdered(); err != nil || s.order.head == nil {
			return nil, at, err
		}
	}
	ready := try(s.order.head)
	if ready == nil {
		return nil, at, nil
	}
	if ready == s.order.head {
		s.order.head = nil
	}
	s.claim(ready)
	return ready, time.Time{}, nil
}

// window reports whether one more rank may be open: what has ended waits for
// the lowest rank that has not.
func (s *state) window() bool {
	return s.order.next < s.order.floor+uint64(orderedWindow*s.c.Concurrency) //nolint:gosec // G115: validated
}

// nextOrdered returns the next task in turn: sitemap files before pages, which
// wait for them.
func (s *state) nextOrdered() (*task, error) {
	t, err := s.pop(func() *fifo { return &s.order.sitemaps })
	if t != nil || err != nil || s.progress.begun && s.progress.files > 0 {
		return t, err
	}
	return s.pop(func() *fifo { return s.order.pages.front(s.progress.level) })
}

// ready returns t, or what must come before it, where that can be leased now.
// Else at says when; zero means after a commit.
func (s *state) ready(t *task, now time.Time, open bool, turn time.Time) (ready *task, at time.Time) {
	if t.host.down && t.Rule == 0 {
		t.down = true
	}
	switch {
	case !s.page(t):
	case !t.reserved && !open:
		return nil, turn
	case t.reserved && s.pausing(now): // it has begun: neither limit nor budget is asked again
		return nil, s.nextPage
	}
	if !s.asks(t) {
		return t, time.Time{}
	}
	if !t.host.free() {
		return nil, time.Time{}
	}
	due, known := t.host.opens()
	if !known {
		return nil, time.Time{}
	}
	if t.due.After(due) {
		due = t.due
	}
	if due.After(now) {
		return nil, due
	}
	if !s.hosts.ask(t.host) {
		if t.host.down {
			t.down = true
			return t, time.Time{}
		}
		return nil, t.host.asks
	}
	if s.robotsFirst(t, now) {
		t = s.robotsOf(t)
	}
	t.turn = true
	return t, time.Time{}
}

// endRank notes that all with this rank has ended.
func (s *state) endRank(rank uint64) {
	s.order.ended[rank] = true
	for s.order.ended[s.order.floor] {
		delete(s.order.ended, s.order.floor)
		s.order.floor++
	}
}
