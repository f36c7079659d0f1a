// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/job"
)

// counting is a work that yields n results, one a second.
func counting(n int) job.Work {
	return func(ctx context.Context, _ *job.Job, s job.Space) error {
		for i := range n {
			if err := wait(ctx, time.Second); err != nil {
				return err
			}
			if err := put(ctx, s, fmt.Sprint(i)); err != nil {
				return err
			}
		}
		return nil
	}
}

// watch returns the results of a watch, joined, and its error.
func watch(t *testing.T, r *job.Runner, j *job.Job, from int, each func(n int) bool) (string, error) {
	t.Helper()
	var list []string
	for it, err := range r.Watch(t.Context(), j.Owner, j.ID, from) {
		if err != nil {
			return strings.Join(list, " "), err
		}
		list = append(list, string(it.Data))
		if each != nil && !each(len(list)) {
			break
		}
	}
	return strings.Join(list, " "), nil
}

func numbers(from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return strings.Join(list, " ")
}

// TestWatch checks that a watcher gets existing and new results and ends with
// the job, wherever it starts and however the store announces changes.
func TestWatch(t *testing.T) {
	for name, store := range map[string]func() job.Store{
		"memory": func() job.Store { return nil },
		"polled": func() job.Store { return &brokenStore{} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := runner(t, counting(100))
				r.Store = store()
				j := start(t, r, "team")
				var wg sync.WaitGroup
				for begin := range 10 {
					for _, from := range []int{-1, 0, 7, 99, 100, 200} {
						wg.Go(func() {
							time.Sleep(time.Duration(begin) * 11 * time.Second)
							got, err := watch(t, r, j, from, nil)
							if want := numbers(max(from, 0), 100); got != want || err != nil {
								t.Errorf("from %d after %d s: %s, %v; want %s", from, begin*11, got, err, want)
							}
						})
					}
				}
				wg.Wait()
			})
		})
	}
}

// TestWatchLive checks that a watcher gets each result when it is committed.
func TestWatchLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, counting(5))
		j := start(t, r, "team")
		begin := time.Now()
		_, err := watch(t, r, j, 0, func(n int) bool {
			if at := time.Since(begin); at != time.Duration(n)*time.Second {
				t.Errorf("result %d came at %v", n-1, at)
			}
			return true
		})
		if took := time.Since(begin); err != nil || took != 5*time.Second {
			t.Errorf("the watch ended after %v: %v", took, err)
		}
	})
}

// TestWatchSlow checks that a slow watcher delays nothing and misses nothing,
// even after the job's end.
func TestWatchSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, counting(100))
		j := start(t, r, "team")
		begin := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			got, err := watch(t, r, j, 0, func(int) bool { time.Sleep(time.Minute); return true })
			if got != numbers(0, 100) || err != nil {
				t.Errorf("%s, %v", got, err)
			}
		})
		if _, err := watch(t, r, j, 0, nil); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 100*time.Second {
			t.Errorf("beside a slow watcher the job took %v", took)
		}
		wg.Wait()
	})
}

// TestWatchEnds checks that a watcher gets an error if it ends before the job,
// or if the job disappears.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, counting(10))
		r.Keep = time.Minute
		j := start(t, r, "team")
		if got, err := watch(t, r, j, 0, func(n int) bool { return n < 3 }); got != "0 1 2" || err != nil {
			t.Errorf("left: %s, %v", got, err)
		}
		why := errors.New("client is gone")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(2500*time.Millisecond, func() { stop(why) })
		var last error
		for _, err := range r.Watch(ctx, "team", j.ID, 0) {
			last = err
		}
		if !errors.Is(last, why) {
			t.Errorf("with an ended ctx: %v, want its cause", last)
		}
		// The loop is so slow that the job expires before it continues.
		got, err := watch(t, r, j, 0, func(n int) bool { time.Sleep(time.Hour); return true })
		if !errors.Is(err, job.ErrNotFound) {
			t.Errorf("past the expiry: %s, %v; want ErrNotFound", got, err)
		}
	})
}

// TestWatchTwice checks that a sequence can be ranged over again.
func TestWatchTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, counting(3))
		j := start(t, r, "team")
		seq := r.Watch(t.Context(), "team", j.ID, 1)
		for range 2 {
			n := 0
			for _, err := range seq {
				if n++; err != nil {
					t.Error(err)
				}
			}
			if n != 2 {
				t.Errorf("%d results, want 2", n)
			}
		}
	})
}

// TestWatchCancelled checks that the watcher of a cancelled job gets what was
// committed during the grace period.
func TestWatchCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			<-job.Draining(s)
			return put(ctx, s, "in hand")
		})
		j := start(t, r, "team")
		synctest.Wait()
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			time.Sleep(time.Second)
			if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
				t.Error(err)
			}
		})
		if got, err := watch(t, r, j, 0, nil); got != "in hand" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if got := state(t, r, j); got != "cancelled" {
			t.Errorf("%q", got)
		}
	})
}

// TestWatchMany starts and ends watchers while works run, for the race
// detector.
func TestWatchMany(t *testing.T) {
	r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
		for i := range 200 {
			if err := put(ctx, s, fmt.Sprint(i)); err != nil {
				return err
			}
		}
		return nil
	})
	var wg sync.WaitGroup
	for range 5 {
		j := start(t, r, "team")
		for range 8 {
			wg.Go(func() {
				if got, err := watch(t, r, j, 0, nil); got != numbers(0, 200) || err != nil {
					t.Errorf("%s, %v", got, err)
				}
			})
		}
	}
	wg.Wait()
}
