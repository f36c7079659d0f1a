// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"example.com/curlew/agent"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
)

// events are what a job tells its receiver, in their order: the job's own record
// is the outbox, a position says how far it has been told.
type events struct {
	hook
	runner  *job.Runner
	owner   string
	actions map[int][]agent.Action // of an agent, by step
}

// event is one message of a job.
type event struct {
	name    string // short
	index   int    // among those of its name
	pages   int    // that it tells of
	success bool
	data    []json.RawMessage
	err     string
}

// wants reports whether the receiver has asked for events of a name.
func (d *events) wants(name string) bool {
	return len(d.Events) == 0 || slices.Contains(d.Events, name)
}

// next returns the event that follows from, and the position after it. If there is
// none yet, the event is nil and the position skips unwanted events.
func (d *events) next(ctx context.Context, from *position, j *job.Job, stats *job.Stats) (*event, position, error) {
	after := position{Started: from.Started, Pages: from.Pages, Failures: from.Failures, Ended: from.Ended}
	if !after.Started {
		after.Started = true
		if d.wants("started") {
			return &event{name: "started", success: true}, after, nil
		}
	}
	tell := d.page
	if j.Kind == kindAgent {
		tell = d.action
	}
	e, err := tell(ctx, from, stats, &after)
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

// page returns the event of the next pages that are delivered, or of the next one
// that has failed.
func (d *events) page(ctx context.Context, from *position, stats *job.Stats, after *position) (*event, error) {
	if !d.wants("page") {
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
			continue // of dropped pages nobody is told
		}
		data, err := jsonenc.Encode(wire.FailedPage{Metadata: wire.FailedMetadata{SourceURL: failed.URL, ScrapeID: failed.ID}})
		if err != nil {
			return nil, err
		}
		// Failures count from the other end, so that no two events have one index.
		return &event{name: "page", index: -after.Failures, pages: 1, data: []json.RawMessage{data}, err: failed.Text}, nil
	}
	return nil, nil
}

// delivered returns the event of the next delivered pages: as many as there are,
// at most the hook's, or those that it had when it was attempted first.
func (d *events) delivered(ctx context.Context, from *position, stats *job.Stats, after *position) (*event, error) {
	e := &event{name: "page", success: true}
	most, size := cmp.Or(from.Size, d.Batch, 1), 0
	for e.pages < most && after.Pages < stats.Items[job.Result] {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Result, after.Pages, 1)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			break
		}
		doc := document(items[0])
		if size += len(doc); size > maxEventData && e.pages > 0 && from.Size == 0 {
			break
		}
		e.data = append(e.data, doc)
		e.pages++
		after.Pages++
	}
	if e.pages == 0 {
		return nil, nil
	}
	e.index = after.Pages
	return e, nil
}

// terminal returns the one event that ends a job. A receiver that wants
// completed and not the true end gets completed without success; nil is none.
func (d *events) terminal(ctx context.Context, j *job.Job, stats *job.Stats) (*event, error) {
	e := &event{name: string(j.State), success: j.State == job.Completed}
	switch j.State {
	case job.Failed:
		e.err = j.Err
	case job.Cancelled:
		e.err = "The job was cancelled."
	}
	if !d.wants(e.name) {
		if !d.wants("completed") {
			return nil, nil
		}
		e.name = "completed"
	}
	if j.Kind != kindAgent {
		return e, nil
	}
	told := wire.AgentEvent{CreditsUsed: stats.Cost}
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
	e.data = []json.RawMessage{data}
	return e, err
}

// action returns the event of the next action that an agent has ended.
func (d *events) action(ctx context.Context, _ *position, stats *job.Stats, after *position) (*event, error) {
	if !d.wants("action") {
		after.Pages = stats.Items[job.Event]
		return nil, nil
	}
	for after.Pages < stats.Items[job.Event] {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Event, after.Pages, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Pages++
		var e agent.Event
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
		data, err := jsonenc.Encode(wire.AgentEvent{CreditsUsed: int(e.Spent.Whole()), Action: e.Acted.Do, Input: input})
		if err != nil {
			return nil, err
		}
		return &event{name: "action", index: after.Pages, success: true, data: []json.RawMessage{data}}, nil
	}
	return nil, nil
}

func (d *events) decided(r *agent.DecidedRecord) {
	if d.actions == nil {
		d.actions = map[int][]agent.Action{}
	}
	d.actions[r.Step] = r.Actions
}

// input returns what an action was asked for. After a restart the decision is
// among the events before.
func (d *events) input(ctx context.Context, acted *agent.ActedRecord, before int) (json.RawMessage, error) {
	for i := before - 1; i >= 0 && d.actions[acted.Step] == nil; i-- {
		items, err := d.runner.Items(ctx, d.owner, d.Job, job.Event, i, 1)
		if err != nil {
			return nil, err
		}
		var e agent.Event
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &e) == nil && e.Decided != nil {
			d.decided(e.Decided)
		}
	}
	if actions := d.actions[acted.Step]; acted.Index < len(actions) {
		return jsonenc.Encode(actions[acted.Index])
	}
	return json.RawMessage("{}"), nil
}
