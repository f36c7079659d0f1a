// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
)

const (
	mostQueued = 8 << 20 // bytes that wait to be written before commits wait, too
	mostMerged = 4 << 20 // bytes that one transaction writes, unless a single write has more
)

// claim is this process's hold of one job. It writes to the job in the order in
// which writes were queued. Everything that is queued while a transaction is
// under way is written by the next one.
//
// Two values make the writes exact. The epoch is the fencing token: a write of
// a process that has lost the job changes nothing. The number written counts the
// transactions, so that one whose answer was lost is not repeated if it was
// committed.
type claim struct {
	store   *Store
	id      string
	epoch   int64
	crashes int          // holders that have died in succession without a write
	stored  atomic.Int64 // number of the last record of the frontier that is in the database

	// turn is held for a commit of the frontier, the end of the job, and the
	// reading of figures. It is a channel, so that a caller can stop waiting for it.
	turn     chan struct{}
	frontier *crawl // guarded by turn; nil if it is not open
	opening  bool   // guarded by turn; the frontier is being opened
	records  int64  // guarded by turn; number of the last record of the frontier

	mu      sync.Mutex
	written int64    // guarded by mu; transactions that were committed
	queue   []*write // guarded by mu; not yet being written
	size    int      // guarded by mu; bytes in the queue
	busy    bool     // guarded by mu; a goroutine writes
	fault   error    // guarded by mu; why nothing more can be written, or nil
	gone    chan struct{}
}

// write is what one call adds to a job.
type write struct {
	items []job.Item
	cost  int // in addition to the cost of the items
	heads []head
	crawl *frontier.Stats // new figures of the frontier, or nil
	size  int
	done  chan struct{} // closed when it is written or has failed
	err   error         // set before done is closed
}

// head is a record of the frontier.
type head struct {
	n int64
	b []byte
}

func newClaim(s *Store, id string, epoch, written, records int64, crashes int) *claim {
	c := &claim{
		store: s, id: id, epoch: epoch, crashes: crashes,
		written: written, records: records, turn: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	c.stored.Store(records)
	return c
}

// take waits for the turn.
func (c *claim) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *claim) release() { <-c.turn }

// lost returns why nothing more can be written, or nil.
func (c *claim) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// fail ends the claim. Calls that wait for the frontier return.
func (c *claim) fail(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failLocked(cause)
}

// failLocked is fail for callers that hold mu.
func (c *claim) failLocked(cause error) {
	if c.fault != nil {
		return
	}
	c.fault = cause
	close(c.gone)
	if !c.busy {
		c.refuse()
	}
	if errors.Is(cause, job.ErrElsewhere) {
		c.store.logger.Warn("a job is left to another process", slog.String("job", c.id), slog.Any("err", cause))
	}
}

// refuse fails everything that is queued. The caller holds mu.
func (c *claim) refuse() {
	for _, w := range c.queue {
		w.err = c.fault
		close(w.done)
	}
	c.queue, c.size = nil, 0
}

// verify ends the claim if another process has ended or taken the job.
func (c *claim) verify(ctx context.Context) {
	var epoch int64
	var state job.State
	err := c.store.pool.QueryRow(ctx, `select epoch, state from curlew.job where id = $1`, c.id).Scan(&epoch, &state)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		c.fail(job.ErrNotFound)
	case err != nil: // the next write finds out
	case state.Final():
		c.fail(job.ErrEnded)
	case epoch != c.epoch:
		c.fail(job.ErrElsewhere)
	}
}

// leave writes what is queued and ends the claim, because the store is closed.
func (c *claim) leave(ctx context.Context) {
	_ = c.flush(ctx)
	c.fail(job.ErrClosed)
}

// put queues a write. It copies the data of the items.
func (c *claim) put(w *write) error {
	w.done = make(chan struct{})
	w.items = copied(w.items)
	for i := range w.items {
		w.size += len(w.items[i].Data) + 64
	}
	for i := range w.heads {
		w.size += len(w.heads[i].b) + 32
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault != nil {
		return c.fault
	}
	c.queue = append(c.queue, w)
	c.size += w.size
	if !c.busy {
		c.busy = true
		go c.drain()
	}
	return nil
}

// copied returns items with data of their own, which is never nil.
func copied(items []job.Item) []job.Item {
	items = slices.Clone(items)
	for i := range items {
		items[i].Data = append([]byte{}, items[i].Data...)
	}
	return items
}

// wait waits until w is written.
func (w *write) wait(ctx context.Context) error {
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// flush waits until everything that was queued before is written.
func (c *claim) flush(ctx context.Context) error {
	c.mu.Lock()
	idle := !c.busy && c.fault == nil
	c.mu.Unlock()
	if idle {
		return nil
	}
	w := &write{}
	if err := c.put(w); err != nil { //nolint:contextcheck // a write outlives its caller
		return err
	}
	return w.wait(ctx)
}

// full reports whether commits must wait for w.
func (c *claim) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size > mostQueued
}

// drain writes the queue until it is empty.
func (c *claim) drain() {
	for {
		c.mu.Lock()
		if c.fault != nil {
			c.refuse()
		}
		if len(c.queue) == 0 {
			c.busy = false
			c.mu.Unlock()
			return
		}
		n, size := 0, 0
		for n < len(c.queue) && (n == 0 || size+c.queue[n].size <= mostMerged) {
			size += c.queue[n].size
			n++
		}
		now := c.queue[:n:n]
		c.queue, c.size = c.queue[n:], c.size-size
		written := c.written
		c.mu.Unlock()

		m := merge(now)
		var err error
		if !m.empty() {
			if err = c.store.write(c, written, m); err == nil {
				if n := len(m.numbers); n > 0 {
					c.stored.Store(m.numbers[n-1])
				}
				c.store.notify(c.id)
			}
		}
		c.mu.Lock()
		switch {
		case err != nil:
			c.failLocked(err)
			err = c.fault
		case !m.empty():
			c.written++
		}
		c.mu.Unlock()
		for _, w := range now {
			w.err = err
			close(w.done)
		}
	}
}

// merged is the content of one transaction, in columns.
type merged struct {
	counts  []int64 // items, by kind
	cost    int64
	crawl   *frontier.Stats
	kinds   []int16
	back    []int64 // number of items of the kind from this one on, including it
	costs   []int32
	inputs  []int32
	data    [][]byte
	parts   [][]byte // where data is in the object blob; nil if it is in data, or nothing is in an object
	blob    *string  // object with data of the items; nil if there is none
	numbers []int64
	heads   [][]byte
}

func (m *merged) empty() bool {
	return len(m.kinds) == 0 && len(m.heads) == 0 && m.cost == 0 && m.crawl == nil
}

func merge(all []*write) *merged {
	m := &merged{counts: make([]int64, len(job.Stats{}.Items))}
	for _, w := range all {
		m.cost += int64(w.cost)
		if w.crawl != nil {
			m.crawl = w.crawl
		}
		m.add(w.items)
		for _, h := range w.heads {
			m.numbers, m.heads = append(m.numbers, h.n), append(m.heads, h.b)
		}
	}
	left := append([]int64(nil), m.counts...)
	for i, k := range m.kinds {
		m.back[i] = left[k]
		left[k]--
	}
	return m
}

func (m *merged) add(items []job.Item) {
	for i := range items {
		it := &items[i]
		m.counts[it.Kind]++
		m.cost += int64(it.Cost)
		m.kinds = append(m.kinds, int16(it.Kind))
		m.back = append(m.back, 0)
		m.costs = append(m.costs, int32(it.Cost))    //nolint:gosec // CheckItems has limited both
		m.inputs = append(m.inputs, int32(it.Input)) //nolint:gosec // likewise
		m.data = append(m.data, it.Data)
	}
}

// adding adds the counters $2 (items by kind) and $3 (cost) to the row of a job.
const adding = `n = array(select coalesce(a, 0) + coalesce(b, 0) from unnest(n, $2::bigint[]) with ordinality u(a, b, o) order by o), cost = cost + $3`

// inserting inserts items. The place of an item follows from the counter of its
// kind in the row of the job, which is locked.
const inserting = `insert into curlew.item (job, kind, n, cost, input, data, blob, part)
	select $1, u.kind, j.n[u.kind + 1] - u.back, u.cost, u.input, u.data, case when u.part is not null then $9::uuid end, u.part
	from j, unnest($4::smallint[], $5::bigint[], $6::int[], $7::int[], $8::bytea[], $10::bytea[]) u(kind, back, cost, input, data, part)`

// write writes m to the job of c in one transaction, if c still holds it and has
// written as many transactions as it believes. While the database does not
// answer, it tries again for the time of a lease. Then this process gives up the
// job, and any process can take it over.
func (s *Store) write(c *claim, written int64, m *merged) error {
	var figures []byte
	if m.crawl != nil {
		var err error
		if figures, err = json.Marshal(m.crawl); err != nil {
			return err
		}
	}
	deadline := time.Now().Add(s.lease)
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		ctx, cancel := context.WithTimeout(s.alive, s.lease)
		tag, err := s.attempt(ctx, c, written, figures, m)
		cancel()
		switch {
		case err == nil && tag.RowsAffected() == 1:
			return nil
		case err == nil:
			var final bool
			if err, final = s.unwritten(c, written); final {
				return err
			}
		case noPartition(err): // its day was dropped, because the clock of the process that created the job is late
			s.days.Delete(dayOf(c.id))
			if err := s.partition(s.alive, c.id); err != nil && !passes(err) {
				return storage(err)
			}
		case !passes(err):
			return storage(err)
		}
		if s.alive.Err() != nil {
			return job.ErrClosed
		}
		if time.Now().After(deadline) {
			// Whether the last attempt was committed is unknown. The next holder
			// reads what there is.
			return fmt.Errorf("%w: no write succeeded for the %v of the lease: %w", job.ErrElsewhere, s.lease, storage(err))
		}
		s.logger.Warn("a write is tried again", slog.String("job", c.id), slog.Any("err", err))
		pause(s.alive, wait)
	}
}

// attempt is one attempt of write. What it puts into an object is used again by the next
// attempt.
func (s *Store) attempt(ctx context.Context, c *claim, written int64, figures []byte, m *merged) (pgconn.CommandTag, error) {
	if s.blobs != nil {
		if err := s.blobs.offload(ctx, c.id, m); err != nil {
			return pgconn.CommandTag{}, err
		}
	}
	return s.pool.Exec(ctx, `with j as (
			update curlew.job set written = $13 + 1, crawl = coalesce($14, crawl), `+adding+`
			where id = $1 and epoch = $15 and written = $13 and state = 'running' returning n),
		i as (`+inserting+`),
		r as (insert into curlew.record (job, n, head) select $1, u.n, u.head from j, unnest($11::bigint[], $12::bytea[]) u(n, head))
		select from j`,
		c.id, m.counts, m.cost, m.kinds, m.back, m.costs, m.inputs, m.data, m.blob, m.parts, m.numbers, m.heads, written, figures, c.epoch)
}

// unwritten returns why a write changed nothing. The error is nil if an earlier
// attempt was committed and only its answer was lost. If the reason could not be
// read from the database, final is false.
func (s *Store) unwritten(c *claim, written int64) (err error, final bool) {
	ctx, cancel := context.WithTimeout(s.alive, s.lease)
	defer cancel()
	var epoch, have int64
	var state job.State
	err = s.pool.QueryRow(ctx, `select epoch, written, state from curlew.job where id = $1`, c.id).Scan(&epoch, &have, &state)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return job.ErrNotFound, true
	case err != nil:
		return err, false
	case epoch == c.epoch && have == written+1:
		return nil, true
	case state.Final():
		return job.ErrEnded, true
	}
	return job.ErrElsewhere, true
}
