// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// take takes a share with a context that ends when older work needs the share.
func take(t *testing.T, p *admission.Pool, n int64, wait time.Duration) (context.Context, *admission.Share, error) {
	t.Helper()
	ctx, end := context.WithCancelCause(t.Context())
	t.Cleanup(func() { end(nil) })
	s, err := p.Take(ctx, p.Ticket(), n, wait, end)
	return ctx, s, err
}

func mustTake(t *testing.T, p *admission.Pool, n int64) (context.Context, *admission.Share) {
	t.Helper()
	ctx, s, err := take(t, p, n, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, s
}

func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := admission.NewPool(100)
		_, first := mustTake(t, p, 60)
		start := time.Now()
		if _, _, err := take(t, p, 50, 3*time.Second); !errors.Is(err, admission.ErrBusy) {
			t.Errorf("what does not fit: %v", err)
		}
		if waited := time.Since(start); waited != 3*time.Second {
			t.Errorf("it waited for %v", waited)
		}
		if p.Refused() != 1 || !p.Short(time.Second) {
			t.Errorf("%d refused, short %t", p.Refused(), p.Short(time.Second))
		}
		time.Sleep(2 * time.Second)
		if p.Short(time.Second) {
			t.Error("it is short for ever")
		}
		// The order of the queue is kept: the small share must wait.
		order := make(chan string, 2)
		for name, n := range map[string]int64{"large": 50} {
			go func() {
				_, s, err := take(t, p, n, admission.Unlimited)
				if err != nil {
					t.Error(err)
				}
				order <- name
				s.Release()
			}()
		}
		synctest.Wait()
		go func() {
			_, s, err := take(t, p, 10, admission.Unlimited)
			if err != nil {
				t.Error(err)
			}
			order <- "small"
			s.Release()
		}()
		time.Sleep(time.Hour)
		select {
		case who := <-order:
			t.Errorf("%s was served", who)
		default:
		}
		first.Release()
		first.Release() // a second call does nothing
		if a, b := <-order, <-order; a != "large" || b != "small" {
			t.Errorf("%s before %s", a, b)
		}
		synctest.Wait()
		if p.Used() != 0 {
			t.Errorf("%d bytes are held by nobody", p.Used())
		}
		_, whole := mustTake(t, p, 1000) // more than the limit: the whole pool
		if p.Used() != 100 {
			t.Errorf("%d bytes are held", p.Used())
		}
		whole.Release()
	})
}

func TestTakeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := admission.NewPool(10)
		_, s := mustTake(t, p, 10)
		defer s.Release()
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("why")
		time.AfterFunc(time.Second, func() { cancel(why) })
		if _, err := p.Take(ctx, p.Ticket(), 1, admission.Unlimited, nil); !errors.Is(err, why) {
			t.Error(err)
		}
	})
}

// TestGrow checks that the youngest of three growing pieces of work is cancelled
// for the oldest, and that the other one waits.
func TestGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := admission.NewPool(100)
		oldCtx, old := mustTake(t, p, 30)
		midCtx, mid := mustTake(t, p, 30)
		newCtx, young := mustTake(t, p, 30)
		if err := mid.Grow(midCtx, 10, 0); err != nil || p.Used() != 100 {
			t.Fatalf("%v, %d bytes", err, p.Used())
		}
		context.AfterFunc(newCtx, young.Release) // as cancelled work does
		if err := old.Grow(oldCtx, 20, 0); err != nil {
			t.Error(err)
		}
		if !errors.Is(context.Cause(newCtx), admission.ErrBusy) {
			t.Errorf("the youngest ended with %v", context.Cause(newCtx))
		}
		if p.Used() != 90 || p.Refused() != 1 {
			t.Errorf("%d bytes, %d refused", p.Used(), p.Refused())
		}
		// It waits until there is room.
		time.AfterFunc(time.Second, old.Release)
		if err := mid.Grow(midCtx, 20, 2*time.Second); err != nil || p.Used() != 60 {
			t.Errorf("%v, %d bytes", err, p.Used())
		}
		// It waits too long.
		lastCtx, last := mustTake(t, p, 40)
		start := time.Now()
		if err := last.Grow(lastCtx, 20, 2*time.Second); !errors.Is(err, admission.ErrBusy) || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if !errors.Is(context.Cause(lastCtx), admission.ErrBusy) {
			t.Errorf("its work ended with %v", context.Cause(lastCtx))
		}
		last.Release()
		if err := mid.Grow(midCtx, 500, 0); err != nil || mid.Most() != 560 {
			t.Errorf("the oldest: %v, %d bytes", err, mid.Most())
		}
		mid.Release()
		if p.Used() != 0 {
			t.Error(p.Used())
		}
	})
}

// TestStuck has work that does not end when it is cancelled. The oldest work must
// continue, and new work is admitted when no other work is running.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := admission.NewPool(100)
		oldCtx, old := mustTake(t, p, 50)
		_, stuck := mustTake(t, p, 50)
		if err := old.Grow(oldCtx, 50, 0); err != nil || p.Used() != 150 {
			t.Errorf("%v, %d bytes", err, p.Used())
		}
		old.Abandon()
		_, next, err := take(t, p, 10, 0)
		if err != nil {
			t.Error("two stuck pieces of work keep all others out:", err)
		}
		for _, s := range []*admission.Share{old, stuck, next} {
			s.Release()
		}
		if p.Used() != 0 {
			t.Error(p.Used())
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := admission.NewPool(100)
		ctx, a := mustTake(t, p, 50)
		_, b := mustTake(t, p, 50)
		if err := a.Wait(ctx, 10, time.Second); err != nil {
			t.Error("the oldest waits:", err)
		}
		if err := b.Wait(ctx, 10, time.Second); !errors.Is(err, admission.ErrBusy) {
			t.Error(err)
		}
		if a.Try(1) {
			t.Error("more than there is")
		}
		time.AfterFunc(time.Second, a.Release)
		if err := b.Wait(ctx, 10, time.Minute); err != nil || p.Used() != 60 {
			t.Errorf("%v, %d bytes", err, p.Used())
		}
		if !b.Try(40) || p.Used() != 100 {
			t.Errorf("%d bytes", p.Used())
		}
	})
}

// TestPool runs random work. All of it must end, the pool must not exceed its limit
// except for the oldest work, and nothing may be left.
func TestPool(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			const limit, largest = 1000, 700
			p := admission.NewPool(limit)
			var wg sync.WaitGroup
			for i := range 60 {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				wg.Go(func() {
					time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
					ticket := p.Ticket()
					for try := 0; ; try++ {
						ctx, end := context.WithCancelCause(t.Context())
						s, err := p.Take(ctx, ticket, 1+r.Int64N(largest/2), admission.Unlimited, end)
						if err != nil {
							t.Error(err)
							return
						}
						for range 5 {
							if err = s.Grow(ctx, r.Int64N(largest/10), admission.Unlimited); err != nil {
								break
							}
							if used := p.Used(); used > limit+largest {
								t.Errorf("%d bytes", used)
							}
							select {
							case <-time.After(time.Duration(r.IntN(20)) * time.Millisecond):
							case <-ctx.Done():
							}
						}
						s.Release()
						end(nil)
						if err == nil {
							return
						}
						if try > 100 {
							t.Error("work is ended for older work again and again")
							return
						}
					}
				})
			}
			wg.Wait()
			if p.Used() != 0 {
				t.Errorf("%d bytes are held by nobody", p.Used())
			}
		})
	}
}

func TestMachine(t *testing.T) {
	if n := admission.Memory(); n < 64<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
	free, ok := admission.Free(t.TempDir())
	if ok && free <= 0 {
		t.Errorf("%d bytes are free", free)
	}
	if !ok {
		t.Skip("the free space of a disk is not known here")
	}
	for _, c := range []struct {
		low  int64
		dirs []string
		want bool
	}{
		{free * 2, []string{t.TempDir()}, true},
		{1, []string{t.TempDir()}, false},
		{admission.Unlimited, []string{t.TempDir()}, false},
		{free * 2, nil, false},
		{free * 2, []string{"no such directory"}, false},
	} {
		d := admission.Disk{Low: c.low, Dirs: c.dirs}
		if d.Short() != c.want {
			t.Errorf("below %d of %v: %t", c.low, c.dirs, !c.want)
		}
	}
}
