// SPDX-License-Identifier: Apache-2.0

package frontier

import "time"

// quota decides whether another page may be leased. Invariant: delivered pages
// and places together are at most limit, requests and leased pages together are
// at most budget, and the delay lies between two pages.
type quota struct {
	limit  int
	budget int
	delay  time.Duration // if not zero, there is one page at a time

	delivered int
	leased    int
	requests  int
	places    int       // places under the limit that tasks hold
	next      time.Time // the next page is not requested earlier
}

// open reports whether a page may be leased now. If only time must pass, at is
// the time.
func (q *quota) open(now time.Time) (open bool, at time.Time) {
	switch {
	case q.delivered+q.places >= q.limit, q.requests+q.leased >= q.budget:
		return false, time.Time{}
	case q.delay > 0 && q.leased > 0:
		return false, time.Time{}
	case q.pausing(now):
		return false, q.next
	}
	return true, time.Time{}
}

// pausing reports whether the crawl's delay has not passed yet.
func (q *quota) pausing(now time.Time) bool { return q.delay > 0 && now.Before(q.next) }

// full reports whether all pages have been delivered.
func (q *quota) full() bool { return q.delivered >= q.limit }

// spent reports whether no more pages may be requested.
func (q *quota) spent() bool { return q.requests >= q.budget }

// lease counts a leased page, and gives it a place unless it has one.
func (q *quota) lease(t *task) {
	t.counted = true
	q.leased++
	if !t.reserved {
		t.reserved = true
		q.places++
	}
}

// release counts a page whose lease has ended. If keep is set, it keeps its
// place.
func (q *quota) release(t *task, keep bool) {
	if t.counted {
		t.counted = false
		q.leased--
	}
	if !keep {
		q.vacate(t)
	}
}

// vacate releases the place of a task, if it has one.
func (q *quota) vacate(t *task) {
	if t.reserved {
		t.reserved = false
		q.places--
	}
}

// ask counts a request that ended at a time.
func (q *quota) ask(ended time.Time) {
	q.requests++
	if q.delay > 0 {
		q.next = ended.Add(q.delay)
	}
}
