// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// frontier is the [Frontier] over a Log. One goroutine owns all state; callers
// send to it.
type frontier struct {
	asks   chan *ask
	leaves chan *ask
	ends   chan *ending
	quit   chan struct{}
	gone   chan struct{} // closed when the owner has ended
	once   sync.Once     // closes quit
	stats  atomic.Pointer[Stats]
}

// ask is one call of Lease.
type ask struct {
	max   int
	reply chan answer // holds one
}

type answer struct {
	leases []Lease
	err    error
}

// ending is one call of Commit.
type ending struct {
	commits []Commit
	reply   chan error // holds one
}

// NewFrontier returns a frontier in memory. It runs a goroutine until Close.
// Errors wrap [ErrConfig].
func NewFrontier(c Config) (Frontier, error) { return OpenFrontier(&memoryLog{}, c) }

// OpenFrontier returns the frontier that log holds, or a new one where it holds
// none: its state is in memory, all that must survive in the log. What was
// leased when the log was last written is pending again, with its tries at
// zero, and each robots.txt is asked for again. It runs a goroutine until
// Close, which leaves log to the caller; until then nobody else writes the
// frontier's records. Errors wrap [ErrConfig], [ErrCorrupt] or are log's; once
// writing has failed, every call fails with that error.
func OpenFrontier(log Log, c Config) (Frontier, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("frontier: %w: %w", ErrConfig, err)
	}
	s := newState(log, c)
	there, err := s.replay()
	if err == nil && !there {
		err = s.kickoff(rand.Uint64()) //nolint:gosec // G404: it spreads keys, it guards nothing
	}
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	for _, h := range s.hosts {
		s.schedule(h)
	}
	f := &frontier{
		asks: make(chan *ask), leaves: make(chan *ask), ends: make(chan *ending),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	f.stats.Store(s.snapshot())
	go f.own(s)
	return f, nil
}

// Lease implements [Frontier].
func (f *frontier) Lease(ctx context.Context, most int) ([]Lease, error) {
	a := &ask{max: max(most, 1), reply: make(chan answer, 1)}
	select {
	case f.asks <- a:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-f.gone:
		return nil, ErrClosed
	}
	select {
	case r := <-a.reply:
		return r.leases, r.err
	case <-ctx.Done():
	case <-f.gone:
	}
	select {
	case f.leaves <- a:
	case <-f.gone:
	}
	select {
	case r := <-a.reply: // it came first: its leases are the caller's
		return r.leases, r.err
	default:
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return nil, ErrClosed
}

// Commit implements [Frontier].
func (f *frontier) Commit(ctx context.Context, commits ...Commit) error {
	e := &ending{commits: commits, reply: make(chan error, 1)}
	select {
	case f.ends <- e:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.gone:
		return ErrClosed
	}
	// The owner never waits for a caller: what it has taken, it answers.
	return <-e.reply
}

// Stats implements [Frontier].
func (f *frontier) Stats(context.Context) (Stats, error) { return *f.stats.Load(), nil }

// Close implements [Frontier].
func (f *frontier) Close() error {
	f.once.Do(func() { close(f.quit) })
	<-f.gone
	return nil
}

// own is the goroutine that all state belongs to.
func (f *frontier) own(s *state) {
	defer close(f.gone)
	var waiting []*ask
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		var due <-chan time.Time
		if len(waiting) > 0 {
			var at time.Time
			waiting, at = s.serve(waiting)
			f.stats.Store(s.snapshot())
			if !at.IsZero() {
				timer.Reset(time.Until(at))
				due = timer.C
			}
		}
		select {
		case a := <-f.asks:
			waiting = append(waiting, a)
		case a := <-f.leaves:
			if i := slices.Index(waiting, a); i >= 0 {
				waiting = slices.Delete(waiting, i, i+1)
			}
		case e := <-f.ends:
			err := s.commitAll(e.commits)
			f.stats.Store(s.snapshot())
			e.reply <- err
		case <-due:
		case <-f.quit:
			return
		}
	}
}

// commitAll ends leases in their order, up to the first that cannot be.
func (s *state) commitAll(commits []Commit) error {
	for i := range commits {
		if s.poison != nil {
			return s.poison
		}
		if err := s.commit(&commits[i]); err != nil {
			return err
		}
	}
	return nil
}

// serve answers whom it can, in the order in which they came, and returns the
// others, and when to try again; zero means after a commit.
func (s *state) serve(waiting []*ask) ([]*ask, time.Time) {
	for len(waiting) > 0 {
		a := waiting[0]
		leases, at, err := s.leaseUpTo(a.max)
		switch {
		case len(leases) > 0:
			a.reply <- answer{leases: leases}
		case err != nil:
			a.reply <- answer{err: err}
		default:
			return waiting, at
		}
		waiting = waiting[1:]
	}
	return nil, time.Time{}
}

// leaseUpTo leases at most n tasks that are due. Its error is io.EOF when the
// crawl is over.
func (s *state) leaseUpTo(n int) (leases []Lease, at time.Time, err error) {
	now := time.Now()
	for len(leases) < n {
		if s.poison != nil {
			return leases, at, s.poison
		}
		if s.over() {
			return leases, at, io.EOF
		}
		var t *task
		t, at, err = s.take(now)
		if err != nil {
			s.poison = err // the log cannot be read
			continue
		}
		if t == nil {
			if s.over() { // all that was left had been withdrawn
				err = io.EOF
			}
			return leases, at, err
		}
		leases = append(leases, s.lease(t, now))
	}
	return leases, at, nil
}
