// SPDX-License-Identifier: Apache-2.0

package frontier_test

import (
	"testing"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/frontier/frontiertest"
)

func TestFrontier(t *testing.T) {
	frontiertest.Check(t, func(t testing.TB, c frontier.Options) frontier.Frontier {
		f, err := frontier.NewFrontier(c)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
}

func TestStatsTotal(t *testing.T) {
	s := frontier.Stats{Delivered: 3, Leased: 2, Pending: 7}
	for limit, want := range map[int]int{0: 12, frontier.Unlimited: 12, 10: 10, 12: 12, 100: 12} {
		if got := s.Total(limit); got != want {
			t.Errorf("Total(%d) = %d, want %d", limit, got, want)
		}
	}
}
