// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/test/journaltest"
	"example.com/curlew/job"
)

// batch is a work that yields one result for each input. Every second Input is
// appended by another goroutine while it runs. It waits before each.
func batch(inputs int, pause time.Duration, begun *sync.Map) job.Work {
	return func(ctx context.Context, j *job.Job, s job.Space) error {
		done, err := job.Settled(ctx, s)
		if err != nil {
			return err
		}
		for n := 1; ; n++ {
			if n > inputs {
				more, err := s.Items(ctx, job.Input, n-inputs-1, 1)
				if err != nil {
					return err
				}
				if len(more) == 0 {
					sealed, err := job.Seal(ctx, s, n-inputs-1)
					if sealed || err != nil {
						return err
					}
					n--
					continue
				}
			}
			if done(n) {
				continue
			}
			if _, twice := begun.LoadOrStore(fmt.Sprint(j.ID, n, time.Now().UnixNano()), n); twice {
				return fmt.Errorf("input %d twice", n)
			}
			if err := wait(ctx, pause); err != nil {
				return err
			}
			it := job.Item{Kind: []job.ItemKind{job.Result, job.Failure}[n%2], Data: fmt.Append(nil, n), Cost: 1, Input: n}
			if err := s.Append(ctx, it); err != nil {
				return err
			}
		}
	}
}

// TestResume kills a process repeatedly while it works on a crawl and a batch.
// The next process must continue both.
func TestResume(t *testing.T) {
	d := new(journaltest.FS)
	var begun sync.Map
	site := &deepSite{latency: 2 * time.Millisecond}
	works := map[string]job.Work{"batch": batch(40, time.Millisecond, &begun)}
	work := crawlWork(site, 4)
	works["crawl"] = func(ctx context.Context, j *job.Job, s job.Space) error { return work(ctx, j, limited{s, 100}) }
	var jobs []*job.Job
	for round := 0; ; round++ {
		files, err := job.OpenDisk(d)
		if err != nil {
			t.Fatal(err)
		}
		r := &job.Runner{Store: files, Works: works}
		if round == 0 {
			for _, kind := range []string{"batch", "crawl"} {
				j, err := r.Start(t.Context(), kind, "team", []byte("http://a.example/"))
				if err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, j)
			}
			for n := range 10 {
				if err := r.Append(t.Context(), "team", jobs[0].ID, job.Item{Kind: job.Input, Data: []byte{byte(n)}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // jobs that already run here are not resumed again
			if err := r.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		over := true
		if round < 8 {
			timer := time.NewTimer(time.Duration(10+5*round) * time.Millisecond)
			<-timer.C
		}
		for _, j := range jobs {
			if round >= 8 {
				for _, err := range r.Watch(t.Context(), "team", j.ID, 0) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			over = over && state(t, r, j) == "completed"
		}
		if over {
			check := func(kind job.ItemKind, j *job.Job) []string {
				list := results(t, r, j, kind)
				slices.Sort(list)
				return list
			}
			all := append(check(job.Result, jobs[0]), check(job.Failure, jobs[0])...)
			if slices.Sort(all); len(all) != 50 || len(slices.Compact(all)) != 50 {
				t.Errorf("the batch yields %q, want 50 different", all)
			}
			if pages := check(job.Result, jobs[1]); len(pages) != 100 || len(slices.Compact(pages)) != 100 {
				t.Errorf("the crawl yields %q, want 100 different", pages)
			}
			for i, cost := range []int{50, 100} {
				if _, stats, err := r.Get(t.Context(), "team", jobs[i].ID); err != nil || stats.Cost != cost {
					t.Errorf("%s: %+v, %v; want %d credits", jobs[i].Kind, stats, err, cost)
				}
			}
		}
		d = d.Clone() // like kill -9
		if err := r.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		files.Close()
		if over {
			break
		}
	}
}

// TestResumeFaults checks that an error names the jobs that cannot be resumed,
// and that the others continue.
func TestResumeFaults(t *testing.T) {
	d := new(journaltest.FS)
	files := openDisk(t, d)
	known, _ := newJob(t, files, func(j *job.Job) { j.Kind = "known" })
	unknown, _ := newJob(t, files, func(j *job.Job) { j.Kind = "unknown" })
	r := &job.Runner{Store: files, Works: map[string]job.Work{"known": func(context.Context, *job.Job, job.Space) error { return nil }}}
	if err := r.Resume(t.Context()); !errors.Is(err, job.ErrKind) {
		t.Errorf("Resume: %v, want ErrKind", err)
	}
	for _, err := range r.Watch(t.Context(), "team", known.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := state(t, r, known); got != "completed" {
		t.Errorf("%q", got)
	}
	if got := state(t, r, unknown); got != "running" {
		t.Errorf("%q", got)
	}
	// The job does not run, but can be cancelled.
	if err := r.Cancel(t.Context(), "team", unknown.ID); err != nil || state(t, r, unknown) != "cancelled" {
		t.Errorf("Cancel: %v, %s", err, state(t, r, unknown))
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	newJob(t, files, func(j *job.Job) { j.Kind = "known" })
	if err := r.Resume(t.Context()); !errors.Is(err, job.ErrShutdown) {
		t.Errorf("Resume after Shutdown: %v, want ErrShutdown", err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := new(job.Runner).Resume(t.Context()); err != nil {
		t.Errorf("Resume over memory: %v", err)
	}
}
