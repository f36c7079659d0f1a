// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"sync"
)

// Credits keeps what teams can spend. Work reserves the most that it may cost
// before it starts, and then commits what it did cost, or releases all.
// Operations are idempotent by op: a second Commit or Release of an op does
// nothing. A balance never falls below zero. Implementations are safe for
// concurrent use and return when ctx ends.
type Credits interface {
	// Reserve sets at most want credits aside for op and returns how many; it
	// answers ErrPayment where that would be fewer than least. An op that has
	// a reservation keeps it.
	Reserve(ctx context.Context, team, op string, least, want int) (int, error)

	// Commit takes spent of what op reserved and frees the rest.
	Commit(ctx context.Context, team, op string, spent int) error

	// Release frees all of what op reserved.
	Release(ctx context.Context, team, op string) error

	// Balance returns what the team has left and had at first.
	Balance(ctx context.Context, team string) (Balance, error)
}

// Balance is what a team can spend.
type Balance struct {
	Left, Plan int // -1 is no bound
	Spent      int
}

// Ledger is [Credits] in memory. The zero value bounds no team, and counts.
type Ledger struct {
	Plan map[string]int // credits by team; a team that is not in it has no bound

	mu    sync.Mutex
	spent map[string]int            // guarded by mu; by team
	held  map[string]map[string]int // guarded by mu; by team and op
}

// left returns what team can still reserve; -1 is no bound. The caller holds mu.
func (l *Ledger) left(team string) int {
	plan, ok := l.Plan[team]
	if !ok {
		return Unlimited
	}
	left := plan - l.spent[team]
	for _, n := range l.held[team] {
		left -= n
	}
	return max(0, left)
}

// Reserve implements [Credits].
func (l *Ledger) Reserve(_ context.Context, team, op string, least, want int) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.held[team][op]; ok {
		return n, nil
	}
	if left := l.left(team); left >= 0 {
		want = min(want, left)
	}
	if want < least {
		return 0, ErrPayment
	}
	if l.held == nil {
		l.held = map[string]map[string]int{}
	}
	if l.held[team] == nil {
		l.held[team] = map[string]int{}
	}
	l.held[team][op] = want
	return want, nil
}

// Commit implements [Credits].
func (l *Ledger) Commit(_ context.Context, team, op string, spent int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, ok := l.held[team][op]
	if !ok {
		return nil
	}
	delete(l.held[team], op)
	if l.spent == nil {
		l.spent = map[string]int{}
	}
	l.spent[team] += min(spent, n)
	return nil
}

// Release implements [Credits].
func (l *Ledger) Release(_ context.Context, team, op string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held[team], op)
	return nil
}

// Balance implements [Credits]. What is reserved is not left.
func (l *Ledger) Balance(_ context.Context, team string) (Balance, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	plan, ok := l.Plan[team]
	if !ok {
		plan = Unlimited
	}
	return Balance{Left: l.left(team), Plan: plan, Spent: l.spent[team]}, nil
}
