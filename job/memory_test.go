// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/job"
)

// newSpace creates a job in m that is kept for keep after its end.
func newSpace(t testing.TB, m *job.Memory, keep time.Duration) (string, job.Space) {
	t.Helper()
	j := &job.Job{ID: job.NewID(), Owner: "team", State: job.Running, Keep: keep, Created: time.Now()}
	if err := m.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	s, err := m.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	return j.ID, s
}

// TestMemoryFull asks whether the store is full while jobs are created.
func TestMemoryFull(t *testing.T) {
	m := job.Memory{MaxBytes: 1 << 20}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { newSpace(t, &m, time.Hour) })
		wg.Go(func() {
			if err := m.Full(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestMemoryExpiry checks that jobs expire exactly at their time, in whatever
// order they ended, and that waiting goroutines are woken.
func TestMemoryExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m job.Memory
		begin := time.Now()
		life := map[string]time.Duration{}
		spaces := map[string]job.Space{}
		for _, keep := range []time.Duration{5, 1, 3, 3, 2, 8, 4} {
			id, s := newSpace(t, &m, keep*time.Hour)
			life[id], spaces[id] = keep*time.Hour, s
			if err := s.End(t.Context(), job.Completed, ""); err != nil {
				t.Fatal(err)
			}
		}
		told := map[string]<-chan struct{}{}
		for id, s := range spaces {
			told[id] = s.(job.Notifier).Changed()
		}
		for range 20 {
			synctest.Wait()
			now := time.Since(begin)
			for id, keep := range life {
				_, err := m.Load(t.Context(), "team", id)
				if gone := errors.Is(err, job.ErrNotFound); gone != (now >= keep) {
					t.Errorf("at %v a job that lives %v: %v", now, keep, err)
				}
				select {
				case <-told[id]:
					if now < keep {
						t.Errorf("at %v a job that lives %v has changed", now, keep)
					}
				default:
					if now >= keep {
						t.Errorf("at %v nobody was told of the end of a job that lives %v", now, keep)
					}
				}
			}
			time.Sleep(30*time.Minute - 1)
			for id, keep := range life {
				if now := time.Since(begin); now < keep {
					if _, err := m.Load(t.Context(), "team", id); err != nil {
						t.Errorf("at %v a job that lives %v: %v", now, keep, err)
					}
				}
			}
			time.Sleep(time.Nanosecond)
		}
	})
}

// TestMemoryFrees checks that the memory of expired jobs is freed without a
// call.
func TestMemoryFrees(t *testing.T) {
	var m job.Memory
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before := heap()
	for range 8 {
		_, s := newSpace(t, &m, 20*time.Millisecond)
		for range 64 {
			if err := s.Append(t.Context(), job.Item{Data: make([]byte, 1<<16)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); heap() > before+4<<20; {
		if time.Now().After(deadline) {
			t.Fatalf("%d MiB are still held", (heap()-before)>>20)
		}
		runtime.Gosched()
	}
	runtime.KeepAlive(&m)
}

// TestMemoryPerItem checks that a page takes little more memory than its bytes.
func TestMemoryPerItem(t *testing.T) {
	const n = 100_000
	var m job.Memory
	_, s := newSpace(t, &m, time.Hour)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	data := make([]byte, 64)
	for range n {
		if err := s.Append(t.Context(), job.Item{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := int64(after.HeapAlloc-before.HeapAlloc) / n; per > 64+48 {
		t.Errorf("an item of 64 bytes takes %d", per)
	}
	runtime.KeepAlive(s)
}

func BenchmarkAppend(b *testing.B) {
	var m job.Memory
	_, s := newSpace(b, &m, time.Hour)
	data := make([]byte, 2048)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Append(b.Context(), job.Item{Data: data}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkItems(b *testing.B) {
	var m job.Memory
	_, s := newSpace(b, &m, time.Hour)
	for i := range 10_000 {
		if err := s.Append(b.Context(), job.Item{Data: fmt.Append(nil, i)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Items(b.Context(), job.Result, 5000, 100); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStats(b *testing.B) {
	var m job.Memory
	_, s := newSpace(b, &m, time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Stats(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
