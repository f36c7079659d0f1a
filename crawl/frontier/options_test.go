// SPDX-License-Identifier: Apache-2.0

package frontier_test

import (
	"errors"
	"math"
	"testing"

	"example.com/curlew/crawl/frontier"
)

// TestOptionsInvalid checks that a frontier rejects invalid options.
func TestOptionsInvalid(t *testing.T) {
	for _, o := range []frontier.Options{
		{},
		{URL: "a.test"},
		{URL: "mailto:a@a.test"},
		{URL: "http://a.test/", Limit: -2},
		{URL: "http://a.test/", Concurrency: -1},
		{URL: "http://a.test/", PerHost: -1},
		{URL: "http://a.test/", Delay: -1},
		{URL: "http://a.test/", Chain: -2},
		{URL: "http://a.test/", Suspects: -2},
	} {
		if f, err := frontier.NewFrontier(o); !errors.Is(err, frontier.ErrConfig) {
			t.Errorf("NewFrontier(%+v): %v, want ErrConfig", o, err)
			if err == nil {
				f.Close()
			}
		}
	}
}

// TestOptionsBounds checks the numbers of requests and leases that follow from
// the options.
func TestOptionsBounds(t *testing.T) {
	for _, tt := range []struct {
		o              frontier.Options
		budget, leases int
	}{
		{frontier.Options{}, 101_000, 8},
		{frontier.Options{Limit: 1}, 1010, 8},
		{frontier.Options{Limit: frontier.Unlimited}, math.MaxInt, 8},
		{frontier.Options{Limit: math.MaxInt / 10}, math.MaxInt, 8},
		{frontier.Options{Concurrency: 3, Ordered: true}, 101_000, 12},
		{frontier.Options{List: true}, 101_000, 32},
		{frontier.Options{Concurrency: 3, Delay: 1}, 101_000, 1},
	} {
		if b, l := tt.o.Budget(), tt.o.Leases(); b != tt.budget || l != tt.leases {
			t.Errorf("%+v: %d requests and %d leases, want %d and %d", tt.o, b, l, tt.budget, tt.leases)
		}
	}
}
