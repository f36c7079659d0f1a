// SPDX-License-Identifier: Apache-2.0

package account

import "context"

// Credits stores the credits of teams. The caller reserves the most that an
// operation may cost before it starts, and afterwards commits the actual cost
// or releases the reservation. Calls are idempotent by op: a second Commit or
// Release of an op does nothing. A balance never becomes negative.
// Implementations are safe for concurrent use and return when ctx ends.
type Credits interface {
	// Reserve reserves at most want credits for op and returns how many. If
	// fewer than least are available, it returns [ErrPayment]. If op already
	// has a reservation, it keeps it.
	Reserve(ctx context.Context, team, op string, least, want int) (int, error)

	// Commit deducts spent from the reservation of op and frees the rest.
	Commit(ctx context.Context, team, op string, spent int) error

	// Release frees the whole reservation of op.
	Release(ctx context.Context, team, op string) error

	// Balance returns the current and the initial credits of the team.
	Balance(ctx context.Context, team string) (Balance, error)
}

// Balance contains the remaining and the spent credits of a team.
type Balance struct {
	Left, Plan int // credits; -1 means unlimited
	Spent      int // credits
}
