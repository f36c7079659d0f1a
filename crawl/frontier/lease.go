// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"fmt"
	"slices"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
)

// leases contains the tasks in progress. Invariant: a token identifies one open
// task, and no token is used twice.
type leases struct {
	open   map[uint64]*task // by token
	tokens uint64           // number of tokens used
	moved  map[uint64]*task // during a replay, by Seq: tasks that moved and have not ended
}

func newLeases() leases {
	return leases{open: map[uint64]*task{}, moved: map[uint64]*task{}}
}

// begin gives t a token.
func (l *leases) begin(t *task, now time.Time) {
	l.tokens++
	t.token, t.began, t.answered = l.tokens, now, false
	l.open[t.token] = t
}

// end releases the token of t.
func (l *leases) end(t *task) {
	delete(l.open, t.token)
	t.token = 0
}

// each calls yield for each open task, until it returns false.
func (l *leases) each(yield func(*task) bool) bool {
	for _, t := range l.open {
		if !yield(t) {
			return false
		}
	}
	return true
}

// move returns, during a replay, the task that moved according to a record.
func (l *leases) move(rec *record) *task {
	t := l.moved[rec.seq]
	if t == nil {
		t = &task{seq: rec.seq, path: path{from: rec.from, first: rec.first}}
		t.start, t.Depth = rec.start, rec.depth
		l.moved[rec.seq] = t
	}
	return t
}

// settle records, during a replay, that a task has ended.
func (l *leases) settle(seq uint64) { delete(l.moved, seq) }

// lease returns a lease of t.
func (s *state) lease(t *task, now time.Time) Lease {
	s.leases.begin(t, now)
	if !t.robots && !t.Sitemap && !s.known.noted.has(t.seq) {
		s.stats.Pending--
	}
	page := t.page()
	if page {
		s.quota.lease(t)
		if t.Kind != scope.External {
			s.scheduler.flights.add(t)
		}
	}
	if t.asks(s.o.List) {
		s.scheduler.hosts.begin(t)
	}
	_, suspect := s.endless.out[t.seq]
	if w := s.endless.watch.seq(t.seq); w != nil && page {
		w.leased = true
	}
	l := Lease{
		Suspect: suspect, Sketch: page && s.endless.sketches(t.seq),
		Token: t.token, Rank: t.rank, Seq: t.seq, URL: t.URL, Asked: t.first, From: t.from, Depth: t.Depth,
		Kind: t.Kind, Start: t.start, Tries: t.tries, Unruled: t.unruled, Lost: t.lost, Hops: t.hops, Seed: s.known.seed, Listed: t.Listed,
		Rule: t.Rule, Down: t.down,
	}
	switch {
	case t.robots:
		l.Task, l.Tries, l.Probe = RobotsTask, t.origin.tries, t.probe
	case t.Sitemap:
		l.Task = SitemapTask
	}
	if l.Asked == "" {
		l.Asked = l.URL
	}
	return l
}

// commit ends one lease.
func (s *state) commit(c *Commit) error {
	t := s.leases.open[c.Lease.Token]
	if t == nil {
		return wrap(c.Lease.URL, ErrStale)
	}
	now := time.Now()
	if c.Ended.IsZero() {
		c.Ended = now
	}
	defer s.scheduler.scheduleSite(t.host) // a task that moves goes to another host
	if c.Outcome == Held {
		s.answer(t, c)
		return nil
	}
	if !t.robots && c.Outcome != Retry {
		rec, err := s.record(t, c)
		if err == nil {
			s.release(t, c)
			err = s.write(rec, c.Payload, t)
		}
		if err != nil {
			return err
		}
	} else {
		s.release(t, c)
	}
	switch {
	case t.robots:
		s.scheduler.hosts.rule(t, c, now)
		s.stats.Delay = max(s.stats.Delay, t.host.delay)
	case c.Outcome == Retry:
		switch {
		case c.Unruled:
			t.origin.until = time.Time{}
			t.unruled++
		case c.Lost:
			t.lost++
		default:
			t.tries++
			s.stats.Retries++
		}
		t.due = now.Add(c.After)
		if t.page() {
			s.stats.Pending++
		}
		s.scheduler.requeue(t, true)
	case c.Outcome == Moved:
		s.scheduler.requeue(t, false)
	default:
		s.scheduler.ranks.end(t)
	}
	return nil
}

// release ends the lease of t.
func (s *state) release(t *task, c *Commit) {
	s.leases.end(t)
	if t.counted && t.Kind != scope.External {
		s.scheduler.flights.remove(t)
	}
	// In an ordered crawl, tasks after this one may wait for it while they hold
	// all other places. So it keeps its place until it has ended.
	s.quota.release(t, s.o.Ordered && (c.Outcome == Retry || c.Outcome == Moved))
	s.scheduler.hosts.release(t)
	s.answer(t, c)
}

// answer records that the request of t is over.
func (s *state) answer(t *task, c *Commit) {
	if t.answered {
		return
	}
	t.answered = true
	s.scheduler.hosts.answer(t, c)
	if !t.robots && !t.Sitemap && c.Answer != pace.Unasked {
		s.quota.ask(c.Ended)
	}
}

// record returns the record for c.
func (s *state) record(t *task, c *Commit) (*record, error) {
	rec := &record{
		kind: endRecord, start: t.start, listed: t.Listed, outcome: c.Outcome, rule: c.Rule,
		seq: t.seq, depth: t.Depth, standing: t.Kind, hops: t.hops, status: c.Status, cost: c.Cost,
		asked: c.Answer != pace.Unasked, blocked: len(c.Blocked), url: c.URL, origin: c.Origin, refused: c.Refused,
	}
	if t.Sitemap {
		rec.task = SitemapTask
	}
	if c.Rule >= scope.RuleCount {
		return nil, wrap(t.URL, fmt.Errorf("%w: rule %d", ErrConfig, c.Rule))
	}
	if c.Outcome == Moved {
		if len(c.Targets) != 1 {
			return nil, wrap(t.URL, fmt.Errorf("%w: moved to %d targets", ErrConfig, len(c.Targets)))
		}
		s.known.move(rec, t, c)
		return rec, nil
	}
	if c.Outcome == Delivered && rec.task == PageTask {
		s.endless.describe(rec, t, c)
	}
	rec.links = slices.Grow(s.records.links[:0], len(c.Targets))
	var b batch
	for i := range c.Targets {
		if i%touched == 0 {
			s.known.touch(c.Targets[i:min(i+touched, len(c.Targets))])
		}
		l := link{Target: c.Targets[i], entered: true}
		s.endless.mark(rec, &l, false)
		rule, promote := s.known.admit(&l, &b, s.progress.level, &s.endless)
		if rule != 0 {
			rec.refused[rule]++
			continue
		}
		l.promote = promote
		b.add(&l, promote)
		rec.links = append(rec.links, l)
	}
	return rec, nil
}

// wrap adds the lease to an error.
func wrap(url string, err error) error { return fmt.Errorf("frontier: %s: %w", url, err) }
