// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

const (
	// lookEvery is how often an idle process looks for tasks although it has received
	// no notification of one.
	lookEvery = 4 * time.Second

	mostTaken = 64 // tasks that are taken at once
	mostJobs  = 64 // jobs whose specifications are kept
)

// errDone is the cause that ends a task whose result is not wanted any more.
var errDone = errors.New("the task is not needed any more")

// errFenced ends the tasks of a process that cannot show that it lives.
var errFenced = errors.New("this process cannot reach the database, so others may do its tasks")

// helping is the state of [Store.Help]: the tasks that this process does for others.
type helping struct {
	store *Store
	job.Help
	wake chan struct{} // has a value if there may be tasks, or results to be written
	look chan struct{} // has a value if tasks may have been revoked

	needs needs

	mu    sync.Mutex
	doing map[key]context.CancelCauseFunc // guarded by mu; tasks in progress
	ready []outcome                       // guarded by mu; results that are not written yet
	jobs  map[string]*job.Job             // guarded by mu; some of the jobs of tasks
}

// outcome is the result of a task, which is empty if it was given up.
type outcome struct {
	key
	holder string
	result []byte
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// helper returns what the process does for others, or nil.
func (s *Store) helper() *helping {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.help
}

// reconcile makes the process look for tasks that were revoked.
func (s *Store) reconcile() {
	if h := s.helper(); h != nil {
		signal(h.look)
	}
}

// Help implements [job.Helper]. A store helps with one kind of tasks.
func (s *Store) Help(ctx context.Context, how job.Help) error {
	if err := s.check(ctx); err != nil {
		return wrap("", err)
	}
	if how.Kind == "" || text(how.Kind) != how.Kind || how.Most < 1 || how.Do == nil {
		return wrap("", fmt.Errorf("%w: help with %d tasks of the kind %q", job.ErrInvalid, how.Most, how.Kind))
	}
	h := &helping{
		store: s, Help: how, wake: make(chan struct{}, 1), look: make(chan struct{}, 1),
		doing: map[key]context.CancelCauseFunc{}, jobs: map[string]*job.Job{},
	}
	s.mu.Lock()
	busy := s.help != nil
	if !busy {
		s.help = h
	}
	s.mu.Unlock()
	if busy {
		return wrap("", fmt.Errorf("%w: the store helps already", job.ErrInvalid))
	}
	h.show(ctx)
	h.run(ctx)
	s.mu.Lock()
	s.help = nil
	s.mu.Unlock()
	h.show(context.WithoutCancel(ctx))
	return nil
}

// show tells the others what this process does for them now. If the database does not
// answer, the next sign of life does it.
func (h *helping) show(ctx context.Context) {
	s := h.store
	s.mu.Lock()
	s.shown++
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.lease/3)
	defer cancel()
	if err := s.beat(ctx); err != nil {
		signal(s.pulse)
	}
}

// run does tasks until ctx ends and those in progress have ended.
func (h *helping) run(ctx context.Context) {
	s := h.store
	free, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	var all sync.WaitGroup
	defer all.Wait()
	every := max(s.lease/10, time.Millisecond)
	guard := time.NewTicker(every)
	defer guard.Stop()
	var grace <-chan time.Time
	ended, limit := ctx.Done(), time.Now().Add(math.MaxInt64)
	h.needs = needs{tasks: true, check: true}
	for {
		if s.alive.Err() != nil || ctx.Err() != nil && (h.idle() || time.Now().After(limit)) {
			h.cancel(job.ErrClosed)
			return
		}
		again := h.round(free, &all, ctx.Err() != nil)
		if again {
			continue
		}
		look := time.NewTimer(lookEvery)
		select {
		case <-h.wake:
			h.needs.tasks = true
		case <-h.look:
			h.needs.check = true
		case <-look.C:
		case <-guard.C:
			if s.fenced(every) { // before the next tick
				h.cancel(errFenced)
			}
		case <-ended:
			ended, grace = nil, time.After(h.Grace)
			limit = time.Now().Add(h.Grace + s.lease) // if the database does not answer
		case <-grace:
			h.cancel(context.Cause(ctx))
		case <-s.alive.Done():
		}
		look.Stop()
	}
}

// needs says what the next round of a process that helps has to do. It is used by one
// goroutine.
type needs struct {
	tasks, check bool      // there may be new tasks, or revoked ones
	looked, seen time.Time // when the process last looked for new tasks, and for revoked ones
}

// idle reports whether nothing is in progress and every result is written.
func (h *helping) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.doing) == 0 && len(h.ready) == 0
}

// round exchanges tasks and results once, and pauses. It returns true if there
// probably are more tasks that this process could do now.
func (h *helping) round(ctx context.Context, all *sync.WaitGroup, leaving bool) (again bool) {
	s, began := h.store, time.Now()
	h.mu.Lock()
	doing, ready := len(h.doing), len(h.ready)
	h.mu.Unlock()
	n := 0
	if !leaving && (h.needs.tasks || began.Sub(h.needs.looked) >= lookEvery) && !s.fenced(0) {
		n = min(h.Most-doing, mostTaken)
	}
	var err error
	if h.needs.check || doing > 0 && began.Sub(h.needs.seen) >= s.lease/3 {
		if err = h.reconcile(ctx); err == nil {
			h.needs.check, h.needs.seen = false, began
		}
	}
	if err == nil && (n > 0 || ready > 0) {
		var got []taken
		if got, err = h.exchange(ctx, n); err != nil {
			h.needs.check = true // the answer may be lost
		}
		for _, t := range got {
			h.begin(ctx, all, t)
		}
		if n > 0 && err == nil {
			h.needs.looked, h.needs.tasks = began, len(got) == n
			again = h.needs.tasks
		}
	}
	rest := min(max(time.Since(began), leastPause), mostPause)
	if err != nil && s.alive.Err() == nil {
		s.logger.Warn("tasks of other processes were not exchanged", slog.Any("err", err))
		rest = 10 * mostPause
		signal(h.wake)
	}
	pause(s.alive, rest) //nolint:contextcheck // the store may be closed before ctx ends
	return again
}

// cancel ends all tasks in progress.
func (h *helping) cancel(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, stop := range h.doing {
		stop(cause)
	}
}

// taken is a task that this process has taken.
type taken struct {
	key
	holder string
	data   []byte
}

// exchange writes results, and takes at most n tasks.
func (h *helping) exchange(ctx context.Context, n int) (got []taken, err error) {
	s := h.store
	ctx, cancel := context.WithTimeout(ctx, s.lease)
	defer cancel()
	b, err := s.batch(ctx, helpLoop)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	ready := h.ready
	size := 0
	for i := range ready {
		if size += len(ready[i].result); size > mostFetched && i > 0 {
			ready = ready[:i:i]
			break
		}
	}
	h.ready = h.ready[len(ready):]
	h.mu.Unlock()

	if len(ready) > 0 {
		all, results := make([]key, len(ready)), make([][]byte, len(ready))
		var holders []string
		for i, o := range ready {
			all[i], results[i], holders = o.key, data(o.result), append(holders, o.holder)
		}
		jobs, epochs, numbers := columnsOf(all)
		b.Queue(`with mine as materialized (`+locked+`)
			update curlew.task t set result = u.result from mine, unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[]) u(job, epoch, n, result)
			where (t.job, t.epoch, t.n) = (mine.job, mine.epoch, mine.n) and (t.job, t.epoch, t.n) = (u.job, u.epoch, u.n)
			and t.worker = $5 and t.result is null`, jobs, epochs, numbers, results, s.self)
		b.Queue(`select pg_notify($1, $2 || holder) from (select distinct unnest($3::text[]) holder) h`, taskChannel, payloadDone, holders)
	}
	if n > 0 {
		b.Queue(`update curlew.task set worker = $1 where (job, epoch, n) in (select t.job, t.epoch, t.n from curlew.task t
			join curlew.job j on j.id = t.job and j.epoch = t.epoch and j.state = 'running'
			where t.worker is null and not t.revoked and t.kind = $2 and t.holder <> $1
			and exists (select from curlew.process p where p.id = t.holder and p.until > now() + $4::interval / 4) order by t.at limit $3 for update of t skip locked)
			returning job, epoch, n, holder, data`, s.self, h.Kind, n, s.lease).Query(func(rows pgx.Rows) error {
			var t taken
			_, err := pgx.ForEachRow(rows, []any{&t.job, &t.epoch, &t.n, &t.holder, &t.data}, func() error {
				got = append(got, t)
				return nil
			})
			return err
		})
	}
	if err := s.send(ctx, helpLoop, b); err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ready = append(ready, h.ready...)
		return nil, err
	}
	return got, nil
}

// reconcile cancels the tasks in progress whose results are not wanted any more, and
// gives up tasks that were taken by a statement whose answer was lost.
func (h *helping) reconcile(ctx context.Context) error {
	s := h.store
	ctx, cancel := context.WithTimeout(ctx, s.lease)
	defer cancel()
	if err := s.raise(ctx, helpLoop); err != nil {
		return err
	}
	h.mu.Lock()
	rest := make(map[key]context.CancelCauseFunc, len(h.doing))
	maps.Copy(rest, h.doing)
	known := map[key]bool{}
	for _, o := range h.ready {
		known[o.key] = true
	}
	h.mu.Unlock()
	rows, err := s.pool.Query(ctx, `select t.job, t.epoch, t.n, t.holder from curlew.task t join curlew.job j on j.id = t.job and j.epoch = t.epoch and j.state = 'running'
		where t.worker = $1 and not t.revoked and t.result is null`, s.self)
	if err != nil {
		return storage(err)
	}
	var o outcome
	var stray []outcome
	_, err = pgx.ForEachRow(rows, []any{&o.job, &o.epoch, &o.n, &o.holder}, func() error {
		if rest[o.key] == nil && !known[o.key] {
			stray = append(stray, o)
		}
		delete(rest, o.key)
		return nil
	})
	if err != nil {
		return storage(err)
	}
	for _, stop := range rest {
		stop(errDone)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ready = append(h.ready, stray...)
	return nil
}

// begin does a task in a goroutine.
func (h *helping) begin(ctx context.Context, all *sync.WaitGroup, t taken) {
	ctx, stop := context.WithCancelCause(ctx)
	h.mu.Lock()
	h.doing[t.key] = stop
	h.mu.Unlock()
	all.Go(func() {
		defer stop(nil)
		result, err := h.do(ctx, t)
		if err != nil || len(result) > job.MaxTaskResult {
			if ctx.Err() == nil {
				h.store.logger.Warn("a task of another process failed", slog.String("job", t.job), slog.Int("bytes", len(result)), slog.Any("err", err))
			}
			result = nil
		}
		h.mu.Lock()
		delete(h.doing, t.key)
		h.ready = append(h.ready, outcome{t.key, t.holder, result})
		h.mu.Unlock()
		signal(h.wake)
	})
}

// do does a task.
func (h *helping) do(ctx context.Context, t taken) (result []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, fmt.Errorf("panic: %T", v)
		}
	}()
	j, err := h.jobOf(ctx, t.job)
	if err != nil {
		return nil, err
	}
	return h.Do(ctx, j, t.data)
}

// jobOf returns the job of a task.
func (h *helping) jobOf(ctx context.Context, id string) (*job.Job, error) {
	h.mu.Lock()
	j := h.jobs[id]
	h.mu.Unlock()
	if j != nil {
		return j, nil
	}
	rows, err := h.store.pool.Query(ctx, `select `+columns+` from curlew.job where id = $1 and `+present, id)
	if err != nil {
		return nil, storage(err)
	}
	j, err = pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, job.ErrNotFound
	}
	if err != nil {
		return nil, storage(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.jobs) >= mostJobs {
		clear(h.jobs)
	}
	h.jobs[id] = j
	return j, nil
}
