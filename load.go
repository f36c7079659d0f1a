// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// slots bounds how many pages each team may process at once. Waiters are served in
// the order in which they came.
type slots struct {
	mu    sync.Mutex
	teams map[string]*teamSlots // guarded by mu
}

type teamSlots struct {
	used    int
	above   int             // of these, slots above the limit
	waiting []chan struct{} // each is closed when its waiter has the slot
}

// seat is a slot in use. It is given back when all its holders have dropped it, so
// that abandoned work keeps its slot until it ends. A nil seat is no slot.
type seat struct {
	slots *slots
	team  string
	limit int
	held  atomic.Int32
	after func() // called when the slot is given back; may be nil

	mu   sync.Mutex // guards lent and lost
	lent int        // calls of lend under way
	lost bool       // the seat has no slot any more
}

// hold adds a holder.
func (t *seat) hold() {
	if t != nil {
		t.held.Add(1)
	}
}

// drop removes a holder. The last one gives the slot back.
func (t *seat) drop() {
	if t == nil || t.held.Add(-1) > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.lost {
		t.slots.give(t.team)
	}
	if t.after != nil {
		t.after()
	}
}

// lend gives the slot to others while wait waits for a turn at a host: the holder
// of that turn may be waiting for a slot. Then it takes a slot again. If pressed is
// set, it does not wait for one but takes one above the limit: the caller has
// memory, for which the holder of a slot may be waiting. Otherwise an error of wait
// means that the caller needs no slot any more.
func (t *seat) lend(ctx context.Context, pressed bool, wait func() error) error {
	if t == nil {
		return wait()
	}
	t.mu.Lock()
	if t.lent++; t.lent == 1 && !t.lost {
		t.slots.give(t.team)
	}
	t.mu.Unlock()
	err := wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lent--; t.lent > 0 || t.lost {
		return err
	}
	if pressed {
		t.slots.press(t.team, t.limit)
		return err
	}
	if err == nil {
		_, err = t.slots.take(ctx, t.team, t.limit)
	}
	t.lost = err != nil
	return err
}

// sit waits for a slot, as take does, and returns it as a seat with one holder.
func (s *slots) sit(ctx context.Context, team string, limit int) (*seat, time.Duration, error) {
	wait, err := s.take(ctx, team, limit)
	if err != nil {
		return nil, 0, err
	}
	t := &seat{slots: s, team: team, limit: limit}
	t.hold()
	return t, wait, nil
}

// take waits for one of limit slots and returns how long that took. The caller gives
// the slot back.
func (s *slots) take(ctx context.Context, team string, limit int) (time.Duration, error) {
	s.mu.Lock()
	t := s.of(team)
	if t.used < limit && len(t.waiting) == 0 {
		t.used++
		s.mu.Unlock()
		return 0, nil
	}
	turn := make(chan struct{})
	t.waiting = append(t.waiting, turn)
	s.mu.Unlock()

	start := time.Now()
	select {
	case <-turn:
		return time.Since(start), nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(t.waiting, turn)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		s.give(team) // the slot was handed over at the same moment
	}
	return 0, context.Cause(ctx)
}

// of returns the slots of a team. The caller holds mu.
func (s *slots) of(team string) *teamSlots {
	if s.teams == nil {
		s.teams = map[string]*teamSlots{}
	}
	t := s.teams[team]
	if t == nil {
		t = new(teamSlots)
		s.teams[team] = t
	}
	return t
}

// press takes a slot at once, even above the limit. A slot above the limit is not
// handed to a waiter.
func (s *slots) press(team string, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(team)
	if t.used >= limit {
		t.above++
	}
	t.used++
}

// give hands a slot to the first waiter, or frees it.
func (s *slots) give(team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.teams[team]
	if t.above > 0 {
		t.above--
		t.used--
		return
	}
	if len(t.waiting) > 0 {
		close(t.waiting[0])
		t.waiting = t.waiting[1:]
		return
	}
	t.used--
	if t.used == 0 {
		delete(s.teams, team)
	}
}

// used returns how many slots the team holds.
func (s *slots) used(team string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.teams[team]; t != nil {
		return t.used
	}
	return 0
}

// slottedFetcher makes each request within a slot of the team.
type slottedFetcher struct {
	fetch.Fetcher
	slots *slots
	team  string
	limit int
}

// Fetch implements [fetch.Fetcher].
func (f *slottedFetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if _, err := f.slots.take(ctx, f.team, f.limit); err != nil {
		return nil, &fetch.Error{URL: weburl.Redacted(r.URL), Err: err}
	}
	defer f.slots.give(f.team)
	return f.Fetcher.Fetch(ctx, r)
}

// backlog counts the pages that jobs still have to process, so that a start need not
// ask each job. A job counts from its start, or from its resumption after a restart,
// until its work has returned. The counts are not stored: they follow from the
// records of the jobs.
type backlog struct {
	mu    sync.Mutex
	jobs  map[string]*share // guarded by mu; by op
	teams map[string]int    // guarded by mu; the sums of jobs
}

// share is what one job still has to process.
type share struct {
	team  string
	pages int
}

// set sets how many pages a job has left.
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

// add adds n pages to a job. It does nothing if the job does not count.
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
