// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"slices"
	"time"

	"example.com/curlew/crawl/pace"
)

// host is one host, whatever the port, and what a frontier has to request from it.
// Its [pace.Turns] decides how fast.
type host struct {
	name string
	work

	delay    time.Duration // Crawl-delay
	most     int           // requests in flight at best
	inflight int           // requests
	hold     int           // robots.txt files on their way: nothing else is asked for
	ready    time.Time     // nothing is asked for before
	turn                   // the last that was asked for
	start    bool          // of the start page
	quick    bool          // its last page, or sitemap, was not long in coming
	ruled    bool          // its robots.txt has just come: its turn is before the others'
	queued   bool          // is among those that are ready
	wake     time.Time     // its alarm; zero if none is set
}

// turn is what the scheduler of hosts said of a turn.
type turn struct {
	refused bool
	asks    time.Time // when it is asked for again; zero: when the scheduler calls
	said    pace.Verdict
	down    bool // the host was given up
}

// work is what waits for one host. The invariant: a task is in one of its queues,
// and leaves it when it is taken; retries give way to what is asked for the first
// time, but for one in so many.
type work struct {
	pages    queue
	sitemaps fifo
	again    []*task       // have been taken from a queue before: moved, or waiting for robots.txt
	retries  alarms[*task] // failed before
	fresh    int           // requests since the last retry that were none
}

// none reports whether nothing waits.
func (w *work) none() bool {
	return len(w.again) == 0 && w.sitemaps.n == 0 && len(w.retries.heap) == 0 && !w.pages.has(noDepth)
}

// len returns how much waits, up to a depth.
func (w *work) len(bound int) int {
	return len(w.again) + w.sitemaps.n + len(w.retries.heap) + w.pages.count(bound)
}

// freshPerRetry is how many requests that are no retry come before each one that
// is, while there are any. The reference allows a quarter to retries; so many
// failing ones would look like an overload of the host.
const freshPerRetry = 5

// idle reports whether nothing would be lost with h: it has no work, and owes no
// pause.
func (h *host) idle(now time.Time) bool {
	return !h.start && !h.queued && !h.down && h.hold == 0 && h.inflight == 0 && !h.ready.After(now) && h.none()
}

// origin is one scheme, host and port, to which a robots.txt belongs.
type origin struct {
	host     *host
	until    time.Time // its robots.txt is known until then
	tries    int
	answered bool // its robots.txt can be reached
}

// slots returns how many requests may be in flight, as far as is known.
func (h *host) slots() int {
	if h.delay > 0 || h.said.Gap > 0 {
		return 1
	}
	return h.most
}

// quickAnswer is how long a host may take for an answer that earns it trust.
const quickAnswer = 2 * time.Second

// trusted reports whether h is unlikely to keep a worker waiting for long.
func (h *host) trusted() bool { return h.start || h.quick }

// load returns how much work h has, up to a depth, and how many requests in
// flight.
func (h *host) load(bound int) int {
	if h.down {
		return 0
	}
	return h.inflight + h.len(bound)
}

// free reports whether one more request may be in flight.
func (h *host) free() bool { return h.hold == 0 && h.inflight < h.most }

// opens returns when the host may be asked; false while that is not known.
func (h *host) opens() (time.Time, bool) {
	switch {
	case !h.refused || h.ready.After(h.asks):
		return h.ready, !h.refused || !h.asks.IsZero()
	case h.asks.IsZero():
		return time.Time{}, false
	}
	return h.asks, true
}

// due returns when the host can next be asked for something of a depth up to
// bound; false while it cannot, or has nothing.
func (h *host) due(bound int) (time.Time, bool) {
	work := len(h.again) > 0 || h.sitemaps.n > 0 || h.pages.has(bound)
	retry, retries := h.retries.next()
	if h.down {
		return time.Time{}, work || retries
	}
	at, known := h.opens()
	switch {
	case !known || !h.free():
		return time.Time{}, false
	case work:
		return at, true
	case retries && retry.After(at):
		return retry, true
	}
	return at, retries
}

// notBefore puts the next request off.
func (h *host) notBefore(t time.Time) {
	if t.After(h.ready) {
		h.ready = t
	}
}

// noDepth is the bound that all depths keep.
const noDepth = math.MaxInt

// gateless reports whether something is due that is not a page.
func (w *work) gateless(now time.Time) bool {
	if w.sitemaps.n > 0 || slices.ContainsFunc(w.again, func(t *task) bool { return !t.page() }) {
		return true
	}
	at, ok := w.retries.next()
	return ok && !at.After(now) && !w.retries.heap[0].thing.page()
}

// retry takes the retry that is due.
func (w *work) retry(now time.Time) *task {
	w.fresh = 0
	t, _, _ := w.retries.pop(now)
	return t
}
