// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

func testMigrate(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	all := postgres.Migrations()
	pending := func(want int) {
		t.Helper()
		if list, err := postgres.Pending(t.Context(), url); err != nil || len(list) != want {
			t.Errorf("Pending: %d migrations, %v; want %d", len(list), err, want)
		}
	}
	pending(len(all))
	_, err := postgres.Open(t.Context(), url, &postgres.Options{NoMigrate: true})
	if !errors.Is(err, job.ErrVersion) {
		t.Errorf("Open of a database without a schema: %v, want ErrVersion", err)
	}
	pending(len(all))
	var wg sync.WaitGroup
	for range 4 { // processes that start at the same time
		wg.Go(func() {
			st, err := postgres.Open(t.Context(), url, nil)
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			if err := st.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	wg.Wait()
	pending(0)
	open(t, url, &postgres.Options{NoMigrate: true})

	// The next version of the program has migrated the database, and says that
	// this one can go on.
	pgtest.Exec(t, url, `insert into curlew.migration (version, name, compatible) values (1000, 'next', $1)`, len(all))
	open(t, url, nil)
	pending(0)
	pgtest.Exec(t, url, `insert into curlew.migration (version, name, compatible) values (1001, 'later', 1001)`)
	_, err = postgres.Open(t.Context(), url, nil)
	if !errors.Is(err, job.ErrVersion) || !strings.Contains(err.Error(), "1001") {
		t.Errorf("Open of a database that this program does not understand: %v, want ErrVersion", err)
	}
}

func testOpenErrors(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	pgtest.Exec(t, url, `create database ascii template template0 encoding 'SQL_ASCII'`)
	// A later value of a connection string replaces an earlier one.
	for what, c := range map[string]struct {
		url  string
		want error
	}{
		"an invalid URL":       {"postgres://%zz", job.ErrStorage},
		"no server":            {"postgres://127.0.0.1:1/x?connect_timeout=5", job.ErrStorage},
		"no database":          {url + " dbname=none", job.ErrStorage},
		"another encoding":     {url + " dbname=ascii", job.ErrVersion},
		"a read-only database": {url + " options='-c default_transaction_read_only=on'", job.ErrStorage},
	} {
		st, err := postgres.Open(t.Context(), c.url, nil)
		if !errors.Is(err, c.want) {
			t.Errorf("Open of %s: %v, want %v", what, err, c.want)
		}
		if err == nil {
			st.Close()
		}
	}
}

// testSweep makes jobs of earlier days expire.
func testSweep(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	st := open(t, url, nil)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	count := func(sql string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const partitions = `select count(*) from pg_inherits where inhparent = 'curlew.item'::regclass`

	// add creates a job of an earlier day with an item, and ends it.
	add := func(days int, expired string) {
		t.Helper()
		id := postgres.Dated(job.NewID(), -days)
		j := &job.Job{ID: id, Kind: "crawl", Owner: "team", State: job.Running}
		if err := st.Create(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		sp, err := st.Space(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := sp.Append(t.Context(), job.Item{Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
		if err := sp.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, url, `update curlew.job set expires = now() - $2::interval where id = $1`, id, expired)
	}
	add(10, "1 second") // the only job of its day
	add(9, "1 second")
	add(9, "-1 hour")  // keeps the partition of its day
	add(0, "1 second") // may go with its partition
	add(0, "25 hours") // has lingered long enough
	if n := count(partitions); n != 3 {
		t.Fatalf("%d partitions, want 3", n)
	}
	if err := postgres.Sweep(st, t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(partitions); n != 2 {
		t.Errorf("%d partitions are left, want 2", n)
	}
	if n := count(`select count(*) from curlew.job`); n != 3 {
		t.Errorf("%d jobs are left, want 3", n)
	}
	if n := count(`select count(*) from curlew.item`); n != 3 {
		t.Errorf("%d items are left, want 3", n)
	}
	if list, err := st.List(t.Context(), "team", job.Filter{}); err != nil || len(list) != 1 {
		t.Errorf("List: %d jobs, %v; want the one that has not expired", len(list), err)
	}

	// A day that was dropped comes back if a job needs it.
	add(10, "-1 hour")
	if n := count(partitions); n != 3 {
		t.Errorf("%d partitions, want 3", n)
	}
}

// testCrashes lets processes die again and again before they write anything.
func testCrashes(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	long := &postgres.Options{Lease: 10 * time.Minute}
	st := open(t, url, long)
	j, _ := begin(t, st, "crawl")
	lapse := func() {
		t.Helper()
		pgtest.Exec(t, url, `delete from curlew.process where id = $1`, postgres.Self(st))
		st = open(t, url, long)
		if _, err := st.Unfinished(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	try := func() (job.Space, error) {
		t.Helper()
		sp, err := st.Space(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = job.Begin(sp)
		return sp, err
	}
	for range 4 {
		lapse()
		if _, err := try(); err != nil {
			t.Fatalf("Begin: %v", err)
		}
	}
	sp, err := try()
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}
	if err := sp.Append(t.Context(), job.Item{Kind: job.Note}); err != nil { // it goes forward after all
		t.Fatal(err)
	}
	for range 5 {
		lapse()
		if _, err := try(); err != nil {
			t.Fatalf("Begin: %v", err)
		}
	}
	lapse()
	if _, err := try(); !errors.Is(err, job.ErrCrashed) {
		t.Errorf("Begin after five crashes: %v, want ErrCrashed", err)
	}
}

// testVacuum reads the settings of the tables whose rows change, as docs/postgresql.md has
// them.
func testVacuum(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	open(t, url, nil)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, table := range []string{"job", "balance", "task", "host", "host_use", "rate"} {
		want := []string{"fillfactor=50", "autovacuum_vacuum_scale_factor=0.02"}
		if table == "task" {
			want = []string{"fillfactor=50", "autovacuum_vacuum_scale_factor=0", "autovacuum_vacuum_threshold=2000", "autovacuum_vacuum_cost_delay=0"}
		}
		var got []string
		err := conn.QueryRow(t.Context(), `select reloptions from pg_class where oid = $1::text::regclass`, "curlew."+table).Scan(&got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("settings of %s: %q, %v; want %q", table, got, err, want)
		}
	}
}
