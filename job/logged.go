// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"sync"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/internal/journal"
)

// logged is the frontier of a job in its journal. It uses crawl's frontier on
// top of the journal. A commit and its items are one frame.
type logged struct {
	inner frontier.Frontier
	space *fileSpace
	log   *frontierLog
	once  sync.Once
}

// frontierLog is the journal as crawl sees it: only crawl's own heads. Crawl
// appends only in Commit, while the space's turn is held.
type frontierLog struct {
	*journal.Log
	commit *frontier.Commit // being written; nil if there is none
	before sums             // of all frames before it
	pos    int64            // position of the written frame
	buf    []byte
}

// Append implements [frontier.Log].
func (l *frontierLog) Append(head, blob []byte) (int64, error) {
	if l.commit == nil { // the kickoff
		return l.Log.Append(head, blob)
	}
	l.buf = appendCommit(l.buf[:0], l.before, l.commit)
	tag := len(l.buf)
	l.buf = append(l.buf, head...)
	if l.commit.Outcome != frontier.Delivered && l.commit.Outcome != frontier.Failed {
		blob = nil // no item has this blob
	}
	pos, err := l.AppendTagged(l.buf, tag, blob)
	l.commit, l.pos = nil, pos
	return pos, err
}

// Head implements [frontier.Log].
func (l *frontierLog) Head(pos int64) ([]byte, error) {
	head, err := l.Log.Head(pos)
	if err != nil {
		return nil, err
	}
	return crawlHead(head)
}

// Replay implements [frontier.Log].
func (l *frontierLog) Replay(visit func(pos int64, head []byte) error) error {
	return l.Log.Replay(func(pos int64, head []byte) error {
		own, err := crawlHead(head)
		if err != nil || own == nil {
			return err
		}
		return visit(pos, own)
	})
}

// Frontier implements [Space]. Reading a long crawl takes some time. Other
// calls do not wait for it, because the turn is free meanwhile.
func (s *fileSpace) Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error) {
	if err := s.takeRunning(ctx); err != nil {
		return nil, err
	}
	if s.frontier != nil || s.opening {
		s.release()
		return nil, wrap(s.job.ID, ErrOpen)
	}
	s.opening = true
	log := &frontierLog{Log: s.log}
	s.release()
	inner, err := frontier.OpenFrontier(log, o)

	s.turn <- struct{}{}
	defer s.release()
	s.opening = false
	if err != nil {
		return nil, s.failed(err)
	}
	s.mu.Lock()
	err = s.lost()
	if err == nil && s.job.State.Final() {
		err = ErrEnded
	}
	s.mu.Unlock()
	if err != nil {
		_ = inner.Close()
		return nil, wrap(s.job.ID, err)
	}
	s.frontier = &logged{inner: inner, space: s, log: log}
	if err := s.measure(ctx); err != nil {
		return nil, wrap(s.job.ID, err)
	}
	return s.frontier, nil
}

// Lease implements [frontier.Frontier].
func (r *logged) Lease(ctx context.Context, limit int) ([]frontier.Lease, error) {
	leases, err := r.inner.Lease(ctx, limit)
	return leases, diskError(err)
}

// Commit implements [frontier.Frontier]. Each commit and its items are one change.
// If the disk is full, it returns [ErrFull] and changes nothing.
func (r *logged) Commit(ctx context.Context, commits ...frontier.Commit) error {
	r.read(commits)
	if err := r.log.Full(); err != nil {
		return r.space.failed(err)
	}
	if err := r.space.takeRunning(ctx); err != nil {
		return err
	}
	defer r.space.release()
	if r.space.frontier != r {
		return frontier.ErrClosed
	}
	for i := range commits {
		if err := r.commit(ctx, &commits[i]); err != nil {
			return diskError(err)
		}
		r.settled(&commits[i])
	}
	return nil
}

// read records that pages have been processed completely. It does so before
// they are written: a process that is killed afterwards was not crashed by
// them. A page that is only held has been fetched, and is processed next.
func (r *logged) read(commits []frontier.Commit) {
	if r.space.tries == nil {
		return
	}
	for i := range commits {
		if l := &commits[i].Lease; l.Task == frontier.PageTask && commits[i].Outcome != frontier.Held {
			r.space.tries.end(l.Seq)
		}
	}
}

// settled records that a page of the job has ended.
func (r *logged) settled(c *frontier.Commit) {
	if c.Lease.Task != frontier.PageTask || r.space.tries == nil {
		return
	}
	switch c.Outcome {
	case frontier.Delivered, frontier.Failed, frontier.Dropped, frontier.Duplicate:
		r.space.tries.commit()
	}
}

// commit ends one lease. The caller holds turn.
func (r *logged) commit(ctx context.Context, c *frontier.Commit) error {
	items, cost := CommitItems(c)
	if err := CheckItems(items); err != nil {
		return wrap(r.space.job.ID, err)
	}
	r.log.commit, r.log.before = c, r.space.sums()
	err := r.inner.Commit(ctx, *c)
	written := r.log.commit == nil
	r.log.commit = nil
	if err != nil {
		return err
	}
	if !written { // a robots.txt or a retry, which the frontier does not keep across restarts
		if len(items) == 0 && cost == 0 {
			return nil
		}
		return r.space.append(r.log.Log, cost, items)
	}
	stats, err := r.inner.Stats(ctx)
	if err != nil {
		return err
	}
	r.space.wrote(r.log.pos, items, cost, &stats)
	return nil
}

// Stats implements [frontier.Frontier].
func (r *logged) Stats(ctx context.Context) (frontier.Stats, error) { return r.inner.Stats(ctx) }

// Close implements [frontier.Frontier]. Afterwards the job may open another one,
// which continues where this one ended.
func (r *logged) Close() error {
	err := r.inner.Close()
	r.once.Do(func() {
		r.space.turn <- struct{}{}
		defer r.space.release()
		if r.space.frontier == r {
			r.space.frontier = nil
		}
	})
	return err
}
