// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"math"
	"slices"
	"time"

	"example.com/curlew/crawl/pace"
)

// host is one host, with any port, and the work for it. Its [pace.Turns]
// decides how fast it gets requests.
type host struct {
	name string
	work

	delay    time.Duration // Crawl-delay
	most     int           // highest number of requests in flight
	inflight int           // number of requests
	hold     int           // number of robots.txt requests in flight, during which nothing else is requested
	ready    time.Time     // no request is made earlier
	turn                   // the last turn that was asked for
	start    bool          // a host of the start page
	quick    bool          // its last page or sitemap was fast
	ruled    bool          // its robots.txt has just arrived, so it comes before the others
	queued   bool          // it is in a queue of readyHosts
	wake     time.Time     // time of its alarm; zero if none is set
}

// turn is the last answer of the scheduler of hosts.
type turn struct {
	refused bool
	asks    time.Time // time to ask again; zero means when the scheduler calls
	said    pace.Verdict
	down    bool // the host was given up
}

// work contains the pending tasks of one host. Invariant: a task is in one
// queue and leaves it when it is taken. First requests take precedence over
// retries, except that one request in so many is a retry.
type work struct {
	pages    queue
	sitemaps fifo
	again    []*task       // tasks that were taken from a queue before: moved, or waiting for robots.txt
	retries  alarms[*task] // tasks that failed before
	fresh    int           // number of first requests since the last retry
}

// none reports whether nothing is pending.
func (w *work) none() bool {
	return len(w.again) == 0 && w.sitemaps.n == 0 && len(w.retries.heap) == 0 && !w.pages.has(noDepth)
}

// len returns the number of pending tasks up to a depth.
func (w *work) len(bound int) int {
	return len(w.again) + w.sitemaps.n + len(w.retries.heap) + w.pages.count(bound)
}

// freshPerRetry is the number of first requests before each retry, while there
// are any. The reference allows a quarter of retries, but so many failing
// requests would look like an overload of the host.
const freshPerRetry = 5

// idle reports whether h can be dropped: it has no work and must not pause.
func (h *host) idle(now time.Time) bool {
	return !h.start && !h.queued && !h.down && h.hold == 0 && h.inflight == 0 && !h.ready.After(now) && h.none()
}

// origin is one scheme, host and port. It has its own robots.txt.
type origin struct {
	host     *host
	until    time.Time // its robots.txt is valid until then
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

// quickAnswer is the longest time of an answer that makes a host trusted.
const quickAnswer = 2 * time.Second

// trusted reports whether h probably answers quickly.
func (h *host) trusted() bool { return h.start || h.quick }

// load returns the number of pending tasks of h up to a depth, plus its
// requests in flight.
func (h *host) load(bound int) int {
	if h.down {
		return 0
	}
	return h.inflight + h.len(bound)
}

// free reports whether another request may be in flight.
func (h *host) free() bool { return h.hold == 0 && h.inflight < h.most }

// opens returns the time of the next possible request. If it is not known, the
// result is false.
func (h *host) opens() (time.Time, bool) {
	switch {
	case !h.refused || h.ready.After(h.asks):
		return h.ready, !h.refused || !h.asks.IsZero()
	case h.asks.IsZero():
		return time.Time{}, false
	}
	return h.asks, true
}

// due returns the time at which h can next be requested for a task with a depth
// up to bound. If it has none or the time is not known, the result is false.
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

// notBefore postpones the next request.
func (h *host) notBefore(t time.Time) {
	if t.After(h.ready) {
		h.ready = t
	}
}

// noDepth is a bound that allows all depths.
const noDepth = math.MaxInt

// gateless reports whether a task is due that is not a page.
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
