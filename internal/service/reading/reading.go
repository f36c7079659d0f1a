// SPDX-License-Identifier: Apache-2.0

// Package reading runs work on untrusted documents within limits of memory and
// time.
package reading

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/parse"
)

// ErrPanic means that the work on a document panicked.
var ErrPanic = errors.New("panic")

// Budget limits the memory of the documents that are read at once to Memory. It
// must not be changed after its first use.
type Budget struct {
	Memory *admission.Pool
	Wait   time.Duration // how long a document waits for memory; negative means as long as necessary
	Logger *slog.Logger

	work ongoing
}

// Terms are the conditions for processing one document.
type Terms struct {
	Seat    *slots.Seat   // slot of the team; nil means none
	Patient bool          // wait for memory as long as necessary
	Limit   time.Duration // time limit without these waits; zero means that of the context
}

// Document is one document to be processed.
type Document struct {
	Terms
	Kind parse.Kind // empty if unknown
	Size int64      // bytes
}

// endsIn is how long work may continue after its context has ended. After that,
// the caller stops waiting for it, and it is logged. Readers check their
// contexts much more often.
const endsIn = 500 * time.Millisecond

// Do runs work on an untrusted document in its own goroutine. It first waits
// for the memory that such a document needs. If older work takes this memory
// away, it starts again. Do returns at most a moment after ctx has ended. The
// slot and the memory are released only when the goroutine has ended. The work
// must call grow with the number of bytes that it decompresses. That call may
// block until there is memory. If there is none, it ends the context of the
// work. A panic becomes [ErrPanic]. If there is no memory, the error wraps
// [admission.ErrBusy].
func Do[T any](ctx context.Context, r *Budget, d Document, work func(ctx context.Context, grow func(int64)) (T, error)) (T, error) {
	ticket, need := r.Memory.Ticket(), Weighed(d.Kind, d.Size, 0)
	begun := time.Now()
	for {
		wait := time.Duration(-1)
		if !d.Patient && r.Wait >= 0 {
			wait = max(r.Wait-time.Since(begun), 0)
		}
		own, end := context.WithCancelCause(ctx)
		share, err := r.Memory.Take(own, ticket, need, wait, end)
		if err != nil {
			end(nil)
			var none T
			return none, err
		}
		m := &memoryMeter{Document: d, share: share, asked: need, wait: wait}
		v, err := apart(own, r, end, m, work)
		if !errors.Is(err, admission.ErrBusy) || ctx.Err() != nil || wait == 0 {
			return v, err
		}
		need = max(need, 2*share.Most())
	}
}

// apart runs work in its own goroutine with a share of memory. When the work
// has ended, it calls end and releases the share.
func apart[T any](ctx context.Context, r *Budget, end context.CancelCauseFunc, m *memoryMeter, work func(context.Context, func(int64)) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	stop := func() {}
	if m.Limit > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, m.Limit, fetch.ErrTimeout)
	}
	id := r.work.enter(end, m.Patient)
	m.Seat.Hold()
	done := make(chan outcome, 1)
	go func() {
		out := outcome{err: ErrPanic}
		defer func() {
			if cause := context.Cause(ctx); out.err != nil && cause != nil {
				out.err = cause
			}
			r.work.leave(id)
			m.share.Release()
			m.Seat.Drop()
			stop()
			end(nil)
			done <- out
		}()
		defer Recover(ctx, r.Logger, &out.err)
		out.v, out.err = work(ctx, func(n int64) { m.grow(ctx, n) })
	}()
	select {
	case out := <-done:
		return out.v, out.err
	case <-ctx.Done():
	}
	late := time.NewTimer(endsIn)
	defer late.Stop()
	select {
	case out := <-done:
		return out.v, out.err
	case <-late.C:
	}
	m.share.Abandon()
	r.Logger.ErrorContext(ctx, "work over a document goes on after its end", "kind", string(m.Kind), "bytes", m.Size, "cause", context.Cause(ctx))
	var none T
	return none, context.Cause(ctx)
}

// Recover converts a panic to [ErrPanic]. It must be deferred.
func Recover(ctx context.Context, logger *slog.Logger, err *error) {
	if v := recover(); v != nil {
		logger.ErrorContext(ctx, "panic over a document", "panic", v, "stack", string(debug.Stack()))
		*err = ErrPanic
	}
}

// memoryMeter reserves more memory when a document turns out to need it.
type memoryMeter struct {
	Document
	share *admission.Share
	wait  time.Duration // how long to wait for memory

	mu       sync.Mutex
	inflated int64 // guarded by mu; bytes
	asked    int64 // guarded by mu; bytes of memory
}

// grownBy is the number of bytes that are reserved at once.
const grownBy = 4 << 20

// grow counts n decompressed bytes.
func (m *memoryMeter) grow(ctx context.Context, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inflated += n
	for need := Weighed(m.Kind, m.Size, m.inflated); m.asked < need; m.asked += grownBy {
		if m.share.Grow(ctx, grownBy, m.wait) != nil {
			return // the context has ended or ends now
		}
	}
}
