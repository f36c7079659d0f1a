// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"math"
	"strings"
	"time"
)

// Bounds of pace.
const (
	leastPenalty = 250 * time.Millisecond
	mostPenalty  = time.Minute
	noPenalty    = 50 * time.Millisecond // below which a penalty is none
	goodRow      = 20                    // good answers that soften a penalty
	brokenRow    = 5                     // failures in a row that open the circuit
	firstPark    = 30 * time.Second
	maxParks     = 3
	maxWait      = 10 * time.Minute // a longer Retry-After is cut, and a failure
)

// host is what a frontier knows of one host, whatever the port: its queues and
// its pace.
type host struct {
	name string

	pages    queue
	sitemaps fifo
	again    []*task // have been taken from a queue before: moved, or waiting for robots.txt
	retries  alarms[*task]

	ready    time.Time // nothing is asked for before
	inflight int       // requests
	cap      int       // requests in flight at present
	most     int       // at best
	delay    time.Duration
	penalty  time.Duration
	hold     int // robots.txt files on their way: nothing else is asked for

	good   int       // good answers in a row
	broken int       // failures in a row
	parks  int       // in a row
	parked time.Time // when it was parked last
	down   bool

	home   bool      // of the start page
	quick  bool      // its last page, or sitemap, was not long in coming
	ruled  bool      // its robots.txt has just come: its turn is before the others'
	ringed bool      // is among those that are ready
	wake   time.Time // its alarm; zero where none is set
}

// idle reports whether nothing would be lost with h: it has no work, owes no
// pause, and its pace is that of a host that nobody has met yet.
func (h *host) idle(now time.Time) bool {
	return !h.home && !h.ringed && !h.down && h.hold == 0 && h.inflight == 0 &&
		h.penalty == 0 && h.broken == 0 && h.parks == 0 && h.cap == h.most && !h.ready.After(now) &&
		len(h.again) == 0 && h.sitemaps.n == 0 && len(h.retries.heap) == 0 && !h.pages.has(noDepth)
}

// origin is one scheme, host and port, to which a robots.txt belongs.
type origin struct {
	host  *host
	until time.Time // its robots.txt is known until then
	tries int
}

// originOf cuts an href without userinfo after its origin.
func originOf(href string) string {
	start := strings.Index(href, "://") + len("://")
	if i := strings.IndexByte(href[start:], '/'); i >= 0 {
		return href[:start+i]
	}
	return href
}

// hostOf returns the host of an origin, without port and trailing dot.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

// gap is the pause from the end of one answer to the next request.
func (h *host) gap() time.Duration { return max(h.delay, h.penalty) }

// slots returns how many requests may be in flight.
func (h *host) slots() int {
	if h.gap() > 0 || h.parks > 0 {
		return 1 // after a parking, one request finds out
	}
	return h.cap
}

// quickAnswer is how long a host may take for an answer that earns it trust.
const quickAnswer = 2 * time.Second

// trusted reports whether h is unlikely to keep a worker waiting for long.
func (h *host) trusted() bool { return h.home || h.quick }

// load returns how much work h has, up to a depth, and how many requests in
// flight.
func (h *host) load(bound int) int {
	if h.down {
		return 0
	}
	return h.inflight + len(h.again) + h.sitemaps.n + len(h.retries.heap) + h.pages.count(bound)
}

// free reports whether one more request may be in flight.
func (h *host) free() bool { return h.hold == 0 && h.inflight < h.slots() }

// due returns when the host can next be asked for something of a depth up to
// bound; false while it cannot, or has nothing.
func (h *host) due(bound int) (time.Time, bool) {
	work := len(h.again) > 0 || h.sitemaps.n > 0 || h.pages.has(bound)
	retry, retries := h.retries.next()
	switch {
	case h.down:
		return time.Time{}, work || retries
	case !h.free():
		return time.Time{}, false
	case work:
		return h.ready, true
	case retries && retry.After(h.ready):
		return retry, true
	}
	return h.ready, retries
}

// answered sets the host's pace after an answer to a request begun at began.
func (h *host) answered(a Answer, wait time.Duration, began, ended time.Time) {
	if wait > maxWait {
		wait, a = maxWait, Broken
	}
	switch a {
	case Unasked:
		return
	case Good:
		h.broken, h.parks = 0, 0
		h.soften()
	case Erred:
		h.broken, h.parks = 0, 0
	case Throttled:
		h.broken, h.parks = 0, 0
		h.punish()
	case Broken:
		h.punish()
		h.fail(began, ended)
	}
	h.notBefore(ended.Add(max(wait, h.gap())))
}

// notBefore puts the next request off.
func (h *host) notBefore(t time.Time) {
	if t.After(h.ready) {
		h.ready = t
	}
}

func (h *host) punish() {
	h.good = 0
	if h.cap > 1 {
		h.cap /= 2
		return
	}
	h.penalty = min(max(2*h.penalty, leastPenalty), mostPenalty)
}

func (h *host) soften() {
	h.good++
	if h.good < goodRow {
		return
	}
	h.good = 0
	if h.penalty > 0 {
		h.penalty -= h.penalty / 10
		if h.penalty < noPenalty {
			h.penalty = 0
		}
		return
	}
	h.cap = min(h.cap+1, h.most)
}

// fail counts a failure to connect. What was under way when the host was
// parked tells nothing new.
func (h *host) fail(began, ended time.Time) {
	if h.parks > 0 && began.Before(h.parked) {
		return
	}
	h.broken++
	if h.broken < brokenRow {
		return
	}
	if h.parks == maxParks {
		h.down = true
		return
	}
	h.notBefore(ended.Add(firstPark << h.parks))
	h.parks++
	h.parked = ended
}

// noDepth is the bound that all depths keep.
const noDepth = math.MaxInt
