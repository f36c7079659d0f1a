// SPDX-License-Identifier: Apache-2.0

package repeats_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/internal/service/repeats"
)

// stored returns a list of stored starts that ends with err, and counts how
// often it is read.
func stored(reads *int, err error, list ...repeats.Stored) func(context.Context, string) iter.Seq2[repeats.Stored, error] {
	return func(_ context.Context, team string) iter.Seq2[repeats.Stored, error] {
		return func(yield func(repeats.Stored, error) bool) {
			*reads++
			for _, s := range list {
				if s.Team == team && !yield(s, nil) {
					return
				}
			}
			if err != nil {
				yield(repeats.Stored{}, err)
			}
		}
	}
}

// begin starts a job with this ID, and counts the starts.
func begin(job string, starts *int) func(*repeats.Start) error {
	return func(s *repeats.Start) error {
		*starts++
		s.Job, s.Answer = job, []byte("answer of "+job)
		return nil
	}
}

var id = repeats.ID{Team: "us", Kind: "crawl", Key: "k"}

// TestOnce checks that the second start of an ID returns the first one until a
// day has passed, and that another team, kind or key has its own start.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, starts := 0, 0
		r := repeats.Repeats{Stored: stored(&reads, nil)}
		once := func(id repeats.ID, fingerprint byte, job string) (*repeats.Start, error) {
			return r.Once(t.Context(), id, [32]byte{fingerprint}, begin(job, &starts))
		}
		if first, err := once(id, 1, "1"); first != nil || err != nil || starts != 1 {
			t.Fatalf("the first start: %+v, %v", first, err)
		}
		if again, err := once(id, 1, "2"); err != nil || again == nil || again.Job != "1" || string(again.Answer) != "answer of 1" || starts != 1 {
			t.Errorf("the second start: %+v, %v, %d starts", again, err, starts)
		}
		if _, err := once(id, 2, "2"); !errors.Is(err, repeats.ErrConflict) {
			t.Errorf("another fingerprint: %v", err)
		}
		for i, other := range []repeats.ID{{"them", "crawl", "k"}, {"us", "batch", "k"}, {"us", "crawl", "l"}} {
			if again, err := once(other, 1, "x"); again != nil || err != nil || starts != 2+i {
				t.Errorf("%v: %+v, %v, %d starts", other, again, err, starts)
			}
		}
		time.Sleep(repeats.Life)
		if again, err := once(id, 2, "2"); again != nil || err != nil || starts != 5 {
			t.Errorf("after a day: %+v, %v, %d starts", again, err, starts)
		}
		if _, n := r.Used(); n != 1 || reads != 2 {
			t.Errorf("%d starts are remembered, and jobs were read %d times, want 1 and once a team", n, reads)
		}
	})
}

// TestOnceFails checks that a start that fails, panics or starts nothing frees
// its key.
func TestOnceFails(t *testing.T) {
	reads, starts := 0, 0
	r := repeats.Repeats{Stored: stored(&reads, nil)}
	broken := errors.New("broken")
	for name, start := range map[string]func(*repeats.Start) error{
		"error":   func(s *repeats.Start) error { s.Job = "1"; return broken },
		"nothing": func(*repeats.Start) error { return nil },
		"panic":   func(s *repeats.Start) error { s.Job = "1"; panic(broken) },
	} {
		func() {
			defer func() { _ = recover() }()
			_, err := r.Once(t.Context(), id, [32]byte{}, start)
			if (name == "error") != errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
		}()
		if bytes, n := r.Used(); n != 0 || bytes != 0 {
			t.Errorf("%s: %d bytes of %d starts are kept", name, bytes, n)
		}
	}
	if again, err := r.Once(t.Context(), id, [32]byte{}, begin("2", &starts)); again != nil || err != nil || starts != 1 {
		t.Errorf("the start after them: %+v, %v", again, err)
	}
}

// TestOnceAtOnce checks that one of many concurrent starts begins and the
// others wait for it. If it fails, the next one begins.
func TestOnceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, starts := 0, 0
		r := repeats.Repeats{Stored: stored(&reads, nil)}
		var mu sync.Mutex
		var jobs []string
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				first, err := r.Once(t.Context(), id, [32]byte{}, func(s *repeats.Start) error {
					mu.Lock()
					starts++
					n := starts
					mu.Unlock()
					time.Sleep(time.Second)
					if n < 3 {
						return errors.New("broken")
					}
					s.Job = "third"
					return nil
				})
				mu.Lock()
				defer mu.Unlock()
				if first != nil && err == nil {
					jobs = append(jobs, first.Job)
				}
			})
		}
		wg.Wait()
		if len(jobs) != 7 || starts != 3 || slices.Compact(jobs)[0] != "third" {
			t.Errorf("%d starts, repeated as %v", starts, jobs)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a cancelled caller does not wait
		reads := 0
		r := repeats.Repeats{Stored: stored(&reads, nil)}
		go func() {
			_, _ = r.Once(t.Context(), id, [32]byte{}, func(*repeats.Start) error { time.Sleep(time.Hour); return nil })
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Once(ctx, id, [32]byte{}, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that leaves: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestRecall checks that the keys of stored jobs are known after a restart. If
// they cannot be read, nothing starts, and the next start reads them again.
func TestRecall(t *testing.T) {
	reads, starts := 0, 0
	old := repeats.Stored{ID: id, Start: repeats.Start{Job: "old", Answer: []byte("a"), At: time.Now().Add(-time.Hour)}}
	older := repeats.Stored{ID: id, Start: repeats.Start{Job: "older", At: time.Now().Add(-2 * time.Hour)}} // the newer one applies
	lost := errors.New("store is lost")
	r := repeats.Repeats{Stored: stored(&reads, lost)}
	for range 2 {
		if _, err := r.Once(t.Context(), id, [32]byte{}, begin("new", &starts)); !errors.Is(err, lost) || starts != 0 {
			t.Errorf("with a store that cannot be read: %v, %d starts", err, starts)
		}
	}
	r.Stored = stored(&reads, nil, old, older)
	for range 2 {
		if again, err := r.Once(t.Context(), id, [32]byte{}, begin("new", &starts)); err != nil || again == nil || again.Job != "old" || string(again.Answer) != "a" {
			t.Errorf("a key of a stored job: %+v, %v", again, err)
		}
	}
	if reads != 3 || starts != 0 {
		t.Errorf("jobs were read %d times, %d starts", reads, starts)
	}
}

// TestFull checks that without memory a new key is refused with the time until
// there is memory, and that known keys are repeated.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, starts := 0, 0
		r := repeats.Repeats{Stored: stored(&reads, nil), MostOfTeam: 1000, Most: 1600} // two starts of a team, four of all
		once := func(team, key string) error {
			_, err := r.Once(t.Context(), repeats.ID{Team: team, Kind: "crawl", Key: key}, [32]byte{}, begin("j", &starts))
			return err
		}
		for _, step := range []struct {
			team, key string
			wait      time.Duration // until there is memory; zero if there is some
		}{
			{"us", "1", 0},
			{"us", "2", 0},
			{"us", "3", repeats.Life - 2*time.Hour},
			{"us", "1", 0}, // the key is known
			{"them", "1", 0},
			{"them", "2", 0},
			{"others", "1", repeats.Life - 6*time.Hour},
		} {
			err := once(step.team, step.key)
			full, refused := errors.AsType[*repeats.FullError](err)
			if refused != (step.wait > 0) || refused && full.Wait != step.wait || !refused && err != nil {
				t.Errorf("%s %s: %v %+v, want to wait %v", step.team, step.key, err, full, step.wait)
			}
			time.Sleep(time.Hour)
		}
		time.Sleep(repeats.Life)
		if err := once("us", "3"); err != nil {
			t.Errorf("after a day: %v", err)
		}
	})
}
