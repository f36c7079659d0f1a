// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"time"
)

// Common is what several processes know of hosts together. A process may make requests
// to a host as long as Common lets it hold the host. If no process needs a pause there,
// all of them hold the host at the same time. Otherwise one process holds it, and gives
// it to the next one after a turn.
//
// Only Robots and KeepRobots may block. Common must be safe for concurrent use.
type Common interface {
	// Attach sets the function that is told of grants. It is called once, before
	// anything else. The function may call Ask.
	Attach(told func(host string, g Grant))

	// Ask says what this process needs of a host. The answer comes as a Grant. Several
	// calls may be answered by one Grant, which then is about the last of them.
	Ask(host string, n Need)

	// Fenced reports whether other processes may take this one for dead. It then must
	// not make requests. Afterwards it is told that it holds no host any more.
	Fenced() bool

	// Robots returns the robots.txt that a process has kept for a key, or nil if there
	// is none that has not expired.
	Robots(ctx context.Context, key string) *Robots

	// KeepRobots keeps a robots.txt for all processes.
	KeepRobots(ctx context.Context, key string, r *Robots)
}

// Need is what a process needs of a host.
type Need struct {
	// Use says that the process makes requests to the host, or waits to make them.
	// Otherwise it gives up the host.
	Use bool

	// Yield gives the host to the process that has waited longest. With Use, this
	// process then waits for it again.
	Yield bool

	// Gap is the pause that this process needs between requests. If it is not zero for
	// one process, only one process holds the host at a time.
	Gap time.Duration

	// Last is the end of the last answer to this process, and Ready the earliest time of
	// the next request by any process. Either may be zero.
	Last, Ready time.Time

	// Rate is the adaptive pace of the host if this process has changed it, or nil.
	Rate *Rate
}

// Rate is the adaptive pace of a host.
type Rate struct {
	Gap time.Duration // pause between requests
	Cap int           // allowed requests in flight; zero means no limit
}

// Grant says whether a process may make requests to a host.
type Grant struct {
	Held   bool          // it may
	Alone  bool          // no other process may at the same time
	Wanted bool          // it must yield after a turn or, if it is not alone, when it has none in flight
	Last   time.Time     // latest end of an answer that a process has told
	Ready  time.Time     // earliest time of the next request by any process
	Gap    time.Duration // the longest pause that other processes need
	Own    time.Duration // the pause of this process that the others know of
	Rate   Rate          // adaptive pace that a process has told last
}

// hold is what this process knows of the use of one host by others. Its zero value
// means that it has not asked.
type hold struct {
	of    Common // nil if there is only one process
	asked bool
	gap   time.Duration // that was asked for
	seen  time.Duration // longest gap of a claim since the last yield
	rate  Rate          // that was told or heard last
	grant Grant
	ready time.Time // end of the pause that all processes keep
	came  time.Time // time of the grant
	turns int       // that were taken since then
}

// allows reports whether this process may make a request that itself needs the gap own.
// The others must know of the gap, in case this process dies.
func (d *hold) allows(own time.Duration) bool {
	switch {
	case d.of == nil:
		return true
	case !d.grant.Held || d.grant.Own < own || d.of.Fenced():
		return false
	case max(own, d.grant.Gap) > 0 && !d.grant.Alone:
		return false
	}
	return !d.grant.Wanted || d.turns == 0
}

// lease is how long a process that others wait for may keep a host for a party that was
// told of its turn and does not take it.
const lease = time.Second

// request asks for a host with a gap, unless it was asked for.
func (h *host) request(gap time.Duration) {
	d := &h.hold
	d.seen = max(d.seen, gap)
	if d.of == nil || d.asked && gap <= d.gap {
		return
	}
	d.asked, d.gap = true, max(gap, d.gap)
	d.of.Ask(h.name, Need{Use: true, Gap: d.gap})
}

// told records a grant.
func (a *Hosts) told(name string, g Grant) {
	now := time.Now()
	a.mu.Lock()
	h := a.hosts[name]
	if h == nil || !h.hold.asked {
		a.mu.Unlock()
		return // it was given up
	}
	d := &h.hold
	if g.Held && !d.grant.Held {
		d.turns, d.came = 0, now
	}
	d.grant = g
	d.ready, h.last = later(d.ready, g.Ready), later(h.last, g.Last)
	if g.Rate != d.rate { // another process has judged the host later
		d.rate = g.Rate
		h.pace.gap, h.pace.cap = g.Rate.Gap, g.Rate.Cap
	}
	h.yield(now)
	calls := h.next(now)
	a.mu.Unlock()
	tell(calls)
}

// yield gives the host to another process that waits for it, if this one has had its
// turn or has no use for it.
func (h *host) yield(now time.Time) {
	d := &h.hold
	g := d.grant
	if d.of == nil || !g.Held || !g.Wanted || h.inflight > 0 {
		return
	}
	gap, wants := d.seen, false
	for _, w := range h.waiters {
		gap = max(gap, h.own(w.claim))
		wants = wants || !w.party.rests
	}
	if g.Alone && wants && d.turns == 0 && now.Sub(later(d.came, d.ready)) < lease {
		return
	}
	d.grant, d.gap, d.seen, d.asked = Grant{Gap: g.Gap}, gap, 0, len(h.waiters) > 0
	d.of.Ask(h.name, Need{Use: d.asked, Yield: true, Gap: gap, Last: h.last, Ready: h.opens(Claim{})})
}

// report tells other processes what an answer has changed.
func (h *host) report(r *Report) {
	d := &h.hold
	if d.of == nil || !d.asked {
		return
	}
	if rate := (Rate{h.pace.gap, h.pace.cap}); rate != d.rate || r.Wait > 0 {
		d.rate, d.gap = rate, max(d.gap, rate.Gap)
		d.of.Ask(h.name, Need{Use: true, Gap: d.gap, Ready: h.retry, Rate: &rate})
	}
}

// giveUp tells other processes that this one forgets the host.
func (h *host) giveUp() {
	if d := &h.hold; d.of != nil && d.asked {
		d.asked = false
		d.of.Ask(h.name, Need{Yield: true, Last: h.last, Ready: h.opens(Claim{})})
	}
}
