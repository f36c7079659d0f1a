// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
)

// patience is how long a test waits for something that happens within
// milliseconds on an idle machine.
const patience = 2 * time.Minute

// help makes a process help with tasks of the kind "test", until the end of t or
// until the returned function is called.
func help(t *testing.T, st job.Store, most int, do func(ctx context.Context, j *job.Job, task []byte) ([]byte, error)) (leave func()) {
	t.Helper()
	h, ok := st.(job.Helper)
	if !ok {
		t.Skip("no Helper")
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		want(t, "Help", h.Help(ctx, job.Help{Kind: "test", Most: most, Do: do}), nil)
	})
	leave = sync.OnceFunc(func() {
		stop()
		all.Wait()
	})
	t.Cleanup(leave)
	return leave
}

// sharing calls Share for many tasks at once.
type sharing struct {
	t       *testing.T
	space   job.Space
	release chan struct{} // closed when tasks that are done here may end

	mu        sync.Mutex
	here      []string
	elsewhere []string
	lost      []string
	changed   chan struct{}
}

func newSharing(t *testing.T, s job.Space) *sharing {
	return &sharing{t: t, space: s, release: make(chan struct{}), changed: make(chan struct{}, 1)}
}

// share shares one task and records where it was done.
func (s *sharing) share(ctx context.Context, task string, gap time.Duration) error {
	did := false
	result, err := job.Share(ctx, s.space, job.Task{Kind: "test", Data: []byte(task), Gap: gap}, func() {
		did = true
		select {
		case <-s.release:
		case <-ctx.Done():
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && (did || result != nil):
		s.t.Errorf("task %s was done, but Share returned %v", task, err)
	case errors.Is(err, job.ErrLost):
		s.lost = append(s.lost, task)
	case err != nil:
		return err
	case did && result != nil || !did && string(result) != "did "+task:
		s.t.Errorf("task %s, done here: %t: result %q", task, did, result)
	case did:
		s.here = append(s.here, task)
	default:
		s.elsewhere = append(s.elsewhere, task)
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

// until waits until done returns true for the numbers of tasks.
func (s *sharing) until(what string, done func(here, elsewhere, lost int) bool) {
	s.t.Helper()
	deadline, tick := time.NewTimer(patience), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		s.mu.Lock()
		here, elsewhere, lost := len(s.here), len(s.elsewhere), len(s.lost)
		s.mu.Unlock()
		if done(here, elsewhere, lost) {
			return
		}
		select {
		case <-s.changed:
		case <-tick.C:
		case <-deadline.C:
			s.t.Fatalf("%s: %d tasks were done here, %d elsewhere, %d lost", what, here, elsewhere, lost)
		}
	}
}

func did(_ context.Context, _ *job.Job, task []byte) ([]byte, error) {
	return append([]byte("did "), task...), nil
}

// sharedAlone shares tasks when nobody helps.
func sharedAlone(t *testing.T, sh Shared) {
	s := newSharing(t, create(t, sh.Open(t), fresh("team", "crawl")))
	close(s.release)
	for i := range 20 {
		want(t, "Share", s.share(t.Context(), strconv.Itoa(i), 0), nil)
	}
	if len(s.here) != 20 {
		t.Errorf("%d of 20 tasks were done by the only process", len(s.here))
	}
}

// sharedHelped lets two processes help a third one. Each task is done once, and its
// result comes back to its caller.
func sharedHelped(t *testing.T, sh Shared) {
	a, b, c := sh.Open(t), sh.Open(t), sh.Open(t)
	j := fresh("team", "crawl")
	s := newSharing(t, create(t, a, j))
	var mu sync.Mutex
	done := map[string]int{}
	count := func(ctx context.Context, of *job.Job, task []byte) ([]byte, error) {
		if of.ID != j.ID || string(of.Spec) != string(j.Spec) {
			t.Errorf("a task is said to be of the job %+v, want %+v", of, j)
		}
		mu.Lock()
		done[string(task)]++
		mu.Unlock()
		return did(ctx, of, task)
	}
	help(t, b, 4, count)
	leave := help(t, c, 4, count)
	var all sync.WaitGroup
	var last atomic.Int64
	var enough atomic.Bool
	for range 32 {
		all.Go(func() {
			for !enough.Load() {
				want(t, "Share", s.share(t.Context(), strconv.FormatInt(last.Add(1), 10), 0), nil)
			}
		})
	}
	// Tasks that are done here wait. One after the other may end, so that another one
	// begins, because as long as no process has joined all are done here.
	s.until("with two others", func(_, elsewhere, _ int) bool {
		select {
		case s.release <- struct{}{}:
		default:
		}
		return elsewhere >= 50
	})
	enough.Store(true)
	leave()
	close(s.release)
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	for _, task := range s.here {
		done[task]++
	}
	if most := int(last.Load()); len(s.here)+len(s.elsewhere) != most || len(s.lost) > 0 || len(done) != most {
		t.Errorf("%d tasks here, %d elsewhere, %d lost, %d different ones; want %d", len(s.here), len(s.elsewhere), len(s.lost), len(done), most)
	}
	for task, n := range done {
		if n != 1 {
			t.Errorf("task %s was done %d times", task, n)
		}
	}
}

// busy shares tasks until a process has begun n of them, and returns when it has.
func busy(ctx context.Context, t *testing.T, s *sharing, gap time.Duration, all *sync.WaitGroup, begun <-chan string, n int) (tasks []string) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for i := 0; len(tasks) < n; i++ {
		task := strconv.Itoa(i)
		all.Go(func() { _ = s.share(ctx, task, gap) })
		tick := time.NewTimer(20 * time.Millisecond)
		select {
		case task := <-begun:
			tasks = append(tasks, task)
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("a process has begun %d tasks", len(tasks))
		}
		tick.Stop()
	}
	return tasks
}

// sharedLost lets a process die that does tasks. What it returns afterwards is
// not used.
func sharedLost(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	s := newSharing(t, create(t, a, fresh("team", "crawl")))
	begun, end := make(chan string, 1000), make(chan struct{})
	leave := help(t, b, 3, func(ctx context.Context, j *job.Job, task []byte) ([]byte, error) {
		begun <- string(task)
		<-end // also if the process is told that the task is not needed
		return did(ctx, j, task)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	tasks := busy(ctx, t, s, 0, &all, begun, 3)
	sh.Lapse(t, b)
	s.until("after the death of a process", func(_, _, lost int) bool { return lost >= 3 })
	close(end)
	leave()
	close(s.release)
	all.Wait()
	for _, task := range tasks {
		if !slices.Contains(s.lost, task) || slices.Contains(s.elsewhere, task) {
			t.Errorf("task %s of a dead process: lost %q, returned %q", task, s.lost, s.elsewhere)
		}
	}
}

// sharedGivenUp lets a process give up its tasks: by an error, and because it stops.
func sharedGivenUp(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	s := newSharing(t, create(t, a, fresh("team", "crawl")))
	begun := make(chan string, 1000)
	leave := help(t, b, 2, func(ctx context.Context, _ *job.Job, task []byte) ([]byte, error) {
		begun <- string(task)
		if len(begun)%2 == 0 {
			return nil, errors.New("no")
		}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	busy(ctx, t, s, 0, &all, begun, 2)
	leave()
	s.until("after a process has stopped", func(_, _, lost int) bool { return lost >= 2 })
	close(s.release)
	all.Wait()
	if len(s.elsewhere) > 0 {
		t.Errorf("tasks %q were given up and came back", s.elsewhere)
	}
}

// sharedTaken takes over a job whose tasks other processes still do. The new holder
// gets its frontier only when they have ended.
func sharedTaken(t *testing.T, sh Shared) {
	a, b, c := sh.Open(t), sh.Open(t), sh.Open(t)
	j := fresh("team", "crawl")
	s := newSharing(t, create(t, a, j))
	begun, told, end := make(chan string, 1000), make(chan struct{}, 1000), make(chan struct{})
	help(t, b, 2, func(ctx context.Context, j *job.Job, task []byte) ([]byte, error) {
		begun <- string(task)
		<-ctx.Done()
		told <- struct{}{}
		<-end
		return did(ctx, j, task)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	defer close(s.release)
	busy(ctx, t, s, time.Millisecond, &all, begun, 2)
	sh.Lapse(t, a)
	if ids := unfinished(t, c); !slices.Equal(ids, []string{j.ID}) {
		t.Fatalf("Unfinished: %q, want the job of the lapsed process", ids)
	}
	opened, taken := make(chan error, 1), spaceOf(t, c, j.ID)
	go func() {
		f, err := taken.Frontier(ctx, frontier.Options{URL: "http://a.test/"})
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for range 2 {
		select {
		case <-told:
		case err := <-opened:
			t.Fatalf("the frontier is open (%v) while a process works on tasks of the former holder", err)
		case <-deadline.C:
			t.Fatal("a process is not told that the job has another holder")
		}
	}
	close(end)
	want(t, "Frontier of the new holder", <-opened, nil)
	cancel()
	if len(s.elsewhere) > 0 {
		t.Errorf("the former holder got the results of %q", s.elsewhere)
	}
}
