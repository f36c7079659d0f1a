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
	"sync"

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

	begun deliveries
}

// Events returns the events of a job of a team.
func (o *Outbox) Events(team string, d *Delivery) Source {
	return &events{Delivery: *d, Outbox: o, owner: team}
}

// Announce starts the delivery of j's events. again says that another process
// has worked on j before and may have started the delivery.
func (o *Outbox) Announce(ctx context.Context, j *job.Job, h *webhook.Hook, retained, again bool) error {
	if again {
		if begun, err := o.begun.has(ctx, o.Runner, j); begun || err != nil {
			return err
		}
	}
	spec, err := json.Marshal(Delivery{Hook: *h, Job: j.ID, Retained: retained})
	if err != nil {
		return err
	}
	_, err = o.Runner.Begin(ctx, job.Job{Kind: Kind, Owner: j.Owner, Spec: spec, Volatile: j.Volatile})
	return err
}

// deliveries are the jobs whose deliveries an earlier process started. They are
// kept by team, so that not every job that continues lists them again.
type deliveries struct {
	mu    sync.Mutex
	begun map[string]map[string]bool // guarded by mu; by team, then by ID of the job
}

// has reports whether the delivery of a job was started before this process.
func (d *deliveries) has(ctx context.Context, r *job.Runner, j *job.Job) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun[j.Owner][j.ID] {
		return true, nil
	}
	// Another process may have started it since they were listed.
	list, err := r.List(ctx, j.Owner, job.Filter{Kind: Kind})
	if err != nil {
		return false, err
	}
	begun := make(map[string]bool, len(list))
	for _, o := range list {
		var other Delivery
		if json.Unmarshal(o.Spec, &other) == nil {
			begun[other.Job] = true
		}
	}
	if d.begun == nil {
		d.begun = map[string]map[string]bool{}
	}
	d.begun[j.Owner] = begun
	return begun[j.ID], nil
}
