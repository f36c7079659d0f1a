// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"

	"example.com/curlew/crawl"
)

// recorder is the frontier of a job in memory. It uses crawl's frontier and
// turns its commits into items of the space.
type recorder struct {
	inner crawl.Frontier
	space *memorySpace
}

// Frontier implements [Space]. A job in memory has one frontier for its whole
// life, because its progress cannot be restored.
func (s *memorySpace) Frontier(ctx context.Context, c crawl.Config) (crawl.Frontier, error) {
	if err := s.takeRunning(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if s.frontier != nil {
		return nil, wrap(s.job.ID, ErrOpen)
	}
	inner, err := crawl.NewFrontier(c)
	if err != nil {
		return nil, wrap(s.job.ID, err)
	}
	s.frontier = &recorder{inner: inner, space: s}
	return s.frontier, nil
}

// Lease implements [crawl.Frontier].
func (r *recorder) Lease(ctx context.Context, limit int) ([]crawl.Lease, error) {
	return r.inner.Lease(ctx, limit)
}

// Commit implements [crawl.Frontier]. Each commit and its items are one change.
func (r *recorder) Commit(ctx context.Context, commits ...crawl.Commit) error {
	if err := r.space.takeRunning(ctx); err != nil {
		return err
	}
	defer r.space.release()
	for i := range commits {
		items, cost := yield(&commits[i])
		if err := check(items); err != nil {
			return wrap(r.space.job.ID, err)
		}
		if err := r.inner.Commit(ctx, commits[i]); err != nil {
			return err
		}
		r.space.add(cost, items...)
	}
	return nil
}

// Stats implements [crawl.Frontier].
func (r *recorder) Stats(ctx context.Context) (crawl.Stats, error) { return r.inner.Stats(ctx) }

// Close implements [crawl.Frontier].
func (r *recorder) Close() error { return r.inner.Close() }
