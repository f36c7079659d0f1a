// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// Backlog describes the events of a job that have not been delivered.
type Backlog struct {
	Events         int       // pages and other events that are still to be delivered
	FailedAttempts int       // failed attempts to deliver the next event
	NextAttempt    time.Time // zero means at once
	GivenUp        int       // events that will not be delivered
}

// Backlog returns the events of j that have not been delivered, or nil if there are none. The
// hook is that of j. What another process delivers, or an earlier one has delivered, is read
// from the store.
func (o *Outbox) Backlog(ctx context.Context, j *job.Job, stats *job.Stats, h *webhook.Hook) (*Backlog, error) {
	if h == nil {
		return nil, nil
	}
	var at Position
	if p, ok := o.Sender.working.Load(j.ID); ok {
		at = p.(*progress).get() // the map contains only *progress
	} else {
		delivery, done, err := o.Runner.Get(ctx, j.Owner, deliveryOf(j))
		if errors.Is(err, job.ErrNotFound) {
			return nil, nil // it has not begun, or has expired
		}
		if err == nil {
			at, err = last(&done, func(i int) ([]job.Item, error) {
				return o.Runner.Items(ctx, j.Owner, delivery.ID, job.Note, i, 1)
			})
		}
		if err != nil {
			return nil, err
		}
		if delivery.State == job.Completed { // what the receiver does not want has moved no stored position
			if at.GivenUp == 0 {
				return nil, nil
			}
			return &Backlog{GivenUp: at.GivenUp}, nil
		}
	}
	b := &Backlog{GivenUp: at.GivenUp, FailedAttempts: at.Tries, NextAttempt: at.Next}
	if h.Wants("page") && !slices.Contains(o.Stepped, j.Kind) {
		b.Events = stats.Items[job.Result] - at.Pages + stats.Items[job.Failure] - at.Failures
	}
	if j.State.Final() && !at.Ended {
		b.Events++
	}
	for _, e := range at.Open {
		b.Events += max(1, e.Size)
		if e.Tries > b.FailedAttempts {
			b.FailedAttempts, b.NextAttempt = e.Tries, e.Next
		}
	}
	if b.FailedAttempts > 0 {
		b.Events = max(1, b.Events)
	}
	if b.Events == 0 && b.GivenUp == 0 {
		return nil, nil
	}
	return b, nil
}

// last returns the last position of a delivery that can be read, of the notes that item reads
// by their index.
func last(stats *job.Stats, item func(int) ([]job.Item, error)) (at Position, err error) {
	for i := stats.Items[job.Note] - 1; i >= 0; i-- {
		notes, err := item(i)
		if err != nil {
			return at, err
		}
		if len(notes) == 1 && notes[0].Err == nil && json.Unmarshal(notes[0].Data, &at) == nil {
			return at, nil
		}
		at = Position{}
	}
	return at, nil
}

// progress is the position of a running delivery, for those who ask meanwhile.
type progress struct {
	mu sync.Mutex
	at Position // guarded by mu
}

func (p *progress) get() Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

func (p *progress) set(at Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}
