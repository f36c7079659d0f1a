// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// Sender delivers the events of jobs. Client, Logger and Source must be set. A
// Sender is safe for concurrent use.
type Sender struct {
	webhook.Config
	Logger *slog.Logger

	// Source returns the source of the events for a delivery of a team.
	Source func(team string, d *Delivery) Source

	// Trace is called at the start of each attempt. It returns the context for
	// the attempt and a function that is called at its end. It may be nil.
	Trace func(ctx context.Context, a Attempt) (context.Context, func(error))

	working sync.Map // ID of a job -> *progress of its running delivery
}

// Delivery is the specification of a job that delivers the events of another.
type Delivery struct {
	webhook.Hook
	Job      string // job whose events are delivered
	Retained bool   // the job has zero data retention, so undelivered events are not reported
}

// Position is the progress of a delivery. It is stored as a note of the
// delivery's job after each step. For an event in progress, it is where the
// event begins, and the fields from Tries to Failed describe the event.
type Position struct {
	Started  bool      `json:",omitzero"`
	Pages    int       `json:",omitzero"` // number of handled results, or events for an agent
	Failures int       `json:",omitzero"`
	Ended    bool      `json:",omitzero"`
	Dead     bool      `json:",omitzero"` // the previous event was given up
	GivenUp  int       `json:",omitzero"` // events that were given up, or can no longer be read
	Tries    int       `json:",omitzero"` // failed attempts at the next event
	Next     time.Time `json:",omitzero"` // when the next attempt is due
	Size     int       `json:",omitzero"` // pages of the next event, once it has been tried
	Failed   bool      `json:",omitzero"` // the next event reports a failed page

	// Open contains the events before this position that are not delivered yet,
	// if several may be in progress.
	Open []Position `json:",omitempty"`
}

// Source returns the events of a job in order. It is used by a single
// goroutine.
type Source interface {
	// Look loads what the job has done so far. The channel is closed when there
	// is more. If it is nil, the Sender looks again after a second. An error
	// that wraps [example.com/curlew/job.ErrNotFound] ends the delivery,
	// because the job no longer exists.
	Look(ctx context.Context) (more <-chan struct{}, err error)

	// Next returns the event that follows from and the position after it. If
	// there is none yet, the event is nil and the position skips unwanted
	// events. The same position must return the same event, also after a
	// restart: from.Size is the number of pages that the event had at the first
	// attempt.
	Next(ctx context.Context, from Position) (*webhook.Event, Position, error)

	// Kind returns the kind of the job. The types of its events start with it.
	Kind() string
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	Job, Team string
	Event     string // such as crawl.page
	Number    int    // from 1
}

// pausesBetween returns the pauses between the attempts at one event.
func pausesBetween() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}
}

// maxInFlight is the number of events of one job that are sent concurrently if
// their order does not matter. A receiver that takes 50 ms for an event then
// gets 320 events per second, of which up to a third may be lost to a slow
// store. With 8 it would be 160, which is less than a crawl produces.
const maxInFlight = 16

// delivery is the work of a webhook job.
type delivery struct {
	Delivery
	sender *Sender
	source Source
	owner  string // team that owns the job
	space  job.Space
	width  int        // number of events that may be sent concurrently
	at     Position   // position after the last event that was started; its Dead belongs to the delivery
	open   []*sending // events in progress, the oldest first

	progress *progress
}

// sending is an event in progress.
type sending struct {
	Position        // where the event begins
	name     string // full name
	body     []byte
}

// Work delivers the events of a job. It is the work of a job whose
// specification is a [Delivery].
func (s *Sender) Work(ctx context.Context, j *job.Job, space job.Space) error {
	d := &delivery{sender: s, owner: j.Owner, space: space, width: 1, progress: new(progress)}
	if err := json.Unmarshal(j.Spec, &d.Delivery); err != nil {
		return err
	}
	d.source = s.Source(j.Owner, &d.Delivery)
	if d.Unordered {
		d.width = maxInFlight
	}
	if err := d.load(ctx); err != nil {
		return err
	}
	s.working.Store(d.Job, d.progress)
	defer s.working.Delete(d.Job)
	err := d.run(ctx)
	gone := errors.Is(err, job.ErrNotFound)
	if err == nil || gone {
		d.sum(ctx, gone)
	}
	if gone {
		return nil // the job and its events have expired
	}
	return err
}

// sum reports at the end of a delivery how many events were not delivered, also those of a
// job with zero data retention, whose events are not reported one by one. gone says that the
// job has expired, or was deleted, before its last event was delivered.
func (d *delivery) sum(ctx context.Context, gone bool) {
	if d.at.GivenUp > 0 {
		d.sender.Logger.WarnContext(ctx, "events of a job were not delivered", "team", d.owner, "job", d.Job, "events", d.at.GivenUp)
	}
	if gone {
		d.sender.Logger.WarnContext(ctx, "a job is gone before its last events were delivered", "team", d.owner, "job", d.Job, "inProgress", len(d.open))
	}
}

// load reads the last stored position. If that record is damaged, delivery
// continues from the previous one and repeats what followed it.
func (d *delivery) load(ctx context.Context) error {
	stats, err := d.space.Stats(ctx)
	if err != nil {
		return err
	}
	d.at, err = last(&stats, func(i int) ([]job.Item, error) { return d.space.Items(ctx, job.Note, i, 1) })
	return err
}

// attempted is the outcome of an attempt.
type attempted struct {
	of  *sending
	err error
}

// run delivers events until the last one.
func (d *delivery) run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait() // runs second
	ctx, stop := context.WithCancel(ctx)
	defer stop()                                  // runs first
	outcomes := make(chan attempted, maxInFlight) // large enough that no attempt ever blocks
	send := func(s *sending) {
		all.Go(func() { outcomes <- attempted{s, d.send(ctx, s)} })
	}
	var changed <-chan struct{}
	for look := true; !d.at.Ended || len(d.open) > 0; {
		if look {
			var err error
			if changed, err = d.source.Look(ctx); err != nil {
				return err
			}
			if err := d.takeAgain(ctx, send); err != nil {
				return err
			}
			look = false
		}
		if len(d.open) < d.width && !d.at.Ended {
			s, err := d.take(ctx)
			if err != nil {
				return err
			}
			if s != nil {
				send(s)
				continue
			}
		}
		d.progress.set(d.position())
		if d.at.Ended && len(d.open) == 0 {
			return nil
		}
		var err error
		if look, err = d.await(ctx, changed, outcomes, send); err != nil {
			return err
		}
	}
	return nil
}

// await waits for the end of an attempt. If another event may be started, it
// also waits for news from the source, and reports whether there is any.
func (d *delivery) await(ctx context.Context, changed <-chan struct{}, outcomes chan attempted, send func(*sending)) (news bool, err error) {
	var tick <-chan time.Time
	switch {
	case len(d.open) >= d.width:
		changed = nil
	case changed == nil: // the source does not announce changes
		t := time.NewTimer(time.Second)
		defer t.Stop()
		tick = t.C
	}
	select {
	case o := <-outcomes:
		return false, d.settle(ctx, o, outcomes, send)
	case <-changed:
	case <-tick:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return true, nil
}

// take starts the next event. It returns nil if there is none yet, or if it is
// the job's last event and earlier ones are still in progress.
func (d *delivery) take(ctx context.Context) (*sending, error) {
	from := d.at
	e, after, err := d.source.Next(ctx, from)
	if err != nil {
		return nil, err
	}
	after.Dead, after.GivenUp = d.at.Dead, d.at.GivenUp
	if e == nil {
		d.at = after
		return nil, nil
	}
	if after.Ended && len(d.open) > 0 {
		return nil, nil
	}
	s, err := d.sending(e, from)
	if err != nil {
		return nil, err
	}
	d.at, d.open = after, append(d.open, s)
	if e.Success && e.Pages > 0 && d.Batch > 1 {
		// The event must stay the same after a restart, even if more pages
		// arrive.
		s.Size = e.Pages
		return s, d.keep(ctx)
	}
	return s, nil
}

// takeAgain restarts the events that were in progress when the previous process
// ended.
func (d *delivery) takeAgain(ctx context.Context, send func(*sending)) error {
	again, given := d.at.Open, false
	d.at.Open = nil
	for _, from := range again {
		e, _, err := d.source.Next(ctx, from)
		if err != nil {
			return err
		}
		if e == nil {
			d.at.GivenUp++ // it can no longer be read
			given = true
			continue
		}
		s, err := d.sending(e, from)
		if err != nil {
			return err
		}
		d.open = append(d.open, s)
	}
	for _, s := range d.open[len(d.open)-min(len(again), len(d.open)):] {
		send(s)
	}
	if given {
		return d.keep(ctx)
	}
	return nil
}

// sending creates what is sent for an event.
func (d *delivery) sending(e *webhook.Event, from Position) (*sending, error) {
	s := &sending{Position: from, name: d.source.Kind() + "." + e.Name}
	s.Open, s.GivenUp, s.Failed = nil, 0, e.Pages > 0 && !e.Success
	var err error
	s.body, err = e.Encode(d.source.Kind(), d.Job, d.Metadata)
	return s, err
}

// send waits until the next attempt at an event is due, and makes it.
func (d *delivery) send(ctx context.Context, s *sending) error {
	pauses := pausesBetween()
	if err := until(ctx, s.Next, pauses[len(pauses)-1]); err != nil {
		return err
	}
	return d.attempt(ctx, s)
}

// settle handles the end of an attempt, and of all others that have ended in
// the meantime: the event was delivered, is given up, or is to be tried again.
// It returns an error if it was interrupted or the store failed.
func (d *delivery) settle(ctx context.Context, o attempted, outcomes chan attempted, send func(*sending)) error {
	var again []*sending
	pauses := pausesBetween()
	for more := true; more; {
		s, done := o.of, true
		switch {
		case o.err == nil:
			d.at.Dead = false
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.at.Dead || s.Tries >= len(pauses):
			d.reportUndelivered(ctx, s, o.err)
			d.at.Dead = true
			d.at.GivenUp++
		default:
			s.Next = time.Now().Add(pauses[s.Tries])
			s.Tries++
			again, done = append(again, s), false
		}
		if done {
			d.open = sorting.Without(d.open, func(other *sending) bool { return other == s })
		}
		select {
		case o = <-outcomes:
		default:
			more = false
		}
	}
	if err := d.keep(ctx); err != nil {
		return err
	}
	for _, s := range again {
		send(s)
	}
	return nil
}

// attempt sends an event within a trace.
func (d *delivery) attempt(ctx context.Context, s *sending) error {
	if d.sender.Trace == nil {
		return d.sender.Post(ctx, &d.Hook, d.owner, s.body)
	}
	ctx, end := d.sender.Trace(ctx, Attempt{Job: d.Job, Team: d.owner, Event: s.name, Number: s.Tries + 1})
	err := d.sender.Post(ctx, &d.Hook, d.owner, s.body)
	end(err)
	return err
}

// until waits for t, but at most for most, because the clock may have been set
// back since t was stored.
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

// position returns the progress of the delivery.
func (d *delivery) position() Position {
	p := d.at
	if d.width == 1 && len(d.open) == 1 {
		p = d.open[0].Position
		p.Dead, p.GivenUp = d.at.Dead, d.at.GivenUp
		return p
	}
	p.Open = nil
	for _, s := range d.open {
		p.Open = append(p.Open, s.Position)
	}
	return p
}

// keep stores the progress of the delivery durably.
func (d *delivery) keep(ctx context.Context) error {
	note, err := json.Marshal(d.position())
	if err != nil {
		return err
	}
	return d.space.Append(ctx, job.Item{Kind: job.Note, Data: note})
}

// reportUndelivered reports an event that is given up.
func (d *delivery) reportUndelivered(ctx context.Context, s *sending, err error) {
	if d.Retained {
		return
	}
	if told := d.sender.Undelivered; told != nil {
		told(ctx, webhook.Undelivered{Team: d.owner, Job: d.Job, URL: d.URL, Body: s.body, Err: err})
		return
	}
	u, _ := weburl.Parse(d.URL) // on failure, the zero URL is logged as none
	d.sender.Logger.WarnContext(ctx, "webhook given up", "team", d.owner, "job", d.Job, "event", s.name, "attempts", s.Tries+1, "url", u, "err", err)
}
