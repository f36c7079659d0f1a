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

// Overflow is what a full Queue does.
type Overflow uint8

// Overflows; the first is the default.
const (
	Drop  Overflow = iota // new events are lost, and the gap is an event of its own
	Block                 // who writes waits
)

const (
	defaultSize = 10_000
	maxBatch    = 256
	minRetry    = time.Second
	maxRetry    = 30 * time.Second
)

// errDrained ends the sink's work after a Close whose ctx has ended.
var errDrained = errors.New("queue is closed before all is written")

// Queue is a bounded queue in front of a slower [Sink], and a Sink itself. What
// the sink fails to take is written again, after a second, then two, up to 30,
// until it is taken or refused; so a sink may see an event twice, and order is
// kept. The zero value with a Sink is ready. Its work begins with the first
// Write; [Queue.Close] ends it. Of what is under zero data retention only that
// waits here which the Sink may get.
type Queue struct {
	Sink     Sink         // required
	Size     int          // events; zero means 10,000
	Overflow Overflow     // zero drops
	Logger   *slog.Logger // told when the sink fails, and when it works again; nil is silent

	once    sync.Once
	waiting chan *Event
	closing chan struct{} // closed by Close: nobody waits for room any more
	done    chan struct{} // closed when all is written or given up
	stop    context.CancelCauseFunc
	writers sync.WaitGroup // Writes under way

	mu       sync.Mutex
	closed   bool      // guarded by mu
	lost     int       // guarded by mu; since the last event of a gap
	from, to time.Time // guarded by mu; when the first and the last of them were written
	unsent   int       // guarded by mu; given up by the worker
}

// start begins the queue's work, with what ctx holds but not its end.
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

// Write implements [Sink]: it takes events over, and returns before they are
// written. A full queue that drops loses them without an error. Errors are of
// type [*Error] and wrap [ErrClosed], or ctx's cause where one that blocks stays
// full; then the events before that one have been taken.
func (q *Queue) Write(ctx context.Context, events []Event) error {
	if q.Sink == nil {
		return &Error{"queue", errors.New("no sink")}
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
		e = e.clean() // shares nothing with the caller's
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

// KeepsURLs implements [Keeper]: the Queue itself leaves out what its Sink may
// not get.
func (q *Queue) KeepsURLs() bool { return true }

// offer puts e in the queue, behind the event of a gap before it, or counts it
// as lost.
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

// put puts e in the queue, if there is room.
func (q *Queue) put(e *Event) bool {
	select {
	case q.waiting <- e:
		return true
	default:
		return false
	}
}

// gap returns the event that tells of the lost ones. The caller holds mu.
func (q *Queue) gap() *Event {
	return &Event{Type: AdminActivity, Action: EventsDropped, Result: Failure, Dropped: q.lost, Started: q.from, Completed: q.to}
}

// takeGap returns the event of a gap that nothing has come after, if there is
// one.
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

// work writes what waits until the queue is closed and empty.
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
		clear(batch) // what it points to may be forgotten
	}
	if e := q.takeGap(); e != nil {
		q.write(ctx, []Event{*e})
	}
}

// next returns what waits, or the event of a gap where nothing does, or nil.
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

// write writes events until the sink has taken or refused them, or ctx ends.
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

// try calls the sink, whose panic is its failure for good: the next might well
// panic too, and the queue would be none.
func (q *Queue) try(ctx context.Context, events []Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: panic with a %T", ErrRefused, v)
		}
	}()
	return q.Sink.Write(ctx, events)
}

// lose counts events that the sink has refused as a gap; of a gap's own event
// those that it tells of.
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

// Close takes no more events, waits until the sink has taken what waits, and
// returns. Where ctx ends before, the rest is lost; the error wraps ctx's cause
// and says how many. It does not close the Sink. A second Close waits as well.
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
		q.writers.Wait() // none of them waits any more
		close(q.waiting)
	}
	select {
	case <-q.done:
	case <-ctx.Done():
		q.stop(errDrained)
		<-q.done // the sink returns when its ctx ends
	}
	q.stop(nil)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.unsent > 0 {
		return &Error{"queue", fmt.Errorf("%d events are lost: %w", q.unsent, cmp.Or(context.Cause(ctx), errDrained))}
	}
	return nil
}
