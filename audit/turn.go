// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"sync"
)

// turn is a mutex whose waiters can be cancelled by ctx. The zero value is
// unlocked.
type turn struct {
	once sync.Once
	held chan struct{}
}

func (t *turn) init() { t.once.Do(func() { t.held = make(chan struct{}, 1) }) }

// take locks the turn. If ctx has ended or ends while it waits, it returns the
// cause of ctx.
func (t *turn) take(ctx context.Context) error {
	t.init()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait locks the turn without a limit on the time.
func (t *turn) wait() {
	t.init()
	t.held <- struct{}{}
}

// give unlocks the turn.
func (t *turn) give() { <-t.held }
