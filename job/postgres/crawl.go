// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
)

// crawl is the frontier of a job. It uses a frontier of package frontier whose log is
// in the database. A commit, its items and its counters are one write, and are
// therefore in one transaction.
type crawl struct {
	inner frontier.Frontier
	claim *claim
	log   *crawlLog
	once  sync.Once
}

// Frontier implements [job.Space]. This process takes the job unless it holds it.
func (s *space) Frontier(ctx context.Context, o frontier.Options) (frontier.Frontier, error) {
	if err := s.store.check(ctx); err != nil {
		return nil, wrap(s.id, err)
	}
	c, err := s.claim(ctx)
	if err != nil {
		return nil, wrap(s.id, s.trouble(s.reason(ctx, err)))
	}
	if err := c.take(ctx); err != nil {
		return nil, wrap(s.id, err)
	}
	if c.frontier != nil || c.opening {
		c.release()
		return nil, wrap(s.id, job.ErrOpen)
	}
	if err := c.flush(ctx); err != nil {
		c.release()
		return nil, wrap(s.id, s.trouble(s.reason(ctx, err)))
	}
	c.opening = true
	log := &crawlLog{space: s, claim: c, next: c.records + 1, blocks: map[int64]*list.Element{}, most: s.store.mostHeld}
	c.release() // reading a long crawl takes some time, and other calls need not wait for it
	var inner frontier.Frontier
	if err = s.store.drain(ctx, c, o.Delay); err == nil {
		inner, err = frontier.OpenFrontier(log, o)
	}

	c.turn <- struct{}{}
	defer c.release()
	c.opening = false
	if err != nil {
		return nil, wrap(s.id, s.trouble(err))
	}
	f := &crawl{inner: inner, claim: c, log: log}
	stats, err := inner.Stats(ctx)
	if err == nil {
		w := &write{heads: log.taken(), crawl: &stats}
		if err = c.put(w); err == nil { //nolint:contextcheck // a write outlives its caller
			err = w.wait(context.WithoutCancel(ctx))
		}
	}
	if err != nil {
		_ = inner.Close()
		return nil, wrap(s.id, s.trouble(s.reason(ctx, err)))
	}
	c.frontier, c.records = f, log.next-1
	return f, nil
}

// Lease implements [frontier.Frontier]. It returns io.EOF only when all commits are
// in the database.
func (f *crawl) Lease(ctx context.Context, limit int) ([]frontier.Lease, error) {
	if err := f.claim.lost(); err != nil {
		return nil, wrap(f.claim.id, err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-f.claim.gone:
			stop(wrap(f.claim.id, f.claim.lost()))
		case <-ended:
		}
	}()
	leases, err := f.inner.Lease(ctx, limit)
	if errors.Is(err, io.EOF) {
		if lost := f.claim.flush(ctx); lost != nil {
			return nil, wrap(f.claim.id, lost)
		}
	}
	return leases, err
}

// Commit implements [frontier.Frontier]. It returns before the commits are in the
// database. They are visible to readers, and survive this process, as soon as the
// next transaction has written them.
func (f *crawl) Commit(ctx context.Context, commits ...frontier.Commit) error {
	c := f.claim
	if err := c.take(ctx); err != nil {
		return wrap(c.id, err)
	}
	defer c.release()
	for i := range commits {
		if err := f.commit(ctx, &commits[i]); err != nil {
			return err
		}
	}
	return nil
}

// commit ends one lease. The caller holds the turn.
func (f *crawl) commit(ctx context.Context, cm *frontier.Commit) error {
	c := f.claim
	if err := c.lost(); err != nil {
		return wrap(c.id, err)
	}
	items, cost := job.CommitItems(cm)
	if err := job.CheckItems(items); err != nil {
		return wrap(c.id, err)
	}
	if err := f.inner.Commit(ctx, *cm); err != nil {
		return err
	}
	w := &write{items: items, cost: cost, heads: f.log.taken()}
	c.records = f.log.next - 1
	if len(w.heads) == 0 && len(items) == 0 && cost == 0 {
		return nil // a robots.txt or a retry, which the frontier does not keep
	}
	stats, err := f.inner.Stats(ctx)
	if err != nil {
		return err
	}
	w.crawl = &stats
	if err := c.put(w); err != nil { //nolint:contextcheck // a write outlives its caller
		return wrap(c.id, err)
	}
	if c.full() {
		return wrap(c.id, w.wait(context.WithoutCancel(ctx)))
	}
	return nil
}

// Stats implements [frontier.Frontier].
func (f *crawl) Stats(ctx context.Context) (frontier.Stats, error) { return f.inner.Stats(ctx) }

// Close implements [frontier.Frontier]. Afterwards the job may open another one,
// which continues where this one ended. The error says why something could not be
// written.
func (f *crawl) Close() error {
	err := f.inner.Close()
	f.once.Do(func() {
		c := f.claim
		c.turn <- struct{}{}
		defer c.release()
		if c.frontier == f {
			c.frontier = nil
			if flushed := c.flush(c.store.alive); err == nil {
				err = wrap(c.id, flushed)
			}
		}
	})
	return err
}

// crawlLog implements [frontier.Log]. A position is the number of a record. Package
// frontier calls one method at a time, in Commit and Lease.
type crawlLog struct {
	space *space
	claim *claim
	next  int64  // number of the next record
	fresh []head // records that were added and not queued yet

	// Records in memory are in blocks of neighbors, because the pages that a crawl leases
	// one after the other were mostly found one after the other. Records that are not yet
	// in the database are always in memory.
	most   int // maximum number of bytes in memory of records that are in the database, too
	mu     sync.Mutex
	blocks map[int64]*list.Element // guarded by mu; by their number
	recent list.List               // guarded by mu; the blocks, the one that was used last first
	held   int                     // guarded by mu; bytes of all blocks
}

// block is blockSize records, from number*blockSize on. Those that are not in memory are
// nil.
type block struct {
	number int64
	heads  [blockSize][]byte
	held   int // bytes
}

const (
	mostHeld  = 64 << 20 // bytes of records in memory
	blockSize = 64
	readAhead = 1024 // records that a replay reads at once
)

// Append implements [frontier.Log].
func (l *crawlLog) Append(b, _ []byte) (int64, error) {
	n := l.next
	l.next++
	h := head{n, append([]byte(nil), b...)}
	l.fresh = append(l.fresh, h)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold(h)
	l.evict()
	return n, nil
}

// taken returns the records that were added since the last call.
func (l *crawlLog) taken() []head {
	fresh := l.fresh
	l.fresh = nil
	return fresh
}

// block returns a block that is in memory, or nil. The caller holds mu.
func (l *crawlLog) block(number int64) *block {
	at := l.blocks[number]
	if at == nil {
		return nil
	}
	l.recent.MoveToFront(at)
	return at.Value.(*block)
}

// hold keeps a record in memory. The caller holds mu.
func (l *crawlLog) hold(h head) {
	number := h.n / blockSize
	k := l.block(number)
	if k == nil {
		k = &block{number: number}
		l.blocks[number] = l.recent.PushFront(k)
	}
	if place := &k.heads[h.n%blockSize]; *place == nil {
		*place = h.b
		k.held += len(h.b)
		l.held += len(h.b)
	}
}

// evict drops the blocks that were not used for the longest time while there are too many
// bytes, but not the block that was used last, and none with a record that is not yet in the
// database. The caller holds mu.
func (l *crawlLog) evict() {
	stored := l.claim.stored.Load()
	for at := l.recent.Back(); at != l.recent.Front() && l.held > l.most; {
		k, before := at.Value.(*block), at.Prev()
		if (k.number+1)*blockSize-1 <= stored {
			l.held -= k.held
			delete(l.blocks, k.number)
			l.recent.Remove(at)
		}
		at = before
	}
}

// Head implements [frontier.Log].
func (l *crawlLog) Head(pos int64) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := pos / blockSize
	if k := l.block(number); k != nil && k.heads[pos%blockSize] != nil {
		return k.heads[pos%blockSize], nil
	}
	err := l.read(number*blockSize, blockSize, func(n int64, b []byte) error {
		if n/blockSize == number {
			l.hold(head{n, b})
		}
		return nil
	})
	if err != nil {
		return nil, wrap(l.claim.id, err)
	}
	l.evict()
	if k := l.block(number); k != nil && k.heads[pos%blockSize] != nil {
		return k.heads[pos%blockSize], nil
	}
	return nil, wrap(l.claim.id, fmt.Errorf("%w: record %d of the frontier is missing", job.ErrCorrupt, pos))
}

// read calls visit for at most limit records from n on. If the database does not
// answer, it tries again for the time of a lease, and then notes that the job must not
// fail for that.
func (l *crawlLog) read(n int64, limit int, visit func(n int64, b []byte) error) error {
	s := l.claim.store
	ctx, cancel := context.WithTimeout(s.alive, s.lease)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		list, err := l.records(ctx, n, limit)
		if err == nil {
			for _, h := range list {
				if err := visit(h.n, h.b); err != nil {
					return err
				}
			}
			return nil
		}
		switch {
		case s.alive.Err() != nil:
			return job.ErrClosed
		case !passes(err), ctx.Err() != nil:
			return l.space.trouble(fmt.Errorf("%w: read the frontier: %w", job.ErrStorage, err))
		}
		pause(ctx, wait)
	}
}

// records reads at most limit records from n on.
func (l *crawlLog) records(ctx context.Context, n int64, limit int) ([]head, error) {
	rows, err := l.claim.store.pool.Query(ctx, `select n, head from curlew.record where job = $1 and n >= $2 order by n limit $3`, l.claim.id, n, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h head, err error) {
		err = row.Scan(&h.n, &h.b)
		return h, err
	})
}

// Replay implements [frontier.Log].
func (l *crawlLog) Replay(visit func(pos int64, head []byte) error) error {
	for next := int64(1); ; {
		first := next
		err := l.read(next, readAhead, func(n int64, b []byte) error {
			if n != next {
				return fmt.Errorf("%w: record %d of the frontier is missing", job.ErrCorrupt, next)
			}
			next++
			return visit(n, b)
		})
		if err != nil {
			return err
		}
		if next-first < readAhead {
			return nil
		}
	}
}
