// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
)

// CheckReopen tests that a durable store keeps its data across restarts. Each
// subtest calls open, which returns an empty store and a function that ends it,
// as abruptly as it likes, and opens it again. CheckReopen takes about a
// second.
func CheckReopen(t *testing.T, open func(t *testing.T) (st job.Store, again func(t *testing.T) job.Store)) {
	t.Helper()
	for _, part := range []struct {
		name  string
		check func(*testing.T, job.Store, func(*testing.T) job.Store)
	}{
		{"jobs", reopenJobs},
		{"items", reopenItems},
		{"expiry", reopenExpiry},
		{"crawl", reopenCrawl},
		{"crawl ended", reopenEnded},
	} {
		t.Run(part.name, func(t *testing.T) {
			st, again := open(t)
			part.check(t, st, again)
		})
	}
}

// reopenJobs ends some jobs, deletes some, and expects the others.
func reopenJobs(t *testing.T, st job.Store, again func(*testing.T) job.Store) {
	var kept []*job.Job
	for i := range 24 {
		j := fresh([]string{"team", "other"}[i%2], []string{"crawl", "parse"}[i%3%2])
		j.Spec = []byte(strings.Repeat(fmt.Sprint("spec ", i, "\x00\xff"), i*50))
		j.Volatile = i%6 == 5
		s := create(t, st, j)
		if i%4 > 0 && i%4 < 3 {
			j.State, j.Err = []job.State{job.Completed, job.Failed, job.Cancelled}[i%3], fmt.Sprint("why ", i)
			want(t, "End", s.End(t.Context(), j.State, j.Err), nil)
		}
		if i%8 == 7 {
			want(t, "Delete", st.Delete(t.Context(), j.ID), nil)
		} else if !j.Volatile {
			kept = append(kept, j)
		}
	}
	for range 2 {
		st = again(t)
		var running []string
		for _, j := range kept {
			got, err := st.Load(t.Context(), j.Owner, j.ID)
			if err != nil {
				t.Errorf("Load: %v", err)
				continue
			}
			same(t, got, j)
			if j.State == job.Running {
				running = append(running, j.ID)
			}
			_, err = st.Load(t.Context(), "stranger", j.ID)
			want(t, "Load by a stranger", err, job.ErrNotFound)
			want(t, "Create of an id in use", st.Create(t.Context(), fresh2(j.ID)), job.ErrExists)
		}
		n := 0
		for _, owner := range []string{"team", "other"} {
			list, err := st.List(t.Context(), owner, job.Filter{})
			want(t, "List", err, nil)
			n += len(list)
		}
		if n != len(kept) {
			t.Errorf("%d jobs are left of %d", n, len(kept))
		}
		checkUnfinished(t, st, running)
	}
	for _, j := range kept {
		want(t, "Delete", st.Delete(t.Context(), j.ID), nil)
	}
	st = again(t)
	for _, owner := range []string{"team", "other"} {
		if list, err := st.List(t.Context(), owner, job.Filter{}); err != nil || len(list) > 0 {
			t.Errorf("deleted jobs are back: %v, %v", list, err)
		}
	}
}

// fresh2 returns another new job with the given id.
func fresh2(id string) *job.Job {
	j := fresh("team", "crawl")
	j.ID = id
	return j
}

// checkUnfinished compares the result of a Resumer with the ids w.
func checkUnfinished(t *testing.T, st job.Store, w []string) {
	t.Helper()
	r, ok := st.(job.Resumer)
	if !ok {
		t.Errorf("a durable store is no Resumer")
		return
	}
	jobs, err := r.Unfinished(t.Context())
	want(t, "Unfinished", err, nil)
	var got []string
	for _, j := range jobs {
		got = append(got, j.ID)
	}
	if slices.Sort(w); !slices.Equal(got, w) {
		t.Errorf("Unfinished: %q, want %q", got, w)
	}
}

// reopenItems appends before and after a restart, to a running job and to one
// that has ended.
func reopenItems(t *testing.T, st job.Store, again func(*testing.T) job.Store) {
	running, ended := fresh("team", "batch"), fresh("team", "batch")
	all := map[string]*record{}
	for _, j := range []*job.Job{running, ended} {
		create(t, st, j)
		all[j.ID] = &record{items: map[job.ItemKind][]string{}}
	}
	settled := 0
	appendTo := func(st job.Store, j *job.Job, n int) {
		s, err := st.Space(t.Context(), j.ID)
		want(t, "Space", err, nil)
		r := all[j.ID]
		for i := range n {
			var items []job.Item
			for k := range i % 5 {
				it := job.Item{Kind: kinds[(i+k)%len(kinds)], Data: []byte(strings.Repeat(fmt.Sprint(i, ".", k, "\x00"), k*40)), Cost: i - k}
				if it.Kind == job.Result && j == running {
					settled++
					it.Input = settled
				}
				items = append(items, it)
				r.items[it.Kind] = append(r.items[it.Kind], string(it.Data))
				r.cost += it.Cost
			}
			want(t, "Append", s.Append(t.Context(), items...), nil)
		}
	}
	appendTo(st, running, 30)
	appendTo(st, ended, 20)
	s, err := st.Space(t.Context(), ended.ID)
	want(t, "Space", err, nil)
	want(t, "End", s.End(t.Context(), job.Completed, ""), nil)
	for range 3 {
		st = again(t)
		for _, j := range []*job.Job{running, ended} {
			s, err := st.Space(t.Context(), j.ID)
			if err != nil {
				t.Fatal(err)
			}
			checkRecord(t, s, all[j.ID])
		}
		s, err := st.Space(t.Context(), running.ID)
		want(t, "Space", err, nil)
		done, err := job.Settled(t.Context(), s)
		want(t, "Settled", err, nil)
		for n := range settled + 3 {
			if done(n) != (n > 0 && n <= settled) {
				t.Errorf("input %d is settled: %v, of %d", n, done(n), settled)
			}
		}
		appendTo(st, running, 7)
	}
	want(t, "Append to an ended job", func() error {
		s, err := st.Space(t.Context(), ended.ID)
		want(t, "Space", err, nil)
		return s.Append(t.Context(), job.Item{Data: []byte("late")})
	}(), job.ErrEnded)
}

// checkRecord compares all items and figures of s with r.
func checkRecord(t *testing.T, s job.Space, r *record) {
	t.Helper()
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Cost != r.cost {
		t.Errorf("Stats: %+v, %v; want %d credits", stats, err, r.cost)
	}
	for _, kind := range kinds {
		if stats.Items[kind] != len(r.items[kind]) {
			t.Errorf("Stats has %d items of kind %d, want %d", stats.Items[kind], kind, len(r.items[kind]))
		}
		checkPage(t, s, kind, 0, job.Unlimited, r.items[kind])
		checkPage(t, s, kind, len(r.items[kind])/2, 3, r.items[kind][len(r.items[kind])/2:min(len(r.items[kind]), len(r.items[kind])/2+3)])
	}
}

// reopenExpiry lets one job expire while the store is open, and one while it is
// closed.
func reopenExpiry(t *testing.T, st job.Store, again func(*testing.T) job.Store) {
	for _, keep := range []time.Duration{time.Millisecond, 100 * time.Millisecond, time.Hour} {
		j := fresh("team", "crawl")
		j.Keep = keep
		want(t, "End", create(t, st, j).End(t.Context(), job.Completed, ""), nil)
	}
	st = again(t)
	timer := time.NewTimer(150 * time.Millisecond)
	defer timer.Stop()
	<-timer.C
	for range 2 {
		list, err := st.List(t.Context(), "team", job.Filter{})
		if err != nil || len(list) != 1 || list[0].Keep != time.Hour {
			t.Errorf("List: %v, %v; want the job that lives on", list, err)
		}
		st = again(t)
	}
}

// walkers runs n walks of f and returns when they have ended.
func (s site) walkers(t *testing.T, f frontier.Frontier, r *record, n int, each func()) {
	t.Helper()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if err := s.walk(t.Context(), f, r, each); err != nil && t.Context().Err() == nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.fault = err
			}
		})
	}
	wg.Wait()
}

// reopenCrawl restarts a crawl every few commits. The pages must be those of an
// undisturbed crawl, without duplicates.
func reopenCrawl(t *testing.T, st job.Store, again func(*testing.T) job.Store) {
	web := site{size: 200}
	plain, j := fresh("team", "crawl"), fresh("team", "crawl")
	truth := &record{items: map[job.ItemKind][]string{}}
	s := create(t, st, plain)
	f, err := s.Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatal(err)
	}
	web.walkers(t, f, truth, 4, nil)
	f.Close()

	create(t, st, j)
	r := &record{items: map[job.ItemKind][]string{}}
	for round := 0; ; round++ {
		if s, err = st.Space(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		checkRecord(t, s, r)
		f, err := s.Frontier(t.Context(), web.config())
		if err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || stats.Crawl.Delivered != len(r.items[job.Result]) || stats.Crawl.Failed != len(r.items[job.Failure]) || stats.Crawl.Leased != 0 {
			t.Errorf("round %d: %+v, %v; want %d delivered", round, stats, err, len(r.items[job.Result]))
		}
		ctx, stop := context.WithCancel(t.Context())
		left := 1 + round*3 // commits until the restart
		err = web.walk(ctx, f, r, func() {
			if left--; left == 0 {
				stop()
			}
		})
		stop()
		if err == nil { // the crawl is complete
			f.Close()
			break
		}
		if round%2 == 0 { // otherwise the frontier stays open when the store ends
			f.Close()
		}
		st = again(t)
	}
	st = again(t)
	if s, err = st.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	checkRecord(t, s, r)
	for _, kind := range kinds {
		got, w := slices.Sorted(slices.Values(r.items[kind])), slices.Sorted(slices.Values(truth.items[kind]))
		if !slices.Equal(got, w) {
			t.Errorf("%d items of kind %d, want %d: %q, want %q", len(got), kind, len(w), got, w)
		}
	}
	checkUnfinished(t, st, []string{plain.ID, j.ID})
}

// reopenEnded ends a job in the middle of its crawl. Its figures must stay.
func reopenEnded(t *testing.T, st job.Store, again func(*testing.T) job.Store) {
	web := site{size: 200}
	j := fresh("team", "crawl")
	s := create(t, st, j)
	f, err := s.Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatal(err)
	}
	r := &record{items: map[job.ItemKind][]string{}}
	n := 0
	_ = web.walk(t.Context(), f, r, func() {
		if n++; n == 50 {
			want(t, "End", s.End(t.Context(), job.Cancelled, ""), nil)
		}
	})
	f.Close()
	w, err := s.Stats(t.Context())
	want(t, "Stats", err, nil)
	st = again(t)
	if s, err = st.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	got, err := s.Stats(t.Context())
	got.Crawl.Waits, w.Crawl.Waits = nil, nil // belong to one process
	if err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("Stats after the restart: %+v, %v; want %+v", got, err, w)
	}
	checkRecord(t, s, r)
	_, err = s.Frontier(t.Context(), web.config())
	want(t, "Frontier after the end", err, job.ErrEnded)
	checkUnfinished(t, st, nil)
}
