// SPDX-License-Identifier: Apache-2.0

// Package postgres stores jobs in a PostgreSQL database, which several processes
// can share.
//
//	st, err := postgres.Open(ctx, "postgres://curlew@db/curlew", nil)
//	...
//	service := curlew.Service{Store: st}
//
// Every process reads all jobs: their state, figures and items. One process at a
// time works on a job. It holds the job while it tells the database every few
// seconds that it lives. If it dies, [Store.Unfinished] gives its jobs to the
// process that asks first, which continues them. A fencing token in each write
// ensures that the former holder, if it was only slow, writes nothing more.
//
// A commit of a crawl writes the record of its frontier, its items and the
// counters of the job by one statement, and so in one transaction. Commits that
// arrive while a transaction is under way are written together by the next one.
//
// [Store.Ledger], [Store.Keys], [Store.Limiter] and [Store.Policies] store the credits,
// keys, request rates and threat policies of teams for all processes.
//
// The database must be PostgreSQL 14 or newer with the encoding UTF8. All tables
// are in the schema curlew. [Open] creates and migrates them. Volatile jobs are
// kept in the memory of their process only, and other processes do not know them.
package postgres
