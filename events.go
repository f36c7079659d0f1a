// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/webhook"
)

// kindHook is the kind of the job that delivers the events of another job.
const kindHook = "webhook"

// Events returns the short names of the events that a webhook can get from a kind of
// job.
func Events(kind string) []string {
	if kind == KindAgent {
		return []string{"started", "action", "completed", "failed", "cancelled"}
	}
	return []string{"started", "page", "completed", "failed", "cancelled"}
}

// events reads the events of a job from its record, in their order. A position says
// which of them were delivered. It is a [webhook.Source].
type events struct {
	webhook.Delivery
	runner  *job.Runner
	owner   string
	actions map[int][]journal.Action // of an agent, by step

	job   *job.Job // as of the last look
	stats job.Stats
}

// Kind implements [webhook.Source].
func (d *events) Kind() string { return d.job.Kind }

// Look implements [webhook.Source].
func (d *events) Look(ctx context.Context) (<-chan struct{}, error) {
	// In this order: what comes after the look closes changed.
	changed, err := d.runner.Changed(ctx, d.owner, d.Job)
	if err != nil {
		return nil, err
	}
	d.job, d.stats, err = d.runner.Get(ctx, d.owner, d.Job)
	return changed, err
}

// Next implements [webhook.Source].
func (d *events) Next(ctx context.Context, from webhook.Position) (*webhook.Event, webhook.Position, error) {
	j, stats := d.job, &d.stats
	after := webhook.Position{Started: from.Started, Pages: from.Pages, Failures: from.Failures, Ended: from.Ended}
	if !after.Started {
		after.Started = true
		if d.Wants("started") {
			return &webhook.Event{Name: "started", Success: true}, after, nil
		}
	}
	tell := d.page
	if j.Kind == KindAgent {
		tell = d.action
	}
	e, err := tell(ctx, &from, stats, &after)
	if e != nil || err != nil {
		return e, after, err
	}
	if !j.State.Final() || after.Ended {
		return nil, after, nil
	}
	after.Ended = true
	e, err = d.terminal(ctx, j, stats)
	return e, after, err
}

// maxEventData bounds the pages of one event, in bytes; a single page may have
// more.
const maxEventData = 1 << 20

// page returns the event of the next delivered pages, or of the next failed page.
func (d *events) page(ctx context.Context, from *webhook.Position, stats *job.Stats, after *webhook.Position) (*webhook.Event, error) {
	if !d.Wants("page") {
		after.Pages, after.Failures = stats.Items[job.Result], stats.Items[job.Failure]
		return nil, nil
	}
	if after.Pages < stats.Items[job.Result] && !from.Failed {
		return d.delivered(ctx, from, stats, after)
	}
	for after.Failures < stats.Items[job.Failure] {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Failure, after.Failures, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Failures++
		var failed PageError
		if items[0].Err != nil || json.Unmarshal(items[0].Data, &failed) != nil || failed.Rule != nil {
			continue // pages that a rule refused have no event
		}
		data, err := jsonenc.Encode(failedPage{Metadata: failedMetadata{SourceURL: failed.URL, ScrapeID: failed.ID}})
		if err != nil {
			return nil, err
		}
		// Indices of failures are negative, so that no two events have the same index.
		return &webhook.Event{Name: "page", Index: -after.Failures, Pages: 1, Data: []json.RawMessage{data}, Err: failed.Text}, nil
	}
	return nil, nil
}

// delivered returns the event of the next delivered pages. It has at most as many as the
// hook asks for. An event that was attempted before has the same pages again.
func (d *events) delivered(ctx context.Context, from *webhook.Position, stats *job.Stats, after *webhook.Position) (*webhook.Event, error) {
	e := &webhook.Event{Name: "page", Success: true}
	most, size := cmp.Or(from.Size, d.Batch, 1), 0
	for e.Pages < most && after.Pages < stats.Items[job.Result] {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Result, after.Pages, 1)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			break
		}
		doc := document(items[0])
		if size += len(doc); size > maxEventData && e.Pages > 0 && from.Size == 0 {
			break
		}
		e.Data = append(e.Data, doc)
		e.Pages++
		after.Pages++
	}
	if e.Pages == 0 {
		return nil, nil
	}
	e.Index = after.Pages
	return e, nil
}

// terminal returns the event of the end of a job, or nil if the receiver wants none. A
// receiver that wants "completed" but not the actual end gets "completed" without
// success.
func (d *events) terminal(ctx context.Context, j *job.Job, stats *job.Stats) (*webhook.Event, error) {
	e := &webhook.Event{Name: string(j.State), Success: j.State == job.Completed}
	switch j.State {
	case job.Failed:
		e.Err = j.Err
	case job.Cancelled:
		e.Err = "The job was cancelled."
	}
	if !d.Wants(e.Name) {
		if !d.Wants("completed") {
			return nil, nil
		}
		e.Name = "completed"
	}
	if j.Kind != KindAgent {
		return e, nil
	}
	told := agentEvent{CreditsUsed: stats.Cost}
	if j.State == job.Completed {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Result, 0, 1)
		if err != nil {
			return nil, err
		}
		var found Answer
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &found) == nil {
			told.Data = found.Data
		}
	}
	data, err := jsonenc.Encode(told)
	e.Data = []json.RawMessage{data}
	return e, err
}

// action returns the event of the next action that an agent has finished.
func (d *events) action(ctx context.Context, _ *webhook.Position, stats *job.Stats, after *webhook.Position) (*webhook.Event, error) {
	if !d.Wants("action") {
		after.Pages = stats.Items[job.Event]
		return nil, nil
	}
	for after.Pages < stats.Items[job.Event] {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Event, after.Pages, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Pages++
		var e journal.Event
		if items[0].Err != nil || json.Unmarshal(items[0].Data, &e) != nil {
			continue
		}
		if e.Decided != nil {
			d.decided(e.Decided)
		}
		if e.Acted == nil {
			continue
		}
		input, err := d.input(ctx, e.Acted, after.Pages)
		if err != nil {
			return nil, err
		}
		data, err := jsonenc.Encode(agentEvent{CreditsUsed: int(e.Spent.Whole()), Action: e.Acted.Do, Input: input})
		if err != nil {
			return nil, err
		}
		return &webhook.Event{Name: "action", Index: after.Pages, Success: true, Data: []json.RawMessage{data}}, nil
	}
	return nil, nil
}

func (d *events) decided(r *journal.DecidedRecord) {
	if d.actions == nil {
		d.actions = map[int][]journal.Action{}
	}
	d.actions[r.Step] = r.Actions
}

// input returns the input of an action. After a restart it looks for the decision among
// the earlier events.
func (d *events) input(ctx context.Context, acted *journal.ActedRecord, before int) (json.RawMessage, error) {
	for i := before - 1; i >= 0 && d.actions[acted.Step] == nil; i-- {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Event, i, 1)
		if err != nil {
			return nil, err
		}
		var e journal.Event
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &e) == nil && e.Decided != nil {
			d.decided(e.Decided)
		}
	}
	if actions := d.actions[acted.Step]; acted.Index < len(actions) {
		return jsonenc.Encode(actions[acted.Index])
	}
	return json.RawMessage("{}"), nil
}

// agentEvent is the data of an event of an agent.
type agentEvent struct {
	CreditsUsed int             `json:"creditsUsed"`
	Action      string          `json:"action,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

// failedPage is the data of a page event without success.
type failedPage struct {
	Metadata failedMetadata `json:"metadata"`
}

// failedMetadata names a failed page.
type failedMetadata struct {
	SourceURL string `json:"sourceURL"`
	ScrapeID  string `json:"scrapeId"`
}

// deliveries are the jobs whose events an earlier process began to deliver. Those of a
// team are listed once, so that not every job that continues lists them all.
type deliveries struct {
	mu    sync.Mutex
	begun map[string]map[string]bool // guarded by mu; by team, then by ID of the job
}

// has reports whether the delivery of a job had begun before this process.
func (d *deliveries) has(ctx context.Context, r *job.Runner, j *job.Job) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	begun, listed := d.begun[j.Owner]
	if listed {
		return begun[j.ID], nil
	}
	list, err := r.List(ctx, j.Owner, job.Filter{Kind: kindHook})
	if err != nil {
		return false, err
	}
	begun = make(map[string]bool, len(list))
	for _, o := range list {
		var other webhook.Delivery
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

// outbox delivers the events of jobs. The delivery of a job's events begins once,
// also across restarts.
type outbox struct {
	runner *job.Runner
	sender webhook.Sender
	begun  deliveries
}

// open takes over what s says.
func (o *outbox) open(s *Service, r *job.Runner) {
	o.runner = r
	o.sender.Config, o.sender.Logger = s.Webhooks, s.Logger
	if s.Logger == nil {
		o.sender.Logger = slog.New(slog.DiscardHandler)
	}
	o.sender.Client = s.Webhooks.NewClient()
	o.sender.Source = func(team string, d *webhook.Delivery) webhook.Source {
		return &events{Delivery: *d, runner: r, owner: team}
	}
	if s.Trace != nil {
		o.sender.Trace = func(ctx context.Context, a webhook.Attempt) (context.Context, func(error)) {
			return s.Trace.BeginWebhook(ctx, observe.Webhook{Job: a.Job, Team: a.Team, Event: a.Event, Attempt: a.Number})
		}
	}
}

// announce starts the delivery of j's events. Again says that this is not the first
// process that works on j: then the delivery may have been started before.
func (o *outbox) announce(ctx context.Context, j *job.Job, h *webhook.Hook, retained, again bool) error {
	if again {
		if begun, err := o.begun.has(ctx, o.runner, j); begun || err != nil {
			return err
		}
	}
	spec, err := json.Marshal(webhook.Delivery{Hook: *h, Job: j.ID, Retained: retained})
	if err != nil {
		return err
	}
	_, err = o.runner.Begin(ctx, job.Job{Kind: kindHook, Owner: j.Owner, Spec: spec, Volatile: j.Volatile})
	return err
}
