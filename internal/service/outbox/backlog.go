// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"time"

	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// Backlog describes the events of a job that have not been delivered yet.
type Backlog struct {
	Events         int
	FailedAttempts int       // failed attempts to deliver the next event
	NextAttempt    time.Time // zero means at once
}

// Remaining returns the backlog of j's webhook, or nil if all events were delivered.
func Remaining(b *webhook.Backlog, j *job.Job, stats *job.Stats) *Backlog {
	n := b.Open
	if b.Pages {
		n += stats.Items[job.Result] - b.At.Pages + stats.Items[job.Failure] - b.At.Failures
	}
	if j.State.Final() && !b.At.Ended {
		n++
	}
	if n <= 0 {
		return nil
	}
	s := &Backlog{Events: n, FailedAttempts: b.Tries}
	if b.Tries > 0 {
		s.NextAttempt = b.Next
	}
	return s
}
