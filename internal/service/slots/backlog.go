// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"sync"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
)

// Backlog counts the pages that jobs still have to process, so that a start
// need not ask each job. A job counts from its start, or from its resumption
// after a restart, until its work has returned. The counts are not stored,
// because they follow from the records of the jobs.
type Backlog struct {
	mu    sync.Mutex
	jobs  map[string]*share // guarded by mu; by op
	teams map[string]int    // guarded by mu; the sums of jobs
}

// share is the number of pages that one job still has to process.
type share struct {
	team  string
	pages int
}

// Set sets how many pages a job has left.
func (b *Backlog) Set(team, op string, pages int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.jobs == nil {
		b.jobs, b.teams = map[string]*share{}, map[string]int{}
	}
	s := b.jobs[op]
	if s == nil {
		s = &share{team: team}
		b.jobs[op] = s
	}
	b.change(s, pages)
}

// OfCrawl returns a trace that sets how many pages a crawl has left, from its frontier.
func (b *Backlog) OfCrawl(team, op string, limit int) *crawl.Trace {
	var stats func() frontier.Stats // set before a task begins
	count := func() {
		now := stats()
		b.Set(team, op, now.Total(limit)-now.Delivered)
	}
	return &crawl.Trace{
		Started: func(live func() frontier.Stats) {
			stats = live
			count()
		},
		Committed: func(frontier.Commit) { count() },
	}
}

// Add adds n pages to a job. It does nothing if the job does not count.
func (b *Backlog) Add(op string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.jobs[op]; s != nil {
		b.change(s, max(0, s.pages+n))
	}
}

// Leave removes a job.
func (b *Backlog) Leave(op string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.jobs[op]; s != nil {
		b.change(s, 0)
		delete(b.jobs, op)
	}
}

// change sets the backlog of a job. The caller must hold mu.
func (b *Backlog) change(s *share, pages int) {
	b.teams[s.team] += pages - s.pages
	s.pages = pages
	if b.teams[s.team] == 0 {
		delete(b.teams, s.team)
	}
}

// Left returns the number of pages that the team's jobs still have to process.
func (b *Backlog) Left(team string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.teams[team]
}
