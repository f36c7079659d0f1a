// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"

	"example.com/curlew/crawl/frontier"
)

// recorder is the frontier of a job in memory. It uses crawl's frontier and
// turns its commits into items of the space.
type recorder struct {
	inner frontier.Frontier
	space *memorySpace
}

// Frontier implements [Space]. A job in memory has one frontier for its whole
// life, because its progress cannot be restored.
func (s *memorySpace) Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error) {
	if err := s.takeRunning(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if s.frontier != nil {
		return nil, wrap(s.job.ID, ErrOpen)
	}
	inner, err := frontier.NewFrontier(o)
	if err != nil {
		return nil, wrap(s.job.ID, err)
	}
	s.frontier = &recorder{inner: inner, space: s}
	return s.frontier, nil
}

// Lease implements [frontier.Frontier].
func (r *recorder) Lease(ctx context.Context, limit int) ([]frontier.Lease, error) {
	return r.inner.Lease(ctx, limit)
}

// Commit implements [frontier.Frontier]. Each commit and its items are one change.
func (r *recorder) Commit(ctx context.Context, commits ...frontier.Commit) error {
	if err := r.space.takeRunning(ctx); err != nil {
		return err
	}
	defer r.space.release()
	for i := range commits {
		items, cost := CommitItems(&commits[i])
		if err := CheckItems(items); err != nil {
			return wrap(r.space.job.ID, err)
		}
		if err := r.inner.Commit(ctx, commits[i]); err != nil {
			return err
		}
		r.space.add(cost, items...)
	}
	return nil
}

// Stats implements [frontier.Frontier].
func (r *recorder) Stats(ctx context.Context) (frontier.Stats, error) { return r.inner.Stats(ctx) }

// Close implements [frontier.Frontier].
func (r *recorder) Close() error { return r.inner.Close() }
