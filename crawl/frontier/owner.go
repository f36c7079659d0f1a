// SPDX-License-Identifier: Apache-2.0

package frontier

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// frontier is the [Frontier] over a Log. Its state has one owner at a time: a
// caller receives it from turn, uses it and sends it back. If a goroutine owned
// the state instead, each commit would need two wake-ups.
type frontier struct {
	turn  chan *state // capacity 1
	calls *calls      // wake-ups of the state's hosts
	gone  chan struct{}
	once  sync.Once // closes gone
	stats atomic.Pointer[Stats]
}

// NewFrontier returns a frontier in memory. Errors wrap [ErrConfig].
func NewFrontier(o Options) (Frontier, error) { return OpenFrontier(&memoryLog{}, o) }

// OpenFrontier returns the frontier that log holds, or a new one if it holds none.
// The state is in memory, and everything that must survive is in the log. Tasks
// that were leased when the log was last written are pending again, with their
// tries at zero, and each robots.txt is requested again. Close leaves log to the
// caller. Until then only the frontier writes its records. Errors wrap [ErrConfig],
// [ErrCorrupt] or are log's; once writing has failed, every call fails with that
// error.
func OpenFrontier(log Log, o Options) (Frontier, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("frontier: %w: %w", ErrConfig, err)
	}
	s := newState(log, o)
	there, err := s.replay()
	if err == nil && !there {
		var rec *record
		if rec, err = s.o.kickoff(rand.Uint64()); err == nil { //nolint:gosec // G404: the value spreads keys and is not a secret
			err = s.write(rec, nil, nil)
		}
	}
	if err != nil {
		s.scheduler.hosts.turns.Leave()
		return nil, fmt.Errorf("frontier: %w", err)
	}
	s.scheduler.scheduleAll()
	f := &frontier{turn: make(chan *state, 1), calls: s.scheduler.hosts.calls, gone: make(chan struct{})}
	f.put(s)
	return f, nil
}

// take returns the state. The caller must return it with put.
func (f *frontier) take(ctx context.Context) (*state, error) {
	select {
	case s := <-f.turn:
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-f.gone:
		return nil, ErrClosed
	}
}

// put returns the state and publishes its counters.
func (f *frontier) put(s *state) {
	f.stats.Store(s.snapshot())
	f.turn <- s
}

// Lease implements [Frontier].
func (f *frontier) Lease(ctx context.Context, most int) ([]Lease, error) {
	for {
		s, err := f.take(ctx)
		if err != nil {
			return nil, err
		}
		s.scheduler.hosts.rest(false)
		leases, at, err := s.leaseUpTo(max(most, 1))
		s.scheduler.hosts.rest(err != nil || len(leases) >= most) // it asks again when a worker is free
		s.stats.Resumes = time.Time{}
		if len(s.leases.open) == 0 {
			s.stats.Resumes = at
		}
		if err != nil {
			s.changes.announce() // all waiting calls must return it
		}
		if len(leases) > 0 || err != nil {
			f.put(s)
			if len(leases) > 0 {
				err = nil // the next call finds it again
			}
			return leases, err
		}
		changed := s.changes.await()
		f.put(s)
		if err := f.wait(ctx, changed, at); err != nil {
			return nil, err
		}
	}
}

// wait returns at a time, unless it is zero, or when changed is closed or a
// turn may be free.
func (f *frontier) wait(ctx context.Context, changed <-chan struct{}, at time.Time) error {
	var due <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-changed:
	case <-f.calls.arrived:
	case <-due:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.gone:
		return ErrClosed
	}
	return nil
}

// Commit implements [Frontier].
func (f *frontier) Commit(ctx context.Context, commits ...Commit) error {
	s, err := f.take(ctx)
	if err != nil {
		return err
	}
	err = s.commitAll(commits)
	s.changes.announce()
	f.put(s)
	return err
}

// Remembered returns the number of hosts and origins in memory.
func (f *frontier) Remembered() (hosts, origins int) {
	s := <-f.turn
	defer f.put(s)
	return len(s.scheduler.hosts.byName), len(s.scheduler.hosts.byOrigin)
}

// Stats implements [Frontier].
func (f *frontier) Stats(context.Context) (Stats, error) { return *f.stats.Load(), nil }

// Close implements [Frontier].
func (f *frontier) Close() error {
	f.once.Do(func() {
		s := <-f.turn // the current owner finishes first
		s.scheduler.hosts.turns.Leave()
		close(f.gone)
	})
	return nil
}

// changes wakes waiting calls. Invariant: each later change wakes a call that
// waits.
type changes struct {
	next chan struct{} // closed at the next change; nil if no call waits for it
}

// await returns a channel that is closed when the result of a lease may have
// changed.
func (c *changes) await() <-chan struct{} {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

// announce wakes all waiting calls.
func (c *changes) announce() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// commitAll ends leases in order, up to the first one that fails.
func (s *state) commitAll(commits []Commit) error {
	for i := range commits {
		if s.records.failed != nil {
			return s.records.failed
		}
		if err := s.commit(&commits[i]); err != nil {
			return err
		}
	}
	return nil
}

// leaseUpTo leases at most n tasks that are due. If the crawl is over, its
// error is io.EOF.
func (s *state) leaseUpTo(n int) (leases []Lease, at time.Time, err error) {
	now := time.Now()
	for len(leases) < n {
		if s.records.failed != nil {
			return leases, at, s.records.failed
		}
		if _, err := s.replenish(); err != nil {
			s.records.failed = err
			continue
		}
		if s.over() {
			return leases, at, io.EOF
		}
		var t *task
		t, at, err = s.scheduler.take(now)
		if err != nil {
			s.records.failed = err // the log cannot be read
			continue
		}
		if t == nil {
			if s.over() { // all remaining entries had been withdrawn or put aside
				var more bool
				if more, err = s.replenish(); more {
					continue
				}
				if err == nil {
					err = io.EOF
				}
			}
			return leases, at, err
		}
		leases = append(leases, s.lease(t, now))
	}
	return leases, at, nil
}
