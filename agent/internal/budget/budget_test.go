// SPDX-License-Identifier: Apache-2.0

package budget_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/llm"
)

// TestReserve refuses what does not fit if nobody holds a reservation, and
// charges no more than was reserved or is free.
func TestReserve(t *testing.T) {
	b := budget.New(10*llm.Credit + 5) // parts of a credit are cut off
	if b.Ceiling != 10*llm.Credit {
		t.Fatalf("ceiling %v", b.Ceiling)
	}
	if err := b.Reserve(t.Context(), 11*llm.Credit, false); !errors.Is(err, budget.ErrBroke) {
		t.Errorf("more than there is: %v", err)
	}
	h, err := b.Use(t.Context(), nil, 6*llm.Credit, false)
	if err != nil {
		t.Fatal(err)
	}
	if b.Try(5*llm.Credit, false) {
		t.Error("tried more than is left")
	}
	if !b.Try(2*llm.Credit, false) {
		t.Error("cannot reserve what is left")
	}
	if over := b.Commit(h.Amount, 9*llm.Credit); over != llm.Credit || b.Total() != 8*llm.Credit {
		t.Errorf("overrun %v, total %v", over, b.Total()) // two credits were nobody's
	}
	if over := b.Commit(2*llm.Credit, 0); over != 0 || b.Tenths() != 2 {
		t.Errorf("overrun %v, %d tenths left", over, b.Tenths())
	}
	b.Charge(llm.Credit)
	b.Close()
	if b.Try(llm.Credit, false) || !b.Try(llm.Credit, true) {
		t.Error("a closed budget is for landing only")
	}
}

// TestUnlimited has no ceiling.
func TestUnlimited(t *testing.T) {
	b := budget.New(-1)
	if !b.Try(1e15, false) || b.CeilingPart(50) != 0 {
		t.Error("there is a ceiling")
	}
}

// TestAsideLast spends the tranche if nothing else fits and nobody holds a reservation.
func TestAsideLast(t *testing.T) {
	b := budget.New(8 * llm.Credit)
	b.SetAside(2 * llm.Credit)
	h, err := b.Use(t.Context(), nil, 7*llm.Credit, false)
	if err != nil {
		t.Fatal(err)
	}
	b.Commit(h.Amount, 5*llm.Credit)
	if b.Try(3*llm.Credit, false) || !b.Try(2*llm.Credit, false) {
		t.Error("one credit is still set aside")
	}
}

// TestAside keeps a tranche for the end, of at most a quarter.
func TestAside(t *testing.T) {
	b := budget.New(8 * llm.Credit)
	b.SetAside(5 * llm.Credit)
	if b.Try(7*llm.Credit, false) || !b.Try(6*llm.Credit, false) {
		t.Error("the tranche is not two credits")
	}
	b.Land()
	if !b.Try(2*llm.Credit, false) {
		t.Error("the tranche is not free in the end")
	}
}

// TestOrder serves waiters in their order, calls for the end before all others,
// and lets one go whose context ends.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(10 * llm.Credit)
		held, err := b.Use(t.Context(), nil, 10*llm.Credit, false)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var served []string
		var wg sync.WaitGroup
		wait := func(ctx context.Context, name string, n llm.Credits, landing bool) {
			wg.Go(func() {
				h, err := b.Use(ctx, nil, n, landing)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					served = append(served, name+": "+err.Error())
					return
				}
				served = append(served, name)
				b.Drop(h)
			})
			synctest.Wait()
		}
		gone, leave := context.WithCancelCause(t.Context())
		wait(t.Context(), "first", 10*llm.Credit, false)
		wait(gone, "gone", llm.Credit, false)
		wait(t.Context(), "second", 10*llm.Credit, false)
		wait(t.Context(), "landing", 10*llm.Credit, true)
		wait(t.Context(), "too much", 11*llm.Credit, false)
		leave(errors.New("left"))
		synctest.Wait()
		b.Drop(held)
		wg.Wait()
		want := []string{"gone: left", "landing", "first", "second", "too much: " + budget.ErrBroke.Error()}
		slices.Sort(served[4:])
		if !slices.Equal(served, want) {
			t.Errorf("served %q, want %q", served, want)
		}
		if b.Total() != 0 || !b.Try(10*llm.Credit, false) {
			t.Error("something is still held")
		}
	})
}

// TestPrice bounds what a call costs.
func TestPrice(t *testing.T) {
	p := budget.NewPrice(llm.Rates{}.WithDefaults(), llm.Profile{Rate: 0.5})
	u := llm.Usage{Input: 1000, Cached: 400, Output: 100}
	want := llm.Credits(0.5 * (600*200 + 400*50 + 100*800))
	if got := p.Of(u); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if p.Bound(2000, 100) < want {
		t.Errorf("the bound %v is below %v", p.Bound(2000, 100), want)
	}
	if got := p.Of(llm.Usage{Input: -5, Cached: 9, Output: -1}); got != 0 {
		t.Errorf("negative usage costs %v", got)
	}
}
