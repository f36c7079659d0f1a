// SPDX-License-Identifier: Apache-2.0

// Package slots decides when a page may go on: when it has a slot of its team, which
// limits how many pages are processed at once, and for each request a turn at its host.
// It also counts the pages that wait.
package slots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// Teams contains the slots of all teams. It limits how many pages each team may
// process at once. Waiters are served in order. In the zero value no slot is in
// use.
type Teams struct {
	// Common limits the pages of all processes together; nil limits those of this
	// process only. It must not be changed after the first use.
	Common job.Slots

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

	mu     sync.Mutex // guards the fields below
	free   func()     // see OnFree; may be nil
	lent   int        // calls of Lend in progress
	slot   slot       // zero if the seat has none, or one that is lent
	lose   func()     // called when the slot is lost; nil if nobody wants to know
	unhook func() bool

	dropped bool // the caller needs no slot any more
}

// slot is a slot of this process, and usually one of those that all processes share.
type slot struct {
	own    bool            // it counts in this process
	common bool            // it counts in all processes
	life   context.Context // ends when another process may have it; nil if that never happens
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
	t.giveBack()
	if t.free != nil {
		t.free()
	}
}

// giveBack frees the slot. The caller holds mu.
func (t *Seat) giveBack() {
	if t.unhook != nil {
		t.unhook()
		t.unhook = nil
	}
	t.teams.free(t.team, t.slot)
	t.slot = slot{}
}

// use makes s the slot of the seat. The caller holds mu.
func (t *Seat) use(s slot) {
	t.slot = s
	if t.lose != nil && s.life != nil {
		t.unhook = context.AfterFunc(s.life, t.lose)
	}
}

// OnFree sets a func that is called when the last holder drops the seat.
func (t *Seat) OnFree(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = f
}

// onLost sets a func that is called when another process may get the slot.
func (t *Seat) onLost(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lose = f
	t.use(t.slot)
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
	if t.lent++; t.lent == 1 {
		t.giveBack()
	}
	t.mu.Unlock()
	err := wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lent--; t.lent > 0 || t.dropped {
		return err
	}
	if pressed {
		t.use(t.teams.press(t.team, t.limit))
		return err
	}
	if err != nil {
		t.dropped = true
		return err
	}
	s, _, err := t.teams.take(ctx, t.team, t.limit)
	t.dropped = err != nil
	t.use(s)
	return err
}

// Sit waits for one of limit slots of a team. It returns the slot as a Seat
// with one holder, and the time that it waited.
func (s *Teams) Sit(ctx context.Context, team string, limit int) (*Seat, time.Duration, error) {
	own, wait, err := s.take(ctx, team, limit)
	if err != nil {
		return nil, 0, err
	}
	t := &Seat{teams: s, team: team, limit: limit, slot: own}
	t.Hold()
	return t, wait, nil
}

// Within calls work with one of limit slots of a team, and with the time that it waited for
// the slot. If the slot is lost to another process, the context of work ends. If work then
// returns an error, the error of Within wraps [job.ErrSlotLost].
func (s *Teams) Within(ctx context.Context, team string, limit int, work func(ctx context.Context, held *Seat, wait time.Duration) error) error {
	held, wait, err := s.Sit(ctx, team, limit)
	if err != nil {
		return err
	}
	defer held.Drop()
	if s.Common == nil {
		return work(ctx, held, wait)
	}
	own, end := context.WithCancelCause(ctx)
	defer end(nil)
	held.onLost(func() { end(job.ErrSlotLost) })
	err = work(own, held, wait)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(own), job.ErrSlotLost) {
		err = fmt.Errorf("%w: %w", job.ErrSlotLost, err)
	}
	return err
}

// Again calls work until its slot was not lost.
func Again(ctx context.Context, work func() error) error {
	for {
		if err := work(); ctx.Err() != nil || !errors.Is(err, job.ErrSlotLost) {
			return err
		}
	}
}

// take waits for one of limit slots and returns the time that it waited because others
// had them. The caller must free the slot.
func (s *Teams) take(ctx context.Context, team string, limit int) (slot, time.Duration, error) {
	wait, err := s.takeOwn(ctx, team, limit)
	if err != nil {
		return slot{}, 0, err
	}
	if s.Common == nil {
		return slot{own: true}, wait, nil
	}
	began := time.Now()
	common, err := s.Common.Acquire(ctx, team, limit)
	if err != nil {
		s.give(team)
		return slot{}, 0, err
	}
	if common.Limited {
		wait += time.Since(began)
	}
	return slot{own: true, common: true, life: common.Life}, wait, nil
}

// takeOwn waits for one of limit slots of this process.
func (s *Teams) takeOwn(ctx context.Context, team string, limit int) (time.Duration, error) {
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

// free frees a slot that take or press has returned.
func (s *Teams) free(team string, x slot) {
	if x.common {
		s.Common.Release(team)
	}
	if x.own {
		s.give(team)
	}
}

// press takes a slot at once, even above the limit. A slot above the limit is
// not passed on to a waiter.
func (s *Teams) press(team string, limit int) slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(team)
	if t.used >= limit {
		t.above++
	}
	t.used++
	if s.Common != nil {
		if common, ok := s.Common.TryAcquire(team, limit); ok {
			return slot{own: true, common: true, life: common.Life}
		}
	}
	return slot{own: true}
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

// Fetch implements [fetch.Fetcher]. If the slot is lost to another process, it makes the
// request again.
func (f *Fetcher) Fetch(ctx context.Context, r *fetch.Request) (resp *fetch.Response, err error) {
	sat := false
	err = Again(ctx, func() error {
		return f.Teams.Within(ctx, f.Team, f.Limit, func(ctx context.Context, _ *Seat, _ time.Duration) error {
			sat = true
			resp, err = f.Fetcher.Fetch(fetch.WithTeam(ctx, f.Team), r)
			return err
		})
	})
	if err != nil && !sat {
		err = &fetch.Error{URL: weburl.Redacted(r.URL), Err: err}
	}
	return resp, err
}
