// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/format"
	"example.com/curlew/job"
)

// Kinds of jobs.
const (
	KindCrawl = "crawl"
	KindBatch = "batch_scrape"
	KindAgent = "agent"
)

// Job is a crawl, a batch or an agent of a Service, as its record was when it was
// asked for. Its methods ask the Service anew. It may be used by several
// goroutines at once.
type Job struct {
	parts    *parts
	record   *job.Job
	repeated *Idempotency // of the earlier start; nil: this Job was not returned by a repeated start
	spec     spec         // the zero spec if the record of a job that has ended is damaged
}

// Job returns a job of a team; an empty team is "default". A job that there is
// not, that is another team's or has expired is [job.ErrNotFound].
func (s *Service) Job(ctx context.Context, team, id string) (*Job, error) {
	j, _, err := s.parts().find(ctx, team, id)
	return j, err
}

// find is [Service.Job], with the job's figures.
func (p *parts) find(ctx context.Context, team, id string) (*Job, job.Stats, error) {
	record, stats, err := p.runner.Get(ctx, teamOf(team), id)
	if err != nil {
		return nil, stats, err
	}
	if record.Kind == kindHook {
		return nil, stats, job.ErrNotFound
	}
	j, err := p.jobOf(record)
	return j, stats, err
}

// jobOf returns the job of a record.
func (p *parts) jobOf(record *job.Job) (*Job, error) {
	sp, err := readSpec(record)
	return &Job{parts: p, record: record, spec: sp}, err
}

func teamOf(team string) string {
	if team == "" {
		return defaultTeam
	}
	return team
}

// Jobs yields the jobs of a team that f describes, the newest first.
func (s *Service) Jobs(ctx context.Context, team string, f job.Filter) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		p := s.parts()
		records, err := p.runner.List(ctx, teamOf(team), f)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, record := range records {
			if record.Kind == kindHook {
				continue
			}
			if j, err := p.jobOf(record); !yield(j, err) {
				return
			}
		}
	}
}

// ID returns the job's id, a UUIDv7.
func (j *Job) ID() string { return j.record.ID }

// Kind returns [KindCrawl], [KindBatch] or [KindAgent].
func (j *Job) Kind() string { return j.record.Kind }

// State returns where the job stood.
func (j *Job) State() job.State { return j.record.State }

// Created returns when the job was started.
func (j *Job) Created() time.Time { return j.record.Created }

// URL returns the start page of a crawl.
func (j *Job) URL() string { return j.spec.URL }

// Memo returns what its start was told to keep. It is nil if the job's record is
// damaged.
func (j *Job) Memo() json.RawMessage { return j.spec.Memo }

// Question returns what an agent was asked; nil of other jobs, and if the job's
// record is damaged.
func (j *Job) Question() *AgentOptions { return j.spec.Agent }

// Refused returns the URLs of a batch that the team's blocklist or the threat
// gate refused when it was started, or when URLs were appended to it.
func (j *Job) Refused() []string { return j.spec.Refused }

// Cancel ends the job. What it has delivered stays readable, what is under way is
// given up. [ErrFinished] of a job that has ended.
func (j *Job) Cancel(ctx context.Context) error {
	err := j.parts.runner.Cancel(ctx, j.record.Owner, j.record.ID)
	if errors.Is(err, job.ErrEnded) {
		return refuse(ErrFinished, map[string]string{
			KindCrawl: "Crawl is already completed", KindBatch: "Batch scrape is already completed", KindAgent: "Agent already finished",
		}[j.record.Kind])
	}
	return err
}

// Stop has an agent end with what it knows. [ErrFinished] of a job that has ended.
func (j *Job) Stop() error {
	if j.record.State.Final() {
		return refuse(ErrFinished, "Agent already finished")
	}
	if run, ok := j.parts.works.runs.Load(j.record.ID); ok {
		run.(*agent.Run).Stop() // nothing else is stored
	}
	return nil
}

// Changed returns a channel that is closed when the job has something new. It is
// asked for before the look at what there is. Nil: nobody tells.
func (j *Job) Changed(ctx context.Context) (<-chan struct{}, error) {
	return j.parts.runner.Changed(ctx, j.record.Owner, j.record.ID)
}

// Wait returns the status of the job when it has ended.
func (j *Job) Wait(ctx context.Context) (Status, error) {
	for {
		changed, err := j.Changed(ctx)
		if err != nil {
			return Status{}, err
		}
		st, err := j.Status(ctx)
		if err != nil || st.State.Final() {
			return st, err
		}
		var poll <-chan time.Time
		if changed == nil {
			poll = time.After(time.Second)
		}
		select {
		case <-changed:
		case <-poll:
		case <-j.parts.life.closed: // it goes on in the next process
			return st, job.ErrShutdown
		case <-ctx.Done():
			return st, context.Cause(ctx)
		}
	}
}

// Items returns what is stored of the job: at most limit items of a kind from
// index from on. Documents are JSON.
func (j *Job) Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error) {
	items, err := j.parts.runner.Items(ctx, j.record.Owner, j.record.ID, kind, from, limit)
	if kind == job.Result {
		for i := range items {
			items[i].Data, _ = documentOf(items[i].Data)
		}
	}
	return items, err
}

// Documents returns the documents of a crawl or batch as JSON: at most limit from
// index from on, and no more than room bytes, but one in any case. In place of one
// whose record is damaged stands one that says so.
func (j *Job) Documents(ctx context.Context, from, limit, room int) ([]json.RawMessage, error) {
	const chunk = 25 // so that a page of large documents is not read twelve times over
	docs := []json.RawMessage{}
	size := 0
	for len(docs) < limit {
		items, err := j.parts.runner.Items(ctx, j.record.Owner, j.record.ID, job.Result, from+len(docs), min(chunk, limit-len(docs)))
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			doc := document(it)
			if size += len(doc); size > room && len(docs) > 0 {
				return docs, nil
			}
			docs = append(docs, doc)
		}
		if len(items) == 0 {
			break
		}
	}
	return docs, nil
}

// document returns what is shown of a stored document: of one that cannot be
// read any more, that.
func document(it job.Item) json.RawMessage {
	if it.Err != nil {
		return json.RawMessage(`{"warning":"This document was damaged in storage.","metadata":{}}`)
	}
	doc, _ := documentOf(it.Data)
	return doc
}

// chunk is how many items are read at a time.
const chunk = 50

// each hands the items of a kind to see, from index from on, as far as there are
// any.
func each(ctx context.Context, j *Job, kind job.ItemKind, from int, see func(job.Item) bool) error {
	for {
		items, err := j.Items(ctx, kind, from, chunk)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, it := range items {
			if !see(it) {
				return nil
			}
		}
		from += len(items)
	}
}

// Pages yields the documents that a crawl or batch has delivered so far, in the
// order of their delivery, from index from on. One whose record is damaged is
// yielded as an error that wraps [job.ErrCorrupt], and the next follow.
func (j *Job) Pages(ctx context.Context, from int) iter.Seq2[*format.Document, error] {
	return func(yield func(*format.Document, error) bool) {
		err := each(ctx, j, job.Result, from, func(it job.Item) bool { return yield(readDocument(it)) })
		if err != nil {
			yield(nil, err)
		}
	}
}

func readDocument(it job.Item) (*format.Document, error) {
	if it.Err != nil {
		return nil, it.Err
	}
	doc := new(format.Document)
	data, _ := documentOf(it.Data)
	return doc, json.Unmarshal(data, doc)
}

// Watch yields the documents that a crawl or batch delivers, as Pages does, and
// waits for more until the job has ended.
func (j *Job) Watch(ctx context.Context, from int) iter.Seq2[*format.Document, error] {
	return func(yield func(*format.Document, error) bool) {
		for it, err := range j.parts.runner.Watch(ctx, j.record.Owner, j.record.ID, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(readDocument(it)) {
				return
			}
		}
	}
}

// WatchJSON is Watch with documents as JSON, damaged ones as in Documents.
func (j *Job) WatchJSON(ctx context.Context, from int) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for it, err := range j.parts.runner.Watch(ctx, j.record.Owner, j.record.ID, from) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(document(it), nil) {
				return
			}
		}
	}
}

// Errors yields why pages of a crawl or batch were not delivered, from index from
// on.
func (j *Job) Errors(ctx context.Context, from int) iter.Seq2[*PageError, error] {
	return func(yield func(*PageError, error) bool) {
		err := each(ctx, j, job.Failure, from, func(it job.Item) bool {
			if it.Err != nil {
				return yield(nil, it.Err)
			}
			e := new(PageError)
			err := json.Unmarshal(it.Data, e)
			return yield(e, err)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// Answer returns what an agent that has completed found; nil before, and of one
// that did not complete.
func (j *Job) Answer(ctx context.Context) (*Answer, error) {
	items, err := j.Items(ctx, job.Result, 0, 1)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	if items[0].Err != nil {
		return nil, items[0].Err
	}
	found := new(Answer)
	return found, json.Unmarshal(items[0].Data, found)
}

// Events returns the next events of an agent from index from on, and how many
// items that were: a damaged one is left out.
func (j *Job) Events(ctx context.Context, from int) ([]journal.Event, int, error) {
	items, err := j.Items(ctx, job.Event, from, chunk)
	if err != nil {
		return nil, 0, err
	}
	var events []journal.Event
	for _, it := range items {
		var e journal.Event
		if it.Err == nil && json.Unmarshal(it.Data, &e) == nil {
			events = append(events, e)
		}
	}
	return events, len(items), nil
}

// Snapshot returns the data of an agent as it stood at the event with the number
// seq, merged; found is false if there is no such event.
func (j *Job) Snapshot(ctx context.Context, seq int64) (data json.RawMessage, found bool, err error) {
	data, err = agent.Fold(func(yield func(journal.Event, error) bool) {
		for from := 0; ; {
			events, n, err := j.Events(ctx, from)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			if n == 0 {
				return
			}
			for _, e := range events {
				found = found || e.Seq == seq
				if !yield(e, nil) {
					return
				}
			}
			from += n
		}
	}, seq)
	return data, found, err
}
