// SPDX-License-Identifier: Apache-2.0

// Package slots limits how many pages of a team are processed at once, and
// counts the pages that wait.
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

// Teams contains the slots of all teams. It limits how many pages each team may
// process at once. Waiters are served in order. In the zero value no slot is in
// use.
type Teams struct {
	mu    sync.Mutex
	teams map[string]*teamSlots // guarded by mu
}

type teamSlots struct {
	used    int
	above   int             // slots above the limit, included in the number in use
	waiting []chan struct{} // a channel for each waiter, closed when it has the slot
}

// Seat is a slot in use. It is freed when all its holders have dropped it, so
// that abandoned work keeps its slot until it ends. A nil Seat has no slot.
type Seat struct {
	teams *Teams
	team  string
	limit int
	held  atomic.Int32

	mu   sync.Mutex // guards the fields below
	free func()     // see OnFree; may be nil
	lent int        // calls of Lend in progress
	lost bool       // the seat no longer has a slot
}

// Hold adds a holder.
func (t *Seat) Hold() {
	if t != nil {
		t.held.Add(1)
	}
}

// Drop removes a holder. The last one frees the slot.
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

// OnFree sets a func that is called when the last holder drops the seat.
func (t *Seat) OnFree(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = f
}

// Lend frees the slot while wait waits for a turn at a host, because the holder
// of that turn may be waiting for a slot. Then it takes a slot again. If
// pressed is set, it does not wait but takes a slot above the limit, because
// the caller holds memory that the holder of a slot may be waiting for. If wait
// returns an error and pressed is not set, the caller needs no slot any more.
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

// Sit waits for one of limit slots of a team. It returns the slot as a Seat
// with one holder, and the time that it waited.
func (s *Teams) Sit(ctx context.Context, team string, limit int) (*Seat, time.Duration, error) {
	wait, err := s.take(ctx, team, limit)
	if err != nil {
		return nil, 0, err
	}
	t := &Seat{teams: s, team: team, limit: limit}
	t.Hold()
	return t, wait, nil
}

// take waits for one of limit slots and returns the time that it waited. The
// caller must free the slot.
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
		s.give(team) // the slot was passed on at the same moment
	}
	return 0, context.Cause(ctx)
}

// of returns the slots of a team. The caller must hold mu.
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

// press takes a slot at once, even above the limit. A slot above the limit is
// not passed on to a waiter.
func (s *Teams) press(team string, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(team)
	if t.used >= limit {
		t.above++
	}
	t.used++
}

// give passes a slot on to the first waiter, or frees it.
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

// Used returns the number of slots that the team uses.
func (s *Teams) Used(team string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.teams[team]; t != nil {
		return t.used
	}
	return 0
}

// Fetcher makes each request with a slot of a team.
type Fetcher struct {
	fetch.Fetcher
	Teams *Teams
	Team  string
	Limit int // number of slots of the team
}

// Fetch implements [fetch.Fetcher].
func (f *Fetcher) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if _, err := f.Teams.take(ctx, f.Team, f.Limit); err != nil {
		return nil, &fetch.Error{URL: weburl.Redacted(r.URL), Err: err}
	}
	defer f.Teams.give(f.Team)
	return f.Fetcher.Fetch(fetch.WithTeam(ctx, f.Team), r)
}
