// SPDX-License-Identifier: Apache-2.0

// Package jobtest tests implementations of job.Store.
package jobtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/job"
)

// kinds are all kinds of items.
var kinds = [...]job.ItemKind{job.Result, job.Failure, job.Blocked, job.Note, job.Input, job.Robots, job.Event, job.File, job.Exchange}

// Check tests that the stores that open returns fulfill the contracts of
// [job.Store] and [job.Space]. Each subtest calls open once. The store must be
// empty, and open closes it by t.Cleanup. Check takes about a second.
func Check(t *testing.T, open func(t *testing.T) job.Store) {
	t.Helper()
	for _, part := range []struct {
		name  string
		check func(*testing.T, job.Store)
	}{
		{"create", checkCreate},
		{"invalid", checkInvalid},
		{"foreign", checkForeign},
		{"list", checkList},
		{"items", checkItems},
		{"bytes", checkBytes},
		{"inputs", checkInputs},
		{"volatile", checkVolatile},
		{"end", checkEnd},
		{"race", checkRace},
		{"expiry", checkExpiry},
		{"delete", checkDelete},
		{"ctx", checkCtx},
		{"changed", checkChanged},
		{"frontier", checkFrontier},
		{"frontier ended", checkFrontierEnded},
		{"consistent", checkConsistent},
		{"random", checkRandom},
	} {
		t.Run(part.name, func(t *testing.T) { part.check(t, open(t)) })
	}
}

// fresh returns a new job that can be created.
func fresh(owner, kind string) *job.Job {
	return &job.Job{ID: job.NewID(), Kind: kind, Owner: owner, Spec: []byte("spec of " + kind), State: job.Running, Keep: time.Hour, Created: time.Now()}
}

// create creates a job and opens its space.
func create(t *testing.T, st job.Store, j *job.Job) job.Space {
	t.Helper()
	if err := st.Create(t.Context(), j); err != nil {
		t.Fatalf("Create: %v", err)
	}
	s, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatalf("Space: %v", err)
	}
	return s
}

// want fails t unless err wraps target. A nil target means no error.
func want(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: error %v, want %v", what, err, target)
	}
}

// same fails t unless got equals w.
func same(t *testing.T, got, w *job.Job) {
	t.Helper()
	const micro = time.Microsecond // the resolution of times in databases
	if got.ID != w.ID || got.Kind != w.Kind || got.Owner != w.Owner || string(got.Spec) != string(w.Spec) ||
		got.State != w.State || got.Err != w.Err || got.Keep != w.Keep ||
		!got.Created.Truncate(micro).Equal(w.Created.Truncate(micro)) {
		t.Errorf("job %+v, want %+v", got, w)
	}
	if got.State.Final() == got.Ended.IsZero() || got.State.Final() == got.Expires.IsZero() {
		t.Errorf("a job in state %s ended at %v and expires at %v", got.State, got.Ended, got.Expires)
	}
}

func checkCreate(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	create(t, st, j)
	got, err := st.Load(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	same(t, got, j)

	j.Kind, j.Spec[0] = "changed", 'X'
	got.State, got.Err = job.Failed, "changed"
	again, err := st.Load(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	if again.Kind != "crawl" || string(again.Spec) != "spec of crawl" || again.State != job.Running {
		t.Errorf("the store has kept what was passed in or out: %+v", again)
	}

	second := fresh("other", "parse")
	second.ID = j.ID
	want(t, "Create of an id in use", st.Create(t.Context(), second), job.ErrExists)
	if got, err := st.Load(t.Context(), "team", j.ID); err != nil || got.Kind != "crawl" {
		t.Errorf("after it: %+v, %v", got, err)
	}
}

func checkInvalid(t *testing.T, st job.Store) {
	for what, change := range map[string]func(*job.Job){
		"no id":        func(j *job.Job) { j.ID = "" },
		"a path":       func(j *job.Job) { j.ID = "../../../../../../../../../etc/passwd" },
		"another UUID": func(j *job.Job) { j.ID = "5df41881-3aed-4515-88a7-2f4a814cf09e" },
		"upper case":   func(j *job.Job) { j.ID = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F" },
		"ended":        func(j *job.Job) { j.State = job.Completed },
		"no state":     func(j *job.Job) { j.State = "" },
		"an error":     func(j *job.Job) { j.Err = "why" },
		"an end":       func(j *job.Job) { j.Ended = time.Now() },
		"an expiry":    func(j *job.Job) { j.Expires = time.Now() },
		"keep below 0": func(j *job.Job) { j.Keep = -1 },
	} {
		j := fresh("team", "crawl")
		change(j)
		want(t, "Create with "+what, st.Create(t.Context(), j), job.ErrInvalid)
	}
	if list, err := st.List(t.Context(), "team", job.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("List: %v, %v; want none", list, err)
	}
}

func checkForeign(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	create(t, st, j)
	var texts []string
	for _, q := range []struct{ owner, id string }{
		{"other", j.ID}, {"", j.ID}, {"team", job.NewID()}, {"other", job.NewID()}, {"team", ""}, {"team", "nonsense"},
	} {
		_, err := st.Load(t.Context(), q.owner, q.id)
		want(t, fmt.Sprintf("Load(%q, %q)", q.owner, q.id), err, job.ErrNotFound)
		if err != nil && job.ValidID(q.id) {
			texts = append(texts, errors.Unwrap(err).Error())
		}
	}
	if slices.Sort(texts); len(slices.Compact(texts)) != 1 {
		t.Errorf("a foreign and an unknown id can be told apart: %q", texts)
	}
	for _, id := range []string{job.NewID(), "", "nonsense"} {
		_, err := st.Space(t.Context(), id)
		want(t, "Space of an unknown id", err, job.ErrNotFound)
		want(t, "Delete of an unknown id", st.Delete(t.Context(), id), job.ErrNotFound)
	}
	if list, err := st.List(t.Context(), "other", job.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("List of another owner: %v, %v; want none", list, err)
	}
}

func checkList(t *testing.T, st job.Store) {
	var jobs []*job.Job
	for i := range 20 {
		jobs = append(jobs, fresh([]string{"team", "other"}[i%2], []string{"crawl", "parse", "agent"}[i%3]))
	}
	for _, i := range []int{7, 3, 0, 19, 12} { // the order of creation does not matter
		create(t, st, jobs[i])
	}
	for i, j := range jobs {
		if !slices.Contains([]int{7, 3, 0, 19, 12}, i) {
			create(t, st, j)
		}
	}
	for i, s := range map[int]job.State{2: job.Completed, 6: job.Failed, 8: job.Cancelled} {
		space, err := st.Space(t.Context(), jobs[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := space.End(t.Context(), s, "why"); err != nil {
			t.Fatal(err)
		}
		jobs[i].State, jobs[i].Err = s, "why"
	}
	for _, f := range []job.Filter{
		{},
		{Kind: "crawl"},
		{State: job.Running},
		{State: job.Completed},
		{Kind: "crawl", State: job.Failed},
		{Kind: "agent", State: job.Cancelled},
		{Kind: "unknown"},
	} {
		var ids []string
		for _, j := range slices.Backward(jobs) {
			if j.Owner == "team" && (f.Kind == "" || f.Kind == j.Kind) && (f.State == "" || f.State == j.State) {
				ids = append(ids, j.ID)
			}
		}
		list, err := st.List(t.Context(), "team", f)
		if err != nil {
			t.Errorf("List(%+v): %v", f, err)
			continue
		}
		var got []string
		for _, j := range list {
			got = append(got, j.ID)
			same(t, j, jobs[slices.IndexFunc(jobs, func(k *job.Job) bool { return k.ID == j.ID })])
		}
		if !slices.Equal(got, ids) {
			t.Errorf("List(%+v) = %q, want %q", f, got, ids)
		}
	}
}

func checkItems(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "crawl"))
	for _, kind := range kinds {
		checkPage(t, s, kind, 0, job.Unlimited, nil)
	}
	var all []string
	for i := range 10 {
		data := fmt.Sprint("item ", i)
		all = append(all, data)
		items := []job.Item{{Kind: job.Result, Data: []byte(data), Cost: i}}
		if i%3 == 0 {
			items = append(items, job.Item{Kind: job.Note, Data: []byte(data)})
		}
		if err := s.Append(t.Context(), items...); err != nil {
			t.Fatalf("Append: %v", err)
		}
	}
	for _, c := range []struct{ from, limit int }{{0, 3}, {3, 3}, {9, 3}, {10, 3}, {11, 3}, {1 << 30, 1}, {0, 0}, {5, 0}, {0, 10}, {0, 11}, {4, job.Unlimited}, {0, job.Unlimited}} {
		end := len(all)
		if c.limit >= 0 {
			end = min(end, c.from+c.limit)
		}
		checkPage(t, s, job.Result, c.from, c.limit, all[min(c.from, len(all)):max(end, min(c.from, len(all)))])
	}
	checkPage(t, s, job.Note, 1, 2, []string{"item 3", "item 6"})
	checkPage(t, s, job.Input, 0, 10, nil)

	stats, err := s.Stats(t.Context())
	if err != nil {
		t.Fatalf("Stats: %v", err)
	}
	if stats.Items != [len(kinds)]int{job.Result: 10, job.Note: 4} || stats.Cost != 45 {
		t.Errorf("Stats = %+v, want 10 results, 4 notes, 45 credits", stats)
	}

	want(t, "Append of a kind that is none", s.Append(t.Context(), job.Item{Kind: job.Result}, job.Item{Kind: 9}), job.ErrInvalid)
	checkPage(t, s, job.Result, 9, 2, all[9:])
	if err := s.Append(t.Context()); err != nil {
		t.Errorf("Append of nothing: %v", err)
	}
	_, err = s.Items(t.Context(), 9, 0, 1)
	want(t, "Items of a kind that is none", err, job.ErrInvalid)
	_, err = s.Items(t.Context(), job.Result, -1, 1)
	want(t, "Items from -1", err, job.ErrInvalid)
}

// checkPage compares the data of a range of items with w.
func checkPage(t *testing.T, s job.Space, kind job.ItemKind, from, limit int, w []string) {
	t.Helper()
	items, err := s.Items(t.Context(), kind, from, limit)
	if err != nil {
		t.Errorf("Items(%d, %d, %d): %v", kind, from, limit, err)
		return
	}
	var got []string
	for _, it := range items {
		got = append(got, string(it.Data))
		if it.Kind != kind {
			t.Errorf("Items(%d, %d, %d) has one of kind %d", kind, from, limit, it.Kind)
		}
	}
	if !slices.Equal(got, w) {
		t.Errorf("Items(%d, %d, %d) = %q, want %q", kind, from, limit, got, w)
	}
}

// checkBytes changes data after it was appended, and appends unusual data.
func checkBytes(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "crawl"))
	data := []byte("as it was")
	if err := s.Append(t.Context(), job.Item{Data: data}); err != nil {
		t.Fatal(err)
	}
	copy(data, "changed!!")
	odd := []string{"", "\x00\xff\n", string(make([]byte, 1<<20))}
	for _, o := range odd {
		if err := s.Append(t.Context(), job.Item{Data: []byte(o)}); err != nil {
			t.Fatal(err)
		}
	}
	checkPage(t, s, job.Result, 0, job.Unlimited, append([]string{"as it was"}, odd...))
}

// checkInputs settles inputs by items of all kinds.
func checkInputs(t *testing.T, st job.Store) {
	s := create(t, st, fresh("team", "batch"))
	inputs := []int{7, 1, 2, 1 << 30}
	for i, n := range inputs {
		if err := s.Append(t.Context(), job.Item{Kind: kinds[i%2], Data: []byte("x"), Cost: -3, Input: n}, job.Item{Kind: job.Note}); err != nil {
			t.Fatal(err)
		}
	}
	items, err := s.Items(t.Context(), job.Failure, 0, job.Unlimited)
	if err != nil || len(items) != 2 || items[0].Input != 1 || items[1].Input != 1<<30 || items[0].Cost != -3 {
		t.Errorf("Items: %+v, %v; want the inputs 1 and %d at -3 credits", items, err, 1<<30)
	}
	done, err := job.Settled(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		if done(n) != slices.Contains(inputs, n) {
			t.Errorf("input %d is settled: %v", n, done(n))
		}
	}
	want(t, "Append for input -1", s.Append(t.Context(), job.Item{Input: -1}), job.ErrInvalid)
	want(t, "Append at too many credits", s.Append(t.Context(), job.Item{Cost: 1<<31 - 1}, job.Item{Cost: -1 << 31}), job.ErrInvalid)
	if stats, err := s.Stats(t.Context()); err != nil || stats.Cost != -12 {
		t.Errorf("Stats: %+v, %v; want -12 credits", stats, err)
	}
}

// checkVolatile checks a volatile job like any other.
func checkVolatile(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	j.Volatile = true
	s := create(t, st, j)
	if err := s.Append(t.Context(), job.Item{Data: []byte("x"), Cost: 1}); err != nil {
		t.Fatal(err)
	}
	checkPage(t, s, job.Result, 0, job.Unlimited, []string{"x"})
	got, err := st.Load(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, j)
	if !got.Volatile {
		t.Error("the job is not volatile any more")
	}
	want(t, "Create of an id in use", st.Create(t.Context(), fresh2(j.ID)), job.ErrExists)
	if r, ok := st.(job.Resumer); ok {
		if list, err := r.Unfinished(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("Unfinished: %v, %v; want none", list, err)
		}
	}
	want(t, "End", s.End(t.Context(), job.Completed, ""), nil)
	if list, err := st.List(t.Context(), "team", job.Filter{State: job.Completed}); err != nil || len(list) != 1 {
		t.Errorf("List: %v, %v; want the job", list, err)
	}
	want(t, "Delete", st.Delete(t.Context(), j.ID), nil)
	_, err = st.Load(t.Context(), "team", j.ID)
	want(t, "Load of a deleted job", err, job.ErrNotFound)
}

func checkEnd(t *testing.T, st job.Store) {
	for _, state := range []job.State{job.Completed, job.Failed, job.Cancelled} {
		j := fresh("team", "crawl")
		s := create(t, st, j)
		if err := s.Append(t.Context(), job.Item{Data: []byte("before"), Cost: 3}); err != nil {
			t.Fatal(err)
		}
		want(t, "End in running", s.End(t.Context(), job.Running, ""), job.ErrInvalid)
		want(t, "End in nonsense", s.End(t.Context(), "nonsense", ""), job.ErrInvalid)
		before := time.Now()
		if err := s.End(t.Context(), state, "why"); err != nil {
			t.Fatalf("End: %v", err)
		}
		for _, again := range []job.State{job.Completed, job.Failed, job.Cancelled} {
			want(t, "a second End", s.End(t.Context(), again, "other"), job.ErrEnded)
		}
		want(t, "Append after the end", s.Append(t.Context(), job.Item{Data: []byte("after")}), job.ErrEnded)
		got, err := st.Load(t.Context(), "team", j.ID)
		if err != nil {
			t.Fatal(err)
		}
		j.State, j.Err = state, "why"
		same(t, got, j)
		if off := got.Ended.Sub(before); off < -time.Minute || off > time.Minute {
			t.Errorf("Ended is %v off", off)
		}
		if keep := got.Expires.Sub(got.Ended); keep != j.Keep {
			t.Errorf("it is kept for %v, want %v", keep, j.Keep)
		}
		checkPage(t, s, job.Result, 0, job.Unlimited, []string{"before"})
		if stats, err := s.Stats(t.Context()); err != nil || stats.Items[job.Result] != 1 || stats.Cost != 3 {
			t.Errorf("Stats after the end: %+v, %v", stats, err)
		}
	}
	j := fresh("team", "crawl")
	j.Keep = 0
	s := create(t, st, j)
	if err := s.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := st.Load(t.Context(), "team", j.ID); err != nil || got.Expires.Sub(got.Ended) != job.DefaultKeep {
		t.Errorf("with no Keep: %+v, %v; want %v", got, err, job.DefaultKeep)
	}
}

// checkRace ends a job from several goroutines while others append.
func checkRace(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	s := create(t, st, j)
	var wg sync.WaitGroup
	var mu sync.Mutex
	won, accepted := []job.State{}, 0
	begin := make(chan struct{})
	for i := range 4 {
		wg.Go(func() {
			<-begin
			for {
				err := s.Append(t.Context(), job.Item{Data: []byte("x")}, job.Item{Data: []byte("x")})
				if err != nil {
					want(t, "Append", err, job.ErrEnded)
					return
				}
				mu.Lock()
				accepted += 2
				mu.Unlock()
			}
		})
		wg.Go(func() {
			<-begin
			state := []job.State{job.Completed, job.Failed, job.Cancelled}[i%3]
			if err := s.End(t.Context(), state, ""); err == nil {
				mu.Lock()
				won = append(won, state)
				mu.Unlock()
			} else {
				want(t, "End", err, job.ErrEnded)
			}
		})
	}
	close(begin)
	wg.Wait()
	got, err := st.Load(t.Context(), "team", j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(won) != 1 || got.State != won[0] {
		t.Errorf("the state is %s, and these won: %q", got.State, won)
	}
	if stats, err := s.Stats(t.Context()); err != nil || stats.Items[job.Result] != accepted {
		t.Errorf("Stats: %+v, %v; want %d results", stats, err, accepted)
	}
}

func checkExpiry(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	j.Keep = 150 * time.Millisecond
	s := create(t, st, j)
	other := create(t, st, fresh("team", "crawl"))
	if err := s.Append(t.Context(), job.Item{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := s.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatal(err)
	}
	got, err := st.Load(t.Context(), "team", j.ID)
	if err != nil {
		// On a slow machine, the time may already have passed.
		want(t, "Load", err, job.ErrNotFound)
		return
	}
	timer := time.NewTimer(time.Until(got.Expires))
	defer timer.Stop()
	<-timer.C
	_, err = st.Load(t.Context(), "team", j.ID)
	want(t, "Load of an expired job", err, job.ErrNotFound)
	_, err = st.Space(t.Context(), j.ID)
	want(t, "Space of an expired job", err, job.ErrNotFound)
	_, err = s.Items(t.Context(), job.Result, 0, 1)
	want(t, "Items of an expired job", err, job.ErrNotFound)
	_, err = s.Stats(t.Context())
	want(t, "Stats of an expired job", err, job.ErrNotFound)
	want(t, "Append to an expired job", s.Append(t.Context(), job.Item{}), job.ErrNotFound)
	want(t, "End of an expired job", s.End(t.Context(), job.Failed, ""), job.ErrNotFound)
	want(t, "Delete of an expired job", st.Delete(t.Context(), j.ID), job.ErrNotFound)
	if list, err := st.List(t.Context(), "team", job.Filter{}); err != nil || len(list) != 1 {
		t.Errorf("List: %d jobs, %v; want the one that runs", len(list), err)
	}
	if _, err := other.Stats(t.Context()); err != nil {
		t.Errorf("a running job has expired: %v", err)
	}
}

func checkDelete(t *testing.T, st job.Store) {
	for _, end := range []bool{false, true} {
		j := fresh("team", "crawl")
		s := create(t, st, j)
		if end {
			if err := s.End(t.Context(), job.Completed, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := st.Delete(t.Context(), j.ID); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		_, err := st.Load(t.Context(), "team", j.ID)
		want(t, "Load of a deleted job", err, job.ErrNotFound)
		_, err = s.Items(t.Context(), job.Result, 0, 1)
		want(t, "Items of a deleted job", err, job.ErrNotFound)
		want(t, "Append to a deleted job", s.Append(t.Context(), job.Item{}), job.ErrNotFound)
		want(t, "End of a deleted job", s.End(t.Context(), job.Failed, ""), job.ErrNotFound)
		want(t, "a second Delete", st.Delete(t.Context(), j.ID), job.ErrNotFound)
	}
}

func checkCtx(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	s := create(t, st, j)
	why := errors.New("ended before")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	ended := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended ctx: error %v, want ctx's", what, err)
		}
	}
	ended("Create", st.Create(ctx, fresh("team", "crawl")))
	_, err := st.Load(ctx, "team", j.ID)
	ended("Load", err)
	_, err = st.List(ctx, "team", job.Filter{})
	ended("List", err)
	_, err = st.Space(ctx, j.ID)
	ended("Space", err)
	ended("Delete", st.Delete(ctx, j.ID))
	ended("Append", s.Append(ctx, job.Item{}))
	_, err = s.Items(ctx, job.Result, 0, 1)
	ended("Items", err)
	_, err = s.Stats(ctx)
	ended("Stats", err)
	ended("End", s.End(ctx, job.Failed, ""))
	if got, err := st.Load(t.Context(), "team", j.ID); err != nil || got.State != job.Running {
		t.Errorf("after all this: %+v, %v", got, err)
	}
}

// checkChanged tests spaces that implement Notifier.
func checkChanged(t *testing.T, st job.Store) {
	j := fresh("team", "crawl")
	s := create(t, st, j)
	n, ok := s.(job.Notifier)
	if !ok {
		t.Skip("no Notifier")
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"Append", func() error { return s.Append(t.Context(), job.Item{Data: []byte("x")}) }},
		{"End", func() error { return s.End(t.Context(), job.Completed, "") }},
		{"Delete", func() error { return st.Delete(t.Context(), j.ID) }},
	} {
		first, second := n.Changed(), n.Changed()
		for tries, told := 0, true; told; tries++ {
			select {
			case <-first: // of the step before, which may be told late
				if tries > 20 {
					t.Fatalf("changes are told before %s", step.what)
				}
				first, second = n.Changed(), n.Changed()
			case <-time.After(20 * time.Millisecond):
				told = false
			}
		}
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		timer := time.NewTimer(10 * time.Second)
		for _, c := range []<-chan struct{}{first, second} {
			select {
			case <-c:
			case <-timer.C:
				t.Errorf("%s is not told", step.what)
			}
		}
		timer.Stop()
	}
}
