// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/format"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/outbox"
	"example.com/curlew/internal/service/recrawl"
	"example.com/curlew/internal/service/stored"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/job"
)

// Kinds of jobs.
const (
	KindCrawl = "crawl"
	KindBatch = "batch_scrape"
	KindAgent = "agent"

	KindExtract = "extract" // an agent of an [AgentRequest] with Extract
)

// Events returns the short names of the events that a job of a kind can send to a
// webhook. There are none if there is no such kind.
func Events(kind string) []string {
	switch kind {
	case KindAgent, KindExtract:
		return []string{"started", "action", "completed", "failed", "cancelled"}
	case KindCrawl, KindBatch:
		return []string{"started", "page", "completed", "failed", "cancelled"}
	}
	return nil
}

// Job is a crawl, a batch or an agent of a Service. Methods without a context, such as
// State, return values from the time when the Job was looked up. Methods with a context
// read the Store. A Job may be used by several goroutines at once.
type Job struct {
	parts    *parts
	record   *job.Job
	repeated *Idempotency // the earlier start; nil if this Job was not returned by a repeated start
	spec     spec         // the zero spec if the record of a job that has ended is damaged
	read     func()       // reads spec when it is asked for, because lists have many jobs; nil if it is read
}

// Job returns a job of a team. An empty team means "default". If the job does not exist,
// belongs to another team or has expired, the error wraps [job.ErrNotFound].
func (s *Service) Job(ctx context.Context, team, id string) (*Job, error) {
	j, _, err := s.parts().find(ctx, team, id)
	return j, err
}

// find implements [Service.Job]. It also returns the figures of the job.
func (p *parts) find(ctx context.Context, team, id string) (*Job, job.Stats, error) {
	record, stats, err := p.runner.Get(ctx, teamOf(team), id)
	if err != nil {
		return nil, stats, err
	}
	if hidden(record.Kind) {
		return nil, stats, job.ErrNotFound
	}
	sp, err := readSpec(record)
	return &Job{parts: p, record: record, spec: sp}, stats, err
}

// hidden reports whether jobs of a kind are internal, and not listed.
func hidden(kind string) bool { return kind == outbox.Kind || kind == viewing.Kind }

func teamOf(team string) string { return cmp.Or(team, defaultTeam) }

// Jobs yields the jobs of a team that match f, newest first. If f names a kind that does not
// exist, it yields an error that wraps [ErrRequest]. A job whose record is damaged has no URL
// and no memo, and its Status returns the error.
func (s *Service) Jobs(ctx context.Context, team string, f job.Filter) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		p := s.parts()
		if !slices.Contains([]string{"", KindCrawl, KindBatch, KindAgent, KindExtract}, f.Kind) {
			yield(nil, invalid("Kind", fmt.Errorf("%q is not a kind of jobs", f.Kind)))
			return
		}
		records, err := p.runner.List(ctx, teamOf(team), f)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, record := range records {
			if hidden(record.Kind) {
				continue
			}
			j := &Job{parts: p, record: record}
			if j.read = sync.OnceFunc(func() { j.spec, _ = readSpec(record) }); !yield(j, nil) { // Status returns the error
				return
			}
		}
	}
}

// known returns the specification of j. It is the zero spec if the record is damaged.
func known(j *Job) *spec {
	if j.read != nil {
		j.read()
	}
	return &j.spec
}

// ID returns the ID of the job, a UUIDv7.
func (j *Job) ID() string { return j.record.ID }

// Kind returns [KindCrawl], [KindBatch], [KindAgent] or [KindExtract].
func (j *Job) Kind() string { return j.record.Kind }

// State returns the state of the job when it was looked up.
func (j *Job) State() job.State { return j.record.State }

// Created returns when the job was started.
func (j *Job) Created() time.Time { return j.record.Created }

// Ended returns when the job ended. It is zero if it had not ended when it was looked up.
func (j *Job) Ended() time.Time { return j.record.Ended }

// URL returns the start page of a crawl. It is empty for other jobs.
func (j *Job) URL() string { return known(j).URL }

// Memo returns the Memo of the job's start. It is nil if the record of the job is damaged.
func (j *Job) Memo() json.RawMessage { return known(j).Memo }

// Question returns the question of an agent. It is nil for other jobs, and if the record of
// the job is damaged.
func (j *Job) Question() *AgentOptions { return known(j).Agent }

// Refused returns the URLs of a batch that the team's blocklist or the threat gate refused
// when the batch was started or, if this Job was returned by a call that appended URLs to
// the batch, by that call.
func (j *Job) Refused() []string { return known(j).Refused }

// Cancel ends the job. Its results stay readable, and work in progress is aborted. The error
// wraps [ErrFinished] if the job has ended in another way, and [ErrBusy] if the disk is full: the
// job is then cancelled when there is room. Cancelling it again does nothing.
func (j *Job) Cancel(ctx context.Context) error {
	err := j.parts.runner.Cancel(ctx, j.record.Owner, j.record.ID)
	if errors.Is(err, job.ErrEnded) {
		return refuse(ErrFinished, map[string]string{
			KindCrawl: "Crawl is already completed", KindBatch: "Batch scrape is already completed", KindAgent: "Agent already finished",
			KindExtract: "Extract already finished",
		}[j.record.Kind])
	}
	return outOf(admission.OfDisk, err)
}

// Changed returns a channel that is closed at the next change of the job. Call it before
// reading the job, so that no change is missed. If the Store does not report changes, the
// channel is nil, and the caller has to poll.
func (j *Job) Changed(ctx context.Context) (<-chan struct{}, error) {
	return j.parts.runner.Changed(ctx, j.record.Owner, j.record.ID)
}

// Wait waits until the job has ended and returns its status. If [Service.Shutdown] begins
// first, the error is [job.ErrShutdown], and the job continues in the next process.
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
		case <-j.parts.closed: // the job continues in the next process
			return st, job.ErrShutdown
		case <-ctx.Done():
			return st, context.Cause(ctx)
		}
	}
}

// Items returns at most limit stored items of a kind, starting with index from. Documents
// are JSON.
func (j *Job) Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error) {
	items, err := j.parts.runner.Items(ctx, j.record.Owner, j.record.ID, kind, from, limit)
	if kind == job.Result {
		for i := range items {
			items[i].Data = recrawl.Document(items[i].Data)
		}
	}
	return items, err
}

// Documents returns documents of a crawl or batch as JSON, starting with index from: at
// most limit documents and at most maxBytes bytes, but at least one document if there is one.
// A damaged document is replaced by a document that reports the damage.
func (j *Job) Documents(ctx context.Context, from, limit, maxBytes int) ([]json.RawMessage, error) {
	return stored.Documents(ctx, j, from, limit, maxBytes)
}

// watch yields the documents of the job, and waits for further ones until it has ended.
func watch(ctx context.Context, j *Job, from int) iter.Seq2[job.Item, error] {
	return j.parts.runner.Watch(ctx, j.record.Owner, j.record.ID, from)
}

// Pages yields the documents that a crawl or batch has delivered so far, in the order of
// delivery, starting with index from. If from is negative, it yields an error that wraps
// [job.ErrInvalid]. For a damaged document it yields an error that wraps
// [job.ErrCorrupt], and then continues.
func (j *Job) Pages(ctx context.Context, from int) iter.Seq2[*format.Document, error] {
	return stored.Values(stored.All(ctx, j, job.Result, from, stored.Chunk), stored.Read[format.Document])
}

// Watch is like Pages, but waits for further documents until the job has ended.
func (j *Job) Watch(ctx context.Context, from int) iter.Seq2[*format.Document, error] {
	return stored.Values(watch(ctx, j, from), stored.Read[format.Document])
}

// WatchJSON is like Watch, but yields JSON. It treats damaged documents like Documents.
func (j *Job) WatchJSON(ctx context.Context, from int) iter.Seq2[json.RawMessage, error] {
	return stored.Values(watch(ctx, j, from), func(it job.Item) (json.RawMessage, error) { return stored.Document(it), nil })
}

// WatchExport is like WatchJSON. To a document of a crawl it adds, before its own members,
// what the exports say about the request: depth, the number of links from the start page,
// and etag and lastModified if the response had them.
func (j *Job) WatchExport(ctx context.Context, from int) iter.Seq2[json.RawMessage, error] {
	return stored.Values(watch(ctx, j, from), func(it job.Item) (json.RawMessage, error) { return stored.Described(it), nil })
}

// Errors yields the pages of a crawl or batch that were not delivered, with the reasons,
// starting with index from.
func (j *Job) Errors(ctx context.Context, from int) iter.Seq2[*PageError, error] {
	return stored.Values(stored.All(ctx, j, job.Failure, from, stored.Chunk), stored.Read[PageError])
}

// AgentJob has the methods of a Job that only agents have.
type AgentJob struct{ job *Job }

// Agent returns the methods for an agent. Other jobs have no answer and no events.
func (j *Job) Agent() AgentJob { return AgentJob{j} }

// Stop makes the agent answer with what it has found so far. It returns [ErrFinished] if the
// job has ended, [ErrRequest] if it is not an agent, and [ErrBusy] if another process works on
// it, because only that process can stop it.
func (a AgentJob) Stop(ctx context.Context) error {
	p, id := a.job.parts, a.job.record.ID
	if kind := a.job.Kind(); kind != KindAgent && kind != KindExtract {
		return refuse(ErrRequest, "Only an agent can be stopped. A job of another kind can be cancelled.")
	}
	held := p.runner.Holds(id) // before the state is read, because the job may end in between
	now, _, err := p.find(ctx, a.job.record.Owner, id)
	switch {
	case err != nil:
		return err
	case now.State().Final():
		return refuse(ErrFinished, "Agent already finished")
	case !held:
		return refuse(ErrBusy, "Another process works on the agent. Only that process can stop it.")
	}
	p.works.stops.Store(id, nil)
	if run, ok := p.works.runs.Load(id); ok {
		run.(*agent.Run).Stop() // runs has only values of this type
	}
	if !p.runner.Holds(id) {
		p.works.stops.Delete(id) // it has ended
	}
	return nil
}

// Answer returns the answer of the agent. It is nil until the job has completed.
func (a AgentJob) Answer(ctx context.Context) (*outcome.Answer, error) {
	items, err := a.job.Items(ctx, job.Result, 0, 1)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return stored.Read[outcome.Answer](items[0])
}

// Events returns events of the agent, starting with index from, and the number of items that
// it has read. Damaged items count, but yield no event.
func (a AgentJob) Events(ctx context.Context, from int) ([]journal.Event, int, error) {
	return stored.Events(ctx, a.job, from)
}

// Snapshot returns the merged data of the agent at the time of the event seq. If there is no
// such event, found is false.
func (a AgentJob) Snapshot(ctx context.Context, seq int64) (data json.RawMessage, found bool, err error) {
	return stored.Snapshot(ctx, a.job, seq)
}
