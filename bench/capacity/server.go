// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

// counters are cumulative figures of a database.
type counters struct{ commits, wal, deadlocks, size int64 }

func read(ctx context.Context, conn *pgx.Conn) (c counters, err error) {
	err = conn.QueryRow(ctx, `select xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn, deadlocks, pg_database_size(current_database()) from pg_stat_database where datname = current_database()`).
		Scan(&c.commits, &c.wal, &c.deadlocks, &c.size)
	return c, err
}

// calls returns how many statements were executed in the database.
func calls(ctx context.Context, conn *pgx.Conn) (n int64, err error) {
	err = conn.QueryRow(ctx, `select coalesce(sum(calls), 0)::bigint from pg_stat_statements s join pg_database d on d.oid = s.dbid
		where d.datname = current_database() and query not like '%pg_stat_statements%'`).Scan(&n)
	return n, err
}

// observation is what an observer saw while processes worked.
type observation struct {
	seconds       float64
	before, after counters
	status        []time.Duration // how long the status of a job took
	looks, waits  int             // waits is the number of sessions that waited for a lock, of all looks
}

// observe reads the status of a job again and again as a server does, and counts who
// waits for a lock, until ended is closed.
func observe(ctx context.Context, conn *pgx.Conn, sp job.Space, ended <-chan struct{}) (o observation, err error) {
	if o.before, err = read(ctx, conn); err != nil {
		return o, err
	}
	begun := time.Now()
	for over := false; !over; {
		at := time.Now()
		if _, err := sp.Stats(ctx); err != nil {
			return o, err
		}
		o.status = append(o.status, time.Since(at))
		var n int
		if err := conn.QueryRow(ctx, `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`).Scan(&n); err != nil {
			return o, err
		}
		o.waits, o.looks = o.waits+n, o.looks+1
		select {
		case <-ended:
			over = true
		case <-ctx.Done():
			return o, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	o.seconds = time.Since(begun).Seconds()
	return o, nil
}

// finish reads the counters after the processes have stopped, and have reported what
// they did, which they do once a second.
func (o *observation) finish(ctx context.Context, conn *pgx.Conn) (err error) {
	if _, err = conn.Exec(ctx, `select pg_stat_clear_snapshot(), pg_sleep(1)`); err != nil {
		return err
	}
	o.after, err = read(ctx, conn)
	return err
}

// describe describes the figures for a number of pages.
func (o *observation) describe(pages int64) string {
	own := int64(2 * o.looks) // transactions of observe
	n := float64(max(pages, 1))
	median, most := percentiles(o.status)
	return fmt.Sprintf("%6.0f pages/s  %5.0f transactions/s  %6.0f WAL bytes and %6.0f stored bytes a page  %.2f waiting for locks  %d deadlocks  status p50 %.1f ms, p99 %.1f ms",
		float64(pages)/o.seconds, float64(o.after.commits-o.before.commits-own)/o.seconds, float64(o.after.wal-o.before.wal)/n, float64(o.after.size-o.before.size)/n,
		float64(o.waits)/float64(o.looks), o.after.deadlocks, milli(median), milli(most))
}

// percentiles sorts times and returns their median and their 99th percentile.
func percentiles(times []time.Duration) (median, p99 time.Duration) {
	slices.Sort(times)
	if n := len(times); n > 0 {
		median, p99 = times[n/2], times[n*99/100]
	}
	return median, p99
}

func milli(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// showStatements prints the statements that took the most time.
func showStatements(ctx context.Context, conn *pgx.Conn, most int) error {
	if most == 0 {
		return nil
	}
	rows, err := conn.Query(ctx, `select query, calls, total_exec_time, mean_exec_time, wal_bytes::float8 from pg_stat_statements s join pg_database d on d.oid = s.dbid
		where d.datname = current_database() order by total_exec_time desc limit $1`, most)
	if err != nil {
		return err
	}
	var query string
	var n int64
	var total, mean, wal float64
	_, err = pgx.ForEachRow(rows, []any{&query, &n, &total, &mean, &wal}, func() error {
		query = strings.Join(strings.Fields(query), " ")
		if len(query) > 110 {
			query = query[:110]
		}
		fmt.Printf("    %8.0f ms  %7d calls  %8.3f ms each  %7.1f MB WAL  %s\n", total, n, mean, wal/1e6, query)
		return nil
	})
	return err
}
