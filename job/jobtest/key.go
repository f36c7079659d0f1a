// SPDX-License-Identifier: Apache-2.0

package jobtest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/job"
)

// keyed returns a new job with a key.
func keyed(owner, kind, name, data string) *job.Job {
	j := fresh(owner, kind)
	j.Key = &job.Key{Name: name, Data: []byte(data), Life: time.Hour}
	return j
}

// used expects that err says that the key of a call was used for a job.
func used(t *testing.T, what string, err error, id, data string) {
	t.Helper()
	k, ok := errors.AsType[*job.KeyError](err)
	if !ok {
		t.Errorf("%s: %v, want a KeyError", what, err)
	} else if k.Key.Job != id || string(k.Key.Data) != data || k.Key.Life <= 0 || k.Key.Life > time.Hour {
		t.Errorf("%s: the key was used for %s with %q and lives %v; want %s with %q", what, k.Key.Job, k.Key.Data, k.Key.Life, id, data)
	}
}

// sharedKeyed creates jobs and appends inputs with keys.
func sharedKeyed(t *testing.T, sh Shared) {
	a, b := sh.Open(t), sh.Open(t)
	keys, ok := b.(job.Keyer)
	if !ok {
		t.Skip("no Keyer")
	}
	first := keyed("team", "batch", "k", "first")
	s := create(t, a, first)
	used(t, "Create by another process", b.Create(t.Context(), keyed("team", "batch", "k", "second")), first.ID, "first")
	used(t, "Create by the same process", a.Create(t.Context(), keyed("team", "batch", "k", "third")), first.ID, "first")
	if k, err := keys.Key(t.Context(), "team", "batch", "k"); err != nil || k == nil || k.Job != first.ID || string(k.Data) != "first" {
		t.Errorf("Key: %+v, %v", k, err)
	}
	if k, err := keys.Key(t.Context(), "team", "batch", "K"); err != nil || k != nil {
		t.Errorf("Key with an unknown name: %+v, %v, want nil", k, err)
	}
	for _, j := range []*job.Job{keyed("other", "batch", "k", ""), keyed("team", "crawl", "k", ""), keyed("team", "batch", "K", "")} {
		want(t, "Create with another owner, kind or name", b.Create(t.Context(), j), nil)
	}
	for _, name := range []string{"", "\xff", "\x00", strings.Repeat("k", 256)} {
		want(t, fmt.Sprintf("Create with the key %.9q", name), b.Create(t.Context(), keyed("team", "batch", name, "")), job.ErrInvalid)
	}

	// A creation that fails does not use its key.
	again := keyed("team", "batch", "free", "")
	again.ID = first.ID
	want(t, "Create of an id in use", b.Create(t.Context(), again), job.ErrExists)
	want(t, "Create with a free key", b.Create(t.Context(), keyed("team", "batch", "free", "")), nil)

	// Volatile jobs have no keys that other processes know.
	hidden := keyed("team", "batch", "hidden", "")
	hidden.Volatile = true
	want(t, "Create of a volatile job", a.Create(t.Context(), hidden), nil)
	want(t, "Create with the key of a volatile job", b.Create(t.Context(), keyed("team", "batch", "hidden", "")), nil)

	keyedAppend(t, s, spaceOf(t, b, first.ID), first.ID)

	// A key outlives its job, but not its own life.
	want(t, "Delete", b.Delete(t.Context(), first.ID), nil)
	used(t, "Create after the job was deleted", b.Create(t.Context(), keyed("team", "batch", "k", "")), first.ID, "first")
	short := keyed("team", "batch", "short", "")
	short.Key.Life = time.Microsecond
	want(t, "Create with a short key", a.Create(t.Context(), short), nil)
	want(t, "Create after the end of a key", b.Create(t.Context(), keyed("team", "batch", "short", "")), nil)
}

// keyedAppend appends with keys through two spaces of a job that has no inputs yet, and
// ends it.
func keyedAppend(t *testing.T, holder, other job.Space, id string) {
	t.Helper()
	in := []job.Item{{Kind: job.Input, Data: []byte("one")}, {Kind: job.Input, Data: []byte("two")}}
	key := func(name string) *job.Key { return &job.Key{Name: name, Data: []byte("data"), Life: time.Hour} }
	a, b := holder.(job.KeyedSpace), other.(job.KeyedSpace)
	used(t, "AppendOnce with the key of the job", b.AppendOnce(t.Context(), key("k"), in...), id, "first")
	var wg sync.WaitGroup
	for range 4 {
		for _, s := range []job.KeyedSpace{a, b} {
			wg.Go(func() {
				if err := s.AppendOnce(t.Context(), key("more"), in...); err != nil {
					used(t, "AppendOnce", err, id, "data")
				}
			})
		}
	}
	wg.Wait()
	if items, err := other.Items(t.Context(), job.Input, 0, job.Unlimited); err != nil || len(items) != len(in) {
		t.Errorf("%d inputs, %v; want %d", len(items), err, len(in))
	}
	want(t, "AppendOnce of a result", a.AppendOnce(t.Context(), key("result"), job.Item{}), job.ErrInvalid)
	want(t, "End", holder.End(t.Context(), job.Completed, ""), nil)
	want(t, "AppendOnce after the end", b.AppendOnce(t.Context(), key("late"), in...), job.ErrEnded)
	want(t, "a second AppendOnce after the end", b.AppendOnce(t.Context(), key("late"), in...), job.ErrEnded)
}
