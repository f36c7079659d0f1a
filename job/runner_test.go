// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/job"
)

// runner returns a runner of the kind "w". It is shut down at the end of the
// bubble, because the goroutines of its works must end before.
func runner(t *testing.T, w job.Work) *job.Runner {
	t.Helper()
	r := &job.Runner{Works: map[string]job.Work{"w": w}}
	t.Cleanup(func() {
		// t.Context has ended at this point.
		if err := r.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return r
}

func start(t *testing.T, r *job.Runner, owner string) *job.Job {
	t.Helper()
	j, err := r.Start(t.Context(), "w", owner, []byte("spec"))
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	return j
}

// state returns what readers of the job see, as "state reason".
func state(t *testing.T, r *job.Runner, j *job.Job) string {
	t.Helper()
	got, _, err := r.Get(t.Context(), j.Owner, j.ID)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(got.State) + " " + got.Err)
}

// results returns the data of all items of a kind.
func results(t *testing.T, r *job.Runner, j *job.Job, kind job.ItemKind) (list []string) {
	t.Helper()
	items, err := r.Items(t.Context(), j.Owner, j.ID, kind, 0, job.Unlimited)
	if err != nil {
		t.Errorf("Items: %v", err)
	}
	for _, it := range items {
		list = append(list, string(it.Data))
	}
	return list
}

// wait waits for d or the end of ctx.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func put(ctx context.Context, s job.Space, data string) error {
	return s.Append(ctx, job.Item{Kind: job.Result, Data: []byte(data), Cost: 1})
}

// TestOutcome checks how the result of a work determines the end of the job.
func TestOutcome(t *testing.T) {
	for name, tt := range map[string]struct {
		work job.Work
		want string
	}{
		"nil":       {func(context.Context, *job.Job, job.Space) error { return nil }, "completed"},
		"error":     {func(context.Context, *job.Job, job.Space) error { return errors.New("no kickoff") }, "failed no kickoff"},
		"cancelled": {func(context.Context, *job.Job, job.Space) error { return job.ErrCancelled }, "failed job was cancelled"}, // the job was not cancelled
		"panic":     {func(context.Context, *job.Job, job.Space) error { panic("secret") }, "failed internal error"},
		"nil panic": {func(context.Context, *job.Job, job.Space) error { panic(nil) }, "failed internal error"}, //nolint:govet // a work may do this
		"Goexit":    {func(context.Context, *job.Job, job.Space) error { runtime.Goexit(); return nil }, "failed internal error"},
		"by itself": {func(ctx context.Context, _ *job.Job, s job.Space) error {
			return s.End(ctx, job.Failed, "its own reason")
		}, "failed its own reason"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := runner(t, tt.work)
				j := start(t, r, "team")
				synctest.Wait()
				if got := state(t, r, j); got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
				if err := r.Cancel(t.Context(), "team", j.ID); !errors.Is(err, job.ErrEnded) {
					t.Errorf("Cancel: %v, want ErrEnded", err)
				}
				if err := r.Append(t.Context(), "team", j.ID, job.Item{}); !errors.Is(err, job.ErrEnded) {
					t.Errorf("Append: %v, want ErrEnded", err)
				}
			})
		})
	}
}

func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		seen := make(chan *job.Job, 1)
		r := runner(t, func(ctx context.Context, j *job.Job, _ job.Space) error {
			if ctx.Value(key{}) != "kept" {
				t.Error("the work's ctx has lost its values")
			}
			seen <- j
			return wait(ctx, time.Hour)
		})
		spec := []byte("spec")
		ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "kept"))
		j, err := r.Start(ctx, "w", "team", spec)
		if err != nil {
			t.Fatal(err)
		}
		copy(spec, "XXXX")
		stop() // the work continues
		got := <-seen
		if !job.ValidID(j.ID) || j.State != job.Running || string(j.Spec) != "spec" || !j.Created.Equal(time.Now()) || j.Keep != 24*time.Hour {
			t.Errorf("Start = %+v", j)
		}
		if got.ID != j.ID || string(got.Spec) != "spec" || got.Owner != "team" || got.Kind != "w" {
			t.Errorf("the work got %+v", got)
		}
		time.Sleep(time.Hour - 1)
		if got := state(t, r, j); got != "running" {
			t.Errorf("%q an hour later, want it running", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := state(t, r, j); got != "completed" {
			t.Errorf("%q, want it completed", got)
		}
		for _, id := range []string{j.ID, job.NewID()} { // the first is in use
			if own, err := r.Begin(context.WithoutCancel(ctx), job.Job{ID: id, Kind: "w"}); errors.Is(err, job.ErrExists) != (id == j.ID) || err == nil && own.ID != id {
				t.Errorf("Begin with an ID = %+v, %v", own, err)
			}
		}
		if _, err := r.Start(t.Context(), "other", "team", nil); !errors.Is(err, job.ErrKind) {
			t.Errorf("Start of an unknown kind: %v, want ErrKind", err)
		}
	})
}

// TestPanicLog checks that a panic is logged with its stack but without its
// text.
func TestPanicLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		n := 0
		r := runner(t, func(context.Context, *job.Job, job.Space) error {
			if n++; n == 1 {
				panic("secret")
			}
			fmt.Fprint(io.Discard, []int{0}[n])
			return nil
		})
		r.Logger = slog.New(slog.NewTextHandler(&b, nil))
		j := start(t, r, "team")
		synctest.Wait()
		start(t, r, "team")
		synctest.Wait()
		for _, want := range []string{"work panicked", "job=" + j.ID, "panic=string", "index out of range [2] with length 1", "runner_test.go"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, b.String())
			}
		}
		if strings.Contains(b.String(), "secret") {
			t.Errorf("the log tells the panic's text:\n%s", b.String())
		}
	})
}

// TestNotFound checks that foreign, unknown, malformed and expired ids all get
// the same error.
func TestNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error { return put(ctx, s, "x") })
		r.Keep = time.Minute
		j := start(t, r, "team")
		synctest.Wait()
		check := func(what, owner, id string) {
			t.Helper()
			_, _, err := r.Get(t.Context(), owner, id)
			errs := map[string]error{"Get": err}
			_, errs["Items"] = r.Items(t.Context(), owner, id, job.Result, 0, 1)
			errs["Append"] = r.Append(t.Context(), owner, id, job.Item{})
			errs["Cancel"] = r.Cancel(t.Context(), owner, id)
			for _, err := range r.Watch(t.Context(), owner, id, 0) {
				errs["Watch"] = err
			}
			for call, err := range errs {
				if want := "job " + id + ": no such job"; !errors.Is(err, job.ErrNotFound) || id != "" && err.Error() != want {
					t.Errorf("%s, %s: error %v, want %q", what, call, err, want)
				}
			}
		}
		check("foreign", "other", j.ID)
		check("no owner", "", j.ID)
		check("unknown", "team", job.NewID())
		check("malformed", "team", "../"+j.ID)
		check("empty", "team", "")

		time.Sleep(time.Minute - 1)
		if got := state(t, r, j); got != "completed" {
			t.Errorf("%q to the end of its life, want it completed", got)
		}
		time.Sleep(time.Nanosecond)
		check("expired", "team", j.ID)
		check("expired and foreign", "other", j.ID)
		if list, err := r.List(t.Context(), "team", job.Filter{}); err != nil || len(list) != 0 {
			t.Errorf("List: %v, %v; want none", list, err)
		}
	})
}

// TestExpiry checks that reading does not extend the life of a job, and that a
// running job does not expire.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, _ job.Space) error { return wait(ctx, 100*time.Hour) })
		j := start(t, r, "team")
		for range 100 {
			time.Sleep(time.Hour)
			synctest.Wait()
			if _, _, err := r.Get(t.Context(), "team", j.ID); err != nil {
				t.Fatal(err)
			}
		}
		end := time.Now()
		for range 24 {
			got, _, err := r.Get(t.Context(), "team", j.ID)
			if err != nil || !got.Ended.Equal(end) || !got.Expires.Equal(end.Add(24*time.Hour)) {
				t.Fatalf("%+v, %v; want its end at %v", got, err, end)
			}
			time.Sleep(time.Hour)
		}
		if got := state(t, r, j); !strings.Contains(got, "no such job") {
			t.Errorf("%q after a day", got)
		}
	})
}

func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, j *job.Job, _ job.Space) error { return wait(ctx, time.Hour) })
		r.Works["short"] = func(context.Context, *job.Job, job.Space) error { return nil }
		var ids []string
		for i := range 6 {
			kind := []string{"w", "short"}[i%2]
			j, err := r.Start(t.Context(), kind, "team", nil)
			if err != nil {
				t.Fatal(err)
			}
			ids = append([]string{j.ID}, ids...)
		}
		start(t, r, "other")
		synctest.Wait()
		for _, tt := range []struct {
			f    job.Filter
			want []string
		}{
			{job.Filter{}, ids},
			{job.Filter{Kind: "short"}, []string{ids[0], ids[2], ids[4]}},
			{job.Filter{State: job.Running}, []string{ids[1], ids[3], ids[5]}},
			{job.Filter{State: job.Running, Kind: "short"}, nil},
		} {
			list, err := r.List(t.Context(), "team", tt.f)
			var got []string
			for _, j := range list {
				got = append(got, j.ID)
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("List(%+v) = %q, %v; want %q", tt.f, got, err, tt.want)
			}
		}
	})
}

// TestSeal checks that inputs appended before the seal are processed, and that
// later ones are refused.
func TestSeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			for n := 0; ; {
				items, err := s.Items(ctx, job.Input, n, 3)
				if err != nil {
					return err
				}
				for _, it := range items {
					if err := wait(ctx, time.Second); err != nil {
						return err
					}
					if err := put(ctx, s, string(it.Data)); err != nil {
						return err
					}
					n++
				}
				if done, err := job.Seal(ctx, s, n); done || err != nil {
					_ = wait(ctx, time.Second) // it may take some time to return
					return err
				}
			}
		})
		for round := range 20 {
			j := start(t, r, "team")
			var wg sync.WaitGroup
			var mu sync.Mutex
			accepted := 0
			for i := range 10 {
				wg.Go(func() {
					time.Sleep(time.Duration(i*round) * 100 * time.Millisecond)
					err := r.Append(t.Context(), "team", j.ID, job.Item{Kind: job.Input, Data: []byte("x")})
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						accepted++
					} else if !errors.Is(err, job.ErrEnded) {
						t.Errorf("Append: %v, want ErrEnded", err)
					}
				})
			}
			wg.Wait()
			time.Sleep(time.Minute)
			if got := len(results(t, r, j, job.Result)); got != accepted {
				t.Errorf("round %d: %d of %d inputs are done", round, got, accepted)
			}
			if got := state(t, r, j); got != "completed" {
				t.Errorf("round %d: %q", round, got)
			}
		}
	})
}

func TestSealBareSpace(t *testing.T) {
	var m job.Memory
	j := &job.Job{ID: job.NewID(), State: job.Running}
	if err := m.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	s, err := m.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), job.Item{Kind: job.Input}); err != nil {
		t.Fatal(err)
	}
	for n, want := range []bool{false, true, false} {
		if got, err := job.Seal(t.Context(), s, n); got != want || err != nil {
			t.Errorf("Seal(%d) = %v, %v; want %v", n, got, err, want)
		}
	}
	if job.Draining(s) != nil {
		t.Error("a bare space drains")
	}
}

// brokenStore is a memory store that fails to end or create jobs.
type brokenStore struct {
	job.Memory
	create, end error
	loud        bool // its spaces announce changes
}

func (b *brokenStore) Create(ctx context.Context, j *job.Job) error {
	if b.create != nil {
		return b.create
	}
	return b.Memory.Create(ctx, j)
}

func (b *brokenStore) Space(ctx context.Context, id string) (job.Space, error) {
	s, err := b.Memory.Space(ctx, id)
	if n, ok := s.(job.Notifier); ok && b.loud {
		return loudSpace{brokenSpace{s, b}, n}, err
	}
	return brokenSpace{s, b}, err
}

type loudSpace struct {
	brokenSpace
	job.Notifier
}

// brokenSpace also hides Changed, so that Watch polls.
type brokenSpace struct {
	job.Space
	store *brokenStore
}

func (b brokenSpace) End(ctx context.Context, s job.State, reason string) error {
	if b.store.end != nil {
		return b.store.end
	}
	return b.Space.End(ctx, s, reason)
}

// TestStoreFault checks that a job whose end cannot be stored appears as failed
// everywhere.
func TestStoreFault(t *testing.T) {
	for _, loud := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { checkStoreFault(t, loud) })
	}
}

func checkStoreFault(t *testing.T, loud bool) {
	r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
		_ = wait(ctx, time.Second)
		err := put(ctx, s, "x")
		_ = wait(ctx, time.Second) // the watcher is waiting again
		return err
	})
	st := &brokenStore{end: errors.New("disk is full"), loud: loud}
	var b bytes.Buffer
	r.Store, r.Logger = st, slog.New(slog.NewTextHandler(&b, nil))
	j := start(t, r, "team")
	n := 0
	for it, err := range r.Watch(t.Context(), "team", j.ID, 0) {
		if n++; err != nil || string(it.Data) != "x" {
			t.Errorf("Watch: %q %v", it.Data, err)
		}
	}
	if n != 1 {
		t.Errorf("%d items watched", n)
	}
	if got, want := state(t, r, j), "failed the job's end could not be stored"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if list, err := r.List(t.Context(), "team", job.Filter{State: job.Failed}); err != nil || len(list) != 1 {
		t.Errorf("List of the failed: %v, %v", list, err)
	}
	if list, err := r.List(t.Context(), "team", job.Filter{State: job.Running}); err != nil || len(list) != 0 {
		t.Errorf("List of the running: %v, %v", list, err)
	}
	if err := r.Cancel(t.Context(), "team", j.ID); !errors.Is(err, job.ErrEnded) {
		t.Errorf("Cancel: %v, want ErrEnded", err)
	}
	if !strings.Contains(b.String(), "disk is full") {
		t.Errorf("the log says nothing of the store: %s", b.String())
	}

	st.create = errors.New("disk is full")
	if _, err := r.Start(t.Context(), "w", "team", nil); !errors.Is(err, st.create) {
		t.Errorf("Start: %v, want the store's error", err)
	}
}
