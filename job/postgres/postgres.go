// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/curlew/job"
	"example.com/curlew/job/blob"
)

// Defaults of [Options].
const (
	DefaultLease       = 15 * time.Second
	DefaultConcurrency = 16
)

// Options are the options of [Open].
type Options struct {
	// Name describes the process to operators, for example by its host name. It
	// need not be unique.
	Name string

	// Lease is how long a process that shows no sign of life keeps its jobs and
	// tasks at most. Others may take them after nine tenths of it, so that they
	// find out in time. It is also how long a write is tried again if the database
	// does not answer.
	// Zero means [DefaultLease].
	Lease time.Duration

	// NoMigrate makes Open fail if the schema is older than this package,
	// instead of migrating it.
	NoMigrate bool

	// Concurrency is how many tasks, such as pages of crawls, this process is assumed
	// to do at once. If other processes help, each gets a share in proportion to
	// this number and to theirs. Zero means [DefaultConcurrency].
	Concurrency int

	// Blobs stores the data of items outside of the database if it has more than a
	// kilobyte. All processes must use the same store, and the database remembers it:
	// once it was opened with one, it cannot be opened without or with another one.
	// Nil means that all data is in the database. The caller closes the store after
	// [Store.Close].
	Blobs blob.Store

	Logger *slog.Logger // reports lost connections and jobs; nil discards the reports
}

// Store is a [job.Store] in a PostgreSQL database. Create one with [Open]. It is
// safe for concurrent use.
//
// If the database does not answer, writes of the jobs that this process holds are
// tried again for the time of [Options].Lease. Other calls return an error that
// wraps [job.ErrStorage].
type Store struct {
	pool   *pgxpool.Pool
	self   string // identifies this process
	name   string
	lease  time.Duration
	term   time.Duration // after a sign of life, others take this process for alive
	logger *slog.Logger

	volatile job.Memory
	days     sync.Map // days whose partitions exist

	blobs    *blobs        // nil if all data is in the database
	hosts    *hosts        // keeps the pace of hosts with other processes
	slots    *slots        // divides the slots of teams among the processes
	hub      *hub          // shares tasks with other processes
	teams    teams         // what the processes know of teams together
	strayFor time.Duration // how long a job has no claim here before it is freed

	mostHeld int // bytes of records of a frontier in memory

	lively atomic.Int64  // nanoseconds since started, when the last successful sign of life began
	pulse  chan struct{} // has a value if a sign of life is needed now
	fences [loops]fence  // by loop; each is used only by its goroutine

	mu     sync.Mutex
	strays map[string]stray         // guarded by mu; jobs that are held in the database without a claim here
	help   *helping                 // guarded by mu; nil if this process does not help others
	shown  int                      // guarded by mu; how often help has changed
	known  int                      // guarded by mu; the value of shown that others were told of
	claims map[string]*claim        // guarded by mu; claims of jobs that this process holds, or has lost and not taken again
	waits  map[string]chan struct{} // guarded by mu; closed at a change of the job
	dirty  map[string]bool          // guarded by mu; jobs whose changes other processes must be told

	announcing chan struct{} // has a value while dirty is not empty
	closed     atomic.Bool
	alive      context.Context // ends with Close
	stop       context.CancelFunc
	all        sync.WaitGroup // goroutines of the store
}

// Open opens the store in the database at url, a connection string or URL as
// libpq takes them, and migrates its schema. Nil options mean the zero Options.
// Errors wrap [job.ErrStorage], or [job.ErrVersion] if this program cannot use the
// database because of its schema, its encoding or the version of the server, or
// [ErrBlobs]. The caller must call [Store.Close].
func Open(ctx context.Context, url string, how *Options) (*Store, error) {
	var o Options
	if how != nil {
		o = *how
	}
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w: %w", job.ErrStorage, err)
	}
	s := &Store{
		self: job.NewID(), name: text(o.Name), lease: cmp.Or(o.Lease, DefaultLease), logger: o.Logger,
		claims: map[string]*claim{}, waits: map[string]chan struct{}{}, dirty: map[string]bool{}, announcing: make(chan struct{}, 1),
		pulse: make(chan struct{}, 1),
	}
	s.mostHeld, s.strayFor = mostHeld, s.lease/3
	s.term = s.lease - s.lease/10 // others need the rest to find out
	s.hosts, s.slots = newHosts(s), newSlots(s)
	s.teams = teams{policies: &Policies{store: s}, limiter: &Limiter{store: s}}
	s.hub = newHub(s, cmp.Or(o.Concurrency, DefaultConcurrency))
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), c); err != nil {
		return nil, fmt.Errorf("open the store: %w", storage(err))
	}
	s.teams.keys = &Keys{pool: s.pool}
	if err := s.begin(ctx, &o); err != nil {
		s.pool.Close()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s.alive, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.all.Go(s.live)
	s.all.Go(s.sweeping)
	s.all.Go(s.listen)
	s.all.Go(s.announce)
	return s, nil
}

// begin migrates the schema and registers the process.
func (s *Store) begin(ctx context.Context, o *Options) error {
	err := s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if err := migrated(ctx, conn, o.NoMigrate); err != nil {
			return err
		}
		var err error
		s.blobs, err = openBlobs(ctx, conn.Conn(), o.Blobs)
		return err
	})
	if err != nil {
		if errors.Is(err, job.ErrVersion) || errors.Is(err, ErrBlobs) {
			return err
		}
		return storage(err)
	}
	return s.beat(ctx)
}

// migrated brings the schema to the version of this program. With noMigrate it only
// checks that it is.
func migrated(ctx context.Context, conn *pgxpool.Conn, noMigrate bool) error {
	if !noMigrate {
		return migrate(ctx, conn.Conn())
	}
	have, err := version(ctx, conn)
	if newest := len(Migrations()); err == nil && have < newest {
		err = fmt.Errorf("%w: the database has schema %d, and this program needs %d", job.ErrVersion, have, newest)
	}
	return err
}

// leaving frees the jobs and tasks of a process ($1).
const leaving = `with p as (delete from curlew.process where id = $1), t as (delete from curlew.task where holder = $1) update curlew.job set holder = null where holder = $1 and state = 'running'`

// Close stops the store. The running jobs of this process become free for others
// at once. Call [job.Runner.Shutdown] first, to stop the works. From then on
// every call returns an error that wraps [job.ErrClosed].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.alive), s.lease)
	defer cancel()
	s.mu.Lock()
	claims := make([]*claim, 0, len(s.claims))
	for _, c := range s.claims {
		claims = append(claims, c)
	}
	s.mu.Unlock()
	for _, c := range claims {
		c.leave(ctx)
	}
	s.teams.limiter.close()
	s.slots.close()
	s.stop()
	s.all.Wait()
	_, err := s.pool.Exec(ctx, leaving, s.self)
	for range s.pool.Config().MaxConns { // all connections may be to a server that was replaced
		if err == nil || !passes(err) || ctx.Err() != nil {
			break
		}
		_, err = s.pool.Exec(ctx, leaving, s.self)
	}
	left := errors.Join(s.leaveHosts(ctx), s.leaveSlots(ctx))
	s.pool.Close()
	s.mu.Lock()
	for id := range s.waits {
		s.wake(id)
	}
	s.mu.Unlock()
	return wrap("", storage(errors.Join(err, left)))
}

// Ready returns why no job can be created now: [job.ErrClosed], or an error of
// the database.
func (s *Store) Ready(ctx context.Context) error {
	if s.closed.Load() {
		return wrap("", job.ErrClosed)
	}
	return wrap("", storage(s.pool.Ping(ctx)))
}

// check returns why a call cannot succeed, or nil.
func (s *Store) check(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.closed.Load() {
		return job.ErrClosed
	}
	return nil
}

// sweeping removes expired jobs from time to time. It does not delay the signs of life,
// because it may take long.
func (s *Store) sweeping() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.alive.Done():
			return
		}
		if err := s.sweep(s.alive); err != nil && s.alive.Err() == nil {
			s.logger.Warn("expired jobs were not removed", slog.Any("err", err))
		}
	}
}

// live tells the database that this process lives, and learns which jobs it has lost.
func (s *Store) live() {
	for wait := s.lease / 3; ; {
		tick := time.NewTimer(wait)
		select {
		case <-tick.C:
		case <-s.pulse:
		case <-s.alive.Done():
		}
		tick.Stop()
		if s.alive.Err() != nil {
			return
		}
		ctx, cancel := context.WithTimeout(s.alive, s.lease/3)
		err := s.beat(ctx)
		cancel()
		wait = s.lease / 3
		if err != nil && s.alive.Err() == nil {
			s.logger.Warn("the database does not answer", slog.Any("err", err))
			wait = min(wait, 10*mostPause)
		}
	}
}

// beat extends the life of this process in the database, and ends the claims
// that it has lost there.
func (s *Store) beat(ctx context.Context) error {
	s.mu.Lock()
	had := make([]*claim, 0, len(s.claims))
	for _, c := range s.claims {
		had = append(had, c)
	}
	var b pgx.Batch
	var kind *string
	var most *int
	if h := s.help; h != nil {
		kind, most = &h.Kind, &h.Most
	}
	shown, known := s.shown, s.known
	s.mu.Unlock()
	began := time.Since(started)
	b.Queue(`insert into curlew.process (id, name, until, helps, room) values ($1, $2, now() + $3, $4, $5)
		on conflict (id) do update set until = excluded.until, helps = excluded.helps, room = excluded.room`, s.self, s.name, s.term, kind, most)
	if shown > known {
		b.Queue(`select pg_notify($1, $2)`, taskChannel, payloadCapacity)
	}
	var capacity map[string]int
	b.Queue(helpers, s.self).Query(func(rows pgx.Rows) (err error) {
		capacity, err = capacityOf(rows)
		return err
	})
	held := map[string]int64{}
	b.Queue(`select id, epoch from curlew.job where holder = $1 and state = 'running'`, s.self).Query(func(rows pgx.Rows) error {
		var id string
		var epoch int64
		_, err := pgx.ForEachRow(rows, []any{&id, &epoch}, func() error {
			held[id] = epoch
			return nil
		})
		return err
	})
	if err := s.pool.SendBatch(ctx, &b).Close(); err != nil {
		return storage(err)
	}
	s.mu.Lock()
	s.known = max(s.known, shown)
	s.mu.Unlock()
	if s.fenced(0) {
		s.hosts.lost()
	}
	if s.fenced(s.slots.lead()) {
		s.slots.lost()
	}
	s.lively.Store(int64(began))
	s.hosts.changed(true)
	s.slots.beat()
	s.hub.setCapacity(capacity)
	for _, c := range had {
		cause := c.lost()
		switch {
		case held[c.id] != c.epoch && cause == nil:
			if cause = s.writeError(ctx, c.id); errors.Is(cause, job.ErrStorage) {
				cause = fmt.Errorf("%w: %w", job.ErrElsewhere, cause)
			}
			c.fail(cause)
		case held[c.id] == c.epoch && errors.Is(cause, job.ErrElsewhere):
			if err := s.giveUp(ctx, c); err != nil {
				return err
			}
		}
	}
	return s.freeStrays(ctx, held)
}

// helpers selects how many tasks other processes than $1 do at once, by kind.
const helpers = `select helps, sum(room)::int from curlew.process where helps is not null and id <> $1 and until > now() group by helps`

func capacityOf(rows pgx.Rows) (map[string]int, error) {
	capacity := map[string]int{}
	var kind string
	var n int
	_, err := pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
		capacity[kind] = n
		return nil
	})
	return capacity, err
}

// readCapacity learns how many tasks other processes do at once.
func (s *Store) readCapacity() {
	ctx, cancel := context.WithTimeout(s.alive, s.lease/3)
	defer cancel()
	rows, err := s.pool.Query(ctx, helpers, s.self)
	if err == nil {
		var capacity map[string]int
		if capacity, err = capacityOf(rows); err == nil {
			s.hub.setCapacity(capacity)
		}
	}
	if err != nil {
		signal(s.pulse) // which reads the same
	}
}

// stray is a job that this process holds in the database without a claim.
type stray struct {
	epoch int64
	since time.Time // when it was found
}

// freeStrays frees jobs that this process holds without knowing it, because the answer to
// the statement that took them was lost. held are the jobs that it holds in the database. A
// claim that is being made just now is found later.
func (s *Store) freeStrays(ctx context.Context, held map[string]int64) error {
	free := map[string]int64{}
	s.mu.Lock()
	before := s.strays
	s.strays = map[string]stray{}
	for id, epoch := range held {
		if c := s.claims[id]; c != nil && c.epoch >= epoch {
			continue
		}
		x, ok := before[id]
		switch {
		case !ok || x.epoch != epoch:
			s.strays[id] = stray{epoch, time.Now()}
		case time.Since(x.since) < s.strayFor:
			s.strays[id] = x
		default:
			free[id] = epoch
		}
	}
	s.mu.Unlock()
	for id, epoch := range free {
		s.logger.Warn("a job is freed, because the answer to the statement that took it was lost", slog.String("job", id))
		if _, err := s.pool.Exec(ctx, `update curlew.job set holder = null where id = $1 and epoch = $2 and holder = $3 and state = 'running'`, id, epoch, s.self); err != nil {
			return storage(err)
		}
	}
	return nil
}

// started is the time from which signs of life are counted, by a clock that never
// jumps.
var started = time.Now()

// fenced reports whether other processes may take this one for dead in the time of ahead.
func (s *Store) fenced(ahead time.Duration) bool {
	return time.Since(started)-time.Duration(s.lively.Load())+ahead > s.term
}

// giveUp frees a job that this process could not write to for the time of a lease, so
// that any process can take it.
func (s *Store) giveUp(ctx context.Context, c *claim) error {
	_, err := s.pool.Exec(ctx, `update curlew.job set holder = null where id = $1 and epoch = $2 and state = 'running'`, c.id, c.epoch)
	if err == nil {
		s.drop(c)
	}
	return storage(err)
}

// writeError returns the reason why this process cannot write to a job.
func (s *Store) writeError(ctx context.Context, id string) error {
	var state job.State
	err := s.pool.QueryRow(ctx, `select state from curlew.job where id = $1 and (expires is null or expires > now())`, id).Scan(&state)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return job.ErrNotFound
	case err != nil:
		return storage(err)
	case state.Final():
		return job.ErrEnded
	}
	return job.ErrElsewhere
}
