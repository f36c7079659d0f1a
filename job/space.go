// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"
	"time"

	"example.com/curlew/crawl/frontier"
)

// memorySpace is a job in memory with its items.
type memorySpace struct {
	core
	jobs *registry

	frontier *recorder // guarded by turn; nil before the first use and after the job's end

	items [kinds][]entry // guarded by mu
	cost  int            // guarded by mu
	crawl frontier.Stats // guarded by mu; the last figures of the frontier
}

// entry is an item in its sequence.
type entry struct {
	datum
	cost  int32
	input uint32 // with packedBit
}

// packedBit marks an entry with compressed data. Inputs are smaller than it.
const packedBit = 1 << 31

func (e *entry) packed() bool { return e.input&packedBit != 0 }

// settles returns the number of the input.
func (e *entry) settles() int { return int(e.input &^ packedBit) }

// drop frees the memory of the space and wakes waiting goroutines.
func (s *memorySpace) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = ErrNotFound
	for _, items := range s.items {
		s.jobs.vault.forget(items, s.job.Volatile)
	}
	s.items = [kinds][]entry{}
	s.notify()
	return nil
}

// Append implements [Space].
func (s *memorySpace) Append(ctx context.Context, items ...Item) error {
	if err := CheckItems(items); err != nil {
		return wrap(s.job.ID, err)
	}
	if err := s.takeRunning(ctx); err != nil {
		return err
	}
	defer s.release()
	s.add(0, items...)
	return nil
}

// add stores items, and adds cost to theirs. The caller holds turn.
func (s *memorySpace) add(cost int, items ...Item) {
	var few [2]entry // on the stack: most calls have one item
	kept := few[:0]
	for _, it := range items {
		d, packed := s.jobs.vault.keep(it.Data, s.job.Volatile)
		e := entry{d, int32(it.Cost), uint32(it.Input)} //nolint:gosec // check has limited both
		if packed {
			e.input |= packedBit
		}
		kept = append(kept, e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		s.jobs.vault.forget(kept, s.job.Volatile)
		return
	}
	for i, it := range items {
		s.items[it.Kind] = append(s.items[it.Kind], kept[i])
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
	if err := checkRange(kind, from); err != nil {
		return nil, wrap(s.job.ID, err)
	}
	s.mu.Lock()
	err := s.lost()
	all := part(s.items[kind], from, limit) // entries never change
	s.mu.Unlock()
	if err != nil {
		return nil, wrap(s.job.ID, err)
	}
	list := make([]Item, len(all))
	for i := range all {
		e := &all[i]
		data, err := e.read(e.packed())
		list[i] = Item{Kind: kind, Data: data, Cost: int(e.cost), Input: e.settles(), Err: err}
		if err == nil {
			continue
		}
		if gone := s.live(); gone != nil { // its file was removed with the job
			return nil, wrap(s.job.ID, gone)
		}
	}
	return list, nil
}

// Settled implements [Settler].
func (s *memorySpace) Settled(ctx context.Context) ([]int, error) {
	if ctx.Err() != nil {
		return nil, wrap(s.job.ID, context.Cause(ctx))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []int
	for _, items := range s.items {
		for _, e := range items {
			if e.settles() > 0 {
				list = append(list, e.settles())
			}
		}
	}
	return list, wrap(s.job.ID, s.lost())
}

// Stats implements [Space].
func (s *memorySpace) Stats(ctx context.Context) (stats Stats, err error) {
	if err := s.take(ctx); err != nil {
		return stats, err
	}
	defer s.release()
	if err := s.measure(ctx); err != nil {
		return stats, wrap(s.job.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lost(); err != nil {
		return stats, wrap(s.job.ID, err)
	}
	stats.Cost, stats.Crawl = s.cost, s.crawl
	for kind, list := range s.items {
		stats.Items[kind] = len(list)
	}
	return stats, nil
}

// measure gets the figures of the frontier if there is one. The caller holds
// turn.
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
		// The end is more important than the figures. After an error, the last
		// ones stay.
		_ = s.measure(ctx)
		_ = s.frontier.Close()
		s.frontier = nil
	}

	s.mu.Lock()
	goes := s.finish(state, reason, time.Now())
	s.mu.Unlock()
	s.jobs.expireAt(s.job.ID, goes)
	return nil
}
