// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"math"
	"slices"
	"time"
)

// Bounds of the adaptive pace. Their source is the reference, section 10.
const (
	windowSize = 20 // finished requests that a judgement looks at
	fewFailed  = 4  // different URLs that must have failed
	failShare  = 5  // more than one in so many means overload
	wellShare  = 10 // at most one in so many means that the host is well
	slowFactor = 4  // a median so many times the best one means overload
	goodRow    = 10 // good answers in a row that speed a host up

	leastGap   = 50 * time.Millisecond // of a host that is slowed
	noGap      = 20 * time.Millisecond // below which a gap is none
	mostGap    = 2 * time.Second       // or 8 medians
	gapMedians = 8

	// slowMedian is the median below which no latency is a sign of overload:
	// it says more about this machine than about the host.
	slowMedian = 250 * time.Millisecond

	futileTries = 2 // slow-downs after which a rate that has not fallen is no overload
)

// sample is one finished request.
type sample struct {
	key    uint64 // of its URL
	took   time.Duration
	failed bool
}

// pace is how fast one host may be asked, by its answers.
type pace struct {
	cap  int           // requests in flight that it bears; zero: as many as are asked for
	gap  time.Duration // pause that it needs; any means one request in flight
	good int           // good answers in a row

	window [windowSize]sample
	n      int // samples in window
	at     int // of the next
	best   time.Duration

	slowed time.Time // what began before the last slow-down tells nothing of it
	peak   int       // requests in flight since then, at most
	tries  int       // slow-downs for the same sign in a row
	sign   float64   // how strong it was after the first of them, or since it fell; zero: not known yet
	was    struct {  // before the first of them
		cap int
		gap time.Duration
	}
	deaf bool // the failure rate is no sign of overload here, until it has been low

	circuit circuit
}

// idle reports whether the pace is that of a host that nobody has met.
func (p *pace) idle() bool {
	return p.cap == 0 && p.gap == 0 && p.circuit.row == 0 && p.circuit.parks == 0
}

// answered adjusts the pace to an answer. Most is how many requests may be in
// flight by what is asked for.
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
	if !r.Began.After(p.slowed) { // at the same time means before: clocks are coarse
		return
	}
	again, first := p.keep(r, key)
	switch {
	case r.Answer == Throttled && !r.Retry && !again:
		p.slower(r.Ended, most)
	case p.circuit.doubt():
		// A host that is down is not overloaded.
	case first && !p.deaf && p.overloaded() && (p.tries == 0 || p.n == windowSize):
		// The first slow-down is at once; whether it helped takes a whole window.
		rate := p.rate()
		p.deaf = !p.signal(rate, math.Sqrt(rate*(1-rate)/windowSize), r.Ended, most)
	case first && p.at == 0 && p.n == windowSize: // a whole window since the last look
		p.look(r.Ended, most)
	}
}

// keep puts a request into the window. A URL's own retries count once: they
// change what is known of it. Again reports whether it is known to have failed,
// first whether it is new in the window.
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

// failed counts the samples that failed.
func (p *pace) failed() (n int) {
	for _, s := range p.window[:p.n] {
		if s.failed {
			n++
		}
	}
	return n
}

func (p *pace) rate() float64 { return float64(p.failed()) / float64(max(p.n, 1)) }

// overloaded reports whether so many different URLs have failed that it is a
// matter of the host.
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

// look judges a window that is all new.
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
			p.best = median // that is how slow it is, unhurried
		}
		return
	}
	if !p.overloaded() {
		p.tries = 0
	}
}

// signal slows the host down for a sign of overload. Where two slow-downs did
// not weaken the sign by more than its noise it was none, unless all requests
// failed: the host gets its former pace back. It reports whether the sign was
// taken for one.
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

// slower halves what may be in flight; where that is one request already, it
// sets a gap, or doubles it.
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

// faster notes a good answer.
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

// Bounds of a circuit.
const (
	brokenRow = 5                // failures in a row that raise doubt
	silence   = 10 * time.Second // without a good answer, after which a host is parked
	firstPark = 30 * time.Second // doubled each time
	maxParks  = 3                // after which a host is given up
	probeGap  = time.Second      // between requests while there is doubt
)

// circuit keeps requests from a host that does not answer.
type circuit struct {
	row    int // failures of different URLs in a row
	keys   [brokenRow]uint64
	since  time.Time // there is doubt, or it was parked
	probed bool      // and a request since then has failed
	met    time.Time // the last good answer, or else the first request
	parks  int       // in a row
	until  time.Time // it is parked, or given up
	down   bool
}

// doubt reports whether the host may be down.
func (c *circuit) doubt() bool { return c.row >= brokenRow }

// answered notes an answer, or its absence.
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
			return // under way since before: it tells nothing new
		}
		c.probed = true
	case r.Retry, slices.Contains(c.keys[:c.row], key):
		return // a URL that is dead tells nothing of its host
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

// gap returns the pause between requests that find out whether a host is there.
func (c *circuit) gap() time.Duration {
	if c.doubt() && c.probed {
		return probeGap
	}
	return 0
}
