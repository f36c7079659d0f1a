// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"fmt"
	"math"
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/weburl"
)

// sitemapSalt makes the keys of sitemap files different from those of pages.
const sitemapSalt = 0x9e3779b97f4a7c15

// state is the state of a frontier. Each of its parts maintains one invariant,
// and state coordinates them. Only apply changes what must survive, using a
// record that was just written or is replayed. Everything else (leases, pace,
// tries, robots.txt) starts again after a restart. A state is not safe for
// concurrent use.
type state struct {
	o         Options // with all defaults
	known     known
	endless   endless
	progress  progress
	quota     quota
	scheduler scheduler
	leases    leases
	records   records
	stats     Stats // without the counters of the parts
	changes   changes
	skips     skips
}

func newState(log Log, o Options) *state {
	o = o.withDefaults()
	s := &state{
		o: o, known: newKnown(o.Budget()), endless: newEndless(&o),
		progress: progress{byDepth: o.Levels},
		quota:    quota{limit: o.limit(), budget: o.Budget(), delay: o.Delay},
		leases:   newLeases(), records: records{log: log},
	}
	s.skips = skips{&s.known, &s.records}
	taken := func(yield func(*task) bool) {
		_ = s.leases.each(yield) && s.scheduler.taken(yield)
	}
	s.scheduler = scheduler{
		o: &s.o, progress: &s.progress, quota: &s.quota, pop: s.pop,
		hosts: newHosts(&s.o, taken), flights: flights{}, ranks: newRanks(orderedWindow * o.Concurrency),
	}
	return s
}

// kickoff returns the record that adds the start page.
func (o Options) kickoff(seed uint64) (*record, error) {
	u, err := weburl.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: URL: %w", ErrConfig, err)
	}
	start := scope.Candidate{URL: u.WithoutUser()}
	target := Target{URL: start.Address(), Key: shape.Fingerprint(seed, start.URL.AppendKey(nil, o.keys()))}
	return &record{kind: kickoffRecord, seed: seed, links: []link{{Target: target, start: true}}}, nil
}

// write appends rec to the log and then applies it. After an error nothing more
// may be written. t is the task that ended, or nil at the kickoff.
func (s *state) write(rec *record, payload []byte, t *task) error {
	defer s.records.done(rec)
	pos, err := s.records.append(rec, payload)
	if err == nil {
		s.apply(rec, pos, t)
	}
	return err
}

// apply makes the change in rec. t is the task that ended, or nil in a replay.
func (s *state) apply(rec *record, pos int64, t *task) {
	replaying := s.records.replaying
	if replaying && rec.kind == endRecord {
		if depth, suspect := s.endless.bring(rec.seq); suspect {
			s.countPending(depth)
		}
	}
	switch {
	case rec.kind == kickoffRecord:
		s.known.seed = rec.seed
	case rec.outcome == Moved:
		s.applyMove(rec, t)
		s.settle()
		return
	default:
		if replaying {
			rec.trail = s.endless.follow(rec, true)
		}
		s.applyEnd(rec)
	}
	s.records.hold(pos, len(rec.links))
	for i := range rec.links {
		l := &rec.links[i]
		if replaying {
			s.endless.mark(rec, l, s.endless.watch.n >= maxWatched && !l.promote)
		}
		s.enter(l, pos)
	}
	s.settle()
}

// applyEnd counts a task that has ended for good.
func (s *state) applyEnd(rec *record) {
	page, noted := rec.task == PageTask, s.known.noted.has(rec.seq)
	if s.records.replaying {
		s.known.gone.set(rec.seq)
		s.leases.settle(rec.seq)
		if page && !noted {
			s.stats.Pending--
		}
		if page && rec.asked {
			s.quota.requests++
		}
	}
	s.progress.end(rec)
	if page && !rec.asked && !noted && !s.o.List {
		s.known.entered-- // it made no request, so another may take its place
	}
	if rec.outcome == Delivered {
		s.quota.delivered++
		s.endless.end(rec)
	}
	s.endless.forget(rec.seq)
	s.stats.count(rec)
}

// applyMove gives a task another URL.
func (s *state) applyMove(rec *record, t *task) {
	replaying := s.records.replaying
	if replaying {
		s.quota.requests++
		s.known.gone.set(rec.seq)
		t = s.leases.move(rec)
	}
	s.stats.Moved++
	t.move(rec)
	s.scheduler.hosts.place(t)
	if t.start {
		s.scheduler.hosts.settleAt(t.host)
	}
	if rec.rule != 0 { // a duplicate, which is leased once more to be ended
		t.Rule = rec.rule
		s.known.joined.add(t, t.key())
		s.known.noted.set(t.seq)
		s.quota.vacate(t)
		if replaying && !t.Sitemap {
			s.stats.Pending--
		}
		return
	}
	to := &rec.links[0]
	if to.promote {
		s.withdraw(to.key())
	}
	s.known.seen.add(to.key())
	if !replaying && !t.Sitemap {
		s.stats.Pending++
	}
}

// withdraw removes the URL with this key from its queue, because it was found
// in another way or at a lesser depth.
func (s *state) withdraw(key uint64) {
	seq, waits := s.known.withdraw(key)
	w := s.endless.watch.key(key)
	switch {
	case w == nil && !waits:
		return
	case w == nil:
		s.progress.withdraw()
		if s.known.noted.has(seq) {
			return
		}
	default:
		seq = uint64(w.seq)
		s.known.gone.set(seq)
		suspect, depth := s.endless.withdraw(w), int(w.depth)
		s.endless.forget(seq)
		if suspect {
			return
		}
		s.progress.leave(depth)
	}
	s.stats.Pending--
	s.known.entered--
}

// enter adds a link to its queue.
func (s *state) enter(l *link, pos int64) {
	key := l.key()
	if l.promote {
		s.withdraw(key)
	}
	seq := s.known.enter(l)
	s.endless.observe(l, seq)
	e := entry{pos: pos, off: uint32(l.off), seq: seq} //nolint:gosec // G115: admit keeps it within limits
	if l.suspect {
		s.endless.putAside(e, l.URL, l.Depth)
		return
	}
	if open := s.progress.add(l); !open && s.progress.byDepth {
		s.known.waiting.date(key, seq)
	}
	if !l.Sitemap && l.Rule == 0 {
		s.stats.Pending++
	}
	s.scheduler.push(l, e)
}

// settle opens the next level if the current one has ended.
func (s *state) settle() {
	if s.progress.settle() {
		s.known.nextLevel(s.records.replaying)
		s.scheduler.scheduleAll()
	}
}

// over reports whether the crawl is over.
func (s *state) over() bool {
	switch {
	case s.quota.full():
		return s.scheduler.unasked.none()
	case s.progress.left() == 0:
		return true
	}
	return s.quota.spent() && len(s.leases.open)+len(s.scheduler.ranks.again) == 0
}

// load reads the task of an entry, and returns the offset of the next link in
// its record.
func (s *state) load(e entry) (t *task, next uint32, err error) {
	if t, next, err = s.records.task(e); err == nil {
		s.scheduler.hosts.place(t)
	}
	return t, next, err
}

// pop returns the task of the next entry that is not gone, or nil.
func (s *state) pop(from source) (*task, error) {
	for q := from.front(); q != nil && q.n > 0; q = from.front() {
		if err := s.skips.skip(q); err != nil {
			return nil, err
		}
		if q.n == 0 {
			continue
		}
		e := q.first()
		t, next, err := s.load(e)
		if err != nil {
			return nil, err
		}
		q.remove(1, next)
		s.records.hold(e.pos, -1)
		if !s.doubts(t, e) {
			return t, nil
		}
	}
	return nil, nil
}

// skips removes from queues the entries of pages that were withdrawn, or that were done
// before a replay.
type skips struct {
	known   *known
	records *records
}

// skip removes the entries at the start of q that are gone.
func (k *skips) skip(q *fifo) error {
	if k.drop(q); q.n == 0 {
		return nil
	}
	e, n := q.first(), k.goneFirst(q)
	for range n {
		var err error
		if e.off, err = k.records.skip(e); err != nil {
			return err
		}
	}
	k.remove(q, n, e.off)
	return nil
}

// drop removes the runs at the start of q whose entries are all gone. Their records are not
// read: after a replay, the pages that a crawl of many hosts has done are in as many
// records, which may no longer be in memory.
func (k *skips) drop(q *fifo) {
	for q.n > 0 {
		n := k.goneFirst(q)
		if n < q.run().n() {
			return
		}
		k.remove(q, n, 0)
	}
}

// goneFirst returns how many entries at the start of the first run of q are gone.
func (k *skips) goneFirst(q *fifo) (n uint32) {
	for run := q.run(); n < run.n() && k.known.gone.has(uint64(run.seq+n)); {
		n++
	}
	return n
}

// remove removes the first n entries of q, which are gone.
func (k *skips) remove(q *fifo, n, off uint32) {
	first := q.first()
	for i := range n {
		k.known.gone.clear(uint64(first.seq + i))
	}
	q.remove(n, off)
	k.records.hold(first.pos, -int(n))
}

// snapshot returns the counters.
func (s *state) snapshot() *Stats {
	st := s.stats
	hosts := &s.scheduler.hosts
	st.Delivered, st.Leased, st.Requests = s.quota.delivered, s.quota.leased, s.quota.requests
	st.Seen, st.Hosts, st.Level, st.Spent = s.known.seen.n, hosts.swept+len(hosts.byName), s.progress.level, s.quota.spent()
	st.Endless = s.endless.stats()
	st.Refused[scope.RuleEndless] += st.Endless.Left
	if s.progress.level == noDepth {
		st.Level = math.MaxInt
	}
	st.Waits = hosts.waits(time.Now())
	return &st
}

// count counts a task that has ended for good according to a record.
func (s *Stats) count(rec *record) {
	switch rec.outcome {
	case Delivered:
		s.Cost += rec.cost
		if rec.depth > s.Deepest.Depth {
			s.Deepest.Depth, s.Deepest.Pages = rec.depth, 0
		}
		if rec.depth == s.Deepest.Depth {
			s.Deepest.Pages++
		}
		if rec.status == 429 || rec.status >= 500 { // RFC 6585, 4 and RFC 9110, 15.6
			s.Unavailable++
		}
	case Failed:
		s.Failed++
		s.Cost += rec.cost
	case Duplicate:
		s.Refused[scope.RuleDuplicate]++
	case Sitemap:
		s.Sitemaps++
	}
	switch {
	case rec.task == SitemapTask && rec.rule == scope.RuleParse:
		s.Damaged++
	case rec.rule != 0:
		s.Refused[rec.rule]++
	}
	s.Blocked += rec.blocked
	for rule, n := range rec.refused {
		s.Refused[rule] += n
	}
	if rec.origin != "" {
		s.Origin = rec.origin
	}
}
