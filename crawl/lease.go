// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"fmt"
	"slices"
	"time"

	"example.com/curlew/crawl/pace"
)

// leases are the tasks in progress. A token names one of them.
type leases struct {
	open   map[uint64]*task // by token
	tokens uint64           // that were given out
	moved  map[uint64]*task // in a replay, by Seq
}

// lease hands t out.
func (s *state) lease(t *task, now time.Time) Lease {
	s.leases.tokens++
	t.token, t.began = s.leases.tokens, now
	s.leases.open[t.token] = t
	if !t.robots && !t.Sitemap && !s.noted.has(t.seq) {
		s.stats.Pending--
	}
	if s.page(t) {
		t.counted = true
		s.stats.Leased++
		if t.Kind != External {
			s.flights.add(t)
		}
		if !t.reserved {
			t.reserved = true
			s.places++
		}
	}
	if s.asks(t) {
		t.host.inflight++
		if t.untrusted = !t.host.trusted(); t.untrusted {
			s.hosts.untrustedInFlight++
		}
	}
	_, suspect := s.endless.out[t.seq]
	if w := s.endless.watch.seq(t.seq); w != nil && s.page(t) {
		w.leased = true
	}
	l := Lease{
		Suspect: suspect, Sketch: s.page(t) && s.endless.sketches(t.seq),
		Token: t.token, Rank: t.rank, Seq: t.seq, URL: t.URL, Asked: t.first, From: t.from, Depth: t.Depth,
		Kind: t.Kind, Start: t.start, Tries: t.tries, Unruled: t.unruled, Hops: t.hops, Seed: s.seed, Listed: t.Listed,
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
		return &Error{URL: c.Lease.URL, Err: ErrStale}
	}
	now := time.Now()
	if c.Ended.IsZero() {
		c.Ended = now
	}
	defer s.scheduleSite(t.host) // a task that moves goes to another
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
		s.commitRobots(t, c, now)
	case c.Outcome == Retry:
		if c.Unruled {
			t.origin.until = time.Time{}
			t.unruled++
		} else {
			t.tries++
			s.stats.Retries++
		}
		t.due = now.Add(c.After)
		if s.page(t) {
			s.stats.Pending++
		}
		s.requeue(t, true)
	case c.Outcome == Moved:
		s.requeue(t, false)
	case t.ranked:
		s.endRank(t.rank)
	}
	return nil
}

// release takes t back.
func (s *state) release(t *task, c *Commit) {
	delete(s.leases.open, t.token)
	t.token = 0
	if t.counted {
		t.counted = false
		s.stats.Leased--
		if t.Kind != External {
			s.flights.remove(t)
		}
	}
	// In an ordered crawl what is behind this task may wait for it with all
	// other places: it keeps its own until it has ended.
	if t.reserved && (!s.c.Ordered || c.Outcome != Retry && c.Outcome != Moved) {
		t.reserved = false
		s.places--
	}
	if t.untrusted { // kept until now: whatever follows an answer takes a worker, too
		t.untrusted = false
		s.hosts.untrustedInFlight--
	}
	s.answer(t, c)
	t.answered = false
}

// answer notes that the request of t is over: its host may be asked again, at
// the pace that the answer allows.
func (s *state) answer(t *task, c *Commit) {
	if t.answered {
		return
	}
	t.answered = true
	if s.asks(t) {
		t.host.inflight--
		if c.Answer != Unasked { // a robots.txt may come from elsewhere than its pages
			t.host.quick = (t.host.quick || !t.robots) && c.Answer != Broken && c.Ended.Sub(t.began) <= quickAnswer
		}
	}
	if t.turn {
		t.turn = false
		began, tries := t.began, t.tries
		if c.Took > 0 {
			began = c.Ended.Add(-c.Took)
		}
		if t.robots {
			tries = t.origin.tries
		}
		s.hosts.give(t.host, pace.Report{
			Answer: c.Answer, URL: t.URL, Retry: tries > 0, Wait: c.Wait, Began: began, Ended: c.Ended,
		})
	}
	if !t.robots && !t.Sitemap && c.Answer != Unasked {
		s.stats.Requests++
		if s.c.Delay > 0 {
			s.nextPage = c.Ended.Add(s.c.Delay)
		}
	}
}

// commitRobots notes what a robots.txt means for its host.
func (s *state) commitRobots(t *task, c *Commit, now time.Time) {
	t.host.hold--
	t.origin.answered = t.origin.answered || c.Answer != Broken
	if c.Outcome == Retry {
		t.origin.tries++
		t.host.notBefore(now.Add(c.After))
		return
	}
	t.origin.tries, t.host.ruled = 0, true
	t.origin.until = c.Robots.Until
	if !now.Before(t.origin.until) {
		t.origin.until = now.Add(time.Second) // else it would be asked for again at once, for ever
	}
	t.host.delay = max(t.host.delay, c.Robots.Delay)
	s.stats.Delay = max(s.stats.Delay, t.host.delay)
}

// record returns the change that c is.
func (s *state) record(t *task, c *Commit) (*record, error) {
	rec := &record{
		kind: endRecord, start: t.start, listed: t.Listed, outcome: c.Outcome, rule: c.Rule,
		seq: t.seq, depth: t.Depth, standing: t.Kind, hops: t.hops, status: c.Status, cost: c.Cost,
		asked: c.Answer != Unasked, blocked: len(c.Blocked), url: c.URL, origin: c.Origin, refused: c.Refused,
	}
	if t.Sitemap {
		rec.task = SitemapTask
	}
	if c.Rule >= RuleCount {
		return nil, &Error{URL: t.URL, Err: fmt.Errorf("%w: rule %d", ErrConfig, c.Rule)}
	}
	if c.Outcome == Moved {
		if len(c.Targets) != 1 {
			return nil, &Error{URL: t.URL, Err: fmt.Errorf("%w: moved to %d targets", ErrConfig, len(c.Targets))}
		}
		s.recordMove(rec, t, c)
		return rec, nil
	}
	if c.Outcome == Delivered && rec.task == PageTask {
		s.recordPage(rec, t, c)
	}
	rec.links = slices.Grow(s.links[:0], len(c.Targets))
	var b batch
	for i := range c.Targets {
		if i%touched == 0 {
			s.touch(c.Targets[i:min(i+touched, len(c.Targets))])
		}
		l := link{Target: c.Targets[i], entered: true}
		s.endless.mark(rec, &l, false)
		rule, promote := s.admit(&l, &b)
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

// touched is how many targets are fetched from memory together.
const touched = 64

// touch has the processor fetch what admit will look at.
func (s *state) touch(batch []Target) {
	var sum uint64
	for i := range batch {
		sum ^= s.seen.touch(batch[i].key())
	}
	s.sum = sum // else the compiler would leave it out
}

// recordMove fills in where t moved. A key of its own chain is no duplicate:
// that is how sites set cookies.
func (s *state) recordMove(rec *record, t *task, c *Commit) {
	to := link{Target: c.Targets[0]}
	to.Sitemap, to.Listed, to.Depth = t.Sitemap, t.Listed, t.Depth
	rec.rule, rec.hops, rec.text, rec.from = 0, t.hops+1, t.key(), t.from
	rec.first = t.first
	if rec.first == "" {
		rec.first = t.URL
	}
	t.first = rec.first
	if key := to.key(); key != t.key() && !slices.Contains(t.chain, key) && s.seen.has(key) {
		if _, to.promote = s.waiting.seq(key); !to.promote {
			rec.rule = RuleDuplicate
		}
	}
	rec.links = []link{to}
}

// requeue puts a task that was leased before back.
func (s *state) requeue(t *task, later bool) {
	switch {
	case s.c.Ordered:
		s.order.again = append(s.order.again, t)
		slices.SortFunc(s.order.again, func(a, b *task) int { return compareRanks(a, b) })
	case t.Rule != 0:
		s.closing = append(s.closing, t)
	case later:
		t.host.retries.set(t.due, t)
	default:
		t.host.again = slices.Insert(t.host.again, 0, t)
	}
	s.schedule(t.host)
}

// compareRanks orders tasks by rank; those without, of a replay, come first.
func compareRanks(a, b *task) int {
	switch {
	case a.ranked != b.ranked && a.ranked:
		return 1
	case a.ranked != b.ranked:
		return -1
	case a.rank < b.rank:
		return -1
	case a.rank > b.rank:
		return 1
	}
	return 0
}
