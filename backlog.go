// SPDX-License-Identifier: Apache-2.0

package curlew

import "sync"

// backlog counts the pages that jobs have left, so that a start asks no job. A
// job counts from its start, or from when its work goes on after a restart, until
// its work has returned. Nothing is kept of it: what a job has left follows from
// the job's own record.
type backlog struct {
	mu    sync.Mutex
	jobs  map[string]*share // guarded by mu; by op
	teams map[string]int    // guarded by mu; the sums of jobs
}

// share is what one job has left.
type share struct {
	team  string
	pages int
}

// set says how many pages a job has left.
func (b *backlog) set(team, op string, pages int) {
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

// add says that a job has n pages more; one that does not count stays so.
func (b *backlog) add(op string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.jobs[op]; s != nil {
		b.change(s, max(0, s.pages+n))
	}
}

// leave forgets a job.
func (b *backlog) leave(op string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.jobs[op]; s != nil {
		b.change(s, 0)
		delete(b.jobs, op)
	}
}

// change sets what a job has left. The caller holds mu.
func (b *backlog) change(s *share, pages int) {
	b.teams[s.team] += pages - s.pages
	s.pages = pages
	if b.teams[s.team] == 0 {
		delete(b.teams, s.team)
	}
}

// left returns how many pages the team's jobs have left.
func (b *backlog) left(team string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.teams[team]
}
