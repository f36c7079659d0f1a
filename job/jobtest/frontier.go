// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/job"
)

// site is a crawl of the pages 0, 1, … of one host. Page i links to the pages
// 2i+1 and 2i+2 if they are below size. The number of a page determines its
// outcome.
type site struct {
	size int
}

func (s site) config() frontier.Options {
	return frontier.Options{URL: s.url(0), NoSitemaps: true}
}

func (s site) url(i int) string {
	if i == 0 {
		return "http://a.example/"
	}
	return fmt.Sprintf("http://a.example/%d", i)
}

func (s site) number(url string) (i int) {
	_, _ = fmt.Sscanf(url, "http://a.example/%d", &i)
	return i
}

// end returns how the lease ends: of four pages one fails and one is dropped.
// Every fifth page finds a URL that robots.txt disallows.
func (s site) end(l frontier.Lease) frontier.Commit {
	if l.Task == frontier.RobotsTask {
		return frontier.Commit{Lease: l, Outcome: frontier.Robots, Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)}}
	}
	i := s.number(l.URL)
	c := frontier.Commit{Lease: l, URL: l.URL, Payload: []byte(l.URL), Cost: i, Answer: pace.Good}
	switch i % 4 {
	case 1:
		c.Outcome = frontier.Failed
	case 3:
		c.Outcome, c.Rule = frontier.Dropped, scope.RuleCount-1
	}
	if i%5 == 0 {
		c.Blocked = []string{fmt.Sprintf("http://a.example/kept/%d", i), fmt.Sprintf("http://a.example/out/%d", i)}
	}
	for _, next := range []int{2*i + 1, 2*i + 2} {
		if next < s.size {
			c.Targets = append(c.Targets, frontier.Target{URL: s.url(next), Key: uint64(next), Depth: l.Depth + 1})
		}
	}
	return c
}

// record is the expected effect of commits on a job.
type record struct {
	mu    sync.Mutex
	items map[job.ItemKind][]string
	cost  int
	fault error // of a walk
}

func (r *record) add(c frontier.Commit) {
	switch c.Outcome {
	case frontier.Delivered:
		r.items[job.Result] = append(r.items[job.Result], string(c.Payload))
	case frontier.Failed:
		r.items[job.Failure] = append(r.items[job.Failure], string(c.Payload))
	}
	r.items[job.Blocked] = append(r.items[job.Blocked], c.Blocked...)
	r.cost += c.Cost
}

// walk leases and commits until the frontier is finished, and calls each before
// every commit.
func (s site) walk(ctx context.Context, f frontier.Frontier, r *record, each func()) error {
	for {
		leases, err := f.Lease(ctx, 3)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, l := range leases {
			if each != nil {
				each()
			}
			c := s.end(l)
			// Holding the lock around both keeps the record in the order of the
			// commits.
			r.mu.Lock()
			err := f.Commit(ctx, c)
			if err == nil {
				r.add(c)
			}
			r.mu.Unlock()
			if err != nil {
				return err
			}
		}
	}
}

// checkFrontier crawls with several workers while it reads, and compares what
// was committed with what is stored.
func checkFrontier(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "crawl"))
	web := site{size: 300}
	f, err := s.Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatalf("Frontier: %v", err)
	}
	defer f.Close()
	_, err = s.Frontier(t.Context(), web.config())
	want(t, "a second Frontier", err, job.ErrOpen)

	r := &record{items: map[job.ItemKind][]string{}}
	look := func() {
		stats, err := s.Stats(t.Context())
		if err != nil {
			t.Errorf("Stats: %v", err)
			return
		}
		if stats.Crawl.Delivered != stats.Items[job.Result] || stats.Crawl.Failed != stats.Items[job.Failure] || stats.Crawl.Blocked != stats.Items[job.Blocked] {
			t.Errorf("the frontier says %d delivered, %d failed, %d blocked, the items %v", stats.Crawl.Delivered, stats.Crawl.Failed, stats.Crawl.Blocked, stats.Items)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := web.walk(t.Context(), f, r, look); err != nil {
				t.Errorf("walk: %v", err)
			}
		})
	}
	wg.Wait()
	if len(r.items[job.Result]) == 0 || len(r.items[job.Failure]) == 0 || len(r.items[job.Blocked]) == 0 {
		t.Fatalf("the walk yields %d results, %d failures, %d blocked", len(r.items[job.Result]), len(r.items[job.Failure]), len(r.items[job.Blocked]))
	}
	if _, err := s.Stats(t.Context()); err != nil { // makes all counted commits visible
		t.Errorf("Stats: %v", err)
	}
	for _, kind := range kinds {
		checkPage(t, s, kind, 0, job.Unlimited, r.items[kind])
	}
	check := func(when string) {
		t.Helper()
		stats, err := s.Stats(t.Context())
		if err != nil || stats.Cost != r.cost || stats.Crawl.Delivered != len(r.items[job.Result]) || stats.Crawl.Pending != 0 {
			t.Errorf("Stats %s: %+v, %v; want %d credits and %d delivered", when, stats, err, r.cost, len(r.items[job.Result]))
		}
	}
	check("at the end of the walk")
	if err := s.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatal(err)
	}
	check("after the end of the job")
}

// checkFrontierEnded ends a job in the middle of its crawl.
func checkFrontierEnded(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "crawl"))
	web := site{size: 300}
	f, err := s.Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatalf("Frontier: %v", err)
	}
	defer f.Close()
	r := &record{items: map[job.ItemKind][]string{}}
	n := 0
	err = web.walk(t.Context(), f, r, func() {
		if n++; n == 50 {
			if err := s.End(t.Context(), job.Cancelled, ""); err != nil {
				t.Errorf("End: %v", err)
			}
		}
	})
	want(t, "a commit after the end", err, job.ErrEnded)
	for _, kind := range kinds {
		checkPage(t, s, kind, 0, job.Unlimited, r.items[kind])
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Crawl.Delivered != stats.Items[job.Result] || stats.Cost != r.cost {
		t.Errorf("Stats: %+v, %v; want %d credits", stats, err, r.cost)
	}
	_, err = s.Frontier(t.Context(), web.config())
	want(t, "Frontier after the end", err, job.ErrEnded)
}

// checkConsistent reads while other goroutines append. Figures and items must
// agree.
func checkConsistent(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "crawl"))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 100 {
				// Both or none: the two figures are always equal.
				err := s.Append(t.Context(), job.Item{Kind: job.Result, Data: []byte("a"), Cost: 2}, job.Item{Kind: job.Note, Data: []byte("b"), Cost: 1})
				if err != nil {
					t.Errorf("Append: %v", err)
					return
				}
			}
		})
	}
	for last := 0; last < 300; {
		before, err1 := s.Items(t.Context(), job.Result, 0, job.Unlimited)
		stats, err2 := s.Stats(t.Context())
		after, err3 := s.Items(t.Context(), job.Note, 0, job.Unlimited)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Error(err)
			break
		}
		n := stats.Items[job.Result]
		if n != stats.Items[job.Note] || stats.Cost != 3*n || len(before) > n || len(after) < n || n < last {
			t.Errorf("%d results, then %+v, then %d notes, after %d", len(before), stats, len(after), last)
			break
		}
		last = n
	}
	wg.Wait()
}
