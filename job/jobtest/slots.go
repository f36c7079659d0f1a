// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/job"
)

// slotsOf returns the slots of one more process.
func slotsOf(t *testing.T, st job.Store) job.Slots {
	t.Helper()
	s, ok := st.(job.Slotter)
	if !ok {
		t.Skip("no Slotter")
	}
	return s.Slots()
}

// acquire acquires n slots of a team.
func acquire(t *testing.T, s job.Slots, team string, limit, n int) (all []job.Slot) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for i := range n {
		x, err := s.Acquire(ctx, team, limit)
		if err != nil {
			t.Fatalf("Acquire of slot %d of %d: %v", i+1, n, err)
		}
		all = append(all, x)
	}
	return all
}

// sharedSlots has many pages of three processes compete for the slots of two teams. There are
// never more pages than slots, and each page gets one.
func sharedSlots(t *testing.T, sh Shared) {
	const limit, workers, pages = 4, 6, 25
	var busy, most [2]atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		s := slotsOf(t, sh.Open(t))
		for i := range workers {
			wg.Go(func() {
				n := i % 2
				team := fmt.Sprint("team ", n)
				for range pages {
					x, err := s.Acquire(t.Context(), team, limit)
					if err != nil {
						t.Errorf("Acquire: %v", err)
						return
					}
					now := busy[n].Add(1)
					for m := most[n].Load(); now > m && !most[n].CompareAndSwap(m, now); m = most[n].Load() {
					}
					if x.Life == nil || x.Life.Err() != nil {
						t.Error("a slot is lost at once")
					}
					busy[n].Add(-1)
					s.Release(team)
				}
			})
		}
	}
	wg.Wait()
	for n := range most {
		if m := most[n].Load(); m > limit {
			t.Errorf("team %d had %d pages at once, want at most %d", n, m, limit)
		}
	}
}

// sharedSlotsPassed passes slots that a process does not use any more, or that it uses
// for more pages than its share, to another process.
func sharedSlotsPassed(t *testing.T, sh Shared) {
	const limit = 4
	a, b := slotsOf(t, sh.Open(t)), slotsOf(t, sh.Open(t))
	acquire(t, a, "idle", limit, limit)
	if _, ok := a.TryAcquire("idle", limit); ok {
		t.Error("TryAcquire has a slot above the limit")
	}
	for range limit {
		a.Release("idle")
	}
	acquire(t, b, "idle", limit, limit)

	acquire(t, a, "busy", limit, limit)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range limit { // the other process always has pages that wait
		wg.Go(func() {
			for {
				a.Release("busy")
				if _, err := a.Acquire(ctx, "busy", limit); err != nil {
					return
				}
			}
		})
	}
	acquire(t, b, "busy", limit, limit/2)
}

// sharedSlotsTurns has three processes share a single slot. Each gets it again and again.
func sharedSlotsTurns(t *testing.T, sh Shared) {
	var busy atomic.Int32
	var wg sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var all [3]job.Slots
	for i := range all {
		all[i] = slotsOf(t, sh.Open(t))
	}
	var turns [3]atomic.Int32
	var last atomic.Int32
	last.Store(-1)
	for i, s := range all {
		wg.Go(func() {
			for {
				if _, err := s.Acquire(ctx, "team", 1); err != nil {
					if turns[i].Load() < 2 {
						t.Errorf("process %d had %d turns: %v", i, turns[i].Load(), err)
					}
					return
				}
				if busy.Add(1) > 1 {
					t.Error("a slot is used twice")
				}
				if last.Swap(int32(i)) != int32(i) {
					turns[i].Add(1)
				}
				if turns[0].Load() > 1 && turns[1].Load() > 1 && turns[2].Load() > 1 {
					cancel()
				}
				busy.Add(-1)
				s.Release("team")
			}
		})
	}
	wg.Wait()
}

// sharedSlotsDead lets another process have the slots of a dead and of a closed process.
func sharedSlotsDead(t *testing.T, sh Shared) {
	const limit = 3
	one, two, three := sh.Open(t), sh.Open(t), sh.Open(t)
	a, b, c := slotsOf(t, one), slotsOf(t, two), slotsOf(t, three)
	slots := acquire(t, a, "team", limit, limit)
	if slots[0].Life.Err() != nil {
		t.Error("the life of a slot has ended at once")
	}
	var wg sync.WaitGroup
	for _, x := range slots { // the process is only slow
		wg.Go(func() {
			<-x.Life.Done()
			if err := context.Cause(x.Life); !errors.Is(err, job.ErrSlotLost) {
				t.Errorf("the life of a slot has ended: %v", err)
			}
			a.Release("team")
		})
	}
	sh.Lapse(t, one)
	acquire(t, b, "team", limit, limit)
	wg.Wait()
	late := make(chan error, 1)
	go func() {
		_, err := c.Acquire(t.Context(), "team", limit)
		late <- err
	}()
	sh.Close(t, two)
	if err := <-late; err != nil {
		t.Errorf("Acquire of a slot of a closed process: %v", err)
	}
	_, err := b.Acquire(t.Context(), "team", limit)
	want(t, "Acquire after Close", err, job.ErrClosed)
	if _, ok := b.TryAcquire("team", limit); ok {
		t.Error("TryAcquire after Close")
	}
	b.Release("team")
}

// sharedSlotsLeft ends the contexts of calls that wait for a slot. A slot that such a call was
// about to get must go to another one.
func sharedSlotsLeft(t *testing.T, sh Shared) {
	a, b := slotsOf(t, sh.Open(t)), slotsOf(t, sh.Open(t))
	acquire(t, a, "team", 1, 1)
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	for _, s := range []job.Slots{a, b, a, b} {
		wg.Go(func() {
			if _, err := s.Acquire(ctx, "team", 1); err == nil {
				s.Release("team") // at the same moment
			} else {
				want(t, "Acquire", err, gone)
			}
		})
	}
	go a.Release("team")
	cancel(gone)
	wg.Wait()
	for range 3 {
		for _, s := range []job.Slots{a, b} {
			acquire(t, s, "team", 1, 1)
			s.Release("team")
		}
	}
	acquire(t, b, "team", 5, 5) // a higher limit
}
