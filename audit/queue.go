// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Overflow says what a full Queue does.
type Overflow uint8

// Overflows; the first is the default.
const (
	Drop  Overflow = iota // new events are dropped, and an event reports how many
	Block                 // Write waits for room
)

const (
	defaultSize = 10_000
	maxBatch    = 256
	minRetry    = time.Second
	maxRetry    = 30 * time.Second
)

// errDrained ends a write of the sink if the ctx of Close ends first.
var errDrained = errors.New("queue closed before all events were written")

// Queue is a bounded queue in front of a slower [Sink], and a Sink itself. If
// the sink fails, the queue writes the same events again after a pause of one
// second, which doubles up to 30 s, until the sink accepts or refuses them. So
// a sink may get an event twice, but the order is preserved. A zero value with
// a Sink is ready to use. The first Write starts a goroutine, and [Queue.Close]
// ends it. Fields that zero data retention forbids are removed before an event
// is queued, unless the Sink may get them.
type Queue struct {
	Sink     Sink         // required
	Size     int          // maximum number of events; zero means 10,000
	Overflow Overflow     // zero means Drop
	Logger   *slog.Logger // reports when the sink fails and when it works again; nil discards the reports

	once    sync.Once
	waiting chan *Event
	closing chan struct{} // closed by Close, so that no Write waits for room any longer
	done    chan struct{} // closed when everything is written or given up
	stop    context.CancelCauseFunc
	writers sync.WaitGroup // calls of Write in progress

	mu       sync.Mutex
	closed   bool      // guarded by mu
	lost     int       // guarded by mu; dropped since the last report
	from, to time.Time // guarded by mu; when the first and the last of the dropped events were written
	unsent   int       // guarded by mu; events that the worker has given up
}

// start starts the worker. The worker uses the values of ctx, but does not end
// with it.
func (q *Queue) start(ctx context.Context) {
	q.once.Do(func() {
		q.waiting = make(chan *Event, max(1, cmp.Or(q.Size, defaultSize)))
		q.closing = make(chan struct{})
		q.done = make(chan struct{})
		ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
		q.stop = stop
		go q.work(ctx)
	})
}

// Write implements [Sink]. It queues the events and returns before they are
// written. If a queue with Drop is full, it drops events without an error. The
// error is an [*Error] that wraps [ErrClosed], or the cause of ctx if a queue
// with Block stayed full; then the events before that one are queued.
func (q *Queue) Write(ctx context.Context, events []Event) error {
	if q.Sink == nil {
		return &Error{"queue", errors.New("no Sink is set")}
	}
	if ctx.Err() != nil {
		return &Error{"queue", context.Cause(ctx)}
	}
	q.start(ctx)
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return &Error{"queue", ErrClosed}
	}
	q.writers.Add(1)
	q.mu.Unlock()
	defer q.writers.Done()
	for _, e := range allowedFor(q.Sink, events) {
		e = e.clean() // shares nothing with the caller's event
		if q.Overflow == Drop {
			q.offer(&e)
			continue
		}
		select {
		case q.waiting <- &e:
		case <-ctx.Done():
			return &Error{"queue", context.Cause(ctx)}
		case <-q.closing:
			return &Error{"queue", ErrClosed}
		}
	}
	return nil
}

// KeepsURLs implements [Keeper]. The Queue itself removes what its Sink may not
// get.
func (q *Queue) KeepsURLs() bool { return true }

// offer queues e, after a report of dropped events if there are any. If the
// queue is full, it counts e as dropped.
func (q *Queue) offer(e *Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost == 0 || q.put(q.gap()) {
		if q.lost = 0; q.put(e) {
			return
		}
	}
	q.to = time.Now()
	if q.lost == 0 {
		q.from = q.to
	}
	q.lost++
}

// put queues e if there is room.
func (q *Queue) put(e *Event) bool {
	select {
	case q.waiting <- e:
		return true
	default:
		return false
	}
}

// gap returns the event that reports the dropped events. The caller holds mu.
func (q *Queue) gap() *Event {
	return &Event{Type: AdminActivity, Action: EventsDropped, Result: Failure, Dropped: q.lost, Started: q.from, Completed: q.to}
}

// takeGap returns the report of dropped events that no other event has followed
// yet, or nil.
func (q *Queue) takeGap() *Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost == 0 {
		return nil
	}
	e := q.gap()
	q.lost = 0
	return e
}

// work writes queued events until the queue is closed and empty.
func (q *Queue) work(ctx context.Context) {
	defer close(q.done)
	batch := make([]Event, 0, maxBatch)
	for e := range q.waiting {
		batch = append(batch[:0], *e)
		for len(batch) < maxBatch {
			more := q.next()
			if more == nil {
				break
			}
			batch = append(batch, *more)
		}
		q.write(ctx, batch)
		clear(batch) // releases the memory of the events
	}
	if e := q.takeGap(); e != nil {
		q.write(ctx, []Event{*e})
	}
}

// next returns the next queued event, else a pending report of dropped events,
// else nil.
func (q *Queue) next() *Event {
	select {
	case e, ok := <-q.waiting:
		if ok {
			return e
		}
		return nil
	default:
		return q.takeGap()
	}
}

// write writes events until the sink has accepted or refused them, or ctx ends.
func (q *Queue) write(ctx context.Context, events []Event) {
	wait := minRetry
	for tries := 1; ; tries++ {
		err := q.try(ctx, events)
		switch {
		case err == nil:
			if tries > 1 {
				q.logger().Info("audit sink works again", "tries", tries)
			}
			return
		case ctx.Err() != nil:
			q.giveUp(len(events))
			return
		case errors.Is(err, ErrRefused):
			q.logger().Error("audit events are refused", "events", len(events), "error", err)
			q.lose(events)
			return
		}
		q.logger().Error("audit events are not written", "events", len(events), "tries", tries, "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			q.giveUp(len(events))
			return
		}
		wait = min(2*wait, maxRetry)
	}
}

// try calls the sink. A panic of the sink counts as a refusal, because a
// further try would probably panic again and block the queue.
func (q *Queue) try(ctx context.Context, events []Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: panic with a %T", ErrRefused, v)
		}
	}()
	return q.Sink.Write(ctx, events)
}

// lose counts events that the sink has refused as dropped. For a report of
// dropped events it counts the events that it reports.
func (q *Queue) lose(events []Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.to = time.Now()
	if q.lost == 0 {
		q.from = q.to
	}
	for i := range events {
		q.lost += max(1, events[i].Dropped)
	}
}

func (q *Queue) giveUp(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unsent += n
}

func (q *Queue) logger() *slog.Logger {
	if q.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return q.Logger
}

// Close stops accepting events and waits until the sink has accepted the queued
// ones. If ctx ends first, the rest is lost, and the error wraps the cause of
// ctx and says how many. Close does not close the Sink. A second Close waits
// too.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	q.mu.Unlock()
	if q.Sink == nil {
		return nil
	}
	q.start(ctx)
	if first {
		close(q.closing)
		q.writers.Wait() // no Write waits for room any longer
		close(q.waiting)
	}
	select {
	case <-q.done:
	case <-ctx.Done():
		q.stop(errDrained)
		<-q.done // the sink returns because its ctx has ended
	}
	q.stop(nil)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.unsent > 0 {
		return &Error{"queue", fmt.Errorf("%d events are lost: %w", q.unsent, cmp.Or(context.Cause(ctx), errDrained))}
	}
	return nil
}
