// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// testRoles opens and uses a database with roles that lack rights. Each gets an error that
// wraps job.ErrStorage, and nothing is stored.
func testRoles(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	pgtest.Exec(t, url, `drop role if exists stranger, reader, writer`)
	pgtest.Exec(t, url, `create role stranger login`)
	pgtest.Exec(t, url, `create role reader login`)
	pgtest.Exec(t, url, `create role writer login`)
	fails := func(what, url string, o *postgres.Options) {
		t.Helper()
		st, err := postgres.Open(t.Context(), url, o)
		if err == nil {
			st.Close()
		}
		want(t, what, err, job.ErrStorage)
	}
	fails("Open of an empty database without the right to create a schema", url+" user=stranger", nil)
	owner := open(t, url, nil)
	pgtest.Exec(t, url, `grant usage on schema curlew to reader, writer`)
	pgtest.Exec(t, url, `grant select on all tables in schema curlew to reader`)
	pgtest.Exec(t, url, `grant select, insert, update, delete on all tables in schema curlew to writer`)
	fails("Open without any right", url+" user=stranger", &postgres.Options{NoMigrate: true})
	fails("Open by a role that may only read", url+" user=reader", &postgres.Options{NoMigrate: true})

	// A role that may not create partitions cannot create the first job of a day.
	st := open(t, url+" user=writer", &postgres.Options{NoMigrate: true})
	j := &job.Job{ID: job.NewID(), Kind: "crawl", Owner: "team", State: job.Running}
	want(t, "Create without the right to create partitions", st.Create(t.Context(), j), job.ErrStorage)
	_, err := owner.Load(t.Context(), "team", j.ID)
	want(t, "Load of a job that was not created", err, job.ErrNotFound)
}

// want fails the test if err does not wrap target.
func want(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: %v, want %v", what, err, target)
	}
}

// testTimeouts uses a store whose sessions have short timeouts and another search path, while
// the server ends its transactions. Every item is stored once.
func testTimeouts(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	pgtest.Exec(t, url, `create schema other`)
	pgtest.Exec(t, url, `create table other.job (id int); create table other.item (id int)`)
	st := open(t, url+" options='-c search_path=other -c lock_timeout=20ms -c idle_in_transaction_session_timeout=20ms -c statement_timeout=10s'", nil)
	j, sp := begin(t, st, "batch")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const items = 40
	for i := range items {
		done := make(chan error, 1)
		if i%8 == 0 { // the row is locked for longer than lock_timeout
			tx, err := conn.Begin(t.Context())
			if err == nil {
				_, err = tx.Exec(t.Context(), `select from curlew.job where id = $1 for update`, j.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				wait(t.Context(), 60*time.Millisecond)
				done <- tx.Rollback(t.Context())
			}()
		} else {
			done <- nil
		}
		if err := sp.Append(t.Context(), job.Item{Data: fmt.Append(nil, i), Cost: 1}); err != nil {
			t.Fatalf("Append: %v", err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	want(t, "End", sp.End(t.Context(), job.Completed, ""), nil)
	stats, err := sp.Stats(t.Context())
	if err != nil || stats.Items[job.Result] != items || stats.Cost != items {
		t.Errorf("Stats: %+v, %v; want %d items", stats, err, items)
	}

	// A statement that never ends in time is an error, and nothing is stored.
	slow, err := postgres.Open(t.Context(), url+" options='-c statement_timeout=1ms'", &postgres.Options{NoMigrate: true, Lease: time.Second})
	if err != nil {
		want(t, "Open with a statement_timeout of 1 ms", err, job.ErrStorage)
		return
	}
	defer slow.Close()
	err = slow.Create(t.Context(), &job.Job{ID: job.NewID(), Kind: "batch", Owner: "team", State: job.Running})
	if err != nil {
		want(t, "Create with a statement_timeout of 1 ms", err, job.ErrStorage)
	}
}

// testConnections uses a store whose role may have fewer connections than its pool. Writes
// of its jobs are tried again, so every item is stored once.
func testConnections(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	pgtest.Exec(t, url, `drop role if exists nobody, few`)
	pgtest.Exec(t, url, `create role nobody login connection limit 0`)
	pgtest.Exec(t, url, `create role few login connection limit 2`)
	pgtest.Exec(t, url, `grant create on database `+strings.Fields(url[strings.Index(url, "dbname=")+len("dbname="):])[0]+` to few`)
	st, err := postgres.Open(t.Context(), url+" user=nobody", nil)
	if err == nil {
		st.Close()
	}
	want(t, "Open without a free connection", err, job.ErrStorage)

	st = open(t, url+" user=few pool_max_conns=8", nil)
	var all sync.WaitGroup
	for range 4 {
		j := &job.Job{ID: job.NewID(), Kind: "batch", Owner: "team", State: job.Running}
		for err = st.Create(t.Context(), j); err != nil; err = st.Create(t.Context(), j) {
			want(t, "Create", err, job.ErrStorage)
			wait(t.Context(), 10*time.Millisecond)
		}
		sp, err := st.Space(t.Context(), j.ID)
		for ; err != nil; sp, err = st.Space(t.Context(), j.ID) {
			want(t, "Space", err, job.ErrStorage)
			wait(t.Context(), 10*time.Millisecond)
		}
		all.Go(func() {
			for i := range 10 {
				want(t, "Append", sp.Append(t.Context(), job.Item{Data: fmt.Append(nil, i), Cost: 1}), nil)
			}
		})
		defer func() {
			stats, err := open(t, url, nil).Space(t.Context(), j.ID)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := stats.Stats(t.Context()); err != nil || n.Cost != 10 {
				t.Errorf("%d credits, %v; want 10", n.Cost, err)
			}
		}()
	}
	all.Wait()
}

// testFullDisk stores items in a tablespace that becomes full. The job is left to any process
// with what was stored, and another process completes it when there is room.
func testFullDisk(t *testing.T, s *pgtest.Server) {
	server, err := user.Lookup("postgres") // as in pgtest
	if err != nil {
		server, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "curlew-full-") //nolint:usetesting // the user of the server must reach it
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(dir)
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=6m,mode=700,uid="+server.Uid); err != nil {
		t.Skipf("the kernel forbids this user to mount a small file system: %v", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	url := s.Database(t)
	pgtest.Exec(t, url, `drop tablespace if exists small`)
	pgtest.Exec(t, url, `create tablespace small location '`+dir+`'`)
	st := open(t, url+" options='-c default_tablespace=small'", &postgres.Options{Lease: 2 * time.Second})
	j, sp := begin(t, st, "batch")
	data := make([]byte, 256<<10)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	stored := 0
	for ; err == nil && stored < 100; stored++ {
		for i := range data { // so that it does not compress
			data[i] = data[i]*31 + byte(i>>2) + byte(stored)
		}
		if err = sp.Append(t.Context(), job.Item{Data: data}); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("the file system does not become full")
	}
	if !errors.Is(err, job.ErrFull) && !errors.Is(err, job.ErrElsewhere) {
		t.Errorf("Append on a full disk: %v", err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	other := open(t, url, nil)
	for deadline := time.Now().Add(2 * time.Minute); ; wait(t.Context(), 50*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no process gets the job after the disk has room")
		}
		jobs, err := other.Unfinished(t.Context())
		if err == nil && len(jobs) == 1 && jobs[0].ID == j.ID {
			break
		}
	}
	sp, err = other.Space(context.WithoutCancel(t.Context()), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := sp.Stats(t.Context())
	if err != nil || stats.Items[job.Result] != stored {
		t.Errorf("%d items after the disk was full, %v; want the %d that were accepted", stats.Items[job.Result], err, stored)
	}
	want(t, "Append", sp.Append(t.Context(), job.Item{Data: data}), nil)
	want(t, "End", sp.End(t.Context(), job.Completed, ""), nil)
	want(t, "Close", errors.Join(st.Close(), other.Close()), nil)
	pgtest.Exec(t, url, `drop schema curlew cascade`) // before the file system goes
	pgtest.Exec(t, url, `drop tablespace small`)
}
