// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"math/rand/v2"
	"testing"

	"example.com/curlew/crawl/frontier"
)

// TestSequence adds results in a random order. They are returned in the order
// of their ranks, a redirected page comes again under its rank, and none is
// returned after the last page.
func TestSequence(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const ranks, pages = 200, 60
	s := sequence{held: map[uint64]*result{}, left: pages}
	result := func(rank uint64) *result {
		res := &result{commit: frontier.Commit{Lease: frontier.Lease{Rank: rank}, Outcome: frontier.Delivered}}
		switch r.IntN(4) {
		case 0:
			res.commit.Outcome = frontier.Moved
		case 1:
			res.commit.Outcome = frontier.Failed
		}
		return res
	}
	var open []uint64
	for rank := range uint64(ranks) {
		open = append(open, rank)
	}
	wanted := uint64(0)
	delivered := 0
	for len(open) > 0 {
		i := r.IntN(min(len(open), 8))
		rank := open[i]
		open = append(open[:i], open[i+1:]...)
		res := result(rank)
		if turn := s.put(res); turn != (rank == wanted) {
			t.Fatalf("the turn of rank %d has come: %v; wanted is %d", rank, turn, wanted)
		} else if !turn {
			continue
		}
		for res := s.next(); res != nil; res = s.next() {
			if got := res.commit.Lease.Rank; got != wanted {
				t.Fatalf("rank %d left, want %d", got, wanted)
			}
			switch res.commit.Outcome {
			case frontier.Moved:
				open = append([]uint64{wanted}, open...)
				continue
			case frontier.Delivered:
				s.left--
				delivered++
			}
			wanted++
		}
	}
	if delivered != pages {
		t.Errorf("%d pages left, want %d", delivered, pages)
	}
}
