// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"slices"
	"time"

	"example.com/curlew/internal/sorting"
)

// ranks contains the tasks of an ordered crawl, instead of the queues of the
// hosts. Invariant: ranks are assigned in the order of discovery, and the
// number of open ranks is limited, so that all results can wait until the
// lowest open rank has ended. Therefore commits can be delivered in rank order.
type ranks struct {
	pages    queue
	sitemaps fifo
	again    []*task // tasks with a rank that must be leased again
	head     *task   // taken from a queue, without a rank yet

	most  uint64 // limit of open ranks
	next  uint64 // the next rank
	floor uint64 // all ranks below have ended
	ended map[uint64]bool
}

func newRanks(most int) ranks {
	return ranks{most: uint64(most), ended: map[uint64]bool{}} //nolint:gosec // G115: validated
}

// open reports whether another rank may be opened.
func (r *ranks) open() bool { return r.next < r.floor+r.most }

// give gives t the next rank, if it has none.
func (r *ranks) give(t *task) {
	if !t.ranked {
		t.rank, t.ranked = r.next, true
		r.next++
	}
}

// end records that the rank of t has ended.
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

// requeue returns a task that was leased before.
func (r *ranks) requeue(t *task) {
	r.again = append(r.again, t)
	sorting.Stable(r.again, compareRanks)
}

// compareRanks orders tasks by rank. Tasks of a replay without a rank come
// first.
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

// take returns the task to be leased next. Tasks with a rank are leased again
// as soon as possible, and the others strictly in order. next takes a task out
// of a queue, or returns nil. ready returns the task, or one that must precede
// it, if it can be leased now, and otherwise may return a time. If no task can
// be leased, at is the earliest of these times.
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
			return nil, at, nil // tasks of a replay are also strictly in order
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
