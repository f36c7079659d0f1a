// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

// lossy are two processes behind proxies. The first holds a job, whose tasks the second
// can do. Their leases are so long that nothing is repaired because one ends.
type lossy struct {
	t      *testing.T
	url    string
	proxy  []*proxy
	store  []*postgres.Store
	job    *job.Job
	space  job.Space
	within context.Context //nolint:containedctx // ends long after what the test waits for
}

func newLossy(t *testing.T, s *pgtest.Server) *lossy {
	x := &lossy{t: t, url: s.Database(t)}
	for range 2 {
		p, through := cutting(t, x.url)
		st := open(t, through+" default_query_exec_mode=cache_describe", &postgres.Options{Lease: time.Hour, Concurrency: 1})
		x.proxy, x.store = append(x.proxy, p), append(x.store, st)
	}
	x.job, x.space = begin(t, x.store[0], "test")
	within, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	x.within = within
	return x
}

// until waits until done returns true.
func (x *lossy) until(what string, done func() bool) {
	x.t.Helper()
	for !done() {
		if x.within.Err() != nil {
			x.t.Fatalf("%s does not happen", what)
		}
		wait(x.within, 5*time.Millisecond)
	}
}

// after waits until c is closed.
func (x *lossy) after(what string, c <-chan struct{}) {
	x.t.Helper()
	select {
	case <-c:
	case <-x.within.Done():
		x.t.Fatalf("%s does not happen", what)
	}
}

// count returns a number from the database.
func (x *lossy) count(sql string, args ...any) (n int) {
	x.t.Helper()
	conn, err := pgx.Connect(x.t.Context(), x.url)
	if err == nil {
		err = errors.Join(conn.QueryRow(x.t.Context(), sql, args...).Scan(&n), conn.Close(x.t.Context()))
	}
	if err != nil {
		x.t.Fatal(err)
	}
	return n
}

// promise lets a process that does nothing promise to do tasks.
func (x *lossy) promise() {
	x.t.Helper()
	pgtest.Exec(x.t, x.url, `insert into curlew.process (id, name, until, helps, room) values (gen_random_uuid(), '', now() + interval '1 day', 'test', 8)`)
	if err := postgres.Beat(x.store[0], x.t.Context()); err != nil {
		x.t.Fatal(err)
	}
}

// help makes the second process help until the end of the test or until the returned
// function is called. The first one has learned of it.
func (x *lossy) help(most int, do func(ctx context.Context, task string)) (leave func()) {
	x.t.Helper()
	ctx, stop := context.WithCancel(x.t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		err := x.store[1].Help(ctx, job.Help{Kind: "test", Most: most, Do: func(ctx context.Context, _ *job.Job, task []byte) ([]byte, error) {
			do(ctx, string(task))
			return []byte("did " + string(task)), nil
		}})
		if err != nil {
			x.t.Errorf("Help: %v", err)
		}
	})
	leave = sync.OnceFunc(func() {
		stop()
		all.Wait()
	})
	x.t.Cleanup(leave)
	x.until("the offer of help", func() bool { return postgres.Capacity(x.store[0], "test") > 0 })
	return leave
}

// occupy lets the first process do a task until the end of the test, because it shares
// tasks only while it does some itself.
func (x *lossy) occupy() {
	x.t.Helper()
	ctx, stop := context.WithCancel(x.t.Context())
	var all sync.WaitGroup
	x.t.Cleanup(all.Wait)
	x.t.Cleanup(stop)
	started := make(chan struct{})
	all.Go(func() {
		_, _ = job.Share(ctx, x.space, job.Task{Kind: "other"}, func() {
			close(started)
			<-ctx.Done()
		})
	})
	x.after("a task in the first process", started)
}

// share shares a task. It returns whether this process has done it.
func (x *lossy) share(task string) (here bool, err error) {
	result, err := job.Share(x.within, x.space, job.Task{Kind: "test", Data: []byte(task)}, func() { here = true })
	if err == nil && !here && string(result) != "did "+task {
		x.t.Errorf("the result of %s is %q", task, result)
	}
	return here, err
}

// testLost cuts a connection after the server has executed a statement, and before its
// answer arrives. The other connections stay, so that no notification is lost. Each task
// comes back nevertheless, although no lease ends.
func testLost(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	x.help(4, func(context.Context, string) {})
	x.occupy()
	for _, c := range []struct {
		process int
		text    string
		lost    bool // the task may count as lost
	}{
		{0, "insert into curlew.task", false},
		{0, "select job, epoch, n, result", false},
		{0, "delete from curlew.task", false},
		{1, "set worker", true},
		{1, "set result", false},
		{1, "from curlew.job where id", true}, // only once for each process
	} {
		trap := x.proxy[c.process].lose(c.text)
		caught := func() bool {
			select {
			case <-trap.done:
				return true
			default:
				return false
			}
		}
		for n := 0; n == 0 || !caught() && n < 100; n++ {
			if _, err := x.share(c.text); err != nil && (!c.lost || !errors.Is(err, job.ErrLost)) {
				t.Fatalf("the answer to %q is lost: %v", c.text, err)
			}
		}
		t.Logf("the answer to %q was lost: %t", c.text, caught())
		x.proxy[c.process].set(nil)
	}
	x.until("the removal of all tasks", func() bool { return x.count(`select count(*) from curlew.task`) == 0 })
}

// testLostCheck loses the answer to the statement that takes back tasks which nobody has
// begun, and tasks of dead processes.
func testLostCheck(t *testing.T, s *pgtest.Server) {
	for _, dead := range []bool{false, true} {
		x := newLossy(t, s)
		x.promise()
		x.occupy()
		back := make(chan struct{})
		go func() {
			defer close(back)
			here, err := x.share("task")
			if here == dead || dead != errors.Is(err, job.ErrLost) || !dead && err != nil {
				t.Errorf("dead process: %t; task done here: %t, %v", dead, here, err)
			}
		}()
		if dead {
			x.until("a task", func() bool { return x.count(`select count(*) from curlew.task`) > 0 })
			pgtest.Exec(t, x.url, `update curlew.task set worker = gen_random_uuid()`)
		}
		for revoked := false; !revoked; {
			trap := x.proxy[0].lose("set revoked")
			select {
			case <-trap.done:
			case <-back:
			case <-x.within.Done():
				t.Fatal("no task is taken back")
			}
			revoked = x.count(`select count(*) from curlew.task where not revoked`) == 0
		}
		x.after("the return of the task", back)
		x.until("the removal of the task", func() bool { return x.count(`select count(*) from curlew.task`) == 0 })
	}
}

// testLateTake lets the server execute a statement that takes tasks long after its
// connection was cut. It must take nothing, because nobody would do it.
func testLateTake(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	busy, free := make(chan struct{}, 100), make(chan struct{})
	x.help(1, func(ctx context.Context, task string) {
		if task != "first" {
			busy <- struct{}{}
			select {
			case <-free:
			case <-ctx.Done():
			}
		}
	})
	x.occupy()
	for here := true; here; { // until the other process has begun one
		var err error
		if here, err = x.share("first"); err != nil {
			t.Fatal(err)
		}
	}
	trap := x.proxy[1].detain("set worker")
	var all sync.WaitGroup
	defer all.Wait()
	defer close(free)
	all.Go(func() {
		for len(busy) == 0 && x.within.Err() == nil { // the process may be too slow for the first ones
			if _, err := x.share("second"); err != nil {
				t.Error(err)
			}
		}
	})
	x.after("the statement", trap.caught)
	x.until("another statement", func() bool { return len(busy) > 0 })
	pgtest.Exec(t, x.url, `insert into curlew.task (job, epoch, n, holder, kind, gap, data, at) select id, epoch, 1000000, holder, 'test', 0, '', now() + interval '1 day' from curlew.job where id = $1`, x.job.ID)
	close(trap.late)
	x.after("the late statement", trap.done)
	if n := x.count(`select count(*) from curlew.task where n = 1000000 and worker is null`); n != 1 {
		t.Errorf("a late statement has taken a task that nobody does")
	}
}

// testHalf lets only a part of a transaction arrive, so that the server waits for the rest
// and keeps its locks. The work goes on.
func testHalf(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	x.help(1, func(context.Context, string) {})
	x.occupy()
	for i, text := range []string{"insert into curlew.task", "set result"} {
		trap := x.proxy[i].halve(text)
		for caught := false; !caught; {
			if _, err := x.share(text); err != nil {
				t.Fatalf("half of a transaction with %q: %v", text, err)
			}
			select {
			case <-trap.caught:
				caught = true
			default:
			}
		}
	}
	x.until("the removal of all tasks", func() bool { return x.count(`select count(*) from curlew.task`) == 0 })
}

// testLateInsert lets the server execute a statement that shares a task after the task was
// done. It must not be done again.
func testLateInsert(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	leave := x.help(1, func(context.Context, string) {})
	x.occupy()
	trap := x.proxy[0].detain("insert into curlew.task")
	if _, err := x.share("task"); err != nil {
		t.Fatal(err)
	}
	x.after("the statement", trap.caught)
	x.until("the removal of the task", func() bool { return x.count(`select count(*) from curlew.task`) == 0 })
	leave()
	close(trap.late)
	x.after("the late statement", trap.done)
	if n := x.count(`select count(*) from curlew.task`); n != 0 {
		t.Errorf("a task that was done is shared again")
	}
}

// testLateHost lets the server execute the request for a host after the process has left
// the host. Nobody would release it.
func testLateHost(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	c := postgres.Common(x.store[0])
	held := make(chan struct{}, 100)
	c.Attach(func(_ string, g pace.Grant) {
		if g.Held {
			held <- struct{}{}
		}
	})
	trap := x.proxy[0].detain("insert into curlew.host_use")
	c.Ask("http://a.test", pace.Need{Use: true, Gap: time.Second})
	x.after("the statement", trap.caught)
	x.after("the use of the host", held)
	c.Ask("http://a.test", pace.Need{})
	x.until("the end of the use", func() bool { return x.count(`select count(*) from curlew.host_use`) == 0 })
	close(trap.late)
	x.after("the late statement", trap.done)
	if n := x.count(`select count(*) from curlew.host_use`); n != 0 {
		t.Errorf("a late statement holds a host that the process does not use")
	}
}

// testLostHost loses the answer to the release of a host. The process that waits for it is
// told nevertheless.
func testLostHost(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	held := make([]chan struct{}, 2)
	heard := make(chan struct{}, 100)
	for i := range held {
		held[i] = make(chan struct{}, 100)
		postgres.Common(x.store[i]).Attach(func(_ string, g pace.Grant) {
			if heard <- struct{}{}; g.Held {
				held[i] <- struct{}{}
			}
		})
	}
	first, second := postgres.Common(x.store[0]), postgres.Common(x.store[1])
	first.Ask("http://a.test", pace.Need{Use: true, Gap: time.Millisecond})
	x.after("the use of the host", held[0])
	<-heard
	second.Ask("http://a.test", pace.Need{Use: true, Gap: time.Millisecond})
	x.after("the answer to the second process", heard)
	x.until("the end of the exchanges", func() bool { return x.count(`select count(*) from curlew.host_use where look`) == 0 })
	trap := x.proxy[0].lose("update curlew.host_use x set look")
	first.Ask("http://a.test", pace.Need{})
	x.after("the release of the host", trap.done)
	x.after("the turn of the second process", held[1])
}

// testLostHelp lets the news that a process helps be lost on its way to the database, and
// on the way to the process that needs help.
func testLostHelp(t *testing.T, s *pgtest.Server) {
	x := newLossy(t, s)
	x.proxy[1].detain("insert into curlew.process") // it is never executed
	leave := x.help(1, func(context.Context, string) {})
	leave()
	x.until("the end of help", func() bool { return postgres.Capacity(x.store[0], "test") == 0 })
	x.proxy[0].refuse(true)
	var help sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer help.Wait()
	defer stop()
	help.Go(func() {
		_ = x.store[1].Help(ctx, job.Help{Kind: "test", Most: 1, Do: func(context.Context, *job.Job, []byte) ([]byte, error) { return nil, nil }})
	})
	x.until("the offer of help", func() bool { return x.count(`select count(*) from curlew.process where room > 0`) > 0 })
	x.proxy[0].refuse(false)
	x.until("the news of the offer", func() bool { return postgres.Capacity(x.store[0], "test") > 0 })
}
