// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"sync"
	"time"

	"example.com/curlew/job"
)

// Backlog describes the events of a job that have not been delivered yet.
type Backlog struct {
	Events         int
	FailedAttempts int       // failed attempts to deliver the next event
	NextAttempt    time.Time // zero means at once
}

// Backlog returns the events of j that have not been delivered yet, or nil if there are none.
func (o *Outbox) Backlog(j *job.Job, stats *job.Stats) *Backlog {
	p, ok := o.Sender.working.Load(j.ID)
	if !ok {
		return nil
	}
	now := p.(*progress).get() // the map contains only *progress
	n := now.open
	if now.pages {
		n += stats.Items[job.Result] - now.at.Pages + stats.Items[job.Failure] - now.at.Failures
	}
	if j.State.Final() && !now.at.Ended {
		n++
	}
	if n <= 0 {
		return nil
	}
	b := &Backlog{Events: n, FailedAttempts: now.tries}
	if now.tries > 0 {
		b.NextAttempt = now.next
	}
	return b
}

// progress is what a running delivery has done so far.
type progress struct {
	mu  sync.Mutex
	now state // guarded by mu
}

// state is the state of a delivery at one time.
type state struct {
	at    Position  // position after the last event that was started
	pages bool      // the receiver wants events about pages
	open  int       // pages of the events in progress; an event without pages counts as one
	tries int       // highest number of failed attempts at an event in progress
	next  time.Time // when the next attempt at that event is due; zero if none is
}

func (p *progress) get() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// set records the progress of d.
func (p *progress) set(d *delivery) {
	now := state{at: d.at, pages: d.Wants("page")}
	for _, s := range d.open {
		now.open += max(1, s.pages)
		if s.Tries > now.tries {
			now.tries, now.next = s.Tries, s.Next
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}
