// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"sync"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/job"
)

// Limiter implements [account.Limiter] in the database of a [Store]: the requests to all
// processes together are counted exactly, by the clock of the database. Requests that
// arrive while a statement is under way share the next one, so each process has at most one
// under way. If the database does not answer, no request is admitted, and the error wraps
// [job.ErrStorage].
type Limiter struct {
	store  *Store
	within time.Duration // how long the database may take; zero means answerIn

	mu     sync.Mutex
	queue  map[rateKey]*taking // guarded by mu
	runs   bool                // guarded by mu; a goroutine works on the queue
	closed bool                // guarded by mu
	all    sync.WaitGroup
}

type rateKey struct{ team, class string }

// taking contains the requests for tokens of one bucket.
type taking struct {
	perMinute int64
	waiting   []chan<- allowed
}

// allowed is the answer to one request.
type allowed struct {
	account.Allowance
	err error
}

const (
	mostRate = 1_000_000_000 // a higher rate counts as this one

	// rateToken is the level of one token: the microseconds of a minute.
	rateToken = int64(time.Minute / time.Microsecond)
)

// Limiter returns the counter of requests in the database.
func (s *Store) Limiter() *Limiter { return s.teams.limiter }

// Take implements [account.Limiter].
func (l *Limiter) Take(ctx context.Context, team, class string, perMinute int) (account.Allowance, error) {
	if err := l.store.check(ctx); err != nil {
		return account.Allowance{}, wrap("", err)
	}
	answer := make(chan allowed, 1)
	key := rateKey{text(team), text(class)}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return account.Allowance{}, wrap("", job.ErrClosed)
	}
	t := l.queue[key]
	if t == nil {
		t = new(taking)
		if l.queue == nil {
			l.queue = map[rateKey]*taking{}
		}
		l.queue[key] = t
	}
	t.perMinute = int64(min(max(perMinute, 1), mostRate))
	t.waiting = append(t.waiting, answer)
	if !l.runs {
		l.runs = true
		l.all.Go(l.run)
	}
	l.mu.Unlock()
	select {
	case a := <-answer:
		return a.Allowance, wrap("", a.err)
	case <-ctx.Done():
		return account.Allowance{}, wrap("", context.Cause(ctx)) // its token may be spent
	}
}

// run answers requests until there are none.
func (l *Limiter) run() {
	for {
		l.mu.Lock()
		queue := l.queue
		l.queue = nil
		l.runs = len(queue) > 0
		l.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		err := l.take(queue)
		for _, t := range queue { // what take has not answered
			for _, answer := range t.waiting {
				answer <- allowed{err: err}
			}
		}
	}
}

// takeTokens takes tokens from buckets. A new bucket is full. The clock is read before the
// statement waits for the row, so the time of the bucket may be later. If it is later by more
// than a minute, the clock of the server was set back. The rows are locked in one order.
const takeTokens = `insert into curlew.rate as r (team, class, per_minute, level, taken, at)
	select team, class, per_minute, (per_minute - least(n, per_minute)) * 60000000, least(n, per_minute), clock_timestamp()
	from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as wanted (team, class, per_minute, n) order by team, class
	on conflict (team, class) do update set (per_minute, level, taken, at) = (
		select excluded.per_minute, filled - got * 60000000, got, case when r.at > excluded.at + interval '1 minute' then excluded.at else greatest(r.at, excluded.at) end
		from (select least(excluded.per_minute * 60000000, r.level + excluded.per_minute * least(60000000, greatest(0, (extract(epoch from excluded.at - r.at) * 1000000)::bigint)))) as b (filled),
			lateral (select least(excluded.taken, filled / 60000000)) as t (got))
	returning team, class, level, taken`

// take answers the requests of queue with one statement. Those that it answers are removed
// from it.
func (l *Limiter) take(queue map[rateKey]*taking) error {
	var teams, classes []string
	var rates, counts []int64
	for key, t := range queue {
		teams, classes = append(teams, key.team), append(classes, key.class)
		rates, counts = append(rates, t.perMinute), append(counts, int64(len(t.waiting)))
	}
	ctx, cancel := context.WithTimeout(l.store.alive, cmp.Or(l.within, answerIn))
	defer cancel()
	type row struct {
		key    rateKey
		level  int64
		tokens int
	}
	var got []row
	err := again(ctx, l.store.pool, func() error {
		got = nil
		rows, err := l.store.pool.Query(ctx, takeTokens, teams, classes, rates, counts)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.key.team, &r.key.class, &r.level, &r.tokens); err != nil {
				return err
			}
			got = append(got, r)
		}
		return rows.Err()
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return errSilent
	case err != nil:
		return storage(err)
	}
	for _, r := range got {
		t := queue[r.key]
		left, wait := int(r.level/rateToken), time.Duration(0)
		if r.level < rateToken {
			wait = time.Duration((rateToken-r.level+t.perMinute-1)/t.perMinute) * time.Microsecond
		}
		for i, answer := range t.waiting {
			a := account.Allowance{OK: i < r.tokens, Left: left, Wait: wait}
			if a.OK {
				if a.Left += r.tokens - 1 - i; a.Left > 0 {
					a.Wait = 0
				}
			}
			answer <- allowed{Allowance: a}
		}
		t.waiting = nil
	}
	return nil
}

// close waits until all requests are answered.
func (l *Limiter) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.all.Wait()
}

// sweepRates removes the buckets that are full again.
const sweepRates = `delete from curlew.rate where (team, class) in (select team, class from curlew.rate where at < clock_timestamp() - interval '2 minutes' for update skip locked)`
