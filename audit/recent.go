// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"sync"
	"time"
)

// Recent keeps the latest events of each team in memory, so that they can be listed, and
// passes all events on. The zero value is ready to use. It must not be changed after its
// first use.
type Recent struct {
	Next  Sink // gets all events; may be nil
	Most  int  // events kept of each team; zero means 1,000
	Teams int  // teams whose events are kept; zero means 1,000. The team that was silent for the longest time is forgotten first

	mu    sync.Mutex
	turn  uint64                 // guarded by mu
	teams map[string]*recentTeam // guarded by mu
}

// recentTeam holds the latest events of one team, in a ring.
type recentTeam struct {
	events []Event
	next   int    // index of the oldest event once the ring is full
	turn   uint64 // order of the last event among all teams
}

// KeepsURLs implements [Keeper] for Next. What Recent itself keeps never has the URLs of
// events under zero data retention.
func (r *Recent) KeepsURLs() bool {
	k, ok := r.Next.(Keeper)
	return ok && k.KeepsURLs()
}

// Write implements [Sink].
func (r *Recent) Write(ctx context.Context, events []Event) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.Next != nil {
		if err := r.Next.Write(ctx, events); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		if e.ZeroRetention {
			e = e.Stripped()
		}
		r.keep(e.clean())
	}
	return nil
}

// keep stores one event. The caller holds mu.
func (r *Recent) keep(e Event) {
	if r.teams == nil {
		r.teams = map[string]*recentTeam{}
	}
	t := r.teams[e.TeamID]
	if t == nil {
		if len(r.teams) >= orDefault(r.Teams) {
			r.forget()
		}
		t = new(recentTeam)
		r.teams[e.TeamID] = t
	}
	r.turn++
	t.turn = r.turn
	if len(t.events) < orDefault(r.Most) {
		t.events = append(t.events, e)
		return
	}
	t.events[t.next] = e
	t.next = (t.next + 1) % len(t.events)
}

// forget drops the team that was silent for the longest time. The caller holds mu.
func (r *Recent) forget() {
	oldest, least := "", r.turn+1
	for id, t := range r.teams {
		if t.turn < least {
			oldest, least = id, t.turn
		}
	}
	delete(r.teams, oldest)
}

// orDefault returns n, or 1,000 if it is not positive.
func orDefault(n int) int {
	if n <= 0 {
		return 1000
	}
	return n
}

// Recent returns the kept events of a team that ended since a time, the newest first.
func (r *Recent) Recent(_ context.Context, team string, since time.Time) ([]Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.teams[team]
	if t == nil {
		return nil, nil
	}
	var all []Event
	for i := range t.events {
		e := t.events[(t.next+len(t.events)-1-i)%len(t.events)]
		if !e.Completed.Before(since) {
			all = append(all, e)
		}
	}
	return all, nil
}
