// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

var (
	kills = flag.Int("kills", 6, "how often TestKill kills a worker or the server")
	pages = flag.Int("pages", 300, "how many pages a crawl of TestKill has")

	// previous tests a rolling upgrade:
	//
	//	git worktree add /tmp/previous COMMIT
	//	(cd /tmp/previous/job/postgres && GOWORK=off go test -c -o /tmp/previous.test .)
	//	go test -run 'TestKill|TestShareKill' -previous /tmp/previous.test -kills 12 -v
	//
	// It was tried with the commits 79bf966f (schema 7), 0410d499 (8) and 6ade6738 (9).
	previous = flag.String("previous", "", "the test binary of an earlier version, which half of the workers of TestKill and TestShareKill run")
)

// worker is the environment variable that makes the test binary a worker on the
// database that it names.
const worker = "CURLEW_TEST_WORKER"

// workerSite is the specification of a crawl that the worker starts; empty means none.
const workerSite = "CURLEW_TEST_WORKER_SITE"

// outside is the environment variable with the directory in which a worker stores the
// data of items. If it is empty, they are in the database.
const outside = "CURLEW_TEST_BLOBS"

// tree is a crawl of the pages 0 to size-1. Page i links to 2i+1 and 2i+2.
type tree struct {
	size, limit int
	free        chan struct{} // if not nil, a page ends when there is a value
}

func (w tree) options() frontier.Options {
	return frontier.Options{URL: w.url(0), NoSitemaps: true, IgnoreRobots: true, Limit: w.limit, Concurrency: 4, PerHost: 4}
}

func (w tree) url(i int) string { return fmt.Sprintf("http://a.test/%d", i) }

func (w tree) end(l frontier.Lease) frontier.Commit {
	var i int
	_, _ = fmt.Sscanf(l.URL, "http://a.test/%d", &i)
	c := frontier.Commit{Lease: l, URL: l.URL, Payload: []byte(l.URL), Cost: 1, Status: 200, Answer: pace.Good}
	for _, next := range []int{2*i + 1, 2*i + 2} {
		if next < w.size {
			h := fnv.New64a()
			_, _ = h.Write([]byte(w.url(next)))
			c.Targets = append(c.Targets, frontier.Target{URL: w.url(next), Key: h.Sum64(), Depth: l.Depth + 1})
		}
	}
	return c
}

// walk crawls with several goroutines.
func (w tree) walk(ctx context.Context, f frontier.Frontier) error {
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			errs <- func() error {
				for {
					leases, err := f.Lease(ctx, 1)
					if errors.Is(err, io.EOF) {
						return nil
					}
					if err != nil {
						return err
					}
					if w.free != nil {
						<-w.free
					}
					if err := f.Commit(ctx, w.end(leases[0])); err != nil {
						return err
					}
				}
			}()
		}()
	}
	var all error
	for range cap(errs) {
		all = errors.Join(all, <-errs)
	}
	return all
}

// works are the works of a worker process.
func works(st *postgres.Store) map[string]job.Work {
	return map[string]job.Work{
		"crawl": func(ctx context.Context, j *job.Job, s job.Space) error {
			var w tree
			if _, err := fmt.Sscan(string(j.Spec), &w.size, &w.limit); err != nil {
				return err
			}
			f, err := s.Frontier(ctx, w.options())
			if err != nil {
				return err
			}
			return w.walk(ctx, f)
		},
		"batch": func(ctx context.Context, j *job.Job, s job.Space) error {
			var n int
			if _, err := fmt.Sscan(string(j.Spec), &n); err != nil {
				return err
			}
			done, err := job.Settled(ctx, s)
			if err != nil {
				return err
			}
			for i := 1; i <= n; i++ {
				if done(i) {
					continue
				}
				if err := s.Append(ctx, job.Item{Data: fmt.Append(nil, i), Input: i, Cost: 1}); err != nil {
					return err
				}
			}
			return nil
		},
		"site": siteWork(loopback(), st.Hosts()),
	}
}

// TestWorker is not a test but the process that TestKill kills. It works until it
// is killed or its standard input ends.
func TestWorker(t *testing.T) {
	url := os.Getenv(worker)
	if url == "" {
		return
	}
	started := os.Getenv(workerSite) == ""
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	o := &postgres.Options{Lease: 3 * time.Second}
	if dir := os.Getenv(outside); dir != "" {
		o.Blobs = directory(t, dir)
	}
	for ctx.Err() == nil {
		st, err := postgres.Open(ctx, url, o)
		if err != nil { // the server was killed
			wait(ctx, 50*time.Millisecond)
			continue
		}
		if o.Blobs != nil {
			postgres.Outside(st)
		}
		r := job.Runner{Store: st, Works: works(st), Keep: time.Hour}
		go func() { _ = st.Help(ctx, siteHelp(loopback(), st.Hosts(), 8)) }() // ends with the store
		if !started {
			_, err := r.Start(ctx, "site", "team", []byte(os.Getenv(workerSite)))
			started = err == nil
		}
		for ctx.Err() == nil {
			_ = r.Resume(ctx) // it tries again
			wait(ctx, 100*time.Millisecond)
		}
		_ = r.Shutdown(context.WithoutCancel(ctx))
		_ = st.Close()
	}
}

// wait waits for a time or for the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// process is a worker process.
type process struct {
	cmd   *exec.Cmd
	input io.Closer
}

func spawn(t *testing.T, url string, env ...string) *process {
	t.Helper()
	program := os.Args[0]
	if *previous != "" && rand.IntN(2) == 0 {
		program = *previous
	}
	return run(t, program, url, env...)
}

// earlier starts a worker of an earlier version, if there is one, and lets it make the
// schema of the database. The next process migrates the schema while the worker runs.
func earlier(t *testing.T, url string) (p *process) {
	t.Helper()
	if *previous == "" {
		return nil
	}
	p = run(t, *previous, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for deadline := time.Now().Add(5 * time.Minute); ; wait(t.Context(), 20*time.Millisecond) {
		var version int
		err := conn.QueryRow(t.Context(), `select max(version) from curlew.migration where exists (select from curlew.process)`).Scan(&version)
		if err == nil {
			t.Logf("the earlier version has made schema %d, this one has %d", version, len(postgres.Migrations()))
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("the earlier version does not make its schema: %v", err)
		}
	}
}

// run starts a program that is a worker.
func run(t *testing.T, program, url string, env ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-test.run=^TestWorker$", "-test.timeout=0")
	cmd.Env = append(append(os.Environ(), worker+"="+url), env...)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &process{cmd, in}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.input.Close()
}

// progress watches the jobs of a database, past the proxies of a test. A test that cuts
// or kills lets the work proceed between two faults, however slow the machine is.
type progress struct {
	t       *testing.T
	url     string
	written int64 // by all jobs, when moved looked last
}

func watch(t *testing.T, url string) *progress { return &progress{t: t, url: url} }

// look returns how often jobs were written, and how many of them run. While the server
// does not answer, it asks again.
func (p *progress) look(ctx context.Context) (written int64, running int) {
	for {
		conn, err := pgx.Connect(ctx, p.url)
		if err == nil {
			err = conn.QueryRow(ctx, `select coalesce(sum(written), 0)::bigint, count(*) filter (where state = 'running') from curlew.job`).Scan(&written, &running)
			_ = conn.Close(ctx)
		}
		if err == nil {
			return written, running
		}
		if ctx.Err() != nil {
			return p.written, 0
		}
		wait(ctx, 20*time.Millisecond)
	}
}

// moved waits until a job has written something since the last call. It returns false
// if no job runs any more, or if ctx ends.
func (p *progress) moved(ctx context.Context) bool {
	p.t.Helper()
	within, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		written, running := p.look(within)
		switch {
		case ctx.Err() != nil:
			return false
		case within.Err() != nil:
			p.t.Errorf("no job writes anything")
			return false
		case running == 0:
			return false
		case written > p.written:
			p.written = written
			return true
		}
		wait(within, 5*time.Millisecond)
	}
}

// killAtRandom kills one of the workers and the server again and again, while their jobs
// proceed. Before each time it waits, at most for pause. New workers get env.
func killAtRandom(t *testing.T, s *pgtest.Server, url string, workers []*process, pause time.Duration, env ...string) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for i, watched := 0, watch(t, url); i < *kills && watched.moved(t.Context()); i++ {
		wait(t.Context(), time.Duration(r.Int64N(int64(pause))))
		if i%4 == 3 {
			s.Kill()
			if err := s.Run(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		n := r.IntN(len(workers))
		workers[n].kill()
		workers[n] = spawn(t, url, env...)
	}
}

// awaitEnd waits until a job has ended.
func awaitEnd(t *testing.T, st *postgres.Store, j *job.Job, deadline time.Time) {
	t.Helper()
	for {
		got, err := st.Load(t.Context(), j.Owner, j.ID)
		if err == nil && got.State.Final() {
			return
		}
		if time.Now().After(deadline) {
			_, stats, counts, err2 := stored(t, st, j)
			t.Fatalf("%s %s does not end: %+v, %d results, %v, %v\n%s", j.Kind, j.Spec, stats, len(counts), err, err2, postgres.Dump(st))
		}
		wait(t.Context(), 50*time.Millisecond)
	}
}

// stored returns a job as st reads it, its figures, and how often it has each result.
func stored(t *testing.T, st *postgres.Store, j *job.Job) (*job.Job, job.Stats, map[string]int, error) {
	t.Helper()
	got, err := st.Load(t.Context(), j.Owner, j.ID)
	if err != nil {
		return nil, job.Stats{}, nil, err
	}
	sp, err := st.Space(t.Context(), j.ID)
	if err != nil {
		return nil, job.Stats{}, nil, err
	}
	stats, err := sp.Stats(t.Context())
	if err != nil {
		return nil, job.Stats{}, nil, err
	}
	items, err := sp.Items(t.Context(), job.Result, 0, job.Unlimited)
	counts := map[string]int{}
	for _, it := range items {
		counts[string(it.Data)]++
	}
	return got, stats, counts, err
}

// TestKill lets three processes do jobs and kills them and the server at random.
// Nothing is lost, nothing is doubled, and no limit is exceeded. The data of items is in
// files.
func TestKill(t *testing.T) {
	t.Parallel() // it mostly waits for leases to end
	if testing.Short() {
		t.Skip("slow")
	}
	s := pgtest.Start(t, true)
	url := s.Database(t)
	dir := t.TempDir()
	files := directory(t, dir)
	st := open(t, url, &postgres.Options{Lease: 3 * time.Second, Blobs: files})
	var jobs []*job.Job
	for i := range 9 {
		j := &job.Job{ID: job.NewID(), Kind: "crawl", Owner: "team", State: job.Running, Keep: time.Hour}
		switch i % 3 {
		case 0:
			j.Spec = fmt.Append(nil, *pages, frontier.Unlimited)
		case 1:
			j.Spec = fmt.Append(nil, *pages, *pages/3+i)
		default:
			j.Kind, j.Spec = "batch", fmt.Append(nil, *pages)
		}
		if err := st.Create(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	if err := st.Close(); err != nil { // the workers may have the jobs
		t.Fatal(err)
	}
	processes := make([]*process, 3)
	for i := range processes {
		processes[i] = spawn(t, url, outside+"="+dir)
	}
	defer func() {
		for _, p := range processes {
			p.kill()
		}
	}()
	killAtRandom(t, s, url, processes, 400*time.Millisecond, outside+"="+dir)
	st = open(t, url, &postgres.Options{Blobs: files})
	deadline := time.Now().Add(4 * time.Minute)
	for _, j := range jobs {
		awaitEnd(t, st, j, deadline)
	}
	for _, j := range jobs {
		got, stats, counts, err := stored(t, st, j)
		if err != nil {
			t.Fatal(err)
		}
		want, limit := *pages, 0
		if j.Kind == "crawl" {
			_, _ = fmt.Sscan(string(j.Spec), &want, &limit)
			if limit > 0 {
				want = limit
			}
		}
		if got.State != job.Completed || len(counts) != want || stats.Items[job.Result] != want || stats.Cost != want {
			t.Errorf("%s %s is %s (%s) with %d results, %d counted, %d credits; want %d", j.Kind, j.Spec, got.State, got.Err, len(counts), stats.Items[job.Result], stats.Cost, want)
		}
		for data, n := range counts {
			if n != 1 {
				t.Errorf("%s %s has the result %q %d times", j.Kind, j.Spec, data, n)
			}
		}
	}
}

// testCut cuts the connections of a process again and again, also after
// statements were executed and before their answers arrive.
func testCut(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: 10 * time.Minute}) // the test decides how long connections break
	j, sp := begin(t, st, "crawl")
	w := tree{size: 400, limit: 350, free: make(chan struct{})}
	f, err := sp.Frontier(t.Context(), w.options())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var cuts sync.WaitGroup
	cuts.Go(func() {
		watched := watch(t, url)
		watched.written, _ = watched.look(ctx)
		for i := 0; ; i++ {
			p.cutAfter(i * 53 % 600)
			for range 5 { // pages that may end before the next cut
				select {
				case w.free <- struct{}{}:
				case <-ctx.Done():
					p.cutAfter(-1)
					return
				}
			}
			watched.moved(ctx)
		}
	})
	err = w.walk(t.Context(), f)
	stop()
	cuts.Wait()
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	if n := p.count(); n < 10 {
		t.Errorf("connections were cut %d times, want 10 or more", n)
	}
	if err := sp.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatalf("End: %v", err)
	}
	_, stats, counts, err := stored(t, open(t, url, nil), j)
	if err != nil || len(counts) != 350 || stats.Items[job.Result] != 350 || stats.Cost != 350 || stats.Crawl.Delivered != 350 {
		t.Errorf("%d results, %+v, %v; want 350", len(counts), stats, err)
	}
}

// testAppendCut adds items while connections are cut. Each is stored once.
func testAppendCut(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	p, through := cutting(t, url)
	st := open(t, through, &postgres.Options{Lease: 10 * time.Minute})
	_, sp := begin(t, st, "batch")
	var want []string
	for i := range 60 {
		p.cutAfter(i * 7)
		data := fmt.Sprint("item ", i)
		if err := sp.Append(t.Context(), job.Item{Data: []byte(data)}); err != nil {
			t.Fatalf("Append: %v", err)
		}
		want = append(want, data)
	}
	p.cutAfter(-1)
	items, err := sp.Items(t.Context(), job.Result, 0, job.Unlimited)
	if err != nil { // the connection of the pool may still be one that was cut
		items, err = sp.Items(t.Context(), job.Result, 0, job.Unlimited)
	}
	var got []string
	for _, it := range items {
		got = append(got, string(it.Data))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d items, %v; want %d: %s", len(got), err, len(want), strings.Join(got, ", "))
	}
}

// testLimits crawls with many goroutines and random limits.
func testLimits(t *testing.T, s *pgtest.Server) {
	st := open(t, s.Database(t), nil)
	for range 12 {
		w := tree{size: 100, limit: 1 + rand.IntN(120)}
		j, sp := begin(t, st, "crawl")
		o := w.options()
		o.Concurrency, o.PerHost = 32, 32
		f, err := sp.Frontier(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := w.walk(t.Context(), f); err != nil {
					t.Errorf("walk: %v", err)
				}
			})
		}
		all.Wait()
		f.Close()
		_, stats, counts, err := stored(t, st, j)
		if want := min(w.size, w.limit); err != nil || len(counts) != want || stats.Items[job.Result] != want {
			t.Errorf("limit %d: %d results, %+v, %v", w.limit, len(counts), stats, err)
		}
	}
}
