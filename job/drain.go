// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"io"
	"sync"

	"example.com/curlew/crawl/frontier"
)

// runSpace is the Space that a Work gets: the store's, linked to the run.
type runSpace struct {
	Space
	run *run

	mu        sync.Mutex
	frontiers []frontier.Frontier // guarded by mu; opened by the work
}

// Frontier opens the job's frontier. Its Lease returns io.EOF after the job has
// been cancelled.
func (s *runSpace) Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error) {
	f, err := s.Space.Frontier(ctx, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.frontiers = append(s.frontiers, f)
	s.mu.Unlock()
	s.run.willDrain()
	return &drained{Frontier: f, run: s.run, space: s.Space}, nil
}

// Append adds items to the job. If the disk is full, it waits for room.
func (s *runSpace) Append(ctx context.Context, items ...Item) error {
	for {
		err := s.Space.Append(ctx, items...)
		if !errors.Is(err, ErrFull) {
			return err
		}
		if err := s.run.room(ctx, s.Space, err); err != nil {
			return err
		}
	}
}

// close closes what the work has opened.
func (s *runSpace) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.frontiers {
		_ = f.Close() // everything that matters has been committed
	}
}

// Draining returns a channel that is closed when the job of s is cancelled. The
// work should then start nothing new, finish what it is doing and return. Only
// a work that calls Draining gets [Runner.Grace] before its ctx ends. A work
// that takes its tasks from a frontier does not need it, because Lease returns
// io.EOF. The channel is nil if s is not the Space of a [Work].
func Draining(s Space) <-chan struct{} {
	r, ok := s.(*runSpace)
	if !ok {
		return nil
	}
	r.run.willDrain()
	return r.run.drain
}

// Seal closes the job to [Runner.Append] if it has exactly inputs items of the
// kind [Input], and reports whether it did. A work that processes Input items
// calls it when it has processed that many. If it returns true, the work
// returns; if false, there are more to process. So no input that Append has
// accepted is left out. Errors are the store's.
func Seal(ctx context.Context, s Space, inputs int) (bool, error) {
	r, ok := s.(*runSpace)
	if !ok {
		stats, err := s.Stats(ctx)
		return err == nil && stats.Items[Input] == inputs, err
	}
	x := r.run
	select {
	case x.input <- struct{}{}:
		defer func() { <-x.input }()
	case <-ctx.Done():
		return false, wrap(x.job.ID, context.Cause(ctx))
	}
	stats, err := s.Stats(ctx)
	if err != nil || stats.Items[Input] != inputs {
		return false, err
	}
	x.sealed = true
	return true, nil
}

// Settled returns a function that reports which inputs are done: those whose
// number is the [Item.Input] of an item of s. A work that is called again after
// a restart skips them. It leaves none out, because an item and its Input are
// stored together. Errors are the store's.
func Settled(ctx context.Context, s Space) (func(input int) bool, error) {
	if r, ok := s.(*runSpace); ok {
		s = r.Space
	}
	done := map[int]bool{}
	if st, ok := s.(Settler); ok {
		list, err := st.Settled(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			done[n] = true
		}
		return func(input int) bool { return done[input] }, nil
	}
	for kind := range ItemKind(kinds) {
		for from := 0; ; from += watched {
			items, err := s.Items(ctx, kind, from, watched)
			if err != nil {
				return nil, err
			}
			for _, it := range items {
				done[it.Input] = it.Input > 0
			}
			if len(items) < watched {
				break
			}
		}
	}
	return func(input int) bool { return done[input] }, nil
}

// willDrain records that the work notices its cancellation itself.
func (x *run) willDrain() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drains = true
}

// lease is a call of Lease in progress.
type lease struct{ stop context.CancelCauseFunc }

// begin returns a ctx for a call of Lease, which ends when the job is
// cancelled, and a function to call afterwards. If the job is already
// cancelled, it returns false.
func (x *run) begin(ctx context.Context) (context.Context, func(), bool) {
	ctx, stop := context.WithCancelCause(ctx)
	l := &lease{stop: stop}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cancelled() {
		stop(nil)
		return nil, nil, false
	}
	if x.leasing == nil {
		x.leasing = make(map[*lease]struct{})
	}
	x.leasing[l] = struct{}{}
	return ctx, func() {
		stop(nil)
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.leasing, l)
	}, true
}

// cancelled reports whether the job is being cancelled.
func (x *run) cancelled() bool {
	select {
	case <-x.drain:
		return true
	default:
		return false
	}
}

// drained is a frontier whose tasks end when the job is cancelled.
type drained struct {
	frontier.Frontier
	run   *run
	space Space
}

// Commit implements [frontier.Frontier]. If the disk is full, it waits for room.
// So no more tasks are leased once the open leases are used up.
func (d *drained) Commit(ctx context.Context, commits ...frontier.Commit) error {
	for {
		err := d.Frontier.Commit(ctx, commits...)
		if !errors.Is(err, ErrFull) {
			return err
		}
		if err := d.run.room(ctx, d.space, err); err != nil {
			return err
		}
	}
}

// Lease implements [frontier.Frontier].
func (d *drained) Lease(ctx context.Context, limit int) ([]frontier.Lease, error) {
	ctx, done, ok := d.run.begin(ctx)
	if !ok {
		return nil, io.EOF
	}
	defer done()
	leases, err := d.Frontier.Lease(ctx, limit)
	if d.run.cancelled() {
		// The leases that were just returned are dropped with all waiting
		// tasks.
		return nil, io.EOF
	}
	return leases, err
}
