// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/crawl"
)

// memorySpace is a job in memory and what it yields.
//
// Two locks: turn is held by whoever changes the job for the whole of the
// change, a frontier's commit included, and by Stats; so what the frontier
// says and what the items say never differ. mu is held for moments only, so
// readers of items never wait for a frontier. turn comes before mu, and both
// before Memory.mu.
type memorySpace struct {
	store *Memory
	goes  time.Time     // guarded by store.mu; when it expires
	turn  chan struct{} // holds one value while taken; a channel, because commits may block

	frontier *recorder // guarded by turn; nil before the first and after the job's end

	mu      sync.Mutex
	job     Job            // guarded by mu, except ID, Owner, Spec, which stay
	gone    bool           // guarded by mu; deleted or expired
	items   [kinds][]entry // guarded by mu
	cost    int            // guarded by mu
	crawl   crawl.Stats    // guarded by mu; the last that the frontier said
	changed chan struct{}  // guarded by mu; nil where nobody waits
}

// entry is an item in its sequence.
type entry struct {
	data []byte
	cost int
}

// take waits for the turn. It fails where ctx has ended, or the job is gone.
func (s *memorySpace) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return wrap(s.job.ID, context.Cause(ctx))
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return wrap(s.job.ID, context.Cause(ctx))
	}
	if !s.live() {
		s.release()
		return wrap(s.job.ID, ErrNotFound)
	}
	return nil
}

// takeRunning is take for a job that must not have ended.
func (s *memorySpace) takeRunning(ctx context.Context) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	final := s.job.State.Final()
	s.mu.Unlock()
	if final {
		s.release()
		return wrap(s.job.ID, ErrEnded)
	}
	return nil
}

func (s *memorySpace) release() { <-s.turn }

// snapshot returns a copy of the job, and false where it is gone or expired:
// the timer that frees it may be a moment late.
func (s *memorySpace) snapshot() (*Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost() {
		return nil, false
	}
	j := s.job
	return &j, true
}

// live reports whether the job is neither gone nor expired.
func (s *memorySpace) live() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.lost()
}

// lost reports whether the job is gone or expired. The caller holds mu.
func (s *memorySpace) lost() bool {
	return s.gone || s.job.State.Final() && !time.Now().Before(s.job.Expires)
}

// drop frees what the space holds and wakes who waits for it.
func (s *memorySpace) drop() {
	s.mu.Lock()
	s.gone = true
	s.items = [kinds][]entry{}
	s.notify()
	s.mu.Unlock()
}

// notify wakes who waits for a change. The caller holds mu.
func (s *memorySpace) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Changed implements [Notifier].
func (s *memorySpace) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Append implements [Space].
func (s *memorySpace) Append(ctx context.Context, items ...Item) error {
	for _, it := range items {
		if it.Kind >= kinds {
			return wrap(s.job.ID, fmt.Errorf("%w: item kind %d", ErrInvalid, it.Kind))
		}
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	defer s.release()
	s.add(0, items...)
	return nil
}

// add records items, and cost beside theirs. The caller holds turn.
func (s *memorySpace) add(cost int, items ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return
	}
	for _, it := range items {
		s.items[it.Kind] = append(s.items[it.Kind], entry{data: bytes.Clone(it.Data), cost: it.Cost})
		cost += it.Cost
	}
	s.cost += cost
	if len(items) > 0 {
		s.notify()
	}
}

// Items implements [Space].
func (s *memorySpace) Items(ctx context.Context, kind ItemKind, from, limit int) ([]Item, error) {
	if ctx.Err() != nil {
		return nil, wrap(s.job.ID, context.Cause(ctx))
	}
	if kind >= kinds || from < 0 {
		return nil, wrap(s.job.ID, fmt.Errorf("%w: items of kind %d from %d", ErrInvalid, kind, from))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost() {
		return nil, wrap(s.job.ID, ErrNotFound)
	}
	all := s.items[kind]
	all = all[min(from, len(all)):]
	if limit >= 0 {
		all = all[:min(limit, len(all))]
	}
	list := make([]Item, len(all))
	for i, e := range all {
		list[i] = Item{Kind: kind, Data: e.data, Cost: e.cost}
	}
	return list, nil
}

// Stats implements [Space].
func (s *memorySpace) Stats(ctx context.Context) (Stats, error) {
	if err := s.take(ctx); err != nil {
		return Stats{}, err
	}
	defer s.release()
	if err := s.measure(ctx); err != nil {
		return Stats{}, wrap(s.job.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost() {
		return Stats{}, wrap(s.job.ID, ErrNotFound)
	}
	stats := Stats{Cost: s.cost, Crawl: s.crawl}
	for kind, list := range s.items {
		stats.Items[kind] = len(list)
	}
	return stats, nil
}

// measure asks the frontier, where there is one, for its figures. The caller
// holds turn.
func (s *memorySpace) measure(ctx context.Context) error {
	if s.frontier == nil {
		return nil
	}
	stats, err := s.frontier.Stats(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.crawl = stats
	s.mu.Unlock()
	return nil
}

// End implements [Space].
func (s *memorySpace) End(ctx context.Context, state State, reason string) error {
	if !state.Final() {
		return wrap(s.job.ID, fmt.Errorf("%w: end in state %q", ErrInvalid, state))
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	defer s.release()
	if s.frontier != nil {
		// The end matters more than its figures: an error leaves the last ones.
		_ = s.measure(ctx)
		_ = s.frontier.Close()
		s.frontier = nil
	}

	s.mu.Lock()
	s.job.State, s.job.Err = state, reason
	s.job.Ended = time.Now()
	s.job.Expires = s.job.Ended.Add(cmp.Or(s.job.Keep, DefaultKeep))
	goes, gone := s.job.Expires, s.gone
	s.notify()
	s.mu.Unlock()
	if !gone {
		s.store.expireAt(s, goes)
	}
	return nil
}
