// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/curlew/job"
)

// space implements [job.Space].
type space struct {
	store *Store
	id    string

	troubled atomic.Bool // the database did not answer a call

	mu    sync.Mutex
	bound *claim // guarded by mu; the claim of this space, once it has one; a lost one stays
}

// claim returns the claim of the space. The first call takes the job, unless this
// process holds it already.
func (s *space) claim(ctx context.Context) (*claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == nil {
		c, err := s.store.claim(ctx, s.id)
		if err != nil {
			return nil, s.trouble(err)
		}
		s.bound = c
	}
	return s.bound, s.bound.lost()
}

// trouble returns err, and notes whether the database did not answer, so that the job does
// not fail for that.
func (s *space) trouble(err error) error {
	if errors.Is(err, job.ErrStorage) && passes(err) {
		s.troubled.Store(true)
	}
	return err
}

// Append implements [job.Space]. Items of the kind [job.Input] can be added by any
// process, others only by the one that holds the job. If the connection breaks
// while a process that does not hold the job adds inputs, it is unknown whether
// they were added.
func (s *space) Append(ctx context.Context, items ...job.Item) error {
	if err := s.store.check(ctx); err != nil {
		return wrap(s.id, err)
	}
	if err := job.CheckItems(items); err != nil {
		return wrap(s.id, err)
	}
	if inputs(items) {
		return wrap(s.id, s.appended(ctx, s.insertInputs(ctx, s.store.pool, items)))
	}
	c, err := s.claim(ctx)
	if err != nil {
		return wrap(s.id, s.reason(ctx, err))
	}
	w := &write{items: items}
	if err := c.put(w); err != nil { //nolint:contextcheck // a write outlives its caller
		return wrap(s.id, s.reason(ctx, err))
	}
	return wrap(s.id, s.reason(ctx, w.wait(ctx)))
}

// inputs reports whether all items are inputs and there is one.
func inputs(items []job.Item) bool {
	for i := range items {
		if items[i].Kind != job.Input {
			return false
		}
	}
	return len(items) > 0
}

// errNotRunning means that a job has ended or does not exist.
var errNotRunning = errors.New("job is not running")

// insertInputs adds inputs to a job, whichever process holds it. If the job is not
// running, it returns errNotRunning.
func (s *space) insertInputs(ctx context.Context, q querier, items []job.Item) error {
	m := merge([]*write{{items: copied(items)}})
	tag, err := q.Exec(ctx, `with j as (update curlew.job set `+adding+` where id = $1 and state = 'running' returning n),
		i as (`+inserting+`) select from j`, s.id, m.counts, m.cost, m.kinds, m.back, m.costs, m.inputs, m.data, m.blob, m.parts)
	if err == nil && tag.RowsAffected() == 0 {
		return errNotRunning
	}
	return storage(err)
}

// appended tells others of inputs that were added. If err is errNotRunning, it
// returns the reason. It must not be called within a transaction, because it uses
// another connection.
func (s *space) appended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		s.store.notify(s.id)
	case errors.Is(err, errNotRunning):
		return s.store.writeError(ctx, s.id)
	}
	return err
}

// reason returns err, or [job.ErrNotFound] if the job has expired since it ended.
func (s *space) reason(ctx context.Context, err error) error {
	if errors.Is(err, job.ErrEnded) {
		return s.store.writeError(ctx, s.id)
	}
	return err
}

// Items implements [job.Space].
func (s *space) Items(ctx context.Context, kind job.ItemKind, from, limit int) ([]job.Item, error) {
	if err := s.store.check(ctx); err != nil {
		return nil, wrap(s.id, err)
	}
	if int(kind) >= len(job.Stats{}.Items) || from < 0 {
		return nil, wrap(s.id, fmt.Errorf("%w: there are no items of kind %d from number %d", job.ErrInvalid, kind, from))
	}
	var most *int
	if limit >= 0 {
		most = &limit
	}
	var b pgx.Batch
	var there bool
	var list []job.Item
	var aways []away
	b.Queue(`select exists (select from curlew.job where id = $1 and `+present+`)`, s.id).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
	b.Queue(`select cost, input, data, blob::text, part from curlew.item where job = $1 and kind = $2 and n >= $3 order by n limit $4`,
		s.id, int16(kind), from, most).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			it := job.Item{Kind: kind}
			var object *string
			var part []byte
			if err := rows.Scan(&it.Cost, &it.Input, &it.Data, &object, &part); err != nil {
				return err
			}
			if object != nil {
				a := away{at: len(list), blob: *object}
				it.Data = nil
				if err := a.UnmarshalBinary(part); err != nil {
					it.Err = fmt.Errorf("%w: %w", job.ErrCorrupt, err)
				} else {
					aways = append(aways, a)
				}
			}
			list = append(list, it)
		}
		return rows.Err()
	})
	if err := s.store.pool.SendBatch(ctx, &b).Close(); err != nil {
		return nil, wrap(s.id, s.trouble(storage(err)))
	}
	if !there {
		return nil, wrap(s.id, job.ErrNotFound)
	}
	if err := s.store.fetch(ctx, s.id, list, aways); err != nil {
		return nil, wrap(s.id, s.trouble(storage(err)))
	}
	for i := range list {
		if list[i].Err == nil {
			continue
		}
		if err := s.store.writeError(ctx, s.id); errors.Is(err, job.ErrNotFound) || errors.Is(err, job.ErrStorage) { // it was removed with the job, or may have been
			return nil, wrap(s.id, err)
		}
		break
	}
	return list, nil
}

// Stats implements [job.Space]. In a process that does not hold the job, the
// figures of the frontier are those after its last commit.
func (s *space) Stats(ctx context.Context) (job.Stats, error) {
	if err := s.store.check(ctx); err != nil {
		return job.Stats{}, wrap(s.id, err)
	}
	c := s.store.claimed(s.id)
	if c == nil || c.lost() != nil {
		stats, err := s.stats(ctx)
		return stats, wrap(s.id, err)
	}
	if err := c.take(ctx); err != nil {
		return job.Stats{}, wrap(s.id, err)
	}
	defer c.release()
	if err := c.flush(ctx); err != nil && ctx.Err() != nil {
		return job.Stats{}, wrap(s.id, err)
	}
	stats, err := s.stats(ctx)
	if err == nil && c.frontier != nil && c.lost() == nil {
		stats.Crawl, err = c.frontier.inner.Stats(ctx)
	}
	return stats, wrap(s.id, err)
}

// stats returns the figures in the database.
func (s *space) stats(ctx context.Context) (job.Stats, error) {
	var stats job.Stats
	var n []int64
	var crawl []byte
	err := s.store.pool.QueryRow(ctx, `select n, cost, crawl from curlew.job where id = $1 and `+present, s.id).Scan(&n, &stats.Cost, &crawl)
	if errors.Is(err, pgx.ErrNoRows) {
		return job.Stats{}, job.ErrNotFound
	}
	if err != nil {
		return job.Stats{}, s.trouble(storage(err))
	}
	for kind := range min(len(n), len(stats.Items)) {
		stats.Items[kind] = int(n[kind])
	}
	if crawl != nil {
		if err := json.Unmarshal(crawl, &stats.Crawl); err != nil {
			return job.Stats{}, fmt.Errorf("%w: %w", job.ErrCorrupt, err)
		}
	}
	return stats, nil
}

// End implements [job.Space]. Any process may end a job as [job.Cancelled], but
// only the one that holds it knows that it has completed or failed. While the database does
// not answer to that process, it tries again for the time of a lease. Then it leaves the
// job to any process, and returns [job.ErrElsewhere]. It does the same for a job that
// failed after the database did not answer a call of this space, because it may have failed
// for that.
func (s *space) End(ctx context.Context, state job.State, reason string) error {
	if err := s.store.check(ctx); err != nil {
		return wrap(s.id, err)
	}
	if !state.Final() {
		return wrap(s.id, fmt.Errorf("%w: end in state %q", job.ErrInvalid, state))
	}
	c := s.store.claimed(s.id)
	if state == job.Failed && s.troubled.Load() {
		if c != nil {
			c.fail(errTrouble)
		}
		return wrap(s.id, errTrouble)
	}
	if state != job.Cancelled {
		var err error
		if c, err = s.claim(ctx); err != nil && (c == nil || !unwritable(state, err)) {
			return wrap(s.id, s.reason(ctx, err))
		}
	}
	if c == nil || c.lost() != nil && state == job.Cancelled {
		return wrap(s.id, s.end(ctx, nil, state, reason))
	}
	if err := c.take(ctx); err != nil {
		return wrap(s.id, err)
	}
	defer c.release()
	return wrap(s.id, s.end(ctx, c, state, reason))
}

// errTrouble is why a job is left that failed after the database did not answer.
var errTrouble = fmt.Errorf("%w: the work ended because the database did not answer", job.ErrElsewhere)

// unwritable reports whether a job ends as failed because the database refuses
// what the job writes, so that no other process could go on either.
func unwritable(state job.State, err error) bool {
	return state == job.Failed && errors.Is(err, job.ErrStorage) && !errors.Is(err, job.ErrElsewhere)
}

// end ends the job. If c is not nil, this process holds the job, and the caller
// has the turn of c.
func (s *space) end(ctx context.Context, c *claim, state job.State, reason string) error {
	var figures []byte
	var epoch *int64
	if c != nil {
		if err := c.flush(ctx); err != nil && !unwritable(state, err) && (state != job.Cancelled || !errors.Is(err, job.ErrElsewhere)) {
			return s.reason(ctx, err)
		}
		if c.frontier != nil {
			// The end is more important than the figures. After an error, the
			// last ones stay.
			if stats, err := c.frontier.inner.Stats(ctx); err == nil {
				figures, _ = json.Marshal(stats)
			}
		}
		if state != job.Cancelled {
			epoch = &c.epoch
		}
	}
	// Several callers may wait for this end, so the ctx of one must not cancel it.
	free := context.WithoutCancel(ctx)
	tag, err := s.patient(free, c, `update curlew.job set state = $2, err = $3, ended = now(), expires = `+expiry+`, crawl = coalesce($4, crawl), holder = null
		where id = $1 and state = 'running' and ($5::bigint is null or epoch = $5)`, s.id, string(state), text(reason), figures, epoch)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return s.store.writeError(free, s.id)
	}
	if c != nil {
		c.fail(job.ErrEnded)
		if c.frontier != nil {
			_ = c.frontier.inner.Close()
			c.frontier = nil
		}
		s.store.drop(c)
	}
	s.store.notify(s.id)
	return nil
}

// patient executes a statement. If c is not nil, it tries again while the database does not
// answer, for the time of a lease, and then ends c with [job.ErrElsewhere].
func (s *space) patient(ctx context.Context, c *claim, sql string, args ...any) (pgconn.CommandTag, error) {
	deadline := time.Now().Add(s.store.lease)
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		tag, err := s.store.pool.Exec(ctx, sql, args...)
		switch {
		case err == nil, c == nil, !passes(err):
			return tag, storage(err)
		case s.store.alive.Err() != nil:
			return tag, job.ErrClosed
		case time.Now().After(deadline):
			err = fmt.Errorf("%w: %w", job.ErrElsewhere, storage(err))
			c.fail(err)
			return tag, err
		}
		pause(ctx, wait)
	}
}

// Settled implements [job.Settler].
func (s *space) Settled(ctx context.Context) ([]int, error) {
	if err := s.store.check(ctx); err != nil {
		return nil, wrap(s.id, err)
	}
	rows, err := s.store.pool.Query(ctx, `select distinct input from curlew.item where job = $1 and input > 0`, s.id)
	if err != nil {
		return nil, wrap(s.id, s.trouble(storage(err)))
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[int])
	return list, wrap(s.id, s.trouble(storage(err)))
}

// Changed implements [job.Notifier].
func (s *space) Changed() <-chan struct{} { return s.store.changed(s.id) }

// mostCrashes is how many processes in succession may die while they hold a job and
// before they write anything to it.
const mostCrashes = 5

// Begin implements [job.Attempter]. It returns [job.ErrCrashed] if five processes
// in succession have died while they held the job and before they wrote anything
// to it, so that one job cannot end all processes again and again.
func (s *space) Begin() (begun func(), err error) {
	if c := s.store.claimed(s.id); c != nil && c.crashes >= mostCrashes {
		return nil, wrap(s.id, job.ErrCrashed)
	}
	return func() {}, nil
}

// Attempt implements [job.Attempter]. Attempts of single items are not recorded.
func (s *space) Attempt(context.Context, uint64) (done func(), err error) { return func() {}, nil }
