// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"strings"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
)

// hosts are those of one crawl. A host is in at most one queue, and in none
// while it pauses.
type hosts struct {
	turns  pace.Turns
	calls  *calls // of turns
	rests  bool   // as turns was told
	queued bool   // a turn was ever refused: others may wait for this crawl

	byName   map[string]*host
	byOrigin map[string]*origin
	sweepAt  int // hosts or origins, at which those that are idle are forgotten
	swept    int // hosts that were forgotten

	startHosts        []*host       // of the start page, wherever it moved
	urgent            []*host       // ready now, before the others: their robots.txt has just come
	trusted           []*host       // ready now, in turn
	untrusted         []*host       // ready now, in turn with those: hosts that may be slow
	untrustedNext     bool          // the next turn is theirs
	untrustedInFlight int           // requests
	sleep             alarms[*host] // ready later

	last struct { // of the URL that was entered last
		origin string
		host   *host
	}
}

func newHosts(c *Config) hosts {
	scheduler := c.Hosts
	if scheduler == nil {
		scheduler = new(pace.Hosts)
	}
	h := hosts{byName: map[string]*host{}, byOrigin: map[string]*origin{}, calls: &calls{arrived: make(chan struct{}, 1)}}
	h.turns = scheduler.Join(pace.Party{Wake: h.calls.add, Forget: c.Forget})
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
	for _, a := range s.sleep.heap[:min(len(s.sleep.heap), maxWaits)] {
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
func (s *state) place(t *task) {
	name := originOf(t.URL)
	t.host = s.host(hostOf(name))
	o := s.hosts.byOrigin[name]
	if o == nil {
		o = &origin{host: t.host}
		s.hosts.byOrigin[name] = o
	}
	t.origin = o
}

// hostOf returns what is known of the host of a URL: most often it is that of
// the URL before.
func (s *state) hostOf(url string) *host {
	last := &s.hosts.last
	if n := len(last.origin); n > 0 && len(url) > n && url[n] == '/' && url[:n] == last.origin {
		return last.host
	}
	last.origin = originOf(url)
	last.host = s.host(hostOf(last.origin))
	return last.host
}

// host returns what is known of a host.
func (s *state) host(name string) *host {
	h := s.hosts.byName[name]
	if h == nil {
		s.sweep()
		name = strings.Clone(name)        // else it would keep the URLs of a whole record
		start := len(s.hosts.byName) == 0 // the start page comes first
		h = &host{name: name, start: start, most: s.c.perHost(start)}
		s.hosts.byName[name] = h
		if start {
			s.hosts.startHosts = append(s.hosts.startHosts, h)
		}
	}
	return h
}

// settleAt makes h one of the hosts of the start page.
func (s *state) settleAt(h *host) {
	if h.start {
		return
	}
	h.start, h.most = true, max(s.c.perHost(true), h.most)
	s.hosts.startHosts = append(s.hosts.startHosts, h)
}

// manyHosts is how many hosts are remembered at least, with all their origins.
const manyHosts = 4096

// sweep forgets the hosts that are idle, where there are many. Their robots.txt
// is asked for again if they are met again. It costs a pass over all, and waits
// until there are twice as many.
func (s *state) sweep() {
	all := &s.hosts
	n := max(len(all.byName), len(all.byOrigin))
	if n < max(all.sweepAt, manyHosts) || s.replaying {
		return
	}
	now := time.Now()
	busy := map[*host]bool{}
	for _, t := range s.leases.open {
		busy[t.host] = true
	}
	for _, t := range s.order.again {
		busy[t.host] = true
	}
	for _, t := range s.closing {
		busy[t.host] = true
	}
	if s.order.head != nil {
		busy[s.order.head.host] = true
	}
	for name, h := range all.byName {
		if h.idle(now) && !busy[h] {
			delete(all.byName, name)
			all.swept++
		}
	}
	for name, o := range all.byOrigin {
		if all.byName[o.host.name] != o.host {
			delete(all.byOrigin, name)
		}
	}
	all.last.origin, all.last.host = "", nil
	all.sweepAt = 2 * max(len(all.byName), len(all.byOrigin))
}
