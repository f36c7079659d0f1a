// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"math"
	"slices"
	"time"
)

// Limits of the adaptive pace. They come from section 10 of the reference.
const (
	windowSize = 20 // completed requests that a judgement considers
	fewFailed  = 4  // number of different URLs that must have failed
	failShare  = 5  // a failure rate above 1/5 means overload
	wellShare  = 10 // a failure rate of at most 1/10 means that the host is healthy
	slowFactor = 4  // a median latency of four times the best one means overload
	goodRow    = 10 // consecutive good answers after which the host gets more requests

	leastGap   = 50 * time.Millisecond // smallest gap for an overloaded host
	noGap      = 20 * time.Millisecond // smaller gaps are removed
	mostGap    = 2 * time.Second       // largest gap, unless 8 times the median latency is longer
	gapMedians = 8

	// slowMedian is the median latency below which latency is no sign of
	// overload. Such short times depend on this machine more than on the host.
	slowMedian = 250 * time.Millisecond

	futileTries = 2 // reductions after which a failure rate that has not fallen is not overload
)

// sample is one completed request.
type sample struct {
	key    uint64 // identifies its URL
	took   time.Duration
	failed bool
}

// pace adapts the request rate of one host to its answers.
type pace struct {
	cap  int           // allowed requests in flight; zero means no limit
	gap  time.Duration // necessary pause between requests; if not zero, one request in flight
	good int           // consecutive good answers

	window [windowSize]sample
	n      int // number of samples in window
	at     int // index of the next sample
	best   time.Duration

	slowed time.Time // time of the last reduction; earlier requests do not show its effect
	peak   int       // highest number of requests in flight since then
	tries  int       // consecutive reductions for the same sign of overload
	sign   float64   // strength of the sign after the first of them, or since it fell; zero if not known yet
	was    struct {  // state before the first of them
		cap int
		gap time.Duration
	}
	deaf bool // ignore the failure rate as a sign of overload until it has been low

	circuit circuit
}

// idle reports whether the pace is in its initial state.
func (p *pace) idle() bool {
	return p.cap == 0 && p.gap == 0 && p.circuit.row == 0 && p.circuit.parks == 0
}

// answered adjusts the pace to an answer. most is the number of requests in
// flight that the parties ask for.
func (p *pace) answered(r *Report, key uint64, most int) {
	if r.Answer == Unasked {
		return
	}
	p.circuit.answered(r, key)
	switch {
	case r.Answer == Good:
		p.faster(most)
	case !r.Retry:
		p.good = 0
	}
	if !r.Began.After(p.slowed) { // clocks are coarse, so an equal time counts as earlier
		return
	}
	again, first := p.keep(r, key)
	switch {
	case r.Answer == Throttled && !r.Retry && !again:
		p.slower(r.Ended, most)
	case p.circuit.doubt():
		// A host that is down is not overloaded.
	case first && !p.deaf && p.overloaded() && (p.tries == 0 || p.n == windowSize):
		// The first reduction is immediate. Its effect is judged after a whole
		// window.
		rate := p.rate()
		p.deaf = !p.signal(rate, math.Sqrt(rate*(1-rate)/windowSize), r.Ended, most)
	case first && p.at == 0 && p.n == windowSize: // a whole window since the last judgement
		p.look(r.Ended, most)
	}
}

// keep adds a request to the window. Retries of a URL replace its sample. again
// reports whether the URL has failed before, and first whether it is new in the
// window.
func (p *pace) keep(r *Report, key uint64) (again, first bool) {
	s := sample{key: key, took: r.Ended.Sub(r.Began), failed: r.Answer != Good}
	for i := range p.n {
		if p.window[i].key == key {
			again = p.window[i].failed
			p.window[i] = s
			return again, false
		}
	}
	p.window[p.at] = s
	p.at = (p.at + 1) % windowSize
	p.n = min(p.n+1, windowSize)
	return false, true
}

// failed returns the number of samples that failed.
func (p *pace) failed() (n int) {
	for _, s := range p.window[:p.n] {
		if s.failed {
			n++
		}
	}
	return n
}

func (p *pace) rate() float64 { return float64(p.failed()) / float64(max(p.n, 1)) }

// overloaded reports whether enough different URLs have failed to blame the
// host.
func (p *pace) overloaded() bool {
	n := p.failed()
	return n >= fewFailed && n*failShare > p.n
}

// median returns the median latency of the answers in the window.
func (p *pace) median() time.Duration {
	var took [windowSize]time.Duration
	n := 0
	for _, s := range p.window[:p.n] {
		if !s.failed {
			took[n], n = s.took, n+1
		}
	}
	if n == 0 {
		return 0
	}
	slices.Sort(took[:n])
	return took[n/2]
}

// look judges a window of new samples.
func (p *pace) look(now time.Time, most int) {
	if p.failed()*wellShare <= windowSize {
		p.deaf = false
	}
	median := p.median()
	switch {
	case median == 0:
	case p.best == 0 || median < p.best:
		p.best = median
	case median > slowMedian && median > slowFactor*p.best:
		if !p.signal(float64(median), float64(median)/10, now, most) {
			p.best = median // the latency without load
		}
		return
	}
	if !p.overloaded() {
		p.tries = 0
	}
}

// signal reduces the rate because of a sign of overload, and reports whether it
// did. If two reductions did not weaken the sign by more than its noise, it was
// not a sign of overload, and the host gets its former rate back. This does not
// apply if all requests failed.
func (p *pace) signal(strength, noise float64, now time.Time, most int) bool {
	switch {
	case p.tries == 0:
		p.was.cap, p.was.gap, p.sign = p.cap, p.gap, 0
	case p.sign == 0:
		p.sign = strength
	case strength < p.sign-noise, p.failed() == p.n:
		p.sign = strength
	case p.tries >= futileTries:
		p.cap, p.gap, p.tries = p.was.cap, p.was.gap, 0
		p.clear()
		return false
	}
	p.tries++
	p.slower(now, most)
	return true
}

// slower halves the allowed requests in flight. If only one is allowed, it sets
// a gap or doubles it.
func (p *pace) slower(now time.Time, most int) {
	bears := min(most, max(p.peak, 1))
	if p.cap > 0 {
		bears = min(bears, p.cap)
	}
	if bears > 1 {
		p.cap = bears / 2
	} else {
		median := p.median()
		p.cap = 1
		p.gap = min(max(2*p.gap, 2*median, leastGap), max(gapMedians*median, mostGap))
	}
	p.good, p.slowed, p.peak = 0, now, 0
	p.clear()
}

func (p *pace) clear() { p.n, p.at = 0, 0 }

// faster counts a good answer.
func (p *pace) faster(most int) {
	if p.good++; p.good < goodRow || p.overloaded() && !p.deaf {
		return
	}
	p.good = 0
	switch {
	case p.gap > 0:
		if p.gap /= 2; p.gap < noGap {
			p.gap = 0
		}
	case p.cap > 0:
		if p.cap++; p.cap >= most {
			p.cap = 0
		}
	}
}

// Limits of a circuit.
const (
	brokenRow = 5                // consecutive failures after which the host may be down
	silence   = 10 * time.Second // time without a good answer after which a host is parked
	firstPark = 30 * time.Second // doubled each time
	maxParks  = 3                // parks after which a host is given up
	probeGap  = time.Second      // pause between requests while the host may be down
)

// circuit stops requests to a host that does not answer.
type circuit struct {
	row    int // consecutive failures of different URLs
	keys   [brokenRow]uint64
	since  time.Time // start of the doubt or of the last park
	probed bool      // a request since then has failed
	met    time.Time // time of the last good answer, or of the first request
	parks  int       // consecutive parks
	until  time.Time // end of the park
	down   bool
}

// doubt reports whether the host may be down.
func (c *circuit) doubt() bool { return c.row >= brokenRow }

// answered records an answer or a missing answer.
func (c *circuit) answered(r *Report, key uint64) {
	if r.Answer != Broken {
		*c = circuit{met: c.met}
		if r.Answer == Good {
			c.met = r.Ended
		}
		return
	}
	switch {
	case c.doubt():
		if r.Began.Before(c.since) {
			return // the request began earlier and shows nothing new
		}
		c.probed = true
	case r.Retry, slices.Contains(c.keys[:c.row], key):
		return // a dead URL shows nothing about its host
	default:
		c.keys[c.row] = key
		if c.row++; !c.doubt() {
			return
		}
		c.since = r.Ended
	}
	if r.Ended.Sub(c.met) < silence {
		return
	}
	c.since, c.until = r.Ended, r.Ended.Add(firstPark<<c.parks)
	if c.parks == maxParks {
		c.down = true
		return
	}
	c.parks++
}

// gap returns the pause between requests that test whether the host is up.
func (c *circuit) gap() time.Duration {
	if c.doubt() && c.probed {
		return probeGap
	}
	return 0
}
