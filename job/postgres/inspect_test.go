// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// inspect inspects a database and expects findings: a text of each one, with "!" before
// it if it is a problem. The servers of tests run without fsync, which is always found.
func inspect(t *testing.T, url string, want ...string) *postgres.Report {
	t.Helper()
	r, err := postgres.Inspect(t.Context(), url)
	if err != nil {
		t.Fatalf("Inspect: %v", err)
	}
	compareFindings(t, r, want...)
	return r
}

func compareFindings(t *testing.T, r *postgres.Report, want ...string) {
	t.Helper()
	want = append(want, "!fsync is off")
	for _, f := range r.Findings {
		found := false
		for i, w := range want {
			text, problem := strings.CutPrefix(w, "!")
			if !found && problem == f.Problem && strings.Contains(f.Text, text) {
				found, want[i] = true, "\x00"
			}
		}
		if !found {
			t.Errorf("an unexpected finding: %+v", f)
		}
	}
	for _, w := range want {
		if w != "\x00" {
			t.Errorf("%q is not found: %+v", w, r.Findings)
		}
	}
}

// testBacklog reads the figures of a database in which a job runs, a job has lost its
// process, and a task waits.
func testBacklog(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	st := open(t, url, &postgres.Options{Lease: 10 * time.Minute})
	begin(t, st, "crawl")
	j, _ := begin(t, st, "crawl")
	begin(t, st, "batch")
	pgtest.Exec(t, url, `update curlew.job set holder = null where id = $1`, j.ID)
	pgtest.Exec(t, url, `insert into curlew.task (job, epoch, n, holder, kind, gap, at, data) values ($1, 1, 1, $2, 'page', 0, now() - interval '1 hour', '')`, j.ID, postgres.Self(st))
	b, err := st.Backlog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b.Running["crawl"].Jobs != 2 || b.Running["batch"].Jobs != 1 || len(b.Running) != 2 || b.Orphans != 1 || b.Waiting != 1 || b.Taken != 0 || b.Processes != 1 {
		t.Errorf("%+v", b)
	}
	if b.Oldest < time.Hour || b.Oldest > 2*time.Hour || b.Lease <= 0 || b.Lease > 10*time.Minute {
		t.Errorf("%+v: the times are wrong", b)
	}
}

func testInspect(t *testing.T, s *pgtest.Server) {
	url, all := s.Database(t), len(postgres.Migrations())
	r := inspect(t, url, "migrations are pending")
	if r.Schema != 0 || len(r.Pending) != all || r.Known != all || r.Server == "" || r.Bytes == 0 || r.Connections == 0 || r.Settings["max_connections"] != "200" {
		t.Errorf("an empty database: %+v", r)
	}
	st := open(t, url, &postgres.Options{Name: "one", Lease: 10 * time.Minute}) // the test decides who is dead
	j, _ := begin(t, st, "crawl")
	begin(t, st, "webhook")
	r = inspect(t, url)
	if len(r.Pending) != 0 || len(r.Processes) != 1 || !r.Processes[0].Alive || r.Processes[0].Name != "one" || r.Processes[0].Jobs != 2 || r.Processes[0].ID != postgres.Self(st) {
		t.Errorf("one process: %+v", r)
	}
	if len(r.Jobs) != 2 || r.Jobs[0].Kind != "crawl" || r.Jobs[1].Running != 1 || r.Orphans != 0 || len(r.Droppable) != 0 {
		t.Errorf("two jobs: %+v", r)
	}
	inspect(t, url+" options='-c synchronous_commit=off -c default_transaction_read_only=on'", "!synchronous_commit is off", "!read-only")

	// A role that only reads the tables is enough, but does not see everything.
	role := "inspector" + strings.ReplaceAll(job.NewID(), "-", "") // the roles of a server are those of all its databases
	pgtest.Exec(t, url, `create role `+role+` login; grant usage on schema curlew to `+role+`; grant select on all tables in schema curlew to `+role)
	inspect(t, url+" user="+role, "grant it pg_read_all_stats")

	// A day that has no more jobs, and a task that nobody takes.
	old := &job.Job{ID: postgres.Dated(job.NewID(), -10), Kind: "crawl", Owner: "team", State: job.Running}
	if err := errors.Join(st.Create(t.Context(), old), st.Delete(t.Context(), old.ID)); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, url, `insert into curlew.task (job, epoch, n, holder, kind, gap, data, at) values ($1, 1, 1, $2, 'k', 0, '', now() - interval '1 hour')`, j.ID, postgres.Self(st))
	r = inspect(t, url, "!the oldest task")
	if len(r.Droppable) != 1 || r.Queue.Waiting != 1 || r.Queue.Oldest < 3600 || r.Queue.Taken != 0 {
		t.Errorf("an old day and an old task: %+v", r)
	}
	pgtest.Exec(t, url, `delete from curlew.task`)

	// The process dies, and later another one lives.
	pgtest.Exec(t, url, `update curlew.job set holder = $1`, job.NewID())
	if r = inspect(t, url, "should be taken over within seconds"); r.Orphans != 2 {
		t.Errorf("%d orphans, want 2", r.Orphans)
	}
	pgtest.Exec(t, url, `delete from curlew.process`)
	inspect(t, url, "!no process lives")

	pgtest.Exec(t, url, `insert into curlew.migration (version, name, compatible) values (1001, 'later', 1001)`)
	if r = inspect(t, url, "!needs a program that knows schema 1001"); r.Schema != 1001 || len(r.Processes) != 0 {
		t.Errorf("a schema of the future: %+v", r)
	}

	_, err := postgres.Inspect(t.Context(), url+" dbname=none")
	if !errors.Is(err, job.ErrStorage) {
		t.Errorf("Inspect without a database: %v, want ErrStorage", err)
	}
}
