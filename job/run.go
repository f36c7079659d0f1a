// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Texts that readers of a job get instead of internal errors.
const (
	crashed   = "internal error"                    // the work panicked
	unwritten = "the job's end could not be stored" // the store failed
	full      = "no space left to store the job"
	removed   = "the job's files were removed while it ran"
)

// run is a job at work in this process.
//
// It is settled when nothing more will be added to the job, and at rest when
// its work has also returned. A work that ignores its ctx may return much
// later.
type run struct {
	job     Job // as it was started
	grace   time.Duration
	logger  *slog.Logger
	drain   chan struct{} // closed when the job is cancelled
	settled chan struct{} // closed when the run is settled
	rested  chan struct{} // closed when the run is at rest
	halted  chan struct{} // closed when the work's ctx ends

	mu       sync.Mutex
	stop     context.CancelCauseFunc // guarded by mu; ends the work's ctx; nil before start
	abandon  func()                  // guarded by mu; settles a cancelled job; nil before start
	stopping error                   // guarded by mu; ErrCancelled or ErrShutdown, whichever came first
	drains   bool                    // guarded by mu; the work notices its cancellation itself
	leasing  map[*lease]struct{}     // guarded by mu; calls of Lease in progress
	timer    *time.Timer             // guarded by mu; grace period of a cancelled work
	ended    bool                    // guarded by mu; settle has been called
	closing  bool                    // guarded by mu; shutdown has been called
	unwait   context.CancelFunc      // guarded by mu; ends the wait of the end for room; nil if it does not wait
	fault    time.Time               // guarded by mu; when the store refused the end, or zero
	reason   string                  // guarded by mu; what readers are told about the fault

	input  chan struct{} // contains a value while Append or Seal is running
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

// start runs the work in a goroutine, which closes rested at its end. ctx never
// ends. leave is called when the runner may forget x.
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
		defer func() { // also if the work ends its goroutine by runtime.Goexit
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

// call calls the work and turns a panic into an error.
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

// describe returns what may be logged about the value of a panic: the text of a
// runtime error, or else only the type, because the text may quote foreign
// data.
func describe(v any) string {
	if e, ok := v.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("%T", v)
}

// judge returns how the job ends after its work returned err. Running means
// that it does not end.
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
		// Do so even if the work returned nil, because an interrupted work may
		// return nil too. If it was really done, running it again finds nothing
		// left to do.
		return Running, ""
	case err != nil:
		return Failed, err.Error()
	}
	return Completed, ""
}

// settle ends the job in state, or leaves it running. Only the first of several
// calls takes effect, and the others wait for it. It reports whether the store
// has recorded the end.
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

// end records the end in the store.
func (x *run) end(ctx context.Context, space Space, state State, reason string) {
	if state == Running {
		return
	}
	err := x.endRoom(ctx, space)
	if err == nil {
		err = space.End(ctx, state, reason)
	}
	if err == nil || errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound) {
		return // ended by its own work, or deleted
	}
	if errors.Is(err, ErrElsewhere) {
		x.logger.LogAttrs(ctx, slog.LevelWarn, "job left to another process", slog.String("job", x.job.ID), slog.Any("err", err))
		return
	}
	x.logger.LogAttrs(ctx, slog.LevelError, "job not ended",
		slog.String("job", x.job.ID), slog.String("state", string(state)), slog.Any("err", err))
	x.mu.Lock()
	x.fault, x.reason = time.Now(), unwritten
	switch {
	case errors.Is(err, ErrFull):
		x.reason = full
	case errors.Is(err, fs.ErrNotExist):
		x.reason = removed
	}
	x.mu.Unlock()
}

// endRoom waits until the store has room for the end of the job, or until a shutdown. The job
// then ends in the next process.
func (x *run) endRoom(ctx context.Context, s Space) error {
	w, ok := s.(Waiter)
	if !ok {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	x.mu.Lock()
	x.unwait = func() { stop(fmt.Errorf("%w: %w", ErrFull, ErrShutdown)) }
	if x.closing {
		x.unwait()
	}
	x.mu.Unlock()
	return w.Room(ctx)
}

// cancelling waits until the cancelled run is settled. If its end still waits for room on a
// full disk after the grace period, it returns [ErrFull].
func (x *run) cancelling(ctx context.Context, s Space) error {
	look := time.NewTimer(x.grace + time.Second)
	defer look.Stop()
	for {
		select {
		case <-x.settled:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C:
			if stats, err := s.Stats(ctx); err == nil && stats.Waiting {
				return ErrFull
			}
			look.Reset(time.Second)
		}
	}
}

// show changes j, as loaded from the store, to what readers see. If the store
// refused the end, the job appears as failed in this process, so that no reader
// waits for it or believes that it succeeded. x may be nil.
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

// done returns a channel that is closed when x is settled, or nil if x is nil.
func (x *run) done() <-chan struct{} {
	if x == nil {
		return nil
	}
	return x.settled
}

// cancel stops leasing and ends the work's ctx, either at once or after the
// grace period if the work drains. The job is settled after the grace period at
// the latest.
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
	if x.closing = true; x.unwait != nil {
		x.unwait()
	}
}

// halt does what stopping says. The caller holds mu.
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

// room waits until the store of s has room, which it did not have because of full. It returns an error if the work is
// to end or ctx has ended. Writes of a work wait here and not in the store,
// because they must not be cancelled if there is room.
func (x *run) room(ctx context.Context, s Space, full error) error {
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
	x.logger.LogAttrs(ctx, slog.LevelWarn, "job waits for room on the disk", slog.String("job", x.job.ID), slog.Any("err", full))
	return w.Room(ctx)
}

// append adds items to the job unless it accepts no more. x is nil if the job
// runs elsewhere or waits to be resumed.
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
