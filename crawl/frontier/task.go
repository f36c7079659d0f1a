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
	due      time.Time // of a retry
	host     *host
	origin   *origin
	robots   bool // not a URL of the frontier but the robots.txt of origin
	probe    bool // robots.txt of a host that may be down
	rank     uint64
	ranked   bool
	reserved bool // holds a place under the limit
	down     bool // its host was given up
}

// path is how a task came to its URL.
type path struct {
	from  string   // the page that named it
	above uint64   // fingerprint of the body of from
	first string   // where it was before it moved
	hops  int      // redirects
	chain []uint64 // keys that it had before it moved
}

// attempt is the lease of a task, if it is open.
type attempt struct {
	token     uint64 // zero while the task is not leased
	began     time.Time
	turn      bool // it has a turn at its host
	untrusted bool // its host was not trusted when it was leased
	answered  bool // its request is over, though its lease is open
	counted   bool // among the leased pages
}

// asks reports whether t takes a request. List says that only the start page is
// asked for.
func (t *task) asks(list bool) bool {
	return t.robots || t.Sitemap || t.page() && (!list || t.start)
}

// page reports whether t may become a delivered page.
func (t *task) page() bool {
	return !t.robots && !t.Sitemap && t.Rule == 0 && !t.down
}

// move gives t the URL that a record says it moved to.
func (t *task) move(rec *record) {
	start, depth := t.start, t.Depth
	t.chain = append(t.chain, rec.text)
	t.link = rec.links[0]
	t.start, t.Depth = start, depth
	t.hops, t.tries, t.unruled, t.due = rec.hops, 0, 0, time.Time{}
}

// robotsTask returns the task to ask for the robots.txt of t's origin.
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

// waitsAt is the depth at which a target waits: sitemap files come with the
// first pages, whatever their nesting.
func (t *Target) waitsAt() int {
	if t.Sitemap {
		return 0
	}
	return t.Depth
}
