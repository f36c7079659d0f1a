// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

const (
	// patience is how long a task waits for another process that does it. After that
	// the process that shared the task does it.
	patience = 500 * time.Millisecond

	// The pause after an exchange with the database is as long as the exchange took,
	// within these limits. If the database is slow, there are therefore fewer
	// exchanges, and each passes more tasks.
	leastPause = 2 * time.Millisecond
	mostPause  = 50 * time.Millisecond

	vacuumAfter = 64 << 20 // bytes of tasks and results after which their space is reused

	mostFetched = 32 << 20 // bytes of results that are read at once, unless a single one has more
)

// key names a task.
type key struct {
	job   string
	epoch int64
	n     int64
}

// columnsOf returns keys as the columns of a statement.
func columnsOf(all []key) (jobs []string, epochs, numbers []int64) {
	for _, k := range all {
		jobs, epochs, numbers = append(jobs, k.job), append(epochs, k.epoch), append(numbers, k.n)
	}
	return jobs, epochs, numbers
}

// shared is a task that this process has shared.
type shared struct {
	key
	job.Task
	done chan struct{} // closed when the fields below are set

	result []byte
	err    error
	back   bool // no process has begun it
}

// hub shares tasks of all jobs that this process holds. One goroutine exchanges them
// with the database: it adds tasks, reads results, and finds out which tasks are
// lost.
type hub struct {
	store *Store
	own   int           // tasks that this process is assumed to do at once
	wake  chan struct{} // has a value if there is something to exchange

	mu       sync.Mutex
	capacity map[string]int    // guarded by mu; tasks that can be shared at once, by kind
	most     int               // guarded by mu; the largest value of capacity
	window   int               // guarded by mu; tasks that may be shared at once
	here     int               // guarded by mu; tasks in progress in this process
	last     int64             // guarded by mu; number of the last task
	tasks    map[key]*shared   // guarded by mu; without a result
	fresh    []*shared         // guarded by mu; not yet in the database
	dropped  []key             // guarded by mu; to be removed from the database
	revoke   bool              // guarded by mu; some of them may be in progress
	gone     map[key]time.Time // guarded by mu; tasks that are not in the database any more, and since when
	runs     bool              // guarded by mu; the goroutine runs
}

func newHub(s *Store, own int) *hub {
	return &hub{store: s, own: own, wake: make(chan struct{}, 1), capacity: map[string]int{}, tasks: map[key]*shared{}, gone: map[key]time.Time{}}
}

// poke makes the goroutine exchange something.
func (h *hub) poke() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// setCapacity records how many tasks other processes do at once, by kind. It changes capacity.
func (h *hub) setCapacity(capacity map[string]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.capacity = capacity
	most := 0
	for kind, n := range capacity {
		capacity[kind] = n + n/2 // some wait, so that a process that has done one finds the next
		most = max(most, capacity[kind])
	}
	if most > h.most { // another process helps now
		h.window = most
	}
	h.most, h.window = most, min(h.window, most)
}

// offer shares a task, or returns nil if this process should do it. The caller then
// calls end when it is done.
func (h *hub) offer(c *claim, t job.Task) *shared {
	h.mu.Lock()
	defer h.mu.Unlock()
	most := min(h.capacity[t.Kind], h.window)
	if n := len(h.tasks); n >= most || n*h.own >= h.here*most {
		h.here++
		return nil
	}
	h.last++
	x := &shared{key: key{c.id, c.epoch, h.last}, Task: t, done: make(chan struct{})}
	h.tasks[x.key] = x
	h.fresh = append(h.fresh, x)
	if !h.runs {
		h.runs = true
		h.store.all.Go(h.run)
	}
	h.poke()
	return x
}

// begin counts a task that is done here although it was shared.
func (h *hub) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.here++
}

// end counts the end of a task that was done here.
func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.here--
}

// drop gives up a task whose result is not needed any more.
func (h *hub) drop(x *shared) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tasks[x.key] != nil {
		delete(h.tasks, x.key)
		delete(h.gone, x.key)
		h.dropped, h.revoke = append(h.dropped, x.key), true
		h.poke()
	}
}

// settle ends a task that is still open. The caller holds mu.
func (h *hub) settle(k key, set func(x *shared)) {
	x := h.tasks[k]
	if x == nil {
		return // it was dropped, or its result has been read before
	}
	set(x)
	delete(h.tasks, k)
	delete(h.gone, k)
	close(x.done)
}

// Share implements [job.Sharer].
func (s *space) Share(ctx context.Context, t job.Task, here func()) ([]byte, error) {
	c, err := s.claim(ctx)
	if err != nil {
		return nil, wrap(s.id, s.reason(ctx, err))
	}
	h := s.store.hub
	x := h.offer(c, t)
	if x == nil {
		defer h.end()
		here()
		return nil, nil
	}
	select {
	case <-x.done:
	case <-ctx.Done():
		h.drop(x)
		return nil, wrap(s.id, context.Cause(ctx))
	case <-c.gone:
		h.drop(x)
		return nil, wrap(s.id, c.lost())
	}
	if x.back {
		h.begin()
		defer h.end()
		here()
		return nil, nil
	}
	return x.result, wrap(s.id, x.err)
}

// run exchanges tasks until the store is closed. Without tasks it waits.
func (h *hub) run() {
	s := h.store
	check := min(s.lease/10, patience/2)
	checked := time.Now()
	passed := 0
	for {
		h.mu.Lock()
		open := len(h.tasks) > 0
		h.mu.Unlock()
		wait, cancel := s.alive, context.CancelFunc(func() {})
		if open {
			wait, cancel = context.WithTimeout(s.alive, check)
		}
		select {
		case <-h.wake:
		case <-wait.Done():
		}
		cancel()
		if s.alive.Err() != nil {
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(s.alive, s.lease)
		n, err := h.exchange(ctx)
		if passed += n; passed > vacuumAfter {
			passed = 0
			// The table is small, but rows come and go, and the server may
			// look at it only once a minute.
			_, _ = s.pool.Exec(ctx, `vacuum (skip_locked, truncate false) curlew.task`)
		}
		if err == nil && time.Since(checked) >= check {
			checked = time.Now()
			err = h.check(ctx)
		}
		cancel()
		rest := min(max(time.Since(began), leastPause), mostPause)
		if err != nil {
			if s.alive.Err() != nil {
				return
			}
			s.logger.Warn("tasks were not exchanged", slog.Any("err", err))
			rest = 10 * mostPause
			h.poke()
		}
		if !pause(s.alive, rest) {
			return
		}
	}
}

// exchange adds new tasks to the database, reads results, and removes tasks that are
// done. It returns the number of bytes that were passed.
func (h *hub) exchange(ctx context.Context) (passed int, err error) {
	b, err := h.store.batch(ctx, hubLoop)
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	dropped, revoke := h.dropped, h.revoke
	fresh := slices.DeleteFunc(h.fresh, func(x *shared) bool { return h.tasks[x.key] != x })
	h.fresh, h.dropped, h.revoke = nil, nil, false
	h.mu.Unlock()

	if len(dropped) > 0 {
		jobs, epochs, numbers := columnsOf(dropped)
		b.Queue(`delete from curlew.task where (job, epoch, n) in (`+locked+`)`, jobs, epochs, numbers)
	}
	if len(fresh) > 0 {
		all := make([]key, len(fresh))
		kinds, gaps, data := make([]string, len(fresh)), make([]int64, len(fresh)), make([][]byte, len(fresh))
		for i, x := range fresh {
			all[i], kinds[i], gaps[i], data[i] = x.key, x.Kind, int64(x.Gap), x.Data
			passed += len(x.Data)
		}
		jobs, epochs, numbers := columnsOf(all)
		b.Queue(`insert into curlew.task (job, epoch, n, holder, kind, gap, data)
			select job, epoch, n, $4, kind, gap, data from unnest($1::uuid[], $2::bigint[], $3::bigint[], $5::text[], $6::bigint[], $7::bytea[]) u(job, epoch, n, kind, gap, data)
			on conflict do nothing`, jobs, epochs, numbers, h.store.self, kinds, gaps, data)
	}
	if len(fresh) > 0 {
		b.Queue(`select pg_notify($1, $2)`, taskChannel, payloadOffer)
	}
	if revoke {
		b.Queue(`select pg_notify($1, $2)`, taskChannel, payloadRevoke)
	}
	var read []key
	var results [][]byte
	b.Queue(`select job, epoch, n, result from (select job, epoch, n, result, sum(octet_length(result)) over (order by job, epoch, n) - octet_length(result) before
		from curlew.task where holder = $1 and result is not null and not revoked) r where before < $2 limit 1000`, h.store.self, mostFetched).Query(func(rows pgx.Rows) error {
		var k key
		var result []byte
		_, err := pgx.ForEachRow(rows, []any{&k.job, &k.epoch, &k.n, &result}, func() error {
			read, results = append(read, k), append(results, result)
			passed += len(result)
			return nil
		})
		return err
	})
	err = h.store.send(ctx, hubLoop, b)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.fresh, h.dropped, h.revoke = append(fresh, h.fresh...), append(dropped, h.dropped...), h.revoke || revoke
		return 0, err
	}
	for i, k := range read {
		h.settle(k, func(x *shared) {
			if x.result = results[i]; len(x.result) == 0 {
				x.result, x.err = nil, fmt.Errorf("%w: it has stopped", job.ErrLost)
				return
			}
			h.window++
		})
	}
	if len(read) > 0 { // removed by the next exchange, when it is sure that they have arrived
		h.dropped = append(h.dropped, read...)
		h.poke()
	}
	h.window = min(h.window, h.most)
	return passed, nil
}

// locked selects the keys $1, $2, $3 of tasks, and locks the rows in order, so that
// no two transactions wait for each other.
const locked = `select t.job, t.epoch, t.n from curlew.task t join unnest($1::uuid[], $2::bigint[], $3::bigint[]) u(job, epoch, n) using (job, epoch, n)
	order by 1, 2, 3 for update of t`

// living is the condition that the worker of a task t lives. After a start of the
// server, processes get the time of a lease ($2) to show that they do.
const living = `exists (select from curlew.process p where p.id = t.worker and (p.until > now() or pg_postmaster_start_time() > now() - $2::interval))`

// check takes back tasks that no process has begun, and finds those whose process has
// died. A task that has vanished, because the server has crashed, may still be in
// progress. It counts as lost after the time of a lease, when its process has
// noticed.
func (h *hub) check(ctx context.Context) error {
	s := h.store
	h.mu.Lock()
	waiting := make(map[key]bool, len(h.tasks))
	for k := range h.tasks {
		waiting[k] = true
	}
	for _, x := range h.fresh {
		delete(waiting, x.key)
	}
	h.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	var back, lost, there []key
	var b pgx.Batch
	// The rows stay, because the answer may be lost. The next exchange removes them.
	b.Queue(`update curlew.task set revoked = true where (job, epoch, n) in (select job, epoch, n from curlew.task t where holder = $1 and not revoked and result is null
		and (worker is null and at < clock_timestamp() - $3::interval or worker is not null and not `+living+`) order by 1, 2, 3 for update skip locked)`, s.self, s.lease, patience)
	b.Queue(`select job, epoch, n, revoked, worker is null from curlew.task where holder = $1`, s.self).Query(func(rows pgx.Rows) error {
		var k key
		var revoked, free bool
		_, err := pgx.ForEachRow(rows, []any{&k.job, &k.epoch, &k.n, &revoked, &free}, func() error {
			switch there = append(there, k); {
			case revoked && free:
				back = append(back, k)
			case revoked:
				lost = append(lost, k)
			}
			return nil
		})
		return err
	})
	if err := s.pool.SendBatch(ctx, &b).Close(); err != nil {
		return storage(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range there {
		delete(waiting, k)
		delete(h.gone, k)
	}
	for _, k := range back {
		if h.revoked(k, func(x *shared) { x.back = true }) {
			h.window = max(h.window-1, 1)
		}
	}
	for _, k := range lost {
		h.revoked(k, func(x *shared) { x.err = fmt.Errorf("%w: the process has ended", job.ErrLost) })
	}
	for k := range waiting {
		since, known := h.gone[k]
		switch {
		case h.tasks[k] == nil:
		case !known:
			h.gone[k] = time.Now()
		case time.Since(since) > s.lease:
			h.settle(k, func(x *shared) { x.err = fmt.Errorf("%w: the database has lost the task", job.ErrLost) })
		}
	}
	return nil
}

// revoked ends a task that is revoked in the database, and has its row removed. It returns
// false if the task has ended before. The caller holds mu.
func (h *hub) revoked(k key, set func(x *shared)) bool {
	if h.tasks[k] == nil {
		return false
	}
	h.settle(k, set)
	h.dropped = append(h.dropped, k)
	h.poke()
	return true
}

// drain takes back what an earlier holder of a job has shared. It returns when no
// process works on that any more and the hosts have had their pauses, so that the new
// holder can make requests. Results of these tasks are not used. The pauses are those of
// the tasks, the greatest Crawl-delay of the crawl, and at least gap.
func (s *Store) drain(ctx context.Context, c *claim, gap time.Duration) error {
	if c.epoch <= 1 {
		return nil // there was no earlier holder
	}
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		var b pgx.Batch
		var left int
		var most, delay int64
		b.Queue(`select coalesce((crawl->>'Delay')::bigint, 0) from curlew.job where id = $1`, c.id).QueryRow(func(row pgx.Row) error { return row.Scan(&delay) })
		b.Queue(`select count(*), coalesce(max(gap), 0) from curlew.task where job = $1 and epoch < $2 and worker is not null`, c.id, c.epoch).
			QueryRow(func(row pgx.Row) error { return row.Scan(&left, &most) })
		b.Queue(`update curlew.task set revoked = true where (job, epoch, n) in (select job, epoch, n from curlew.task
			where job = $1 and epoch < $2 and worker is not null and result is null and not revoked order by 1, 2, 3 for update)`, c.id, c.epoch)
		b.Queue(`delete from curlew.task where (job, epoch, n) in (select job, epoch, n from curlew.task t
			where job = $1 and epoch < $3 and (worker is null or result is not null or not `+living+`) order by 1, 2, 3 for update)`, c.id, s.lease, c.epoch)
		if wait == 10*time.Millisecond {
			b.Queue(`select pg_notify($1, $2) where exists (select from curlew.task where job = $3 and epoch < $4)`, taskChannel, payloadRevoke, c.id, c.epoch)
		}
		err := s.pool.SendBatch(ctx, &b).Close()
		gap = max(gap, time.Duration(delay))
		switch {
		case err == nil && left == 0:
			// The last request, also one of the former holder itself, may have
			// ended just now.
			if gap > 0 && !pause(ctx, gap) {
				return context.Cause(ctx)
			}
			return nil
		case err == nil:
			gap = max(gap, time.Duration(most))
			s.reconcile() // the worker may be this process
		case errors.Is(err, pgx.ErrNoRows):
			return job.ErrNotFound
		case !passes(err):
			return storage(err)
		}
		select {
		case <-c.gone:
			return c.lost()
		default:
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}
