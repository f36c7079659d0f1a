// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"
)

const (
	// patience is how long other parties wait for one that was told of its
	// turn.
	patience = 100 * time.Millisecond

	manyHosts = 4096             // number of hosts that are always kept
	mostHosts = 1 << 16          // number above which the pace of unused hosts is dropped
	longIdle  = 10 * time.Minute // time after which the pace of a host is dropped
	manyTurns = 64               // number of parties whose last turn at a host is stored
	watchers  = 8                // parties after those whose turn it is that are woken as well, in case these do not come

	// mostPause is the longest pause that a host may ask for.
	mostPause = 10 * time.Minute
)

// Hosts is the [Scheduler] of a process. Its zero value is ready for use. Do not
// copy it after its first use.
type Hosts struct {
	// Common is what this process and others know of hosts together. It must not be
	// changed after the first use. Nil means that there are no other processes.
	Common Common

	robots files

	mu      sync.Mutex
	hosts   map[string]*host // guarded by mu, like the fields below
	sweepAt int              // number of hosts at which idle ones are dropped
	parties uint64           // number of parties that ever joined
	seed    maphash.Seed
}

// host is the state of one host, shared by all parties.
type host struct {
	name     string
	hold     hold
	inflight int
	alone    int // those of them that must be the only request in flight
	most     int // requests in flight that present parties ask for

	retry time.Time // end of the pause that the host asked for
	last  time.Time // end of the last answer
	pace  pace

	waiters []*waiter         // in the order of their turns, see wait
	delay   time.Duration     // the longest delay of the waiters, which applies to all parties while they wait
	lately  lately            // the delays that apply to all parties after a turn
	served  map[uint64]uint64 // number of the last turn, by party
	turns   uint64

	kept    bool // a party without Forget has used the host
	forgets int  // number of present parties with Forget
}

// waiter is a party that was refused a turn.
type waiter struct {
	party  *party
	claim  Claim
	asks   time.Time // time of its next try; zero if it waits to be woken
	called time.Time // time at which it was told of a turn that it has not taken yet
}

// party implements [Turns].
type party struct {
	all    *Hosts
	id     uint64
	wake   func(host string)
	forget bool

	rests bool            // guarded by all.mu, like the fields below
	met   map[string]bool // hosts that it has used; only for a party with Forget
	waits map[*host]*waiter
	holds map[string]held // turns by host
}

// held are the turns that a party has at a host.
type held struct {
	n     int
	delay time.Duration // of the last claim
}

// Join implements [Scheduler].
func (a *Hosts) Join(p Party) Turns {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hosts == nil {
		a.hosts, a.seed = map[string]*host{}, maphash.MakeSeed()
		if a.Common != nil {
			a.Common.Attach(a.told)
		}
	}
	a.parties++
	return &party{all: a, id: a.parties, wake: p.Wake, forget: p.Forget, waits: map[*host]*waiter{}, holds: map[string]held{}}
}

// call is a wake-up that must be made after the lock is released.
type call struct {
	party *party
	host  string
}

// tell makes calls. The caller must not hold mu.
func tell(calls []call) {
	for _, c := range calls {
		c.party.wake(c.host)
	}
}

// host returns the state of a host for a party, and creates it if necessary.
func (a *Hosts) host(name string, p *party, now time.Time) *host {
	h := a.hosts[name]
	if h == nil {
		a.sweep(now)
		h = &host{name: name, hold: hold{of: a.Common}, served: map[uint64]uint64{}}
		h.pace.circuit.met = now
		a.hosts[name] = h
	}
	switch {
	case !p.forget:
		h.kept = true
	case !p.met[name]:
		if p.met == nil {
			p.met = map[string]bool{}
		}
		p.met[name] = true
		h.forgets++
	}
	return h
}

// Take implements [Turns].
func (p *party) Take(name string, c Claim) Verdict {
	now := time.Now()
	p.all.mu.Lock()
	v, calls := p.all.host(name, p, now).take(p, c, now)
	if v.Granted {
		p.holds[name] = held{p.holds[name].n + 1, c.Delay}
	}
	p.all.mu.Unlock()
	tell(calls)
	return v
}

// End implements [Turns].
func (p *party) End(name string, r Report) {
	p.all.mu.Lock()
	calls := p.all.end(p, name, &r)
	p.all.mu.Unlock()
	tell(calls)
}

// Rest implements [Turns].
func (p *party) Rest(on bool) {
	var calls []call
	p.all.mu.Lock()
	p.rests = on
	now := time.Now()
	for h, w := range p.waits {
		// If p rests, parties that wait after it no longer need to. If it does not rest any
		// more, a turn may have become free while nobody called it.
		if on || w.asks.IsZero() && h.bears(w.claim) > 0 {
			calls = append(calls, h.next(now)...)
		}
	}
	p.all.mu.Unlock()
	tell(calls)
}

// Leave implements [Turns].
func (p *party) Leave() {
	now := time.Now()
	p.all.mu.Lock()
	var calls []call
	for h := range p.waits {
		h.dismiss(p)
		calls = append(calls, h.next(now)...)
	}
	for name, held := range p.holds { // their requests may have been made
		for range held.n {
			calls = append(calls, p.all.end(p, name, &Report{Answer: Dropped, Delay: held.delay, Ended: now})...)
		}
	}
	for name := range p.met {
		h := p.all.hosts[name]
		if h.forgets--; !h.kept && h.forgets == 0 {
			h.giveUp()
			delete(p.all.hosts, name)
		}
	}
	p.met = nil
	p.all.mu.Unlock()
	tell(calls)
}

// end returns a turn of p. The caller must hold mu.
func (a *Hosts) end(p *party, name string, r *Report) []call {
	h := a.hosts[name]
	held := p.holds[name]
	if h == nil || held.n == 0 {
		return nil
	}
	if held.n--; held.n == 0 {
		delete(p.holds, name)
	} else {
		p.holds[name] = held
	}
	h.inflight--
	h.alone = min(h.alone, h.inflight)
	h.answered(r, maphash.String(a.seed, r.URL))
	h.report(r)
	return h.next(time.Now())
}

// sweep drops idle hosts if there are many. It visits all hosts, so it then
// waits until their number has doubled.
func (a *Hosts) sweep(now time.Time) {
	if len(a.hosts) < max(a.sweepAt, manyHosts) {
		return
	}
	many := len(a.hosts) >= mostHosts
	for name, h := range a.hosts {
		if h.forgets == 0 && h.idle(now) && (many || h.pace.idle() || now.Sub(h.last) > longIdle) {
			h.giveUp()
			delete(a.hosts, name)
		}
	}
	a.sweepAt = 2 * len(a.hosts)
}

// idle reports whether no party uses h or must wait for it.
func (h *host) idle(now time.Time) bool {
	return h.inflight == 0 && len(h.waiters) == 0 && !h.opens(Claim{}).After(now)
}

// lately contains the delays of parties that had a turn and may still want others. While such
// a party works on the page, it does not wait for a turn, but the host must not get more
// requests then.
type lately struct {
	free time.Time     // end of the pauses after all turns
	gap  time.Duration // the longest delay of a party that may still work
	last time.Time     // end of its last turn
}

// longWork is for how many delays after a turn the delay of its party applies to all parties.
const longWork = 10

// ended records the end of a turn.
func (l *lately) ended(r *Report) {
	l.free = later(l.free, r.Ended.Add(r.Delay))
	if r.Delay > 0 && r.Delay >= l.delay(r.Ended) {
		l.gap, l.last = r.Delay, r.Ended
	}
}

// delay returns the delay after an answer that ended at a time.
func (l *lately) delay(ended time.Time) time.Duration {
	if ended.Sub(l.last) > longWork*l.gap {
		return 0
	}
	return l.gap
}

// answered records the result of a turn.
func (h *host) answered(r *Report, key uint64) {
	if r.Answer == Unasked {
		return
	}
	if r.Ended.After(h.last) {
		h.last = r.Ended
	}
	h.lately.ended(r)
	if r.Answer == Dropped {
		return
	}
	h.retry = later(h.retry, r.Ended.Add(min(r.Wait, mostPause)))
	h.pace.answered(r, key, h.most)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// gap returns the pause between requests for a party with claim c.
func (h *host) gap(c Claim) time.Duration { return max(h.own(c), h.hold.grant.Gap) }

// own is gap without the pauses that other processes need.
func (h *host) own(c Claim) time.Duration {
	delay := max(c.Delay, h.delay, h.lately.delay(h.last))
	if c.Bold && h.pace.circuit.doubt() {
		return delay
	}
	return max(delay, h.pace.gap, h.pace.circuit.gap())
}

// single reports whether a request with claim c must be the only one in flight.
func (h *host) single(c Claim) bool { return h.gap(c) > 0 || h.pace.circuit.doubt() && !c.Bold }

// opens returns the earliest time of a turn, if the requests in flight allow
// it.
func (h *host) opens(c Claim) time.Time {
	at := later(later(h.retry, h.lately.free), h.hold.ready)
	if gap := h.gap(c); gap > 0 && !h.last.IsZero() {
		at = later(at, h.last.Add(gap))
	}
	if !c.Bold {
		at = later(at, h.pace.circuit.until)
	}
	return at
}

// bears returns how many more requests may be in flight.
func (h *host) bears(c Claim) int {
	switch {
	case h.alone > 0, !h.mine(c):
		return 0
	case h.single(c):
		return max(0, 1-h.inflight)
	case h.pace.cap > 0:
		return min(h.most, h.pace.cap) - h.inflight
	}
	return h.most - h.inflight
}

// mine reports whether this process may make a request with claim c, as far as other
// processes are concerned.
func (h *host) mine(c Claim) bool { return c.lent || h.hold.allows(h.own(c)) }

// cause returns the reason why a party with claim c must wait or keep a gap.
func (h *host) cause(c Claim, now time.Time) Cause {
	switch {
	case h.pace.circuit.doubt():
		return Unreachable
	case h.retry.After(now):
		return RetryAfter
	case max(c.Delay, h.delay, h.lately.delay(h.last), h.hold.grant.Gap) > h.pace.gap, h.lately.free.After(now):
		return CrawlDelay
	case h.pace.gap > 0 || h.pace.cap > 0:
		return Overload
	}
	return Busy
}

// take decides on a claim, and wakes other parties for their turns.
func (h *host) take(p *party, c Claim, now time.Time) (v Verdict, calls []call) {
	c.Most = max(c.Most, 1)
	if h.inflight == 0 && len(h.waiters) == 0 {
		h.most = 0
	}
	h.most = max(h.most, c.Most)
	v.Gap, v.Probe = h.gap(c), h.pace.circuit.doubt()
	if v.Gap > 0 {
		v.Cause = h.cause(c, now)
	}
	if h.pace.circuit.down && !c.Bold {
		if h.pace.circuit.until.After(now) {
			v.Down, v.At = true, h.pace.circuit.until
			return v, nil
		}
	}
	if !c.lent {
		h.request(h.own(c))
	}
	at, room := h.opens(c), h.bears(c)
	switch {
	case at.After(now):
		v.At = at
	case room <= 0: // End wakes it, or a grant
	default:
		if h.turnOf(p, room, now) {
			h.grant(p, c)
			v.Granted = true
			return v, h.next(now)
		}
		calls = h.next(now)
		v.At = now.Add(patience)
	}
	v.Cause = h.cause(c, now)
	h.wait(p, c, v.At)
	return v, calls
}

// grant gives p a turn.
func (h *host) grant(p *party, c Claim) {
	h.dismiss(p)
	h.inflight++
	h.hold.turns++
	if h.single(c) {
		h.alone++
	}
	h.pace.peak = max(h.pace.peak, h.inflight)
	if len(h.served) >= manyTurns {
		clear(h.served) // all parties are equal again
	}
	h.turns++
	h.served[p.id] = h.turns
}

// wait makes p wait for a turn.
func (h *host) wait(p *party, c Claim, asks time.Time) {
	w := p.waits[h]
	if w == nil {
		w = &waiter{party: p}
		p.waits[h] = w
		h.waiters = slices.Insert(h.waiters, h.place(p), w)
	}
	w.claim, w.asks, w.called = c, asks, time.Time{}
	h.delay = max(h.delay, c.Delay)
}

// dismiss removes p from the waiters.
func (h *host) dismiss(p *party) {
	w := p.waits[h]
	if w == nil {
		return
	}
	delete(p.waits, h)
	at := slices.Index(h.waiters, w)
	h.waiters = slices.Delete(h.waiters, at, at+1)
	h.delay = 0
	for _, o := range h.waiters {
		h.delay = max(h.delay, o.claim.Delay)
	}
}

// wants reports whether w could take a turn now, apart from the limit of
// requests in flight.
func (w *waiter) wants(h *host, now time.Time) bool {
	return !w.party.rests && h.mine(w.claim) && (w.called.IsZero() || now.Before(w.called.Add(patience))) && !h.opens(w.claim).After(now)
}

// place returns the position of p among the waiters. Parties whose last turn is
// longer ago, or that had none, come first. Among equal ones, those that have
// waited longer come first. The last turn of a waiting party does not change,
// so the order remains valid.
func (h *host) place(p *party) int {
	mine := h.served[p.id]
	at, _ := slices.BinarySearchFunc(h.waiters, mine, func(w *waiter, mine uint64) int {
		if h.served[w.party.id] <= mine {
			return -1
		}
		return 1
	})
	return at
}

// turnOf reports whether p may take a turn of a host that allows room more
// requests. It may if fewer than room parties before it want a turn, and none
// of them needs the host for itself. It considers only the first waiters.
func (h *host) turnOf(p *party, room int, now time.Time) bool {
	front := h.waiters
	if p.waits[h] == nil {
		front = front[:h.place(p)]
	}
	n := 0
	for _, w := range front {
		if w.party == p {
			return true
		}
		if w.wants(h, now) {
			if n++; n >= room || h.single(w.claim) {
				return false
			}
		}
	}
	return true
}

// next wakes the parties whose turn it is, and some after them that would not
// try by themselves, or gives the host to another process. It does not wake all parties, because with a thousand of
// them most would try in vain.
func (h *host) next(now time.Time) (calls []call) {
	h.yield(now)
	n, alone, watch := 0, false, 0
	for _, w := range h.waiters {
		if n > 0 && watch >= watchers {
			break
		}
		wants := w.wants(h, now)
		if !w.party.rests && w.called.IsZero() && w.party.wake != nil {
			opens, room := h.opens(w.claim), h.bears(w.claim)
			switch {
			case opens.After(now):
				if w.asks.IsZero() || opens.Before(w.asks) {
					calls = append(calls, call{w.party, h.name})
				}
				watch++
			case room <= 0:
				watch++
			case n < room && (!alone || n == 0):
				w.called = now
				calls = append(calls, call{w.party, h.name})
			default:
				if w.asks.IsZero() {
					calls = append(calls, call{w.party, h.name})
				}
				watch++
			}
		}
		if wants {
			n++
			alone = alone || h.single(w.claim)
		}
	}
	return calls
}
