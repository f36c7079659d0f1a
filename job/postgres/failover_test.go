// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// counting is a frontier that counts its commits. After most commits it waits for the fault
// that a test makes, so that the crawl cannot end before it.
type counting struct {
	frontier.Frontier
	n     atomic.Int64
	most  int64
	fault chan struct{} // closed after the fault
}

func newCounting(f frontier.Frontier, most int64) *counting {
	return &counting{Frontier: f, most: most, fault: make(chan struct{})}
}

func (c *counting) Commit(ctx context.Context, commits ...frontier.Commit) error {
	if c.n.Load() >= c.most {
		select {
		case <-c.fault:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := c.Frontier.Commit(ctx, commits...)
	if err == nil {
		c.n.Add(1)
	}
	return err
}

// reach waits until n pages were committed, or the crawl has ended.
func (c *counting) reach(t *testing.T, n int64, ended <-chan struct{}) {
	t.Helper()
	for c.n.Load() < n {
		select {
		case <-ended:
			return
		case <-t.Context().Done():
			t.Fatal("the crawl does not proceed")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// exact fails t unless a job has completed with n different results and nothing else.
func exact(t *testing.T, st *postgres.Store, j *job.Job, n int) {
	t.Helper()
	got, stats, counts, err := stored(t, st, j)
	if err != nil {
		t.Fatal(err)
	}
	if got.State != job.Completed || len(counts) != n || stats.Items[job.Result] != n || stats.Cost != n || stats.Crawl.Delivered != n {
		t.Errorf("the job is %s (%s) with %d results, %+v; want %d", got.State, got.Err, len(counts), stats, n)
	}
}

// finish crawls the rest of a job, ends it, and compares what is stored.
func finish(t *testing.T, st *postgres.Store, j *job.Job, sp job.Space, f frontier.Frontier, w tree) {
	t.Helper()
	if err := w.walk(t.Context(), f); err != nil {
		t.Fatalf("walk: %v", err)
	}
	if err := sp.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatalf("End: %v", err)
	}
	exact(t, st, j, w.limit)
}

// TestFailover kills the server in the middle of crawls, promotes its synchronous standby,
// and lets the crawls continue there. One of them is continued by its process, the other
// one, whose process dies with the server, by another process.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	primary := pgtest.Start(t, true)
	url := primary.Database(t)
	standby, err := primary.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Remove)
	either := primary.Either(standby, url)
	// The servers may take long on a busy machine. Who is dead is decided below.
	long := &postgres.Options{Lease: 10 * time.Minute}
	st := open(t, either, long)
	w := tree{size: 300, limit: 250}
	j, sp := begin(t, st, "crawl")
	inner, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	f := newCounting(inner, 150)
	ended := make(chan struct{})
	var walked error
	go func() {
		defer close(ended)
		walked = w.walk(t.Context(), f)
	}()

	dead := open(t, either, long)
	left, leftSpace := begin(t, dead, "crawl")
	if inner, err = leftSpace.Frontier(t.Context(), w.options()); err != nil {
		t.Fatal(err)
	}
	half := newCounting(inner, 100)
	dying, die := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if err := w.walk(dying, half); dying.Err() == nil {
			t.Errorf("the crawl of the dying process has ended: %v", err)
		}
	})
	half.reach(t, 20, ended)
	die()
	all.Wait()
	f.reach(t, 50, ended)
	primary.Kill()
	close(f.fault)
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if walked != nil {
		t.Fatalf("walk: %v", walked)
	}
	if err := sp.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatalf("End: %v", err)
	}
	exact(t, st, j, w.limit)

	conn, err := pgx.Connect(t.Context(), either)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `delete from curlew.process where id = $1`, postgres.Self(dead)); err != nil {
		t.Fatal(err)
	}
	list, err := st.Unfinished(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != left.ID {
		t.Fatalf("Unfinished: %v, %v; want the job of the process that died", list, err)
	}
	space, err := st.Space(t.Context(), left.ID)
	if err != nil {
		t.Fatal(err)
	}
	again, err := space.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	finish(t, st, left, space, again, w)
}

// testSlow crawls while each answer of the database is late.
func testSlow(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: 10 * time.Minute})
	w := tree{size: 120, limit: 100}
	j, sp := begin(t, st, "crawl")
	p.slow(10 * time.Millisecond)
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	finish(t, st, j, sp, f, w)
}

// testStall keeps the answers from a process until another one has taken over its job. The
// statements of the first process are executed, and it hears of them later. Nothing that it
// does then may change the job.
func testStall(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	long := &postgres.Options{Lease: 10 * time.Minute} // who is dead is decided below
	first := open(t, through, long)
	w := tree{size: 300, limit: 250}
	j, sp := begin(t, first, "crawl")
	inner, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	f := newCounting(inner, 150)
	ended := make(chan struct{})
	walked := make(chan error, 1)
	go func() {
		defer close(ended)
		walked <- w.walk(t.Context(), f)
	}()
	f.reach(t, 30, ended)
	release := p.hold()
	defer release()
	close(f.fault)
	second := open(t, url, long)
	pgtest.Exec(t, url, `delete from curlew.process where id = $1`, postgres.Self(first))
	list, err := second.Unfinished(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != j.ID {
		t.Fatalf("Unfinished: %v, %v; want the job of the process that hears nothing", list, err)
	}
	space, err := second.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	again, err := space.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	leases, err := again.Lease(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Commit(t.Context(), w.end(leases[0])); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-walked; !errors.Is(err, job.ErrElsewhere) {
		t.Errorf("the walk of the process that was slow: %v, want ErrElsewhere", err)
	}
	if err := sp.Append(t.Context(), job.Item{Data: []byte("late")}); !errors.Is(err, job.ErrElsewhere) {
		t.Errorf("Append by it: %v, want ErrElsewhere", err)
	}
	finish(t, second, j, space, again, w)
}

// testSkew lets processes work whose clocks are wrong by days: their jobs have the
// identifiers and the times of other days. Leases, expiry and sweeps go by the clock of the
// database.
func testSkew(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	st := open(t, url, &postgres.Options{Lease: 10 * time.Minute})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	w := tree{size: 60, limit: 50}
	for _, days := range []int{-400, -3, -1, 1, 3, 400} {
		create := func() (*job.Job, job.Space) {
			t.Helper()
			j := &job.Job{ID: postgres.Dated(job.NewID(), days), Kind: "crawl", Owner: "team", State: job.Running, Keep: time.Hour, Created: time.Now().AddDate(0, 0, days)}
			if err := st.Create(t.Context(), j); err != nil {
				t.Fatal(err)
			}
			sp, err := st.Space(t.Context(), j.ID)
			if err != nil {
				t.Fatal(err)
			}
			return j, sp
		}
		before, sp := create()
		if err := sp.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, url, `update curlew.job set expires = now() - interval '1 minute' where id = $1`, before.ID)
		if err := postgres.Sweep(st, t.Context()); err != nil { // drops the day, if it is over for the database
			t.Fatal(err)
		}
		j, sp := create()
		f, err := sp.Frontier(t.Context(), w.options())
		if err != nil {
			t.Fatalf("%d days: Frontier: %v", days, err)
		}
		if err := w.walk(t.Context(), f); err != nil {
			t.Fatalf("%d days: walk: %v", days, err)
		}
		if err := sp.End(t.Context(), job.Completed, ""); err != nil {
			t.Fatalf("%d days: End: %v", days, err)
		}
		if err := postgres.Sweep(st, t.Context()); err != nil {
			t.Fatal(err)
		}
		exact(t, st, j, w.limit)
		var kept bool
		err = conn.QueryRow(t.Context(), `select expires between now() + interval '1 minute' and now() + interval '1 hour' from curlew.job where id = $1`, j.ID).Scan(&kept)
		if err != nil || !kept {
			t.Errorf("%d days: the job does not expire in an hour: %v", days, err)
		}
	}
}

// testRecords continues a crawl whose records do not fit into memory.
func testRecords(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	w := tree{size: 600, limit: 500}
	st := open(t, url, nil)
	j, sp := begin(t, st, "crawl")
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		leases, err := f.Lease(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(t.Context(), w.end(leases[0])); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = open(t, url, nil)
	postgres.HoldRecords(st, 1000)
	if sp, err = st.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	if f, err = sp.Frontier(t.Context(), w.options()); err != nil {
		t.Fatal(err)
	}
	finish(t, st, j, sp, f, w)
}

// testStray takes a job for a process that does not hear of it.
func testStray(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	first := open(t, url, nil)
	j, _ := begin(t, first, "crawl")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	st := open(t, url, &postgres.Options{Lease: 10 * time.Minute})
	postgres.FreeStrays(st)
	pgtest.Exec(t, url, `update curlew.job set holder = $1, epoch = epoch + 1 where id = $2`, postgres.Self(st), j.ID)
	for range 2 {
		if err := postgres.Beat(st, t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w := tree{size: 30, limit: 20}
	sp, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatalf("Frontier: %v", err)
	}
	for range 3 { // the claim is no stray
		if err := postgres.Beat(st, t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, st, j, sp, f, w)
}

// testRecordsAway lets the records of a crawl be out of reach for longer than a lease, while
// the crawl is opened and while it goes on. The job does not fail for that.
func testRecordsAway(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	w := tree{size: 300, limit: 200}
	again := func() *postgres.Store {
		st := open(t, url+" lock_timeout=20ms", &postgres.Options{Lease: time.Second})
		postgres.HoldRecords(st, 1000)
		return st
	}
	st := again()
	j, sp := begin(t, st, "crawl")
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		leases, err := f.Lease(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(t.Context(), w.end(leases[0])); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	lock := func() (unlock func()) {
		conn, err := pgx.Connect(t.Context(), url)
		if err == nil {
			_, err = conn.Exec(t.Context(), `begin; lock table curlew.record in access exclusive mode`)
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() { _ = conn.Close(context.WithoutCancel(t.Context())) }
	}
	for _, opened := range []bool{false, true} {
		st := again()
		sp, err := st.Space(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := sp.Append(t.Context()); err != nil { // takes the job
			t.Fatal(err)
		}
		var f frontier.Frontier
		if opened {
			if f, err = sp.Frontier(t.Context(), w.options()); err != nil {
				t.Fatal(err)
			}
		}
		unlock := lock()
		if opened {
			err = w.walk(t.Context(), f)
		} else {
			_, err = sp.Frontier(t.Context(), w.options())
		}
		if !errors.Is(err, job.ErrStorage) && !errors.Is(err, job.ErrElsewhere) {
			t.Errorf("opened %v: without the records: %v, want ErrStorage", opened, err)
		}
		if err := sp.End(t.Context(), job.Failed, "no records"); !errors.Is(err, job.ErrElsewhere) {
			t.Errorf("opened %v: End of a work that failed for this: %v, want ErrElsewhere", opened, err)
		}
		unlock()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	st = again()
	if sp, err = st.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	if f, err = sp.Frontier(t.Context(), w.options()); err != nil {
		t.Fatal(err)
	}
	finish(t, st, j, sp, f, w)
}

// testAway lets the database be away while a work begins and while a job ends. The job
// does not fail for that, and is not forgotten.
func testAway(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: 10 * time.Minute})
	w := tree{size: 30, limit: 20}
	j, sp := begin(t, st, "crawl")
	p.refuse(true)
	_, err := job.Settled(t.Context(), sp)
	if !errors.Is(err, job.ErrStorage) {
		t.Errorf("Settled without a database: %v", err)
	}
	if err := sp.End(t.Context(), job.Failed, err.Error()); !errors.Is(err, job.ErrElsewhere) {
		t.Errorf("End of a work that failed for this: %v, want ErrElsewhere", err)
	}
	p.refuse(false)
	for err := errors.New("not yet"); err != nil; err = postgres.Beat(st, t.Context()) { // leaves the job
		wait(t.Context(), 10*time.Millisecond)
	}
	list, err := st.Unfinished(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != j.ID {
		t.Fatalf("Unfinished: %v, %v; want the job", list, err)
	}
	if sp, err = st.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.walk(t.Context(), f); err != nil {
		t.Fatalf("walk: %v", err)
	}
	p.refuse(true)
	ended := make(chan error, 1)
	go func() { ended <- sp.End(t.Context(), job.Completed, "") }()
	wait(t.Context(), 50*time.Millisecond)
	p.refuse(false)
	if err := <-ended; err != nil && !errors.Is(err, job.ErrEnded) { // the answer of the first attempt may be lost
		t.Fatalf("End: %v", err)
	}
	exact(t, open(t, url, nil), j, w.limit)
}
