// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
)

// position is how far a delivery has come. It is kept after each step, as a
// note of the delivery's job.
type position struct {
	Started  bool      `json:",omitzero"`
	Pages    int       `json:",omitzero"` // results that are behind; of an agent its events
	Failures int       `json:",omitzero"`
	Ended    bool      `json:",omitzero"`
	Dead     bool      `json:",omitzero"` // the event before was given up
	Tries    int       `json:",omitzero"` // failed attempts at the next event
	Next     time.Time `json:",omitzero"` // of the next attempt at it
}

// event is one message of a job.
type event struct {
	name    string // short
	index   int    // among those of its name
	success bool
	data    []json.RawMessage
	err     string
}

// delivery is the work of a webhook job. The other job's record is the outbox:
// what is kept here is only how far it has been told.
type delivery struct {
	hook
	service *Service
	owner   string
	space   job.Space
	at      position
	actions map[int][]agent.Action // of an agent, by step
}

// deliver is the work of a webhook job.
func (s *Service) deliver(ctx context.Context, j *job.Job, space job.Space) error {
	d := &delivery{service: s, owner: j.Owner, space: space}
	if err := json.Unmarshal(j.Spec, &d.hook); err != nil {
		return err
	}
	notes, err := space.Items(ctx, job.Note, 0, job.Unlimited)
	if err != nil {
		return err
	}
	for _, n := range slices.Backward(notes) {
		if n.Err == nil && json.Unmarshal(n.Data, &d.at) == nil {
			break // a damaged one repeats what came after the one before
		}
	}
	err = d.run(ctx)
	if errors.Is(err, job.ErrNotFound) {
		return nil // the job has expired, and its events with it
	}
	return err
}

// run tells events until the last one.
func (d *delivery) run(ctx context.Context) error {
	for !d.at.Ended {
		// In this order: what comes after the look closes changed.
		changed, err := d.service.runner().Changed(ctx, d.owner, d.Job)
		if err != nil {
			return err
		}
		watched, stats, err := d.service.runner().Get(ctx, d.owner, d.Job)
		if err != nil {
			return err
		}
		for {
			e, after, err := d.next(ctx, watched, &stats)
			if err != nil {
				return err
			}
			if e == nil {
				d.at = after
				break
			}
			if err := d.tell(ctx, watched, e, after); err != nil {
				return err
			}
		}
		if d.at.Ended {
			break
		}
		if err := pause(ctx, changed, time.Second); err != nil {
			return err
		}
	}
	return nil
}

// pause waits for changed; where nobody tells of changes, for d.
func pause(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	var tick <-chan time.Time
	if changed == nil {
		t := time.NewTimer(d)
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-changed:
	case <-tick:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// wants reports whether the receiver has asked for events of a name.
func (d *delivery) wants(name string) bool {
	return len(d.Events) == 0 || slices.Contains(d.Events, name)
}

// next returns the event after d.at, and the position behind it; nil where
// there is none yet, with the position behind what nobody wants.
func (d *delivery) next(ctx context.Context, j *job.Job, stats *job.Stats) (*event, position, error) {
	after := d.at
	after.Tries, after.Next = 0, time.Time{}
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
	e, err := tell(ctx, stats, &after)
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

// page returns the event of the next page that is delivered or has failed.
func (d *delivery) page(ctx context.Context, stats *job.Stats, after *position) (*event, error) {
	if !d.wants("page") {
		after.Pages, after.Failures = stats.Items[job.Result], stats.Items[job.Failure]
		return nil, nil
	}
	if after.Pages < stats.Items[job.Result] {
		items, err := d.service.runner().Items(ctx, d.owner, d.Job, job.Result, after.Pages, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Pages++
		return &event{name: "page", index: after.Pages, success: true, data: []json.RawMessage{document(items[0])}}, nil
	}
	for after.Failures < stats.Items[job.Failure] {
		items, err := d.service.runner().Items(ctx, d.owner, d.Job, job.Failure, after.Failures, 1)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		after.Failures++
		var failed wire.PageError
		if items[0].Err != nil || json.Unmarshal(items[0].Data, &failed) != nil || failed.Details != nil {
			continue // of dropped pages nobody is told
		}
		data, err := wire.Encode(wire.FailedPage{Metadata: wire.FailedMetadata{SourceURL: failed.URL, ScrapeID: failed.ID}})
		if err != nil {
			return nil, err
		}
		// Failures count from the other end, so that no two events have one index.
		return &event{name: "page", index: -after.Failures, data: []json.RawMessage{data}, err: failed.Error}, nil
	}
	return nil, nil
}

// terminal returns the one event that ends a job. A receiver that wants
// completed and not the true end gets completed without success; nil is none.
func (d *delivery) terminal(ctx context.Context, j *job.Job, stats *job.Stats) (*event, error) {
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
		items, err := d.service.runner().Items(ctx, d.owner, d.Job, job.Result, 0, 1)
		if err != nil {
			return nil, err
		}
		var found wire.AgentOutcome
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &found) == nil {
			told.Data = found.Data
		}
	}
	data, err := wire.Encode(told)
	e.data = []json.RawMessage{data}
	return e, err
}

// action returns the event of the next action that an agent has ended.
func (d *delivery) action(ctx context.Context, stats *job.Stats, after *position) (*event, error) {
	if !d.wants("action") {
		after.Pages = stats.Items[job.Event]
		return nil, nil
	}
	for after.Pages < stats.Items[job.Event] {
		items, err := d.service.runner().Items(ctx, d.owner, d.Job, job.Event, after.Pages, 1)
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
		data, err := wire.Encode(wire.AgentEvent{CreditsUsed: int(e.Spent.Whole()), Action: e.Acted.Do, Input: input})
		if err != nil {
			return nil, err
		}
		return &event{name: "action", index: after.Pages, success: true, data: []json.RawMessage{data}}, nil
	}
	return nil, nil
}

func (d *delivery) decided(r *agent.DecidedRecord) {
	if d.actions == nil {
		d.actions = map[int][]agent.Action{}
	}
	d.actions[r.Step] = r.Actions
}

// input returns what an action was asked for. After a restart the decision is
// among the events before.
func (d *delivery) input(ctx context.Context, acted *agent.ActedRecord, before int) (json.RawMessage, error) {
	for i := before - 1; i >= 0 && d.actions[acted.Step] == nil; i-- {
		items, err := d.service.runner().Items(ctx, d.owner, d.Job, job.Event, i, 1)
		if err != nil {
			return nil, err
		}
		var e agent.Event
		if len(items) == 1 && items[0].Err == nil && json.Unmarshal(items[0].Data, &e) == nil && e.Decided != nil {
			d.decided(e.Decided)
		}
	}
	if actions := d.actions[acted.Step]; acted.Index < len(actions) {
		return wire.Encode(actions[acted.Index])
	}
	return json.RawMessage("{}"), nil
}

// tell brings an event to its receiver, or gives it up. An error means that
// there was no time for either, or that the store failed.
func (d *delivery) tell(ctx context.Context, j *job.Job, e *event, after position) error {
	body, err := wire.Encode(wire.Event{
		Success: e.success, Type: j.Kind + "." + e.name, ID: j.ID, WebhookID: eventID(j.ID, e),
		Data: append([]json.RawMessage{}, e.data...), Error: e.err, Metadata: d.Metadata,
	})
	if err != nil {
		return err
	}
	for pauses := hookPauses(); ; {
		if err := until(ctx, d.at.Next, pauses[len(pauses)-1]); err != nil {
			return err
		}
		err := d.attempt(ctx, j.Kind+"."+e.name, body)
		switch {
		case err == nil:
			after.Dead = false
			return d.keep(ctx, after)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.at.Dead || d.at.Tries >= len(pauses):
			d.bury(ctx, body, err)
			after.Dead = true
			return d.keep(ctx, after)
		}
		failed := d.at
		failed.Next = time.Now().Add(pauses[failed.Tries])
		failed.Tries++
		if err := d.keep(ctx, failed); err != nil {
			return err
		}
	}
}

// attempt is post, told to the trace.
func (d *delivery) attempt(ctx context.Context, name string, body []byte) error {
	t := d.service.Trace
	if t == nil {
		return d.post(ctx, body)
	}
	ctx, end := begin(ctx, t.Webhook, WebhookTrace{Job: d.Job, Team: d.owner, Event: name, Attempt: d.at.Tries + 1})
	err := d.post(ctx, body)
	end(err)
	return err
}

// until waits for t, and at most so long: the clock may have been set back
// since t was kept.
func until(ctx context.Context, t time.Time, most time.Duration) error {
	wait := min(time.Until(t), most)
	if t.IsZero() || wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// keep makes p the position, durably.
func (d *delivery) keep(ctx context.Context, p position) error {
	note, err := json.Marshal(p)
	if err != nil {
		return err
	}
	d.at = p
	return d.space.Append(ctx, job.Item{Kind: job.Note, Data: note})
}

// bury tells the host of an event that is given up.
func (d *delivery) bury(ctx context.Context, body []byte, err error) {
	if d.Retained {
		return
	}
	if told := d.service.Webhooks.Undelivered; told != nil {
		told(ctx, Undelivered{Team: d.owner, Job: d.Job, URL: d.URL, Body: body, Err: err})
		return
	}
	u, _ := weburl.Parse(d.URL) // the zero URL logs as none
	d.service.logger().WarnContext(ctx, "webhook given up", "team", d.owner, "job", d.Job, "url", u, "err", err)
}

// errReceiver is an answer other than 2xx.
var errReceiver = errors.New("receiver refused the event")

// post makes one attempt.
func (d *delivery) post(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, v := range d.Headers {
		req.Header.Set(name, v)
	}
	req.Header.Set("Content-Type", "application/json")
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "curlew")
	}
	if err := d.sign(ctx, req.Header, body); err != nil {
		return err
	}
	resp, err := d.service.hookClient.Do(req)
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err // the other names the URL, which may hold a secret
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxHookAnswer) // what it says besides is its own affair
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%w: status %d", errReceiver, resp.StatusCode)
	}
	return nil
}

// sign adds the signatures of body, where the team has a secret.
func (d *delivery) sign(ctx context.Context, h http.Header, body []byte) error {
	if d.service.Webhooks.Secret == nil {
		return nil
	}
	secret, err := d.service.Webhooks.Secret(ctx, d.owner)
	if err != nil || secret == "" {
		return err
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	h.Set("X-Firecrawl-Signature", "sha256="+signature(secret, body))
	h.Set("X-Curlew-Signature", "t="+now+",v1="+signature(secret, []byte(now+"."), body))
	return nil
}

// signature returns the HMAC-SHA256 of the parts, in hexadecimal digits.
func signature(secret string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// eventID returns the UUIDv7 of an event: the same at every attempt, also
// after a restart. Its time is the job's.
func eventID(id string, e *event) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(id+e.name), uint64(int64(e.index)))) //nolint:gosec // any bits do
	raw, _ := hex.DecodeString(strings.ReplaceAll(id, "-", ""))                                    // the runner's own
	var u [16]byte
	copy(u[:], sum[:])
	copy(u[:6], raw)
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
