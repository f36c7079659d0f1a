// SPDX-License-Identifier: Apache-2.0

package slots_test

import (
	"testing"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/service/slots"
)

// TestBacklog checks that a team's backlog is the sum of its jobs, and that
// changes of a job that is not counted have no effect.
func TestBacklog(t *testing.T) {
	var b slots.Backlog
	for i, step := range []struct {
		do       func()
		us, them int
	}{
		{func() {}, 0, 0},
		{func() { b.Leave("none") }, 0, 0},
		{func() { b.Add("none", 5) }, 0, 0},
		{func() { b.Set("us", "a", 10) }, 10, 0},
		{func() { b.Set("us", "b", 5) }, 15, 0},
		{func() { b.Set("them", "c", 7) }, 15, 7},
		{func() { b.Set("us", "a", 4) }, 9, 7},
		{func() { b.Add("a", 3) }, 12, 7},
		{func() { b.Add("a", -100) }, 5, 7}, // never below zero
		{func() { b.Leave("b") }, 0, 7},
		{func() { b.Leave("b") }, 0, 7},
		{func() { b.Add("b", 9) }, 0, 7}, // the job has left
		{func() { b.Add("a", 1) }, 1, 7}, // this job has not left
		{func() { b.Leave("a"); b.Leave("c") }, 0, 0},
	} {
		step.do()
		if us, them := b.Left("us"), b.Left("them"); us != step.us || them != step.them {
			t.Errorf("step %d: %d and %d pages are left, want %d and %d", i, us, them, step.us, step.them)
		}
	}
}

// TestBacklogOfCrawl follows a crawl with a limit of ten pages.
func TestBacklogOfCrawl(t *testing.T) {
	var b slots.Backlog
	now := frontier.Stats{Pending: 1}
	trace := b.OfCrawl("us", "a", 10)
	trace.Started(func() frontier.Stats { return now })
	if n := b.Left("us"); n != 1 {
		t.Errorf("%d pages are left at the start, want 1", n)
	}
	now = frontier.Stats{Pending: 20, Leased: 1, Delivered: 3}
	trace.Committed(frontier.Commit{})
	if n := b.Left("us"); n != 7 {
		t.Errorf("%d pages are left after three, want 7", n)
	}
}
