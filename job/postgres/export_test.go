// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/curlew/crawl/pace"
)

// LookEvery is how often an idle process looks for tasks.
const LookEvery = lookEvery

// Self returns the identifier of the process of s.
func Self(s *Store) string { return s.self }

// Sweep removes expired jobs now.
func Sweep(s *Store, ctx context.Context) error { return s.sweep(ctx) } //nolint:revive // a method in disguise

// Outside makes s store all data of items outside of the database, however little it
// is. It must be called before s is used.
func Outside(s *Store) { s.blobs.from = 1 }

// SweepBlobs makes the next Sweep look for objects without a job.
func SweepBlobs(s *Store) {
	s.blobs.mu.Lock()
	defer s.blobs.mu.Unlock()
	s.blobs.collected = time.Time{}
}

// Folder returns the folder of a job in the store of blobs.
func Folder(s *Store, id string) string { return s.blobs.folder(id) }

// HoldRecords limits the bytes of records of a frontier in memory.
func HoldRecords(s *Store, n int) { s.mostHeld = n }

// FreeStrays makes s free jobs without a claim when two signs of life have found them.
func FreeStrays(s *Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strayFor = 0
}

// Beat sends a sign of life now.
func Beat(s *Store, ctx context.Context) error { return s.beat(ctx) } //nolint:revive // a method in disguise

// Dated returns the identifier of a job as if it had been made some days later.
func Dated(id string, days int) string {
	d := dayOf(id) + day(days)
	h := fmt.Sprintf("%012x", int64(d)*dayMillis)
	return h[:8] + "-" + h[8:] + id[13:]
}

// Capacity returns how many tasks of a kind other processes do at once, as far as s knows.
func Capacity(s *Store, kind string) int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.capacity[kind]
}

// Dump returns the processes and the running jobs, for the report of a failed
// test.
func Dump(s *Store) (text string) {
	_ = s.pool.QueryRow(s.alive, `select concat((select string_agg(concat(id, ' lives ', until - now()), E'\n') from curlew.process), E'\n',
		(select string_agg(concat(id, ' held by ', holder, ' epoch ', epoch, ' written ', written, ' crashes ', crashes), E'\n') from curlew.job where state = 'running'))`).Scan(&text)
	return text
}

// Common returns what s knows of hosts together with other processes.
func Common(s *Store) pace.Common { return s.hosts }

// Age makes the answers that s remembers a second older.
func Age(s *Store) {
	k, p := &s.teams.keys.valid, &s.teams.policies.known
	k.mu.Lock()
	for _, a := range k.known {
		a.began = a.began.Add(-remember)
	}
	k.mu.Unlock()
	p.mu.Lock()
	for _, a := range p.known {
		a.began = a.began.Add(-remember)
	}
	p.mu.Unlock()
}

// Hurry makes the database answer questions about teams within d.
func Hurry(s *Store, d time.Duration) {
	s.teams.keys.valid.within, s.teams.policies.known.within, s.teams.limiter.within = d, d, d
}

// Pool returns the connections of s.
func Pool(s *Store) *pgxpool.Pool { return s.pool }

// Lease makes one exchange of the slots of a team.
func Lease(s *Store, ctx context.Context, team string, limit, keep, need int) (held, share int, contested bool, err error) { //nolint:revive // a method in disguise
	n := &slotNeed{
		names: []string{team}, keys: []int64{1}, limits: []int64{int64(limit)}, keeps: []int64{int64(keep)},
		needs: []int64{int64(need)}, rises: []bool{true}, frees: []bool{true},
	}
	answers, _, err := s.slots.lease(ctx, n)
	a := answers[team]
	return a.held, a.share, a.contested, err
}
