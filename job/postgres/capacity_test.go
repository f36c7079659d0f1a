// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

var (
	capacity = flag.Duration("capacity", 0, "how long TestCapacity measures each case; zero means that it does not measure")
	latency  = flag.Duration("latency", 0, "how long a page of TestCapacity takes to be fetched")
	only     = flag.String("only", "", "which part of TestCapacity is measured: crawls, shared or idle; empty means all")
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
	s := pgtest.Start(t, true, "shared_buffers = 256MB", "log_lock_waits = on", "shared_preload_libraries = 'pg_stat_statements'")
	for _, n := range []int{1, 2, 3, 4, 8} {
		if *only == "" || *only == "crawls" {
			measure(t, s, n)
		}
	}
	for n := range 4 {
		if *only == "" || *only == "shared" {
			measureShared(t, s, n)
		}
	}
	if *only == "" || *only == "idle" {
		idle(t, s)
	}
}

// counters are cumulative figures of a server.
type counters struct{ commits, wal, deadlocks, size int64 }

func read(t *testing.T, conn *pgx.Conn) (c counters) {
	t.Helper()
	err := conn.QueryRow(t.Context(), `select xact_commit, pg_current_wal_lsn() - '0/0'::pg_lsn, deadlocks, pg_database_size(current_database()) from pg_stat_database where datname = current_database()`).
		Scan(&c.commits, &c.wal, &c.deadlocks, &c.size)
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
	t.Logf("%d processes: %.0f pages/s, %.0f transactions/s, %.0f WAL bytes and %.0f stored bytes a page, %.2f waiting for locks, %d deadlocks; status p50 %v, p99 %v",
		n, done/seconds, float64(after.commits-before.commits-int64(2*looks))/seconds, float64(after.wal-before.wal)/done, float64(after.size-before.size)/done,
		float64(locked)/float64(looks), after.deadlocks, took[len(took)/2], took[len(took)*99/100])
}

// connections is how many pages a process of measureShared fetches at once.
const connections = 64

// bounded is the fetcher of one process. It fetches as many pages at once as connections
// says. A page takes 50 ms, or -latency if that is set, and has 80 links, of which two are
// new.
type bounded struct{ slots chan struct{} }

func newBounded() *bounded { return &bounded{make(chan struct{}, connections)} }

// Fetch implements fetch.Fetcher.
func (f *bounded) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	wait(ctx, cmp.Or(*latency, 50*time.Millisecond))
	var n int
	_, _ = fmt.Sscanf(r.URL, "http://a.test/%d", &n)
	var b strings.Builder
	for i := range 80 {
		next := i
		if i < 2 {
			next = 2*n + i + 80
		}
		fmt.Fprintf(&b, "<a href=/%d/a-page-with-a-name>x</a>\n", next)
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(b.String())}, nil
}

// measureShared lets n processes help with one crawl. Each process has as many
// connections as the others, and the crawl may use all of them.
func measureShared(t *testing.T, s *pgtest.Server, n int) {
	url := s.Database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	config := crawl.Config{URL: "http://a.test/", Limit: crawl.Unlimited, Robots: crawl.RobotsIgnore, Sitemap: crawl.SitemapSkip, Concurrency: connections * (n + 1)}
	config.Visit = func(_ context.Context, p *crawl.Page) error {
		p.Payload = make([]byte, *payload)
		noise := rand.NewChaCha8([32]byte{byte(p.ID), byte(p.ID >> 8), byte(p.ID >> 16)})
		_, _ = io.ReadFull(noise, p.Payload)
		return nil
	}
	var all sync.WaitGroup
	defer all.Wait()
	for range n {
		helper, err := (&crawl.Engine{Fetcher: newBounded()}).Assist(config)
		if err != nil {
			t.Fatal(err)
		}
		st := open(t, url, nil)
		all.Go(func() {
			_ = st.Help(ctx, job.Help{Kind: "page", Most: connections, Do: func(ctx context.Context, _ *job.Job, task []byte) ([]byte, error) {
				return sharing.Do(ctx, helper, task, nil)
			}})
		})
	}
	st := open(t, url, &postgres.Options{Concurrency: connections})
	_, sp := begin(t, st, "crawl")
	if config.Frontier, err = sp.Frontier(t.Context(), config.FrontierOptions()); err != nil {
		t.Fatal(err)
	}
	defer config.Frontier.Close()
	config.Share = sharePages(sp, "page")
	var pages, elsewhere int
	var before counters
	var begun time.Time
	var locked, looks int
	next := time.Time{}
	for p, err := range (&crawl.Engine{Fetcher: newBounded()}).Run(ctx, config) {
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		if begun.IsZero() && p.ID > 2000 { // all processes have work
			before, begun = read(t, conn), now
		}
		if begun.IsZero() {
			continue
		}
		if now.Sub(begun) > *capacity {
			break
		}
		pages++
		if p.Shared {
			elsewhere++
		}
		if now.After(next) {
			next = now.Add(50 * time.Millisecond)
			var waits int
			if err := conn.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`).Scan(&waits); err != nil {
				t.Fatal(err)
			}
			locked, looks = locked+waits, looks+1
		}
	}
	seconds := time.Since(begun).Seconds()
	cancel()
	all.Wait()
	if _, err := conn.Exec(t.Context(), `select pg_stat_clear_snapshot(), pg_sleep(1)`); err != nil {
		t.Fatal(err)
	}
	after := read(t, conn)
	t.Logf("one crawl, %d helpers, %v a page: %.0f pages/s, %d%% elsewhere, %.0f transactions/s, %.0f WAL bytes a page, %.2f waiting for locks, %d deadlocks",
		n, cmp.Or(*latency, 50*time.Millisecond), float64(pages)/seconds, 100*elsewhere/max(pages, 1), float64(after.commits-before.commits-int64(looks))/seconds, float64(after.wal-before.wal)/float64(max(pages, 1)),
		float64(locked)/float64(max(looks, 1)), after.deadlocks)
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

// idle counts the statements of a process that helps and has nothing to do.
func idle(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	st := open(t, url, nil)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() {
		_ = st.Help(ctx, job.Help{Kind: "page", Most: 16, Do: func(context.Context, *job.Job, []byte) ([]byte, error) { return nil, nil }})
	})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `create extension pg_stat_statements`); err != nil {
		t.Fatal(err)
	}
	statements := func() (n float64) {
		t.Helper()
		err := conn.QueryRow(t.Context(), `select coalesce(sum(calls), 0)::float8 from pg_stat_statements s join pg_database d on d.oid = s.dbid
			where d.datname = current_database() and query not like '%pg_stat_statements%'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	wait(t.Context(), 2*time.Second)
	before, begun := statements(), time.Now()
	wait(t.Context(), 20*time.Second)
	t.Logf("an idle worker: %.2f statements/s", (statements()-before)/time.Since(begun).Seconds())
}
