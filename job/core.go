// SPDX-License-Identifier: Apache-2.0

package job

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/crawl/frontier"
)

// core is the part that the spaces of all stores have in common.
//
// It has two locks. turn is held for the whole of each change of the job,
// including the commit of a frontier, and by Stats. So the figures of the
// frontier and of the items always agree. mu is held only briefly, so readers
// of items never wait for a frontier. turn is locked before mu and before
// registry.mu. No other lock is taken while mu is held.
type core struct {
	turn chan struct{} // contains a value while the turn is held; a channel, because commits may block

	mu      sync.Mutex
	job     Job           // guarded by mu, except for the immutable ID, Owner, Spec, Keep
	gone    error         // guarded by mu; why the job is no longer available: it was dropped, or the store closed
	changed chan struct{} // guarded by mu; nil if no goroutine waits
}

func newCore(j *Job) core { return core{job: *j, turn: make(chan struct{}, 1)} }

// take waits for the turn. It fails if ctx has ended or the job is gone.
func (c *core) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return wrap(c.job.ID, context.Cause(ctx))
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return wrap(c.job.ID, context.Cause(ctx))
	}
	if err := c.live(); err != nil {
		c.release()
		return wrap(c.job.ID, err)
	}
	return nil
}

// takeRunning is like take, but fails if the job has ended.
func (c *core) takeRunning(ctx context.Context) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	final := c.job.State.Final()
	c.mu.Unlock()
	if final {
		c.release()
		return wrap(c.job.ID, ErrEnded)
	}
	return nil
}

func (c *core) release() { <-c.turn }

// snapshot returns a copy of the job. It fails if the job is gone, or has
// expired and its timer has not removed it yet.
func (c *core) snapshot() (*Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.lost(); err != nil {
		return nil, err
	}
	j := c.job
	return &j, nil
}

// live returns why the job is not available, or nil.
func (c *core) live() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost()
}

// lost is live for callers that hold mu.
func (c *core) lost() error {
	if c.gone == nil && c.job.State.Final() && !time.Now().Before(c.job.Expires) {
		return ErrNotFound
	}
	return c.gone
}

// finish makes the job's state final and returns when it expires. The caller
// holds turn and mu.
func (c *core) finish(state State, reason string, ended time.Time) time.Time {
	c.job.State, c.job.Err = state, reason
	c.job.Ended = ended
	c.job.Expires = ended.Add(cmp.Or(c.job.Keep, DefaultKeep))
	c.notify()
	return c.job.Expires
}

// notify wakes the goroutines that wait for a change. The caller holds mu.
func (c *core) notify() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Changed implements [Notifier].
func (c *core) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// CheckItems returns why items cannot be appended to any job, or nil. The error
// wraps [ErrInvalid]. It is for implementations of [Space].
func CheckItems(items []Item) error {
	for i := range items {
		it := &items[i]
		if it.Kind >= kinds || it.Input < 0 || it.Input > maxInput || it.Cost < -maxCost || it.Cost > maxCost {
			return fmt.Errorf("%w: item of kind %d for input %d at %d credits", ErrInvalid, it.Kind, it.Input, it.Cost)
		}
	}
	return nil
}

// checkRange returns why a range of items is invalid.
func checkRange(kind ItemKind, from int) error {
	if kind >= kinds || from < 0 {
		return fmt.Errorf("%w: there are no items of kind %d from number %d", ErrInvalid, kind, from)
	}
	return nil
}

// part returns at most limit elements of all, starting at index from. A
// negative limit means no limit.
func part[T any](all []T, from, limit int) []T {
	all = all[min(from, len(all)):]
	if limit >= 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

// CommitItems returns the items that a commit of a frontier adds to its job, and
// the part of its cost that is not the cost of an item. It is for
// implementations of [Space].
func CommitItems(c *frontier.Commit) (items []Item, cost int) {
	cost = c.Cost
	switch c.Outcome {
	case frontier.Delivered:
		items = append(items, Item{Kind: Result, Data: c.Payload, Cost: c.Cost})
		cost = 0
	case frontier.Failed:
		items = append(items, Item{Kind: Failure, Data: c.Payload, Cost: c.Cost})
		cost = 0
	}
	for _, url := range c.Blocked {
		items = append(items, Item{Kind: Blocked, Data: []byte(url)})
	}
	return items, cost
}
