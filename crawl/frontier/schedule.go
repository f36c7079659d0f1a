// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/sorting"
)

// scheduler decides which task is leased next. Invariant: a task is leased only
// when its depth, its host, its robots.txt and the quota allow it.
type scheduler struct {
	o        *Options
	progress *progress
	quota    *quota
	pop      func(source) (*task, error) // takes the next entry to be leased

	hosts   hosts
	flights flights
	ranks   ranks // used if Ordered
	unasked unasked
}

// unasked contains the tasks that are ended without a request. In an ordered
// crawl they wait for their rank instead. Invariant: none of them uses a turn
// at a host or a place under the limit.
type unasked struct {
	entries queue
	tasks   []*task // tasks that were leased before
}

// none reports whether there is nothing to be ended.
func (u *unasked) none() bool { return len(u.tasks) == 0 && !u.entries.has(noDepth) }

// source is a source of entries: a fifo, or the one with the least depth in a
// queue.
type source struct {
	fifo  *fifo
	queue *queue
	bound int // greatest depth, for a queue
}

// front returns the fifo to be read, or nil.
func (s source) front() *fifo {
	if s.queue != nil {
		return s.queue.front(s.bound)
	}
	return s.fifo
}

// push adds the entry of a link to its queue and schedules its host.
func (s *scheduler) push(l *link, e entry) {
	depth := l.waitsAt()
	switch {
	case s.o.Ordered && l.Sitemap:
		s.ranks.sitemaps.push(e)
	case s.o.Ordered:
		s.ranks.pages.push(depth, e)
	case l.Rule != 0:
		s.unasked.entries.push(depth, e)
	default:
		h := s.hosts.of(l.URL)
		if l.Sitemap {
			h.sitemaps.push(e)
		} else {
			h.pages.push(depth, e)
		}
		s.schedule(h)
	}
}

// requeue returns a task that was leased before.
func (s *scheduler) requeue(t *task, later bool) {
	switch {
	case s.o.Ordered:
		s.ranks.requeue(t)
	case t.Rule != 0:
		s.unasked.tasks = append(s.unasked.tasks, t)
	case later:
		t.host.retries.set(t.due, t)
	default:
		t.host.again = slices.Insert(t.host.again, 0, t)
	}
	s.schedule(t.host)
}

// taken calls yield for each task that is neither in a queue of a host nor
// leased.
func (s *scheduler) taken(yield func(*task) bool) bool {
	for _, list := range [...][]*task{s.ranks.again, s.unasked.tasks} {
		for _, t := range list {
			if !yield(t) {
				return false
			}
		}
	}
	return s.ranks.head == nil || yield(s.ranks.head)
}

// schedule makes sure that h gets its turn when it is due.
func (s *scheduler) schedule(h *host) {
	if h.queued || s.o.Ordered || s.hosts.replaying {
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
		s.hosts.ready.join(h)
	default:
		s.hosts.ready.wait(h, at)
	}
}

// scheduleAll schedules all hosts, in the order in which their next pages were found. These
// are then in neighboring records of the log, of which only some are in memory.
func (s *scheduler) scheduleAll() {
	for _, h := range slices.SortedFunc(maps.Values(s.hosts.byName), func(a, b *host) int { return cmp.Compare(a.pages.seq(), b.pages.seq()) }) {
		s.schedule(h)
	}
}

// scheduleSite schedules the hosts of the site of h.
func (s *scheduler) scheduleSite(h *host) {
	s.schedule(h)
	name := shape.Bare(h.name)
	for _, other := range [...]string{name, "www." + name} {
		if o := s.hosts.byName[other]; o != nil && o != h {
			s.schedule(o)
		}
	}
}

// bound returns the greatest depth at which a page of h may be requested. If
// that is less than the maximum, until is the time to check again.
func (s *scheduler) bound(h *host, now time.Time) (bound int, until time.Time) {
	if s.progress.byDepth {
		return s.progress.level, time.Time{}
	}
	return s.flights.bound(h, s.progress.level, now)
}

// take returns the next task to be leased. If there is none, at is the time to
// try again. Zero means after a commit.
func (s *scheduler) take(now time.Time) (t *task, at time.Time, err error) {
	for _, name := range s.hosts.calls.take() { // hosts at which a turn may be free
		if h := s.hosts.byName[name]; h != nil {
			h.refused = false
			s.schedule(h)
		}
	}
	open, turn := s.quota.open(now)
	if s.o.Ordered {
		t, at, err = s.ranks.take(s.nextOrdered, func(t *task) (*task, time.Time) { return s.ready(t, now, open, turn) })
		return s.claim(t), at, err
	}
	if t, err := s.takeUnasked(); t != nil || err != nil {
		return t, time.Time{}, err
	}
	for h := s.hosts.ready.due(now); h != nil; h = s.hosts.ready.due(now) {
		s.schedule(h)
	}
	for range 2 * s.hosts.ready.len() { // several rounds, so that each host gets its turn
		h := s.hosts.ready.next(s.hosts.crowded(s.progress.level))
		if h == nil {
			break
		}
		t, shut, err := s.pick(h, now, open)
		if err != nil {
			return nil, time.Time{}, err
		}
		if shut { // its pages wait for the quota, which is the same for all hosts
			s.hosts.ready.join(h)
			at = turn
			continue
		}
		s.claim(t)
		s.schedule(h)
		if t != nil {
			return t, time.Time{}, nil
		}
	}
	return nil, s.hosts.ready.sooner(at), nil
}

// claim records that t, if it is not nil, is about to be leased.
func (s *scheduler) claim(t *task) *task {
	if t != nil && t.robots {
		t.host.hold++
	}
	return t
}

// takeUnasked returns a task to be ended without a request, or nil.
func (s *scheduler) takeUnasked() (*task, error) {
	u := &s.unasked
	if len(u.tasks) > 0 {
		t := u.tasks[0]
		u.tasks = u.tasks[1:]
		return t, nil
	}
	bound := s.progress.level
	if s.quota.full() {
		bound = noDepth // there will be no other level
	}
	return s.pop(source{queue: &u.entries, bound: bound})
}

// pick returns the next task of h. It returns nil if nothing is due or h has no
// turn. shut means that h has pages that wait for the quota.
func (s *scheduler) pick(h *host, now time.Time, open bool) (t *task, shut bool, err error) {
	bound, _ := s.bound(h, now)
	if at, ok := h.due(bound); !ok || at.After(now) {
		return nil, false, nil
	}
	switch {
	case h.down:
	case !open && !h.gateless(now):
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
	if s.hosts.robotsFirst(t, now) {
		h.again = slices.Insert(h.again, 0, t)
		t = t.robotsTask()
	}
	t.turn = true
	return t, false, nil
}

// closed takes the next task of a host that was given up, in order to end it.
// It does not wait for retries.
func (s *scheduler) closed(h *host) (*task, error) {
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

// candidate takes the next task of h from its queues: first tasks that were
// taken before, then sitemap files, then pages if the quota is open. First
// requests take precedence over due retries, except that one request in so many
// is a retry.
func (s *scheduler) candidate(h *host, now time.Time, open bool, bound int) (*task, error) {
	for i, t := range h.again {
		if open || !t.page() {
			h.again = slices.Delete(h.again, i, i+1)
			h.fresh++
			return t, nil
		}
	}
	due, retries := h.retries.next()
	retries = retries && !due.After(now) && (open || !h.retries.heap[0].thing.page())
	if retries && h.fresh >= freshPerRetry {
		return h.retry(now), nil
	}
	t, err := s.pop(source{fifo: &h.sitemaps})
	if t == nil && err == nil && open {
		t, err = s.pop(source{queue: &h.pages, bound: bound})
	}
	if t == nil && err == nil && retries {
		return h.retry(now), nil
	}
	h.fresh++
	return t, err
}

// nextOrdered returns the next task of an ordered crawl. Sitemap files come
// before pages, which wait for them.
func (s *scheduler) nextOrdered() (*task, error) {
	t, err := s.pop(source{fifo: &s.ranks.sitemaps})
	if t != nil || err != nil || s.progress.begun && s.progress.files > 0 {
		return t, err
	}
	return s.pop(source{queue: &s.ranks.pages, bound: s.progress.level})
}

// ready returns t, or the task that must precede it, if that can be leased now.
// Otherwise at is the time to try again. Zero means after a commit.
func (s *scheduler) ready(t *task, now time.Time, open bool, turn time.Time) (ready *task, at time.Time) {
	if t.host.down && t.Rule == 0 {
		t.down = true
	}
	switch {
	case !t.page():
	case !t.reserved && !open:
		return nil, turn
	case t.reserved && s.quota.pausing(now): // its request has begun, so limit and budget are not checked again
		return nil, s.quota.next
	}
	if !t.asks(s.o.List) {
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
	if s.hosts.robotsFirst(t, now) {
		t = t.robotsTask()
	}
	t.turn = true
	return t, time.Time{}
}

// levelPatience is how long a page keeps deeper pages of its site waiting.
const levelPatience = 5 * time.Second

// flights contains the pages in flight by site. Hosts that differ only in a
// leading www. are one site. A page is not requested while one of the same site
// with a lesser depth is in flight, unless that takes long. So the depths of
// URLs, and the pages that they were found on, do not depend on timing, and a
// page that hangs, is retried or must wait does not delay the others.
type flights map[string][]*task

// add records that a page is being requested.
func (f flights) add(t *task) {
	name := shape.Bare(t.host.name)
	f[name] = append(f[name], t)
}

// remove records that the request of a page is over.
func (f flights) remove(t *task) {
	name := shape.Bare(t.host.name)
	if list := sorting.Without(f[name], func(o *task) bool { return o == t }); len(list) > 0 {
		f[name] = list
	} else {
		delete(f, name)
	}
}

// bound returns the greatest depth, up to most, at which a page of h may be
// requested. If it is less than most, until is the time at which it changes by
// itself.
func (f flights) bound(h *host, most int, now time.Time) (bound int, until time.Time) {
	bound = most
	for _, t := range f[shape.Bare(h.name)] {
		if end := t.began.Add(levelPatience); t.Depth < bound && end.After(now) {
			bound = t.Depth
			if until.IsZero() || end.Before(until) {
				until = end
			}
		}
	}
	return bound, until
}
