// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// events reads the events of a job from its record in order. A position says
// which of them were delivered. It is a [Source].
type events struct {
	Delivery
	*Outbox
	owner   string
	actions map[int][]journal.Action // actions of an agent, by step

	job   *job.Job // as of the last call of Look
	stats job.Stats
}

// Kind implements [Source].
func (d *events) Kind() string { return d.job.Kind }

// Look implements [Source].
func (d *events) Look(ctx context.Context) (<-chan struct{}, error) {
	// Keep this order: a change after the look closes changed.
	changed, err := d.Runner.Changed(ctx, d.owner, d.Job)
	if err != nil {
		return nil, err
	}
	d.job, d.stats, err = d.Runner.Get(ctx, d.owner, d.Job)
	return changed, err
}

// Next implements [Source].
func (d *events) Next(ctx context.Context, from Position) (*webhook.Event, Position, error) {
	j, stats := d.job, &d.stats
	after := Position{Started: from.Started, Pages: from.Pages, Failures: from.Failures, Ended: from.Ended}
	if !after.Started {
		after.Started = true
		if d.Wants("started") {
			return &webhook.Event{Name: "started", Success: true}, after, nil
		}
	}
	tell := d.page
	if slices.Contains(d.Stepped, j.Kind) {
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

// maxEventData limits the pages of one event, in bytes. A single page may be
// larger.
const maxEventData = 1 << 20

// page returns the event of the next delivered pages, or of the next failed page.
func (d *events) page(ctx context.Context, from *Position, stats *job.Stats, after *Position) (*webhook.Event, error) {
	if !d.Wants("page") {
		after.Pages, after.Failures = stats.Items[job.Result], stats.Items[job.Failure]
		return nil, nil
	}
	if after.Pages < stats.Items[job.Result] && !from.Failed {
		return d.delivered(ctx, from, stats, after)
	}
	for after.Failures < stats.Items[job.Failure] {
		items, err := d.Runner.Items(ctx, d.owner, d.Job, job.Failure, after.Failures, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Failures++
		var failed failure
		if items[0].Err != nil || json.Unmarshal(items[0].Data, &failed) != nil || failed.Details != nil {
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

// delivered returns the event of the next delivered pages. The hook limits
// their number. An event that was attempted before gets the same pages again.
func (d *events) delivered(ctx context.Context, from *Position, stats *job.Stats, after *Position) (*webhook.Event, error) {
	e := &webhook.Event{Name: "page", Success: true}
	most, size := cmp.Or(from.Size, d.Batch, 1), 0
	for e.Pages < most && after.Pages < stats.Items[job.Result] {
		items, err := d.Runner.Items(ctx, d.owner, d.Job, job.Result, after.Pages, 1)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			break
		}
		doc := d.Document(items[0])
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
	if !slices.Contains(d.Stepped, j.Kind) {
		return e, nil
	}
	told := agentEvent{CreditsUsed: stats.Cost}
	if j.State == job.Completed {
		items, err := d.Runner.Items(ctx, d.owner, d.Job, job.Result, 0, 1)
		if err != nil {
			return nil, err
		}
		var found answer
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &found) == nil {
			told.Data = found.Data
		}
	}
	data, err := jsonenc.Encode(told)
	e.Data = []json.RawMessage{data}
	return e, err
}

// action returns the event of the next action that an agent has finished.
func (d *events) action(ctx context.Context, _ *Position, stats *job.Stats, after *Position) (*webhook.Event, error) {
	if !d.Wants("action") {
		after.Pages = stats.Items[job.Event]
		return nil, nil
	}
	for after.Pages < stats.Items[job.Event] {
		items, err := d.Runner.Items(ctx, d.owner, d.Job, job.Event, after.Pages, 1)
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

// input returns the input of an action. After a restart it reads the decision
// from the earlier events.
func (d *events) input(ctx context.Context, acted *journal.ActedRecord, before int) (json.RawMessage, error) {
	for i := before - 1; i >= 0 && d.actions[acted.Step] == nil; i-- {
		items, err := d.Runner.Items(ctx, d.owner, d.Job, job.Event, i, 1)
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

// failure contains the members of a stored failure that a page event needs.
type failure struct {
	ID      string          `json:"id"`
	URL     string          `json:"url"`
	Text    string          `json:"error"`
	Details json.RawMessage `json:"details"` // of the rule that refused the URL
}

// answer contains the members of a stored answer that the last event needs.
type answer struct {
	Data json.RawMessage `json:"data"`
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
