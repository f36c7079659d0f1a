// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"fmt"
	"math"
	"time"

	"example.com/curlew/internal/weburl"
)

// sitemapSalt keeps the keys of sitemap files apart from those of pages.
const sitemapSalt = 0x9e3779b97f4a7c15

// state is what the frontier knows. Whatever must survive is changed by apply
// alone, from a record, live or in a replay; the rest (leases, pace, tries,
// robots.txt) begins anew. It is not safe for concurrent use.
type state struct {
	c      Config // with defaults
	log    Log
	keys   weburl.KeyOptions
	limit  int
	budget int

	seed    uint64
	seen    table
	next    uint64 // Seq of the next URL
	entered int    // pages that may ever be asked for
	mapped  int    // sitemap files entered
	noted   bitset // Seq of those that will not be asked for
	gone    bitset // Seq of entries to be skipped in their queue
	waiting table  // level by level: Seq of what waits for the next level, by key
	endless endless
	flights flights

	progress progress
	places   int // under the limit, held by tasks
	stats    Stats

	hosts    hosts
	leases   leases
	notes    queue     // entries to be ended without a request
	closing  []*task   // tasks to be ended without a request
	nextPage time.Time // Delay: the next page is not asked for before

	order struct { // instead of hosts' queues, where Ordered
		pages    queue
		sitemaps fifo
		again    []*task // have a rank, and come again
		head     *task   // taken from a queue, without a rank yet
		next     uint64  // rank
		floor    uint64  // all ranks below have ended
		ended    map[uint64]bool
	}

	changed   chan struct{} // nil where nobody waits for a change
	replaying bool
	failed    error // the log can no longer be written or read
	headCache headCache

	// Kept from one commit to the next.
	buf   []byte
	links []link
	sum   uint64
}

// task is a URL that has been taken from its queue.
type task struct {
	link
	seq       uint64
	from      string
	above     uint64 // fingerprint of the body of from
	first     string // where it was before it moved
	hops      int
	chain     []uint64 // keys that it had before it moved
	tries     int
	unruled   int
	due       time.Time // of a retry
	host      *host
	origin    *origin
	robots    bool // not a URL of the frontier but the robots.txt of origin
	rank      uint64
	ranked    bool
	probe     bool   // robots.txt of a host that may be down
	token     uint64 // zero while it is not leased
	began     time.Time
	turn      bool // it has a turn at its host
	untrusted bool // its host was not trusted when it was leased
	answered  bool // its request is over, though its lease is open
	reserved  bool // holds a place under the limit
	counted   bool // among the leased pages
	down      bool
}

func newState(log Log, c Config) *state {
	c = c.withDefaults()
	s := &state{
		c: c, log: log, progress: progress{byDepth: c.MaxDepth != nil || c.Ordered},
		keys: c.keys(), limit: c.limit(), budget: c.budget(),
		waiting: table{dated: true}, hosts: newHosts(&c),
		leases:  leases{open: map[uint64]*task{}, moved: map[uint64]*task{}},
		endless: newEndless(c.Traps), flights: flights{},
	}
	s.order.ended = map[uint64]bool{}
	return s
}

// kickoff enters the start page.
func (s *state) kickoff(seed uint64) error {
	u, err := weburl.Parse(s.c.URL)
	if err != nil {
		return fmt.Errorf("%w: URL: %w", ErrConfig, err)
	}
	c := candidate{url: u.WithoutUser()}
	target := Target{URL: c.address(), Key: fingerprint(seed, c.url.AppendKey(nil, s.keys))}
	return s.write(&record{kind: kickoffRecord, seed: seed, links: []link{{Target: target, start: true}}}, nil, nil)
}

// keptLinks bounds what is kept from one commit to the next.
const keptLinks = 1024

// write appends rec to the log, then applies it. After an error the log is not
// to be written to again.
func (s *state) write(rec *record, payload []byte, t *task) error {
	s.buf = rec.append(s.buf[:0])
	if cap(rec.links) <= keptLinks {
		s.links = rec.links
		defer clear(s.links)
	}
	pos, err := s.log.Append(s.buf, payload)
	if err == nil && pos > maxPos {
		err = fmt.Errorf("%w: position %d", ErrFull, pos)
	}
	if err != nil {
		s.failed = err
		return err
	}
	s.apply(rec, pos, t)
	return nil
}

// apply makes the change that rec is. t is the task that ended; nil in a replay.
func (s *state) apply(rec *record, pos int64, t *task) {
	switch {
	case rec.kind == kickoffRecord:
		s.seed = rec.seed
		s.stats.Level = 0
	case rec.outcome == Moved:
		s.applyMove(rec, t)
		s.settle()
		return
	default:
		if s.replaying {
			s.endless.bring(s, rec.seq)
			rec.trail = s.endless.follow(rec, true)
		}
		s.applyEnd(rec)
	}
	s.hold(pos, len(rec.links))
	for i := range rec.links {
		l := &rec.links[i]
		if s.replaying {
			s.endless.mark(rec, l, s.endless.watch.n >= maxWatched && !l.promote)
		}
		s.enter(l, pos)
	}
	s.settle()
}

// hold tells a log that forgets how many links of a record wait more than did.
func (s *state) hold(pos int64, n int) {
	if m, ok := s.log.(*memoryLog); ok {
		m.hold(pos, n)
	}
}

// applyEnd counts a task that has ended for good.
func (s *state) applyEnd(rec *record) {
	if s.replaying {
		s.gone.set(rec.seq)
		delete(s.leases.moved, rec.seq)
		if rec.task == PageTask && !s.noted.has(rec.seq) {
			s.stats.Pending--
		}
	}
	depth := rec.depth
	if rec.task == SitemapTask {
		depth = 0 // see waitsAt
	}
	s.progress.leave(depth)
	if rec.task == SitemapTask || rec.start {
		s.progress.files--
	}
	s.progress.begun = s.progress.begun || rec.start
	if rec.task == PageTask && !rec.asked && !s.noted.has(rec.seq) && !s.c.List {
		s.entered-- // it made no request: another may come in its place
	}
	switch rec.outcome {
	case Delivered:
		s.stats.Delivered++
		s.stats.Cost += rec.cost
		if rec.suspect {
			s.endless.taken++
		}
		if rec.text != 0 {
			s.endless.voids.add(rec.url, rec.text, rec.depth)
		}
	case Failed:
		s.stats.Failed++
		s.stats.Cost += rec.cost
	case Duplicate:
		s.stats.Refused[RuleDuplicate]++
	case Sitemap:
		s.stats.Sitemaps++
	}
	s.endless.forget(rec.seq)
	if rec.rule != 0 {
		s.stats.Refused[rec.rule]++
	}
	if s.replaying && rec.asked && rec.task == PageTask {
		s.stats.Requests++
	}
	s.stats.Blocked += rec.blocked
	for rule, n := range rec.refused {
		s.stats.Refused[rule] += n
	}
	if rec.origin != "" {
		s.stats.Origin = rec.origin
	}
}

// applyMove gives a task another URL.
func (s *state) applyMove(rec *record, t *task) {
	if s.replaying {
		s.stats.Requests++
		s.endless.bring(s, rec.seq)
		s.gone.set(rec.seq)
		if t = s.leases.moved[rec.seq]; t == nil {
			t = &task{seq: rec.seq, from: rec.from, first: rec.first}
			t.start, t.Depth = rec.start, rec.depth
			s.leases.moved[rec.seq] = t
		}
	}
	s.stats.Moved++
	to := &rec.links[0]
	start, depth := t.start, t.Depth
	t.chain = append(t.chain, rec.text)
	t.link = *to
	t.start, t.Depth = start, depth
	t.hops, t.tries, t.unruled, t.due = rec.hops, 0, 0, time.Time{}
	s.place(t)
	if start {
		s.settleAt(t.host)
	}
	if rec.rule != 0 { // a duplicate: it comes once more, to be ended
		t.Rule = rec.rule
		s.noted.set(t.seq)
		if t.reserved {
			t.reserved = false
			s.places--
		}
		if s.replaying && !t.Sitemap {
			s.stats.Pending--
		}
		return
	}
	if to.promote {
		s.withdraw(to.key())
	}
	s.seen.add(to.key())
	if !s.replaying && !t.Sitemap {
		s.stats.Pending++
	}
}

// key returns the target's key in the frontier's table.
func (t *Target) key() uint64 {
	if t.Sitemap {
		return t.Key ^ sitemapSalt
	}
	return t.Key
}

// waitsAt is the depth at which a target waits: sitemap files come with the
// first pages, whatever their nesting.
func (t *Target) waitsAt() int {
	if t.Sitemap {
		return 0
	}
	return t.Depth
}

// withdraw takes what waits for the next level under key out of its queue.
func (s *state) withdraw(key uint64) {
	if w := s.endless.watch.key(key); w != nil {
		s.withdrawWatched(w)
		return
	}
	seq, ok := s.waiting.seq(key)
	if !ok {
		return
	}
	s.waiting.date(key, noSeq)
	s.gone.set(seq)
	s.progress.later--
	if !s.noted.has(seq) {
		s.stats.Pending--
		s.entered--
	}
}

// enter puts a link into its queue.
func (s *state) enter(l *link, pos int64) {
	key := l.key()
	if l.promote {
		s.withdraw(key)
	}
	if !l.entered {
		s.seen.add(key)
	}
	if l.suspect || l.trail != nil && s.endless.watch.n < maxWatched {
		s.endless.watch.add(watched{key: key, seq: uint32(s.next), depth: shallow(l.Depth), trail: l.trail, suspect: l.suspect}) //nolint:gosec // G115: admit keeps it in bounds
	}
	e := entry{pos: pos, off: uint32(l.off), seq: uint32(s.next)} //nolint:gosec // G115: admit keeps both in bounds
	if l.suspect {
		s.next++
		s.setAside(e, l.URL, l.Depth)
		return
	}
	depth := l.waitsAt()
	if open := s.progress.enter(depth); !open && s.progress.byDepth {
		s.waiting.date(key, uint32(s.next)) //nolint:gosec // G115: admit keeps it in bounds
	}
	if l.Sitemap || l.start {
		s.progress.files++
	}
	switch {
	case l.Sitemap:
		s.mapped++
	case l.Rule != 0:
		s.noted.set(s.next)
	default:
		s.entered++
		s.stats.Pending++
	}
	s.next++
	switch {
	case s.c.Ordered && l.Sitemap:
		s.order.sitemaps.push(e)
	case s.c.Ordered:
		s.order.pages.push(depth, e)
	case l.Rule != 0:
		s.notes.push(depth, e)
	default:
		h := s.hostOf(l.URL)
		if l.Sitemap {
			h.sitemaps.push(e)
		} else {
			h.pages.push(depth, e)
		}
		s.schedule(h)
	}
}

// settle opens the next level where the present one has ended.
func (s *state) settle() {
	if !s.progress.settle() {
		return
	}
	s.waiting = table{dated: true}
	if s.replaying {
		s.waiting.collect()
	}
	for _, h := range s.hosts.byName {
		s.schedule(h)
	}
}

// batch is the targets of a commit that are admitted.
type batch struct {
	all, pages, files, suspects int
	promoted                    map[uint64]bool // keys; made for the first
}

func (b *batch) add(l *link, promote bool) {
	b.all++
	if promote {
		if b.promoted == nil {
			b.promoted = map[uint64]bool{}
		}
		b.promoted[l.key()] = true
	}
	switch {
	case l.Sitemap:
		b.files++
	case l.suspect:
		b.suspects++
	case l.Rule == 0:
		b.pages++
	}
}

// admit decides what becomes of a target of a commit with those of b before it.
func (s *state) admit(l *link, b *batch) (rule Rule, promote bool) {
	t := &l.Target
	key := t.key()
	at := s.seen.look(key)
	if at.there {
		if s.endless.better(l) && !b.promoted[key] {
			return 0, true
		}
		if _, waits := s.waiting.seq(key); waits && t.waitsAt() <= s.progress.level && !b.promoted[key] {
			return 0, true
		}
		return RuleDuplicate, false
	}
	switch {
	case t.Sitemap && (t.Depth > maxNesting || s.mapped+b.files >= maxSitemaps):
		return RuleRoom, false
	case t.Sitemap || t.Rule != 0:
	case l.suspect:
		if s.endless.aside.len()+b.suspects >= maxAside || s.next+uint64(b.all) >= maxSeq { //nolint:gosec // G115: a commit's length
			return RuleEndless, false
		}
	case s.entered+b.pages >= s.budget || s.next+uint64(b.all) >= maxSeq: //nolint:gosec // G115: a commit's length
		return RuleRoom, false
	}
	s.seen.put(at)
	return 0, false
}

// over reports whether the crawl is over.
func (s *state) over() bool {
	switch {
	case s.stats.Delivered >= s.limit:
		return !s.notes.has(noDepth) && len(s.closing) == 0
	case s.progress.left() == 0:
		return true
	}
	return s.spent() && len(s.leases.open)+len(s.order.again) == 0
}

// spent reports whether no page may be asked for any more.
func (s *state) spent() bool { return s.stats.Requests >= s.budget }

// load reads the task of an entry, nil where only the place of the next link in
// the record is wanted, which it returns too.
func (s *state) load(e entry, skip bool) (t *task, next uint32, err error) {
	head, err := s.headCache.get(s.log, e.pos)
	if err != nil {
		return nil, 0, err
	}
	if skip {
		next, err = skipLink(head.b, int(e.off))
		return nil, next, err
	}
	l, next, err := decodeLink(head.b, int(e.off), head.home)
	if err != nil {
		return nil, 0, err
	}
	t = &task{link: l, seq: uint64(e.seq), from: head.from, above: head.body}
	s.place(t)
	return t, next, nil
}

// headCache keeps the records that were read last: those that wait come in runs.
type headCache struct {
	last [4]head
	turn int
}

// head is that of a record which entered links.
type head struct {
	pos  int64
	b    []byte
	from string // the page that named them; empty where that was none
	body uint64 // of that page
	home home   // of its links
}

func (h *headCache) get(log Log, pos int64) (*head, error) {
	for i := range h.last {
		if k := &h.last[i]; k.pos == pos && k.b != nil {
			return k, nil
		}
	}
	b, err := log.Head(pos)
	if err != nil {
		return nil, err
	}
	from, home, body, err := decodeFrom(b)
	if err != nil {
		return nil, err
	}
	h.turn = (h.turn + 1) % len(h.last)
	h.last[h.turn] = head{pos, b, from, body, home}
	return &h.last[h.turn], nil
}

// asks reports whether t takes a request.
func (s *state) asks(t *task) bool {
	return t.robots || t.Sitemap || s.page(t) && (!s.c.List || t.start)
}

// page reports whether t may become a delivered page.
func (s *state) page(t *task) bool {
	return !t.robots && !t.Sitemap && t.Rule == 0 && !t.down
}

// needsRobots reports whether the robots.txt of t's origin must be known first.
func (s *state) needsRobots(t *task, now time.Time) bool {
	switch {
	case !s.asks(t), s.c.Robots == RobotsIgnore && (!t.start || s.c.Sitemap == SitemapSkip):
		return false
	}
	return !now.Before(t.origin.until)
}

// gate reports whether a page may be leased now; where only time is missing, at
// says when.
func (s *state) gate(now time.Time) (open bool, at time.Time) {
	switch {
	case s.stats.Delivered+s.places >= s.limit, s.stats.Requests+s.stats.Leased >= s.budget:
		return false, time.Time{}
	case s.c.Delay > 0 && s.stats.Leased > 0:
		return false, time.Time{}
	case s.pausing(now):
		return false, s.nextPage
	}
	return true, time.Time{}
}

// pausing reports whether the crawl's Delay is not over.
func (s *state) pausing(now time.Time) bool { return s.c.Delay > 0 && now.Before(s.nextPage) }

// snapshot returns the counters.
func (s *state) snapshot() *Stats {
	st := s.stats
	st.Seen, st.Hosts, st.Level, st.Spent = s.seen.n, s.hosts.swept+len(s.hosts.byName), s.progress.level, s.spent()
	st.Endless = s.endless.stats()
	st.Refused[RuleEndless] += st.Endless.Left
	if s.progress.level == noDepth {
		st.Level = math.MaxInt
	}
	st.Waits = s.hosts.waits(time.Now())
	return &st
}
