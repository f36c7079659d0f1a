// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"time"

	"example.com/curlew/crawl/internal/shape"
)

// task is a URL that has been taken from its queue.
type task struct {
	link
	path
	attempt

	seq      uint64
	tries    int
	unruled  int
	lost     int
	due      time.Time // time of a retry
	host     *host
	origin   *origin
	robots   bool // the task is the robots.txt of origin, not a URL of the frontier
	probe    bool // the robots.txt of a host that may be down
	rank     uint64
	ranked   bool
	reserved bool // has a place under the limit
	down     bool // its host was given up
}

// path describes how a task came to its URL.
type path struct {
	from  string   // page that links to it
	above uint64   // fingerprint of the body of from
	first string   // URL before its redirects
	hops  int      // number of redirects
	chain []uint64 // keys of its URLs before redirects
}

// attempt describes the lease of a task, if it is open.
type attempt struct {
	token     uint64 // zero while the task is not leased
	began     time.Time
	turn      bool // it has a turn at its host
	untrusted bool // its host was not trusted when it was leased
	answered  bool // its request is over, but its lease is open
	counted   bool // it is counted as a leased page
}

// asks reports whether t needs a request. If list is set, only the start page
// does.
func (t *task) asks(list bool) bool {
	return t.robots || t.Sitemap || t.page() && (!list || t.start)
}

// page reports whether t may become a delivered page.
func (t *task) page() bool {
	return !t.robots && !t.Sitemap && t.Rule == 0 && !t.down
}

// move gives t the URL that it moved to according to a record.
func (t *task) move(rec *record) {
	start, depth := t.start, t.Depth
	t.chain = append(t.chain, rec.text)
	t.link = rec.links[0]
	t.start, t.Depth = start, depth
	t.hops, t.tries, t.unruled, t.lost, t.due = rec.hops, 0, 0, 0, time.Time{}
}

// robotsTask returns the task for the robots.txt of t's origin.
func (t *task) robotsTask() *task {
	r := &task{robots: true, host: t.host, origin: t.origin, probe: t.host.said.Probe}
	r.URL = shape.Origin(t.URL) + "/robots.txt"
	return r
}

// key returns the target's key in the frontier's table.
func (t *Target) key() uint64 {
	if t.Sitemap {
		return t.Key ^ sitemapSalt
	}
	return t.Key
}

// waitsAt returns the depth at which a target is queued. Sitemap files are
// queued with the first pages, whatever their nesting.
func (t *Target) waitsAt() int {
	if t.Sitemap {
		return 0
	}
	return t.Depth
}
