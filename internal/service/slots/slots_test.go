// SPDX-License-Identifier: Apache-2.0

package slots_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/slots"
)

// TestLend lends a slot while its holder waits. Another caller takes it. The
// holder then waits for it again or, if it is pressed, continues above the
// limit.
func TestLend(t *testing.T) {
	for _, pressed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var all slots.Teams
			first, _, err := all.Sit(t.Context(), "us", 1)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			go func() {
				second, _, err := all.Sit(t.Context(), "us", 1)
				if err != nil || time.Since(began) != 0 {
					t.Errorf("the other had it after %v: %v", time.Since(began), err)
				}
				time.Sleep(time.Minute)
				second.Drop()
			}()
			err = first.Lend(t.Context(), pressed, func() error {
				time.Sleep(time.Second)
				return nil
			})
			want, used := time.Minute, 1
			if pressed {
				want, used = time.Second, 2
			}
			if took := time.Since(began); err != nil || took != want || all.Used("us") != used {
				t.Errorf("pressed %v: back after %v with %d slots used, want %v and %d: %v", pressed, took, all.Used("us"), want, used, err)
			}
			first.Drop()
			time.Sleep(time.Hour)
			if n := all.Used("us"); n != 0 {
				t.Errorf("%d slots are used at the end", n)
			}
		})
	}
}

// TestLendStorm takes, lends and drops many slots at once. A slot above the
// limit is not passed on, and in the end all slots are free.
func TestLendStorm(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			const limit, holders = 3, 30
			var all slots.Teams
			var mu sync.Mutex
			pressed, excess := 0, 0 // callers that may be above the limit now; the greatest excess over that
			var wg sync.WaitGroup
			for i := range holders {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(i)))
					pause := func() { time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond) }
					for range 10 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(300))*time.Millisecond)
						pause()
						seat, _, err := all.Sit(ctx, "us", limit)
						if err != nil {
							cancel()
							continue
						}
						press := r.IntN(3) == 0
						err = seat.Lend(ctx, press, func() error {
							pause()
							if press {
								mu.Lock()
								pressed++
								mu.Unlock()
							}
							if r.IntN(4) == 0 {
								return errors.New("no turn")
							}
							return nil
						})
						mu.Lock()
						excess = max(excess, all.Used("us")-limit-pressed)
						mu.Unlock()
						if err == nil {
							pause()
						}
						seat.Drop()
						if press {
							mu.Lock()
							pressed--
							mu.Unlock()
						}
						cancel()
					}
				})
			}
			wg.Wait()
			if excess > 0 || all.Used("us") != 0 {
				t.Errorf("seed %d: %d slots too many at once, %d at the end", seed, excess, all.Used("us"))
			}
		})
	}
}

// TestSitInOrder checks that waiters get the slot in order and learn how long
// they waited. Callers of another team do not wait.
func TestSitInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all slots.Teams
		first, wait, err := all.Sit(t.Context(), "us", 1)
		if err != nil || wait != 0 {
			t.Fatalf("the first waited %v: %v", wait, err)
		}
		var order []int
		for i := range 3 {
			go func() {
				seat, wait, err := all.Sit(t.Context(), "us", 1)
				if want := time.Duration(10-i) * time.Second; err != nil || wait != want {
					t.Errorf("waiter %d: %v, %v, want %v", i, wait, err, want)
				}
				order = append(order, i)
				seat.Drop()
			}()
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if other, wait, err := all.Sit(t.Context(), "them", 1); err != nil || wait != 0 {
			t.Errorf("another team waited %v: %v", wait, err)
		} else {
			other.Drop()
		}
		time.Sleep(7 * time.Second)
		first.Drop()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2}) || all.Used("us") != 0 {
			t.Errorf("order %v, %d slots in use at the end", order, all.Used("us"))
		}
	})
}

// TestSitCancelled checks that a cancelled waiter gets no slot and does not
// delay later ones.
func TestSitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all slots.Teams
		first, _, err := all.Sit(t.Context(), "us", 1)
		if err != nil {
			t.Fatal(err)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
		defer cancel()
		go func() {
			if _, _, err := all.Sit(ctx, "us", 1); !errors.Is(err, gone) {
				t.Errorf("a waiter that gave up: %v", err)
			}
		}()
		synctest.Wait()
		behind := make(chan error, 1)
		go func() {
			seat, _, err := all.Sit(t.Context(), "us", 1)
			seat.Drop()
			behind <- err
		}()
		time.Sleep(2 * time.Second)
		first.Drop()
		if err := <-behind; err != nil || all.Used("us") != 0 {
			t.Errorf("the waiter behind it: %v, %d slots in use", err, all.Used("us"))
		}
	})
}

// TestHold checks that a seat is free, and reports it, when its last holder has
// dropped it.
func TestHold(t *testing.T) {
	var all slots.Teams
	seat, _, err := all.Sit(t.Context(), "us", 1)
	if err != nil {
		t.Fatal(err)
	}
	freed := 0
	seat.OnFree(func() { freed++ })
	seat.Hold()
	seat.Drop()
	if freed != 0 || all.Used("us") != 1 {
		t.Errorf("freed %d times with one holder left, %d slots in use", freed, all.Used("us"))
	}
	seat.Drop()
	if freed != 1 || all.Used("us") != 0 {
		t.Errorf("freed %d times at the end, %d slots in use", freed, all.Used("us"))
	}
}

// TestNilSeat checks that a nil seat has no slot and that its methods do
// nothing.
func TestNilSeat(t *testing.T) {
	var none *slots.Seat
	none.Hold()
	none.Drop()
	want := errors.New("why")
	if err := none.Lend(t.Context(), false, func() error { return want }); !errors.Is(err, want) {
		t.Errorf("Lend returned %v", err)
	}
}

// asks is a fetcher that records how many slots are in use during a request.
type asks func() error

func (f asks) Fetch(context.Context, *fetch.Request) (*fetch.Response, error) { return nil, f() }

// TestFetcher checks that a request holds a slot until it ends, and fails if
// there is none.
func TestFetcher(t *testing.T) {
	var all slots.Teams
	during, broken := 0, errors.New("broken")
	f := &slots.Fetcher{Teams: &all, Team: "us", Limit: 1, Fetcher: asks(func() error {
		during = all.Used("us")
		return broken
	})}
	if _, err := f.Fetch(t.Context(), &fetch.Request{URL: "http://a.test/"}); !errors.Is(err, broken) || during != 1 || all.Used("us") != 0 {
		t.Errorf("%v with %d slots in use, and %d after it", err, during, all.Used("us"))
	}
	seat, _, err := all.Sit(t.Context(), "us", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer seat.Drop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Fetch(ctx, &fetch.Request{URL: "http://me:secret@a.test/"})
	if refused, ok := errors.AsType[*fetch.Error](err); !ok || !errors.Is(err, context.Canceled) || strings.Contains(refused.URL, "secret") {
		t.Errorf("without a slot: %v", err)
	}
}
