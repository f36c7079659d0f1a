// SPDX-License-Identifier: Apache-2.0

package frontier_test

import (
	"math/rand/v2"
	"testing"

	"example.com/curlew/crawl/frontier"
)

// TestTableKeys compares the table with a map. The keys are ascending, random,
// or have few home slots.
func TestTableKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, key := range map[string]func(int) uint64{
		"counting": func(i int) uint64 { return uint64(i) },
		"random":   func(int) uint64 { return r.Uint64() },
		"crowded":  func(i int) uint64 { return uint64(i%1000) * 0x2545f4914f6cdd1d << 40 },
		"few":      func(int) uint64 { return r.Uint64N(500) },
	} {
		for _, dated := range []bool{false, true} {
			tab := new(frontier.Table)
			if dated {
				tab = frontier.NewDated()
			}
			model := map[uint64]uint32{}
			for i := range 50_000 {
				k := key(i)
				_, in := model[max(k, 1)] // zero counts as one
				if got := tab.Has(k); got != in {
					t.Fatalf("%s: Has(%d) = %t after %d keys", name, k, got, i)
				}
				if dated {
					tab.Date(k, uint32(i))
				} else {
					tab.Add(k)
				}
				model[max(k, 1)] = uint32(i)
			}
			if tab.Len() != len(model) {
				t.Errorf("%s: %d keys, want %d", name, tab.Len(), len(model))
			}
			for k, want := range model {
				if !tab.Has(k) {
					t.Fatalf("%s: %d is lost", name, k)
				}
				if !dated {
					continue
				}
				if got, ok := tab.Seq(k); !ok || got != uint64(want) {
					t.Fatalf("%s: Seq(%d) = %d, %t, want %d", name, k, got, ok, want)
				}
				tab.Forget(k)
				if _, ok := tab.Seq(k); ok {
					t.Fatalf("%s: %d is still in", name, k)
				}
			}
		}
	}
}

// TestCollect compares a table that collects its additions with a map. Lookups
// happen before the end never, sometimes or often, and keys are also added
// after the end.
func TestCollect(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for name, key := range map[string]func(int) uint64{
		"counting": func(i int) uint64 { return uint64(i) },
		"random":   func(int) uint64 { return r.Uint64() },
		"crowded":  func(i int) uint64 { return uint64(i%3000) * 0x2545f4914f6cdd1d << 40 },
		"few":      func(int) uint64 { return r.Uint64N(500) },
	} {
		for _, looks := range []int{0, 2000, 10} { // one lookup for each so many additions; zero means none
			for _, dated := range []bool{false, true} {
				tab := new(frontier.Table)
				if dated {
					tab = frontier.NewDated()
				}
				model := map[uint64]uint32{}
				check := func(k uint64) {
					t.Helper()
					want, in := model[max(k, 1)]
					if got := tab.Has(k); got != in {
						t.Fatalf("%s: Has(%d) = %t, want %t", name, k, got, in)
					}
					if !dated {
						return
					}
					if got, ok := tab.Seq(k); ok != in || uint64(want) != got {
						t.Fatalf("%s: Seq(%d) = %d, %t, want %d, %t", name, k, got, ok, want, in)
					}
				}
				tab.Collect()
				const n = 30_000
				for i := range n {
					if i == n*2/3 {
						tab.Settle()
					}
					k := key(i)
					if dated {
						tab.Date(k, uint32(i))
					} else {
						tab.Add(k)
					}
					model[max(k, 1)] = uint32(i)
					if looks > 0 && r.IntN(looks) == 0 {
						check(key(r.IntN(2*i + 2)))
						check(k)
					}
				}
				if tab.Len() != len(model) {
					t.Errorf("%s: %d keys, want %d", name, tab.Len(), len(model))
				}
				for k := range model {
					check(k)
				}
				for range 1000 {
					check(r.Uint64())
				}
			}
		}
	}
}

func BenchmarkTable(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var tab frontier.Table
	for range 1_000_000 {
		tab.Add(r.Uint64())
	}
	b.Run("missing", func(b *testing.B) {
		for b.Loop() {
			if tab.Has(r.Uint64()) {
				b.Fatal("found")
			}
		}
	})
}

// BenchmarkTableGrow adds a million keys to an empty table.
func BenchmarkTableGrow(b *testing.B) {
	for b.Loop() {
		r := rand.New(rand.NewPCG(7, 8))
		var tab frontier.Table
		for range 1_000_000 {
			tab.Add(r.Uint64())
		}
		b.ReportMetric(8*float64(tab.Slots())/1e6, "B/key")
	}
}
