// SPDX-License-Identifier: Apache-2.0

// Package slots bounds how many pages of a team are processed at once, and counts the
// pages that wait: teams -> slots.
package slots

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// Teams are the slots of all teams: each bounds the pages that its team may process at
// once. Waiters are served in the order in which they came. In the zero value no slot is
// in use.
type Teams struct {
	mu    sync.Mutex
	teams map[string]*teamSlots // guarded by mu
}

type teamSlots struct {
	used    int
	above   int             // of these, slots above the limit
	waiting []chan struct{} // each is closed when its waiter has the slot
}

// Seat is a slot in use. It is given back when all its holders have dropped it, so
// that abandoned work keeps its slot until it ends. A nil Seat is no slot.
type Seat struct {
	teams *Teams
	team  string
	limit int
	held  atomic.Int32

	mu   sync.Mutex // guards the fields below
	free func()     // see OnFree; may be nil
	lent int        // calls of Lend under way
	lost bool       // the seat has no slot any more
}

// Hold adds a holder.
func (t *Seat) Hold() {
	if t != nil {
		t.held.Add(1)
	}
}

// Drop removes a holder. The last one gives the slot back.
func (t *Seat) Drop() {
	if t == nil || t.held.Add(-1) > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.lost {
		t.teams.give(t.team)
	}
	if t.free != nil {
		t.free()
	}
}

// OnFree has f called when the last holder drops the seat.
func (t *Seat) OnFree(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = f
}

// Lend gives the slot to others while wait waits for a turn at a host: the holder
// of that turn may be waiting for a slot. Then it takes a slot again. If pressed is
// set, it does not wait for one but takes one above the limit: the caller has
// memory, for which the holder of a slot may be waiting. Otherwise an error of wait
// means that the caller needs no slot any more.
func (t *Seat) Lend(ctx context.Context, pressed bool, wait func() error) error {
	if t == nil {
		return wait()
	}
	t.mu.Lock()
	if t.lent++; t.lent == 1 && !t.lost {
		t.teams.give(t.team)
	}
	t.mu.Unlock()
	err := wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lent--; t.lent > 0 || t.lost {
		return err
	}
	if pressed {
		t.teams.press(t.team, t.limit)
		return err
	}
	if err == nil {
		_, err = t.teams.take(ctx, t.team, t.limit)
	}
	t.lost = err != nil
	return err
}

// Sit waits for one of limit slots of a team. It returns the slot as a Seat with one
// holder, and how long that took.
func (s *Teams) Sit(ctx context.Context, team string, limit int) (*Seat, time.Duration, error) {
	wait, err := s.take(ctx, team, limit)
	if err != nil {
		return nil, 0, err
	}
	t := &Seat{teams: s, team: team, limit: limit}
	t.Hold()
	return t, wait, nil
}

// take waits for one of limit slots and returns how long that took. The caller gives
// the slot back.
func (s *Teams) take(ctx context.Context, team string, limit int) (time.Duration, error) {
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
func (s *Teams) of(team string) *teamSlots {
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
func (s *Teams) press(team string, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(team)
	if t.used >= limit {
		t.above++
	}
	t.used++
}

// give hands a slot to the first waiter, or frees it.
func (s *Teams) give(team string) {
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

// Used returns how many slots the team holds.
func (s *Teams) Used(team string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.teams[team]; t != nil {
		return t.used
	}
	return 0
}

// Fetcher makes each request within a slot of a team.
type Fetcher struct {
	fetch.Fetcher
	Teams *Teams
	Team  string
	Limit int // slots of the team
}

// Fetch implements [fetch.Fetcher].
func (f *Fetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if _, err := f.Teams.take(ctx, f.Team, f.Limit); err != nil {
		return nil, &fetch.Error{URL: weburl.Redacted(r.URL), Err: err}
	}
	defer f.Teams.give(f.Team)
	return f.Fetcher.Fetch(ctx, r)
}
