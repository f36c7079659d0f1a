// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/curlew/job"
)

// model is a very simple store that knows the expected state of each job.
type model struct {
	jobs  []*job.Job // by ID in ascending order, without deleted ones
	items map[string]map[job.ItemKind][]string
	cost  map[string]int
}

// checkRandom does random operations on a store and on a model and compares
// every result.
func checkRandom(t *testing.T, st job.Store) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	m := &model{items: map[string]map[job.ItemKind][]string{}, cost: map[string]int{}}
	spaces := map[string]job.Space{}
	for step := range 1000 {
		if t.Failed() {
			t.Fatalf("seed %d, step %d", seed, step)
		}
		if len(m.jobs) == 0 || r.IntN(20) == 0 && len(m.jobs) < 30 {
			j := fresh(fmt.Sprint("team", r.IntN(3)), fmt.Sprint("kind", r.IntN(3)))
			spaces[j.ID] = create(t, st, j)
			m.jobs = append(m.jobs, j)
			m.items[j.ID] = map[job.ItemKind][]string{}
			continue
		}
		j := m.jobs[r.IntN(len(m.jobs))]
		s := spaces[j.ID]
		if r.IntN(4) == 0 { // any open space is equivalent
			var err error
			if s, err = st.Space(t.Context(), j.ID); err != nil {
				t.Fatalf("seed %d: Space: %v", seed, err)
			}
		}
		switch n := r.IntN(100); {
		case n < 45:
			m.append(t, r, j, s)
		case n < 75:
			m.read(t, r, j, s)
		case n < 85:
			m.load(t, r, j, st)
		case n < 93:
			m.list(t, r, st)
		case n < 97:
			m.end(t, r, j, s)
		default:
			want(t, "Delete", st.Delete(t.Context(), j.ID), nil)
			m.jobs = slices.DeleteFunc(m.jobs, func(k *job.Job) bool { return k == j })
			_, err := s.Stats(t.Context())
			want(t, "Stats of a deleted job", err, job.ErrNotFound)
		}
	}
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
}

func (m *model) append(t *testing.T, r *rand.Rand, j *job.Job, s job.Space) {
	var items []job.Item
	for range r.IntN(4) {
		items = append(items, job.Item{Kind: kinds[r.IntN(len(kinds))], Data: fmt.Append(nil, "data ", r.Uint32()), Cost: r.IntN(10)})
	}
	err := s.Append(t.Context(), items...)
	if j.State.Final() {
		want(t, "Append", err, job.ErrEnded)
		return
	}
	want(t, "Append", err, nil)
	for _, it := range items {
		m.items[j.ID][it.Kind] = append(m.items[j.ID][it.Kind], string(it.Data))
		m.cost[j.ID] += it.Cost
	}
}

func (m *model) read(t *testing.T, r *rand.Rand, j *job.Job, s job.Space) {
	kind := kinds[r.IntN(len(kinds))]
	all := m.items[j.ID][kind]
	from, limit := r.IntN(len(all)+2), r.IntN(len(all)+2)-1
	w := all[min(from, len(all)):]
	if limit >= 0 {
		w = w[:min(limit, len(w))]
	}
	checkPage(t, s, kind, from, limit, w)

	stats, err := s.Stats(t.Context())
	want(t, "Stats", err, nil)
	for _, kind := range kinds {
		if got := stats.Items[kind]; got != len(m.items[j.ID][kind]) {
			t.Errorf("Stats has %d items of kind %d, want %d", got, kind, len(m.items[j.ID][kind]))
		}
	}
	if stats.Cost != m.cost[j.ID] {
		t.Errorf("Stats has %d credits, want %d", stats.Cost, m.cost[j.ID])
	}
}

func (m *model) load(t *testing.T, r *rand.Rand, j *job.Job, st job.Store) {
	owner := fmt.Sprint("team", r.IntN(3))
	got, err := st.Load(t.Context(), owner, j.ID)
	if owner != j.Owner {
		want(t, "Load", err, job.ErrNotFound)
		return
	}
	if err != nil {
		t.Errorf("Load: %v", err)
		return
	}
	same(t, got, j)
}

func (m *model) list(t *testing.T, r *rand.Rand, st job.Store) {
	owner := fmt.Sprint("team", r.IntN(3))
	f := job.Filter{
		Kind:  []string{"", "kind0", "kind1"}[r.IntN(3)],
		State: []job.State{"", job.Running, job.Completed, job.Failed}[r.IntN(4)],
	}
	var w []string
	for _, j := range slices.Backward(m.jobs) {
		if j.Owner == owner && (f.Kind == "" || f.Kind == j.Kind) && (f.State == "" || f.State == j.State) {
			w = append(w, j.ID)
		}
	}
	list, err := st.List(t.Context(), owner, f)
	want(t, "List", err, nil)
	var got []string
	for _, j := range list {
		got = append(got, j.ID)
	}
	if !slices.Equal(got, w) {
		t.Errorf("List(%q, %+v) = %q, want %q", owner, f, got, w)
	}
}

func (m *model) end(t *testing.T, r *rand.Rand, j *job.Job, s job.Space) {
	state := []job.State{job.Completed, job.Failed, job.Cancelled}[r.IntN(3)]
	err := s.End(t.Context(), state, "why")
	if j.State.Final() {
		if !errors.Is(err, job.ErrEnded) {
			t.Errorf("End: error %v, want ErrEnded", err)
		}
		return
	}
	want(t, "End", err, nil)
	j.State, j.Err = state, "why"
}
