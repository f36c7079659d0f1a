// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

// Report is the state of a database and of the processes that share it, for
// operators. Create one with [Inspect]. Times are in seconds.
type Report struct {
	Server   string            `json:"server"` // version of PostgreSQL
	Schema   int               `json:"schema"` // version of the schema; zero if there is none
	Known    int               `json:"known"`  // newest version that this program knows
	Pending  []Migration       `json:"pending"`
	Bytes    int64             `json:"bytes"`    // size of the database
	Clock    float64           `json:"clock"`    // how far the clock of the database is ahead of the one of this machine
	Settings map[string]string `json:"settings"` // settings of the server that matter to the store

	Connections int     `json:"connections"`       // open connections to the server that the role may see
	Oldest      float64 `json:"oldestTransaction"` // age of the oldest open transaction in the database that the role may see

	Processes []Process `json:"processes"`
	Jobs      []Load    `json:"jobs"`
	Orphans   int       `json:"orphans"` // running jobs that have no holder, or whose holder is dead
	Queue     Queue     `json:"queue"`
	Droppable []string  `json:"droppableDays"` // days whose jobs have all expired or were deleted, as 20060102

	Blobs *BlobReport `json:"blobs,omitempty"` // nil if the store of blobs was not inspected

	Findings []Finding `json:"findings"` // never nil

	doubt float64 // how far Clock may be wrong, because the answer took time
}

// Process is a process that uses the database.
type Process struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Alive    bool    `json:"alive"`
	Expires  float64 `json:"expires"`  // time until it is taken for dead; negative if it is dead
	Jobs     int     `json:"jobs"`     // running jobs that it holds
	Capacity int     `json:"capacity"` // how many tasks of others it does at once; zero if it does not help
}

// Load is the running jobs of one kind.
type Load struct {
	Kind    string  `json:"kind"` // the kind "webhook" delivers the events of another job
	Running int     `json:"running"`
	Oldest  float64 `json:"oldest"` // age of the oldest one
}

// Queue is the tasks that processes share with others.
type Queue struct {
	Waiting int     `json:"waiting"`
	Oldest  float64 `json:"oldest"` // how long the oldest waiting task has waited
	Taken   int     `json:"taken"`
}

// Finding is something that an operator should know.
type Finding struct {
	Problem bool   `json:"problem"` // it needs to be mended; otherwise it is a hint
	Text    string `json:"text"`
}

// Bounds beyond which [Inspect] reports something.
const (
	oddClock   = 5.0    // seconds between the clocks
	longQueue  = 60.0   // seconds that a task may wait
	longOpen   = 3600.0 // seconds that a transaction may stay open
	mostInUse  = 0.9    // share of the connections
	mostDays   = 3      // days that may wait to be dropped, because each process sweeps every minute
	mostOrphan = 100    // running jobs that may wait to be taken over while processes live
)

// Inspect reads the state of the database at url, and changes nothing. Without a
// schema, or with one that this program does not know, the report has only what can be
// read without it. If the database does not answer, the error wraps [job.ErrStorage].
func Inspect(ctx context.Context, url string) (*Report, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("inspect the store: %w: %w", job.ErrStorage, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	r := &Report{Pending: []Migration{}, Processes: []Process{}, Jobs: []Load{}, Droppable: []string{}, Findings: []Finding{}, Known: len(Migrations())}
	if err := r.readServer(ctx, conn); err != nil {
		return nil, fmt.Errorf("inspect the store: %w", storage(err))
	}
	r.Schema, err = version(ctx, conn)
	switch {
	case errors.Is(err, job.ErrVersion):
		r.find(true, "%v", err)
		r.judgeServer()
		return r, nil
	case err != nil:
		return nil, fmt.Errorf("inspect the store: %w", err)
	}
	r.Pending = append(r.Pending, Migrations()[min(r.Schema, r.Known):]...)
	if len(r.Pending) == 0 {
		if err := r.readState(ctx, conn); err != nil {
			return nil, fmt.Errorf("inspect the store: %w", storage(err))
		}
	}
	r.judge()
	return r, nil
}

// Problems returns the number of findings that need to be mended.
func (r *Report) Problems() (n int) {
	for _, f := range r.Findings {
		if f.Problem {
			n++
		}
	}
	return n
}

func (r *Report) find(problem bool, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{problem, fmt.Sprintf(format, args...)})
}

// readServer reads what does not depend on the schema.
func (r *Report) readServer(ctx context.Context, conn *pgx.Conn) error {
	var now time.Time
	asked := time.Now()
	if err := conn.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	took := time.Since(asked)
	r.Clock, r.doubt = now.Sub(asked.Add(took/2)).Seconds(), (took / 2).Seconds()
	err := conn.QueryRow(ctx, `select current_setting('server_version'), pg_database_size(current_database()),
		(select count(*) from pg_stat_activity where backend_type = 'client backend'),
		(select coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())`).
		Scan(&r.Server, &r.Bytes, &r.Connections, &r.Oldest)
	if err != nil {
		return err
	}
	var all bool
	if err := conn.QueryRow(ctx, `select pg_has_role('pg_read_all_stats', 'usage')`).Scan(&all); err != nil {
		return err
	}
	if !all {
		r.find(false, "this role does not see the sessions of others, so connections and open transactions may be missing; grant it pg_read_all_stats")
	}
	rows, err := conn.Query(ctx, `select name, current_setting(name) from unnest(array['autovacuum', 'fsync', 'full_page_writes', 'max_connections',
		'synchronous_commit', 'synchronous_standby_names', 'default_transaction_read_only', 'max_wal_size', 'shared_buffers']) name
		union all select 'in_recovery', case when pg_is_in_recovery() then 'on' else 'off' end`)
	if err != nil {
		return err
	}
	r.Settings = map[string]string{}
	var name, value string
	_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		r.Settings[name] = value
		return nil
	})
	return err
}

// readState reads the tables. All figures are those of one instant.
func (r *Report) readState(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select id::text, name, until > now(), extract(epoch from until - now())::float8,
			(select count(*) from curlew.job j where j.holder = p.id and state = 'running')::int, coalesce(room, 0)
			from curlew.process p order by until desc, id`)
		if err != nil {
			return err
		}
		if r.Processes, err = pgx.AppendRows(r.Processes, rows, pgx.RowToStructByPos[Process]); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `select kind, count(*)::int, extract(epoch from now() - min(created))::float8 from curlew.job where state = 'running' group by kind order by kind`)
		if err != nil {
			return err
		}
		if r.Jobs, err = pgx.AppendRows(r.Jobs, rows, pgx.RowToStructByPos[Load]); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `select count(*) from curlew.job j where state = 'running'
			and (holder is null or not exists (select from curlew.process p where p.id = j.holder and p.until > now()))`).Scan(&r.Orphans)
		if err != nil {
			return err
		}
		if err := r.readQueue(ctx, tx); err != nil {
			return err
		}
		r.Droppable, err = droppable(ctx, tx)
		return err
	})
}

// readQueue reads the table of tasks. On a standby, that is empty and cannot be read.
func (r *Report) readQueue(ctx context.Context, tx pgx.Tx) error {
	if r.Settings["in_recovery"] == "on" {
		return nil
	}
	return tx.QueryRow(ctx, `select count(*) filter (where worker is null and result is null and not revoked),
		coalesce(max(extract(epoch from now() - at)) filter (where worker is null and result is null and not revoked), 0)::float8,
		count(*) filter (where worker is not null and result is null) from curlew.task`).Scan(&r.Queue.Waiting, &r.Queue.Oldest, &r.Queue.Taken)
}

// droppable returns the days that a sweep would drop.
func droppable(ctx context.Context, tx pgx.Tx) ([]string, error) {
	all, err := daysOf(ctx, tx)
	list := []string{}
	for _, d := range all {
		var used bool
		if err == nil {
			err = tx.QueryRow(ctx, dayInUse, d.first(), (d + 1).first()).Scan(&used)
		}
		if err != nil {
			return nil, err
		}
		if !used {
			list = append(list, d.String())
		}
	}
	return list, nil
}

// judge adds the findings.
func (r *Report) judge() {
	r.judgeServer()
	if len(r.Pending) > 0 {
		r.find(false, "%d migrations are pending, and the first process of this version applies them", len(r.Pending))
	}
	if r.Schema > r.Known {
		r.find(false, "the schema is newer than this program, which can use it")
	}
	alive := 0
	for i := range r.Processes {
		if r.Processes[i].Alive {
			alive++
		}
	}
	switch {
	case r.Orphans > 0 && alive == 0:
		r.find(true, "%d running jobs wait, and no process lives that could take them over", r.Orphans)
	case r.Orphans > mostOrphan:
		r.find(true, "%d running jobs have no living holder, although processes live that should take them over", r.Orphans)
	case r.Orphans > 0:
		r.find(false, "%d running jobs have no living holder, and should be taken over within seconds", r.Orphans)
	}
	if r.Queue.Oldest > longQueue {
		r.find(true, "the oldest task has waited for %.0f s: no process takes tasks of its kind", r.Queue.Oldest)
	}
	if len(r.Droppable) > mostDays {
		r.find(alive > 0, "%d days could be dropped: %v", len(r.Droppable), r.Droppable)
	}
}

// judgeServer adds the findings about the server.
func (r *Report) judgeServer() {
	for _, c := range []struct {
		name, want, text string
		problem          bool
	}{
		{"in_recovery", "off", "the server is a standby, which cannot be written to", true},
		{"default_transaction_read_only", "off", "transactions are read-only", true},
		{"fsync", "on", "fsync is off: a crash of the machine can destroy the database", true},
		{"full_page_writes", "on", "full_page_writes is off: a crash of the machine can destroy the database, unless its file system writes pages as a whole", false},
		{"autovacuum", "on", "autovacuum is off: the rows of running jobs grow without a limit", true},
	} {
		if r.Settings[c.name] != c.want {
			r.find(c.problem, "%s", c.text)
		}
	}
	switch commit := r.Settings["synchronous_commit"]; {
	case commit == "off":
		r.find(true, "synchronous_commit is off: a crash can lose jobs and keys that callers were told are stored")
	case commit == "local" && r.Settings["synchronous_standby_names"] != "":
		r.find(true, "synchronous_commit is local: a failover can lose jobs and keys that callers were told are stored")
	}
	if most, err := strconv.Atoi(r.Settings["max_connections"]); err == nil && float64(r.Connections) > mostInUse*float64(most) {
		r.find(true, "%d of %d connections are in use", r.Connections, most)
	}
	if math.Abs(r.Clock) > oddClock+r.doubt {
		r.find(false, "the clocks of the database and of this machine differ by %.1f s: leases use the one of the database, but jobs begin and expire by both", r.Clock)
	}
	if r.Oldest > longOpen {
		r.find(true, "a transaction has been open for %.0f s: until it ends, dead rows stay", r.Oldest)
	}
}
