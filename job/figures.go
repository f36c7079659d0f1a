// SPDX-License-Identifier: Apache-2.0

package job

import "context"

// figures are the Stats that become visible when the frame at pos is durable.
type figures struct {
	pos   int64
	stats Stats
}

// Stats implements [Space]. While the disk is full, it describes what was
// synced.
func (s *fileSpace) Stats(ctx context.Context) (Stats, error) {
	if err := s.learn(); err != nil {
		return Stats{}, s.failed(err)
	}
	if s.full() != nil {
		return s.shown()
	}
	if err := s.take(ctx); err != nil {
		return Stats{}, err
	}
	err := s.measure(ctx)
	log := s.log // turn keeps it open
	s.mu.Lock()
	stats := s.tally
	s.mu.Unlock()
	s.release()
	if err != nil {
		return Stats{}, wrap(s.job.ID, err)
	}
	if log == nil {
		return stats, wrap(s.job.ID, s.live())
	}
	if err = log.Flush(ctx); err == nil {
		return stats, wrap(s.job.ID, s.live())
	}
	if ctx.Err() != nil {
		return Stats{}, wrap(s.job.ID, err)
	}
	return s.shown()
}

// shown returns the counters of the synced frames, for a log that currently
// cannot be written.
func (s *fileSpace) shown() (Stats, error) {
	durable := s.durable()
	full := s.full()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lost(); err != nil {
		return Stats{}, wrap(s.job.ID, err)
	}
	stats := s.tally
	if n := s.passed(durable); n > 0 {
		stats = s.recent[n-1].stats
	}
	stats.Waiting = full != nil
	return stats, nil
}

// measure gets the figures of the frontier if there is one. The caller holds
// turn.
func (s *fileSpace) measure(ctx context.Context) error {
	if s.frontier == nil {
		return nil
	}
	stats, err := s.frontier.inner.Stats(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.tally.Crawl = stats
	s.mu.Unlock()
	return nil
}
