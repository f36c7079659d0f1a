// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
)

// ErrSlotLost is the cause that ends [Slot].Life.
var ErrSlotLost = errors.New("another process may have the slot of this page")

// Slotter is an optional interface of a [Store] that several processes share.
type Slotter interface {
	// Slots returns the slots of teams, which all processes share. It is always the
	// same.
	Slots() Slots
}

// Slots limits how many pages of each team all processes together process at once. At
// every instant, the processes hold at most as many slots of a team as its limit. The
// slots of a process that has died can be acquired by others.
type Slots interface {
	// Acquire waits for one of limit slots of a team. Waiters of one process are served
	// in order. If waiters of several processes compete for the slots of a team, each
	// process gets an equal share of them, or as many as it needs. The error is that of
	// ctx, or says that the store is closed. The caller must call Release.
	Acquire(ctx context.Context, team string, limit int) (Slot, error)

	// TryAcquire is Acquire for callers that cannot wait. It returns false if this
	// process has no free slot of the team now.
	TryAcquire(team string, limit int) (Slot, bool)

	// Release frees a slot that Acquire or TryAcquire has returned.
	Release(team string)
}

// Slot is one slot of a team in use.
type Slot struct {
	// Life ends with the cause [ErrSlotLost] when this process cannot show the others
	// any more that it lives. Another process may then get the slot soon, so the work
	// must end.
	Life context.Context

	Limited bool // pages of the team had to end before the slot was free
}
