// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// What readers of a job get instead of a text that is not meant for them.
const (
	crashed   = "internal error"                  // the work panicked
	unwritten = "the job's end could not be kept" // the store failed
	full      = "no space is left to keep the job"
)

// run is a job at work in this process.
//
// It is settled once nothing will be added to the job any more, and at rest
// once its work has returned as well; a work that does not heed its ctx may be
// far behind.
type run struct {
	job     Job // as it was started
	grace   time.Duration
	logger  *slog.Logger
	drain   chan struct{} // closed when cancelled
	settled chan struct{} // closed once settled
	rested  chan struct{} // closed once at rest
	halted  chan struct{} // closed once the work's ctx ends

	mu       sync.Mutex
	stop     context.CancelCauseFunc // guarded by mu; ends the work's ctx; nil before start
	abandon  func()                  // guarded by mu; settles a cancelled job; nil before start
	stopping error                   // guarded by mu; ErrCancelled or ErrShutdown, whichever came first
	drains   bool                    // guarded by mu; the work sees for itself when it is cancelled
	leasing  map[*lease]struct{}     // guarded by mu; calls of Lease under way
	timer    *time.Timer             // guarded by mu; the grace of a cancelled work
	ended    bool                    // guarded by mu; settle has been called
	fault    time.Time               // guarded by mu; when the store refused the end; zero where it did not
	reason   string                  // guarded by mu; what readers are told of the fault

	input  chan struct{} // holds one value while Append or Seal is at work
	sealed bool          // guarded by input
}

func newRun(j Job, grace time.Duration, logger *slog.Logger) *run {
	return &run{
		job:     j,
		grace:   grace,
		logger:  logger,
		drain:   make(chan struct{}),
		settled: make(chan struct{}),
		rested:  make(chan struct{}),
		halted:  make(chan struct{}),
		input:   make(chan struct{}, 1),
	}
}

// start begins the work in a goroutine of its own, which closes rested at its
// end. ctx never ends. leave is called when the runner may forget x.
func (x *run) start(ctx context.Context, space Space, work Work, leave func()) {
	own, stop := context.WithCancelCause(ctx)
	context.AfterFunc(own, func() { close(x.halted) })
	x.mu.Lock()
	x.stop = stop
	x.abandon = func() {
		stop(ErrCancelled)
		x.settle(ctx, space, Cancelled, "")
	}
	x.halt() // cancelled or shut down while it was being created
	x.mu.Unlock()

	go func() {
		defer close(x.rested)
		defer stop(nil)
		s := &runSpace{Space: space, run: x}
		err := errors.New(crashed)
		defer func() { // also where the work ends its goroutine: runtime.Goexit
			s.close()
			state, reason := x.judge(err)
			if x.settle(ctx, space, state, reason) {
				leave()
			}
		}()
		err = x.call(own, s, work)
	}()
}

// void closes a run that has never started.
func (x *run) void() {
	close(x.settled)
	close(x.rested)
}

// call does the work. A panic becomes an error.
func (x *run) call(ctx context.Context, s Space, work Work) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New(crashed)
			x.logger.LogAttrs(ctx, slog.LevelError, "work panicked",
				slog.String("job", x.job.ID), slog.String("kind", x.job.Kind),
				slog.String("panic", describe(v)), slog.String("stack", string(debug.Stack())))
		}
	}()
	j := x.job
	return work(ctx, &j, s)
}

// describe returns what may be logged of a panic's value: the runtime's own
// texts, and of all others the type, since they may quote what was read.
func describe(v any) string {
	if e, ok := v.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("%T", v)
}

// judge returns how the job ends after its work returned err; Running where it
// does not.
func (x *run) judge(err error) (State, string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.timer != nil {
		x.timer.Stop()
	}
	switch {
	case errors.Is(x.stopping, ErrCancelled):
		return Cancelled, ""
	case x.stopping != nil:
		// Even where the work says that it is done: one that was stopped
		// halfway may say so too, and doing it again finds nothing left.
		return Running, ""
	case err != nil:
		return Failed, err.Error()
	}
	return Completed, ""
}

// settle ends the job in state, or leaves it running. Of several calls the
// first counts, and the others wait for it. It reports whether the store shows
// how the job ended.
func (x *run) settle(ctx context.Context, space Space, state State, reason string) (kept bool) {
	x.mu.Lock()
	first := !x.ended
	x.ended = true
	x.mu.Unlock()
	if first {
		x.end(ctx, space, state, reason)
		close(x.settled)
	}
	<-x.settled
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.fault.IsZero()
}

// end tells the store.
func (x *run) end(ctx context.Context, space Space, state State, reason string) {
	if state == Running {
		return
	}
	err := space.End(ctx, state, reason)
	if err == nil || errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound) {
		return // ended by its own work, or deleted
	}
	x.logger.LogAttrs(ctx, slog.LevelError, "job not ended",
		slog.String("job", x.job.ID), slog.String("state", string(state)), slog.Any("err", err))
	x.mu.Lock()
	x.fault, x.reason = time.Now(), unwritten
	if errors.Is(err, ErrFull) {
		x.reason = full
	}
	x.mu.Unlock()
}

// show makes of j, as the store has it, what readers see. Where the store
// refused the end, the job is shown failed in this process: no reader shall
// wait for it, and none be told that it succeeded. x may be nil.
func (x *run) show(j *Job) {
	if x == nil || j.State.Final() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.fault.IsZero() {
		j.State, j.Err = Failed, x.reason
		j.Ended, j.Expires = x.fault, x.fault.Add(j.Keep)
	}
}

// done returns a channel that is closed once x is settled; nil for a nil x.
func (x *run) done() <-chan struct{} {
	if x == nil {
		return nil
	}
	return x.settled
}

// cancel stops leasing, and ends the work's ctx: now, or after its grace where
// it drains. The job is settled after its grace at the latest.
func (x *run) cancel() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopping != nil {
		return
	}
	x.stopping = ErrCancelled
	close(x.drain)
	for l := range x.leasing {
		l.stop(ErrCancelled)
	}
	x.halt()
}

// shutdown ends the work's ctx.
func (x *run) shutdown() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopping == nil {
		x.stopping = ErrShutdown
	}
	if x.stop != nil {
		x.stop(ErrShutdown)
	}
}

// halt carries out what stopping says. The caller holds mu.
func (x *run) halt() {
	switch {
	case x.stop == nil || x.stopping == nil: // not started, or not stopped
	case errors.Is(x.stopping, ErrShutdown):
		x.stop(ErrShutdown)
	default:
		x.timer = time.AfterFunc(x.grace, x.abandon)
		if !x.drains {
			x.stop(ErrCancelled)
		}
	}
}

// room returns when the store of s has room, or with the reason why nobody waits
// for it any more: the work is to end, or ctx has. The caller of a work's own
// writes waits here and not in the store: those writes are not to be cut off
// where there is room.
func (x *run) room(ctx context.Context, s Space) error {
	w, ok := s.(Waiter)
	if !ok {
		return ErrFull
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-x.halted:
			stop(fmt.Errorf("%w: %w", ErrFull, context.Canceled))
		case <-ctx.Done():
		}
	}()
	x.logger.LogAttrs(ctx, slog.LevelWarn, "job waits for room on the disk", slog.String("job", x.job.ID))
	return w.Room(ctx)
}

// append adds items to the job unless it takes none any more. x is nil for a
// job that runs elsewhere, or waits to be taken up again.
func (x *run) append(ctx context.Context, s Space, items []Item) error {
	if x == nil {
		return s.Append(ctx, items...)
	}
	select {
	case x.input <- struct{}{}:
		defer func() { <-x.input }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if x.sealed || x.cancelled() {
		return ErrEnded
	}
	return s.Append(ctx, items...)
}
