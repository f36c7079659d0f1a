// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/service/notices"
	"example.com/curlew/job"
)

// Status is the status of a job.
type Status struct {
	ID, Kind string
	State    job.State
	Err      string // why the job failed
	Warning  string // sentences about the whole job for the caller

	Counts

	Created, Ended, Expires time.Time // Ended is zero while the job runs

	Webhook *WebhookBacklog // nil if all events so far were delivered
	Changes *Changes        // for a crawl with Since; nil if not known yet
	Crawl   frontier.Stats  // for a crawl
}

// Counts are the figures of a job.
type Counts struct {
	Delivered int // documents
	Total     int // pages that are delivered, in progress or waiting
	Failed    int // entries of Job.Errors
	Blocked   int // URLs that robots.txt disallows
	Credits   int // spent so far
	Events    int // events of an agent
}

// WebhookBacklog describes the events of a job that have not been delivered.
type WebhookBacklog struct {
	Events         int       // pages and other events that are still to be delivered
	FailedAttempts int       // failed attempts to deliver the next event
	NextAttempt    time.Time // zero means at once
	GivenUp        int       // events that will not be delivered
}

// Status returns the current status of the job.
func (j *Job) Status(ctx context.Context) (Status, error) {
	now, stats, err := j.parts.find(ctx, j.record.Owner, j.record.ID)
	if err != nil {
		return Status{}, err
	}
	return describe(ctx, now, &stats)
}

// describe returns the status of j with these figures.
func describe(ctx context.Context, j *Job, stats *job.Stats) (st Status, err error) {
	r := j.record
	st = Status{
		ID: r.ID, Kind: r.Kind, State: r.State, Err: r.Err,
		Counts: Counts{
			Delivered: stats.Items[job.Result], Total: total(r, &j.spec, stats), Credits: stats.Cost,
			Failed: stats.Items[job.Failure], Blocked: stats.Items[job.Blocked],
		},
		Created: r.Created, Ended: r.Ended, Expires: r.Expires, Crawl: stats.Crawl,
	}
	if r.Kind != KindBatch { // a batch stores something else as events
		st.Events = stats.Items[job.Event]
	}
	if !r.State.Final() {
		st.Expires = time.Now().Add(r.Keep)
	}
	waiting, err := j.parts.outbox.Backlog(ctx, r, stats, j.spec.Hook)
	if err != nil {
		return st, err
	}
	st.Webhook = (*WebhookBacklog)(waiting)
	if j.spec.Since != "" {
		if st.Changes, err = changesOf(ctx, j, stats); err != nil {
			return st, err
		}
	}
	about := notices.Job{Items: j, State: r.State, Stats: stats, Start: j.spec.Warnings}
	switch r.Kind {
	case KindCrawl:
		about.Crawl = &notices.Crawl{URL: j.spec.URL, Limit: j.spec.Limit, Compared: j.spec.Since != "", Narrow: j.spec.Crawl != nil && !j.spec.Crawl.EntireDomain}
	case KindBatch:
		about.Unavailable, about.Inputs = stats.Items[job.Event], len(j.spec.URLs)+stats.Items[job.Input]
	}
	st.Warning, err = about.Warning(ctx)
	return st, err
}

// total returns how many pages of a job are delivered, in progress or waiting.
func total(j *job.Job, s *spec, stats *job.Stats) int {
	done := stats.Items[job.Result]
	switch {
	case j.State.Final():
		return done
	case j.Kind == KindBatch:
		return max(done, len(s.URLs)+stats.Items[job.Input]-stats.Items[job.Failure])
	default:
		return max(done, stats.Crawl.Total(s.Limit))
	}
}
