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

// slots shares out how many pages each team may work on at once, first come
// first served.
type slots struct {
	mu    sync.Mutex
	teams map[string]*teamSlots // guarded by mu
}

type teamSlots struct {
	used    int
	above   int             // of these, slots above the limit
	waiting []chan struct{} // closed when the slot is theirs
}

// seat is a slot that is taken. It is given back once everybody who holds it has
// dropped it: work that nobody waits for any more still has its slot. A nil seat
// is no slot.
type seat struct {
	slots *slots
	team  string
	limit int
	held  atomic.Int32
	after func() // what is given back with it; nil: nothing

	mu   sync.Mutex // guards lent and lost
	lent int        // calls of lend under way
	lost bool       // the slot is not the seat's any more
}

// hold keeps the slot until one more drop.
func (t *seat) hold() {
	if t != nil {
		t.held.Add(1)
	}
}

// drop gives the slot back, unless somebody else holds it.
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

// sit is take, with the slot as a seat that the caller holds.
func (s *slots) sit(ctx context.Context, team string, limit int) (*seat, time.Duration, error) {
	wait, err := s.take(ctx, team, limit)
	if err != nil {
		return nil, 0, err
	}
	t := &seat{slots: s, team: team, limit: limit}
	t.hold()
	return t, wait, nil
}

// take waits for one of limit slots and returns how long that took. Who takes
// a slot gives it back.
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
		s.give(team) // it became ours at the same moment
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

// press takes a slot at once, whatever the limit. A slot above it is not handed on.
func (s *slots) press(team string, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(team)
	if t.used >= limit {
		t.above++
	}
	t.used++
}

// give hands a slot on, or back.
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

// slottedFetcher brings each page within a slot of the team.
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
