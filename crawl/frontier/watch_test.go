// SPDX-License-Identifier: Apache-2.0

package frontier_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"example.com/curlew/crawl/frontier"
)

// TestWatchlist compares the list of watched URLs with two maps. The keys are
// random, ascending, or all have the same home slot.
func TestWatchlist(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for name, key := range map[string]func() uint64{
		"random":   r.Uint64,
		"counting": func() uint64 { return r.Uint64N(3000) },
		"crowded":  func() uint64 { return r.Uint64N(3000) << 48 },
	} {
		w := frontier.NewWatchlist()
		byKey, bySeq := map[uint64]uint64{}, map[uint64]uint64{}
		drop := func(seq uint64) {
			if k, ok := bySeq[seq]; ok {
				delete(bySeq, seq)
				delete(byKey, k)
			}
		}
		for i := range 40_000 {
			most := 2000
			if i/10_000%2 == 1 {
				most = 0 // empty the list and fill it again
			}
			switch n := r.IntN(10); {
			case n < 5 && len(bySeq) < most:
				k, seq := key(), uint64(i)
				if r.IntN(100) == 0 {
					seq = r.Uint64N(uint64(i) + 1)
				}
				if old, ok := byKey[k]; ok {
					drop(old)
				}
				drop(seq)
				byKey[k], bySeq[seq] = seq, k
				w.Add(k, seq)
			case n < 9 && len(bySeq) > 0:
				var seq uint64
				for seq = range bySeq {
					break
				}
				drop(seq)
				w.Remove(seq)
			default:
				seq := r.Uint64N(uint64(i) + 1)
				drop(seq)
				w.Remove(seq)
			}
			if w.Len() != len(bySeq) {
				t.Fatalf("%s: %d URLs, want %d", name, w.Len(), len(bySeq))
			}
			k := key()
			if seq, ok := w.Key(k); ok != has(byKey, k) || seq != byKey[k] {
				t.Fatalf("%s: Key(%d) = %d, %t, want %d", name, k, seq, ok, byKey[k])
			}
			if i%1000 > 0 {
				continue
			}
			for k, seq := range byKey {
				if got, ok := w.Key(k); !ok || got != seq {
					t.Fatalf("%s: Key(%d) = %d, %t, want %d", name, k, got, ok, seq)
				}
				if got, ok := w.Seq(seq); !ok || got != k {
					t.Fatalf("%s: Seq(%d) = %d, %t, want %d", name, seq, got, ok, k)
				}
			}
		}
	}
}

func has(m map[uint64]uint64, k uint64) bool { _, ok := m[k]; return ok }

// TestWatchlistMemory checks that a watched URL takes at most 50 bytes, however
// many were added and removed, and that an empty list uses no memory.
func TestWatchlistMemory(t *testing.T) {
	const n, most = 1 << 17, 50
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	w := frontier.NewWatchlist()
	empty := heap()
	for i := range uint64(4 * n) {
		if i >= n {
			w.Remove(i - n)
		}
		w.Add(i*0x9e3779b97f4a7c15, i)
	}
	full := heap()
	t.Logf("%.1f bytes each", float64(full-empty)/n)
	if full-empty > most*n {
		t.Errorf("%.1f bytes each, want at most %d", float64(full-empty)/n, most)
	}
	for i := range uint64(4 * n) {
		w.Remove(i)
	}
	if left := heap() - empty; left > n {
		t.Errorf("%d bytes are kept for nothing", left)
	}
	runtime.KeepAlive(w)
}
