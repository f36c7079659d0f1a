// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/pace/pacetest"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// testHosts lets processes share what they know of hosts.
func testHosts(t *testing.T, s *pgtest.Server) {
	pacetest.Check(t, func(t *testing.T) pacetest.System {
		url := s.Database(t)
		stores := map[pace.Common]*postgres.Store{}
		return pacetest.System{
			Open: func(t *testing.T) pace.Common {
				st := open(t, url, &postgres.Options{Lease: 10 * time.Minute}) // the test decides who is dead
				c := postgres.Common(st)
				stores[c] = st
				return c
			},
			Die: func(t *testing.T, c pace.Common) {
				pgtest.Exec(t, url, `delete from curlew.process where id = $1`, postgres.Self(stores[c]))
				pgtest.Exec(t, url, `select pg_notify('curlew_host', '')`)
			},
		}
	})
}

// TestHostsKill lets three processes crawl the same site at the same time, also for each
// other, and kills them and the server of the database at random. The hosts with a
// Crawl-delay are not asked faster than that by all crawls and processes together, as
// their own log says.
func TestHostsKill(t *testing.T) {
	t.Parallel() // it mostly waits
	if testing.Short() {
		t.Skip("slow")
	}
	s := pgtest.Start(t, true)
	url := s.Database(t)
	const size = 80
	w := newWeb(t, size, 2, 100*time.Millisecond)
	processes := make([]*process, 3)
	spec := workerSite + "=" + fmt.Sprint(w.url(), " ", 100_000, " 6")
	for i := range processes {
		processes[i] = spawn(t, url, spec)
	}
	defer func() {
		for _, p := range processes {
			p.kill()
		}
	}()
	st := open(t, url, &postgres.Options{Lease: 3 * time.Second})
	deadline := time.Now().Add(5 * time.Minute)
	var jobs []*job.Job
	for len(jobs) < len(processes) && time.Now().Before(deadline) {
		jobs, _ = st.List(t.Context(), "team", job.Filter{})
		wait(t.Context(), 20*time.Millisecond)
	}
	killAtRandom(t, s, url, processes, 1500*time.Millisecond)
	for _, j := range jobs {
		awaitEnd(t, st, j, deadline)
		got, stats, counts, err := stored(t, st, j)
		if want := len(w.pages()); err != nil || got.State != job.Completed || len(counts) != want || stats.Cost != want {
			t.Errorf("%s is %s (%s) with %d results, %+v, %v; want %d", j.Spec, got.State, got.Err, len(counts), stats, err, want)
		}
	}
	w.check(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.agents) < 2 {
		t.Errorf("one process has made all requests")
	}
}

// testHostsSweep removes hosts that nobody uses any more, and expired files.
func testHostsSweep(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	st := open(t, url, nil)
	pgtest.Exec(t, url, `insert into curlew.host (id, at, ready) values (gen_random_uuid(), now() - interval '2 hours', null),
		(gen_random_uuid(), now() - interval '2 hours', now() + interval '1 hour'), (gen_random_uuid(), now(), null), (gen_random_uuid(), now() - interval '2 hours', null)`)
	pgtest.Exec(t, url, `insert into curlew.host_use (host, process, gap) select id, gen_random_uuid(), 0 from curlew.host limit 1`) // of a dead process
	pgtest.Exec(t, url, `insert into curlew.host_use (host, process, gap) select id, $1, 0 from curlew.host offset 3`, postgres.Self(st))
	pgtest.Exec(t, url, `insert into curlew.robots (id, until) values (gen_random_uuid(), now() - interval '1 second'), (gen_random_uuid(), now() + interval '1 hour')`)
	if err := postgres.Sweep(st, t.Context()); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{"host": 3, "host_use": 1, "robots": 1} {
		var n int
		conn, err := pgx.Connect(t.Context(), url)
		if err == nil {
			err = errors.Join(conn.QueryRow(t.Context(), `select count(*) from curlew.`+table).Scan(&n), conn.Close(t.Context()))
		}
		if err != nil || n != want {
			t.Errorf("%d rows of %s are left, %v; want %d", n, table, err, want)
		}
	}
}
