// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"example.com/curlew/job"
)

// samePlaces compares all ways to read places with the list of what was added.
func samePlaces(t *testing.T, places *job.Places, want []job.Place) {
	t.Helper()
	if places.Len() != len(want) {
		t.Fatalf("%d places, want %d", places.Len(), len(want))
	}
	got := places.Part(0, -1, len(want))
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("place %d of %d is %+v, want %+v", i, len(want), got[i], want[i])
		}
	}
	step := max(1, len(want)/40)
	for from := 0; from <= len(want)+1; from += step {
		for _, limit := range []int{0, 1, 63, 64, 65, 5000} {
			for _, n := range []int{len(want), len(want) / 2} {
				start := min(from, n)
				if !slices.Equal(places.Part(from, limit, n), want[start:min(start+limit, n)]) {
					t.Fatalf("Part(%d, %d, %d) differs", from, limit, n)
				}
			}
		}
	}
	positions := []int64{0, math.MaxInt64}
	for i := 0; i < len(want); i += step {
		positions = append(positions, want[i].Pos()-1, want[i].Pos(), want[i].Pos()+1)
	}
	for _, pos := range positions {
		count := sort.Search(len(want), func(i int) bool { return want[i].Pos() >= pos })
		if got := places.Before(pos); got != count {
			t.Fatalf("Before(%d) = %d, want %d", pos, got, count)
		}
	}
}

func TestPlaces(t *testing.T) {
	many := func(n int, f func(i int) job.Place) (list []job.Place) {
		for i := range n {
			list = append(list, f(i))
		}
		return list
	}
	for _, c := range []struct {
		name   string
		places []job.Place
		most   float64 // bytes of memory for each; zero means any
	}{
		{name: "none"},
		{name: "one", places: []job.Place{job.NewPlace(72, 0, 0)}},
		{name: "not the first of its frame", places: []job.Place{job.NewPlace(72, 3, 0), job.NewPlace(72, 4, 0), job.NewPlace(90, 1, 0)}},
		{name: "a block", places: many(64, func(i int) job.Place { return job.NewPlace(int64(i), 0, 0) })},
		{name: "a block and one", places: many(65, func(i int) job.Place { return job.NewPlace(int64(i), 0, 0) })},
		{name: "a piece", places: many(4096, func(i int) job.Place { return job.NewPlace(int64(i), 0, 0) })},
		{name: "a piece and one", places: many(4097, func(i int) job.Place { return job.NewPlace(int64(i), 0, 0) })},
		{name: "all in one frame", places: many(10_000, func(i int) job.Place { return job.NewPlace(1<<40, uint32(i), 0) })},
		{name: "missing ones", places: append(
			many(10_000, func(int) job.Place { return job.NewPlace(500, job.Missing, 0) }),
			many(100, func(i int) job.Place { return job.NewPlace(500, uint32(i), 0) })...)},
		{name: "far apart", places: many(200, func(i int) job.Place { return job.NewPlace(int64(i)<<52, math.MaxUint32-1, 0) })},
		{name: "inputs out of order", places: many(10_000, func(i int) job.Place {
			return job.NewPlace(int64(i)*300, 0, uint32(max(0, i*7919%10_007-100)))
		})},
		{name: "great inputs", places: many(100, func(i int) job.Place {
			return job.NewPlace(int64(i), 0, uint32(i%2*math.MaxInt32))
		})},
		{name: "a crawl", most: 3.5, places: many(100_000, func(i int) job.Place { return job.NewPlace(72+int64(i)*250+int64(i%7), 0, 0) })},
		{name: "a crawl of pages with many links", most: 4, places: many(100_000, func(i int) job.Place { return job.NewPlace(72+int64(i)*4000+int64(i%2000), 0, 0) })},
		{name: "a batch", most: 4.5, places: many(100_000, func(i int) job.Place { return job.NewPlace(72+int64(i)*60, 0, uint32(i+1)) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			var places job.Places
			for _, p := range c.places {
				places.Add(p)
			}
			samePlaces(t, &places, c.places)
			if each := float64(places.Bytes()) / float64(len(c.places)); c.most > 0 && each > c.most {
				t.Errorf("%.2f bytes a place, want at most %v", each, c.most)
			}
		})
	}
}

// TestRandomPlaces adds random places and reads them in between.
func TestRandomPlaces(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		var places job.Places
		var want []job.Place
		pos := r.Int64N(1 << 40)
		spread := int64(1) << r.IntN(40)
		for range 1 + r.IntN(10_000) {
			if r.IntN(3) > 0 {
				pos += r.Int64N(spread)
			}
			index, input := uint32(0), uint32(0)
			switch r.IntN(8) {
			case 0:
				index = job.Missing
			case 1:
				index = r.Uint32()
			case 2:
				index = uint32(r.IntN(4))
			case 3:
				input = uint32(r.Int32())
			case 4:
				input = uint32(r.IntN(100))
			}
			p := job.NewPlace(pos, index, input)
			places.Add(p)
			want = append(want, p)
			if r.IntN(1000) == 0 {
				samePlaces(t, &places, want)
			}
		}
		samePlaces(t, &places, want)
	}
}

// FuzzPlaces adds places decoded from b, five bytes each: the distance from the
// previous one as a shift and a number, and the index and the input likewise.
func FuzzPlaces(f *testing.F) {
	f.Add([]byte{0, 72, 0, 0, 0, 9, 1, 0, 0, 0})
	f.Add([]byte{40, 1, 0xff, 0xff, 31, 0, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var places job.Places
		var want []job.Place
		pos := int64(0)
		for ; len(b) >= 5; b = b[5:] {
			if step := int64(b[1]) << (b[0] % 52); pos+step < 1<<60 {
				pos += step
			}
			index := uint32(b[2]) << (b[3] % 25)
			if b[3] == 0xff {
				index = job.Missing
			}
			p := job.NewPlace(pos, index, uint32(b[4])<<(b[3]/8%24))
			places.Add(p)
			want = append(want, p)
		}
		samePlaces(t, &places, want)
	})
}
