// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

// Create implements [job.Store]. This process holds the new job.
func (s *Store) Create(ctx context.Context, j *job.Job) error {
	if err := s.check(ctx); err != nil {
		return wrap(j.ID, err)
	}
	if err := j.CheckNew(); err != nil {
		return wrap(j.ID, err)
	}
	if text(j.Kind) != j.Kind || text(j.Owner) != j.Owner {
		return wrap(j.ID, fmt.Errorf("%w: the kind or owner is not valid UTF-8", job.ErrInvalid))
	}
	if j.Volatile {
		return s.volatile.Create(ctx, j)
	}
	if _, err := s.volatile.Space(ctx, j.ID); err == nil {
		return wrap(j.ID, job.ErrExists)
	}
	if err := s.partition(ctx, j.ID); err != nil {
		return wrap(j.ID, storage(err))
	}
	var err error
	if j.Key == nil {
		err = s.insert(ctx, s.pool, j)
	} else if err = checkKey(j.Key); err == nil {
		err = s.once(ctx, j.Owner, j.Kind, j.ID, j.Key, func(tx pgx.Tx) error { return s.insert(ctx, tx, j) })
	}
	if err != nil {
		return wrap(j.ID, err)
	}
	s.keep(newClaim(s, j.ID, 1, 0, 0, 0))
	return nil
}

// insert inserts the row of a new job.
func (s *Store) insert(ctx context.Context, q querier, j *job.Job) error {
	tag, err := q.Exec(ctx, `
		insert into curlew.job (id, kind, owner, spec, state, keep, created, holder, epoch)
		values ($1, $2, $3, $4, 'running', $5, $6, $7, 1)
		on conflict (id) do nothing`, j.ID, j.Kind, j.Owner, data(j.Spec), int64(j.Keep), j.Created, s.self)
	if err == nil && tag.RowsAffected() == 0 {
		return job.ErrExists
	}
	return storage(err)
}

// data returns b as it is stored: never as null.
func data(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

const columns = `id, kind, owner, spec, state, err, keep, created, ended, expires`

// scan reads the columns of a job.
func scan(row pgx.CollectableRow) (*job.Job, error) {
	var j job.Job
	var ended, expires *time.Time
	var keep int64
	err := row.Scan(&j.ID, &j.Kind, &j.Owner, &j.Spec, &j.State, &j.Err, &keep, &j.Created, &ended, &expires)
	j.Keep = time.Duration(keep)
	if ended != nil {
		j.Ended = *ended
	}
	if expires != nil {
		j.Expires = *expires
	}
	return &j, err
}

// present is the condition for a job that has not expired.
const present = `(expires is null or expires > now())`

// Load implements [job.Store].
func (s *Store) Load(ctx context.Context, owner, id string) (*job.Job, error) {
	if err := s.check(ctx); err != nil {
		return nil, wrap(id, err)
	}
	if !job.ValidID(id) || text(owner) != owner {
		return nil, wrap(id, job.ErrNotFound)
	}
	if j, err := s.volatile.Load(ctx, owner, id); err == nil {
		return j, nil
	}
	rows, err := s.pool.Query(ctx, `select `+columns+` from curlew.job where id = $1 and owner = $2 and `+present, id, owner)
	if err != nil {
		return nil, wrap(id, storage(err))
	}
	j, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, wrap(id, job.ErrNotFound)
	}
	if err != nil {
		return nil, wrap(id, storage(err))
	}
	return j, nil
}

// List implements [job.Store].
func (s *Store) List(ctx context.Context, owner string, f job.Filter) ([]*job.Job, error) {
	if err := s.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	if text(owner) != owner || text(f.Kind) != f.Kind {
		return nil, nil
	}
	list, err := s.volatile.List(ctx, owner, f)
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, `select `+columns+` from curlew.job
		where owner = $1 and ($2 = '' or kind = $2) and ($3 = '' or state = $3) and `+present+` order by id desc`, owner, f.Kind, string(f.State))
	if err != nil {
		return nil, wrap("", storage(err))
	}
	stored, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, wrap("", storage(err))
	}
	if len(list) == 0 {
		return stored, nil
	}
	list = append(list, stored...)
	slices.SortFunc(list, func(a, b *job.Job) int { return strings.Compare(b.ID, a.ID) })
	return list, nil
}

// Space implements [job.Store].
func (s *Store) Space(ctx context.Context, id string) (job.Space, error) {
	if err := s.check(ctx); err != nil {
		return nil, wrap(id, err)
	}
	if !job.ValidID(id) {
		return nil, wrap(id, job.ErrNotFound)
	}
	if sp, err := s.volatile.Space(ctx, id); err == nil {
		return sp, nil
	}
	var there bool
	if err := s.pool.QueryRow(ctx, `select exists (select from curlew.job where id = $1 and `+present+`)`, id).Scan(&there); err != nil {
		return nil, wrap(id, storage(err))
	}
	if !there {
		return nil, wrap(id, job.ErrNotFound)
	}
	return &space{store: s, id: id}, nil
}

// Delete implements [job.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.check(ctx); err != nil {
		return wrap(id, err)
	}
	if !job.ValidID(id) {
		return wrap(id, job.ErrNotFound)
	}
	if err := s.volatile.Delete(ctx, id); err == nil {
		return nil
	}
	// The row of the job is removed first, so that nothing more is written to it. If
	// this process dies before the rest is removed, a sweep drops the rest with its
	// partition.
	tag, err := s.pool.Exec(ctx, `delete from curlew.job where id = $1 and `+present, id)
	if err != nil {
		return wrap(id, storage(err))
	}
	if tag.RowsAffected() == 0 {
		return wrap(id, job.ErrNotFound)
	}
	if c := s.claimed(id); c != nil {
		c.fail(job.ErrNotFound)
		s.drop(c)
	}
	s.notify(id)
	return wrap(id, s.clear(context.WithoutCancel(ctx), id))
}

// clear removes the items, the frontier records and the objects of jobs.
func (s *Store) clear(ctx context.Context, ids ...string) error {
	for _, table := range [...]string{"item", "record"} {
		if _, err := s.pool.Exec(ctx, `delete from curlew.`+table+` where job = any($1::uuid[])`, ids); err != nil {
			return storage(err)
		}
	}
	if s.blobs == nil {
		return nil
	}
	return storage(s.blobs.remove(ctx, ids...))
}

// takeover is the condition under which this process ($1) may take a running job:
// nobody holds it, or its holder shows no sign of life. After a start of the
// server, the processes get the time of a lease ($2) to show one.
const takeover = `state = 'running' and (holder is null or holder <> $1 and not exists (
	select from curlew.process p where p.id = j.holder
	and (p.until > now() or pg_postmaster_start_time() > now() - $2::interval)))`

// claiming makes this process ($1) the holder of a job.
const claiming = `holder = $1, epoch = epoch + 1, began = written,
	crashes = case when holder is null or written > began then 0 else crashes + 1 end`

// Unfinished implements [job.Resumer]. This process then holds the jobs that it
// returns.
func (s *Store) Unfinished(ctx context.Context) ([]*job.Job, error) {
	if err := s.check(ctx); err != nil {
		return nil, wrap("", err)
	}
	rows, err := s.pool.Query(ctx, `update curlew.job set `+claiming+`
		where id in (select id from curlew.job j where `+takeover+` order by id for update skip locked)
		returning id, epoch, written, crashes, (select coalesce(max(r.n), 0) from curlew.record r where r.job = curlew.job.id)`, s.self, s.lease)
	if err != nil {
		return nil, wrap("", storage(err))
	}
	var id string
	var epoch, written, records int64
	var crashes int
	_, err = pgx.ForEachRow(rows, []any{&id, &epoch, &written, &crashes, &records}, func() error {
		s.keep(newClaim(s, id, epoch, written, records, crashes))
		return nil
	})
	if err != nil {
		return nil, wrap("", storage(err))
	}
	rows, err = s.pool.Query(ctx, `select `+columns+` from curlew.job where holder = $1 and state = 'running' order by id`, s.self)
	if err != nil {
		return nil, wrap("", storage(err))
	}
	list, err := pgx.CollectRows(rows, scan)
	return list, wrap("", storage(err))
}

// keep makes c the claim of its job, instead of one that was lost.
func (s *Store) keep(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims[c.id] = c
}

// claimed returns the claim of a job in this process, or nil.
func (s *Store) claimed(id string) *claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claims[id]
}

// drop forgets a claim of a job that has ended.
func (s *Store) drop(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims[c.id] == c {
		delete(s.claims, c.id)
	}
}

// claim returns the claim of a job. If this process does not hold the job, it
// takes it if possible. Otherwise it returns an error that says why not.
func (s *Store) claim(ctx context.Context, id string) (*claim, error) {
	if c := s.claimed(id); c != nil {
		return c, nil
	}
	var epoch, written, records int64
	var crashes int
	err := s.pool.QueryRow(ctx, `update curlew.job j set `+claiming+` where id = $3 and `+takeover+`
		returning epoch, written, crashes, (select coalesce(max(r.n), 0) from curlew.record r where r.job = j.id)`,
		s.self, s.lease, id).Scan(&epoch, &written, &crashes, &records)
	if errors.Is(err, pgx.ErrNoRows) {
		if c := s.claimed(id); c != nil { // another goroutine was faster
			return c, nil
		}
		return nil, s.writeError(ctx, id)
	}
	if err != nil {
		return nil, storage(err)
	}
	c := newClaim(s, id, epoch, written, records, crashes)
	s.keep(c)
	return c, nil
}

const (
	sweepEvery = time.Minute

	// linger is how long the rows of an expired job may stay, invisible to callers.
	// In this time its whole partition may be dropped, which costs much less than
	// removing the rows one by one.
	linger = 24 * time.Hour
)

// day is a day since 1970 in the identifiers of jobs.
type day int64

const dayMillis = 24 * 60 * 60 * 1000

// dayOf returns the day on which the identifier of a job was made.
func dayOf(id string) day {
	var millis int64
	_, _ = fmt.Sscanf(strings.ReplaceAll(id[:13], "-", ""), "%x", &millis)
	return day(millis / dayMillis)
}

// first returns the lowest identifier of a job of the day.
func (d day) first() string {
	h := fmt.Sprintf("%012x", int64(d)*dayMillis)
	return h[:8] + "-" + h[8:] + "-0000-0000-000000000000"
}

// String returns the day as it is in the names of tables, such as 20261126.
func (d day) String() string {
	return time.UnixMilli(int64(d) * dayMillis).UTC().Format("20060102")
}

// partition creates the partitions for a job, unless they exist.
func (s *Store) partition(ctx context.Context, id string) error {
	d := dayOf(id)
	if _, there := s.days.Load(d); there {
		return nil
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(migrateLock)); err != nil {
			return err
		}
		for _, table := range [...]string{"item", "record"} {
			_, err := tx.Exec(ctx, fmt.Sprintf(`create table if not exists curlew.%[1]s_%[2]s partition of curlew.%[1]s for values from ('%[3]s') to ('%[4]s')`,
				table, d, d.first(), (d+1).first()))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.days.Store(d, true)
	}
	return err
}

// sweep removes expired jobs: days on which all jobs have expired at once, by
// their partitions, and other jobs one by one after a while. Of several
// processes, one does it at a time.
func (s *Store) sweep(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return storage(err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1)`, int64(migrateLock+1)).Scan(&mine); err != nil || !mine {
		return storage(err)
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, int64(migrateLock+1))
	}()
	if _, err := conn.Exec(ctx, `delete from curlew.process where until < now() - interval '1 hour'`); err != nil {
		return storage(err)
	}
	if _, err := conn.Exec(ctx, `delete from curlew.idempotency where expires <= now()`); err != nil {
		return storage(err)
	}
	for _, sql := range [...]string{sweepRates, sweepSlots} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return storage(err)
		}
	}
	if _, err := conn.Exec(ctx, `delete from curlew.task where (job, epoch, n) in (select t.job, t.epoch, t.n from curlew.task t
		where not exists (select from curlew.job j where j.id = t.job and j.epoch = t.epoch and j.state = 'running') order by 1, 2, 3 for update skip locked)`); err != nil {
		return storage(err)
	}
	if err := errors.Join(s.sweepCredits(ctx, conn.Conn()), sweepHosts(ctx, conn), s.sweepDays(ctx, conn.Conn())); err != nil {
		return storage(err)
	}
	rows, err := conn.Query(ctx, `delete from curlew.job where id in (
		select id from curlew.job where expires < now() - $1::interval order by expires limit 1000) returning id`, linger)
	if err != nil {
		return storage(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(ids) > 0 {
		err = s.clear(ctx, ids...)
	}
	if err == nil {
		err = s.sweepBlobs(ctx, conn.Conn())
	}
	return storage(err)
}

// sweepDays drops the partitions of days whose jobs have all expired or were
// deleted.
func (s *Store) sweepDays(ctx context.Context, conn *pgx.Conn) error {
	days, err := daysOf(ctx, conn)
	for _, d := range days {
		if err := s.dropDay(ctx, conn, d); err != nil {
			return err
		}
	}
	return err
}

// daysOf returns the days of partitions that may be dropped. The last two days stay,
// because other processes rely on their partitions when they create jobs.
func daysOf(ctx context.Context, q querier) ([]day, error) {
	rows, err := q.Query(ctx, `select right(c.relname, 8) from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'curlew.item'::regclass order by 1`)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	recent, err := recentDay(ctx, q)
	var days []day
	for _, name := range names {
		if d, ok := parseDay(name); ok && d < recent {
			days = append(days, d)
		}
	}
	return days, err
}

// recentDay returns yesterday by the clock of the database. Jobs that begin now belong to
// it or to a later day, unless the clock of their process is wrong by more than a day.
func recentDay(ctx context.Context, q querier) (d day, err error) {
	err = q.QueryRow(ctx, `select floor(extract(epoch from now()) / 86400)::bigint - 1`).Scan(&d)
	return d, err
}

// parseDay reverses [day.String].
func parseDay(text string) (day, bool) {
	at, err := time.Parse("20060102", text)
	return day(at.UnixMilli() / dayMillis), err == nil
}

// dayInUse reports whether a job between two identifiers has not expired.
const dayInUse = `select exists (select from curlew.job where id >= $1 and id < $2 and ` + present + `)`

// dropDay drops the partitions of a day if all its jobs have expired. If a
// reader holds the tables, it gives up until the next sweep.
func (s *Store) dropDay(ctx context.Context, conn *pgx.Conn, d day) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local lock_timeout = '2s'`); err != nil {
			return err
		}
		var used bool
		err := tx.QueryRow(ctx, dayInUse, d.first(), (d + 1).first()).Scan(&used)
		if err != nil || used {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from curlew.job where id >= $1 and id < $2`, d.first(), (d + 1).first()); err != nil {
			return err
		}
		s.days.Delete(d)
		_, err = tx.Exec(ctx, fmt.Sprintf(`drop table curlew.item_%[1]s, curlew.record_%[1]s`, d))
		return err
	})
	if err != nil && passes(err) {
		return nil
	}
	return err
}

// expiry returns when a job that ends now expires, as an expression for its row.
const expiry = `now() + coalesce(nullif(keep, 0), ` + defaultKeep + `) / 1000 * interval '1 microsecond'`

const defaultKeep = "86400000000000" // job.DefaultKeep in nanoseconds
