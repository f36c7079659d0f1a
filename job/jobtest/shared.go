// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
)

// Shared is a store that several processes share, for [CheckShared]. All fields
// are required.
type Shared struct {
	// Open returns the store as one more process sees it, and closes it at the
	// end of t.
	Open func(t *testing.T) job.Store

	// Close ends a process properly.
	Close func(t *testing.T, st job.Store)

	// Lapse makes the other processes take a process for dead, although it is
	// only slow and will try to go on.
	Lapse func(t *testing.T, st job.Store)
}

// CheckShared tests what processes that share a durable store can do to each
// other. Each subtest calls open, which returns an empty store. CheckShared takes
// about a second.
func CheckShared(t *testing.T, open func(t *testing.T) Shared) {
	t.Helper()
	for _, part := range []struct {
		name  string
		check func(*testing.T, Shared)
	}{
		{"read", sharedRead},
		{"told", sharedTold},
		{"held", sharedHeld},
		{"cancelled", sharedCancelled},
		{"closed", sharedClosed},
		{"lapsed", sharedLapsed},
		{"divided", sharedDivided},
		{"crawl", sharedCrawl},
		{"keyed", sharedKeyed},
		{"alone", sharedAlone},
		{"helped", sharedHelped},
		{"lost", sharedLost},
		{"given up", sharedGivenUp},
		{"taken over", sharedTaken},
		{"slots", sharedSlots},
		{"slots passed", sharedSlotsPassed},
		{"slots turns", sharedSlotsTurns},
		{"slots dead", sharedSlotsDead},
		{"slots left", sharedSlotsLeft},
	} {
		t.Run(part.name, func(t *testing.T) { part.check(t, open(t)) })
	}
}

// spaceOf opens the space of a job.
func spaceOf(t *testing.T, st job.Store, id string) job.Space {
	t.Helper()
	s, err := st.Space(t.Context(), id)
	if err != nil {
		t.Fatalf("Space: %v", err)
	}
	return s
}

// unfinished returns the IDs of the jobs that a process works on or takes over.
func unfinished(t *testing.T, st job.Store) []string {
	t.Helper()
	r, ok := st.(job.Resumer)
	if !ok {
		t.Fatal("a shared store is no Resumer")
	}
	jobs, err := r.Unfinished(t.Context())
	if err != nil {
		t.Fatalf("Unfinished: %v", err)
	}
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// sharedRead reads a job of another process.
func sharedRead(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "crawl")
	s := create(t, a, j)
	r := &record{items: map[job.ItemKind][]string{}}
	for i := range 20 {
		it := job.Item{Kind: kinds[i%len(kinds)], Data: fmt.Append(nil, "item ", i), Cost: i}
		want(t, "Append", s.Append(t.Context(), it), nil)
		r.items[it.Kind] = append(r.items[it.Kind], string(it.Data))
		r.cost += i
		checkRecord(t, spaceOf(t, b, j.ID), r)
	}
	want(t, "Create of an id in use", b.Create(t.Context(), fresh2(j.ID)), job.ErrExists)
	want(t, "End", s.End(t.Context(), job.Failed, "why"), nil)
	j.State, j.Err = job.Failed, "why"
	got, err := b.Load(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	same(t, got, j)
	want(t, "Delete", b.Delete(t.Context(), j.ID), nil)
	_, err = a.Load(t.Context(), "team", j.ID)
	want(t, "Load of a job that another process has deleted", err, job.ErrNotFound)
	_, err = s.Items(t.Context(), job.Result, 0, 1)
	want(t, "Items of a job that another process has deleted", err, job.ErrNotFound)
}

// sharedTold expects that a space tells of changes by another process.
func sharedTold(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "crawl")
	s := create(t, a, j)
	n, ok := spaceOf(t, b, j.ID).(job.Notifier)
	if !ok {
		t.Skip("no Notifier")
	}
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for changed, told := n.Changed(), false; !told; {
		// A process may begin to listen a moment after it was opened.
		want(t, "Append", s.Append(t.Context(), job.Item{Data: []byte("x")}), nil)
		tick := time.NewTimer(50 * time.Millisecond)
		select {
		case <-changed:
			told = true
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("a change by another process is not told")
		}
		tick.Stop()
	}
}

// sharedHeld tries to write to a job that another process works on.
func sharedHeld(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "batch")
	s, other := create(t, a, j), spaceOf(t, b, j.ID)
	want(t, "Append by another process", other.Append(t.Context(), job.Item{Data: []byte("x")}), job.ErrElsewhere)
	_, err := other.Frontier(t.Context(), site{}.config())
	want(t, "Frontier by another process", err, job.ErrElsewhere)
	for _, state := range []job.State{job.Completed, job.Failed} {
		want(t, "End by another process", other.End(t.Context(), state, ""), job.ErrElsewhere)
	}
	if ids := unfinished(t, b); len(ids) > 0 {
		t.Errorf("another process takes over the jobs %q of one that lives", ids)
	}

	// Inputs of a batch come from any process.
	var wg sync.WaitGroup
	for _, s := range []job.Space{s, other} {
		wg.Go(func() {
			for i := range 25 {
				want(t, "Append of an input", s.Append(t.Context(), job.Item{Kind: job.Input, Data: []byte("in")}), nil)
				if s != other {
					want(t, "Append", s.Append(t.Context(), job.Item{Data: []byte("out"), Input: i + 1, Cost: 1}), nil)
				}
			}
		})
	}
	wg.Wait()
	stats, err := other.Stats(t.Context())
	if err != nil || stats.Items[job.Input] != 50 || stats.Items[job.Result] != 25 || stats.Cost != 25 {
		t.Errorf("Stats: %+v, %v; want 50 inputs, 25 results, 25 credits", stats, err)
	}
	if items, err := s.Items(t.Context(), job.Input, 0, job.Unlimited); err != nil || len(items) != 50 {
		t.Errorf("%d inputs, %v", len(items), err)
	}
}

// sharedCancelled cancels a job from another process.
func sharedCancelled(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "crawl")
	s := create(t, a, j)
	web := site{size: 100}
	f, err := s.Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want(t, "End by another process", spaceOf(t, b, j.ID).End(t.Context(), job.Cancelled, ""), nil)
	want(t, "a second End", s.End(t.Context(), job.Completed, ""), job.ErrEnded)
	want(t, "Append", s.Append(t.Context(), job.Item{}), job.ErrEnded)
	err = web.walk(t.Context(), f, &record{items: map[job.ItemKind][]string{}}, nil)
	if err == nil {
		t.Error("a crawl goes on to its end after another process has cancelled it")
	}
	if got, err := a.Load(t.Context(), "team", j.ID); err != nil || got.State != job.Cancelled {
		t.Errorf("the job is %+v, %v", got, err)
	}
}

// sharedClosed ends a process properly. Another one continues its jobs at once.
func sharedClosed(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "batch")
	s := create(t, a, j)
	want(t, "Append", s.Append(t.Context(), job.Item{Data: []byte("x"), Cost: 3}), nil)
	sh.Close(t, a)
	want(t, "Append after Close", s.Append(t.Context(), job.Item{}), job.ErrClosed)
	if ids := unfinished(t, b); !slices.Equal(ids, []string{j.ID}) {
		t.Fatalf("Unfinished: %q, want the job of the closed process", ids)
	}
	s = spaceOf(t, b, j.ID)
	checkRecord(t, s, &record{items: map[job.ItemKind][]string{job.Result: {"x"}}, cost: 3})
	want(t, "End", s.End(t.Context(), job.Completed, ""), nil)
}

// sharedLapsed takes over a job from a process that is only slow. What that
// writes afterwards changes nothing.
func sharedLapsed(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	j := fresh("team", "batch")
	s := create(t, a, j)
	want(t, "Append", s.Append(t.Context(), job.Item{Data: []byte("first"), Input: 1}), nil)
	sh.Lapse(t, a)
	if ids := unfinished(t, b); !slices.Equal(ids, []string{j.ID}) {
		t.Fatalf("Unfinished: %q, want the job of the lapsed process", ids)
	}
	other := spaceOf(t, b, j.ID)
	want(t, "Append", other.Append(t.Context(), job.Item{Data: []byte("second"), Input: 2}), nil)
	for range 3 {
		want(t, "a late Append", s.Append(t.Context(), job.Item{Data: []byte("late"), Input: 2}), job.ErrElsewhere)
		want(t, "a late End", s.End(t.Context(), job.Failed, "late"), job.ErrElsewhere)
	}
	_, err := s.Frontier(t.Context(), site{}.config())
	want(t, "a late Frontier", err, job.ErrElsewhere)
	r := &record{items: map[job.ItemKind][]string{job.Result: {"first", "second"}}}
	checkRecord(t, s, r)

	// The lapsed process may get the job back, but only by taking it over again.
	sh.Lapse(t, b)
	if ids := unfinished(t, a); !slices.Equal(ids, []string{j.ID}) {
		t.Fatalf("Unfinished: %q, want the job", ids)
	}
	want(t, "an Append to the lost space", s.Append(t.Context(), job.Item{Data: []byte("late")}), job.ErrElsewhere)
	want(t, "Append", spaceOf(t, a, j.ID).Append(t.Context(), job.Item{Data: []byte("third")}), nil)
	want(t, "a late Append", other.Append(t.Context(), job.Item{Data: []byte("late")}), job.ErrElsewhere)
	r.items[job.Result] = append(r.items[job.Result], "third")
	checkRecord(t, other, r)
}

// sharedDivided divides the jobs of a closed process among others, which ask at
// the same time.
func sharedDivided(t *testing.T, sh Shared) {
	a := sh.Open(t)
	var all []string
	for range 40 {
		j := fresh("team", "crawl")
		create(t, a, j)
		all = append(all, j.ID)
	}
	others := []job.Store{sh.Open(t), sh.Open(t), sh.Open(t)}
	sh.Close(t, a)
	got := make([][]string, len(others))
	var wg sync.WaitGroup
	for i, st := range others {
		wg.Go(func() { got[i] = unfinished(t, st) })
	}
	wg.Wait()
	union := slices.Sorted(slices.Values(slices.Concat(got...)))
	if slices.Sort(all); !slices.Equal(union, all) {
		t.Errorf("the processes took %d, %d and %d jobs; want each of %d once", len(got[0]), len(got[1]), len(got[2]), len(all))
	}
}

// sharedCrawl passes a crawl from process to process every few commits, while
// the earlier ones go on. The pages must be those of an undisturbed crawl,
// without duplicates.
func sharedCrawl(t *testing.T, sh Shared) {
	web := site{size: 150}
	st := sh.Open(t)
	truth := &record{items: map[job.ItemKind][]string{}}
	f, err := create(t, st, fresh("team", "crawl")).Frontier(t.Context(), web.config())
	if err != nil {
		t.Fatal(err)
	}
	web.walkers(t, f, truth, 4, nil)
	f.Close()

	j := fresh("team", "crawl")
	create(t, st, j)
	var late sync.WaitGroup
	defer late.Wait()
	for round := 0; ; round++ {
		f, err := spaceOf(t, st, j.ID).Frontier(t.Context(), web.config())
		if err != nil {
			t.Fatalf("round %d: Frontier: %v", round, err)
		}
		defer f.Close()
		left := 5 + 5*round // commits until another process takes over
		stop := errors.New("enough")
		err = web.steps(t.Context(), f, func() error {
			if left--; left < 0 {
				return stop
			}
			return nil
		})
		if err == nil {
			break
		}
		if !errors.Is(err, stop) {
			t.Fatalf("round %d: %v", round, err)
		}
		sh.Lapse(t, st)
		slow := f
		st = sh.Open(t)
		if ids := unfinished(t, st); !slices.Contains(ids, j.ID) {
			t.Fatalf("round %d: Unfinished: %q, want the crawl", round, ids)
		}
		late.Go(func() { // the slow process goes on until it is refused
			if err := web.steps(t.Context(), slow, nil); err == nil {
				t.Error("a process that has lost a crawl finishes it")
			}
		})
	}
	late.Wait()
	s := spaceOf(t, st, j.ID)
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Cost != truth.cost {
		t.Errorf("Stats: %+v, %v; want %d credits", stats, err, truth.cost)
	}
	for _, kind := range kinds {
		items, err := s.Items(t.Context(), kind, 0, job.Unlimited)
		want(t, "Items", err, nil)
		var got []string
		for _, it := range items {
			got = append(got, string(it.Data))
		}
		w := slices.Sorted(slices.Values(truth.items[kind]))
		if slices.Sort(got); !slices.Equal(got, w) {
			t.Errorf("%d items of kind %d, want %d", len(got), kind, len(w))
		}
	}
}

// steps leases and commits one task after the other until the frontier is
// finished, and calls each before every commit.
func (s site) steps(ctx context.Context, f frontier.Frontier, each func() error) error {
	for {
		leases, err := f.Lease(ctx, 1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(); err != nil {
				return err
			}
		}
		if err := f.Commit(ctx, s.end(leases[0])); err != nil {
			return err
		}
	}
}
