// SPDX-License-Identifier: Apache-2.0

// Package outbox delivers the events of jobs to webhooks. It reads them from
// the records of the jobs.
//
// A [Sender] runs a job that delivers the events of another job. It gets the
// events from a [Source] and stores its progress as a [Position] before each
// further step. A receiver gets each event at least once.
package outbox

import (
	"context"
	"encoding/json"
	"errors"

	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// Kind is the kind of the jobs that deliver the events of another job.
const Kind = "webhook"

// Outbox delivers the events of jobs. The delivery of a job's events is started
// once, also across restarts. The fields must not be changed after the first
// use.
type Outbox struct {
	Runner   *job.Runner
	Sender   Sender                         // its Source is Events
	Stepped  []string                       // the kinds of jobs that have actions instead of pages
	Document func(job.Item) json.RawMessage // reads a stored result
}

// Events returns the events of a job of a team.
func (o *Outbox) Events(team string, d *Delivery) Source {
	return &events{Delivery: *d, Outbox: o, owner: team}
}

// Announce starts the delivery of j's events, unless it has begun before, here or in another
// process.
func (o *Outbox) Announce(ctx context.Context, j *job.Job, h *webhook.Hook, retained bool) error {
	// Ask first: while Begin finds out that the ID is in use, Resume would take the delivery for running.
	if _, _, err := o.Runner.Get(ctx, j.Owner, deliveryOf(j)); !errors.Is(err, job.ErrNotFound) {
		return err
	}
	spec, err := json.Marshal(Delivery{Hook: *h, Job: j.ID, Retained: retained})
	if err != nil {
		return err
	}
	_, err = o.Runner.Begin(ctx, job.Job{ID: deliveryOf(j), Kind: Kind, Owner: j.Owner, Spec: spec, Volatile: j.Volatile})
	if errors.Is(err, job.ErrExists) {
		return nil
	}
	return err
}

// deliveryOf returns the ID of the job that delivers the events of j.
func deliveryOf(j *job.Job) string { return uuid.Derive(j.ID, Kind, 0) }
