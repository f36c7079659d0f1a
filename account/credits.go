// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"errors"
)

// ErrPayment means that a team's credits cannot pay for a request.
var ErrPayment = errors.New("credits used up")

// Credits keeps what teams can spend. Work reserves the most that it may cost
// before it starts, and then commits what it did cost, or releases all.
// Operations are idempotent by op: a second Commit or Release of an op does
// nothing. A balance never falls below zero. Implementations are safe for
// concurrent use and return when ctx ends.
type Credits interface {
	// Reserve sets at most want credits aside for op and returns how many; it
	// answers [ErrPayment] where that would be fewer than least. An op that has
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
	Left, Plan int // credits; -1 is no bound
	Spent      int // credits
}
