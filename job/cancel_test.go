// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
)

// deepSite answers every page after a delay with links to two more pages.
type deepSite struct {
	latency time.Duration
	fetched atomic.Int64
}

func (d *deepSite) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, "/robots.txt") {
		return &fetch.Response{URL: r.URL, Status: http.StatusNotFound, Header: http.Header{}}, nil
	}
	d.fetched.Add(1)
	if err := wait(ctx, d.latency); err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(r.URL, "/")
	return &fetch.Response{
		URL: r.URL, Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/html"}},
		Body:   fmt.Appendf(nil, `<a href="%s/a%d">x</a><a href="%s/b%d">y</a>`, base, len(base), base, len(base)),
	}, nil
}

// crawlWork returns a work that crawls the site as the root package does.
func crawlWork(site fetch.Fetcher, concurrency int) job.Work {
	return pacedWork(site, concurrency, 0)
}

// pacedWork is crawlWork with a pause between two pages.
func pacedWork(site fetch.Fetcher, concurrency int, delay time.Duration) job.Work {
	e := crawl.Engine{Fetcher: site}
	return func(ctx context.Context, j *job.Job, s job.Space) error {
		c := crawl.Config{
			URL: string(j.Spec), Sitemap: crawl.SitemapSkip, Concurrency: concurrency, Delay: delay, Traps: crawl.Traps{Repeats: crawl.Unlimited},
			Visit: func(_ context.Context, p *crawl.Page) error {
				p.Payload, p.Cost = []byte(p.URL), 1
				return nil
			},
		}
		f, err := s.Frontier(ctx, c.FrontierOptions())
		if err != nil {
			return err
		}
		c.Frontier = f
		for _, err := range e.Run(ctx, c) {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// TestCancelCrawl checks that a cancelled crawl leases nothing more, commits
// the pages in progress, and only then appears as cancelled.
func TestCancelCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &deepSite{latency: 3 * time.Second}
		r := runner(t, crawlWork(site, 4))
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		// 1 page by 3 s, 2 by 6 s, 4 by 9 s: the next four are in progress at
		// 10 s.
		time.Sleep(10 * time.Second)
		synctest.Wait()
		before := len(results(t, r, j, job.Result))
		asked := site.fetched.Load()
		begin := time.Now()
		var wg sync.WaitGroup
		for range 3 { // several callers may cancel
			wg.Go(func() {
				if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
					t.Errorf("Cancel: %v", err)
				}
			})
		}
		synctest.Wait()
		if got := state(t, r, j); got != "running" {
			t.Errorf("%q while pages are in flight, want it running", got)
		}
		if err := r.Append(t.Context(), "team", j.ID, job.Item{Kind: job.Input}); !errors.Is(err, job.ErrEnded) {
			t.Errorf("Append: %v, want ErrEnded", err)
		}
		wg.Wait()
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("Cancel took %v, the pages in flight 2s", took)
		}
		if got := state(t, r, j); got != "cancelled" {
			t.Errorf("%q after Cancel", got)
		}
		if site.fetched.Load() != asked {
			t.Errorf("%d pages were asked for after Cancel", site.fetched.Load()-asked)
		}
		list := results(t, r, j, job.Result)
		if len(list) != before+4 || int64(len(list)) != asked {
			t.Errorf("%d results, before Cancel %d, and %d pages were asked for", len(list), before, asked)
		}
		_, stats, err := r.Get(t.Context(), "team", j.ID)
		if err != nil || stats.Items[job.Result] != len(list) || stats.Cost != len(list) || stats.Crawl.Delivered != len(list) {
			t.Errorf("%+v, %v; want %d results", stats, err, len(list))
		}
		if n := len(results(t, r, j, job.Failure)); n != 0 {
			t.Errorf("%d failures", n)
		}
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
			t.Errorf("Cancel again: %v", err)
		}
	})
}

// TestCancelCrawlGrace checks that pages that are not done after the grace
// period are dropped.
func TestCancelCrawlGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &deepSite{latency: 50 * time.Second}
		r := runner(t, crawlWork(site, 4))
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(60 * time.Second)
		begin := time.Now()
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
			t.Errorf("Cancel: %v", err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("Cancel took %v, want the grace of 10s", took)
		}
		time.Sleep(time.Hour)
		if got, n := state(t, r, j), len(results(t, r, j, job.Result)); got != "cancelled" || n != 1 {
			t.Errorf("%q with %d results, want it cancelled with 1", got, n)
		}
		if n := len(results(t, r, j, job.Failure)); n != 0 {
			t.Errorf("%d failures", n)
		}
	})
}

// TestCancelCrawlWaiting checks that a crawl that only waits for its next page
// is cancelled at once.
func TestCancelCrawlWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &deepSite{latency: time.Second}
		r := runner(t, pacedWork(site, 1, time.Minute))
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		begin := time.Now()
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil || time.Since(begin) != 0 {
			t.Errorf("Cancel: %v after %v, want it at once", err, time.Since(begin))
		}
		if got, n := state(t, r, j), len(results(t, r, j, job.Result)); got != "cancelled" || n != 1 {
			t.Errorf("%q with %d results, want it cancelled with 1", got, n)
		}
	})
}

// TestCrawlCompletes checks that items and figures agree while the crawl runs.
func TestCrawlCompletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &deepSite{latency: 100 * time.Millisecond}
		work := crawlWork(site, 8)
		r := runner(t, func(ctx context.Context, j *job.Job, s job.Space) error {
			return work(ctx, j, limited{s, 100})
		})
		j, err := r.Start(t.Context(), "w", "team", []byte("http://a.example/"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for it, err := range r.Watch(t.Context(), "team", j.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			_, stats, err := r.Get(t.Context(), "team", j.ID)
			if err != nil || stats.Items[job.Result] < n || stats.Crawl.Delivered != stats.Items[job.Result] || stats.Cost != stats.Items[job.Result] {
				t.Fatalf("%+v, %v at result %d (%s)", stats, err, n, it.Data)
			}
			if total := stats.Crawl.Total(100); total > 100 || total < n {
				t.Errorf("total %d at result %d", total, n)
			}
		}
		if n != 100 || state(t, r, j) != "completed" {
			t.Errorf("%d results, %s; want 100, completed", n, state(t, r, j))
		}
	})
}

// limited opens frontiers with a limit.
type limited struct {
	job.Space
	limit int
}

func (l limited) Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error) {
	o.Limit = l.limit
	return l.Space.Frontier(ctx, o)
}

// TestCancelWork checks that the ctx of a work without a frontier ends at once,
// and that the work may still append.
func TestCancelWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			err := wait(ctx, time.Hour)
			if !errors.Is(err, job.ErrCancelled) {
				t.Errorf("cause %v, want ErrCancelled", err)
			}
			last := context.WithoutCancel(ctx)
			_ = wait(last, 2*time.Second)
			return put(last, s, "last word")
		})
		j := start(t, r, "team")
		begin := time.Now()
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
			t.Errorf("Cancel: %v", err)
		}
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("Cancel took %v, the work 2s", took)
		}
		if got := results(t, r, j, job.Result); len(got) != 1 || state(t, r, j) != "cancelled" {
			t.Errorf("%q, %s", got, state(t, r, j))
		}
	})
}

// TestCancelDeafWork checks that a work that ignores its ctx delays no caller
// and adds nothing more.
func TestCancelDeafWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			deaf := context.WithoutCancel(ctx)
			_ = wait(deaf, time.Minute)
			late <- put(deaf, s, "late")
			return nil
		})
		r.Grace = 5 * time.Second
		j := start(t, r, "team")
		begin := time.Now()
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
			t.Errorf("Cancel: %v", err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("Cancel took %v, want the grace of 5s", took)
		}
		if err := <-late; !errors.Is(err, job.ErrEnded) {
			t.Errorf("a late append: %v, want ErrEnded", err)
		}
		synctest.Wait()
		if got := state(t, r, j); got != "cancelled" {
			t.Errorf("%q", got)
		}
	})
}

// TestCancelDraining checks that a work that calls Draining gets the grace
// period before its ctx ends.
func TestCancelDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			<-job.Draining(s)
			if err := wait(ctx, 3*time.Second); err != nil {
				return err
			}
			if err := put(ctx, s, "in hand"); err != nil {
				return err
			}
			return wait(ctx, time.Hour)
		})
		j := start(t, r, "team")
		synctest.Wait()
		begin := time.Now()
		if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
			t.Errorf("Cancel: %v", err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("Cancel took %v, want the grace of 10s", took)
		}
		if got := results(t, r, j, job.Result); len(got) != 1 {
			t.Errorf("results %q", got)
		}
	})
}

// TestCancelLeaves checks that a job is cancelled even if the caller of Cancel
// gives up.
func TestCancelLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, _ job.Space) error {
			_ = wait(context.WithoutCancel(ctx), 3*time.Second)
			return nil
		})
		j := start(t, r, "team")
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := r.Cancel(ctx, "team", j.ID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Cancel: %v, want ctx's error", err)
		}
		if got := state(t, r, j); got != "running" {
			t.Errorf("%q", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := state(t, r, j); got != "cancelled" {
			t.Errorf("%q", got)
		}
	})
}

// TestCancelRace checks that either Cancel or the work's own end wins, and that
// both report the same result.
func TestCancelRace(t *testing.T) {
	for range 200 {
		r := runner(t, func(context.Context, *job.Job, job.Space) error { return nil })
		j := start(t, r, "team")
		err := r.Cancel(t.Context(), "team", j.ID)
		got := state(t, r, j)
		if err == nil && got != "cancelled" || err != nil && (!errors.Is(err, job.ErrEnded) || got != "completed") {
			t.Errorf("Cancel: %v, and it is %q", err, got)
		}
	}
}

// TestShutdown checks that Shutdown stops the works and leaves the jobs
// running.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &deepSite{latency: 3 * time.Second}
		crawler := crawlWork(site, 4)
		r := runner(t, nil)
		r.Works = map[string]job.Work{
			"w":     crawler,
			"ready": func(context.Context, *job.Job, job.Space) error { return nil },
			"sly": func(ctx context.Context, _ *job.Job, _ job.Space) error {
				_ = wait(ctx, time.Hour)
				return nil // it was interrupted, but returns nil
			},
			"slow": func(ctx context.Context, _ *job.Job, _ job.Space) error {
				<-ctx.Done()
				_ = wait(context.WithoutCancel(ctx), time.Second)
				return context.Cause(ctx)
			},
		}
		var jobs []*job.Job
		for _, kind := range []string{"w", "ready", "sly", "slow"} {
			j, err := r.Start(t.Context(), kind, "team", []byte("http://a.example/"))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
		}
		time.Sleep(10 * time.Second)
		watched := make(chan error, 1)
		go func() {
			var last error
			for _, err := range r.Watch(t.Context(), "team", jobs[0].ID, 0) {
				last = err
			}
			watched <- last
		}()
		synctest.Wait()
		before := len(results(t, r, jobs[0], job.Result))

		ctx, stop := context.WithTimeout(t.Context(), time.Second/2)
		defer stop()
		if err := r.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v, want ctx's error", err)
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown again: %v", err)
		}
		if err := <-watched; !errors.Is(err, job.ErrShutdown) {
			t.Errorf("Watch: %v, want ErrShutdown", err)
		}
		for i, want := range []string{"running", "completed", "running", "running"} {
			if got := state(t, r, jobs[i]); got != want {
				t.Errorf("%s: %q, want %q", jobs[i].Kind, got, want)
			}
		}
		if got := len(results(t, r, jobs[0], job.Result)); got != before || got == 0 {
			t.Errorf("%d results, before Shutdown %d", got, before)
		}
		if _, err := r.Start(t.Context(), "w", "team", nil); !errors.Is(err, job.ErrShutdown) {
			t.Errorf("Start: %v, want ErrShutdown", err)
		}
		for _, err := range r.Watch(t.Context(), "team", jobs[1].ID, 0) {
			t.Errorf("Watch of an ended job: %v", err)
		}
		// The job does not run here, but can be cancelled.
		if err := r.Cancel(t.Context(), "team", jobs[2].ID); err != nil || state(t, r, jobs[2]) != "cancelled" {
			t.Errorf("Cancel: %v, %s", err, state(t, r, jobs[2]))
		}
	})
}

// TestShutdownAfterCancel checks that a shutdown ends the grace period of a
// cancelled job.
func TestShutdownAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, func(ctx context.Context, _ *job.Job, s job.Space) error {
			<-job.Draining(s)
			return wait(ctx, time.Hour)
		})
		j := start(t, r, "team")
		synctest.Wait()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := r.Cancel(t.Context(), "team", j.ID); err != nil {
				t.Errorf("Cancel: %v", err)
			}
		})
		time.Sleep(time.Second)
		begin := time.Now()
		if err := r.Shutdown(t.Context()); err != nil || time.Since(begin) != 0 {
			t.Errorf("Shutdown: %v after %v", err, time.Since(begin))
		}
		wg.Wait()
		if got := state(t, r, j); got != "cancelled" {
			t.Errorf("%q", got)
		}
	})
}
