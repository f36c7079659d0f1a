// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job/postgres/pgtest"
)

var (
	capacity = flag.Duration("capacity", 0, "how long TestCapacity measures each case; zero means that it does not measure")
	latency  = flag.Duration("latency", 0, "how long a page of TestCapacity takes to be fetched")
	payload  = flag.Int("payload", 8<<10, "bytes of a result of TestCapacity")
)

// TestCapacity measures how much one database can take:
//
//	go test -run TestCapacity -capacity 10s -v
//
// Each process crawls a site of its own whose pages have 80 links, of which two
// are new. Commits wait for the disk. Nothing is fetched or parsed.
func TestCapacity(t *testing.T) {
	if *capacity == 0 {
		return
	}
	s := pgtest.Start(t, true, "shared_buffers = 256MB", "log_lock_waits = on")
	for _, n := range []int{1, 2, 3, 4, 8} {
		measure(t, s, n)
	}
	idle(t, s)
}

// counters are cumulative figures of a server.
type counters struct{ commits, wal, deadlocks int64 }

func read(t *testing.T, conn *pgx.Conn) (c counters) {
	t.Helper()
	err := conn.QueryRow(t.Context(), `select xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn, deadlocks from pg_stat_database where datname = current_database()`).
		Scan(&c.commits, &c.wal, &c.deadlocks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// measure lets n processes crawl at the same time.
func measure(t *testing.T, s *pgtest.Server, n int) {
	url := s.Database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := make(chan struct{})
	var pages atomic.Int64
	var all sync.WaitGroup
	ids := make(chan string, n)
	for range n {
		st := open(t, url, nil)
		j, sp := begin(t, st, "crawl")
		ids <- j.ID
		f, err := sp.Frontier(t.Context(), frontier.Options{URL: "http://a.test/", Limit: frontier.Unlimited, NoSitemaps: true, IgnoreRobots: true, Concurrency: 64, PerHost: 64})
		if err != nil {
			t.Fatal(err)
		}
		for range 64 {
			all.Go(func() {
				<-start
				for ctx.Err() == nil {
					leases, err := f.Lease(ctx, 1)
					if err != nil {
						return
					}
					wait(ctx, *latency)
					if err := f.Commit(context.WithoutCancel(ctx), wide(leases[0])); err != nil {
						t.Errorf("Commit: %v", err)
						return
					}
					pages.Add(1)
				}
			})
		}
		defer f.Close()
	}
	reader := open(t, url, nil)
	sp, err := reader.Space(t.Context(), <-ids)
	if err != nil {
		t.Fatal(err)
	}
	before, begun := read(t, conn), time.Now()
	time.AfterFunc(*capacity, cancel)
	close(start)
	var took []time.Duration
	var locked, looks int
	for ctx.Err() == nil {
		at := time.Now()
		if _, err := sp.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(at))
		var waits int
		if err := conn.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		locked, looks = locked+waits, looks+1
		wait(ctx, 20*time.Millisecond)
	}
	all.Wait()
	seconds := time.Since(begun).Seconds()
	if _, err := conn.Exec(t.Context(), `select pg_stat_clear_snapshot(), pg_sleep(1)`); err != nil { // processes report once a second
		t.Fatal(err)
	}
	after := read(t, conn)
	done := float64(pages.Load())
	slices.Sort(took)
	t.Logf("%d processes: %.0f pages/s, %.0f transactions/s, %.0f WAL bytes a page, %.2f waiting for locks, %d deadlocks; status p50 %v, p99 %v",
		n, done/seconds, float64(after.commits-before.commits-int64(2*looks))/seconds, float64(after.wal-before.wal)/done,
		float64(locked)/float64(looks), after.deadlocks, took[len(took)/2], took[len(took)*99/100])
}

// wide returns the end of a page with 80 links, of which two are new.
func wide(l frontier.Lease) frontier.Commit {
	c := frontier.Commit{Lease: l, URL: l.URL, Payload: make([]byte, *payload), Cost: 1, Status: 200, Answer: pace.Good}
	noise := rand.NewChaCha8([32]byte{byte(l.Seq), byte(l.Seq >> 8), byte(l.Seq >> 16)})
	_, _ = io.ReadFull(noise, c.Payload)
	for i := range 80 {
		n := uint64(i)
		if i < 2 {
			n = 2*l.Seq + uint64(i) + 80
		}
		url := fmt.Sprintf("http://a.test/%d/a-page-with-a-name", n)
		c.Targets = append(c.Targets, frontier.Target{URL: url, Key: maphash.String(seed, url), Depth: l.Depth + 1})
	}
	return c
}

var seed = maphash.MakeSeed()

// idle counts the transactions of a process that has nothing to do.
func idle(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	open(t, url, nil)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	wait(t.Context(), 2*time.Second)
	before := read(t, conn)
	wait(t.Context(), 20*time.Second)
	t.Logf("an idle process: %.2f transactions/s", float64(read(t, conn).commits-before.commits-1)/20)
}
