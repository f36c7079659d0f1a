// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/pace"
)

const (
	// hostChannel is the channel of the notifications about hosts. The payload is the
	// identifier of the process that should look.
	hostChannel = "curlew_host"

	mostHosts = 1000 // hosts of one exchange
)

// hash names a host or a robots.txt in the database.
type hash [16]byte

func hashOf(s string) (h hash) {
	sum := sha256.Sum256([]byte(s))
	copy(h[:], sum[:])
	return h
}

// hosts implements [pace.Common]. One goroutine exchanges what this process needs with the
// database. An exchange is one round trip for many hosts.
type hosts struct {
	store *Store
	all   pace.Hosts
	wake  chan struct{} // has a value if there is something to exchange

	mu    sync.Mutex
	grant func(host string, g pace.Grant) // guarded by mu
	known map[hash]known                  // guarded by mu; the hosts that this process uses
	asked map[hash]ask                    // guarded by mu; not yet in the database
	again map[hash]bool                   // guarded by mu; to be read again, because an answer was lost
	look  bool                            // guarded by mu; read the hosts that have changed
	waits bool                            // guarded by mu; read those that this process waits for, too
	doubt bool                            // used by the goroutine; processes that must look may not have been told
	runs  bool                            // guarded by mu; the goroutine runs
}

// known is a host that this process uses.
type known struct {
	name string
	gap  time.Duration // that was asked for last
}

// ask is what the database must be told of a host.
type ask struct {
	pace.Need
	name    string
	changed bool // other processes must know
}

// Hosts implements [job.Pacer]. The scheduler keeps the pace of each host together with
// all processes that use the database.
func (s *Store) Hosts() pace.Scheduler { return &s.hosts.all }

func newHosts(s *Store) *hosts {
	h := &hosts{store: s, wake: make(chan struct{}, 1), known: map[hash]known{}, asked: map[hash]ask{}, again: map[hash]bool{}}
	h.all.Common = h
	return h
}

// Attach implements [pace.Common].
func (h *hosts) Attach(grant func(host string, g pace.Grant)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grant = grant
}

// Fenced implements [pace.Common].
func (h *hosts) Fenced() bool { return h.store.fenced(0) }

// Ask implements [pace.Common].
func (h *hosts) Ask(name string, n pace.Need) {
	id := hashOf(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.known[id]
	a := ask{Need: n, name: name, changed: n.Yield || !n.Use || n.Rate != nil || n.Gap != was.gap}
	h.asked[id] = a.after(h.asked[id])
	if n.Use {
		h.known[id] = known{name, n.Gap}
	} else {
		delete(h.known, id)
	}
	h.start()
}

// after returns a with what b, which was asked for before, adds to it.
func (a ask) after(b ask) ask {
	a.Yield, a.changed = a.Yield || b.Yield, a.changed || b.changed
	if b.Last.After(a.Last) {
		a.Last = b.Last
	}
	if b.Ready.After(a.Ready) {
		a.Ready = b.Ready
	}
	if a.Rate == nil {
		a.Rate = b.Rate
	}
	return a
}

// start makes the goroutine exchange something. The caller holds mu.
func (h *hosts) start() {
	if !h.runs {
		if h.store.closed.Load() {
			return
		}
		h.runs = true
		h.store.all.Go(h.run)
	}
	signal(h.wake)
}

// changed makes the process read what has changed. With waits, it also reads the hosts
// that it waits for, in case a notification was lost or their holder has died.
func (h *hosts) changed(waits bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.known) > 0 {
		h.look, h.waits = true, h.waits || waits
		h.start()
	}
}

// lost makes this process ask for everything again, because others may have taken it for
// dead.
func (h *hosts) lost() {
	h.mu.Lock()
	grant := h.grant
	names := make([]string, 0, len(h.known))
	for id, k := range h.known {
		names = append(names, k.name)
		a := ask{Need: pace.Need{Use: true, Yield: true, Gap: k.gap}, name: k.name, changed: true}
		h.asked[id] = a.after(h.asked[id])
	}
	if len(names) > 0 {
		h.start()
	}
	h.mu.Unlock()
	for _, name := range names {
		grant(name, pace.Grant{})
	}
}

// run exchanges what this process needs until the store is closed.
func (h *hosts) run() {
	s := h.store
	for {
		select {
		case <-h.wake:
		case <-s.alive.Done():
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(s.alive, s.lease)
		err := h.exchange(ctx)
		cancel()
		rest := min(max(time.Since(began), leastPause), mostPause)
		if err != nil {
			if s.alive.Err() != nil {
				return
			}
			s.logger.Warn("the hosts of several processes were not exchanged", slog.Any("err", err))
			rest = 10 * mostPause
			signal(h.wake)
		}
		if !pause(s.alive, rest) {
			return
		}
	}
}

// exchange tells the database what this process needs, and reads what it gets.
func (h *hosts) exchange(ctx context.Context) error {
	h.mu.Lock()
	asked, look, waits := map[hash]ask{}, h.look, h.waits
	for id, a := range h.asked {
		if len(asked) == mostHosts {
			signal(h.wake)
			break
		}
		asked[id] = a
		delete(h.asked, id)
	}
	c := newDemand(asked)
	for id := range h.again {
		if _, there := asked[id]; !there {
			c.add(id, ask{}, false)
		}
		delete(h.again, id)
	}
	h.look, h.waits = false, false
	h.mu.Unlock()

	var err error
	if look {
		err = storage(h.read(ctx, c, waits))
	}
	var grants map[hash]pace.Grant
	var others []string
	if err == nil && len(c.ids) > 0 {
		grants, others, err = h.settle(ctx, c)
	}
	h.mu.Lock()
	if err != nil {
		h.doubt = true
		for id, a := range asked {
			if b, again := h.asked[id]; again {
				a = b.after(a)
			}
			h.asked[id] = a
		}
		for i, id := range c.ids {
			if !c.needs[i] {
				h.again[id] = true
			}
		}
		h.look, h.waits = h.look || look, h.waits || waits
		h.mu.Unlock()
		return err
	}
	grant := h.grant
	type news struct {
		name string
		g    pace.Grant
	}
	list := make([]news, 0, len(grants))
	for id, g := range grants {
		k, uses := h.known[id]
		if uses && !h.asked[id].Yield { // otherwise the next exchange answers
			list = append(list, news{k.name, g})
		}
	}
	h.mu.Unlock()
	for _, n := range list {
		grant(n.name, n.g)
	}
	if h.doubt {
		others = []string{""} // everyone
	}
	if len(others) > 0 { // not in the transaction, which would be committed after all others that notify
		_, err = h.store.pool.Exec(ctx, `select pg_notify($1, process) from (select distinct unnest($2::text[]) process) p`, hostChannel, others)
		h.doubt = err != nil
	}
	return storage(err)
}

// demand is what an exchange tells the database, in columns.
type demand struct {
	ids     []hash
	needs   []bool // false for a host that is only read
	uses    []bool
	yields  []bool
	changed []bool
	gaps    []int64  // microseconds
	lasts   []*int64 // microseconds ago
	readies []*int64 // microseconds from now
	rates   []*int64 // microseconds
	caps    []*int32
}

func newDemand(asked map[hash]ask) *demand {
	c := &demand{ids: []hash{}} // null is not an empty list
	for id, a := range asked {
		c.add(id, a, true)
	}
	return c
}

func (c *demand) add(id hash, a ask, need bool) {
	c.ids, c.needs, c.uses, c.yields = append(c.ids, id), append(c.needs, need), append(c.uses, a.Use), append(c.yields, a.Yield)
	c.changed, c.gaps = append(c.changed, a.changed), append(c.gaps, micros(a.Gap))
	var last, ready, rate *int64
	var most *int32
	if !a.Last.IsZero() {
		n := time.Since(a.Last).Microseconds()
		last = &n
	}
	if !a.Ready.IsZero() {
		n := micros(time.Until(a.Ready))
		ready = &n
	}
	if a.Rate != nil {
		n, m := micros(a.Rate.Gap), int32(a.Rate.Cap) //nolint:gosec // a number of requests
		rate, most = &n, &m
	}
	c.lasts, c.readies, c.rates, c.caps = append(c.lasts, last), append(c.readies, ready), append(c.rates, rate), append(c.caps, most)
}

// micros returns d in microseconds, rounded up.
func micros(d time.Duration) int64 { return (d + time.Microsecond - 1).Microseconds() }

// read adds the hosts that have changed.
func (h *hosts) read(ctx context.Context, c *demand, waits bool) error {
	rows, err := h.store.pool.Query(ctx, `select host from curlew.host_use where process = $1 and (look or $2 and not held) and host <> all($3) order by not look limit $4`,
		h.store.self, waits, c.ids, mostHosts)
	if err != nil {
		return err
	}
	var id hash
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		c.add(id, ask{}, false)
		return nil
	})
	return err
}

// dead is the condition that the process of a row u is dead. After a start of the server,
// processes get the time of a lease ($3) to show that they live.
const dead = `not exists (select from curlew.process p where p.id = u.process and (p.until > now() or pg_postmaster_start_time() > now() - $3::interval))`

// lapsed is the condition that the process of a use u is dead and nobody does its tasks.
const lapsed = dead + `
	and not exists (select from curlew.task t join curlew.process w on w.id = t.worker and w.until > now() where t.holder = u.process and t.result is null)`

// settle is one transaction. It returns the grants of this process, and the processes
// that must look because of it.
func (h *hosts) settle(ctx context.Context, c *demand) (grants map[hash]pace.Grant, others []string, err error) {
	self := h.store.self
	b, err := h.store.batch(ctx, hostLoop)
	if err != nil {
		return nil, nil, err
	}
	// The rows of the hosts are locked in order, so that no two transactions wait for
	// each other. Whoever has one may change the uses of the host.
	b.Queue(`insert into curlew.host as h (id, last, ready, gap, cap)
		select id, clock_timestamp() - last * interval '1 microsecond', clock_timestamp() + ready * interval '1 microsecond', gap, cap
		from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[]) u(id, last, ready, gap, cap) order by id
		on conflict (id) do update set last = greatest(h.last, excluded.last), ready = greatest(h.ready, excluded.ready),
		gap = coalesce(excluded.gap, h.gap), cap = coalesce(excluded.cap, h.cap), at = clock_timestamp()`, c.ids, c.lasts, c.readies, c.rates, c.caps)
	// The last request of a dead process may just have ended.
	b.Queue(`with gone as (delete from curlew.host_use u where u.host = any($1::uuid[]) and u.process <> $2 and `+lapsed+` returning u.host, u.held, u.gap)
		update curlew.host h set last = clock_timestamp(), ready = greatest(h.ready, clock_timestamp() + g.gap * interval '1 microsecond')
		from (select host, max(gap) gap from gone where held group by host) g where h.id = g.host`, c.ids, self, h.store.lease)
	b.Queue(`delete from curlew.host_use where process = $2 and host in (select id from unnest($1::uuid[], $3::bool[], $4::bool[]) u(id, need, uses) where need and not uses)`,
		c.ids, self, c.needs, c.uses)
	b.Queue(`insert into curlew.host_use as h (host, process, gap) select id, $2, gap from unnest($1::uuid[], $3::bool[], $4::bigint[]) u(id, uses, gap) where uses
		on conflict (host, process) do update set gap = excluded.gap`, c.ids, self, c.uses, c.gaps)
	b.Queue(`update curlew.host_use set held = false, at = clock_timestamp() where process = $2 and host in (select id from unnest($1::uuid[], $3::bool[]) u(id, yields) where yields)`,
		c.ids, self, c.yields)
	b.Queue(`update curlew.host_use u set look = false, held = u.held or m.gap = 0 or m.first and not m.others
		from (select o.host, max(x.gap) gap, bool_or(x.held and x.process <> o.process) others, not bool_or(not x.held and (x.at, x.process) < (o.at, o.process)) first
			from curlew.host_use o join curlew.host_use x on x.host = o.host where o.process = $2 and o.host = any($1::uuid[]) group by o.host) m
		where u.process = $2 and u.host = m.host`, c.ids, self)
	b.Queue(`update curlew.host_use x set look = true
		from unnest($1::uuid[], $3::bool[], $4::bool[]) u(id, need, changed) left join curlew.host_use o on o.host = u.id and o.process = $2
		where x.host = u.id and x.process <> $2 and not x.look and (u.changed
			or x.held and o.host is not null and (u.need or not o.held) and exists (select from curlew.host_use y where y.host = u.id and y.gap > 0))
		returning x.process`, c.ids, self, c.needs, c.changed).Query(func(rows pgx.Rows) error {
		others, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	grants = map[hash]pace.Grant{}
	b.Queue(`select o.host, o.held, o.gap, coalesce(m.gap, 0), coalesce(m.held, false), m.gap is not null, coalesce(h.gap, 0), coalesce(h.cap, 0),
		(extract(epoch from clock_timestamp() - h.last) * 1000000)::bigint, (extract(epoch from h.ready - clock_timestamp()) * 1000000)::bigint
		from curlew.host_use o join curlew.host h on h.id = o.host
		left join lateral (select max(x.gap) gap, bool_or(x.held) held from curlew.host_use x where x.host = o.host and x.process <> o.process) m on true
		where o.process = $2 and o.host = any($1::uuid[])`, c.ids, self).Query(func(rows pgx.Rows) error {
		var id hash
		var own, gap, rate int64
		var last, ready *int64
		var most int
		var held, othersHold, others bool
		_, err := pgx.ForEachRow(rows, []any{&id, &held, &own, &gap, &othersHold, &others, &rate, &most, &last, &ready}, func() error {
			now, gaps := time.Now(), max(own, gap) > 0
			g := pace.Grant{
				Held: held, Alone: gaps && !othersHold, Wanted: gaps && others, Gap: duration(gap), Own: duration(own),
				Rate: pace.Rate{Gap: duration(rate), Cap: most},
			}
			if last != nil {
				g.Last = now.Add(-duration(*last))
			}
			if ready != nil {
				g.Ready = now.Add(duration(*ready))
			}
			grants[id] = g
			return nil
		})
		return err
	})
	return grants, others, h.store.send(ctx, hostLoop, b)
}

func duration(micros int64) time.Duration { return time.Duration(micros) * time.Microsecond }

// leaveHosts gives up all hosts of this process ($1), which makes no requests any more. The
// last ones may just have ended.
func (s *Store) leaveHosts(ctx context.Context) error {
	var b pgx.Batch
	b.Queue(`select id from curlew.host where id in (select host from curlew.host_use where process = $1) order by id for update`, s.self)
	b.Queue(`with gone as (delete from curlew.host_use where process = $1 returning host, held, gap)
		update curlew.host h set last = clock_timestamp(), ready = greatest(h.ready, clock_timestamp() + g.gap * interval '1 microsecond'), at = clock_timestamp()
		from gone g where g.held and h.id = g.host`, s.self)
	b.Queue(`select pg_notify($1, '')`, hostChannel)
	return s.pool.SendBatch(ctx, &b).Close()
}

// sweepHosts removes hosts that nobody uses any more, and files that have expired.
func sweepHosts(ctx context.Context, q querier) error {
	_, err1 := q.Exec(ctx, `delete from curlew.host_use where (host, process) in (select u.host, u.process from curlew.host_use u
		where not exists (select from curlew.process p where p.id = u.process)
		and exists (select from curlew.host h where h.id = u.host and h.at < now() - interval '1 hour') order by 1, 2 limit 10000 for update of u skip locked)`)
	_, err2 := q.Exec(ctx, `delete from curlew.host where id in (select id from curlew.host h where h.at < now() - interval '1 hour'
		and coalesce(h.ready, h.at) < now() and not exists (select from curlew.host_use u where u.host = h.id) order by id limit 10000 for update skip locked)
		and at < now() - interval '1 hour'`)
	_, err3 := q.Exec(ctx, `delete from curlew.robots where until <= now()`)
	return errors.Join(err1, err2, err3)
}

// Robots implements [pace.Common].
func (h *hosts) Robots(ctx context.Context, key string) *pace.Robots {
	ctx, cancel := context.WithTimeout(ctx, robotsPatience)
	defer cancel()
	var r pace.Robots
	var left int64
	err := h.store.pool.QueryRow(ctx, `select body, (extract(epoch from until - clock_timestamp()) * 1000000)::bigint from curlew.robots where id = $1 and until > clock_timestamp()`,
		hashOf(key)).Scan(&r.Body, &left)
	if err != nil {
		return nil // it is requested again
	}
	r.Until = time.Now().Add(duration(left))
	return &r
}

// robotsPatience is how long a robots.txt waits for the database. After that it is
// requested.
const robotsPatience = 5 * time.Second

// KeepRobots implements [pace.Common].
func (h *hosts) KeepRobots(ctx context.Context, key string, r *pace.Robots) {
	ctx, cancel := context.WithTimeout(ctx, robotsPatience)
	defer cancel()
	// If this fails, another process requests the file.
	_, _ = h.store.pool.Exec(ctx, `insert into curlew.robots as r (id, body, until) values ($1, $2, clock_timestamp() + $3 * interval '1 microsecond')
		on conflict (id) do update set body = excluded.body, until = excluded.until where r.until <= excluded.until`, hashOf(key), r.Body, time.Until(r.Until).Microseconds())
}
