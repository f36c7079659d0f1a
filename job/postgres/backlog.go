// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

// Backlog returns the work in the database, for metrics. It takes a few milliseconds as long
// as there are some thousand running jobs and tasks.
func (s *Store) Backlog(ctx context.Context) (job.Backlog, error) {
	if err := s.check(ctx); err != nil {
		return job.Backlog{}, wrap("", err)
	}
	b := job.Backlog{Running: map[string]job.KindBacklog{}}
	var oldest, lease float64
	var batch pgx.Batch
	batch.Queue(`select count(*) filter (where worker is null and result is null and not revoked)::int,
		coalesce(max(extract(epoch from now() - at)) filter (where worker is null and result is null and not revoked), 0)::float8,
		count(*) filter (where worker is not null and result is null)::int from curlew.task`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&b.Waiting, &oldest, &b.Taken) })
	batch.Queue(`select count(*) filter (where until > now())::int, coalesce(max(extract(epoch from until - now())) filter (where id = $1), 0)::float8 from curlew.process`, s.self).
		QueryRow(func(row pgx.Row) error { return row.Scan(&b.Processes, &lease) })
	batch.Queue(`select kind, count(*)::int, extract(epoch from now() - min(created))::float8,
		count(*) filter (where holder is null or not exists (select from curlew.process p where p.id = j.holder and p.until > now()))::int
		from curlew.job j where state = 'running' group by kind`).Query(func(rows pgx.Rows) error {
		var kind string
		var n, orphans int
		var age float64
		_, err := pgx.ForEachRow(rows, []any{&kind, &n, &age, &orphans}, func() error {
			b.Running[kind] = job.KindBacklog{Jobs: n, Oldest: seconds(max(age, 0))} // the clock of the process that created it may be ahead
			b.Orphans += orphans
			return nil
		})
		return err
	})
	if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return job.Backlog{}, wrap("", storage(err))
	}
	b.Oldest, b.Lease = seconds(max(oldest, 0)), seconds(lease)
	return b, nil
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
