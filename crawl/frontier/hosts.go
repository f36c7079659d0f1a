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

// hosts contains the hosts of one crawl. Invariant: each host and each origin
// exists once, and every request to a host has a turn.
type hosts struct {
	o      *Options
	turns  pace.Turns
	calls  *calls // wake-ups for turns
	rests  bool   // whether turns was told that this crawl rests
	queued bool   // a turn was refused, so others may wait for this crawl

	byName     map[string]*host
	byOrigin   map[string]*origin
	startHosts []*host         // hosts of the start page, before and after redirects
	sweepAt    int             // number of hosts or origins at which idle ones are dropped
	swept      int             // number of hosts that were dropped
	taken      iter.Seq[*task] // tasks that are in no queue of a host but need their host

	ready     readyHosts
	replaying bool

	last struct { // cache for the URL that was entered last
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

// calls collects the hosts at which the scheduler may have a turn.
type calls struct {
	arrived chan struct{} // signals that there are names; capacity 1
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

// take returns the collected names.
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

// give returns a turn at h.
func (s *hosts) give(h *host, r pace.Report) {
	r.Delay = h.delay
	s.turns.End(h.name, r)
	h.refused = false // a turn may be free
}

// begin records that t is being requested.
func (s *hosts) begin(t *task) {
	t.host.inflight++
	if t.untrusted = !t.host.trusted(); t.untrusted {
		s.ready.untrustedInFlight++
	}
}

// answer records that the request of t is over, so that its host can be
// requested again at the pace that the answer allows.
func (s *hosts) answer(t *task, c *Commit) {
	if t.asks(s.o.List) {
		t.host.inflight--
		if c.Answer != pace.Unasked { // a robots.txt may come from another host than its pages
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

// release records that the lease of t has ended. The requests that follow an
// answer need a worker as well.
func (s *hosts) release(t *task) {
	if t.untrusted {
		t.untrusted = false
		s.ready.untrustedInFlight--
	}
}

// rule records what a robots.txt means for its host.
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
		t.origin.until = now.Add(time.Second) // otherwise it would be requested again at once, for ever
	}
	t.host.delay = max(t.host.delay, c.Robots.Delay)
}

// robotsFirst reports whether the robots.txt of t's origin must be requested
// first, because it is not known or because it shows whether a host is up.
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

// crowded reports whether untrusted hosts have so many requests in flight that
// another one might keep other hosts from getting workers. Any number of hosts
// can be silent for as long as a request may take. While a trusted host, such
// as that of the start page, has work, up to half of the workers are kept for
// it, and up to three quarters if it has work for them right now. level is the
// greatest depth that may be leased.
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

// rest tells the scheduler whether the crawl has a use for a turn.
func (s *hosts) rest(on bool) {
	if s.queued && s.rests != on {
		s.rests = on
		s.turns.Rest(on)
	}
}

// HostWait describes a host for which a crawl has to wait.
type HostWait struct {
	Host  string
	Gap   time.Duration // pause between requests; zero if several may be in flight
	Cause pace.Cause
	Until time.Time // time of the next request; zero means when another has ended
}

// maxWaits is the number of hosts in [Stats.Waits].
const maxWaits = 10

// waits returns some of the hosts that must pause, first those of the start
// page.
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

// place sets the host and the origin of a task.
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

// of returns the host of a URL. Usually it is that of the previous URL.
func (s *hosts) of(url string) *host {
	last := &s.last
	if n := len(last.origin); n > 0 && len(url) > n && url[n] == '/' && url[:n] == last.origin {
		return last.host
	}
	last.origin = shape.Origin(url)
	last.host = s.host(shape.Host(last.origin))
	return last.host
}

// host returns the host with a name, and creates it if necessary.
func (s *hosts) host(name string) *host {
	h := s.byName[name]
	if h == nil {
		s.sweep()
		name = strings.Clone(name)  // a substring would keep the URLs of a whole record in memory
		start := len(s.byName) == 0 // the start page is the first
		h = &host{name: name, start: start, most: s.o.perHost(start)}
		s.byName[name] = h
		if start {
			s.startHosts = append(s.startHosts, h)
		}
	}
	return h
}

// settleAt adds h to the hosts of the start page.
func (s *hosts) settleAt(h *host) {
	if h.start {
		return
	}
	h.start, h.most = true, max(s.o.perHost(true), h.most)
	s.startHosts = append(s.startHosts, h)
}

// manyHosts is the number of hosts that are always kept, with all their
// origins.
const manyHosts = 4096

// sweep drops idle hosts if there are many. Their robots.txt is requested again
// if they occur again. It visits all hosts, so it then waits until their number
// has doubled.
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

// readyHosts contains the hosts that have work. Invariant: a host is in at most
// one queue. While it pauses it is in none, and its alarm is set.
type readyHosts struct {
	urgent            []*host       // ready now, before all others, because their robots.txt has just arrived
	trusted           []*host       // ready now, in order
	untrusted         []*host       // ready now, alternating with the trusted ones; hosts that may be slow
	untrustedNext     bool          // the next host is taken from untrusted
	untrustedInFlight int           // number of requests
	sleep             alarms[*host] // ready later
}

// len returns the number of hosts that are ready now.
func (r *readyHosts) len() int { return len(r.urgent) + len(r.trusted) + len(r.untrusted) }

// join adds h to the hosts that are ready now.
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

// next takes the next host that is ready now: first those whose robots.txt has
// just arrived, then trusted and untrusted hosts alternately. It returns nil if
// there is none. If crowded is set, it takes no untrusted host, because these
// already have all the workers that they may have.
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

// due takes a host whose alarm is due, or returns nil.
func (r *readyHosts) due(now time.Time) *host {
	for {
		h, set, ok := r.sleep.pop(now)
		if !ok {
			return nil
		}
		if h.wake.Equal(set) { // otherwise the alarm was set again
			h.wake = time.Time{}
			return h
		}
	}
}

// sooner returns the earlier of at and the first alarm. Zero means none.
func (r *readyHosts) sooner(at time.Time) time.Time {
	if next, ok := r.sleep.next(); ok && (at.IsZero() || next.Before(at)) {
		return next
	}
	return at
}
