// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
)

// TestLend lends a slot while its holder waits: another takes it, and the holder
// waits for it afterwards, or, if it is pressed, goes on above the limit.
func TestLend(t *testing.T) {
	for _, pressed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var all curlew.Slots
			first, err := all.Sit(t.Context(), "us", 1)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			go func() {
				second, err := all.Sit(t.Context(), "us", 1)
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

// TestLendStorm has many take, lend and drop slots at once. What is taken above the
// limit is not handed on, and in the end all have been given back.
func TestLendStorm(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			const limit, holders = 3, 30
			var all curlew.Slots
			var mu sync.Mutex
			pressed, excess := 0, 0 // who may be above the limit now; the greatest excess over that
			var wg sync.WaitGroup
			for i := range holders {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(i)))
					pause := func() { time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond) }
					for range 10 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(300))*time.Millisecond)
						pause()
						seat, err := all.Sit(ctx, "us", limit)
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
