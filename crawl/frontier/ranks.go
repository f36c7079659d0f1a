// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"
	"time"
)

// ranks holds the tasks of an ordered crawl, instead of the queues of the hosts.
// The invariant: ranks are given in the order of discovery, and at most so many are
// open that results can wait until the lowest open rank has ended. So commits leave
// in rank order.
type ranks struct {
	pages    queue
	sitemaps fifo
	again    []*task // have a rank, and come again
	head     *task   // taken from a queue, without a rank yet

	most  uint64 // ranks that are open at once
	next  uint64 // rank
	floor uint64 // all ranks below have ended
	ended map[uint64]bool
}

func newRanks(most int) ranks {
	return ranks{most: uint64(most), ended: map[uint64]bool{}} //nolint:gosec // G115: validated
}

// open reports whether one more rank may be open.
func (r *ranks) open() bool { return r.next < r.floor+r.most }

// give gives t the next rank, if it has none.
func (r *ranks) give(t *task) {
	if !t.ranked {
		t.rank, t.ranked = r.next, true
		r.next++
	}
}

// end notes that all with the rank of t has ended.
func (r *ranks) end(t *task) {
	if !t.ranked {
		return
	}
	r.ended[t.rank] = true
	for r.ended[r.floor] {
		delete(r.ended, r.floor)
		r.floor++
	}
}

// requeue puts a task that was leased before back.
func (r *ranks) requeue(t *task) {
	r.again = append(r.again, t)
	slices.SortFunc(r.again, compareRanks)
}

// compareRanks orders tasks by rank; those without, of a replay, come first.
func compareRanks(a, b *task) int {
	switch {
	case a.ranked != b.ranked && a.ranked:
		return 1
	case a.ranked != b.ranked:
		return -1
	case a.rank < b.rank:
		return -1
	case a.rank > b.rank:
		return 1
	}
	return 0
}

// take returns the task to be leased next: what has a rank comes again as soon as
// it can, and the rest strictly in turn. Next takes a task out of a queue, nil if
// none is there. Ready returns the task, or what has to come before it, if that
// can be leased now; else it may say when. If nothing can, at is the earliest of
// those times.
func (r *ranks) take(next func() (*task, error), ready func(*task) (*task, time.Time)) (t *task, at time.Time, err error) {
	try := func(t *task) *task {
		now, when := ready(t)
		if !when.IsZero() && (at.IsZero() || when.Before(at)) {
			at = when
		}
		if now != nil && !now.robots {
			r.give(now)
		}
		return now
	}
	for i, t := range r.again {
		if !t.ranked && !r.open() {
			break
		}
		if now := try(t); now != nil {
			if now == t {
				r.again = slices.Delete(r.again, i, i+1)
			}
			return now, time.Time{}, nil
		}
		if !t.ranked {
			return nil, at, nil // of a replay: strictly in turn too
		}
	}
	if !r.open() {
		return nil, at, nil
	}
	if r.head == nil {
		if r.head, err = next(); err != nil || r.head == nil {
			return nil, at, err
		}
	}
	now := try(r.head)
	if now == nil {
		return nil, at, nil
	}
	if now == r.head {
		r.head = nil
	}
	return now, time.Time{}, nil
}
