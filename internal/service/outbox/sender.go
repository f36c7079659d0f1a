// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// Sender delivers the events of jobs. Client, Logger and Source must be set. A
// Sender is safe for concurrent use.
type Sender struct {
	Config
	Logger *slog.Logger

	// Source returns the source of the events for a delivery of a team.
	Source func(team string, d *Delivery) Source

	// Trace is called at the start of each attempt. It returns the context for
	// the attempt and a function that is called at its end. It may be nil.
	Trace func(ctx context.Context, a Attempt) (context.Context, func(error))

	working sync.Map // id of a job -> *backlog of its running delivery
}

// Attempt is one attempt to deliver an event.
type Attempt struct {
	Job, Team string
	Event     string // such as crawl.page
	Number    int    // from 1
}

// Backlog returns what the delivery of a job's events still has to send. It
// returns false if no delivery is running.
func (s *Sender) Backlog(job string) (Backlog, bool) {
	b, ok := s.working.Load(job)
	if !ok {
		return Backlog{}, false
	}
	return b.(*backlog).get(), true // the map contains only *backlog
}

// backlog is a Backlog that can be updated.
type backlog struct {
	mu  sync.Mutex
	now Backlog // guarded by mu
}

func (b *backlog) get() Backlog {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// set records the progress of d.
func (b *backlog) set(d *delivery) {
	now := Backlog{At: d.at, Pages: d.Wants("page")}
	for _, s := range d.open {
		now.Open += max(1, s.pages)
		if s.Tries > now.Tries {
			now.Tries, now.Next = s.Tries, s.Next
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = now
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

	backlog *backlog
}

// sending is an event in progress.
type sending struct {
	Position        // where the event begins
	pages    int    // number of pages in the event
	name     string // full name
	body     []byte
}

// Work delivers the events of a job. It is the work of a job whose
// specification is a [Delivery].
func (s *Sender) Work(ctx context.Context, j *job.Job, space job.Space) error {
	d := &delivery{sender: s, owner: j.Owner, space: space, width: 1, backlog: new(backlog)}
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
	s.working.Store(d.Job, d.backlog)
	defer s.working.Delete(d.Job)
	err := d.run(ctx)
	if errors.Is(err, job.ErrNotFound) {
		return nil // the job and its events have expired
	}
	return err
}

// load reads the last stored position. If that record is damaged, delivery
// continues from the previous one and repeats what followed it.
func (d *delivery) load(ctx context.Context) error {
	stats, err := d.space.Stats(ctx)
	if err != nil {
		return err
	}
	for i := stats.Items[job.Note] - 1; i >= 0; i-- {
		notes, err := d.space.Items(ctx, job.Note, i, 1)
		if err != nil {
			return err
		}
		if len(notes) == 1 && notes[0].Err == nil && json.Unmarshal(notes[0].Data, &d.at) == nil {
			return nil
		}
		d.at = Position{}
	}
	return nil
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
		d.backlog.set(d)
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
	after.Dead = d.at.Dead
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
	again := d.at.Open
	d.at.Open = nil
	for _, from := range again {
		e, _, err := d.source.Next(ctx, from)
		if err != nil {
			return err
		}
		if e == nil {
			continue // it can no longer be read
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
	return nil
}

// sending creates what is sent for an event.
func (d *delivery) sending(e *Event, from Position) (*sending, error) {
	s := &sending{Position: from, pages: e.Pages, name: d.source.Kind() + "." + e.Name}
	s.Open, s.Failed = nil, e.Pages > 0 && !e.Success
	var err error
	s.body, err = e.encode(s.name, d.Job, d.Metadata)
	return s, err
}

// send waits until the next attempt at an event is due, and makes it.
func (d *delivery) send(ctx context.Context, s *sending) error {
	pauses := hookPauses()
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
	pauses := hookPauses()
	for more := true; more; {
		s, done := o.of, true
		switch {
		case o.err == nil:
			d.at.Dead = false
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.at.Dead || s.Tries >= len(pauses):
			d.reportUndelivered(ctx, s.body, o.err)
			d.at.Dead = true
		default:
			s.Next = time.Now().Add(pauses[s.Tries])
			s.Tries++
			again, done = append(again, s), false
		}
		if done {
			d.open = slices.DeleteFunc(d.open, func(other *sending) bool { return other == s })
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

// attempt calls post within a trace.
func (d *delivery) attempt(ctx context.Context, s *sending) error {
	if d.sender.Trace == nil {
		return d.sender.post(ctx, &d.Hook, d.owner, s.body)
	}
	ctx, end := d.sender.Trace(ctx, Attempt{Job: d.Job, Team: d.owner, Event: s.name, Number: s.Tries + 1})
	err := d.sender.post(ctx, &d.Hook, d.owner, s.body)
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

// keep stores the progress of the delivery durably.
func (d *delivery) keep(ctx context.Context) error {
	p := d.at
	if d.width == 1 && len(d.open) == 1 {
		p = d.open[0].Position
		p.Dead = d.at.Dead
	} else {
		p.Open = nil
		for _, s := range d.open {
			p.Open = append(p.Open, s.Position)
		}
	}
	note, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return d.space.Append(ctx, job.Item{Kind: job.Note, Data: note})
}

// reportUndelivered reports an event that is given up.
func (d *delivery) reportUndelivered(ctx context.Context, body []byte, err error) {
	if d.Retained {
		return
	}
	if told := d.sender.Undelivered; told != nil {
		told(ctx, Undelivered{Team: d.owner, Job: d.Job, URL: d.URL, Body: body, Err: err})
		return
	}
	u, _ := weburl.Parse(d.URL) // on failure, the zero URL is logged as none
	d.sender.Logger.WarnContext(ctx, "webhook given up", "team", d.owner, "job", d.Job, "url", u, "err", err)
}
