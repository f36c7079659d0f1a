// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"sync"
)

// turn lets one at a time, and lets who waits leave with the end of ctx. The
// zero value is free.
type turn struct {
	once sync.Once
	held chan struct{}
}

func (t *turn) init() { t.once.Do(func() { t.held = make(chan struct{}, 1) }) }

// take waits for the turn. It returns ctx's cause where ctx ends before, or has
// ended.
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

// wait waits for the turn, however long.
func (t *turn) wait() {
	t.init()
	t.held <- struct{}{}
}

// give ends a turn.
func (t *turn) give() { <-t.held }
