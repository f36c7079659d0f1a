// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
)

const (
	// slotChannel is the channel of the notifications about slots. The payload is the
	// identifier of the process that should ask the database again, a space, and the key
	// of the team. An empty payload means all processes and teams.
	slotChannel = "curlew_slot"

	// slotTurn is how long a process may use a slot at least if more processes want slots
	// of a team than there are. Then it passes the slot on when a page ends.
	slotTurn = 250 * time.Millisecond

	mostSlotTeams = 1000 // teams of one exchange
)

// slots implements [job.Slots]. Each process leases slots from the database in blocks, so
// pages do not cost statements. A process gives slots back if it has not used them between two
// signs of life, or if others wait for them and it has more than its share.
//
// One goroutine exchanges with the database what has changed. The process gives up a slot
// in memory first and in the database later, and gets it in the opposite order, so it never
// uses more than the database says.
type slots struct {
	store *Store
	wake  chan struct{} // has a value if there is something to exchange

	mu     sync.Mutex
	teams  map[string]*teamSlots // guarded by mu; teams with pages, or with slots in the database
	runs   bool                  // guarded by mu; the goroutine runs
	guard  *time.Timer           // guarded by mu; calls expire; nil if it is not needed
	lapses int                   // guarded by mu; how often others may have taken this process for dead
	closed bool                  // guarded by mu
}

// teamSlots are the slots of one team. Its fields are guarded by slots.mu.
type teamSlots struct {
	name    string
	key     int64 // of the advisory lock
	limit   int   // of the last call of Acquire
	granted int   // slots that this process may use
	used    int   // slots in use; more than granted after slots were lost
	peak    int   // most pages in progress and waiting since the last sign of life
	waiting []*slotWaiter

	contested bool      // other processes wait for slots, or there are more than limit
	share     int       // slots that this process may keep if contested is set
	since     time.Time // when this process got its first slot

	changed bool // to be exchanged
	rise    bool // other processes must be told that this one waits
	held    int  // slots of this process in the database, as far as it knows
	wanted  int  // its need in the database, as far as it knows

	life context.Context // of the slots that were granted; nil if there are none
	lose context.CancelCauseFunc
}

// slotWaiter is a call of Acquire that waits.
type slotWaiter struct {
	job.Slot
	err  error
	done chan struct{} // closed when the fields above are set
}

// Slots implements [job.Slotter].
func (s *Store) Slots() job.Slots { return s.slots }

func newSlots(s *Store) *slots {
	return &slots{store: s, wake: make(chan struct{}, 1), teams: map[string]*teamSlots{}}
}

// Acquire implements [job.Slots].
func (s *slots) Acquire(ctx context.Context, team string, limit int) (job.Slot, error) {
	if err := s.store.check(ctx); err != nil {
		return job.Slot{}, wrap("", err)
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return job.Slot{}, wrap("", job.ErrClosed)
	}
	t := s.of(team, limit)
	w := &slotWaiter{done: make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.peak = max(t.peak, t.used+len(t.waiting))
	s.serve(t)
	if len(t.waiting) > 0 && t.need() > t.wanted {
		t.rise = true
		s.change(t)
	}
	s.mu.Unlock()
	select {
	case <-w.done:
		return w.Slot, wrap("", w.err)
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	} else if w.err == nil { // it was served at the same moment
		s.release(t)
	}
	return job.Slot{}, wrap("", context.Cause(ctx))
}

// TryAcquire implements [job.Slots].
func (s *slots) TryAcquire(team string, limit int) (job.Slot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.teams[text(team)]
	if t == nil || len(t.waiting) > 0 || t.used >= min(t.granted, limit) || s.store.fenced(s.lead()) {
		return job.Slot{}, false
	}
	t.used++
	t.peak = max(t.peak, t.used)
	return job.Slot{Life: t.life}, true
}

// of returns the slots of a team. The caller holds mu.
func (s *slots) of(team string, limit int) *teamSlots {
	name := text(team)
	t := s.teams[name]
	if t == nil {
		h := hashOf("slots of " + name)
		t = &teamSlots{name: name, key: int64(binary.BigEndian.Uint64(h[:8]))} //nolint:gosec // any number is a key
		s.teams[name] = t
	}
	t.limit = min(max(limit, 1), math.MaxInt32)
	return t
}

// Release implements [job.Slots].
func (s *slots) Release(team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(s.teams[text(team)])
}

// release frees a slot. The caller holds mu.
func (s *slots) release(t *teamSlots) {
	t.used--
	s.yield(t)
	s.serve(t)
}

// need returns how many slots this process can use now.
func (t *teamSlots) need() int { return min(t.used+len(t.waiting), t.limit) }

// yield gives up free slots above the share of this process, if others wait for them. The
// caller holds mu.
func (s *slots) yield(t *teamSlots) {
	free := t.granted - max(t.used, t.share)
	if !t.contested || free <= 0 {
		return
	}
	if t.share == 0 && len(t.waiting) > 0 && time.Since(t.since) < slotTurn {
		return
	}
	t.granted -= free
	s.change(t)
}

// serve passes free slots to waiters. The caller holds mu.
func (s *slots) serve(t *teamSlots) {
	for len(t.waiting) > 0 && t.used < min(t.granted, t.limit) && !s.store.fenced(s.lead()) {
		w := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.used++
		w.Slot = job.Slot{Life: t.life, Limited: w.Limited}
		close(w.done)
	}
}

// change makes the goroutine exchange a team. The caller holds mu.
func (s *slots) change(t *teamSlots) {
	t.changed = true
	if s.closed {
		return
	}
	if !s.runs {
		s.runs = true
		s.store.all.Go(s.run)
	}
	signal(s.wake)
}

// lead is how long before others may take this process for dead its pages are cancelled,
// so that they have ended by then.
func (s *slots) lead() time.Duration { return s.store.lease / 10 }

// watch makes expire run when this process must give up its slots. The caller holds mu.
func (s *slots) watch() {
	if s.guard == nil && !s.closed {
		lively := time.Duration(s.store.lively.Load())
		s.guard = time.AfterFunc(max(lively+s.store.term-s.lead()-time.Since(started), time.Millisecond), s.expire)
	}
}

// expire gives up all slots if this process could not show the others that it lives.
func (s *slots) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard = nil
	if s.store.fenced(s.lead()) {
		s.lapse()
	} else if len(s.teams) > 0 {
		s.watch()
	}
}

// lapse gives up all slots. The caller holds mu.
func (s *slots) lapse() {
	s.lapses++
	for _, t := range s.teams {
		s.forfeit(t, t.granted)
	}
}

// forfeit takes n slots from this process, which other processes may have. Pages in
// progress are cancelled if they are more than the other slots. The caller holds mu.
func (s *slots) forfeit(t *teamSlots, n int) {
	if t.granted -= n; t.life != nil && (t.granted < t.used || t.granted == 0) {
		t.end(job.ErrSlotLost)
	}
	if t.granted > 0 && t.life == nil {
		t.life, t.lose = context.WithCancelCause(context.WithoutCancel(s.store.alive))
	}
	s.change(t)
}

// lost is called before a sign of life counts that may have come too late.
func (s *slots) lost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lapse()
}

// beat is called after a sign of life. It gives up slots that were not used since the last
// one, and asks again for those that pages wait for, in case a notification was lost or their
// holder has died.
func (s *slots) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.teams {
		if len(t.waiting) > 0 {
			t.rise = true
			s.change(t)
		} else if t.granted > t.peak || t.granted == 0 || t.changed {
			t.granted = min(t.granted, t.peak)
			s.change(t)
		}
		t.peak = t.used + len(t.waiting)
	}
}

// end ends the life of the slots that were granted. The caller holds mu.
func (t *teamSlots) end(cause error) {
	t.lose(cause)
	t.life, t.lose = nil, nil
}

// notified handles a notification about slots.
func (s *slots) notified(payload string) {
	process, team, _ := strings.Cut(payload, " ")
	key, err := strconv.ParseInt(team, 10, 64)
	if process != "" && (process != s.store.self || err != nil) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.teams {
		if process == "" || t.key == key {
			s.change(t)
		}
	}
}

// run exchanges what has changed until the store is closed.
func (s *slots) run() {
	for {
		select {
		case <-s.wake:
		case <-s.store.alive.Done():
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(s.store.alive, s.store.lease/3)
		err := s.exchange(ctx)
		cancel()
		rest := min(max(time.Since(began), leastPause), mostPause)
		if err != nil {
			if s.store.alive.Err() != nil {
				return
			}
			s.store.logger.Warn("the slots of teams were not exchanged", slog.Any("err", err))
			rest = 10 * mostPause
			signal(s.wake)
		}
		if !pause(s.store.alive, rest) {
			return
		}
	}
}

// slotNeed is what an exchange tells the database, in columns.
type slotNeed struct {
	teams  []*teamSlots
	names  []string
	keys   []int64
	limits []int64
	keeps  []int64 // slots that this process keeps
	needs  []int64
	rises  []bool
	frees  []bool // this process keeps or needs less than before
	lapses int
}

// collect returns what has changed. The keys are in order, so that no two processes wait
// for each other.
func (s *slots) collect() *slotNeed {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &slotNeed{lapses: s.lapses}
	for _, t := range s.teams {
		if t.changed {
			n.teams = append(n.teams, t)
		}
	}
	slices.SortFunc(n.teams, func(a, b *teamSlots) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	if len(n.teams) > mostSlotTeams {
		n.teams = n.teams[:mostSlotTeams]
		signal(s.wake)
	}
	for _, t := range n.teams {
		n.names, n.keys, n.limits = append(n.names, t.name), append(n.keys, t.key), append(n.limits, int64(t.limit))
		n.keeps, n.needs, n.rises = append(n.keeps, int64(t.granted)), append(n.needs, int64(t.need())), append(n.rises, t.rise)
		n.frees = append(n.frees, t.granted < t.held || t.need() < t.wanted)
		t.changed, t.rise = false, false
	}
	return n
}

// slotAnswer is what the database says about the slots of a team.
type slotAnswer struct {
	held, share int
	contested   bool
}

// exchange tells the database what this process needs, and applies what it gets.
func (s *slots) exchange(ctx context.Context) error {
	n := s.collect()
	if len(n.teams) == 0 {
		return nil
	}
	answers, others, err := s.lease(ctx, n)
	s.mu.Lock()
	late := s.lapses != n.lapses || s.store.fenced(s.lead()) // others may have taken what was granted
	for i, t := range n.teams {
		if err != nil || late {
			// The next exchange tells the database to keep only what this process
			// knows of. Whether others must be told is unknown.
			t.rise, t.held, t.wanted = t.rise || n.rises[i], math.MaxInt32, math.MaxInt32
			s.change(t)
			continue
		}
		s.apply(t, int(n.keeps[i]), int(n.needs[i]), answers[t.name])
	}
	s.mu.Unlock()
	if err == nil && len(others) > 0 { // not in the transaction, which would be committed after all others that notify
		_, err = s.store.pool.Exec(ctx, `select pg_notify($1, x) from unnest($2::text[]) x`, slotChannel, others)
		if err != nil {
			s.store.logger.Warn("other processes were not told of slots, and ask at their next sign of life", slog.Any("err", err))
		}
	}
	if err != nil {
		return storage(err)
	}
	return nil
}

// apply applies an answer to an exchange in which this process said that it keeps keep
// slots. Meanwhile it may have given up some of them. The caller holds mu.
func (s *slots) apply(t *teamSlots, keep, need int, a slotAnswer) {
	t.held, t.wanted, t.share, t.contested = a.held, need, a.share, a.contested
	switch more := a.held - keep; {
	case more > 0:
		if t.granted == 0 {
			t.since = time.Now()
		}
		if t.granted += more; t.life == nil {
			t.life, t.lose = context.WithCancelCause(context.WithoutCancel(s.store.alive))
		}
		s.watch()
	case more < 0: // others have taken this process for dead
		s.store.logger.Warn("slots of a team were lost to other processes", slog.String("team", t.name), slog.Int("slots", -more))
		signal(s.store.pulse)
		s.forfeit(t, min(-more, t.granted))
	}
	s.yield(t)
	s.serve(t)
	if t.need() <= need {
		for _, w := range t.waiting {
			w.Limited = true
		}
	}
	if t.granted == 0 && t.life != nil && t.used == 0 {
		t.end(nil)
	}
	switch {
	case t.need() > t.wanted: // more pages have begun to wait meanwhile
		t.rise = true
		s.change(t)
	case !t.changed && t.need() == 0 && t.granted == 0 && a.held == 0:
		delete(s.teams, t.name)
	}
}

// leaseSlots gives this process ($2) slots. In each team, processes that need less than an
// equal share get what they need, and the others get the same number, which is called the
// level. What remains goes to the first that asks. If there are fewer slots than
// processes, the level is zero, and the process that has waited longest is the next.
const leaseSlots = `with u as (select * from unnest($1::text[], $3::bigint[]) u(team, most)),
	s as (select x.team, x.process, x.held, x.wants, x.at, u.most,
			coalesce(sum(x.wants) over (partition by x.team order by x.wants, x.process rows between unbounded preceding and 1 preceding), 0) before,
			count(*) over (partition by x.team) + 1 - row_number() over (partition by x.team order by x.wants, x.process) rest
		from curlew.slot x join u using (team)),
	l as (select team, greatest(0, max(div(most - before, rest))) level, sum(held) total from s group by team),
	m as (select s.team, s.held, s.wants, s.at, l.level, s.most - l.total free, least(s.wants, l.level) share,
			coalesce(o.reserved, 0) reserved, coalesce(o.waits, false) waits, coalesce(o.earlier, 0) earlier
		from s join l using (team) left join lateral (
			select sum(greatest(0, least(x.wants, l.level) - x.held)) reserved,
				bool_or(x.held < least(x.wants, l.level) or l.level = 0 and x.held = 0 and x.wants > 0) waits,
				count(*) filter (where x.held = 0 and x.wants > 0 and (x.at, x.process) < (s.at, s.process)) earlier
			from s x where x.team = s.team and x.process <> s.process) o on true
		where s.process = $2),
	g as (select team, share, waits or free < 0 contested, held + case
			when not exists (select from curlew.process p where p.id = $2 and p.until > now()) then 0
			when level = 0 then (held = 0 and wants > 0 and earlier < free)::int
			else greatest(0, least(wants - held, free, greatest(share - held, free - reserved))) end held
		from m)
	update curlew.slot o set held = g.held from g where o.team = g.team and o.process = $2
	returning o.team, o.held, g.share::int, g.contested`

// lease is one transaction. It returns the slots of this process in each team, and the
// notifications for the processes that should ask again because of it.
func (s *slots) lease(ctx context.Context, n *slotNeed) (answers map[string]slotAnswer, others []string, err error) {
	self := s.store.self
	b, err := s.store.batch(ctx, slotLoop)
	if err != nil {
		return nil, nil, err
	}
	b.Queue(`select pg_advisory_xact_lock(k) from unnest($1::bigint[]) k`, n.keys)
	// If a process lives although it is taken for dead, it is told.
	collect := func(rows pgx.Rows) error {
		told, err := pgx.CollectRows(rows, pgx.RowTo[string])
		others = append(others, told...)
		return err
	}
	b.Queue(`delete from curlew.slot u using unnest($1::text[], $4::bigint[]) t(team, key) where u.team = t.team and u.process <> $2 and `+dead+` returning u.process || ' ' || t.key`,
		n.names, self, s.store.lease, n.keys).Query(collect)
	b.Queue(`delete from curlew.slot where process = $2 and team in (select team from unnest($1::text[], $3::bigint[], $4::bigint[]) u(team, keep, need) where keep = 0 and need = 0)`,
		n.names, self, n.keeps, n.needs)
	b.Queue(`insert into curlew.slot as o (team, process, held, wants) select team, $2, 0, need from unnest($1::text[], $3::bigint[], $4::bigint[]) u(team, keep, need) where keep > 0 or need > 0
		on conflict (team, process) do update set wants = excluded.wants,
		held = (select least(o.held, u.keep) from unnest($1::text[], $3::bigint[]) u(team, keep) where u.team = o.team),
		at = case when o.held > 0 and (select u.keep from unnest($1::text[], $3::bigint[]) u(team, keep) where u.team = o.team) = 0 then clock_timestamp() else o.at end`,
		n.names, self, n.keeps, n.needs)
	answers = map[string]slotAnswer{}
	b.Queue(leaseSlots, n.names, self, n.limits).Query(func(rows pgx.Rows) error {
		var team string
		var a slotAnswer
		_, err := pgx.ForEachRow(rows, []any{&team, &a.held, &a.share, &a.contested}, func() error {
			answers[team] = a
			return nil
		})
		return err
	})
	// A process that has given something up tells those that wait. One that waits tells those
	// that have slots, because they may not need them any more.
	b.Queue(`select x.process || ' ' || u.key from unnest($1::text[], $3::bigint[], $4::bool[], $5::bool[]) u(team, key, rises, frees)
		join curlew.slot x on x.team = u.team and x.process <> $2 left join curlew.slot o on o.team = u.team and o.process = $2
		where u.frees and x.wants > x.held or u.rises and o.wants > o.held and x.held > 0`, n.names, self, n.keys, n.rises, n.frees).Query(collect)
	if err := s.store.send(ctx, slotLoop, b); err != nil {
		return nil, nil, fmt.Errorf("lease slots: %w", err)
	}
	return answers, others, nil
}

// close ends all pages and calls that wait.
func (s *slots) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.guard != nil {
		s.guard.Stop()
	}
	for _, t := range s.teams {
		t.granted = 0
		if t.life != nil {
			t.end(job.ErrClosed)
		}
		for _, w := range t.waiting {
			w.err = job.ErrClosed
			close(w.done)
		}
		t.waiting = nil
	}
}

// leaveSlots gives up all slots of this process.
func (s *Store) leaveSlots(ctx context.Context) error {
	var b pgx.Batch
	b.Queue(`delete from curlew.slot where process = $1`, s.self)
	b.Queue(`select pg_notify($1, '')`, slotChannel)
	return s.pool.SendBatch(ctx, &b).Close()
}

// sweepSlots removes the slots of processes that are not known any more.
const sweepSlots = `delete from curlew.slot where (team, process) in (select team, process from curlew.slot u
	where not exists (select from curlew.process p where p.id = u.process) order by 1, 2 limit 10000 for update of u skip locked)`
