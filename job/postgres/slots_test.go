// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// testSlotsModel has four processes say at random how many slots they need. The
// sum of their slots never exceeds the limit. When all of them have given up what is above
// their share, the division is fair: each has what it needs, or as many as the level, and no
// slot is idle while somebody needs it.
func testSlotsModel(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	var all [4]*postgres.Store
	for i := range all {
		all[i] = open(t, url, &postgres.Options{Lease: 10 * time.Minute})
	}
	r := rand.New(rand.NewPCG(1, 2))
	var held, need [4]int
	for round := range 25 {
		limit := 1 + r.IntN(12)
		for i := range need {
			need[i] = min(r.IntN(8), limit)
		}
		ask := func(i int) {
			var share int
			var contested bool
			var err error
			if held[i], share, contested, err = postgres.Lease(all[i], t.Context(), "team", limit, held[i], need[i]); err != nil {
				t.Fatal(err)
			}
			if contested && held[i] > share { // its pages end
				held[i] = share
			}
			held[i] = min(held[i], need[i])
		}
		for range 4 {
			for _, i := range r.Perm(4) {
				before := held
				ask(i)
				if sum := sumOf(held[:]); sum > limit && sum > sumOf(before[:]) {
					t.Fatalf("round %d: %v slots of %d", round, held, limit)
				}
			}
		}
		level := levelOf(need[:], limit)
		if sum := sumOf(held[:]); sum > limit || level > 0 && sum != min(limit, sumOf(need[:])) {
			t.Fatalf("round %d: limit %d, needs %v: the processes have %v, %d together", round, limit, need, held, sum)
		}
		for i := range held {
			if held[i] < min(need[i], level) {
				t.Fatalf("round %d: limit %d, needs %v: the processes have %v, but each should have %d", round, limit, need, held, level)
			}
		}
	}
}

func sumOf(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}

// levelOf returns how many slots each process gets that needs as many.
func levelOf(need []int, limit int) (level int) {
	for {
		sum := 0
		for _, n := range need {
			sum += min(n, level+1)
		}
		if sum > limit || level >= slices.Max(need) {
			return level
		}
		level++
	}
}

// TestSlotsCut cuts the connection of a process to the database. Its pages are cancelled before
// another process gets its slots, and it gets some again when the connection is back.
func TestSlotsCut(t *testing.T) {
	t.Parallel() // it mostly waits
	s := pgtest.Start(t, false)
	url := s.Database(t)
	p, through := cutting(t, url)
	a := open(t, through, &postgres.Options{Lease: 10 * time.Second}).Slots()
	b := open(t, url, &postgres.Options{Lease: 10 * time.Second}).Slots()
	var busy atomic.Int32
	var pages sync.WaitGroup
	defer pages.Wait()
	for range 3 {
		x, err := a.Acquire(t.Context(), "team", 3)
		if err != nil {
			t.Fatal(err)
		}
		busy.Add(1)
		pages.Go(func() {
			<-x.Life.Done()
			if err := context.Cause(x.Life); !errors.Is(err, job.ErrSlotLost) {
				t.Errorf("a slot was lost: %v", err)
			}
			busy.Add(-1)
			a.Release("team")
		})
	}
	p.refuse(true)
	for range 3 {
		if _, err := b.Acquire(t.Context(), "team", 3); err != nil {
			t.Fatal(err)
		}
		if n := busy.Load(); n > 0 {
			t.Errorf("%d pages of a process without a connection go on when another process has its slots", n)
		}
	}
	p.refuse(false)
	b.Release("team")
	if _, err := a.Acquire(t.Context(), "team", 3); err != nil {
		t.Fatal(err)
	}
	a.Release("team")
}
