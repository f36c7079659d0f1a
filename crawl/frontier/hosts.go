// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"iter"
	"strings"
	"sync"
	"time"

	"example.com/curlew/crawl/internal/shape"
	"example.com/curlew/crawl/pace"
)

// hosts holds the hosts of one crawl. The invariant: each host and each origin is
// there once, and no request is made to a host without a turn.
type hosts struct {
	o      *Options
	turns  pace.Turns
	calls  *calls // of turns
	rests  bool   // as turns was told
	queued bool   // a turn was ever refused: others may wait for this crawl

	byName     map[string]*host
	byOrigin   map[string]*origin
	startHosts []*host         // of the start page, wherever it moved
	sweepAt    int             // hosts or origins, at which those that are idle are forgotten
	swept      int             // hosts that were forgotten
	taken      iter.Seq[*task] // tasks that keep their hosts: they are in no queue of a host

	ready     readyHosts
	replaying bool

	last struct { // of the URL that was entered last
		origin string
		host   *host
	}
}

func newHosts(o *Options, taken iter.Seq[*task]) hosts {
	scheduler := o.Hosts
	if scheduler == nil {
		scheduler = new(pace.Hosts)
	}
	h := hosts{
		o: o, byName: map[string]*host{}, byOrigin: map[string]*origin{}, taken: taken,
		calls: &calls{arrived: make(chan struct{}, 1)},
	}
	h.turns = scheduler.Join(pace.Party{Wake: h.calls.add, Forget: o.Forget})
	return h
}

// calls are hosts at which the scheduler has a turn, perhaps.
type calls struct {
	arrived chan struct{} // holds one; there are names
	mu      sync.Mutex
	names   []string // guarded by mu
}

func (c *calls) add(host string) {
	c.mu.Lock()
	c.names = append(c.names, host)
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

// take returns the names that have come.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := c.names
	c.names = nil
	return names
}

// ask asks for a turn at h.
func (s *hosts) ask(h *host) bool {
	v := s.turns.Take(h.name, pace.Claim{Delay: h.delay, Most: h.most})
	h.said, h.refused, h.asks = v, !v.Granted, v.At
	s.queued = s.queued || h.refused
	if v.Down {
		h.down, h.refused = true, false
	}
	return v.Granted
}

// give ends a turn at h.
func (s *hosts) give(h *host, r pace.Report) {
	r.Delay = h.delay
	s.turns.End(h.name, r)
	h.refused = false // a turn may be free
}

// begin notes that t is asked for.
func (s *hosts) begin(t *task) {
	t.host.inflight++
	if t.untrusted = !t.host.trusted(); t.untrusted {
		s.ready.untrustedInFlight++
	}
}

// answer notes that the request of t is over: its host may be asked again, at
// the pace that the answer allows.
func (s *hosts) answer(t *task, c *Commit) {
	if t.asks(s.o.List) {
		t.host.inflight--
		if c.Answer != pace.Unasked { // a robots.txt may come from elsewhere than its pages
			t.host.quick = (t.host.quick || !t.robots) && c.Answer != pace.Broken && c.Ended.Sub(t.began) <= quickAnswer
		}
	}
	if !t.turn {
		return
	}
	t.turn = false
	began, tries := t.began, t.tries
	if c.Took > 0 {
		began = c.Ended.Add(-c.Took)
	}
	if t.robots {
		tries = t.origin.tries
	}
	s.give(t.host, pace.Report{
		Answer: c.Answer, URL: t.URL, Retry: tries > 0, Wait: c.Wait, Began: began, Ended: c.Ended,
	})
}

// release is told that the lease of t has ended: whatever follows an answer takes
// a worker, too.
func (s *hosts) release(t *task) {
	if t.untrusted {
		t.untrusted = false
		s.ready.untrustedInFlight--
	}
}

// rule notes what a robots.txt means for its host.
func (s *hosts) rule(t *task, c *Commit, now time.Time) {
	t.host.hold--
	t.origin.answered = t.origin.answered || c.Answer != pace.Broken
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
}

// robotsFirst reports whether the robots.txt of t's origin is to be asked for
// before it: it is not known, or shows whether a host that may be down is there.
func (s *hosts) robotsFirst(t *task, now time.Time) bool {
	return s.needsRobots(t, now) || t.host.said.Probe && t.origin.answered
}

// needsRobots reports whether the robots.txt of t's origin must be known first.
func (s *hosts) needsRobots(t *task, now time.Time) bool {
	switch {
	case !t.asks(s.o.List), s.o.IgnoreRobots && (!t.start || s.o.NoSitemaps):
		return false
	}
	return !now.Before(t.origin.until)
}

// crowded reports whether hosts that are not trusted have so many requests in
// flight that one more might keep the others from their pages: any number of
// hosts can be silent for as long as a request may take. While the start page's
// host, or another that is trusted, has work, up to half of the workers are kept
// for it, and up to three quarters where it has work for them right now. Level is
// the greatest depth that may be leased.
func (s *hosts) crowded(level int) bool {
	if s.ready.untrustedInFlight == 0 {
		return false
	}
	half, most := s.o.Concurrency/2, s.o.Concurrency*3/4
	kept := min(len(s.ready.trusted), 1, half)
	for _, h := range s.startHosts {
		if n := h.load(level); n > 0 {
			kept = max(kept, min(h.slots(), max(n, half), most))
		}
	}
	return s.ready.untrustedInFlight >= s.o.Concurrency-kept
}

// rest tells the scheduler whether the crawl could use a turn.
func (s *hosts) rest(on bool) {
	if s.queued && s.rests != on {
		s.rests = on
		s.turns.Rest(on)
	}
}

// HostWait is a host that a crawl has to wait for.
type HostWait struct {
	Host  string
	Gap   time.Duration // the pause between requests; zero: as many at a time as are allowed
	Cause pace.Cause
	Until time.Time // the next request; zero: when another has ended
}

// maxWaits is how many hosts [Stats.Waits] names.
const maxWaits = 10

// waits returns some of the hosts that have to pause, the start page's first.
func (s *hosts) waits(now time.Time) (list []HostWait) {
	add := func(h *host) {
		until := later(h.asks, h.ready)
		if len(list) == maxWaits || h.said.Cause == "" || h.load(noDepth) == 0 || !h.refused && h.said.Gap == 0 {
			return
		}
		if !until.After(now) {
			until = time.Time{}
		}
		list = append(list, HostWait{Host: h.name, Gap: h.said.Gap, Cause: h.said.Cause, Until: until})
	}
	if !s.queued {
		return nil
	}
	for _, h := range s.startHosts {
		add(h)
	}
	for _, a := range s.ready.sleep.heap[:min(len(s.ready.sleep.heap), maxWaits)] {
		if !a.thing.start && a.thing.wake.Equal(a.at) {
			add(a.thing)
		}
	}
	return list
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// place finds the host and the origin of a task.
func (s *hosts) place(t *task) {
	name := shape.Origin(t.URL)
	t.host = s.host(shape.Host(name))
	o := s.byOrigin[name]
	if o == nil {
		o = &origin{host: t.host}
		s.byOrigin[name] = o
	}
	t.origin = o
}

// of returns what is known of the host of a URL: most often it is that of the URL
// before.
func (s *hosts) of(url string) *host {
	last := &s.last
	if n := len(last.origin); n > 0 && len(url) > n && url[n] == '/' && url[:n] == last.origin {
		return last.host
	}
	last.origin = shape.Origin(url)
	last.host = s.host(shape.Host(last.origin))
	return last.host
}

// host returns what is known of a host.
func (s *hosts) host(name string) *host {
	h := s.byName[name]
	if h == nil {
		s.sweep()
		name = strings.Clone(name)  // else it would keep the URLs of a whole record
		start := len(s.byName) == 0 // the start page comes first
		h = &host{name: name, start: start, most: s.o.perHost(start)}
		s.byName[name] = h
		if start {
			s.startHosts = append(s.startHosts, h)
		}
	}
	return h
}

// settleAt makes h one of the hosts of the start page.
func (s *hosts) settleAt(h *host) {
	if h.start {
		return
	}
	h.start, h.most = true, max(s.o.perHost(true), h.most)
	s.startHosts = append(s.startHosts, h)
}

// manyHosts is how many hosts are remembered at least, with all their origins.
const manyHosts = 4096

// sweep forgets the hosts that are idle, where there are many. Their robots.txt
// is asked for again if they are met again. It costs a pass over all, and waits
// until there are twice as many.
func (s *hosts) sweep() {
	n := max(len(s.byName), len(s.byOrigin))
	if n < max(s.sweepAt, manyHosts) || s.replaying {
		return
	}
	now := time.Now()
	busy := map[*host]bool{}
	for t := range s.taken {
		busy[t.host] = true
	}
	for name, h := range s.byName {
		if h.idle(now) && !busy[h] {
			delete(s.byName, name)
			s.swept++
		}
	}
	for name, o := range s.byOrigin {
		if s.byName[o.host.name] != o.host {
			delete(s.byOrigin, name)
		}
	}
	s.last.origin, s.last.host = "", nil
	s.sweepAt = 2 * max(len(s.byName), len(s.byOrigin))
}

// readyHosts holds the hosts that have something to do. The invariant: a host is in
// at most one queue. While it pauses it is in none, and its alarm is set.
type readyHosts struct {
	urgent            []*host       // ready now, before the others: their robots.txt has just come
	trusted           []*host       // ready now, in turn
	untrusted         []*host       // ready now, in turn with those: hosts that may be slow
	untrustedNext     bool          // the next turn is theirs
	untrustedInFlight int           // requests
	sleep             alarms[*host] // ready later
}

// len returns how many hosts are ready now.
func (r *readyHosts) len() int { return len(r.urgent) + len(r.trusted) + len(r.untrusted) }

// join puts h among the hosts that are ready now.
func (r *readyHosts) join(h *host) {
	h.queued = true
	switch {
	case h.ruled:
		r.urgent = append(r.urgent, h)
	case h.trusted():
		r.trusted = append(r.trusted, h)
	default:
		r.untrusted = append(r.untrusted, h)
	}
}

// wait sets the alarm of h.
func (r *readyHosts) wait(h *host, at time.Time) {
	if !h.wake.Equal(at) {
		h.wake = at
		r.sleep.set(at, h)
	}
}

// next takes the host out whose turn it is among those that are ready now: first
// those whose robots.txt has just come, then trusted and other ones by turns. It
// returns nil where there is none, or the others have all the workers that they
// may have: then it is crowded.
func (r *readyHosts) next(crowded bool) *host {
	from := &r.trusted
	switch {
	case len(r.urgent) > 0 && (!crowded || r.urgent[0].trusted()):
		from = &r.urgent
	case len(r.untrusted) > 0 && !crowded && (r.untrustedNext || len(r.trusted) == 0):
		from = &r.untrusted
	}
	if len(*from) == 0 {
		return nil
	}
	r.untrustedNext = from != &r.untrusted
	h := (*from)[0]
	*from = (*from)[1:]
	h.queued, h.ruled = false, false
	return h
}

// due takes out a host whose alarm is due; nil if there is none.
func (r *readyHosts) due(now time.Time) *host {
	for {
		h, set, ok := r.sleep.pop(now)
		if !ok {
			return nil
		}
		if h.wake.Equal(set) { // else it was set anew
			h.wake = time.Time{}
			return h
		}
	}
}

// sooner returns the earlier of at and the first alarm; zero is none.
func (r *readyHosts) sooner(at time.Time) time.Time {
	if next, ok := r.sleep.next(); ok && (at.IsZero() || next.Before(at)) {
		return next
	}
	return at
}
